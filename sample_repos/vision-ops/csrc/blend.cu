// Compositing for the annotation viewer and for cut-and-paste augmentation.
#include "launch.cuh"
#include "vision_ops.h"

namespace {

constexpr int kThreads = 512;

__global__ void alpha_blend_kernel(const float* __restrict__ fg, const float* __restrict__ bg,
                                   const float* __restrict__ alpha, float* __restrict__ out, int64_t total,
                                   int channels, int pixels) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < total; i += stride) {
    const int64_t image = i / (static_cast<int64_t>(channels) * pixels);
    const float a = alpha[image * pixels + i % pixels];
    out[i] = a * fg[i] + (1.f - a) * bg[i];
  }
}

// The mask holds one bit per pixel, 32 pixels per word, as the labelling tool exports it.
__global__ void mask_overlay_kernel(float* __restrict__ rgb, const uint32_t* __restrict__ packed_mask, int pixels,
                                    float r, float g, float b, float opacity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const uint32_t word = packed_mask[i >> 5];
  if (((word >> (i & 31)) & 1u) == 0) return;
  rgb[i] += (r - rgb[i]) * opacity;
  rgb[pixels + i] += (g - rgb[pixels + i]) * opacity;
  rgb[2 * pixels + i] += (b - rgb[2 * pixels + i]) * opacity;
}

}  // namespace

cudaError_t vops_alpha_blend(const float* fg, const float* bg, const float* alpha, float* out, int batch,
                             int channels, int pixels, cudaStream_t stream) {
  const int64_t total = static_cast<int64_t>(batch) * channels * pixels;
  int blocks = 0;
  cudaError_t rc = vops::grid_for(total, kThreads, &blocks);
  if (rc != cudaSuccess) return rc;
  alpha_blend_kernel<<<blocks, kThreads, 0, stream>>>(fg, bg, alpha, out, total, channels, pixels);
  return cudaGetLastError();
}

cudaError_t vops_mask_overlay(float* rgb, const uint32_t* packed_mask, int pixels, float r, float g, float b,
                              float opacity, cudaStream_t stream) {
  const int blocks = (pixels + kThreads - 1) / kThreads;
  mask_overlay_kernel<<<blocks, kThreads, 0, stream>>>(rgb, packed_mask, pixels, r, g, b, opacity);
  return cudaGetLastError();
}
