"""Whose work is a file, by where it lies and what its first lines say; the lists are in heuristics/ownership.toml."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from estimator.errors import EstimatorError
from estimator.resources import data_folder
from estimator.sources.files import Owner

_COMPONENT_DEPTH = 2
_README_LINES = 12


@dataclass(frozen=True, slots=True)
class KnownProject:
    """A project that others copy into their trees, and how a copy is known."""

    name: str
    names: tuple[str, ...]
    also: tuple[str, ...]
    signatures: tuple[str, ...]
    folders: frozenset[str]
    files: frozenset[str]


@dataclass(frozen=True, slots=True)
class Signs:
    """heuristics/ownership.toml as values. folders, files: what marks an owner by its name."""

    folders: Mapping[Owner, frozenset[str]]
    files: Mapping[Owner, Callable[[str], object]]
    head_lines: int
    generated: Callable[[str], object]
    generated_comment: Callable[[str], object]
    projects: tuple[KnownProject, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What one tree says about its parts, gathered before any file is judged.

    vendored: folder with a slash at its end to why everything below it is another's.
    projects: the known projects without those that this tree is itself.
    """

    signs: Signs
    vendored: Mapping[str, str]
    projects: tuple[KnownProject, ...]


def context_of(name: str, paths: Iterable[str], evidence: Mapping[str, str]) -> Context:
    """Read the signs of a tree: submodules, copies of known projects, licences of other holders.

    name: of the tree. paths: of all its source files. evidence: text of licences, readmes and .gitmodules by path.
    """
    signs = load_signs()
    paths = tuple(paths)
    projects = tuple(project for project in signs.projects if not _is_itself(project, name, evidence))
    vendored = {**_foreign_licences(evidence), **_copies(projects, paths), **_submodules(evidence)}
    return Context(signs, vendored, projects)


def owner_of(path: str, text: str, context: Context) -> tuple[Owner, str]:
    """The owner of a file and why it isn't the project's own work, "" for its own.

    path: relative to the scanned root; the root's own name says nothing. text: whole or at least its head.
    """
    *folders, name = path.lower().split("/")
    signs = context.signs
    if reason := _vendored(path, folders, name, context):
        return Owner.VENDORED, reason
    if reason := _generated(folders, name, text, signs):
        return Owner.GENERATED, reason
    for owner in (Owner.TEST, Owner.EXAMPLE):
        if folder := _first(folders, signs.folders[owner]):
            return owner, f"in a folder '{folder}'"
        if signs.files[owner](name):
            return owner, f"file name '{name}'"
    return Owner.OWN, ""


def above(path: str) -> Iterator[str]:
    """The folders that a path lies in, outermost first, each with a slash at its end: "a/", "a/b/"."""
    for index, character in enumerate(path):
        if character == "/":
            yield path[: index + 1]


def component_of(path: str) -> str:
    """The part of the tree a file belongs to: the first two segments of its folder, "." at the root."""
    return "/".join(path.split("/")[:-1][:_COMPONENT_DEPTH]) or "."


def _vendored(path: str, folders: list[str], name: str, context: Context) -> str:
    if folder := _first(folders, context.signs.folders[Owner.VENDORED]):
        return f"in a folder '{folder}'"
    for folder in above(path):
        if reason := context.vendored.get(folder):
            return reason
    for project in context.projects:
        if name in project.files or _first(folders, project.folders):
            return f"copy of {project.name}"
    return ""


def _generated(folders: list[str], name: str, text: str, signs: Signs) -> str:
    if folder := _first(folders, signs.folders[Owner.GENERATED]):
        return f"in a folder '{folder}'"
    if signs.files[Owner.GENERATED](name):
        return f"file name '{name}'"
    head = "\n".join(text.split("\n", signs.head_lines)[: signs.head_lines])
    if not (signs.generated(head) or signs.generated_comment(head)):
        return ""
    for comment in _comments(head):
        if signs.generated(comment) or _begins(signs.generated_comment(comment)):
            return f"a comment says '{comment[:80]}'"
    return ""


def _begins(match: Any) -> bool:
    return match is not None and match.start() == 0


def _comments(head: str) -> Iterable[str]:
    """The text of comment lines; block comments and Python's opening docstring count on every line."""
    block = ""
    for raw in head.split("\n"):
        line = raw.strip()
        if block:
            yield line.lstrip("*!- ").strip()
            block = "" if block in line else block
            continue
        opening = _OPENING.match(line)
        if opening is None:
            continue
        block = _CLOSING.get(opening[1], "")
        rest = line[opening.end() :]
        block = "" if block and block in rest else block
        yield rest.lstrip("*!-#/ ").strip()


_OPENING = re.compile(
    r"(//|/\*|\"\"\"|'''|<!--|\{#|#(?!\s*(?:include|define|if|pragma|error|warning)\b)|;|--|\.\.|dnl\b|rem\b|%)"
)
_CLOSING = {"/*": "*/", '"""': '"""', "'''": "'''", "<!--": "-->", "{#": "#}"}


def _first(folders: list[str], names: frozenset[str]) -> str:
    return next((folder for folder in folders if folder in names), "")


def _submodules(evidence: Mapping[str, str]) -> dict[str, str]:
    """Folders that .gitmodules names; the file is read as text, git is not asked."""
    text = evidence.get(".gitmodules", "")
    found = re2.findall(r"(?m)^[ \t]*path[ \t]*=[ \t]*\"?([^\"\n]+?)\"?[ \t]*$", text)
    return {path.strip("/") + "/": "git submodule" for path in found if path.strip("/")}


def _copies(projects: Iterable[KnownProject], paths: Iterable[str]) -> dict[str, str]:
    """Folders that hold a copy of a known project, by a file that only this project has."""
    by_name: dict[str, list[tuple[str, KnownProject]]] = {}
    for project in projects:
        for signature in project.signatures:
            by_name.setdefault(signature.rsplit("/", 1)[-1], []).append(("/" + signature, project))
    found = {}
    for path in paths:
        lower = path.lower()
        for ending, project in by_name.get(lower.rsplit("/", 1)[-1], ()):
            if ("/" + lower).endswith(ending) and (folder := _copy_root(path, project)):
                found[folder] = f"copy of {project.name}"
    return found


def _copy_root(path: str, project: KnownProject) -> str:
    """The outermost folder with the project's name, else the folder of the file; "" for the tree's root."""
    folders = path.split("/")[:-1]
    for depth, folder in enumerate(folders, 1):
        if folder.lower() in project.names:
            return "/".join(folders[:depth]) + "/"
    return "/".join(folders) + "/" if folders else ""


def _is_itself(project: KnownProject, name: str, evidence: Mapping[str, str]) -> bool:
    words = (*project.names, *project.also)
    plain = re.sub(r"[-_.]?v?\d[\w.]*$|[-_](?:main|master|develop|dev)$", "", name.lower())
    if plain in words:
        return True
    readme = next((evidence[path] for path in sorted(evidence) if path.lower().startswith("readme")), "")
    titles = [line.strip("#=* \t").lower() for line in readme.split("\n")[:_README_LINES] if line.startswith("# ")]
    return any(title == word or title.startswith(word + " ") for title in titles for word in words)


# A stranger's text: `re` takes cubic time over a notice followed by empty lines.
_HOLDER = re2.compile(
    r"(?im)^[^\w\n]*copyright\s*(?:\(c\)|©|&copy;)?[\s,]*(?:[\d\s,–-]|present)*(?:by\s+)?([^\n\[\]]{3,200})$"
)


def _foreign_licences(evidence: Mapping[str, str]) -> dict[str, str]:
    """Folders with a licence whose holders are none of those of the root's licence.

    A tree whose own licence names no holder says nothing about its folders.
    """
    licences = {path: text for path, text in evidence.items() if _is_licence(path)}
    own = frozenset().union(*(_holders(text) for path, text in licences.items() if "/" not in path))
    found = {}
    for path, text in licences.items():
        holders = _holders(text)
        if own and holders and "/" in path and not holders & own:
            found[path.rsplit("/", 1)[0] + "/"] = f"its own licence, of {min(holders)}"
    return found


def _is_licence(path: str) -> bool:
    return path.rsplit("/", 1)[-1].lower().startswith(("license", "licence", "copying"))


def _holders(text: str) -> frozenset[str]:
    """Copyright holders of a licence text, reduced to their telling words."""
    names = (re.sub(r"all rights reserved|[^\w\s]", " ", found.lower()) for found in _HOLDER.findall(text))
    words = (" ".join(word for word in name.split() if word not in _PLAIN_WORDS) for name in names)
    return frozenset(name for name in words if name)


_PLAIN_WORDS = frozenset(
    {"the", "and", "inc", "ltd", "llc", "corporation", "corp", "co", "authors", "contributors", "team", "project"}
    | {"license", "owner", "notice", "holder", "holders", "in", "of", "or", "by"}
)


@lru_cache(maxsize=1)
def load_signs() -> Signs:
    """heuristics/ownership.toml; a fault in it is an error that names the file."""
    path = data_folder("heuristics") / "ownership.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        marked = (Owner.VENDORED, Owner.GENERATED, Owner.TEST, Owner.EXAMPLE)
        generated = table["generated"]
        return Signs(
            folders={owner: frozenset(table[owner]["folders"]) for owner in marked},
            files={owner: _globs(table[owner].get("files", ())) for owner in marked},
            head_lines=int(generated["lines"]),
            generated=_any_of(generated["anywhere"]),
            generated_comment=_any_of(generated["comment"]),
            projects=tuple(_project(entry) for entry in table["project"]),
        )
    except (OSError, tomllib.TOMLDecodeError, re2.error) as error:
        raise EstimatorError(f"{path}: can't be read: {error}") from None
    except KeyError as error:
        raise EstimatorError(f"{path}: the entry {error} is missing") from None


def _project(entry: Mapping[str, Any]) -> KnownProject:
    return KnownProject(
        name=entry["name"],
        names=tuple(entry["names"]),
        also=tuple(entry.get("also", ())),
        signatures=tuple(entry.get("signatures", ())),
        folders=frozenset(entry.get("folders", ())),
        files=frozenset(entry.get("files", ())),
    )


def _globs(globs: Iterable[str]) -> Callable[[str], object]:
    joined = "|".join(fnmatch.translate(glob) for glob in globs)
    return re.compile(joined or r"(?!)").match


def _any_of(patterns: Iterable[str]) -> Callable[[str], object]:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    search: Callable[[str], object] = re2.compile(f"(?i){joined}").search
    return search
