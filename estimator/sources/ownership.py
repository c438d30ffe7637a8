"""Whose work is a file, by where it lies and what its first lines say; the lists are in heuristics/ownership.toml."""

from __future__ import annotations

import re
from collections.abc import Iterator

from estimator.sources.comments import leading_comments
from estimator.sources.files import Owner
from estimator.sources.neighbours import Context, context_of
from estimator.sources.signs import KnownProject, Signs, load_signs

__all__ = ["Context", "component_of", "context_of", "load_signs", "owner_of"]

_COMPONENT_DEPTH = 2


def owner_of(path: str, text: str, context: Context) -> tuple[Owner, str]:
    """The owner of a file and why it isn't the project's own work, "" for its own.

    path: relative to the scanned root; the root's own name says nothing. text: whole or at least its head.
    """
    *folders, name = path.lower().split("/")
    signs = context.signs
    head = "\n".join(text.split("\n", signs.head_lines)[: signs.head_lines])
    if reason := _vendored(path, folders, name, head, context):
        return Owner.VENDORED, reason
    if reason := _generated(folders, name, head, signs):
        return Owner.GENERATED, reason
    for owner in (Owner.TEST, Owner.EXAMPLE):
        if folder := _first(folders, owner, signs):
            return owner, f"in a folder '{folder}'"
        if glob := signs.files[owner](name):
            return owner, f"file name as '{glob}'"
    return Owner.OWN, ""


def above(path: str) -> Iterator[str]:
    """The folders that a path lies in, outermost first, each with a slash at its end: "a/", "a/b/"."""
    for index, character in enumerate(path):
        if character == "/":
            yield path[: index + 1]


def component_of(path: str) -> str:
    """The part of the tree a file belongs to: the first two segments of its folder, "." at the root."""
    return "/".join(path.split("/")[:-1][:_COMPONENT_DEPTH]) or "."


def _vendored(path: str, folders: list[str], name: str, head: str, context: Context) -> str:
    if folder := _vendored_folder(folders, name, context.signs):
        return f"in a folder '{folder}'"
    for names in context.signs.paths:
        if any(tuple(folders[start : start + len(names)]) == names for start in range(len(folders))):
            return f"in a folder '{'/'.join(names)}'"
    for folder in above(path):
        if reason := context.vendored.get(folder):
            return reason
    for project in context.projects:
        if _is_copied_file(project, name, head) or any(folder in project.folders for folder in folders):
            return f"copy of {project.name}"
    return ""


def _vendored_folder(folders: list[str], name: str, signs: Signs) -> str:
    """The first folder that holds other people's code by its name, "" if there is none."""
    for index, folder in enumerate(folders):
        if index == 0 and folder in signs.root_folders:
            return folder
        if folder not in signs.folders[Owner.VENDORED]:
            continue
        inside = (*folders, name)[index + 1].split(".", 1)[0]
        if not (folder in signs.maker_folders and inside in signs.makers):
            return folder
    return ""


def _is_copied_file(project: KnownProject, name: str, head: str) -> bool:
    return name in project.files and (project.marker is None or project.marker(head) is not None)


def _generated(folders: list[str], name: str, head: str, signs: Signs) -> str:
    if folder := _first(folders, Owner.GENERATED, signs):
        return f"in a folder '{folder}'"
    if glob := signs.files[Owner.GENERATED](name):
        return f"file name as '{glob}'"
    for word in (name, *folders):
        if hashed := _hash_in(word, signs.hash_digits):
            return f"a hash in its name: {hashed}"
    if not (signs.generated(head) or signs.generated_comment(head)):
        return ""
    for comment, begins in leading_comments(head):
        match = signs.generated_comment(comment) if begins else None
        if signs.generated(comment) or (match is not None and match.start() == 0):
            return f"a comment says so: {comment[:80]}"
    return ""


_WORDS = re.compile(r"[^\W_]+")


def _hash_in(name: str, digits: int) -> str:
    """The first word of a name, in lower case, that is a hash in hexadecimal, "" if none is."""
    for word in _WORDS.findall(name):
        if len(word) >= digits and set(word) <= _HEXADECIMAL and not word.isdigit() and not word.isalpha():
            return str(word)
    return ""


_HEXADECIMAL = frozenset("0123456789abcdef")


def _first(folders: list[str], owner: Owner, signs: Signs) -> str:
    names, glob = signs.folders[owner], signs.globs[owner]
    return next((folder for folder in folders if folder in names or glob(folder)), "")
