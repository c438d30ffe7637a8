"""Picks a replica: the healthy one with the fewest requests in flight, ties by age of the last pick."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


class NoReplica(Exception):
    """Every replica of the model is out of rotation."""


@dataclass
class Replica:
    url: str
    in_flight: int = 0
    failures: int = 0
    last_pick: int = 0

    @property
    def healthy(self) -> bool:
        return self.failures < 3


@dataclass
class Pool:
    replicas: list[Replica]
    _clock: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @classmethod
    def of(cls, urls: tuple[str, ...]) -> Pool:
        return cls([Replica(url) for url in urls])

    @contextmanager
    def lease(self) -> Iterator[Replica]:
        ready = [r for r in self.replicas if r.healthy]
        if not ready:
            raise NoReplica
        chosen = min(ready, key=lambda r: (r.in_flight, r.last_pick))
        chosen.last_pick = next(self._clock)
        chosen.in_flight += 1
        try:
            yield chosen
        finally:
            chosen.in_flight -= 1

    def report(self, replica: Replica, ok: bool) -> None:
        """A success clears the count of failures; the prober calls this for replicas out of rotation as well."""
        replica.failures = 0 if ok else replica.failures + 1
