"""How much: the range of every option, the S-curve, and the reserve as a line of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp

from estimator.assessment import Assessment
from estimator.effort.values import Reference
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.audience import external
from estimator.report.blocks import Chart, Column, Table
from estimator.report.figures import counted, days, days_span, detailed, ported, round_two, span
from estimator.report.text import plain

TITLE = "Cost range"
_WORTH_TELLING = 0.005


@dataclass(frozen=True, slots=True)
class View:
    """Ranges in days and hours, the S-curve, and the rate; money stands with the options."""

    conclusion: str
    effort: Table | None
    rate: str
    curve: Chart | None
    check: str
    reference: Table | None = None
    checked: str = ""
    second_opinion: tuple[str, ...] = ()


def view(assessment: Assessment) -> View:
    """Ranges of all options."""
    options = ported(assessment)
    return View(
        conclusion=_conclusion(assessment),
        effort=_effort(assessment) if options else None,
        rate=_rate(assessment),
        curve=_curve(assessment),
        check=f"The percentiles come from {_draws(assessment):,} simulated projects with seed "
        f"{assessment.estimate.draws.seed}; "
        f"the digest of the draws is {plain(assessment.estimate.draws.digest)}. The same seed and version "
        f"give the same draws.",
        reference=_reference(assessment),
        checked=_checked(assessment),
        second_opinion=tuple(_second_opinion(assessment)),
    )


def _conclusion(assessment: Assessment) -> str:
    option = detailed(assessment)
    if not option.lines:
        return "No option needs porting work: there is no range to show."
    name, day = wording.option(option.option), assessment.estimate.hours_per_day
    wide = option.hours.p90 / option.hours.p10 if option.hours.p10 else 0.0
    spread = f" P90 is {wide:.1f} times P10." if wide else ""
    upkeep = span(option.upkeep.p50 / day, option.upkeep.p80 / day, "person-days")
    return (
        f"“{name}” takes {days_span(option.hours, assessment)} (P50 to P80).{spread} "
        f"Keeping the port alive takes {upkeep} a year besides, outside this range."
    )


def _effort(assessment: Assessment) -> Table:
    columns = (
        Column("Option", 31),
        *(Column(t, 10, "number") for t in ("P10", "P50", "P80", "P90", "mean")),
        Column("Reserve P80 - P50", 19, "number"),
    )
    rows, strong = [], []
    for option in assessment.estimate.options.values():
        name, h = wording.option(option.option), option.hours
        if not option.lines:
            rows.append((f"{name}: {plain(option.reason, 60) or 'no port'}", *["—"] * 6))
            continue
        strong.append(len(rows))
        figures = (h.p10, h.p50, h.p80, h.p90, h.mean, h.p80 - h.p50)
        rows.append((f"{name}, person-days", *(days(x, assessment) for x in figures)))
        rows.append((f"{name}, hours", *(round_two(x) for x in figures)))
        for scope, title in (("functional", "it runs, without set-up, tuning, learning"),):
            part = option.scopes.get(scope)
            if part is not None:
                figures = (part.p10, part.p50, part.p80, part.p90, part.mean, part.p80 - part.p50)
                rows.append((f"  {title}, person-days", *(days(x, assessment) for x in figures)))
    note = "The reserve is what a careful budget (P80) holds beyond even odds (P50); it is not spent unless needed."
    return Table("Effort by option", columns, tuple(rows), tuple(strong), note)


def _reference(assessment: Assessment) -> Table | None:
    """The functional scope beside what ports that happened took."""
    estimate, reference = assessment.estimate, assessment.estimate.reference
    if reference is None:
        return None
    ours, day = estimate.options["amd"].scopes["functional"], estimate.hours_per_day
    columns = (Column("Functional scope, person-days", 52), *(Column(t, 16, "number") for t in ("P10", "P50", "P90")))
    figures = (ours.p10, ours.p50, ours.p90)
    if reference.blend is None:
        rows = [("This estimate: rows that add up", *(days(x, assessment) for x in figures))]
    else:
        told = f"This estimate: both, {percent(reference.blend.weight)} of the weight with the class"
        rows = [
            (told, *(days(x, assessment) for x in figures)),
            ("Rows that add up", "", days(reference.functional_days * day, assessment), ""),
        ]
    said = (reference.hours.p10, reference.hours.p50, reference.hours.p90)
    name = f"Reference class: {counted(reference.ports, 'port')} that happened"
    rows.append((name, *(days(x, assessment) for x in said)))
    return Table("What such ports took", columns, tuple(rows), (0,), _known(reference))


def _known(reference: Reference) -> str:
    """What the class was told, and what became of it."""
    if reference.people is None:
        team = "The scenario names no team, so the class is the middle of all ports, whatever their size"
    else:
        team = f"The class knows {counted(reference.people, 'engineer')}"
    if "host_api_files" in reference.features:
        team += f" and {counted(reference.host_api_files, 'file')} with calls of the CUDA runtime or driver to port"
    blend = reference.blend
    if blend is None:
        return f"{team}. No figure of this report is blended with it: {plain(reference.unblended, 300)}."
    apart = (
        f" {percent(reference.unlike)} of the hours are of kinds that the ports hardly held, and stay as they are."
        if reference.unlike >= _WORTH_TELLING
        else ""
    )
    less = f" It has less weight here: {plain(reference.reason, 300)}." if reference.reason else ""
    return (
        f"{team}. On ports, the class was typically off by a factor of {exp(blend.class_error):.1f} and rows by "
        f"{exp(blend.rows_error):.1f}; each has the weight of 1 / error squared.{less}{apart} "
        f"Rows of the functional scope are multiplied by {blend.factor:.2f}; kernels that Triton first writes anew and "
        "what a porting strategy adds are not. An author-day (one person, one date with a commit) counts as one "
        "person-day."
    )


def _checked(assessment: Assessment) -> str:
    """How rows such as these, and the class, fared on ports that happened; nothing where nobody knows."""
    reference = assessment.estimate.reference
    return wording.checked(reference) if reference else ""


def _second_opinion(assessment: Assessment) -> Iterator[str]:
    """Why the rows lie where no port lay."""
    reference = assessment.estimate.reference
    if reference is None:
        return
    (least, most), ours = reference.usual_days, reference.functional_days
    usual = f"the {least:g} to {most:g} author-days that {reference.usual_ports} ports took"
    if ours > most:
        rows = "; ".join(f"{plain(row.title, 120)} ({days(row.hours, assessment)} days)" for row in reference.because)
        yield f"The rows add up to {round_two(ours)} person-days, above {usual}. What makes it so: {rows}."
    elif ours < least:
        yield f"The rows add up to {round_two(ours)} person-days, below {usual}: there is little to change here."


def _rate(assessment: Assessment) -> str:
    scenario = assessment.scenario
    if external(assessment):
        return "Amounts of money are left out of this copy."
    if scenario.rate is None:
        return "No hourly rate was given, so that effort is not turned into money."
    horizon = f", horizon {scenario.horizon_months:g} months" if scenario.horizon_months else ""
    return f"Rate of the scenario: {plain(scenario.currency, 6)} {scenario.rate:,.2f} an engineer-hour{horizon}."


def _curve(assessment: Assessment) -> Chart | None:
    from estimator.report.charts import s_curve

    draws, day = assessment.estimate.draws.full, assessment.estimate.hours_per_day
    curves = [
        (wording.option(option.option), draws[option.option] / day)
        for option in ported(assessment)
        if option.option in draws and len(draws[option.option])
    ]
    return s_curve("curve", "Chance to stay within a budget", curves) if curves else None


def _draws(assessment: Assessment) -> int:
    return max((len(values) for values in assessment.estimate.draws.full.values()), default=0)
