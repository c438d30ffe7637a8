"""What all language modules share: how facts become a `Reading`, and how deep a syntax tree is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from estimator.languages.facts import Confidence, Fact, FactKind, Reading
from estimator.languages.guards import arm_of

if TYPE_CHECKING:
    from tree_sitter import Tree

DEEPEST = 5_000  # levels; queries on deeper trees drop captures without a word
MOST_FACTS = 50_000  # of one text; what is beyond is reported as a doubt


def reading_of(
    language: str, text: str, facts: Iterable[Fact], error_bytes: int = 0, doubts: tuple[str, ...] = ()
) -> Reading:
    """A reading with its facts in the order of the text, each once."""
    ordered: list[Fact] = []
    for fact in sorted(facts, key=lambda fact: (fact.line, fact.column, fact.kind, fact.text, fact.detail)):
        if ordered and fact.line == ordered[-1].line and fact == ordered[-1]:
            continue
        ordered.append(fact)
    ordered = [replace(fact, amd_arm=arm_of(fact.guards)) if fact.guards else fact for fact in ordered]
    if len(ordered) > MOST_FACTS:
        doubts = (*doubts, f"only the first {MOST_FACTS:,} of {len(ordered):,} facts were kept")
    return Reading(
        language=language,
        lines=line_count(text),
        facts=tuple(ordered[:MOST_FACTS]),
        error_bytes=error_bytes,
        size=len(text.encode("utf-8", "surrogatepass")),
        doubts=doubts,
    )


def line_count(text: str) -> int:
    """Lines as an editor numbers them; a text without a newline at its end still has its last line."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def shifted(fact: Fact, lines: int) -> Fact:
    """The same fact that many lines further down."""
    return replace(fact, line=fact.line + lines, end_line=fact.end_line + lines)


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


def tree_depth(tree: Tree) -> int:
    """Levels of the tree, measured with a cursor: no recursion, any depth."""
    cursor = tree.walk()
    depth = deepest = 0
    down, along, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    while True:
        if down():
            depth += 1
            if depth > deepest:
                deepest = depth
            continue
        while not along():
            if not up():
                return deepest
            depth -= 1
