"""The HTTP application. Run: uvicorn gateway.app:app --port 8080"""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import PlainTextResponse, StreamingResponse
from prometheus_client import Counter, Gauge, generate_latest

from gateway.balancer import NoReplica, Pool
from gateway.config import read_models

PROBE_SECONDS = 5.0
REQUESTS = Counter("gateway_requests_total", "Requests by model and status", ["model", "status"])
IN_FLIGHT = Gauge("gateway_in_flight", "Requests in flight", ["model", "replica"])

models = read_models(Path(os.environ.get("MODELS_FILE", "models.toml")))
pools = {name: Pool.of(model.replicas) for name, model in models.items()}
client = httpx.AsyncClient(timeout=httpx.Timeout(10.0, read=600.0))


async def probe_forever() -> None:
    while True:
        for name, pool in pools.items():
            for replica in pool.replicas:
                try:
                    answer = await client.get(f"{replica.url}/health", timeout=2.0)
                    pool.report(replica, answer.status_code == 200)
                except httpx.HTTPError:
                    pool.report(replica, False)
                IN_FLIGHT.labels(name, replica.url).set(replica.in_flight)
        await asyncio.sleep(PROBE_SECONDS)


@asynccontextmanager
async def lifespan(_: FastAPI):
    task = asyncio.create_task(probe_forever())
    yield
    task.cancel()
    await client.aclose()


app = FastAPI(lifespan=lifespan)


@app.get("/v1/models")
def list_models() -> dict:
    return {"object": "list", "data": [{"id": name, "object": "model"} for name in models]}


@app.get("/metrics")
def metrics() -> PlainTextResponse:
    return PlainTextResponse(generate_latest())


@app.post("/v1/{path:path}")
async def forward(path: str, request: Request) -> StreamingResponse:
    body = await request.json()
    name = body.get("model", "")
    if name not in pools:
        raise HTTPException(404, f"no model named {name!r}")
    body["model"] = models[name].weights
    return StreamingResponse(stream(name, path, body), media_type="text/event-stream")


async def stream(name: str, path: str, body: dict):
    pool = pools[name]
    try:
        with pool.lease() as replica:
            async with client.stream("POST", f"{replica.url}/v1/{path}", json=body) as answer:
                REQUESTS.labels(name, answer.status_code).inc()
                async for chunk in answer.aiter_raw():
                    yield chunk
    except NoReplica:
        REQUESTS.labels(name, 503).inc()
        yield b'data: {"error": "no replica is ready"}\n\n'
