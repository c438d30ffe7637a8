"""Container build files: base images, commands, environment.

Stage names and `ARG` defaults are resolved, so that `FROM ${BASE}` gives the image it stands for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from estimator.languages import shell
from estimator.languages.depth import LONGEST_NAME
from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import compact, reading_of, simple_fact

_INSTRUCTION = re.compile(r"^\s*([A-Za-z]+)\s+(.*)$", re.DOTALL)
_HERE = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?")
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::?[-+]([^}]*))?\}|(\w+))")
_PAIR = re.compile(r"""(?<!\w)([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|'[^']*'|(?:[^\s\\]|\\.)*)""", re.DOTALL)
_RUN_OPTION = re.compile(r"\s*--[\w-]+(=\S+)?\s")


@dataclass(frozen=True, slots=True)
class _Instruction:
    name: str
    value: str
    line: int


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Images of FROM and COPY --from, commands of RUN, settings of ENV and ARG."""
    return reading_of("dockerfile", text, _facts(text))


def _facts(text: str) -> Iterator[Fact]:
    arguments: dict[str, str] = {}
    stages: set[str] = set()
    for instruction in _instructions(text):
        name, value, line = instruction.name, instruction.value, instruction.line
        if name == "FROM":
            words = [word for word in value.split() if not word.startswith("--")]
            image = _resolved(words[0], arguments) if words else ""
            if image and image.lower() not in stages and image != "scratch":
                yield simple_fact(FactKind.IMAGE, image, line)
            if len(words) > 2 and words[1].lower() == "as":
                stages.add(words[2].lower())
        elif name in ("COPY", "ADD"):
            source = re.search(r"--from=(\S+)", value)
            if source and source[1].lower() not in stages and not source[1].isdigit():
                yield simple_fact(FactKind.IMAGE, _resolved(source[1], arguments), line)
        elif name in ("ENV", "ARG"):
            where, last = line, 0
            for key, given, offset in _pairs(value):
                where, last = where + value.count("\n", last, offset), offset
                if name == "ARG":
                    arguments[key] = _resolved(given, arguments)
                yield simple_fact(FactKind.SETTING, f"{key[:LONGEST_NAME]}={compact(given, 400)}", where)
        elif name in ("RUN", "CMD", "ENTRYPOINT", "HEALTHCHECK"):
            yield from _commands(value, line)


def _commands(value: str, line: int) -> Iterator[Fact]:
    start = 0
    while match := _RUN_OPTION.match(value, start):
        start = match.end()
    line += value.count("\n", 0, start)
    value = value[start:]
    stripped = value.replace("\\\n", " ").strip().removeprefix("CMD ")
    if stripped.startswith("["):
        try:
            words = json.loads(stripped)
        except (ValueError, RecursionError):
            words = None
        if isinstance(words, list) and all(isinstance(word, str) for word in words):
            yield from shell.commands(" ".join(f"'{word}'" if " " in word else word for word in words), line)
            return
    if found := _HERE.search(value.split("\n", 1)[0]):
        first, _, rest = value.partition("\n")
        body = re.sub(rf"^\t*{found[1]}\s*$", "", rest, flags=re.MULTILINE)
        yield from shell.commands(first[: found.start()], line)
        if "python" not in first:
            yield from shell.commands(body, line + 1)
        return
    yield from shell.commands(value, line)


def _instructions(text: str) -> Iterator[_Instruction]:
    """Instructions with their continuation lines; a comment line inside one becomes a bare continuation."""
    lines = text.split("\n")
    position = 0
    while position < len(lines):
        start = position
        first = lines[position]
        position += 1
        if not first.strip() or first.lstrip().startswith("#"):
            continue
        parts = [first]
        while parts[-1].rstrip().endswith(("\\", "`")) and position < len(lines):
            parts[-1] = parts[-1].rstrip()[:-1] + "\\"
            line = lines[position]
            position += 1
            parts.append("\\" if not line.strip() or line.lstrip().startswith("#") else line)
        match = _INSTRUCTION.match("\n".join(parts))
        if match is None:
            continue
        value = match[2]
        documents = position
        for here in _HERE.findall(value) if match[1].upper() in ("RUN", "COPY") else ():
            while position < len(lines):
                position += 1
                if lines[position - 1].strip() == here:
                    break
        yield _Instruction(match[1].upper(), "\n".join([value, *lines[documents:position]]), start + 1)


def _pairs(value: str) -> Iterator[tuple[str, str, int]]:
    """Names with values and their offsets, in all forms that ENV and ARG know."""
    old = re.match(r"^([A-Za-z_]\w*)\s+([^=\s].*)$", value, re.DOTALL)
    if old and not re.match(r"^[A-Za-z_]\w*=", value):
        yield old[1], old[2].replace("\\\n", " ").strip().strip("\"'"), 0
        return
    end = 0
    for match in _PAIR.finditer(value):
        if match.start() < end:
            continue
        end = match.end()
        yield match[1], match[2].strip("\"'"), match.start()


def _resolved(text: str, arguments: dict[str, str]) -> str:
    """Variables replaced by their defaults; what has none stays as written. One round: no loops."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[3]
        return arguments.get(name) or match[2] or match[0]

    return _VARIABLE.sub(value, text[:2000])[:1000]
