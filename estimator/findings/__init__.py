"""What the sites of a tree amount to: each judged, then folded by rule, component and price class.

From a Scan to Findings. Ownership comes with the sites; what a finding costs is not said here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from math import inf

from estimator.findings.disposition import (
    HEADERS,
    TreeFacts,
    files_with_twins,
    judge,
    ported_reason,
    stem,
    vendor_folders,
)
from estimator.findings.scope import ALONG, LEAVE_OUT, REPLACE, Choice, ScopeEntry
from estimator.findings.values import Disposition, Finding, Findings, Inventory, JudgedKernel, JudgedSite
from estimator.knowledge.values import AMD_BUILD, AMD_OPTION, ApiName, Heuristics, PtxFamily, Rule, Unpriced, Weight
from estimator.scan.kernels import without_copies
from estimator.scan.sites import FileCount, Kernel, Scan, Site
from estimator.sources.files import SET_APART, Owner

PRICED = (Disposition.DEBT, Disposition.AUTOMATIC)
_KERNEL_WEIGHTS = {
    "elementwise": "kernel.elementwise",
    "reduction": "kernel.reduction",
    "smem-tiled": "kernel.smem_tiled",
    "tensor-wmma": "kernel.tensor_wmma",
    "tensor-raw": "kernel.tensor_raw",
    "persistent": "kernel.persistent",
    "cluster": "kernel.cluster_tma",
    "irregular": "kernel.irregular",
}
_BULK_COPY = "kernel.bulk_copy"
_PIPELINE_FEATURES = frozenset(("cluster", "wgmma", "mma-asm", "mma-cxx", "wmma"))
_BOUND_FEATURES = frozenset(("mma-asm", "mma-cxx", "wgmma", "tma", "cluster", "cp-async", "mbarrier", "wmma"))
_HOST_LANGUAGES = frozenset(("cuda", "cpp", "c"))
_SOURCES = _HOST_LANGUAGES | {"hip"}

_NO_ROW = "lib.other"  # the class of libraries that no rule prices
_ALL = Choice()


def gather(
    scan: Scan,
    components: Mapping[str, str],
    heuristics: Heuristics,
    width: int = 64,
    choice: Choice = _ALL,
) -> Findings:
    """Judge all sites and fold those that get a price.

    components: component of each file by path. width: lanes of the target's wavefront. choice: what the user
    leaves out, replaces or postpones. Findings are numbered in the order of component, rule and weight.
    """
    rules = {rule.id: rule for rule in heuristics.rules}
    scan = _owned(scan, choice.owners)
    tree = tree_facts(scan, rules, width)
    classes = {entry.by: library_class(entry.by, heuristics) for entry in choice.entries() if entry.by}
    kernels = tuple(
        _judged_kernel(kernel, _weight_of_kernel(kernel, heuristics.weights), tree, choice.of_kernel(kernel), classes)
        for kernel in scan.kernels
    )
    choice = choice.without({item.kernel for item in kernels if not item.replaced_by}, REPLACE)
    judged = tuple(_judged(site, choice, tree, heuristics) for site in scan.sites)
    families = {family.id: family for family in heuristics.ptx}
    folded: dict[tuple[str, str, str, str, str], list[int]] = {}
    for index, item in enumerate(judged):
        if item.disposition not in PRICED:
            continue
        site = item.site
        by = choice.replacement(site)
        library = by or site.library
        weight = classes[by] if by else weight_of(site, rules[site.rule], families, heuristics.apis)
        key = (components.get(site.path, "."), site.category, site.rule, library, weight)
        folded.setdefault(key, []).append(index)
    findings = tuple(
        Finding(f"F{number:03d}", rule, category, library, component, weight, tuple(indexes))
        for number, ((component, category, rule, library, weight), indexes) in enumerate(
            sorted(folded.items()), start=1
        )
    )
    return Findings(judged, kernels, findings, _inventory(judged, scan.files, rules, choice, tree))


def _owned(scan: Scan, owners: Mapping[str, Owner]) -> Scan:
    """The same scan with some files in other hands."""
    if not owners:
        return scan
    return replace(
        scan,
        sites=tuple(replace(site, owner=owners.get(site.path, site.owner)) for site in scan.sites),
        kernels=tuple(replace(kernel, owner=owners.get(kernel.path, kernel.owner)) for kernel in scan.kernels),
        files=tuple(replace(count, owner=owners.get(count.path, count.owner)) for count in scan.files),
    )


def _judged(site: Site, choice: Choice, tree: TreeFacts, heuristics: Heuristics) -> JudgedSite:
    """One site as the user wants it taken, else as it is. Of a replaced kernel the head stays, for the library."""
    entry = choice.of_site(site)
    if entry is None or site.owner in SET_APART:
        return judge(site, tree, heuristics.apis, heuristics.components)
    kept = choice.replacement(site)
    along = f"; {ALONG}" if choice.in_kernel(site) is None and choice.of_function(site) else ""
    return JudgedSite(site, Disposition.DEBT if kept else Disposition.EXCLUDED, entry.reason + along)


def library_class(library: str, heuristics: Heuristics) -> str:
    """The class that prices calls of a library: the dearest of those that rules name for it, if any has a price."""
    classes = sorted({rule.effort for rule in heuristics.rules if rule.library == library and rule.effort})
    priced = [weight for name in classes if isinstance(weight := heuristics.weights.get(name), Weight)]
    if priced:
        return max(priced, key=lambda weight: weight.hours["amd"].likely).id
    return classes[0] if classes else _NO_ROW


def tree_facts(scan: Scan, rules: Mapping[str, Rule], width: int = 64) -> TreeFacts:
    """What the own code of a tree shows of an AMD port as a whole, whatever the user leaves out of it."""
    own = [site for site in scan.sites if site.owner is Owner.OWN]
    files = [count for count in scan.files if count.owner is Owner.OWN]
    bound = {(kernel.path, kernel.name) for kernel in scan.kernels if _is_bound(kernel)}
    bound_files = {path for path, _ in bound}
    hipified = {stem(c.path) for c in scan.files if c.language == "hip" and not c.path.endswith(HEADERS)}
    sources = {count.path for count in files if count.language in _SOURCES and count.lines}
    builds = _builds_for_amd(own, rules, sources)
    shows = {rules[site.rule].shows for site in own if rules[site.rule].shows} - {AMD_BUILD}
    built = sources if builds else ()  # where nothing builds for AMD, names alone make no twins
    twins, amd_folders = vendor_folders([count.path for count in files], built)
    return TreeFacts(
        aliases=frozenset(scan.aliases),
        shows=frozenset(shows | {AMD_BUILD} if builds else shows),
        bound=frozenset(bound),
        hipified=frozenset(hipified),
        twin_folders=twins,
        amd_folders=amd_folders,
        twin_files=files_with_twins(built),
        builds=tuple(sorted({path[: path.rfind("/") + 1] for path in builds})),
        compiled=frozenset(c.path for c in scan.files if c.language in _HOST_LANGUAGES and c.path not in bound_files),
        width=width,
    )


def _builds_for_amd(own: Iterable[Site], rules: Mapping[str, Rule], sources: Collection[str]) -> set[str]:
    """Build files and scripts that build for AMD: by what they do, or by asking where a source has an arm for AMD.

    Python scripts of CUDA extensions ask too: PyTorch converts the sources of such a build by itself. What only asks
    may be copied from another project, refuse, or mean a hip of another kind.
    """
    sites = list(own)
    builds = {site.path for site in sites if rules[site.rule].shows == AMD_BUILD}
    if not any(site.path in sources and site.amd_arm == "amd" for site in sites):
        return builds
    scripts = {site.path for site in sites if site.category == "build-system" and site.path.endswith(".py")}
    ready = {site.path for site in sites if site.category == "rocm-ready"}
    return builds | (scripts & ready) | {site.path for site in sites if rules[site.rule].shows == AMD_OPTION}


def _is_bound(kernel: Kernel) -> bool:
    """Whether a kernel holds code for NVIDIA's units that no compiler carries over."""
    return bool(_BOUND_FEATURES.intersection(kernel.features))


def weight_of(site: Site, rule: Rule, families: Mapping[str, PtxFamily], apis: Mapping[str, ApiName]) -> str:
    """The class that prices a site: its rule's, its PTX family's, or the one for names without a twin."""
    if site.category == "inline-ptx":
        return families[site.symbol].weight if site.symbol in families else "ptx.unknown"
    if site.category == "runtime-api-unsupported" and rule.category != site.category:
        return "runtime.no_equiv"
    api = apis.get(site.symbol)
    if site.category in ("driver-api", "library-call") and api is not None and api.status == "none":
        return "runtime.no_equiv"
    return rule.effort


def _judged_kernel(
    kernel: Kernel, weight: str, tree: TreeFacts, entry: ScopeEntry | None, classes: Mapping[str, str]
) -> JudgedKernel:
    covered = AMD_BUILD in tree.shows and not _is_bound(kernel)
    if kernel.owner in SET_APART or (entry is not None and entry.table != REPLACE):
        return JudgedKernel(kernel, Disposition.EXCLUDED, weight)
    if ported_reason(kernel, tree) or covered:
        return JudgedKernel(kernel, Disposition.PORTED, weight)
    if entry is not None:
        return JudgedKernel(kernel, Disposition.DEBT, classes[entry.by], entry.by)
    return JudgedKernel(kernel, Disposition.DEBT, weight)


def _weight_of_kernel(kernel: Kernel, weights: Mapping[str, Weight | Unpriced]) -> str:
    """By its class; one of class cluster that only copies in bulk is no matrix pipeline to be designed anew.

    It costs what copies do, or what it would without them if that is more or has no price.
    """
    if kernel.kind != "cluster" or not _PIPELINE_FEATURES.isdisjoint(kernel.features):
        return _KERNEL_WEIGHTS[kernel.kind]
    rest = _KERNEL_WEIGHTS[without_copies(kernel.features, kernel.name)]
    return max((_BULK_COPY, rest), key=lambda name: _likely(weights.get(name)))


def _likely(weight: Weight | Unpriced | None) -> float:
    """Hours of the first one in HIP; what has no price counts as dearer than any that has."""
    return weight.hours["amd"].likely if isinstance(weight, Weight) else inf


def _inventory(
    judged: Iterable[JudgedSite],
    files: Iterable[FileCount],
    rules: Mapping[str, Rule],
    choice: Choice,
    tree: TreeFacts,
) -> Inventory:
    """What is left out is gone; what is postponed or replaced still shows what kind of project this is."""
    priced = [item.site for item in judged if item.disposition in PRICED]
    touched = {site.path for site in priced}
    gone = {path for path, entry in choice.files.items() if entry.table == LEAVE_OUT}
    own = [count for count in files if count.owner not in SET_APART and count.path not in gone]
    languages: Counter[str] = Counter()
    for count in own:
        languages[count.language] += count.lines
    sites = [item.site for item in judged if item.disposition is not Disposition.EXCLUDED or _stays(item, choice)]
    return Inventory(
        cuda_lines=sum(count.lines for count in own if count.path in touched and count.language in _HOST_LANGUAGES),
        changed_lines=len({(site.path, site.line) for site in priced}),
        python_host=_python_host(sites, languages, rules),
        mpi=any(site.rule == "communication.mpi" for site in sites),
        triton_kernels=sum(site.category == "triton-kernel" for site in sites),
        rocm_ready=sum(site.category == "rocm-ready" for site in sites),
        amd_build=AMD_BUILD in tree.shows,
    )


def _stays(item: JudgedSite, choice: Choice) -> bool:
    entry = choice.of_site(item.site)
    return item.site.owner not in SET_APART and entry is not None and entry.table != LEAVE_OUT


def _python_host(sites: Iterable[Site], languages: Mapping[str, int], rules: Mapping[str, Rule]) -> float:
    """1 where Python launches the kernels (a PyTorch extension or no C++ at all), 0 for C++ programs."""
    if any(rules[site.rule].python_host for site in sites):
        return 1.0
    code = languages["cpp"] + languages["cuda"]
    return 0.0 if code else 1.0


__all__ = ["PRICED", "gather", "judge", "library_class", "weight_of"]
