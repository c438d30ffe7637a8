"""Sends prompts at a fixed rate and prints time to first token and tokens per second."""

import argparse
import asyncio
import json
import time

import aiohttp
import numpy as np


async def one(session: aiohttp.ClientSession, url: str, model: str, results: list) -> None:
    body = {"model": model, "prompt": "Tell me about tides. " * 40, "max_tokens": 256, "stream": True}
    start, first, tokens = time.perf_counter(), None, 0
    async with session.post(f"{url}/v1/completions", json=body) as answer:
        async for line in answer.content:
            if line.startswith(b"data: {"):
                first = first or time.perf_counter() - start
                tokens += len(json.loads(line[6:]).get("choices", []))
    results.append((first or float("nan"), tokens / (time.perf_counter() - start)))


async def run(url: str, model: str, rate: float, seconds: float) -> None:
    results: list = []
    async with aiohttp.ClientSession() as session:
        tasks = []
        for _ in range(int(rate * seconds)):
            tasks.append(asyncio.create_task(one(session, url, model, results)))
            await asyncio.sleep(1 / rate)
        await asyncio.gather(*tasks)
    ttft, speed = np.array(results).T
    print(f"{model}: ttft p50 {np.nanmedian(ttft) * 1e3:.0f} ms, p99 {np.nanpercentile(ttft, 99) * 1e3:.0f} ms")
    print(f"{model}: {np.mean(speed):.1f} tokens/s per request, {len(results)} requests")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://localhost:8080")
    parser.add_argument("--model", default="qwen-32b")
    parser.add_argument("--rate", type=float, default=4.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    args = parser.parse_args()
    asyncio.run(run(args.url, args.model, args.rate, args.seconds))
