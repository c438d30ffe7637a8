// 3x3 convolution, stride 1, same size.
#pragma once

#include <cudnn.h>

#include "kernels.h"
#include "tensor.hpp"

namespace ct {

class Conv {
 public:
  Conv(cudnnHandle_t handle, Arena& arena, Tensor& in, Tensor& out, unsigned seed);
  Conv(const Conv&) = delete;
  Conv& operator=(const Conv&) = delete;
  ~Conv();

  void forward();
  // `first` layers have no use for the gradient of their input.
  void backward(bool first);
  void update(SgdStep step, cudaStream_t s);

  const __half* weight() const { return weight_; }
  cudnnFilterDescriptor_t filter() const { return filter_; }
  cudnnConvolutionDescriptor_t conv() const { return conv_; }

 private:
  void pick_algorithms();

  cudnnHandle_t handle_;
  Tensor& in_;
  Tensor& out_;
  cudnnFilterDescriptor_t filter_ = nullptr;
  cudnnConvolutionDescriptor_t conv_ = nullptr;
  cudnnConvolutionFwdAlgo_t fwd_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  cudnnConvolutionBwdDataAlgo_t bwd_data_ = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
  cudnnConvolutionBwdFilterAlgo_t bwd_filter_ = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;
  std::size_t workspace_bytes_ = 0;
  void* workspace_ = nullptr;
  int weights_;
  float* master_;
  float* velocity_;
  __half* weight_;
  __half* grad_;
};

}  // namespace ct
