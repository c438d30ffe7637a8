// Argument checks and dispatcher registration. No kernels here.
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>
#include <torch/types.h>

#include <tuple>

#include "api.h"

namespace {

using at::Tensor;

attn::DType dtype_of(const Tensor& t) {
  if (t.scalar_type() == at::kHalf) return attn::DType::kHalf;
  TORCH_CHECK(t.scalar_type() == at::kBFloat16, "expected float16 or bfloat16, got ", t.scalar_type());
  return attn::DType::kBFloat16;
}

void check_input(const Tensor& t, const char* name) {
  TORCH_CHECK(t.is_cuda(), name, " must live on the GPU");
  TORCH_CHECK(t.is_contiguous(), name, " must be contiguous");
}

std::tuple<Tensor, Tensor> flash_forward(const Tensor& q, const Tensor& k, const Tensor& v, double scale,
                                         bool causal) {
  check_input(q, "q");
  check_input(k, "k");
  check_input(v, "v");
  TORCH_CHECK(q.size(2) % k.size(2) == 0, "heads must be a multiple of kv_heads");
  TORCH_CHECK(q.size(3) == 64 || q.size(3) == 128, "head dim must be 64 or 128, got ", q.size(3));
  const c10::cuda::CUDAGuard guard(q.device());

  Tensor o = at::empty_like(q);
  Tensor lse = at::empty({q.size(0), q.size(2), q.size(1)}, q.options().dtype(at::kFloat));
  attn::FwdParams p{};
  p.q = q.const_data_ptr();
  p.k = k.const_data_ptr();
  p.v = v.const_data_ptr();
  p.o = o.mutable_data_ptr();
  p.lse = lse.mutable_data_ptr<float>();
  p.batch = static_cast<int>(q.size(0));
  p.seqlen_q = static_cast<int>(q.size(1));
  p.heads = static_cast<int>(q.size(2));
  p.seqlen_k = static_cast<int>(k.size(1));
  p.kv_heads = static_cast<int>(k.size(2));
  p.scale = static_cast<float>(scale);
  p.causal = causal;
  C10_CUDA_CHECK(attn::flash_forward(p, dtype_of(q), static_cast<int>(q.size(3)), at::cuda::getCurrentCUDAStream()));
  return {o, lse};
}

Tensor decode_splitkv(const Tensor& q, const Tensor& k_cache, const Tensor& v_cache, const Tensor& block_table,
                      const Tensor& lengths, int64_t max_length, double scale) {
  check_input(q, "q");
  check_input(k_cache, "k_cache");
  check_input(v_cache, "v_cache");
  TORCH_CHECK(q.size(2) == 128, "decode is built for head dim 128");
  TORCH_CHECK(block_table.scalar_type() == at::kInt && lengths.scalar_type() == at::kInt, "indices must be int32");
  const c10::cuda::CUDAGuard guard(q.device());

  const int splits = attn::decode_split_count(static_cast<int>(max_length));
  const auto f32 = q.options().dtype(at::kFloat);
  Tensor o = at::empty_like(q);
  Tensor partial_o = at::empty({q.size(0), q.size(1), splits, q.size(2)}, f32);
  Tensor partial_ml = at::empty({q.size(0), q.size(1), splits, 2}, f32);
  attn::DecodeParams p{};
  p.q = q.const_data_ptr();
  p.k_cache = k_cache.const_data_ptr();
  p.v_cache = v_cache.const_data_ptr();
  p.block_table = block_table.const_data_ptr<int>();
  p.lengths = lengths.const_data_ptr<int>();
  p.o = o.mutable_data_ptr();
  p.partial_o = partial_o.mutable_data_ptr<float>();
  p.partial_ml = partial_ml.mutable_data_ptr<float>();
  p.batch = static_cast<int>(q.size(0));
  p.heads = static_cast<int>(q.size(1));
  p.kv_heads = static_cast<int>(k_cache.size(2));
  p.max_pages = static_cast<int>(block_table.size(1));
  p.splits = splits;
  p.scale = static_cast<float>(scale);
  C10_CUDA_CHECK(attn::decode_splitkv(p, dtype_of(q), at::cuda::getCurrentCUDAStream()));
  return o;
}

void rmsnorm_residual(Tensor x, Tensor residual, const Tensor& weight, double eps) {
  check_input(x, "x");
  check_input(residual, "residual");
  const c10::cuda::CUDAGuard guard(x.device());
  const int cols = static_cast<int>(x.size(-1));
  const int rows = static_cast<int>(x.numel() / cols);
  C10_CUDA_CHECK(attn::rmsnorm_residual(x.mutable_data_ptr(), residual.mutable_data_ptr(), weight.const_data_ptr(),
                                        rows, cols, static_cast<float>(eps), dtype_of(x),
                                        at::cuda::getCurrentCUDAStream()));
}

Tensor gather_pages(const Tensor& cache, const Tensor& pages) {
#ifdef AK_WITH_SM90
  TORCH_CHECK(at::cuda::getCurrentDeviceProperties()->major >= 9, "gather_pages needs compute capability 9.0");
  check_input(cache, "cache");
  const c10::cuda::CUDAGuard guard(cache.device());
  auto sizes = cache.sizes().vec();
  sizes[0] = pages.size(0);
  Tensor out = at::empty(sizes, cache.options());
  const auto page_bytes = static_cast<int>(cache.stride(0) * cache.element_size());
  C10_CUDA_CHECK(attn::gather_pages(out.mutable_data_ptr(), cache.const_data_ptr(), pages.const_data_ptr<int>(),
                                    static_cast<int>(pages.size(0)), page_bytes,
                                    at::cuda::getCurrentCUDAStream()));
  return out;
#else
  return cache.index_select(0, pages);
#endif
}

}  // namespace

TORCH_LIBRARY(attention_kernels, m) {
  m.def("flash_forward(Tensor q, Tensor k, Tensor v, float scale, bool causal) -> (Tensor, Tensor)");
  m.def(
      "decode_splitkv(Tensor q, Tensor k_cache, Tensor v_cache, Tensor block_table, Tensor lengths, int max_length, "
      "float scale) -> Tensor");
  m.def("rmsnorm_residual(Tensor(a!) x, Tensor(b!) residual, Tensor weight, float eps) -> ()");
  m.def("gather_pages(Tensor cache, Tensor pages) -> Tensor");
}

TORCH_LIBRARY_IMPL(attention_kernels, CUDA, m) {
  m.impl("flash_forward", &flash_forward);
  m.impl("decode_splitkv", &decode_splitkv);
  m.impl("rmsnorm_residual", &rmsnorm_residual);
  m.impl("gather_pages", &gather_pages);
}
