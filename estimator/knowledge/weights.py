"""Weights: what a class of findings costs, from `heuristics/weights/default.toml` and a team's overlay.

A weight:

    [warp.primitive]
    title = "Warp primitives (shuffles, syncwarp, reduce, tile operations)"
    part = "remediation"                             # one of PARTS
    phase = "right"                                  # runs, right, fast; "" for upkeep
    unit = "call site"                               # the unit in words
    per = "site"                                     # how units are counted, one of PER
    amd = { low = 0.05, likely = 0.15, high = 1 }    # hours for the first unit
    triton-first = { low = 0, likely = 0, high = 0.25 }
    repeat = { to_10 = 0.25, after = 0.1 }           # share of the first for units 2 to 10 and each after
    grade = { amd = "B", triton-first = "C" }        # A measured, B published, C judgement
    charged_with = ["lib.npp.symbol"]                # optional: rows charged because of other rows
    done_by = "amd-build"                            # optional: what shows in the tree where it was done already
    feature = "bf16"                                 # optional, per kernel: those with a feature, of any class
    host = "leaves"                                  # optional: what moving host code to Python does to it
    most = 50                                        # optional: likely hours by amd at which the row stops growing
    source = "…"
    why = "…"

    [communication]
    unpriced = "no effort figure found"

An overlay replaces whole tables or single keys; it can't add classes, since no rule would name them. One that was
fitted to finished work says so in a table that is no class:

    [calibrated]
    rows = 4
    origin = "actuals.csv"
    option = "amd"
    parts = ["kernels", "libraries"]                 # whose weights moved
    assessed = "2026-11-30"                          # date of the assessment that was compared
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from estimator.errors import EstimatorError, no_such, noted, raise_all, shown
from estimator.knowledge.fields import STRICT, Grade, ThreePoints, Words
from estimator.knowledge.tables import check, read_toml
from estimator.knowledge.values import PARTS as PRICED_PARTS
from estimator.knowledge.values import Calibrated, Repeat, Unpriced, Weight

Table = dict[str, Any]

PARTS = (*PRICED_PARTS, "upkeep")

PER: Mapping[str, str] = {
    "symbol": "each distinct symbol is a first; its further sites are repeats",
    "pattern": "each distinct instruction pattern is a first; its further sites are repeats",
    "function": "each distinct enclosing function is a first; its further sites are repeats",
    "site": "all sites are one series",
    "file": "all distinct files are one series",
    "place": "all distinct enclosing functions are one series",
    "name": "all distinct symbols are one series",
    "dependency": "all distinct packages are one series",
    "component": "all distinct components are one series",
    "kernel": "all kernels of the class are one series; with feature, all that have it; with charged_with = ['*'], all",
    "hot-kernel": "the share of kernels that decides the speed, by units.toml",
    "kloc": "thousand lines of the files that hold CUDA",
    "review": "thousand changed lines",
    "repository": "once",
    "programme": "once for all repositories that move together; repeat says what each further one costs",
    "engineer": "people on the port, by units.toml or the scenario; they learn once for all repositories",
    "year": "share of the one-off hours without set-up and learning a year",
}

ONCE = ("repository", "programme", "engineer")
COUNTED = ("kloc", "review", "hot-kernel", "year")


class _Strict(BaseModel):
    model_config = STRICT


class _RepeatTable(_Strict):
    to_10: Annotated[float, Field(ge=0, le=1)]
    after: Annotated[float, Field(ge=0, le=1)]

    @model_validator(mode="after")
    def _does_not_rise(self) -> _RepeatTable:
        if self.after > self.to_10:
            raise ValueError(f"shares must not rise: after = {self.after} is more than to_10 = {self.to_10}")
        return self


class _GradeTable(_Strict):
    amd: Grade
    triton_first: Annotated[Grade, Field(alias="triton-first")]


class _WeightTable(_Strict):
    title: Words
    part: str
    phase: Literal["runs", "right", "fast", ""]
    unit: Words
    per: str
    amd: ThreePoints
    triton_first: Annotated[ThreePoints, Field(alias="triton-first")]
    repeat: _RepeatTable
    grade: _GradeTable
    charged_with: list[str] = []
    done_by: Literal["", "amd-build"] = ""
    host: Literal["", "leaves", "blends"] = ""
    feature: str = ""
    most: Annotated[float, Field(ge=0)] = 0
    source: Words
    why: Words

    @model_validator(mode="after")
    def _fits_together(self) -> _WeightTable:
        if self.part not in PARTS:
            raise ValueError(no_such("part", self.part, PARTS))
        if self.per not in PER:
            raise ValueError(no_such("way of counting", self.per, PER))
        if (self.part == "upkeep") != (self.per == "year"):
            raise ValueError("part 'upkeep' and per 'year' belong together")
        if (self.part == "upkeep") != (self.phase == ""):
            raise ValueError("every part but 'upkeep' has a phase: runs, right or fast")
        if self.feature and self.per != "kernel":
            raise ValueError(f"a row for kernels with a feature is per 'kernel', not per '{self.per}'")
        if self.done_by and self.per not in ONCE:
            raise ValueError(f"'done_by' is for rows that come once, not for one per '{self.per}'")
        if self.per in ONCE and not self.charged_with:
            raise ValueError(f"a row per {self.per} needs 'charged_with': the weights that bring it, or ['*']")
        if self.most and (self.per in (*ONCE, *COUNTED) or self.most < self.amd.likely or not self.amd.likely):
            raise ValueError("'most' ends a row of places, and is no less than the likely hours of its first by amd")
        return self


class _UnpricedTable(_Strict):
    unpriced: Words


class _CalibratedTable(_Strict):
    rows: Annotated[int, Field(ge=1)]
    origin: str
    option: Literal["amd", "triton-first"]
    parts: Annotated[list[str], Field(min_length=1)]
    assessed: str = ""

    @model_validator(mode="after")
    def _parts_exist(self) -> _CalibratedTable:
        for part in self.parts:
            if part not in PRICED_PARTS:
                raise ValueError(no_such("part", part, PRICED_PARTS))
        return self


_CALIBRATED = "calibrated"
_KEYS = frozenset(("unpriced", *(field.alias or name for name, field in _WeightTable.model_fields.items())))


def load_weights(default: Path, overlay: Path | None) -> Mapping[str, Weight | Unpriced]:
    """All classes by id, in the order of the default file, with a team's overlay laid over it.

    Raises EstimatorError with all faults of both files, one a line: file, class and key, what is wrong.
    """
    tables = dict(_classes(read_toml(default), frozenset()))
    origin = dict.fromkeys(tables, default)
    faults: list[str] = []
    if overlay is not None:
        faults += _lay_over(tables, origin, overlay)
    weights: dict[str, Weight | Unpriced] = {}
    for key, table in tables.items():
        with noted(faults):
            weights[key] = _weight(origin[key], key, table)
    faults += _dangling(weights, frozenset(tables), origin)
    raise_all(faults)
    if not weights:
        raise EstimatorError(f"{default}: no weight classes; a class is a table such as [warp.primitive]")
    return weights


def load_calibrated(overlay: Path) -> Calibrated | None:
    """The finished work that an overlay says it was fitted to; None where it says nothing."""
    table = read_toml(overlay).get(_CALIBRATED)
    if table is None:
        return None
    if not isinstance(table, dict):
        raise EstimatorError(f"{overlay}: {_CALIBRATED}: must be a table such as `unwarp calibrate` writes")
    told = check(overlay, _CALIBRATED, _CalibratedTable, table)
    return Calibrated(told.rows, told.origin, told.option, tuple(told.parts), told.assessed)


def _classes(table: Table, known: frozenset[str], prefix: str = "") -> Iterator[tuple[str, Table]]:
    """The classes of a file: dotted table names are folders until a table holds keys of a weight.

    known: ids that are classes whatever they hold, so that a misspelt key isn't taken for a folder.
    """
    for name, value in table.items():
        key = f"{prefix}{name}"
        if not isinstance(value, dict):
            yield key, {"": value}
        elif key in known or not value or _KEYS & value.keys() or not all(isinstance(v, dict) for v in value.values()):
            yield key, value
        else:
            yield from _classes(value, known, f"{key}.")


def _lay_over(tables: dict[str, Table], origin: dict[str, Path], overlay: Path) -> list[str]:
    """Change tables and their origin in place by the overlay; gives its faults."""
    faults = []
    changes = {name: value for name, value in read_toml(overlay).items() if name != _CALIBRATED}
    for key, change in _classes(changes, frozenset(tables)):
        if key not in tables:
            faults.append(f"{overlay}: {no_such('weight class', key, tables)}")
            continue
        base = tables[key]
        replaces = "unpriced" in change or "unpriced" in base
        tables[key] = dict(change) if replaces else _merged(base, change)
        origin[key] = overlay
    return faults


def _merged(base: Table, change: Table) -> Table:
    result = dict(base)
    for key, value in change.items():
        old = result.get(key)
        result[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def _weight(path: Path, key: str, table: Table) -> Weight | Unpriced:
    if "" in table:
        raise EstimatorError(
            f"{path}: {shown(key, 60)}: stands outside a table; a class is a table such as [warp.primitive]"
        )
    if "unpriced" in table:
        return Unpriced(key, check(path, key, _UnpricedTable, table).unpriced)
    model = check(path, key, _WeightTable, table)
    return Weight(
        id=key,
        title=model.title,
        part=model.part,
        phase=model.phase,
        unit=model.unit,
        per=model.per,
        hours={"amd": model.amd.hours(), "triton-first": model.triton_first.hours()},
        repeat=Repeat(model.repeat.to_10, model.repeat.after),
        grade={"amd": model.grade.amd, "triton-first": model.grade.triton_first},
        charged_with=tuple(model.charged_with),
        done_by=model.done_by,
        source=model.source,
        why=model.why,
        host=model.host,
        feature=model.feature,
        most=model.most,
    )


def _dangling(
    weights: Mapping[str, Weight | Unpriced], known: frozenset[str], origin: Mapping[str, Path]
) -> Iterator[str]:
    for weight in weights.values():
        if isinstance(weight, Unpriced):
            continue
        for other in weight.charged_with:
            if other != "*" and other not in known:
                yield f"{origin[weight.id]}: {weight.id}.charged_with: {no_such('weight class', other, known)}"
