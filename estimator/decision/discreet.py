"""A decision as a reader outside the house may see it: nothing in it moves when prices, rates or volumes move.

Only the verdict itself may have come from money. What the decision stage worked out from prices is left out and, where
something must stand in its place, worked out again from what may be told: points from the criteria that stay, runner-up
and margin from those points. Where prices had a part in the verdict, confidence is low: what is left can't bear it out,
and no copy may look surer than the whole.
"""

from __future__ import annotations

import re
from dataclasses import replace

from estimator.decision.money import OPTIONS
from estimator.decision.policy import NOTHING_TO_PORT, ON_PRICES, forbidden_by
from estimator.decision.values import Basis, Decision, Flip, Reason, Scenario, Verdict
from estimator.decision.verdict import LOSS, SPEED, confidence_word, sentence
from estimator.knowledge.values import Policy

HIDDEN_FIELDS = (
    "price_now",
    "price_offered",
    "speed_factor",
    "own_kernel_share",
    "gpu_hours_month",
    "gpu_hours_month_planned",
    "horizon_months",
    "discount_rate",
    "rate",
    "second_source_value",
)
_NO_DOUBT = "nothing casts doubt on the reading and pricing of the code"
_ON_PRICES = "The verdict rests on prices that this copy leaves out"
_PARTLY = "Prices or volumes had a part in the verdict, and this copy leaves them out"


def without_money(scenario: Scenario) -> Scenario:
    """The scenario without prices, rates and volumes, and without free text, which may hold them."""
    hidden = dict.fromkeys(HIDDEN_FIELDS)
    return replace(scenario, name="", notes={}, **hidden)  # type: ignore[arg-type]


def rests_on_prices(scenario: Scenario) -> bool:
    """Whether prices had a part in the verdict, its points or its flip points."""
    both = scenario.price_now is not None and scenario.price_offered is not None
    return scenario.priced or both or scenario.second_source_value is not None


def without_prices(decision: Decision, scenario: Scenario, policy: Policy, reliability: str) -> Decision:
    """The decision without anything that was worked out from prices.

    scenario: as it was given, with its prices. reliability: level of the scan. A criterion that the policy does
    not know is left out as well: nobody can say what it rests on.
    """
    known = {line.id: line for line in policy.lines}
    reasons = tuple(item for item in decision.reasons if item.policy in known and item.policy not in ON_PRICES)
    bare = replace(
        decision,
        reasons=reasons,
        flip_points=tuple(flip for flip in decision.flip_points if _may_be_told(flip)),
        options=tuple(
            replace(
                view,
                chance_cheapest=None,
                money=None,
                net_benefit=None,
                work_time=None,
                points=_points(reasons, view.option),
                text=_told(view.text, decision.reasons),
            )
            for view in decision.options
        ),
        conditions=tuple(text for text in decision.conditions if not _on_prices(text, policy)),
        assumptions=tuple(item for item in decision.assumptions if item.about not in HIDDEN_FIELDS),
        gaps=(),
        chance_cheapest=None,
        break_even_month=None,
        break_even_price=None,
        port_months=None,
    )
    return _judged_again(bare, policy, reliability) if rests_on_prices(scenario) else bare


def _judged_again(decision: Decision, policy: Policy, reliability: str) -> Decision:
    """Everything but the verdict from the reasons that are left; what would flip it can't be told."""
    lines = [line for line in policy.lines if line.id in {reason.policy for reason in decision.reasons}]
    banned = forbidden_by(lines)

    def place(view_option: Verdict) -> tuple[bool, bool, float, int]:
        points = _points(decision.reasons, view_option)
        return view_option is not decision.verdict, view_option in banned, -points, OPTIONS.index(view_option)

    options = tuple(sorted(decision.options, key=lambda view: place(view.option)))
    nothing = any(reason.policy == NOTHING_TO_PORT for reason in decision.reasons)
    pilot = reliability == "poor" and not nothing
    doubts = "; ".join(decision.doubts) or _NO_DOUBT
    share = _ON_PRICES if decision.basis is Basis.PRICES else _PARTLY
    return replace(
        decision,
        pilot_first=pilot,
        pilot_reason="The scan's reliability is poor: part of the code was not judged." if pilot else "",
        pilot_kernels=decision.pilot_kernels if pilot else (),
        confidence=confidence_word(len(decision.doubts), pilot, reliability) if nothing else "low",
        confidence_reason=f"{sentence(doubts)}." if nothing else f"{share}; {doubts}.",
        runner_up=options[1].option,
        margin=options[0].points - options[1].points,
        options=options,
        flip_points=(),
    )


def _points(reasons: tuple[Reason, ...], option: Verdict) -> float:
    return float(sum(reason.points for reason in reasons if reason.favours == option))


def _told(text: str, reasons: tuple[Reason, ...]) -> str:
    """What an option is, without what a criterion that rests on prices says against it."""
    for reason in reasons:
        if reason.policy in ON_PRICES:
            text = text.replace(f" {reason.text}", "")
    return text


def _may_be_told(flip: Flip) -> bool:
    return flip.input not in HIDDEN_FIELDS


def _on_prices(condition: str, policy: Policy) -> bool:
    """Whether a condition was written from money, or by a criterion that rests on prices."""
    templates = [line.condition for line in policy.lines if line.id in ON_PRICES and line.condition]
    patterns = [".*".join(re.escape(part) for part in re.split(r"\{\w+\}", template)) for template in templates]
    return condition.startswith((LOSS, SPEED)) or any(
        re.fullmatch(pattern, condition, re.DOTALL) for pattern in patterns
    )
