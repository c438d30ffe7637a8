"""Page one: the answer, its range, what would change it, what drives it, and what was not seen."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.effort.values import OptionEstimate
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.audience import external
from estimator.report.blocks import Chart
from estimator.report.figures import counted, days_span, detailed, leads, round_two, span
from estimator.report.ready import ready_line
from estimator.report.text import joined, plain, uncapped, unended

TITLE = "Decision page"
_REASONS, _FLIPS, _DRIVERS, _GAPS = 2, 4, 5, 3


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option as page one shows it."""

    name: str
    chosen: bool
    p50: str
    p80: str
    wide: str
    hours: str
    money: str
    note: str


@dataclass(frozen=True, slots=True)
class View:
    """Ready text of page one. Every list is short enough for one page."""

    repository: str
    subject: tuple[tuple[str, str], ...]
    verdict: str
    pilot: str
    summary: str
    ready: str
    effort: str
    confidence: str
    confidence_meaning: str
    confidence_reason: str
    options: tuple[OptionRow, ...]
    money_title: str
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
        verdict=wording.option(str(decision.verdict)),
        pilot="Pilot first" if decision.pilot_first else "",
        summary=plain(_summary(assessment), 220),
        ready=ready_line(assessment),
        effort="" if nothing else _effort(assessment, chosen, option),
        confidence=plain(decision.confidence, 20),
        confidence_meaning=_meaning(assessment),
        confidence_reason=unended(plain(decision.confidence_reason, 170)),
        options=tuple(_row(assessment, view.option, str(view.option)) for view in decision.options),
        money_title=f"Port in {plain(assessment.scenario.currency, 6)}" if _has_money(assessment) else "",
        ranges=_ranges(assessment) if charts and not nothing else None,
        reasons=_reasons(assessment),
        flips=tuple(plain(flip.text, 200) for flip in decision.flip_points[:_FLIPS]),
        no_flips="" if decision.flip_points else no_flips(assessment),
        drivers=_drivers(assessment, option) if charts else None,
        drivers_of=wording.option(option.option),
        unseen=_unseen(assessment),
        uncalibrated=wording.UNCALIBRATED,
        nothing=nothing,
    )


def _meaning(assessment: Assessment) -> str:
    """What the word of confidence asks the reader to do."""
    decision = assessment.decision
    meaning = wording.CONFIDENCE.get(decision.confidence, "")
    settle = decision.confidence == "medium" and decision.flip_points
    return f"{meaning}; {wording.SETTLE_FLIPS}" if settle else meaning


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
    return any(view.money and view.money.port_p50 is not None for view in assessment.decision.options)


def _row(assessment: Assessment, verdict: str, name: str) -> OptionRow:
    option = assessment.estimate.options[name]
    chosen = verdict == assessment.decision.verdict
    money = next((view.money for view in assessment.decision.options if view.option == verdict), None)
    title = wording.option(name)
    if not option.lines:
        return OptionRow(title, chosen, "—", "—", "—", "—", "—", plain(option.reason, 40) or "no port")
    day, hours = assessment.estimate.hours_per_day, option.hours
    paid = ""
    if money and money.port_p50 is not None and money.port_p80 is not None:
        paid = span(money.port_p50, money.port_p80, "").strip()
    return OptionRow(
        title,
        chosen,
        round_two(hours.p50 / day),
        round_two(hours.p80 / day),
        span(hours.p10 / day, hours.p90 / day, "").strip(),
        span(hours.p50, hours.p80, "h"),
        paid,
        "",
    )


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
    """The weightiest criteria for the verdict, in words; what decides by itself stands first."""
    decision = assessment.decision
    spoke = [
        reason
        for reason in decision.reasons
        if reason.favours == decision.verdict and (reason.points > 0 or leads(reason))
    ]
    spoke.sort(key=lambda reason: (not leads(reason), -reason.points))
    return tuple(plain(reason.text, 170) for reason in spoke[:_REASONS])


def _unseen(assessment: Assessment) -> tuple[str, ...]:
    reliability, estimate = assessment.reliability, assessment.estimate
    lines = [f"Reliability {plain(reliability.level, 20)}: {unended(plain(reliability.level_reason, 150))}."]
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
        lines.append(plain(f"{sites} without a price, not counted as zero: {listed}.", 190))
    if reliability.gaps:
        more = f" And {counted(len(reliability.gaps) - 1, 'further gap')}." if len(reliability.gaps) > 1 else ""
        lines.append(plain(reliability.gaps[0], 150) + more)
    else:
        lines.append("The code was not built and no test was run.")
    return tuple(lines)
