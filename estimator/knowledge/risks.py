"""Risks: events that may come or not, apart from the range of the rows, from `heuristics/risks.toml`.

[wave-width-late]
title = "Errors of the wave width surface late, as wrong numbers"
any = { weights = ["warp.size32"], categories = ["warp-size"], libraries = ["NCCL"] }
                                        # it applies where debt of any of these is found; a star ends a beginning
at_least = 5                            # so many places at least; 1 by default
scenario = { hardware_access = ["unknown"] }   # optional: only with one of these answers
lanes = [64]                            # optional: only for targets whose wavefront has so many lanes
unless = ["no_hardware"]                # optional: not beside a multiplier that counts the same already
probability = { low = 0.15, likely = 0.3, high = 0.6 }
amd = { low = 8, likely = 24, high = 160 }     # hours if it comes; at least one of both options
triton-first = { low = 8, likely = 24, high = 160 }
share_of = ["retuning"]                 # optional: the figures are shares of the hours of these parts
mitigation = "…"
grade = "C"
source = "…"
why = "…"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from estimator.errors import did_you_mean, no_such, noted, raise_all, shown
from estimator.knowledge.fields import STRICT, Grade, ThreePoints, Words
from estimator.knowledge.rules import CATEGORIES
from estimator.knowledge.tables import check, read_tables
from estimator.knowledge.values import PARTS, Risk


class _Strict(BaseModel):
    model_config = STRICT


class _AnyTable(_Strict):
    weights: list[str] = []
    categories: list[str] = []
    libraries: list[str] = []

    @model_validator(mode="after")
    def _names_something(self) -> _AnyTable:
        if not (self.weights or self.categories or self.libraries):
            raise ValueError("names nothing; weights = ['*'] is any debt")
        return self


class _RiskTable(_Strict):
    title: Words
    any: _AnyTable
    at_least: Annotated[int, Field(ge=1)] = 1
    scenario: dict[str, list[bool | str]] = {}
    lanes: list[Literal[32, 64]] = []
    unless: list[str] = []
    probability: ThreePoints
    amd: ThreePoints | None = None
    triton_first: Annotated[ThreePoints | None, Field(alias="triton-first")] = None
    share_of: list[str] = []
    mitigation: Words
    grade: Grade
    source: Words
    why: Words

    @model_validator(mode="after")
    def _fits_together(self) -> _RiskTable:
        if self.probability.high > 1:
            raise ValueError(f"a probability is at most 1, not {self.probability.high:g}")
        if self.amd is None and self.triton_first is None:
            raise ValueError("hits no option; give 'amd' or 'triton-first'")
        for part in self.share_of:
            if part not in PARTS:
                raise ValueError(no_such("part", part, PARTS))
        return self


def load_risks(
    path: Path, weights: Iterable[str], libraries: Iterable[str], multipliers: Iterable[str]
) -> tuple[Risk, ...]:
    """The risks in the file's order. weights, libraries, multipliers: ids that may be named. All faults at once."""
    known = {"weights": tuple(weights), "categories": tuple(CATEGORIES), "libraries": tuple(libraries)}
    risks: list[Risk] = []
    faults: list[str] = []
    for key, entry in read_tables(path, "a risk is a table such as [no-peer]", faults):
        with noted(faults):
            table = check(path, key, _RiskTable, entry)
            risks.append(_risk(key, table))
            faults += (f"{path}: {key}.{fault}" for fault in _unknown(table, known, tuple(multipliers)))
    raise_all(faults)
    return tuple(risks)


def _risk(key: str, table: _RiskTable) -> Risk:
    hits = {"amd": table.amd, "triton-first": table.triton_first}
    return Risk(
        id=key,
        title=table.title,
        weights=tuple(table.any.weights),
        categories=tuple(table.any.categories),
        libraries=tuple(table.any.libraries),
        at_least=table.at_least,
        scenario={name: tuple(values) for name, values in table.scenario.items()},
        unless=tuple(table.unless),
        probability=table.probability.triple(),
        impact={option: hit.triple() for option, hit in hits.items() if hit is not None},
        share_of=tuple(table.share_of),
        mitigation=table.mitigation,
        grade=table.grade,
        source=table.source,
        why=table.why,
        lanes=tuple(table.lanes),
    )


def for_width(risks: Iterable[Risk], width: int) -> tuple[Risk, ...]:
    """The risks that a target of so many lanes can meet; 0, not known, counts as 64, as it does for the sites."""
    return tuple(risk for risk in risks if not risk.lanes or (width or 64) in risk.lanes)


def _unknown(table: _RiskTable, known: Mapping[str, tuple[str, ...]], multipliers: tuple[str, ...]) -> Iterator[str]:
    """Names that nothing has: a risk that can never apply is a slip of the pen."""
    for kind, names in known.items():
        for name in getattr(table.any, kind):
            beginning = name.removesuffix("*")
            if not any(one == name or (beginning != name and one.startswith(beginning)) for one in names):
                yield f"any.{kind}: nothing is called '{shown(name, 60)}'{did_you_mean(name, names)}"
    for name in table.unless:
        if name not in multipliers:
            yield f"unless: {no_such('multiplier', name, multipliers)}"
