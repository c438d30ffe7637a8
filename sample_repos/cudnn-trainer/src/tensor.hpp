// Shapes, and tensors in the arena with a cuDNN descriptor beside them.
#pragma once

#include <cuda_fp16.h>
#include <cudnn.h>

#include "arena.hpp"
#include "check.hpp"

namespace ct {

struct Shape {
  int n;
  int c;
  int h;
  int w;
  std::size_t count() const { return static_cast<std::size_t>(n) * c * h * w; }
};

class TensorDesc {
 public:
  TensorDesc(const Shape& s, cudnnDataType_t type) {
    CT_CHECK(cudnnCreateTensorDescriptor(&desc_));
    CT_CHECK(cudnnSetTensor4dDescriptor(desc_, CUDNN_TENSOR_NHWC, type, s.n, s.c, s.h, s.w));
  }
  TensorDesc(const TensorDesc&) = delete;
  TensorDesc& operator=(const TensorDesc&) = delete;
  ~TensorDesc() { cudnnDestroyTensorDescriptor(desc_); }
  operator cudnnTensorDescriptor_t() const { return desc_; }

 private:
  cudnnTensorDescriptor_t desc_ = nullptr;
};

// Activation and its gradient, fp16 NHWC.
struct Tensor {
  Tensor(Arena& arena, const Shape& s)
      : shape(s),
        desc(s, CUDNN_DATA_HALF),
        data(arena.take_n<__half>(s.count())),
        grad(arena.take_n<__half>(s.count())) {}
  Shape shape;
  TensorDesc desc;
  __half* data;
  __half* grad;
};

}  // namespace ct
