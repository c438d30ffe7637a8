import math

import pytest
import torch

import attention_kernels as ak


def reference(q, k, v, causal):
    """Float32 attention with the bottom-right aligned mask."""
    repeat = q.shape[2] // k.shape[2]
    q, k, v = (t.float().transpose(1, 2) for t in (q, k, v))
    k = k.repeat_interleave(repeat, dim=1)
    v = v.repeat_interleave(repeat, dim=1)
    s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if causal:
        rows = torch.arange(q.shape[2], device=q.device)[:, None]
        cols = torch.arange(k.shape[2], device=q.device)[None, :]
        s = s.masked_fill(cols > rows + k.shape[2] - q.shape[2], float("-inf"))
    return (torch.softmax(s, -1) @ v).transpose(1, 2), torch.logsumexp(s, -1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("dim", [64, 128])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("tokens_q", "tokens_k"), [(64, 64), (128, 300), (1, 77), (257, 257)])
def test_matches_reference(dtype, dim, causal, tokens_q, tokens_k):
    q = torch.randn(2, tokens_q, 8, dim, device="cuda", dtype=dtype)
    k = torch.randn(2, tokens_k, 2, dim, device="cuda", dtype=dtype)
    v = torch.randn_like(k)
    out, lse = ak.flash_attention(q, k, v, causal=causal, return_lse=True)
    want, want_lse = reference(q, k, v, causal)
    tol = 3e-3 if dtype == torch.float16 else 2e-2
    torch.testing.assert_close(out.float(), want, atol=tol, rtol=tol)
    torch.testing.assert_close(lse, want_lse, atol=tol, rtol=tol)


def test_rejects_odd_head_dim():
    q = torch.randn(1, 32, 4, 96, device="cuda", dtype=torch.float16)
    with pytest.raises(RuntimeError, match="head dim"):
        ak.flash_attention(q, q, q)
