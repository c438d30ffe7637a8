"""How well do author-days that were said agree with those that ports took? For the back-test and the report alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, fsum, isnan, sqrt

import numpy as np

from estimator.effort.values import Array, Days, Fared


def fared(took: Sequence[float], said: Sequence[Days]) -> Fared:
    """How a method fared on ports; one entry each, at least one."""
    actual, middle = np.array(took), np.array([days.p50 for days in said])
    rank = rank_correlation(middle, actual)
    return Fared(int(inside(took, said).sum()), exp(error(middle, actual)), None if isnan(rank) else rank)


def inside(took: Sequence[float], said: Sequence[Days]) -> Array:
    """One for each outcome that lies in P10-P90, else zero."""
    return np.array([float(days.holds(one)) for days, one in zip(said, took, strict=True)])


def error(middle: Array, actual: Array) -> float:
    """Root mean square of log(P50/actual)."""
    return root_mean_square(np.log(middle / actual).tolist())


def root_mean_square(errors: Iterable[float]) -> float:
    """Of errors on either side; none gives 0."""
    squares = [error * error for error in errors]
    return sqrt(fsum(squares) / len(squares)) if squares else 0.0


def rank_correlation(one: Array, other: Array) -> float:
    """Spearman's, ties sharing their mean rank; not a number where all of one side are equal."""
    return float(ranked(one[np.newaxis], other[np.newaxis])[0])


def ranked(one: Array, other: Array) -> Array:
    """Rank correlation of each row of two tables."""
    a, b = (_ranks(table) for table in (one, other))
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    size = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    correlation: Array = np.divide((a * b).sum(axis=1), size, out=np.full(len(size), np.nan), where=size > 0)
    return correlation


def _ranks(table: Array) -> Array:
    """Mean ranks within each row, from how often each value of the table stands there."""
    values, level = np.unique(np.round(np.log(table), 9), return_inverse=True)  # what differs by less is a tie
    level = level.reshape(table.shape)
    places = level + len(values) * np.arange(len(table))[:, np.newaxis]
    count = np.bincount(places.ravel(), minlength=len(table) * len(values)).reshape(len(table), len(values))
    ranks: Array = np.take_along_axis(count.cumsum(axis=1) - (count + 1) / 2, level, axis=1)
    return ranks
