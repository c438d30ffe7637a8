#include "blas_compat.h"
#include "context.h"

namespace fieldkit {
namespace {

void check_blas(cublasStatus_t rc, const char* what) {
  if (rc != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string(what) + " failed in BLAS");
}

}  // namespace

void gemv(const Field& a, const Field& x, Field& y, int rows, int cols) {
  if (a.size() != size_t(rows) * cols || x.size() != size_t(cols) || y.size() != size_t(rows))
    throw std::invalid_argument("fieldkit: wrong shape");
  cublasHandle_t handle = nullptr;
  check_blas(cublasCreate(&handle), "creating the handle");
  check_blas(cublasSetStream(handle, y.context().impl()->stream), "setting the stream");
  const float one = 1.f, zero = 0.f;
  // BLAS is column-major, so our row-major A is its transpose
  check_blas(cublasSgemv(handle, CUBLAS_OP_T, cols, rows, &one, a.data(), cols, x.data(), 1, &zero, y.data(), 1),
             "gemv");
  check_blas(cublasDestroy(handle), "destroying the handle");
}

}  // namespace fieldkit
