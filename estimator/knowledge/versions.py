"""Version numbers of packages: which is newer, and whether a specifier allows one.

A small part of what package managers know (PEP 440, conda, Poetry): the numbers of a version and whether it comes
before or after the release itself; what follows "+" is left out. A text that is none, such as "main", has no key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Key = tuple[tuple[int, ...], int]  # numbers without zeros at their end; -1 before the release, 0, or the post-release

_VERSION = re.compile(
    r"^v?(?:\d{1,4}!)?(\d{1,9}(?:\.\d{1,9}){0,9})(?:[-._]?(post|rc|dev|alpha|beta|a|b)[-._]?(\d{0,9}))?(?![\w.])"
)
_CLAUSE = re.compile(r"^(===|==|~=|!=|<=|>=|<|>|=|\^|~)?\s*([\w.!+*-]+)$")
_RANGE = re.compile(r"^(\S+)\s+to\s+(\S+)")
_MOST = 20  # clauses of a specifier that are read


def key_of(version: str) -> Key | None:
    """What versions are compared by; None for a text that is none."""
    match = _VERSION.match(version.strip())
    if match is None:
        return None
    numbers = [int(part) for part in match[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    word = match[2] or ""
    after = int(match[3] or 0) if word == "post" else -1 if word else 0
    return tuple(numbers), after


def pinned(specifier: str) -> str:
    """The one version that a specifier names ("==2.4.0", conda's "=2.4", a lock file's "2.4.0"), else ""."""
    match = _CLAUSE.match(specifier.strip())
    if match is None or match[1] not in (None, "=", "==", "===") or "*" in match[2]:
        return ""
    return match[2] if key_of(match[2]) else ""


def allows(specifier: str, version: str) -> bool:
    """Whether all clauses of a specifier hold for a version; a clause that can't be read holds for none."""
    key = key_of(version)
    clauses = specifier.split(",")[:_MOST]
    return key is not None and all(_holds(clause.strip(), key) for clause in clauses if clause.strip())


def named(text: str) -> Iterator[tuple[str, str]]:
    """Versions that a cell of frameworks.csv names, as first and last: "0.14.0 to 0.18.0", "2.4; 2.3", "10.0"."""
    for part in text.split(";"):
        ends = _RANGE.match(part.strip())
        first, last = (ends[1], ends[2]) if ends else (part.strip(), part.strip())
        if key_of(first) and key_of(last):
            yield first, last


def covers(first: str, last: str, version: str) -> bool:
    """Whether a version lies between two, both included; "2.4" includes 2.4.1, and post-releases belong to theirs."""
    low, key = key_of(first), key_of(version)
    if low is None or key is None or key_of(last) is None:
        return False
    return low[0] <= key[0] and _first(key, last) <= _numbers(last)


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version as they are written, zeros at their end too."""
    match = _VERSION.match(version.strip())
    return tuple(int(part) for part in match[1].split(".")) if match else ()


def _first(key: Key, written: str) -> tuple[int, ...]:
    """As many numbers of a key as another version is written with."""
    count = len(_numbers(written))
    return (*key[0], *[0] * count)[:count]


def _holds(clause: str, key: Key) -> bool:
    match = _CLAUSE.match(clause)
    written = match[2].removesuffix(".*") if match else ""
    bound = key_of(written)
    if match is None or bound is None:
        return False
    operator, is_prefix = match[1] or "==", match[2].endswith(".*") or match[1] == "="
    begins = _first(key, written) == _numbers(written)
    match operator:
        case "==" | "===" | "=":
            return begins if is_prefix else key == bound
        case "!=":
            return not begins if is_prefix else key != bound
        case ">=":
            return key >= bound
        case "<=":
            return key <= bound
        case ">":
            return key > bound
        case "<":
            return key < bound
        case _:
            return key >= bound and key[0] < _end(operator, match[2])


def _end(operator: str, written: str) -> tuple[int, ...]:
    """What a compatible version must stay below: for "~=2.2" 3, "~=2.2.1" 2.3, "^2.1" 3, "^0.4" 0.5, "~2.1" 2.2."""
    numbers = [int(part) for part in re.findall(r"\d+", written.partition("+")[0])][:4]
    if operator == "^":
        place = next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)
    else:
        place = max(0, len(numbers) - 2) if operator == "~=" else min(1, len(numbers) - 1)
    return (*numbers[:place], numbers[place] + 1)
