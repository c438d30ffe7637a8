"""Draw files of real packages for reading by eye: stratified by kind of file, the same draw for the same seed.

    python benchmarks/sample_files.py FOLDER corpus/*.tar.gz

Writes the files below FOLDER, each under a number, and FOLDER/index.csv. Drawn from files that hold a CUDA token and
have at most 700 lines, since a person reads each of them twice; vendored and generated files are left out.
"""

from __future__ import annotations

import csv
import random
import re
import sys
from pathlib import Path

from estimator.sources import open_source
from estimator.sources.files import Owner

SEED = 20261130
STRATA = {"kernels": 12, "headers": 7, "host": 5, "python": 8, "build": 4, "deployment": 4}
TOKEN = re.compile(r"cuda|CUDA|__global__|nvidia|NVIDIA|nccl|NCCL|triton|cutlass|nvcc|cupy|numba", re.ASCII)
KINDS = (
    ("kernels", (".cu",)),
    ("headers", (".cuh", ".h", ".hpp", ".inl")),
    ("host", (".cpp", ".cc", ".c", ".cxx")),
    ("python", (".py", ".pyx", ".ipynb")),
    ("build", ("cmakelists.txt", ".cmake", "setup.py", "pyproject.toml", "makefile", ".mk", "requirements.txt")),
    ("deployment", ("dockerfile", ".yaml", ".yml", ".sh", ".sbatch")),
)


def kind_of(path: str) -> str:
    name = path.lower().rsplit("/", 1)[-1]
    if name in ("setup.py",) or "dockerfile" in name:
        return "build" if name == "setup.py" else "deployment"
    return next((kind for kind, ends in KINDS if name.endswith(ends)), "")


def main() -> None:
    folder = Path(sys.argv[1])
    pool: dict[str, list[tuple[str, str, str]]] = {kind: [] for kind in STRATA}
    for archive in sorted(sys.argv[2:]):
        for file in open_source(Path(archive)).files:
            kind = kind_of(file.path)
            fits = file.text.count("\n") <= 700 and TOKEN.search(file.text)
            if kind and fits and file.owner not in (Owner.VENDORED, Owner.GENERATED):
                pool[kind].append((Path(archive).name, file.path, file.text))
    chance = random.Random(SEED)
    folder.mkdir(parents=True, exist_ok=True)
    number = 0
    with (folder / "index.csv").open("w", encoding="utf-8", newline="") as index:
        rows = csv.writer(index)
        rows.writerow(("number", "kind", "archive", "path"))
        for kind, wanted in STRATA.items():
            for archive_name, path, text in chance.sample(sorted(pool[kind]), min(wanted, len(pool[kind]))):
                number += 1
                target = folder / f"{number:02d}" / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
                rows.writerow((f"{number:02d}", kind, archive_name, path))


if __name__ == "__main__":
    main()
