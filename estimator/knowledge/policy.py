"""The published rule: `heuristics/policy.toml`, its criteria and its settings.

date = "2026-11-30"

[settings.margin_pilot]              # every name of SETTINGS, no other
value = 2
unit = "points"
source = "…"

[[criteria]]
id = "direct-libraries"              # names a function of `estimator/decision/policy.py`
favours = "nvidia"                   # amd, nvidia or triton-first
points = 3
unit = "%"                           # of the figure; "%" shows a share between 0 and 1
thresholds = { least = 0.3 }         # the criterion speaks from here on; "most" bounds from above
words = { weights = ["lib.cudnn"] }  # what the figure is counted over
veto = false                         # true forbids the options in `forbids`, or else all it does not favour
forbids = []                         # without veto: no options where the line speaks, so money leaves them out
input = "share of …"                 # the figure as something a reader could change, "" if not
text = "… {figure} …"               # {team} too: the people on the port; {next}: the option next in expected cost
condition = "… {reserve} …"          # what must be arranged when the verdict is to move
source = "…, 2026"
"""

from __future__ import annotations

import string
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, field_validator

from estimator.errors import no_such, noted, raise_all
from estimator.knowledge.fields import STRICT, Words
from estimator.knowledge.tables import check, read_toml
from estimator.knowledge.values import Policy, PolicyLine

SETTINGS = (
    "margin_pilot",
    "margin_clear",
    "dominance",
    "pilot_kernels",
    "doubt_unpriced",
    "doubt_judgement",
    "doubt_completeness",
    "knowledge_days",
    "flip_range",
    "flip_near",
    "horizon_months",
    "discount_rate",
    "rate",
    "team",
    "hours_month",
    "gpu_hours_month",
    "speed_low",
    "speed_likely",
    "speed_high",
    "own_kernel_share",
)
TEXT_FIELDS = ("figure", "team", "next")
CONDITION_FIELDS = ("figure", "retuning", "reserve", "untuned", "team")


class _Strict(BaseModel):
    model_config = STRICT


class _SettingTable(_Strict):
    value: Annotated[float, Field(ge=0)]
    unit: Words
    source: Words


class _LineTable(_Strict):
    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    favours: Literal["amd", "nvidia", "triton-first"]
    points: Annotated[float, Field(ge=0)]
    text: Words
    source: Words
    unit: str = ""
    thresholds: dict[str, float] = {}
    words: dict[str, list[str]] = {}
    veto: bool = False
    forbids: list[Literal["amd", "nvidia", "triton-first"]] = []
    input: str = ""
    condition: str = ""

    @field_validator("text")
    @classmethod
    def _text_fields(cls, value: str) -> str:
        return _only(value, TEXT_FIELDS)

    @field_validator("condition")
    @classmethod
    def _condition_fields(cls, value: str) -> str:
        return _only(value, CONDITION_FIELDS)


class _PolicyTable(_Strict):
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    settings: dict[str, dict[str, Any]]
    criteria: Annotated[list[dict[str, Any]], Field(min_length=1)]


def load_policy(path: Path) -> Policy:
    """The rule of one file, criteria in the file's order. All faults of the file are reported at once."""
    table = check(path, "", _PolicyTable, read_toml(path))
    faults: list[str] = []
    settings = _settings(path, table.settings, faults)
    lines = _lines(path, table.criteria, faults)
    raise_all(faults)
    return Policy(
        lines=tuple(lines.values()),
        settings={name: settings[name].value for name in SETTINGS},
        date=table.date,
        sources={name: f"{settings[name].unit}; {settings[name].source}" for name in SETTINGS},
    )


def _settings(path: Path, given: dict[str, dict[str, Any]], faults: list[str]) -> dict[str, _SettingTable]:
    """The settings by name; what is wrong or missing is added to the faults."""
    settings = {}
    for name, entry in given.items():
        if name not in SETTINGS:
            faults.append(f"{path}: settings: {no_such('setting', name, SETTINGS)}")
            continue
        with noted(faults):
            settings[name] = check(path, f"settings.{name}", _SettingTable, entry)
    faults += (f"{path}: settings.{name} is missing" for name in SETTINGS if name not in given)
    return settings


def _lines(path: Path, criteria: list[dict[str, Any]], faults: list[str]) -> dict[str, PolicyLine]:
    """The criteria by id; what is wrong is added to the faults."""
    lines: dict[str, PolicyLine] = {}
    for place, entry in enumerate(criteria, start=1):
        where = f"criteria '{entry.get('id', f'number {place}')}'"
        with noted(faults):
            line = _line(check(path, where, _LineTable, entry))
            if line.id in lines:
                faults.append(f"{path}: {where}: the id stands twice; ids are unique")
            lines[line.id] = line
    return lines


def _line(table: _LineTable) -> PolicyLine:
    return PolicyLine(
        id=table.id,
        favours=table.favours,
        points=table.points,
        thresholds=table.thresholds,
        text=table.text,
        source=table.source,
        veto=table.veto,
        condition=table.condition,
        unit=table.unit,
        input=table.input,
        forbids=tuple(table.forbids),
        words={name: tuple(words) for name, words in table.words.items()},
    )


def _only(text: str, names: tuple[str, ...]) -> str:
    """The text, if its replacement fields are plain and known; a ValueError otherwise."""
    for _, field, spec, conversion in string.Formatter().parse(text):
        if field is not None and (field not in names or spec or conversion):
            allowed = ", ".join(f"{{{name}}}" for name in names)
            raise ValueError(f"holds '{{{field}}}'; what may stand here: {allowed}")
    return text
