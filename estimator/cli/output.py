"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from estimator.errors import EstimatorError

Write = Callable[[str, bytes], Path]


@contextmanager
def output_folder(folder: Path) -> Iterator[Write]:
    """A folder to write to, made if need be; yields `write(name, content) -> path`.

    A folder that can't be written is an EstimatorError before any work is done. Folders that were made here
    and stay empty are removed again, however the work ends.
    """
    made = _make(folder)
    try:
        _try_to_write(folder)
        yield lambda name, content: write_whole(folder / name, content)
    finally:
        for path in made:
            with suppress(OSError):  # not empty: it holds what was asked for
                path.rmdir()


def write_whole(path: Path, content: bytes) -> Path:
    """Write by way of a temporary file in the same folder; an older file stays intact until the new one is whole."""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _refusal(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise _refusal(path, error) from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
    _settle(path.parent)
    return path


def _make(folder: Path) -> list[Path]:
    """Make a folder with its parents; gives those that were missing, innermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(folder, error) from None
    return missing


def _try_to_write(folder: Path) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _refusal(folder, error) from None


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


def _refusal(path: Path, error: OSError) -> EstimatorError:
    return EstimatorError(f"{path}: can't be written: {error.strerror}; choose another place with -o")
