"""Fetch the source distributions that the tool is measured on, by name, without ever building them.

    python benchmarks/corpus.py [--into FOLDER] [NAME ...]

The archives stay packed: `unwarp report FOLDER/name-1.0.tar.gz` reads them as they are. Nothing of them is
executed: pip would run a package's build code to learn its metadata, so the `benchmarks` extra's finder
is used, which only looks up the index that pip is configured for (its own default otherwise), downloads and
compares the index's checksum. What was fetched is written to FOLDER/fetched.csv.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import subprocess
import sys
from pathlib import Path

NAMES = (
    "vllm",
    "gsplat",
    "xgboost",
    "llama-cpp-python",
    "deepspeed",
    "xformers",
    "auto-gptq",
    "mamba-ssm",
    "flash-attn",
)
_COLUMNS = ("name", "version", "file", "bytes", "sha256")


def main() -> int:
    """Fetch all names; those the index has no source distribution of are said on stderr, exit code 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default: {', '.join(NAMES)}")
    parser.add_argument("--into", type=Path, default=Path("corpus"), metavar="FOLDER", help="default: corpus/")
    asked = parser.parse_args()
    asked.into.mkdir(parents=True, exist_ok=True)
    rows = [row for name in asked.names or NAMES if (row := fetch(name, asked.into)) is not None]
    with (asked.into / "fetched.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([_COLUMNS, *rows])
    return 0 if len(rows) == len(asked.names or NAMES) else 1


def fetch(name: str, folder: Path) -> tuple[str, str, str, int, str] | None:
    """The newest source distribution of one package as a file in `folder`; None if there is none.

    A file that is already there with the right checksum is not fetched again.
    """
    from unearth import PackageFinder

    finder = PackageFinder(index_urls=configured_indexes(), no_binary=[name], ignore_compatibility=True)
    best = finder.find_best_match(name).best
    if best is None or best.link.is_wheel:
        print(f"{name}: the index has no source distribution", file=sys.stderr)
        return None
    checksums = best.link.hash_option
    if not checksums or "sha256" not in checksums:
        print(f"{name}: the index gives no SHA-256 for {best.link.filename}; not fetched", file=sys.stderr)
        return None
    path = finder.download(best.link, folder, checksums)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest not in checksums["sha256"]:
        path.unlink()
        print(f"{name}: {best.link.filename} does not have the checksum that the index gives", file=sys.stderr)
        return None
    print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
    return name, str(best.version), path.name, path.stat().st_size, digest


def configured_indexes() -> list[str]:
    """The index that pip is configured for; none leaves the finder its default."""
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True, check=False
    )
    return asked.stdout.split() if asked.returncode == 0 else []


if __name__ == "__main__":
    sys.exit(main())
