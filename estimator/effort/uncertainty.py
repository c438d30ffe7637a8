"""How sure are the hours: Monte Carlo over rows of three-point hours, giving spreads and the tornado.

Each row is a PERT distribution through its low, likely and high hours. One log-normal factor of median 1 is
shared by all rows: a wrong scale is wrong for all of them, so independent rows can't cancel to false
precision. Percentiles come from the draws; likely and mean are sums, so they re-add.
A row's random numbers depend on the seed and its weight alone: another row moves nobody's draws, and both
options meet the same luck where they share a weight.
Source: PERT and the sigmas are explained in heuristics/README.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, fsum, prod
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from estimator.effort.pricing import Row
from estimator.effort.values import UPKEEP_PARTS, Array, Driver, Scaling, Spread, acts_on
from estimator.quantities import Change, Hours, Triple

NO_SPREAD = Spread(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
TORNADO_ROWS = 10
_GRID = 2049  # points of the tabulated PERT distribution; its mean is then right to 1e-6


class Luck:
    """The random numbers of one run. draws: how many. sigma: of the shared factor."""

    def __init__(self, seed: int, draws: int, sigma: float) -> None:
        self.seed = seed
        self.draws = draws
        self.sigma = sigma
        self.factor: Array = np.exp(sigma * _normal(draws)[self._order("shared factor")])
        self._orders: dict[str, NDArray[np.intp]] = {}

    @property
    def factor_mean(self) -> float:
        """Mean of a log-normal of median 1."""
        return exp(self.sigma**2 / 2)

    def pert(self, key: str, hours: Hours | Triple) -> Array:
        """Draws of one row's hours, or of a factor, without the shared factor, evenly spread over its distribution."""
        if hours.high <= hours.low:
            return np.full(self.draws, hours.likely)
        if key not in self._orders:
            self._orders[key] = self._order(key)
        width = hours.high - hours.low
        mode = (hours.likely - hours.low) / width
        drawn: Array = hours.low + width * _pert_quantiles(self.draws, round(mode, 12))[self._orders[key]]
        return drawn

    def chance(self, key: str) -> Array:
        """Draws between 0 and 1, evenly spread: an event of probability p comes where they lie below p."""
        drawn: Array = (self._order(key) + 0.5) / self.draws
        return drawn

    def _order(self, key: str) -> NDArray[np.intp]:
        digest = hashlib.sha256(f"{self.seed}:{key}".encode()).digest()
        return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big"))).permutation(self.draws)


@lru_cache(maxsize=4)
def _normal(draws: int) -> Array:
    """Quantiles of the standard normal at the middle of `draws` equal slices."""
    quantile = NormalDist().inv_cdf
    return np.array([quantile((i + 0.5) / draws) for i in range(draws)])


@lru_cache(maxsize=256)
def _pert_quantiles(draws: int, mode: float) -> Array:
    """Quantiles of the PERT distribution on 0 to 1 at the middle of `draws` equal slices, rising.

    It is the beta distribution with a = 1 + 4 mode and b = 5 - 4 mode. The distribution function is summed on
    points that crowd towards both ends, where the quantiles are steep.
    """
    x = (1 - np.cos(np.linspace(0.0, np.pi, _GRID))) / 2
    middle = (x[1:] + x[:-1]) / 2
    density = (middle ** (4 * mode) * (1 - middle) ** (4 - 4 * mode)) * np.diff(x)
    below = np.concatenate(([0.0], np.cumsum(density)))
    quantiles: Array = np.interp((np.arange(draws) + 0.5) / draws, below / below[-1], x)
    quantiles.flags.writeable = False
    return quantiles


@dataclass(frozen=True, slots=True, eq=False)
class _Standing:
    """Hours of some rows with the multipliers so far: sums of their three points, mean and draws, no shared factor."""

    low: float
    likely: float
    high: float
    mean: float
    drawn: Array


@dataclass(frozen=True, slots=True)
class Addition:
    """What one multiplier adds to the rows of one part and phase. before: their likely hours without it.

    mean: without the shared factor. rows: how many it acts on. earlier: whether a multiplier acted on them before.
    """

    scaling: Scaling
    part: str
    phase: str
    before: float
    hours: Change
    mean: float
    p50: float
    rows: int
    earlier: bool


class Simulation:
    """All draws of one option, added up by part, phase and in full. rows: one per weight, in any order.

    scalings: multipliers in the order in which they are applied; each scales what the ones before it left.
    """

    def __init__(self, rows: Iterable[Row], luck: Luck, scalings: Sequence[Scaling] = ()) -> None:
        self.rows = tuple(sorted(rows, key=lambda row: row.weight.id))
        self.luck = luck
        self._by_part: dict[str, Array] = {}
        self._by_phase: dict[str, Array] = {}
        self._p50: dict[str, float] = {}
        self._chains: dict[str, tuple[Scaling, ...]] = {}
        for row in self.rows:
            drawn = luck.pert(row.weight.id, row.hours)
            _gather(self._by_part, row.weight.part, drawn)
            _gather(self._by_phase, row.weight.phase, drawn)
            self._p50[row.weight.id] = float(np.median(drawn * luck.factor))
        self.additions = tuple(addition for scaling in scalings for addition in self._scaled(scaling))
        self._scalings = [scaling for scaling in scalings if any(one.scaling is scaling for one in self.additions)]

    def p50(self, weight: str) -> float:
        """Median hours of one row, the shared factor included."""
        return self._p50[weight]

    def parts(self, names: Iterable[str]) -> Spread:
        """Spread of some parts together; none with rows gives zeros."""
        chosen = frozenset(names)
        rows = [row for row in self.rows if row.weight.part in chosen]
        added = [one for one in self.additions if one.part in chosen]
        return self._spread(rows, added, self._drawn_parts(chosen))

    def phase(self, name: str) -> Spread:
        """Spread of one phase; without rows it gives zeros."""
        rows = [row for row in self.rows if row.weight.phase == name]
        added = [one for one in self.additions if one.phase == name]
        return self._spread(rows, added, self._by_phase.get(name, np.zeros(self.luck.draws)))

    def full(self) -> Array:
        """Draws of everything, the shared factor included."""
        return self.drawn(self._by_part)

    def drawn(self, parts: Iterable[str]) -> Array:
        """Draws of some parts together, the shared factor included."""
        return self._drawn_parts(parts) * self.luck.factor

    def upkeep(self, weight: str, share: Triple) -> Spread:
        """Hours a year: a share of the hours of UPKEEP_PARTS, drawn apart from them."""
        kept = self.parts(UPKEEP_PARTS)
        drawn = self.drawn(UPKEEP_PARTS) * self.luck.pert(weight, share)
        return _percentiles(share.likely * kept.likely, share.mean * kept.mean, drawn)

    def tornado(self) -> tuple[Driver, ...]:
        """The widest rows and multipliers: median of everything with one of them held at its low and its high end.

        The others keep their draws. Chosen by how far apart the ends lie, widest first.
        """
        plain = self._drawn_parts(self._by_part)
        held = [self._held_row(row) for row in self._widest()]
        held += [self._held_scaling(scaling) for scaling in self._scalings]
        drivers = []
        for weight, title, drawn, low, high in held:
            others = plain - drawn
            ends = (float(np.median((others + end) * self.luck.factor)) for end in (low, high))
            drivers.append(Driver(weight, title, *ends))
        wide = [driver for driver in drivers if driver.low != driver.high]
        widest = sorted(wide, key=lambda driver: (driver.low - driver.high, driver.weight))
        return tuple(widest[:TORNADO_ROWS])

    def _widest(self) -> list[Row]:
        return sorted(self.rows, key=lambda row: (row.hours.low - row.hours.high, row.weight.id))[:TORNADO_ROWS]

    def _held_row(self, row: Row) -> _Held:
        times = self._times(row)
        drawn = self.luck.pert(row.weight.id, row.hours) * times
        return row.weight.id, row.weight.title, drawn, row.hours.low * times, row.hours.high * times

    def _held_scaling(self, scaling: Scaling) -> _Held:
        rows = [row for row in self.rows if scaling in self._chains.get(row.weight.id, ())]
        drawn = _sum((self._stands(row).drawn for row in rows), self.luck.draws)
        once = drawn / self._factor(scaling)
        multiplier, factor = scaling.multiplier, scaling.factor
        return multiplier.id, multiplier.title, drawn, once * factor.low, once * factor.high

    def _scaled(self, scaling: Scaling) -> Iterator[Addition]:
        """What one multiplier adds, by part and phase; from here on the rows that it acts on stand scaled."""
        cells: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows:
            if acts_on(scaling.multiplier, row.weight.id, row.weight.part):
                cells.setdefault((row.weight.part, row.weight.phase), []).append(row)
        for (part, phase), rows in cells.items():
            earlier = any(row.weight.id in self._chains for row in rows)
            yield self._addition(scaling, part, phase, [self._stands(row) for row in rows], earlier)
            for row in rows:
                self._chains[row.weight.id] = (*self._chains.get(row.weight.id, ()), scaling)

    def _addition(
        self, scaling: Scaling, part: str, phase: str, standing: Sequence[_Standing], earlier: bool
    ) -> Addition:
        factor = scaling.factor
        drawn = _sum((one.drawn for one in standing), self.luck.draws) * (self._factor(scaling) - 1)
        _gather(self._by_part, part, drawn)
        _gather(self._by_phase, phase, drawn)
        low, likely, high = (fsum(getattr(one, end) for one in standing) for end in ("low", "likely", "high"))
        return Addition(
            scaling=scaling,
            part=part,
            phase=phase,
            before=likely,
            hours=Change(low * (factor.low - 1), likely * (factor.likely - 1), high * (factor.high - 1)),
            mean=fsum(one.mean for one in standing) * (factor.mean - 1),
            p50=float(np.median(drawn * self.luck.factor)),
            rows=len(standing),
            earlier=earlier,
        )

    def _stands(self, row: Row) -> _Standing:
        """A row as the multipliers so far left it."""
        factors = [scaling.factor for scaling in self._chains.get(row.weight.id, ())]
        return _Standing(
            row.hours.low * prod(factor.low for factor in factors),
            row.hours.likely * prod(factor.likely for factor in factors),
            row.hours.high * prod(factor.high for factor in factors),
            row.hours.mean * prod(factor.mean for factor in factors),
            self.luck.pert(row.weight.id, row.hours) * self._times(row),
        )

    def _times(self, row: Row) -> Array:
        """Draws of all multipliers on a row together; ones where there are none."""
        times = np.ones(self.luck.draws)
        for scaling in self._chains.get(row.weight.id, ()):
            times = times * self._factor(scaling)
        return times

    def _factor(self, scaling: Scaling) -> Array:
        return self.luck.pert(f"multiplier {scaling.multiplier.id}", scaling.factor)

    def _drawn_parts(self, parts: Iterable[str]) -> Array:
        return _sum((self._by_part[part] for part in sorted(self._by_part.keys() & frozenset(parts))), self.luck.draws)

    def _spread(self, rows: Sequence[Row], additions: Sequence[Addition], drawn: Array) -> Spread:
        if not rows:
            return NO_SPREAD
        likely, mean = _sums(rows, additions)
        return _percentiles(likely, mean * self.luck.factor_mean, drawn * self.luck.factor)


_Held = tuple[str, str, Array, Array, Array]


def digest(full: Mapping[str, Array]) -> str:
    """SHA-256 over the options' draws in the order of their names, rounded to 6 decimals; 16 hex digits."""
    hasher = hashlib.sha256()
    for option in sorted(full):
        hasher.update(option.encode())
        hasher.update(np.round(full[option], 6).astype("<f8").tobytes())
    return hasher.hexdigest()[:16]


def spread_between(more: Array, less: Array, likely: float, mean: float) -> Spread:
    """Spread of what one scope takes beyond another, draw by draw. likely, mean: the difference of their sums."""
    return _percentiles(likely, mean, more - less)


def _sums(rows: Iterable[Row], additions: Iterable[Addition]) -> tuple[float, float]:
    """Likely and mean hours of rows with what multipliers add, without the shared factor."""
    hours = [row.hours for row in rows]
    more = list(additions)
    likely = fsum([*(one.likely for one in hours), *(one.hours.likely for one in more)])
    return likely, fsum([*(one.mean for one in hours), *(one.mean for one in more)])


def _sum(arrays: Iterable[Array], draws: int) -> Array:
    """Arrays of so many draws added up, in their order; none gives zeros."""
    result: Array = np.zeros(draws)
    for array in arrays:
        result = result + array
    return result


def _gather(sums: dict[str, Array], key: str, drawn: Array) -> None:
    if key in sums:
        sums[key] += drawn
    else:
        sums[key] = drawn.copy()


def _percentiles(likely: float, mean: float, drawn: Array) -> Spread:
    p10, p50, p80, p90 = (float(value) for value in np.percentile(drawn, (10, 50, 80, 90)))
    return Spread(likely, mean, p10, p50, p80, p90)
