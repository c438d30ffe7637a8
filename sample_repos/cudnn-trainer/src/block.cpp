#include "block.hpp"

#include <vector>

namespace ct {
namespace {

constexpr float kOne = 1.f;
constexpr float kZero = 0.f;
constexpr double kEps = 1e-5;
constexpr double kAverage = 0.1;
constexpr auto kMode = CUDNN_BATCHNORM_SPATIAL_PERSISTENT;

enum Row { kScale, kShift, kScaleGrad, kShiftGrad, kMean, kVariance, kSavedMean, kSavedInv, kVelocity, kRows = 10 };

}  // namespace

Block::Block(cudnnHandle_t handle, Arena& arena, Tensor& in, Tensor& out)
    : handle_(handle),
      in_(in),
      out_(out),
      normed_(arena, in.shape),
      active_(arena, in.shape),
      param_desc_({1, in.shape.c, 1, 1}, CUDNN_DATA_FLOAT),
      params_(arena.take_n<float>(kRows * in.shape.c)),
      channels_(in.shape.c) {
  CT_CHECK(cudnnCreateActivationDescriptor(&relu_));
  CT_CHECK(cudnnSetActivationDescriptor(relu_, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0.0));
  CT_CHECK(cudnnCreatePoolingDescriptor(&pool_));
  CT_CHECK(cudnnSetPooling2dDescriptor(pool_, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
  std::vector<float> init(kRows * channels_, 0.f);
  for (int c = 0; c < channels_; ++c) init[kScale * channels_ + c] = init[kVariance * channels_ + c] = 1.f;
  CT_CHECK(cudaMemcpy(params_, init.data(), init.size() * sizeof(float), cudaMemcpyHostToDevice));
}

Block::~Block() {
  cudnnDestroyPoolingDescriptor(pool_);
  cudnnDestroyActivationDescriptor(relu_);
}

void Block::activate_and_pool() {
  CT_CHECK(cudnnActivationForward(handle_, relu_, &kOne, normed_.desc, normed_.data, &kZero, active_.desc,
                                  active_.data));
  CT_CHECK(cudnnPoolingForward(handle_, pool_, &kOne, active_.desc, active_.data, &kZero, out_.desc, out_.data));
}

void Block::forward_train() {
  CT_CHECK(cudnnBatchNormalizationForwardTraining(
      handle_, kMode, &kOne, &kZero, in_.desc, in_.data, normed_.desc, normed_.data, param_desc_, row(kScale),
      row(kShift), kAverage, row(kMean), row(kVariance), kEps, row(kSavedMean), row(kSavedInv)));
  activate_and_pool();
}

void Block::forward_eval() {
  CT_CHECK(cudnnBatchNormalizationForwardInference(handle_, kMode, &kOne, &kZero, in_.desc, in_.data, normed_.desc,
                                                   normed_.data, param_desc_, row(kScale), row(kShift), row(kMean),
                                                   row(kVariance), kEps));
  activate_and_pool();
}

void Block::backward() {
  CT_CHECK(cudnnPoolingBackward(handle_, pool_, &kOne, out_.desc, out_.data, out_.desc, out_.grad, active_.desc,
                                active_.data, &kZero, active_.desc, active_.grad));
  CT_CHECK(cudnnActivationBackward(handle_, relu_, &kOne, active_.desc, active_.data, active_.desc, active_.grad,
                                   normed_.desc, normed_.data, &kZero, normed_.desc, normed_.grad));
  CT_CHECK(cudnnBatchNormalizationBackward(handle_, kMode, &kOne, &kZero, &kOne, &kZero, in_.desc, in_.data,
                                           normed_.desc, normed_.grad, in_.desc, in_.grad, param_desc_, row(kScale),
                                           row(kScaleGrad), row(kShiftGrad), kEps, row(kSavedMean), row(kSavedInv)));
}

void Block::update(SgdStep step, cudaStream_t s) {
  // Scale and shift, their gradients and their velocities lie next to each other: one call does both.
  CT_CHECK(sgd_fp32(row(kScale), row(kVelocity), row(kScaleGrad), 2 * channels_, step, s));
}

}  // namespace ct
