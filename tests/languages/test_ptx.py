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
        ("mma.sync.aligned.m16n8k{shape}.row.col {%0}, {%1};", ("mma.sync.aligned.m16n8k",)),
        ("mov.b64 a, {$1, {hex(hi)}}; setp.ne.b32 p, $2, 0;", ("mov.b64", "setp.ne.b32")),
        ("mov.b32 %r1, %f8; mov.pred %p, 1;", ("mov.b32", "mov.pred")),
        ("mov.u64 %0, %clock64; mov.u32 x, %pm0;", ("mov.u64 %clock64", "mov.u32 %pm0")),
        ("@%0 bra LAB_%=; @!$3 exit; LAB_%=: ret;", ("bra", "exit", "ret")),
        ('.pragma "nounroll"; .callseq 0; .shared .align 16 .b8 s[64]; .version 8.0', ()),
        ("{ .param .b32 a; st.param.b32 [a], x; call.uni (r), f, (a); }", ("st.param.b32", "call.uni")),
        ("{\n.reg .pred P1;\nWAIT:\n@P1 bra.uni DONE;\nbra WAIT;\nDONE:\n}", ("bra.uni", "bra")),
        ("add.u32 a, b, {c, {d, {e}}};", ("add.u32",)),
        (
            "{if}{__CUDA_ARCH__}tcgen05.ld.sync.aligned {%0}, [%1]; {GUARD} bar.sync 0;",
            ("tcgen05.ld.sync.aligned", "bar.sync"),
        ),
        ("{OPERATION} a, b; {OPERATION}.u32 a, b;", ()),
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
