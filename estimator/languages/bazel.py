"""Bazel files: Starlark is close enough to Python for its grammar; `.bazelrc` has lines of options."""

from __future__ import annotations

import re
from collections.abc import Iterator

from estimator.languages import python
from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import compact, reading_of, simple_fact


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Calls and strings as in Python; lines of a `.bazelrc` as commands."""
    if path.rsplit("/", 1)[-1].lower().endswith(".bazelrc"):
        return reading_of("bazel", text, _options(text))
    return python.read_as("bazel", text)


def _options(text: str) -> Iterator[Fact]:
    for number, line in enumerate(text.split("\n"), start=1):
        content = compact(re.sub(r"(^|\s)#.*$", "", line), 1000)
        if content:
            yield simple_fact(FactKind.COMMAND, content, number)
