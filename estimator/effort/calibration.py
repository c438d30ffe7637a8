"""What did our own hours say? Actual hours of finished rows against the estimate, giving a multiplier for each part.

Two levels, on the log scale. A kind of work (a weight) is wrong by what its whole part is wrong by and by something of
its own, each with half the variance of the estimate's shared factor, sigma squared; a finished row scatters around
that with as much again (the rows' own scatter where that is wider). The three together are 2 sigma squared, what the
estimate itself says of a row: the shared factor, and the row's own three points (at the median of the table 0.27).
So one row moves its own kind of work half-way and the rest of its part a quarter; n rows of n kinds that agree move the
rest n / (n + 3). Other parts stay. A row that holds several kinds or parts moves each by its share of the hours.
Source: best linear prediction in a normal model with known variances (Gelman et al., Bayesian Data Analysis, 5 and
15); row left out: the closed form for such predictions (Rasmussen and Williams, Gaussian Processes, 5.4.2).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log
from pathlib import Path
from statistics import variance
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from estimator.effort.agreement import root_mean_square
from estimator.effort.values import Array, acts_on
from estimator.errors import EstimatorError, did_you_mean, shown
from estimator.knowledge.ports import MOST_FAULTS, faulty
from estimator.knowledge.strategies import PREFIX
from estimator.knowledge.tables import read_csv
from estimator.knowledge.values import PARTS, Unpriced, Weight

Kind = tuple[str, str]  # a part, and a weight in it

KEYS = ("finding", "weight", "part")
_LEAST_SHARE = 0.01  # of a part in all rows together; less says nothing of it
_LEAST_HOURS, _MOST_HOURS = 0.001, 1_000_000  # of a finished row, as it took and as it was estimated
_LARGEST = 500_000_000  # bytes of an assessment; that of two million lines has ten million
_Hours = Annotated[float, Field(ge=-_MOST_HOURS, le=_MOST_HOURS, allow_inf_nan=False)]


def _known_part(name: str) -> str:
    if name not in PARTS:
        raise ValueError(f"no part '{shown(name, 60)}'")
    return name


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Line(_Read):
    weight: str
    part: Annotated[str, AfterValidator(_known_part)]
    phase: str
    p50: _Hours
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
    spares: list[str] = []


class _Estimate(_Read):
    sigma: Annotated[float, Field(ge=0.001, le=3)]
    options: dict[str, _Option]
    multipliers: list[_Multiplier]


class _Knowledge(_Read):
    digest: str = ""


class _Run(_Read):
    date: str = ""
    knowledge: _Knowledge = _Knowledge()


class _Assessment(_Read):
    run: _Run
    findings: list[_Finding]
    estimate: _Estimate


@dataclass(frozen=True, slots=True)
class Estimated:
    """One option of an assessment.json, as far as calibration asks.

    hours: P50 by weight, with what multipliers add to it; those of a part add up to a little less or more than the
    part's own P50. parts: part of each weight. findings: by id, what each takes of the rows that price it, by weight:
    its share of a row's places. sigma: of the stage. digest: of the tables that priced it. date: of the assessment.
    """

    option: str
    hours: Mapping[str, float]
    parts: Mapping[str, str]
    findings: Mapping[str, Mapping[str, float]]
    sigma: float
    digest: str
    date: str

    def of(self, key: str, name: str) -> Mapping[Kind, float]:
        """Hours that were estimated for a finding, a weight or a whole part, by kind of work."""
        return {(self.parts[weight], weight): hours for weight, hours in self._of(key, name).items()}

    def _of(self, key: str, name: str) -> Mapping[str, float]:
        match key:
            case "finding":
                return self.findings[name]
            case "weight":
                return {name: self.hours[name]}
            case _:
                return {weight: hours for weight, hours in self.hours.items() if self.parts[weight] == name}

    def known(self, key: str) -> tuple[str, ...]:
        """Names that a row may use."""
        match key:
            case "finding":
                return tuple(self.findings)
            case "weight":
                return tuple(self.hours)
            case _:
                priced = set(self.parts.values())
                return tuple(part for part in PARTS if part in priced)


@dataclass(frozen=True, slots=True)
class Actual:
    """A finished row: what was estimated for it by kind of work, and what it took, in hours."""

    name: str
    kinds: Mapping[Kind, float]
    hours: float

    @property
    def estimated(self) -> float:
        """P50 of all rows that it is priced in, added up."""
        return fsum(self.kinds.values())

    @property
    def log_ratio(self) -> float:
        """log(actual/estimated)."""
        return log(self.hours / self.estimated)

    @property
    def parts(self) -> Mapping[str, float]:
        """Share of each part in the estimated hours, the largest first."""
        shares: dict[str, float] = {}
        for (part, _), hours in self.kinds.items():
            shares[part] = shares.get(part, 0.0) + hours / self.estimated
        return dict(sorted(shares.items(), key=lambda item: -item[1]))


@dataclass(frozen=True, slots=True)
class Fitted:
    """Multipliers of a part. rows: that hold some of it. ratio: geometric mean of actual/estimated, by their shares.

    multiplier: of the kinds of work that no row holds. kinds: of those that some row does, by weight. Both are shrunk
    towards 1.
    """

    part: str
    rows: int
    ratio: float
    multiplier: float
    kinds: Mapping[str, float]

    def of(self, weight: str) -> float:
        """The multiplier of one kind of work of the part."""
        return self.kinds.get(weight, self.multiplier)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Multipliers in the order of the parts, and the root mean square of log errors.

    before: with the hours as estimated. after: with the multipliers, on the rows that they were fitted to. left_out:
    each row with multipliers of the others. rows: how many there are.
    """

    fitted: tuple[Fitted, ...]
    before: float
    after: float
    left_out: float
    rows: int

    @property
    def gains(self) -> bool:
        """Whether rows that were left out come out better than without calibration, to two digits."""
        return round(self.left_out, 2) < round(self.before, 2)


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
    estimated = _estimated(read, option)
    if below := [weight for weight, hours in estimated.hours.items() if hours < 0]:
        raise EstimatorError(
            f"{path}: options.{option}: {shown(below[0], 60)}: fewer than 0 hours with its multipliers"
        )
    return estimated


def _no_assessment(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"can't be read: {error.strerror}"
    if isinstance(error, ValidationError):
        first = ".".join(shown(str(step), 40) for step in error.errors()[0]["loc"])
        return f"not an assessment of `unwarp report`: {first} is missing or wrong"
    return "not an assessment of `unwarp report`: no JSON"


def _estimated(read: _Assessment, option: str) -> Estimated:
    lines = read.estimate.options[option].lines
    rows = [line for line in lines if not (line.multiplier or line.weight.startswith(PREFIX))]
    lifts = _lifts(lines, read.estimate.multipliers)
    hours = {line.weight: line.p50 * lifts[line.weight] for line in rows}
    return Estimated(
        option=option,
        hours=hours,
        parts={line.weight: line.part for line in rows},
        findings=_shared_out(rows, hours, {finding.id: len(finding.sites) for finding in read.findings}),
        sigma=read.estimate.sigma,
        digest=read.run.knowledge.digest,
        date=read.run.date,
    )


def _shared_out(
    rows: Iterable[_Line], hours: Mapping[str, float], sites: Mapping[str, int]
) -> dict[str, dict[str, float]]:
    """Hours of each finding by weight: of every row that prices it, its share by places."""
    shared: dict[str, dict[str, float]] = {}
    for row in rows:
        places = sum(sites.get(name, 0) for name in row.findings)
        for name in row.findings if places else ():
            shared.setdefault(name, {})[row.weight] = hours[row.weight] * sites.get(name, 0) / places
    return shared


def _lifts(lines: Iterable[_Line], multipliers: Iterable[_Multiplier]) -> dict[str, float]:
    """How many times its own hours each row takes with the multipliers of the undertaking, by weight.

    What one adds to the rows of a part and phase is shared out among those that it acts on, by their P50.
    """
    lines = tuple(lines)
    lifts = {line.weight: 1.0 for line in lines if not line.multiplier}
    for one in multipliers:
        for added in (line for line in lines if line.multiplier == one.id):
            cell = (added.part, added.phase)
            priced = (row for row in lines if not row.multiplier and (row.part, row.phase) == cell)
            rows = [row for row in priced if acts_on(one, row.weight, row.part)]
            before = fsum(row.p50 for row in rows)
            for row in rows if before >= _LEAST_HOURS else ():
                lifts[row.weight] += added.p50 / before
    return lifts


def read_actuals(path: Path, estimated: Estimated, titles: Mapping[str, str]) -> tuple[Actual, ...]:
    """The finished rows of an ACTUALS.csv: `hours`, and one of `finding`, `weight` or `part`.

    An optional column `done` with "no" leaves a row out. A part, and weights or findings inside it, can't both be
    given, nor a name twice: their hours would count twice. titles: what the report calls each part.
    Raises EstimatorError with the faults of the file, one a line: file, row, what is wrong, the nearest right name;
    see `faulty`.
    """
    actuals: list[Actual] = []
    faults: list[str] = []
    taken: dict[tuple[str, str], int] = {}
    rows = read_csv(path, ("hours",))
    for number, row in enumerate(rows, start=1):
        if len(faults) >= MOST_FAULTS:
            raise faulty(path, faults, len(rows) - number + 1)
        cells = {name: (text or "").strip() for name, text in row.items() if isinstance(text, str) or text is None}
        try:
            if (actual := _actual(cells, estimated, titles, taken, number)) is not None:
                actuals.append(actual)
        except ValueError as error:
            faults += [f"{path}: row {number}: {fault}" for fault in str(error).split("\n")]
    faults += [f"{path}: {fault}" for fault in _overlaps(taken, estimated)]
    if not actuals and not faults:
        faults.append(f"{path}: no finished row")
    if faults:
        raise faulty(path, faults)
    return tuple(actuals)


def _actual(
    cells: Mapping[str, str],
    estimated: Estimated,
    titles: Mapping[str, str],
    taken: dict[tuple[str, str], int],
    number: int,
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
        faults += _unknown(*given[0], estimated, titles)
    if faults:
        raise ValueError("\n".join(faults))
    key, name = given[0]
    return Actual(name, estimated.of(key, name), hours) if done == "yes" else None


def _hours(text: str, faults: list[str]) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = 0.0
    if not _LEAST_HOURS <= hours <= _MOST_HOURS:
        bounds = f"from {_LEAST_HOURS} to {_MOST_HOURS:,}"
        faults.append(f"hours: must be a number {bounds} (given: '{shown(text, 60)}')")
    return hours


def _unknown(key: str, name: str, estimated: Estimated, titles: Mapping[str, str]) -> Iterator[str]:
    known = estimated.known(key)
    if name not in known:
        listed = f"; there are {_listed(known, titles)}" if key == "part" else ""
        yield f"no {key} '{shown(name, 60)}' was priced in the assessment{did_you_mean(name, known)}{listed}"
    elif not _LEAST_HOURS <= (hours := fsum(estimated.of(key, name).values())) <= _MOST_HOURS:
        yield f"{key} '{shown(name, 60)}' was estimated at {hours:g} hours: there is no ratio"


def _listed(parts: Iterable[str], titles: Mapping[str, str]) -> str:
    """Names to write, each with what the report calls it: "kernels (Own kernels)"."""
    return ", ".join(f"{part} ({titles[part]})" if part in titles else part for part in parts)


def _overlaps(taken: Mapping[tuple[str, str], int], estimated: Estimated) -> Iterator[str]:
    """Rows whose hours lie inside another row's, in whole or in part."""
    for (key, name), number in taken.items():
        if key == "part" or name not in estimated.known(key):
            continue
        above = dict.fromkeys(("part", part) for part, _ in estimated.of(key, name))
        if key == "finding":
            above |= dict.fromkeys(("weight", weight) for _, weight in estimated.of(key, name))
        for other in above:
            if other in taken:
                yield f"row {number}: {key} '{name}' is part of {other[0]} '{other[1]}' in row {taken[other]}"


def calibrate(actuals: Sequence[Actual], sigma: float) -> Calibration:
    """Fit multipliers to finished rows. sigma: of the stage that the estimate was made at."""
    ratios = np.array([one.log_ratio for one in actuals])
    noise = _noise(actuals, sigma)
    by_part, by_kind = _shares(actuals)
    covariance = sum(share @ share.T for share in (_table(by_part), _table(by_kind))) * sigma**2 / 2
    inverse = np.linalg.inv(covariance + np.diag(noise))
    pull = inverse @ ratios
    held = [part for part in PARTS if part in by_part and by_part[part].sum() >= _LEAST_SHARE]
    parts = {part: sigma**2 / 2 * float(share @ pull) for part, share in by_part.items()}
    kinds = {kind: parts[kind[0]] + sigma**2 / 2 * float(share @ pull) for kind, share in by_kind.items()}
    return Calibration(
        fitted=tuple(_fitted(part, by_part[part], ratios, parts[part], kinds) for part in held),
        before=root_mean_square(ratios.tolist()),
        after=root_mean_square((noise * pull).tolist()),
        left_out=root_mean_square((pull / inverse.diagonal()).tolist()),
        rows=len(actuals),
    )


def _noise(actuals: Sequence[Actual], sigma: float) -> Array:
    """Variance of each row around its multipliers: sigma squared, or the scatter of its part's rows where larger."""
    main = [next(iter(one.parts)) for one in actuals]
    of_part = {part: [one.log_ratio for one, its in zip(actuals, main, strict=True) if its == part] for part in main}
    scatter = {part: variance(ratios) if len(ratios) > 1 else 0.0 for part, ratios in of_part.items()}
    return np.array([max(sigma**2, scatter[part]) for part in main])


def _shares(actuals: Sequence[Actual]) -> tuple[dict[str, Array], dict[Kind, Array]]:
    """Share that each part, and each kind of work, has in the hours of every row."""
    by_part: dict[str, Array] = {}
    by_kind: dict[Kind, Array] = {}
    for row, one in enumerate(actuals):
        for kind, hours in one.kinds.items():
            share = hours / one.estimated
            by_part.setdefault(kind[0], np.zeros(len(actuals)))[row] += share
            by_kind.setdefault(kind, np.zeros(len(actuals)))[row] += share
    return by_part, by_kind


def _table(shares: Mapping[Any, Array]) -> Array:
    """One line a finished row, one column a part or kind."""
    return np.column_stack(tuple(shares.values()))


def _fitted(part: str, share: Array, ratios: Array, shift: float, kinds: Mapping[Kind, float]) -> Fitted:
    return Fitted(
        part=part,
        rows=int(np.count_nonzero(share)),
        ratio=exp(float(share @ ratios / share.sum())) if share.any() else 1.0,
        multiplier=exp(shift),
        kinds={weight: exp(value) for (of, weight), value in kinds.items() if of == part},
    )


def overlay(
    calibration: Calibration, weights: Mapping[str, Weight | Unpriced], estimated: Estimated, origin: str
) -> str:
    """A weights file for --weights: every row of a fitted part, its hours in the option's column multiplied.

    By amd the end of a row that has one (`most`) is multiplied too, else long rows would stay as they were. Kernels
    that the option amd takes to Triton are priced in the other column, and stay.
    Its table [calibrated] tells the report what stands behind it. origin: the name of the file of finished rows.
    """
    option = estimated.option
    lines = [f"# Hours of the option {option}, calibrated on {_quoted(origin)[1:-1]}."]
    lines += ["", *_calibrated(calibration, estimated, origin)]
    for fit in calibration.fitted:
        lines += ["", f"# {fit.part}: n = {fit.rows}, actual/estimated {fit.ratio:.3f}"]
        for weight in weights.values():
            if isinstance(weight, Weight) and weight.part == fit.part:
                factor = fit.of(weight.id)
                source = f"calibrated on {origin}, n = {fit.rows}: x {factor:.3f}; before: {weight.source}"
                lines += [f"[{weight.id}]", *_multiplied(weight, option, factor)]
                lines.append(f"source = {_quoted(source)}")
    return "\n".join(lines) + "\n"


def _calibrated(calibration: Calibration, estimated: Estimated, origin: str) -> Iterator[str]:
    yield "[calibrated]"
    yield f"rows = {calibration.rows}"
    yield f"origin = {_quoted(origin)}"
    yield f"option = {_quoted(estimated.option)}"
    yield f"parts = [{', '.join(_quoted(fit.part) for fit in calibration.fitted)}]"
    yield f"assessed = {_quoted(estimated.date)}"


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
