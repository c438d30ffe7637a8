"""What a site means for the target: debt, automatic, credit, ported or excluded, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from estimator.findings.values import Disposition, JudgedSite
from estimator.knowledge.values import AMD_BUILD, ApiName, Component
from estimator.scan.sites import Kernel, Site
from estimator.sources.files import SET_APART

_CREDITS = frozenset(("triton-kernel", "rocm-ready"))
_BY_NAME = frozenset(
    ("runtime-api", "driver-api", "cuda-graph", "managed-memory", "texture-surface", "graphics-interop")
)
_RENAMED = frozenset(("runtime-api", "driver-api", "cuda-graph"))
_NVIDIA_FOLDERS = ("nvidia", "cuda", "nv")
_AMD_FOLDERS = ("amd", "rocm", "hip")
HEADERS = (".h", ".hpp", ".cuh", ".inl")
_AMD_WORD = {"cuda": "hip", "Cuda": "Hip", "CUDA": "HIP"}
_NVIDIA_WORD = re.compile("|".join(_AMD_WORD))
_WARP = 32
_TO_VERIFY = frozenset(("warp-size", "warp-primitive", "lane-mask", "arch-guard", "cooperative-groups"))
_COVERED_BY_ALIAS = _BY_NAME | {"runtime-api-unsupported", "library-call", "warp-primitive"}


@dataclass(frozen=True, slots=True)
class TreeFacts:
    """What the tree as a whole knows of AMD.

    aliases: CUDA names that it maps to HIP names. shows: "amd-build", "amd-image", "amd-cluster".
    bound: kernels, by path and name, that hold PTX, matrix or asynchronous-copy code of NVIDIA's.
    hipified: names, without folder and ending, of files that are HIP. twin_folders: those for NVIDIA, with a slash
    behind them, that have one for AMD beside them; amd_folders: those for AMD. twin_files: files for NVIDIA
    that have one named for AMD beside them. builds: folders, "" for the root, of build files and scripts that
    know AMD. compiled: files of the C family without a kernel that is bound. width: lanes of the target's wavefront,
    0 when not known.
    """

    aliases: frozenset[str]
    shows: frozenset[str]
    bound: frozenset[tuple[str, str]]
    hipified: frozenset[str] = frozenset()
    twin_folders: tuple[str, ...] = ()
    amd_folders: tuple[str, ...] = ()
    twin_files: frozenset[str] = frozenset()
    builds: tuple[str, ...] = ()
    compiled: frozenset[str] = frozenset()
    width: int = 64


def judge(site: Site, tree: TreeFacts, apis: Mapping[str, ApiName], components: Mapping[str, Component]) -> JudgedSite:
    """One site's disposition; the first reason that holds decides."""
    if site.owner in SET_APART:
        return JudgedSite(site, Disposition.EXCLUDED, f"{site.owner} code")
    if site.category in _CREDITS:
        return JudgedSite(site, Disposition.CREDIT, "portable already")
    ported = ported_reason(site, tree)
    if ported:
        return JudgedSite(site, Disposition.PORTED, ported)
    covered = _covered_by_tree(site, tree, apis)
    if covered:
        return JudgedSite(site, Disposition.PORTED, covered)
    if site.category in _BY_NAME and _has_twin(site, apis):
        return JudgedSite(site, Disposition.AUTOMATIC, "a tool renames it")
    component = components.get(site.library)
    if component is not None and component.port_kind == "same-names":
        return JudgedSite(site, Disposition.AUTOMATIC, "the AMD library keeps the names")
    if site.category == "framework-dependency" and component is not None and component.port_kind == "framework-absorbs":
        return JudgedSite(site, Disposition.AUTOMATIC, "the package has an AMD build")
    if site.category in _TO_VERIFY and _is_built(site, tree):
        return JudgedSite(site, Disposition.AUTOMATIC, "the project's AMD build takes it already: to be verified")
    return JudgedSite(site, Disposition.DEBT)


def _covered_by_tree(site: Site, tree: TreeFacts, apis: Mapping[str, ApiName]) -> str:
    """What the tree or the target itself already does about a site; "" when nothing."""
    if site.category == "warp-size" and tree.width == _WARP:
        return "the target's wavefront has 32 lanes too"
    if site.category in _COVERED_BY_ALIAS and not tree.aliases.isdisjoint((site.symbol, site.symbol.split("::")[0])):
        return "a header of the project maps the name to HIP"
    if AMD_BUILD in tree.shows:
        if site.category in _BY_NAME and _has_twin(site, apis):
            return "the project's AMD build renames it"
        if site.category == "cuda-kernel" and (site.path, site.symbol) not in tree.bound:
            return "the project's AMD build compiles it"
        if site.category == "build-system" and site.path.startswith(tree.builds):
            return "the project's build knows AMD"
        if site.category == "tuning-constant" and site.path in tree.compiled:
            return "the project's AMD build compiles it"
        if stem(site.path) in tree.hipified:
            return "the project's AMD build takes the HIP file of this name"
    if site.category == "container" and "amd-image" in tree.shows:
        return "an AMD image stands beside it"
    if site.category == "orchestration" and "amd-cluster" in tree.shows:
        return "an AMD twin of the request stands beside it"
    return ""


def _is_built(site: Site, tree: TreeFacts) -> bool:
    """Whether an AMD build of the project takes in the file: it compiles there, what it computes is another matter."""
    is_script = site.path.endswith(".py") and site.path.startswith(tree.builds)
    return AMD_BUILD in tree.shows and (site.path in tree.compiled or is_script)


def vendor_folders(paths: Iterable[str], built: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Folders for NVIDIA that have one for AMD beside them, and those for AMD.

    By the vendors' usual names, or by names that differ in cuda and hip alone where built sources lie in the latter.
    """
    folders, of_amd = _folders(paths), _folders(built)
    pairs = {
        (folder, beside) for folder in folders for beside, known in _beside(folder, folders, of_amd) if beside in known
    }
    return tuple(sorted({pair[0] for pair in pairs})), tuple(sorted({pair[1] for pair in pairs}))


def _beside(folder: str, folders: set[str], of_amd: set[str]) -> Iterator[tuple[str, set[str]]]:
    """What the folder for AMD beside one may be called, with those that count: cuda by amd, cuda-gen by hip-gen."""
    above, _, name = folder[:-1].rpartition("/")
    above = f"{above}/" if above else ""
    if name.lower() in _NVIDIA_FOLDERS:
        yield from ((f"{above}{amd}/", folders) for amd in _AMD_FOLDERS)
    if _renamed(name) != name:
        yield f"{above}{_renamed(name)}/", of_amd


def _folders(paths: Iterable[str]) -> set[str]:
    return {path[: position + 1] for path in paths for position, sign in enumerate(path) if sign == "/"}


def files_with_twins(built: Collection[str]) -> frozenset[str]:
    """Sources for NVIDIA that have one named for AMD beside them: opsCuda.cu by opsHip.cpp; headers by headers."""
    twins = {(_without_ending(path), path.endswith(HEADERS)) for path in built}
    return frozenset(
        path
        for path in built
        if (name := _file_renamed(path)) != _without_ending(path) and (name, path.endswith(HEADERS)) in twins
    )


def _file_renamed(path: str) -> str:
    folder, sign, file = _without_ending(path).rpartition("/")
    return folder + sign + _renamed(file)


def _renamed(name: str) -> str:
    return _NVIDIA_WORD.sub(lambda word: _AMD_WORD[word[0]], name)


def _without_ending(path: str) -> str:
    """A path without the ending of its file: ops.cu and ops.hip.cpp give ops, ops.fp8.cu gives ops.fp8."""
    return path[: path.rfind(".")].removesuffix(".hip").removesuffix(".cu") if "." in path else path


def stem(path: str) -> str:
    """File name without folder and ending."""
    return path.rsplit("/", 1)[-1].split(".", 1)[0]


def ported_reason(place: Site | Kernel, tree: TreeFacts) -> str:
    """Why a place needs no work although it is CUDA; "" when it does."""
    if place.path.startswith(tree.twin_folders):
        return "stands in a folder for NVIDIA with one for AMD beside it"
    if place.path in tree.twin_files:
        return "stands in a file for NVIDIA with one for AMD beside it"
    if place.amd_arm == "amd" or place.path.startswith(tree.amd_folders):
        return "stands in the AMD arm"
    if place.amd_arm == "works":
        return "a working AMD arm stands beside it"
    return ""


def _has_twin(site: Site, apis: Mapping[str, ApiName]) -> bool:
    api = apis.get(site.symbol)
    return api is not None and api.status in ("renamed", "same-name") and site.category in _RENAMED
