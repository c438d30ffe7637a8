"""What the language modules share."""

from __future__ import annotations

import re

import pytest
import tree_sitter_python
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Language, Node, Parser

from estimator.languages.facts import FactKind
from estimator.languages.readings import any_of, begun, is_deeper, line_count, reading_of, simple_fact, starts_of
from tests.pace import within


def levels(node: Node) -> int:
    return max((1 + levels(child) for child in node.children), default=0)


@pytest.mark.parametrize("code", ["", "x = 1\n", "f(a, [b, (c, -d)])\n" * 3, "if a:\n  if b:\n    c.d.e\ng\n"])
def test_depth_is_that_of_the_deepest_branch(code: str) -> None:
    tree = Parser(Language(tree_sitter_python.language())).parse(code.encode())
    deepest = levels(tree.root_node)
    assert is_deeper(tree, deepest)
    assert not is_deeper(tree, deepest + 1)


def test_facts_are_in_order_and_once() -> None:
    facts = [
        simple_fact(FactKind.LINE, text, line, guards=("USE_ROCM",)) for text, line in (("b", 2), ("a", 1), ("b", 2))
    ]
    reading = reading_of("text", "a\nb", facts)
    assert [(fact.text, fact.line, fact.amd_arm) for fact in reading.facts] == [("a", 1, "amd"), ("b", 2, "amd")]


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2)])
def test_lines_are_counted_as_in_an_editor(text: str, lines: int) -> None:
    assert line_count(text) == lines


@pytest.mark.parametrize(("text", "found"), [("a CUDA b", True), ("é hip\udc80", True), ("chip", False), ("", False)])
def test_any_of_several_words(text: str, found: bool) -> None:
    assert any_of(r"(?i)cuda|\bhip\b")(text) is found


@given(st.text(alphabet="ab_0 .\n", max_size=30))
def test_a_word_begins_where_nothing_of_a_name_stands_before_it(text: str) -> None:
    at = [match.start() for match in re.finditer(r"\bab", text)]
    assert [match.start() for match in re.finditer(begun("ab"), text)] == at
    assert starts_of(r"\bab")(text) == at


def test_a_word_is_looked_for_itself() -> None:
    with within(0.02):
        assert re.search(begun("__global__"), "value = other(first, second);\n" * 200_000) is None
