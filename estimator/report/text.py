"""Strangers' text made harmless before it is shown.

Names, paths and excerpts come from code that nobody here wrote. Escaping for HTML, CSV or Markdown is the format's
work; this module takes out what no format should pass on: control characters, direction marks, invisible characters,
lone surrogates, and words without end.
"""

from __future__ import annotations

import re
import unicodedata

MOST_CHARACTERS = 200
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_ENDS = re.compile(r"[.;](?= )")
_LONGEST = 4096
_SPACES = str.maketrans({"\n": " ", "\r": " ", "\t": " "})


def plain(text: str, limit: int = MOST_CHARACTERS) -> str:
    """The text on one line, at most `limit` characters, with hidden characters shown as `\\u202e`.

    Hidden are the Unicode classes of control, format, surrogate, private and unassigned characters and the line and
    paragraph separators. What is cut off is replaced by one "…".
    """
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    text = text.translate(_SPACES)
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def sentences(text: str, limit: int) -> str:
    """`plain`, shortened where a sentence or a clause ends: as many whole ones as fit into `limit` characters.

    Where not even the first fits, the text ends after a word, with "…"; only a word without end is cut.
    """
    text = plain(text, _LONGEST)
    if len(text) <= limit:
        return text
    ends = [match.start() + 1 for match in _ENDS.finditer(text) if match.start() < limit]
    if ends:
        return text[: ends[-1]].rstrip(" ;.") + "."
    words = text[: limit - 2].rpartition(" ")[0].rstrip(" ,;:")
    return f"{words} …" if words else plain(text, limit)


def place(path: str, line: int, limit: int = 90) -> str:
    """`path:line`; the beginning of a long path is left out, since its end says more."""
    tail = f":{line}"
    path = plain(path, _LONGEST)
    room = limit - len(tail)
    if len(path) > room:
        path = "…" + path[len(path) - room + 1 :]
    return path + tail


def column(text: str, width: int, *, keep_end: bool = False) -> str:
    """The text in exactly `width` characters, for lists of fixed columns."""
    text = plain(text, _LONGEST)
    if len(text) > width:
        text = "…" + text[len(text) - width + 1 :] if keep_end else text[: width - 1] + "…"
    return text.ljust(width)


def unended(text: str) -> str:
    """The text without a full stop at its end, to be put inside a sentence."""
    return text.rstrip(" .")


def uncapped(text: str) -> str:
    """A title inside a sentence: "Own kernels" gives "own kernels", "PTX modules" stays."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def joined(words: tuple[str, ...] | list[str]) -> str:
    """ "a, b and c"; nothing gives an empty text."""
    if len(words) <= 1:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN:
        return character
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"
