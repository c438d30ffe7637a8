"""What needs no work: places and kernels that are portable as they are, or that the project has ported itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.effort.pricing import charged
from estimator.findings import weight_of
from estimator.findings.values import Disposition, JudgedSite
from estimator.knowledge.values import Weight
from estimator.report import wording
from estimator.report.figures import counted
from estimator.report.text import joined, plain, uncapped

_READY = (Disposition.CREDIT, Disposition.PORTED)
_WORTH_A_LINE = 10
_CATEGORIES = 3


@dataclass(frozen=True, slots=True)
class Ready:
    """Counts of what is ready. kernels_of: all own kernels, with those that are not."""

    places: int
    kernels: int
    kernels_of: int


@dataclass(frozen=True, slots=True)
class Group:
    """Places that are ready for the same reason. what: their categories, in words."""

    what: str
    why: str
    places: int
    files: int


def ready(assessment: Assessment) -> Ready:
    """How much needs no work. Vendored and generated kernels take no part."""
    found = assessment.found
    own = [judged for judged in found.kernels if judged.disposition is not Disposition.EXCLUDED]
    return Ready(
        sum(judged.site.count for judged in found.sites if judged.disposition in _READY),
        sum(judged.disposition in _READY for judged in own),
        len(own),
    )


def ready_line(assessment: Assessment) -> str:
    """One line for page one, "" where too little is ready to be worth it."""
    known = ready(assessment)
    if known.places <= _WORTH_A_LINE and not known.kernels:
        return ""
    kernels = f", {known.kernels:,} of {counted(known.kernels_of, 'kernel')} in C++" if known.kernels else ""
    return f"Ready for AMD already: {counted(known.places, 'place')}{kernels}."


def work_for(assessment: Assessment, dispositions: Collection[Disposition]) -> frozenset[str]:
    """Parts and phases that would hold hours if places and kernels of these dispositions were debt."""
    weights = assessment.heuristics.weights
    classes = _classes(assessment, dispositions)
    rows = [
        row
        for row in weights.values()
        if isinstance(row, Weight) and (row.id in classes or charged(row, classes, weights))
    ]
    return frozenset(name for row in rows for name in (row.part, row.phase))


def _classes(assessment: Assessment, dispositions: Collection[Disposition]) -> frozenset[str]:
    """Price classes of the places and kernels of some dispositions; what has none takes no part."""
    found, heuristics = assessment.found, assessment.heuristics
    rules = {rule.id: rule for rule in heuristics.rules}
    families = {family.id: family for family in heuristics.ptx}
    sites = (judged.site for judged in found.sites if judged.disposition in dispositions)
    kernels = {judged.weight for judged in found.kernels if judged.disposition in dispositions}
    names = kernels | {weight_of(site, rules[site.rule], families, heuristics.apis) for site in sites}
    return frozenset(names - {""})


def groups(assessment: Assessment) -> tuple[Group, ...]:
    """Ready places: portable ones by category, ported ones by the reason; the most places first in each."""
    portable: dict[str, list[JudgedSite]] = {}
    ported: dict[str, list[JudgedSite]] = {}
    for judged in assessment.found.sites:
        if judged.disposition is Disposition.CREDIT:
            portable.setdefault(judged.site.category, []).append(judged)
        elif judged.disposition is Disposition.PORTED:
            ported.setdefault(judged.reason, []).append(judged)
    named = [_group(wording.category(name), "portable already", sites) for name, sites in portable.items()]
    covered = [_group(_what(sites), plain(reason, 120) or "ported", sites) for reason, sites in ported.items()]
    return (*_ranked(named), *_ranked(covered))


def _group(what: str, why: str, sites: list[JudgedSite]) -> Group:
    return Group(what, why, sum(s.site.count for s in sites), len({s.site.path for s in sites}))


def _what(sites: list[JudgedSite]) -> str:
    counts: Counter[str] = Counter()
    for judged in sites:
        counts[judged.site.category] += judged.site.count
    names = [wording.category(name) for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    rest = len(names) - _CATEGORIES
    shown = [names[0], *(uncapped(name) for name in names[1:_CATEGORIES])]
    return joined([*shown, counted(rest, "further kind")] if rest > 0 else shown)


def _ranked(found: list[Group]) -> list[Group]:
    return sorted(found, key=lambda group: (-group.places, group.what, group.why))
