"""What the code can't show: a TOML file with the fleet, prices, team and workload, all fields optional.

`heuristics/scenario-template.toml` explains every field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from estimator.decision.values import Range, Scenario
from estimator.errors import EstimatorError, did_you_mean, no_such, shown
from estimator.knowledge.multipliers import load_multipliers
from estimator.knowledge.strategies import load_strategies
from estimator.knowledge.tables import in_words, read_toml
from estimator.knowledge.targets import load_targets
from estimator.knowledge.values import Multipliers
from estimator.resources import data_folder

AMD = "gfx"  # how the names of AMD's targets begin
WORKLOADS = ("standard-inference", "own-models", "training", "research", "hpc")
HOURS_A_MONTH = 744
RANGES = ("speed_factor", "debt_growth_quarter")
_NOWHERE = 1 << 30
_NO_QUESTIONS = ("name", "currency", "multipliers", "notes")
QUESTIONS = tuple(item.name for item in fields(Scenario) if item.name not in _NO_QUESTIONS)

_Price = Annotated[float, Field(gt=0, le=1_000, allow_inf_nan=False)]
_Count = Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False)]
_GpuHours = Annotated[float, Field(gt=0, le=10_000_000_000, allow_inf_nan=False)]
_Memory = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
_Hours = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
_Speed = Annotated[float, Field(gt=0.01, lt=100, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _RangeTable(_Strict):
    low: Annotated[float, Field(allow_inf_nan=False)]
    likely: Annotated[float, Field(allow_inf_nan=False)]
    high: Annotated[float, Field(allow_inf_nan=False)]

    @model_validator(mode="after")
    def _rises(self) -> _RangeTable:
        if not self.low <= self.likely <= self.high:
            raise ValueError(f"must rise: low {self.low:g}, likely {self.likely:g}, high {self.high:g}")
        return self

    def value(self) -> Range:
        return Range(self.low, self.likely, self.high)


class _SpeedTable(_RangeTable):
    low: _Speed
    likely: _Speed
    high: _Speed


class _HoursTable(_RangeTable):
    low: _Hours
    likely: _Hours
    high: _Hours


class _ScenarioTable(_Strict):
    name: str = ""
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    gpus_now: _Count | None = None
    gpus_planned: _Count | None = None
    gpu_hours_month: _GpuHours | None = None
    gpu_hours_month_planned: _GpuHours | None = None
    price_now: _Price | None = None
    price_offered: _Price | None = None
    speed_factor: _SpeedTable | None = None
    horizon_months: Annotated[float, Field(ge=1, le=240, allow_inf_nan=False)] | None = None
    discount_rate: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    rate: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] | None = None
    team: Annotated[int, Field(ge=1, le=10_000)] | None = None
    gpu_experience: bool | None = None
    infrastructure_people: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)] | None = None
    workload: Literal["standard-inference", "own-models", "training", "research", "hpc"] | None = None
    newest_kernels_first: bool | None = None
    new_kernels_month: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)] | None = None
    debt_growth_quarter: _HoursTable | None = None
    second_source_value: Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)] | None = None
    memory_need_gib: _Memory | None = None
    memory_now_gib: _Memory | None = None
    memory_decides: bool | None = None
    own_kernel_share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    hardware_access: bool | None = None
    strategy: str | None = None
    gfx: str | None = None
    rocm: Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,3}){1,2}$")] | None = None
    multipliers: dict[str, bool | _RangeTable] = {}
    notes: dict[str, str] = {}

    @field_validator(*RANGES, mode="before")
    @classmethod
    def _one_number(cls, value: Any) -> Any:
        return _as_range(value)

    @field_validator("multipliers", mode="before")
    @classmethod
    def _numbers(cls, value: Any) -> Any:
        return {name: _as_range(item) for name, item in value.items()} if isinstance(value, dict) else value


def _as_range(value: Any) -> Any:
    """A single number as a range of one; anything else as it is."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"low": float(value), "likely": float(value), "high": float(value)}
    return value


def load_scenario(path: Path, multipliers: Multipliers | None = None) -> Scenario:
    """The scenario of one file. All its faults are reported at once, each with its line.

    An unknown key is a fault with the nearest known one; so is a field that contradicts another. multipliers: those
    that it may switch on; the shipped ones by default.
    """
    known_multipliers = multipliers or load_multipliers(data_folder("heuristics") / "multipliers.toml")
    given = read_toml(path)
    faults: list[tuple[str, str]] = []
    for key in given:
        if key not in _ScenarioTable.model_fields:
            faults.append((key, f"no such field{did_you_mean(key, _ScenarioTable.model_fields)}"))
    known = {key: value for key, value in given.items() if key in _ScenarioTable.model_fields}
    table: _ScenarioTable | None = None
    try:
        table = _ScenarioTable.model_validate(known)
    except ValidationError as error:
        faults += [(_key(fault, known), _message(fault)) for fault in error.errors()]
    faults += _contradictions(known)
    faults += _unknown_multipliers(known.get("multipliers"), known_multipliers)
    faults += _unknown_target(known.get("gfx"))
    faults += _unknown_strategy(known.get("strategy"))
    if faults or table is None:
        raise EstimatorError("\n".join(_told(path, faults)))
    return _scenario(table)


def completeness(scenario: Scenario) -> float:
    """Share of the template's questions that a scenario answers, 0 to 1."""
    answered = sum(getattr(scenario, name) is not None for name in QUESTIONS)
    return answered / len(QUESTIONS)


def _scenario(table: _ScenarioTable) -> Scenario:
    values = {name: _value(getattr(table, name)) for name in _ScenarioTable.model_fields if name != "multipliers"}
    return Scenario(**values, multipliers={name: _value(one) for name, one in table.multipliers.items()})


def _value(given: Any) -> Any:
    return given.value() if isinstance(given, _RangeTable) else given


def _unknown_multipliers(given: Any, multipliers: Multipliers) -> Iterator[tuple[str, str]]:
    """Names that the table doesn't know, and figures beyond its bounds."""
    if not isinstance(given, dict):
        return
    least, most = multipliers.least, multipliers.most
    for name, value in given.items():
        where = f"multipliers.{name}"
        if name not in multipliers.known:
            known = multipliers.known
            yield where, f"no multiplier of this name{did_you_mean(name, known)}; known are {', '.join(known)}"
        ends = value.values() if isinstance(value, dict) else (value,)
        figures = [end for end in ends if isinstance(end, int | float) and not isinstance(end, bool)]
        if any(not least <= figure <= most for figure in figures):
            yield where, f"a multiplier lies between {least:g} and {most:g}; 1 changes nothing (given: {value})"


def _contradictions(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Fields that can't be true together."""
    if "price_offered" in given and not {"gpus_now", "gpus_planned", "gpu_hours_month"} & set(given):
        yield "price_offered", "an offered price needs a fleet: give 'gpu_hours_month' or 'gpus_now'"
    if "price_offered" in given and "price_now" not in given:
        yield "price_offered", "an offered price needs the present one to compare with: give 'price_now'"
    yield from _too_many_hours(given)
    yield from _memory(given)
    notes = given.get("notes")
    for key in notes if isinstance(notes, dict) else ():
        if key not in QUESTIONS:
            yield f"notes.{key}", f"a note on no field{did_you_mean(key, QUESTIONS)}"


def _too_many_hours(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """GPU-hours that no GPU is there for, now or ever."""
    now, planned = _number(given, "gpus_now"), _number(given, "gpus_planned")
    for name in ("gpu_hours_month", "gpu_hours_month_planned"):
        hours, gpus = _number(given, name), max(now, planned)
        if 0 < gpus * HOURS_A_MONTH < hours:
            yield (
                name,
                f"{hours:,.0f} hours are more than {gpus:g} GPUs have in a month of {HOURS_A_MONTH} hours",
            )


def _memory(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """An answer on memory that its figures contradict."""
    answer = given.get("memory_decides")
    need, now = _number(given, "memory_need_gib"), _number(given, "memory_now_gib")
    if isinstance(answer, bool) and need and now and answer != (need > now):
        fits = "does not fit" if need > now else "fits"
        yield "memory_decides", f"{need:g} GiB {fits} present cards of {now:g} GiB; leave the answer to the figures"


def _number(given: Mapping[str, Any], name: str) -> float:
    """A number of the file; 0 where there is none."""
    value = given.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _unknown_target(gfx: Any) -> Iterator[tuple[str, str]]:
    """A target that the table doesn't know."""
    known = {row.target for row in load_targets(data_folder("heuristics") / "targets.csv")}
    known = {name for name in known if name.startswith(AMD)}
    if isinstance(gfx, str) and gfx not in known:
        yield "gfx", f"{no_such('target', gfx, known)}; known are {', '.join(sorted(known))}"


def _unknown_strategy(asked: Any) -> Iterator[tuple[str, str]]:
    """A way to keep the source that the table doesn't know."""
    known = [one.id for one in load_strategies(data_folder("heuristics") / "strategies.toml")]
    if isinstance(asked, str) and asked not in known:
        yield "strategy", f"{no_such('strategy', asked, known)}; one of {', '.join(known)}"


def _key(fault: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """The place of a pydantic fault as a dotted name; of a multiplier, or a number for a range, only its own."""
    loc = fault["loc"]
    if loc[0] == "multipliers":
        loc = loc[:2]
    elif loc[0] in RANGES and not isinstance(given[loc[0]], dict):
        loc = loc[:1]
    return ".".join(str(part) for part in loc)


def _message(fault: Mapping[str, Any]) -> str:
    """A pydantic fault in words of the file: what is wrong, and what to write."""
    place, value, kind = fault["loc"][0], fault.get("input"), fault["type"]
    if place == "multipliers" and len(fault["loc"]) > 1:
        return "must be true, false, a number, or { low = …, likely = …, high = … } that rises"
    if place in RANGES and kind == "model_type":
        return "must be a number, or { low = …, likely = …, high = … } that rises"
    if kind == "literal_error" and isinstance(value, str):
        return f"{no_such('workload', value, WORKLOADS)}; one of {', '.join(WORKLOADS)}"
    message = in_words(fault)
    if kind == "extra_forbidden":
        return message + did_you_mean(str(fault["loc"][-1]), ("low", "likely", "high"))
    if place == "discount_rate" and kind == "less_than_equal":
        return f"{message}; it is a fraction a year: 0.08 means 8 %"
    if place == "currency":
        return "must be a code of three capital letters, such as USD or EUR" + message.partition("{3}$")[2]
    if place == "rocm":
        return 'must be a release in quotes, such as "7.2"'
    return message


def _lines(path: Path) -> dict[str, int]:
    """Line of each key, by dotted name, and of what it lies in, as far as a plain look at the text finds it."""
    places: dict[str, int] = {}
    table = ""
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if heading := re.match(r"\s*\[\s*([\w.-]+)\s*\]", line):
            table = f"{heading[1]}."
            places.setdefault(heading[1], number)
        elif key := re.match(r"""\s*["']?([\w.-]+)["']?\s*=""", line):
            name = f"{table}{key[1]}"
            places.setdefault(name, number)
            places.setdefault(name.rpartition(".")[0], number)
    return places


def _told(path: Path, faults: Iterable[tuple[str, str]]) -> Iterable[str]:
    """Each fault once, with its place, in the order of the file; what has no line stands last."""
    lines = _lines(path)
    placed = {(lines.get(key) or lines.get(key.partition(".")[0]) or _NOWHERE, key, text) for key, text in faults}
    for line, key, text in sorted(placed):
        where = path if line == _NOWHERE else f"{path}:{line}"
        yield f"{where}: {shown(key, 60)}: {text}"
