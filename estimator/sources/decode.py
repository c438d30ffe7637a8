"""Bytes of a file as text, or the reason why they are none."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_PROBE = 8192

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the same bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_CONTROLS = bytes(code for code in range(32) if chr(code) not in "\t\n\v\f\r\x1b")
_FEW_CONTROLS = 4
_SOME_CONTROLS = 0.02
_MANY_CONTROLS = 0.1

# Above these, a text was written by a machine for a machine.
_MINIFIED_AVERAGE = 500
_MINIFIED_LINE = 20_000


@dataclass(frozen=True, slots=True)
class Text:
    """Decoded text with "\\n" as its only line end. lost: characters that are not valid in `encoding`."""

    text: str
    lost: int = 0
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Binary:
    """The bytes are no text."""


def decode(content: bytes) -> Text | Binary:
    """Text by its byte order mark, else UTF-16 by its pattern of NULs, else UTF-8, else Latin-1.

    Control characters all over the first 8 KiB of anything else make it binary; single NULs become spaces. CR and CRLF
    become "\\n", so that lines are counted as an editor counts them.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _text(content[len(mark) :], encoding)
    if wide := _unmarked_utf16(content):
        return _text(content, wide)
    if _is_binary(content[:_PROBE]):
        return Binary()
    try:
        return Text(_plain(content.decode("utf-8")))
    except UnicodeDecodeError:
        return Text(_plain(content.decode("latin-1")))


def _is_binary(probe: bytes) -> bool:
    """Whether more than a few bytes of a text that holds a NUL are such that nobody writes."""
    controls = len(probe) - len(probe.translate(None, _CONTROLS)) if b"\0" in probe else 0
    share = controls / len(probe) if probe else 0.0
    return share > _MANY_CONTROLS or (controls > _FEW_CONTROLS and share > _SOME_CONTROLS)


def is_minified(text: str) -> bool:
    """Whether lines are too long to have been written by a person: 500 characters on average, or one of 20,000."""
    if len(text) <= _MINIFIED_AVERAGE:
        return False
    lines = text.count("\n") + (not text.endswith("\n"))
    return len(text) > _MINIFIED_AVERAGE * lines or _longest_line(text) > _MINIFIED_LINE


def _longest_line(text: str) -> int:
    return max(map(len, text.split("\n"))) if len(text) > _MINIFIED_LINE else 0


def _text(content: bytes, encoding: str) -> Text:
    text = content.decode(encoding, errors="replace")
    lost = text.count("\ufffd")
    return Text(_plain(text), lost, encoding) if lost else Text(_plain(text))


def _plain(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", " ") if "\0" in text else text


def _unmarked_utf16(content: bytes) -> str:
    """UTF-16 without a mark: Latin text has a NUL in nearly every second byte, always on the same side."""
    probe = content[: min(_PROBE, len(content) // 2 * 2)]
    if len(probe) < 4:
        return ""
    half = len(probe) / 2
    even, odd = probe[::2].count(0) / half, probe[1::2].count(0) / half
    if odd > 0.6 and even < 0.05:
        return "utf-16-le"
    if even > 0.6 and odd < 0.05:
        return "utf-16-be"
    return ""
