// Decoder output (u8, HWC) to network input (float or half, CHW, normalised) and back.
#include <cuda_fp16.h>

#include "launch.cuh"
#include "vision_ops.h"

namespace {

constexpr int kThreads = 256;

__device__ __forceinline__ void store(float* p, float v) { *p = v; }
__device__ __forceinline__ void store(__half* p, float v) { *p = __float2half_rn(v); }

template <typename T>
__global__ void __launch_bounds__(kThreads)
    hwc_to_chw_norm_kernel(const uint8_t* __restrict__ src, T* __restrict__ dst, const float* __restrict__ mean,
                           const float* __restrict__ inv_std, int64_t total, int channels, int pixels) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < total; i += stride) {
    const int pixel = static_cast<int>(i % pixels);
    const int64_t plane = i / pixels;
    const int c = static_cast<int>(plane % channels);
    const int64_t image = plane / channels;
    const float raw = static_cast<float>(src[(image * pixels + pixel) * channels + c]) * (1.f / 255.f);
    store(dst + i, (raw - mean[c]) * inv_std[c]);
  }
}

__global__ void __launch_bounds__(kThreads)
    chw_to_hwc_u8_kernel(const float* __restrict__ src, uint8_t* __restrict__ dst, const float* __restrict__ mean,
                         const float* __restrict__ std_dev, int64_t total, int channels, int pixels) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < total; i += stride) {
    const int c = static_cast<int>(i % channels);
    const int64_t at = i / channels;
    const int64_t image = at / pixels;
    const float v = src[(image * channels + c) * pixels + at % pixels] * std_dev[c] + mean[c];
    dst[i] = static_cast<uint8_t>(__saturatef(v) * 255.f + 0.5f);
  }
}

template <typename T>
cudaError_t launch_norm(const uint8_t* src, T* dst, const float* mean, const float* inv_std, int batch, int channels,
                        int pixels, cudaStream_t stream) {
  const int64_t total = static_cast<int64_t>(batch) * channels * pixels;
  int blocks = 0;
  cudaError_t rc = vops::grid_for(total, kThreads, &blocks);
  if (rc != cudaSuccess) return rc;
  hwc_to_chw_norm_kernel<T><<<blocks, kThreads, 0, stream>>>(src, dst, mean, inv_std, total, channels, pixels);
  return cudaGetLastError();
}

}  // namespace

cudaError_t vops_hwc_to_chw_norm_f32(const uint8_t* src, float* dst, const float* mean, const float* inv_std,
                                     int batch, int channels, int pixels, cudaStream_t stream) {
  return launch_norm<float>(src, dst, mean, inv_std, batch, channels, pixels, stream);
}

cudaError_t vops_hwc_to_chw_norm_f16(const uint8_t* src, void* dst, const float* mean, const float* inv_std,
                                     int batch, int channels, int pixels, cudaStream_t stream) {
  return launch_norm<__half>(src, static_cast<__half*>(dst), mean, inv_std, batch, channels, pixels, stream);
}

cudaError_t vops_chw_to_hwc_u8(const float* src, uint8_t* dst, const float* mean, const float* std_dev, int batch,
                               int channels, int pixels, cudaStream_t stream) {
  const int64_t total = static_cast<int64_t>(batch) * channels * pixels;
  int blocks = 0;
  cudaError_t rc = vops::grid_for(total, kThreads, &blocks);
  if (rc != cudaSuccess) return rc;
  chw_to_hwc_u8_kernel<<<blocks, kThreads, 0, stream>>>(src, dst, mean, std_dev, total, channels, pixels);
  return cudaGetLastError();
}
