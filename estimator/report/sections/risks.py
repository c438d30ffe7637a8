"""The register of risks and unknowns: what could make the figures wrong, and what to do about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.report import wording
from estimator.report.blocks import Column, Table
from estimator.report.figures import counted, days, detailed, percent
from estimator.report.text import plain

TITLE = "Risks and unknowns"
_WIDE = 5.0
_NINETIETH = 1.2816  # standard deviations from the median to P90 of a normal distribution
_MOST_WIDE = 8
_MOST_UNPRICED = 20


@dataclass(frozen=True, slots=True)
class View:
    """One table of risks, each with its size where a size is known."""

    conclusion: str
    register: Table
    check: str


def view(assessment: Assessment) -> View:
    """Risks that the figures themselves show."""
    rows = (*_wide(assessment), *_unpriced(assessment), *_reading(assessment), *_general(assessment))
    columns = (Column("Risk", 25), Column("Size", 20), Column("What follows", 27), Column("What to do", 28))
    unpriced = len(assessment.estimate.unpriced)
    conclusion = (
        f"{counted(len(rows), 'risk is', 'risks are')} on the register; "
        f"{counted(unpriced, 'kind of finding has', 'kinds of finding have')} no price and could add to every figure."
    )
    return View(
        conclusion,
        Table("Register", columns, rows),
        "Wide rows are those whose high figure is at least five times the likely one. Sizes are hours from "
        "the rows of section 6, "
        "or counts from this scan; what has no figure says so.",
    )


def _wide(assessment: Assessment) -> list[tuple[str, ...]]:
    lines = [x for x in detailed(assessment).lines if x.hours.likely and x.hours.high >= _WIDE * x.hours.likely]
    lines.sort(key=lambda x: x.hours.likely - x.hours.high)
    return [
        (
            f"{plain(line.title, 80)} may take far longer",
            f"up to {days(line.hours.high, assessment)} instead of {days(line.hours.likely, assessment)} person-days",
            "The reserve between P50 and P80 is used up here first.",
            "Do the hardest site of this kind first, and compare its hours with the row.",
        )
        for line in lines[:_MOST_WIDE]
    ]


def _unpriced(assessment: Assessment) -> list[tuple[str, ...]]:
    return [
        (
            f"{wording.category(plain(row.category, 60))}: no figures yet",
            f"{counted(row.sites, 'site')}, hours not known",
            plain(row.reason, 160),
            "Have one site ported by hand, or add a weight of your own with its source.",
        )
        for row in assessment.estimate.unpriced[:_MOST_UNPRICED]
    ]


def _reading(assessment: Assessment) -> list[tuple[str, ...]]:
    reliability, rows = assessment.reliability, list[tuple[str, ...]]()
    if reliability.troubles:
        size = sum(trouble.size for trouble in reliability.troubles)
        rows.append(
            (
                "Files that could not be read in full",
                f"{counted(len(reliability.troubles), 'file')}, {size:,} bytes",
                "Sites in them are missing from every figure.",
                "See section “Not analysed”; open these files by hand.",
            )
        )
    unsure = reliability.confidence_shares.get("unsure", 0.0)
    if unsure:
        rows.append(
            (
                "Sites of doubtful meaning",
                f"{percent(unsure)} of the priced sites",
                "Some may be harmless, and then the figures are too high.",
                "Look at the sites marked “unsure” in the evidence.",
            )
        )
    return rows


def _general(assessment: Assessment) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    estimate = assessment.estimate
    if detailed(assessment).lines:
        low, high = math.exp(-_NINETIETH * estimate.sigma), math.exp(_NINETIETH * estimate.sigma)
        rows.append(
            (
                f"An estimate {wording.STAGES.get(estimate.stage, plain(estimate.stage, 40))}",
                f"shared factor from {low:.2f} to {high:.2f} (P10 to P90), in the ranges already",
                "All rows can be too low or too high together.",
                "A pilot narrows the factor; see “Method and assumptions”.",
            )
        )
        rows.append(
            (
                "Speed on the target",
                "not measured here",
                "Re-tuning is priced; speed that can't be won back is not.",
                "Measure the hottest kernels on a target card before signing.",
            )
        )
    rows.append(
        (
            "No actual hours of your team",
            "not known",
            "Your team may be faster or slower than the public ports.",
            "Keep hours from the first finished part on, and calibrate.",
        )
    )
    return rows
