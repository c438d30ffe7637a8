"""The register of risks and unknowns: what could make the figures wrong, and what to do about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.blocks import Column, Table
from estimator.report.figures import counted, days, detailed
from estimator.report.text import plain

TITLE = "Risks and unknowns"
_WIDE = 5.0
_NINETIETH = 1.2816  # standard deviations from the median to P90 of a normal distribution
_MOST_WIDE = 8
_MOST_UNPRICED = 20


@dataclass(frozen=True, slots=True)
class View:
    """Risks by what is to be done about them: long rows, what has no price, and the rest one by one."""

    conclusion: str
    wide: Table | None
    unpriced: Table | None
    register: Table
    check: str


def view(assessment: Assessment) -> View:
    """Risks that the figures themselves show."""
    wide, unpriced = _wide(assessment), _unpriced(assessment)
    rows = (*_reading(assessment), *_general(assessment))
    columns = (Column("Risk", 25), Column("Size", 20), Column("What follows", 27), Column("What to do", 28))
    long = len(wide.rows) if wide else 0
    conclusion = (
        f"{counted(long, 'row', 'rows')} may take far longer than likely; "
        f"{counted(len(assessment.estimate.unpriced), 'kind of finding has', 'kinds of finding have')} no price and "
        f"could add to every figure; {counted(len(rows), 'further risk is', 'further risks are')} on the register."
    )
    return View(
        conclusion,
        wide,
        unpriced,
        Table("Register", columns, rows),
        "Rows that may take far longer are those whose high figure is at least five times the likely one, the widest "
        f"first, at most {_MOST_WIDE}. Sizes are person-days of the rows of section 6, or counts from this scan; what "
        "has no figure says so.",
    )


def _wide(assessment: Assessment) -> Table | None:
    lines = [x for x in detailed(assessment).lines if x.hours.likely and x.hours.high >= _WIDE * x.hours.likely]
    lines.sort(key=lambda x: x.hours.likely - x.hours.high)
    if not lines:
        return None
    rows = tuple(
        (plain(line.title, 120), days(line.hours.likely, assessment), days(line.hours.high, assessment))
        for line in lines[:_MOST_WIDE]
    )
    columns = (Column("Row", 60), Column("likely, person-days", 20, "number"), Column("up to", 20, "number"))
    note = (
        "The reserve between P50 and P80 is used up here first. What to do: the hardest site of each kind first, and "
        "its hours compared with the row."
    )
    return Table("Rows that may take far longer", columns, rows, (), note)


def _unpriced(assessment: Assessment) -> Table | None:
    unpriced = assessment.estimate.unpriced
    if not unpriced:
        return None
    rows = tuple(
        (wording.category(plain(row.category, 60)), f"{row.sites:,}", plain(row.reason, 160))
        for row in unpriced[:_MOST_UNPRICED]
    )
    columns = (Column("Kind of finding", 34), Column("Sites", 10, "number"), Column("Why it has no price", 56))
    note = "Hours not known. What to do: have one site ported by hand, or add a weight of your own with its source."
    return Table("Without figures yet", columns, rows, (), note)


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
