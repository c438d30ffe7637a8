"""What the sites of a tree amount to: each judged, then folded by rule, component and price class.

From a Scan to Findings. Ownership comes with the sites; what a finding costs is not said here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from estimator.findings.disposition import TreeFacts, judge, ported_reason, stem, vendor_folders
from estimator.findings.values import Disposition, Finding, Findings, Inventory, JudgedKernel, JudgedSite
from estimator.knowledge.values import ApiName, Heuristics, PtxFamily, Rule
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
_BOUND_FEATURES = frozenset(("mma-asm", "mma-cxx", "wgmma", "tma", "cluster", "cp-async", "mbarrier", "wmma"))
_HEADERS = (".h", ".hpp", ".cuh", ".inl")
_HOST_LANGUAGES = frozenset(("cuda", "cpp", "c"))


_NOTHING: Mapping[str, str] = MappingProxyType({})


def gather(
    scan: Scan,
    components: Mapping[str, str],
    heuristics: Heuristics,
    width: int = 64,
    left_out: Mapping[str, str] = _NOTHING,
) -> Findings:
    """Judge all sites and fold those that get a price.

    components: component of each file by path. width: lanes of the target's wavefront. left_out: why the user
    leaves a file out, by path. Findings are numbered in the order of component, rule and weight.
    """
    rules = {rule.id: rule for rule in heuristics.rules}
    tree = tree_facts(scan, rules, width)
    judged = tuple(
        JudgedSite(site, Disposition.EXCLUDED, f"left out: {left_out[site.path]}")
        if site.path in left_out and site.owner not in SET_APART
        else judge(site, tree, heuristics.apis, heuristics.components)
        for site in scan.sites
    )
    kernels = tuple(_judged_kernel(kernel, tree, kernel.path in left_out) for kernel in scan.kernels)
    families = {family.id: family for family in heuristics.ptx}
    folded: dict[tuple[str, str, str, str, str], list[int]] = {}
    for index, item in enumerate(judged):
        if item.disposition not in PRICED:
            continue
        site = item.site
        weight = weight_of(site, rules[site.rule], families, heuristics.apis)
        key = (components.get(site.path, "."), site.category, site.rule, site.library, weight)
        folded.setdefault(key, []).append(index)
    findings = tuple(
        Finding(f"F{number:03d}", rule, category, library, component, weight, tuple(indexes))
        for number, ((component, category, rule, library, weight), indexes) in enumerate(
            sorted(folded.items()), start=1
        )
    )
    files = (count for count in scan.files if count.path not in left_out)
    return Findings(judged, kernels, findings, _inventory(judged, files, rules))


def tree_facts(scan: Scan, rules: Mapping[str, Rule], width: int = 64) -> TreeFacts:
    """What the own code of a tree shows of an AMD port as a whole."""
    shows = {rules[site.rule].shows for site in scan.sites if site.owner is Owner.OWN} - {""}
    bound = {(kernel.path, kernel.name) for kernel in scan.kernels if _is_bound(kernel)}
    hipified = {
        stem(count.path) for count in scan.files if count.language == "hip" and not count.path.endswith(_HEADERS)
    }
    twins, amd_folders = vendor_folders(count.path for count in scan.files if count.owner is Owner.OWN)
    return TreeFacts(
        aliases=frozenset(scan.aliases),
        shows=frozenset(shows),
        bound=frozenset(bound),
        hipified=frozenset(hipified),
        twins=twins,
        amd_folders=amd_folders,
        width=width,
    )


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


def _judged_kernel(kernel: Kernel, tree: TreeFacts, is_left_out: bool) -> JudgedKernel:
    covered = "amd-build" in tree.shows and not _is_bound(kernel)
    if is_left_out or kernel.owner in SET_APART:
        disposition = Disposition.EXCLUDED
    elif ported_reason(kernel, tree) or covered:
        disposition = Disposition.PORTED
    else:
        disposition = Disposition.DEBT
    return JudgedKernel(kernel, disposition, _KERNEL_WEIGHTS[kernel.kind])


def _inventory(judged: Iterable[JudgedSite], files: Iterable[FileCount], rules: Mapping[str, Rule]) -> Inventory:
    priced = [item.site for item in judged if item.disposition in PRICED]
    touched = {site.path for site in priced}
    own = [count for count in files if count.owner not in SET_APART]
    languages: Counter[str] = Counter()
    for count in own:
        languages[count.language] += count.lines
    sites = [item.site for item in judged if item.disposition is not Disposition.EXCLUDED]
    return Inventory(
        cuda_lines=sum(count.lines for count in own if count.path in touched and count.language in _HOST_LANGUAGES),
        changed_lines=len({(site.path, site.line) for site in priced}),
        python_host=_python_host(sites, languages, rules),
        mpi=any(site.rule == "communication.mpi" for site in sites),
        triton_kernels=sum(site.category == "triton-kernel" for site in sites),
        rocm_ready=sum(site.category == "rocm-ready" for site in sites),
    )


def _python_host(sites: Iterable[Site], languages: Mapping[str, int], rules: Mapping[str, Rule]) -> float:
    """1 where Python launches the kernels (a PyTorch extension or no C++ at all), 0 for C++ programs."""
    if any(rules[site.rule].python_host for site in sites):
        return 1.0
    code = languages["cpp"] + languages["cuda"]
    return 0.0 if code else 1.0


__all__ = ["PRICED", "gather", "judge", "weight_of"]
