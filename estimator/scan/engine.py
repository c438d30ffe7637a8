"""Where files are read: in this process, or in workers that a hostile file can't take along.

Results come in the order of the files, whatever was ready first. A worker has a bound on its memory; one that dies
costs the file that it died of, and no other.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, TypeVar

File = TypeVar("File")
Result = TypeVar("Result")

_BATCH = 24  # files that a worker is given at a time
_FEW = 300  # files that are read before workers would have started
_MEMORY = 4 << 30  # bytes of address space of one worker
_DIED = (BrokenProcessPool, MemoryError)

_read: Callable[[Any], Any] | None = None  # in a worker: what it reads with


def each(
    files: Sequence[File],
    read: Callable[[File], Result],
    lost: Callable[[File], Result],
    jobs: int = 1,
    few: int = _FEW,
) -> list[Result]:
    """What `read` gives for each file, in their order; what `lost` gives for one that a worker dies of.

    read: sent to each worker once, so that it can be pickled. jobs: workers at most; fewer than two, or at most `few`
    files, are read in this process, where nothing bounds them.
    """
    if jobs < 2 or len(files) <= few:
        return [read(file) for file in files]
    batches = [files[start : start + _BATCH] for start in range(0, len(files), _BATCH)]
    given: list[list[Result] | None] = [None] * len(batches)
    while pending := [index for index, results in enumerate(given) if results is None]:
        with _workers(read, jobs) as pool:
            futures = {index: pool.submit(_batch, batches[index]) for index in pending}
            given = [_result(futures[i]) if i in futures else results for i, results in enumerate(given)]
        first = next((index for index in pending if given[index] is None), None)
        if first is not None:  # workers take the batches in order: this one was in the hands of one that died
            given[first] = [_alone(file, read, lost) for file in batches[first]]
    return [result for results in given for result in results or ()]


def _alone(file: File, read: Callable[[File], Result], lost: Callable[[File], Result]) -> Result:
    with _workers(read, 1) as pool:
        results: list[Result] | None = _result(pool.submit(_batch, (file,)))
    return results[0] if results is not None else lost(file)


@contextmanager
def _workers(read: Callable[[Any], Any], jobs: int) -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _start, (read,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _start(read: Callable[[Any], Any]) -> None:
    """Make a worker ready: the user's interrupt is the parent's business, memory is bounded."""
    global _read  # noqa: PLW0603 -- a worker is one reader for its whole life
    _read = read
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        import resource
    except ImportError:  # this system has no such bounds
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY if hard < 0 else min(_MEMORY, hard), hard))


def _batch(files: Sequence[Any]) -> list[Any]:
    assert _read is not None
    return [_read(file) for file in files]


def _result(future: Future[list[Any]]) -> list[Any] | None:
    try:
        return future.result()
    except _DIED:
        return None
