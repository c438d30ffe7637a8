"""heuristics/ownership.toml as values: what marks a file as vendored, generated, test or example."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from estimator.errors import EstimatorError
from estimator.resources import data_folder
from estimator.sources.files import Owner

Matches = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class KnownProject:
    """A project that others copy into their trees, and how a copy is known; the file explains the fields.

    marker: None where the name of a file of `files` is enough.
    """

    name: str
    names: tuple[str, ...]
    also: tuple[str, ...]
    signatures: tuple[str, ...]
    folders: frozenset[str]
    files: frozenset[str]
    marker: Matches | None


@dataclass(frozen=True, slots=True)
class Licences:
    """How licence files are read. projects, share, holders: what makes a folder a collection of projects."""

    nobody: frozenset[str]
    projects: int
    share: float
    holders: int


@dataclass(frozen=True, slots=True)
class Signs:
    """The tables of the file. folders, globs, files: what marks an owner by its name.

    globs, files: give the pattern that a name fits, "" for none.
    """

    folders: Mapping[Owner, frozenset[str]]
    globs: Mapping[Owner, Callable[[str], str]]
    files: Mapping[Owner, Callable[[str], str]]
    paths: tuple[tuple[str, ...], ...]
    root_folders: frozenset[str]
    maker_folders: frozenset[str]
    makers: frozenset[str]
    licences: Licences
    hash_digits: int
    alike_files: int
    alike_characters: int
    beginning_lines: int
    beginning_files: int
    head_lines: int
    generated: Matches
    generated_comment: Matches
    projects: tuple[KnownProject, ...]


@lru_cache(maxsize=1)
def load_signs() -> Signs:
    """heuristics/ownership.toml; a fault in it is an error that names the file."""
    path = data_folder("heuristics") / "ownership.toml"
    try:
        return _signs(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, re2.error) as error:
        raise EstimatorError(f"{path}: can't be read: {error}") from None
    except KeyError as error:
        raise EstimatorError(f"{path}: the entry {error} is missing") from None


def _signs(table: Mapping[str, Any]) -> Signs:
    marked = (Owner.VENDORED, Owner.GENERATED, Owner.TEST, Owner.EXAMPLE)
    vendored, generated = table["vendored"], table["generated"]
    return Signs(
        folders={owner: frozenset(table[owner]["folders"]) for owner in marked},
        globs={owner: _globs(name for name in table[owner]["folders"] if "*" in name) for owner in marked},
        files={owner: _globs(table[owner].get("files", ())) for owner in marked},
        paths=tuple(tuple(path.split("/")) for path in vendored["paths"]),
        root_folders=frozenset(vendored["root_folders"]),
        maker_folders=frozenset(vendored["maker_folders"]),
        makers=frozenset(vendored["makers"]),
        licences=_licences(vendored["licences"]),
        hash_digits=int(generated["hash_digits"]),
        alike_files=int(generated["alike_files"]),
        alike_characters=int(generated["alike_characters"]),
        beginning_lines=int(generated["beginning_lines"]),
        beginning_files=int(generated["beginning_files"]),
        head_lines=int(generated["lines"]),
        generated=_any_of(generated["anywhere"]),
        generated_comment=_any_of(generated["comment"]),
        projects=tuple(_project(entry) for entry in table["project"]),
    )


def _licences(table: Mapping[str, Any]) -> Licences:
    return Licences(frozenset(table["nobody"]), int(table["projects"]), float(table["share"]), int(table["holders"]))


def _project(entry: Mapping[str, Any]) -> KnownProject:
    return KnownProject(
        name=entry["name"],
        names=tuple(entry["names"]),
        also=tuple(entry.get("also", ())),
        signatures=tuple(entry.get("signatures", ())),
        folders=frozenset(entry.get("folders", ())),
        files=frozenset(entry.get("files", ())),
        marker=_any_of([entry["marker"]]) if "marker" in entry else None,
    )


def _globs(globs: Iterable[str]) -> Callable[[str], str]:
    """Gives the first of the globs that fits a name, "" if none does."""
    known = tuple(globs)
    match = re.compile("|".join(f"({fnmatch.translate(glob)})" for glob in known) or r"(?!)").match

    def fitting(name: str) -> str:
        found = match(name)
        return known[found.lastindex - 1] if found and found.lastindex else ""

    return fitting


def _any_of(patterns: Iterable[str]) -> Matches:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    search: Matches = re2.compile(f"(?i){joined}").search
    return search
