"""Sites, rows of effort and kernels as flat tables, for CSV and XLSX. Paths are whole here, not cut to fit a page."""

from __future__ import annotations

from collections.abc import Iterator

from estimator.assessment import Assessment
from estimator.report.text import plain

Cell = str | int | float
_WHOLE = 4096

SITE_COLUMNS = (
    "path",
    "line",
    "end_line",
    "column",
    "category",
    "library",
    "rule",
    "symbol",
    "function",
    "disposition",
    "reason",
    "confidence",
    "owner",
    "count",
    "component",
    "finding",
    "guards",
    "excerpt",
)
LINE_COLUMNS = (
    "option",
    "weight",
    "title",
    "part",
    "phase",
    "unit",
    "count",
    "low_hours",
    "likely_hours",
    "high_hours",
    "p50_hours",
    "grade",
    "fixed",
    "findings",
    "sum",
)
KERNEL_COLUMNS = (
    "path",
    "line",
    "end_line",
    "name",
    "class",
    "triton_fit",
    "triton_reason",
    "launches",
    "owner",
    "disposition",
    "amd_hours",
    "triton_first_hours",
    "plan",
)
SCOPE_COLUMNS = (
    "scope",
    "change",
    "path",
    "kernel",
    "by",
    "option",
    "likely_hours",
    "p50_hours",
    "p80_hours",
    "likely_change",
    "p50_change",
    "p80_change",
    "unpriced_places",
    "verdict",
)
REQUIREMENT_COLUMNS = (
    "path",
    "line",
    "package",
    "pinned",
    "manager",
    "component",
    "status",
    "pinned_build",
    "newest",
    "newest_amd",
    "newest_source",
    "rocm",
    "gfx",
    "target",
    "for_target",
    "lag_months",
    "note",
    "source",
    "as_of",
)


STRATEGY_COLUMNS = (
    "strategy",
    "title",
    "keeps",
    "fits",
    "why_not",
    "low_hours",
    "likely_hours",
    "high_hours",
    "sum",
    "upkeep_share",
    "upkeep_hours_a_year",
    "horizon_years",
    "horizon_hours",
    "proposed",
    "chosen",
    "why_chosen",
    "grade",
    "source",
)


def strategy_rows(assessment: Assessment) -> Iterator[tuple[Cell, ...]]:
    """One row for each way to keep the source; none where there is nothing of one's own to keep."""
    for price in assessment.estimate.strategies:
        yield (
            plain(price.id),
            plain(price.title),
            plain(price.keeps),
            "yes" if price.fits else "no",
            plain(price.why, _WHOLE),
            price.hours.low,
            price.hours.likely,
            price.hours.high,
            plain(price.sum, _WHOLE),
            price.upkeep_share.likely,
            price.upkeep_year,
            price.horizon_years,
            price.horizon_hours,
            "yes" if price.proposed else "no",
            "yes" if price.chosen else "no",
            plain(price.why_chosen, _WHOLE),
            plain(price.grade),
            plain(price.source, _WHOLE),
        )


def site_rows(assessment: Assessment) -> Iterator[tuple[Cell, ...]]:
    """One row a site, in the order of the findings stage."""
    finding_of = {index: finding for finding in assessment.found.findings for index in finding.sites}
    for index, judged in enumerate(assessment.found.sites):
        site, finding = judged.site, finding_of.get(index)
        yield (
            plain(site.path, _WHOLE),
            site.line,
            site.end_line,
            site.column,
            plain(site.category),
            plain(site.library),
            plain(site.rule),
            plain(site.symbol),
            plain(site.function),
            str(judged.disposition),
            plain(judged.reason),
            str(site.confidence),
            str(site.owner),
            site.count,
            plain(finding.component, _WHOLE) if finding else "",
            plain(finding.id) if finding else "",
            plain("; ".join(site.guards), _WHOLE),
            plain(site.excerpt),
        )


def line_rows(assessment: Assessment) -> Iterator[tuple[Cell, ...]]:
    """One row for each priced row of each option."""
    for option in assessment.estimate.options.values():
        for line in option.lines:
            h = line.hours
            yield (
                option.option,
                plain(line.weight),
                plain(line.title),
                line.part,
                line.phase,
                plain(line.unit),
                line.count,
                h.low,
                h.likely,
                h.high,
                line.p50,
                plain(line.grade),
                "yes" if line.fixed else "no",
                plain(", ".join(line.findings), _WHOLE),
                plain(line.sum, _WHOLE),
            )


def kernel_rows(assessment: Assessment) -> Iterator[tuple[Cell, ...]]:
    """One row a kernel; hours are empty where it has no price."""
    prices = {(p.path, p.line, p.name): p for p in assessment.estimate.kernels}
    for judged in assessment.found.kernels:
        kernel = judged.kernel
        price = prices.get((kernel.path, kernel.line, kernel.name))
        yield (
            plain(kernel.path, _WHOLE),
            kernel.line,
            kernel.end_line,
            plain(kernel.name),
            plain(kernel.kind),
            plain(kernel.triton_fit),
            plain(kernel.triton_reason),
            kernel.launches,
            str(kernel.owner),
            str(judged.disposition),
            price.hours.get("amd", "") if price else "",
            price.hours.get("triton-first", "") if price else "",
            plain(price.plan) if price else "",
        )


def requirement_rows(assessment: Assessment) -> Iterator[tuple[Cell, ...]]:
    """One row a required package or base image; the lag is empty where it isn't known."""
    for one in assessment.requirements:
        cells = {name: getattr(one, name) for name in REQUIREMENT_COLUMNS}
        yield tuple(
            "" if cell is None else cell if isinstance(cell, int) else plain(str(cell), _WHOLE)
            for cell in cells.values()
        )


def scope_rows(assessment: Assessment) -> Iterator[tuple[Cell, ...]]:
    """One row for each scope and option; none without a scope file. Changes are empty where there is no other scope."""
    for total in assessment.scopes:
        entry = total.entry
        told = (entry.table, entry.path, entry.kernel, entry.by) if entry else ("", "", "", "")
        for option, spread in total.hours.items():
            change = total.change.get(option)
            yield (
                total.what,
                *(plain(text, _WHOLE) for text in told),
                option,
                spread.likely,
                spread.p50,
                spread.p80,
                *((change.likely, change.p50, change.p80) if change else ("", "", "")),
                total.unpriced,
                total.verdict or "",
            )
