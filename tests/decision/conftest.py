"""Small estimates and findings built by hand: one for each kind of code base that the rule must tell apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from estimator.decision import decide, verdict_of
from estimator.decision.policy import Case, case
from estimator.decision.values import Decision, Scenario, Verdict
from estimator.effort.values import (
    Draws,
    EffortLine,
    Estimate,
    KernelPrice,
    OptionEstimate,
    Spread,
    UnpricedRow,
)
from estimator.findings.values import Disposition, Finding, Findings, Inventory, JudgedKernel, JudgedSite
from estimator.knowledge.policy import load_policy
from estimator.knowledge.values import PARTS, PHASES, Policy
from estimator.quantities import Hours
from estimator.scan.sites import Kernel, Site
from estimator.sources.files import Owner

HEURISTICS = Path(__file__).resolve().parents[2] / "heuristics"
SIGMA = 0.54


@dataclass(frozen=True)
class Code:
    """What a code base looks like. rows: weight, part, likely hours for amd and for triton-first, category, library.

    kernels: class and Triton fit. sites: number by disposition and category.
    """

    rows: tuple[tuple[str, str, float, float, str, str], ...]
    kernels: tuple[tuple[str, str], ...] = ()
    sites: tuple[tuple[str, str, int], ...] = ()
    unpriced: tuple[tuple[str, int], ...] = ()
    python_host: float = 1.0
    mpi: bool = False
    triton_kernels: int = 0


BASE = (
    ("project.setup", "setup", 24.0, 16.0, "", ""),
    ("build.base", "delivery", 12.0, 6.0, "build-system", ""),
    ("ci.base", "delivery", 24.0, 16.0, "container", ""),
    ("people.learning", "learning", 40.0, 60.0, "", ""),
)

ATTENTION = Code(
    rows=(
        *BASE,
        ("kernel.tensor_raw", "kernels", 216.0, 200.0, "cuda-kernel", ""),
        ("kernel.reduction", "kernels", 1.5, 24.0, "cuda-kernel", ""),
        ("ptx.mma_async", "remediation", 22.0, 2.0, "inline-ptx", ""),
        ("ptx.simple", "remediation", 6.0, 1.0, "inline-ptx", ""),
        ("warp.size32", "remediation", 8.0, 0.0, "warp-size", ""),
        ("warp.primitive", "remediation", 1.0, 0.0, "warp-primitive", ""),
        ("runtime.symbol", "conversion", 0.5, 1.0, "runtime-api", ""),
        ("perf.retune", "retuning", 28.0, 22.0, "", ""),
        ("valid.numeric", "validation", 4.0, 9.0, "", ""),
    ),
    kernels=(
        ("tensor-raw", "partial"),
        ("tensor-raw", "partial"),
        ("tensor-raw", "partial"),
        ("reduction", "good"),
        ("elementwise", "good"),
    ),
    sites=(
        ("debt", "inline-ptx", 22),
        ("debt", "tensor-core", 6),
        ("debt", "async-copy", 8),
        ("debt", "cuda-kernel", 5),
        ("debt", "warp-size", 9),
        ("debt", "warp-primitive", 12),
        ("debt", "build-system", 6),
        ("debt", "container", 2),
        ("automatic", "runtime-api", 14),
    ),
)

STENCIL = Code(
    rows=(
        *BASE,
        ("kernel.smem_tiled", "kernels", 3.2, 152.0, "cuda-kernel", ""),
        ("feature.texture", "remediation", 16.0, 24.0, "texture-surface", ""),
        ("shim.cufft", "libraries", 2.0, 8.0, "library-call", "cuFFT"),
        ("lib.nccl.fixed", "libraries", 8.0, 4.0, "", ""),
        ("lib.nccl.symbol", "libraries", 0.3, 0.1, "library-call", "NCCL"),
        ("warp.size32", "remediation", 3.0, 0.0, "warp-size", ""),
        ("runtime.symbol", "conversion", 1.2, 2.4, "runtime-api", ""),
        ("perf.retune", "retuning", 29.0, 22.0, "", ""),
        ("valid.numeric", "validation", 5.0, 12.0, "", ""),
    ),
    kernels=(("smem-tiled", "partial"),) * 6 + (("elementwise", "good"),) * 2,
    sites=(
        ("debt", "cuda-kernel", 8),
        ("debt", "texture-surface", 6),
        ("debt", "warp-size", 2),
        ("debt", "build-system", 5),
        ("debt", "library-call", 8),
        ("debt", "tuning-constant", 5),
        ("automatic", "runtime-api", 60),
        ("automatic", "library-call", 9),
    ),
    python_host=0.0,
    mpi=True,
)

SERVING = Code(
    rows=(*BASE, ("dep.flash_attn", "libraries", 8.0, 8.0, "framework-dependency", "")),
    sites=(
        ("debt", "framework-dependency", 6),
        ("debt", "container", 7),
        ("debt", "orchestration", 11),
        ("debt", "communication", 5),
        ("debt", "tooling", 4),
        ("automatic", "framework-dependency", 3),
    ),
)

VISION = Code(
    rows=(
        *BASE,
        ("kernel.elementwise", "kernels", 0.6, 28.0, "cuda-kernel", ""),
        ("kernel.reduction", "kernels", 2.0, 30.0, "cuda-kernel", ""),
        ("warp.size32", "remediation", 4.0, 0.0, "warp-size", ""),
        ("warp.primitive", "remediation", 1.5, 0.0, "warp-primitive", ""),
        ("runtime.symbol", "conversion", 0.6, 1.0, "runtime-api", ""),
        ("perf.retune", "retuning", 45.0, 34.0, "", ""),
        ("valid.numeric", "validation", 6.0, 15.0, "", ""),
    ),
    kernels=(("elementwise", "good"),) * 11 + (("reduction", "good"),) * 4,
    sites=(
        ("debt", "cuda-kernel", 15),
        ("debt", "warp-size", 4),
        ("debt", "warp-primitive", 8),
        ("debt", "build-system", 5),
        ("automatic", "runtime-api", 20),
    ),
    triton_kernels=4,
)

TRAINER = Code(
    rows=(
        *BASE,
        ("lib.cudnn_legacy.fixed", "libraries", 12.0, 12.0, "", ""),
        ("lib.cudnn_legacy.symbol", "libraries", 34.0, 34.0, "library-call", "cuDNN"),
        ("lib.cutlass.fixed", "libraries", 60.0, 40.0, "", ""),
        ("lib.cutlass.symbol", "libraries", 20.0, 20.0, "library-call", "CUTLASS"),
        ("api.driver", "remediation", 3.0, 5.0, "driver-api", ""),
        ("kernel.elementwise", "kernels", 0.2, 12.0, "cuda-kernel", ""),
        ("runtime.symbol", "conversion", 1.0, 2.0, "runtime-api", ""),
        ("perf.retune", "retuning", 16.0, 12.0, "", ""),
    ),
    kernels=(("elementwise", "good"),) * 4,
    sites=(
        ("debt", "library-call", 48),
        ("debt", "driver-api", 16),
        ("debt", "cuda-kernel", 4),
        ("debt", "build-system", 6),
        ("automatic", "runtime-api", 30),
    ),
    python_host=0.0,
)

PORTED = Code(
    rows=(("runtime.symbol", "conversion", 1.0, 1.0, "runtime-api", ""),),
    sites=(("automatic", "runtime-api", 12), ("ported", "warp-size", 9), ("credit", "rocm-ready", 15)),
    python_host=0.0,
)

PORTABLE = Code(rows=())

CODES = {
    "attention": ATTENTION,
    "stencil": STENCIL,
    "serving": SERVING,
    "vision": VISION,
    "trainer": TRAINER,
    "ported": PORTED,
    "portable": PORTABLE,
}


@pytest.fixture(scope="session")
def heuristics() -> Path:
    return HEURISTICS


@pytest.fixture(scope="session")
def policy() -> Policy:
    return load_policy(HEURISTICS / "policy.toml")


@pytest.fixture(scope="session")
def codes() -> Mapping[str, Code]:
    return CODES


@pytest.fixture(scope="session")
def estimated() -> Callable[..., Estimate]:
    """Estimate of a code, by name or with changed fields: `estimated("vision", triton_kernels=0)`."""
    return lambda name, *, seed=1, draws=2000, sigma=SIGMA, **changes: estimate_of(
        replace(CODES[name], **changes), seed=seed, draws=draws, sigma=sigma
    )


@pytest.fixture(scope="session")
def found() -> Callable[..., Findings]:
    return lambda name, **changes: found_of(replace(CODES[name], **changes))


@pytest.fixture(scope="session")
def decided(policy: Policy) -> Callable[..., Decision]:
    """Decision on a code, by name, with the shipped policy unless another is given."""

    def run(
        name: str,
        scenario: Scenario | None = None,
        *,
        reliability: str = "good",
        rule: Policy | None = None,
        seed: int = 1,
        draws: int = 2000,
        sigma: float = SIGMA,
        **changes: object,
    ) -> Decision:
        code = replace(CODES[name], **changes)
        estimate = estimate_of(code, seed=seed, draws=draws, sigma=sigma)
        return decide(estimate, found_of(code), reliability, scenario or Scenario(), rule or policy)

    return run


@pytest.fixture(scope="session")
def verdict(policy: Policy) -> Callable[..., Verdict]:
    """The verdict alone of what `decided` decides: the search for flip points takes nearly all of the time."""

    def run(name: str, scenario: Scenario, *, seed: int = 1, draws: int = 2000) -> Verdict:
        code = CODES[name]
        return verdict_of(estimate_of(code, seed=seed, draws=draws), found_of(code), scenario, policy)

    return run


@pytest.fixture(scope="session")
def case_of(policy: Policy) -> Callable[..., Case]:
    """The case behind a decision, for tests below `decide`."""

    def run(name: str, scenario: Scenario | None = None, rule: Policy | None = None, **changes: object) -> Case:
        code = replace(CODES[name], **changes)
        return case(estimate_of(code, draws=2000), found_of(code), scenario or Scenario(), rule or policy)

    return run


def spread(draws: np.ndarray, likely: float) -> Spread:
    p10, p50, p80, p90 = (float(value) for value in np.percentile(draws, [10, 50, 80, 90]))
    return Spread(likely, float(draws.mean()), p10, p50, p80, p90)


def estimate_of(code: Code, *, seed: int = 1, draws: int = 4000, sigma: float = SIGMA) -> Estimate:
    shared = np.random.default_rng(seed).lognormal(0.0, sigma, draws)
    hours = {
        "amd": shared * sum(row[2] for row in code.rows),
        "triton-first": shared * sum(row[3] for row in code.rows),
    }
    options = {name: _option(code, name, column, shared) for name, column in (("amd", 2), ("triton-first", 3))}
    options["nvidia"] = _stay(shared)
    prices = tuple(
        KernelPrice(
            "csrc/k.cu", 10 * number, f"kernel_{number}", {"amd": float(number), "triton-first": 3.0}, "hip", ""
        )
        for number, _ in enumerate(code.kernels, start=1)
    )
    unpriced = tuple(UnpricedRow("some.row", category, "no figures yet", count) for category, count in code.unpriced)
    return Estimate(options, prices, unpriced, "scan", sigma, 8.0, Draws(seed, hours, "digest"))


def _option(code: Code, name: str, column: int, shared: np.ndarray) -> OptionEstimate:
    likely = {part: sum(float(row[column]) for row in code.rows if row[1] == part) for part in PARTS}
    lines = tuple(
        EffortLine(
            weight=row[0],
            title=row[0],
            part=row[1],
            phase="runs",
            unit="site",
            count=1.0,
            hours=Hours(0.0, float(row[column]), 4 * float(row[column])),
            p50=float(row[column]),
            grade="C",
            fixed=not row[4],
            findings=(f"F{number:03d}",) if row[4] else (),
            sum="",
        )
        for number, row in enumerate(code.rows, start=1)
    )
    full = sum(likely.values())
    return OptionEstimate(
        option=name,
        lines=lines,
        parts={part: spread(shared * hours, hours) for part, hours in likely.items()},
        phases={phase: spread(shared * 0, 0.0) for phase in PHASES},
        scopes={"full": spread(shared * full, full)},
        edits=0.0,
        upkeep=spread(shared * full * 0.25, full * 0.25),
        grades={"A": 0.1, "B": 0.3, "C": 0.6},
        tornado=(),
    )


def _stay(shared: np.ndarray) -> OptionEstimate:
    nothing = spread(shared * 0, 0.0)
    none: Mapping[str, Spread] = {}
    return OptionEstimate("nvidia", (), none, none, {"full": nothing}, 0.0, nothing, {}, (), "no port")


def found_of(code: Code) -> Findings:
    sites = tuple(
        JudgedSite(
            Site("csrc/k.cu", number, number, 1, category, f"rule.{category}", category, owner=Owner.OWN, count=count),
            Disposition(disposition),
        )
        for number, (disposition, category, count) in enumerate(code.sites, start=1)
    )
    kernels = tuple(
        JudgedKernel(
            Kernel("csrc/k.cu", 10 * n, 10 * n + 8, f"kernel_{n}", False, (), kind, fit, "", 1, Owner.OWN),
            Disposition.DEBT,
            f"kernel.{kind}",
        )
        for n, (kind, fit) in enumerate(code.kernels, start=1)
    )
    findings = tuple(
        Finding(f"F{number:03d}", f"rule.{row[4]}", row[4], row[5], ".", row[0], (0,))
        for number, row in enumerate(code.rows, start=1)
        if row[4]
    )
    inventory = Inventory(2000, 200, code.python_host, code.mpi, code.triton_kernels, 0)
    return Findings(sites, kernels, findings, inventory)
