"""Which device functions leave with a kernel? Those that only what leaves names.

A function is known by its name, over the whole tree: overloads stay or leave together, and any use that is not
understood (in a macro, as a template argument, from the host, in a string) is one that stays. So a function is kept
too often rather than lost. Declarations and `using` are no uses. Not seen: names that macros paste together (##), and
names in the strings of other languages than C and Python where no device code stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from estimator.languages.c_text import read_text
from estimator.languages.spans import Spans
from estimator.scan import is_c
from estimator.scan.sites import DeviceCode, Kernel
from estimator.sources.files import SET_APART, SourceFile

_Decider = TypeVar("_Decider")
_WORD = re.compile(r"[A-Za-z_]\w*")
_IN_BRACKETS = re.compile(r"<[^<>]*>")
_USING = re.compile(r"\s*using\s+[\w:]*")
_MARKED = "__device__"
_MACRO = re.compile(r"\b[A-Z\d_]*DEVICE[A-Z\d_]*\b")  # what projects call their own word for it
_SPECIFIERS = re.compile(r"(?!.*\b(?:co_)?(?:return|yield|throw|case)\b)[\w\s:\")]*", re.DOTALL)
_TYPE = re.compile(r"[\w\s:*&~]*")
_LONGEST_HEAD = 500  # characters of a declaration before the name
_ESCAPE = re.compile(r"\\[^\n]")
_PYTHON = (".py", ".pyi", ".pyx", ".ipynb")
_PYTHON_STRING = re.compile(
    r"""\#[^\n]*|(?P<string>(?P<quotes>\"{3}|'{3}).*?(?:(?P=quotes)|\Z)|"[^"\n]*|'[^'\n]*)['"]?""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Use:
    """A line that names a function. within: names of the functions it stands in."""

    path: str
    line: int
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reach:
    """The device functions that some kernels name, by themselves or through each other, and every use of them.

    functions: own ones alone. uses: by name.
    """

    functions: tuple[DeviceCode, ...] = ()
    uses: Mapping[str, tuple[Use, ...]] = field(default_factory=dict)

    def leaving(
        self,
        around: Callable[[Use], _Decider | None],
        files: Mapping[str, _Decider],
        order: Iterable[_Decider],
    ) -> dict[str, _Decider]:
        """What decides each function that leaves, by name; of several the last in `order`.

        around: what decides the kernel around a use, if it leaves. files: what decides whole files, by path. A function
        that no such kernel reaches stays: who leaves out files says which.
        """
        reached: dict[str, list[str]] = {}  # names that a function names
        held: dict[str, list[str]] = {}  # the same as far as they stay if it stays
        named: dict[_Decider, list[str]] = {}
        by_kernels, staying = [], []
        for name, use in ((name, use) for name, uses in self.uses.items() for use in uses):
            for function in use.within:
                reached.setdefault(function, []).append(name)
            if (decider := around(use)) is not None:
                by_kernels.append(name)
            if (decider := decider or files.get(use.path)) is not None:
                named.setdefault(decider, []).append(name)
            elif not use.within:
                staying.append(name)
            for function in use.within if decider is None else ():
                held.setdefault(function, []).append(name)
        gone = _closure(by_kernels, reached) - _closure(staying, held)
        last: dict[str, _Decider] = {}
        for decider in order:
            last |= dict.fromkeys(sorted(_closure(named.get(decider, ()), reached) & gone), decider)
        return last


def reach_of(kernels: Iterable[Kernel], functions: Iterable[DeviceCode], files: Iterable[SourceFile]) -> Reach:
    """The own device functions that kernels reach, with all their uses in a tree."""
    texts = {file.path: file for file in files}
    own = [one for one in functions if one.path in texts and texts[one.path].owner not in SET_APART]
    by_name: dict[str, list[DeviceCode]] = {}
    for function in own:
        if _WORD.fullmatch(function.name):
            by_name.setdefault(function.name, []).append(function)
    places = _Places(texts, frozenset(by_name))
    front: list[Kernel | DeviceCode] = list(kernels)
    reached: dict[str, None] = {}
    while front:
        unit = front.pop()
        new = dict.fromkeys(name for name in places.names_in(unit) if name not in reached)
        reached |= new
        front.extend(function for name in new for function in by_name[name])
    chosen = tuple(function for function in own if function.name in reached)
    return Reach(chosen, places.uses(reached, chosen))


class _Places:
    """Where files name functions; each file is read once, and only when it is asked for."""

    def __init__(self, files: Mapping[str, SourceFile], names: frozenset[str]) -> None:
        self._files = files
        self._names = names
        self._read: dict[str, tuple[tuple[int, str], ...]] = {}

    def names_in(self, unit: Kernel | DeviceCode) -> Iterator[str]:
        """Names that stand on the lines of a kernel or a function."""
        named = self._in(unit.path) if unit.path in self._files else ()
        first = bisect_left(named, (unit.line, ""))
        return (name for _, name in named[first : bisect_left(named, (unit.end_line + 1, ""))])

    def uses(self, names: Collection[str], functions: Iterable[DeviceCode]) -> dict[str, tuple[Use, ...]]:
        """All uses of some names, by name. functions: those that a use may stand in."""
        bodies: dict[str, list[tuple[int, int, str]]] = {}
        for one in functions:
            bodies.setdefault(one.path, []).append((one.line, one.end_line + 1, one.name))
        found: dict[str, list[Use]] = {name: [] for name in names}
        for path, file in self._files.items() if names else ():
            if found.keys().isdisjoint(_WORD.findall(_unescaped(file.text))):
                continue
            around = Spans(bodies.get(path, ()))
            for line, name in self._in(path):
                if name in found:
                    found[name].append(Use(path, line, around.around(line)))
        return {name: tuple(dict.fromkeys(uses)) for name, uses in sorted(found.items())}

    def _in(self, path: str) -> tuple[tuple[int, str], ...]:
        if path not in self._read:
            self._read[path] = tuple(sorted(_named(self._files[path], self._names)))
        return self._read[path]


def _named(file: SourceFile, names: Container[str]) -> Iterator[tuple[int, str]]:
    """Lines of a file with the names that it uses. Of other languages than C all of a text that holds device code."""
    if is_c(file.path) or _MARKED in file.text or "__global__" in file.text:
        return _named_in_code(file, names)
    return _named_in_strings(file.text, names) if file.path.endswith(_PYTHON) else iter(())


def _named_in_code(file: SourceFile, names: Container[str]) -> Iterator[tuple[int, str]]:
    source = read_text(file.text)
    text = source.masked if is_c(file.path) else _unescaped(file.text)
    starts = [directive.start for directive in source.directives]
    for match in _WORD.finditer(text):
        if match[0] not in names:
            continue
        before = bisect_right(starts, match.start())
        behind = source.directives[before - 1].end if before else 0
        if match.start() < behind or not _is_declared(_head(text, behind, match.start())):
            yield source.line(match.start()), match[0]
    for literal in source.strings:
        yield from ((source.line(literal.start), word) for word in _WORD.findall(literal.value) if word in names)


def _named_in_strings(text: str, names: Container[str]) -> Iterator[tuple[int, str]]:
    """Names in the strings of Python: pieces of device code that is put together elsewhere."""
    text = _unescaped(text)
    line, last = 1, 0
    for string in _PYTHON_STRING.finditer(text):
        for word in _WORD.finditer(text, *string.span("string")) if string["string"] else ():
            if word[0] in names:
                line, last = line + text.count("\n", last, word.start()), word.start()
                yield line, word[0]


def _unescaped(text: str) -> str:
    """The same with escapes blanked, so that the n of a line end begins no name."""
    return _ESCAPE.sub("  ", text) if "\\" in text else text


def _head(text: str, behind: int, end: int) -> str:
    """What stands before a name in its statement; "" where that is longer than any declaration's.

    behind: where the directive before it ends, which begins a statement.
    """
    first = max(behind, end - _LONGEST_HEAD)
    start = max(text.rfind(sign, first, end) for sign in ";{}") + 1
    return text[start or first : end] if start or first == behind else ""


def _is_declared(head: str) -> bool:
    """Whether a name with this before it is being declared, or brought in by `using`; when in doubt it isn't."""
    if _USING.fullmatch(head):
        return True
    count = 1
    while count:
        head, count = _IN_BRACKETS.subn(" ", head)
    if _MARKED in head:
        return bool(_TYPE.fullmatch(head.rpartition(_MARKED)[2]))
    macro = _MACRO.search(head)
    if macro is None or not _SPECIFIERS.fullmatch(head[: macro.start()]):
        return False
    kind = head[macro.end() :]
    return bool(_TYPE.fullmatch(kind) and _WORD.search(kind))


def _closure(names: Iterable[str], following: Mapping[str, Iterable[str]]) -> set[str]:
    """Names with all that follow from them."""
    front = list(names)
    seen = set(front)
    while front:
        new = {name for name in following.get(front.pop(), ()) if name not in seen}
        seen |= new
        front.extend(new)
    return seen
