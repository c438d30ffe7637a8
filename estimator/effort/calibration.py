"""What did our own hours say? Actual hours of finished rows against the estimate, giving a multiplier for each part.

On the log scale the ratio actual/estimated of a part's rows scatters around the part's own multiplier, which is itself
drawn from around 1. Both spreads are the sigma of the estimate's stage (the rows' own scatter where that is wider),
so the posterior mean of n rows is their mean log ratio x n / (n + 1), or less where they disagree: one finished row
moves a part half-way, and only many move it all the way.
Source: normal mean with known variance and a normal prior (Gelman et al., Bayesian Data Analysis, 2.5).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, isfinite, log, sqrt
from pathlib import Path
from statistics import fmean, variance
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from estimator.errors import EstimatorError, shown
from estimator.knowledge.rules import did_you_mean
from estimator.knowledge.tables import read_csv
from estimator.knowledge.values import PARTS, Unpriced, Weight

KEYS = ("finding", "weight", "part")
_MOST_HOURS = 1_000_000
_LARGEST = 500_000_000  # bytes of an assessment; that of two million lines has ten million
_Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Line(_Read):
    weight: str
    part: str
    phase: str
    p50: _Finite
    findings: list[str]
    multiplier: str = ""


class _Finding(_Read):
    id: str
    sites: list[int]


class _Option(_Read):
    lines: list[_Line]


class _Multiplier(_Read):
    id: str
    parts: list[str]
    weights: list[str]

    def acts_on(self, row: _Line) -> bool:
        """Whether it scales a row; the estimate asks the same of its own values."""
        return row.part in self.parts or row.weight in self.weights


class _Estimate(_Read):
    sigma: Annotated[float, Field(gt=0, le=3)]
    options: dict[str, _Option]
    multipliers: list[_Multiplier]


class _Knowledge(_Read):
    digest: str = ""


class _Run(_Read):
    knowledge: _Knowledge = _Knowledge()


class _Assessment(_Read):
    run: _Run
    findings: list[_Finding]
    estimate: _Estimate


@dataclass(frozen=True, slots=True)
class Estimated:
    """One option of an assessment.json, as far as calibration asks.

    hours: P50 by weight, with what multipliers add to it; those of a part add up to a little less or more than the
    part's own P50. parts: part of each weight. shares: by finding, its weight
    and its share of that row's places. sigma: of the stage. digest: of the tables that priced it.
    """

    option: str
    hours: Mapping[str, float]
    parts: Mapping[str, str]
    shares: Mapping[str, tuple[str, float]]
    sigma: float
    digest: str

    def of(self, key: str, name: str) -> float:
        """Hours that were estimated for a finding, a weight or a whole part."""
        match key:
            case "finding":
                weight, share = self.shares[name]
                return self.hours[weight] * share
            case "weight":
                return self.hours[name]
            case _:
                return fsum(hours for weight, hours in self.hours.items() if self.parts[weight] == name)

    def part_of(self, key: str, name: str) -> str:
        """The part that a finding or a weight belongs to."""
        weight = self.shares[name][0] if key == "finding" else name
        return name if key == "part" else self.parts[weight]

    def known(self, key: str) -> tuple[str, ...]:
        """Names that a row may use."""
        match key:
            case "finding":
                return tuple(self.shares)
            case "weight":
                return tuple(self.hours)
            case _:
                return tuple(dict.fromkeys(self.parts.values()))


@dataclass(frozen=True, slots=True)
class Actual:
    """A finished row: what was estimated for it and what it took, in hours."""

    name: str
    part: str
    estimated: float
    hours: float

    @property
    def log_ratio(self) -> float:
        """log(actual/estimated)."""
        return log(self.hours / self.estimated)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A part's multiplier. ratio: geometric mean of actual/estimated. multiplier: that, shrunk towards 1."""

    part: str
    rows: int
    ratio: float
    multiplier: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Multipliers in the order of the parts, and the root mean square of log errors.

    before: with the shipped hours. after: with the multipliers, on the rows that they were fitted to. left_out: each
    row with a multiplier of the others.
    """

    fitted: tuple[Fitted, ...]
    before: float
    after: float
    left_out: float


def read_estimated(path: Path, option: str) -> Estimated:
    """One option of an assessment.json. Raises EstimatorError for what is none, or has nothing priced."""
    try:
        if path.stat().st_size > _LARGEST:
            raise EstimatorError(f"{path}: larger than any assessment")
        read = _Assessment.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError:
        told = "no such file; make it with `unwarp report`, or name another with --assessment"
        raise EstimatorError(f"{path}: {told}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise EstimatorError(f"{path}: {_no_assessment(error)}") from None
    if option not in read.estimate.options or not read.estimate.options[option].lines:
        raise EstimatorError(f"{path}: nothing is priced for the option {option}; there is nothing to calibrate")
    return _estimated(read, option)


def _no_assessment(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"can't be read: {error.strerror}"
    if isinstance(error, ValidationError):
        first = ".".join(shown(str(step), 40) for step in error.errors()[0]["loc"])
        return f"not an assessment of `unwarp report`: {first} is missing or wrong"
    return "not an assessment of `unwarp report`: no JSON"


def _estimated(read: _Assessment, option: str) -> Estimated:
    lines = read.estimate.options[option].lines
    rows = [line for line in lines if not line.multiplier]
    lifts = _lifts(lines, read.estimate.multipliers)
    sites = {finding.id: len(finding.sites) for finding in read.findings}
    shares: dict[str, tuple[str, float]] = {}
    for line in rows:
        places = sum(sites.get(name, 0) for name in line.findings)
        shares |= {name: (line.weight, sites.get(name, 0) / places) for name in line.findings if places}
    return Estimated(
        option=option,
        hours={line.weight: line.p50 * lifts[line.weight] for line in rows},
        parts={line.weight: line.part for line in rows},
        shares=shares,
        sigma=read.estimate.sigma,
        digest=read.run.knowledge.digest,
    )


def _lifts(lines: Iterable[_Line], multipliers: Iterable[_Multiplier]) -> dict[str, float]:
    """How many times its own hours each row takes with the multipliers of the undertaking, by weight.

    What one adds to the rows of a part and phase is shared out among those that it acts on, by their P50.
    """
    lines = tuple(lines)
    lifts = {line.weight: 1.0 for line in lines if not line.multiplier}
    for one in multipliers:
        for added in (line for line in lines if line.multiplier == one.id):
            cell = (added.part, added.phase)
            rows = [row for row in lines if not row.multiplier and (row.part, row.phase) == cell and one.acts_on(row)]
            before = fsum(row.p50 for row in rows)
            for row in rows if before else ():
                lifts[row.weight] += added.p50 / before
    return lifts


def read_actuals(path: Path, estimated: Estimated) -> tuple[Actual, ...]:
    """The finished rows of an ACTUALS.csv: `hours`, and one of `finding`, `weight` or `part`.

    An optional column `done` with "no" leaves a row out. A part, and weights or findings inside it, can't both be
    given, nor a name twice: their hours would count twice.
    Raises EstimatorError with all faults of the file, one a line: file, row, what is wrong, the nearest right name.
    """
    actuals: list[Actual] = []
    faults: list[str] = []
    taken: dict[tuple[str, str], int] = {}
    for number, row in enumerate(read_csv(path, ("hours",)), start=1):
        cells = {name: (text or "").strip() for name, text in row.items() if isinstance(text, str) or text is None}
        try:
            if (actual := _actual(cells, estimated, taken, number)) is not None:
                actuals.append(actual)
        except ValueError as error:
            faults += [f"{path}: row {number}: {fault}" for fault in str(error).split("\n")]
    faults += [f"{path}: {fault}" for fault in _overlaps(taken, estimated)]
    if not actuals and not faults:
        faults.append(f"{path}: no finished row")
    if faults:
        raise EstimatorError("\n".join(faults))
    return tuple(actuals)


def _actual(
    cells: Mapping[str, str], estimated: Estimated, taken: dict[tuple[str, str], int], number: int
) -> Actual | None:
    """One row; None if it isn't done. taken: rows by what they name, added to. Raises ValueError with its faults."""
    faults = []
    given = [(key, cells[key]) for key in KEYS if cells.get(key)]
    done = cells.get("done", "").lower() or "yes"
    if done not in ("yes", "no"):
        faults.append(f"done: must be yes or no (given: '{shown(done, 60)}')")
    hours = _hours(cells["hours"], faults)
    if len(given) != 1:
        faults.append(f"exactly one of {', '.join(KEYS)} must be given, not {len(given)}")
    elif given[0] in taken:
        faults.append(f"{given[0][0]} '{shown(given[0][1], 60)}' stands in row {taken[given[0]]} already")
    else:
        taken[given[0]] = number
        faults += _unknown(*given[0], estimated)
    if faults:
        raise ValueError("\n".join(faults))
    key, name = given[0]
    return Actual(name, estimated.part_of(key, name), estimated.of(key, name), hours) if done == "yes" else None


def _hours(text: str, faults: list[str]) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = 0.0
    if not (isfinite(hours) and 0 < hours <= _MOST_HOURS):
        faults.append(f"hours: must be a number above 0, at most {_MOST_HOURS:,} (given: '{shown(text, 60)}')")
    return hours


def _unknown(key: str, name: str, estimated: Estimated) -> Iterator[str]:
    known = estimated.known(key)
    if name not in known:
        yield f"no {key} '{shown(name, 60)}' was priced in the assessment{did_you_mean(name, known)}"
    elif estimated.of(key, name) <= 0:
        yield f"{key} '{shown(name, 60)}' was estimated at 0 hours: there is no ratio"


def _overlaps(taken: Mapping[tuple[str, str], int], estimated: Estimated) -> Iterator[str]:
    """Rows whose hours lie inside another row's."""
    for (key, name), number in taken.items():
        if key == "part" or name not in estimated.known(key):
            continue
        above = [("part", estimated.part_of(key, name))]
        if key == "finding":
            above.append(("weight", estimated.shares[name][0]))
        for other in above:
            if other in taken:
                yield f"row {number}: {key} '{name}' is part of {other[0]} '{other[1]}' in row {taken[other]}"


def calibrate(actuals: Sequence[Actual], sigma: float) -> Calibration:
    """Fit a multiplier for each part that has a finished row. sigma: of the stage the estimate was made at."""
    by_part = {part: [one.log_ratio for one in actuals if one.part == part] for part in PARTS}
    shifts = {part: _shift(ratios, sigma) for part, ratios in by_part.items() if ratios}
    fitted = tuple(
        Fitted(part, len(by_part[part]), exp(fmean(by_part[part])), exp(shift)) for part, shift in shifts.items()
    )
    left_out = [
        ratio - _shift([*ratios[:index], *ratios[index + 1 :]], sigma)
        for ratios in by_part.values()
        for index, ratio in enumerate(ratios)
    ]
    return Calibration(
        fitted=fitted,
        before=_size(one.log_ratio for one in actuals),
        after=_size(one.log_ratio - shifts[one.part] for one in actuals),
        left_out=_size(left_out),
    )


def _shift(ratios: Sequence[float], sigma: float) -> float:
    """Posterior mean of a part's log multiplier; 0 without rows."""
    if not ratios:
        return 0.0
    noise = max(sigma**2, variance(ratios) if len(ratios) > 1 else 0.0)
    return fmean(ratios) * len(ratios) / (len(ratios) + noise / sigma**2)


def _size(errors: Iterable[float]) -> float:
    squares = [error * error for error in errors]
    return sqrt(fsum(squares) / len(squares)) if squares else 0.0


def overlay(calibration: Calibration, weights: Mapping[str, Weight | Unpriced], option: str, origin: str) -> str:
    """A weights file for --weights: every row of a fitted part, its hours in the option's column multiplied.

    By amd the end of a row that has one (`most`) is multiplied too, else long rows would stay as they were. Kernels
    that the option amd takes to Triton are priced in the other column, and stay.
    origin: what the source of each row will say, such as "actuals.csv".
    """
    lines = [f"# Hours of the option {option}, calibrated on {_quoted(origin)[1:-1]}."]
    for fit in calibration.fitted:
        lines += ["", f"# {fit.part}: x {fit.multiplier:.3f} (n = {fit.rows}, actual/estimated {fit.ratio:.3f})"]
        source = f"calibrated on {origin}, n = {fit.rows}: x {fit.multiplier:.3f}; before: "
        for weight in weights.values():
            if isinstance(weight, Weight) and weight.part == fit.part:
                lines += [f"[{weight.id}]", *_multiplied(weight, option, fit.multiplier)]
                lines.append(f"source = {_quoted(source + weight.source)}")
    return "\n".join(lines) + "\n"


def _multiplied(weight: Weight, option: str, factor: float) -> Iterator[str]:
    hours = weight.hours[option]
    low, likely, high = (_number(value * factor) for value in (hours.low, hours.likely, hours.high))
    yield f"{option} = {{ low = {low}, likely = {likely}, high = {high} }}"
    if weight.most and option == "amd":
        yield f"most = {_number(weight.most * factor)}"


def _number(value: float) -> float:
    return float(f"{value:.6g}")


def _quoted(text: str) -> str:
    """A TOML string. JSON's escapes are TOML's, but for the surrogates of characters beyond the 65,536th."""
    return json.dumps(shown(text), ensure_ascii=False).replace("\x7f", "\\u007f")
