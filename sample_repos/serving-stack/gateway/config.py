"""models.toml as values."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ENGINES = ("vllm", "sglang")


class ConfigError(Exception):
    """models.toml is wrong; the message names the model and the field."""


@dataclass(frozen=True)
class Model:
    name: str
    engine: str
    weights: str
    gpus: int
    dtype: str
    kv_cache: str
    max_len: int
    block_size: int
    replicas: tuple[str, ...]


def read_models(path: Path) -> dict[str, Model]:
    with path.open("rb") as file:
        raw = tomllib.load(file)
    models = {name: _model(name, table) for name, table in raw.items()}
    if not models:
        raise ConfigError(f"{path}: no models")
    return models


def _model(name: str, table: dict) -> Model:
    try:
        model = Model(name=name, **{**table, "replicas": tuple(table["replicas"])})
    except (KeyError, TypeError) as error:
        raise ConfigError(f"{name}: {error}") from error
    if model.engine not in ENGINES:
        raise ConfigError(f"{name}: engine must be one of {', '.join(ENGINES)}, not {model.engine!r}")
    if model.gpus not in (1, 2, 4, 8):
        raise ConfigError(f"{name}: gpus must be 1, 2, 4 or 8, not {model.gpus}")
    if not model.replicas:
        raise ConfigError(f"{name}: no replicas")
    return model
