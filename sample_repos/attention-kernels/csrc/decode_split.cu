// Decode attention over a paged cache. The tokens of a sequence are cut into splits so that a batch of one
// still fills the chip; a second kernel merges the splits.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

#include "api.h"
#include "numeric.cuh"
#include "ptx.cuh"
#include "tile_config.cuh"

namespace attn {
namespace {

constexpr int kHeadDim = 128;
constexpr int kPerLane = kHeadDim / 32;  // four values, one 8-byte load
constexpr int kDecodeThreads = kDecodeWarps * kWarpSize;

template <typename T>
__device__ __forceinline__ void load_lane(float (&x)[kPerLane], const T* row, int lane) {
  const uint2 raw = ptx::load_stream_8(row + lane * kPerLane);
  const float2 lo = Numeric<T>::unpack(raw.x);
  const float2 hi = Numeric<T>::unpack(raw.y);
  x[0] = lo.x;
  x[1] = lo.y;
  x[2] = hi.x;
  x[3] = hi.y;
}

template <typename T>
__global__ void __launch_bounds__(kDecodeThreads, 8) decode_split_kernel(DecodeParams p) {
  __shared__ float s_o[kDecodeWarps][kHeadDim];
  __shared__ float s_ml[kDecodeWarps][2];

  const int split = blockIdx.x;
  const int head = blockIdx.y;
  const int seq = blockIdx.z;
  const int kv_head = head / (p.heads / p.kv_heads);
  const int warp = threadIdx.x / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;

  const int length = p.lengths[seq];
  const int begin = split * kTokensPerSplit;
  const int end = min(length, begin + kTokensPerSplit);
  const int* table = p.block_table + int64_t(seq) * p.max_pages;
  const int64_t token_stride = int64_t(p.kv_heads) * kHeadDim;

  float q[kPerLane];
  load_lane(q, static_cast<const T*>(p.q) + (int64_t(seq) * p.heads + head) * kHeadDim, lane);

  float m = -INFINITY;
  float l = 0.f;
  float acc[kPerLane] = {};

  // A split is exactly 32 pages: every lane fetches one page id and hands it out by shuffle.
  static_assert(kTokensPerSplit / kPageTokens == kWarpSize, "one page id per lane");
  const int page_at = begin / kPageTokens + lane;
  const int my_page = page_at * kPageTokens < end ? table[page_at] : -1;
  const unsigned live = __ballot_sync(kFullMask, my_page >= 0);

  for (int i = warp; i < __popc(live); i += kDecodeWarps) {
    const int page = __shfl_sync(kFullMask, my_page, i);
    const int64_t base = int64_t(page) * kPageTokens * token_stride + kv_head * kHeadDim;
    const T* k = static_cast<const T*>(p.k_cache) + base;
    const T* v = static_cast<const T*>(p.v_cache) + base;
    const int tokens = min(kPageTokens, end - begin - i * kPageTokens);
#pragma unroll 4
    for (int t = 0; t < tokens; ++t) {
      float kx[kPerLane];
      float vx[kPerLane];
      load_lane(kx, k + t * token_stride, lane);
      load_lane(vx, v + t * token_stride, lane);
      float dot = 0.f;
#pragma unroll
      for (int e = 0; e < kPerLane; ++e) dot += q[e] * kx[e];
      dot = warp_sum(dot) * p.scale;
      const float m_new = fmaxf(m, dot);
      const float fix = ptx::exp2_approx(m - m_new);
      const float w = ptx::exp2_approx(dot - m_new);
      l = l * fix + w;
#pragma unroll
      for (int e = 0; e < kPerLane; ++e) acc[e] = acc[e] * fix + w * vx[e];
      m = m_new;
    }
  }

#pragma unroll
  for (int e = 0; e < kPerLane; ++e) s_o[warp][lane * kPerLane + e] = acc[e];
  if (lane == 0) {
    s_ml[warp][0] = m;
    s_ml[warp][1] = l;
  }
  __syncthreads();

  // 128 threads, 128 dims: thread d merges the warps for dim d.
  const int d = threadIdx.x;
  float m_all = -INFINITY;
  for (int w = 0; w < kDecodeWarps; ++w) m_all = fmaxf(m_all, s_ml[w][0]);
  float o = 0.f;
  float l_all = 0.f;
  for (int w = 0; w < kDecodeWarps; ++w) {
    const float fix = s_ml[w][1] > 0.f ? ptx::exp2_approx(s_ml[w][0] - m_all) : 0.f;
    o += fix * s_o[w][d];
    l_all += fix * s_ml[w][1];
  }
  const int64_t out = (int64_t(seq) * p.heads + head) * p.splits + split;
  p.partial_o[out * kHeadDim + d] = o;
  if (d == 0) {
    p.partial_ml[out * 2] = m_all;
    p.partial_ml[out * 2 + 1] = l_all;
  }
}

template <typename T>
__global__ void combine_splits_kernel(DecodeParams p) {
  const int64_t row = int64_t(blockIdx.y) * p.heads + blockIdx.x;
  const float* ml = p.partial_ml + row * p.splits * 2;
  const float* part = p.partial_o + row * p.splits * kHeadDim;
  float m = -INFINITY;
  for (int s = 0; s < p.splits; ++s) m = fmaxf(m, ml[2 * s]);
  float o = 0.f;
  float l = 0.f;
  for (int s = 0; s < p.splits; ++s) {
    if (ml[2 * s + 1] <= 0.f) continue;  // past the end of this sequence
    const float fix = exp2f(ml[2 * s] - m);
    o += fix * part[s * kHeadDim + threadIdx.x];
    l += fix * ml[2 * s + 1];
  }
  static_cast<T*>(p.o)[row * kHeadDim + threadIdx.x] = Numeric<T>::from_float(l > 0.f ? o / l : 0.f);
}

template <typename T>
cudaError_t launch(const DecodeParams& p, cudaStream_t stream) {
  decode_split_kernel<T><<<dim3(p.splits, p.heads, p.batch), kDecodeThreads, 0, stream>>>(p);
  cudaError_t err = cudaPeekAtLastError();
  if (err != cudaSuccess) return err;
  combine_splits_kernel<T><<<dim3(p.heads, p.batch), kHeadDim, 0, stream>>>(p);
  return cudaGetLastError();
}

}  // namespace

int decode_split_count(int max_length) {
  return std::clamp((max_length + kTokensPerSplit - 1) / kTokensPerSplit, 1, kMaxSplits);
}

cudaError_t decode_splitkv(const DecodeParams& params, DType type, cudaStream_t stream) {
  DecodeParams p = params;
  p.scale *= 1.44269504f;  // log2(e)
  return type == DType::kHalf ? launch<__half>(p, stream) : launch<__nv_bfloat16>(p, stream);
}

}  // namespace attn
