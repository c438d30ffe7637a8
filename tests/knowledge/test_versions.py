"""Version numbers and specifiers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.knowledge.versions import allows, covers, key_of, named, pinned

RELEASES = st.lists(st.integers(0, 40), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("2.9.1", "2.10.0"),
        ("2.4.0rc1", "2.4"),
        ("0.0.32", "0.0.32.post2"),
        ("2.14.0", "2.14.0.600"),
        ("0.12.0", "0.12.0.1"),
    ],
)
def test_versions_rise(older: str, newer: str) -> None:
    first, second = key_of(older), key_of(newer)
    assert first is not None
    assert second is not None
    assert first < second


@pytest.mark.parametrize("text", ["", "main (379a848)", "2.x/3.x README", "x1", "@ git+https://example.org/a.git"])
def test_what_is_no_version_has_no_key(text: str) -> None:
    assert key_of(text) is None


def test_a_local_version_belongs_to_its_release() -> None:
    assert key_of("2.4.0+cu121") == key_of("v2.4") == key_of("2.4.0")


@pytest.mark.parametrize(
    ("specifier", "yes", "no"),
    [
        ("==2.4.0+cu121", "2.4", "2.4.1"),
        ("==2.4.*", "2.4.9", "2.5"),
        ("==2.0.*", "2.0.7", "2.1"),
        ("=12.1", "12.1.3", "12.2"),
        (">=2.0,<3", "2.15.1", "3.0"),
        ("~=2.2", "2.9", "3.0"),
        ("~=2.2.1", "2.2.9", "2.3"),
        ("^2.1", "2.15", "3.0"),
        ("^0.4", "0.4.9", "0.5"),
        ("~2.1", "2.1.9", "2.2"),
        ("!=2.1,>2", "2.2", "2.1"),
        ("<=2.1", "2.1", "2.1.1"),
        ("", "1", "main"),
    ],
)
def test_specifiers(specifier: str, yes: str, no: str) -> None:
    assert allows(specifier, yes)
    assert not allows(specifier, no)


def test_a_clause_that_can_not_be_read_allows_nothing() -> None:
    assert not allows("@ git+https://example.org/a.git", "1.0")
    assert not allows(">=2,?", "3")


@pytest.mark.parametrize(
    ("specifier", "version"),
    [
        ("==2.4.0", "2.4.0"),
        ("=2.4", "2.4"),
        ("2.4.0", "2.4.0"),
        (">=2.4", ""),
        ("==2.4.*", ""),
        ("", ""),
        ("==1,==2", ""),
    ],
)
def test_pinned(specifier: str, version: str) -> None:
    assert pinned(specifier) == version


def test_cells_name_versions_and_ranges() -> None:
    assert list(named("0.14.0 to 0.18.0; 2.4; main (379a848)")) == [("0.14.0", "0.18.0"), ("2.4", "2.4")]
    assert covers("0.14.0", "0.18.0", "0.18.0.post1")
    assert not covers("0.14.0", "0.18.0", "0.18.1")
    assert covers("2.4", "2.4", "2.4.1")
    assert not covers("2.4", "2.4", "2.40")


@given(RELEASES, RELEASES)
def test_of_two_versions_one_is_allowed_from_the_other_on(one: str, other: str) -> None:
    assert allows(f">={one}", other) or allows(f">={other}", one)
    assert allows(f">={one}", other) != allows(f"<{one}", other)
    assert allows(f"=={one}", one)


@given(st.text(max_size=60), st.text(max_size=20))
def test_any_text_is_read(specifier: str, version: str) -> None:
    assert allows(specifier, version) in (True, False)
    assert pinned(specifier) == "" or key_of(pinned(specifier)) is not None
