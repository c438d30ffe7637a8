"""Entry point of the engine images: check, build the command, replace ourselves by it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import torch

from engine.command import command
from engine.gpu_check import GpuProblem, check
from gateway.config import ConfigError, read_models


def main() -> int:
    try:
        models = read_models(Path(os.environ.get("MODELS_FILE", "/etc/serving/models.toml")))
        model = models[os.environ["MODEL"]]
        report = check(model.gpus)
    except (ConfigError, KeyError, GpuProblem) as problem:
        print(f"engine: {problem}", file=sys.stderr)
        return 1
    print(f"engine: {report.count} GPUs, driver {report.driver}, torch {torch.__version__} ({torch.version.cuda})")
    torch.cuda.empty_cache()
    line = command(model, fp8_ok=report.fp8)
    os.execvp(line[0], line)


if __name__ == "__main__":
    sys.exit(main())
