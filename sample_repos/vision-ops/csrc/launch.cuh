// Grid size for grid-stride loops: enough blocks to fill the card, no more.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace vops {

// Eight blocks per SM was the knee on A100 and H100 for the streaming kernels; see benchmarks/bench_ops.py.
constexpr int kBlocksPerSm = 8;

inline cudaError_t grid_for(int64_t work, int threads, int* blocks) {
  int device = 0;
  cudaError_t rc = cudaGetDevice(&device);
  if (rc != cudaSuccess) return rc;
  int sms = 0;
  rc = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  if (rc != cudaSuccess) return rc;
  const int64_t wanted = (work + threads - 1) / threads;
  const int64_t cap = static_cast<int64_t>(sms) * kBlocksPerSm;
  *blocks = static_cast<int>(wanted < cap ? wanted : cap);
  if (*blocks < 1) *blocks = 1;
  return cudaSuccess;
}

}  // namespace vops
