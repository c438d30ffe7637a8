"""Where a fact of Python counts that stands inside a statement of several lines.

A flag counts at the first line of the list, call or setting that it belongs to, a name in a test at its `if`, the
parts of a launch configuration at its call. Learnt while the tree is walked, for a node's parents are dear to ask for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node, TreeCursor

_STATEMENTS = frozenset(
    {"expression_statement", "return_statement", "assert_statement", "raise_statement", "decorator"}
)
_ENTRIES = frozenset({"pair", "keyword_argument", "argument_list", "default_parameter", "typed_default_parameter"})
_COLLECTIONS = frozenset({"list", "tuple", "set"})
_BRANCHES = frozenset({"if_statement", "elif_clause", "while_statement"})
_TURNS = _STATEMENTS | _ENTRIES | _COLLECTIONS | _BRANCHES | {"call", "dictionary"}  # the rest changes little
_CONFIGURATION = re.compile(rb"(?:\w++\.)*+Config\(")


class Place(NamedTuple):
    """First and last line and first column of what a fact belongs to, from 1."""

    line: int
    end_line: int
    column: int


class _Around(NamedTuple):
    """What holds around a node. entry: statement, setting or call; test: the test or configuration it is part of.

    branch: place of the `if` that the node is a direct part of. collected: whether its parent is a list.
    """

    entry: Place | None = None
    test: Place | None = None
    branch: Place | None = None
    collected: bool = False


@dataclass(slots=True)
class Places:
    """Places by the offset of a node in `data`; only those that differ from the node's own line.

    entries: for what is said by a string. tests: for names, calls and settings in a test or a configuration.
    """

    data: bytes
    entries: dict[int, Place] = field(default_factory=dict)
    tests: dict[int, Place] = field(default_factory=dict)
    _around: list[_Around] = field(default_factory=lambda: [_Around()])

    def enter(self, node: Node, cursor: TreeCursor) -> None:
        """Go one level down; each is followed by one `leave`, its children's between."""
        around = self._around[-1]
        if node.type in _TURNS or around.branch is not None:
            inner = _inside(node, cursor, around, self.data)
        else:
            inner = around._replace(collected=False) if around.collected else around
        self._around.append(inner)
        if (inner.entry is None and inner.test is None) or not node.is_named:
            return
        line = node.start_point.row + 1
        if inner.entry is not None and inner.entry.line < line:
            self.entries.setdefault(node.start_byte, inner.entry)
        if inner.test is not None and inner.test.line < line:
            self.tests.setdefault(node.start_byte, inner.test)

    def leave(self) -> None:
        self._around.pop()


def _inside(node: Node, cursor: TreeCursor, around: _Around, data: bytes) -> _Around:
    kind = node.type
    if kind in _BRANCHES:
        return _Around(branch=Place(node.start_point.row + 1, 0, node.start_point.column + 1))
    if around.branch is not None:
        if cursor.field_name != "condition":
            return _Around()
        place = around.branch._replace(end_line=node.end_point.row + 1)
        return _Around(entry=place, test=place) if place.end_line > place.line else _Around()
    if kind in _STATEMENTS:
        return _Around(entry=_place(node))
    if around.test is not None:
        return around
    if kind in _ENTRIES or (around.collected and (kind in _COLLECTIONS or kind == "dictionary")):
        return _Around(entry=_place(node), collected=kind in _COLLECTIONS)
    if kind == "call" and _CONFIGURATION.match(data, node.start_byte, node.start_byte + 60):
        return _Around(entry=_place(node), test=_place(node))
    collected = kind in _COLLECTIONS
    return around if collected == around.collected else around._replace(collected=collected)


def _place(node: Node) -> Place | None:
    """Where a node lies, if it spans lines: what is in others stands on their line anyway."""
    if node.start_point.row == node.end_point.row:
        return None
    return Place(node.start_point.row + 1, node.end_point.row + 1, node.start_point.column + 1)
