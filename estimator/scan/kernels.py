"""From kernel facts to the inventory: what a kernel does, directly or through the functions it calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from estimator.languages.facts import DeviceFunction, KernelFact
from estimator.scan.sites import DeviceCode, Kernel
from estimator.sources.files import Owner

_DEPTH = 6
_COPIES = frozenset(("tma", "mbarrier", "cp-async"))
_FITS = ("good", "partial", "poor")
_BY_OPERATORS = frozenset(("bf16", "fp8", "directed-rounding", "register-class"))
_CARRIED = frozenset(
    (
        *("shared-memory", "barrier", "shuffle", "atomic", "asm", "mma-asm", "wmma", "wgmma", "mma-cxx", "cp-async"),
        *("tma", "mbarrier", "cluster", "cooperative", "texture", "device-launch", "block-reduce", "spin"),
        *("compare-and-swap", "sort", *_BY_OPERATORS),
    )
)


@dataclass(frozen=True, slots=True)
class FoundKernel:
    """A kernel fact with its file."""

    path: str
    owner: Owner
    fact: KernelFact


@dataclass(frozen=True, slots=True)
class FoundFunction:
    """A device function with its file."""

    path: str
    fact: DeviceFunction


def inventory(
    found: Iterable[FoundKernel], functions: Iterable[FoundFunction], launches: Mapping[str, int]
) -> tuple[Kernel, ...]:
    """All kernels, sorted by place.

    functions: device functions of the whole tree; a kernel has the features of those it calls.
    launches: places that launch a kernel of a name.
    """
    calls = _Calls(functions)
    kernels = []
    for item in found:
        features = set(item.fact.features)
        for call in item.fact.calls:
            features |= calls.features_of(call, item.path) & _CARRIED
        for operator in calls.operators_at(item.path):
            features |= calls.features_of(operator, item.path) & _BY_OPERATORS
        kind = class_of(features, item.fact.name)
        kinds = (kind, without_copies(features, item.fact.name))
        fit, reason = max((triton_fit(one, features) for one in kinds), key=lambda fit: _FITS.index(fit[0]))
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


def device_code(functions: Iterable[FoundFunction]) -> tuple[DeviceCode, ...]:
    """Where each device function stands, sorted by place."""
    facts = ((item.path, item.fact) for item in functions)
    return tuple(sorted(DeviceCode(path, fact.line, fact.end_line, fact.name) for path, fact in facts))


class _Calls:
    """Who calls whom among the device functions of a tree, by name and file; overloads together."""

    def __init__(self, functions: Iterable[FoundFunction]) -> None:
        self._bodies: dict[tuple[str, str], tuple[set[str], set[str]]] = {}
        self._files: dict[str, set[str]] = {}
        self._done: dict[tuple[str, str], frozenset[str]] = {}
        for function in functions:
            name = function.fact.name
            features, calls = self._bodies.setdefault((function.path, name), (set(), set()))
            features.update(function.fact.features)
            calls.update(function.fact.calls)
            self._files.setdefault(name, set()).add(function.path)
        self._operators = _by_folder((path, name) for path, name in self._bodies if re.match(r"operator\b", name))

    def features_of(self, name: str, caller: str) -> frozenset[str]:
        """Features of the function that a name in a file means, and of what it calls, to a fixed depth."""
        start = self._meant(name, caller)
        if start is None:
            return frozenset()
        if start not in self._done:
            seen, front = {start}, [start]
            features: set[str] = set()
            for _ in range(_DEPTH):
                reached: list[tuple[str, str]] = []
                for current in front:
                    own, calls = self._bodies[current]
                    features |= own
                    found = (self._meant(call, current[0]) for call in sorted(calls))
                    reached.extend(target for target in found if target is not None and target not in seen)
                    seen.update(reached)
                front = reached
            self._done[start] = frozenset(features)
        return self._done[start]

    def operators_at(self, path: str) -> tuple[str, ...]:
        """Operators and functors of a file or its folder: a kernel calls them without naming them."""
        return self._operators.get(path.rpartition("/")[0], ())

    def _meant(self, name: str, caller: str) -> tuple[str, str] | None:
        """The function of the caller's own file, else the only one of its folder, else of the tree.

        A name such as `compute` that several files define says nothing about which is called.
        """
        files = self._files.get(name, set())
        if caller in files:
            return caller, name
        folder = caller.rpartition("/")[0]
        near = [path for path in files if path.rpartition("/")[0] == folder]
        candidates = near or sorted(files)
        return (candidates[0], name) if len(candidates) == 1 else None


def _by_folder(named: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Names by the folder of their file, each once."""
    folders: dict[str, set[str]] = {}
    for path, name in named:
        folders.setdefault(path.rpartition("/")[0], set()).add(name)
    return {folder: tuple(sorted(names)) for folder, names in folders.items()}


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


def without_copies(features: Collection[str], name: str) -> str:
    """The class that a kernel would have if it copied nothing in bulk: it stays as hard as that."""
    return class_of(set(features) - _COPIES, name)


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
