"""What is known of one C-family text while it is read: its facts so far, its functions, its names.

The readers by tree and by token write here; the first to find a fact at a place wins.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from estimator.languages.c_text import CText
from estimator.languages.facts import Confidence, Fact, FactKind, Harvest


@dataclass(frozen=True, slots=True)
class Function:
    """A function definition: offsets of head, body and end. space: kernel, device or host."""

    name: str
    start: int
    body: int
    end: int
    space: str


class Functions:
    """The functions of a text, which can be asked for the innermost one around an offset."""

    def __init__(self) -> None:
        self._listed: list[Function] = []
        self._sorted: list[Function] = []
        self._starts: list[int] = []
        self._reach: list[int] = []  # how far this function and those before it reach

    def __iter__(self) -> Iterator[Function]:
        """In the order in which they were added."""
        return iter(self._listed)

    def add(self, function: Function) -> None:
        self._listed.append(function)
        place = bisect_right(self._starts, function.start)
        self._sorted.insert(place, function)
        self._starts.insert(place, function.start)
        reach = self._reach[place - 1] if place else 0
        del self._reach[place:]
        for later in self._sorted[place:]:
            reach = max(reach, later.end)
            self._reach.append(reach)

    def at(self, offset: int) -> Function | None:
        """The innermost function around an offset."""
        place = bisect_right(self._starts, offset) - 1
        while place >= 0 and self._reach[place] > offset:
            if self._sorted[place].end > offset:
                return self._sorted[place]
            place -= 1
        return None


@dataclass(slots=True)
class Found:
    """One text and what was found in it; facts by kind and offset.

    types: types of variables by name. aliases: namespace aliases. constants: named numbers, those of the
    repository included; constant_places: offsets of those of this text. thread_names: variables that hold a
    thread index, by start of their function. lane_constants: constants that lane arithmetic uses.
    shuffles: whether lanes work together somewhere in the text.
    """

    source: CText
    harvest: Harvest
    shuffles: bool = False
    facts: dict[tuple[FactKind, int], Fact] = field(default_factory=dict)
    functions: Functions = field(default_factory=Functions)
    types: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    constant_places: dict[str, int] = field(default_factory=dict)
    thread_names: dict[int, set[str]] = field(default_factory=dict)
    lane_constants: set[str] = field(default_factory=set)

    def add(
        self,
        kind: FactKind,
        text: str,
        start: int,
        end: int,
        detail: str = "",
        confidence: Confidence = Confidence.PARSED,
        space: str | None = None,
    ) -> None:
        """Record a fact, unless one of its kind stands at that offset already."""
        if (kind, start) in self.facts:
            return
        function = self.functions.at(start)
        line = self.source.line(start)
        guards, amd_arm = self.source.conditions.at(start)
        self.facts[kind, start] = Fact(
            kind=kind,
            text=text,
            line=line,
            end_line=self.source.line(max(start, end - 1)),
            column=start - self.source.line_starts[line - 1] + 1,
            detail=detail,
            function=function.name if function else "",
            space=space if space is not None else function.space if function else "",
            guards=guards,
            confidence=confidence,
            amd_arm=amd_arm,
        )

    def constant(self, name: str, value: int, start: int, end: int) -> None:
        """Record a named number."""
        self.constants[name] = value
        self.constant_places.setdefault(name, start)
        self.add(FactKind.CONSTANT, name, start, end, str(value))

    def written(self, start: int, end: int, limit: int = 200) -> str:
        """Source as written between two offsets, on one line."""
        return " ".join(self.source.text[start:end].split())[:limit]

    def expanded(self, name: str) -> str:
        """A qualified name with its namespace alias resolved: cg::this_grid is cooperative_groups::this_grid."""
        root, separator, rest = name.partition("::")
        return self.aliases[root] + separator + rest if separator and root in self.aliases else name

    def in_order(self) -> tuple[Fact, ...]:
        """All facts by line, column and kind."""
        placed = sorted(self.facts.items(), key=lambda item: (item[1].line, item[1].column, item[0][0]))
        return tuple(fact for _, fact in placed)
