"""Where the hours of one option sit: by category, component, file and weight.

A row's likely hours are shared among its findings by their number of sites, and among the sites of a finding
evenly. That is a way to show where work lies, not a price for one file: repeats cost less than first sites, and the
price knows only the row. Rows without findings belong to the whole repository. Shares of one kind always add up to the
option's likely hours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from estimator.assessment import Assessment
from estimator.effort.values import EffortLine, OptionEstimate
from estimator.findings.values import Finding, Findings
from estimator.report.figures import Share

WHOLE = "whole repository (set-up, validation, learning)"


def by_category(assessment: Assessment, option: OptionEstimate) -> tuple[Share, ...]:
    """Likely hours by category id, largest first."""
    return _ranked(assessment, option, lambda finding: {finding.category: 1.0})


def by_component(assessment: Assessment, option: OptionEstimate) -> tuple[Share, ...]:
    """Likely hours by component, largest first."""
    return _ranked(assessment, option, lambda finding: {finding.component: 1.0})


def by_file(assessment: Assessment, option: OptionEstimate) -> tuple[Share, ...]:
    """Likely hours by file, largest first."""
    return _ranked(assessment, option, lambda finding: _files(assessment.found, finding))


def by_finding(assessment: Assessment, option: OptionEstimate) -> dict[str, float]:
    """Likely hours by finding id; findings without a row have no entry."""
    findings = {finding.id: finding for finding in assessment.found.findings}
    hours: dict[str, float] = {}
    for line in option.lines:
        for finding, share in _findings(line, findings):
            hours[finding.id] = hours.get(finding.id, 0.0) + share
    return hours


def _ranked(
    assessment: Assessment, option: OptionEstimate, parts: Callable[[Finding], dict[str, float]]
) -> tuple[Share, ...]:
    findings = {finding.id: finding for finding in assessment.found.findings}
    hours: dict[str, float] = {}
    for line in option.lines:
        if not any(name in findings for name in line.findings):
            hours[WHOLE] = hours.get(WHOLE, 0.0) + line.hours.likely
        for finding, share in _findings(line, findings):
            for name, part in parts(finding).items():
                hours[name] = hours.get(name, 0.0) + share * part
    return tuple(Share(name, hours[name]) for name in sorted(hours, key=lambda name: (-hours[name], name)))


def _findings(line: EffortLine, findings: dict[str, Finding]) -> Iterator[tuple[Finding, float]]:
    known = [findings[name] for name in line.findings if name in findings]
    sites = sum(len(finding.sites) for finding in known)
    for finding in known:
        yield finding, line.hours.likely * len(finding.sites) / sites


def _files(found: Findings, finding: Finding) -> dict[str, float]:
    shares: dict[str, float] = {}
    for index in finding.sites:
        path = found.sites[index].site.path
        shares[path] = shares.get(path, 0.0) + 1 / len(finding.sites)
    return shares
