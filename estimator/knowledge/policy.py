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

from pydantic import BaseModel, ConfigDict, Field, field_validator

from estimator.errors import EstimatorError
from estimator.knowledge.rules import did_you_mean
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

_Amount = Annotated[float, Field(allow_inf_nan=False)]
_Words = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _SettingTable(_Strict):
    value: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    unit: _Words
    source: _Words


class _LineTable(_Strict):
    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    favours: Literal["amd", "nvidia", "triton-first"]
    points: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    text: _Words
    source: _Words
    unit: str = ""
    thresholds: dict[str, _Amount] = {}
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
    settings: dict[str, _SettingTable] = {}
    for name, entry in table.settings.items():
        if name not in SETTINGS:
            faults.append(f"{path}: settings: no setting '{name}'{did_you_mean(name, SETTINGS)}")
            continue
        try:
            settings[name] = check(path, f"settings.{name}", _SettingTable, entry)
        except EstimatorError as error:
            faults.append(str(error))
    faults += [f"{path}: settings.{name} is missing" for name in SETTINGS if name not in table.settings]
    lines: dict[str, PolicyLine] = {}
    for place, entry in enumerate(table.criteria, start=1):
        where = f"criteria '{entry.get('id', f'number {place}')}'"
        try:
            line = _line(check(path, where, _LineTable, entry))
        except EstimatorError as error:
            faults.append(str(error))
            continue
        if line.id in lines:
            faults.append(f"{path}: {where}: the id stands twice; ids are unique")
        lines[line.id] = line
    if faults:
        raise EstimatorError("\n".join(faults))
    return Policy(
        lines=tuple(lines.values()),
        settings={name: settings[name].value for name in SETTINGS},
        date=table.date,
        sources={name: f"{settings[name].unit}; {settings[name].source}" for name in SETTINGS},
    )


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
