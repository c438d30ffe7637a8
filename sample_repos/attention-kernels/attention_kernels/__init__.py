"""Attention kernels for paged KV caches."""

from attention_kernels.ops import (
    PAGE_TOKENS,
    decode_attention,
    flash_attention,
    gather_pages,
    rmsnorm_residual_,
)

__all__ = [
    "PAGE_TOKENS",
    "decode_attention",
    "flash_attention",
    "gather_pages",
    "rmsnorm_residual_",
]
__version__ = "0.7.2"
