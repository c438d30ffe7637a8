// Everything that touches each cell on its own: absorbing faces, source, receivers.
#include <cuda_runtime.h>

#include "wavebox/gpu.hpp"
#include "wavebox/kernels.hpp"

namespace wavebox {
namespace {

constexpr int kThreads = 256;

__global__ void absorb_kernel(Grid g, int width, float strength, float* now, float* prev, int pitch,
                              size_t plane) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  const int z = int(blockIdx.z) - kRadius;  // the border in z too: the neighbour does the same to its copy
  if (x >= g.nx) return;
  // Distance to the nearest face of the whole box, in cells.
  const int zg = g.z_first + z;
  int d = min(min(x, g.nx - 1 - x), min(y, g.ny - 1 - y));
  d = min(d, min(zg, g.nz_all - 1 - zg));
  if (d >= width) return;
  const float a = strength * (width - d) / width;
  const float fade = expf(-a * a);
  const size_t at = size_t(z + kRadius) * plane + size_t(y + kRadius) * pitch + x + kRadius;
  now[at] *= fade;
  prev[at] *= fade;
}

__global__ void inject_kernel(size_t at, float amount, float* field) { field[at] += amount; }

__global__ void sample_kernel(const float* field, const int* cells, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = field[cells[i]];
}

}  // namespace

void absorb(const Grid& g, int width, float strength, float* now, float* prev, cudaStream_t s) {
  const dim3 grid((g.nx + kThreads - 1) / kThreads, g.ny, g.nz + 2 * kRadius);
  absorb_kernel<<<grid, kThreads, 0, s>>>(g, width, strength, now, prev, g.pitch(), g.plane());
  WAVEBOX_CHECK(cudaGetLastError());
}

void inject(const Grid& g, int x, int y, int z, float amount, float* field, cudaStream_t s) {
  const size_t at = size_t(z + kRadius) * g.plane() + size_t(y + kRadius) * g.pitch() + x + kRadius;
  inject_kernel<<<1, 1, 0, s>>>(at, amount, field);
  WAVEBOX_CHECK(cudaGetLastError());
}

void sample(const float* field, const int* cells, float* out, int count, cudaStream_t s) {
  if (count == 0) return;
  sample_kernel<<<(count + kThreads - 1) / kThreads, kThreads, 0, s>>>(field, cells, out, count);
  WAVEBOX_CHECK(cudaGetLastError());
}

}  // namespace wavebox
