"""Contents, and how to read the report."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.knowledge.glossary import load_glossary
from estimator.report.blocks import Column, Table
from estimator.resources import data_folder

TITLE = "Contents and how to read this report"


@dataclass(frozen=True, slots=True)
class View:
    """Terms used in the report; the list of sections comes from the page."""

    terms: Table
    points: tuple[str, ...]


def view(assessment: Assessment) -> View:
    """Terms and reading rules."""
    day = assessment.estimate.hours_per_day
    glossary = load_glossary(data_folder("heuristics") / "glossary.toml")
    terms = tuple((term.name, term.told(day)) for term in glossary if term.report)
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
