"""Pre- and post-processing for the detector, on the GPU. See README.md for the list of operators."""

from vision_ops.functional import (
    alpha_blend,
    bgr_to_gray,
    bias_silu_,
    channel_stats,
    color_jitter_,
    dice_score,
    hard_swish,
    mask_overlay_,
    normalize,
    nv12_to_rgb,
    row_l2_normalize,
    soft_argmax2d,
    to_u8,
)
from vision_ops.triton_kernels.focal import focal_loss
from vision_ops.triton_kernels.layer_norm2d import layer_norm2d
from vision_ops.triton_kernels.letterbox import letterbox

__all__ = [
    "alpha_blend",
    "bgr_to_gray",
    "bias_silu_",
    "channel_stats",
    "color_jitter_",
    "dice_score",
    "focal_loss",
    "hard_swish",
    "layer_norm2d",
    "letterbox",
    "mask_overlay_",
    "normalize",
    "nv12_to_rgb",
    "row_l2_normalize",
    "soft_argmax2d",
    "to_u8",
]
__version__ = "0.15.0"
