#include "conv.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace ct {
namespace {

// Algorithms that want more scratch than this are passed over.
constexpr std::size_t kWorkspaceLimit = std::size_t(256) << 20;
constexpr float kOne = 1.f;
constexpr float kZero = 0.f;

// The first result that worked, fits, and may use tensor cores. Results come sorted by time.
template <typename Perf>
const Perf& best(const std::vector<Perf>& found, int count) {
  for (int i = 0; i < count; ++i) {
    if (found[i].status == CUDNN_STATUS_SUCCESS && found[i].memory <= kWorkspaceLimit) return found[i];
  }
  fail("no convolution algorithm fits", __FILE__, __LINE__);
}

}  // namespace

Conv::Conv(cudnnHandle_t handle, Arena& arena, Tensor& in, Tensor& out, unsigned seed)
    : handle_(handle), in_(in), out_(out), weights_(out.shape.c * 9 * in.shape.c) {
  CT_CHECK(cudnnCreateFilterDescriptor(&filter_));
  CT_CHECK(cudnnSetFilter4dDescriptor(filter_, CUDNN_DATA_HALF, CUDNN_TENSOR_NHWC, out.shape.c, in.shape.c, 3, 3));
  CT_CHECK(cudnnCreateConvolutionDescriptor(&conv_));
  CT_CHECK(cudnnSetConvolution2dDescriptor(conv_, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  CT_CHECK(cudnnSetConvolutionMathType(conv_, CUDNN_TENSOR_OP_MATH));

  master_ = arena.take_n<float>(weights_);
  velocity_ = arena.take_n<float>(weights_);
  weight_ = arena.take_n<__half>(weights_);
  grad_ = arena.take_n<__half>(weights_);
  CT_CHECK(cudaMemset(velocity_, 0, weights_ * sizeof(float)));

  std::mt19937 random(seed);
  std::normal_distribution<float> he(0.f, std::sqrt(2.f / (9 * in.shape.c)));
  std::vector<float> init(weights_);
  std::generate(init.begin(), init.end(), [&] { return he(random); });
  std::vector<__half> narrow(init.begin(), init.end());
  CT_CHECK(cudaMemcpy(master_, init.data(), init.size() * sizeof(float), cudaMemcpyHostToDevice));
  CT_CHECK(cudaMemcpy(weight_, narrow.data(), narrow.size() * sizeof(__half), cudaMemcpyHostToDevice));

  pick_algorithms();
  workspace_ = arena.take(workspace_bytes_);
}

Conv::~Conv() {
  cudnnDestroyConvolutionDescriptor(conv_);
  cudnnDestroyFilterDescriptor(filter_);
}

void Conv::pick_algorithms() {
  int count = 0;
  std::vector<cudnnConvolutionFwdAlgoPerf_t> fwd(CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
  CT_CHECK(cudnnFindConvolutionForwardAlgorithm(handle_, in_.desc, filter_, conv_, out_.desc,
                                                static_cast<int>(fwd.size()), &count, fwd.data()));
  fwd_ = best(fwd, count).algo;
  workspace_bytes_ = best(fwd, count).memory;

  std::vector<cudnnConvolutionBwdDataAlgoPerf_t> data(CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT);
  CT_CHECK(cudnnFindConvolutionBackwardDataAlgorithm(handle_, filter_, out_.desc, conv_, in_.desc,
                                                     static_cast<int>(data.size()), &count, data.data()));
  bwd_data_ = best(data, count).algo;
  workspace_bytes_ = std::max(workspace_bytes_, best(data, count).memory);

  std::vector<cudnnConvolutionBwdFilterAlgoPerf_t> filter(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT);
  CT_CHECK(cudnnFindConvolutionBackwardFilterAlgorithm(handle_, in_.desc, out_.desc, conv_, filter_,
                                                       static_cast<int>(filter.size()), &count, filter.data()));
  bwd_filter_ = best(filter, count).algo;
  workspace_bytes_ = std::max(workspace_bytes_, best(filter, count).memory);
}

void Conv::forward() {
  CT_CHECK(cudnnConvolutionForward(handle_, &kOne, in_.desc, in_.data, filter_, weight_, conv_, fwd_, workspace_,
                                   workspace_bytes_, &kZero, out_.desc, out_.data));
}

void Conv::backward(bool first) {
  CT_CHECK(cudnnConvolutionBackwardFilter(handle_, &kOne, in_.desc, in_.data, out_.desc, out_.grad, conv_,
                                          bwd_filter_, workspace_, workspace_bytes_, &kZero, filter_, grad_));
  if (first) return;
  CT_CHECK(cudnnConvolutionBackwardData(handle_, &kOne, filter_, weight_, out_.desc, out_.grad, conv_, bwd_data_,
                                        workspace_, workspace_bytes_, &kZero, in_.desc, in_.grad));
}

void Conv::update(SgdStep step, cudaStream_t s) {
  CT_CHECK(sgd(master_, velocity_, weight_, grad_, weights_, step, s));
}

}  // namespace ct
