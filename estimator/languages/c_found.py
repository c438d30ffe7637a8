"""What is known of one C-family text while it is read: its facts so far, its functions, its names.

The readers by tree and by token write here; the first to find a fact at a place wins.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from estimator.languages.c_text import CText
from estimator.languages.c_words import WARP_NAME
from estimator.languages.facts import Confidence, Fact, FactKind, Harvest

_MOST_FACTS = 200_000
_LONGEST_WRITTEN = 20_000  # characters, blanks included
_LONGEST_NAME = 1_000
_FIRST = 4  # times the limit: what is tried first for a text on one line
_MOST_ALIASES = 5  # that stand for one another
_IN_STATEMENTS = frozenset((FactKind.CALL, FactKind.MEMBER_CALL, FactKind.NAME))


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
        self._outer: list[int] = []  # place of the function that is still open where this one starts, -1 for none

    def __iter__(self) -> Iterator[Function]:
        """In the order in which they were added."""
        return iter(self._listed)

    def add(self, function: Function) -> None:
        self.extend((function,))

    def extend(self, functions: Iterable[Function]) -> None:
        """Add several; quick where each starts behind those before it."""
        for function in functions:
            self._listed.append(function)
            if self._starts and function.start < self._starts[-1]:
                self._sorted.insert(bisect_right(self._starts, function.start), function)
                self._starts.insert(bisect_right(self._starts, function.start), function.start)
                self._outer.clear()
            else:
                self._sorted.append(function)
                self._starts.append(function.start)
                if len(self._outer) == len(self._sorted) - 1:
                    self._outer.append(self._around(len(self._sorted) - 1))

    def _around(self, place: int) -> int:
        """The nearest function before a place that reaches beyond its start."""
        outer = place - 1
        while outer >= 0 and self._sorted[outer].end <= self._starts[place]:
            outer = self._outer[outer]
        return outer

    def at(self, offset: int) -> Function | None:
        """The innermost function around an offset."""
        while len(self._outer) < len(self._sorted):
            self._outer.append(self._around(len(self._outer)))
        place = bisect_right(self._starts, offset) - 1
        while place >= 0:
            if self._sorted[place].end > offset:
                return self._sorted[place]
            place = self._outer[place]
        return None


@dataclass(slots=True)
class Found:
    """One text and what was found in it; facts by kind and offset.

    types: types of variables by name. aliases: namespace aliases. type_aliases: qualified names that short ones
    stand for, by `using` or `typedef`. namespaces: those whose names may be used without them. statements: their
    offsets, in the order in which they begin. constants: named numbers, those of the repository included;
    constant_places: offsets of those of this text. thread_names: variables that hold a thread index, by start of
    their function; grid_names: those that hold one of the grid; lane_names: those that hold a lane's number.
    adaptive: widths that the target decides. by_warp: whether lanes work together in a function, by its start.
    lane_constants: constants that lane arithmetic uses. shape_names: names that shapes of blocks and grids use;
    block_names: those of blocks alone. shared_names: names that sizes of shared arrays use. warp_indexed: arrays that
    a warp's number indexes, None until somebody asks. shuffles: whether lanes work together somewhere in the text.
    doubts: what was not read as far as it could be.
    """

    source: CText
    harvest: Harvest
    shuffles: bool = False
    facts: dict[tuple[FactKind, int], Fact] = field(default_factory=dict)
    functions: Functions = field(default_factory=Functions)
    types: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    type_aliases: dict[str, str] = field(default_factory=dict)
    namespaces: dict[str, None] = field(default_factory=dict)
    statements: list[tuple[int, int]] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    constant_places: dict[str, int] = field(default_factory=dict)
    thread_names: dict[int, set[str]] = field(default_factory=dict)
    grid_names: dict[int, set[str]] = field(default_factory=dict)
    lane_names: dict[int, set[str]] = field(default_factory=dict)
    adaptive: set[str] = field(default_factory=set)
    by_warp: dict[int, bool] = field(default_factory=dict)
    lane_constants: set[str] = field(default_factory=set)
    shape_names: set[str] = field(default_factory=set)
    block_names: set[str] = field(default_factory=set)
    shared_names: set[str] = field(default_factory=set)
    warp_indexed: frozenset[str] | None = None
    doubts: dict[str, None] = field(default_factory=dict)

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
        if len(self.facts) >= _MOST_FACTS:
            self.doubts[f"more than {_MOST_FACTS:,} facts: the rest was left out"] = None
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
        """Record a named number; the width of a warp is a constant of the target, not one to tune."""
        self.constants[name] = value
        self.constant_places.setdefault(name, start)
        if not WARP_NAME.fullmatch(name):
            self.add(FactKind.CONSTANT, name, start, end, str(value))

    def written(self, start: int, end: int, limit: int = 200) -> str:
        """Source as written between two offsets, on one line."""
        first = min(end, start + _FIRST * limit)
        found = " ".join(self.source.text[start:first].split())
        if len(found) < limit and first < end:
            found = " ".join(self.source.text[start : min(end, start + _LONGEST_WRITTEN)].split())
        return found[:limit]

    def expanded(self, name: str) -> str:
        """A name with the aliases in it resolved: cg::this_grid is cooperative_groups::this_grid."""
        for _ in range(_MOST_ALIASES):
            root, separator, rest = name.partition("::")
            meant = (self.aliases.get(root) if separator else None) or self.type_aliases.get(root)
            if meant is None and root[:1].isupper():  # a member of a type: Traits::BlockLoad
                member, separator, rest = rest.partition("::")
                meant = self.type_aliases.get(member)
            if meant is None or meant.split("::", 1)[0] == root:
                break
            name = meant + separator + rest
        return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME]

    def in_order(self) -> tuple[Fact, ...]:
        """All facts by line, column and kind, with the lines of their statements."""
        self._place_in_statements()
        placed = sorted(self.facts.items(), key=lambda item: (item[1].line, item[1].column, item[0][0]))
        return tuple(fact for _, fact in placed)

    def _place_in_statements(self) -> None:
        """Give calls and names the lines of the innermost statement that holds them."""
        statements = sorted(self.statements, key=lambda span: (span[0], -span[1]))
        around: list[tuple[int, int]] = []
        following = 0
        for kind, start in sorted((key for key in self.facts if key[0] in _IN_STATEMENTS), key=lambda key: key[1]):
            while following < len(statements) and statements[following][0] <= start:
                while around and around[-1][1] <= statements[following][0]:
                    around.pop()
                around.append(statements[following])
                following += 1
            while around and around[-1][1] <= start:
                around.pop()
            if around:
                first, last = self.source.line(around[-1][0]), self.source.line(around[-1][1] - 1)
                fact = self.facts[kind, start]
                if (first, last) != (fact.line, fact.end_line):
                    self.facts[kind, start] = replace(fact, first_line=first, last_line=max(last, fact.line))
