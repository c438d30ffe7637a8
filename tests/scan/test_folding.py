"""Very many places in a file that nobody prices become one row a category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from estimator.scan.folding import MOST_SITES, folded
from estimator.scan.sites import Site
from estimator.sources.files import Owner


def site(path: str, line: int, category: str, owner: Owner) -> Site:
    return Site(path, line, line + 1, 1, category, "rule", "symbol", guards=("X",), excerpt=f"line {line}", owner=owner)


def many(owner: Owner, count: int = MOST_SITES + 1) -> list[Site]:
    return [site("a.cu", line, "inline-ptx" if line % 2 else "warp-size", owner) for line in range(1, count + 1)]


def test_a_generated_file_of_many_places_has_a_row_a_category() -> None:
    ptx, warp = sorted(folded(many(Owner.GENERATED)))
    assert (ptx.category, ptx.line, ptx.end_line, ptx.count, ptx.excerpt) == ("inline-ptx", 1, 202, 101, "line 1")
    assert (warp.category, warp.line, warp.end_line, warp.count, warp.guards) == ("warp-size", 2, 201, 100, ())


def test_a_smaller_one_keeps_its_places() -> None:
    sites = many(Owner.VENDORED, MOST_SITES)
    assert sorted(folded(sites)) == sorted(sites)


def test_own_code_is_never_folded() -> None:
    for owner in (Owner.OWN, Owner.TEST, Owner.EXAMPLE):
        assert len(list(folded(many(owner)))) == MOST_SITES + 1


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("a.cu", "b.cu")),
            st.integers(1, 900),
            st.sampled_from(("inline-ptx", "warp-size", "library-call")),
            st.sampled_from(tuple(Owner)),
            st.integers(1, 90),
        )
    )
)
def test_totals_by_category_stay(rows: list[tuple[str, int, str, Owner, int]]) -> None:
    sites = [replace(site(*row), count=count) for *row, count in rows]
    assert _totals(folded(sites)) == _totals(sites)


def _totals(sites: Iterable[Site]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for one in sites:
        counts[one.path, one.category] += one.count
    return counts
