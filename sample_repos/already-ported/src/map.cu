#include "context.h"
#include "fast_math.h"
#include "tuning.h"

namespace fieldkit {
namespace {

__global__ void axpy_kernel(float a, const float* __restrict__ x, float* __restrict__ y, size_t n) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}

__global__ void normalize_vectors_kernel(float* __restrict__ xyz, size_t vectors) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= vectors) return;
  float* v = xyz + 3 * i;
  const float sq = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  const float scale = sq > 0.f ? fast_rsqrt(sq) : 0.f;
  v[0] *= scale;
  v[1] *= scale;
  v[2] *= scale;
}

unsigned blocks_for(size_t n) { return unsigned((n + tuning::kMapBlock - 1) / tuning::kMapBlock); }

}  // namespace

void axpy(float a, const Field& x, Field& y) {
  if (x.size() != y.size()) throw std::invalid_argument("fieldkit: axpy needs equal sizes");
  cudaStream_t stream = y.context().impl()->stream;
  axpy_kernel<<<blocks_for(x.size()), tuning::kMapBlock, 0, stream>>>(a, x.data(), y.data(), x.size());
  check(cudaGetLastError(), "axpy");
}

void normalize_vectors(Field& xyz) {
  const size_t vectors = xyz.size() / 3;
  cudaStream_t stream = xyz.context().impl()->stream;
  normalize_vectors_kernel<<<blocks_for(vectors), tuning::kMapBlock, 0, stream>>>(xyz.data(), vectors);
  check(cudaGetLastError(), "normalize_vectors");
}

}  // namespace fieldkit
