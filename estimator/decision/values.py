"""What `decision` hands on: the scenario it was given and the verdict with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    """The three answers; one is always given."""

    AMD = "amd"
    NVIDIA = "nvidia"
    TRITON_FIRST = "triton-first"


class Basis(StrEnum):
    """What a verdict rests on: nothing to port, a veto that leaves one option, prices, or the code's structure."""

    NOTHING = "nothing to port"
    VETO = "veto"
    PRICES = "prices"
    STRUCTURE = "structure"


@dataclass(frozen=True, slots=True)
class Range:
    """An input with a doubt: low <= likely <= high, in the unit its field names."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True, slots=True)
class Scenario:
    """What the code can't show; every field may be missing (None).

    gpus, gpu_hours_month: fleet now and planned. prices: currency per GPU-hour. speed_factor: target
    speed / present speed, 1 is equal, more is better. horizon_months; discount_rate a year as a
    fraction. rate: loaded cost of an engineer-hour in `currency`. team: engineers on the port;
    infrastructure_people: people dedicated to GPU infrastructure. workload: one of standard-inference,
    own-models, training, research, hpc. newest_kernels_first: new vendor kernels are needed at once.
    new_kernels_month: own kernels written a month. debt_growth_quarter: hours of new debt a quarter.
    second_source_value: currency a year that a second supplier is worth. memory_need_gib: what the work needs on
    one GPU; memory_now_gib: what one of the present cards holds; memory_decides: work does not fit the present cards.
    own_kernel_share: share of the GPU time spent in kernels of one's own. strategy: how the ported source is to be
    kept, by name of heuristics/strategies.toml. gfx, rocm: the target. notes: date and source of prices, by field.
    multipliers: by name of heuristics/multipliers.toml, whether it is on, or its own range.
    """

    name: str = ""
    currency: str = "USD"
    gpus_now: float | None = None
    gpus_planned: float | None = None
    gpu_hours_month: float | None = None
    gpu_hours_month_planned: float | None = None
    price_now: float | None = None
    price_offered: float | None = None
    speed_factor: Range | None = None
    horizon_months: float | None = None
    discount_rate: float | None = None
    rate: float | None = None
    team: int | None = None
    gpu_experience: bool | None = None
    infrastructure_people: float | None = None
    workload: str | None = None
    newest_kernels_first: bool | None = None
    new_kernels_month: float | None = None
    debt_growth_quarter: Range | None = None
    second_source_value: float | None = None
    memory_need_gib: float | None = None
    memory_now_gib: float | None = None
    memory_decides: bool | None = None
    own_kernel_share: float | None = None
    hardware_access: bool | None = None
    strategy: str | None = None
    gfx: str | None = None
    rocm: str | None = None
    multipliers: Mapping[str, bool | Range] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def priced(self) -> bool:
        """Whether money can be compared: hours, both prices and an engineer's rate are known."""
        return None not in (self.gpu_hours_month, self.price_now, self.price_offered, self.rate)


@dataclass(frozen=True, slots=True)
class Target:
    """What the code would move to. memory_gib: of the largest card of that kind, None where it is not established."""

    rocm: str = ""
    gfx: str = ""
    memory_gib: float | None = None


NO_TARGET = Target()


@dataclass(frozen=True, slots=True)
class Growth:
    """What a quarter of staying adds to the debt: hours of the amd port. basis: what that rests on, as a clause."""

    hours: Range
    basis: str


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that the figures take for granted. about: the field of the scenario, or "" for none."""

    about: str
    text: str


@dataclass(frozen=True, slots=True)
class Reason:
    """One criterion that spoke. favours: the option it speaks for. points: its strength by policy.toml.

    policy: id of the policy line. figure: the measured figure it rests on, as text with unit.
    """

    policy: str
    favours: Verdict
    points: float
    figure: str
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Flip:
    """The smallest change of one input that tips the verdict. now, flips_at: with unit, as text."""

    input: str
    now: str
    flips_at: str
    to: Verdict
    text: str


@dataclass(frozen=True, slots=True)
class MoneyLine:
    """Cost of one option over the horizon, in the scenario's currency; None where not estimated.

    port, running, upkeep, total: means, so that port + running + upkeep - second_source is total; percentiles do not
    add up. second_source: worth of a second supplier over the horizon, already taken off the totals. dearer_exit: what
    new debt adds to the price of leaving over the horizon; in no total, since who stays does not pay it. None for those
    who move, and where the growth of the debt is not known.
    """

    port_p50: float | None
    port_p80: float | None
    running: float | None
    upkeep: float | None
    total_p50: float | None
    total_p80: float | None
    second_source: float | None = None
    dearer_exit: Range | None = None
    port: float | None = None
    total: float | None = None
    total_p10: float | None = None
    total_p90: float | None = None


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option as decided: its score by policy, its chance to be cheapest, its money.

    net_benefit: P10, P50 and P90 of what the option saves against staying, over the horizon. work_time: that the same
    work takes, where today's is 1, with every speed at its likely value; of those who move on the new cards. None
    without prices.
    """

    option: Verdict
    points: float
    chance_cheapest: float | None
    money: MoneyLine | None
    text: str
    net_benefit: Range | None = None
    work_time: float | None = None


@dataclass(frozen=True, slots=True)
class GapPoint:
    """What the offered price must lie below the present one, per GPU-hour, to pay the port back within the horizon.

    At equal speed, or at the scenario's speed factor where it gives one and the present price: slower cards need a
    larger gap, much faster ones none, and then it is negative.
    """

    gpus: int
    gap_p50: float
    gap_p80: float


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict. confidence: high, medium or low; confidence_reason says why.

    margin: points between verdict and runner-up. pilot_kernels: what to pilot first when pilot_first.
    conditions: what must be arranged for the verdict to hold ("a reserve for tuning").
    gaps: the price gap that would pay by fleet size, always given when there is something to port.
    doubts: what lowers confidence whatever the prices and points, as clauses.
    growth: of the debt while one stays, None where it is not known. assumptions: what the figures take for granted.
    basis: what the verdict rests on. break_even_month: counted from the start of the port, which takes port_months.
    break_even_price: offered price at which moving costs as much as staying, in the mean of the draws.
    """

    verdict: Verdict
    pilot_first: bool
    pilot_reason: str
    confidence: str
    confidence_reason: str
    runner_up: Verdict
    margin: float
    reasons: tuple[Reason, ...]
    flip_points: tuple[Flip, ...]
    options: tuple[OptionView, ...]
    conditions: tuple[str, ...] = ()
    pilot_kernels: tuple[str, ...] = ()
    gaps: tuple[GapPoint, ...] = ()
    chance_cheapest: float | None = None
    break_even_month: float | None = None
    break_even_price: float | None = None
    completeness: float = 0.0
    doubts: tuple[str, ...] = ()
    growth: Growth | None = None
    assumptions: tuple[Assumption, ...] = ()
    basis: Basis = Basis.STRUCTURE
    port_months: float | None = None
