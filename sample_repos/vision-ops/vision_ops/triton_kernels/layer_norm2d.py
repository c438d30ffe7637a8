"""LayerNorm over the channels of N x C x H x W, as ConvNeXt uses it, without the two permutes."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"PIXELS": 16}, num_warps=4),
        triton.Config({"PIXELS": 32}, num_warps=4),
        triton.Config({"PIXELS": 64}, num_warps=8),
    ],
    key=["channels"],
)
@triton.jit
def _layer_norm2d_kernel(
    x_ptr, y_ptr, weight_ptr, bias_ptr, channels, pixels, eps, PIXELS: tl.constexpr, CHANNELS: tl.constexpr
):
    image = tl.program_id(1)
    pix = tl.program_id(0) * PIXELS + tl.arange(0, PIXELS)
    chan = tl.arange(0, CHANNELS)
    keep = (chan[:, None] < channels) & (pix[None, :] < pixels)
    offs = image * channels * pixels + chan[:, None] * pixels + pix[None, :]
    x = tl.load(x_ptr + offs, mask=keep, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / channels
    diff = tl.where(chan[:, None] < channels, x - mean[None, :], 0.0)
    var = tl.sum(diff * diff, axis=0) / channels
    w = tl.load(weight_ptr + chan, mask=chan < channels, other=0.0)
    b = tl.load(bias_ptr + chan, mask=chan < channels, other=0.0)
    y = diff * tl.rsqrt(var + eps)[None, :] * w[:, None] + b[:, None]
    tl.store(y_ptr + offs, y, mask=keep)


def layer_norm2d(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    n, c, h, w = x.shape
    y = torch.empty_like(x)
    _layer_norm2d_kernel[lambda meta: (triton.cdiv(h * w, meta["PIXELS"]), n)](
        x, y, weight, bias, c, h * w, eps, CHANNELS=triton.next_power_of_2(c)
    )
    return y
