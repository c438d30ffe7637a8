# ruff: noqa: E501  (rows of tables read better whole)
"""Assessments made by hand, so that the report can be tested without the stages before it.

The figures are invented for the tests; lines, parts, phases and scopes agree with each other as `effort` makes them agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from estimator.assessment import Assessment, Reliability, Repository, Run
from estimator.decision.values import (
    Basis,
    Decision,
    Flip,
    GapPoint,
    MoneyLine,
    OptionView,
    Range,
    Reason,
    Scenario,
    Verdict,
)
from estimator.effort.side_by_side import Change, ScopeTotal
from estimator.effort.values import (
    FUNCTIONAL_PARTS,
    Draws,
    Driver,
    EffortLine,
    Estimate,
    KernelPrice,
    OptionEstimate,
    Spread,
    UnpricedRow,
)
from estimator.errors import Trouble
from estimator.findings.scope import ScopeEffect, ScopeEntry
from estimator.findings.set_apart import SetApart
from estimator.findings.values import Disposition, Finding, Findings, Inventory, JudgedKernel, JudgedSite
from estimator.knowledge.values import (
    PARTS,
    PHASES,
    Component,
    Heuristics,
    Policy,
    PolicyLine,
    Repeat,
    Rule,
    Units,
    Unpriced,
    Weight,
)
from estimator.languages.facts import Confidence
from estimator.quantities import Hours
from estimator.scan.sites import Credit, FileCount, Kernel, Site
from estimator.sources.files import Owner, SkippedGroup

DAY = 7.0

# weight, title, part, phase, unit, count, amd hours, triton hours, grade, fixed, category, library, rule, sites
ROWS: tuple[tuple[object, ...], ...] = (
    ("setup.toolchain", "ROCm tool chain, first build", "setup", "runs", "repository", 1, (4, 10, 32), (2, 6, 24), "B", True, "", "", "", 0),
    ("setup.ci", "CI runner with an AMD card", "setup", "runs", "repository", 1, (4, 12, 40), (4, 12, 40), "C", True, "", "", "", 0),
    ("runtime.call", "Runtime calls renamed by HIPIFY", "conversion", "runs", "call site", 9, (0.1, 0.4, 2), (0.1, 0.3, 2), "A", False, "runtime-api", "", "cuda.runtime-call", 9),
    ("ptx.simple", "Inline PTX, one instruction", "remediation", "runs", "asm statement", 6, (1.5, 4.5, 12), (0, 0.8, 6), "C", False, "inline-ptx", "", "cuda.inline-ptx", 6),
    ("warp.size32", "Assumes a warp of 32 lanes", "remediation", "right", "function", 5, (1, 6, 48), (0, 0, 1), "B", False, "warp-size", "", "cuda.warp-size", 5),
    ("warp.primitive", "Shuffles between lanes", "remediation", "right", "call site", 6, (0.2, 0.6, 4), (0, 0, 1), "B", False, "warp-primitive", "", "cuda.warp-shuffle", 6),
    ("kernel.reduction", "Own kernel: reduction or softmax", "kernels", "runs", "kernel", 3, (0.3, 1.5, 9), (8, 22, 66), "A", False, "cuda-kernel", "", "cuda.kernel", 3),
    ("kernel.tensor_raw", "Own kernel: tensor cores by raw mma", "kernels", "runs", "kernel family", 2, (52, 153, 540), (40, 136, 470), "A", False, "cuda-kernel", "", "cuda.kernel", 2),
    ("tensor.mma", "mma and ldmatrix in asm", "remediation", "runs", "pattern", 3, (4, 10, 24), (0, 1, 4), "C", False, "tensor-core", "", "cuda.mma-asm", 3),
    ("lib.cublaslt", "cuBLASLt matrix products", "libraries", "runs", "symbol", 2, (2, 9, 36), (1, 5, 20), "B", False, "library-call", "cublaslt", "cuda.cublaslt", 2),
    ("build.setup", "Build files of the extension", "delivery", "runs", "file", 1, (2, 6, 20), (1, 3, 12), "B", False, "build-system", "", "python.cuda-extension", 1),
    ("container.base", "Container image", "delivery", "runs", "image", 1, (1, 4, 16), (1, 3, 12), "C", False, "container", "", "container.cuda-base", 1),
    ("validate.numerics", "Numerical comparison on both vendors", "validation", "right", "kernel", 5, (6, 20, 80), (6, 20, 70), "C", True, "", "", "", 0),
    ("tune.constants", "Tuning constants searched again", "retuning", "fast", "hot kernel", 2, (10, 40, 160), (8, 24, 90), "C", False, "tuning-constant", "", "cuda.launch-bounds", 2),
    ("learn.hip", "Learning HIP and its tools", "learning", "runs", "engineer", 2, (8, 24, 60), (8, 30, 80), "C", True, "", "", "", 0),
)  # fmt: skip

RULE_TITLES = {
    "cuda.runtime-call": "Calls of the CUDA runtime",
    "cuda.inline-ptx": "Inline PTX",
    "cuda.warp-size": "Code that assumes 32 lanes",
    "cuda.warp-shuffle": "Shuffles that assume a warp of 32 lanes",
    "cuda.kernel": "Own kernels",
    "cuda.mma-asm": "Tensor core instructions in asm",
    "cuda.cublaslt": "Direct cuBLASLt calls",
    "python.cuda-extension": "A CUDA extension in setup.py",
    "container.cuda-base": "A CUDA base image",
    "cuda.launch-bounds": "Launch bounds chosen for speed",
    "cuda.managed": "Managed memory",
}

SOURCE_LINES = {
    "runtime-api": ("cudaMemcpyAsync", "cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToHost, stream);"),
    "inline-ptx": ("ex2.approx", 'asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));'),
    "warp-size": ("32", "int lane = threadIdx.x % 32;"),
    "warp-primitive": ("__shfl_xor_sync", "v += __shfl_xor_sync(0xffffffff, v, offset);"),
    "cuda-kernel": ("flash_fwd", "__global__ void flash_fwd(const half* q, const half* k, float* o, int n) {"),
    "tensor-core": ("mma.sync", 'asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 …");'),
    "library-call": ("cublasLtMatmul", "check(cublasLtMatmul(handle, op, &alpha, a, la, b, lb, &beta, c, lc, c, lc, &algo, ws, n, s));"),
    "build-system": ("CUDAExtension", 'ext_modules=[CUDAExtension("attention_kernels._C", sources)],'),
    "container": ("nvidia/cuda", "FROM nvidia/cuda:12.8.1-devel-ubuntu24.04"),
    "tuning-constant": ("__launch_bounds__", "__launch_bounds__(256, 2)"),
    "managed-memory": ("cudaMallocManaged", "cudaMallocManaged(&pages, bytes);"),
}  # fmt: skip


def sample(
    *,
    verdict: Verdict = Verdict.TRITON_FIRST,
    scenario: Scenario | None = None,
    audience: str = "internal",
    snippets: str = "redacted",
    repeat: int = 1,
) -> Assessment:
    """An assessment of some 45 sites, 8 kernels and 15 rows. repeat: sites are repeated so many times."""
    sites, findings = _sites(repeat)
    kernels = _kernels()
    scenario = scenario or Scenario()
    return Assessment(
        run=Run(
            "2026-11-30", "10.2", "gfx942", 20261130, "0.1.0", "unwarp report attention-kernels -o out", audience, snippets
        ),
        repository=Repository(
            "attention-kernels",
            "5d41402abc4b2a76b9719d911017c592a94a8fe5",
            31,
            4210,
            162_000,
            {"cuda": 2480, "cpp": 610, "python": 940, "cmake": 80, "text": 100},
            {"own": 3010, "vendored": 400, "test": 700, "example": 100},
        ),
        reliability=Reliability(
            "fair",
            "1.8 % of the parsed bytes lie inside what the parser gave up; 6 % of the priced sites are unsure",
            0.987,
            0.018,
            {"parsed": 0.86, "lexical": 0.08, "unsure": 0.06},
            (
                Trouble("csrc/attention/generated_tables.cu", "parse", "deadline of 10 s passed", 412_000),
                Trouble("csrc/old/ß_kernel.cu", "decode", "neither UTF-8 nor UTF-16", 2_100),
            ),
            (
                SkippedGroup("binary", 4, 1_204_000, ("assets/logo.png", "weights/tiny.bin")),
                SkippedGroup("larger than 2 MB", 1, 3_400_000, ("data/big.cu",)),
            ),
            {"vendored": 12, "generated": 3},
            ("Python extension modules built at run time from strings were read as text only.", "Performance on the target was not measured."),
            (SetApart(Owner.VENDORED, "third_party/cutlass", "in a folder 'third_party'", 210, 98_000, 1_240),),
        ),
        credits=(
            Credit("torch.cuda", "Calls of torch.cuda that ROCm builds of PyTorch answer too", 37, 9),
            Credit("triton.jit", "Triton kernels", 3, 2),
        ),
        files=tuple(
            FileCount(path, "cuda", Owner.OWN, 400, 16_000, 120)
            for path in sorted({judged.site.path for judged in sites})
        ),
        found=Findings(sites, tuple(k for k, _ in kernels), findings, Inventory(2480, 96, 0.7, False, 3, 0)),
        estimate=_estimate(findings, kernels),
        scenario=scenario,
        decision=_decision(verdict, scenario),
        heuristics=_heuristics(),
        scope=(
            ScopeEffect("put_back", "third_party/fork/", "", "", "a fork that we maintain", 3, 410, 2, 12),
            ScopeEffect("later", "", "gather_*", "", "with the next cards", 1, 90, 1, 7),
        ),
        scopes=_scopes(),
    )  # fmt: skip


def _scopes() -> tuple[ScopeTotal, ...]:
    """The tree as found, a fork put back, a kernel postponed."""
    fork = ScopeEntry("put_back", "third_party/fork/", "a fork that we maintain", "scope.toml:1")
    gather = ScopeEntry("later", "", "with the next cards", "scope.toml:5", "gather_*")

    def hours(factor: float) -> dict[str, Spread]:
        return {name: Spread(*(factor * h for h in (400, 450, 300, 420, 600, 700))) for name in ("amd", "triton-first")}

    def change(likely: float) -> dict[str, Change]:
        return {name: Change(likely, 1.1 * likely, 1.05 * likely, 1.5 * likely) for name in ("amd", "triton-first")}

    return (
        ScopeTotal("as-found", hours(0.9), 3, verdict="triton-first"),
        ScopeTotal("entry", hours(1), 3, fork, change(40), "nvidia"),
        ScopeTotal("everything", hours(1), 3, None, change(40), "nvidia"),
        ScopeTotal("entry", hours(0.8), 2, gather, change(-80), "amd"),
        ScopeTotal("now", hours(0.8), 2, None, change(-80), "amd"),
        ScopeTotal("postponed", hours(0.2), 1),
        ScopeTotal("now-and-postponed", hours(1), 3, None, change(0), "nvidia"),
    )


def priced_scenario() -> Scenario:
    """A scenario with every price."""
    return Scenario(
        name="renewal of 256 cards", currency="EUR", gpus_now=256, gpus_planned=320, gpu_hours_month=180_000,
        price_now=2.4, price_offered=1.75, speed_factor=Range(0.7, 0.9, 1.05), horizon_months=36, discount_rate=0.08,
        rate=120, team=3, gpu_experience=True, infrastructure_people=2, workload="own-models",
        newest_kernels_first=False, new_kernels_month=1, second_source_value=250_000, memory_decides=False,
        hardware_access=True, notes={"price_offered": "offer of 12 October"},
    )  # fmt: skip


def nothing_to_port() -> Assessment:
    """Readable source without any CUDA: a valid answer."""
    whole = sample(verdict=Verdict.AMD)
    zero = Spread(0, 0, 0, 0, 0, 0)
    options = {
        name: OptionEstimate(
            name, (), dict.fromkeys(PARTS, zero), dict.fromkeys(PHASES, zero),
            {"functional": zero, "full": zero}, 0.0, zero, {}, (), "nothing to port",
        )
        for name in ("amd", "triton-first", "nvidia")
    }  # fmt: skip
    draws = Draws(1, {"amd": np.zeros(100), "triton-first": np.zeros(100)}, "0" * 16)
    views = tuple(OptionView(v, 1.0 if v is Verdict.AMD else 0.0, None, None, "No cost to move.") for v in Verdict)
    return replace(
        whole,
        credits=(),
        files=(),
        found=Findings((), (), (), Inventory(0, 0, 0.0, False, 0, 0)),
        estimate=Estimate(options, (), (), "scan", 0.54, DAY, draws),
        reliability=Reliability("good", "all files were read", 1.0, 0.0, {}, (), (), {}, ()),
        decision=Decision(
            Verdict.AMD, False, "", "high", "no CUDA was found in any file", Verdict.NVIDIA, 1.0,
            (Reason("cost.none", Verdict.AMD, 1.0, "0 sites", "Nothing depends on CUDA: moving costs nothing.", "this scan"),),
            (), views,
        ),
    )  # fmt: skip


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "=HYPERLINK(\"http://evil.example\")",
    "@SUM(A1)",
    "a\x1b]8;;http://evil.example\x07b",
    "r\u202egnp.exe",
    "zero\u200bwidth\ufeff",
    "lone\ud800surrogate",
    "$\\frac{1}{$ {{ 7*7 }} {% raw %}",
    "```\n::error file=a::b\n| x | # y",
    "file:///etc/passwd",
    "w" * 5000,
    "x\ufffe\uffff\x00",
)  # fmt: skip


def hostile() -> Assessment:
    """Names, snippets and reasons as an enemy would write them."""
    whole = sample(scenario=priced_scenario(), snippets="full")

    def foul(index: int) -> str:
        return HOSTILE[index % len(HOSTILE)]

    sites = tuple(
        replace(
            judged,
            site=replace(
                judged.site, path=f"src/{foul(i)}", symbol=foul(i + 1), function=foul(i + 2), excerpt=foul(i + 3), guards=(foul(i + 4),)
            ),
            reason=foul(i + 5),
        )
        for i, judged in enumerate(whole.found.sites)
    )  # fmt: skip
    kernels = tuple(
        replace(judged, kernel=replace(judged.kernel, name=foul(i), path=f"k/{foul(i + 1)}", triton_reason=foul(i + 2)))
        for i, judged in enumerate(whole.found.kernels)
    )
    prices = tuple(
        replace(price, name=judged.kernel.name, path=judged.kernel.path, reason=foul(i))
        for i, (price, judged) in enumerate(zip(whole.estimate.kernels, kernels, strict=True))
    )
    findings = tuple(replace(f, component=foul(i)) for i, f in enumerate(whole.found.findings))
    options = {
        name: replace(
            option,
            tornado=tuple(replace(bar, title=foul(i)) for i, bar in enumerate(option.tornado)),
            lines=tuple(replace(line, title=foul(i + 3)) for i, line in enumerate(option.lines)),
        )
        for name, option in whole.estimate.options.items()
    }
    flips = tuple(
        replace(flip, input=foul(i), now=foul(i + 1), flips_at=foul(i + 2), text=foul(i + 3) + " " + foul(11))
        for i, flip in enumerate(whole.decision.flip_points)
    )
    return replace(
        whole,
        run=replace(whole.run, command=foul(4) + foul(0)),
        repository=replace(whole.repository, name="".join(HOSTILE), commit=""),
        reliability=replace(
            whole.reliability,
            level_reason=foul(0),
            troubles=tuple(Trouble(f"t/{text}", "read", text) for text in HOSTILE),
            skipped=tuple(SkippedGroup(text, 1, 2, (text,)) for text in HOSTILE),
            gaps=HOSTILE,
            set_apart=tuple(SetApart(Owner.GENERATED, text, text, 1, 2, 3) for text in HOSTILE),
        ),
        scope=tuple(ScopeEffect("replace", text, text, text, text, 1, 2, 3, 4) for text in HOSTILE),
        scopes=tuple(
            replace(row, entry=ScopeEntry("replace", text, text, text, text, text)) if row.entry else row
            for text in HOSTILE
            for row in whole.scopes
        ),
        found=replace(whole.found, sites=sites, kernels=kernels, findings=findings),
        estimate=replace(
            whole.estimate,
            kernels=prices,
            options=options,
            unpriced=tuple(UnpricedRow(text, text, text, 3) for text in HOSTILE),
        ),
        decision=replace(
            whole.decision,
            flip_points=flips,
            pilot_kernels=HOSTILE,
            conditions=HOSTILE,
            confidence_reason=foul(0) + foul(11),
            pilot_reason=foul(1),
            reasons=tuple(Reason("p." + t, Verdict.AMD, 1.0, t, t, t) for t in HOSTILE),
            options=tuple(replace(view, text=foul(1) + foul(11)) for view in whole.decision.options),
        ),
    )


def _sites(repeat: int) -> tuple[tuple[JudgedSite, ...], tuple[Finding, ...]]:
    sites: list[JudgedSite] = []
    findings: list[Finding] = []
    rows = [(str(r[0]), str(r[10]), str(r[11]), str(r[12]), int(str(r[13]))) for r in ROWS if r[12]]
    rows.append(("managed-memory", "managed-memory", "", "cuda.managed", 2))
    for number, (weight, category, library, rule, count) in enumerate(rows, start=1):
        symbol, excerpt = SOURCE_LINES[category]
        folder = (
            "python"
            if category in ("build-system", "container")
            else f"csrc/{('attention', 'norm', 'quant')[number % 3]}"
        )
        indexes = []
        for i in range(count * repeat):
            name = {"build-system": "setup.py", "container": "Dockerfile"}.get(
                category, f"{folder}/{weight.split('.')[-1]}_{i % 4}.cu"
            )
            confidence = (
                Confidence.UNSURE
                if (number + i) % 17 == 0
                else Confidence.LEXICAL
                if (number + i) % 11 == 0
                else Confidence.PARSED
            )
            debt = Disposition.AUTOMATIC if category == "runtime-api" else Disposition.DEBT
            indexes.append(len(sites))
            line = 12 + 7 * i
            sites.append(JudgedSite(Site(
                name, line, line, 5, category, rule, symbol, library, f"fn_{i % 3}", (), excerpt, confidence, Owner.OWN,
            ), debt))  # fmt: skip
        findings.append(Finding(f"F{number:03}", rule, category, library, folder, weight, tuple(indexes)))
    guarded = Site("csrc/compat.cuh", 30, 34, 1, "warp-size", "cuda.warp-size", "32", guards=("defined(USE_ROCM)",))
    vendored = Site("third_party/cub/warp.cuh", 88, 88, 1, "warp-size", "cuda.warp-size", "32", owner=Owner.VENDORED)
    sites.append(JudgedSite(guarded, Disposition.PORTED, "an AMD arm stands beside it"))
    sites.append(JudgedSite(vendored, Disposition.EXCLUDED, "vendored: third_party"))
    return tuple(sites), tuple(findings)


def _kernels() -> list[tuple[JudgedKernel, KernelPrice]]:
    table = (
        ("flash_fwd_kernel", "tensor-raw", "poor", "mma by hand with its own fragment layout", 90.0, 80.0, "triton"),
        ("flash_bwd_kernel_with_a_very_long_instantiated_name_for_head_dimension_128", "tensor-raw", "poor", "mma by hand, atomics on dQ", 63.0, 56.0, "triton"),
        ("rms_norm", "reduction", "good", "one pass over rows", 0.5, 8.0, "hip"),
        ("softmax_rows", "reduction", "good", "one pass over rows", 0.5, 8.0, "hip"),
        ("layer_norm_bwd", "reduction", "good", "two reductions", 0.5, 6.0, "hip"),
        ("quantize_int4", "elementwise", "good", "no communication between threads", 0.05, 3.0, "hip"),
        ("paged_copy", "smem-tiled", "partial", "index arithmetic through a table", 0.4, 20.0, "hip"),
        ("topk_radix", "irregular", "poor", "dynamic work queue in shared memory", 2.0, 80.0, "library"),
    )  # fmt: skip
    result = []
    for i, (name, kind, fit, reason, amd, triton, plan) in enumerate(table):
        kernel = Kernel(f"csrc/attention/kernels_{i % 3}.cu", 40 + 90 * i, 110 + 90 * i, name, i % 2 == 0, ("barrier", "shared-memory", "shuffle")[: 1 + i % 3], kind, fit, reason, 1 + i % 3, Owner.OWN)  # fmt: skip
        price = KernelPrice(kernel.path, kernel.line, name, {"amd": amd, "triton-first": triton}, plan, reason)
        result.append((JudgedKernel(kernel, Disposition.DEBT, f"kernel.{kind.replace('-', '_')}"), price))
    return result


def _hours(value: object) -> Hours:
    low, likely, high = value  # type: ignore[misc]
    return Hours(float(low), float(likely), float(high))


def _line(row: Sequence[object], hours: Hours, findings: tuple[Finding, ...]) -> EffortLine:
    weight, title, part, phase, unit, count = row[:6]
    ids = tuple(f.id for f in findings if f.weight == weight)
    return EffortLine(
        str(weight), str(title), str(part), str(phase), str(unit), float(str(count)), hours, hours.likely * 1.2, str(row[8]),
        bool(row[9]), ids, f"{count} units at {hours.likely:g} h together",
    )  # fmt: skip


def _spread(lines: Sequence[EffortLine], draws: Mapping[str, np.ndarray]) -> Spread:
    likely = sum(line.hours.likely for line in lines)
    mean = sum(line.hours.mean for line in lines)
    if not lines:
        return Spread(0, 0, 0, 0, 0, 0)
    total = sum(draws[line.weight] for line in lines)
    p10, p50, p80, p90 = (float(x) for x in np.percentile(total, [10, 50, 80, 90]))
    return Spread(likely, mean, p10, p50, p80, p90)


def _option(name: str, column: int, findings: tuple[Finding, ...]) -> tuple[OptionEstimate, np.ndarray]:
    lines = tuple(_line(row, _hours(row[column]), findings) for row in ROWS)
    random = np.random.default_rng(7)
    factor = np.exp(0.54 * random.standard_normal(2000))
    draws = {}
    for line in lines:
        h = line.hours
        spread = max(h.high - h.low, 1e-9)
        a, b = 1 + 4 * (h.likely - h.low) / spread, 1 + 4 * (h.high - h.likely) / spread
        draws[line.weight] = (h.low + spread * random.beta(a, b, 2000)) * factor
    full = sum(draws.values())
    median = float(np.median(full))
    bars = sorted(
        (Driver(x.weight, x.title, median + x.hours.low - x.p50, median + x.hours.high - x.p50) for x in lines),
        key=lambda bar: bar.low - bar.high,
    )
    likely = sum(line.hours.likely for line in lines)
    option = OptionEstimate(
        name, lines,
        {p: _spread([x for x in lines if x.part == p], draws) for p in PARTS},
        {p: _spread([x for x in lines if x.phase == p], draws) for p in PHASES},
        {"functional": _spread([x for x in lines if x.part in FUNCTIONAL_PARTS], draws), "full": _spread(lines, draws)},
        round(sum(x.hours.likely for x in lines if x.part in ("remediation", "libraries") and not x.fixed), 1),
        Spread(30, 34, 12, 31, 49, 60),
        {g: sum(x.hours.likely for x in lines if x.grade == g) / likely for g in "ABC"},
        tuple(bars[:12]),
    )  # fmt: skip
    return option, full


def _estimate(findings: tuple[Finding, ...], kernels: list[tuple[JudgedKernel, KernelPrice]]) -> Estimate:
    amd, amd_full = _option("amd", 6, findings)
    triton, triton_full = _option("triton-first", 7, findings)
    zero = Spread(0, 0, 0, 0, 0, 0)
    nvidia = OptionEstimate(
        "nvidia", (), dict.fromkeys(PARTS, zero), dict.fromkeys(PHASES, zero), {"functional": zero, "full": zero}, 0.0, zero,
        {}, (), "no port",
    )  # fmt: skip
    unpriced = (UnpricedRow("managed-memory", "managed-memory", "no finished port to learn from yet", 2),)
    draws = Draws(20261130, {"amd": amd_full, "triton-first": triton_full}, "9f86d081884c7d65")
    options = {"amd": amd, "triton-first": triton, "nvidia": nvidia}
    return Estimate(options, tuple(p for _, p in kernels), unpriced, "scan", 0.54, DAY, draws)


def _decision(verdict: Verdict, scenario: Scenario) -> Decision:
    priced = scenario.priced
    reasons = (
        Reason("kernels.own-share", Verdict.TRITON_FIRST, 2.0, "5 of 8 kernels fit Triton well", "Most of the own kernels can be written in Triton, and Triton runs on both vendors.", "kernel inventory of this scan"),
        Reason("kernels.new-each-month", Verdict.TRITON_FIRST, 1.5, "1 new kernel a month", "New kernels go on being written: each one written in CUDA adds to the debt.", "scenario, new_kernels_month"),
        Reason("ptx.performance", Verdict.NVIDIA, 1.0, "2 of 8 kernels hold mma by hand", "Performance rests on hand-written tensor core code that has no counterpart.", "policy.toml; ports of FlashAttention to Composable Kernel"),
        Reason("libraries.twins", Verdict.AMD, 0.5, "1 of 1 libraries has a twin", "cuBLASLt has hipBLASLt with the same shape of interface.", "components.csv"),
    )  # fmt: skip
    flips = (
        Flip("new kernels a month", "1", "below 0.3", Verdict.AMD, "Fewer than 0.3 new own kernels a month, and a plain HIP port is cheaper."),
        Flip("price_offered", "not given", "1.60 per GPU-hour", Verdict.NVIDIA, "With less than 0.22 per GPU-hour between the offers, staying is cheaper."),
        Flip("kernels that fit Triton", "5 of 8", "2 of 8", Verdict.AMD, "If three more kernels turn out not to fit Triton, the HIP port leads."),
    )  # fmt: skip

    def money(factor: float, running: float) -> MoneyLine | None:
        if not priced:
            return None
        p50, p80 = 45_000 * factor, 75_000 * factor
        port, upkeep, worth = 55_000 * factor, 12_000 * factor, 200_000.0 if factor else 0.0
        total = port + running + upkeep - worth
        return MoneyLine(
            p50, p80, running, upkeep, total - 9_000 * factor, total + 30_000 * factor, worth,
            port=port, total=total, total_p10=total - 60_000 * factor, total_p90=total + 90_000 * factor,
        )  # fmt: skip

    options = (
        OptionView(Verdict.AMD, 1.5, 0.31 if priced else None, money(1.0, 12_100_000), "A HIP port keeps the kernels, and tunes them a second time."),
        OptionView(Verdict.TRITON_FIRST, 3.5, 0.57 if priced else None, money(1.1, 12_000_000), "Own kernels move to Triton first; afterwards either vendor can run them."),
        OptionView(Verdict.NVIDIA, 1.0, 0.12 if priced else None, money(0.0, 15_500_000), "No port; the debt keeps growing with each kernel."),
    )  # fmt: skip
    if priced:
        gains = (Range(-60_000, 3_300_000, 3_500_000), Range(-90_000, 3_400_000, 3_600_000), Range(0, 0, 0))
        options = tuple(replace(view, net_benefit=gain) for view, gain in zip(options, gains, strict=True))
    return Decision(
        verdict, True, "Two kernels hold three quarters of the hours, and their speed on the target is unknown.", "medium",
        "the leading option is ahead by 2 points, but two kernels carry most of the cost", Verdict.AMD, 2.0, reasons, flips,
        options, ("A reserve for tuning the attention kernels.", "Access to one MI300 node during the port."),
        ("flash_fwd_kernel", "rms_norm"),
        tuple(GapPoint(n, 60 / n, 100 / n) for n in (1, 8, 16, 32, 64, 128, 256, 512, 1024)),
        0.57 if priced else None, 9.0 if priced else None, 2.05 if priced else None, 0.95 if priced else 0.1,
        basis=Basis.PRICES if priced else Basis.STRUCTURE, port_months=2.5 if priced else None,
    )  # fmt: skip


def _heuristics() -> Heuristics:
    rules = tuple(
        Rule(key, title, "", f"{title}: why it matters on another vendor's card.", ("cuda",), (), "", "", False, (),
             "What to do about it: see the vendor's porting guide.", ("HIP porting guide",), (), "cuda/sample.toml")
        for key, title in RULE_TITLES.items()
    )  # fmt: skip
    weights: dict[str, Weight | Unpriced] = {
        str(r[0]): Weight(
            str(r[0]), str(r[1]), str(r[2]), str(r[3]), str(r[4]), "site",
            {"amd": _hours(r[6]), "triton-first": _hours(r[7])}, Repeat(0.25, 0.1), {"amd": str(r[8]), "triton-first": str(r[8])},
            (), "ports of public repositories, read in 2026", "first units cost more",
        )
        for r in ROWS
    }  # fmt: skip
    weights["managed-memory"] = Unpriced("managed-memory", "no finished port to learn from yet")
    policy = Policy(
        (
            PolicyLine("kernels.own-share", "triton-first", 2.0, {"share": 0.5}, "At least half of the own kernels fit Triton: {figure}.", "measured kernels"),
            PolicyLine("kernels.new-each-month", "triton-first", 1.5, {"kernels": 1.0}, "New kernels each month: {figure}.", "interviews"),
            PolicyLine("ptx.performance", "nvidia", 1.0, {"share": 0.2}, "Performance rests on hand-written kernels: {figure}.", "public ports"),
            PolicyLine("libraries.twins", "amd", 0.5, {"share": 0.8}, "Libraries have twins: {figure}.", "components.csv"),
        ),
        {"dominance": 0.7, "rate": 212.0, "horizon_months": 36.0, "gpu_hours_month": 730.0, "discount_rate": 0.08, "team": 2.0},
        "2026-11-30",
    )  # fmt: skip
    return Heuristics(
        rules, weights, Units(DAY, 20, 3, 0.2, 10, 2, {"scan": 0.54, "pilot": 0.32, "slice": 0.17}, 2000, "spread of public ports against their first estimates", "measured on one card"),
        policy,
        {"cublaslt": Component("cublaslt", "cuBLASLt", "library", "hipBLASLt", "hipBLASLt", "hipify-automatic", "production", "Layouts and heuristics do not all exist.", "ROCm documentation", "2026-11-18")},
        {}, (), (), {}, ({"framework": "torch", "version": "2.9", "rocm_versions": "10.2", "gfx_targets": "gfx942", "prebuilt": "yes", "source": "release notes", "as_of": "2026-11-01"},), "e3b0c44298fc1c14", "2026-11-30",
    )  # fmt: skip
