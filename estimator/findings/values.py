"""What `findings` hands on: sites with their disposition, folded to what gets a price."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from estimator.scan.sites import Kernel, Site


class Disposition(StrEnum):
    """What a site means for the target amd; the table is in README.md."""

    DEBT = "debt"
    AUTOMATIC = "automatic"
    CREDIT = "credit"
    PORTED = "ported"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class JudgedSite:
    """A site and what it means. reason: why it isn't plain debt, "" otherwise."""

    site: Site
    disposition: Disposition
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JudgedKernel:
    """A kernel and what it means, with its own price weight (`kernel.reduction`).

    replaced_by: the library that takes its place, as the user says; the weight is then that library's.
    """

    kernel: Kernel
    disposition: Disposition
    weight: str
    replaced_by: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule found in one component for one weight: the thing that gets a price.

    id: "F001" …, in the order of the report. weight: a class of heuristics/weights.
    sites: indexes into `Findings.sites`, rising, never empty.
    """

    id: str
    rule: str
    category: str
    library: str
    component: str
    weight: str
    sites: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Inventory:
    """Counts that fixed rows and policy criteria rest on; own, test and example code only.

    cuda_lines: lines of files that hold a debt or automatic site. changed_lines: distinct lines of
    debt and automatic sites. build_files, engineers: counts for their rows.
    python_host: share of the launching code's host side that is Python, 0 to 1 (PyTorch extensions
    count as Python). amd_build: whether a build of the tree takes AMD already.
    """

    cuda_lines: int
    changed_lines: int
    python_host: float
    mpi: bool
    triton_kernels: int
    rocm_ready: int
    amd_build: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of a tree, sorted by id, with the sites and kernels they speak of."""

    sites: tuple[JudgedSite, ...]
    kernels: tuple[JudgedKernel, ...]
    findings: tuple[Finding, ...]
    inventory: Inventory


def places_by_path(sites: Iterable[JudgedSite]) -> Counter[str]:
    """How many places each file holds, those that a row stands for counted."""
    counts: Counter[str] = Counter()
    for judged in sites:
        counts[judged.site.path] += judged.site.count
    return counts
