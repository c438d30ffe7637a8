"""Python face of the compiled extension."""

import torch

from vision_ops import _C


def bgr_to_gray(image: torch.Tensor) -> torch.Tensor:
    """H x W x 3 bytes, BGR as OpenCV has it, to H x W bytes."""
    return _C.bgr_to_gray(image)


def nv12_to_rgb(y: torch.Tensor, uv: torch.Tensor) -> torch.Tensor:
    """A decoded video frame (limited-range BT.709) to H x W x 3 bytes."""
    return _C.nv12_to_rgb(y, uv)


def color_jitter_(rgb: torch.Tensor, strength: float = 0.2) -> torch.Tensor:
    """Random brightness, contrast and saturation per image, in place. rgb: N x 3 x H x W in [0, 1]."""
    n = rgb.shape[0]
    factors = 1.0 + (torch.rand(3, n, device=rgb.device) * 2 - 1) * strength
    _C.color_jitter_(rgb, factors[0].contiguous(), factors[1].contiguous(), factors[2].contiguous())
    return rgb


def normalize(batch: torch.Tensor, mean: torch.Tensor, std: torch.Tensor, half: bool = True) -> torch.Tensor:
    """N x H x W x C bytes to N x C x H x W, scaled to [0, 1] and normalised."""
    return _C.normalize(batch, mean, 1.0 / std, half)


def to_u8(images: torch.Tensor, mean: torch.Tensor, std: torch.Tensor) -> torch.Tensor:
    """The way back from `normalize`, for the viewer."""
    return _C.to_u8(images, mean, std)


class _HardSwish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return _C.hard_swish_fwd(x)

    @staticmethod
    def backward(ctx, grad_y):
        (x,) = ctx.saved_tensors
        return _C.hard_swish_bwd(x, grad_y.contiguous())


def hard_swish(x: torch.Tensor) -> torch.Tensor:
    return _HardSwish.apply(x)


def channel_stats(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and biased variance per channel of N x C x H x W."""
    return _C.channel_stats(x.contiguous())


def soft_argmax2d(heat: torch.Tensor, beta: float = 100.0) -> torch.Tensor:
    """N x K x H x W heat maps to N x K x 2 positions (x, y) in pixels."""
    return _C.soft_argmax2d(heat.contiguous(), beta)


def row_l2_normalize(x: torch.Tensor, eps: float = 1e-12) -> torch.Tensor:
    """Rows of an N x D matrix scaled to length one."""
    return _C.row_l2_normalize(x.contiguous(), eps)


def dice_score(pred: torch.Tensor, target: torch.Tensor, smooth: float = 1.0) -> torch.Tensor:
    """Dice score per mask; pred and target: N x P in [0, 1]."""
    both, p_sum, t_sum = _C.dice_sums(pred.contiguous(), target.contiguous()).unbind(dim=1)
    return (2 * both + smooth) / (p_sum + t_sum + smooth)


bias_silu_ = _C.bias_silu_
alpha_blend = _C.alpha_blend
mask_overlay_ = _C.mask_overlay_
