// Convolution, bias and ReLU as one graph. For exported nets, where batch norm is folded into weight and bias.
#pragma once

#include <cudnn.h>

#include <memory>

#include "tensor.hpp"

namespace ct {

class FusedConv {
 public:
  FusedConv(cudnnHandle_t handle, Arena& arena, const Shape& in, int channels_out);
  ~FusedConv();

  void run(const __half* x, const __half* weight, const __half* bias, __half* y);

 private:
  struct Plan;
  cudnnHandle_t handle_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace ct
