"""Autoconf input: configure.ac, configure.in and m4 files, by lines and brackets.

It is shell between macros of m4, with brackets as quotes. Settings, tests and macros are facts; what a macro says to a
person, and what it does in the end, are no arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import compact, reading_of, simple_fact

_COMMENT = re.compile(r"^[ \t]*#[^\n]*|\bdnl\b[^\n]*", re.MULTILINE)
_STATEMENT = re.compile(
    r"^[ \t]*+(?:(?P<name>[A-Za-z_]\w{0,199}+)\+?=(?P<value>[^\n]*)"
    r"|(?:el)?if\b(?P<test>[^\n]*)"
    r"|\[?(?P<macro>(?:A[CMSXH]|LT|PKG|LX)_\w{1,199}+)\()",
    re.MULTILINE,
)
_TOLD = re.compile(r"AC_MSG_\w+|AS_HELP_STRING|AC_HELP_STRING|AS_ECHO")
_BRACKET = re.compile(r"[()\[\],]")
_NAMED = 2  # arguments of a macro that name what it is about
_LONGEST = 1_000  # characters of those


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Settings "NAME = value", conditions, and macros as commands "NAME first second", quotes left out."""
    return reading_of("autotools", text, _facts(_COMMENT.sub("", text)))


def _facts(text: str) -> Iterator[Fact]:
    line, last = 1, 0
    for match in _STATEMENT.finditer(text):
        line, last = line + text.count("\n", last, match.start()), match.start()
        if match["name"]:
            yield simple_fact(FactKind.SETTING, f"{match['name']} = {_plain(match['value'])}", line)
        elif match["test"] is not None:
            yield simple_fact(FactKind.CONDITION, _plain(match["test"]), line)
        elif not _TOLD.fullmatch(match["macro"]):
            named = _arguments(text[match.end() : match.end() + _LONGEST])
            yield simple_fact(FactKind.COMMAND, f"{match['macro']} {named}", line)


def _arguments(text: str) -> str:
    """The first arguments of a macro, whose bracket is open."""
    depth = commas = 0
    for match in _BRACKET.finditer(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(match[0], 0)
        commas += match[0] == "," and depth == 0
        if depth < 0 or commas == _NAMED:
            return _plain(text[: match.start()].partition("AS_HELP_STRING")[0])
    return _plain(text)


def _plain(text: str) -> str:
    """A text without quotes, on one line."""
    return compact(re.sub(r"[\[\]\"'\\;]", " ", text), 400)
