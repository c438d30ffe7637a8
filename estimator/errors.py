"""What can go wrong, as values and as one exception.

`EstimatorError` is for wrong input: the command line prints its message and ends with its code.
`Trouble` is for a file that could not be read or only partly understood: the scan goes on, and the
report shows it.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

WRONG_INPUT = 2
NOT_MEASURED = 3


class EstimatorError(Exception):
    """Wrong input from outside: says where, what and what to do.

    code: exit code of the command line, by the table in the README.
    """

    def __init__(self, message: str, code: int = WRONG_INPUT) -> None:
        super().__init__(message)
        self.code = code


def raise_all(faults: Collection[str]) -> None:
    """One EstimatorError that tells all faults, one a line; nothing where there are none."""
    if faults:
        raise EstimatorError("\n".join(faults))


@contextmanager
def noted(faults: list[str]) -> Iterator[None]:
    """Wrong input inside is added to the faults, one a line, so that what comes after it is checked too."""
    try:
        yield
    except EstimatorError as error:
        faults += str(error).split("\n")


@dataclass(frozen=True, slots=True, order=True)
class Trouble:
    """One file that counts less than it should, and why.

    stage: read, decode, parse or scan. size: bytes of the file that the trouble affects.
    """

    path: str
    stage: str
    reason: str
    size: int = 0


def shown(text: str, most: int = 0) -> str:
    """Text from outside as it may stand in a message: on one line, control and invisible characters escaped.

    most: characters to keep, 0 for all; what is cut ends with three dots.
    """
    if most and len(text) > most:
        text = text[: most - 1] + "…"
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escaped(ord(character)) for character in text)


def no_such(kind: str, name: str, known: Iterable[str]) -> str:
    """That nothing of a kind has this name, with a hint at the nearest that is known."""
    return f"no {kind} '{shown(name, 60)}'{did_you_mean(name, known)}"


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """A hint for a misspelt name, "" when nothing comes close."""
    close = difflib.get_close_matches(word[:100], list(words), n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""


def _escaped(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # a byte that could not be decoded
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
