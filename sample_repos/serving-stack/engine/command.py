"""Builds the command line of an engine from models.toml."""

from __future__ import annotations

from gateway.config import Model

# 32 requests prefilled together kept time to first token under 400 ms for our prompts
MAX_PREFILL_BATCH = 32


def command(model: Model, port: int = 8000, fp8_ok: bool = True) -> list[str]:
    kv_cache = model.kv_cache if fp8_ok else "auto"
    if model.engine == "vllm":
        return [
            "vllm",
            "serve",
            model.weights,
            f"--port={port}",
            f"--tensor-parallel-size={model.gpus}",
            f"--dtype={model.dtype}",
            f"--kv-cache-dtype={kv_cache}",
            f"--max-model-len={model.max_len}",
            f"--block-size={model.block_size}",
            "--gpu-memory-utilization=0.92",
        ]
    return [
        "python3",
        "-m",
        "sglang.launch_server",
        f"--model-path={model.weights}",
        f"--port={port}",
        f"--tp-size={model.gpus}",
        f"--dtype={model.dtype}",
        f"--context-length={model.max_len}",
        f"--max-prefill-tokens={MAX_PREFILL_BATCH * 1024}",
        "--mem-fraction-static=0.88",
    ]
