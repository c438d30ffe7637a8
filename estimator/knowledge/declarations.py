"""Which functions a header or a Cython declaration file declares, and how many arguments they take.

Only names and counts leave this module. It reads C and C++ headers as tokens, without a preprocessor:
all branches of a conditional count, which is right for the question "does this name exist".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*$", re.M)
_VERSIONED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(?:\w+\()?(\w+)\)?[ \t]*$", re.M)
_CALL = re.compile(r"\b([A-Za-z_]\w*)[ \t\n]*\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
_PXD_FUNCTION = re.compile(r"^cdef\s[^\n(]*?\b(\w+)\s*(?:\"\w+\"\s*)?\(([^\n]*)\)[^\n()]*$", re.M)
_PXD_ALIAS = re.compile(r"\b([A-Za-z_]\w*)\s+as\s+([A-Za-z_]\w*)")
_PXD_TYPE = re.compile(r"^ctypedef\s+(\w+)\s+(\w+)\s*$", re.M)
_NOT_A_TYPE = frozenset({"return", "else", "case", "new", "delete", "throw", "goto", "sizeof", "defined"})
_DEFAULT = re.compile(r"=|\b__dparm\b|\b__dv\b")


@dataclass(slots=True)
class Declared:
    """Names of one set of files.

    functions: by name, the argument counts it accepts. words: every identifier outside comments.
    """

    functions: dict[str, set[int]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)

    def add(self, name: str, counts: set[int]) -> None:
        """Note a function; counts may be empty when they are not known."""
        self.functions.setdefault(name, set()).update(counts)


def read_header(text: str, into: Declared) -> None:
    """Functions that a C or C++ header declares or defines inline.

    A macro that maps a name to its versioned form (`#define cuMemAlloc cuMemAlloc_v2`) makes the
    versioned form a function too.
    """
    text = _COMMENT.sub(" ", text).replace("\\\n", " ")
    into.words.update(_WORD.findall(text))
    for plain, versioned in _VERSIONED.findall(text):
        if versioned != plain and versioned.startswith(plain):
            into.add(versioned, set())
    for name, counts in _prototypes(_DIRECTIVE.sub("", text)):
        into.add(name, counts)


def read_pxd(text: str, into: Declared) -> None:
    """Functions of a Cython declaration file; private helpers (leading underscore) are left out."""
    text = re.sub(r"^\s*#[^\n]*$", "", text, flags=re.M)
    into.words.update(_WORD.findall(text))
    for name, arguments in _PXD_FUNCTION.findall(text):
        if not name.startswith("_"):
            into.add(name, _counts(arguments))


def read_aliases(text: str) -> dict[str, str]:
    """New name by old name of `cimport old as new` and of `ctypedef old new`, chains resolved.

    A chain that ends in a C type (`ctypedef int CUdevice`) gives nothing.
    """
    text = re.sub(r"#[^\n]*", "", text)
    pairs = {new: old for old, new in _PXD_ALIAS.findall(text)}
    pairs.update({new: old for old, new in _PXD_TYPE.findall(text) if new not in pairs})
    resolved = {}
    for new, first in pairs.items():
        old, steps = first, 0
        while old in pairs and steps < len(pairs):
            old, steps = pairs[old], steps + 1
        resolved[new] = old
    return resolved


def _prototypes(text: str) -> Iterator[tuple[str, set[int]]]:
    for match in _CALL.finditer(text):
        if not _follows_a_type(text, match.start()):
            continue
        end = _closing(text, match.end())
        if end < 0:
            continue
        rest = text[end + 1 : end + 200].lstrip()
        if rest[:1] in (";", "{") or rest.startswith(("__attribute__", "noexcept", "__dv", "CUDARTAPI", "const")):
            yield match.group(1), _counts(text[match.end() : end])


def _follows_a_type(text: str, start: int) -> bool:
    before = text[max(0, start - 120) : start].rstrip()
    if not before or not (before[-1].isalnum() or before[-1] in "_*&>"):
        return False
    if before.endswith("->"):
        return False
    word = re.search(r"(\w+)$", before)
    return not (word and word.group(1) in _NOT_A_TYPE)


def _closing(text: str, start: int) -> int:
    depth = 1
    for position in range(start, min(len(text), start + 6000)):
        character = text[position]
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if not depth:
                return position
    return -1


def _counts(arguments: str) -> set[int]:
    """Argument counts a call may have: defaults make a range."""
    parts = [part.strip() for part in _split(arguments)]
    if parts in ([""], ["void"]):
        return {0}
    optional = sum(bool(_DEFAULT.search(part)) for part in parts)
    return set(range(len(parts) - optional, len(parts) + 1))


def _split(arguments: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(arguments):
        if character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(arguments[start:position])
            start = position + 1
    return [*parts, arguments[start:]]
