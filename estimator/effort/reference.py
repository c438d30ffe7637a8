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
from dataclasses import dataclass
from functools import partial
from math import exp, fsum, isnan, log, log1p, nan, sqrt
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
from estimator.knowledge.values import Multiplier
from estimator.quantities import Triple, percent

if TYPE_CHECKING:
    from estimator.effort.values import EffortLine, OptionEstimate
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
    found: Findings,
    option: OptionEstimate,
    ports: Ports,
    rule: ReferenceRule,
    units: Units,
    people: int | None,
) -> Reference | None:
    """What the class says of a port of this code, beside the rows of an option's functional scope.

    option: priced as the ports were, by the shipped weights and without any multiplier: what a user changes counts in
    full on top of the blend. people: who will work on it, None where nobody said so.
    None where there is no debt: a portable code base costs about nothing, whatever others took.
    """
    members = counted(ports)
    judged = {item.disposition for item in found.sites} | {item.disposition for item in found.kernels}
    if Disposition.DEBT not in judged or not members:
        return None
    counts = measured(found) | ({} if people is None else {"people": float(max(people, 1))})
    known = fit(members, drawing(rule, people is not None))
    days, ours = known.predict(counts), option.scopes["functional"].p50 / units.hours_per_day
    lines = [line for line in option.lines if line.part in FUNCTIONAL_PARTS]
    reasons = "; ".join([*_out_of_range(counts, members, rule.features), *_unlike(lines, rule)])
    rows_error = rows_error_on(members, units.hours_per_day)
    unblended = _unblended(reasons, ours, rows_error)
    return Reference(
        ports=len(members),
        people=people,
        features=known.line.features,
        host_api_files=int(counts["host_api_files"]),
        days=days,
        hours=Days(*(value * units.hours_per_day for value in (days.p10, days.p50, days.p90))),
        applies=not reasons,
        reason=reasons,
        functional_days=ours,
        usual_days=(rule.days_least, rule.days_most),
        usual_ports=rule.ports_seen,
        because=_because(lines, ours, rule.days_most),
        checked=checked(members, rule, units.hours_per_day, people is not None),
        blend=None if unblended else blend(ours, days.p50, rows_error, known.error_at(counts)),
        unblended=unblended,
    )


def blend(rows: float, others: float, rows_error: float, class_error: float) -> Blend:
    """Two P50s as one, in logarithms, each with the weight of 1 / error squared.

    rows, others: of the rows and of the class, above 0, in one unit.
    Source: the combination with the least variance of two estimates whose errors are independent.
    """
    weight = rows_error**2 / (rows_error**2 + class_error**2)
    return Blend(weight, (others / rows) ** weight, class_error, rows_error)


def blending(reference: Reference | None, rule: ReferenceRule) -> tuple[Scaling, ...]:
    """The blend as a multiplier of an option's rows, so that lines and parts still add up; none if nothing is blended.

    amd: all parts of the functional scope. triton-first: without its kernels, which no port of the class wrote anew.
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
                parts=tuple(part for part in FUNCTIONAL_PARTS if option == "amd" or part != "kernels"),
                weights=(),
                on={},
                grade=rule.blend_grade,
                source=rule.source,
                why=why,
            ),
            Triple(factor, factor, factor),
            why,
            (option,),
        )
        for option in PORT_OPTIONS
    )


def _unblended(reasons: str, rows: float, rows_error: float) -> str:
    """Why rows and class are not blended, "" where they are."""
    if reasons:
        return f"this code lies outside of what the class knows: {reasons}"
    if not rows or isnan(rows_error):
        return "the rows, or their errors on ports, are not known"
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
    return Checked(len(known), fared(took, [rows for _, _, rows in known]), fared(took, said), fared(took, mixed))


def blended(port: Port, rows: Days, known: ReferenceClass, rows_error: float) -> Days:
    """What an estimate of a port would have said: its rows, each multiplied by the blend's factor."""
    factor = blend(rows.p50, known.predict(port.counts).p50, rows_error, known.error_at(port.counts)).factor
    return Days(rows.p10 * factor, rows.p50 * factor, rows.p90 * factor)


def rows_in_days(port: Port, hours_per_day: float) -> Days | None:
    """What the rows of an estimate said of a port, in author-days; None if they were not priced."""
    return Days(*(hours / hours_per_day for hours in port.functional)) if port.functional else None


_SIZE = "cuda_lines"
_WORDS = {
    "people": "people",
    "host_api_files": "files that call the CUDA runtime or driver",
    "cuda_lines": "lines of CUDA",
}


def _out_of_range(counts: Mapping[str, float], members: Ports, features: Sequence[str]) -> Iterator[str]:
    """Features, and the size of the code, that no port of the class had. People who are not known are no reason."""
    for name in (*(name for name in features if name in counts), _SIZE):
        known = sorted(port.counts[name] for port in members if name in port.counts)
        if known and not known[0] <= counts[name] <= known[-1]:
            words = _WORDS.get(name, name.replace("_", " "))
            yield f"{counts[name]:,.0f} {words}, the ports had {known[0]:,.0f} to {known[-1]:,.0f}"


def _unlike(lines: Sequence[EffortLine], rule: ReferenceRule) -> Iterator[str]:
    """Of rows alone: what multipliers add belongs to no kind and would thin out the share."""
    rows = [line for line in lines if not line.multiplier]
    total = fsum(row.hours.likely for row in rows)
    share = fsum(row.hours.likely for row in rows if row.weight in rule.unlike) / total if total else 0.0
    if share > rule.unlike_most:
        yield f"{percent(share)} of the functional hours are of kinds that the ports hardly held"


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
