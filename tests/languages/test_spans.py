"""Spans and the offsets that they hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from estimator.languages.spans import Spans


def test_outermost_first_and_the_end_is_outside() -> None:
    spans = Spans([(2, 5, "inner"), (0, 9, "outer"), (2, 7, "middle")])
    assert spans.around(3) == ("outer", "middle", "inner")
    assert spans.around(5) == ("outer", "middle")
    assert spans.around(9) == ()
    assert Spans[str](()).around(0) == ()


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12))), st.integers(-1, 14))
def test_the_same_as_asking_each(pairs: list[tuple[int, int]], offset: int) -> None:
    spans = [(start, end, number) for number, (start, end) in enumerate(pairs)]
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    holding = tuple(value for start, end, value in ordered if start <= offset < end)
    assert Spans(spans).around(offset) == holding
