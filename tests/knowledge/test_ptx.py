"""The PTX table: every instruction finds its family, and the longest prefix wins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.errors import EstimatorError
from estimator.knowledge.ptx import family_of, load_ptx
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
    """Each prefix of each family, with each part that the family asks for."""
    return [
        (f"{prefix}.{part}" if part else prefix, family)
        for family in FAMILIES
        for prefix in family.match
        for part in family.having or ("",)
    ]


@pytest.mark.parametrize(("prefix", "family"), prefixes())
def test_every_prefix_resolves_to_its_own_family(prefix: str, family: PtxFamily) -> None:
    assert family_of(prefix, FAMILIES) is family


@pytest.mark.parametrize(
    ("instruction", "family"),
    [
        ("add.u32", "integer-arithmetic"),
        ("add.rn.ftz.f32", "float-arithmetic"),
        ("add.rz.f32", "directed-rounding"),
        ("fma.rm.ftz.f32x2", "directed-rounding"),
        ("fma.rn.f32.bf16", "half-arithmetic"),
        ("fma.rn.relu.f16x2", "packed-half"),
        ("max.NaN.xorsign.abs.bf16x2", "packed-half"),
        ("fma.rn.ftz.f32x2", "packed-single"),
        ("min.s16x2", "packed-integer"),
        ("mul.rn.satfinite.e4m3x4.e2m1x4.e4m3x4", "small-float-arithmetic"),
        ("mul.wide.u32", "wide-multiply"),
        ("mad.wide.u16", "wide-multiply"),
        ("mad.lo.cc.u32", "carry-chain"),
        ("mad.lo.u32", "integer-arithmetic"),
        ("div.full.f32", "approximate-division"),
        ("ex2.approx.ftz.f32", "elementary-function"),
        ("ex2.approx.f16x2", "packed-half"),
        ("rsqrt.approx.ftz.f32", "reciprocal-root"),
        ("lop3.b32", "logic-3"),
        ("ld.global.f32", "load"),
        ("ld.shared.v4.b32", "load"),
        ("ld.global.nc.L1::no_allocate.v4.f32", "load-cached"),
        ("ld.global.L2::128B.v4.u32", "load-cached"),
        ("ld.acquire.gpu.global.u32", "load-ordered"),
        ("ld.global.acquire.gpu.b32", "load-ordered"),
        ("ld.relaxed.cluster.shared::cta.b32", "load-ordered"),
        ("ld.shared::cluster.u32", "load-cluster"),
        ("ld.param.u64", "load-parameter"),
        ("ldu.global.f32", "load-uniform"),
        ("st.global.cs.v4.f32", "store-cached"),
        ("st.release.sys.global.u32", "store-ordered"),
        ("st.relaxed.cluster.shared::cluster.u64", "store-cluster"),
        ("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32", "store-async"),
        ("red.async.shared::cluster.mbarrier", "store-async"),
        ("st.bulk.weak", "store-bulk"),
        ("cvt.u32.u64", "convert"),
        ("cvt.rn.bf16.f32", "convert-half"),
        ("cvt.rn.satfinite.bf16x2.f32", "convert-packed"),
        ("cvt.rna.tf32.f32", "convert-tf32"),
        ("cvt.rn.satfinite.e4m3x2.f32", "convert-small-float"),
        ("cvt.rn.f16x2.e2m1x2", "convert-small-float"),
        ("cvt.rs.satfinite.e4m3x4.f32", "convert-random"),
        ("cvt.pack.sat.u8.s32.b32", "convert-pack-integer"),
        ("shfl.sync.bfly.b32", "shuffle"),
        ("activemask.b32", "active-mask"),
        ("redux.sync.max.abs.NaN.f32", "warp-reduce"),
        ("bar.warp.sync", "warp-barrier"),
        ("barrier.sync", "block-barrier"),
        ("barrier.red.or.pred", "block-vote"),
        ("barrier.cluster.arrive.release.aligned", "cluster-barrier"),
        ("fence.acq_rel.gpu", "fence"),
        ("fence.proxy.tensormap::generic.acquire.gpu", "fence-async"),
        ("fence.mbarrier_init.release.cluster", "fence-async"),
        ("fence.acquire.sync_restrict::shared::cluster.cluster", "fence-async"),
        ("red.global.add.f32", "atomic-float"),
        ("red.gpu.global.add.noftz.f16x2", "atomic-packed"),
        ("red.global.add.L2::cache_hint.v4.f32", "atomic-vector"),
        ("atom.acq_rel.gpu.global.inc.u32", "atomic"),
        ("red.relaxed.cluster.shared::cluster.add.u32", "atomic-cluster"),
        ("cp.async.cg.shared.global", "async-copy"),
        ("cp.async.wait_group", "async-copy-group"),
        ("cp.async.mbarrier.arrive.noinc.shared::cta.b64", "async-copy-barrier"),
        ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", "bulk-copy"),
        ("cp.async.bulk.tensor.2d.shared::cluster.global.tile", "tensor-copy"),
        ("cp.async.bulk.prefetch.tensor.3d.L2.global.tile", "bulk-prefetch"),
        ("cp.async.bulk.wait_group.read", "bulk-group"),
        ("prefetch.tensormap", "tensor-map"),
        ("prefetch.global.L2", "prefetch"),
        ("mbarrier.try_wait.parity.shared::cta.b64", "mbarrier"),
        ("mapa.shared::cluster.u32", "cluster-address"),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "matrix-load-store"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma"),
        ("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32.satfinite", "mma-integer"),
        ("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "mma-small-float"),
        ("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", "mma-binary"),
        ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "mma-double"),
        ("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "mma-sparse"),
        ("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32", "mma-scaled"),
        ("wmma.load.a.sync.aligned.row.m16n16k16.f16", "wmma-load-store"),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "wmma"),
        ("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16", "wgmma"),
        ("wgmma.mma_async.sp.sync.aligned.m64n8k32.f16.f16.f16", "wgmma-sparse"),
        ("wgmma.fence.sync.aligned", "wgmma-sync"),
        ("tcgen05.mma.cta_group::1.kind::f16", "tcgen05"),
        ("tcgen05.wait::ld.sync.aligned", "tcgen05-sync"),
        ("tcgen05.alloc.exclusive.cta_group::2.sync.aligned.shared::cta.b32", "tcgen05-memory"),
        ("tcgen05.ld.red.sync.aligned.32x32b.x4.min.f32", "tcgen05-move"),
        ("setmaxnreg.inc.sync.aligned.u32", "register-budget"),
        ("call.uni (r), f, (a)", "call"),
        ("bra.uni", "branch"),
        ("vadd4.u32.u32.u32.add", "video-simd"),
        ("tex.2d.v4.f32.f32", "texture"),
        ("fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B", "fabric"),
        ("%laneid", "special-register-lane"),
        ("%tid.x", "special-register"),
        ("mov.u32 %smid", "special-register-processor"),
        ("mov.u64 %globaltimer", "special-register-timer"),
        ("mov.b32 %cluster_ctarank", "special-register-cluster"),
        ("mov.b32 %tmp", "move"),
        ("mov.b32", "move"),
    ],
)
def test_families(instruction: str, family: str) -> None:
    found = family_of(instruction, FAMILIES)
    assert found is not None
    assert found.id == family


@pytest.mark.parametrize(
    ("instruction", "category", "weight"),
    [
        ("ld.global.f32", "inline-ptx", "ptx.simple"),
        ("ld.acquire.gpu.global.u32", "inline-ptx", "ptx.control"),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "inline-ptx", "ptx.mma_async"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "tensor-core", "ptx.mma_async"),
        ("wgmma.fence.sync.aligned", "tensor-core", "ptx.wgmma_tma"),
        ("tcgen05.ld.sync.aligned.32x32b.x8.b32", "tensor-core", "ptx.wgmma_tma"),
        ("cp.async.wait_group", "async-copy", "ptx.mma_async"),
        ("mbarrier.init.shared::cta.b64", "async-copy", "ptx.wgmma_tma"),
        ("barrier.cluster.wait.aligned", "async-copy", "ptx.wgmma_tma"),
        ("mov.u32 %smid", "inline-ptx", "ptx.control"),
    ],
)
def test_category_and_weight(instruction: str, category: str, weight: str) -> None:
    found = family_of(instruction, FAMILIES)
    assert found is not None
    assert (found.category, found.weight) == (category, weight)


# The instruction names of the PTX ISA's instruction chapter up to 9.5, one prefix each.
DOCUMENTED = [
    "abs",
    "activemask",
    "add",
    "addc",
    "alloca",
    "and",
    "applypriority",
    "applypriority.async.bulk",
    "atom",
    "bar",
    "bar.warp",
    "barrier",
    "barrier.cluster",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "bra",
    "brev",
    "brkpt",
    "brx",
    "call",
    "clmad",
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
    "cvt.pack",
    "cvta",
    "discard",
    "div",
    "div.full",
    "dp2a",
    "dp4a",
    "elect",
    "ex2",
    "exit",
    "fabric",
    "fence",
    "fence.alias",
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
    "multimem.cp",
    "multimem",
    "multimem.st.async",
    "nanosleep",
    "neg",
    "not",
    "or",
    "pmevent",
    "popc",
    "prefetch",
    "prefetch.tensormap",
    "prefetchu",
    "prmt",
    "rcp",
    "red",
    "red.async",
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
    "spcompress",
    "spdecompress",
    "sqrt",
    "st.async",
    "st.bulk",
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
    "tensormap.query",
    "tcgen05.mma.ws",
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
    "wgmma.mma_async.sp",
    "wmma",
    "xor",
]


@pytest.mark.parametrize("instruction", DOCUMENTED)
def test_every_documented_instruction_has_a_family(instruction: str) -> None:
    assert family_of(instruction, FAMILIES) is not None


# Special registers of the PTX ISA up to 9.5.
REGISTERS = [
    *("tid", "ntid", "laneid", "warpid", "nwarpid", "ctaid", "nctaid", "smid", "nsmid", "gridid"),
    *("clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid", "cluster_ctarank", "cluster_nctarank"),
    *("is_explicit_cluster", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt"),
    *("clock", "clock_hi", "clock64", "globaltimer", "globaltimer_lo", "globaltimer_hi"),
    *("pm0", "pm7", "pm0_64", "pm7_64", "envreg0", "envreg31", "current_graph_exec", "locality_domain_id"),
    *("reserved_smem_offset_begin", "reserved_smem_offset_end", "reserved_smem_offset_cap", "reserved_smem_offset_0"),
    *("total_smem_size", "aggr_smem_size", "dynamic_smem_size"),
]


@pytest.mark.parametrize("register", REGISTERS)
def test_every_special_register_has_a_family_and_gives_it_to_the_move_that_reads_it(register: str) -> None:
    family = family_of(f"%{register}", FAMILIES)
    assert family is not None
    assert family.id.startswith("special-register")
    assert family_of(f"mov.u32 %{register}", FAMILIES) is family


ASKED = {part for family in FAMILIES for part in family.having}
WORDS = st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True).filter(lambda word: word not in ASKED)
PARTS = st.lists(WORDS, max_size=5)


@given(PARTS, st.sampled_from(prefixes()))
def test_parts_behind_a_prefix_keep_the_family_unless_a_longer_prefix_begins_so(
    parts: list[str], entry: tuple[str, PtxFamily]
) -> None:
    name = ".".join([entry[0], *parts])
    longer = [p for p, _ in prefixes() if len(p) > len(entry[0]) and (name + ".").startswith(p + ".")]
    assert family_of(name, FAMILIES) is entry[1] or longer


@given(st.sampled_from(prefixes()), st.sampled_from([".", "::"]), st.sampled_from(["x9", "q::r"]))
def test_the_longest_prefix_wins(entry: tuple[str, PtxFamily], cut: str, part: str) -> None:
    """What a table says of the whole name goes before what it says of its beginning."""
    special = replace(FAMILIES[0], id="own", match=(f"{entry[0]}{cut}{part}",), having=())
    table = (*FAMILIES, special)
    assert family_of(f"{entry[0]}{cut}{part}.u32", table) is special
    assert family_of(entry[0], table) is entry[1]


def test_a_part_is_asked_for_behind_the_prefix_alone_and_up_to_double_colons() -> None:
    half = replace(FAMILIES[0], id="half", match=("ld.f16",), having=("f16", "L1"))
    plain = replace(FAMILIES[0], id="plain", match=("ld",))
    assert family_of("ld.f16.u8", (half, plain)) is plain
    for name in ("ld.f16.f16", "ld.f16.u8.L1::evict_last"):
        assert family_of(name, (plain, half)) is half
    assert family_of("ld.f16.L16", (half, plain)) is plain


def test_guards_operands_and_strangers() -> None:
    assert family_of("@!%p1 bra LOOP;", FAMILIES) is family_of("bra", FAMILIES)
    assert family_of("ld.global.f32 %0, [%1];", FAMILIES) is family_of("ld", FAMILIES)
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
        (('match = ["ld"]', "match = []"), "family load: match must be a list of texts"),
        (("does = ", 'having = "f16"\ndoes = '), "family load: having must be a list of texts"),
        (("does = ", 'checked = ["hearsay"]\ndoes = '), "family load: checked against hearsay; known are hip, clang"),
        (("does = ", "checked = true\ndoes = "), "family load: checked must be a list of texts"),
        (("does = ", "since = 9\ndoes = "), "family load: since must be a text"),
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


def test_two_families_may_share_a_prefix_but_not_a_part_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "ptx.toml"
    parts = ['["f16", "bf16"]', '["f32"]', '["bf16"]']
    tables = [ONE.replace('"load"', f'"load-{n}"').replace("does", f"having = {p}\ndoes") for n, p in enumerate(parts)]
    path.write_text("".join([ONE, *tables[:2]]), encoding="utf-8")
    assert family_of("ld.f32", load_ptx(path)).id == "load-1"  # type: ignore[union-attr]
    path.write_text("".join([ONE, *tables]), encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_ptx(path)
    assert "family load-2: prefix 'ld' with 'bf16' belongs to load-0 already" in str(raised.value)


def test_what_was_looked_up_nowhere_says_so() -> None:
    """Names of builtins without a check would look established."""
    for family in FAMILIES:
        if "__" in family.amd and not family.checked:
            assert "not verified" in family.amd or "seen at" in family.amd, family.id
