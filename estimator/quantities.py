"""Amounts with their unit and the little arithmetic they allow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hours:
    """Engineer-hours as three points: low <= likely <= high, none negative.

    Adding goes bound by bound, the widest range: as if all terms erred the same way.
    """

    low: float
    likely: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.likely <= self.high:
            raise ValueError(f"hours must rise from zero: {self.low}, {self.likely}, {self.high}")

    def __add__(self, other: Hours) -> Hours:
        return Hours(self.low + other.low, self.likely + other.likely, self.high + other.high)

    def __mul__(self, factor: float) -> Hours:
        return Hours(self.low * factor, self.likely * factor, self.high * factor)

    @property
    def mean(self) -> float:
        """Mean of the PERT distribution through the three points, (low + 4 likely + high) / 6."""
        return (self.low + 4 * self.likely + self.high) / 6


NO_HOURS = Hours(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Triple:
    """A number without a unit as three points, such as a factor, share or probability: low <= likely <= high."""

    low: float
    likely: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.likely <= self.high:
            raise ValueError(f"must rise from zero: {self.low}, {self.likely}, {self.high}")

    @property
    def mean(self) -> float:
        """Mean of the PERT distribution through the three points."""
        return (self.low + 4 * self.likely + self.high) / 6


@dataclass(frozen=True, slots=True)
class Change:
    """Engineer-hours that come on top of others, or off them: what is added to their low, likely and high sum.

    Each may be negative; they need not rise, but the sums do.
    """

    low: float
    likely: float
    high: float


def total(hours: Iterable[Hours]) -> Hours:
    """Sum bound by bound; none gives zero hours."""
    result = NO_HOURS
    for item in hours:
        result = result + item
    return result


def with_ends(value: Triple) -> str:
    """Likely, and low to high, with two digits: "0.93 (0.75 to 0.99)"."""
    return f"{value.likely:.2f} ({value.low:.2f} to {value.high:.2f})"


def percent(share: float) -> str:
    """A share of one as a percentage, in the one style of the tool: "31 %", near the ends "4.5 %", "98.7 %".

    What is not quite nothing or not quite all says so: "under 0.1 %", "over 99.9 %".
    """
    if 0 < share < 0.0005:
        return "under 0.1 %"
    if 0.9995 <= share < 1:
        return "over 99.9 %"
    near = 0 < abs(share) < 0.1 or 0.9 < abs(share) < 1
    digits = f"{share * 100:,.1f}".removesuffix(".0") if near else f"{share * 100:,.0f}"
    return f"{digits} %"
