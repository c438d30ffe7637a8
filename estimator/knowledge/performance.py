"""Measured speed of Triton against CUDA, and speed at risk without re-tuning: `heuristics/performance.csv`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from estimator.errors import did_you_mean, raise_all
from estimator.knowledge.tables import read_csv
from estimator.knowledge.values import Performance

_POINTS = ("low", "likely", "high")
_TRIPLES = ("triton", "cuda_risk", "triton_risk")
COLUMNS = ("weight", *(f"{name}_{point}" for name in _TRIPLES for point in _POINTS), "source")


def load_performance(path: Path, classes: Collection[str] = ()) -> Mapping[str, Performance]:
    """Rows by weight class. classes: ids that a row may name; none means that any may.

    Raises EstimatorError with all faults of the file, one a line: file, row, what is wrong.
    """
    faults: list[str] = []
    rows: dict[str, Performance] = {}
    for row in read_csv(path, COLUMNS):
        key = row["weight"]
        if key in rows:
            faults.append(f"{path}: {key}: stands there twice")
        if classes and key not in classes:
            faults.append(f"{path}: {key}: no weight class of this name{did_you_mean(key, classes)}")
        if not row["source"]:
            faults.append(f"{path}: {key}: the source is missing")
        try:
            speed, risk_cuda, risk_triton = (_triple(row, name) for name in _TRIPLES)
        except ValueError as error:
            faults.append(f"{path}: {key}: {error}")
            continue
        rows[key] = Performance(key, speed, risk_cuda, risk_triton, row["source"])
    raise_all(faults)
    return rows


def _triple(row: Mapping[str, str], name: str) -> tuple[float, float, float]:
    low, likely, high = (_number(row, f"{name}_{point}") for point in _POINTS)
    if not low <= likely <= high:
        raise ValueError(f"{name}: low <= likely <= high must hold, not {low}, {likely}, {high}")
    least, most = (0.0, 0.99) if name.endswith("risk") else (0.01, 100.0)
    if not least <= low <= high <= most:
        raise ValueError(f"{name}: must lie between {least:g} and {most:g}, not {low}, {likely}, {high}")
    return low, likely, high


def _number(row: Mapping[str, str], column: str) -> float:
    try:
        return float(row[column])
    except (TypeError, ValueError):
        raise ValueError(f"{column}: not a number: '{row[column]}'") from None
