#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels.h"

namespace ct {
namespace {

constexpr int kThreads = 256;
constexpr int kPerThread = 4;

__global__ void __launch_bounds__(kThreads) sgd_kernel(float* master, float* velocity, __half* weight,
                                                       const __half* grad, int n, SgdStep step) {
  const int base = (blockIdx.x * kThreads + threadIdx.x) * kPerThread;
  const float unscale = 1.f / step.loss_scale;
#pragma unroll
  for (int k = 0; k < kPerThread; ++k) {
    const int i = base + k;
    if (i >= n) return;
    const float g = __half2float(grad[i]) * unscale;
    // A gradient that overflowed in fp16 is dropped, not applied.
    if (!isfinite(g)) continue;
    const float v = step.momentum * velocity[i] + g + step.decay * master[i];
    velocity[i] = v;
    master[i] -= step.rate * v;
    weight[i] = __float2half(master[i]);
  }
}

__global__ void sgd_fp32_kernel(float* param, float* velocity, const float* grad, int n, SgdStep step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = grad[i] / step.loss_scale;
  if (!isfinite(g)) return;
  velocity[i] = step.momentum * velocity[i] + g;
  param[i] -= step.rate * velocity[i];
}

}  // namespace

cudaError_t sgd(float* master, float* velocity, __half* weight, const __half* grad, int n, SgdStep step,
                cudaStream_t s) {
  const int per_block = kThreads * kPerThread;
  sgd_kernel<<<(n + per_block - 1) / per_block, kThreads, 0, s>>>(master, velocity, weight, grad, n, step);
  return cudaGetLastError();
}

cudaError_t sgd_fp32(float* param, float* velocity, const float* grad, int n, SgdStep step, cudaStream_t s) {
  sgd_fp32_kernel<<<(n + kThreads - 1) / kThreads, kThreads, 0, s>>>(param, velocity, grad, n, step);
  return cudaGetLastError();
}

}  // namespace ct
