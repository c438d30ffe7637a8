"""What a walk over a folder or an archive yields, before anything is decoded."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import re2
from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError

from estimator.errors import EstimatorError, Trouble
from estimator.languages import language_of


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what is read, so that a hostile tree costs bounded time and memory.

    file_bytes: larger files are left out. entries: files and folders of a tree. depth: nested folders.
    total_bytes: bytes of all files together, unpacked. ratio: unpacked over packed bytes of an archive.
    """

    file_bytes: int = 2_000_000
    entries: int = 200_000
    depth: int = 100
    total_bytes: int = 1_000_000_000
    ratio: int = 100


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Raw:
    """One file that was read whole. path: relative, forward slashes, in its printable form."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Left:
    """One file or folder that was left out. size: its bytes, 0 where that isn't known."""

    path: str
    reason: str
    size: int = 0


Member = Raw | Left | Trouble

ALL = "."  # path of a trouble with the source as a whole

NOT_SOURCE = "not a source file"
IGNORED = "ignored by .gitignore (a folder counts as one)"
EXCLUDED = "excluded on the command line (a folder counts as one)"
LINK = "symbolic link or special file, never followed"
TOOL_FOLDER = "folder of a tool: version control, virtual environment, packages or caches (counts as one)"
TWICE = "named twice in the archive: the later one counts, as when it is unpacked"
TOOL_FILE = "in a folder of a tool: version control, virtual environment, packages or caches"

_BAD_PATTERN = (GitIgnorePatternError, ValueError, re.error, re2.error)

# A tree's own files that are evidence for ownership although no language reads them.
_EVIDENCE = ("license", "licence", "copying", "readme", ".gitmodules")

_TOOL_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".bzr", ".jj", "__pycache__", "node_modules", ".venv", ".tox", ".nox", ".mypy_cache"}
    | {".ruff_cache", ".pytest_cache", ".eggs", "site-packages"}
)


def is_source(path: str) -> bool:
    """Whether any language reads this file."""
    return language_of(path) is not None


def is_evidence(path: str) -> bool:
    """Whether a file tells whose work its folder is: licences, readmes, .gitmodules."""
    return path.rsplit("/", 1)[-1].lower().startswith(_EVIDENCE)


def is_tool_folder(name: str) -> bool:
    """Whether a folder holds a tool's bookkeeping rather than source."""
    return name in _TOOL_FOLDERS


def oversize(path: str, size: int, limits: Limits) -> Raw | Left:
    """A file above the size limit: left out, but device code that stands as a whole is kept by name."""
    if is_device_code(path):
        return Raw(path, b"")
    return Left(path, f"larger than {limits.file_bytes / 1e6:g} MB", size)


def is_device_code(path: str) -> bool:
    """Whether a file is compiled device code: it counts by its name, whatever its bytes."""
    language = language_of(path)
    return language is not None and language.name == "ptx"


def patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """Patterns of a .gitignore; lines that git could not read either are passed over.

    They are matched by RE2: a hostile pattern costs linear time.
    """
    lines = tuple(lines)
    try:
        return _spec(lines)
    except _BAD_PATTERN:
        return _spec(line for line in lines if _readable(line))


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # "[[" in a stranger's pattern
        return GitIgnoreSpec.from_lines(lines, backend="re2")


def _readable(line: str) -> bool:
    try:
        _spec([line])
    except _BAD_PATTERN:
        return False
    return True


def pattern(glob: str) -> GitIgnoreSpec | None:
    """One pattern as in a .gitignore; None where it can't be read."""
    return _spec([glob]) if _readable(glob) else None


def exclusions(globs: Iterable[str]) -> GitIgnoreSpec:
    """The user's --exclude patterns, written as in a .gitignore. One that can't be read is an error."""
    globs = tuple(globs)
    try:
        return _spec(globs)
    except _BAD_PATTERN as error:
        raise EstimatorError(f"--exclude {' '.join(globs)}: not a pattern as in a .gitignore: {error}") from None


def from_disk(name: str) -> str:
    """A name as the system gave it, read as UTF-8 whatever the locale says; other bytes stay as they are."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "surrogateescape")


def printable(name: str) -> str:
    """A file name as it may be shown anywhere: control, invisible and undecodable characters escaped.

    Line feeds, terminal escapes, direction overrides, zero-width characters and bytes that are not
    UTF-8 become \\xNN or \\uNNNN; a backslash becomes \\x5c, so that different names stay different.
    """
    if name.isascii() and name.isprintable() and "\\" not in name:
        return name
    return "".join(_escaped(character) for character in name)


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that os.fsdecode could not decode
        return f"\\x{code - 0xDC00:02x}"
    if character == "\\" or (code < 0x100 and not character.isprintable()):
        return f"\\x{code:02x}"
    if character.isprintable():
        return character
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
