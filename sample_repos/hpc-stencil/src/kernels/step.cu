// The stencil: 25 points, eighth order. A block covers a tile in x and y and marches along z; the column of
// nine values along z stays in registers, the tile of the current plane in shared memory.
#include <cuda_runtime.h>

#include "wavebox/gpu.hpp"
#include "wavebox/kernels.hpp"

namespace wavebox {
namespace {

// Block shape. 32 x 16 wins over 64 x 8 by a little on Volta and Ampere; z chunks give the smaller boxes
// enough blocks.
constexpr int kTileX = 32;
constexpr int kTileY = 16;
constexpr int kChunkZ = 64;

// Weights of the second derivative, from the centre outwards.
__constant__ float kWeights[kRadius + 1] = {-205.f / 72.f, 8.f / 5.f, -1.f / 5.f, 8.f / 315.f, -1.f / 560.f};

__global__ void __launch_bounds__(kTileX* kTileY, 2)
    step_kernel(Grid g, Planes planes, const float* __restrict__ now, const float* prev, float* next,
                const float* __restrict__ vdt2, int pitch, size_t plane, float inv_h2) {
  __shared__ float tile[kTileY + 2 * kRadius][kTileX + 2 * kRadius];

  const int tx = threadIdx.x + kRadius;
  const int ty = threadIdx.y + kRadius;
  const int x = blockIdx.x * kTileX + threadIdx.x;
  const int y = blockIdx.y * kTileY + threadIdx.y;
  const bool inside = x < g.nx && y < g.ny;
  // Threads outside still help to load; keep their addresses legal.
  const int cx = min(x, g.nx + kRadius - 1);
  const int cy = min(y, g.ny + kRadius - 1);

  const int z0 = planes.first + blockIdx.z * kChunkZ;
  const int z1 = min(z0 + kChunkZ, planes.last);
  size_t at = size_t(z0 + kRadius) * plane + size_t(cy + kRadius) * pitch + cx + kRadius;

  float column[2 * kRadius + 1];
#pragma unroll
  for (int k = 1; k < 2 * kRadius + 1; ++k) column[k] = now[at + (k - kRadius - 1) * ptrdiff_t(plane)];

  for (int z = z0; z < z1; ++z, at += plane) {
#pragma unroll
    for (int k = 0; k < 2 * kRadius; ++k) column[k] = column[k + 1];
    column[2 * kRadius] = now[at + kRadius * plane];

    __syncthreads();
    tile[ty][tx] = column[kRadius];
    if (threadIdx.x < kRadius) {
      tile[ty][threadIdx.x] = now[at - kRadius];
      tile[ty][tx + kTileX] = now[at + min(kTileX, g.nx + kRadius - 1 - cx)];
    }
    if (threadIdx.y < kRadius) {
      tile[threadIdx.y][tx] = now[at - size_t(kRadius) * pitch];
      tile[ty + kTileY][tx] = now[at + size_t(min(kTileY, g.ny + kRadius - 1 - cy)) * pitch];
    }
    __syncthreads();
    if (!inside) continue;

    float sum = 3.f * kWeights[0] * column[kRadius];
#pragma unroll
    for (int r = 1; r <= kRadius; ++r) {
      sum += kWeights[r] * (column[kRadius - r] + column[kRadius + r] + tile[ty][tx - r] + tile[ty][tx + r] +
                            tile[ty - r][tx] + tile[ty + r][tx]);
    }
    next[at] = 2.f * column[kRadius] - prev[at] + vdt2[at] * inv_h2 * sum;
  }
}

}  // namespace

void step(const Grid& g, Planes planes, const float* now, const float* prev, float* next, const float* vdt2,
          cudaStream_t s) {
  if (planes.count() <= 0) return;
  const dim3 block(kTileX, kTileY);
  const dim3 grid((g.nx + kTileX - 1) / kTileX, (g.ny + kTileY - 1) / kTileY,
                  (planes.count() + kChunkZ - 1) / kChunkZ);
  step_kernel<<<grid, block, 0, s>>>(g, planes, now, prev, next, vdt2, g.pitch(), g.plane(),
                                     1.f / (g.spacing * g.spacing));
  WAVEBOX_CHECK(cudaGetLastError());
}

}  // namespace wavebox
