"""Asm texts to instructions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.languages.ptx import instructions


@pytest.mark.parametrize(
    ("text", "opcodes"),
    [
        ("", ()),
        ("membar.gl;", ("membar.gl",)),
        ("add.u32 %0, %1, %2;\n\tmul.lo.u32 %0, %0, 3;", ("add.u32", "mul.lo.u32")),
        ("LOOP:\n bra LOOP;", ("bra",)),
        ("$L_1: ret;", ("ret",)),
        ("%laneid: add.u32 a, b, c;", ("add.u32",)),
        ("ld.global.L1::no_allocate.f32 %0, [%1];", ("ld.global.L1::no_allocate.f32",)),
        ("@p bra DONE; @!%%q add.s32 a, a, 1; @%p0 exit;", ("bra", "add.s32", "exit")),
        ("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p bar.sync 0; }", ("setp.ne.b32", "bar.sync")),
        ("mma.sync.aligned.m16n8k16 {%0, %1}, {%2}, {%3}, {%0, %1};", ("mma.sync.aligned.m16n8k16",)),
        ("{membar.gl %0, 1}", ("membar.gl",)),
        ("mov.u32 %0, %%smid;", ("mov.u32 %smid",)),
        ("mov.u32 %0, %laneid;", ("mov.u32 %laneid",)),
        ("mov.u32 r1, r2;", ("mov.u32",)),
        ("add.u32 %0, %%tid, 1;", ("add.u32",)),
        ("// bar.sync 0;\nmembar.cta; /* trap; */", ("membar.cta",)),
        ("nanosleep.u32 20", ("nanosleep.u32",)),
        ("cp.async.wait_all\ncp.async.commit_group", ("cp.async.wait_all", "cp.async.commit_group")),
        (".reg .b32 r; .shared .b8 s[4];", ()),
        (";;{}{;}", ()),
        ("ld{cache}.u32 %0, [%1];", ("ld",)),
    ],
)
def test_instructions_of_an_asm_text(text: str, opcodes: tuple[str, ...]) -> None:
    assert instructions(text) == opcodes


@given(st.text(alphabet="abm.;{}@!%$:/* \n,0_[]\\#"))
def test_any_text_is_read_and_opcodes_are_words(text: str) -> None:
    assert all(opcode.strip() for opcode in instructions(text))


@given(st.lists(st.sampled_from(["add.u32", "bar.sync", "ldmatrix.sync", "mov.b32"]), min_size=1))
def test_one_instruction_a_statement(opcodes: list[str]) -> None:
    assert instructions("".join(f"  {opcode} a, b;\n" for opcode in opcodes)) == tuple(opcodes)
