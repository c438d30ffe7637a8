"""Notebooks: code cells as Python, their shell lines as commands, at their lines in the file.

Magics are left out; a cell that begins with `%%cu`, `%%cuda` or `%%writefile x.cu` is device source and is
given as a string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from estimator.languages import python, shell
from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import encodable, reading_of, simple_fact

_DEVICE_CELL = re.compile(r"^%%(cu\b|cuda|nvcc|writefile\s+\S+\.(cu|cuh|hip)\b)")


@dataclass(frozen=True, slots=True)
class _Cell:
    """A code cell: its lines without newlines, and for each its line in the file."""

    lines: tuple[str, ...]
    numbers: tuple[int, ...]


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Facts of all code cells. A text that is no notebook gives none, and a doubt."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        return reading_of("notebook", text, (), len(text), ("no valid notebook (JSON)",))
    cells = notebook.get("cells", ()) if isinstance(notebook, dict) else ()
    facts: list[Fact] = []
    doubts: list[str] = []
    for cell in _code_cells(cells if isinstance(cells, list) else (), text, doubts):
        facts.extend(_cell_facts(cell))
    return reading_of("notebook", text, facts, 0, tuple(doubts))


_MOST_MISSES = 2_000


def _code_cells(cells: list[object] | tuple[object, ...], text: str, doubts: list[str]) -> Iterator[_Cell]:
    position, line = 0, 1
    misses = 0
    for cell in cells:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        pieces = [part for part in source if isinstance(part, str)] if isinstance(source, list) else [str(source)]
        numbers: list[int] = []
        lines: list[str] = []
        for piece in pieces:
            found = _find(text, piece, position) if misses < _MOST_MISSES else -1
            if found < 0:
                misses += 1
                if misses == _MOST_MISSES:
                    doubts.append("written with unusual escapes: lines are those of the cells before")
            else:
                line += text.count("\n", position, found)
                position = found
            parts = encodable(piece).removesuffix("\n").split("\n")
            lines.extend(parts)
            numbers.extend([line] * len(parts))
        yield _Cell(tuple(lines), tuple(numbers))


def _find(text: str, piece: str, position: int) -> int:
    """Where a source line stands in the JSON text behind `position`, -1 if it is written another way."""
    found = text.find(json.dumps(piece, ensure_ascii=False), position)
    return found if found >= 0 else text.find(json.dumps(piece), position)


def _cell_facts(cell: _Cell) -> Iterator[Fact]:
    first = next((line for line in cell.lines if line.strip()), "")
    whole = "\n".join(cell.lines)
    if _DEVICE_CELL.match(first.strip()):
        body = whole.split("\n", cell.lines.index(first) + 1)[-1]
        start = cell.numbers[min(cell.lines.index(first) + 1, len(cell.numbers) - 1)]
        yield simple_fact(FactKind.STRING, body, start, end_line=cell.numbers[-1])
        return
    if re.match(r"^%%(bash|sh|script\s+bash)\b", first.strip()):
        body = whole.replace(first, "", 1)
        yield from (_at(fact, cell) for fact in shell.commands(body))
        return
    if first.strip().startswith("%%") and not re.match(r"^%%(time|timeit|capture|prun)\b", first.strip()):
        return
    commands, code = _parted(cell.lines)
    for number, lines in commands:
        for fact in shell.commands("\n".join(lines), number):
            yield _at(replace(fact, line=number, end_line=number + len(lines) - 1), cell)
    yield from (_at(fact, cell) for fact in python.read_as("notebook", "\n".join(code)).facts)


def _parted(lines: Sequence[str]) -> tuple[list[tuple[int, list[str]]], list[str]]:
    """Shell commands with the number of their first line, and the code, in which they are left out."""
    commands: list[tuple[int, list[str]]] = []
    code: list[str] = []
    continues = False
    for number, line in enumerate(lines, start=1):
        stripped = line.lstrip()
        indent = line[: len(line) - len(stripped)]
        if continues:
            commands[-1][1].append(line)
            code.append("")
        elif stripped.startswith("!") or re.match(r"^%(pip|conda)\s", stripped):
            commands.append((number, [stripped[1:]]))
            code.append(f"{indent}pass")
        else:
            code.append(f"{indent}pass" if stripped.startswith(("%", "?")) else line)
            continue
        continues = line.rstrip().endswith("\\")
    return commands, code


def _at(fact: Fact, cell: _Cell) -> Fact:
    last = len(cell.numbers) - 1
    return replace(
        fact, line=cell.numbers[min(fact.line - 1, last)], end_line=cell.numbers[min(fact.end_line - 1, last)]
    )
