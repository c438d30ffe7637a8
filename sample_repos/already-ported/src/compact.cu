// Order-preserving compaction in two passes: count per block, then write at the block's offset.
#include "context.h"
#include "tuning.h"
#include "warp.h"

namespace fieldkit {
namespace {

__device__ int block_rank(bool keep, int* per_warp, int* block_total) {
  const LaneMask votes = ballot(keep);
  const int in_warp = count_bits(votes & lanes_below(lane_id()));
  if (lane_id() == 0) per_warp[warp_id()] = count_bits(votes);
  __syncthreads();
  int before = 0, total = 0;
  const int warps = blockDim.x / kWarpSize;
  for (int w = 0; w < warps; ++w) {
    if (w < warp_id()) before += per_warp[w];
    total += per_warp[w];
  }
  *block_total = total;
  return before + in_warp;
}

__global__ void count_kernel(const float* __restrict__ x, size_t n, float threshold, unsigned* __restrict__ counts) {
  __shared__ int per_warp[kMaxWarpsPerBlock];
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  int total = 0;
  block_rank(i < n && x[i] > threshold, per_warp, &total);
  if (threadIdx.x == 0) counts[blockIdx.x] = unsigned(total);
}

__global__ void write_kernel(const float* __restrict__ x, size_t n, float threshold,
                             const unsigned* __restrict__ offsets, float* __restrict__ out) {
  __shared__ int per_warp[kMaxWarpsPerBlock];
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const bool keep = i < n && x[i] > threshold;
  int total = 0;
  const int rank = block_rank(keep, per_warp, &total);
  if (keep) out[offsets[blockIdx.x] + rank] = x[i];
}

}  // namespace

std::size_t compact_above(const Field& x, float threshold, Field& out) {
  cudaStream_t stream = x.context().impl()->stream;
  const unsigned blocks = unsigned((x.size() + tuning::kCompactBlock - 1) / tuning::kCompactBlock);
  if (blocks == 0) return 0;
  std::vector<unsigned> counts(blocks);
  unsigned* device_counts = nullptr;
  const size_t bytes = blocks * sizeof(unsigned);
  check(cudaMalloc(reinterpret_cast<void**>(&device_counts), bytes), "allocating counts");
  count_kernel<<<blocks, tuning::kCompactBlock, 0, stream>>>(x.data(), x.size(), threshold, device_counts);
  check(cudaMemcpyAsync(counts.data(), device_counts, bytes, cudaMemcpyDeviceToHost, stream), "fetching counts");
  check(cudaStreamSynchronize(stream), "counting");
  // a prefix sum over a few thousand numbers is faster here than a third kernel
  unsigned total = 0;
  for (unsigned& c : counts) {
    const unsigned here = c;
    c = total;
    total += here;
  }
  if (total > out.size()) {
    (void)cudaFree(device_counts);
    throw std::length_error("fieldkit: the output field is too small");
  }
  check(cudaMemcpyAsync(device_counts, counts.data(), bytes, cudaMemcpyHostToDevice, stream), "storing offsets");
  write_kernel<<<blocks, tuning::kCompactBlock, 0, stream>>>(x.data(), x.size(), threshold, device_counts, out.data());
  check(cudaGetLastError(), "compact_above");
  check(cudaStreamSynchronize(stream), "writing");
  check(cudaFree(device_counts), "freeing counts");
  return total;
}

}  // namespace fieldkit
