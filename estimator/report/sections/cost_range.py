"""How much: the range of every option, the S-curve, and the reserve as a line of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.report import wording
from estimator.report.audience import external
from estimator.report.blocks import Chart, Column, Table
from estimator.report.figures import counted, days, days_span, detailed, ported, round_two, span
from estimator.report.text import plain

TITLE = "Cost range"


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
    ours = estimate.options["amd"].scopes["functional"]
    columns = (Column("Functional scope, person-days", 52), *(Column(t, 16, "number") for t in ("P10", "P50", "P90")))
    rows = (
        ("This estimate: rows that add up", *(days(x, assessment) for x in (ours.p10, ours.p50, ours.p90))),
        (
            f"Reference class: {counted(reference.ports, 'port')} that happened",
            *(days(x, assessment) for x in (reference.hours.p10, reference.hours.p50, reference.hours.p90)),
        ),
    )
    note = (
        f"The class knows {counted(reference.people, 'engineer')} and "
        f"{counted(reference.host_api_files, 'file')} that call the CUDA runtime or driver, nothing else. It is a "
        "second opinion: no figure of this report is blended with it."
    )
    return Table("A second opinion: what such ports took", columns, rows, (), note)


def _checked(assessment: Assessment) -> str:
    """How rows such as these, and the class, fared on ports that happened; nothing where nobody knows."""
    reference = assessment.estimate.reference
    return wording.checked(reference.checked) if reference and reference.checked else ""


def _second_opinion(assessment: Assessment) -> Iterator[str]:
    """Whether the class applies, and why the estimate lies where no port lay."""
    reference = assessment.estimate.reference
    if reference is None:
        return
    if not reference.applies:
        yield f"This code lies outside of what the class knows: {plain(reference.reason, 300)}. Give it little weight."
    (least, most), ours = reference.usual_days, reference.functional_days
    usual = f"the {least:g} to {most:g} author-days that {reference.usual_ports} ports took"
    if ours > most:
        rows = "; ".join(f"{plain(row.title, 120)} ({days(row.hours, assessment)} days)" for row in reference.because)
        yield f"The estimate of {round_two(ours)} person-days lies above {usual}. What makes it so: {rows}."
    elif ours < least:
        yield f"The estimate of {round_two(ours)} person-days lies below {usual}: there is little to change here."


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
