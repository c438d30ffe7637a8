"""Why this option: the reasons with the figures they rest on, the conditions, and what comes second."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.report import wording
from estimator.report.blocks import Column, Table
from estimator.report.figures import counted, percent
from estimator.report.text import plain

TITLE = "Recommendation"


@dataclass(frozen=True, slots=True)
class View:
    """Reasons, conditions, runner-up and pilot."""

    conclusion: str
    reasons: Table
    options: Table
    conditions: tuple[str, ...]
    runner_up: str
    pilot_reason: str
    pilot_kernels: tuple[str, ...]
    check: str


def view(assessment: Assessment) -> View:
    """The recommendation and what it rests on."""
    decision = assessment.decision
    verdict, second = wording.option(str(decision.verdict)), wording.option(str(decision.runner_up))
    for_it = [reason for reason in decision.reasons if reason.favours == decision.verdict]
    against = len(decision.reasons) - len(for_it)
    conclusion = (
        f"The published rule recommends “{verdict}” with {plain(decision.confidence, 20)} confidence: "
        f"{counted(len(for_it), 'criterion speaks', 'criteria speak')} for it, {against} for another option."
    )
    return View(
        conclusion=conclusion,
        reasons=_reasons(assessment),
        options=_options(assessment),
        conditions=tuple(plain(text) for text in decision.conditions[:12]),
        runner_up=f"Second comes “{second}”, {decision.margin:.1f} points behind.",
        pilot_reason=plain(decision.pilot_reason, 400) if decision.pilot_first else "",
        pilot_kernels=tuple(plain(name, 100) for name in decision.pilot_kernels[:10]),
        check="Each reason names the line of the policy it applied. The policy is printed in full under "
        "“Method and assumptions”; "
        "assessment.json holds all inputs, so that the verdict can be recomputed from it.",
    )


def _reasons(assessment: Assessment) -> Table:
    columns = (
        Column("Policy", 15, "code"),
        Column("For", 10),
        Column("Points", 7, "number"),
        Column("Figure", 14),
        Column("Reason", 29),
        Column("Source", 25),
    )
    rows = tuple(
        (
            plain(r.policy, 60),
            wording.option(str(r.favours)),
            f"{r.points:.1f}",
            plain(r.figure, 90),
            plain(r.text, 300),
            plain(r.source, 200),
        )
        for r in assessment.decision.reasons[:30]
    )
    return Table("Criteria that spoke", columns, rows)


def _options(assessment: Assessment) -> Table:
    views = assessment.decision.options
    known = any(view.chance_cheapest is not None for view in views)
    columns = (
        Column("Option", 20),
        Column("Points", 10, "number"),
        Column("Chance to be cheapest", 18, "number"),
        Column("In short", 52),
    )
    rows = tuple(
        (
            wording.option(str(view.option)),
            f"{view.points:.1f}",
            percent(view.chance_cheapest) if view.chance_cheapest is not None else "not known",
            plain(view.text, 240) or wording.OPTION_MEANING.get(str(view.option), ""),
        )
        for view in views
    )
    chosen = tuple(i for i, view in enumerate(views) if view.option == assessment.decision.verdict)
    missing = "The chance to be cheapest needs prices: give a scenario with both prices, GPU-hours and a rate."
    return Table("The options by points", columns, rows, chosen, "" if known else missing)
