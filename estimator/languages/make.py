"""Makefiles: variables, the commands of recipes, and the conditionals around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from estimator.languages import shell
from estimator.languages.depth import LONGEST_NAME, MOST, kept
from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import compact, reading_of, simple_fact

_ASSIGNMENT = re.compile(
    r"^\s*(?:export\s+|override\s+|private\s+)*(?:[^\s:=#]+\s*:\s*(?=[\w.]+\s*[?:+]?=))?"
    r"([\w.$(){}-]+)\s*(?:\?|::?:?|\+|!)?=(.*)$"
)
_CONDITIONAL = re.compile(r"^\s*(ifdef|ifndef|ifeq|ifneq|else|endif)\b(.*)$")
_VARIABLE = re.compile(r"(?<!\$)\$\(([\w.@<^?*%+|/-]+)\)")
_FUNCTION = re.compile(r"\$\(shell\s+")


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Settings "NAME = value" (one a line of the value) and commands."""
    return reading_of("make", text, _facts(text))


def _facts(text: str) -> Iterator[Fact]:
    arms: list[str] = []
    guards: tuple[str, ...] = ()
    continued = ""
    recipe: list[str] = []
    recipe_line = 0
    for number, raw in enumerate([*text.split("\n"), ""], start=1):
        more = raw.rstrip().endswith("\\")
        if recipe:
            recipe.append(raw)
            if not more:
                yield from _recipe("\n".join(recipe), recipe_line, guards)
                recipe = []
            continue
        line = _uncommented(raw)
        content = line.rstrip().removesuffix("\\").strip()
        if continued:
            if content and continued != "\0":
                yield simple_fact(FactKind.SETTING, f"{continued} = {content}", number, guards=guards)
            continued = continued if more else ""
            continue
        if conditional := _CONDITIONAL.match(line):
            _follow(conditional[1], conditional[2], arms)
            guards = kept(arms)
            yield from _condition(conditional[1], arms, number)
            continue
        if raw.startswith("\t"):
            if more:
                recipe, recipe_line = [raw], number
            else:
                yield from _recipe(raw, number, guards)
            continue
        if assignment := _ASSIGNMENT.match(line.rstrip().removesuffix("\\")):
            value = assignment[2].strip()
            text_of = f"{assignment[1]} = {compact(value, 1000)}"
            yield simple_fact(FactKind.SETTING, text_of, number, guards=guards)
            if _FUNCTION.search(value):
                yield from _recipe(value[value.index("$(shell") :], number, guards)
            continued = assignment[1][:LONGEST_NAME] if more else ""
        elif more:
            continued = "\0"
        elif content.startswith(("include", "-include")):
            yield simple_fact(FactKind.COMMAND, compact(content), number, guards=guards)


def _uncommented(line: str) -> str:
    return re.sub(r"(?<!\\)#.*$", "", line, count=1) if "#" in line else line


def _recipe(text: str, line: int, guards: tuple[str, ...]) -> Iterator[Fact]:
    """Commands of a recipe; make's variables are written as the shell's, so that they are no commands."""
    plain = re.sub(r"^\t[@+-]*", "", text)
    plain = _FUNCTION.sub("$( ", _VARIABLE.sub(r"${\1}", plain))
    plain = re.sub(r"(?<!\$)\$([@<^?*+|])", r"${\1}", plain).replace("$$", "$")
    yield from shell.commands(plain, line, guards)


def _condition(word: str, arms: list[str], line: int) -> Iterator[Fact]:
    if word != "endif" and word != "else" and arms:
        yield simple_fact(FactKind.CONDITION, arms[-1], line, guards=kept(arms[-2 * MOST : -1]))


def _follow(word: str, rest: str, arms: list[str]) -> None:
    rest = rest.strip()
    if word == "endif":
        if arms:
            arms.pop()
        return
    if word == "else":
        other = _CONDITIONAL.match(rest)
        if arms:
            arms[-1] = _text(other[1], other[2].strip()) if other else f"!({arms[-1][:1_000]})"
        return
    arms.append(_text(word, rest))


def _text(word: str, rest: str) -> str:
    """A condition in words: "USE_HIP", "not USE_HIP", "USE_HIP == 1"."""
    if word in ("ifdef", "ifndef"):
        return compact(rest if word == "ifdef" else f"not {rest}", 120)
    inner = rest[1:-1] if rest.startswith("(") and rest.endswith(")") else rest
    left, _, right = inner.rpartition(",") if "," in inner else inner.partition(" ")
    left, right = (re.sub(r"\$[({]([\w.]+)[)}]", r"\1", side.strip(" \"'")) for side in (left, right))
    plain = f"{left} == {right}" if right else f"not {left}"
    if word == "ifneq":
        plain = f"not ({plain})" if right else left
    return compact(plain, 120)
