// Colour conversion and jitter: one thread per pixel, no shared memory.
#include "launch.cuh"
#include "vision_ops.h"

namespace {

// 32 bytes of a row per block row keeps the u8 loads coalesced. A tile shape only: no thread looks at another.
constexpr int kTileX = 32;
constexpr int kTileY = 8;
constexpr int kJitterThreads = 256;

__device__ __forceinline__ uint8_t to_u8(float v) {
  return static_cast<uint8_t>(fminf(fmaxf(v + 0.5f, 0.f), 255.f));
}

__global__ void bgr_to_gray_kernel(const uint8_t* __restrict__ bgr, uint8_t* __restrict__ gray, int height,
                                   int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int i = y * width + x;
  // BT.601 weights, as OpenCV uses them
  const float v = 0.114f * bgr[3 * i] + 0.587f * bgr[3 * i + 1] + 0.299f * bgr[3 * i + 2];
  gray[i] = to_u8(v);
}

// Limited-range BT.709. Chroma is subsampled by two both ways and interleaved (U, V).
__global__ void nv12_to_rgb_kernel(const uint8_t* __restrict__ y_plane, const uint8_t* __restrict__ uv_plane,
                                   uint8_t* __restrict__ rgb, int height, int width, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float luma = 1.164f * (static_cast<float>(y_plane[y * pitch + x]) - 16.f);
  const uint8_t* uv = uv_plane + (y / 2) * pitch + (x / 2) * 2;
  const float u = static_cast<float>(uv[0]) - 128.f;
  const float v = static_cast<float>(uv[1]) - 128.f;
  uint8_t* out = rgb + 3 * (y * width + x);
  out[0] = to_u8(luma + 1.793f * v);
  out[1] = to_u8(luma - 0.213f * u - 0.533f * v);
  out[2] = to_u8(luma + 2.112f * u);
}

// Planar float RGB in [0, 1], in place. One factor of each kind per image.
__global__ void color_jitter_kernel(float* __restrict__ rgb, int batch, int pixels,
                                    const float* __restrict__ brightness, const float* __restrict__ contrast,
                                    const float* __restrict__ saturation) {
  const int64_t total = static_cast<int64_t>(batch) * pixels;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < total; i += stride) {
    const int n = static_cast<int>(i / pixels);
    float* p = rgb + (static_cast<int64_t>(n) * 3) * pixels + i % pixels;
    float r = p[0] * brightness[n];
    float g = p[pixels] * brightness[n];
    float b = p[2 * pixels] * brightness[n];
    r = (r - 0.5f) * contrast[n] + 0.5f;
    g = (g - 0.5f) * contrast[n] + 0.5f;
    b = (b - 0.5f) * contrast[n] + 0.5f;
    const float luma = 0.299f * r + 0.587f * g + 0.114f * b;
    p[0] = __saturatef(luma + (r - luma) * saturation[n]);
    p[pixels] = __saturatef(luma + (g - luma) * saturation[n]);
    p[2 * pixels] = __saturatef(luma + (b - luma) * saturation[n]);
  }
}

dim3 tiles(int height, int width) { return dim3((width + kTileX - 1) / kTileX, (height + kTileY - 1) / kTileY); }

}  // namespace

cudaError_t vops_bgr_to_gray(const uint8_t* bgr, uint8_t* gray, int height, int width, cudaStream_t stream) {
  const dim3 block(kTileX, kTileY);
  bgr_to_gray_kernel<<<tiles(height, width), block, 0, stream>>>(bgr, gray, height, width);
  return cudaGetLastError();
}

cudaError_t vops_nv12_to_rgb(const uint8_t* y_plane, const uint8_t* uv_plane, uint8_t* rgb, int height, int width,
                             int pitch, cudaStream_t stream) {
  const dim3 block(kTileX, kTileY);
  nv12_to_rgb_kernel<<<tiles(height, width), block, 0, stream>>>(y_plane, uv_plane, rgb, height, width, pitch);
  return cudaGetLastError();
}

cudaError_t vops_color_jitter(float* rgb, int batch, int pixels, const float* brightness, const float* contrast,
                              const float* saturation, cudaStream_t stream) {
  int blocks = 0;
  cudaError_t rc = vops::grid_for(static_cast<int64_t>(batch) * pixels, kJitterThreads, &blocks);
  if (rc != cudaSuccess) return rc;
  color_jitter_kernel<<<blocks, kJitterThreads, 0, stream>>>(rgb, batch, pixels, brightness, contrast, saturation);
  return cudaGetLastError();
}
