"""What would the port cost, from findings and weights, as lines of hours with their ranges for each option.

`pricing` turns findings into rows of three-point hours, `uncertainty` draws their spread. numpy is imported
with the first call of `estimate`, not before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum
from typing import TYPE_CHECKING

from estimator.effort.values import (
    EDIT_PARTS,
    FUNCTIONAL_PARTS,
    PORT_OPTIONS,
    Draws,
    EffortLine,
    Estimate,
    OptionEstimate,
)
from estimator.errors import EstimatorError
from estimator.findings.values import Disposition
from estimator.knowledge.values import PARTS, PHASES, Weight
from estimator.quantities import NO_HOURS, Hours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from estimator.effort.pricing import Row
    from estimator.effort.uncertainty import Simulation
    from estimator.findings.values import Findings
    from estimator.knowledge.values import Performance, Units, Unpriced

__all__ = ["estimate"]

STAY = "nvidia"
GRADES = ("A", "B", "C")


def estimate(
    found: Findings,
    weights: Mapping[str, Weight | Unpriced],
    units: Units,
    performance: Mapping[str, Performance],
    *,
    seed: int,
    stage: str = "scan",
) -> Estimate:
    """Price everything found, for every option.

    found: from `findings`; the order of its findings doesn't matter. seed: of the draws; the same seed gives
    the same estimate. stage: how far the work has come, one of units.sigma.
    Hours are engineer-hours. What has no price is in `unpriced`, never counted as zero.
    Raises EstimatorError for a stage or a weight class that doesn't exist.
    """
    import numpy as np

    from estimator.effort import pricing, uncertainty

    if stage not in units.sigma:
        raise EstimatorError(f"no stage '{stage}'; stages of units.toml: {', '.join(sorted(units.sigma))}")
    luck = uncertainty.Luck(seed, units.draws, units.sigma[stage])
    by_hand = _by_hand(found)
    options = {}
    full = {STAY: np.zeros(units.draws)}
    for option in PORT_OPTIONS:
        simulation = uncertainty.Simulation(pricing.price(found, weights, units, option), luck)
        options[option] = _option(option, simulation, weights, by_hand=by_hand)
        full[option] = simulation.full()
    options[STAY] = _option(STAY, uncertainty.Simulation((), luck), weights, "no port")
    return Estimate(
        options=options,
        kernels=pricing.price_kernels(found, weights, performance),
        unpriced=pricing.unpriced(found, weights),
        stage=stage,
        sigma=units.sigma[stage],
        hours_per_day=units.hours_per_day,
        draws=Draws(seed, full, uncertainty.digest(full)),
    )


def _by_hand(found: Findings) -> frozenset[str]:
    """Findings that a person edits; what a tool renames is only verified."""
    return frozenset(
        finding.id
        for finding in found.findings
        if any(found.sites[index].disposition is Disposition.DEBT for index in finding.sites)
    )


def _edits(rows: Iterable[Row], by_hand: frozenset[str]) -> float:
    """Likely hours of the site-driven rows of remediation and libraries that hold work by hand."""
    counted = (row for row in rows if row.weight.part in EDIT_PARTS and not row.fixed)
    return round(fsum(row.hours.likely for row in counted if not by_hand.isdisjoint(row.findings)), 1)


def _option(
    option: str,
    simulation: Simulation,
    weights: Mapping[str, Weight | Unpriced],
    reason: str = "",
    by_hand: frozenset[str] = frozenset(),
) -> OptionEstimate:
    rows = simulation.rows
    key, share = _upkeep_share(weights, option)
    return OptionEstimate(
        option=option,
        lines=tuple(sorted((_line(row, simulation) for row in rows), key=_in_order)),
        parts={part: simulation.parts((part,)) for part in PARTS},
        phases={phase: simulation.phase(phase) for phase in PHASES},
        scopes={"functional": simulation.parts(FUNCTIONAL_PARTS), "full": simulation.parts(PARTS)},
        edits=_edits(rows, by_hand),
        upkeep=simulation.upkeep(key, share),
        grades=_grades(rows),
        tornado=simulation.tornado(),
        reason=reason,
    )


def _line(row: Row, simulation: Simulation) -> EffortLine:
    weight = row.weight
    return EffortLine(
        weight=weight.id,
        title=weight.title,
        part=weight.part,
        phase=weight.phase,
        unit=weight.unit,
        count=row.count,
        hours=row.hours,
        p50=simulation.p50(weight.id),
        grade=row.grade,
        fixed=row.fixed,
        findings=row.findings,
        sum=row.sum,
    )


def _in_order(line: EffortLine) -> tuple[int, str]:
    return PARTS.index(line.part), line.weight


def _upkeep_share(weights: Mapping[str, Weight | Unpriced], option: str) -> tuple[str, Hours]:
    """The row that prices upkeep, and its share of the one-off hours a year; none gives no upkeep."""
    for key in sorted(weights):
        weight = weights[key]
        if isinstance(weight, Weight) and weight.per == "year" and option in weight.hours:
            return key, weight.hours[option]
    return "", NO_HOURS


def _grades(rows: Sequence[Row]) -> Mapping[str, float]:
    """Share of the likely hours by grade; zeros where there are none."""
    total = fsum(row.hours.likely for row in rows)
    by_grade = {grade: fsum(row.hours.likely for row in rows if row.grade == grade) for grade in GRADES}
    return {grade: hours / total if total else 0.0 for grade, hours in by_grade.items()}
