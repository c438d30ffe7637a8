// Sums over the grid. Two passes with a fixed order, so that a run repeats bit for bit.
#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include "wavebox/gpu.hpp"
#include "wavebox/kernels.hpp"

namespace wavebox {
namespace {

constexpr int kThreads = 256;

// Tree in shared memory down to one warp's worth, the rest by shuffles.
__device__ double block_sum(double v) {
  __shared__ double s[kThreads];
  const int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int half = kThreads / 2; half >= warpSize; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < warpSize) {
    v = s[t];
    for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  }
  return v;  // right in thread 0
}

// One block per plane; threads stride along x.
__global__ void energy_kernel(Grid g, const float* field, double* partial, int pitch, size_t plane) {
  const int z = blockIdx.x;
  double sum = 0.0;
  for (int y = 0; y < g.ny; ++y) {
    const float* row = field + size_t(z + kRadius) * plane + size_t(y + kRadius) * pitch + kRadius;
    for (int x = threadIdx.x; x < g.nx; x += kThreads) sum += double(row[x]) * row[x];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[z] = sum;
}

__global__ void total_kernel(const double* partial, int count, double* result) {
  double sum = 0.0;
  for (int i = threadIdx.x; i < count; i += kThreads) sum += partial[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *result = sum;
}

}  // namespace

int energy_blocks(const Grid& g) { return g.nz; }

void energy(const Grid& g, const float* field, double* partial, double* result, cudaStream_t s) {
  energy_kernel<<<g.nz, kThreads, 0, s>>>(g, field, partial, g.pitch(), g.plane());
  WAVEBOX_CHECK(cudaGetLastError());
  total_kernel<<<1, kThreads, 0, s>>>(partial, g.nz, result);
  WAVEBOX_CHECK(cudaGetLastError());
}

float max_value(const float* field, std::size_t n, cudaStream_t s) {
  const auto first = thrust::device_pointer_cast(field);
  return thrust::reduce(thrust::cuda::par.on(s), first, first + n, 0.f, thrust::maximum<float>());
}

}  // namespace wavebox
