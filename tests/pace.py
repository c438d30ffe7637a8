"""Bounds on time that hold on any machine: seconds of an idle desk, stretched by how slow this machine is right now."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

DESK = 0.06  # CPU seconds of `_yardstick` on the idle machine where the bounds were set
_NUMBERS = [str(n * 7919 % 100_003) for n in range(50_000)]
_WORD = re.compile(r"[a-f]\d+\b")


def _yardstick() -> float:
    """CPU seconds of a fixed piece of work of the kinds that the tool does: texts, tables, patterns, sorting."""
    start = time.process_time()
    table = json.loads(json.dumps({f"a{number}": [number, len(number)] for number in _NUMBERS}))
    text = " ".join(sorted(table, key=lambda name: table[name]))
    assert len(_WORD.findall(text)) == len(table)
    return time.process_time() - start


def slowness() -> float:
    """How many times as long as on the idle desk work takes at this moment; at least 1."""
    return max(1.0, _yardstick() / DESK)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What stands inside takes at most so many CPU seconds of the idle desk."""
    before, start = slowness(), time.process_time()
    yield
    spent = time.process_time() - start
    allowed = seconds * max(before, slowness())
    assert spent < allowed, f"{spent:.2f} s of CPU where {allowed:.2f} s are allowed"
