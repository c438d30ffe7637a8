// Activations that torch.compile did not fuse for us in the detector heads.
#include <cuda_fp16.h>

#include "launch.cuh"
#include "vision_ops.h"

namespace {

constexpr int kThreads = 256;
constexpr int kItems = 4;  // elements per thread and step

__device__ __forceinline__ float load(const float* p) { return *p; }
__device__ __forceinline__ float load(const __half* p) { return __half2float(*p); }
__device__ __forceinline__ void store(float* p, float v) { *p = v; }
__device__ __forceinline__ void store(__half* p, float v) { *p = __float2half_rn(v); }

// x: rows x channels (NHWC seen flat), in place.
template <typename T>
__global__ void bias_silu_kernel(T* __restrict__ x, const T* __restrict__ bias, int64_t n, int channels) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x * kItems;
  for (int64_t base = static_cast<int64_t>(blockIdx.x) * blockDim.x * kItems + threadIdx.x; base < n; base += step) {
#pragma unroll 4
    for (int k = 0; k < kItems; ++k) {
      const int64_t i = base + static_cast<int64_t>(k) * blockDim.x;
      if (i >= n) break;
      const float v = load(x + i) + load(bias + i % channels);
      store(x + i, v / (1.f + __expf(-v)));
    }
  }
}

__global__ void hard_swish_fwd_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const float v = x[i];
    y[i] = v * fminf(fmaxf(v + 3.f, 0.f), 6.f) * (1.f / 6.f);
  }
}

__global__ void hard_swish_bwd_kernel(const float* __restrict__ x, const float* __restrict__ grad_y,
                                      float* __restrict__ grad_x, int64_t n) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const float v = x[i];
    const float slope = v <= -3.f ? 0.f : (v >= 3.f ? 1.f : (2.f * v + 3.f) * (1.f / 6.f));
    grad_x[i] = grad_y[i] * slope;
  }
}

template <typename T>
cudaError_t launch_bias_silu(T* x, const T* bias, int64_t rows, int channels, cudaStream_t stream) {
  const int64_t n = rows * channels;
  int blocks = 0;
  cudaError_t rc = vops::grid_for((n + kItems - 1) / kItems, kThreads, &blocks);
  if (rc != cudaSuccess) return rc;
  bias_silu_kernel<T><<<blocks, kThreads, 0, stream>>>(x, bias, n, channels);
  return cudaGetLastError();
}

}  // namespace

cudaError_t vops_bias_silu_f32(float* x, const float* bias, int64_t rows, int channels, cudaStream_t stream) {
  return launch_bias_silu<float>(x, bias, rows, channels, stream);
}

cudaError_t vops_bias_silu_f16(void* x, const void* bias, int64_t rows, int channels, cudaStream_t stream) {
  return launch_bias_silu<__half>(static_cast<__half*>(x), static_cast<const __half*>(bias), rows, channels, stream);
}

cudaError_t vops_hard_swish_fwd(const float* x, float* y, int64_t n, cudaStream_t stream) {
  int blocks = 0;
  cudaError_t rc = vops::grid_for(n, kThreads, &blocks);
  if (rc != cudaSuccess) return rc;
  hard_swish_fwd_kernel<<<blocks, kThreads, 0, stream>>>(x, y, n);
  return cudaGetLastError();
}

cudaError_t vops_hard_swish_bwd(const float* x, const float* grad_y, float* grad_x, int64_t n, cudaStream_t stream) {
  int blocks = 0;
  cudaError_t rc = vops::grid_for(n, kThreads, &blocks);
  if (rc != cudaSuccess) return rc;
  hard_swish_bwd_kernel<<<blocks, kThreads, 0, stream>>>(x, grad_y, grad_x, n);
  return cudaGetLastError();
}
