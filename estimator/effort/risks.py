"""Which events may come on top of the rows, and what would they cost? From what was found and what the user said.

Each event is drawn apart from the rows and from the other events: it comes with its mean probability, and then takes
hours drawn from a PERT distribution of its own, or such a share of the hours of some parts. No row's hours hold any
of it. A risk's random numbers depend on the seed and its id alone, so that both options meet the same luck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from estimator.effort.pricing import COLUMNS, Weights, columns, makes_a_port
from estimator.effort.uncertainty import Simulation
from estimator.effort.values import Array, Programme, RiskEvent, WithRisks
from estimator.findings.values import Disposition, Finding, Findings
from estimator.knowledge.values import PARTS, Risk
from estimator.quantities import Hours, Triple
from estimator.scan.sites import Site

_UNKNOWN = "unknown"  # an answer that was not given
_FILES_NAMED = 3


@dataclass(frozen=True, slots=True)
class _Place:
    """A debt site with its finding, and the column that it is priced in."""

    site: Site
    finding: Finding
    column: str


def events(
    found: Findings, weights: Weights, option: str, programme: Programme, simulation: Simulation
) -> tuple[tuple[RiskEvent, ...], WithRisks]:
    """The risks that apply to one option, in their order, and its full scope with them.

    Without rows nothing is ported and nothing can happen: no risks, and zeros.
    """
    if not simulation.rows:
        return (), WithRisks()
    places = _places(found, weights, option)
    applied = []
    total = simulation.full()
    for risk in programme.risks:
        hit = _hit(risk, places) if _asked(risk, programme) else None
        if hit is None:
            continue
        event, drawn = _event(risk, hit, simulation)
        if event.hours.high:
            applied.append(event)
            total = total + drawn
    p50, p80, p90 = (float(value) for value in np.percentile(total, (50, 80, 90)))
    mean = simulation.parts(PARTS).mean + fsum(event.expected for event in applied)
    return tuple(applied), WithRisks(mean, p50, p80, p90)


# which risks apply


def _places(found: Findings, weights: Weights, option: str) -> tuple[_Place, ...]:
    """Debt that makes a port; constants to re-tune alone are none."""
    column = columns(found, weights, option)
    return tuple(
        _Place(found.sites[index].site, finding, column(found.sites[index].site))
        for finding in found.findings
        if makes_a_port(finding.weight, weights)
        for index in finding.sites
        if found.sites[index].disposition is Disposition.DEBT
    )


def _asked(risk: Risk, programme: Programme) -> bool:
    """Whether the user's answers let it apply, and no multiplier counts the same."""
    on = {scaling.multiplier.id for scaling in programme.scalings}
    return on.isdisjoint(risk.unless) and (not risk.scenario or _any_given(risk.scenario, programme.answers))


def _any_given(wanted: Mapping[str, tuple[bool | str, ...]], answers: Mapping[str, object]) -> bool:
    """Whether any field has one of the answers that are wanted of it; "unknown" is wanted where none was given."""
    given = {name: _UNKNOWN if answers.get(name) is None else answers[name] for name in wanted}
    return any(given[name] in values for name, values in wanted.items())


@dataclass(frozen=True, slots=True)
class _Hit:
    """The impact of a risk that applies, and the places that it applies for."""

    impact: Triple
    places: Sequence[_Place]


def _hit(risk: Risk, places: Iterable[_Place]) -> _Hit | None:
    """The places that a risk applies for, None if there are too few.

    Places in a column that it doesn't hit don't count. The impact is that of the column with most of the others.
    """
    meant = [place for place in places if place.column in risk.impact and _means(risk, place)]
    sizes: Counter[str] = Counter()
    for place in meant:
        sizes[place.column] += place.site.count
    if sizes.total() < risk.at_least:
        return None
    column = max(COLUMNS, key=lambda name: sizes[name])
    return _Hit(risk.impact[column], meant)


def _means(risk: Risk, place: _Place) -> bool:
    finding = place.finding
    return (
        finding.category in risk.categories
        or finding.library in risk.libraries
        or any(_named(finding.weight, name) for name in risk.weights)
    )


def _named(weight: str, name: str) -> bool:
    return weight.startswith(name.removesuffix("*")) if name.endswith("*") else weight == name


# what they cost


def _event(risk: Risk, hit: _Hit, simulation: Simulation) -> tuple[RiskEvent, Array]:
    """The event and its draws, which are zero where it doesn't come."""
    impact, luck = hit.impact, simulation.luck
    drawn = luck.pert(f"impact {risk.id}", impact)
    hours, mean = Hours(impact.low, impact.likely, impact.high), impact.mean
    if risk.share_of:
        whole = simulation.parts(risk.share_of)
        drawn = drawn * simulation.drawn(risk.share_of)
        hours, mean = hours * whole.likely, mean * whole.mean
    comes = luck.chance(f"risk {risk.id}") < risk.probability.mean
    return _told(risk, hit, hours, risk.probability.mean * mean), np.where(comes, drawn, 0.0)


def _told(risk: Risk, hit: _Hit, hours: Hours, expected: float) -> RiskEvent:
    files = _files(hit.places)
    return RiskEvent(
        id=risk.id,
        title=risk.title,
        probability=risk.probability,
        hours=hours,
        expected=expected,
        why="; ".join((_where(files), *_unanswered(risk))),
        findings=tuple(sorted({place.finding.id for place in hit.places})),
        places=files.total(),
        files=len(files),
        mitigation=risk.mitigation,
        source=risk.source,
        grade=risk.grade,
    )


def _files(places: Iterable[_Place]) -> Counter[str]:
    """How many places each file holds."""
    files: Counter[str] = Counter()
    for place in places:
        files[place.site.path] += place.site.count
    return files


def _where(files: Counter[str]) -> str:
    """ "12 places in 2 files: a.cu, b.cu", the files with most of them first."""
    named = sorted(files, key=lambda path: (-files[path], path))[:_FILES_NAMED]
    more = ", …" if len(files) > len(named) else ""
    places = "1 place" if files.total() == 1 else f"{files.total():,} places"
    return f"{places} in {len(files):,} {'file' if len(files) == 1 else 'files'}: {', '.join(named)}{more}"


def _unanswered(risk: Risk) -> Iterator[str]:
    for name, values in risk.scenario.items():
        if _UNKNOWN in values:
            yield f"{name} is not answered"
