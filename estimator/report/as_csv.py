"""CSV: one line for each site, in UTF-8, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io

from estimator.assessment import Assessment
from estimator.report.rows import SITE_COLUMNS, site_rows

_DANGEROUS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # full-width forms open formulas too


def render(assessment: Assessment) -> bytes:
    """All sites. Text is quoted, and text that a spreadsheet would run as a formula gets a leading apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(SITE_COLUMNS)
    for row in site_rows(assessment):
        writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])
    return text.getvalue().encode("utf-8")


def guarded(cell: str) -> str:
    """The cell with an apostrophe in front when a spreadsheet could take it for a formula."""
    return "'" + cell if cell.lstrip().startswith(_DANGEROUS) else cell
