"""Bytes as text: marks, wide characters, line ends, and what is no text at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.sources.decode import Binary, Text, decode, is_minified

KERNEL = "__global__ void f(float *x) {}\nint main() {}\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp932"]
)
def test_an_encoding_changes_nothing(encoding: str) -> None:
    assert decode(KERNEL.encode(encoding)) == Text(KERNEL)


def test_latin_1_is_read_where_utf_8_fails() -> None:
    assert decode("// größe\n".encode("latin-1")) == Text("// größe\n")


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_line_ends_are_counted_as_an_editor_counts(end: str) -> None:
    assert decode(end.join(["a", "b", ""]).encode()) == Text("a\nb\n")


def test_binary_by_an_early_nul() -> None:
    assert decode(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0") == Binary()


def test_a_late_nul_becomes_a_space() -> None:
    assert decode(b"x" * 9000 + b"\0y") == Text("x" * 9000 + " y")


def test_what_was_lost_is_said() -> None:
    assert decode(b"\xff\xfea\0b\0\0") == Text("ab\ufffd", 1, "utf-16-le")


@given(st.binary(max_size=2000))
def test_any_bytes_decode_without_an_exception(content: bytes) -> None:
    decoded = decode(content)
    if isinstance(decoded, Text):
        assert "\r" not in decoded.text
        assert "\0" not in decoded.text
        decoded.text.encode()  # no lone surrogates


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\ufeff"), max_size=300))
def test_utf_8_comes_back_as_it_was(text: str) -> None:
    assert decode(text.encode()) == Text(text)


def test_minified() -> None:
    assert is_minified("x" * 600)
    assert is_minified("a\n" * 1000 + "x" * 20_001)
    assert not is_minified("a line of ordinary length\n" * 1000)
    assert not is_minified("")
