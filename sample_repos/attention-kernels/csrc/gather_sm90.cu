// Copies cache pages to a contiguous buffer with the bulk copy engine. One thread per block drives the copies;
// the rest of its warp has nothing to do and leaves at once.
#include <cuda_runtime.h>

#include "api.h"
#include "ptx.cuh"

namespace attn {
namespace {

constexpr int kGatherDepth = 4;  // pages in flight per block; more did not help
constexpr int kGatherThreads = 32;
constexpr int kPagesPerBlock = 8;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ __forceinline__ void mbarrier_init(uint32_t bar) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n" ::"r"(bar));
}

__device__ __forceinline__ void mbarrier_expect(uint32_t bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(bar), "r"(bytes) : "memory");
}

__device__ __forceinline__ void mbarrier_wait(uint32_t bar, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}\n" ::"r"(bar),
      "r"(parity)
      : "memory");
}

__device__ __forceinline__ void bulk_load(uint32_t dst, const void* src, int bytes, uint32_t bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(dst), "l"(src),
      "r"(bytes), "r"(bar)
      : "memory");
}

__device__ __forceinline__ void bulk_store(void* dst, uint32_t src, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n" ::"l"(dst), "r"(src), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;\n" ::: "memory");
}
#endif

__global__ void __launch_bounds__(kGatherThreads) gather_pages_kernel(unsigned char* dst, const unsigned char* cache,
                                                                     const int* pages, int num_pages,
                                                                     int page_bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char stage[];
  __shared__ __align__(8) uint64_t bars[kGatherDepth];
  const int first = blockIdx.x * kPagesPerBlock;
  const int count = min(kPagesPerBlock, num_pages - first);
  if (threadIdx.x != 0) return;

  for (int i = 0; i < kGatherDepth; ++i) mbarrier_init(ptx::smem_addr(&bars[i]));
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");

  for (int i = 0; i < count; i += kGatherDepth) {
    const int batch = min(kGatherDepth, count - i);
    for (int j = 0; j < batch; ++j) {
      const uint32_t bar = ptx::smem_addr(&bars[j]);
      mbarrier_expect(bar, page_bytes);
      const unsigned char* from = cache + int64_t(pages[first + i + j]) * page_bytes;
      bulk_load(ptx::smem_addr(stage + j * page_bytes), from, page_bytes, bar);
    }
    for (int j = 0; j < batch; ++j) {
      mbarrier_wait(ptx::smem_addr(&bars[j]), (i / kGatherDepth) & 1);
      bulk_store(dst + int64_t(first + i + j) * page_bytes, ptx::smem_addr(stage + j * page_bytes), page_bytes);
    }
    // The buffers are loaded again in the next round: wait until the stores have read them.
    asm volatile("cp.async.bulk.wait_group.read 0;\n" ::: "memory");
  }
#else
  __trap();
#endif
}

}  // namespace

cudaError_t gather_pages(void* dst, const void* cache, const int* pages, int num_pages, int page_bytes,
                         cudaStream_t stream) {
  const int smem = kGatherDepth * page_bytes;
  cudaError_t err = cudaFuncSetAttribute(gather_pages_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
  if (err != cudaSuccess) return err;
  const int blocks = (num_pages + kPagesPerBlock - 1) / kPagesPerBlock;
  gather_pages_kernel<<<blocks, kGatherThreads, smem, stream>>>(
      static_cast<unsigned char*>(dst), static_cast<const unsigned char*>(cache), pages, num_pages, page_bytes);
  return cudaGetLastError();
}

}  // namespace attn
