"""How far off would the estimate have been? Ports that happened, each predicted from the others, against the outcome.

Gives one row a port and one summary a method: the reference class, how it fares in sample and with its second
feature searched anew in each fold, the rows of the estimate (bottom-up), and a constant guess. All in author-days.
Bootstrap intervals draw ports with replacement, by a fixed seed; predictions are not made anew for each draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from statistics import median

import numpy as np

from estimator.effort.agreement import Array, error, inside, rank_correlation, ranked
from estimator.effort.reference import (
    Drawing,
    Ports,
    counted,
    drawing,
    fit,
    ridge,
    rows_in_days,
    searching,
    without_each,
)
from estimator.effort.values import Days
from estimator.errors import EstimatorError
from estimator.knowledge.values import Port, ReferenceRule

SEED = 1
RESAMPLES = 2000
MOST_OWN = 40  # ports: lines are drawn without each, and again without each of the others
MOST_FURTHER = 500  # ports
CLASS = "reference class"
IN_SAMPLE = "the same, in sample"
SEARCHED = "the same, feature searched in each fold"
CODE_ALONE = "the same, without people"
CONSTANT = "constant guess"
ROWS = "rows of the estimate (bottom-up)"

# What a method must reach, by the name of the figure: in words, and whether a figure reaches it.
BARS: Mapping[str, tuple[str, Callable[[float], bool]]] = {
    "coverage": ("at least 0.80", lambda x: x >= 0.8),
    "width": ("at most 5", lambda x: x <= 5),
    "bias": ("0.67 to 1.5", lambda x: 0.67 <= x <= 1.5),
    "rank": ("above 0.5", lambda x: x > 0.5),
}


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its 95 % bootstrap interval; not a number where it isn't defined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Tested:
    """A port with what each method said of it, by the method's name; a method that couldn't speak is missing."""

    port: Port
    said: Mapping[str, Days]


@dataclass(frozen=True, slots=True)
class Summary:
    """One method over all ports that count.

    coverage: share of the outcomes inside P10-P90. width: median P90/P10. bias: median P50/actual. rank: rank
    correlation of P50 with the outcome. error: root mean square of log(P50/actual).
    """

    method: str
    ports: int
    coverage: Interval
    width: float
    bias: Interval
    rank: Interval
    error: float

    @property
    def reached(self) -> Mapping[str, bool]:
        """Which of BARS it reaches; a figure that isn't defined reaches none."""
        figures = {
            "coverage": self.coverage.value,
            "width": self.width,
            "bias": self.bias.value,
            "rank": self.rank.value,
        }
        return {name: reaches(figures[name]) for name, (_, reaches) in BARS.items()}


@dataclass(frozen=True, slots=True)
class Backtest:
    """tested: ports that count. beside: those of another scope. fresh: whether the ports were in no class at all."""

    tested: tuple[Tested, ...]
    beside: tuple[Tested, ...]
    summaries: tuple[Summary, ...]
    fresh: bool


def backtest(ports: Ports, rule: ReferenceRule, hours_per_day: float, own: Ports = ()) -> Backtest:
    """Predict each port that counts from the others; a class of all of them speaks of those beside.

    ports: the shipped ones. hours_per_day: of an author-day, for the rows of the estimate. own: a team's, which
    join the class; theirs are left out in turn like the others, and no feature is searched: that takes the third power
    of the ports. Raises EstimatorError for more than MOST_OWN of them.
    """
    _bound(own, MOST_OWN, "own ports; give the newest")
    members = (*counted(ports), *counted(own))
    draws = _draws(members, rule)
    if own:
        draws.pop(SEARCHED, None)
    whole = {method: fit(members, draw).predict for method, draw in draws.items()}
    tested = tuple(
        Tested(
            port,
            _rows_of(port, hours_per_day) | {IN_SAMPLE: whole[CLASS](port.counts)} | _left_out(port, others, draws),
        )
        for port, others in without_each(members)
    )
    beside = tuple(
        Tested(port, _rows_of(port, hours_per_day) | _whole(port, whole)) for port in (*ports, *own) if not port.counted
    )
    methods = (CLASS, IN_SAMPLE, SEARCHED, CODE_ALONE, ROWS, CONSTANT)
    return Backtest(tested, beside, _summaries(tested, methods), fresh=False)


def backtest_fresh(ports: Ports, rule: ReferenceRule, hours_per_day: float, further: Ports) -> Backtest:
    """Predict further ports, which are in no class, from the shipped ones. EstimatorError for over MOST_FURTHER."""
    _bound(further, MOST_FURTHER, "further ports; test them in parts")
    members = counted(ports)
    whole = {method: fit(members, draw).predict for method, draw in _draws(members, rule).items()}
    tested = [Tested(port, _rows_of(port, hours_per_day) | _whole(port, whole)) for port in further]
    count = tuple(one for one in tested if one.port.counted)
    beside = tuple(one for one in tested if not one.port.counted)
    return Backtest(count, beside, _summaries(count, (CLASS, SEARCHED, CODE_ALONE, ROWS, CONSTANT)), fresh=True)


def _bound(ports: Ports, most: int, what: str) -> None:
    if len(ports) > most:
        raise EstimatorError(f"{len(ports):,} ports are too many; at most {most} {what}")


def _draws(members: Ports, rule: ReferenceRule) -> dict[str, Drawing]:
    """How each method draws its line. The search leaves out features that a port doesn't have."""
    known = [name for name in rule.searched if all(name in port.counts for port in members)]
    code = tuple(name for name in rule.features if name != "people")
    draws: dict[str, Drawing] = {CLASS: drawing(rule)}
    if known:
        draws[SEARCHED] = partial(searching, searched=known, shrinkage=rule.shrinkage)
    draws[CODE_ALONE] = partial(ridge, features=code, shrinkage=rule.shrinkage)
    draws[CONSTANT] = partial(ridge, features=(), shrinkage=rule.shrinkage)
    return draws


def _left_out(port: Port, others: Ports, draws: Mapping[str, Drawing]) -> dict[str, Days]:
    return {method: fit(others, draw).predict(port.counts) for method, draw in draws.items()}


def _whole(port: Port, classes: Mapping[str, Callable[[Mapping[str, float]], Days]]) -> dict[str, Days]:
    """What classes fitted without a port say of it; one that needs a figure the port lacks says nothing."""
    said = {}
    for method, predict in classes.items():
        try:
            said[method] = predict(port.counts)
        except EstimatorError:
            continue
    return said


def _rows_of(port: Port, hours_per_day: float) -> dict[str, Days]:
    days = rows_in_days(port, hours_per_day)
    return {ROWS: days} if days else {}


# how good a method was


def _summaries(tested: Sequence[Tested], methods: Iterable[str]) -> tuple[Summary, ...]:
    """Each method over the ports it spoke of; one that spoke of fewer than two is left out."""
    summaries = []
    for method in methods:
        spoken = [one for one in tested if method in one.said]
        if len(spoken) > 1:
            actual = [one.port.author_days for one in spoken]
            summaries.append(_summary(method, actual, [one.said[method] for one in spoken]))
    return tuple(summaries)


def _summary(method: str, took: Sequence[float], said: Sequence[Days]) -> Summary:
    drawn = np.random.Generator(np.random.PCG64(SEED)).integers(0, len(took), (RESAMPLES, len(took)))
    actual, middle = np.array(took), np.array([days.p50 for days in said])
    held = inside(took, said)
    ratio = middle / actual
    return Summary(
        method=method,
        ports=len(took),
        coverage=_interval(float(held.mean()), held[drawn].mean(axis=1)),
        width=median(days.p90 / days.p10 for days in said),
        bias=_interval(median(ratio.tolist()), np.median(ratio[drawn], axis=1)),
        rank=_interval(rank_correlation(middle, actual), ranked(middle[drawn], actual[drawn])),
        error=error(middle, actual),
    )


def _interval(value: float, resampled: Array) -> Interval:
    known = resampled[~np.isnan(resampled)]
    if isnan(value) or not len(known):
        return Interval(value, value, value)
    low, high = np.percentile(known, (2.5, 97.5))
    return Interval(value, float(low), float(high))
