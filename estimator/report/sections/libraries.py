"""Libraries and frameworks, and their AMD counterparts as far as a source says so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.findings.requirements import Fit, Requirement, in_words, requirements
from estimator.findings.values import Disposition
from estimator.knowledge.frameworks import package_named
from estimator.languages.requirements import normalised
from estimator.report import allocation, required
from estimator.report.blocks import Column, Table
from estimator.report.figures import counted, detailed, exact
from estimator.report.ready import groups
from estimator.report.required import UNSOURCED, dated
from estimator.report.sections import location
from estimator.report.text import joined, plain
from estimator.scan.sites import Pin, Site

TITLE = "Libraries and frameworks"
_MOST = 40
_OPEN = (Disposition.DEBT, Disposition.AUTOMATIC)
_PACKAGES = "framework-dependency"
_INDEX = re.compile(r"cu\d{2,3}")
_INDEX_RULE, _CHANNEL_RULE = "framework.cuda-index", "framework.conda-channel"  # what these find is no package
_WHEELS, _CHANNEL = "CUDA wheel index ", "conda channel "


@dataclass(frozen=True, slots=True)
class View:
    """Libraries called, packages required and what their versions mean, and what is portable already."""

    conclusion: str
    libraries: Table | None
    packages: Table | None
    requirements: Table | None
    credits: Table | None
    check: str


def view(assessment: Assessment) -> View:
    """Libraries and packages by number of sites."""
    open_sites = [judged.site for judged in assessment.found.sites if judged.disposition in _OPEN]
    sites = Counter(site.library for site in open_sites if site.library and site.category != _PACKAGES)
    packages = Counter((_name(site), site.library) for site in open_sites if site.category == _PACKAGES)
    return View(
        conclusion=f"{_conclusion(assessment, sites, packages)} {required.sentence(assessment)}".strip(),
        libraries=_libraries(assessment, sites) if sites else None,
        packages=_packages(assessment, packages) if packages else None,
        requirements=required.table(assessment),
        credits=_ready(assessment),
        check="The table of counterparts is heuristics/components.csv, each row with its source and date. "
        "An empty cell there is "
        "printed as “no source yet”, never as “none”.",
    )


def _name(site: Site) -> str:
    """A package, or the index or channel that packages come from."""
    if site.rule == _INDEX_RULE:
        return _WHEELS + ("of a variable" if "$" in site.symbol or "{" in site.symbol else site.symbol)
    return _CHANNEL + site.symbol if site.rule == _CHANNEL_RULE else _package(site.symbol)


def _package(symbol: str) -> str:
    """One spelling of a package, whether it is required or imported: "flash_attn.layers" gives "flash-attn"."""
    if _INDEX.fullmatch(symbol):
        return _WHEELS + symbol
    return normalised(symbol.split(".", maxsplit=1)[0])


def _is_index(name: str) -> bool:
    return name.startswith(_WHEELS)


def _conclusion(assessment: Assessment, sites: Counter[str], packages: Counter[tuple[str, str]]) -> str:
    if not sites and not packages:
        return "No CUDA-side library is called directly, and no package with NVIDIA code is required."
    parts = []
    if sites:
        known = assessment.heuristics.components
        missing = [plain(_title(assessment, name), 40) for name in sorted(sites) if not _counterpart(assessment, name)]
        named = f"; without a sourced counterpart: {joined(missing[:6])}" if missing else ""
        total = counted(len([n for n in sites if n in known]), "library is", "libraries are")
        parts.append(
            f"{counted(len(sites), 'CUDA-side library is', 'CUDA-side libraries are')} called directly, "
            f"{total} in the table{named}."
        )
    names = {name for name, _ in packages if not name.startswith((_WHEELS, _CHANNEL))}
    asked = names & _required(assessment)
    optional = (names - asked) & _optional(assessment)
    if asked:
        parts.append(f"{counted(len(asked), 'required package carries', 'required packages carry')} NVIDIA code.")
    if optional:
        told = counted(len(optional), "package with NVIDIA code is", "packages with NVIDIA code are")
        parts.append(f"{told} imported without being required (optional imports).")
    if rest := len(names - asked - optional):
        told = counted(rest, "package with NVIDIA code is", "packages with NVIDIA code are")
        parts.append(f"{told} named in scripts or settings.")
    if any(_is_index(name) for name, _ in packages):
        parts.append("A wheel index picks builds for CUDA.")
    return " ".join(parts)


def _required(assessment: Assessment) -> frozenset[str]:
    """The packages that something delivered asks for, not only tests, examples, or an import."""
    return frozenset(one.package for one in assessment.requirements if not required.is_beside(assessment, one))


def _optional(assessment: Assessment) -> frozenset[str]:
    """The packages that a Python file or notebook imports, or tests and examples ask for."""
    sites = (judged.site for judged in assessment.found.sites if judged.site.category == _PACKAGES)
    imported = (_name(site) for site in sites if site.path.endswith((".py", ".pyi", ".pyx", ".ipynb")))
    return frozenset((*imported, *(one.package for one in assessment.requirements)))


def _kind(name: str, asked: Container[str], optional: Container[str]) -> str:
    """How a package comes in."""
    if name.startswith((_WHEELS, _CHANNEL)):
        return "index of wheels" if _is_index(name) else "channel of packages"
    return "required" if name in asked else "optional import" if name in optional else "named in a script"


def _title(assessment: Assessment, name: str) -> str:
    component = assessment.heuristics.components.get(name)
    return component.title if component else name


def _counterpart(assessment: Assessment, name: str) -> str:
    component = assessment.heuristics.components.get(name)
    if component is None:
        return ""
    native, shim = component.amd_native, component.hip_shim
    if _bare(native) == _bare(shim):
        return max(native, shim, key=len)
    return joined([word for word in (native, shim) if word])


def _bare(name: str) -> str:
    """A counterpart's name without what stands in brackets behind it."""
    return name.split(" (", maxsplit=1)[0].strip().casefold()


def _libraries(assessment: Assessment, sites: Counter[str]) -> Table:
    columns = (
        Column("Library", 14),
        Column("Sites", 7, "number"),
        Column("Likely h", 9, "number"),
        Column("AMD counterpart", 16),
        Column("How it is ported", 14),
        Column("Note", 22),
        Column("Source, date", 18),
    )
    hours = _hours(assessment)
    rows = []
    for name, count in sorted(sites.items(), key=lambda item: (-item[1], item[0]))[:_MOST]:
        c = assessment.heuristics.components.get(name)
        rows.append(
            (
                plain(_title(assessment, name), 60),
                f"{count:,}",
                exact(hours[name]) if name in hours else "—",
                plain(_counterpart(assessment, name), 90) or UNSOURCED,
                plain(f"{c.port_kind}, {c.maturity}" if c and c.maturity else c.port_kind if c else "", 60)
                or UNSOURCED,
                plain(c.note if c else "", 150),
                plain(dated(c.source, c.as_of) if c else "", 100) or UNSOURCED,
            )
        )
    return Table(
        "Libraries called directly",
        columns,
        tuple(rows),
        (),
        f"Likely hours are those of the port shown in section “{location.TITLE}”.",
    )


def _hours(assessment: Assessment) -> dict[str, float]:
    shares = allocation.by_finding(assessment, detailed(assessment))
    hours: dict[str, float] = {}
    for finding in assessment.found.findings:
        if finding.library and finding.id in shares:
            hours[finding.library] = hours.get(finding.library, 0.0) + shares[finding.id]
    return hours


def _packages(assessment: Assessment, packages: Counter[tuple[str, str]]) -> Table:
    columns = (
        Column("Package", 18),
        Column("How it comes in", 12),
        Column("Sites", 7, "number"),
        Column("AMD counterpart", 20),
        Column("ROCm support as published", 24),
        Column("Source, date", 19),
    )
    asked, optional = _required(assessment), _optional(assessment)
    rows = []
    for (name, named), count in sorted(packages.items(), key=lambda item: (-item[1], item[0]))[:_MOST]:
        library = named or _component_of(assessment, name)
        component = assessment.heuristics.components.get(library)
        build = _build(assessment, name, library)
        sources = [dated(one.source, one.as_of) for one in (build, component) if one]
        rows.append(
            (
                plain(name, 60),
                _kind(name, asked, optional),
                f"{count:,}",
                "the same packages from an index for ROCm"
                if _is_index(name)
                else plain(_counterpart(assessment, library), 120) or UNSOURCED,
                plain(_support(assessment, build) or (component.note if component else ""), 160) or UNSOURCED,
                plain("; ".join(dict.fromkeys(source for source in sources if source)), 160) or UNSOURCED,
            )
        )
    return Table("Packages that carry NVIDIA code", columns, tuple(rows))


def _component_of(assessment: Assessment, name: str) -> str:
    """The component that packages.csv names for a package, "" for none."""
    package = package_named(name, assessment.heuristics.packages)
    return package.component if package else ""


def _support(assessment: Assessment, build: Requirement | None) -> str:
    """What the builds say of the target, in the words of the table of requirements."""
    return in_words(build, assessment.run.rocm, assessment.run.gfx) if build else ""


def _build(assessment: Assessment, name: str, library: str) -> Requirement | None:
    """What frameworks.csv says of a package of any version; None where no row speaks of it."""
    heuristics, run = assessment.heuristics, assessment.run
    pin = Pin("", 0, name, "", "pip", library)
    [found] = requirements((pin,), heuristics, run.rocm, run.gfx, {})
    return found if found.newest_amd or found.rocm or found.gfx or found.target is not Fit.NOT_KNOWN else None


def _ready(assessment: Assessment) -> Table | None:
    """Everything that is portable or ported, each kind with its reason and its counts."""
    rows = [(each.what, each.why, f"{each.places:,}", f"{each.files:,}") for each in groups(assessment)]
    rows += [
        (plain(c.title, 120), "portable by its name, no site", f"{c.count:,}", f"{c.files:,}")
        for c in assessment.credits
    ]
    if not rows:
        return None
    columns = (Column("What", 40), Column("Why", 36), Column("Places", 12, "number"), Column("Files", 12, "number"))
    return Table("What needs no port", columns, tuple(rows[:_MOST]))
