// Residual add and RMSNorm in one pass over the row.
#include <cuda_runtime.h>

#include "api.h"
#include "numeric.cuh"

namespace attn {
namespace {

// One block per row; a thread keeps its values in registers between the two passes.
template <typename T, int PerThread>
__global__ void __launch_bounds__(kNormThreads) rmsnorm_residual_kernel(T* x, T* residual, const T* weight, int cols,
                                                                       float eps) {
  __shared__ float scratch[32];
  T* row = x + int64_t(blockIdx.x) * cols;
  T* res = residual + int64_t(blockIdx.x) * cols;

  float value[PerThread];
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < PerThread; ++i) {
    const int c = i * kNormThreads + threadIdx.x;
    value[i] = 0.f;
    if (c < cols) {
      value[i] = Numeric<T>::to_float(row[c]) + Numeric<T>::to_float(res[c]);
      res[c] = Numeric<T>::from_float(value[i]);
      sum += value[i] * value[i];
    }
  }
  sum = block_sum<kNormThreads>(sum, scratch);
  const float scale = rsqrtf(sum / cols + eps);
#pragma unroll
  for (int i = 0; i < PerThread; ++i) {
    const int c = i * kNormThreads + threadIdx.x;
    if (c < cols) row[c] = Numeric<T>::from_float(value[i] * scale * Numeric<T>::to_float(weight[c]));
  }
}

template <typename T>
cudaError_t launch(T* x, T* residual, const T* weight, int rows, int cols, float eps, cudaStream_t stream) {
  const int per_thread = (cols + kNormThreads - 1) / kNormThreads;
  if (per_thread <= 8) {
    rmsnorm_residual_kernel<T, 8><<<rows, kNormThreads, 0, stream>>>(x, residual, weight, cols, eps);
  } else if (per_thread <= 16) {
    rmsnorm_residual_kernel<T, 16><<<rows, kNormThreads, 0, stream>>>(x, residual, weight, cols, eps);
  } else {
    return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t rmsnorm_residual(void* x, void* residual, const void* weight, int rows, int cols, float eps, DType type,
                             cudaStream_t stream) {
  if (type == DType::kHalf) {
    return launch(static_cast<__half*>(x), static_cast<__half*>(residual), static_cast<const __half*>(weight), rows,
                  cols, eps, stream);
  }
  return launch(static_cast<__nv_bfloat16*>(x), static_cast<__nv_bfloat16*>(residual),
                static_cast<const __nv_bfloat16*>(weight), rows, cols, eps, stream);
}

}  // namespace attn
