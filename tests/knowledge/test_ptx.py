"""The PTX table: every instruction finds its family, and the longest prefix wins."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.errors import EstimatorError
from estimator.knowledge.ptx import by_prefix, family_of, load_ptx
from estimator.knowledge.values import PtxFamily
from estimator.resources import data_folder

FAMILIES = load_ptx(data_folder("heuristics") / "ptx.toml")

ONE = """
[[family]]
id = "load"
match = ["ld"]
does = "Loads."
amd = "a plain load"
triton = "tl.load"
weight = "ptx.simple"
category = "inline-ptx"
source = "PTX ISA"
as_of = "2026-11-30"
"""


def prefixes() -> list[tuple[str, PtxFamily]]:
    return [(prefix, family) for family in FAMILIES for prefix in family.match]


@pytest.mark.parametrize(("prefix", "family"), prefixes())
def test_every_prefix_resolves_to_its_own_family(prefix: str, family: PtxFamily) -> None:
    assert family_of(prefix, FAMILIES) is family


@pytest.mark.parametrize(
    ("instruction", "family", "category", "weight"),
    [
        ("ld.global.f32", "load", "inline-ptx", "ptx.simple"),
        ("ld.global.nc.L1::no_allocate.v4.f32", "load-cached", "inline-ptx", "ptx.simple"),
        ("ld.acquire.gpu.global.u32", "load-ordered", "inline-ptx", "ptx.control"),
        ("ld.shared::cluster.u32", "store-cluster", "async-copy", "ptx.wgmma_tma"),
        ("st.global.cs.v4.f32", "store-cached", "inline-ptx", "ptx.simple"),
        ("cvt.rn.satfinite.e4m3x2.f32", "convert-small-float", "inline-ptx", "ptx.simple"),
        ("cvt.rna.tf32.f32", "convert", "inline-ptx", "ptx.simple"),
        ("lop3.b32", "logic-3", "inline-ptx", "ptx.simple"),
        ("mad.lo.cc.u32", "carry-chain", "inline-ptx", "ptx.simple"),
        ("mad.lo.u32", "integer-arithmetic", "inline-ptx", "ptx.simple"),
        ("mad.wide.u16", "wide-multiply", "inline-ptx", "ptx.simple"),
        ("shfl.sync.bfly.b32", "shuffle", "inline-ptx", "ptx.simple"),
        ("activemask.b32", "active-mask", "inline-ptx", "ptx.control"),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "matrix-load-store", "inline-ptx", "ptx.mma_async"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma", "tensor-core", "ptx.mma_async"),
        ("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "mma", "tensor-core", "ptx.mma_async"),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "wmma", "tensor-core", "ptx.mma_async"),
        ("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16", "wgmma", "tensor-core", "ptx.wgmma_tma"),
        ("tcgen05.mma.cta_group::1.kind::f16", "tcgen05", "tensor-core", "ptx.wgmma_tma"),
        ("cp.async.cg.shared.global", "async-copy", "async-copy", "ptx.mma_async"),
        ("cp.async.wait_group", "async-copy-group", "async-copy", "ptx.mma_async"),
        ("cp.async.bulk.tensor.2d.shared::cluster.global.tile", "tensor-copy", "async-copy", "ptx.wgmma_tma"),
        ("cp.async.bulk.commit_group", "bulk-group", "async-copy", "ptx.wgmma_tma"),
        ("mbarrier.try_wait.parity.shared::cta.b64", "mbarrier", "async-copy", "ptx.wgmma_tma"),
        ("barrier.cluster.arrive.release.aligned", "cluster-barrier", "async-copy", "ptx.wgmma_tma"),
        ("barrier.sync", "block-barrier", "inline-ptx", "ptx.control"),
        ("fence.proxy.async.shared::cta", "fence-async", "async-copy", "ptx.wgmma_tma"),
        ("fence.acq_rel.gpu", "fence", "inline-ptx", "ptx.control"),
        ("mapa.shared::cluster.u32", "cluster-address", "async-copy", "ptx.wgmma_tma"),
        ("tensormap.replace.tile.global_address", "tensor-map", "async-copy", "ptx.wgmma_tma"),
        ("red.global.add.f32", "atomic", "inline-ptx", "ptx.control"),
        ("red.async.shared::cluster.mbarrier", "store-cluster", "async-copy", "ptx.wgmma_tma"),
        ("setmaxnreg.inc.sync.aligned.u32", "register-budget", "inline-ptx", "ptx.control"),
        ("vadd4.u32.u32.u32.add", "video-simd", "inline-ptx", "ptx.simple"),
        ("tex.2d.v4.f32.f32", "texture", "inline-ptx", "ptx.simple"),
        ("%laneid", "special-register", "inline-ptx", "ptx.simple"),
        ("%tid.x", "special-register", "inline-ptx", "ptx.simple"),
        ("%globaltimer", "special-register-hardware", "inline-ptx", "ptx.control"),
        ("%cluster_ctaid.x", "special-register-cluster", "async-copy", "ptx.wgmma_tma"),
    ],
)
def test_families(instruction: str, family: str, category: str, weight: str) -> None:
    found = family_of(instruction, FAMILIES)
    assert found is not None
    assert (found.id, found.category, found.weight) == (family, category, weight)


# The instruction names of the PTX ISA's instruction chapter, one prefix each.
DOCUMENTED = [
    "abs",
    "activemask",
    "add",
    "addc",
    "alloca",
    "and",
    "applypriority",
    "atom",
    "bar",
    "barrier",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "bra",
    "brev",
    "brkpt",
    "brx",
    "call",
    "clusterlaunchcontrol",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "cp.async",
    "cp.async.bulk",
    "cp.reduce.async.bulk",
    "createpolicy",
    "cvt",
    "cvta",
    "discard",
    "div",
    "dp2a",
    "dp4a",
    "elect",
    "ex2",
    "exit",
    "fence",
    "fma",
    "fns",
    "getctarank",
    "griddepcontrol",
    "isspacep",
    "istypep",
    "ld",
    "ldmatrix",
    "ldu",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "madc",
    "mapa",
    "match",
    "max",
    "mbarrier",
    "membar",
    "min",
    "mma",
    "mov",
    "movmatrix",
    "mul",
    "mul24",
    "multimem",
    "nanosleep",
    "neg",
    "not",
    "or",
    "pmevent",
    "popc",
    "prefetch",
    "prefetchu",
    "prmt",
    "rcp",
    "red",
    "redux",
    "rem",
    "ret",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setmaxnreg",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "st",
    "stackrestore",
    "stacksave",
    "stmatrix",
    "sub",
    "subc",
    "suld",
    "suq",
    "sured",
    "sust",
    "szext",
    "tanh",
    "tcgen05",
    "tensormap",
    "testp",
    "tex",
    "tld4",
    "trap",
    "txq",
    "vabsdiff",
    "vabsdiff2",
    "vabsdiff4",
    "vadd",
    "vadd2",
    "vadd4",
    "vavrg2",
    "vavrg4",
    "vmad",
    "vmax",
    "vmax2",
    "vmax4",
    "vmin",
    "vmin2",
    "vmin4",
    "vote",
    "vset",
    "vset2",
    "vset4",
    "vshl",
    "vshr",
    "vsub",
    "vsub2",
    "vsub4",
    "wgmma",
    "wmma",
    "xor",
]


@pytest.mark.parametrize("instruction", DOCUMENTED)
def test_every_documented_instruction_has_a_family(instruction: str) -> None:
    assert family_of(instruction, FAMILIES) is not None


@given(st.lists(st.text("abcdefgh0123456789:", min_size=1, max_size=6), max_size=5), st.sampled_from(prefixes()))
def test_qualifiers_behind_a_prefix_never_lose_the_family(qualifiers: list[str], entry: tuple[str, PtxFamily]) -> None:
    found = family_of(".".join([entry[0], *qualifiers]), FAMILIES)
    assert found is not None
    assert max(len(p) for p in found.match) >= len(entry[0]) or found is entry[1]


def test_guards_operands_and_strangers() -> None:
    assert family_of("@!%p1 bra LOOP;", FAMILIES) is family_of("bra", FAMILIES)
    assert family_of("ld.global.f32 %0, [%1];", by_prefix(FAMILIES)) is family_of("ld", FAMILIES)
    for nothing in ("", "@p", "v_mov_b32", "ldx", ".reg", "mma_sync"):
        assert family_of(nothing, FAMILIES) is None


def test_another_table_is_not_mixed_up_with_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "ptx.toml"
    path.write_text(ONE, encoding="utf-8")
    other = load_ptx(path)
    assert family_of("mma.sync", FAMILIES) is not None
    assert family_of("mma.sync", other) is None
    assert family_of("mma.sync", FAMILIES) is not None


def test_every_cell_is_filled() -> None:
    for family in FAMILIES:
        assert all((family.does, family.amd, family.triton, family.source, family.as_of)), family.id


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("ptx.simple", "ptx.easy"), "family load: no weight 'ptx.easy'"),
        (("inline-ptx", "inline"), "family load: no category 'inline'"),
        (('match = ["ld"]', "match = []"), "family load: match must be a list of prefixes"),
        (('does = "Loads."', "doe = 1"), "family load: no key 'doe'"),
        (('does = "Loads."', ""), "family load: 'does' is missing"),
        (('"Loads."', "3"), "family load: does must be a text"),
        (("[[family]]", "[family]"), "write [[family]]"),
        (("[[family]]", "[[families]]"), "families: no such key"),
    ],
)
def test_faults_are_named(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = tmp_path / "ptx.toml"
    path.write_text(ONE.replace(*change), encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_ptx(path)
    assert message in str(raised.value)
    assert str(path) in str(raised.value)


def test_two_families_cannot_share_a_prefix_or_an_id(tmp_path: Path) -> None:
    path = tmp_path / "ptx.toml"
    path.write_text(ONE + ONE, encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_ptx(path)
    assert "the id stands in the file already" in str(raised.value)
    assert "prefix 'ld' belongs to load already" in str(raised.value)
