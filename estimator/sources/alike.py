"""Files that are no work of their own because another one says the same: second copies, and instances of one text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from estimator.languages import language_of
from estimator.sources.files import Owner, SourceFile
from estimator.sources.signs import Signs

_COPY_LENGTH = 400  # characters; shorter files are alike by chance
_COMPILED = frozenset({"cuda", "hip", "cpp"})
_WORDS = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")


def without_repetition(files: Sequence[SourceFile], signs: Signs) -> list[SourceFile]:
    """The same files in the same order; own ones that repeat another own one have become generated."""
    files = [_or_copy(file, first) for file, first in _with_first(files)]
    alike = _instances(files, signs)
    return [
        replace(file, owner=Owner.GENERATED, owner_reason=alike.get(file.path, "")) if file.path in alike else file
        for file in files
    ]


def _with_first(files: Sequence[SourceFile]) -> Iterator[tuple[SourceFile, str]]:
    """Each file with the path of the first own file of the same text, the one nearest to the root."""
    firsts: dict[str, str] = {}
    for file in sorted(files, key=lambda file: (file.path.count("/"), file.path)):
        if file.owner is Owner.OWN and len(file.text) >= _COPY_LENGTH:
            firsts.setdefault(file.text, file.path)
    for file in files:
        yield file, firsts.get(file.text, file.path)


def _or_copy(file: SourceFile, first: str) -> SourceFile:
    """A second copy of own code is no second work: packages often ship their sources twice."""
    if file.owner is not Owner.OWN or first == file.path:
        return file
    return replace(file, owner=Owner.GENERATED, owner_reason=f"the same text as {first}")


def _instances(files: Sequence[SourceFile], signs: Signs) -> dict[str, str]:
    """Why files are instances of another one's text, by path: they differ from it in words and numbers only."""
    folders: dict[tuple[str, str], list[SourceFile]] = {}
    for file in files:
        if file.owner is Owner.OWN and 0 < len(file.text) <= signs.alike_characters and _is_compiled(file.path):
            folder, _, name = file.path.rpartition("/")
            folders.setdefault((folder, name.rsplit(".", 1)[-1]), []).append(file)
    found = {}
    for inside in folders.values():
        if len(inside) < signs.alike_files:
            continue
        for group in _by_form(inside):
            if len(group) >= signs.alike_files:
                why = f"one of {len(group)} files that differ in names and numbers only, as {group[0].path}"
                found.update({file.path: why for file in group[1:]})
    return found


def _by_form(files: Sequence[SourceFile]) -> list[list[SourceFile]]:
    """Files by what is left of their text without its words."""
    forms: dict[str, list[SourceFile]] = {}
    for file in files:
        forms.setdefault(_WORDS.sub("x", _SPACE.sub(" ", file.text)), []).append(file)
    return list(forms.values())


def _is_compiled(path: str) -> bool:
    language = language_of(path)
    return language is not None and language.name in _COMPILED
