// The one place where we talk to a warp. Everything in reduce.cu goes through block_sum and block_max.
#pragma once

#include <cuda_runtime.h>

namespace vops {

constexpr unsigned kFullMask = 0xffffffffu;

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) {
    v += __shfl_down_sync(kFullMask, v, offset);
  }
  return v;
}

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) {
    v = fmaxf(v, __shfl_down_sync(kFullMask, v, offset));
  }
  return v;
}

// Sum over the block; the result is valid in every thread. Safe to call repeatedly.
__device__ __forceinline__ float block_sum(float v) {
  __shared__ float partial[32];
  __shared__ float total;
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  v = warp_sum(v);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < static_cast<int>(blockDim.x) / 32 ? partial[lane] : 0.f;
    v = warp_sum(v);
    if (lane == 0) total = v;
  }
  __syncthreads();
  return total;
}

// Maximum over the block; the result is valid in every thread.
__device__ __forceinline__ float block_max(float v) {
  __shared__ float partial[32];
  __shared__ float top;
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  v = warp_max(v);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < static_cast<int>(blockDim.x) / 32 ? partial[lane] : -3.4e38f;
    v = warp_max(v);
    if (lane == 0) top = v;
  }
  __syncthreads();
  return top;
}

}  // namespace vops
