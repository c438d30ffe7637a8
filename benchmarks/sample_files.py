"""Draw files of real packages for reading by eye: stratified by kind of file, the same draw for the same seed.

    python benchmarks/sample_files.py SEED FOLDER corpus/*.tar.gz

Writes the files below FOLDER, each under a number, and FOLDER/index.csv. Drawn from files that hold a CUDA token and
have at most 700 lines, since a person reads each of them twice; vendored and generated files are left out. Within a
kind the packages take turns, so that the largest of them does not fill the draw; what truth/ already names is not
drawn again.
"""

from __future__ import annotations

import csv
import random
import re
import sys
from pathlib import Path

from estimator.sources import open_source
from estimator.sources.files import SET_APART

TRUTH = Path(__file__).with_name("truth")
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


def draw(pool: dict[str, list[str]], wanted: int, chance: random.Random) -> list[tuple[str, str]]:
    """`wanted` pairs of archive and path; the archives, in random order, give one file each until it is full."""
    order = chance.sample(sorted(pool), len(pool))
    files = {archive: chance.sample(sorted(pool[archive]), len(pool[archive])) for archive in order}
    turns = [
        (archive, files[archive][turn])
        for turn in range(max(map(len, files.values()), default=0))
        for archive in order
        if turn < len(files[archive])
    ]
    return turns[:wanted]


def main() -> None:
    chance, folder = random.Random(int(sys.argv[1])), Path(sys.argv[2])
    with (TRUTH / "read_by_eye_files.csv").open(encoding="utf-8") as file:
        known = {(row["package"], row["path"]) for row in csv.DictReader(file)}
    texts: dict[tuple[str, str], str] = {}
    pools: dict[str, dict[str, list[str]]] = {kind: {} for kind in STRATA}
    for archive in sorted(map(Path, sys.argv[3:])):
        package = archive.name.removesuffix(".tar.gz")
        for one in open_source(archive).files:
            kind = kind_of(one.path)
            fits = one.text.count("\n") <= 700 and TOKEN.search(one.text)
            own = one.owner not in SET_APART
            if kind and fits and own and (package, one.path) not in known:
                pools[kind].setdefault(package, []).append(one.path)
                texts[package, one.path] = one.text
    drawn = [(kind, *pair) for kind, wanted in STRATA.items() for pair in draw(pools[kind], wanted, chance)]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "index.csv").open("w", encoding="utf-8", newline="") as index:
        rows = csv.writer(index)
        rows.writerow(("number", "kind", "package", "path"))
        for number, (kind, package, path) in enumerate(drawn, 1):
            target = folder / f"{number:02d}" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(texts[package, path], encoding="utf-8")
            rows.writerow((f"{number:02d}", kind, package, path))


if __name__ == "__main__":
    main()
