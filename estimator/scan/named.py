"""CUDA sources that build files name: those that are not in the tree are a part that nobody could measure.

Literal names alone; globs, variables and what a build makes itself are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import normpath

from estimator.languages.facts import Fact, FactKind
from estimator.scan.sites import Named
from estimator.sources.files import Owner, SourceFile, SourceTree

_SOURCE = re.compile(r"(?:[\w.+-]{1,80}/){0,20}[\w+-][\w.+-]{0,80}\.cuh?")
_EXTENSION = re.compile(r"(?:^|\.)(?:CUDA|Cpp|Sycl)?Extension$|cpp_extension\.load$")
_LISTING = re.compile(r"^(?:\w*add_library|\w*add_executable|pybind11_add_module|target_sources|set|list) ")
_MAKING = re.compile(r"^(?:add_custom_command|configure_file|file|execute_process) ")
_LONGEST_COMMAND = 2_000  # characters of one that its fact holds: the last word of a longer one may be cut
_MADE_FROM = (".in", ".j2", ".jinja", ".tmpl", ".template")


def named_sources(file: SourceFile, language: str, facts: Iterable[Fact]) -> tuple[Named, ...]:
    """What a build file of the project's own asks a compiler for, each name once, at its first line."""
    if file.owner is not Owner.OWN or language not in ("python", "cmake"):
        return ()
    first: dict[str, Named] = {}
    for name, line in _in_python(list(facts)) if language == "python" else _in_cmake(list(facts)):
        first.setdefault(name, Named(file.path, line, name))
    return tuple(first.values())


def _in_python(facts: list[Fact]) -> Iterator[tuple[str, int]]:
    """Strings given to an extension; elsewhere in a file that makes one those with a folder."""
    spans = [(f.line, f.end_line) for f in facts if f.kind is FactKind.CALL and _EXTENSION.search(f.text)]
    for fact in facts if spans else ():
        is_given = "/" in fact.text or any(first <= fact.line <= last for first, last in spans)
        if fact.kind is FactKind.STRING and is_given and _SOURCE.fullmatch(fact.text):
            yield fact.text, fact.line


def _in_cmake(facts: list[Fact]) -> Iterator[tuple[str, int]]:
    """Words of commands that list sources; not those that the file says how to make."""
    commands = [fact for fact in facts if fact.kind is FactKind.COMMAND]
    made = {word.rsplit("/", 1)[-1] for fact in commands if _MAKING.match(fact.text) for word in fact.text.split()}
    for fact in commands:
        words = fact.text.split() if _LISTING.match(fact.text) else []
        for word in words[:-1] if len(fact.text) >= _LONGEST_COMMAND else words:
            if _SOURCE.fullmatch(word) and word.rsplit("/", 1)[-1] not in made:
                yield word, fact.line


def missing(named: Iterable[Named], tree: SourceTree) -> tuple[Named, ...]:
    """Names of which the tree holds no file, nor what one is made from, sorted.

    A name is found wherever a path ends with it: builds run in folders of their own.
    """
    known: dict[str, list[str]] = {}
    unread = (trouble.path for trouble in tree.troubles)
    for path in (*(file.path for file in tree.files), *unread):
        known.setdefault(path.rsplit("/", 1)[-1], []).append(path)
    return tuple(sorted(one for one in named if not _is_there(normpath(one.name), known)))


def _is_there(name: str, known: dict[str, list[str]]) -> bool:
    while name.startswith("../"):
        name = name[3:]
    last = name.rsplit("/", 1)[-1]
    if any(last + ending in known for ending in _MADE_FROM):
        return True
    return any(f"/{path}".endswith(f"/{name}") for path in known.get(last, ()))
