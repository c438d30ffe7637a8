// PyTorch side: checks shapes and types, allocates outputs, hands raw pointers to the C interface.
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

#include "vision_ops.h"

namespace {

void check(const torch::Tensor& t, const char* name, torch::ScalarType type) {
  TORCH_CHECK(t.is_cuda(), name, " must be on the GPU");
  TORCH_CHECK(t.is_contiguous(), name, " must be contiguous");
  TORCH_CHECK(t.scalar_type() == type, name, " has type ", t.scalar_type(), ", expected ", type);
}

torch::Tensor bgr_to_gray(const torch::Tensor& bgr) {
  check(bgr, "bgr", torch::kUInt8);
  TORCH_CHECK(bgr.dim() == 3 && bgr.size(2) == 3, "bgr must be H x W x 3");
  const c10::cuda::CUDAGuard guard(bgr.device());
  auto gray = torch::empty({bgr.size(0), bgr.size(1)}, bgr.options());
  C10_CUDA_CHECK(vops_bgr_to_gray(bgr.data_ptr<uint8_t>(), gray.data_ptr<uint8_t>(), bgr.size(0), bgr.size(1),
                                  at::cuda::getCurrentCUDAStream()));
  return gray;
}

torch::Tensor nv12_to_rgb(const torch::Tensor& y, const torch::Tensor& uv) {
  check(y, "y", torch::kUInt8);
  check(uv, "uv", torch::kUInt8);
  TORCH_CHECK(y.size(0) % 2 == 0 && y.size(1) % 2 == 0, "NV12 frames have even sides");
  const c10::cuda::CUDAGuard guard(y.device());
  auto rgb = torch::empty({y.size(0), y.size(1), 3}, y.options());
  C10_CUDA_CHECK(vops_nv12_to_rgb(y.data_ptr<uint8_t>(), uv.data_ptr<uint8_t>(), rgb.data_ptr<uint8_t>(), y.size(0),
                                  y.size(1), y.stride(0), at::cuda::getCurrentCUDAStream()));
  return rgb;
}

void color_jitter_(torch::Tensor& rgb, const torch::Tensor& brightness, const torch::Tensor& contrast,
                   const torch::Tensor& saturation) {
  check(rgb, "rgb", torch::kFloat);
  TORCH_CHECK(rgb.dim() == 4 && rgb.size(1) == 3, "rgb must be N x 3 x H x W");
  const c10::cuda::CUDAGuard guard(rgb.device());
  C10_CUDA_CHECK(vops_color_jitter(rgb.data_ptr<float>(), rgb.size(0), rgb.size(2) * rgb.size(3),
                                   brightness.data_ptr<float>(), contrast.data_ptr<float>(),
                                   saturation.data_ptr<float>(), at::cuda::getCurrentCUDAStream()));
}

torch::Tensor normalize(const torch::Tensor& src, const torch::Tensor& mean, const torch::Tensor& inv_std, bool half) {
  check(src, "src", torch::kUInt8);
  TORCH_CHECK(src.dim() == 4, "src must be N x H x W x C");
  const c10::cuda::CUDAGuard guard(src.device());
  const int n = src.size(0), c = src.size(3), pixels = src.size(1) * src.size(2);
  auto dst = torch::empty({n, c, src.size(1), src.size(2)}, src.options().dtype(half ? torch::kHalf : torch::kFloat));
  auto stream = at::cuda::getCurrentCUDAStream();
  if (half) {
    C10_CUDA_CHECK(vops_hwc_to_chw_norm_f16(src.data_ptr<uint8_t>(), dst.data_ptr(), mean.data_ptr<float>(),
                                            inv_std.data_ptr<float>(), n, c, pixels, stream));
  } else {
    C10_CUDA_CHECK(vops_hwc_to_chw_norm_f32(src.data_ptr<uint8_t>(), dst.data_ptr<float>(), mean.data_ptr<float>(),
                                            inv_std.data_ptr<float>(), n, c, pixels, stream));
  }
  return dst;
}

torch::Tensor hard_swish_fwd(const torch::Tensor& x) {
  check(x, "x", torch::kFloat);
  const c10::cuda::CUDAGuard guard(x.device());
  auto y = torch::empty_like(x);
  C10_CUDA_CHECK(vops_hard_swish_fwd(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(),
                                     at::cuda::getCurrentCUDAStream()));
  return y;
}

torch::Tensor hard_swish_bwd(const torch::Tensor& x, const torch::Tensor& grad_y) {
  check(grad_y, "grad_y", torch::kFloat);
  const c10::cuda::CUDAGuard guard(x.device());
  auto grad_x = torch::empty_like(x);
  C10_CUDA_CHECK(vops_hard_swish_bwd(x.data_ptr<float>(), grad_y.data_ptr<float>(), grad_x.data_ptr<float>(),
                                     x.numel(), at::cuda::getCurrentCUDAStream()));
  return grad_x;
}

std::tuple<torch::Tensor, torch::Tensor> channel_stats(const torch::Tensor& x) {
  check(x, "x", torch::kFloat);
  const c10::cuda::CUDAGuard guard(x.device());
  auto mean = torch::empty({x.size(1)}, x.options());
  auto var = torch::empty({x.size(1)}, x.options());
  C10_CUDA_CHECK(vops_channel_stats(x.data_ptr<float>(), mean.data_ptr<float>(), var.data_ptr<float>(), x.size(0),
                                    x.size(1), x.size(2) * x.size(3), at::cuda::getCurrentCUDAStream()));
  return {mean, var};
}

torch::Tensor soft_argmax2d(const torch::Tensor& heat, double beta) {
  check(heat, "heat", torch::kFloat);
  const c10::cuda::CUDAGuard guard(heat.device());
  auto xy = torch::empty({heat.size(0), heat.size(1), 2}, heat.options());
  C10_CUDA_CHECK(vops_soft_argmax2d(heat.data_ptr<float>(), xy.data_ptr<float>(), heat.size(0) * heat.size(1),
                                    heat.size(2), heat.size(3), beta, at::cuda::getCurrentCUDAStream()));
  return xy;
}

torch::Tensor to_u8(const torch::Tensor& src, const torch::Tensor& mean, const torch::Tensor& std_dev) {
  check(src, "src", torch::kFloat);
  const c10::cuda::CUDAGuard guard(src.device());
  auto dst = torch::empty({src.size(0), src.size(2), src.size(3), src.size(1)}, src.options().dtype(torch::kUInt8));
  C10_CUDA_CHECK(vops_chw_to_hwc_u8(src.data_ptr<float>(), dst.data_ptr<uint8_t>(), mean.data_ptr<float>(),
                                    std_dev.data_ptr<float>(), src.size(0), src.size(1), src.size(2) * src.size(3),
                                    at::cuda::getCurrentCUDAStream()));
  return dst;
}

void bias_silu_(torch::Tensor& x, const torch::Tensor& bias) {
  check(x, "x", bias.scalar_type());
  const c10::cuda::CUDAGuard guard(x.device());
  const int channels = bias.numel();
  const int64_t rows = x.numel() / channels;
  auto stream = at::cuda::getCurrentCUDAStream();
  if (x.scalar_type() == torch::kHalf) {
    C10_CUDA_CHECK(vops_bias_silu_f16(x.data_ptr(), bias.data_ptr(), rows, channels, stream));
  } else {
    C10_CUDA_CHECK(vops_bias_silu_f32(x.data_ptr<float>(), bias.data_ptr<float>(), rows, channels, stream));
  }
}

torch::Tensor alpha_blend(const torch::Tensor& fg, const torch::Tensor& bg, const torch::Tensor& alpha) {
  check(fg, "fg", torch::kFloat);
  check(bg, "bg", torch::kFloat);
  check(alpha, "alpha", torch::kFloat);
  const c10::cuda::CUDAGuard guard(fg.device());
  auto out = torch::empty_like(fg);
  C10_CUDA_CHECK(vops_alpha_blend(fg.data_ptr<float>(), bg.data_ptr<float>(), alpha.data_ptr<float>(),
                                  out.data_ptr<float>(), fg.size(0), fg.size(1), fg.size(2) * fg.size(3),
                                  at::cuda::getCurrentCUDAStream()));
  return out;
}

void mask_overlay_(torch::Tensor& rgb, const torch::Tensor& mask, double r, double g, double b, double opacity) {
  check(rgb, "rgb", torch::kFloat);
  check(mask, "mask", torch::kInt);  // the bits of int32 words, see blend.cu
  const c10::cuda::CUDAGuard guard(rgb.device());
  C10_CUDA_CHECK(vops_mask_overlay(rgb.data_ptr<float>(), reinterpret_cast<const uint32_t*>(mask.data_ptr<int>()),
                                   rgb.size(1) * rgb.size(2), r, g, b, opacity, at::cuda::getCurrentCUDAStream()));
}

torch::Tensor row_l2_normalize(const torch::Tensor& x, double eps) {
  check(x, "x", torch::kFloat);
  const c10::cuda::CUDAGuard guard(x.device());
  auto y = torch::empty_like(x);
  C10_CUDA_CHECK(vops_row_l2_normalize(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1), eps,
                                       at::cuda::getCurrentCUDAStream()));
  return y;
}

torch::Tensor dice_sums(const torch::Tensor& pred, const torch::Tensor& target) {
  check(pred, "pred", torch::kFloat);
  check(target, "target", torch::kFloat);
  const c10::cuda::CUDAGuard guard(pred.device());
  auto sums = torch::empty({pred.size(0), 3}, pred.options());
  C10_CUDA_CHECK(vops_dice_sums(pred.data_ptr<float>(), target.data_ptr<float>(), sums.data_ptr<float>(),
                                pred.size(0), pred.size(1), at::cuda::getCurrentCUDAStream()));
  return sums;
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("bgr_to_gray", &bgr_to_gray);
  m.def("nv12_to_rgb", &nv12_to_rgb);
  m.def("color_jitter_", &color_jitter_);
  m.def("normalize", &normalize);
  m.def("hard_swish_fwd", &hard_swish_fwd);
  m.def("hard_swish_bwd", &hard_swish_bwd);
  m.def("channel_stats", &channel_stats);
  m.def("soft_argmax2d", &soft_argmax2d);
  m.def("to_u8", &to_u8);
  m.def("bias_silu_", &bias_silu_);
  m.def("alpha_blend", &alpha_blend);
  m.def("mask_overlay_", &mask_overlay_);
  m.def("row_l2_normalize", &row_l2_normalize);
  m.def("dice_sums", &dice_sums);
}
