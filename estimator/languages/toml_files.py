"""TOML: pyproject.toml, Cargo.toml, pixi.toml and the lock files of Python package managers.

`tomllib` says whether a text is valid; where a value stands it doesn't say, so the facts come from a
small reader of lines that knows strings, comments, tables and arrays over several lines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from estimator.languages.facts import Confidence, Fact, FactKind, Harvest, Reading
from estimator.languages.readings import compact, reading_of, simple_fact
from estimator.languages.requirements import normalised, requirement

_TOKEN = re.compile(
    r"""(?P<long>\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z))|(?P<string>"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?)
      |(?P<comment>\#[^\n]*)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<newline>\n)|(?P<equal>=)|(?P<comma>,)
      |(?P<bare>[^\s"'\#\[\]{}=,]+)|[ \t]+|.""",
    re.VERBOSE | re.DOTALL,
)
_HEADER = re.compile(r"^[ \t]*(\[\[?)[ \t]*+([^\]\n]+)\]\]?[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_LISTS = re.compile(
    r"^(project\.dependencies|project\.optional-dependencies\.[^.]+|dependency-groups\.[^.]+|build-system\.requires"
    r"|tool\.uv\.((dev|constraint|override|build-constraint)-dependencies|no-build-isolation-package|no-binary-package"
    r"|dependency-metadata\.(name|requires-dist)|extra-build-dependencies\.[^.]+)|tool\.pdm\.dev-dependencies\.[^.]+"
    r"|tool\.hatch\.envs\.[^.]+\.(extra-)?dependencies)$"
)
_SOURCE = re.compile(r"^tool\.(?:uv\.sources|pdm\.resolution\.overrides)\.([^.]+)(?:\.[\w-]+)?$")
_TABLES = re.compile(
    r"^(tool\.poetry\.((dev-)?dependencies|group\.[^.]+\.dependencies)|(tool\.pixi\.)?(feature\.[^.]+\.|target\.[^.]+\.)*"
    r"((pypi|host|build|run)-)?dependencies)$"
)
_CARGO = re.compile(r"^(workspace\.)?(target\..+\.)?((dev|build)-)?dependencies(\.|$)")
_MANY_PARTS = re.compile(r"(?:[\w\"'-]{1,200}+[ \t]{0,20}+\.[ \t]{0,20}+){50}")
_BRACKETS = re.compile(r"[\[\]{}]")
_DEEPEST = 100
_LONGEST_PATH = 1_000


@dataclass(frozen=True, slots=True)
class _Value:
    """One value: path of its key, its text (strings without quotes), its line, whether it is an array's item.

    entry_line: of the key that the whole entry begins with.
    """

    path: str
    text: str
    line: int
    entry_line: int
    item: bool
    quoted: bool


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Settings "table.key=value", one a value, and requirements; detail: pip, conda, cargo or lock."""
    doubt = _fault(text)
    doubts = (doubt,) if doubt else ()
    confidence = Confidence.LEXICAL if doubt else Confidence.PARSED
    name = path.rsplit("/", 1)[-1].lower()
    facts = _locked(text, confidence) if name.endswith(".lock") else _facts(name, text, confidence)
    return reading_of("toml", text, facts, 0, doubts)


def _fault(text: str) -> str:
    """Why a text is not taken for TOML, "" if it is. `tomllib` takes the square of the time where keys nest deep."""
    if _MANY_PARTS.search(text) or _deepest(text) > _DEEPEST:
        return "nested too deeply for TOML: read by lines"
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return "no valid TOML: read by lines"
    return ""


def _deepest(text: str) -> int:
    """How many brackets are open at once, at most; those in strings and comments are counted too."""
    depth = deepest = 0
    for match in _BRACKETS.finditer(text):
        depth = max(0, depth + 1 if match[0] in "[{" else depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _facts(name: str, text: str, confidence: Confidence) -> Iterator[Fact]:
    seen: set[tuple[str, int]] = set()
    own = ""
    for value in _values(text):
        if value.path in ("project.name", "tool.poetry.name"):
            own = normalised(value.text)
        text_of = f"{value.path}={compact(value.text, 400)}"
        yield simple_fact(FactKind.SETTING, text_of, value.line, confidence=confidence)
        for found, detail in _required(name, value):
            line = value.entry_line if _SOURCE.match(value.path) else value.line
            if found.split()[0] != own and (found.split()[0], line) not in seen:
                seen.add((found.split()[0], line))
                yield simple_fact(FactKind.REQUIREMENT, found, line, detail=detail, confidence=confidence)


def _required(name: str, value: _Value) -> Iterator[tuple[str, str]]:
    if name == "cargo.toml":
        match = _CARGO.match(value.path)
        if match:
            rest = value.path[match.end() :].lstrip(".") if value.path != match[0] else ""
            crate, _, key = rest.partition(".")
            if crate and key in ("", "version", "workspace", "git", "path"):
                yield f"{crate} {value.text if key in ('', 'version') else ''}".strip(), "cargo"
        return
    if _LISTS.match(value.path) and value.quoted:
        found = requirement(value.text)
        if found:
            yield found, "pip"
        return
    if source := _SOURCE.match(value.path):
        yield normalised(source[1]), "pip"
        return
    table, _, last = value.path.rpartition(".")
    if last in ("version", "git", "url", "path", "source") and _TABLES.match(table.rpartition(".")[0]):
        table, last = table.rpartition(".")[::2]
    if _TABLES.match(table) and last != "python":
        manager = "conda" if name == "pixi.toml" and "pypi" not in table else "pip"
        version = value.text if re.match(r"^[\^~<>=!*\d]", value.text) else ""
        yield f"{normalised(last.strip(chr(34)))} {version}".strip(), manager


def _locked(text: str, confidence: Confidence) -> Iterator[Fact]:
    """Packages of a lock file, each on the line of its name."""
    line, last = 1, 0
    for match in re.finditer(r'^name = "([^"\n]+)"\n(?:version = "([^"\n]*)")?', text, re.MULTILINE):
        line, last = line + text.count("\n", last, match.start()), match.start()
        found = f"{normalised(match[1])} =={match[2]}" if match[2] else normalised(match[1])
        yield simple_fact(FactKind.REQUIREMENT, found, line, detail="lock", confidence=confidence)


def _values(text: str) -> Iterator[_Value]:
    """Values in the order of the text. Tables written inline give their keys as parts of the path."""
    table = path = ""
    keys: list[str] = []  # of the entry at hand, one a level of inline table
    depth = 0  # levels of inline tables that `path` knows
    brackets: list[str] = []
    pending: list[str] = []
    in_value = False
    line, position = 1, 0
    entry_line = 1
    while position < len(text):
        if not brackets and not in_value and (position == 0 or text[position - 1] == "\n"):
            header = _HEADER.match(text, position)
            if header and "=" not in header[2].split('"')[0]:
                name = re.sub(r"\s*\.\s*", ".", header[2].rstrip(" \t")).replace('"', "").replace("'", "")
                table = name[:_LONGEST_PATH]
                pending, keys = [], []
                path, depth = "", -1
                position = header.end()
                continue
        match = _TOKEN.match(text, position)
        if match is None:
            return
        kind, token = match.lastgroup or "", match[0]
        position = match.end()
        if kind in ("string", "long", "bare"):
            if in_value:
                if depth != len(keys):
                    path = ".".join(part for part in (table, *keys[:_DEEPEST]) if part)[:_LONGEST_PATH]
                    depth = len(keys)
                plain = token.strip("\"'") if kind != "bare" else token
                yield _Value(path, plain, line, entry_line, "[" in brackets[-1:], kind != "bare")
            else:
                pending.append(token.strip("\"'").strip("."))
        elif kind == "equal" and not in_value:
            entry_line = entry_line if keys else line
            keys.append(".".join(pending))
            pending, in_value, depth = [], True, -1
        elif kind == "open" and in_value:
            brackets.append(token)
            in_value = token == "["
            if token == "{":
                keys.append("")
                keys.pop()
        elif kind == "close" and brackets:
            opened = brackets.pop()
            if opened == "{" and in_value and len(keys) > 1:
                keys.pop()
            in_value, pending = True, []
        elif kind == "comma" and brackets[-1:] == ["{"]:
            if in_value and keys:
                keys.pop()
            in_value, pending = False, []
        elif kind == "newline" and not brackets:
            in_value, keys, pending = False, [], []
        line += token.count("\n")
