"""What the code can't show: a TOML file with the fleet, prices, team and workload, all fields optional.

`heuristics/scenario-template.toml` explains every field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from estimator.decision.values import Range, Scenario
from estimator.errors import EstimatorError
from estimator.knowledge.rules import did_you_mean
from estimator.knowledge.tables import read_toml

WORKLOADS = ("standard-inference", "own-models", "training", "research", "hpc")
HOURS_A_MONTH = 744
QUESTIONS = tuple(item.name for item in fields(Scenario) if item.name not in ("name", "currency", "notes"))

_Price = Annotated[float, Field(gt=0, le=1_000, allow_inf_nan=False)]
_Count = Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False)]
_Speed = Annotated[float, Field(gt=0.01, lt=100, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _SpeedTable(_Strict):
    low: _Speed
    likely: _Speed
    high: _Speed

    @model_validator(mode="after")
    def _rises(self) -> _SpeedTable:
        if not self.low <= self.likely <= self.high:
            raise ValueError(f"must rise: low {self.low:g}, likely {self.likely:g}, high {self.high:g}")
        return self


class _ScenarioTable(_Strict):
    name: str = ""
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    gpus_now: _Count | None = None
    gpus_planned: _Count | None = None
    gpu_hours_month: Annotated[float, Field(gt=0, le=10_000_000_000, allow_inf_nan=False)] | None = None
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
    second_source_value: Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)] | None = None
    memory_decides: bool | None = None
    hardware_access: bool | None = None
    notes: dict[str, str] = {}

    @field_validator("speed_factor", mode="before")
    @classmethod
    def _one_number(cls, value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return {"low": float(value), "likely": float(value), "high": float(value)}
        return value


def load_scenario(path: Path) -> Scenario:
    """The scenario of one file. All its faults are reported at once, each with its line.

    An unknown key is a fault with the nearest known one; so is a field that contradicts another.
    """
    given = read_toml(path)
    lines = _lines(path)
    faults: list[tuple[str, str]] = []
    for key in given:
        if key not in _ScenarioTable.model_fields:
            faults.append((key, f"no such field{did_you_mean(key, _ScenarioTable.model_fields)}"))
    known = {key: value for key, value in given.items() if key in _ScenarioTable.model_fields}
    table: _ScenarioTable | None = None
    try:
        table = _ScenarioTable.model_validate(known)
    except ValidationError as error:
        for fault in error.errors():
            faults.append((".".join(str(part) for part in fault["loc"]), _message(fault)))
    faults += _contradictions(known)
    if faults or table is None:
        raise EstimatorError("\n".join(_place(path, lines, key, message) for key, message in faults))
    return _scenario(table)


def completeness(scenario: Scenario) -> float:
    """Share of the template's questions that a scenario answers, 0 to 1."""
    answered = sum(getattr(scenario, name) is not None for name in QUESTIONS)
    return answered / len(QUESTIONS)


def _scenario(table: _ScenarioTable) -> Scenario:
    speed = table.speed_factor
    values = {name: getattr(table, name) for name in _ScenarioTable.model_fields if name != "speed_factor"}
    return Scenario(**values, speed_factor=Range(speed.low, speed.likely, speed.high) if speed else None)


def _contradictions(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Fields that can't be true together."""
    faults = []
    if "price_offered" in given and not {"gpus_now", "gpus_planned", "gpu_hours_month"} & set(given):
        faults.append(("price_offered", "an offered price needs a fleet: give 'gpu_hours_month' or 'gpus_now'"))
    if "price_offered" in given and "price_now" not in given:
        faults.append(("price_offered", "an offered price needs the present one to compare with: give 'price_now'"))
    hours = given.get("gpu_hours_month")
    fleet = [given.get(name) for name in ("gpus_now", "gpus_planned")]
    gpus = max((count for count in fleet if isinstance(count, int | float)), default=0)
    if isinstance(hours, int | float) and 0 < gpus * HOURS_A_MONTH < hours:
        faults.append(
            (
                "gpu_hours_month",
                f"{hours:,.0f} hours are more than {gpus:g} GPUs have in a month of {HOURS_A_MONTH} hours",
            )
        )
    notes = given.get("notes", {})
    if isinstance(notes, dict):
        for key in notes:
            if key not in QUESTIONS:
                faults.append((f"notes.{key}", f"a note on no field{did_you_mean(key, QUESTIONS)}"))
    return faults


def _message(fault: Mapping[str, Any]) -> str:
    """A pydantic fault in words of the file: what is wrong, and what to write."""
    place, value = fault["loc"][0], fault.get("input")
    message = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "literal_error":
        return f"no workload {value!r}{did_you_mean(str(value), WORKLOADS)}; one of {', '.join(WORKLOADS)}"
    if place == "discount_rate" and fault["type"] == "less_than_equal":
        return f"{message}; it is a fraction a year: 0.08 means 8 %"
    if place == "currency":
        return f"{value!r} is not a currency code of three capital letters, such as USD or EUR"
    shown = "" if isinstance(value, dict) or fault["type"] == "missing" else f" (given: {value!r})"
    return f"{message}{shown}"


def _lines(path: Path) -> dict[str, int]:
    """Line of each key, by dotted name, as far as a plain look at the text finds it."""
    places: dict[str, int] = {}
    table = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if heading := re.match(r"\s*\[\s*([\w.-]+)\s*\]", line):
            table = f"{heading[1]}."
            places.setdefault(heading[1], number)
        elif key := re.match(r"""\s*["']?([\w-]+)["']?\s*=""", line):
            places.setdefault(f"{table}{key[1]}", number)
    return places


def _place(path: Path, lines: Mapping[str, int], key: str, message: str) -> str:
    line = lines.get(key) or lines.get(key.split(".", maxsplit=1)[0])
    return f"{path}:{line}: {key}: {message}" if line else f"{path}: {key}: {message}"
