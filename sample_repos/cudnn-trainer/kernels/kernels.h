// Our own kernels as plain functions.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace ct {

// v = momentum * v + grad / loss_scale + decay * master; master -= rate * v; weight = half(master).
struct SgdStep {
  float rate;
  float momentum;
  float decay;
  float loss_scale;
};
cudaError_t sgd(float* master, float* velocity, __half* weight, const __half* grad, int n, SgdStep step,
                cudaStream_t s);
// The same for parameters that are kept in fp32 only (batch norm).
cudaError_t sgd_fp32(float* param, float* velocity, const float* grad, int n, SgdStep step, cudaStream_t s);

// Softmax cross-entropy over rows of `classes` logits (at most 32 are looked at; rows are `stride` apart).
// grad = (softmax - onehot) * loss_scale / rows. Adds to *loss and *hits.
cudaError_t softmax_loss(const __half* logits, const std::uint8_t* labels, __half* grad, float* loss, int* hits,
                         int rows, int classes, int stride, float loss_scale, cudaStream_t s);

}  // namespace ct
