"""The places in the code that the figures rest on."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.findings.values import Finding, JudgedSite
from estimator.report import allocation, wording
from estimator.report.blocks import Listing, listing
from estimator.report.figures import counted, detailed, exact
from estimator.report.text import column, place, plain

TITLE = "Evidence"
_RULES, _SITES, _LISTED = 30, 4, 1500
_PLACE, _WIDTH = 56, 126


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
        conclusion=f"{_conclusion(sites, len(groups))}{excerpts}" if sites else "No site was found.",
        groups=tuple(groups[:_RULES]),
        more_rules=f"{counted(left, 'further rule')} with fewer hours: see the list below." if left > 0 else "",
        all_sites=_listing(sites) if sites else None,
        check="Open a place with the commit of page one checked out; lines count from 1. sites.csv holds "
        "every site with all its "
        "fields, paths in full.",
    )


def _conclusion(sites: Sequence[JudgedSite], left: int) -> str:
    """How many sites and rules there are. left: rules of which something is left to port."""
    rules = len({judged.site.rule for judged in sites})
    shown = f" Work is left for {counted(left, 'rule')}, shown one by one; the list holds all." if left < rules else ""
    return f"{counted(len(sites), 'site')} of {counted(rules, 'rule')} were found.{shown}"


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
    """Sites in fixed columns; the same thing further down in the same file follows as line numbers."""
    alike: dict[tuple[str, ...], list[JudgedSite]] = {}
    for judged in sites[:_LISTED]:
        site = judged.site
        key = (site.path, site.category, str(judged.disposition), str(site.confidence), site.symbol)
        alike.setdefault(key, []).append(judged)
    lines = [line for group in alike.values() for line in _lines(group)]
    head = f"{'place':{_PLACE}} {'category':23} {'means':9} {'read as':7} symbol"
    left = len(sites) - _LISTED
    note = f"Cut here: {left:,} further sites stand in sites.csv and assessment.json." if left > 0 else ""
    caption = f"The first {_LISTED:,} of {len(sites):,} sites" if left > 0 else f"All sites ({len(sites):,})"
    return listing(caption, head, lines, note)


def _lines(alike: Sequence[JudgedSite]) -> Iterator[str]:
    """One line, and where not all line numbers find room beside the path, more of them."""
    first, further = alike[0], [f", {judged.site.line}" for judged in alike[1:]]
    where = place(first.site.path, first.site.line, 4096)
    while further and len(where + further[0]) <= _PLACE:
        where += further.pop(0)
    yield (
        f"{column(where, _PLACE, keep_end=True)} {column(first.site.category, 23)} "
        f"{column(str(first.disposition), 9)} {column(str(first.site.confidence), 7)} "
        f"{column(first.site.symbol, 27).rstrip()}"
    )
    if further:
        told = f"and at {''.join(further).removeprefix(', ')}"
        yield from textwrap.wrap(told, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)
