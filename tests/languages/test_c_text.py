"""C-family text before it is read: what is masked, what is compiled, what holds where."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from estimator.languages.c_text import CText, blank, matching, read_text, words_at
from tests.pace import within

_PIECES = st.sampled_from(
    [
        *("#if A\n", "#if 0\n", "#ifdef USE_ROCM\n", "#ifndef H\n", "#elif B\n", "#elif 1\n", "#else\n", "#endif\n"),
        *("#define M(x) f(x) \\\n g(x)\n", "/* c", "*/", "// c \\\n", "'", '"', 'R"(', ')"', "{", "}", "(", ")", ";"),
        *("\n", "\\\n", "\\", " ", "f(x)", "1'000", "é", "\t", "#", "__global__ void k() {", "asm("),
    ]
)
texts = st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=25).map("".join))


def holding(source: CText, word: str) -> tuple[tuple[str, ...], str]:
    return source.conditions.at(source.text.index(word))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("a // b\nc", "a     \nc"),
        ("a // b \\\n still b\nc", "a       \n        \nc"),
        ("a // b \\ c\nd", "a         \nd"),
        ("a /* b\n b */ c", "a     \n      c"),
        ("a /* b", "a     "),
        ('f("a // b") /*x*/', 'f("      ")      '),
        (r'f("a\"b") g', 'f("    ") g'),
        ('"open\nx', '"   "\nx'),
        ('R"(a " // b)" c', '"           " c'),
        ('R"x(a)" b)x" c', '"          " c'),
        ('LR"(a\nb)" c', '"    \n  " c'),
        ("1'000'000 x", "1'000'000 x"),
        ("'a' x", "0   x"),
        ("'\\'' x", "0    x"),
        ("u8'a' x", "0     x"),
        ("xu8'a' R'b' L'\"' x", "xu8'a' R'b' 0    x"),
        ('u8R"(a//)" U8R"(b)" c', '"        " U8"    " c'),
        ('xR"(a)" uR"(b c', 'x"    " uR"   "'),
        ("don't do", "don't do"),
        ("caf\u00e9", "caf_"),
    ],
)
def test_comments_and_literals_are_masked(text: str, masked: str) -> None:
    assert read_text(text).masked == masked


def test_what_needs_no_mask_is_passed_over() -> None:
    text = "value = other(first + second) - third;\n" * 100_000
    with within(0.1):
        assert read_text(text).masked == text


@pytest.mark.parametrize("names", [{"a_b"}, {"a_b", "c", "absent"}, {"a_b", "c", *(f"absent_{n}" for n in range(99))}])
@given(text=st.lists(st.sampled_from(["a_b", "c", "xa_b", "1", " ", "(", "\n"]), max_size=25).map("".join))
def test_words_are_found_whole_and_in_order(names: set[str], text: str) -> None:
    expected = [match.span() for match in re.finditer(r"\b[A-Za-z_]\w*", text) if match[0] in names]
    assert [match.span() for match in words_at(text, names)] == expected


def test_many_names_are_found_too() -> None:
    names = [f"name_{number}" for number in range(99)]
    assert [match[0] for match in words_at(" other ".join(names), set(names))] == names


def test_strings_keep_their_value_and_place() -> None:
    source = read_text('f("a\\n\\"b\\"", R"y(c\\n)y", "split \\\nline")')
    assert [literal.value for literal in source.strings] == ['a\n"b"', "c\\n", "split line"]
    first = source.strings[0]
    assert source.text[first.start : first.end] == '"a\\n\\"b\\""'
    assert [literal.value for literal in source.strings_in(3, len(source.text))] == ["c\\n", "split line"]


@pytest.mark.parametrize(
    ("text", "live"),
    [
        ("#if 0\nno();\n#endif\nyes();\n", {"yes"}),
        ("#if 0\nno();\n#else\nyes();\n#endif\n", {"yes"}),
        ("#if 1\nyes();\n#else\nno();\n#endif\n", {"yes"}),
        ("#if true\nyes();\n#elif B\nno();\n#else\nno();\n#endif\n", {"yes"}),
        ("#if 0\nno();\n#elif B\nyes();\n#else\nalso();\n#endif\n", {"yes", "also"}),
        ("#if 0\n#if A\nno();\n#endif\n#else\nyes();\n#endif\n", {"yes"}),
        ("#if A\nyes();\n", {"yes"}),
        ("#endif\n#else\nyes();\n", {"yes"}),
    ],
)
def test_what_is_never_compiled_is_gone(text: str, live: set[str]) -> None:
    source = read_text(text)
    assert {word for word in ("yes", "also", "no") if f"{word}(" in source.masked} == live


def test_directives_in_dead_text_are_none() -> None:
    source = read_text('#if 0\n#define A 1\n#include "a.h"\n#endif\n#define B 2\n')
    assert [(directive.name, directive.text) for directive in source.directives] == [
        ("if", "0"),
        ("endif", ""),
        ("define", "B 2"),
    ]


def test_directives_are_one_line_and_hidden_from_the_parser() -> None:
    text = '#  include <cuda.h>\n#define F(x) \\\n  g(x)\n/* #define NO */\n"#define NO"\n'
    source = read_text(text)
    assert [(directive.name, directive.text) for directive in source.directives] == [
        ("include", "<cuda.h>"),
        ("define", "F(x) g(x)"),
    ]
    assert "define" not in source.parse
    body = source.directives[1]
    assert text[body.text_start : body.end].split() == ["\\", "g(x)"]
    assert (body.text_start, body.end) in source.lexical


def test_guards_say_what_holds() -> None:
    text = "#ifdef A\na\n#elif B > 1\nb\n#else\nc\n#ifndef D\nd\n#endif\n#endif\ne\n"
    source = read_text(text.replace("\na\n", "\naa\n"))
    assert holding(source, "aa")[0] == ("defined(A)",)
    assert holding(source, "\nb\n")[0] == ("!(defined(A)) && B > 1",)
    assert holding(source, "\nc\n")[0] == ("!(defined(A)) && !(B > 1)",)
    assert holding(source, "\nd\n")[0] == ("!(defined(A)) && !(B > 1)", "!defined(D)")
    assert holding(source, "\ne\n")[0] == ()


@pytest.mark.parametrize(
    "text",
    [
        "#ifndef X_H\n#define X_H\nbody\n#endif\n",
        "// licence\n#ifndef X_H\n#define X_H\n#if A\n#endif\nbody\n#endif // X_H\n",
        "#if !defined(X_H)\n#define X_H 1\nbody\n#endif\n",
    ],
)
def test_an_include_guard_is_no_condition(text: str) -> None:
    assert holding(read_text(text), "body") == ((), "")


def test_a_default_for_a_macro_is_no_include_guard() -> None:
    source = read_text("#ifndef N\n#define N 1\nbody\n#endif\nf();\n#if A\n#endif\n")
    assert holding(source, "body")[0] == ("!defined(N)",)


@pytest.mark.parametrize(
    ("text", "arm"),
    [
        ("#ifdef USE_ROCM\nhip();\n#else\nnv();\n#endif", "works"),
        ("#ifndef USE_ROCM\nnv();\n#else\nhip();\n#endif", "works"),
        ("#if defined(USE_ROCM)\nthrow 1;\n#else\nnv();\n#endif", "throws"),
        ("#if defined(USE_ROCM)\n#error no\n#else\nnv();\n#endif", "throws"),
        ('#if defined(USE_ROCM)\nTORCH_CHECK(false, "no");\n#else\nnv();\n#endif', "throws"),
        ("#if defined(USE_ROCM)\nx = 1; throw 1;\n#else\nnv();\n#endif", "works"),
        ("#if defined(USE_ROCM)\n\n#else\nnv();\n#endif", "throws"),
        ("#ifndef USE_ROCM\nnv();\n#endif", "missing"),
        ("#if !defined(USE_ROCM) && A\nnv();\n#endif", "missing"),
        ("#ifdef __CUDACC__\nnv();\n#endif", ""),
        ("#ifdef A\nnv();\n#else\nhip();\n#endif", ""),
        ("#ifdef USE_ROCM\nnv();\n#endif", "amd"),
        ("#ifdef USE_ROCM\n#ifndef __HIP_X\nnv();\n#endif\n#endif", "amd"),
    ],
)
def test_what_amd_has_at_a_place(text: str, arm: str) -> None:
    assert holding(read_text(text), "nv")[1] == arm


def test_arms_that_share_braces_leave_one_for_the_parser() -> None:
    text = "#ifdef A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}\n"
    source = read_text(text)
    assert "int a" in source.parse
    assert "void f()" not in source.parse
    assert "void f()" in source.masked
    hidden = text.index("\nvoid f() {")
    assert any(start <= hidden + 1 < end for start, end in source.lexical)


def test_an_arm_that_ends_inside_a_statement_is_not_parsed_twice() -> None:
    source = read_text("int x =\n#ifdef A\n 1 +\n#else\n 2 +\n#endif\n 3;\n")
    assert "1 +" in source.parse
    assert "2 +" not in source.parse


def test_whole_arms_are_both_parsed() -> None:
    source = read_text("#ifdef A\nint f() { return 1; }\n#else\nint f() { return 2; }\n#endif\n")
    assert "return 1" in source.parse
    assert "return 2" in source.parse


def test_brackets_are_matched_within_a_limit() -> None:
    assert matching("f(a(b)c)d", 1) == 8
    assert matching("(((", 0) == -1
    assert matching("(12345)", 0, limit=3) == -1
    assert matching("{a{}}", 0, "{", "}") == 5


def test_lines_are_counted_from_one() -> None:
    source = read_text("a\nb\n\nc")
    assert [source.line(offset) for offset in (0, 1, 2, 4, 5)] == [1, 1, 2, 3, 4]
    assert source.line_start(5) == 5


def test_deep_nesting_takes_no_more_than_its_length() -> None:
    depth = 20_000
    source = read_text("#if A\n" * depth + "x\n" + "#endif\n" * depth)
    assert 0 < len(holding(source, "x")[0]) <= 100  # the outermost and innermost conditions are kept


@given(texts)
@example("'")
@example('R"(')
@example("#if 0\n#else")
@example("// \\\n\\")
@example('"\\\n')
def test_every_form_keeps_length_and_lines(text: str) -> None:
    source = read_text(text)
    newlines = [offset for offset, character in enumerate(text) if character == "\n"]
    for form in (source.masked, source.parse):
        assert len(form) == len(text)
        assert [offset for offset, character in enumerate(form) if character == "\n"] == newlines
        assert form.isascii()
    assert all(0 <= start <= end <= len(text) for start, end in source.lexical)


@given(texts)
def test_the_parser_sees_only_what_is_there(text: str) -> None:
    source = read_text(text)
    assert all(seen in (" ", there) for seen, there in zip(source.parse, source.masked, strict=True))


@given(st.text())
def test_a_blank_keeps_line_ends(text: str) -> None:
    assert blank(text).split("\n") == [" " * len(line) for line in text.split("\n")]
