"""How far off would the estimate have been? Ports that happened, each predicted from the others, against the outcome.

Gives one row a port and one summary a method: the estimate (rows blended with the reference class), the class alone,
how it fares in sample and with its features chosen anew in each fold, the rows (bottom-up), and a constant
guess. The same without people is what is known where nobody named a team. All in author-days.
Bootstrap intervals draw ports with replacement, by a fixed seed; predictions are not made anew for each draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import isnan
from statistics import median

import numpy as np

from estimator.effort.agreement import error, inside, rank_correlation, ranked
from estimator.effort.blend import blended, rows_error_on, rows_in_days
from estimator.effort.reference_class import Ports, ReferenceClass, counted, drawing, fit, searching, without_each
from estimator.effort.values import Array, Days
from estimator.errors import EstimatorError
from estimator.knowledge.values import Port, ReferenceRule

SEED = 1
RESAMPLES = 2000
_Predict = Callable[[Port], Days | None]
MOST_OWN = 40  # ports: lines are drawn without each, and again without each of the others
MOST_FURTHER = 500  # ports
ESTIMATE = "estimate: rows and class blended"
ESTIMATE_ALONE = "estimate, team not known"
CLASS = "reference class"
IN_SAMPLE = "class, in sample"
SEARCHED = "class, features chosen in each fold"
CONSTANT = "constant guess"
ROWS = "rows alone (bottom-up)"

# What a method must reach, by the name of the figure: in words, and whether a summary reaches it.
BARS: Mapping[str, tuple[str, Callable[[Summary], bool]]] = {
    "coverage": ("at least 0.80", lambda of: of.coverage.value >= 0.8),
    "width": ("at most 5", lambda of: of.width <= 5),
    "bias": ("0.67 to 1.5", lambda of: 0.67 <= of.bias.value <= 1.5),
    "rank": ("above 0.5", lambda of: of.rank.value > 0.5),
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
        return {name: reaches(self) for name, (_, reaches) in BARS.items()}


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
    choices = () if own else _choices(members, rule)
    learn = partial(_learned, rule=rule, hours_per_day=hours_per_day, choices=choices)
    whole = learn(members)
    tested = tuple(
        Tested(port, _said(port, learn(others) | {IN_SAMPLE: whole[CLASS]})) for port, others in without_each(members)
    )
    beside = tuple(Tested(port, _said(port, whole)) for port in (*ports, *own) if not port.counted)
    return Backtest(tested, beside, _summaries(tested, (*whole, IN_SAMPLE)), fresh=False)


def backtest_fresh(ports: Ports, rule: ReferenceRule, hours_per_day: float, further: Ports) -> Backtest:
    """Predict further ports, which are in no class, from the shipped ones. EstimatorError for over MOST_FURTHER."""
    _bound(further, MOST_FURTHER, "further ports; test them in parts")
    members = counted(ports)
    whole = _learned(members, rule, hours_per_day, _choices(members, rule))
    tested = [Tested(port, _said(port, whole)) for port in further]
    count = tuple(one for one in tested if one.port.counted)
    beside = tuple(one for one in tested if not one.port.counted)
    return Backtest(count, beside, _summaries(count, whole), fresh=True)


def _bound(ports: Ports, most: int, what: str) -> None:
    if len(ports) > most:
        raise EstimatorError(f"{len(ports):,} ports are too many; at most {most} {what}")


def _choices(members: Ports, rule: ReferenceRule) -> tuple[tuple[str, ...], ...]:
    """Features to search among: every choice of those that all ports have."""
    known = [name for name in rule.searched if all(name in port.counts for port in members)]
    return tuple(chosen for size in range(1, len(known) + 1) for chosen in combinations(known, size))


def _learned(
    ports: Ports, rule: ReferenceRule, hours_per_day: float, choices: Sequence[tuple[str, ...]]
) -> dict[str, _Predict]:
    """What each method, having seen some ports, says of a port. choices: of features; none leaves the search out."""
    known, flat = (fit(ports, drawing(rule, people_known)) for people_known in (True, False))
    rows, rows_error = partial(rows_in_days, hours_per_day=hours_per_day), rows_error_on(ports, hours_per_day)
    searched = partial(searching, choices=choices, shrinkage=rule.shrinkage)
    return {
        ESTIMATE: partial(_estimate, known=known, rows=rows, rows_error=rows_error),
        ESTIMATE_ALONE: partial(_estimate, known=flat, rows=rows, rows_error=rows_error),
        CLASS: _class(known),
        **({SEARCHED: _class(fit(ports, searched))} if choices else {}),
        ROWS: rows,
        CONSTANT: _class(flat),
    }


def _class(known: ReferenceClass) -> _Predict:
    return lambda port: known.predict(port.counts)


def _estimate(port: Port, known: ReferenceClass, rows: _Predict, rows_error: float) -> Days | None:
    """As an estimate blends rows and class, whether or not the class would apply to the port."""
    said = rows(port)
    return None if said is None or isnan(rows_error) else blended(said, port, known, rows_error)


def _said(port: Port, methods: Mapping[str, _Predict]) -> dict[str, Days]:
    """What each method says of a port; one that needs a figure the port lacks says nothing."""
    said = {}
    for name, predict in methods.items():
        try:
            days = predict(port)
        except EstimatorError:
            continue
        if days is not None:
            said[name] = days
    return said


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
