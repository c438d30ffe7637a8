"""Python face of the extension: shapes, defaults, and a way out for devices that are too old."""

from __future__ import annotations

import functools
import importlib
import math

import torch
import torch.nn.functional as F

PAGE_TOKENS = 16


@functools.cache
def _extension():
    importlib.import_module("attention_kernels._C")
    return torch.ops.attention_kernels


@functools.cache
def _supported(device_index: int) -> bool:
    return torch.cuda.get_device_capability(device_index) >= (8, 0)


def flash_attention(q, k, v, *, scale=None, causal=True, return_lse=False):
    """Attention over [batch, tokens, heads, dim] tensors; K and V may have fewer heads than Q."""
    scale = scale or 1.0 / math.sqrt(q.shape[-1])
    if not _supported(q.device.index or 0):
        if return_lse:
            raise RuntimeError("return_lse needs the compiled kernel")
        return _sdpa(q, k, v, scale, causal)
    out, lse = _extension().flash_forward(q.contiguous(), k.contiguous(), v.contiguous(), scale, causal)
    return (out, lse) if return_lse else out


def _sdpa(q, k, v, scale, causal):
    q, k, v = (t.transpose(1, 2) for t in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale, enable_gqa=True)
    return out.transpose(1, 2).contiguous()


def decode_attention(q, k_cache, v_cache, block_table, lengths, *, max_length, scale=None):
    """One query per sequence, [batch, heads, 128], against pages of PAGE_TOKENS tokens."""
    scale = scale or 1.0 / math.sqrt(q.shape[-1])
    return _extension().decode_splitkv(q, k_cache, v_cache, block_table, lengths, max_length, scale)


def rmsnorm_residual_(x, residual, weight, eps=1e-6):
    """residual += x; x = rmsnorm(residual) * weight. Both in place."""
    _extension().rmsnorm_residual(x, residual, weight, eps)
    return x


def gather_pages(cache, pages):
    """Copy the named pages to one contiguous tensor."""
    return _extension().gather_pages(cache, pages)
