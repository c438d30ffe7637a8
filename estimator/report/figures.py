"""Figures as text: how many digits, which unit, which range.

Person-days are hours divided by the estimate's `hours_per_day`. Headlines have two significant digits and are always a
range; tables keep enough digits to be added up again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.decision.values import Reason, Verdict
from estimator.effort.values import PORT_OPTIONS, OptionEstimate, Spread

_SMALLEST = 0.1
_MONEY = frozenset(f"cheapest-{option}" for option in Verdict)


@dataclass(frozen=True, slots=True)
class Share:
    """Hours that belong to one name: a category, component, file or weight."""

    name: str
    hours: float


def round_two(value: float) -> str:
    """Two significant digits, thousands apart: 1234 gives "1,200", 0.034 gives "under 0.1"."""
    if value == 0:
        return "0"
    if abs(value) < _SMALLEST:
        return "under 0.1" if value > 0 else "about 0"
    digits = 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, digits)
    decimals = max(0, 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}"


def span(low: float, high: float, unit: str) -> str:
    """ "12 to 19 person-days"; one figure with "about" when both ends round to the same."""
    a, b = round_two(low), round_two(high)
    if a == b:
        return f"0 {unit}" if a == "0" else f"{a} {unit}" if a.startswith("under") else f"about {a} {unit}"
    return f"{a} to {b} {unit}"


def exact(value: float, decimals: int = 1) -> str:
    """A fixed number of decimals, thousands apart, for columns that are added up."""
    return f"{value:,.{decimals}f}"


def days(hours: float, assessment: Assessment) -> str:
    """Person-days, two significant digits."""
    return round_two(hours / assessment.estimate.hours_per_day)


def days_span(spread: Spread, assessment: Assessment) -> str:
    """The range that headlines show: P50 to P80 in person-days."""
    day = assessment.estimate.hours_per_day
    return span(spread.p50 / day, spread.p80 / day, "person-days")


def money(amount: float | None, currency: str = "") -> str:
    """Three significant digits, with the currency in front if given; None is "not estimated"."""
    if amount is None:
        return "not estimated"
    digits = 0 if amount == 0 else 2 - math.floor(math.log10(abs(amount)))
    return f"{currency} {round(amount, digits):,.{max(0, min(2, digits))}f}".strip()


def price(value: float) -> str:
    """Two decimals, none from 100 on, two significant digits below 0.1."""
    if 0 < value < 0.1:
        return f"{value:.2g}"
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def counted(number: float, one: str, many: str = "") -> str:
    """ "1 file", "3 files", "0.5 points"."""
    shown = f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return f"{shown} {one if number == 1 else many or one + 's'}"


def leads(reason: Reason) -> bool:
    """Whether a reason decides by money and not by points."""
    return reason.policy in _MONEY


def ported(assessment: Assessment) -> tuple[OptionEstimate, ...]:
    """The options that are a port and have rows to show, in the order of the estimate."""
    return tuple(option for option in assessment.estimate.options.values() if option.lines)


def detailed(assessment: Assessment) -> OptionEstimate:
    """The port whose rows the detail sections show: the verdict, else the runner-up, else AMD."""
    decision = assessment.decision
    for name in (str(decision.verdict), str(decision.runner_up)):
        if name in PORT_OPTIONS and name in assessment.estimate.options:
            return assessment.estimate.options[name]
    return assessment.estimate.options["amd"]
