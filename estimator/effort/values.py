"""What `effort` hands on: lines of hours for each option, and the draws behind their ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from estimator.quantities import Change, Hours, Triple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from estimator.knowledge.values import Multiplier, Risk, Strategy

Array: TypeAlias = "NDArray[np.float64]"  # in quotes: this module does without numpy

FUNCTIONAL_PARTS = ("conversion", "remediation", "kernels", "libraries", "delivery")
UPKEEP_PARTS = (*FUNCTIONAL_PARTS, "validation", "retuning")  # upkeep is a share of these, which have to be kept alive
EDIT_PARTS = ("remediation", "libraries")
PORT_OPTIONS = ("amd", "triton-first")
BLEND = "ports"  # begins the names of the multipliers that blend rows with ports that happened: ports.amd


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
class Scaling:
    """A multiplier that is switched on. factor: as given, or the multiplier's own. why: what switched it on.

    options: in whose estimates it acts.
    """

    multiplier: Multiplier
    factor: Triple
    why: str
    options: tuple[str, ...] = PORT_OPTIONS

    @property
    def own(self) -> bool:
        """Whether the figure is the scenario's, not the table's."""
        return self.factor != self.multiplier.factor

    @property
    def source(self) -> str:
        """Where the factor comes from; the table's source says nothing of a figure of one's own."""
        return "yours, no source given" if self.own else self.multiplier.source


class ActsOnRows(Protocol):
    """Which rows a multiplier scales: those of some parts and some weights, but none whose weight begins as spared."""

    @property
    def parts(self) -> Sequence[str]: ...
    @property
    def weights(self) -> Sequence[str]: ...
    @property
    def spares(self) -> Sequence[str]: ...


def acts_on(multiplier: ActsOnRows, weight: str, part: str) -> bool:
    """Whether a multiplier scales the row of a weight."""
    if weight.startswith(tuple(multiplier.spares)):
        return False
    return part in multiplier.parts or weight in multiplier.weights


@dataclass(frozen=True, slots=True)
class Programme:
    """What is known of the undertaking besides its code.

    scalings: multipliers that are on, in the order in which they are applied. risks: all that may apply. answers: of
    the scenario, by field; None where it was not answered. team: engineers on the port, None for the default.
    strategies: how the source may be kept, of which one is priced; strategy: the one that is asked for, None for the
    cheapest over so many years. anew: parts that have to be done although a build of the project takes AMD already.
    """

    scalings: tuple[Scaling, ...] = ()
    risks: tuple[Risk, ...] = ()
    answers: Mapping[str, object] = field(default_factory=dict)
    team: int | None = None
    strategies: tuple[Strategy, ...] = ()
    strategy: str | None = None
    years: float = 0.0
    anew: tuple[str, ...] = ()


NO_PROGRAMME = Programme()


@dataclass(frozen=True, slots=True)
class RiskEvent:
    """A risk that applies to an option.

    hours: if it comes; where it is a share of some parts, that share of their likely hours. expected: hours on average,
    coming or not. why: what it applies for, in words. findings: ids; places, files: how many there are of them.
    """

    id: str
    title: str
    probability: Triple
    hours: Hours
    expected: float
    why: str
    findings: tuple[str, ...]
    places: int
    files: int
    mitigation: str
    source: str
    grade: str


@dataclass(frozen=True, slots=True)
class WithRisks:
    """The full scope and the risk events that come, in hours. mean: of `hours` plus the expected hours of the risks."""

    mean: float = 0.0
    p50: float = 0.0
    p80: float = 0.0
    p90: float = 0.0


@dataclass(frozen=True, slots=True)
class EffortLine:
    """One priced row of one option, or what a multiplier adds to the rows of one part and phase.

    count: units, after distinct symbols, patterns or functions were folded. hours: all units together.
    fixed: charged once whatever the sites (set-up, first build); left out of `scopes.edits`.
    p50: median of this row's draws. findings: ids, empty for fixed rows. sum: the sum in words, for
    `explain` and the report: "1 x 1.5 + 9 x 0.15 h". multiplier: its id, "" for a row of the table.
    """

    weight: str
    title: str
    part: str
    phase: str
    unit: str
    count: float
    hours: Hours | Change
    p50: float
    grade: str
    fixed: bool
    findings: tuple[str, ...]
    sum: str
    multiplier: str = ""


@dataclass(frozen=True, slots=True)
class UnpricedRow:
    """Sites that nobody has a figure for; shown, never zero."""

    weight: str
    category: str
    reason: str
    sites: int


@dataclass(frozen=True, slots=True)
class Driver:
    """One bar of the tornado: the option's P50 with this row or multiplier at its low and high end, in hours."""

    weight: str
    title: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What keeping a port alive takes: the row that prices it, and its share of the hours of UPKEEP_PARTS a year."""

    weight: str
    share: Triple


NO_UPKEEP = Upkeep("", Triple(0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class OptionEstimate:
    """Hours of one option. nvidia has no lines and a reason.

    parts, phases, scopes: spreads by name. edits: likely hours of the site-driven rows of remediation
    and libraries, rounded to 0.1. upkeep: hours a year to keep the port alive, outside the total.
    grades: share of likely hours by evidence grade, A to C. tornado: largest first. risks: events that may come,
    in the order of the table; no other figure holds them but with_risks. upkeep_of: what upkeep was drawn from.
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
    risks: tuple[RiskEvent, ...] = ()
    with_risks: WithRisks = WithRisks()
    upkeep_of: Upkeep = NO_UPKEEP

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


@dataclass(frozen=True, slots=True)
class KernelSpeed:
    """Speed of one's own kernels after a port / before it, cards of one speed supposed: 1 is equal, more is better.

    kernels: how many are counted, each with the same weight; moved: of them, rewritten in Triton; measured: of a class
    whose speed was measured, the others count as 1; retuned: as many as the re-tuning rows pay for.
    new_cards, present_cards: there, with that re-tuning. untuned: on the new cards without any. source: what all of it
    rests on, as a clause.
    """

    kernels: int
    moved: int
    measured: int
    retuned: int
    new_cards: Triple
    present_cards: Triple
    untuned: Triple
    source: str


@dataclass(frozen=True, slots=True)
class StrategyPrice:
    """What a way to keep the source costs in the option amd, beyond the rows of the table and before multipliers.

    why: why it does not fit, "" if it does. upkeep_share: of the hours of UPKEEP_PARTS, a year; upkeep_own: whether it
    is the strategy's own. upkeep_year: likely hours of it, on all of them, these included. horizon_hours: likely hours
    and so many years of upkeep. proposed: the cheapest of those that fit, by horizon_hours. chosen: in the estimate.
    """

    id: str
    title: str
    keeps: str
    fits: bool
    why: str
    hours: Hours
    sum: str
    upkeep_share: Triple
    upkeep_own: bool
    upkeep_year: float
    horizon_hours: float
    horizon_years: float
    proposed: bool
    chosen: bool
    why_chosen: str
    grade: str
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Monte Carlo draws of the full scope, one array of hours per option, all on the same numbers."""

    seed: int
    full: Mapping[str, Array]
    digest: str


@dataclass(frozen=True, slots=True)
class Days:
    """Author-days (or their hours) of a distribution that ports which happened give."""

    p10: float
    p50: float
    p90: float

    def holds(self, actual: float) -> bool:
        """Whether an outcome lies in P10-P90."""
        return self.p10 <= actual <= self.p90

    def __mul__(self, factor: float) -> Days:
        return Days(self.p10 * factor, self.p50 * factor, self.p90 * factor)


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """A row that lifts the estimate out of what ports took; likely hours."""

    weight: str
    title: str
    hours: float


@dataclass(frozen=True, slots=True)
class Fared:
    """How a method fared on ports that happened.

    inside: outcomes that lay in its P10-P90. factor: how far off P50 typically was, up or down: exp of the root mean
    square of log(P50/actual). rank: rank correlation of P50 with the outcome, None where it isn't defined.
    """

    inside: int
    factor: float
    rank: float | None


@dataclass(frozen=True, slots=True)
class Checked:
    """Rows of an estimate, the reference class, and both blended, on the same ports; each was left out of its class."""

    ports: int
    rows: Fared
    reference: Fared
    blended: Fared


@dataclass(frozen=True, slots=True)
class Blend:
    """How rows and reference class become one figure, by how far off either typically was on ports left out.

    weight: of the class, 0 to 1; the rest is that of the rows. factor: what the hours of the functional scope are
    multiplied by, (P50 of the class / P50 of the rows) ** weight; triton-first's kernels are not. class_error,
    rows_error: root mean square of log(P50/actual) on the ports, for the class widened by how far this code lies from
    their middle.
    """

    weight: float
    factor: float
    class_error: float
    rows_error: float


@dataclass(frozen=True, slots=True)
class Reference:
    """What ports that happened say of a port like this one.

    ports: how many make the class. people: who will work on the port, None where nobody said so; the class then
    spans ports of all sizes of team. features: of the line that was drawn. host_api_files: of this code. days:
    author-days; hours: the same times hours per day. reason: why the class speaks less of this code than of the ports,
    "" where it lies among them. unlike: share of the functional hours of kinds that the ports hardly held; they are not
    blended. functional_days: P50 of the rows for the functional scope of amd, before any blending.
    usual_days: fewest and most that ports took, of usual_ports. because: rows that lift functional_days above the most,
    largest first. checked: how all fared on those ports, None where too few of them have figures. blend: None where the
    estimate is not blended, and unblended says why.
    """

    ports: int
    people: int | None
    features: tuple[str, ...]
    host_api_files: int
    days: Days
    hours: Days
    reason: str
    unlike: float
    functional_days: float
    usual_days: tuple[float, float]
    usual_ports: int
    because: tuple[ReferenceRow, ...]
    checked: Checked | None = None
    blend: Blend | None = None
    unblended: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Effort of every option. stage and sigma: where the shared spread comes from. scalings: multipliers that are on.

    engineers: people on the port, who all learn the target. reference: what ports that happened took; None where
    there is no debt. speeds: of one's own kernels after the port, by option. strategies: how the source may be kept;
    none where there is nothing of one's own to keep.
    """

    options: Mapping[str, OptionEstimate]
    kernels: tuple[KernelPrice, ...]
    unpriced: tuple[UnpricedRow, ...]
    stage: str
    sigma: float
    hours_per_day: float
    draws: Draws
    scalings: tuple[Scaling, ...] = ()
    engineers: int = 0
    reference: Reference | None = None
    speeds: Mapping[str, KernelSpeed] = field(default_factory=dict)
    strategies: tuple[StrategyPrice, ...] = ()

    @property
    def kept(self) -> StrategyPrice | None:
        """The way to keep the source that is in the hours; None where there is none to choose."""
        return next((one for one in self.strategies if one.chosen), None)
