"""Rebuild the prefill kernel for a grid of tile shapes and time each. Slow: one build per shape."""

import itertools
import pathlib
import re
import subprocess
import sys

CONFIG = pathlib.Path(__file__).parents[1] / "csrc" / "tile_config.cuh"
BLOCK_M, BLOCK_N = (64,), (32, 64, 128)
STAGES, MIN_BLOCKS = (2, 3), (1, 2)


def patched(text, dim, values):
    """The config with the constants of FwdTile<dim> replaced."""
    head, tail = text.split(f"struct FwdTile<{dim}>", 1)
    body, rest = tail.split("};", 1)
    for name, value in values.items():
        body = re.sub(rf"({name} = )\d+", rf"\g<1>{value}", body)
    return f"{head}struct FwdTile<{dim}>{body}}};{rest}"


def main():
    original = CONFIG.read_text()
    dim = int(sys.argv[1]) if len(sys.argv) > 1 else 128
    try:
        for m, n, stages, blocks in itertools.product(BLOCK_M, BLOCK_N, STAGES, MIN_BLOCKS):
            values = {"kBlockM": m, "kBlockN": n, "kStages": stages, "kMinBlocks": blocks}
            CONFIG.write_text(patched(original, dim, values))
            build = subprocess.run([sys.executable, "setup.py", "build_ext", "--inplace"], capture_output=True)
            if build.returncode:
                print(values, "does not build")
                continue
            bench = subprocess.run(
                [sys.executable, "benchmarks/bench_prefill.py", "--dim", str(dim)], capture_output=True, text=True
            )
            print(values, bench.stdout.strip().splitlines()[-1])
    finally:
        CONFIG.write_text(original)


if __name__ == "__main__":
    main()
