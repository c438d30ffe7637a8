"""Where the cost sits: by category, component and file, and the rows with the sum shown."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.effort.values import OptionEstimate
from estimator.quantities import percent
from estimator.report import allocation, wording
from estimator.report.blocks import Chart, Column, Table
from estimator.report.figures import Share, counted, days, detailed, exact, ported
from estimator.report.text import joined, plain

TITLE = "Where the cost sits"
_FILES, _COMPONENTS, _CATEGORIES, _LINES, _PARTS = 20, 15, 14, 70, 3


@dataclass(frozen=True, slots=True)
class View:
    """Ranked shares of the detailed option, and the rows of every port."""

    conclusion: str
    option: str
    categories: Chart | None
    components: Table | None
    files: Table | None
    sums: tuple[Table, ...]
    check: str


def view(assessment: Assessment) -> View:
    """Where the likely hours of the recommended port sit."""
    option = detailed(assessment)
    files = allocation.by_file(assessment, option)
    components = allocation.by_component(assessment, option)
    any_lines = bool(option.lines)
    whole = _whole(assessment, option) if any_lines else ""
    return View(
        conclusion=_conclusion(option, files),
        option=wording.option(option.option),
        categories=_categories(assessment, option, whole) if any_lines else None,
        components=_shares(assessment, whole, "By component", components, _COMPONENTS) if any_lines else None,
        files=_shares(assessment, whole, f"By file, the first {_FILES}", files, _FILES) if any_lines else None,
        sums=tuple(_sum(assessment, each) for each in ported(assessment)),
        check="Hours of a row are shared among its sites evenly to show where they lie; this is not a price "
        "for one file. "
        "The tables of rows and their sum are what was priced: add the likely column and compare it with the total.",
    )


def _conclusion(option: OptionEstimate, files: tuple[Share, ...]) -> str:
    own = [share for share in files if share.name != allocation.WHOLE]
    whole = sum(share.hours for share in own)
    if not whole:
        return "No file carries porting hours."
    running, count = 0.0, 0
    for share in own:
        running, count = running + share.hours, count + 1
        if running >= 0.6 * whole:
            break
    return (
        f"{counted(count, 'file holds', 'files hold')} {percent(running / whole)} of the hours that belong to files; "
        f"{len(own)} {'file has' if len(own) == 1 else 'files have'} any. Shown for “{wording.option(option.option)}”."
    )


def _categories(assessment: Assessment, option: OptionEstimate, whole: str) -> Chart:
    from estimator.report.charts import ranked

    day = assessment.estimate.hours_per_day
    shares = allocation.by_category(assessment, option)
    bars = [(whole if s.name == allocation.WHOLE else wording.category(s.name), s.hours / day) for s in shares]
    if len(bars) > _CATEGORIES:
        rest = bars[_CATEGORIES - 1 :]
        bars = [*bars[: _CATEGORIES - 1], (f"{len(rest)} further categories", sum(value for _, value in rest))]
    return ranked("categories", "Likely effort by category", bars, "person-days, likely")


def _whole(assessment: Assessment, option: OptionEstimate) -> str:
    """ "whole repository (re-tuning, learning and set-up)", the parts with most hours first."""
    parts = [wording.part_in_short(share.name) for share in allocation.whole_by_part(assessment, option)]
    shown = [*parts[:_PARTS], "more"] if len(parts) > _PARTS else parts
    return f"{allocation.WHOLE} ({joined(shown)})"


def _shares(assessment: Assessment, named: str, caption: str, shares: tuple[Share, ...], most: int) -> Table:
    """A table of the largest shares. named: what the whole repository's is called."""
    columns = (
        Column("Name", 58, "code"),
        Column("hours, likely", 14, "number"),
        Column("person-days", 14, "number"),
        Column("running share", 14, "number"),
    )
    whole = sum(share.hours for share in shares) or 1.0
    rows, running = [], 0.0
    for share in shares[:most]:
        running += share.hours
        rows.append(
            (
                named if share.name == allocation.WHOLE else plain(share.name, 120),
                exact(share.hours),
                days(share.hours, assessment),
                f"{100 * running / whole:.0f} %",
            )
        )
    rest = sum(share.hours for share in shares[most:])
    if rest:
        rows.append((f"{len(shares) - most} further", exact(rest), days(rest, assessment), "100 %"))
    return Table(caption, columns, tuple(rows))


def _sum(assessment: Assessment, option: OptionEstimate) -> Table:
    columns = (
        Column("Weight", 18, "code"),
        Column("Row", 22),
        Column("How it was added up", 19),
        Column("low", 10, "number"),
        Column("likely", 11, "number"),
        Column("high", 12, "number"),
        Column("grade", 8),
    )
    lines = sorted(option.lines, key=lambda line: -line.hours.likely)
    rows = [
        (
            plain(line.weight, 60),
            plain(line.title, 100),
            plain(line.sum, 160),
            exact(line.hours.low, 2),
            exact(line.hours.likely, 2),
            exact(line.hours.high, 2),
            plain(line.grade, 3),
        )
        for line in lines[:_LINES]
    ]
    rest = lines[_LINES:]
    if rest:
        low, likely, high = (sum(getattr(x.hours, end) for x in rest) for end in ("low", "likely", "high"))
        rows.append(
            (
                "",
                f"{len(rest)} further rows, in assessment.json",
                "",
                exact(low, 2),
                exact(likely, 2),
                exact(high, 2),
                "",
            )
        )
    low, likely, high = (sum(getattr(x.hours, end) for x in lines) for end in ("low", "likely", "high"))
    rows.append(("", "Sum of the rows", "", exact(low, 2), exact(likely, 2), exact(high, 2), ""))
    difference = abs(likely - option.hours.likely)
    agrees = "agree" if difference < 0.005 * max(1, len(lines)) else f"differ by {exact(difference, 2)} h"
    note = (
        f"The estimate's likely total is {exact(option.hours.likely, 2)} h; sum and total {agrees}. "
        "The low and high sums assume that all rows err the same way; the percentiles of section 4 do not."
    )
    return Table(
        f"{wording.option(option.option)}: rows and their sum, in hours", columns, tuple(rows), (len(rows) - 1,), note
    )
