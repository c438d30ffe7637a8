"""Files that are no work of their own because another one says the same: second copies, and instances of one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from estimator.languages import language_of
from estimator.sources.files import Owner, SourceFile
from estimator.sources.signs import Signs

_COPY_LENGTH = 400  # characters; what is shorter is alike by chance
_BEGINNING_LENGTH = 200  # characters
_LOOKED_AT = 200  # lines
_LEAST = 80  # characters of an instance
_COMPILED = frozenset({"cuda", "hip", "cpp"})
_WORDS = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")


def without_repetition(files: Sequence[SourceFile], signs: Signs) -> list[SourceFile]:
    """The same files in the same order; own ones that only repeat others have become generated.

    That are files that begin as a generator's do, second copies of own files, and instances of one text.
    """
    for reasons in (_as_generated, _second_copies, _instances):
        why = reasons(files, signs)
        files = [
            replace(file, owner=Owner.GENERATED, owner_reason=why[file.path]) if file.path in why else file
            for file in files
        ]
    return list(files)


def _second_copies(files: Sequence[SourceFile], _: Signs) -> dict[str, str]:
    """Why own files are copies of others, by path; the one nearest to the root is the first.

    A second copy is no second work: packages often ship their sources twice.
    """
    firsts: dict[str, str] = {}
    own = [file for file in files if file.owner is Owner.OWN and len(file.text) >= _COPY_LENGTH]
    for file in sorted(own, key=lambda file: (file.path.count("/"), file.path)):
        firsts.setdefault(file.text, file.path)
    return {
        file.path: f"the same text as another file: {firsts[file.text]}"
        for file in own
        if firsts[file.text] != file.path
    }


def _as_generated(files: Sequence[SourceFile], signs: Signs) -> dict[str, str]:
    """Why own files are a generator's too, by path: their code begins as that of several generated ones."""
    known: dict[str, list[str]] = {}
    own: dict[str, str] = {}
    for file in files:
        if file.owner not in (Owner.OWN, Owner.GENERATED) or not _is_compiled(file.path):
            continue
        beginning = _beginning(file.text, signs.beginning_lines)
        if len(beginning) < _BEGINNING_LENGTH:
            continue
        if file.owner is Owner.OWN:
            own[file.path] = beginning
        else:
            known.setdefault(beginning, []).append(file.path)
    return {
        path: f"its code begins as that of generated files: {known[beginning][0]}"
        for path, beginning in own.items()
        if len(known.get(beginning, ())) >= signs.beginning_files
    }


def _beginning(text: str, most: int) -> str:
    """The first lines of code, without comments and includes; "" where there are fewer."""
    lines: list[str] = []
    comment = False
    for raw in text.split("\n", _LOOKED_AT)[:_LOOKED_AT]:
        line = raw.strip()
        if comment or line.startswith("/*"):
            comment = "*/" not in line
        elif line and not line.startswith(("//", "#include", "#pragma")):
            lines.append(line)
        if len(lines) == most:
            return "\n".join(lines)
    return ""


def _instances(files: Sequence[SourceFile], signs: Signs) -> dict[str, str]:
    """Why files are instances of another one's text, by path: they differ from it in words and numbers only."""
    folders: dict[tuple[str, str], list[SourceFile]] = {}
    for file in files:
        if file.owner is Owner.OWN and _LEAST <= len(file.text) <= signs.alike_characters and _is_compiled(file.path):
            folder, _, name = file.path.rpartition("/")
            folders.setdefault((folder, name.rsplit(".", 1)[-1]), []).append(file)
    found = {}
    for inside in folders.values():
        if len(inside) < signs.alike_files:
            continue
        for group in _by_form(inside):
            if len(group) >= signs.alike_files:
                why = f"differs from others in names and numbers only: {group[0].path}"
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
