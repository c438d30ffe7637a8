"""The estimate held against the steps of a well-known guide, each met or not met with its reason.

Source of the steps: GAO Cost Estimating and Assessment Guide, GAO-20-195G (March 2020), the twelve steps of a
high-quality cost estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.effort.values import Reference
from estimator.quantities import percent
from estimator.report.blocks import Column, Table
from estimator.report.figures import detailed
from estimator.report.text import plain

TITLE = "Self-check"


@dataclass(frozen=True, slots=True)
class View:
    """One row a step."""

    conclusion: str
    steps: Table
    check: str


def view(assessment: Assessment) -> View:
    """The twelve steps, checked against this very report."""
    rows = tuple(_rows(assessment))
    met = sum(row[1] == "met" for row in rows)
    partly = sum(row[1] == "partly" for row in rows)
    columns = (
        Column("Step of the guide", 34),
        Column("State", 10),
        Column("How, or why not", 40),
        Column("Section", 16),
    )
    return View(
        f"Of the {len(rows)} steps of the guide {met} are met, {partly} partly, {len(rows) - met - partly} not.",
        Table("The steps of GAO-20-195G", columns, rows),
        "The states follow from the figures of this report, not from a promise; assessment.json lets anyone "
        "check them.",
    )


def _rows(assessment: Assessment) -> list[tuple[str, str, str, str]]:
    option, reliability, repository = detailed(assessment), assessment.reliability, assessment.repository
    added = sum(line.hours.likely for line in option.lines)
    adds_up = abs(added - option.hours.likely) < 0.005 * max(1, len(option.lines))
    given = assessment.decision.completeness
    judged = percent(option.grades.get("C", 0.0))
    nothing = assessment.nothing_to_port
    return [
        ("Purpose of the estimate", "met", "To choose between three options for one code base.", "Decision page"),
        ("Plan of the estimate", "met", "Fixed stages; the command that repeats it is printed.", "Provenance"),
        (
            "Technical baseline",
            "met" if repository.commit else "partly",
            "Commit, target and release are named."
            if repository.commit
            else "The source is not under git: no commit pins it.",
            "Decision page",
        ),
        ("Structure of the work", "met", "Parts, phases and rows; what is outside is named.", "Options compared"),
        (
            "Ground rules and assumptions",
            "met" if given >= 0.5 else "partly",
            f"Units, settings, policy in full; {percent(given)} of the scenario was given.",
            "Method",
        ),
        (
            "Data with their sources",
            "partly" if option.grades.get("C", 0.0) > 0.1 else "met",
            f"Each row has a source; {judged} of the hours rest on judgement.",
            "Method",
        ),
        (
            "Point estimate, cross-checked",
            "partly" if adds_up else "not met",
            f"The rows add up to the total; {_second(assessment.estimate.reference)}."
            if adds_up
            else "The rows do not add up to the total.",
            "Where the cost sits",
        ),
        (
            "Sensitivity",
            "met" if option.tornado or nothing else "not met",
            "One bar for each large row, and flip points."
            if option.tornado
            else "Nothing moves the figures."
            if nothing
            else "No tornado was worked out.",
            "Sensitivity",
        ),
        ("Risk and uncertainty", "met", "Simulation with a shared factor; P80 beside P50.", "Cost range"),
        (
            "Documentation",
            "met" if reliability.level == "good" else "partly",
            f"Anyone can repeat the run; reliability of the reading is {plain(reliability.level, 20)}.",
            "Not analysed",
        ),
        ("Presented to management", "met", "Page one is one page.", "Decision page"),
        ("Updated with actuals", *_actuals(assessment), "Method"),
    ]


def _second(reference: Reference | None) -> str:
    """What stands beside the rows as a second estimate, as a clause."""
    if reference is None:
        return "a second, independent estimate was not made"
    of = f"the reference class of {reference.ports} ports that happened is a second estimate of the functional scope"
    if reference.blend is None:
        return f"{of}, not blended with it: {plain(reference.unblended, 300)}"
    return f"{of}, blended with it, {percent(reference.blend.weight)} of the weight the class's"


def _actuals(assessment: Assessment) -> tuple[str, str]:
    calibrated = assessment.heuristics.calibrated
    if calibrated is None:
        return "not met", "No actual hours have been fed back yet."
    return "partly", f"Calibrated on {plain(calibrated.rows_told, 80)}."
