"""XLSX: summary, rows of effort, sites and kernels as sheets of plain cells, no formulas and no links."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from estimator.assessment import Assessment
from estimator.report import wording
from estimator.report.moment import moment
from estimator.report.rows import KERNEL_COLUMNS, LINE_COLUMNS, SITE_COLUMNS, Cell, kernel_rows, line_rows, site_rows
from estimator.report.text import plain

if TYPE_CHECKING:
    import xlsxwriter

_MOST_ROWS = 1_000_000
_SUMMARY_COLUMNS = (
    "option",
    "likely_hours",
    "mean_hours",
    "p10_hours",
    "p50_hours",
    "p80_hours",
    "p90_hours",
    "points",
)


def render(assessment: Assessment) -> bytes:
    """The workbook; same assessment, same bytes."""
    import xlsxwriter

    buffer = io.BytesIO()
    settings = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "nan_inf_to_errors": False,
    }
    with xlsxwriter.Workbook(buffer, settings) as book:
        title = f"CUDA exit estimate: {plain(assessment.repository.name, 60)}"
        book.set_properties({"title": title, "created": moment(assessment.run.date).replace(tzinfo=None)})
        _summary(book, assessment)
        _sheet(book, "lines", LINE_COLUMNS, line_rows(assessment))
        _sheet(book, "sites", SITE_COLUMNS, site_rows(assessment))
        _sheet(book, "kernels", KERNEL_COLUMNS, kernel_rows(assessment))
    return buffer.getvalue()


def _summary(book: xlsxwriter.Workbook, assessment: Assessment) -> None:
    run, repository, decision = assessment.run, assessment.repository, assessment.decision
    facts: list[tuple[Cell, ...]] = [
        ("repository", plain(repository.name, 120)),
        ("commit", plain(repository.commit, 64)),
        ("date", plain(run.date)),
        ("target", f"ROCm {plain(run.rocm)}, {plain(run.gfx)}"),
        ("verdict", wording.option(str(decision.verdict))),
        ("confidence", plain(decision.confidence)),
        ("pilot first", "yes" if decision.pilot_first else "no"),
        ("hours per person-day", assessment.estimate.hours_per_day),
        ("reliability", f"{plain(assessment.reliability.level)}: {plain(assessment.reliability.level_reason)}"),
        ("calibration", wording.UNCALIBRATED),
        (),
        _SUMMARY_COLUMNS,
    ]
    points = {str(view.option): view.points for view in decision.options}
    for option in assessment.estimate.options.values():
        h = option.hours
        facts.append((option.option, h.likely, h.mean, h.p10, h.p50, h.p80, h.p90, points.get(option.option, "")))
    facts.extend([(), ("unpriced weight", "category", "sites", "reason")])
    facts.extend((plain(u.weight), plain(u.category), u.sites, plain(u.reason)) for u in assessment.estimate.unpriced)
    _sheet(book, "summary", ("unwarp", plain(run.version)), facts)


def _sheet(book: xlsxwriter.Workbook, name: str, columns: Sequence[str], rows: Iterable[tuple[Cell, ...]]) -> None:
    sheet = book.add_worksheet(name)
    bold = book.add_format({"bold": True})
    for position, title in enumerate(columns):
        sheet.write_string(0, position, title, bold)
    sheet.freeze_panes(1, 0)
    sheet.set_column(0, 0, 40)
    sheet.set_column(1, max(1, len(columns) - 1), 16)
    for number, row in enumerate(rows, start=1):
        if number > _MOST_ROWS:
            sheet.write_string(number, 0, "cut here: a sheet holds no more rows; see sites.csv and assessment.json")
            break
        for position, cell in enumerate(row):
            if isinstance(cell, str):
                sheet.write_string(number, position, cell)
            else:
                sheet.write_number(number, position, cell)
