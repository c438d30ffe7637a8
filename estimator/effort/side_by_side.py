"""What does each entry of a scope file do to hours and verdict? Several scopes of one scan, on the same draws.

Everything is what the tree holds with all that was put back, nothing left out, replaced or postponed. Each entry is
priced alone against it, then all of them together, which is the estimate of the report. What is put back is priced
alone against the tree as it was found. Of many entries only the first are priced alone. Postponed hours are what
would come on top of the estimate: rows that both need are counted once, with what is done now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from estimator.effort.values import PORT_OPTIONS, Estimate, Spread
from estimator.findings.scope import LATER, PUT_BACK, Choice, Match, Scoped, ScopeEntry

AS_FOUND, ENTRY, EVERYTHING, NOW, POSTPONED, NOW_AND_POSTPONED = (
    "as-found",
    "entry",
    "everything",
    "now",
    "postponed",
    "now-and-postponed",
)


MOST_ALONE = 50  # entries that are priced alone: each costs an estimate of its own


@dataclass(frozen=True, slots=True)
class Change:
    """Hours of one scope less those of another, figure by figure."""

    likely: float
    mean: float
    p50: float
    p80: float


@dataclass(frozen=True, slots=True)
class Priced:
    """One scope priced. verdict: what would be decided if it were all there is."""

    estimate: Estimate
    verdict: str


@dataclass(frozen=True, slots=True)
class ScopeTotal:
    """The hours of one scope, and what they come to.

    what: one of the names above. entry: of the scope file, for "entry". hours: by option. change: by option, against
    everything, or against the tree as found for what is put back and for everything itself; empty for the first
    scope and for postponed hours, which are a difference already. unpriced: places without a price in this scope.
    verdict: with this scope alone, in the same scenario; None for postponed hours, which are no scope.
    """

    what: str
    hours: Mapping[str, Spread]
    unpriced: int
    entry: ScopeEntry | None = None
    change: Mapping[str, Change] = field(default_factory=dict)
    verdict: str | None = None


def side_by_side(scope: Scoped, price: Callable[[Choice], Priced], now: Priced) -> tuple[ScopeTotal, ...]:
    """One row a scope, in the order to read them; without a scope file none.

    The first `MOST_ALONE` entries have a row of their own; the others count with all entries together.
    price: what a choice of entries leaves of the scan, always with the same seed. now: the same with all entries.
    """
    if not scope.matches:
        return ()

    known = {scope.matches: now}

    def priced(chosen: Iterable[Match]) -> Priced:
        matches = tuple(chosen)
        if matches not in known:
            known[matches] = price(scope.choice(matches))
        return known[matches]

    back = [match for match in scope.matches if match.entry.table == PUT_BACK]
    later = [match for match in scope.matches if match.entry.table == LATER]
    rest = [match for match in scope.matches if match.entry.table != PUT_BACK]
    alone = scope.matches[:MOST_ALONE]
    rows = list(_put_back(alone, priced)) if back else []
    everything = _total(EVERYTHING, priced(back), against=rows[0] if rows else None)
    rows.append(everything)
    for match in alone:
        if match.entry.table != PUT_BACK:
            rows.append(_total(ENTRY, priced([*back, match]), match.entry, everything))
    if rest:
        rows.append(_total(NOW, now, against=everything))
    if later:
        rows += _later(priced([match for match in scope.matches if match not in later]), now, everything)
    return tuple(rows)


def _put_back(alone: Iterable[Match], priced: Callable[[Iterable[Match]], Priced]) -> Iterator[ScopeTotal]:
    """The tree as it was found, and each thing that is put back alone."""
    as_found = _total(AS_FOUND, priced([]))
    yield as_found
    for match in alone:
        if match.entry.table == PUT_BACK:
            yield _total(ENTRY, priced([match]), match.entry, as_found)


def _later(both: Priced, now: Priced, everything: ScopeTotal) -> Iterator[ScopeTotal]:
    """What is postponed, and with what is done now. both: with nothing postponed."""
    from estimator.effort.uncertainty import spread_between

    whole, part = both.estimate, now.estimate
    hours = {
        option: spread_between(whole.draws.full[option], part.draws.full[option], *_sums(whole, part, option))
        for option in PORT_OPTIONS
    }
    yield ScopeTotal(POSTPONED, hours, _unpriced(whole) - _unpriced(part))
    yield _total(NOW_AND_POSTPONED, both, against=everything)


def _sums(both: Estimate, now: Estimate, option: str) -> tuple[float, float]:
    """Likely and mean hours that are postponed."""
    more, less = both.options[option].hours, now.options[option].hours
    return more.likely - less.likely, more.mean - less.mean


def _total(what: str, priced: Priced, entry: ScopeEntry | None = None, against: ScopeTotal | None = None) -> ScopeTotal:
    hours = {option: priced.estimate.options[option].hours for option in PORT_OPTIONS}
    change = {option: _change(spread, against.hours[option]) for option, spread in hours.items()} if against else {}
    return ScopeTotal(what, hours, _unpriced(priced.estimate), entry, change, priced.verdict)


def _change(one: Spread, other: Spread) -> Change:
    return Change(one.likely - other.likely, one.mean - other.mean, one.p50 - other.p50, one.p80 - other.p80)


def _unpriced(estimate: Estimate) -> int:
    return sum(row.sites for row in estimate.unpriced)
