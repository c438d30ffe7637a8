"""Strangers' text comes out on one line, short, and without anything hidden."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.report.as_csv import guarded
from estimator.report.figures import round_two, span
from estimator.report.text import column, place, plain, sentences


@given(st.text(st.characters(), max_size=400), st.integers(1, 300))
def test_nothing_hidden_remains(text: str, limit: int) -> None:
    shown = plain(text, limit)
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not {unicodedata.category(character) for character in shown} & hidden
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[0m", "a\\x1b[0m"),
        ("r\u202egnp", "r\\u202egnp"),
        ("\ud800", "\\ud800"),
        ("a\n\tb", "a  b"),
        ("größe", "größe"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_hidden_characters_are_shown(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_long_text_is_cut() -> None:
    assert plain("w" * 500) == "w" * 199 + "…"


def test_the_end_of_a_long_path_stays() -> None:
    assert place("a/" * 100 + "kernel.cu", 7, 30).endswith("kernel.cu:7")
    assert len(place("a/" * 100 + "kernel.cu", 7, 30)) == 30


@given(st.text(max_size=100), st.integers(2, 60), st.booleans())
def test_columns_have_their_width(text: str, width: int, end: bool) -> None:
    assert len(column(text, width, keep_end=end)) == width


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "＝1", "\t=1"])
def test_formulas_are_guarded(cell: str) -> None:
    assert guarded(cell) == "'" + cell


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.03, "under 0.1"),
        (0.14, "0.14"),
        (1, "1.0"),
        (9.96, "10"),
        (12.4, "12"),
        (99.6, "100"),
        (1234, "1,200"),
    ],
)
def test_two_digits(value: float, text: str) -> None:
    assert round_two(value) == text


def test_a_range_is_a_range() -> None:
    assert span(12.2, 18.9, "h") == "12 to 19 h"
    assert span(12.2, 12.3, "h") == "about 12 h"
    assert span(0, 0, "h") == "0 h"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("Short enough.", 20, "Short enough."),
        ("The first one. The second one is longer.", 30, "The first one."),
        ("One clause; another clause; a third.", 30, "One clause; another clause."),
        ("At 0.874 it turns the verdict round", 20, "At 0.874 it turns …"),
        ("wordwithoutend" * 9, 20, "wordwithoutendwordw…"),
    ],
)
def test_what_does_not_fit_ends_with_a_sentence(text: str, limit: int, shown: str) -> None:
    assert sentences(text, limit) == shown
    assert len(shown) <= limit
