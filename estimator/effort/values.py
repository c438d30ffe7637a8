"""What `effort` hands on: lines of hours for each option, and the draws behind their ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from estimator.quantities import Hours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FUNCTIONAL_PARTS = ("conversion", "remediation", "kernels", "libraries", "delivery")
EDIT_PARTS = ("remediation", "libraries")
PORT_OPTIONS = ("amd", "triton-first")


@dataclass(frozen=True, slots=True)
class Spread:
    """Hours as a distribution: likely and mean re-add exactly, percentiles come from the draws."""

    likely: float
    mean: float
    p10: float
    p50: float
    p80: float
    p90: float


@dataclass(frozen=True, slots=True)
class EffortLine:
    """One priced row of one option.

    count: units, after distinct symbols, patterns or functions were folded. hours: all units together.
    fixed: charged once whatever the sites (set-up, first build); left out of `scopes.edits`.
    p50: median of this row's draws. findings: ids, empty for fixed rows. sum: the sum in words, for
    `explain` and the report: "1 x 1.5 + 9 x 0.15 h".
    """

    weight: str
    title: str
    part: str
    phase: str
    unit: str
    count: float
    hours: Hours
    p50: float
    grade: str
    fixed: bool
    findings: tuple[str, ...]
    sum: str


@dataclass(frozen=True, slots=True)
class UnpricedRow:
    """Sites that nobody has a figure for; shown, never zero."""

    weight: str
    category: str
    reason: str
    sites: int


@dataclass(frozen=True, slots=True)
class Driver:
    """One bar of the tornado: the option's P50 with this row at its low and at its high end, in hours."""

    weight: str
    title: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class OptionEstimate:
    """Hours of one option. nvidia has no lines and a reason.

    parts, phases, scopes: spreads by name. edits: likely hours of the site-driven rows of remediation
    and libraries, rounded to 0.1. upkeep: hours a year to keep the port alive, outside the total.
    grades: share of likely hours by evidence grade, A to C. tornado: largest first.
    """

    option: str
    lines: tuple[EffortLine, ...]
    parts: Mapping[str, Spread]
    phases: Mapping[str, Spread]
    scopes: Mapping[str, Spread]
    edits: float
    upkeep: Spread
    grades: Mapping[str, float]
    tornado: tuple[Driver, ...]
    reason: str = ""

    @property
    def hours(self) -> Spread:
        """The full scope: everything from set-up to re-tuning."""
        return self.scopes["full"]


@dataclass(frozen=True, slots=True)
class KernelPrice:
    """Likely hours of one kernel by option, and the cheaper way for amd: hip, triton, library or keep."""

    path: str
    line: int
    name: str
    hours: Mapping[str, float]
    plan: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Monte Carlo draws of the full scope, one array of hours per option, all on the same numbers."""

    seed: int
    full: Mapping[str, NDArray[np.float64]]
    digest: str


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Effort of every option. stage and sigma: where the shared spread comes from."""

    options: Mapping[str, OptionEstimate]
    kernels: tuple[KernelPrice, ...]
    unpriced: tuple[UnpricedRow, ...]
    stage: str
    sigma: float
    hours_per_day: float
    draws: Draws
