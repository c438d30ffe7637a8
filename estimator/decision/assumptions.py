"""What do the figures take for granted? Defaults that stood in, prices without a date, and what contradicts itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from estimator.decision.values import Assumption, Growth, Scenario, Target

_DATED = ("price_now", "price_offered")
_A_DATE = re.compile(r"\b(19|20)\d\d-(0[1-9]|1[0-2])\b")
_DEFAULTS = {
    "speed_factor": "the new cards are taken to run at {speed_low:g} to {speed_high:g} times the speed of the present"
    " ones, likely {speed_likely:g}",
    "horizon_months": "the horizon is {horizon_months:g} months",
    "discount_rate": "money is discounted at {discount_rate:g} a year",
}


def assumptions(
    scenario: Scenario, target: Target, growth: Growth | None, settings: Mapping[str, float]
) -> tuple[Assumption, ...]:
    """Everything that a reader of the figures should know was not given, one sentence each."""
    return (
        *_other_target(scenario, target),
        *_undated(scenario),
        *_defaults(scenario, settings),
        *_growth(growth),
        *_rising(scenario),
    )


def _other_target(scenario: Scenario, target: Target) -> Iterator[Assumption]:
    for name, said, taken in (("gfx", scenario.gfx, target.gfx), ("rocm", scenario.rocm, target.rocm)):
        if said is not None and taken and said != taken:
            yield Assumption(name, f"The scenario names {name} {said}, the command {taken}: the command's was taken.")


def _undated(scenario: Scenario) -> Iterator[Assumption]:
    for name in _DATED:
        if getattr(scenario, name) is not None and not _A_DATE.search(scenario.notes.get(name, "")):
            yield Assumption(name, f"{name} has no date: prices move within weeks; give one in [notes].")


def _defaults(scenario: Scenario, settings: Mapping[str, float]) -> Iterator[Assumption]:
    """Defaults of the policy that stand in where money is compared."""
    for name, text in _DEFAULTS.items():
        if scenario.priced and getattr(scenario, name) is None:
            yield Assumption(name, f"{name} is not given: {text.format(**settings)} (a default of the policy).")


def _growth(growth: Growth | None) -> Iterator[Assumption]:
    if growth is None:
        yield Assumption("", "How fast the debt grows is not known, so that staying has no price beyond running.")


def _rising(scenario: Scenario) -> Iterator[Assumption]:
    if scenario.priced and scenario.gpu_hours_month_planned is not None:
        yield Assumption(
            "gpu_hours_month_planned",
            "GPU-hours go evenly from today's to the planned number: every month of the horizon pays for their mean.",
        )
