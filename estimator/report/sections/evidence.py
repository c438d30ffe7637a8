"""The places in the code that the figures rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.findings.values import Finding, JudgedSite
from estimator.report import allocation, wording
from estimator.report.blocks import Listing, listing
from estimator.report.figures import counted, detailed, exact
from estimator.report.text import column, place, plain

TITLE = "Evidence"
_RULES, _SITES, _LINES = 30, 6, 4000


@dataclass(frozen=True, slots=True)
class Group:
    """One rule: what it means, what to do, and its first sites."""

    rule: str
    title: str
    facts: str
    why: str
    remedy: str
    sites: tuple[tuple[str, str, str], ...]
    more: str


@dataclass(frozen=True, slots=True)
class View:
    """Rules by hours with their first sites, then all sites in fixed columns."""

    conclusion: str
    groups: tuple[Group, ...]
    more_rules: str
    all_sites: Listing | None
    check: str


def view(assessment: Assessment) -> View:
    """Sites that cost, first by rule, then all of them."""
    sites = assessment.found.sites
    groups = _groups(assessment)
    excerpts = "" if assessment.run.snippets != "none" else " Excerpts of code are left out of this copy."
    left = len(groups) - _RULES
    return View(
        conclusion=f"{counted(len(sites), 'site')} of {counted(len(groups), 'rule')} were found.{excerpts}"
        if sites
        else "No site was found.",
        groups=tuple(groups[:_RULES]),
        more_rules=f"{counted(left, 'further rule')} with fewer hours: see the list below." if left > 0 else "",
        all_sites=_listing(sites) if sites else None,
        check="Open a place with the commit of page one checked out; lines count from 1. sites.csv holds "
        "every site with all its "
        "fields, paths in full.",
    )


def _groups(assessment: Assessment) -> list[Group]:
    hours = allocation.by_finding(assessment, detailed(assessment))
    rules: dict[str, list[Finding]] = {}
    for finding in assessment.found.findings:
        rules.setdefault(finding.rule, []).append(finding)
    weight = {rule: sum(hours.get(f.id, 0.0) for f in findings) for rule, findings in rules.items()}
    return [
        _group(assessment, rule, rules[rule], weight[rule]) for rule in sorted(rules, key=lambda r: (-weight[r], r))
    ]


def _group(assessment: Assessment, rule: str, findings: Sequence[Finding], hours: float) -> Group:
    known = next((known for known in assessment.heuristics.rules if known.id == rule), None)
    sites = [assessment.found.sites[index] for finding in findings for index in finding.sites]
    unpriced = {row.weight for row in assessment.estimate.unpriced}
    price = "no price yet" if any(f.weight in unpriced for f in findings) and not hours else f"{exact(hours)} h likely"
    kinds = sorted({wording.category(f.category) for f in findings})
    ids = ", ".join(plain(f.id, 10) for f in findings[:8]) + (" …" if len(findings) > 8 else "")
    return Group(
        rule=plain(rule, 80),
        title=plain(known.title if known else rule, 120),
        facts=plain(f"{', '.join(kinds)}; {counted(len(sites), 'site')}; {price}; findings {ids}", 240),
        why=plain(known.why if known else "", 300),
        remedy=plain(known.remedy if known else "", 300),
        sites=tuple(
            (place(j.site.path, j.site.line, 80), plain(str(j.site.confidence), 10), plain(j.site.excerpt, 160))
            for j in sites[:_SITES]
        ),
        more=f"and {len(sites) - _SITES:,} more, in the list below" if len(sites) > _SITES else "",
    )


def _listing(sites: Sequence[JudgedSite]) -> Listing:
    lines = [
        f"{column(place(j.site.path, j.site.line), 54, keep_end=True)} {column(j.site.category, 23)} "
        f"{column(str(j.disposition), 9)} {column(str(j.site.confidence), 7)} {column(j.site.symbol, 27).rstrip()}"
        for j in sites[:_LINES]
    ]
    head = f"{'place':54} {'category':23} {'means':9} {'read as':7} symbol"
    left = len(sites) - _LINES
    note = f"Cut here: {left:,} further sites stand in sites.csv." if left > 0 else ""
    return listing(f"All sites ({len(sites):,})", head, lines, note)
