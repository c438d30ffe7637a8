"""Why this option: the reasons with the figures they rest on, the conditions, and what comes second."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.decision.policy import NOTHING_TO_PORT, forbidden_by, ruled_out
from estimator.decision.values import Basis
from estimator.decision.verdict import TIE_ORDER
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.audience import external
from estimator.report.blocks import Column, Table
from estimator.report.figures import counted, leads
from estimator.report.text import plain, sentences

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
    return View(
        conclusion=_conclusion(assessment),
        reasons=_reasons(assessment),
        options=_options(assessment),
        conditions=tuple(plain(text) for text in decision.conditions[:12]),
        runner_up=_second(assessment),
        pilot_reason=sentences(decision.pilot_reason, 700) if decision.pilot_first else "",
        pilot_kernels=tuple(plain(name, 100) for name in decision.pilot_kernels[:10]),
        check="Each reason names the line of the policy it applied. The policy is printed in full under "
        "“Method and assumptions”; "
        "assessment.json holds all inputs, so that the verdict can be recomputed from it.",
    )


def _conclusion(assessment: Assessment) -> str:
    """The verdict and what speaks for it. Criteria without points are listed, but speak for nobody."""
    decision = assessment.decision
    counting = [reason for reason in decision.reasons if reason.points > 0]
    for_it = sum(reason.favours == decision.verdict for reason in counting)
    paid = any(leads(reason) and reason.favours == decision.verdict for reason in decision.reasons)
    closed = ruled_out(assessment.heuristics.policy.lines, {reason.policy for reason in decision.reasons})
    least = "costs least of the options that there are" if closed else "costs least"
    money = f"with the prices given it {least}; besides, " if paid else ""
    if external(assessment) and decision.basis is Basis.PRICES:
        money = "the verdict rests on prices that this copy leaves out; of the criteria shown, "
    return (
        f"The published rule recommends “{wording.option(str(decision.verdict))}” with "
        f"{plain(decision.confidence, 20)} confidence: {money}"
        f"{counted(for_it, 'criterion speaks', 'criteria speak')} for it, {len(counting) - for_it} for another option."
    )


def _second(assessment: Assessment) -> str:
    """What comes second, and by what it is behind: cost, points, a veto or the order of ties."""
    decision = assessment.decision
    second, margin = f"“{wording.option(str(decision.runner_up))}”", decision.margin
    spoke = {reason.policy for reason in decision.reasons}
    banned = forbidden_by(line for line in assessment.heuristics.policy.lines if line.id in spoke)
    if NOTHING_TO_PORT in spoke:
        return "No other option was weighed: there is nothing to port."
    if any(leads(reason) for reason in decision.reasons) and decision.runner_up not in banned:
        return f"Second by expected cost comes {second}."
    if margin > 0:
        return f"Second comes {second}, {counted(margin, 'point')} behind."
    has = f"has {counted(-margin, 'point')} more" if margin < 0 else "is level on points"
    if decision.runner_up in banned:
        return f"{second} {has}, but the rule forbids it."
    if margin < 0:
        return f"{second} {has} by the criteria shown; prices, which are left out of this copy, decide."
    return f"{second} {has}, and {TIE_ORDER}."


def _reasons(assessment: Assessment) -> Table:
    columns = (
        Column("Policy", 16, "code"),
        Column("For", 11),
        Column("Points", 8, "number"),
        Column("Figure", 12),
        Column("Reason", 29),
        Column("Source", 24),
    )
    rows = tuple(
        (
            plain(r.policy, 60),
            wording.option(str(r.favours)),
            f"{r.points:g}",
            plain(r.figure, 90),
            sentences(r.text, 400),
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
        *(() if external(assessment) else (Column("Chance to be cheapest", 18, "number"),)),
        Column("In short", 70 if external(assessment) else 52),
    )
    rows = tuple(
        (
            wording.option(str(view.option)),
            f"{view.points:g}",
            *(() if external(assessment) else (_chance(view.chance_cheapest, known),)),
            sentences(view.text, 600) or wording.OPTION_MEANING.get(str(view.option), ""),
        )
        for view in views
    )
    chosen = tuple(i for i, view in enumerate(views) if view.option == assessment.decision.verdict)
    missing = "The chance to be cheapest needs prices: give a scenario with both prices, GPU-hours and a rate."
    note = wording.LEFT_OUT if external(assessment) else "" if known else missing
    return Table("The options by points", columns, rows, chosen, note)


def _chance(chance: float | None, known: bool) -> str:
    return percent(chance) if chance is not None else "no option" if known else "not known"
