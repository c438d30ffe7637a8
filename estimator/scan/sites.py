"""What `scan` hands on: the places where rules matched, and the kernels."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.errors import Trouble
from estimator.languages.facts import Confidence
from estimator.sources.files import Owner


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """One place where one rule matched.

    path: relative to the scanned root, forward slashes. line, end_line, column: from 1.
    category: from the rule, or from the catalogue for API names. library: id in components.csv, or "".
    symbol: what stands there: an API name, an instruction family, a constant.
    function: enclosing function, "" outside; the unit of some prices.
    guards: conditions around it, outermost first. excerpt: the line, trimmed, secrets redacted.
    count: places this row stands for; more than 1 only for whole generated files.
    amd_arm, space: as in Fact.
    """

    path: str
    line: int
    end_line: int
    column: int
    category: str
    rule: str
    symbol: str
    library: str = ""
    function: str = ""
    guards: tuple[str, ...] = ()
    excerpt: str = ""
    confidence: Confidence = Confidence.PARSED
    owner: Owner = Owner.OWN
    count: int = 1
    amd_arm: str = ""
    space: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Kernel:
    """One kernel of the inventory.

    kind: its class: elementwise, reduction, smem-tiled, tensor-wmma, tensor-raw, persistent, cluster,
    irregular. triton_fit: good, partial or poor, with the reason. launches: places that launch it.
    """

    path: str
    line: int
    end_line: int
    name: str
    template: bool
    features: tuple[str, ...]
    kind: str
    triton_fit: str
    triton_reason: str
    launches: int
    owner: Owner
    guards: tuple[str, ...] = ()
    confidence: Confidence = Confidence.PARSED
    amd_arm: str = ""


@dataclass(frozen=True, slots=True, order=True)
class DeviceCode:
    """A function that runs on the device and is no kernel. line, end_line: from its head to its last bracket."""

    path: str
    line: int
    end_line: int
    name: str


@dataclass(frozen=True, slots=True)
class FileCount:
    """Size of one scanned file: what reliability and the conversion rows are counted from."""

    path: str
    language: str
    owner: Owner
    lines: int
    bytes: int
    error_bytes: int


@dataclass(frozen=True, slots=True)
class Credit:
    """Something portable that was counted without being a site: torch.cuda calls and the like."""

    rule: str
    title: str
    count: int
    files: int


@dataclass(frozen=True, slots=True, order=True)
class Pin:
    """One package or base image that a file asks for, if it is known for code of NVIDIA's or a rule says so.

    package: in its normal form; images with their registry, without a tag. specifier: as written, "" for any version,
    secrets redacted. manager: pip, conda, lock, cargo or image. library: id in components.csv that the rule names.
    """

    path: str
    line: int
    package: str
    specifier: str
    manager: str
    library: str = ""
    owner: Owner = Owner.OWN


@dataclass(frozen=True, slots=True, order=True)
class Named:
    """A source that a build file names. path, line: of the build file. name: as written there."""

    path: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class Scan:
    """Everything found in one tree; all tuples sorted.

    aliases: CUDA names that a header of the tree maps to HIP names (`#define cudaMalloc hipMalloc`).
    missing: CUDA sources that build files name and that are not in the tree.
    functions: those that run on the device, kernels left out.
    """

    sites: tuple[Site, ...]
    kernels: tuple[Kernel, ...]
    files: tuple[FileCount, ...]
    credits: tuple[Credit, ...]
    troubles: tuple[Trouble, ...]
    aliases: tuple[str, ...] = ()
    pins: tuple[Pin, ...] = ()
    missing: tuple[Named, ...] = ()
    functions: tuple[DeviceCode, ...] = ()
