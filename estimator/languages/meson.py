"""Meson files: calls with their arguments, strings, and the `if` arms around them, by tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import compact, reading_of, simple_fact

_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<long>'''.*?(?:'''|\Z))|(?P<string>'(?:\\.|[^'\\\n])*'?)"
    r"|(?P<name>[A-Za-z_][\w.]*)(?P<call>\s*\()?|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<newline>\n)|[ \t]+|.",
    re.DOTALL,
)
_FLOW = re.compile(r"^[ \t]*(if|elif|else|endif)\b([^#\n]*)")


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Calls as commands "name arguments"; strings on a later line than their call as settings."""
    return reading_of("meson", text, _facts(text))


def _facts(text: str) -> Iterator[Fact]:
    arms: list[str] = []
    calls: list[tuple[str, int, int, int]] = []  # name ("" for plain brackets), line, offset of arguments, outer
    line = 1
    at_line_start = True
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if at_line_start and not calls:
            flow = _FLOW.match(text[match.start() : match.start() + 400])
            if flow:
                _follow(flow[1], flow[2], arms)
        at_line_start = kind == "newline"
        if kind in ("string", "long"):
            outer = next((call for call in reversed(calls) if call[0]), None)
            value = match[0].strip("'")
            if outer and line > outer[1] and outer[0] not in ("message", "error", "warning"):
                yield simple_fact(FactKind.SETTING, f"{outer[0]} = {compact(value, 400)}", line, guards=tuple(arms))
        elif kind == "call":
            calls.append((match["name"], line, match.end(), 0))
        elif kind == "open":
            calls.append(("", line, match.end(), 0))
        elif kind == "close" and calls:
            name, first, start, _ = calls.pop()
            end = line
            if name and name.rsplit(".", 1)[-1] not in ("message", "error", "warning"):
                arguments = compact(re.sub(r"(?m)#[^\n']*$", "", text[start : match.start()]), 2000)
                yield simple_fact(FactKind.COMMAND, f"{name} {arguments}", first, end_line=end, guards=tuple(arms))
        line += match[0].count("\n")


def _follow(word: str, rest: str, arms: list[str]) -> None:
    if word == "if":
        arms.append(compact(rest, 200))
    elif word == "elif" and arms:
        arms[-1] = compact(rest, 200)
    elif word == "else" and arms:
        arms[-1] = f"!({arms[-1]})"
    elif word == "endif" and arms:
        arms.pop()
