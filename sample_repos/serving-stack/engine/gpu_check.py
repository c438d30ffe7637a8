"""Looks at the GPUs before an engine starts: better a clear message now than a hang in the first all-reduce."""

from __future__ import annotations

from dataclasses import dataclass

import pynvml
import torch


class GpuProblem(Exception):
    """The node should be drained; the message says why."""


@dataclass(frozen=True)
class GpuReport:
    count: int
    free_gib: float
    driver: str
    fp8: bool


def check(wanted: int, min_free_gib: float = 70.0) -> GpuReport:
    if not torch.cuda.is_available():
        raise GpuProblem("PyTorch sees no GPU")
    count = torch.cuda.device_count()
    if count < wanted:
        raise GpuProblem(f"{wanted} GPUs wanted, {count} visible")
    free = min(torch.cuda.mem_get_info(i)[0] for i in range(wanted)) / 2**30
    if free < min_free_gib:
        raise GpuProblem(f"only {free:.1f} GiB free; is another engine still running?")
    return GpuReport(count, free, driver_version(wanted), supports_fp8())


def supports_fp8() -> bool:
    """fp8 KV cache needs Ada or Hopper."""
    return torch.cuda.get_device_capability() >= (8, 9)


def driver_version(count: int) -> str:
    """Version of the driver; raises GpuProblem on uncorrected memory errors."""
    pynvml.nvmlInit()
    try:
        for index in range(count):
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            errors = pynvml.nvmlDeviceGetTotalEccErrors(
                handle, pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, pynvml.NVML_VOLATILE_ECC
            )
            if errors:
                raise GpuProblem(f"GPU {index} has {errors} uncorrected memory errors")
        return str(pynvml.nvmlSystemGetDriverVersion())
    finally:
        pynvml.nvmlShutdown()
