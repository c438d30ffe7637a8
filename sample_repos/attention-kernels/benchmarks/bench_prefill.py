"""Prefill throughput against flash-attn and PyTorch. Prints TFLOP/s per context length."""

import argparse

import torch
import torch.nn.functional as F

import attention_kernels as ak

try:
    from flash_attn import flash_attn_func
except ImportError:
    flash_attn_func = None


def seconds(fn, repeat=20):
    for _ in range(3):
        fn()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(repeat):
        fn()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / repeat / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--dim", type=int, default=128)
    args = parser.parse_args()
    print(f"# {torch.cuda.get_device_name()}")
    for tokens in (512, 1024, 2048, 4096, 8192, 16384):
        batch = max(1, 16384 // tokens)
        q, k, v = (
            torch.randn(batch, tokens, args.heads, args.dim, device="cuda", dtype=torch.float16) for _ in range(3)
        )
        contenders = {"ours": lambda: ak.flash_attention(q, k, v)}
        contenders["sdpa"] = lambda: F.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True
        )
        if flash_attn_func is not None:
            contenders["flash-attn"] = lambda: flash_attn_func(q, k, v, causal=True)
        flops = 2 * batch * args.heads * args.dim * tokens * tokens  # causal: half of 4*b*h*d*n*n
        cells = [f"{name} {flops / seconds(fn) / 1e12:7.1f}" for name, fn in contenders.items()]
        print(f"{tokens:6d}  " + "  ".join(cells))


if __name__ == "__main__":
    main()
