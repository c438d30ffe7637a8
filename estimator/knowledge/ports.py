"""Ports that happened, from `heuristics/ports.csv` or a file of one's own, and how they become a reference class.

A file of one's own needs three columns: `people`, `host_api_files`, `author_days`. `repo` names the row; the other
columns of the shipped file are read where they are there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from estimator.errors import EstimatorError, did_you_mean, no_such, noted, raise_all, shown
from estimator.knowledge.fields import STRICT, Grade, Words
from estimator.knowledge.tables import check, read_csv, read_toml
from estimator.knowledge.values import COUNTS, Port, ReferenceRule, Unpriced, Weight

NEEDED = ("people", "host_api_files", "author_days")
_MOST = 1_000_000  # of anything counted
MOST_FAULTS = 20  # of a file's rows, how many are named
FUNCTIONAL = ("functional_p10", "functional_p50", "functional_p90")

# As a feature: 1 where the ported source is kept as a layer of one's own or a copy, 0 where CUDA's names stay; absent
# where it is not established. benchmarks/truth/ports.csv holds the evidence for each shipped port.
OWN_LAYER = "own_layer"
_OWN_LAYERS = ("abstraction-layer", "duplicated-tree")

# Author-days or hours of a port: of nothing there is no ratio, and beyond is nobody's port.
_Time = Annotated[float, Field(ge=0.01, le=100_000, allow_inf_nan=False)]


class _Row(BaseModel):
    """A row whose empty cells were left out; counts and the strategy are checked in `_cell_faults`."""

    model_config = ConfigDict(extra="ignore")

    repo: str = ""
    author_days: _Time
    people: Annotated[int, Field(ge=1, le=_MOST)] | None = None
    kind: str = "functional"
    strategy: str = ""
    counted: Literal["yes", "no"] = "yes"
    source: str = ""
    functional_p10: _Time | None = None
    functional_p50: _Time | None = None
    functional_p90: _Time | None = None

    @model_validator(mode="after")
    def _rises(self) -> _Row:
        points = [getattr(self, name) for name in FUNCTIONAL]
        if any(point is None for point in points) != all(point is None for point in points):
            raise ValueError(f"{', '.join(FUNCTIONAL)} belong together")
        if points[0] is not None and points != sorted(points):
            raise ValueError(f"{', '.join(FUNCTIONAL)} must rise")
        return self


def load_ports(path: Path, strategies: Collection[str]) -> tuple[Port, ...]:
    """The ports in the order of the file; an empty cell is a figure that nobody established.

    strategies: ids that a row may name.
    Raises EstimatorError with the faults of the file, one a line: file, row, column, what is wrong; see `faulty`. A
    row that counts needs all of NEEDED.
    """
    ports: list[Port] = []
    faults: list[str] = []
    rows = read_csv(path, NEEDED)
    for number, row in enumerate(rows, start=1):
        if len(faults) >= MOST_FAULTS:
            raise faulty(path, faults, len(rows) - number + 1)
        where = f"row {number}" + (f" ({shown(row['repo'], 60)})" if row.get("repo") else "")
        with noted(faults):
            ports.append(_port(path, where, row, strategies))
    if faults:
        raise faulty(path, faults)
    return tuple(ports)


def faulty(path: Path, faults: Sequence[str], unread: int = 0) -> EstimatorError:
    """The faults of a file's rows: the first MOST_FAULTS, then how many more, and how many rows weren't looked at."""
    more = len(faults) - MOST_FAULTS
    told = [*faults[:MOST_FAULTS]]
    if more > 0:
        told.append(f"{path}: … and {more:,} more")
    if unread:
        told.append(f"{path}: … and {unread:,} more rows, not looked at")
    return EstimatorError("\n".join(told))


def _port(path: Path, where: str, row: Mapping[str, Any], strategies: Collection[str]) -> Port:
    cells = {name: text.strip() for name, text in row.items() if isinstance(text, str) and text.strip()}
    faults = [f"{path}: {where}.{fault}" for fault in _cell_faults(cells, strategies)]
    try:
        table = check(path, where, _Row, cells)
    except EstimatorError as error:
        raise EstimatorError("\n".join((str(error), *faults))) from None
    missing = [name for name in NEEDED if name not in cells]
    if table.counted == "yes" and missing:
        faults.append(f"{path}: {where}: {', '.join(missing)}: missing in a row that counts")
    raise_all(faults)
    low, middle, high = table.functional_p10, table.functional_p50, table.functional_p90
    return Port(
        repo=table.repo or where,
        author_days=table.author_days,
        counts={name: float(cells[name]) for name in COUNTS if name in cells} | _of_strategy(table.strategy),
        kind=table.kind,
        strategy=table.strategy,
        counted=table.counted == "yes",
        functional=None if low is None or middle is None or high is None else (low, middle, high),
        source=table.source,
    )


def _of_strategy(strategy: str) -> dict[str, float]:
    return {OWN_LAYER: float(strategy in _OWN_LAYERS)} if strategy else {}


def _cell_faults(cells: Mapping[str, str], strategies: Collection[str]) -> Iterator[str]:
    """What is no whole number from 0 on, then an unknown strategy; people are judged with the rest of the row."""
    for name in COUNTS:
        text = cells.get(name, "0")
        if name != "people" and not (text.isascii() and text.isdigit() and len(text) < 10):
            yield f"{name}: must be a whole number from 0 on (given: '{shown(text, 60)}')"
    if (asked := cells.get("strategy")) and asked not in strategies:
        yield f"strategy: {no_such('strategy', asked, strategies)}; one of {', '.join(strategies)}"


class _RuleTable(BaseModel):
    model_config = STRICT

    features: Annotated[list[str], Field(min_length=1, max_length=3)]
    searched: list[str]
    shrinkage: Annotated[float, Field(ge=0)]
    ports_seen: Annotated[int, Field(ge=1)]
    days_least: Annotated[float, Field(ge=0)]
    days_most: Annotated[float, Field(gt=0)]
    fade: Annotated[float, Field(gt=1)]
    weight_least: Annotated[float, Field(gt=0, lt=1)]
    unlike: list[str]
    blend_title: Words
    blend_grade: Grade
    source: Words

    @model_validator(mode="after")
    def _counted(self) -> _RuleTable:
        for name in (*self.features, *self.searched):
            if name not in (*COUNTS, OWN_LAYER):
                raise ValueError(f"no column '{shown(name, 60)}' of counts in ports.csv{did_you_mean(name, COUNTS)}")
        return self


def load_reference_rule(path: Path, weights: Mapping[str, Weight | Unpriced] | Collection[str]) -> ReferenceRule:
    """The rule. Raises EstimatorError with all faults of the file, one a line."""
    table = check(path, "", _RuleTable, read_toml(path))
    unknown = (key for key in table.unlike if key not in weights)
    raise_all([f"{path}: unlike: {no_such('weight class', key, weights)}" for key in unknown])
    return ReferenceRule(
        features=tuple(table.features),
        searched=tuple(table.searched),
        shrinkage=table.shrinkage,
        ports_seen=table.ports_seen,
        days_least=table.days_least,
        days_most=table.days_most,
        unlike=tuple(table.unlike),
        fade=table.fade,
        weight_least=table.weight_least,
        blend_title=table.blend_title,
        blend_grade=table.blend_grade,
        source=table.source,
    )
