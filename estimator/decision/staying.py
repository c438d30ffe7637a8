"""What does staying cost? From the growth of the debt: each quarter of new CUDA code makes leaving dearer.

Nobody who stays pays it, so that it stands beside the totals and never in one. Where nothing is known of the growth,
there is no figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

from estimator.decision.money import annuity, horizon, hourly_rate
from estimator.decision.values import Growth, Range, Scenario, Verdict
from estimator.effort.values import Estimate

MONTHS_A_QUARTER = 3
KERNEL_PARTS = ("kernels", "remediation", "validation", "retuning")


def growth_of(scenario: Scenario, estimate: Estimate, measured: Growth | None = None) -> Growth | None:
    """Growth of the debt a quarter: as the scenario says, else as measured, else by its new kernels; None if unknown.

    measured: from the history of the code, where somebody has read it. A new kernel takes what a kernel of this code
    takes on average, with what comes after it: remediation, validation and re-tuning.
    """
    if scenario.debt_growth_quarter is not None:
        return Growth(scenario.debt_growth_quarter, "as the scenario says")
    if measured is not None or scenario.new_kernels_month is None:
        return measured
    if scenario.new_kernels_month == 0:
        return Growth(Range(0.0, 0.0, 0.0), "no new kernels are written")
    return _by_kernels(scenario.new_kernels_month, estimate)


def _by_kernels(a_month: float, estimate: Estimate) -> Growth | None:
    """New kernels at the mean of all rows that follow kernels; its ends as far off as those of the same rows.

    Rows that are charged once whatever is found are left out. Ends are added up as if all rows erred the same way.
    """
    kernels = sum(kernel.hours.get(Verdict.AMD, 0.0) > 0 for kernel in estimate.kernels)
    lines = estimate.options[Verdict.AMD].lines
    rows = [line.hours for line in lines if line.part in KERNEL_PARTS and not line.fixed]
    low, likely, high = (fsum(getattr(hours, end) for hours in rows) for end in ("low", "likely", "high"))
    if not kernels or likely <= 0:
        return None
    each = a_month * MONTHS_A_QUARTER / kernels
    own = f"{kernels} kernels" if kernels > 1 else "kernel"
    new = f"{a_month:g} new {'kernel' if a_month == 1 else 'kernels'} a month, each at {_shown(likely / kernels)}"
    basis = f"{new}: the mean of this code's {own}, with remediation, validation and re-tuning"
    return Growth(Range(each * min(max(low, 0.0), likely), each * likely, each * max(high, likely)), basis)


def dearer_exit(growth: Growth | None, scenario: Scenario, settings: Mapping[str, float]) -> Range | None:
    """What new debt adds to the price of leaving over the horizon, as it comes, discounted; None if unknown."""
    rate = hourly_rate(scenario, settings)
    if growth is None or rate is None:
        return None
    each = rate * annuity(*horizon(scenario, settings)) / MONTHS_A_QUARTER
    return Range(growth.hours.low * each, growth.hours.likely * each, growth.hours.high * each)


def told(growth: Growth | None) -> str:
    """What staying does to the debt, as a clause."""
    if growth is None:
        return "the debt stays, and how fast it grows is not known"
    hours = growth.hours
    if hours.high <= 0:
        return f"the debt stays as it is: {growth.basis}"
    span = f"{hours.low:,.2g} to {hours.high:,.2g} h" if hours.high < 10 else f"{hours.low:,.0f} to {hours.high:,.0f} h"
    return f"every quarter makes leaving {_shown(hours.likely)} dearer ({span}; {growth.basis})"


def _shown(hours: float) -> str:
    return f"{hours:,.0f} h" if hours >= 10 else f"{hours:.2g} h"
