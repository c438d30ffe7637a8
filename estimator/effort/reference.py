"""What did ports like this one really take? A line through ports that happened, giving author-days with a range.

Rows add up what the code asks for, the class says what people then needed; where the class applies, both are blended
by how far off either typically was. log(author-days) is a straight line of the logarithms of two figures:

- people: everybody who joins reads, hands over, reviews and commits on days of their own. The plan knows them (the
  scenario's team); of the ports it is known only afterwards, which flatters the fit. Where nobody says so, the
  line is flat: the code alone tells ports no better apart than their mean.
- host_api_files: files that call the CUDA runtime or driver. Each is a place to convert, guard, build and test.

Kernels and lines were looked at and left out: over 35 ports their rank correlation with author-days is 0.06 and 0.29.
Slopes come from ridge regression on standardised features: with fourteen ports they'd be too steep otherwise. The
range comes from errors on ports that the line had not seen, widened by how far a code base lies from their middle.
Source: `heuristics/ports.csv`, `heuristics/reference.toml`; heuristics/README.md explains both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp, fsum, inf, isnan, log, log1p, nan, prod, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from estimator.effort.agreement import Array, fared
from estimator.effort.values import (
    BLEND,
    FUNCTIONAL_PARTS,
    PORT_OPTIONS,
    Blend,
    Checked,
    Days,
    Reference,
    ReferenceRow,
    Scaling,
)
from estimator.errors import EstimatorError
from estimator.findings.values import Disposition, Findings
from estimator.knowledge.ports import KERNELS
from estimator.knowledge.strategies import PREFIX
from estimator.knowledge.values import Multiplier
from estimator.quantities import Triple, percent

if TYPE_CHECKING:
    from estimator.effort.values import EffortLine, Estimate
    from estimator.knowledge.values import Port, ReferenceRule, Units

Ports = Sequence["Port"]

_HOST_API = ("runtime-api", "runtime-api-unsupported", "driver-api")
_KERNEL_COLUMNS = {
    "elementwise": "kernels_elementwise",
    "reduction": "kernels_shared",
    "smem-tiled": "kernels_shared",
    "tensor-wmma": "kernels_tensor",
    "tensor-raw": "kernels_tensor",
    "cluster": "kernels_tensor",
}
_ROWS_NAMED = 5
_DAYS = "days"
_WORDS = {
    "host_api_files": "files that call the CUDA runtime or driver",
    "cuda_lines": "lines of CUDA",
    _DAYS: "person-days by rows",
}
_FARTHEST = 100.0  # of a logarithm; what lies beyond is no number of days


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """log(author-days) = level + slopes . (x - centre) / scale, where x holds the logarithms of the features.

    inverse: of Z'Z + shrinkage, which says how badly each direction is known. ports: how many it was drawn through.
    """

    features: tuple[str, ...]
    level: float
    slopes: Array
    centre: Array
    scale: Array
    inverse: Array
    ports: int

    def at(self, counts: Mapping[str, float]) -> tuple[float, float]:
        """log(author-days) of a code base, and the variance of the line there in units of one port's."""
        z = (_logarithms(counts, self.features) - self.centre) / self.scale
        return self.level + float(z @ self.slopes), 1 / self.ports + float(z @ self.inverse @ z)


Drawing = Callable[[Ports], Line]


@dataclass(frozen=True, slots=True)
class Nearness:
    """How far the class speaks of a code base: share of its weight that is left, and why it is less than all."""

    share: float
    reasons: tuple[str, ...] = ()


NEAR = Nearness(1.0)


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceClass:
    """A line and how wrong such lines were. error: root mean square of log errors on ports that were left out."""

    line: Line
    error: float

    def error_at(self, counts: Mapping[str, float]) -> float:
        """How far off, in logarithms, the class is for one code base: its error and that of the line itself.

        It widens away from the ports. The error already holds that of the line once, at the ports: in their midst
        this is a little too much.
        """
        return self.error * sqrt(1 + self.line.at(counts)[1])

    def predict(self, counts: Mapping[str, float]) -> Days:
        """Author-days at P10, P50 and P90: a log-t distribution around the line.

        Raises EstimatorError for a code base so far from the ports that the range has no figures.
        """
        middle, _ = self.line.at(counts)
        reach = student(0.9, self.line.ports - 1 - len(self.line.features)) * self.error_at(counts)
        if not abs(middle) + reach < _FARTHEST:
            raise EstimatorError("a port so far from the others that the reference class has no figure for it")
        return Days(exp(middle - reach), exp(middle), exp(middle + reach))


def ridge(ports: Ports, features: tuple[str, ...], shrinkage: float) -> Line:
    """The line with the least sum of squared errors plus shrinkage x squared slopes. No features: the mean.

    A feature that is the same everywhere gets no slope. Raises EstimatorError for fewer than features + 3 ports.
    """
    if len(ports) < len(features) + 3:
        raise EstimatorError(f"{len(ports)} ports are too few for {len(features)} features; {len(features) + 3} needed")
    x = np.array([_logarithms(port.counts, features) for port in ports])
    y = np.array([log(port.author_days) for port in ports])
    centre, scale = x.mean(axis=0), x.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    z = (x - centre) / scale
    inverse = np.linalg.inv(z.T @ z + max(shrinkage, 1e-9) * np.eye(len(features)))
    return Line(features, float(y.mean()), inverse @ z.T @ (y - y.mean()), centre, scale, inverse, len(ports))


def searching(ports: Ports, choices: Iterable[tuple[str, ...]], shrinkage: float) -> Line:
    """The line of those features, out of several choices, which errs least on ports left out; the first of equals."""
    lines: list[Drawing] = [partial(ridge, features=features, shrinkage=shrinkage) for features in choices]
    return min(lines, key=lambda draw: _error(ports, draw))(ports)


def fit(ports: Ports, draw: Drawing) -> ReferenceClass:
    """The line through all ports, with the error of lines drawn without each of them in turn."""
    return ReferenceClass(draw(ports), _error(ports, draw))


def drawing(rule: ReferenceRule, people_known: bool = True) -> Drawing:
    """How the rule draws a line through ports: a flat one where nobody knows how many people will work.

    Without people the code alone errs no less on ports left out than their mean does.
    """
    return partial(ridge, features=rule.features if people_known else (), shrinkage=rule.shrinkage)


def counted(ports: Ports) -> tuple[Port, ...]:
    """Those of the reference class; the others have another scope."""
    return tuple(port for port in ports if port.counted)


def without_each(ports: Ports) -> Iterator[tuple[Port, tuple[Port, ...]]]:
    """Each port with all the others."""
    for index, port in enumerate(ports):
        yield port, (*ports[:index], *ports[index + 1 :])


def _error(ports: Ports, draw: Drawing) -> float:
    errors = [log(port.author_days) - draw(others).at(port.counts)[0] for port, others in without_each(ports)]
    return sqrt(fsum(error * error for error in errors) / len(errors))


def _logarithms(counts: Mapping[str, float], features: Sequence[str]) -> Array:
    """People by their logarithm, other counts by that of 1 + count, since they may be none."""
    try:
        return np.array([log(counts[name]) if name == "people" else log1p(counts[name]) for name in features])
    except KeyError as error:
        raise EstimatorError(f"a port without the figure {error}, which the reference class needs") from None


def student(share: float, freedom: int) -> float:
    """Quantile of Student's t, by its expansion around the normal one; right to 0.01 at 0.9 from 2 degrees on.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    z = NormalDist().inv_cdf(share)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


# what a code base holds, and what the class says of it


def measured(found: Findings) -> dict[str, float]:
    """Counts of what a port has to touch, by column of ports.csv: debt and automatic places, kernels in debt.

    Places of libraries, warps and so on are sites; files, symbols and libraries are distinct ones.
    """
    priced = (Disposition.DEBT, Disposition.AUTOMATIC)
    sites = [judged.site for judged in found.sites if judged.disposition in priced]
    number: Counter[str] = Counter()
    for site in sites:
        number[site.category] += site.count
    host = [site for site in sites if site.category in _HOST_API]
    libraries = {site.library for site in sites if site.category == "library-call" and site.library}
    kernels = Counter(
        _KERNEL_COLUMNS.get(judged.kernel.kind, "kernels_irregular")
        for judged in found.kernels
        if judged.disposition is Disposition.DEBT
    )
    return {
        "cuda_lines": found.inventory.cuda_lines,
        "host_api_files": len({site.path for site in host}),
        "runtime_sites": number["runtime-api"] + number["runtime-api-unsupported"],
        "driver_sites": number["driver-api"],
        "api_symbols": len({site.symbol for site in host}),
        "libraries": len(libraries),
        "library_sites": number["library-call"],
        "build_files": len({site.path for site in sites if site.category == "build-system"}),
        "container_files": len({site.path for site in sites if site.category in ("container", "orchestration")}),
        "warp_sites": number["warp-size"] + number["warp-primitive"] + number["lane-mask"],
        "ptx_sites": number["inline-ptx"] + number["ptx-module"],
        **{column: kernels[column] for column in KERNELS},
    }


def refer(
    found: Findings, rows: Estimate, ports: Ports, rule: ReferenceRule, units: Units, people: int | None
) -> Reference | None:
    """What the class says of a port of this code, beside the rows of the functional scope of amd.

    rows: priced as the ports were, by the shipped weights, without any multiplier or strategy: what a user changes
    counts in full on top of the blend. Rows of kinds that the ports hardly held are no part of it. people: who will
    work on it, None where nobody said so; more than any port had count as the most.
    None where there is no debt: a portable code base costs about nothing, whatever others took.
    """
    members = counted(ports)
    judged = {item.disposition for item in found.sites} | {item.disposition for item in found.kernels}
    if Disposition.DEBT not in judged or not members:
        return None
    counts = measured(found) | ({} if people is None else {"people": float(max(people, 1))})
    known = fit(members, drawing(rule, people is not None))
    inside = _within(counts, members, known.line.features)
    days, ours = known.predict(inside), rows.options["amd"].scopes["functional"].p50 / units.hours_per_day
    lines = [line for line in rows.options["amd"].lines if line.part in FUNCTIONAL_PARTS]
    unlike = unlike_share(lines, rule)
    like = ours * (1 - unlike)
    near = nearness({**counts, _DAYS: like}, members, units.hours_per_day, rule.fade)
    rows_error = rows_error_on(members, units.hours_per_day)
    mixed = None if not like or isnan(rows_error) else blend(like, days.p50, rows_error, known.error_at(inside), near)
    unblended = _unblended(mixed, like, near, rule)
    return Reference(
        ports=len(members),
        people=people,
        features=known.line.features,
        host_api_files=int(counts["host_api_files"]),
        days=days,
        hours=Days(*(value * units.hours_per_day for value in (days.p10, days.p50, days.p90))),
        reason="; ".join(near.reasons),
        unlike=unlike,
        functional_days=ours,
        usual_days=(rule.days_least, rule.days_most),
        usual_ports=rule.ports_seen,
        because=_because(lines, ours, rule.days_most),
        checked=checked(members, rule, units.hours_per_day, people is not None),
        blend=None if unblended else mixed,
        unblended=unblended,
    )


def blend(rows: float, others: float, rows_error: float, class_error: float, near: Nearness = NEAR) -> Blend:
    """Two P50s as one, in logarithms, each with the weight of 1 / error squared; the class by how near the code is.

    rows, others: of the rows and of the class, above 0, in one unit.
    Source: the combination with the least variance of two estimates whose errors are independent.
    """
    weight = near.share * rows_error**2 / (rows_error**2 + class_error**2)
    return Blend(weight, (others / rows) ** weight, class_error, rows_error)


def nearness(counts: Mapping[str, float], members: Ports, hours_per_day: float, fade: float) -> Nearness:
    """How far the class speaks of a code base: it loses weight with the distance from the ports.

    Beyond what they had of host API files, lines of CUDA or days by rows, weight falls in a straight line of the
    logarithm, to none at `fade` times the most, or the least divided by it.
    """
    ends = {name: _ends(members, name, hours_per_day) for name in _WORDS}
    shares = {name: _faded(counts[name], ends[name], fade) for name in _WORDS}
    reasons = (
        f"{_shown(counts[name])} {words}, the ports had {_shown(ends[name][0])} to {_shown(ends[name][1])}"
        for name, words in _WORDS.items()
        if shares[name] < 1
    )
    return Nearness(prod(shares.values()), tuple(reasons))


def _within(counts: Mapping[str, float], members: Ports, features: Sequence[str]) -> dict[str, float]:
    """Features no further than any port had them: the line says nothing of what lies beyond."""
    ends = {name: [port.counts[name] for port in members] for name in features}
    return {name: min(max(counts[name], min(known)), max(known)) for name, known in ends.items()}


def _ends(members: Ports, name: str, hours_per_day: float) -> tuple[float, float]:
    """The least and the most that ports had; everything where none has the figure."""
    if name == _DAYS:
        known = [rows.p50 for port in members if (rows := rows_in_days(port, hours_per_day))]
    else:
        known = [port.counts[name] for port in members if name in port.counts]
    return (min(known), max(known)) if known else (0.0, inf)


def _faded(value: float, ends: tuple[float, float], fade: float) -> float:
    beyond = max(log1p(ends[0]) - log1p(value), log1p(value) - log1p(ends[1]), 0.0)
    return max(0.0, 1 - beyond / log(fade))


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def unlike_share(lines: Iterable[EffortLine], rule: ReferenceRule) -> float:
    """Share of the likely hours of rows of kinds that the ports hardly held."""
    hours = [(line.hours.likely, line.weight in rule.unlike) for line in lines]
    whole = fsum(likely for likely, _ in hours)
    return fsum(likely for likely, unlike in hours if unlike) / whole if whole else 0.0


def blending(reference: Reference | None, rule: ReferenceRule, rewrites: bool = True) -> tuple[Scaling, ...]:
    """The blend as a multiplier of an option's rows, so that lines and parts still add up; none if nothing is blended.

    amd: all parts of the functional scope. triton-first: without its kernels, which no port of the class wrote anew;
    rewrites: whether it does, else it is the same port. Rows of kinds that the ports hardly held are left alone, and so
    is what a strategy adds: ports went all ways.
    """
    if reference is None or reference.blend is None:
        return ()
    factor = reference.blend.factor
    why = f"blended with {reference.ports} ports that happened, {percent(reference.blend.weight)} of the weight theirs"
    return tuple(
        Scaling(
            Multiplier(
                id=f"{BLEND}.{option}",
                title=rule.blend_title,
                factor=Triple(factor, factor, factor),
                parts=tuple(part for part in FUNCTIONAL_PARTS if not anew or part != "kernels"),
                weights=(),
                spares=(PREFIX, *rule.unlike),
                on={},
                grade=rule.blend_grade,
                source=rule.source,
                why=why,
            ),
            Triple(factor, factor, factor),
            why,
            (option,),
        )
        for option, anew in zip(PORT_OPTIONS, (False, rewrites), strict=True)
    )


def _unblended(mixed: Blend | None, like: float, near: Nearness, rule: ReferenceRule) -> str:
    """Why rows and class are not blended, "" where they are. like: days of kinds that the ports held."""
    if not like:
        return "it has no functional hours of kinds that the ports held"
    if mixed is None:
        return "how rows fared on ports is not known"
    if mixed.weight < rule.weight_least:
        return f"this code lies outside of what the class knows: {'; '.join(near.reasons)}"
    return ""


def rows_error_on(members: Ports, hours_per_day: float) -> float:
    """Root mean square of log(P50/actual) of the rows on ports; not a number where fewer than three were priced."""
    known = [(rows, port) for port in members if (rows := rows_in_days(port, hours_per_day))]
    errors = [log(rows.p50 / port.author_days) for rows, port in known]
    return sqrt(fsum(error * error for error in errors) / len(errors)) if len(errors) >= 3 else nan


def checked(members: Ports, rule: ReferenceRule, hours_per_day: float, people_known: bool) -> Checked | None:
    """How the rows of an estimate, the class and both blended fared on ports of the class whose rows were priced.

    Each port is predicted from the others. None where no rows were priced, or the others are too few for a line.
    """
    known = [
        (port, others, rows) for port, others in without_each(members) if (rows := rows_in_days(port, hours_per_day))
    ]
    if len(known) < 4 or len(members) < len(rule.features) + 5:
        return None
    took = [port.author_days for port, _, _ in known]
    draw = drawing(rule, people_known)
    classes = [fit(others, draw) for _, others, _ in known]
    said = [one.predict(port.counts) for one, (port, _, _) in zip(classes, known, strict=True)]
    mixed = [
        blended(port, rows, one, rows_error_on(others, hours_per_day))
        for one, (port, others, rows) in zip(classes, known, strict=True)
    ]
    alone = fared(took, said)
    if not classes[0].line.features:
        alone = replace(alone, rank=None)  # it tells no port from another: what it has is an artefact of leaving out
    return Checked(len(known), fared(took, [rows for _, _, rows in known]), alone, fared(took, mixed))


def blended(port: Port, rows: Days, known: ReferenceClass, rows_error: float) -> Days:
    """What an estimate of a port would have said: its rows, each multiplied by the blend's factor."""
    factor = blend(rows.p50, known.predict(port.counts).p50, rows_error, known.error_at(port.counts)).factor
    return Days(rows.p10 * factor, rows.p50 * factor, rows.p90 * factor)


def rows_in_days(port: Port, hours_per_day: float) -> Days | None:
    """What the rows of an estimate said of a port, in author-days; None if they were not priced."""
    return Days(*(hours / hours_per_day for hours in port.functional)) if port.functional else None


def _because(lines: Sequence[EffortLine], days: float, most: float) -> tuple[ReferenceRow, ...]:
    """The largest rows, until the rest would lie within the days that ports took; none if the whole does."""
    total = fsum(line.hours.likely for line in lines)
    rows: list[ReferenceRow] = []
    left = days
    for line in sorted(lines, key=lambda line: (-line.hours.likely, line.weight)):
        if left <= most or len(rows) == _ROWS_NAMED:
            break
        rows.append(ReferenceRow(line.weight, line.title, line.hours.likely))
        left -= days * line.hours.likely / total
    return tuple(rows)
