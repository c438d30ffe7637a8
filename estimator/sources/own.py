"""Which files of a tree are our own, from an earlier run: they are no part of the code, whatever folder they lie in.

A file is ours by its name and by what stands in it, never by its name alone.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable

LARGEST = 32_000_000  # bytes; a larger one is counted like any other file
_HEAD = 4096
_UNPACKED = 16_384
_METADATA = re.compile(rb"/Type\s*/Metadata[^>]{0,200}>>\s*stream\r?\n")


def could_be_own(name: str) -> bool:
    """Whether a file must be looked into: it has the name of one of our outputs."""
    return name in _SIGNS


def is_own(name: str, content: bytes) -> bool:
    """Whether a file is an output of an earlier run."""
    return name in _SIGNS and _SIGNS[name](content)


def _begins(pattern: bytes) -> Callable[[bytes], bool]:
    found = re.compile(pattern).search
    return lambda content: found(content[:_HEAD]) is not None


def _is_pdf(content: bytes) -> bool:
    """By the author in the document's metadata, a packed stream of its own."""
    place = _METADATA.search(content) if content.startswith(b"%PDF") else None
    if place is None:
        return False
    try:
        told = zlib.decompressobj().decompress(content[place.end() : place.end() + _UNPACKED], _UNPACKED)
    except zlib.error:
        return False
    return b"<rdf:li>unwarp</rdf:li>" in told


def _is_workbook(content: bytes) -> bool:
    """By the title in the workbook's properties."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as book, book.open("docProps/core.xml") as file:
            return b"<dc:title>CUDA exit estimate: " in file.read(_UNPACKED)
    except (zipfile.BadZipFile, KeyError, zlib.error, EOFError, NotImplementedError, ValueError, OSError, RuntimeError):
        return False


_SIGNS: dict[str, Callable[[bytes], bool]] = {
    "assessment.json": _begins(rb'\A\{\s*"schema": "unwarp/'),
    "report.html": _begins(rb'<meta name="generator" content="unwarp '),
    "report.md": _begins(rb"\A# What it would cost to leave CUDA: "),
    "report.pdf": _is_pdf,
    "report.xlsx": _is_workbook,
    "sites.csv": _begins(rb'\A"path","line","end_line","column","category","library","rule",'),
    "report.sarif": _begins(rb'"name":\s*"unwarp"'),
}
