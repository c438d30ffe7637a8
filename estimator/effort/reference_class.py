"""How many author-days did ports that happened take? A straight line through them, giving days with a range.

log(author-days) is a straight line of the logarithms of two figures:

- people: everybody who joins reads, hands over, reviews and commits on days of their own. The plan knows them (the
  scenario's team); of the ports it is known only afterwards, which flatters the fit. Where nobody says so, the
  line is flat: the code alone tells ports no better apart than their mean.
- host_api_files: files that call the CUDA runtime or driver. Each is a place to convert, guard, build and test.

Kernels and lines were looked at and left out: over 35 ports their rank correlation with author-days is 0.06 and 0.29.
Slopes come from ridge regression on standardised features: with fourteen ports they'd be too steep otherwise. The
range comes from errors on ports that the line had not seen, widened by how far a code base lies from their middle.
Source: `heuristics/ports.csv`, `heuristics/reference.toml`; heuristics/README.md explains both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import exp, log, log1p, sqrt
from statistics import NormalDist

import numpy as np

from estimator.effort.agreement import root_mean_square
from estimator.effort.values import Array, Days
from estimator.errors import EstimatorError
from estimator.knowledge.values import Port, ReferenceRule

Ports = Sequence[Port]

_FARTHEST = 100.0  # of a logarithm; what lies beyond is no number of days


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """log(author-days) = level + slopes . (x - centre) / scale, where x holds the logarithms of the features.

    inverse: of Z'Z + shrinkage, which says how badly each direction is known. ports: how many it was drawn through.
    """

    features: tuple[str, ...]
    level: float
    slopes: Array
    centre: Array
    scale: Array
    inverse: Array
    ports: int

    def at(self, counts: Mapping[str, float]) -> tuple[float, float]:
        """log(author-days) of a code base, and the variance of the line there in units of one port's."""
        z = (np.array(_logarithms(counts, self.features)) - self.centre) / self.scale
        return self.level + float(z @ self.slopes), 1 / self.ports + float(z @ self.inverse @ z)


Drawing = Callable[[Ports], Line]


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceClass:
    """A line and how wrong such lines were. error: root mean square of log errors on ports that were left out."""

    line: Line
    error: float

    def error_at(self, counts: Mapping[str, float]) -> float:
        """How far off, in logarithms, the class is for one code base: its error and that of the line itself.

        It widens away from the ports. The error already holds that of the line once, at the ports: in their midst
        this is a little too much.
        """
        return self.error * sqrt(1 + self.line.at(counts)[1])

    def predict(self, counts: Mapping[str, float]) -> Days:
        """Author-days at P10, P50 and P90: a log-t distribution around the line.

        Raises EstimatorError for a code base so far from the ports that the range has no figures.
        """
        middle, _ = self.line.at(counts)
        reach = student(0.9, self.line.ports - 1 - len(self.line.features)) * self.error_at(counts)
        if not abs(middle) + reach < _FARTHEST:
            raise EstimatorError("a port so far from the others that the reference class has no figure for it")
        return Days(exp(middle - reach), exp(middle), exp(middle + reach))


def ridge(ports: Ports, features: tuple[str, ...], shrinkage: float) -> Line:
    """The line with the least sum of squared errors plus shrinkage x squared slopes. No features: the mean.

    A feature that is the same everywhere gets no slope. Raises EstimatorError for fewer than features + 3 ports.
    """
    if len(ports) < len(features) + 3:
        raise EstimatorError(f"{len(ports)} ports are too few for {len(features)} features; {len(features) + 3} needed")
    points = tuple((*_logarithms(port.counts, features), log(port.author_days)) for port in ports)
    return _through(points, features, max(shrinkage, 1e-9))


@lru_cache(maxsize=4096)
def _through(points: tuple[tuple[float, ...], ...], features: tuple[str, ...], shrinkage: float) -> Line:
    """The line through logarithms of features and days; kept, since leaving out two ports gives it once for each."""
    table = np.array(points)
    x, y = table[:, :-1], table[:, -1]
    centre, scale = x.mean(axis=0), x.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    z = (x - centre) / scale
    inverse = np.linalg.inv(z.T @ z + shrinkage * np.eye(len(features)))
    return Line(features, float(y.mean()), inverse @ z.T @ (y - y.mean()), centre, scale, inverse, len(points))


def searching(ports: Ports, choices: Iterable[tuple[str, ...]], shrinkage: float) -> Line:
    """The line of those features, out of several choices, which errs least on ports left out; the first of equals."""
    classes = (fit(ports, partial(ridge, features=features, shrinkage=shrinkage)) for features in choices)
    return min(classes, key=lambda known: known.error).line


def fit(ports: Ports, draw: Drawing) -> ReferenceClass:
    """The line through all ports, with the error of lines drawn without each of them in turn."""
    errors = (log(port.author_days) - draw(others).at(port.counts)[0] for port, others in without_each(ports))
    return ReferenceClass(draw(ports), root_mean_square(errors))


def drawing(rule: ReferenceRule, people_known: bool = True) -> Drawing:
    """How the rule draws a line through ports: a flat one where nobody knows how many people will work.

    Without people the code alone errs no less on ports left out than their mean does.
    """
    return partial(ridge, features=rule.features if people_known else (), shrinkage=rule.shrinkage)


def counted(ports: Ports) -> tuple[Port, ...]:
    """Those of the reference class; the others have another scope."""
    return tuple(port for port in ports if port.counted)


def without_each(ports: Ports) -> Iterator[tuple[Port, tuple[Port, ...]]]:
    """Each port with all the others."""
    for index, port in enumerate(ports):
        yield port, (*ports[:index], *ports[index + 1 :])


def _logarithms(counts: Mapping[str, float], features: Sequence[str]) -> tuple[float, ...]:
    """People by their logarithm, other counts by that of 1 + count, since they may be none."""
    try:
        return tuple(log(counts[name]) if name == "people" else log1p(counts[name]) for name in features)
    except KeyError as error:
        raise EstimatorError(f"a port without the figure {error}, which the reference class needs") from None


def student(share: float, freedom: int) -> float:
    """Quantile of Student's t, by its expansion around the normal one; right to 0.01 at 0.9 from 2 degrees on.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    z = NormalDist().inv_cdf(share)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
