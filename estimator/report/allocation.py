"""Where the hours of one option sit: by category, component, file and weight.

A row's likely hours are shared among its findings by their number of sites, and among the sites of a finding
evenly. That is a way to show where work lies, not a price for one file: repeats cost less than first sites, and the
price knows only the row. Rows without findings belong to the whole repository. Shares of one kind always add up to the
option's likely hours.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from estimator.assessment import Assessment
from estimator.effort.values import OptionEstimate
from estimator.report.figures import Share

WHOLE = "whole repository"
_COLUMNS = ["finding", "category", "component", "file", "part", "hours"]


def by_category(assessment: Assessment, option: OptionEstimate) -> tuple[Share, ...]:
    """Likely hours by category id, largest first."""
    return _ranked(assessment, option, "category")


def by_component(assessment: Assessment, option: OptionEstimate) -> tuple[Share, ...]:
    """Likely hours by component, largest first."""
    return _ranked(assessment, option, "component")


def by_file(assessment: Assessment, option: OptionEstimate) -> tuple[Share, ...]:
    """Likely hours by file, largest first."""
    return _ranked(assessment, option, "file")


def by_finding(assessment: Assessment, option: OptionEstimate) -> dict[str, float]:
    """Likely hours by finding id; findings without a row have no entry."""
    table = shares(assessment, option)
    sums = table[table["finding"] != ""].groupby("finding")["hours"].sum()
    return {str(name): float(hours) for name, hours in sums.items()}


def whole_by_part(assessment: Assessment, option: OptionEstimate) -> tuple[Share, ...]:
    """Likely hours of what belongs to the whole repository by part of the work, largest first."""
    table = shares(assessment, option)
    return _summed(table[table["finding"] == ""], "part")


def shares(assessment: Assessment, option: OptionEstimate) -> pd.DataFrame:
    """One row for each site's share of a priced row: finding, category, component, file, part, hours.

    What belongs to the whole repository has no finding and the name WHOLE for category, component and file.
    """
    return pd.DataFrame(_rows(assessment, option), columns=_COLUMNS)


def _rows(assessment: Assessment, option: OptionEstimate) -> Iterator[tuple[str, str, str, str, str, float]]:
    findings = {finding.id: finding for finding in assessment.found.findings}
    for line in option.lines:
        known = [findings[name] for name in line.findings if name in findings]
        sites = sum(len(finding.sites) for finding in known)
        if not sites:
            yield "", WHOLE, WHOLE, WHOLE, line.part, line.hours.likely
        for finding in known:
            for index in finding.sites:
                path = assessment.found.sites[index].site.path
                yield finding.id, finding.category, finding.component, path, line.part, line.hours.likely / sites


def _ranked(assessment: Assessment, option: OptionEstimate, column: str) -> tuple[Share, ...]:
    return _summed(shares(assessment, option), column)


def _summed(table: pd.DataFrame, column: str) -> tuple[Share, ...]:
    sums = table.groupby(column)["hours"].sum()
    ranked = sorted(((str(name), float(hours)) for name, hours in sums.items()), key=lambda row: (-row[1], row[0]))
    return tuple(Share(name, hours) for name, hours in ranked)
