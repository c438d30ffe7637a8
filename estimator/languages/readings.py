"""What all language modules share: how facts become a `Reading`, how deep a tree is, what a text mentions."""

from __future__ import annotations

import resource
import string
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import re2

from estimator.languages.depth import CUT, TOO_DEEP
from estimator.languages.facts import Confidence, Fact, FactKind, Reading
from estimator.languages.guards import arm_of

if TYPE_CHECKING:
    from tree_sitter import Parser, Point, Tree

DEEPEST = 5_000  # levels; queries on deeper trees drop captures without a word
MOST_FACTS = 50_000  # of one text; what is beyond is reported as a doubt
TOO_MANY = f"only the first {MOST_FACTS:,} facts were kept"
UNPARSED = "beyond what the parser may take for a text of this size: read by tokens"
_SLICE = 65_536  # bytes handed to a parser at once
_MOST_STEPS = 25_000  # calls of the parser's progress callback, one each 100 operations; some 12 a KB for code
_MOST_STEPS_A_KB = 45
_FREE_STEPS = 2_000
_STRETCH = 2_000
_WORDS = (string.ascii_letters + string.digits + "_#\"'").encode() + bytes(range(128, 256))
_MOST_GROWTH = 400_000  # kilobytes
_MOST_SECONDS = 5.0


def reading_of(
    language: str, text: str, facts: Iterable[Fact], error_bytes: int = 0, doubts: tuple[str, ...] = ()
) -> Reading:
    """A reading with its facts in the order of the text, each once."""
    ordered: list[Fact] = []
    deep = False
    taken = list(islice(facts, 2 * MOST_FACTS))
    for fact in sorted(taken, key=lambda fact: (fact.line, fact.column, fact.kind, fact.text, fact.detail)):
        if ordered and fact.line == ordered[-1].line and fact.column == ordered[-1].column and fact == ordered[-1]:
            continue
        ordered.append(fact)
        deep = deep or CUT in fact.guards
    if deep and TOO_DEEP not in doubts:
        doubts = (*doubts, TOO_DEEP)
    ordered = [_in_its_arm(fact) if fact.guards else fact for fact in ordered]
    if len(ordered) > MOST_FACTS or len(taken) == 2 * MOST_FACTS:
        doubts = (*doubts, TOO_MANY)
    return Reading(
        language=language,
        lines=line_count(text),
        facts=tuple(ordered[:MOST_FACTS]),
        error_bytes=error_bytes,
        size=len(text.encode("utf-8", "surrogatepass")),
        doubts=doubts,
    )


def _in_its_arm(fact: Fact) -> Fact:
    arm = arm_of(fact.guards)
    return fact if arm == fact.amd_arm else replace(fact, amd_arm=arm)


def line_count(text: str) -> int:
    """Lines as an editor numbers them; a text without a newline at its end still has its last line."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def simple_fact(
    kind: FactKind,
    text: str,
    line: int,
    *,
    end_line: int = 0,
    column: int = 1,
    detail: str = "",
    guards: tuple[str, ...] = (),
    confidence: Confidence = Confidence.PARSED,
) -> Fact:
    """A fact of one line unless `end_line` says otherwise."""
    return Fact(kind, text, line, max(end_line, line), column, detail, guards=guards, confidence=confidence)


def compact(text: str, most: int = 200) -> str:
    """The text on one line, single spaces, cut to `most` characters."""
    return " ".join(text[: 8 * most].split())[:most]


def parsed(parser: Parser, source: bytes) -> Tree | None:
    """The tree of a text, None where the parser would take too many steps for its size.

    Steps are counted, so that the same text is read the same way everywhere. Memory and seconds are the net below,
    for texts that nobody writes: "a<" takes 2.9 KB of memory for each byte.
    """
    if _is_noise(source):
        return None
    steps = 0
    before = resource.getrusage(resource.RUSAGE_SELF)
    checked = time.monotonic()  # asking the kernel is dear, so the clock says when to ask

    def piece(offset: int, _: Point) -> bytes:
        return source[offset : offset + _SLICE]

    def is_spent() -> bool:
        nonlocal checked
        checked = time.monotonic()
        now = resource.getrusage(resource.RUSAGE_SELF)
        return now.ru_maxrss - before.ru_maxrss > _MOST_GROWTH or now.ru_utime - before.ru_utime > _MOST_SECONDS

    def is_enough(offset: int, _: bool) -> bool:
        nonlocal steps
        steps += 1
        return (
            steps > _MOST_STEPS
            or steps > _FREE_STEPS + _MOST_STEPS_A_KB * offset // 1_000
            or ((steps % 256 == 0 or time.monotonic() > checked + 0.25) and is_spent())
        )

    try:
        return parser.parse(piece, progress_callback=is_enough)
    except ValueError:  # what a parse that was called off raises
        return None
    finally:
        parser.reset()  # else the next text would be read as the rest of this one


def _is_noise(source: bytes) -> bool:
    """Whether a stretch of a text is marks without words: what the parsers take the square of time or memory for."""
    for start in range(0, len(source), _STRETCH):
        stretch = source[start : start + _STRETCH]
        words = len(stretch) - len(stretch.translate(None, _WORDS))
        marks = len(stretch) - words - (len(stretch) - len(stretch.translate(None, b" \t\n\r\f\v")))
        if marks > _STRETCH // 4 and 50 * words < len(stretch):
            return True
    return False


def is_deeper(tree: Tree, limit: int) -> bool:
    """Whether a tree has at least `limit` levels below its root.

    Walked with a cursor: no recursion, any depth. Subtrees with too few nodes to be that deep are passed over.
    """
    cursor = tree.walk()
    depth = 0
    while True:
        if depth >= limit:
            return True
        node = cursor.node
        if node is not None and depth + node.descendant_count > limit and cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
            depth -= 1


def encodable(text: str) -> str:
    """The text with "?" for halves of surrogate pairs, which escapes of YAML and JSON bring and UTF-8 can't hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def any_of(pattern: str) -> Callable[[str], bool]:
    """A test whether a text holds a pattern anywhere.

    RE2 needs one pass for all alternatives, `re` one for each. Words and digits are those of ASCII.
    """
    search = re2.compile(pattern).search
    return lambda text: search(text.encode("utf-8", "surrogatepass")) is not None


def starts_of(pattern: str) -> Callable[[str], list[int]]:
    """Makes a function that gives the offset of every match in an ASCII text, in one pass.

    Other characters count as `?`.
    """
    find = re2.compile(pattern).finditer
    return lambda text: [match.start() for match in find(text.encode("ascii", "replace"))]


def begun(word: str) -> str:
    """A pattern for a word that no letter, digit or underscore stands before.

    The same as with `\\b` in front, where `re` would try each offset of a text instead of looking for the word.
    """
    return rf"{word}(?<!\w{word})"
