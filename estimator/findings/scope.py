"""What the user puts back into the estimate, or leaves out of it, against what the tree says of itself.

A scope file is read from where the user names it, never from the scanned tree by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from estimator.errors import EstimatorError, shown
from estimator.findings.values import JudgedSite, places_by_path
from estimator.knowledge.rules import did_you_mean
from estimator.knowledge.tables import read_toml
from estimator.sources.files import SET_APART, Owner, SourceFile, SourceTree
from estimator.sources.members import pattern

PUT_BACK, LEAVE_OUT = "put_back", "leave_out"
_TABLES = (PUT_BACK, LEAVE_OUT)
_LATER = frozenset(("replace", "later"))
_FIELDS = ("path", "why")
_MOST = 60  # characters of a name in a message


@dataclass(frozen=True, slots=True)
class ScopeEntry:
    """One pattern of a scope file. table: put_back or leave_out. path: a pattern as in a .gitignore.

    place: file and line, for messages.
    """

    table: str
    path: str
    why: str
    place: str


@dataclass(frozen=True, slots=True)
class ScopeEffect:
    """What one entry did. files: that it decided; an earlier entry of the same table goes before a later one."""

    change: str
    path: str
    why: str
    files: int
    lines: int
    sites: int


@dataclass(frozen=True, slots=True)
class Scoped:
    """A tree as the user wants it judged. left_out: why, by path. decided: paths by entry."""

    tree: SourceTree
    left_out: Mapping[str, str]
    decided: tuple[tuple[ScopeEntry, tuple[str, ...]], ...]


def load_scope(path: Path) -> tuple[ScopeEntry, ...]:
    """The entries of one file in their order. All its faults are reported at once, each with its line."""
    given = read_toml(path)
    lines = _lines(path)
    faults: list[str] = []
    for table, entries in given.items():
        faults += _faults(path, lines, table, entries)
    if not given:
        faults.append(f"{path}: holds nothing; write [[put_back]] or [[leave_out]] with path and why")
    if faults:
        raise EstimatorError("\n".join(faults))
    return tuple(
        ScopeEntry(table, entry["path"], entry["why"], _place(path, lines, table, number))
        for table in _TABLES
        for number, entry in enumerate(given.get(table, ()))
    )


def scoped(tree: SourceTree, entries: Iterable[ScopeEntry]) -> Scoped:
    """The tree with what was put back as own code, and what is left out by path.

    A file that is put back and left out is left out. An entry without any file is a slip: all of them are
    reported at once.
    """
    decided: list[tuple[ScopeEntry, tuple[str, ...]]] = []
    taken: dict[str, set[str]] = {table: set() for table in _TABLES}
    faults = []
    for entry in entries:
        paths = [file.path for file in _candidates(tree, entry)]
        if not paths:
            faults.append(_no_match(entry))
        decided.append((entry, tuple(path for path in paths if path not in taken[entry.table])))
        taken[entry.table].update(paths)
    if faults:
        raise EstimatorError("\n".join(faults))
    whys = {table: _whys(decided, table) for table in _TABLES}
    files = tuple(_put_back(file, whys[PUT_BACK].get(file.path, "")) for file in tree.files)
    return Scoped(replace(tree, files=files), whys[LEAVE_OUT], tuple(decided))


def effects(done: Scoped, sites: Iterable[JudgedSite]) -> tuple[ScopeEffect, ...]:
    """What each entry did, in the order of the file."""
    lines = {file.path: file.text.count("\n") for file in done.tree.files}
    counts = places_by_path(sites)
    return tuple(
        ScopeEffect(
            change=entry.table,
            path=entry.path,
            why=entry.why,
            files=len(paths),
            lines=sum(lines[path] for path in paths),
            sites=sum(counts[path] for path in paths),
        )
        for entry, paths in done.decided
    )


def _candidates(tree: SourceTree, entry: ScopeEntry) -> Iterator[SourceFile]:
    wanted = pattern(entry.path)
    for file in tree.files:
        may_match = entry.table == LEAVE_OUT or file.owner in SET_APART
        if may_match and wanted is not None and wanted.match_file(file.path):
            yield file


def _no_match(entry: ScopeEntry) -> str:
    what = "vendored or generated file" if entry.table == PUT_BACK else "file"
    return f"{entry.place}: {entry.table}: '{shown(entry.path, _MOST)}' fits no {what} of the scanned code"


def _whys(decided: Iterable[tuple[ScopeEntry, tuple[str, ...]]], table: str) -> dict[str, str]:
    return {path: entry.why for entry, paths in decided if entry.table == table for path in paths}


def _put_back(file: SourceFile, why: str) -> SourceFile:
    return replace(file, owner=Owner.OWN, owner_reason=f"put back: {why}") if why else file


def _faults(path: Path, lines: Mapping[str, int], table: str, entries: Any) -> Iterator[str]:
    where = f"{_place(path, lines, table, 0)}: {shown(table, _MOST)}"
    if table in _LATER:
        yield f"{where}: not known to this version, which reads {' and '.join(_TABLES)}"
    elif table not in _TABLES:
        yield f"{where}: no such table{did_you_mean(table, _TABLES)}; known are {' and '.join(_TABLES)}"
    elif not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        yield f"{where}: must be a list of tables: write [[{table}]]"
    else:
        for number, entry in enumerate(entries):
            for fault in _entry_faults(entry):
                yield f"{_place(path, lines, table, number)}: {table}: {fault}"


def _entry_faults(entry: Mapping[str, Any]) -> Iterator[str]:
    for name in entry:
        if name not in _FIELDS:
            yield f"no such key '{shown(name, _MOST)}'{did_you_mean(name, _FIELDS)}; known are {' and '.join(_FIELDS)}"
    for name in _FIELDS:
        if name not in entry:
            yield f"'{name}' is missing"
        elif not isinstance(entry[name], str) or not entry[name].strip():
            yield f"'{name}' must be text in quotes and not empty"
        elif name == "path" and pattern(entry[name]) is None:
            yield f"'{shown(entry[name], _MOST)}' is not a pattern as in a .gitignore"


def _lines(path: Path) -> dict[str, int]:
    """Line of each table's heading, by name and number ("put_back.0"), as far as a plain look at the text finds it."""
    places: dict[str, int] = {}
    counts: dict[str, int] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if heading := re.match(r"""\s*(?:\[{1,2}\s*["']?([\w-]+)|["']?([\w-]+)["']?\s*=)""", line):
            name = heading[1] or heading[2]
            places.setdefault(f"{name}.{counts.get(name, 0)}", number)
            counts[name] = counts.get(name, 0) + 1
    return places


def _place(path: Path, lines: Mapping[str, int], table: str, number: int) -> str:
    line = lines.get(f"{table}.{number}")
    return f"{path}:{line}" if line else str(path)
