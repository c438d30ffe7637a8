"""What the user's scope file does: hours and verdict of everything, of each entry alone, of all entries together."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.effort.side_by_side import (
    AS_FOUND,
    ENTRY,
    EVERYTHING,
    NOW,
    NOW_AND_POSTPONED,
    POSTPONED,
    ScopeTotal,
)
from estimator.effort.values import PORT_OPTIONS
from estimator.findings.scope import LATER, LEAVE_OUT, PUT_BACK, REPLACE, ScopeEffect, ScopeEntry
from estimator.report import wording
from estimator.report.blocks import MOST_ROWS, Column, Table
from estimator.report.figures import days_span, detailed, exact
from estimator.report.text import plain

TITLE = "Scope"
_ROWS = {
    AS_FOUND: "As found, without the scope file",
    EVERYTHING: "Everything",
    NOW: "All entries together: this report",
    POSTPONED: "Postponed: on top of this report",
    NOW_AND_POSTPONED: "This report and what is postponed",
}
_CHANGES = {PUT_BACK: "Put back", LEAVE_OUT: "Left out", REPLACE: "Replaced by", LATER: "Postponed"}
_STRONG = (EVERYTHING, NOW)


@dataclass(frozen=True, slots=True)
class View:
    """Scopes side by side, and what each entry decides."""

    conclusion: str
    totals: Table
    entries: Table
    check: str


def view(assessment: Assessment) -> View | None:
    """Nothing without a scope file."""
    if not assessment.scopes:
        return None
    return View(
        conclusion=_conclusion(assessment),
        totals=totals(assessment),
        entries=_entries(assessment),
        check="All rows come from one scan and the same simulated projects, so that a change is no chance. Changes of "
        "single entries don't add up to that of all: repeats are cheaper than first places, and set-up is paid once. "
        "What is postponed is the difference that it makes: rows that both need are counted once, with this report; "
        "likely hours of both add up exactly, percentiles do not. "
        "Of a kernel that is replaced the price falls away with all that stands inside, and the library's comes in. "
        "Device functions that nothing else names leave with it, and so with kernels that are left out or postponed; "
        "what else it uses, such as host code and constants, stays. A kernel that is ported already is not replaced. "
        "A verdict is what the published rule says of that scope alone, in the same scenario.",
    )


def totals(assessment: Assessment) -> Table:
    """One row a scope: P50, P80 and the change at P50, in person-days, for each option, and the verdict on it."""
    columns = [Column("Scope", 28)]
    for option in PORT_OPTIONS:
        name = wording.option(option)
        columns += [
            Column(f"{name}: P50", 8, "number"),
            Column("P80", 7, "number"),
            Column("Change at P50", 10, "number"),
        ]
    columns += [Column("No price: places", 9, "number"), Column("Verdict with this scope alone", 13)]
    shown = assessment.scopes[:MOST_ROWS]
    rows = tuple(_row(assessment, total) for total in shown)
    strong = tuple(number for number, total in enumerate(shown) if total.what in _STRONG)
    return Table("Scopes side by side, person-days", tuple(columns), rows, strong, _note(assessment))


def _conclusion(assessment: Assessment) -> str:
    option = detailed(assessment).option
    hours = {total.what: total.hours[option] for total in assessment.scopes if total.what != ENTRY}
    name = wording.option(option)
    whole = f"“{name}” takes {days_span(hours[EVERYTHING], assessment)} (P50 to P80) for everything"
    now = f", {days_span(hours[NOW], assessment)} as the scope file has it" if NOW in hours else ""
    later = f"; {days_span(hours[POSTPONED], assessment)} besides are postponed" if POSTPONED in hours else ""
    found = f" As found it would be {days_span(hours[AS_FOUND], assessment)}." if AS_FOUND in hours else ""
    return f"{whole}{now}{later}.{found}"


def _row(assessment: Assessment, total: ScopeTotal) -> tuple[str, ...]:
    day = assessment.estimate.hours_per_day
    cells = [label(total)]
    for option in PORT_OPTIONS:
        spread, change = total.hours[option], total.change.get(option)
        cells += [exact(spread.p50 / day), exact(spread.p80 / day)]
        cells.append(_signed(change.p50 / day) if change else "")
    return (*cells, f"{total.unpriced:,}", wording.option(total.verdict) if total.verdict else "")


def label(total: ScopeTotal) -> str:
    """What a row stands for: "Left out: legacy/"."""
    return named(total.entry) if total.entry else _ROWS[total.what]


def named(entry: ScopeEntry | ScopeEffect) -> str:
    """An entry in words: "Postponed: kernel gather in csrc/"."""
    table = entry.table if isinstance(entry, ScopeEntry) else entry.change
    where = f"kernel {plain(entry.kernel, 80)}" if entry.kernel else plain(entry.path, 80)
    if entry.kernel and entry.path:
        where += f" in {plain(entry.path, 80)}"
    by = f" {plain(entry.by, 40)}" if entry.by else ""
    return f"{_CHANGES[table]}{by}: {where}"


def _signed(days_more: float) -> str:
    size = exact(abs(days_more))
    sign = "+" if days_more > 0 else "−"
    return size if size == exact(0) else sign + size


def _note(assessment: Assessment) -> str:
    what = "Each entry is alone against everything."
    if any(total.what == AS_FOUND for total in assessment.scopes):
        what = "Each entry is alone against everything; what is put back, and everything, against what was found."
    alone = sum(total.what == ENTRY for total in assessment.scopes)
    more = f" Of {len(assessment.scope):,} entries only the first {alone} are priced alone."
    more = more if alone < len(assessment.scope) else ""
    return (
        f"{what} Places without a price are in no figure: where an entry adds some, its change is not the whole.{more}"
    )


def _entries(assessment: Assessment) -> Table:
    """What each entry decides, and why."""
    columns = (
        Column("Entry", 30),
        Column("Why", 26),
        Column("Files", 7, "number"),
        Column("Lines", 9, "number"),
        Column("Kernels", 9, "number"),
        Column("Functions", 11, "number"),
        Column("Sites", 8, "number"),
    )
    rows = tuple(
        (named(e), plain(e.why, 200), *(f"{n:,}" for n in (e.files, e.lines, e.kernels, e.functions, e.sites)))
        for e in assessment.scope[:MOST_ROWS]
    )
    left = len(assessment.scope) - MOST_ROWS
    note = "What is left out goes before what is replaced, that before what is postponed; each place counts once."
    if left > 0:
        note += f" {left:,} further entries stand in assessment.json."
    return Table("What the scope file changed", columns, rows, (), note)
