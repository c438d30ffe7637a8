"""A folder on disk, walked without ever leaving it.

Every name is opened relative to the descriptor of its folder and never through a link, so that nothing
that changes during the walk can lead it out of the root. No git command is asked what to ignore.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from estimator.errors import NOT_MEASURED, EstimatorError, Trouble
from estimator.sources import members, own
from estimator.sources.members import Left, Limits, Member, Raw

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_EVIDENCE_BYTES = 16_384
_IGNORE_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class _Ignore:
    """The .gitignore of one folder; `base` is how many characters of a path it doesn't see."""

    base: int
    spec: GitIgnoreSpec


@dataclass(slots=True)
class _Count:
    """What has been met so far, against the limits."""

    limits: Limits
    root: Path
    device: int
    excluded: GitIgnoreSpec
    tracked: frozenset[str]
    entries: int = 0
    bytes: int = 0

    def entry(self) -> None:
        self.entries += 1
        if self.entries > self.limits.entries:
            raise EstimatorError(
                f"{self.root}: more than {self.limits.entries} files and folders; "
                "scan its parts one by one, or leave parts out with --exclude",
                NOT_MEASURED,
            )

    def read(self, size: int) -> None:
        self.bytes += size
        if self.bytes > self.limits.total_bytes:
            raise EstimatorError(
                f"{self.root}: more than {self.limits.total_bytes / 1e9:g} GB of source; "
                "scan its parts one by one, or leave parts out with --exclude",
                NOT_MEASURED,
            )


def walk(root: Path, excluded: GitIgnoreSpec, tracked: frozenset[str], limits: Limits) -> Iterator[Member]:
    """All files of a folder in the order of their names, read, left out, or in trouble.

    Symbolic links, devices, FIFOs and other file systems are never entered. Nested .gitignore files are
    obeyed as git does: `tracked` files are read whatever they say; an ignored folder isn't entered.
    """
    try:
        descriptor = os.open(root, _FOLDER)
    except OSError as error:
        raise EstimatorError(f"{root}: the folder can't be read: {error.strerror}") from None
    try:
        known = frozenset(members.printable(part) for path in tracked for part in _with_folders(path))
        count = _Count(limits, root, os.fstat(descriptor).st_dev, excluded, known)
        yield from _folder(descriptor, "", (), 0, count)
    finally:
        os.close(descriptor)


def read_one(path: Path, limits: Limits) -> Member:
    """A single file given by the user; a link is followed, as the user named it."""
    name = members.printable(members.from_disk(path.name))
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise EstimatorError(f"{path}: the file can't be read: {error.strerror}") from None
    try:
        return _content(descriptor, name, limits)
    finally:
        os.close(descriptor)


def _folder(descriptor: int, prefix: str, ignores: tuple[_Ignore, ...], depth: int, count: _Count) -> Iterator[Member]:
    try:
        with os.scandir(descriptor) as scan:
            entries = sorted(scan, key=lambda entry: members.from_disk(entry.name))
    except OSError as error:
        yield Trouble(prefix.rstrip("/") or ".", "read", f"folder can't be listed: {error.strerror}")
        return
    if any(entry.name == ".gitignore" for entry in entries):
        ignores = _with_ignore_file(descriptor, prefix, ignores)
    for entry in entries:
        count.entry()
        path = prefix + members.printable(members.from_disk(entry.name))
        if entry.is_dir(follow_symlinks=False):
            yield from _subfolder(descriptor, entry.name, path, ignores, depth + 1, count)
        elif not entry.is_file(follow_symlinks=False):
            yield Left(path, members.LINK)
        elif _is_own(descriptor, entry):
            continue  # not counted either: where a report was written must not change the next one
        elif reason := _unwanted(path, ignores, count):
            yield Left(path, reason, _size(entry))
        elif members.is_source(path) or members.is_evidence(path):
            yield _file(descriptor, entry.name, path, count)
        else:
            yield Left(path, members.NOT_SOURCE, _size(entry))


def _subfolder(
    parent: int, name: str, path: str, ignores: tuple[_Ignore, ...], depth: int, count: _Count
) -> Iterator[Member]:
    if members.is_tool_folder(name):
        yield Left(path, members.TOOL_FOLDER)
        return
    if reason := _unwanted(path + "/", ignores, count):
        if not _holds_only_own(parent, name):
            yield Left(path, reason)
        return
    if depth > count.limits.depth:
        yield Trouble(path, "read", f"folders nested more than {count.limits.depth} deep are not entered")
        return
    try:
        descriptor = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
    except OSError as error:
        yield Trouble(path, "read", f"folder can't be read: {error.strerror}")
        return
    try:
        if os.fstat(descriptor).st_dev != count.device:
            yield Trouble(path, "read", "folder lies on another file system and is not entered")
        elif _is_virtual_environment(descriptor):
            yield Left(path, members.TOOL_FOLDER)
        else:
            yield from _folder(descriptor, path + "/", ignores, depth, count)
    finally:
        os.close(descriptor)


def _is_own(folder: int, entry: os.DirEntry[str]) -> bool:
    """Whether a file is the output of an earlier run."""
    if not own.could_be_own(entry.name) or _size(entry) > own.LARGEST:
        return False
    try:
        file = os.open(entry.name, _FILE, dir_fd=folder)
    except OSError:
        return False
    try:
        return stat.S_ISREG(os.fstat(file).st_mode) and own.is_own(entry.name, _read(file, own.LARGEST))
    except OSError:
        return False
    finally:
        os.close(file)


def _holds_only_own(parent: int, name: str) -> bool:
    """Whether a folder that is left out is empty but for our outputs, as the one that this run writes to."""
    try:
        folder = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
    except OSError:
        return False
    try:
        with os.scandir(folder) as entries:
            return all(entry.is_file(follow_symlinks=False) and _is_own(folder, entry) for entry in entries)
    except OSError:
        return False
    finally:
        os.close(folder)


def _is_virtual_environment(descriptor: int) -> bool:
    try:
        os.stat("pyvenv.cfg", dir_fd=descriptor, follow_symlinks=False)
    except OSError:
        return False
    return True


def _file(parent: int, name: str, path: str, count: _Count) -> Member:
    try:
        descriptor = os.open(name, _FILE, dir_fd=parent)
    except OSError as error:
        return Trouble(path, "read", f"file can't be read: {error.strerror}")
    try:
        member = _content(descriptor, path, count.limits)
    finally:
        os.close(descriptor)
    if isinstance(member, Raw):
        count.read(len(member.content))
    return member


def _content(descriptor: int, path: str, limits: Limits) -> Member:
    """What stands behind a descriptor; its size is believed only as far as reading confirms it."""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Left(path, members.LINK)
        if not members.is_source(path):
            return Raw(path, _read(descriptor, _EVIDENCE_BYTES))
        if status.st_size <= limits.file_bytes:
            content = _read(descriptor, limits.file_bytes + 1)
            if len(content) <= limits.file_bytes:
                return Raw(path, content)
        return members.oversize(path, status.st_size, limits)
    except OSError as error:
        return Trouble(path, "read", f"file can't be read: {error.strerror}")


def _read(descriptor: int, most: int) -> bytes:
    pieces = []
    while most > 0 and (piece := os.read(descriptor, most)):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0


def _with_ignore_file(descriptor: int, prefix: str, ignores: tuple[_Ignore, ...]) -> tuple[_Ignore, ...]:
    try:
        file = os.open(".gitignore", _FILE, dir_fd=descriptor)
    except OSError:
        return ignores
    try:
        regular = stat.S_ISREG(os.fstat(file).st_mode)
        text = _read(file, _IGNORE_BYTES).decode("utf-8", errors="replace") if regular else ""
    finally:
        os.close(file)
    spec = members.patterns(text.splitlines())
    return (*ignores, _Ignore(len(prefix), spec)) if len(spec) else ignores


def _unwanted(path: str, ignores: tuple[_Ignore, ...], count: _Count) -> str:
    """Why a path is left out by patterns, "" if it isn't; a deeper .gitignore outranks a higher one."""
    if len(count.excluded) and count.excluded.match_file(path):
        return members.EXCLUDED
    for ignore in reversed(ignores):
        ignored = ignore.spec.check_file(path[ignore.base :]).include
        if ignored is not None:
            return members.IGNORED if ignored and path not in count.tracked else ""
    return ""


def _with_folders(path: str) -> Iterator[str]:
    """A path and all folders above it, those with a slash at the end: "a/b.cu", "a/"."""
    yield path
    for index, character in enumerate(path):
        if character == "/":
            yield path[: index + 1]
