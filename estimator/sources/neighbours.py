"""What a tree says about its parts before any file is judged: submodules, licences, copies of known projects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import re2

from estimator.sources.signs import KnownProject, Licences, Signs, load_signs

_README_LINES = 12


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
    holders = _holders_by_folder(evidence, signs.licences)
    vendored = {
        **_foreign_licences(holders),
        **_collections(holders, paths, signs.licences),
        **_copies(projects, paths),
        **_submodules(evidence),
    }
    return Context(signs, vendored, projects)


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


def _foreign_licences(holders: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """Folders with a licence whose holders are none of those of the root's licence.

    A tree whose own licence names no holder says nothing about its folders.
    """
    own = holders.get("", frozenset())
    return {
        folder: f"its own licence, of {min(theirs)}"
        for folder, theirs in holders.items()
        if own and theirs and folder and not theirs & own
    }


def _collections(holders: Mapping[str, frozenset[str]], paths: Iterable[str], licences: Licences) -> dict[str, str]:
    """Folders most of whose folders are projects with licences of their own, of several holders."""
    licensed: dict[str, list[str]] = {}
    for folder in holders:
        parent = folder[: folder.rstrip("/").rfind("/") + 1]
        if folder and parent:
            licensed.setdefault(parent, []).append(folder)
    many = {parent: inside for parent, inside in licensed.items() if len(inside) >= licences.projects}
    found = {}
    for parent, folders in _folders_in(many, paths).items():
        inside = many[parent]
        different = {holders[folder] for folder in inside if holders[folder]}
        if len(inside) >= licences.share * len(folders) and len(different) >= licences.holders:
            found[parent] = f"in a folder of {len(inside)} projects with licences of their own"
    return found


def _folders_in(parents: Iterable[str], paths: Iterable[str]) -> dict[str, set[str]]:
    """The folders that lie directly in each of the parents and hold source."""
    found: dict[str, set[str]] = {parent: set() for parent in parents}
    if not found:
        return found
    for path in paths:
        parts = path.split("/")
        parent = ""
        for part, inside in pairwise(parts[:-1]):
            parent += part + "/"
            if parent in found:
                found[parent].add(inside)
    return found


# A stranger's text: `re` takes cubic time over a notice followed by empty lines. A year or a sign must stand there:
# licences speak of copyright in other sentences too.
_HOLDER = re2.compile(
    r"(?im)^[^\w\n]*(?:SPDX-File)?copyright(?:text)?[\s,:]*(?:(?:\(c\)|©|&copy;)[\s,]*(?:[\d\s,–-]|present)*|\d{4}(?:[\d\s,–-]|present)*)"
    r"(?:by\s+)?([^\n\[\]]{3,200})$"
)
_PLAIN_WORDS = frozenset(
    {"the", "and", "inc", "ltd", "llc", "corporation", "corp", "co", "authors", "contributors", "team", "project"}
    | {"license", "owner", "notice", "holder", "holders", "in", "of", "or", "by"}
)


def _holders_by_folder(evidence: Mapping[str, str], licences: Licences) -> dict[str, frozenset[str]]:
    """Copyright holders by each folder with a licence file, with a slash at its end; "" for the root."""
    found: dict[str, frozenset[str]] = {}
    for path, text in evidence.items():
        if path.rsplit("/", 1)[-1].lower().startswith(("license", "licence", "copying")):
            folder = path[: path.rfind("/") + 1]
            found[folder] = found.get(folder, frozenset()) | _holders(text) - licences.nobody
    return found


def _holders(text: str) -> frozenset[str]:
    """Copyright holders of a licence text, reduced to their telling words."""
    names = (re.sub(r"all rights reserved|https?:\S*|[^\w\s]", " ", found.lower()) for found in _HOLDER.findall(text))
    words = (" ".join(word for word in name.split() if word not in _PLAIN_WORDS) for name in names)
    return frozenset(name for name in words if name)
