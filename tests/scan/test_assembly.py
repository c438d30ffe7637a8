"""Which assembly is PTX, what names it, and that what is not known is shown and never worth zero."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from estimator.effort.pricing import unpriced
from estimator.findings import gather
from estimator.knowledge import load_heuristics
from estimator.languages.facts import FactKind
from estimator.languages.ptx import instructions
from estimator.languages.readings import simple_fact
from estimator.scan import scan
from estimator.scan.assembly import UNKNOWN, as_ptx
from estimator.sources import open_source

HEURISTICS = load_heuristics()


def reading(text: str, language: str = "cuda", space: str = "device") -> tuple[str, ...] | None:
    """Family and categories of an asm text; None when it is no PTX."""
    fact = simple_fact(FactKind.ASM, text, 1, detail=" | ".join(instructions(text)))
    found = as_ptx(replace(fact, space=space), HEURISTICS.ptx, language)
    return (found.family, *found.categories) if found else None


@pytest.mark.parametrize(
    ("text", "language", "space", "expected"),
    [
        ("brkpt;", "cpp", "device", ("trap", "inline-ptx")),  # a header's function for the device
        ("trap;", "cuda", "host", None),
        ("prmt.b32 %0, %1, %2, %3;", "cpp", "", ("byte-permute", "inline-ptx")),
        ("ld.global.nc.u32 %0, [%1]; mma.sync.aligned.m16n8k8 a;", "cuda", "", ("mma", "inline-ptx", "tensor-core")),
        ("mov.b32 %0, %%cluster_ctarank;", "cuda", "", ("special-register-cluster", "inline-ptx")),
        ("vsetvli t0, a0, e8; vadd.vv v0, v1, v2; add a0, a0, t0;", "cpp", "host", None),  # RISC-V
        ("vadd.vi v0, v1, 3; vmax.vx v1, v2, a0", "cpp", "", None),
        ("ldr q0, [x0]; mul v0.4s, v1.4s, v2.4s; add x0, x0, 16; b.ne 1b;", "cpp", "", None),  # Arm
        ("mov %%rbx, %%rsi; xor %%eax, %%eax; add $8, %0;", "cpp", "host", None),  # x86
        ("fence.tso; fence.i", "cpp", "host", None),
        ("fmul.s f0, f1, f2; abs.s f1, f1; add.d f2, f2, f3", "cpp", "host", None),  # MIPS
        ("v_add_f32 %0, %1, %2", "cuda", "device", None),
        ("newop.sync.b32 %0, %1;", "cuda", "device", (UNKNOWN, "inline-ptx")),
        ("newop.sync.b32 %0, %1; ld.global.u32 %2, [%3];", "cuda", "device", ("load", "inline-ptx")),
        ("{OPERATION}", "cuda", "device", (UNKNOWN, "inline-ptx")),
        ("{text}", "python", "device", (UNKNOWN, "inline-ptx")),
        ("ex2.approx.ftz.f32 $0, $1;", "python", "device", ("elementary-function", "inline-ptx")),
    ],
)
def test_what_an_asm_text_is(text: str, language: str, space: str, expected: tuple[str, ...] | None) -> None:
    assert reading(text, language, space) == expected


def test_an_unknown_instruction_is_shown_without_a_price_and_never_as_zero(tmp_path: Path) -> None:
    code = '__global__ void f(int* p) { asm volatile("newop.sync.b32 %0, %1;" : "=r"(p[0]) : "r"(p[1])); }\n'
    (tmp_path / "a.cu").write_text(code)
    found = gather(scan(open_source(tmp_path), HEURISTICS), {}, HEURISTICS)
    rows = {row.weight: row for row in unpriced(found, HEURISTICS.weights)}
    assert rows["ptx.unknown"].sites == 1
    assert "does not know" in rows["ptx.unknown"].reason
