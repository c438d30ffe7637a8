"""Nearest-neighbour letterbox: scale to fit, pad with grey. Used by the low-latency path."""

import torch
import triton
import triton.language as tl

PAD = 114  # what the detector was trained with


@triton.jit
def _letterbox_kernel(src_ptr, dst_ptr, sh, sw, dh, dw, top, left, inv_scale, pad, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = offs < dh * dw * 3
    c = offs % 3
    dx = (offs // 3) % dw
    dy = offs // (3 * dw)
    sx = ((dx - left + 0.5) * inv_scale).to(tl.int32)
    sy = ((dy - top + 0.5) * inv_scale).to(tl.int32)
    inside = (dx >= left) & (dy >= top) & (sx < sw) & (sy < sh)
    value = tl.load(src_ptr + (sy * sw + sx) * 3 + c, mask=keep & inside, other=0)
    tl.store(dst_ptr + offs, tl.where(inside, value, pad), mask=keep)


def letterbox(image: torch.Tensor, size: int = 640) -> torch.Tensor:
    h, w, _ = image.shape
    scale = min(size / h, size / w)
    top, left = (size - round(h * scale)) // 2, (size - round(w * scale)) // 2
    out = torch.empty((size, size, 3), dtype=torch.uint8, device=image.device)
    grid = (triton.cdiv(out.numel(), 2048),)
    _letterbox_kernel[grid](image, out, h, w, size, size, top, left, 1.0 / scale, PAD, BLOCK=2048, num_warps=8)
    return out
