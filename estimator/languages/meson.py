"""Meson files: calls with their arguments, strings, and the `if` arms around them, by tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from estimator.languages.depth import LONGEST_NAME, kept
from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import compact, reading_of, simple_fact

_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<long>'''.*?(?:'''|\Z))|(?P<string>'(?:\\.|[^'\\\n])*'?)"
    r"|(?P<name>[A-Za-z_][\w.]*)(?P<call>\s*\()?|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<newline>\n)|[ \t]+|.",
    re.DOTALL,
)
_LONGEST = 20_000  # characters of a call's arguments
_FLOW = re.compile(r"^[ \t]*(if|elif|else|endif)\b([^#\n]*)")


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Calls as commands "name arguments"; strings on a later line than their call as settings."""
    return reading_of("meson", text, _facts(text))


def _facts(text: str) -> Iterator[Fact]:
    arms: list[str] = []
    # Name ("" for plain brackets), line, offset of arguments, place of the innermost one with a name, itself included.
    calls: list[tuple[str, int, int, int]] = []
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
            outer = calls[calls[-1][3]] if calls and calls[-1][3] >= 0 else None
            value = match[0].strip("'")
            if outer and line > outer[1] and outer[0] not in ("message", "error", "warning"):
                yield simple_fact(FactKind.SETTING, f"{outer[0]} = {compact(value, 400)}", line, guards=kept(arms))
        elif kind == "call":
            calls.append((match["name"][:LONGEST_NAME], line, match.end(), len(calls)))
        elif kind == "open":
            calls.append(("", line, match.end(), calls[-1][3] if calls else -1))
        elif kind == "close" and calls:
            name, first, start, _ = calls.pop()
            end = line
            if name and name.rsplit(".", 1)[-1] not in ("message", "error", "warning"):
                arguments = compact(_uncommented(text[start : min(match.start(), start + _LONGEST)]), 2000)
                yield simple_fact(FactKind.COMMAND, f"{name} {arguments}", first, end_line=end, guards=kept(arms))
        line += match[0].count("\n")


def _uncommented(text: str) -> str:
    """The text without what follows a `#` behind the last quote of its line."""
    if "#" not in text:
        return text
    lines = []
    for line in text.split("\n"):
        place = line.find("#", line.rfind("'") + 1)
        lines.append(line[:place] if place >= 0 else line)
    return "\n".join(lines)


def _follow(word: str, rest: str, arms: list[str]) -> None:
    if word == "if":
        arms.append(compact(rest, 200))
    elif word == "elif" and arms:
        arms[-1] = compact(rest, 200)
    elif word == "else" and arms:
        arms[-1] = f"!({arms[-1][:1_000]})"
    elif word == "endif" and arms:
        arms.pop()
