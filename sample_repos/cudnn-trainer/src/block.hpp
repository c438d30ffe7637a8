// Batch norm, ReLU and 2x2 max pooling behind a convolution.
#pragma once

#include <cudnn.h>

#include "kernels.h"
#include "tensor.hpp"

namespace ct {

class Block {
 public:
  // in: conv output [n, c, h, w]; out: [n, c, h/2, w/2].
  Block(cudnnHandle_t handle, Arena& arena, Tensor& in, Tensor& out);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  void forward_train();
  void forward_eval();
  void backward();
  void update(SgdStep step, cudaStream_t s);

 private:
  void activate_and_pool();

  cudnnHandle_t handle_;
  Tensor& in_;
  Tensor& out_;
  Tensor normed_;
  Tensor active_;
  TensorDesc param_desc_;
  cudnnActivationDescriptor_t relu_ = nullptr;
  cudnnPoolingDescriptor_t pool_ = nullptr;
  // Eight rows of `channels` floats: scale, shift, their gradients, running mean and variance, saved mean and
  // inverse deviation; then two rows of velocity.
  float* params_;
  int channels_;
  float* row(int i) const { return params_ + i * channels_; }
};

}  // namespace ct
