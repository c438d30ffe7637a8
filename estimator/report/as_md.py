"""Markdown: page one as text, for a pull request or a wiki."""

from __future__ import annotations

import re

from estimator.assessment import Assessment
from estimator.report.blocks import Table
from estimator.report.sections.decision import View, view
from estimator.report.sections.options import needless, strategies
from estimator.report.sections.scope import totals

_ENTITY = "&<>|@#"  # tags, entities, cells, mentions and issues
_SLASHED = "\\`*[]~$"  # code, emphasis, links, strike-through, formulas
_ESCAPED = str.maketrans({**{c: f"&#{ord(c)};" for c in _ENTITY}, **{c: "\\" + c for c in _SLASHED}})
_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")  # inside a word it means nothing
_COLON = re.compile(r":(?=//|:|[\w+-]+:)|(?<=:):")  # addresses, commands of a build log, emoji
_AT_THE_HEAD = re.compile(r"^(\s*)([-+=]|\d+[.)](?=\s|$))")  # lists and headings


def render(assessment: Assessment) -> bytes:
    """The summary in UTF-8."""
    return "\n".join(_lines(assessment, view(assessment, charts=False))).encode("utf-8")


def escaped(text: str) -> str:
    """The text with everything escaped that Markdown or a code host would take for its own."""
    text = _UNDERSCORE.sub(r"\\_", text.translate(_ESCAPED))
    text = _COLON.sub("&#58;", text).replace("www.", "www&#46;")
    return _AT_THE_HEAD.sub(lambda head: head[1] + head[2][:-1] + "\\" + head[2][-1], text)


def _lines(assessment: Assessment, v: View) -> list[str]:
    facts = " · ".join(f"{name}: {escaped(value)}" for name, value in v.subject)
    said = f"**Recommendation: {v.verdict}{', pilot first' if v.pilot else ''}.**"
    lines = [
        f"# What it would cost to leave CUDA: {escaped(v.repository)}",
        "",
        facts,
        "",
        " ".join(filter(None, (said, escaped(v.rests), escaped(v.summary)))),
        "",
        *((escaped(v.ready), "") if v.ready else ()),
        f"Confidence: **{escaped(v.confidence)}** ({escaped(v.confidence_meaning)}). {escaped(v.confidence_reason)}.",
        "",
        *(f"- {escaped(text)}" for text in v.reasons),
        "",
        "| Option | P50, person-days | P80, person-days | P50 to P80, hours |",
        "|---|--:|--:|--:|",
    ]
    lines.extend(_row(assessment, v))
    lines += _money(v)
    lines += ["", escaped(v.beside)] if v.beside else []
    lines += _scopes(assessment)
    lines += [
        "",
        "P50: even odds. P80: the careful budget. " + escaped(v.uncalibrated),
        *_strategies(assessment),
        "",
        "## What would flip it",
        "",
    ]
    lines.extend(f"- {escaped(text)}" for text in v.flips)
    if not v.flips:
        lines.append(escaped(v.no_flips))
    lines += ["", "## Not seen, not priced", ""]
    lines.extend(f"- {escaped(text)}" for text in v.unseen)
    lines += ["", f"Made by unwarp {escaped(assessment.run.version)}. All figures and their sources: report.html.", ""]
    return lines


def _money(v: View) -> list[str]:
    """Totals and savings over the horizon; nothing without prices."""
    if not v.currency:
        return []
    lines = [
        "",
        f"| Over {escaped(v.horizon)}, in {escaped(v.currency)} | Port, P50 to P80 | Total, P50 (P10 to P90)"
        " | Saved against staying, P50 (P10 to P90) | Lowest cost in |",
        "|---|--:|--:|--:|--:|",
    ]
    for row in v.options:
        name = f"**{row.name}**" if row.chosen else row.name
        cells = (row.port, row.total, row.saved, row.chance)
        lines.append(f"| {name} | {' | '.join(escaped(cell) for cell in cells)} |")
    return lines


def _scopes(assessment: Assessment) -> list[str]:
    """The scopes side by side; nothing without a scope file."""
    if not assessment.scopes:
        return []
    return _table("Scopes side by side, person-days", totals(assessment))


def _strategies(assessment: Assessment) -> list[str]:
    """How the source is kept; where there is none of one's own only that what was asked for has no effect."""
    if table := strategies(assessment):
        return _table("How the source is kept", table)
    return ["", escaped(text)] if (text := needless(assessment)) else []


def _table(title: str, table: Table) -> list[str]:
    lines = [
        "",
        f"## {title}",
        "",
        f"| {' | '.join(column.title for column in table.columns)} |",
        f"|{'|'.join('--:' if column.kind == 'number' else '---' for column in table.columns)}|",
    ]
    for number, row in enumerate(table.rows):
        cells = [escaped(cell) for cell in row]
        cells[0] = f"**{cells[0]}**" if number in table.strong else cells[0]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, "", escaped(table.note)]


def _row(assessment: Assessment, v: View) -> list[str]:
    rows = []
    for row in v.options:
        name = f"**{row.name}**" if row.chosen else row.name
        note = f" ({escaped(row.note)})" if row.note else ""
        rows.append(f"| {name}{note} | {escaped(row.p50)} | {escaped(row.p80)} | {escaped(row.hours)} |")
    return rows
