"""Porting strategies: how the source is kept once it runs on AMD, from `heuristics/strategies.toml`.

[alias-header]
title = "One alias header"
what = "…"                              # what is done, in a sentence
keeps = "one source"                    # or "two sources"
part = "conversion"                     # where its hours stand
phase = "runs"
price = [                               # hours beyond the rows of the weights; none of them is lawful
    { per = "repository", low = 0, likely = 2, high = 8, host = "python" },
]                                       # per: "repository" or a count of ports.csv, cuda_lines in thousands
                                        # host: only for the share of host code in "python" or "cpp"; all without it
upkeep = { low = 0.2, likely = 0.5, high = 1 }   # optional: share, a year, of the hours but set-up, learning
unfit = [                               # optional: not proposed beyond any of these
    { weights = ["runtime.no_equiv"], most = 30, why = "{figure} … {most}" },   # distinct symbols of debt
    { count = "cuda_lines", most = 40000, why = "{figure} …" },                 # or a count, in units
]
grade = "C"
source = "…"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from estimator.errors import did_you_mean, no_such, noted, raise_all, shown
from estimator.knowledge.fields import STRICT, Grade, ThreePoints, Words
from estimator.knowledge.tables import check, read_tables
from estimator.knowledge.values import COUNTS, PARTS, Strategy, StrategyCharge, Unfit

ONCE = "repository"
PREFIX = "strategy."  # of the row that a strategy becomes
THOUSANDS = ("cuda_lines",)  # priced by the thousand
FOUND = tuple(name for name in COUNTS if name not in ("people", "lines"))  # what is counted in the findings


class _Strict(BaseModel):
    model_config = STRICT


class _ChargeTable(ThreePoints):
    per: str
    host: Literal["", "python", "cpp"] = ""

    @model_validator(mode="after")
    def _is_counted(self) -> _ChargeTable:
        if self.per not in (ONCE, *FOUND):
            raise ValueError(f"nothing is counted as '{shown(self.per, 60)}'{did_you_mean(self.per, (ONCE, *FOUND))}")
        return self


class _UnfitTable(_Strict):
    count: str = ""
    weights: list[str] = []
    most: Annotated[float, Field(ge=0)]
    why: Words

    @model_validator(mode="after")
    def _counts_one_thing(self) -> _UnfitTable:
        if bool(self.count) == bool(self.weights):
            raise ValueError("counts one thing; give 'count' or 'weights'")
        if self.count and self.count not in FOUND:
            raise ValueError(f"nothing is counted as '{shown(self.count, 60)}'{did_you_mean(self.count, FOUND)}")
        return self


class _StrategyTable(_Strict):
    title: Words
    what: Words
    keeps: Literal["one source", "two sources"]
    part: str
    phase: Literal["runs", "right", "fast"]
    price: list[_ChargeTable]
    upkeep: ThreePoints | None = None
    unfit: list[_UnfitTable] = []
    grade: Grade
    source: Words

    @model_validator(mode="after")
    def _stands_somewhere(self) -> _StrategyTable:
        if self.part not in PARTS:
            raise ValueError(no_such("part", self.part, PARTS))
        return self


def load_strategies(path: Path, weights: Iterable[str] | None = None) -> tuple[Strategy, ...]:
    """The strategies in the file's order; all faults at once. weights: ids that may be named, None to let them be."""
    known = None if weights is None else tuple(weights)
    strategies: list[Strategy] = []
    faults: list[str] = []
    for key, entry in read_tables(path, "a strategy is a table, as [alias-header]", faults):
        with noted(faults):
            strategies.append(_strategy(key, check(path, key, _StrategyTable, entry)))
            faults += (f"{path}: {key}.unfit: {fault}" for fault in _unknown(strategies[-1], known))
    raise_all(faults)
    return tuple(strategies)


def _strategy(key: str, table: _StrategyTable) -> Strategy:
    return Strategy(
        id=key,
        title=table.title,
        what=table.what,
        keeps=table.keeps,
        part=table.part,
        phase=table.phase,
        price=tuple(StrategyCharge(one.per, one.hours(), one.host) for one in table.price),
        upkeep=table.upkeep.triple() if table.upkeep else None,
        unfit=tuple(Unfit(one.count, tuple(one.weights), one.most, one.why) for one in table.unfit),
        grade=table.grade,
        source=table.source,
    )


def _unknown(strategy: Strategy, known: tuple[str, ...] | None) -> Iterator[str]:
    """Weights that conditions name and that don't exist; none where the weights are not known."""
    if known is None:
        return
    for name in (name for one in strategy.unfit for name in one.weights):
        if name not in known:
            yield no_such("weight class", name, known)
