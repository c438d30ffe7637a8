"""Files that appear whole or not at all, and messages that can't harm the terminal."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from estimator.errors import EstimatorError, shown

Write = Callable[[Iterable[tuple[str, bytes]]], list[Path]]

_LONGEST = 2_000  # characters of a line in a message

# What would be left behind if the process ended now; see `tidy`.
_unfinished: list[Path] = []


@contextmanager
def output_folder(folder: Path) -> Iterator[Write]:
    """A folder to write to, made if need be; yields `write([(name, content), ...]) -> paths`.

    A folder that can't be written is an EstimatorError before any work is done. Folders that were made here
    and stay empty are removed again, however the work ends.
    """
    made = _missing(folder)
    _unfinished[:0] = reversed(made)  # `tidy` begins at the end: with what lies inside
    try:
        _make(folder)
        yield lambda files: write_together((folder / name, content) for name, content in files)
    finally:
        for path in made:
            _remove_if_empty(path)
            _unfinished.remove(path)


def write_whole(path: Path, content: bytes, otherwise: str = "choose another place with -o") -> Path:
    """Write one file; an older one stays intact until the new one is whole. otherwise: what to do if it fails."""
    return write_together([(path, content)], otherwise)[0]


def write_together(files: Iterable[tuple[Path, bytes]], otherwise: str = "choose another place with -o") -> list[Path]:
    """Write files by way of temporary ones in the same folders, and put them in place once all are whole.

    Where one can't be written none is, and older files stay as they were.
    """
    whole: list[tuple[Path, Path]] = []
    try:
        for path, content in files:
            try:
                whole.append((_temporary(path, content), path))
            except OSError as error:
                raise _refusal(path, error, otherwise) from None
        for temporary, path in whole:
            try:
                os.replace(temporary, path)
            except OSError as error:
                raise _refusal(path, error, otherwise) from None
            _unfinished.remove(temporary)
    finally:
        for temporary, _ in whole:
            _remove(temporary)
    for folder in {path.parent for _, path in whole}:
        _settle(folder)
    return [path for _, path in whole]


def tidy() -> None:
    """Remove what is not finished, for an end without unwinding: temporary files first, then folders that were made."""
    for path in reversed(_unfinished):
        with suppress(OSError):
            path.rmdir() if path.is_dir() else path.unlink()
    for path in Path(tempfile.gettempdir()).glob(f"unwarp-{os.getpid()}-*"):
        shutil.rmtree(path, ignore_errors=True)


def complain(message: str) -> None:
    """Print a message for the user on stderr, whatever is in it of other people's names.

    Our name stands before the first line alone, and further ones are set in, so that no name that holds a line
    break looks like a message of ours.
    """
    with suppress(OSError, ValueError):  # stderr is full or closed: there is nobody left to tell
        for number, line in enumerate(message.split("\n")):
            print(f"{'        ' if number else 'unwarp: '}{shown(line, _LONGEST)}", file=sys.stderr)
        sys.stderr.flush()


def _temporary(path: Path, content: bytes) -> Path:
    """A whole file beside the path; nothing is left of it when it can't be made."""
    if path.is_dir():
        raise IsADirectoryError(21, "Is a directory")
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    temporary = Path(name)
    _unfinished.append(temporary)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
    except BaseException:
        _remove(temporary)
        raise
    return temporary


def _remove(temporary: Path) -> None:
    if temporary in _unfinished:
        with suppress(OSError):
            temporary.unlink()
        _unfinished.remove(temporary)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):  # not empty: it holds what was asked for
        folder.rmdir()


def _missing(folder: Path) -> list[Path]:
    """The folder and those above it that don't exist yet, innermost first."""
    try:
        return [path for path in (folder, *folder.parents) if not path.exists()]
    except OSError as error:
        raise _refusal(folder, error) from None


def _make(folder: Path) -> None:
    """Make a folder with its parents, and try whether it can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _refusal(folder, error) from None
    except ValueError:  # a NUL in the name
        raise EstimatorError(f"{folder}: not a name for a folder; choose another place with -o") from None


def _settle(folder: Path) -> None:
    """Make the new name itself durable, where the file system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _refusal(path: Path, error: OSError, otherwise: str = "choose another place with -o") -> EstimatorError:
    return EstimatorError(f"{path}: can't be written: {error.strerror}; {otherwise}")
