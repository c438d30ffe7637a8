"""Languages without a grammar of ours (Fortran, Julia, Rust, Go, C#, Java): facts by tokens.

The reader knows each language's comments and strings. Calls, imports and strings are facts; of the code
itself those lines are kept, without comments, that name something of a GPU.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from estimator.languages.facts import Confidence, Fact, FactKind, Harvest, KernelFact, Reading
from estimator.languages.readings import any_of, compact, reading_of

_STRING = r"""(?P<string>"(?:\\.|[^"\\\n])*"?)"""
_LONG = r"""(?P<long>r\#+".*?(?:"\#+|\Z)|\"\"\".*?(?:\"\"\"|\Z)|`[^`]*`?)"""
_NAME = r"""(?P<name>[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*[!]?)(?P<call>[ \t]*\()?"""
_REST = _NAME + r"""|(?P<newline>\n)|[ \t(){}\[\],;:<>+\-*&|.=]+|."""
_C_COMMENT = r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"


@dataclass(frozen=True, slots=True)
class _Style:
    """How a language writes comments and strings; imports: patterns on a line without comment."""

    token: re.Pattern[str]
    imports: re.Pattern[str]


def _style(comment: str, imports: str, strings: str = _STRING) -> _Style:
    flags = re.VERBOSE | re.DOTALL
    return _Style(re.compile(f"{comment}|{strings}|{_REST}", flags), re.compile(imports, re.IGNORECASE))


_FORTRAN = _style(
    r"(?P<comment>![^\n]*)",
    r"^\s*use\s*(?:,\s*\w+\s*)?(?:::)?\s*(\w+)",
    r"""(?P<string>"[^"\n]*"?|'[^'\n]*'?)""",
)
_RUST = _style(_C_COMMENT, r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:use|extern\s+crate)\s+([\w:]+)", f"{_LONG}|{_STRING}")
_GO = _style(_C_COMMENT, r"^\s*(?:import\s+)?(?:[\w.]+\s+)?\"([\w./-]+)\"\s*$", f"{_LONG}|{_STRING}")
_JULIA = _style(r"(?P<comment>\#=.*?(?:=\#|\Z)|\#[^\n]*)", r"^\s*(?:using|import)\s+([\w.]+)", f"{_LONG}|{_STRING}")
_CURLY = _style(_C_COMMENT, r"^\s*(?:using|import)\s+(?:static\s+)?([\w.]+)", f"{_LONG}|{_STRING}")
_STYLES = {"rs": _RUST, "go": _GO, "jl": _JULIA, "cs": _CURLY, "java": _CURLY}

_has_content = any_of(
    r"(?i)cuda|nvcc|nvrtc|nvml|nvtx|nvidia|ptx|cubin|cufft|cublas|cusparse|cusolver|curand|cudnn|nccl|attributes\s*\(|<<<"
    r"|\bhip|rocm|roc(blas|fft|sparse)|amdgpu|gfx\d|\bsm_\d|\bcu[A-Z]"
)
_KERNEL = re.compile(
    r"^[ \t]*(attributes[ \t]*\([ \t]*global[ \t]*\)[ \t]*subroutine)[ \t]+(\w+)", re.IGNORECASE | re.MULTILINE
)
_END_SUBROUTINE = re.compile(r"^[ \t]*end[ \t]*(subroutine|$)", re.IGNORECASE | re.MULTILINE)
_FEATURES = (
    ("shared-memory", r"\bshared\b"),
    ("barrier", r"\bsyncthreads\b"),
    ("shuffle", r"\b__shfl"),
    ("atomic", r"\batomic\w+\s*\("),
    ("double", r"\breal\s*\(\s*(kind\s*=\s*)?8\b|double precision"),
)
_IMPORT_C = re.compile(r"import\s+\"C\"")
_C_INCLUDE = re.compile(r"#include\s*[<\"]([^>\"\n]+)[>\"]")


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Imports, calls, strings, and the lines that name something of a GPU; all lexical."""
    ending = path.rsplit(".", 1)[-1].lower()
    style = _STYLES.get(ending, _FORTRAN)
    if ending == "f":  # fixed form: a mark in the first column is a comment; same length, same lines
        text = re.sub(r"(?m)^[cC*](?!\$)", "!", text)
    facts = list(_facts(text, style))
    if ending == "go":
        facts.extend(_c_preamble(text))
    kernels = tuple(_fortran_kernels(text)) if style is _FORTRAN else ()
    facts.extend(_fact(FactKind.KERNEL, kernel.name, kernel.line, kernel.line) for kernel in kernels)
    return replace(reading_of("lines", text, facts), kernels=kernels)


def _fortran_kernels(text: str) -> Iterator[KernelFact]:
    """Subroutines with the attribute `global`, each to its `end subroutine`."""
    line, last = 1, 0
    matches = list(_KERNEL.finditer(text))
    ends = [match.start() for match in _END_SUBROUTINE.finditer(text)] if matches else []
    lines = [match.start() for match in re.finditer("\n", text)] if matches else []
    for match, following in zip_longest(matches, matches[1:]):
        line, last = line + text.count("\n", last, match.start(1)), match.start(1)
        place = bisect_left(ends, match.end())
        end = ends[place] if place < len(ends) else -1
        end_line = bisect_left(lines, end) + 1 if end >= 0 else line
        stop = max(match.end(), min(end, following.start() if following else end))
        body = text[match.end() : stop].lower()
        features = tuple(sorted(name for name, word in _FEATURES if re.search(word, body)))
        yield KernelFact(match[2], line, end_line, False, features, confidence=Confidence.LEXICAL)


def _facts(text: str, style: _Style) -> Iterator[Fact]:
    line = 1
    code: list[str] = []
    for match in style.token.finditer(text):
        kind = match.lastgroup or ""
        token = match[0]
        if kind == "comment":
            code.append("\n" * token.count("\n"))
        elif kind in ("string", "long"):
            content = _content(token)
            if content.strip():
                yield _fact(FactKind.STRING, content[:200_000], line, line + token.count("\n"))
            code.append(token)
        elif kind == "call":
            rest = text[match.end() : match.end() + 300].split("\n", 1)[0]
            yield _fact(FactKind.CALL, match["name"].replace("::", "."), line, line, compact(rest))
            code.append(token)
        else:
            code.append(token)
        line += token.count("\n")
    for number, content in enumerate("".join(code).split("\n"), start=1):
        if found := style.imports.match(content):
            yield _fact(FactKind.IMPORT, found[1].replace("::", "."), number, number)
        if _has_content(content):
            yield _fact(FactKind.LINE, compact(content, 500), number, number)


def _content(token: str) -> str:
    return re.sub(r"^r?#*(\"\"\"|\"|'|`)|(\"\"\"|\"|'|`)#*$", "", token)


def _c_preamble(text: str) -> Iterator[Fact]:
    """Headers that Go includes through cgo: they stand in the comment before `import "C"`."""
    done = counted = 0
    line = 1
    for match in _IMPORT_C.finditer(text):
        start = _preamble_start(text, done, match.start())
        if start < 0:
            continue
        done = match.end()
        for include in _C_INCLUDE.finditer(text, start, match.start()):
            line, counted = line + text.count("\n", counted, include.start()), include.start()
            yield _fact(FactKind.INCLUDE, include[1], line, line)


def _preamble_start(text: str, done: int, end: int) -> int:
    """Where the comment begins that ends before an offset; -1 if none does. done: offset behind the last one."""
    place = end
    while place > done and text[place - 1].isspace():
        place -= 1
    block = text.find("/*", done, place - 2) if text.endswith("*/", done, place) else -1
    start = end
    while start > done and text[start - 1] == "\n":
        above = text.rfind("\n", 0, start - 1) + 1
        if above < done or not text.startswith("//", above):
            break
        start = above
    found = [offset for offset in (block, start if start < end else -1) if offset >= 0]
    return min(found, default=-1)


def _fact(kind: FactKind, text: str, line: int, end_line: int, detail: str = "") -> Fact:
    return Fact(kind, text, line, end_line, detail=detail, confidence=Confidence.LEXICAL)
