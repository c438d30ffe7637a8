"""What do the figures take for granted? Defaults that stood in, prices without a date, and what contradicts itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from estimator.decision.values import Assumption, Growth, Scenario, Target
from estimator.effort.values import KernelSpeed, StrategyPrice
from estimator.quantities import percent

_DATED = ("price_now", "price_offered")
_A_DATE = re.compile(r"\b(19|20)\d\d-(0[1-9]|1[0-2])\b")
_DEFAULTS = {
    "speed_factor": "the new cards are taken to run at {speed_low:g} to {speed_high:g} times the speed of the present"
    " ones, likely {speed_likely:g}",
    "horizon_months": "the horizon is {horizon_months:g} months",
    "discount_rate": "money is discounted at {discount_rate:g} a year",
}


def assumptions(
    scenario: Scenario,
    target: Target,
    growth: Growth | None,
    settings: Mapping[str, float],
    kept: StrategyPrice | None = None,
    speeds: Iterable[KernelSpeed] = (),
) -> tuple[Assumption, ...]:
    """Everything that a reader of the figures should know was not given, one sentence each.

    kept: how the source is kept; None where there is none of one's own. speeds: of own kernels after each port.
    """
    return (
        *_other_target(scenario, target),
        *_undated(scenario),
        *_defaults(scenario, settings),
        *_own_kernels(scenario, settings, speeds),
        *_growth(growth),
        *_rising(scenario),
        *_kept(kept, scenario),
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


def _own_kernels(
    scenario: Scenario, settings: Mapping[str, float], speeds: Iterable[KernelSpeed]
) -> Iterator[Assumption]:
    """Where money is compared: the share of the time in own kernels, and where their speed is from.

    A share that is given where there are no such kernels is of no use, with prices and without.
    """
    known = next((speed for speed in speeds if speed.kernels), None)
    if known is None and scenario.own_kernel_share is not None:
        given = f"own_kernel_share is {percent(scenario.own_kernel_share)} and not used"
        yield Assumption("own_kernel_share", f"{given}: there are no own kernels in C++ to port.")
    if not scenario.priced or known is None:
        return
    if scenario.own_kernel_share is None:
        share = f"own kernels are taken to use {percent(settings['own_kernel_share'])} of today's GPU time"
        yield Assumption("own_kernel_share", f"own_kernel_share is not given: {share} (a default of the policy).")
    classes = f"{known.measured} of {known.kernels} own kernels are of a class that was {known.source}"
    yield Assumption("", f"Speed after the port: {classes}. Each weighs the same; others count as equally fast.")


def _growth(growth: Growth | None) -> Iterator[Assumption]:
    if growth is None:
        yield Assumption("", "How fast the debt grows is not known, so that staying has no price beyond running.")


def _rising(scenario: Scenario) -> Iterator[Assumption]:
    if scenario.priced and scenario.gpu_hours_month_planned is not None:
        yield Assumption(
            "gpu_hours_month_planned",
            "GPU-hours go evenly from today's to the planned number: every month of the horizon pays for their mean.",
        )


def _kept(kept: StrategyPrice | None, scenario: Scenario) -> Iterator[Assumption]:
    """A strategy that nobody asked for, or that was asked for and does not fit or applies to nothing."""
    if kept is None:
        if scenario.strategy is not None:
            none = "none applies, since no C, C++ or CUDA source of one's own is to be ported"
            yield Assumption("strategy", f"The strategy “{scenario.strategy}” has no effect: {none}.")
        return
    title = f"“{kept.title}”"
    if kept.why:
        yield Assumption("strategy", f"The source is kept by {title}, which does not fit: {kept.why}.")
    elif scenario.strategy is None:
        yield Assumption("strategy", f"strategy is not given: the source is kept by {title}, {kept.why_chosen}.")
