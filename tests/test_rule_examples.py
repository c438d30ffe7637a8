"""Every example of every rule is a test: its documentation is checked as it stands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from estimator import languages
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Example, Rule
from estimator.languages import LANGUAGES, language_of
from estimator.languages.facts import FactKind
from estimator.scan.assembly import as_ptx
from estimator.scan.match import Hit, Matcher

HEURISTICS = load_heuristics()
RULES = HEURISTICS.rules
EXAMPLES = [pytest.param(rule, example, id=f"{rule.id}: {example.name}") for rule in RULES for example in rule.examples]


def _path(rule: Rule, example: Example) -> str:
    if example.path:
        return example.path
    language = next(entry for entry in LANGUAGES if entry.name == rule.languages[0])
    return language.patterns[0].replace("*", "example")


def _counts(hit: Hit, language: str) -> bool:
    """An asm statement counts for a rule only if it is PTX of the rule's category."""
    if hit.fact.kind is not FactKind.ASM:
        return True
    ptx = as_ptx(hit.fact, HEURISTICS.ptx, language)
    return ptx is not None and hit.rule.category in ptx.categories


def _lines(rule: Rule, example: Example) -> Iterator[int]:
    path = _path(rule, example)
    language = language_of(path)
    assert language is not None, path
    reading = languages.read(language, path, example.code.removeprefix("\n"))
    for hit in Matcher((rule,)).hits(reading):
        if _counts(hit, reading.language):
            yield hit.line


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_an_example_finds_what_it_says(rule: Rule, example: Example) -> None:
    assert set(_lines(rule, example)) == set(example.finds)


def test_rules_name_known_languages() -> None:
    known = {language.name for language in LANGUAGES}
    assert {name for rule in RULES for name in rule.languages} <= known


def test_rules_name_declared_weights() -> None:
    assert {rule.effort for rule in RULES if rule.effort} <= set(HEURISTICS.weights)


def test_library_rules_name_known_components() -> None:
    assert {rule.library for rule in RULES if rule.library} <= set(HEURISTICS.components)
