"""The decision put together: verdict, confidence, reasons, options, conditions, pilot and flip points."""

from __future__ import annotations

from collections.abc import Mapping

from estimator.decision import money
from estimator.decision.policy import Case, Judgement, Spoken, amount, case, judge, shown
from estimator.decision.scenario import completeness
from estimator.decision.sensitivity import NAMES, flip_points
from estimator.decision.values import Decision, OptionView, Reason, Scenario, Verdict
from estimator.effort.values import Estimate
from estimator.findings.values import Findings
from estimator.knowledge.values import Policy

_MEDIUM_DOUBTS = 2
_NEARLY_ALL = 0.9


def decide(estimate: Estimate, found: Findings, reliability_level: str, scenario: Scenario, policy: Policy) -> Decision:
    """The verdict by the published rule; there always is one. Pure: no clock, no files, no chance.

    reliability_level: of the scan: good, fair or poor; poor always asks for a pilot, unless there is nothing
    to port. Without prices in the scenario, chances, break-even and money are None.
    Options come in the order of the ranking, reasons for the verdict before the others.
    Raises EstimatorError if the policy names a criterion or lacks a threshold that the code does not know.
    """
    this = case(estimate, found, scenario, policy)
    judged = judge(this)
    deal = money.terms(scenario, policy.settings)
    bill = money.costs(this.books, deal) if deal else {}
    eligible = tuple(option for option in money.OPTIONS if option not in judged.ineligible)
    chances = money.chances(bill, eligible) if bill else {}
    pilot_reason = _pilot_reason(judged, chances, reliability_level, policy)
    doubts = _doubts(this, judged, chances, estimate, reliability_level)
    confidence, confidence_reason = _confidence(judged, doubts, bool(pilot_reason), reliability_level)
    weighed = Verdict.AMD if judged.verdict is Verdict.NVIDIA else judged.verdict
    month = money.break_even_month(estimate.options[weighed], weighed, this.books, deal) if deal else None
    return Decision(
        verdict=judged.verdict,
        pilot_first=bool(pilot_reason),
        pilot_reason=pilot_reason,
        confidence=confidence,
        confidence_reason=confidence_reason,
        runner_up=judged.runner_up,
        margin=judged.margin,
        reasons=_reasons(judged, scenario.currency),
        flip_points=flip_points(this, judged),
        options=tuple(_option(option, judged, estimate, bill, chances) for option in judged.ranking),
        conditions=_conditions(this, judged, bill),
        pilot_kernels=_pilot_kernels(estimate, policy) if pilot_reason else (),
        gaps=() if judged.nothing_to_port else money.gaps(estimate.options[Verdict.AMD], scenario, policy.settings),
        chance_cheapest=chances.get(judged.verdict),
        break_even_month=month,
        break_even_price=money.break_even_price(weighed, this.books, deal) if deal else None,
        completeness=completeness(scenario),
    )


def _reasons(judged: Judgement, currency: str) -> tuple[Reason, ...]:
    """Criteria that spoke: a veto and money first, then for the verdict by points, then against it."""

    def order(item: Spoken) -> tuple[bool, bool, bool, float]:
        leads = item.line.veto or item.line.unit == "currency"
        return (item.line.favours != judged.verdict, not leads, item.line.points == 0, -item.line.points)

    reasons = []
    for item in sorted(judged.spoken, key=order):
        line, figure = item.line, shown(item.figure, item.line.unit, currency)
        text = line.text.format(figure=figure)
        reasons.append(Reason(line.id, Verdict(line.favours), line.points, figure, text, line.source))
    return tuple(reasons)


def _conditions(this: Case, judged: Judgement, bill: Mapping[Verdict, money.Cost]) -> tuple[str, ...]:
    """What must be arranged for a move to hold; none for staying."""
    if judged.verdict is Verdict.NVIDIA:
        return ()
    amd = this.structure.hours[Verdict.AMD]
    known = {"retuning": shown(this.structure.retuning, "h"), "reserve": shown(max(amd.p80 - amd.p50, 0.0), "h")}
    conditions = [
        item.line.condition.format(figure=shown(item.figure, item.line.unit, this.scenario.currency), **known)
        for item in judged.spoken
        if item.line.condition and item.line.favours in (judged.verdict, Verdict.NVIDIA)
    ]
    if judged.nothing_to_port and bill:
        loss = -money.net_benefit(bill, Verdict.AMD).likely
        if loss > 0:
            conditions.append(
                "Moving costs nothing, running would: at the prices given AMD is dearer by "
                f"{amount(loss, this.scenario.currency)} over the horizon. Move only at a lower price."
            )
    return tuple(dict.fromkeys(conditions))


def _option(
    option: Verdict,
    judged: Judgement,
    estimate: Estimate,
    bill: Mapping[Verdict, money.Cost],
    chances: Mapping[Verdict, float],
) -> OptionView:
    return OptionView(
        option=option,
        points=judged.points[option],
        chance_cheapest=chances.get(option),
        money=money.money_line(bill[option]) if bill else None,
        text=_option_text(option, judged, estimate),
        net_benefit=money.net_benefit(bill, option) if bill else None,
    )


def _option_text(option: Verdict, judged: Judgement, estimate: Estimate) -> str:
    full = estimate.options[option].hours if option in estimate.options else None
    hours = f"{shown(full.p50, 'h')} at P50, {shown(full.p80, 'h')} at P80." if full else ""
    match option:
        case Verdict.NVIDIA:
            text = "Stay: no port; the debt stays and grows with new CUDA code."
        case Verdict.AMD:
            text = f"Port to HIP, each kernel by HIP or Triton, whichever is cheaper: {hours}"
        case Verdict.TRITON_FIRST:
            text = f"Move own kernels to Triton, then run on either vendor: {hours}"
    vetoes = [item.line.id for item in judged.spoken if option in item.forbids]
    return f"{text} Forbidden by {', '.join(vetoes)}." if option in judged.forbidden else text


# --- Pilot and confidence -----------------------------------------------------------------------------------------


def _pilot_reason(judged: Judgement, chances: Mapping[Verdict, float], reliability: str, policy: Policy) -> str:
    """Why a pilot must come before the verdict is acted on, "" if it need not."""
    if judged.nothing_to_port:
        return ""
    reasons = []
    if reliability == "poor":
        reasons.append("The scan's reliability is poor: part of the code was not judged.")
    if judged.decided_by_veto:
        return " ".join(reasons)
    if chances:
        if max(chances.values()) < policy.settings["dominance"]:
            reasons.append(
                f"No option is cheapest in at least {shown(policy.settings['dominance'], '%')} of the draws: "
                f"{_list(chances)}."
            )
    elif judged.margin < policy.settings["margin_pilot"]:
        reasons.append(
            f"The criteria disagree: {NAMES[judged.verdict]} leads {NAMES[judged.runner_up]} by "
            f"{judged.margin:g} points, and {policy.settings['margin_pilot']:g} are asked for."
        )
    return " ".join(reasons)


def _list(chances: Mapping[Verdict, float]) -> str:
    best = sorted(chances.items(), key=lambda item: -item[1])
    return ", ".join(f"{NAMES[option]} in {shown(chance, '%')}" for option, chance in best)


def _pilot_kernels(estimate: Estimate, policy: Policy) -> tuple[str, ...]:
    """The dearest kernels of the amd option, as "name (path:line)"."""
    priced = [kernel for kernel in estimate.kernels if kernel.hours.get(Verdict.AMD, 0.0) > 0]
    dearest = sorted(priced, key=lambda k: (-k.hours[Verdict.AMD], k.path, k.line, k.name))
    most = int(policy.settings["pilot_kernels"])
    return tuple(f"{kernel.name} ({kernel.path}:{kernel.line})" for kernel in dearest[:most])


def _doubts(
    this: Case, judged: Judgement, chances: Mapping[Verdict, float], estimate: Estimate, reliability: str
) -> tuple[str, ...]:
    """What lowers confidence in the verdict, as sentences."""
    settings = this.policy.settings
    doubts = []
    if reliability != "good":
        doubts.append(f"the scan's reliability is {reliability}")
    if judged.nothing_to_port:
        return tuple(doubts)
    if chances:
        doubts += _money_doubts(judged, chances)
    elif judged.margin < settings["margin_clear"] and not judged.decided_by_veto:
        doubts.append(f"the margin is {judged.margin:g} points, {settings['margin_clear']:g} would be clear")
    debt = sum(this.structure.debt.values())
    unpriced = sum(this.structure.unpriced.values()) / debt if debt else 0.0
    if unpriced > settings["doubt_unpriced"]:
        doubts.append(f"{shown(unpriced, '%')} of the debt has no price")
    judgement = estimate.options[Verdict.AMD].grades.get("C", 0.0)
    if judgement > settings["doubt_judgement"]:
        doubts.append(f"{shown(judgement, '%')} of the hours rest on judgement (grade C)")
    answered = completeness(this.scenario)
    if answered < settings["doubt_completeness"]:
        doubts.append(f"the scenario answers {shown(answered, '%')} of its questions")
    return tuple(doubts)


def _money_doubts(judged: Judgement, chances: Mapping[Verdict, float]) -> list[str]:
    doubts = []
    cheapest = min(chances, key=lambda option: judged.expected[option])
    if cheapest in judged.forbidden:
        doubts.append(f"money alone would choose {NAMES[cheapest]}, which a veto forbids")
    elif chances[judged.verdict] < _NEARLY_ALL:
        doubts.append(f"the verdict is cheapest in {shown(chances[judged.verdict], '%')} of the draws")
    favoured = max(judged.points, key=lambda option: judged.points[option])
    if not judged.decided_by_veto and judged.points[favoured] > judged.points[judged.verdict]:
        doubts.append(f"the published criteria favour {NAMES[favoured]}")
    return doubts


def _confidence(judged: Judgement, doubts: tuple[str, ...], pilot: bool, reliability: str) -> tuple[str, str]:
    """high without a doubt, low with a pilot, poor reliability or many doubts, else medium; and why."""
    low = pilot or reliability == "poor" or len(doubts) > _MEDIUM_DOUBTS
    word = "low" if low else "medium" if doubts else "high"
    if doubts:
        return word, f"{_sentence('; '.join(doubts))}."
    if judged.nothing_to_port:
        return word, "There is nothing left to port, and all files that matter were read."
    if judged.decided_by_veto:
        return word, "A veto of the published rule decides, and nothing casts doubt on it."
    if judged.expected:
        return word, "One option is cheapest in nearly all draws, and the scan is reliable."
    return word, f"The margin is {judged.margin:g} points, and nothing casts doubt on the scan or the scenario."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
