#include "fused.hpp"

#include <cudnn_frontend.h>

#include <unordered_map>
#include <vector>

namespace fe = cudnn_frontend;

namespace ct {

struct FusedConv::Plan {
  fe::graph::Graph graph;
  std::shared_ptr<fe::graph::Tensor_attributes> x;
  std::shared_ptr<fe::graph::Tensor_attributes> w;
  std::shared_ptr<fe::graph::Tensor_attributes> b;
  std::shared_ptr<fe::graph::Tensor_attributes> y;
  void* workspace = nullptr;
};

namespace {

fe::graph::Tensor_attributes nhwc(const char* name, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return fe::graph::Tensor_attributes().set_name(name).set_dim({n, c, h, w}).set_stride({h * w * c, 1, w * c, c});
}

void require(const fe::error_t& status) {
  if (status.is_bad()) fail(status.get_message(), __FILE__, __LINE__);
}

}  // namespace

FusedConv::FusedConv(cudnnHandle_t handle, Arena& arena, const Shape& in, int channels_out)
    : handle_(handle), plan_(std::make_unique<Plan>()) {
  fe::graph::Graph& g = plan_->graph;
  g.set_io_data_type(fe::DataType_t::HALF)
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  plan_->x = g.tensor(nhwc("x", in.n, in.c, in.h, in.w));
  plan_->w = g.tensor(nhwc("w", channels_out, in.c, 3, 3));
  plan_->b = g.tensor(nhwc("b", 1, channels_out, 1, 1));

  const auto same = fe::graph::Conv_fprop_attributes().set_padding({1, 1}).set_stride({1, 1}).set_dilation({1, 1});
  auto conv = g.conv_fprop(plan_->x, plan_->w, same);
  auto biased = g.pointwise(conv, plan_->b, fe::graph::Pointwise_attributes().set_mode(fe::PointwiseMode_t::ADD));
  plan_->y = g.pointwise(biased, fe::graph::Pointwise_attributes().set_mode(fe::PointwiseMode_t::RELU_FWD));
  plan_->y->set_output(true);

  require(g.validate());
  require(g.build_operation_graph(handle_));
  require(g.create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK}));
  require(g.check_support(handle_));
  require(g.build_plans(handle_));
  plan_->workspace = arena.take(static_cast<std::size_t>(g.get_workspace_size()));
}

FusedConv::~FusedConv() = default;

void FusedConv::run(const __half* x, const __half* weight, const __half* bias, __half* y) {
  std::unordered_map<std::shared_ptr<fe::graph::Tensor_attributes>, void*> pack = {
      {plan_->x, const_cast<__half*>(x)},
      {plan_->w, const_cast<__half*>(weight)},
      {plan_->b, const_cast<__half*>(bias)},
      {plan_->y, y},
  };
  require(plan_->graph.execute(handle_, pack, plan_->workspace));
}

}  // namespace ct
