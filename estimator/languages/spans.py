"""Spans of a text that can be asked which of them hold an offset."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from estimator.languages.depth import INNERMOST, MOST, OUTERMOST

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Link(Generic[Value]):
    """A span that began, and the one around it. outermost: the first of those around it, this one included."""

    end: int
    value: Value
    outer: _Link[Value] | None
    depth: int
    outermost: tuple[_Link[Value], ...]


def _link(end: int, value: Value, outer: _Link[Value] | None) -> _Link[Value]:
    link = _Link(end, value, outer, outer.depth + 1 if outer else 1, outer.outermost if outer else ())
    if link.depth <= OUTERMOST:
        link = _Link(end, value, outer, link.depth, (*link.outermost, link))
    return link


class Spans(Generic[Value]):
    """Values of spans (start, end, value). A span holds its start, not its end.

    Looking up takes the logarithm of their number; memory stays linear in their number however deep they nest, for
    a stranger's text may nest without end. Where more than `MOST` are open at a place, the outermost and the innermost
    of them are given, and `is_cut` says so.
    """

    def __init__(self, spans: Iterable[tuple[int, int, Value]]) -> None:
        ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
        self._bounds = sorted({bound for start, end, _ in ordered for bound in (start, end)})
        self._innermost: list[_Link[Value] | None] = []
        innermost: _Link[Value] | None = None
        waiting = deepest = 0
        for bound in self._bounds:
            while innermost is not None and innermost.end <= bound:
                innermost = innermost.outer
            while waiting < len(ordered) and ordered[waiting][0] <= bound:
                _, end, value = ordered[waiting]
                innermost = _link(end, value, innermost) if end > bound else innermost
                waiting += 1
            self._innermost.append(innermost)
            deepest = max(deepest, innermost.depth if innermost else 0)
        self.is_cut = deepest > MOST

    def around(self, offset: int) -> tuple[Value, ...]:
        """Values of the spans that hold an offset, outermost first; of those that begin together, the longest."""
        place = bisect_right(self._bounds, offset) - 1
        link = self._innermost[place] if place >= 0 else None
        if link is None:
            return ()
        values = []
        deep = link.depth > MOST
        first = link.outermost if deep else ()
        left = INNERMOST if deep else MOST
        while link is not None and left:
            if link.end > offset:
                values.append(link.value)
            link = link.outer
            left -= 1
        values.extend(link.value for link in reversed(first) if link.end > offset)
        return tuple(reversed(values))
