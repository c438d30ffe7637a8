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
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp, fsum
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from estimator.effort.pricing import Row
from estimator.effort.values import Driver, Spread
from estimator.quantities import Hours

Array = NDArray[np.float64]

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

    def pert(self, key: str, hours: Hours) -> Array:
        """Draws of one row's hours without the shared factor, evenly spread over its distribution."""
        if hours.high <= hours.low:
            return np.full(self.draws, hours.likely)
        if key not in self._orders:
            self._orders[key] = self._order(key)
        width = hours.high - hours.low
        mode = (hours.likely - hours.low) / width
        drawn: Array = hours.low + width * _pert_quantiles(self.draws, round(mode, 12))[self._orders[key]]
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


class Simulation:
    """All draws of one option, added up by part, phase and in full. rows: sorted, one per weight."""

    def __init__(self, rows: Sequence[Row], luck: Luck) -> None:
        self.rows = rows
        self.luck = luck
        self._by_part: dict[str, Array] = {}
        self._by_phase: dict[str, Array] = {}
        self._p50: dict[str, float] = {}
        for row in rows:
            drawn = luck.pert(row.weight.id, row.hours)
            _gather(self._by_part, row.weight.part, drawn)
            _gather(self._by_phase, row.weight.phase, drawn)
            self._p50[row.weight.id] = float(np.median(drawn * luck.factor))

    def p50(self, weight: str) -> float:
        """Median hours of one row, the shared factor included."""
        return self._p50[weight]

    def parts(self, names: Iterable[str]) -> Spread:
        """Spread of some parts together; none with rows gives zeros."""
        chosen = frozenset(names)
        drawn = [self._by_part[part] for part in sorted(chosen & self._by_part.keys())]
        return self._spread((row for row in self.rows if row.weight.part in chosen), drawn)

    def phase(self, name: str) -> Spread:
        """Spread of one phase; without rows it gives zeros."""
        drawn = [self._by_phase[name]] if name in self._by_phase else []
        return self._spread((row for row in self.rows if row.weight.phase == name), drawn)

    def full(self) -> Array:
        """Draws of everything, the shared factor included."""
        return self._plain() * self.luck.factor

    def upkeep(self, weight: str, share: Hours) -> Spread:
        """Hours a year: a share of the one-off hours, drawn apart from them."""
        if not self.rows:
            return NO_SPREAD
        drawn = self.full() * self.luck.pert(weight, share)
        likely = share.likely * fsum(row.hours.likely for row in self.rows)
        mean = share.mean * fsum(row.hours.mean for row in self.rows) * self.luck.factor_mean
        return _percentiles(likely, mean, drawn)

    def tornado(self) -> tuple[Driver, ...]:
        """The widest rows: median of everything with the row held at its low and at its high end.

        The other rows keep their draws. Rows are chosen by high - low, widest first.
        """
        widest = sorted(self.rows, key=lambda row: (row.hours.low - row.hours.high, row.weight.id))[:TORNADO_ROWS]
        plain = self._plain()
        drivers = []
        for row in widest:
            others = plain - self.luck.pert(row.weight.id, row.hours)
            low, high = (float(np.median((others + end) * self.luck.factor)) for end in (row.hours.low, row.hours.high))
            drivers.append(Driver(row.weight.id, row.weight.title, low, high))
        return tuple(sorted(drivers, key=lambda driver: (driver.low - driver.high, driver.weight)))

    def _plain(self) -> Array:
        plain = np.zeros(self.luck.draws)
        for part in sorted(self._by_part):
            plain += self._by_part[part]
        return plain

    def _spread(self, rows: Iterable[Row], drawn: Sequence[Array]) -> Spread:
        chosen = list(rows)
        if not drawn:
            return NO_SPREAD
        plain = np.zeros(self.luck.draws)
        for array in drawn:
            plain += array
        likely = fsum(row.hours.likely for row in chosen)
        mean = fsum(row.hours.mean for row in chosen) * self.luck.factor_mean
        return _percentiles(likely, mean, plain * self.luck.factor)


def digest(full: Mapping[str, Array]) -> str:
    """SHA-256 over the options' draws in the order of their names, rounded to 6 decimals; 16 hex digits."""
    hasher = hashlib.sha256()
    for option in sorted(full):
        hasher.update(option.encode())
        hasher.update(np.round(full[option], 6).astype("<f8").tobytes())
    return hasher.hexdigest()[:16]


def _gather(sums: dict[str, Array], key: str, drawn: Array) -> None:
    if key in sums:
        sums[key] += drawn
    else:
        sums[key] = drawn.copy()


def _percentiles(likely: float, mean: float, drawn: Array) -> Spread:
    p10, p50, p80, p90 = (float(value) for value in np.percentile(drawn, (10, 50, 80, 90)))
    return Spread(likely, mean, p10, p50, p80, p90)
