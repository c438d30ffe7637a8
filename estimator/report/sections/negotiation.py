"""The annex for one's own side of the table: what price would pay the move, and what to ask for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.blocks import Chart, Column, Table
from estimator.report.figures import days_span, detailed, money, price
from estimator.report.sections.sensitivity import gap_chart, gap_terms
from estimator.report.text import plain

TITLE = "Negotiation annex"
_USUAL_FLEET = 64


@dataclass(frozen=True, slots=True)
class View:
    """Confidential: break-even figures when prices are known, the price gap otherwise."""

    conclusion: str
    break_even: Table | None
    gap: Table | None
    chart: Chart | None
    gap_terms: str
    levers: tuple[str, ...]
    check: str


def view(assessment: Assessment) -> View | None:
    """None for readers outside the house."""
    if assessment.run.audience == "external":
        return None
    priced = assessment.scenario.priced
    return View(
        conclusion=_conclusion(assessment),
        break_even=_break_even(assessment) if priced else None,
        gap=_gap(assessment),
        chart=gap_chart(assessment, "annexgaps") if priced else None,
        gap_terms=gap_terms(assessment) if assessment.decision.gaps else "",
        levers=_levers(assessment),
        check="A gap pays the port back when gap × GPU-hours over the horizon covers the port and its upkeep. "
        "Nothing in this annex is in a copy made with --audience external.",
    )


def _conclusion(assessment: Assessment) -> str:
    decision, scenario = assessment.decision, assessment.scenario
    if assessment.nothing_to_port:
        return "Changing the vendor costs this code nothing: that is the strongest position there is."
    currency = plain(scenario.currency, 6)
    if scenario.priced and decision.break_even_price is not None:
        return (
            f"The move pays while the price offered stays below {currency} {decision.break_even_price:,.2f} "
            f"per GPU-hour; "
            f"the offer is {currency} {scenario.price_offered or 0:,.2f}."
        )
    if scenario.priced:
        return "With these prices no break-even lies within the horizon."
    if decision.gaps:
        usual = min(decision.gaps, key=lambda point: abs(point.gpus - _USUAL_FLEET))
        return (
            f"Without prices no break-even can be given. With {usual.gpus:,} GPUs a gap of {currency} "
            f"{price(usual.gap_p50)} to {price(usual.gap_p80)} per GPU-hour pays the port back."
        )
    return "Without prices no break-even can be given."


def _break_even(assessment: Assessment) -> Table:
    decision, scenario = assessment.decision, assessment.scenario
    currency = plain(scenario.currency, 6)
    month = _paid_back(decision.break_even_month)
    even = decision.break_even_price
    rows = [
        ("Price now, per GPU-hour", f"{currency} {scenario.price_now or 0:,.2f}", _note(assessment, "price_now")),
        (
            "Price offered, per GPU-hour",
            f"{currency} {scenario.price_offered or 0:,.2f}",
            _note(assessment, "price_offered"),
        ),
        (
            "Break-even price, per GPU-hour",
            f"{currency} {even:,.2f}" if even is not None else "none",
            "worked out on the draws",
        ),
        ("Port paid back", month, "worked out on the draws"),
        (
            "Chance that the verdict is cheapest",
            percent(decision.chance_cheapest) if decision.chance_cheapest is not None else "not known",
            "worked out on the draws",
        ),
    ]
    if scenario.second_source_value is not None:
        worth = f"{money(scenario.second_source_value, currency)} a year"
        rows.append(("A second supplier is worth", worth, _note(assessment, "second_source_value")))
    columns = (Column("Figure", 40), Column("Value", 26, "number"), Column("Where from", 34))
    return Table("Break-even", columns, tuple(rows))


def _paid_back(month: float | None) -> str:
    """The month in which the last of it is earned: 1.2 months are over in month 2."""
    if month is None:
        return "never at these prices"
    return f"in month {math.ceil(month):,}" if month > 0 else "at once"


def _note(assessment: Assessment, name: str) -> str:
    return plain(assessment.scenario.notes.get(name, ""), 100) or "scenario"


def _gap(assessment: Assessment) -> Table | None:
    if not assessment.decision.gaps:
        return None
    columns = (
        Column("GPUs in the fleet", 34, "number"),
        Column("Gap, effort at P50", 33, "number"),
        Column("Gap, effort at P80", 33, "number"),
    )
    currency = plain(assessment.scenario.currency, 6)
    rows = tuple((f"{p.gpus:,}", price(p.gap_p50), price(p.gap_p80)) for p in assessment.decision.gaps)
    return Table(f"Price gap that pays the port back, {currency} per GPU-hour", columns, rows)


def _levers(assessment: Assessment) -> tuple[str, ...]:
    decision, option = assessment.decision, detailed(assessment)
    levers = []
    if option.lines:
        levers.append(
            f"The exit costs {days_span(option.hours, assessment)} by “{wording.option(option.option)}”: so "
            f"much work, and no more, "
            "binds this code to the present vendor."
        )
    if decision.pilot_first:
        levers.append(
            "A pilot of the kernels named in section 3 turns the doubt into a figure before anything is signed."
        )
    levers.extend(f"Settle before signing: {plain(text)}" for text in decision.conditions[:6])
    priced = [flip for flip in decision.flip_points if "price" in flip.input.lower()]
    levers.extend(f"Walk-away point: {plain(flip.text)}" for flip in priced[:3])
    return tuple(levers)
