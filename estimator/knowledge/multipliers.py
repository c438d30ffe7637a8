"""Multipliers: what makes a programme dearer as a whole, from `heuristics/multipliers.toml`.

[bounds]                                # what a scenario may give instead
least = 0.15
most = 5

[multipliers.no_hardware]               # off until a scenario switches it on, by this name
title = "No daily target hardware"
factor = { low = 1.3, likely = 1.65, high = 2 }
parts = ["remediation", "kernels"]      # it scales the rows of these parts
weights = ["perf.retune"]               # and these rows; at least one of both
on = { hardware_access = [false] }      # optional: answers of the scenario that switch it on
grade = "C"
source = "…"
why = "…"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from estimator.errors import no_such, noted, raise_all
from estimator.knowledge.fields import STRICT, Grade, ThreePoints, Words
from estimator.knowledge.tables import check, read_toml
from estimator.knowledge.values import PARTS, Multiplier, Multipliers, Unpriced, Weight

_Factor = Annotated[float, Field(gt=0, le=100)]


class _Strict(BaseModel):
    model_config = STRICT


class _BoundsTable(_Strict):
    least: _Factor
    most: _Factor

    @model_validator(mode="after")
    def _rises(self) -> _BoundsTable:
        if not self.least <= 1 <= self.most:
            raise ValueError("1 must lie between least and most")
        return self


class _MultiplierTable(_Strict):
    title: Words
    factor: ThreePoints
    parts: list[str] = []
    weights: list[str] = []
    on: dict[str, list[bool | str]] = {}
    grade: Grade
    source: Words
    why: Words

    @model_validator(mode="after")
    def _acts_on_something(self) -> _MultiplierTable:
        for part in self.parts:
            if part not in PARTS:
                raise ValueError(no_such("part", part, PARTS))
        if not self.parts and not self.weights:
            raise ValueError("acts on nothing; name 'parts' or 'weights'")
        return self


class _File(_Strict):
    bounds: _BoundsTable
    multipliers: dict[Annotated[str, Field(pattern=r"^[a-z0-9_]+$")], dict[str, Any]]


def load_multipliers(path: Path, weights: Mapping[str, Weight | Unpriced] | None = None) -> Multipliers:
    """The multipliers by id, in the order of the file; all faults at once. weights: where names are looked up."""
    table = check(path, "", _File, read_toml(path))
    known: dict[str, Multiplier] = {}
    faults: list[str] = []
    for key, entry in table.multipliers.items():
        with noted(faults):
            known[key] = _multiplier(key, check(path, f"multipliers.{key}", _MultiplierTable, entry))
    faults += _out_of_bounds(path, known, table.bounds)
    if weights is not None:
        faults += _dangling(path, known, weights)
    raise_all(faults)
    return Multipliers(known, table.bounds.least, table.bounds.most)


def _multiplier(key: str, table: _MultiplierTable) -> Multiplier:
    return Multiplier(
        id=key,
        title=table.title,
        factor=table.factor.triple(),
        parts=tuple(table.parts),
        weights=tuple(table.weights),
        on={name: tuple(values) for name, values in table.on.items()},
        grade=table.grade,
        source=table.source,
        why=table.why,
    )


def _out_of_bounds(path: Path, known: Mapping[str, Multiplier], bounds: _BoundsTable) -> Iterator[str]:
    for one in known.values():
        if not bounds.least <= one.factor.low <= one.factor.high <= bounds.most:
            yield f"{path}: multipliers.{one.id}.factor: lies outside {bounds.least:g} to {bounds.most:g}"


def _dangling(path: Path, known: Mapping[str, Multiplier], weights: Mapping[str, Weight | Unpriced]) -> Iterator[str]:
    for one in known.values():
        for name in one.weights:
            if name not in weights:
                yield f"{path}: multipliers.{one.id}.weights: {no_such('weight class', name, weights)}"
