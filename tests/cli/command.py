"""The command as a user calls it, and a small file to call it on."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from estimator.cli import cli

KERNEL = """#include <cuda_runtime.h>
__global__ void scale(float *x, float a) {
  float y = __shfl_xor_sync(0xffffffff, x[threadIdx.x], 1);
  x[threadIdx.x] = a * y;
}
void launch(float *x) { scale<<<1, 32>>>(x, 2.f); cudaDeviceSynchronize(); }
"""


def unwarp(*arguments: str | Path) -> Result:
    """Exit code, stdout and stderr of `unwarp` with these arguments, in this process."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="unwarp")
