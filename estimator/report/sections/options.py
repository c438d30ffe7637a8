"""The options side by side on the same cost lines; what is not estimated says so."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.decision.values import Verdict
from estimator.effort.values import Spread
from estimator.knowledge.values import PARTS, PHASES
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.blocks import Column, Table
from estimator.report.figures import days, round_two

TITLE = "Options compared"


@dataclass(frozen=True, slots=True)
class View:
    """Parts and phases by option."""

    conclusion: str
    meaning: tuple[tuple[str, str], ...]
    parts: Table
    phases: Table
    check: str


def view(assessment: Assessment) -> View:
    """The same rows for all options."""
    return View(
        conclusion=_conclusion(assessment),
        meaning=tuple((wording.option(name), text) for name, text in wording.OPTION_MEANING.items()),
        parts=_table(assessment, "Person-days by part of the work, P50 to P80 (likely)", "parts", PARTS, wording.PARTS),
        phases=_table(assessment, "Person-days by phase, P50 to P80 (likely)", "phases", PHASES, wording.PHASES),
        check="Likely figures add up to the option's likely total. Percentiles do not add up: the parts do "
        "not all run late at once. "
        "Ranges of the parts come from the same draws as the totals.",
    )


def _conclusion(assessment: Assessment) -> str:
    options = [option for option in assessment.estimate.options.values() if option.lines]
    if not options:
        return "There is nothing to port, so that the options differ only in what comes after."
    biggest = []
    for option in options:
        part = max(option.parts, key=lambda name: option.parts[name].likely)
        share = option.parts[part].likely / option.hours.likely if option.hours.likely else 0.0
        title = wording.PARTS.get(part, part)
        name = wording.option(option.option)
        biggest.append(f"for “{name}” it is “{title}” with {percent(share)} of the likely hours")
    return f"The largest part of the work: {'; '.join(biggest)}."


def _table(assessment: Assessment, caption: str, kind: str, names: tuple[str, ...], titles: dict[str, str]) -> Table:
    options = tuple(assessment.estimate.options.values())
    columns = (Column("", 31), *(Column(wording.option(option.option), 23) for option in options))
    rows = []
    for name in names:
        cells = []
        for option in options:
            spreads = option.parts if kind == "parts" else option.phases
            cells.append(_cell(spreads.get(name), bool(option.lines), assessment))
        rows.append((titles.get(name, name), *cells))
    rows.append(("Total", *(_cell(option.hours, bool(option.lines), assessment) for option in options)))
    strong = [len(rows) - 1]
    if kind == "parts":
        rows.append(
            ("Upkeep a year, outside the total", *(_cell(o.upkeep, bool(o.lines), assessment) for o in options))
        )
        rows.append(("New debt a quarter, outside the total", *(_growth(o.option, assessment) for o in options)))
        rows.append(("Cards, power, licences, waiting", *["not estimated"] * len(options)))
    return Table(caption, columns, tuple(rows), tuple(strong))


def _growth(option: str, assessment: Assessment) -> str:
    """What a quarter adds to the debt of those who stay."""
    growth = assessment.decision.growth
    if option != Verdict.NVIDIA:
        return "—"
    if growth is None:
        return "not known"
    low, likely, high = (
        days(hours, assessment) for hours in (growth.hours.low, growth.hours.likely, growth.hours.high)
    )
    return f"{low} to {high} ({likely})"


def _cell(spread: Spread | None, estimated: bool, assessment: Assessment) -> str:
    if spread is None:
        return "not estimated"
    if not estimated:
        return "no port"
    if spread.likely == 0 and spread.p90 == 0:
        return "nothing found"
    day = assessment.estimate.hours_per_day
    return f"{round_two(spread.p50 / day)} to {round_two(spread.p80 / day)} ({days(spread.likely, assessment)})"
