"""CMake files, read with tree-sitter-cmake: commands with their arguments, and the `if` arms around them.

The tree is flat enough for a cursor; nothing here recurses.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

import tree_sitter_cmake
from tree_sitter import Language, Node, Parser

from estimator.languages.arms import Arm, guards_of
from estimator.languages.depth import LONGEST_NAME, MOST, OUTERMOST, kept
from estimator.languages.facts import Confidence, Fact, FactKind, Harvest, Reading
from estimator.languages.readings import UNPARSED, compact, parsed, reading_of, simple_fact

_COMMAND = re.compile(r"^[ \t]*([A-Za-z_]\w*)[ \t]*\(([^()#\n]*)\)?", re.MULTILINE)
# The parser takes the square of the time over blanks: a long run of them becomes a comment of its length.
_BLANKS = re.compile(rb"\n[ \t\f\v\r\n]{200,}+|[ \t\f\v\r]{200,}+")
_OPENING, _CLOSING = b"#[=======[", b"]=======]"
_FLOW = frozenset({"if_command", "elseif_command", "else_command", "endif_command"})
_STOPS = re.compile(r"\b(?:FATAL_ERROR|SEND_ERROR)\b")
_DISPLAY = frozenset({"message", "cmake_print_variables"})
_OF_VERSIONS = re.compile(r"\bVERSION_(?:LESS|GREATER|EQUAL)")


@dataclass(frozen=True, slots=True)
class _Argument:
    text: str
    line: int


@functools.cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_cmake.language()))


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Commands as "name arguments" on one line, name in lower case.

    An argument on a later line than its command is a setting "command = argument" of its own, so that a
    rule can point at the line. Conditions are facts too. What `message` says is left out.
    """
    source = _Source(text.encode("utf-8", "surrogatepass"))
    tree = parsed(_parser(), _BLANKS.sub(_commented, source.data))
    if tree is None:
        size = len(source.data)
        return reading_of("cmake", text, _lexical(source, (0, size), set()), size, (UNPARSED,))
    facts: list[Fact] = []
    open_groups: list[_Group] = []
    broken: list[tuple[int, int]] = []
    nodes = list(_commands(tree.root_node, broken))
    groups = _groups(nodes, source)
    guards: tuple[str, ...] = ()
    for node in nodes:
        if node.type in _FLOW:
            facts.extend(_follow(node, source, groups, open_groups))
            guards = _holding(open_groups)
        else:
            facts.extend(_facts(node, source, guards))
    known = {fact.line for fact in facts}
    for part in broken:
        found = list(_lexical(source, part, known))
        known.update(fact.line for fact in found)
        facts.extend(found)
    return reading_of("cmake", text, facts, sum(end - start for start, end in broken))


def _commented(match: re.Match[bytes]) -> bytes:
    run = match[0]
    start = len(_OPENING) + 1  # a first line end closes the line before
    return run[:1] + _OPENING + run[start : -len(_CLOSING) - 1] + _CLOSING + run[-1:]


class _Source:
    """The bytes of a text and its lines. What the parser says of lines is not asked: it was given fewer of them."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._starts = [0, *(match.end() for match in re.finditer(b"\n", data))]

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def column(self, offset: int) -> int:
        return offset - self._starts[self.line(offset) - 1] + 1


@dataclass(slots=True)
class _Group:
    """The arms of one `if`, which of them is at hand, and the guards of each once all are known.

    tells, does: whether something is said or done in any of them, groups in it included.
    """

    arms: list[Arm]
    tells: bool = False
    does: bool = False
    position: int = 0
    guards: tuple[tuple[str, ...], ...] | None = None

    def note(self, tells: bool, does: bool) -> None:
        """Take notice of what stands in an arm."""
        self.tells |= tells
        self.does |= does

    def holding(self) -> tuple[str, ...]:
        """What holds in the arm at hand."""
        if self.guards is None:
            self.guards = guards_of(self.arms)
        return self.guards[self.position]


def _holding(groups: Sequence[_Group]) -> tuple[str, ...]:
    """What holds inside open groups; of too many the outermost and the innermost are asked."""
    near = groups if len(groups) <= MOST else [*groups[:OUTERMOST], *groups[-MOST:]]
    return kept([guard for group in near for guard in group.holding()])


def _groups(nodes: Iterable[Node], source: _Source) -> dict[int, _Group]:
    """All `if` groups by the offset of their first command. An arm fails if it only says FATAL_ERROR."""
    groups: dict[int, _Group] = {}
    stack: list[tuple[_Group, list[bool]]] = []  # with the open arm's commands: does each stop the build
    for node in nodes:
        if node.type == "normal_command":
            text = source.text(node)
            if stack:
                stack[-1][1].append(text.lower().startswith("message") and bool(_STOPS.search(text)))
                is_told = text.partition("(")[0].strip().lower() in _DISPLAY
                stack[-1][0].note(is_told, not is_told)
            continue
        if node.type != "if_command" and stack:
            group, commands = stack[-1]
            last = group.arms[-1]
            group.arms[-1] = Arm(last.condition, bool(commands) and all(commands))
            commands.clear()
        condition = compact(" ".join(argument.text for argument in _arguments(node, source)), 200)
        if node.type == "if_command":
            group = groups[node.start_byte] = _Group([Arm(condition)])
            if stack:
                stack[-1][1].append(False)
            stack.append((group, []))
        elif node.type == "endif_command":
            if stack:
                inner, _ = stack.pop()
                if stack:
                    stack[-1][0].note(inner.tells, inner.does)
        elif stack:
            stack[-1][0].arms.append(Arm(condition if node.type == "elseif_command" else ""))
    return groups


def _follow(node: Node, source: _Source, groups: dict[int, _Group], open_groups: list[_Group]) -> Iterator[Fact]:
    """Keep the stack of open groups; gives the condition that starts an arm, but of checks that only tell somebody of
    a wrong option: those of versions alone say something of the build."""
    if node.type == "endif_command":
        if open_groups:
            open_groups.pop()
        return
    if node.type == "if_command":
        outer = _holding(open_groups)
        open_groups.append(groups[node.start_byte])
    else:
        if not open_groups:
            return
        outer = _holding(open_groups[-2 * MOST : -1])
        open_groups[-1].position = min(open_groups[-1].position + 1, len(open_groups[-1].arms) - 1)
    group = open_groups[-1]
    condition = group.arms[group.position].condition
    if condition and (group.does or not group.tells or _OF_VERSIONS.search(condition)):
        line, end_line = source.line(node.start_byte), source.line(node.end_byte)
        guards = kept((*outer, *_beside(group.holding())))
        yield simple_fact(FactKind.CONDITION, condition, line, end_line=end_line, guards=guards)


def _beside(holding: tuple[str, ...]) -> tuple[str, ...]:
    """What is known where an arm's condition is asked: the arms before it don't hold; others may stand beside it."""
    return holding if holding[-1].startswith("!(not (") else holding[:-1]


def _commands(root: Node, broken: list[tuple[int, int]]) -> Iterator[Node]:
    """Command nodes in the order of the text; ranges of outermost error nodes are added to `broken`."""
    cursor = root.walk()
    error_end = -1
    while True:
        node = cursor.node
        assert node is not None
        if node.type == "ERROR" and node.start_byte >= error_end:
            broken.append((node.start_byte, node.end_byte))
            error_end = node.end_byte
        taken = node.type == "normal_command" or node.type in _FLOW
        if taken:
            yield node
        if not taken and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _facts(node: Node, source: _Source, guards: tuple[str, ...]) -> Iterator[Fact]:
    first = node.children[0]
    name = source.text(first)[:LONGEST_NAME].lower()
    if name in _DISPLAY:
        return
    line, end_line = source.line(node.start_byte), source.line(node.end_byte)
    arguments = list(_arguments(node, source))
    text = compact(" ".join([name, *(argument.text for argument in arguments)]), 2000)
    yield simple_fact(
        FactKind.COMMAND, text, line, end_line=end_line, column=source.column(node.start_byte), guards=guards
    )
    for argument in arguments:
        if argument.line > line:
            words = compact(argument.text, 400)
            yield simple_fact(FactKind.SETTING, f"{name} = {words}", argument.line, guards=guards)


def _arguments(node: Node, source: _Source) -> Iterator[_Argument]:
    for child in node.named_children:
        if child.type != "argument_list":
            continue
        for argument in child.named_children:
            if argument.type != "argument":
                continue
            raw = source.text(argument)
            yield _Argument(_unquoted(raw), source.line(argument.start_byte))


def _unquoted(raw: str) -> str:
    if raw.startswith("["):
        return re.sub(r"^\[=*\[\n?|\]=*\]$", "", raw)
    return raw[1:-1] if len(raw) > 1 and raw[0] == raw[-1] == '"' else raw


def _lexical(source: _Source, part: tuple[int, int], known: Set[int]) -> Iterator[Fact]:
    """Commands inside what the parser gave up, by their looks."""
    piece = source.data[part[0] : part[1]].decode("utf-8", "replace")
    line, last = source.line(part[0]), 0
    for match in _COMMAND.finditer(piece):
        line, last = line + piece.count("\n", last, match.start(1)), match.start(1)
        if line not in known and match[1].lower() not in _DISPLAY:
            text = compact(f"{match[1].lower()} {match[2]}", 2000)
            yield simple_fact(FactKind.COMMAND, text, line, confidence=Confidence.LEXICAL)
