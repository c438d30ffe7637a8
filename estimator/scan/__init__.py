"""What stands in a tree: every file read to facts, every rule tried, kernels counted.

From a SourceTree and the heuristics to a Scan; no prices, no verdict on what is debt.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache

from estimator import languages
from estimator.errors import Trouble
from estimator.knowledge.values import Heuristics, Rule
from estimator.languages.c_harvest import harvest
from estimator.languages.facts import Confidence, Fact, FactKind, Harvest, Reading
from estimator.languages.guards import arm_of
from estimator.languages.requirements import normalised
from estimator.scan import engine
from estimator.scan.assembly import as_ptx
from estimator.scan.excerpts import excerpt, redacted
from estimator.scan.folding import folded
from estimator.scan.kernels import FoundFunction, FoundKernel, device_code, inventory
from estimator.scan.match import Hit, Matcher
from estimator.scan.named import missing, named_sources
from estimator.scan.pins import pins_of
from estimator.scan.sites import Credit, FileCount, Named, Pin, Scan, Site
from estimator.sources.files import SET_APART, Owner, SourceFile, SourceTree

_ONE_A_LINE = frozenset(
    (
        *("library-call", "warp-size", "lane-mask", "rocm-ready", "build-system", "arch-guard", "container"),
        *("orchestration", "tooling", "communication", "tuning-constant"),
    )
)
_FIRST_IN_FILE = frozenset(("framework-dependency",))
_IMPORTING = frozenset(("python", "notebook"))
_EMBEDDED = "__global__"


@dataclass(frozen=True, slots=True)
class FileScan:
    """What one file gives, before the tree as a whole is looked at."""

    count: FileCount
    sites: tuple[Site, ...]
    credits: tuple[tuple[str, str], ...]
    kernels: tuple[FoundKernel, ...]
    functions: tuple[FoundFunction, ...]
    launches: tuple[str, ...]
    aliases: tuple[str, ...]
    definitions: tuple[str, ...]
    troubles: tuple[Trouble, ...]
    pins: tuple[Pin, ...] = ()
    named: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads files with what the whole tree taught; the same in this process and in a worker."""

    learnt: Harvest
    heuristics: Heuristics
    _matcher: list[Matcher] = field(default_factory=list)

    def __call__(self, file: SourceFile) -> FileScan:
        if not self._matcher:
            self._matcher.append(Matcher(self.heuristics.rules))
        with _no_collection():
            return scan_file(file, self.learnt, self._matcher[0], self.heuristics)


def scan(tree: SourceTree, heuristics: Heuristics, jobs: int = 1) -> Scan:
    """Scan a whole tree. The order of its files does not matter; everything given is sorted.

    jobs: processes that read files; more than one needs a program that can be imported again, as scripts with
    `if __name__ == "__main__"` are.
    """
    learnt = harvest(file.text for file in tree.files if is_c(file.path))
    results = engine.each(tree.files, Reader(learnt, heuristics), _lost, jobs)
    launches = Counter(name.rsplit("::", 1)[-1] for result in results for name in result.launches)
    functions = [function for result in results for function in result.functions]
    kernels = inventory((kernel for result in results for kernel in result.kernels), functions, launches)
    own = {name for result in results for name in result.definitions if _is_own(name, heuristics)}
    packages, paths = own_packages(tree), frozenset(file.path for file in tree.files)
    sites = (
        by_catalogue(site, heuristics)
        for result in results
        for site in result.sites
        if site.symbol not in own and not (site.category in _FIRST_IN_FILE and _is_of_tree(site, packages, paths))
    )
    return Scan(
        sites=tuple(sorted(folded(sites))),
        kernels=kernels,
        files=tuple(sorted((result.count for result in results), key=lambda count: count.path)),
        credits=_credits(results, heuristics.rules),
        troubles=tuple(sorted([*tree.troubles, *(trouble for result in results for trouble in result.troubles)])),
        aliases=tuple(sorted({a for r in results if r.count.owner not in SET_APART for a in r.aliases})),
        pins=tuple(sorted(pin for result in results for pin in result.pins if pin.package not in packages)),
        missing=missing((named for result in results for named in result.named), tree),
        functions=device_code(functions),
    )


@contextmanager
def _no_collection() -> Iterator[None]:
    """Facts are many, soon forgotten and in no cycle: looking for cycles among them takes a sixth of a scan."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def scan_file(file: SourceFile, learnt: Harvest, matcher: Matcher, heuristics: Heuristics) -> FileScan:
    """Facts and sites of one file."""
    language = languages.language_of(file.path)
    if language is None:
        return _nothing(file)
    reading = languages.read(language, file.path, file.text, learnt)
    lines = file.text.split("\n")
    hits = [hit for hit in matcher.hits(reading) if hit.fact.kind is not FactKind.ASM]
    sites = [_site(file, hit, lines) for hit in hits if not hit.rule.credit]
    sites.extend(_ptx_sites(file, reading, heuristics, lines))
    kernels = [
        FoundKernel(file.path, file.owner, replace(kernel, guards=_shown(kernel.guards))) for kernel in reading.kernels
    ]
    for inner in _embedded(file, reading, learnt, matcher, heuristics):
        sites.extend(inner.sites)
        kernels.extend(inner.kernels)
    return FileScan(
        count=FileCount(file.path, reading.language, file.owner, reading.lines, reading.size, reading.error_bytes),
        sites=tuple(_distinct(sites, reading.language in _IMPORTING)),
        credits=tuple((hit.rule.id, file.path) for hit in hits if hit.rule.credit),
        kernels=tuple(kernels),
        functions=tuple(FoundFunction(file.path, function) for function in reading.device_functions),
        launches=tuple(fact.text for fact in reading.facts if fact.kind is FactKind.LAUNCH and fact.text),
        aliases=tuple(_aliases(reading)),
        definitions=reading.definitions,
        troubles=tuple(Trouble(file.path, "parse", doubt) for doubt in reading.doubts),
        pins=pins_of(file, reading.facts, hits, heuristics.packages),
        named=named_sources(file, reading.language, reading.facts),
    )


def _is_own(name: str, heuristics: Heuristics) -> bool:
    """Whether a name defined in the tree takes the meaning from what is called so: cudaCheck does, cutlass doesn't."""
    api = heuristics.apis.get(name)
    if api is not None and heuristics.components[api.library].kind != "device-api":  # its functions are overloaded
        return False
    return name.startswith("__") or not name.islower()


def own_packages(tree: SourceTree) -> frozenset[str]:
    """Names of the Python packages that the tree itself is: importing them is no dependency."""
    inits = (file for file in tree.files if file.path.endswith("/__init__.py") and file.owner is not Owner.VENDORED)
    paths = (file.path.split("/") for file in inits)
    return frozenset(package_of(parts[-2]) for parts in paths if len(parts) <= 3)


def _is_of_tree(site: Site, packages: frozenset[str], paths: frozenset[str]) -> bool:
    """Whether a dependency is one of the tree's own packages, or a module beside a script that imports it.

    In a folder that is a package itself, `import tensorrt` in tensorrt.py still means the package of that name.
    """
    if package_of(site.symbol) in packages:
        return True
    folder = site.path.rpartition("/")[0] + "/" if "/" in site.path else ""
    beside = f"{folder}{site.symbol.split('.', 1)[0]}.py"
    return beside in paths and beside != site.path and f"{folder}__init__.py" not in paths


def package_of(symbol: str) -> str:
    """A package's name as requirements and imports share it: lower case, dashes, first segment."""
    return normalised(symbol.partition(".")[0])


def by_catalogue(site: Site, heuristics: Heuristics) -> Site:
    """A runtime call that the target lacks is runtime-api-unsupported; looked up late, so that another
    target needs no new scan."""
    if site.category != "runtime-api":
        return site
    api = heuristics.apis.get(site.symbol)
    return replace(site, category="runtime-api-unsupported") if api is not None and api.status == "none" else site


def _lost(file: SourceFile) -> FileScan:
    reason = "reading it took more memory than a reader has, or ended the reader"
    return replace(_nothing(file), troubles=(Trouble(file.path, "parse", reason, len(file.text)),))


def _nothing(file: SourceFile) -> FileScan:
    count = FileCount(file.path, "", file.owner, file.text.count("\n"), len(file.text.encode("utf-8", "replace")), 0)
    return FileScan(count, (), (), (), (), (), (), (), ())


def is_c(path: str) -> bool:
    """Whether a path is read as C, C++, CUDA or HIP."""
    language = languages.language_of(path)
    return language is not None and language.module == "c_family"


@lru_cache(maxsize=4_096)
def _shown(guards: tuple[str, ...]) -> tuple[str, ...]:
    """Conditions without what looks like a secret; a file has few, and many sites under each."""
    return tuple(map(redacted, guards))


def _site(file: SourceFile, hit: Hit, lines: list[str], symbol: str = "", category: str = "") -> Site:
    fact = hit.fact
    line = hit.line
    return Site(
        path=file.path,
        line=line,
        end_line=hit.end_line,
        column=fact.column if line == fact.line else _first_column(lines, line),
        category=category or hit.rule.category,
        rule=hit.rule.id,
        symbol=redacted(symbol or hit.symbol)[:120],
        library=hit.rule.library,
        function=fact.function,
        guards=_shown(fact.guards),
        excerpt=excerpt(lines[line - 1]) if 0 < line <= len(lines) else "",
        confidence=fact.confidence,
        owner=file.owner,
        amd_arm=fact.amd_arm or arm_of(fact.guards),
        space=fact.space,
    )


def _first_column(lines: list[str], line: int) -> int:
    """Where a line's text begins, from 1."""
    written = lines[line - 1] if 0 < line <= len(lines) else ""
    return len(written) - len(written.lstrip()) + 1


def _ptx_sites(file: SourceFile, reading: Reading, heuristics: Heuristics, lines: list[str]) -> Iterator[Site]:
    """One site a category for each asm statement that is PTX."""
    statements = [fact for fact in reading.facts if fact.kind is FactKind.ASM]
    if reading.language == "hip" or not statements:
        return
    rules = {rule.category: rule for rule in heuristics.rules if rule.id.startswith("ptx.asm-")}
    for fact in statements:
        ptx = as_ptx(fact, heuristics.ptx, reading.language)
        for category in ptx.categories if ptx else ():
            if ptx and category in rules:
                yield _site(file, Hit(rules[category], fact, ptx.family), lines)


def _embedded(
    file: SourceFile, reading: Reading, learnt: Harvest, matcher: Matcher, heuristics: Heuristics
) -> Iterator[FileScan]:
    """Kernels in strings, read as CUDA at the lines where they stand."""
    for fact in reading.facts:
        if fact.kind is not FactKind.STRING or _EMBEDDED not in fact.text or "{" not in fact.text:
            continue
        inner = SourceFile(f"{file.path}.cu", "\n" * (fact.line - 1) + fact.text, file.owner, "", file.component)
        result = scan_file(inner, learnt, matcher, heuristics)
        yield replace(
            result,
            sites=tuple(
                replace(s, path=file.path, confidence=Confidence.LEXICAL, end_line=min(s.end_line, fact.end_line))
                for s in result.sites
                if s.line <= fact.end_line
            ),
            kernels=tuple(replace(k, path=file.path) for k in result.kernels),
        )


def _distinct(sites: Iterable[Site], imports: bool) -> list[Site]:
    """One site a place: where a category is judged by line or statement, its first one; of a package its first import,
    but each line that requires it where files don't import (each extra of a project is a requirement of its own)."""
    kept: dict[tuple[object, ...], Site] = {}
    for site in sorted(sites, key=lambda site: site.line):
        if site.category in _FIRST_IN_FILE:
            key: tuple[object, ...] = (site.category, package_of(site.symbol), 0 if imports else site.line)
        elif site.category in _ONE_A_LINE:
            key = (site.category, site.library, site.line)
        else:
            key = (site.category, site.library, site.line, site.column, site.rule)
        kept.setdefault(key, site)
    return list(kept.values())


def _aliases(reading: Reading) -> Iterator[str]:
    """CUDA names that stand for HIP's, and those behind an own name that stands for either: `own_cub = hipcub`."""
    for fact in reading.facts:
        if fact.kind is FactKind.DEFINE and _is_hip_alias(fact):
            yield fact.text
        if (
            fact.kind is FactKind.DEFINE
            and fact.detail.startswith("hip")
            and (fact.amd_arm or arm_of(fact.guards)) == "amd"
        ):
            yield fact.detail.removeprefix("hip")


def _is_hip_alias(fact: Fact) -> bool:
    """`#define cudaMalloc hipMalloc`, `#define __shfl_sync(m, v, l) __shfl(v, l)`: the port in a header."""
    body = fact.detail.lower()
    head = fact.text.lower()
    if body.startswith(("hip", "roc", "miopen", "rccl", "::hip")):
        return head.startswith(("cu", "nccl", "nvrtc", "nv", "curand", "npp"))
    return head.startswith("__") and head.endswith("_sync") and "_sync" not in body and body.startswith("__")


def _credits(results: Iterable[FileScan], rules: Iterable[Rule]) -> tuple[Credit, ...]:
    titles = {rule.id: rule.title for rule in rules}
    counts: Counter[str] = Counter()
    files: dict[str, set[str]] = {}
    for result in results:
        for rule, path in result.credits:
            counts[rule] += 1
            files.setdefault(rule, set()).add(path)
    return tuple(Credit(rule, titles[rule], counts[rule], len(files[rule])) for rule in sorted(counts))
