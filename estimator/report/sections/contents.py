"""Contents, and how to read the report."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.report import wording
from estimator.report.blocks import Column, Table
from estimator.report.figures import exact

TITLE = "Contents and how to read this report"


@dataclass(frozen=True, slots=True)
class View:
    """Terms used in the report; the list of sections comes from the page."""

    terms: Table
    points: tuple[str, ...]


def view(assessment: Assessment) -> View:
    """Terms and reading rules."""
    day = exact(assessment.estimate.hours_per_day)
    terms = (
        *((f"{name}", meaning) for name, meaning in wording.PERCENTILES),
        ("person-day", f"{day} engineer-hours of one person; not calendar time"),
        ("site", "one place in the code where one rule matched: a call, a statement, a definition, a setting"),
        ("finding", "all sites of one rule in one part of the code base"),
        ("row, weight", "what one kind of finding costs: so much for the first, less for each further one"),
        ("unpriced", "found, but nobody has figures for it yet; shown, never counted as zero"),
        ("grade A, B, C", "A: measured on finished ports; B: published by others; C: judgement"),
    )
    return View(
        Table("Terms", (Column("Term", 18), Column("What it means here", 82)), terms),
        (
            "Each section opens with its conclusion, then gives the figures, then says how to check them.",
            "An effort is a range. Read P50 as even odds and P80 as the careful budget; a single figure "
            "would promise too much.",
            "Headlines have two significant digits. Tables that are added up keep more, so that the sum can "
            "be checked.",
            "Effort is the work of engineers on this repository. Cards, power, licences and waiting are not in it.",
        ),
    )
