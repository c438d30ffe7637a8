#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>

#include "kernels.h"

namespace ct {
namespace {

constexpr int kRowsPerBlock = 8;

__device__ float warp_max(float v) {
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
  return v;
}

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

// One warp per row, one lane per class.
__global__ void softmax_loss_kernel(const __half* logits, const std::uint8_t* labels, __half* grad, float* loss,
                                    int* hits, int rows, int classes, int stride, float grad_scale) {
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.y;
  if (row >= rows) return;
  const int lane = threadIdx.x;
  const bool live = lane < classes;
  const int label = labels[row];
  const float x = live ? __half2float(logits[row * stride + lane]) : -INFINITY;
  const float top = warp_max(x);
  const float e = live ? expf(x - top) : 0.f;
  const float total = warp_sum(e);
  if (lane < stride) {
    const float p = e / total - (lane == label ? 1.f : 0.f);
    grad[row * stride + lane] = __float2half(live ? p * grad_scale : 0.f);
  }
  const unsigned best = __ballot_sync(0xffffffffu, live && x == top);
  if (lane == label) {
    atomicAdd(loss, logf(total) - (x - top));
    if (__ffs(best) - 1 == label) atomicAdd(hits, 1);
  }
}

}  // namespace

cudaError_t softmax_loss(const __half* logits, const std::uint8_t* labels, __half* grad, float* loss, int* hits,
                         int rows, int classes, int stride, float loss_scale, cudaStream_t s) {
  if (classes > 32) return cudaErrorInvalidValue;
  const dim3 block(32, kRowsPerBlock);
  softmax_loss_kernel<<<(rows + kRowsPerBlock - 1) / kRowsPerBlock, block, 0, s>>>(
      logits, labels, grad, loss, hits, rows, classes, stride, loss_scale / rows);
  return cudaGetLastError();
}

}  // namespace ct
