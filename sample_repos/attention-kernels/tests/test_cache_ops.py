import pytest
import torch

import attention_kernels as ak
from tests.test_flash import reference

HEADS, KV_HEADS, DIM = 8, 2, 128


def paged(k, v):
    """Scatter [batch, tokens, kv_heads, dim] to shuffled pages. Returns caches and the block table."""
    batch, tokens = k.shape[:2]
    pages = -(-tokens // ak.PAGE_TOKENS)
    order = torch.randperm(batch * pages, device=k.device).int()
    caches = []
    for t in (k, v):
        cache = torch.zeros(batch * pages, ak.PAGE_TOKENS, KV_HEADS, DIM, device=k.device, dtype=k.dtype)
        padded = torch.zeros(batch, pages * ak.PAGE_TOKENS, KV_HEADS, DIM, device=k.device, dtype=k.dtype)
        padded[:, :tokens] = t
        cache[order.long()] = padded.view(-1, ak.PAGE_TOKENS, KV_HEADS, DIM)
        caches.append(cache)
    return *caches, order.view(batch, pages)


@pytest.mark.parametrize("tokens", [1, 16, 500, 513, 2000])
def test_decode(tokens):
    q = torch.randn(3, 1, HEADS, DIM, device="cuda", dtype=torch.float16)
    k = torch.randn(3, tokens, KV_HEADS, DIM, device="cuda", dtype=torch.float16)
    v = torch.randn_like(k)
    k_cache, v_cache, table = paged(k, v)
    lengths = torch.full((3,), tokens, device="cuda", dtype=torch.int32)
    out = ak.decode_attention(q[:, 0].contiguous(), k_cache, v_cache, table, lengths, max_length=tokens)
    want, _ = reference(q, k, v, causal=False)
    torch.testing.assert_close(out.float(), want[:, 0], atol=3e-3, rtol=3e-3)


def test_rmsnorm_adds_then_scales():
    x = torch.randn(7, 4096, device="cuda", dtype=torch.bfloat16)
    residual = torch.randn_like(x)
    weight = torch.rand(4096, device="cuda", dtype=torch.bfloat16)
    total = x.float() + residual.float()
    want = total * torch.rsqrt(total.pow(2).mean(-1, keepdim=True) + 1e-6) * weight.float()
    ak.rmsnorm_residual_(x, residual, weight)
    torch.testing.assert_close(x.float(), want, atol=3e-2, rtol=3e-2)
    torch.testing.assert_close(residual.float(), total, atol=3e-2, rtol=3e-2)


@pytest.mark.hopper
def test_gather_pages():
    if torch.cuda.get_device_capability() < (9, 0):
        pytest.skip("needs the bulk copy engine")
    cache = torch.randn(40, ak.PAGE_TOKENS, KV_HEADS, DIM, device="cuda").half()
    pages = torch.randperm(40, device="cuda").int()[:29]
    torch.testing.assert_close(ak.gather_pages(cache, pages), cache[pages.long()])
