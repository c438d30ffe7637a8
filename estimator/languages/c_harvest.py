"""What a repository's own macros stand for, learnt from all its C-family texts before any is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

import re2

from estimator.languages.c_words import AMD_NAMESPACES, ATTRIBUTES, KEYWORDS, NUMBER, number, parts
from estimator.languages.facts import Harvest
from estimator.languages.readings import begun

_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^()\n]*\))?[ \t]*((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE)
_WIDTH = re.compile(
    begun("const") + r"(?:expr)?\s+(?:static\s+)?(?:unsigned\s+|u?int(?:32_t)?\s+|int\s+|size_t\s+|auto\s+)+"
    r"(\w{1,80}+)\s*+=\s*+([^;{}]{1,60});"
)
_OF_A_WARP = re.compile(r"[wW]arp|WARP|[wW]ave|WAVE|[lL]ane|LANE")
_NAMESPACE_ALIAS = re.compile(begun("namespace") + r"\s+(\w+)\s*=\s*([\w:]+)\s*;")
_ONLY_QUALIFIERS = re2.compile(
    r"(?:__\w+__(?:\s*\((?:[^()]|\([^()]*\))*\))?|inline|static|extern|\"C\"|constexpr|void|template|const|volatile"
    r"|__forceinline|__declspec\s*\([^()]*\)|\[\[[^\]]*\]\]|alignas\s*\([^()]*\)|_Pragma\s*\([^()]*\)|\s)+"
)
# The second argument of a launch, and the constants in it.
_LAUNCHED = re.compile(r"<<<[^;<>]{1,300}?,([^,;<>]{1,100})")
_CONSTANT_NAME = re.compile(r"\b(?:[A-Z][A-Z0-9]*_?[A-Z0-9_]{2,}|k[A-Z]\w{2,})\b")
# A macro that is the whole head of a kernel: `template <…> __global__ void name(…)`.
_KERNEL_HEAD = re.compile(r"__global__[^{};]{1,300}\)\s*$")
_LONGEST_BODY = 300
_DEEPEST = 20
_WARP_WIDTHS = frozenset((32, 31))
_QUALIFIER = re.compile(begun("__global__") + r"\b")
_TEMPLATE_HEAD = re.compile(r"\btemplate\s{0,9}+<([^;{}]*)>[^;{}<>]*$")
_CALLED = re.compile(r"\b([A-Za-z_]\w{0,200}+)\s{0,9}+\(")
_LAST_WORD = re.compile(r"(\w+)\s*(?:=.*)?$", re.DOTALL)
_NO_NAME = re.compile(ATTRIBUTES)
_LONGEST_HEAD = 800
_Value = TypeVar("_Value", int, str, tuple[str, ...])


def harvest(texts: Iterable[str]) -> Harvest:
    """Learn a repository's own macros: attributes to blank, device and kernel qualifiers, warp constants."""
    bodies: dict[str, str] = {}
    values: dict[str, set[str]] = {}
    aliases: dict[str, set[str]] = {}
    launched: set[str] = set()
    parameters: dict[str, set[tuple[str, ...]]] = {}
    for text in texts:
        for name, listed in templates(text):
            parameters.setdefault(name, set()).add(listed)
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
            if not match[2].startswith(AMD_NAMESPACES):  # of an AMD arm, mostly: beside it the name means itself
                aliases.setdefault(match[1], set()).add(match[2])
        for match in _LAUNCHED.finditer(text) if "<<<" in text else ():
            launched.update(_CONSTANT_NAME.findall(match[1]))
    qualifiers = _qualifier_macros(bodies)
    numbers = {name: {number(v) for v in found if NUMBER.fullmatch(v)} for name, found in values.items()}
    constants = {name: found for name, found in numbers.items() if not _differs(name, values[name])}
    return Harvest(
        qualifiers=frozenset(qualifiers),
        device_macros=frozenset(qualifiers & _reaching("__device__", bodies)),
        kernel_macros=frozenset(qualifiers & _reaching("__global__", bodies)),
        kernel_heads=frozenset(name for name, body in bodies.items() if _KERNEL_HEAD.search(body)),
        constants=_agreed(constants),
        adaptive=frozenset(n for n, found in numbers.items() if found & _WARP_WIDTHS and _differs(n, values[n])),
        aliases=_agreed(aliases),
        launched=frozenset(launched),
        kernel_parameters=_agreed(parameters),
    )


def templates(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Kernels that are templates, each with the names of its parameters."""
    for match in _QUALIFIER.finditer(text):
        head = text[max(0, match.start() - _LONGEST_HEAD) : match.start()]
        template = _TEMPLATE_HEAD.search(head, max(0, head.rfind("template")))
        called = _CALLED.finditer(text, match.end(), match.end() + _LONGEST_HEAD)
        names = (found[1] for found in called if found[1] not in KEYWORDS and not _NO_NAME.fullmatch(found[1]))
        name = next(names, "") if template else ""
        if template and name:
            words = (_LAST_WORD.search(parameter) for parameter in parts(template[1]))
            yield name, tuple(word[1] if word else "" for word in words)


def _agreed(found: Mapping[str, set[_Value]]) -> tuple[tuple[str, _Value], ...]:
    """Names with one value everywhere, sorted."""
    return tuple(sorted((name, next(iter(values))) for name, values in found.items() if len(values) == 1))


def _differs(name: str, values: Iterable[str]) -> bool:
    """Whether a constant has several values; one that takes over its namesake's is none of its own."""
    own = {value for value in values if not value.endswith(f"::{name}")}
    return len({str(number(value)) if NUMBER.fullmatch(value) else value for value in own}) != 1


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
