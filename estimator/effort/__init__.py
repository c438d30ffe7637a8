"""What would the port cost, from findings and weights, as lines of hours with their ranges for each option.

`pricing` turns findings into rows of three-point hours, `uncertainty` draws their spread and that of the multipliers
that are switched on, `risks` draws the events that may come besides. `redrawn` draws again from the lines alone.
numpy is imported with the first call, not before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING

from estimator.effort.values import (
    EDIT_PARTS,
    FUNCTIONAL_PARTS,
    NO_PROGRAMME,
    NO_UPKEEP,
    PORT_OPTIONS,
    Draws,
    EffortLine,
    Estimate,
    OptionEstimate,
    Programme,
    Scaling,
    StrategyPrice,
    Upkeep,
)
from estimator.errors import EstimatorError
from estimator.findings.values import Disposition
from estimator.knowledge.values import PARTS, PHASES, Weight
from estimator.quantities import Hours, Triple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from estimator.effort.pricing import Row, Weights
    from estimator.effort.uncertainty import Addition, Luck, Simulation
    from estimator.findings.values import Findings
    from estimator.knowledge.values import Heuristics, Performance, Units

__all__ = ["estimate", "estimate_alike", "estimate_blended", "redrawn"]

STAY, PORT = "nvidia", "amd"
GRADES = ("A", "B", "C")


def estimate(
    found: Findings,
    weights: Weights,
    units: Units,
    performance: Mapping[str, Performance],
    *,
    seed: int,
    stage: str = "scan",
    programme: Programme = NO_PROGRAMME,
) -> Estimate:
    """Price everything found, for every option.

    found: from `findings`; the order of its findings doesn't matter. seed: of the draws; the same seed gives
    the same estimate. stage: how far the work has come, one of units.sigma. programme: multipliers that are on,
    risks, and the team; without it none of them.
    Hours are engineer-hours. What has no price is in `unpriced`, never counted as zero.
    Raises EstimatorError for a stage or a weight class that doesn't exist.
    """
    from estimator.effort import pricing, uncertainty
    from estimator.effort.speed import kernel_speed
    from estimator.effort.strategies import strategies

    if stage not in units.sigma:
        raise EstimatorError(f"no stage '{stage}'; stages of units.toml: {', '.join(sorted(units.sigma))}")
    if programme.team is not None:
        units = replace(units, engineers=programme.team)
    luck = uncertainty.Luck(seed, units.draws, units.sigma[stage])
    rows = {option: pricing.price(found, weights, units, option, programme.anew) for option in PORT_OPTIONS}
    ways = strategies(found, weights, rows[PORT], _upkeep(weights, PORT), programme)
    options, speeds, simulations = {}, {}, {STAY: uncertainty.Simulation((), luck)}
    for option in PORT_OPTIONS:
        options[option], simulations[option] = _ported(option, found, weights, rows[option], ways, programme, luck)
        retuned = fsum(row.count for row in simulations[option].rows if row.weight.per == "hot-kernel")
        speeds[option] = kernel_speed(found, weights, performance, option, retuned, units.kernel_speed_source)
    options[STAY] = _option(STAY, simulations[STAY], NO_UPKEEP, reason="no port")
    full = {option: simulation.full() for option, simulation in simulations.items()}
    return Estimate(
        options=options,
        kernels=pricing.price_kernels(found, weights, performance),
        unpriced=pricing.unpriced(found, weights),
        stage=stage,
        sigma=units.sigma[stage],
        hours_per_day=units.hours_per_day,
        draws=Draws(seed, full, uncertainty.digest(full)),
        scalings=programme.scalings,
        engineers=units.engineers,
        speeds=speeds,
        strategies=ways,
    )


def estimate_blended(
    found: Findings, whole: Findings, heuristics: Heuristics, programme: Programme, seed: int
) -> Estimate:
    """Price everything found, its rows blended with ports that happened.

    whole: everything that the scan holds. Its rows give the blend's factor, which every scope shares, so that leaving
    code out can't make the rest cheaper.
    """
    from estimator.effort.blend import blending
    from estimator.effort.pricing import base_column
    from estimator.effort.reference import refer

    rows = _as_shipped(whole, heuristics, seed)
    reference = refer(whole, _lines(rows), rows.parts(FUNCTIONAL_PARTS).p50, heuristics, programme.team)
    rewrites = base_column(whole, heuristics.weights, "triton-first") != PORT
    scalings = (*blending(reference, heuristics.reference, rewrites), *programme.scalings)
    programme = replace(programme, scalings=scalings)
    estimated = estimate(
        found, heuristics.weights, heuristics.units, heuristics.performance, seed=seed, programme=programme
    )
    return replace(estimated, reference=reference)


def estimate_alike(estimated: Estimate, found: Findings, heuristics: Heuristics, programme: Programme) -> Estimate:
    """Price another scope of the same scan: on the same draws, blended by the same factor, its source kept alike."""
    programme = replace(programme, scalings=estimated.scalings, strategy=estimated.kept.id if estimated.kept else None)
    return estimate(
        found,
        heuristics.weights,
        heuristics.units,
        heuristics.performance,
        seed=estimated.draws.seed,
        programme=programme,
    )


def _as_shipped(found: Findings, heuristics: Heuristics, seed: int) -> Simulation:
    """The functional scope of amd as the ports were priced: what a user changes counts in full on top of the blend."""
    from estimator.effort import pricing, uncertainty

    rows = pricing.price(found, heuristics.shipped, heuristics.units, PORT)
    luck = uncertainty.Luck(seed, heuristics.units.draws, heuristics.units.sigma["scan"])
    return uncertainty.Simulation((row for row in rows if row.weight.part in FUNCTIONAL_PARTS), luck)


def redrawn(estimated: Estimate, seed: int, draws: int) -> Estimate:
    """An estimate drawn again from its own lines, multipliers and sigma: no finding and no table is asked.

    estimated: its draws may be empty, and so may all its spreads. seed, draws: as they were give the same figures to
    the last digit; others give the figures of other luck. What is not drawn from lines is handed on as it is: risk
    events, the reference class, the speed of own kernels.
    """
    from estimator.effort import uncertainty

    luck = uncertainty.Luck(seed, draws, estimated.sigma)
    options, full = {}, {}
    for name, option in estimated.options.items():
        rows = [_row(line) for line in option.lines if not line.multiplier]
        simulation = uncertainty.Simulation(rows, luck, _acting(estimated.scalings, name))
        again = _option(name, simulation, option.upkeep_of, edits=option.edits, reason=option.reason)
        options[name] = replace(again, risks=option.risks, with_risks=option.with_risks)
        full[name] = simulation.full()
    return replace(estimated, options=options, draws=Draws(seed, full, uncertainty.digest(full)))


def _ported(
    option: str,
    found: Findings,
    weights: Weights,
    rows: Sequence[Row],
    ways: Sequence[StrategyPrice],
    programme: Programme,
    luck: Luck,
) -> tuple[OptionEstimate, Simulation]:
    """An option that ports, its source kept in the chosen one of the ways, and the draws behind it."""
    from estimator.effort import pricing, risks, strategies, uncertainty

    stays = pricing.host_stays(found, weights, option)
    rows = (*rows, *strategies.kept(programme.strategies, ways, stays))
    simulation = uncertainty.Simulation(rows, luck, _acting(programme.scalings, option))
    table = _upkeep(weights, pricing.base_column(found, weights, option))
    upkeep = strategies.upkeep_with(ways, table, stays)
    priced = _option(option, simulation, upkeep, edits=_edits(rows, found))
    events, with_risks = risks.events(found, weights, option, programme, simulation)
    return replace(priced, risks=events, with_risks=with_risks), simulation


def _acting(scalings: Iterable[Scaling], option: str) -> tuple[Scaling, ...]:
    """Those that act in the estimate of an option."""
    return tuple(scaling for scaling in scalings if option in scaling.options)


def _row(line: EffortLine) -> Row:
    """A row with as much of its weight as a line tells: all that draws depend on."""
    from estimator.effort.pricing import Row, stand_in

    per = "repository" if line.fixed else "site"
    weight = stand_in(line.weight, line.title, part=line.part, phase=line.phase, unit=line.unit, per=per)
    hours = Hours(line.hours.low, line.hours.likely, line.hours.high)
    return Row(weight, line.count, hours, line.grade, line.findings, line.sum)


def _edits(rows: Iterable[Row], found: Findings) -> float:
    """Likely hours of the site-driven rows of remediation and libraries that a person edits.

    They hold debt; what a tool renames is only verified.
    """
    debt = {index for index, judged in enumerate(found.sites) if judged.disposition is Disposition.DEBT}
    by_hand = {finding.id for finding in found.findings if not debt.isdisjoint(finding.sites)}
    counted = (row for row in rows if row.weight.part in EDIT_PARTS and not row.fixed)
    return round(fsum(row.hours.likely for row in counted if not by_hand.isdisjoint(row.findings)), 1)


def _option(
    option: str, simulation: Simulation, upkeep: Upkeep, *, edits: float = 0.0, reason: str = ""
) -> OptionEstimate:
    lines = _lines(simulation)
    return OptionEstimate(
        option=option,
        lines=lines,
        parts={part: simulation.parts((part,)) for part in PARTS},
        phases={phase: simulation.phase(phase) for phase in PHASES},
        scopes={"functional": simulation.parts(FUNCTIONAL_PARTS), "full": simulation.parts(PARTS)},
        edits=edits,
        upkeep=simulation.upkeep(upkeep.weight, upkeep.share),
        grades=_grades(lines),
        tornado=simulation.tornado(),
        reason=reason,
        upkeep_of=upkeep,
    )


def _lines(simulation: Simulation) -> tuple[EffortLine, ...]:
    """Rows by part and weight, and behind those of each part what multipliers add to it, in their order."""
    lines = sorted((_line(row, simulation) for row in simulation.rows), key=lambda line: line.weight)
    lines += [_added(addition) for addition in simulation.additions]
    return tuple(sorted(lines, key=lambda line: (PARTS.index(line.part), bool(line.multiplier))))


def _added(addition: Addition) -> EffortLine:
    """A multiplier's row: what it adds to the rows of one part and phase, as a sum that a reader can do again."""
    multiplier, likely = addition.scaling.multiplier, addition.scaling.factor.likely
    rows = "1 row" if addition.rows == 1 else f"{addition.rows} rows"
    earlier = " with the multipliers above" if addition.earlier else ""
    return EffortLine(
        weight=f"times.{multiplier.id}.{addition.part}.{addition.phase}",
        title=f"{multiplier.title}: x {likely:g} on {addition.part} ({addition.phase})",
        part=addition.part,
        phase=addition.phase,
        unit="likely hour of the rows it acts on",
        count=addition.before,
        hours=addition.hours,
        p50=addition.p50,
        grade=multiplier.grade,
        fixed=False,
        findings=(),
        sum=f"({likely:g} - 1) x {addition.before:.2f} h: {rows}{earlier}",
        multiplier=multiplier.id,
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


def _upkeep(weights: Weights, column: str) -> Upkeep:
    """The row that prices upkeep, and its share in one column of the table; none gives no upkeep."""
    for key in sorted(weights):
        weight = weights[key]
        if isinstance(weight, Weight) and weight.per == "year" and column in weight.hours:
            hours = weight.hours[column]
            return Upkeep(key, Triple(hours.low, hours.likely, hours.high))
    return NO_UPKEEP


def _grades(lines: Sequence[EffortLine]) -> Mapping[str, float]:
    """Share of the likely hours by grade; zeros where there are none. What a multiplier takes off has no share."""
    rows = [line for line in lines if line.hours.likely > 0]
    total = fsum(row.hours.likely for row in rows)
    by_grade = {grade: fsum(row.hours.likely for row in rows if row.grade == grade) for grade in GRADES}
    return {grade: hours / total if total else 0.0 for grade, hours in by_grade.items()}
