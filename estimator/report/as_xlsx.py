"""XLSX: summary, rows of effort, sites, kernels, requirements, strategies, scopes: plain cells, no formula, no link."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from estimator.assessment import Assessment
from estimator.report import wording
from estimator.report.moment import moment
from estimator.report.rows import (
    KERNEL_COLUMNS,
    LINE_COLUMNS,
    REQUIREMENT_COLUMNS,
    SCOPE_COLUMNS,
    SITE_COLUMNS,
    STRATEGY_COLUMNS,
    Cell,
    kernel_rows,
    line_rows,
    requirement_rows,
    scope_rows,
    site_rows,
    strategy_rows,
)
from estimator.report.text import plain

if TYPE_CHECKING:
    import xlsxwriter

_MOST_ROWS = 1_000_000
_DECIMALS = 2
_SUMMARY_COLUMNS = (
    "option",
    "option_name",
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
        for name, columns, rows in (
            ("lines", LINE_COLUMNS, line_rows(assessment)),
            ("sites", SITE_COLUMNS, site_rows(assessment)),
            ("kernels", KERNEL_COLUMNS, kernel_rows(assessment)),
            ("requirements", REQUIREMENT_COLUMNS, requirement_rows(assessment)),
            *([("strategies", STRATEGY_COLUMNS, strategy_rows(assessment))] if assessment.estimate.strategies else []),
            *([("scopes", SCOPE_COLUMNS, scope_rows(assessment))] if assessment.scopes else []),
        ):
            _sheet(book, name, _named_columns(columns), _named_rows(columns, rows, _names(assessment)))
    return buffer.getvalue()


_NAMED = ("option", "part", "phase", "category", "library", "plan")


def _names(assessment: Assessment) -> Mapping[str, Callable[[str], str]]:
    """How each column of ids is said in words."""
    components = assessment.heuristics.components
    return {
        "option": wording.option,
        "part": lambda name: wording.PARTS.get(name, name),
        "phase": lambda name: wording.PHASES.get(name, name),
        "category": wording.category,
        "library": lambda name: plain(components[name].title) if name in components else name,
        "plan": lambda name: wording.PLANS.get(name, name),
    }


def _named_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns, each column of ids followed by one of names."""
    return tuple(name for column in columns for name in ((column, f"{column}_name") if column in _NAMED else (column,)))


def _named_rows(
    columns: Sequence[str], rows: Iterable[tuple[Cell, ...]], names: Mapping[str, Callable[[str], str]]
) -> Iterator[tuple[Cell, ...]]:
    for row in rows:
        made: list[Cell] = []
        for column, cell in zip(columns, row, strict=True):
            made += [cell, names[column](str(cell))] if column in _NAMED else [cell]
        yield tuple(made)


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
        ("calibration", wording.calibration(assessment.heuristics.calibrated)),
        (),
        _SUMMARY_COLUMNS,
    ]
    points = {str(view.option): view.points for view in decision.options}
    for option in assessment.estimate.options.values():
        h = option.hours
        name = wording.option(option.option)
        facts.append((option.option, name, h.likely, h.mean, h.p10, h.p50, h.p80, h.p90, points.get(option.option, "")))
    facts.extend([(), ("unpriced weight", "category", "sites", "reason")])
    facts.extend((plain(u.weight), plain(u.category), u.sites, plain(u.reason)) for u in assessment.estimate.unpriced)
    _sheet(book, "summary", ("unwarp", plain(run.version)), facts)


def _sheet(book: xlsxwriter.Workbook, name: str, columns: Sequence[str], rows: Iterable[tuple[Cell, ...]]) -> None:
    sheet = book.add_worksheet(name)
    bold = book.add_format({"bold": True})
    whole, decimal = book.add_format({"num_format": "#,##0"}), book.add_format({"num_format": "#,##0.00"})
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
            elif float(cell).is_integer() and not isinstance(cell, float):
                sheet.write_number(number, position, cell, whole)
            else:
                sheet.write_number(number, position, round(cell, _DECIMALS), decimal)
