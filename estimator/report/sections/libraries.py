"""Libraries and frameworks, and their AMD counterparts as far as a source says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.findings.values import Disposition
from estimator.report import allocation
from estimator.report.blocks import Column, Table
from estimator.report.figures import counted, detailed, exact
from estimator.report.text import joined, plain

TITLE = "Libraries and frameworks"
_MOST = 40
_UNSOURCED = "no source yet"
_OPEN = (Disposition.DEBT, Disposition.AUTOMATIC)


@dataclass(frozen=True, slots=True)
class View:
    """Libraries called, packages required, and what is portable already."""

    conclusion: str
    libraries: Table | None
    packages: Table | None
    credits: Table | None
    check: str


def view(assessment: Assessment) -> View:
    """Libraries by number of sites."""
    sites = Counter(j.site.library for j in assessment.found.sites if j.site.library and j.disposition in _OPEN)
    packages = Counter(
        j.site.symbol
        for j in assessment.found.sites
        if j.site.category == "framework-dependency" and j.disposition in _OPEN
    )
    return View(
        conclusion=_conclusion(assessment, sites, packages),
        libraries=_libraries(assessment, sites) if sites else None,
        packages=_packages(assessment, packages) if packages else None,
        credits=_credits(assessment),
        check="The table of counterparts is heuristics/components.csv, each row with its source and date. "
        "An empty cell there is "
        "printed as “no source yet”, never as “none”.",
    )


def _conclusion(assessment: Assessment, sites: Counter[str], packages: Counter[str]) -> str:
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
    if packages:
        parts.append(f"{counted(len(packages), 'required package carries', 'required packages carry')} NVIDIA code.")
    return " ".join(parts)


def _title(assessment: Assessment, name: str) -> str:
    component = assessment.heuristics.components.get(name)
    return component.title if component else name


def _counterpart(assessment: Assessment, name: str) -> str:
    component = assessment.heuristics.components.get(name)
    if component is None:
        return ""
    return joined([word for word in dict.fromkeys((component.amd_native, component.hip_shim)) if word])


def _libraries(assessment: Assessment, sites: Counter[str]) -> Table:
    columns = (
        Column("Library", 13),
        Column("Sites", 6, "number"),
        Column("Likely h", 8, "number"),
        Column("AMD counterpart", 16),
        Column("How it is ported", 13),
        Column("Note", 24),
        Column("Source, date", 20),
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
                plain(_counterpart(assessment, name), 90) or _UNSOURCED,
                plain(f"{c.port_kind}, {c.maturity}" if c and c.maturity else c.port_kind if c else "", 60)
                or _UNSOURCED,
                plain(c.note if c else "", 150),
                plain(f"{c.source}, {c.as_of}" if c and c.source else "", 100) or _UNSOURCED,
            )
        )
    return Table(
        "Libraries called directly", columns, tuple(rows), (), "Likely hours are those of the port shown in section 6."
    )


def _hours(assessment: Assessment) -> dict[str, float]:
    shares = allocation.by_finding(assessment, detailed(assessment))
    hours: dict[str, float] = {}
    for finding in assessment.found.findings:
        if finding.library and finding.id in shares:
            hours[finding.library] = hours.get(finding.library, 0.0) + shares[finding.id]
    return hours


def _packages(assessment: Assessment, packages: Counter[str]) -> Table:
    columns = (
        Column("Package", 22, "code"),
        Column("Sites", 8, "number"),
        Column("ROCm support as published", 44),
        Column("Source, date", 26),
    )
    rows = []
    for name, count in sorted(packages.items(), key=lambda item: (-item[1], item[0]))[:_MOST]:
        newest = _published(assessment, name)
        support = (
            f"version {newest.get('version') or '?'} with ROCm {newest.get('rocm_versions') or '?'}"
            f"{', ' + newest['gfx_targets'] if newest.get('gfx_targets') else ''}"
            if newest
            else ""
        )
        source = f"{newest['source']}, {newest.get('as_of', '')}" if newest.get("source") else ""
        rows.append(
            (plain(name, 60), f"{count:,}", plain(support, 120) or _UNSOURCED, plain(source, 120) or _UNSOURCED)
        )
    return Table("Packages that carry NVIDIA code", columns, tuple(rows))


def _published(assessment: Assessment, name: str) -> Mapping[str, str]:
    """The row of frameworks.csv for a package: the one for the target release if there is one, else the newest."""
    rows = [r for r in assessment.heuristics.frameworks if _normal(r.get("framework", "")) == _normal(name)]
    exact_release = (row for row in rows if assessment.run.rocm in row.get("rocm_versions", "").split("; "))
    return next(exact_release, rows[0] if rows else {})


def _normal(name: str) -> str:
    return name.lower().replace("_", "-")


def _credits(assessment: Assessment) -> Table | None:
    if not assessment.credits:
        return None
    columns = (Column("Already portable", 60), Column("Places", 20, "number"), Column("Files", 20, "number"))
    rows = tuple((plain(c.title, 120), f"{c.count:,}", f"{c.files:,}") for c in assessment.credits[:_MOST])
    return Table("What needs no port", columns, rows)
