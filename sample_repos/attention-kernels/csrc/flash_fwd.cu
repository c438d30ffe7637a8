// Prefill attention. One block computes kBlockM query rows of one head; K and V tiles stream through
// shared memory in kStages buffers while the tensor cores work on the previous tile.
#include <cuda_runtime.h>

#include <cmath>

#include "api.h"
#include "numeric.cuh"
#include "ptx.cuh"
#include "tile_config.cuh"

namespace attn {
namespace {

// 16-byte chunks of a row are permuted by the row's low three bits, so that the eight rows of an ldmatrix
// fall into different banks.
template <int HeadDim>
__device__ __forceinline__ int swizzled(int row, int chunk) {
  return row * HeadDim + ((chunk ^ (row & 7)) * kVec);
}

template <int Rows, int HeadDim, typename T>
__device__ __forceinline__ void copy_tile_async(T* dst, const T* src, int64_t row_stride, int valid_rows) {
  constexpr int kChunks = HeadDim / kVec;
#pragma unroll
  for (int i = 0; i < Rows * kChunks / kFwdThreads; ++i) {
    const int at = i * kFwdThreads + threadIdx.x;
    const int row = at / kChunks;
    const int chunk = at % kChunks;
    const bool ok = row < valid_rows;
    const T* from = src + (ok ? row : 0) * row_stride + chunk * kVec;
    ptx::cp_async_16(ptx::smem_addr(dst + swizzled<HeadDim>(row, chunk)), from, ok);
  }
}

template <typename T, int HeadDim, bool Causal>
__global__ void __launch_bounds__(kFwdThreads, FwdTile<HeadDim>::kMinBlocks) flash_fwd_kernel(FwdParams p) {
  using Tile = FwdTile<HeadDim>;
  constexpr int kM = Tile::kBlockM;
  constexpr int kN = Tile::kBlockN;
  constexpr int kKSteps = HeadDim / 16;  // k extent of one mma
  constexpr int kSTiles = kN / 8;        // n tiles of S
  constexpr int kOTiles = HeadDim / 8;   // n tiles of O

  extern __shared__ __align__(128) unsigned char smem[];
  T* s_q = reinterpret_cast<T*>(smem);
  T* s_k = s_q + kM * HeadDim;
  T* s_v = s_k + Tile::kStages * kN * HeadDim;

  const int warp = threadIdx.x / kWarpSize;
  const int lane = threadIdx.x & 31;
  const int head = blockIdx.y;
  const int kv_head = head / (p.heads / p.kv_heads);
  const int row0 = blockIdx.x * kM;

  const int64_t q_stride = int64_t(p.heads) * HeadDim;
  const int64_t kv_stride = int64_t(p.kv_heads) * HeadDim;
  const T* q = static_cast<const T*>(p.q) + (int64_t(blockIdx.z) * p.seqlen_q + row0) * q_stride + head * HeadDim;
  const T* k = static_cast<const T*>(p.k) + int64_t(blockIdx.z) * p.seqlen_k * kv_stride + kv_head * HeadDim;
  const T* v = static_cast<const T*>(p.v) + int64_t(blockIdx.z) * p.seqlen_k * kv_stride + kv_head * HeadDim;

  // Bottom-right aligned causal mask: row i sees columns up to i + shift.
  const int shift = p.seqlen_k - p.seqlen_q;
  int last_col = p.seqlen_k;
  if constexpr (Causal) last_col = min(last_col, row0 + kM + shift);
  const int tiles = last_col > 0 ? (last_col + kN - 1) / kN : 0;

  if (tiles > 0) {
    copy_tile_async<kM, HeadDim>(s_q, q, q_stride, p.seqlen_q - row0);
    copy_tile_async<kN, HeadDim>(s_k, k, kv_stride, p.seqlen_k);
    copy_tile_async<kN, HeadDim>(s_v, v, kv_stride, p.seqlen_k);
  }
  ptx::cp_async_commit();

  uint32_t q_frag[kKSteps][4];
  float o_acc[kOTiles][4] = {};
  float row_max[2] = {-INFINITY, -INFINITY};
  float row_sum[2] = {0.f, 0.f};

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % Tile::kStages;
    if (t + 1 < tiles) {
      const int next = (t + 1) % Tile::kStages;
      const int64_t col = int64_t(t + 1) * kN;
      copy_tile_async<kN, HeadDim>(s_k + next * kN * HeadDim, k + col * kv_stride, kv_stride, p.seqlen_k - col);
      copy_tile_async<kN, HeadDim>(s_v + next * kN * HeadDim, v + col * kv_stride, kv_stride, p.seqlen_k - col);
      ptx::cp_async_commit();
      ptx::cp_async_wait<Tile::kStages - 1>();
    } else {
      ptx::cp_async_wait<0>();
    }
    __syncthreads();

    if (t == 0) {
#pragma unroll
      for (int ks = 0; ks < kKSteps; ++ks) {
        const int row = warp * 16 + (lane & 15);
        ptx::ldmatrix_x4(q_frag[ks], ptx::smem_addr(s_q + swizzled<HeadDim>(row, 2 * ks + (lane >> 4))));
      }
    }

    // S = Q K^T. One ldmatrix feeds two n tiles.
    const T* tile_k = s_k + stage * kN * HeadDim;
    float s[kSTiles][4] = {};
#pragma unroll
    for (int ks = 0; ks < kKSteps; ++ks) {
#pragma unroll
      for (int n = 0; n < kSTiles; n += 2) {
        uint32_t b[4];
        const int row = n * 8 + (lane & 7) + ((lane >> 4) << 3);
        const int chunk = 2 * ks + ((lane >> 3) & 1);
        ptx::ldmatrix_x4(b, ptx::smem_addr(tile_k + swizzled<HeadDim>(row, chunk)));
        ptx::mma_m16n8k16<T>(s[n], q_frag[ks], b[0], b[1]);
        ptx::mma_m16n8k16<T>(s[n + 1], q_frag[ks], b[2], b[3]);
      }
    }

    // A lane holds rows lane/4 and lane/4+8, columns 2*(lane%4) and the next one, of each n tile.
    const int my_row = row0 + warp * 16 + lane / 4;
    const bool edge = (t + 1) * kN > p.seqlen_k || (Causal && (t + 1) * kN > row0 + shift + 1);
    if (edge) {
#pragma unroll
      for (int n = 0; n < kSTiles; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int col = t * kN + n * 8 + (lane % 4) * 2 + (e & 1);
          const int row = my_row + (e >> 1) * 8;
          if (col >= p.seqlen_k || (Causal && col > row + shift)) s[n][e] = -INFINITY;
        }
      }
    }

    // Online softmax in base 2; p.scale carries log2(e) already.
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float m = row_max[h];
#pragma unroll
      for (int n = 0; n < kSTiles; ++n) m = fmaxf(m, fmaxf(s[n][2 * h], s[n][2 * h + 1]));
      m = quad_max(m);
      const float base = m == -INFINITY ? 0.f : m * p.scale;
      const float correction = ptx::exp2_approx(row_max[h] * p.scale - base);
      row_max[h] = m;
      row_sum[h] *= correction;
#pragma unroll
      for (int n = 0; n < kOTiles; ++n) {
        o_acc[n][2 * h] *= correction;
        o_acc[n][2 * h + 1] *= correction;
      }
#pragma unroll
      for (int n = 0; n < kSTiles; ++n) {
        s[n][2 * h] = ptx::exp2_approx(s[n][2 * h] * p.scale - base);
        s[n][2 * h + 1] = ptx::exp2_approx(s[n][2 * h + 1] * p.scale - base);
        row_sum[h] += s[n][2 * h] + s[n][2 * h + 1];
      }
    }

    // O += P V. The accumulator layout of S is the A-operand layout of the next mma: no shuffles needed.
    const T* tile_v = s_v + stage * kN * HeadDim;
#pragma unroll
    for (int j = 0; j < kN / 16; ++j) {
      const uint32_t a[4] = {
          Numeric<T>::pack(s[2 * j][0], s[2 * j][1]),
          Numeric<T>::pack(s[2 * j][2], s[2 * j][3]),
          Numeric<T>::pack(s[2 * j + 1][0], s[2 * j + 1][1]),
          Numeric<T>::pack(s[2 * j + 1][2], s[2 * j + 1][3]),
      };
#pragma unroll
      for (int n = 0; n < kOTiles; n += 2) {
        uint32_t b[4];
        ptx::ldmatrix_x4_trans(b, ptx::smem_addr(tile_v + swizzled<HeadDim>(j * 16 + (lane & 15), n + (lane >> 4))));
        ptx::mma_m16n8k16<T>(o_acc[n], a, b[0], b[1]);
        ptx::mma_m16n8k16<T>(o_acc[n + 1], a, b[2], b[3]);
      }
    }
    __syncthreads();
  }

  T* o = static_cast<T*>(p.o) + (int64_t(blockIdx.z) * p.seqlen_q + row0) * q_stride + head * HeadDim;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const float total = quad_sum(row_sum[h]);
    const float inv = total > 0.f ? 1.f / total : 0.f;
    const int row = warp * 16 + lane / 4 + h * 8;
    if (row0 + row >= p.seqlen_q) continue;
#pragma unroll
    for (int n = 0; n < kOTiles; ++n) {
      const uint32_t pair = Numeric<T>::pack(o_acc[n][2 * h] * inv, o_acc[n][2 * h + 1] * inv);
      *reinterpret_cast<uint32_t*>(o + row * q_stride + n * 8 + (lane % 4) * 2) = pair;
    }
    if (lane % 4 == 0) {
      const float ln2 = 0.69314718f;
      const float lse = total > 0.f ? row_max[h] * p.scale * ln2 + logf(total) : INFINITY;
      p.lse[(int64_t(blockIdx.z) * p.heads + head) * p.seqlen_q + row0 + row] = lse;
    }
  }
}

template <typename T, int HeadDim>
cudaError_t launch(const FwdParams& p, cudaStream_t stream) {
  auto kernel = p.causal ? &flash_fwd_kernel<T, HeadDim, true> : &flash_fwd_kernel<T, HeadDim, false>;
  constexpr int kSmem = fwd_smem_bytes<HeadDim>();
  cudaError_t err = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSmem);
  if (err != cudaSuccess) return err;
  const int kM = FwdTile<HeadDim>::kBlockM;
  const dim3 grid((p.seqlen_q + kM - 1) / kM, p.heads, p.batch);
  kernel<<<grid, kFwdThreads, kSmem, stream>>>(p);
  return cudaGetLastError();
}

}  // namespace

cudaError_t flash_forward(const FwdParams& params, DType type, int head_dim, cudaStream_t stream) {
  FwdParams p = params;
  p.scale *= 1.44269504f;  // log2(e)
  if (head_dim == 64) {
    return type == DType::kHalf ? launch<__half, 64>(p, stream) : launch<__nv_bfloat16, 64>(p, stream);
  }
  if (head_dim == 128) {
    return type == DType::kHalf ? launch<__half, 128>(p, stream) : launch<__nv_bfloat16, 128>(p, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace attn
