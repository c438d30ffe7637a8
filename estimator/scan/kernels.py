"""From kernel facts to the inventory: what a kernel does, directly or through the functions it calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from estimator.languages.facts import DeviceFunction, KernelFact
from estimator.scan.sites import Kernel
from estimator.sources.files import Owner

_DEPTH = 6
_CARRIED = frozenset(
    (
        *("shared-memory", "barrier", "shuffle", "atomic", "asm", "mma-asm", "wmma", "wgmma", "mma-cxx", "cp-async"),
        *("tma", "mbarrier", "cluster", "cooperative", "texture", "device-launch", "block-reduce", "spin"),
        *("compare-and-swap", "sort"),
    )
)


@dataclass(frozen=True, slots=True)
class FoundKernel:
    """A kernel fact with its file."""

    path: str
    owner: Owner
    fact: KernelFact


def inventory(
    found: Iterable[FoundKernel], functions: Iterable[DeviceFunction], launches: Mapping[str, int]
) -> tuple[Kernel, ...]:
    """All kernels, sorted by place.

    functions: device functions of the whole tree; a kernel has the features of those it calls.
    launches: places that launch a kernel of a name.
    """
    by_name = _by_name(functions)
    closures: dict[str, frozenset[str]] = {}
    kernels = []
    for item in found:
        features = set(item.fact.features)
        for call in item.fact.calls:
            features |= _closure(call, by_name, closures) & _CARRIED
        kind = class_of(features, item.fact.name)
        fit, reason = triton_fit(kind, features)
        kernels.append(
            Kernel(
                path=item.path,
                line=item.fact.line,
                end_line=item.fact.end_line,
                name=item.fact.name,
                template=item.fact.template,
                features=tuple(sorted(features)),
                kind=kind,
                triton_fit=fit,
                triton_reason=reason,
                launches=launches.get(item.fact.name, 0),
                owner=item.owner,
                guards=item.fact.guards,
                confidence=item.fact.confidence,
                amd_arm=item.fact.amd_arm,
            )
        )
    return tuple(sorted(kernels))


def _by_name(functions: Iterable[DeviceFunction]) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Features and callees by function name; overloads together. Names of one letter say nothing."""
    merged: dict[str, tuple[set[str], set[str]]] = {}
    for function in functions:
        if len(function.name) > 2:
            features, calls = merged.setdefault(function.name, (set(), set()))
            features.update(function.features)
            calls.update(function.calls)
    return {name: (frozenset(features), frozenset(calls)) for name, (features, calls) in merged.items()}


def _closure(
    name: str, by_name: Mapping[str, tuple[frozenset[str], frozenset[str]]], done: dict[str, frozenset[str]]
) -> frozenset[str]:
    """Features of a function and of what it calls, to a fixed depth."""
    if name in done:
        return done[name]
    seen = {name}
    front = [name]
    features: set[str] = set()
    for _ in range(_DEPTH):
        reached: list[str] = []
        for current in front:
            if current in by_name:
                own, calls = by_name[current]
                features |= own
                reached.extend(call for call in calls if call not in seen)
        seen.update(reached)
        front = reached
    done[name] = frozenset(features)
    return done[name]


def class_of(features: set[str], name: str) -> str:
    """The class that prices a kernel, by the dearest thing it does."""
    if features & {"tma", "wgmma", "cluster"}:
        return "cluster"
    if features & {"mma-asm", "mma-cxx"}:
        return "tensor-raw"
    if "wmma" in features:
        return "tensor-wmma"
    if features & {"cooperative", "spin"}:
        return "persistent"
    if _is_irregular(features, name.lower()):
        return "irregular"
    if features & {"shuffle", "block-reduce"} or {"shared-memory", "barrier", "halving-loop", "loop"} <= features:
        return "reduction"
    if {"shared-memory", "barrier"} <= features or "cp-async" in features:
        return "smem-tiled"
    if {"accumulation", "loop"} <= features:
        return "reduction"
    return "elementwise"


def _is_irregular(features: set[str], name: str) -> bool:
    if features & {"sort", "device-launch"}:
        return True
    if {"row-pointer", "loop"} <= features and "indirect" in features:
        return True
    if "compare-and-swap" in features and "loop" in features:
        return True
    return any(word in name for word in ("histogram", "hash", "spmv", "csr", "sort", "bfs")) and bool(
        features & {"atomic", "loop"}
    )


def triton_fit(kind: str, features: set[str]) -> tuple[str, str]:
    """How well Triton can express a kernel, and why.

    Source: what Triton expresses badly (no lanes, no grid barrier, no device launch, no control of shared
    memory) and the classes measured on one H200; see heuristics/README.md.
    """
    if kind == "irregular":
        return "poor", "data-dependent control flow and atomics; Triton gives no control over lanes or shared memory"
    if kind == "persistent":
        return "poor", "grid-wide barrier or spin lock; core Triton has no such construct"
    if kind == "cluster":
        return "partial", "clusters, TMA or warp specialisation need back-end specific extensions for parity"
    if "texture" in features:
        return "partial", "texture reads have no Triton counterpart; filtering is written by hand"
    if kind == "tensor-raw":
        return "partial", "tl.dot replaces the matrix instructions; the data layout is designed again"
    if kind == "tensor-wmma":
        return "good", "tl.dot covers the matrix product"
    if kind == "smem-tiled":
        return "good", "tiles are blocks in Triton; shared memory is managed by the compiler"
    if kind == "reduction":
        return "good", "tl.sum, tl.max and tl.associative_scan replace shuffles and shared memory"
    return "good", "one program per block of elements"
