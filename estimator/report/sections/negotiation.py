"""The annex for one's own side of the table: what price would pay the move, and what to ask for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.decision.values import Flip, Verdict
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.blocks import Chart, Column, Table
from estimator.report.figures import days, days_span, detailed, money, price, round_two
from estimator.report.sections.sensitivity import gap_chart, gap_terms, gap_title
from estimator.report.text import plain, unended

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
        check="At equal speed a gap pays the port back when gap × GPU-hours over the horizon covers the port and its "
        "upkeep; slower cards need more. The gaps hold the port at P50 and at P80; the break-even price holds the mean "
        "of all draws and the worth of a second supplier. "
        "Nothing in this annex is in a copy made with --audience external.",
    )


def _conclusion(assessment: Assessment) -> str:
    decision, scenario = assessment.decision, assessment.scenario
    if assessment.nothing_to_port:
        return "Changing the vendor costs this code nothing: that is the strongest position there is."
    currency = plain(scenario.currency, 6)
    if scenario.priced and decision.break_even_price is not None:
        return (
            f"Moving costs less than staying while the price offered stays below {currency} "
            f"{decision.break_even_price:,.2f} per GPU-hour; the offer is {currency} "
            f"{scenario.price_offered or 0:,.2f}.{_between(assessment)}"
        )
    if scenario.priced:
        return "With these prices no break-even lies within the horizon."
    if decision.gaps:
        usual = min(decision.gaps, key=lambda point: abs(point.gpus - _USUAL_FLEET))
        return (
            f"Without prices no break-even can be given. With {usual.gpus:,} GPUs a gap of {currency} "
            f"{price(usual.gap_p50)} to {price(usual.gap_p80)} per GPU-hour pays the port back at equal speed."
        )
    return "Without prices no break-even can be given."


def _between(assessment: Assessment) -> str:
    """Where the verdict turns to another option before the move stops to pay, as a sentence; else ""."""
    flip = _turns(assessment)
    if flip is None:
        return ""
    return (
        f" From {plain(flip.flips_at, 80)} on, the rule recommends “{wording.option(str(flip.to))}”, which then costs "
        "least in the mean."
    )


def _turns(assessment: Assessment) -> Flip | None:
    """The offered price at which the verdict turns, where that is another price than break-even."""
    decision = assessment.decision
    even = Verdict.AMD if decision.verdict is Verdict.NVIDIA else Verdict.NVIDIA
    flips = (flip for flip in decision.flip_points if flip.input == "price_offered" and flip.to is not even)
    return next(flips, None)


def _break_even(assessment: Assessment) -> Table:
    decision, scenario = assessment.decision, assessment.scenario
    currency = plain(scenario.currency, 6)
    month = _paid_back(decision.break_even_month)
    even, flip = decision.break_even_price, _turns(assessment)
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
            "there moving costs as much as staying, in the mean of all draws",
        ),
        *((("Verdict turns at an offer of", plain(flip.flips_at, 80), plain(flip.text, 240)),) if flip else ()),
        ("Port paid back", month, _counted_from(assessment)),
        (
            "Chance that the verdict is cheapest",
            percent(decision.chance_cheapest) if decision.chance_cheapest is not None else "not known",
            "share of all draws",
        ),
    ]
    if scenario.second_source_value is not None:
        worth = f"{money(scenario.second_source_value, currency)} a year"
        rows.append(("A second supplier is worth", worth, _note(assessment, "second_source_value")))
    columns = (Column("Figure", 30), Column("Value", 22, "number"), Column("What it is, or where from", 48))
    return Table("Break-even", columns, tuple(rows))


def _paid_back(month: float | None) -> str:
    """The month in which the last of it is earned: 1.2 months are over in month 2."""
    if month is None:
        return "never at these prices"
    return f"in month {math.ceil(month):,}" if month > 0 else "at once"


def _counted_from(assessment: Assessment) -> str:
    """From which day the month is counted, and what runs until savings begin."""
    months, team = assessment.decision.port_months, assessment.scenario.team
    if months is None:
        return "counted from the start of the port"
    default = f"{assessment.heuristics.policy.settings['team']:g} (a default of the policy)"
    return (
        f"counted from the start of the port, which takes a team of {team or default} about {round_two(months)} months "
        "at P50. Until then the present cards run on and nothing is saved; two fleets side by side are not priced"
    )


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
    return Table(f"{gap_title(assessment)}, {currency} per GPU-hour", columns, rows)


def _levers(assessment: Assessment) -> tuple[str, ...]:
    decision, option = assessment.decision, detailed(assessment)
    levers = []
    if option.lines:
        upkeep = days(option.upkeep.p50, assessment)
        levers.append(
            f"The exit by “{wording.option(option.option)}” takes {days_span(option.hours, assessment)} once, P50 to "
            f"P80, and {upkeep} person-days of upkeep a year at P50; events that may come stand in section “Risks and "
            "unknowns”. That is what binds this code to the present vendor."
        )
    if decision.pilot_first:
        levers.append(
            "A pilot of the kernels named in section 3 turns the doubt into a figure before anything is signed."
        )
    levers.extend(f"Settle before signing: {plain(text)}" for text in decision.conditions[:6])
    if decision.break_even_price is not None:
        even = f"{plain(assessment.scenario.currency, 6)} {decision.break_even_price:,.2f}"
        levers.append(f"Walk-away price: {even} per GPU-hour offered. Above it, staying costs less.")
    offers = ("price_offered",) if decision.break_even_price is not None else ()
    priced = [flip for flip in decision.flip_points if "price" in flip.input and flip.input not in offers]
    levers.extend(f"The verdict turns, too: {unended(plain(flip.text, 240))}." for flip in priced[:3])
    return tuple(levers)
