"""Files of PTX and of its binary forms. The ending alone proves nothing: laser scans are called .ptx too."""

from __future__ import annotations

import re

from estimator.languages.facts import FactKind, Harvest, Reading
from estimator.languages.readings import reading_of, simple_fact

_VERSION = re.compile(r"^[ \t\f\v]*\.version\s+\d+\.\d+", re.MULTILINE)
_TARGET = re.compile(r"^[ \t\f\v]*\.target\s+(sm_\w+|texmode_\w+|debug)", re.MULTILINE)


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """A line "ptx-module" at the .version directive; a binary module counts by its name, at line 1."""
    ending = path.rsplit(".", 1)[-1].lower()
    if ending in ("cubin", "fatbin"):
        return reading_of("ptx", text, [simple_fact(FactKind.LINE, "ptx-module", 1, detail=ending)])
    version, target = _VERSION.search(text), _TARGET.search(text)
    if version is None or target is None:
        return reading_of("ptx", text, ())
    start = version.start() + len(version[0]) - len(version[0].lstrip())
    line = text.count("\n", 0, start) + 1
    return reading_of("ptx", text, [simple_fact(FactKind.LINE, "ptx-module", line, detail=target[1])])
