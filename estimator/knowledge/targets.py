"""GPU targets: `targets.csv`, one row a product."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from estimator.errors import EstimatorError
from estimator.knowledge.tables import read_csv
from estimator.knowledge.values import GpuTarget

COLUMNS = ("vendor", "target", "products", "warp_or_wavefront_size", "memory_gib", "bandwidth_tbs", "source")


def load_targets(path: Path) -> tuple[GpuTarget, ...]:
    """All rows in the order of the file. width is 0 where it is not established."""
    targets = []
    faults = []
    for row in read_csv(path, COLUMNS):
        width = row["warp_or_wavefront_size"]
        if any(cell is None for cell in row.values()) or not row["target"]:
            faults.append(f"{path}: row '{row['target']}': {len(COLUMNS)} cells with a target are needed")
        elif width and not width.isdecimal():
            faults.append(f"{path}: {row['target']}: the width '{width}' is not a whole number")
        else:
            memory, source = row["memory_gib"], row["source"]
            targets.append(GpuTarget(row["vendor"], row["target"], row["products"], int(width or 0), memory, source))
    if faults:
        raise EstimatorError("\n".join(faults))
    return tuple(targets)


def width_of(target: str, targets: Iterable[GpuTarget]) -> int:
    """Lanes of a wavefront or warp of a target such as "gfx942"; 0 where it is not known."""
    return next((row.width for row in targets if row.target == target), 0)


def memory_of(target: str, targets: Iterable[GpuTarget]) -> float | None:
    """GiB of the largest card of a target, which may name several products; None where it is not established."""
    named = [number for row in targets if row.target == target for number in re.findall(r"\d+", row.memory_gib)]
    return max(map(float, named), default=None)
