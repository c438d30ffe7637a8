"""Sigmoid focal loss, forward only (we train with the PyTorch one; this is for the evaluation loop)."""

import torch
import triton
import triton.language as tl


@triton.jit
def _focal_kernel(logit_ptr, target_ptr, loss_ptr, n, alpha, gamma, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = offs < n
    x = tl.load(logit_ptr + offs, mask=keep, other=0.0).to(tl.float32)
    t = tl.load(target_ptr + offs, mask=keep, other=0.0).to(tl.float32)
    p = tl.sigmoid(x)
    ce = tl.maximum(x, 0.0) - x * t + tl.log(1.0 + tl.exp(-tl.abs(x)))
    p_t = p * t + (1.0 - p) * (1.0 - t)
    weight = (alpha * t + (1.0 - alpha) * (1.0 - t)) * tl.exp(gamma * tl.log(tl.maximum(1.0 - p_t, 1e-8)))
    tl.store(loss_ptr + offs, weight * ce, mask=keep)


def focal_loss(logits: torch.Tensor, targets: torch.Tensor, alpha: float = 0.25, gamma: float = 2.0) -> torch.Tensor:
    loss = torch.empty_like(logits, dtype=torch.float32)
    n = logits.numel()
    grid = (triton.cdiv(n, 1024),)
    _focal_kernel[grid](logits, targets, loss, n, alpha, gamma, BLOCK=1024)
    return loss
