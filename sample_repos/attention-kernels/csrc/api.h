// Launchers, free of framework types so that the kernels build and can be tested without PyTorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace attn {

enum class DType { kHalf, kBFloat16 };

// q, o: [batch, seqlen_q, heads, head_dim]; k, v: [batch, seqlen_k, kv_heads, head_dim]; lse: [batch, heads,
// seqlen_q], natural log. All contiguous.
struct FwdParams {
  const void* q;
  const void* k;
  const void* v;
  void* o;
  float* lse;
  int batch;
  int heads;
  int kv_heads;
  int seqlen_q;
  int seqlen_k;
  float scale;
  bool causal;
};

// q, o: [batch, heads, 128]; k_cache, v_cache: [pages, kPageTokens, kv_heads, 128];
// block_table: [batch, max_pages], -1 where no page is assigned.
struct DecodeParams {
  const void* q;
  const void* k_cache;
  const void* v_cache;
  const int* block_table;
  const int* lengths;
  void* o;
  float* partial_o;   // [batch, heads, splits, 128]
  float* partial_ml;  // [batch, heads, splits, 2]
  int batch;
  int heads;
  int kv_heads;
  int max_pages;
  int splits;
  float scale;
};

cudaError_t flash_forward(const FwdParams& p, DType type, int head_dim, cudaStream_t stream);
int decode_split_count(int max_length);
cudaError_t decode_splitkv(const DecodeParams& p, DType type, cudaStream_t stream);
cudaError_t rmsnorm_residual(void* x, void* residual, const void* weight, int rows, int cols, float eps, DType type,
                             cudaStream_t stream);
cudaError_t gather_pages(void* dst, const void* cache, const int* pages, int num_pages, int page_bytes,
                         cudaStream_t stream);

}  // namespace attn
