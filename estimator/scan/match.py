"""Rules against facts: all patterns of a kind of fact are tried at once, in linear time (RE2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import re2

from estimator.errors import EstimatorError, shown
from estimator.knowledge.values import Match, Rule
from estimator.languages.facts import Fact, FactKind, Reading
from estimator.languages.readings import encodable

_BY_STATEMENT = frozenset(("library-call", "arch-guard"))
_REMEMBERED = 1_000  # characters; longer texts hardly come twice


@dataclass(frozen=True, slots=True)
class Hit:
    """One rule at one fact. symbol: what the pattern's first group caught, else the fact's text."""

    rule: Rule
    fact: Fact
    symbol: str

    @property
    def line(self) -> int:
        """Where its site begins: of what counts by statement, where the statement does."""
        return self.fact.first_line if self._whole else self.fact.line

    @property
    def end_line(self) -> int:
        """Where its site ends."""
        return max(self.fact.last_line, self.fact.end_line) if self._whole else self.fact.end_line

    @property
    def _whole(self) -> bool:
        return self.rule.category in _BY_STATEMENT and self.fact.first_line > 0


@dataclass(slots=True)
class _KindMatcher:
    """All patterns for one kind of fact in one language; answers are remembered by text."""

    entries: list[tuple[Rule, Match, Any, Any]]
    found: Any
    seen: dict[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)

    def candidates(self, text: str) -> tuple[tuple[int, str], ...]:
        known = self.seen.get(text)
        if known is None:
            text = encodable(text)
            known = tuple((index, self._symbol(index, text)) for index in sorted(self.found.Match(text) or ()))
            if len(text) <= _REMEMBERED:
                self.seen[text] = known
        return known

    def _symbol(self, index: int, text: str) -> str:
        match = self.entries[index][2].search(text)
        return next((group for group in match.groups() if group), text) if match and match.groups() else text


class Matcher:
    """The rules of a pack, made ready once and used for every file."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._by_language: dict[str, dict[FactKind, _KindMatcher]] = {}

    def hits(self, reading: Reading) -> Iterator[Hit]:
        """Every rule at every fact of a text, in the order of the facts.

        Where several rules meet at a fact, those that yield to another one there are silent.
        """
        kinds = self._by_language.get(reading.language)
        if kinds is None:
            kinds = self._by_language[reading.language] = self._prepared(reading.language)
        for fact in reading.facts:
            matcher = kinds.get(fact.kind)
            if matcher is None:
                continue
            candidates = matcher.candidates(fact.text)
            if not candidates:
                continue
            hits: dict[str, Hit] = {}
            for index, symbol in candidates:
                rule, match, _, detail = matcher.entries[index]
                if match.spaces and fact.space not in match.spaces:
                    continue
                if detail is not None and not detail.search(encodable(fact.detail)):
                    continue
                hits.setdefault(rule.id, Hit(rule, fact, symbol))
            for hit in hits.values():
                if not any(other in hits for other in hit.rule.yields):
                    yield hit

    def _prepared(self, language: str) -> dict[FactKind, _KindMatcher]:
        kinds: dict[FactKind, list[tuple[Rule, Match, Any, Any]]] = {}
        for rule in self._rules:
            if language not in rule.languages:
                continue
            for match in rule.matches:
                detail = _compiled(rule, match.detail) if match.detail else None
                kinds.setdefault(match.kind, []).append((rule, match, _compiled(rule, match.pattern), detail))
        return {kind: _KindMatcher(entries, _set_of(entries)) for kind, entries in kinds.items()}


def _compiled(rule: Rule, pattern: str) -> Any:
    """A pattern of a rule. It is tried here and not at loading: half of the time of loading would go into it."""
    quiet = re2.Options()
    quiet.log_errors = False  # it would write to stderr by itself
    try:
        return re2.compile(pattern, quiet)
    except re2.error as error:
        told = b"".join(part if isinstance(part, bytes) else str(part).encode() for part in error.args)
        why = shown(told.decode(errors="replace"), 100)
        raise EstimatorError(f"rules/{rule.file}: {rule.id}: not a pattern that RE2 can read: {why}") from None


def _set_of(entries: list[tuple[Rule, Match, Any, Any]]) -> Any:
    """A compiled RE2 set; an uncompiled one would answer None in silence."""
    found = re2.Set.SearchSet()
    for _, match, _, _ in entries:
        found.Add(match.pattern)
    found.Compile()
    return found
