"""GPU targets: `targets.csv`, one row a product."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from estimator.errors import raise_all
from estimator.knowledge.tables import read_rows
from estimator.knowledge.values import GpuTarget
from estimator.knowledge.versions import key_of

COLUMNS = (
    "vendor",
    "target",
    "products",
    "warp_or_wavefront_size",
    "memory_gib",
    "bandwidth_tbs",
    "first_rocm",
    "note",
    "source",
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MODEL = re.compile(r"[a-z]+\d+\w*|\d{4}\w*")  # a word that tells products apart: "mi300x", "h100", "7900"


def load_targets(path: Path) -> tuple[GpuTarget, ...]:
    """All rows in the order of the file. width is 0 where it is not established. All faults are one EstimatorError."""
    targets: list[GpuTarget] = []
    faults: list[str] = []
    for cells in read_rows(path, COLUMNS, "target", f"{len(COLUMNS)} cells with a target", faults):
        vendor, target, products, width, memory, bandwidth, first, note, source = cells
        lanes = int(width) if width.isdecimal() else 0
        targets.append(GpuTarget(vendor, target, products, lanes, memory, source, bandwidth, first, note))
        faults += (f"{path}: {target}: {fault}" for fault in _faults(width, targets))
    raise_all(faults)
    return tuple(targets)


def _faults(width: str, targets: list[GpuTarget]) -> Iterator[str]:
    """What is wrong with the newest of the targets. width: as it is written."""
    newest = targets[-1]
    if width and not width.isdecimal():
        yield f"the width '{width}' is not a whole number"
    if newest.first_rocm and key_of(newest.first_rocm) is None:
        yield f"first_rocm '{newest.first_rocm}' is no release"
    if any(one.first_rocm != newest.first_rocm for one in targets if one.target == newest.target):
        yield "its rows name different first releases of ROCm"


def width_of(target: str, targets: Iterable[GpuTarget]) -> int:
    """Lanes of a wavefront or warp of a target such as "gfx942"; 0 where it is not known."""
    return next((row.width for row in targets if row.target == target), 0)


def memory_of(target: str, targets: Iterable[GpuTarget]) -> float | None:
    """GiB of the largest device of a target, which may name several products; None where it is not established."""
    named = [number for row in targets if row.target == target for number in _NUMBER.findall(row.memory_gib)]
    return max(map(float, named), default=None)


def first_rocm_of(target: str, targets: Iterable[GpuTarget]) -> str:
    """The earliest ROCm release that lists a target; "" where it is not established."""
    return next((row.first_rocm for row in targets if row.target == target), "")


def targets_named(name: str, targets: Iterable[GpuTarget]) -> tuple[str, ...]:
    """The targets that a target's own name or a product's may mean, each once: "MI300X" gives gfx942.

    A product may be cut short to words that stand beside each other, one of which tells products apart; a name that
    is written in full means no other product: "RX 7900 XT" is not the "XTX".
    """
    whole, words, rows = name.casefold(), name.casefold().split(), tuple(targets)
    found = [row.target for row in rows if whole in (row.target.casefold(), row.products.casefold())]
    if not words or (not found and not any(_MODEL.fullmatch(word) for word in words)):
        return ()
    found = found or [row.target for row in rows if _holds(row.products.casefold().split(), words)]
    return tuple(dict.fromkeys(found))


def _holds(product: list[str], words: list[str]) -> bool:
    """Whether words stand beside each other in the name of a product."""
    starts = range(len(product) - len(words) + 1)
    return any(product[start : start + len(words)] == words for start in starts)
