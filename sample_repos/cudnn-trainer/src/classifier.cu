#include "classifier.hpp"

#include <cutlass/epilogue/thread/linear_combination.h>
#include <cutlass/gemm/device/gemm.h>
#include <cutlass/half.h>
#include <cutlass/layout/matrix.h>

namespace ct {
namespace {

using cutlass::gemm::GemmShape;
using Half = cutlass::half_t;
using Row = cutlass::layout::RowMajor;
using Col = cutlass::layout::ColumnMajor;

// Few columns (16 classes), so the tile is tall and the k extent long.
template <typename LayoutA, typename LayoutB, typename Tile, typename Warp, int Stages>
using TensorGemm = cutlass::gemm::device::Gemm<
    Half, LayoutA, Half, LayoutB, Half, Row, float,
    cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80,
    Tile, Warp, GemmShape<16, 8, 16>,
    cutlass::epilogue::thread::LinearCombination<Half, 8, float, float>,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, Stages>;

using ForwardGemm = TensorGemm<Row, Col, GemmShape<128, 32, 64>, GemmShape<32, 32, 64>, 4>;
using DgradGemm = TensorGemm<Row, Row, GemmShape<128, 128, 32>, GemmShape<64, 64, 32>, 3>;
using WgradGemm = TensorGemm<Col, Row, GemmShape<64, 128, 32>, GemmShape<32, 64, 32>, 4>;

const Half* in(const __half* p) { return reinterpret_cast<const Half*>(p); }
Half* out(__half* p) { return reinterpret_cast<Half*>(p); }

template <typename Gemm>
bool run(int m, int n, int k, const __half* a, int lda, const __half* b, int ldb, __half* d, int ldd, cudaStream_t s) {
  typename Gemm::Arguments args({m, n, k}, {in(a), lda}, {in(b), ldb}, {out(d), ldd}, {out(d), ldd}, {1.f, 0.f});
  Gemm gemm;
  if (gemm.can_implement(args) != cutlass::Status::kSuccess) return false;
  return gemm(args, nullptr, s) == cutlass::Status::kSuccess;
}

}  // namespace

bool classifier_forward(const __half* x, const __half* w, __half* logits, int n, int features, int classes,
                        cudaStream_t s) {
  return run<ForwardGemm>(n, classes, features, x, features, w, features, logits, classes, s);
}

bool classifier_dgrad(const __half* dlogits, const __half* w, __half* dx, int n, int features, int classes,
                      cudaStream_t s) {
  return run<DgradGemm>(n, features, classes, dlogits, classes, w, features, dx, features, s);
}

bool classifier_wgrad(const __half* dlogits, const __half* x, __half* dw, int n, int features, int classes,
                      cudaStream_t s) {
  return run<WgradGemm>(classes, features, n, dlogits, classes, x, features, dw, features, s);
}

}  // namespace ct
