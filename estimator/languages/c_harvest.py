"""What a repository's own macros stand for, learnt from all its C-family texts before any is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

import re2

from estimator.languages.c_words import NUMBER, number
from estimator.languages.facts import Harvest

_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^()\n]*\))?[ \t]*((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE)
_WIDTH = re.compile(
    r"\bconst(?:expr)?\s+(?:static\s+)?(?:unsigned\s+|u?int(?:32_t)?\s+|int\s+|size_t\s+|auto\s+)+"
    r"(\w{1,80}+)\s*+=\s*+([^;{}]{1,60});"
)
_OF_A_WARP = re.compile(r"[wW]arp|WARP|[wW]ave|WAVE|[lL]ane|LANE")
_NAMESPACE_ALIAS = re.compile(r"\bnamespace\s+(\w+)\s*=\s*([\w:]+)\s*;")
_ONLY_QUALIFIERS = re2.compile(
    r"(?:__\w+__(?:\s*\((?:[^()]|\([^()]*\))*\))?|inline|static|extern|\"C\"|constexpr|void|template|const|volatile"
    r"|__forceinline|__declspec\s*\([^()]*\)|\[\[[^\]]*\]\]|alignas\s*\([^()]*\)|_Pragma\s*\([^()]*\)|\s)+"
)
_LONGEST_BODY = 300
_DEEPEST = 20
_WARP_WIDTHS = frozenset((32, 31))
_Value = TypeVar("_Value", int, str)


def harvest(texts: Iterable[str]) -> Harvest:
    """Learn a repository's own macros: attributes to blank, device and kernel qualifiers, warp constants."""
    bodies: dict[str, str] = {}
    values: dict[str, set[str]] = {}
    aliases: dict[str, set[str]] = {}
    for text in texts:
        for match in _DEFINE.finditer(text):
            body = " ".join(match[3].replace("\\\n", " ").split("//")[0].split())
            if len(body) <= _LONGEST_BODY:
                bodies.setdefault(match[1], body)
            if not match[2] and body:
                values.setdefault(match[1], set()).add(body)
        for match in _WIDTH.finditer(text):
            if not _OF_A_WARP.search(match[1]):
                continue
            values.setdefault(match[1], set()).add(match[2].strip())
        for match in _NAMESPACE_ALIAS.finditer(text):
            if not match[2].startswith(("hip", "roc")):  # of an AMD arm, mostly: beside it the name means itself
                aliases.setdefault(match[1], set()).add(match[2])
    qualifiers = _qualifier_macros(bodies)
    numbers = {name: {number(v) for v in found if NUMBER.fullmatch(v)} for name, found in values.items()}
    constants = {name: found for name, found in numbers.items() if len(values[name]) == 1}
    return Harvest(
        qualifiers=frozenset(qualifiers),
        device_macros=frozenset(qualifiers & _reaching("__device__", bodies)),
        kernel_macros=frozenset(qualifiers & _reaching("__global__", bodies)),
        constants=_agreed(constants),
        adaptive=frozenset(n for n, found in numbers.items() if found & _WARP_WIDTHS and len(values[n]) > 1),
        aliases=_agreed(aliases),
    )


def _agreed(found: Mapping[str, set[_Value]]) -> tuple[tuple[str, _Value], ...]:
    """Names with one value everywhere, sorted."""
    return tuple(sorted((name, next(iter(values))) for name, values in found.items() if len(values) == 1))


def _qualifier_macros(bodies: Mapping[str, str]) -> set[str]:
    """Names whose bodies hold qualifiers only, directly or through others of them, to a fixed depth."""
    found: set[str] = set()
    for _ in range(_DEEPEST):
        more = {
            name
            for name, body in bodies.items()
            if name not in found and _is_qualifier(" ".join(w for w in body.split() if w not in found), body)
        }
        if not more:
            break
        found |= more
    return found


def _is_qualifier(rest: str, body: str) -> bool:
    if not body or body.startswith(("__CUDA", "__HIP", "__LINE__", "__FILE__", "__COUNTER__")):
        return False
    if not rest or rest in ("inline", "static inline"):
        return True
    return "__" in rest and bool(_ONLY_QUALIFIERS.fullmatch(rest))


def _reaching(word: str, bodies: Mapping[str, str]) -> set[str]:
    """Names whose body holds a word, directly or through at most five others."""
    found = {name for name, body in bodies.items() if word in body}
    for _ in range(5):
        more = {
            name for name, body in bodies.items() if name not in found and any(other in found for other in body.split())
        }
        if not more:
            break
        found |= more
    return found
