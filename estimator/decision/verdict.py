"""The decision put together: verdict, confidence, reasons, options, conditions, pilot and flip points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from estimator.decision import money, staying
from estimator.decision.assumptions import assumptions
from estimator.decision.policy import Case, Judgement, Spoken, amount, case, counted, forbids, judge, shown, told
from estimator.decision.scenario import completeness
from estimator.decision.sensitivity import NAMES, Found, flips
from estimator.decision.values import (
    NO_TARGET,
    Basis,
    Decision,
    Growth,
    MoneyLine,
    OptionView,
    Reason,
    Scenario,
    Target,
    Verdict,
)
from estimator.effort.values import Estimate
from estimator.findings.values import Findings
from estimator.knowledge.values import Policy, PolicyLine
from estimator.quantities import with_ends

TIE_ORDER = "a tie goes to the option that moves less: NVIDIA, then AMD, then Triton first"
LOSS = "Moving costs nothing, running would"
SPEED = "Measure the speed of the offered cards first"
_DECIDES = "the speed factor decides, measure it first"
_MEDIUM_DOUBTS = 2
_NEARLY_ALL = 0.9


def decide(
    estimate: Estimate,
    found: Findings,
    reliability_level: str,
    scenario: Scenario,
    policy: Policy,
    target: Target = NO_TARGET,
    measured: Growth | None = None,
) -> Decision:
    """The verdict by the published rule; there always is one. Pure: no clock, no files, no chance.

    reliability_level: of the scan: good, fair or poor; poor always asks for a pilot, unless there is nothing
    to port. target: what the scan was judged for. measured: growth of the debt as the history of the code shows it;
    what the scenario says of it goes before. Without prices in the scenario, chances, break-even and money are None.
    Options come in the order of the ranking, reasons for the verdict before the others.
    Raises EstimatorError if the policy names a criterion or lacks a threshold that the code does not know.
    """
    this = case(estimate, found, scenario, policy, target)
    growth = staying.growth_of(scenario, estimate, measured)
    judged = judge(this)
    deal = money.terms(scenario, policy.settings)
    bill = money.costs(this.books, deal) if deal else {}
    times = money.likely_times(this.books, deal) if deal else {}
    eligible = tuple(option for option in money.OPTIONS if option not in judged.ineligible)
    chances = money.chances(bill, eligible) if bill else {}
    turns = flips(this, judged)
    speed = _speed_decides(this, turns) if bill else ""
    pilot_reason = _pilot_reason(judged, chances, reliability_level, policy, turns, speed)
    firm = _doubts(this, judged, estimate, reliability_level)
    doubts = (*_contested(this, judged, chances, "" if speed and speed in pilot_reason else speed), *firm)
    confidence = confidence_word(len(doubts), bool(pilot_reason), reliability_level)
    weighed = Verdict.AMD if judged.verdict is Verdict.NVIDIA else judged.verdict
    option = estimate.options[weighed]
    ported_in = money.port_months(option, scenario, policy.settings)
    month = money.break_even_month(option, weighed, this.books, deal, ported_in) if deal else None
    return Decision(
        verdict=judged.verdict,
        pilot_first=bool(pilot_reason),
        pilot_reason=pilot_reason,
        confidence=confidence,
        confidence_reason=_confidence_reason(judged, doubts),
        runner_up=judged.runner_up,
        margin=judged.margin,
        reasons=_reasons(this, judged),
        flip_points=tuple(item.flip for item in turns),
        options=tuple(_option(option, this, judged, bill, chances, growth, times) for option in judged.ranking),
        conditions=_conditions(this, judged, bill, speed),
        pilot_kernels=_pilot_kernels(judged.verdict, estimate, found, policy) if pilot_reason else (),
        gaps=()
        if judged.nothing_to_port
        else money.gaps(estimate.options[Verdict.AMD], scenario, policy.settings, this.books),
        chance_cheapest=chances.get(judged.verdict),
        break_even_month=month,
        break_even_price=money.break_even_price(weighed, this.books, deal) if deal else None,
        completeness=completeness(scenario),
        doubts=firm,
        growth=growth,
        assumptions=assumptions(scenario, target, growth, policy.settings, estimate.kept, estimate.speeds.values()),
        basis=_basis(judged),
        port_months=ported_in if deal else None,
    )


def verdict_of(
    estimate: Estimate, found: Findings, scenario: Scenario, policy: Policy, target: Target = NO_TARGET
) -> Verdict:
    """The verdict of `decide` alone, without what it would take to flip it: for many scopes of one code."""
    return judge(case(estimate, found, scenario, policy, target)).verdict


def _basis(judged: Judgement) -> Basis:
    if judged.nothing_to_port:
        return Basis.NOTHING
    if judged.decided_by_veto:
        return Basis.VETO
    return Basis.PRICES if judged.expected else Basis.STRUCTURE


def _reasons(this: Case, judged: Judgement) -> tuple[Reason, ...]:
    """Criteria that spoke: a veto and money first, then for the verdict by points, then against it."""

    def order(item: Spoken) -> tuple[bool, bool, bool, float]:
        leads = item.line.veto or _on_cost(item.line)
        return (item.line.favours != judged.verdict, not leads, item.line.points == 0, -item.line.points)

    reasons = []
    for item in sorted(judged.spoken, key=order):
        line, figure = item.line, shown(item.figure, item.line.unit, this.scenario.currency)
        text = told(line.text, figure, this, next=_next(judged))
        text += _cheaper_but_closed(judged) if _on_cost(line) else ""
        reasons.append(Reason(line.id, Verdict(line.favours), line.points, figure, text, line.source))
    return tuple(reasons)


def _on_cost(line: PolicyLine) -> bool:
    """Whether a criterion compares what the options cost."""
    return line.unit == "currency"


def _cheaper_but_closed(judged: Judgement) -> str:
    """Options that cost less than the cheapest one on average and are none here, as a sentence; "" without any."""
    least = min((cost for option, cost in judged.expected.items() if option not in judged.ineligible), default=0.0)
    closed = [option for option in judged.ineligible if judged.expected.get(option, least) < least]
    return "".join(f" {NAMES[option]} costs less on average, but is no option here." for option in sorted(closed))


def _next(judged: Judgement) -> str:
    """The option next in expected cost, by name."""
    return NAMES[judged.next_by_cost] if judged.next_by_cost else "the next option"


def _conditions(this: Case, judged: Judgement, bill: Mapping[Verdict, money.Cost], speed: str) -> tuple[str, ...]:
    """What must be arranged for a move to hold; none for staying. speed: why the speed factor decides, "" if not."""
    if judged.verdict is Verdict.NVIDIA:
        return ()
    amd = this.structure.hours[Verdict.AMD]
    known = {
        "retuning": shown(this.structure.retuning, "h"),
        "reserve": shown(max(amd.p80 - amd.p50, 0.0), "h"),
        "untuned": _untuned(this),
    }
    conditions = [
        told(item.line.condition, shown(item.figure, item.line.unit, this.scenario.currency), this, **known)
        for item in judged.spoken
        if item.line.condition and item.line.favours in (judged.verdict, Verdict.NVIDIA)
    ]
    if speed:
        conditions.append(f"{SPEED}: {speed}.")
    if judged.nothing_to_port and bill:
        loss = -money.net_benefit(bill, Verdict.AMD).likely
        if loss > 0:
            conditions.append(
                f"{LOSS}: at the prices given AMD is dearer by "
                f"{amount(loss, this.scenario.currency)} over the horizon. Move only at a lower price."
            )
    return tuple(dict.fromkeys(conditions))


def _untuned(this: Case) -> str:
    """Speed of own kernels on AMD without any re-tuning, in words where there are none whose speed could be known."""
    speed = this.books.speeds[Verdict.AMD]
    return with_ends(speed.untuned) if speed.kernels else "an unknown part"


def _option(
    option: Verdict,
    this: Case,
    judged: Judgement,
    bill: Mapping[Verdict, money.Cost],
    chances: Mapping[Verdict, float],
    growth: Growth | None,
    times: Mapping[Verdict, float],
) -> OptionView:
    return OptionView(
        option=option,
        points=judged.points[option],
        chance_cheapest=chances.get(option),
        money=_money(option, this, bill[option], growth) if bill else None,
        text=_option_text(option, this, judged, growth),
        net_benefit=money.net_benefit(bill, option) if bill else None,
        work_time=times.get(option),
    )


def _money(option: Verdict, this: Case, cost: money.Cost, growth: Growth | None) -> MoneyLine:
    line = money.money_line(cost)
    if option is not Verdict.NVIDIA:
        return line
    return replace(line, dearer_exit=staying.dearer_exit(growth, this.scenario, this.policy.settings))


def _option_text(option: Verdict, this: Case, judged: Judgement, growth: Growth | None) -> str:
    """What the option means for this code, its hours, and in words what forbids it."""
    full, kernels = this.structure.hours[option], this.structure.kernels
    hours = f"{shown(full.p50, 'h')} at P50, {shown(full.p80, 'h')} at P80."
    match option:
        case Verdict.NVIDIA:
            text = f"Stay: no port; {staying.told(growth)}."
        case Verdict.AMD if kernels:
            text = f"Port to HIP, each kernel by HIP or Triton, whichever is cheaper: {hours}"
        case Verdict.AMD:
            text = f"Port to AMD's libraries, packages and tools; {_none_to_port(this)}: {hours}"
        case Verdict.TRITON_FIRST if kernels:
            text = f"Move own kernels to Triton, then run on either vendor: {hours}"
        case Verdict.TRITON_FIRST if this.structure.beside:
            text = f"No own kernel in C++ has to move to Triton; the rest is ported as for AMD: {hours}"
        case Verdict.TRITON_FIRST:
            text = f"No own kernel has to move to Triton; the rest is ported as for AMD: {hours}"
    if option is not Verdict.NVIDIA and kernels:
        speed = with_ends(this.books.speeds[option].new_cards)
        text += f" Own kernels then run at {speed} of today's speed, cards apart."
    if option not in judged.forbidden:
        return text
    bans = (_ban(this, judged, item) for item in judged.spoken if option in forbids(item.line))
    return " ".join((text, *bans))


def _none_to_port(this: Case) -> str:
    """That no kernel of the inventory has to be ported, and what those written in Python take."""
    beside = this.structure.beside
    if beside:
        return f"no own kernel in C++ has to be ported, those written in Python take {shown(beside, 'h')}"
    return "no own kernel has to be ported"


def _ban(this: Case, judged: Judgement, item: Spoken) -> str:
    figure = shown(item.figure, item.line.unit, this.scenario.currency)
    text = told(item.line.text, figure, this, next=_next(judged))
    return f"Forbidden: {text}" if item.line.veto else text


# --- Pilot and confidence -----------------------------------------------------------------------------------------


def _pilot_reason(
    judged: Judgement,
    chances: Mapping[Verdict, float],
    reliability: str,
    policy: Policy,
    turns: Sequence[Found],
    speed: str,
) -> str:
    """Why a pilot must come before the verdict is acted on, "" if it need not.

    turns: flip points, the smallest change first. speed: why the speed factor decides, "" if it does not.
    """
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
            reasons += [f"{sentence(_DECIDES)}: {speed}."] if speed else []
    elif judged.margin < policy.settings["margin_pilot"]:
        asked = f"A lead of {counted(policy.settings['margin_pilot'], 'point')} is asked for."
        reasons.append(f"The criteria disagree: {_lead(judged)}. {asked}")
    reasons += _too_near(turns, policy)
    if reasons and judged.verdict is Verdict.NVIDIA:
        reasons.append(_pilot_of_a_move(judged))
    return " ".join(reasons)


def _too_near(turns: Sequence[Found], policy: Policy) -> list[str]:
    """A flip point so near that the verdict is none, as a sentence; the smallest change stands first."""
    near = policy.settings["flip_near"]
    if not turns or turns[0].size > math.log1p(near):
        return []
    return [f"A change by under {shown(near, '%')} turns it: {turns[0].flip.text}"]


def _pilot_of_a_move(judged: Judgement) -> str:
    """What a pilot is for where the verdict is to stay."""
    other = next(option for option in judged.ranking if option is not Verdict.NVIDIA)
    return (
        f"Staying itself needs no pilot: what is to be tried before it is settled is the move ({NAMES[other]}), since"
        " its hours and its speed could turn the verdict."
    )


def _speed_decides(this: Case, turns: Sequence[Found]) -> str:
    """That a speed inside the range given, or taken by default, would turn the verdict, as a clause, or ""."""
    found = next((item for item in turns if item.flip.input == "speed_factor" and item.at is not None), None)
    speed = money.speed_factor(this.scenario, this.policy.settings)
    if found is None or found.at is None or not speed.low <= found.at <= speed.high:
        return ""
    whose = "given" if this.scenario.speed_factor else "taken by default"
    return (
        f"at {found.flip.flips_at}, inside the range {whose} ({speed.low:g} to {speed.high:g}), the verdict would be"
        f" {NAMES[found.flip.to]}"
    )


def _lead(judged: Judgement) -> str:
    """How verdict and runner-up stand by points, as a clause."""
    first, second, margin = NAMES[judged.verdict], NAMES[judged.runner_up], judged.margin
    if margin == 0:
        return f"{first} and {second} are level on points, and {TIE_ORDER}"
    if margin < 0:
        return f"{second} has {counted(-margin, 'point')} more than {first}"
    return f"{first} leads {second} by {counted(margin, 'point')}"


def _list(chances: Mapping[Verdict, float]) -> str:
    best = sorted(chances.items(), key=lambda item: -item[1])
    return ", ".join(f"{NAMES[option]} in {shown(chance, '%')}" for option, chance in best)


def _pilot_kernels(verdict: Verdict, estimate: Estimate, found: Findings, policy: Policy) -> tuple[str, ...]:
    """The dearest kernels of the port, of equally dear ones those launched from most places: "name (path:line)"."""
    by = Verdict.TRITON_FIRST if verdict is Verdict.TRITON_FIRST else Verdict.AMD
    launches = {(j.kernel.path, j.kernel.line, j.kernel.name): j.kernel.launches for j in found.kernels}
    priced = [kernel for kernel in estimate.kernels if kernel.hours.get(by, 0.0) > 0]
    dearest = sorted(
        priced,
        key=lambda k: (-k.hours[by], -launches.get((k.path, k.line, k.name), 0), k.path, k.line, k.name),
    )
    most = int(policy.settings["pilot_kernels"])
    return tuple(f"{kernel.name} ({kernel.path}:{kernel.line})" for kernel in dearest[:most])


def _doubts(this: Case, judged: Judgement, estimate: Estimate, reliability: str) -> tuple[str, ...]:
    """What lowers confidence in the verdict whatever the prices and points, as clauses."""
    settings = this.policy.settings
    doubts = []
    if reliability != "good":
        doubts.append(f"the scan's reliability is {reliability}")
    if judged.nothing_to_port:
        return tuple(doubts)
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


def _contested(this: Case, judged: Judgement, chances: Mapping[Verdict, float], speed: str) -> list[str]:
    """What lowers confidence because prices or points do not clearly lead one way, as clauses.

    speed: why the speed factor decides, "" if it does not or was said elsewhere.
    """
    if judged.nothing_to_port:
        return []
    if chances:
        return _money_doubts(judged, chances, speed)
    clear = this.policy.settings["margin_clear"]
    if judged.margin >= clear or judged.decided_by_veto:
        return []
    first, second = NAMES[judged.verdict], NAMES[judged.runner_up]
    lead = f"{first} and {second} are level on points" if judged.margin == 0 else _lead(judged)
    return [f"{lead}, where a lead of {clear:g} would be clear"]


def _money_doubts(judged: Judgement, chances: Mapping[Verdict, float], speed: str) -> list[str]:
    doubts = []
    cheapest = min(chances, key=lambda option: judged.expected[option])
    if cheapest in judged.forbidden:
        doubts.append(f"money alone would choose {NAMES[cheapest]}, which a veto forbids")
    elif chances[judged.verdict] < _NEARLY_ALL:
        share = f"the verdict is cheapest in {shown(chances[judged.verdict], '%')} of the draws"
        doubts.append(f"{share}, and {_DECIDES}: {speed}" if speed else share)
    elif speed:
        doubts.append(f"{_DECIDES}: {speed}")
    open_here = [option for option in judged.points if option not in judged.ineligible]
    favoured = max(open_here, key=lambda option: judged.points[option])
    if not judged.decided_by_veto and judged.points[favoured] > judged.points[judged.verdict]:
        doubts.append(f"the published criteria favour {NAMES[favoured]}")
    return doubts


def confidence_word(doubts: int, pilot: bool, reliability: str) -> str:
    """high without a doubt, low with a pilot, poor reliability or many doubts, else medium."""
    low = pilot or reliability == "poor" or doubts > _MEDIUM_DOUBTS
    return "low" if low else "medium" if doubts else "high"


def _confidence_reason(judged: Judgement, doubts: tuple[str, ...]) -> str:
    if doubts:
        return f"{sentence('; '.join(doubts))}."
    if judged.nothing_to_port:
        return "There is nothing left to port, and all files that matter were read."
    if judged.decided_by_veto:
        return "A veto of the published rule decides, and nothing casts doubt on it."
    if judged.expected:
        return "One option is cheapest in nearly all draws, and the scan is reliable."
    return f"The lead is {counted(judged.margin, 'point')}, and nothing casts doubt on the scan or the scenario."


def sentence(text: str) -> str:
    """The text with a capital letter at its head."""
    return text[:1].upper() + text[1:]
