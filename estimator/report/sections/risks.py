"""The register of risks and unknowns: what could make the figures wrong, and what to do about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.effort.values import OptionEstimate, RiskEvent
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.blocks import Column, Table
from estimator.report.figures import counted, days, detailed, ported, round_two
from estimator.report.sections import location
from estimator.report.text import plain

TITLE = "Risks and unknowns"
_WIDE = 5.0
_NINETIETH = 1.2816  # standard deviations from the median to P90 of a normal distribution
_MOST_WIDE = 8
_MOST_UNPRICED = 20


@dataclass(frozen=True, slots=True)
class View:
    """Risks by what is to be done about them: events, long rows, what has no price, and the rest one by one."""

    conclusion: str
    events: Table | None
    budget: Table | None
    wide: Table | None
    unpriced: Table | None
    register: Table
    check: str


def view(assessment: Assessment) -> View:
    """Risks that the figures themselves show."""
    wide, unpriced = _wide(assessment), _unpriced(assessment)
    rows = (*_reading(assessment), *_general(assessment))
    columns = (Column("Risk", 25), Column("Size", 20), Column("What follows", 27), Column("What to do", 28))
    long = len(wide.rows) if wide else 0
    events = detailed(assessment).risks
    conclusion = (
        f"{counted(len(events), 'event', 'events')} may come on top of the range; "
        f"{counted(long, 'row', 'rows')} may take far longer than likely; "
        f"{counted(len(assessment.estimate.unpriced), 'kind of finding has', 'kinds of finding have')} no price and "
        f"could add to every figure; {counted(len(rows), 'further risk is', 'further risks are')} on the register."
    )
    return View(
        conclusion,
        _events(assessment) if events else None,
        _budget(assessment) if events else None,
        wide,
        unpriced,
        Table("Register", columns, rows),
        "Rows that may take far longer are those whose high figure is at least five times the likely one, the widest "
        f"first, at most {_MOST_WIDE}. Sizes are person-days of the rows of section “{location.TITLE}”, or counts "
        "from this scan; what has no figure says so.",
    )


def _events(assessment: Assessment) -> Table:
    option = detailed(assessment)
    columns = (
        Column("Event, and why it may come", 28),
        Column("Probability", 11),
        Column("person-days if it comes", 13),
        Column("expected, person-days", 10, "number"),
        Column("What to do", 20),
        Column("Source and grade", 18),
    )
    expected = sum(event.expected for event in option.risks)
    rows = (
        *(_event(event, assessment) for event in option.risks),
        ("Sum of the expected ones", "", "", days(expected, assessment), "", ""),
    )
    note = (
        "Expected is the mean probability times the mean of the hours. Where an event takes a share of the work, the "
        "figures are that share of its likely hours, and the expected ones of its mean hours. None of this is in any "
        "other figure of this report."
    )
    title = f"{wording.option(option.option)}: events that may or may not come, apart from the range"
    return Table(title, columns, rows, (len(rows) - 1,), note)


def _event(event: RiskEvent, assessment: Assessment) -> tuple[str, ...]:
    p, h, day = event.probability, event.hours, assessment.estimate.hours_per_day
    hours = ", ".join(round_two(end / day) for end in (h.low, h.likely, h.high))
    return (
        f"{plain(event.title, 120)}. {plain(_why(event, assessment), 240)}".strip(),
        f"{percent(p.likely)} ({percent(p.low)} to {percent(p.high)})",
        hours,
        days(event.expected, assessment),
        plain(event.mitigation, 240),
        f"{plain(event.source, 240)} ({plain(event.grade, 3)})",
    )


def _why(event: RiskEvent, assessment: Assessment) -> str:
    """What an event applies for; one that comes with any debt has no places of its own, and shows none."""
    general = any(risk.id == event.id and "*" in risk.weights for risk in assessment.heuristics.risks)
    return event.why.partition("; ")[2] if general else event.why


def _budget(assessment: Assessment) -> Table:
    """What the events do to the careful budget of each port."""
    titles = ("P50", "P80", "contingency, P80 - P50", "P50 with the events", "P80 with the events", "they add to P80")
    columns = (Column("person-days", 22), *(Column(title, 13, "number") for title in titles))

    def row(option: OptionEstimate) -> tuple[str, ...]:
        h, risky = option.hours, option.with_risks
        figures = (h.p50, h.p80, h.p80 - h.p50, risky.p50, risky.p80, risky.p80 - h.p80)
        return (wording.option(option.option), *(days(figure, assessment) for figure in figures))

    note = (
        "Money, verdict and every other figure keep to the hours without the events. Contingency is what the careful "
        "budget (P80) holds beyond even odds (P50); the events come on top of it."
    )
    return Table("The budget without and with the events", columns, tuple(map(row, ported(assessment))), (), note)


def _wide(assessment: Assessment) -> Table | None:
    table = [line for line in detailed(assessment).lines if not line.multiplier]
    lines = [line for line in table if 0 < _WIDE * line.hours.likely <= line.hours.high]
    lines.sort(key=lambda x: x.hours.likely - x.hours.high)
    if not lines:
        return None
    rows = tuple(
        (plain(line.title, 120), days(line.hours.likely, assessment), days(line.hours.high, assessment))
        for line in lines[:_MOST_WIDE]
    )
    columns = (Column("Row", 60), Column("likely, person-days", 20, "number"), Column("up to", 20, "number"))
    note = (
        "The reserve between P50 and P80 is used up here first. What to do: the hardest site of each kind first, and "
        "its hours compared with the row."
    )
    return Table("Rows that may take far longer", columns, rows, (), note)


def _unpriced(assessment: Assessment) -> Table | None:
    unpriced = assessment.estimate.unpriced
    if not unpriced:
        return None
    rows = tuple(
        (wording.category(plain(row.category, 60)), f"{row.sites:,}", plain(row.reason, 160))
        for row in unpriced[:_MOST_UNPRICED]
    )
    columns = (Column("Kind of finding", 34), Column("Sites", 10, "number"), Column("Why it has no price", 56))
    note = "Hours not known. What to do: have one site ported by hand, or add a weight of your own with its source."
    return Table("Without figures yet", columns, rows, (), note)


def _reading(assessment: Assessment) -> list[tuple[str, ...]]:
    reliability, rows = assessment.reliability, list[tuple[str, ...]]()
    if reliability.troubles:
        size = sum(trouble.size for trouble in reliability.troubles)
        rows.append(
            (
                "Files that could not be read in full",
                f"{counted(len(reliability.troubles), 'file')}, {size:,} bytes",
                "Sites in them are missing from every figure.",
                "See section “Not analysed”; open these files by hand.",
            )
        )
    unsure = reliability.confidence_shares.get("unsure", 0.0)
    if unsure:
        rows.append(
            (
                "Sites of doubtful meaning",
                f"{percent(unsure)} of the priced sites",
                "Some may be harmless, and then the figures are too high.",
                "Look at the sites marked “unsure” in the evidence.",
            )
        )
    return rows


def _general(assessment: Assessment) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    estimate = assessment.estimate
    if detailed(assessment).lines:
        low, high = math.exp(-_NINETIETH * estimate.sigma), math.exp(_NINETIETH * estimate.sigma)
        rows.append(
            (
                f"An estimate {wording.STAGES.get(estimate.stage, plain(estimate.stage, 40))}",
                f"shared factor from {low:.2f} to {high:.2f} (P10 to P90), in the ranges already",
                "All rows can be too low or too high together.",
                "A pilot narrows the factor; see “Method and assumptions”.",
            )
        )
        rows.append(
            (
                "Speed on the target",
                "not measured here",
                "Re-tuning is priced; speed that can't be won back is not.",
                "Measure the hottest kernels on a target card before signing.",
            )
        )
    rows.append(_team(assessment))
    return rows


def _team(assessment: Assessment) -> tuple[str, ...]:
    """What a team's own hours say, or would say."""
    calibrated = assessment.heuristics.calibrated
    if calibrated is None:
        return (
            "No actual hours of your team",
            "not known",
            "Your team may be faster or slower than the public ports.",
            "Keep hours from the first finished part on, and calibrate.",
        )
    return (
        "Few actual hours of your team",
        plain(calibrated.rows_told, 80),
        "What they say of further work is uncertain, and parts that they do not hold rest on public ports.",
        "Keep hours of further parts, and calibrate again.",
    )
