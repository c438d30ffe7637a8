"""Page one: the answer, its range, what would change it, what drives it, and what was not seen."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.decision.policy import criterion_id, ruled_out, triton_as_hedge
from estimator.decision.values import Basis, OptionView, Verdict
from estimator.effort.values import OptionEstimate
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.audience import external
from estimator.report.blocks import Chart
from estimator.report.figures import counted, days_span, detailed, leads, money, round_two, span
from estimator.report.ready import ready_line
from estimator.report.text import joined, plain, sentences, uncapped, unended

TITLE = "Decision page"
_REASONS, _FLIPS, _DRIVERS, _GAPS = 2, 4, 5, 3
_LEANS = {
    Verdict.AMD: "Leans to AMD",
    Verdict.TRITON_FIRST: "Leans to Triton first",
    Verdict.NVIDIA: "Leans to staying with NVIDIA",
}


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option as page one shows it. port, total, saved, chance: where money was compared, else empty."""

    name: str
    chosen: bool
    p50: str
    p80: str
    wide: str
    hours: str
    note: str
    port: str = ""
    total: str = ""
    saved: str = ""
    chance: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """Ready text of page one. Every list is short enough for one page."""

    repository: str
    subject: tuple[tuple[str, str], ...]
    verdict: str
    pilot: str
    rests: str
    summary: str
    ready: str
    effort: str
    confidence: str
    confidence_meaning: str
    confidence_reason: str
    options: tuple[OptionRow, ...]
    currency: str
    horizon: str
    beside: str
    ranges: Chart | None
    reasons: tuple[str, ...]
    flips: tuple[str, ...]
    no_flips: str
    drivers: Chart | None
    drivers_of: str
    unseen: tuple[str, ...]
    uncalibrated: str
    nothing: bool


def view(assessment: Assessment, *, charts: bool = True) -> View:
    """Page one of the report. charts: whether pictures are wanted; text formats do without."""
    decision = assessment.decision
    chosen = assessment.estimate.options[str(decision.verdict)]
    option = detailed(assessment)
    nothing = assessment.nothing_to_port
    return View(
        repository=plain(assessment.repository.name, 44) or "unnamed repository",
        subject=_subject(assessment),
        verdict=headline(assessment),
        pilot="Pilot first" if decision.pilot_first else "",
        rests=_rests(assessment),
        summary=sentences(_summary(assessment), 330),
        ready=ready_line(assessment),
        effort="" if nothing else _effort(assessment, chosen, option),
        confidence=plain(decision.confidence, 20),
        confidence_meaning=_meaning(assessment),
        confidence_reason=unended(sentences(decision.confidence_reason, 260)),
        options=tuple(_row(assessment, view) for view in decision.options),
        currency=plain(assessment.scenario.currency, 6) if _has_money(assessment) else "",
        horizon=_horizon(assessment),
        beside=_beside(assessment, option),
        ranges=_ranges(assessment) if charts and not nothing else None,
        reasons=_reasons(assessment),
        flips=tuple(sentences(flip.text, 200) for flip in decision.flip_points[:_FLIPS]),
        no_flips="" if decision.flip_points else no_flips(assessment),
        drivers=_drivers(assessment, option) if charts else None,
        drivers_of=wording.option(option.option),
        unseen=_unseen(assessment),
        uncalibrated=wording.calibration(assessment.heuristics.calibrated),
        nothing=nothing,
    )


def _meaning(assessment: Assessment) -> str:
    """What the word of confidence asks the reader to do."""
    decision = assessment.decision
    if external(assessment) and decision.confidence == "low" and not decision.pilot_first:
        return "a lead, not yet an answer; ask for the copy with what is left out here"
    meaning = wording.CONFIDENCE.get(decision.confidence, "")
    settle = decision.confidence == "medium" and decision.flip_points
    return f"{meaning}; {wording.SETTLE_FLIPS}" if settle else meaning


def headline(assessment: Assessment) -> str:
    """The verdict in words; one of low confidence only leans."""
    decision = assessment.decision
    leans = decision.confidence == "low" and not assessment.nothing_to_port
    return _LEANS[decision.verdict] if leans else wording.option(str(decision.verdict))


def _rests(assessment: Assessment) -> str:
    """What the verdict rests on where no prices were compared, as a sentence; "" where they were."""
    decision = assessment.decision
    match decision.basis:
        case Basis.PRICES if external(assessment):
            return "The verdict rests on prices that this copy leaves out."
        case Basis.STRUCTURE if decision.verdict is Verdict.NVIDIA:
            return "No prices were compared: the code speaks for staying, and prices may still speak for leaving."
        case Basis.STRUCTURE:
            return f"If you leave: {_way(assessment)}; whether to leave needs prices."
    return ""


def _way(assessment: Assessment) -> str:
    """The verdict's way out, and whether it takes fewer hours than the other one."""
    decision, options = assessment.decision, assessment.estimate.options
    own = any(hours > 0 for kernel in assessment.estimate.kernels for hours in kernel.hours.values())
    amd = "AMD by HIP" if own else "AMD"
    name, other = (amd, Verdict.TRITON_FIRST) if decision.verdict is Verdict.AMD else ("Triton first", Verdict.AMD)
    cheaper = options[str(decision.verdict)].hours.p50 < options[str(other)].hours.p50
    return f"{name} is the {'cheaper exit' if cheaper else 'exit that the criteria favour'}"


def no_flips(assessment: Assessment) -> str:
    """What to say where no flip point is shown."""
    if external(assessment):
        return "Flip points that rest on prices are left out of this copy; no other one is shown."
    return "No single input was found that turns the verdict."


def _effort(assessment: Assessment, chosen: OptionEstimate, option: OptionEstimate) -> str:
    if chosen.lines:
        return f"{days_span(chosen.hours, assessment)}, P50 to P80"
    if option.lines:
        return f"leaving would take {days_span(option.hours, assessment)}"
    return ""


def _subject(assessment: Assessment) -> tuple[tuple[str, str], ...]:
    run, repository = assessment.run, assessment.repository
    return (
        ("Commit", plain(repository.commit[:12]) or "not under git"),
        ("Date", plain(run.date, 20)),
        ("Target", f"ROCm {plain(run.rocm, 12)}, {plain(run.gfx, 16)}"),
        ("Knowledge of", plain(assessment.heuristics.date, 20)),
        ("Read", f"{counted(repository.files, 'file')}, {counted(repository.lines, 'line')}"),
    )


def _summary(assessment: Assessment) -> str:
    decision = assessment.decision
    if assessment.nothing_to_port:
        return "Nothing was found that ties this code to CUDA: there is no cost to move."
    if decision.pilot_first and decision.pilot_reason:
        return decision.pilot_reason
    texts = [view.text for view in decision.options if view.option == decision.verdict]
    return texts[0] if texts else ""


def _has_money(assessment: Assessment) -> bool:
    return any(view.money and view.money.total_p50 is not None for view in assessment.decision.options)


def _horizon(assessment: Assessment) -> str:
    """The months that totals reach over."""
    given, settings = assessment.scenario.horizon_months, assessment.heuristics.policy.settings
    return counted(settings["horizon_months"] if given is None else given, "month")


def _beside(assessment: Assessment, option: OptionEstimate) -> str:
    """What comes on top of the port: upkeep a year, and events that may come, at P80."""
    if not option.lines:
        return ""
    day, rate, upkeep = assessment.estimate.hours_per_day, assessment.scenario.rate, option.upkeep
    currency = plain(assessment.scenario.currency, 6)
    paid = f" ({currency} {span(upkeep.p50 * rate, upkeep.p80 * rate, '').strip()})" if rate else ""
    texts = [f"upkeep of {span(upkeep.p50 / day, upkeep.p80 / day, 'person-days')} a year{paid}"]
    if option.risks:
        before, after = round_two(option.hours.p80 / day), round_two(option.with_risks.p80 / day)
        lift = f"lift P80 from {before} to {after}" if before != after else f"hardly lift P80, {before}"
        texts.append(f"events that may come, which {lift} person-days")
    return f"Beside the port of “{wording.option(option.option)}”: {' and '.join(texts)}."


def closed(assessment: Assessment) -> frozenset[Verdict]:
    """Options that are none here, by the criteria shown."""
    spoke = {reason.policy for reason in assessment.decision.reasons}
    return ruled_out(assessment.heuristics.policy.lines, spoke)


def _row(assessment: Assessment, view: OptionView) -> OptionRow:
    name = str(view.option)
    option = assessment.estimate.options[name]
    title, chosen = wording.option(name), view.option == assessment.decision.verdict
    if not option.lines:
        note = plain(option.reason, 40) or "no port"
        return OptionRow(title, chosen, "—", "—", "—", "—", note, *_paid(view))
    day, hours = assessment.estimate.hours_per_day, option.hours
    return OptionRow(
        title,
        chosen,
        round_two(hours.p50 / day),
        round_two(hours.p80 / day),
        span(hours.p10 / day, hours.p90 / day, "").strip(),
        span(hours.p50, hours.p80, "h"),
        "no option here" if view.option in closed(assessment) else "",
        *_paid(view),
    )


def _paid(view: OptionView) -> tuple[str, str, str, str]:
    """Port, total, what is saved against staying and the chance to be cheapest; empty without prices."""
    line, saved = view.money, view.net_benefit
    if line is None or line.port_p50 is None or line.port_p80 is None or line.total_p50 is None:
        return "", "", "", ""
    port = span(line.port_p50, line.port_p80, "").strip() if line.port_p80 > 0 else "—"
    total, won = money(line.total_p50), "—"
    if line.total_p10 is not None and line.total_p90 is not None and line.total_p10 < line.total_p90:
        total += f" ({span(line.total_p10, line.total_p90, '').strip()})"
    if saved is not None and saved.low < saved.high:
        won = f"{money(saved.likely)} ({span(saved.low, saved.high, '').strip()})"
    return port, total, won, "no option" if view.chance_cheapest is None else percent(view.chance_cheapest)


def _ranges(assessment: Assessment) -> Chart:
    from estimator.report.charts import Span, ranges

    day = assessment.estimate.hours_per_day
    spans = []
    for view in assessment.decision.options:
        option = assessment.estimate.options[str(view.option)]
        h = option.hours
        figures = (h.p10 / day, h.p50 / day, h.p80 / day, h.p90 / day) if option.lines else None
        spans.append(Span(wording.option(str(view.option)), figures, view.option == assessment.decision.verdict))
    return ranges("range", "Porting effort by option", spans)


def _drivers(assessment: Assessment, option: OptionEstimate) -> Chart | None:
    from estimator.report.charts import Bar, tornado

    if not option.tornado:
        return None
    day = assessment.estimate.hours_per_day
    bars = [Bar(driver.title, driver.low / day, driver.high / day) for driver in option.tornado[:_DRIVERS]]
    title = f"Largest drivers of the effort, {wording.option(option.option)}"
    return tornado("drivers", title, option.hours.p50 / day, bars, half=True)


def _reasons(assessment: Assessment) -> tuple[str, ...]:
    """The weightiest criteria for the verdict, in words; what decides by itself stands first.

    Why an option that costs less on average is none here stands last.
    """
    decision = assessment.decision
    spoke = [
        reason
        for reason in decision.reasons
        if reason.favours == decision.verdict and (reason.points > 0 or leads(reason))
    ]
    spoke.sort(key=lambda reason: (not leads(reason), -reason.points))
    hedge = [reason for reason in decision.reasons if reason.policy == criterion_id(triton_as_hedge)]
    return tuple(sentences(reason.text, 230) for reason in (*spoke[:_REASONS], *hedge))


def _unseen(assessment: Assessment) -> tuple[str, ...]:
    reliability, estimate = assessment.reliability, assessment.estimate
    lines = [f"Reliability {plain(reliability.level, 20)}: {unended(sentences(reliability.level_reason, 150))}."]
    if reliability.troubles or reliability.skipped:
        skipped = sum(group.files for group in reliability.skipped)
        read = percent(reliability.read_share)
        troubles = counted(len(reliability.troubles), "file")
        left_out = f"{counted(skipped, 'file')} left out; {read} of the bytes that matter were read."
        lines.append(f"{troubles} could not be read in full, {left_out}" if reliability.troubles else left_out)
    if estimate.unpriced:
        sites = counted(sum(row.sites for row in estimate.unpriced), "site")
        names = [uncapped(wording.category(plain(row.category, 40))) for row in estimate.unpriced[:_GAPS]]
        rest = len(estimate.unpriced) - _GAPS
        listed = joined([*names, counted(rest, "further kind")] if rest > 0 else names)
        lines.append(sentences(f"{sites} without a price, not counted as zero: {listed}.", 190))
    if reliability.gaps:
        more = f" And {counted(len(reliability.gaps) - 1, 'further gap')}." if len(reliability.gaps) > 1 else ""
        lines.append(sentences(reliability.gaps[0], 190) + more)
    else:
        lines.append("The code was not built and no test was run.")
    if estimate.reference and estimate.reference.checked:
        lines.append(wording.checked_briefly(estimate))
    return tuple(lines)
