"""The options side by side on the same cost lines; what is not estimated says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.decision.money import own_kernel_share
from estimator.decision.values import Verdict
from estimator.effort.values import Spread, StrategyPrice
from estimator.findings.values import Disposition
from estimator.knowledge.values import PARTS, PHASES
from estimator.quantities import percent, with_ends
from estimator.report import wording
from estimator.report.blocks import Column, Table
from estimator.report.figures import days, exact, money, round_two
from estimator.report.ready import work_for
from estimator.report.text import plain

TITLE = "Options compared"


@dataclass(frozen=True, slots=True)
class View:
    """Parts and phases by option, and where prices were given the money on the same lines."""

    conclusion: str
    meaning: tuple[tuple[str, str], ...]
    parts: Table
    phases: Table
    money: Table | None
    totals: Table | None
    speeds: Table | None
    kept: str
    strategies: Table | None
    check: str


def view(assessment: Assessment) -> View:
    """The same rows for all options."""
    nothing = _nothing(assessment)
    return View(
        conclusion=_conclusion(assessment),
        meaning=tuple((wording.option(name), text) for name, text in wording.OPTION_MEANING.items()),
        parts=_table(assessment, "Person-days by part of the work, P50 to P80 (likely)", "parts", nothing),
        phases=_table(assessment, "Person-days by phase, P50 to P80 (likely)", "phases", nothing),
        money=_money(assessment),
        totals=_totals(assessment),
        speeds=_speeds(assessment),
        kept=_kept(assessment),
        strategies=strategies(assessment),
        check="Likely figures add up to the option's likely total. Percentiles do not add up: the parts do "
        "not all run late at once. "
        "Ranges of the parts come from the same draws as the totals. Means of money add up, too; their "
        "percentiles don't.",
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


def _table(assessment: Assessment, caption: str, kind: str, nothing: Mapping[str, str]) -> Table:
    names, titles = (PARTS, wording.PARTS) if kind == "parts" else (PHASES, wording.PHASES)
    options = tuple(assessment.estimate.options.values())
    columns = (Column("", 31), *(Column(wording.option(option.option), 23) for option in options))
    rows = []
    for name in names:
        cells = []
        for option in options:
            spreads = option.parts if kind == "parts" else option.phases
            cells.append(_cell(spreads.get(name), bool(option.lines), assessment, nothing[name]))
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


def _money(assessment: Assessment) -> Table | None:
    """Means of each line over the horizon, which add up."""
    options = assessment.decision.options
    if not any(view.money and view.money.total is not None for view in options):
        return None
    unit = plain(assessment.scenario.currency, 6)
    titles = ("port", "running", "upkeep", "less: second source", "total")
    columns = (Column("Option", 20), *(Column(f"{title}, {unit}", 16, "number") for title in titles))
    rows = []
    for view in options:
        m = view.money
        amounts = (m.port, m.running, m.upkeep, -(m.second_source or 0.0), m.total) if m else (None,) * 5
        name = wording.option(str(view.option))
        named = f"{name} (no option here)" if view.chance_cheapest is None else name
        rows.append((named, *(_whole(amount) for amount in amounts)))
    caption = f"Money over the horizon in {unit}: means of all draws, discounted to today"
    note = "port + running + upkeep - second source = total, but for rounding to whole units."
    return Table(caption, columns, tuple(rows), (), f"{note} {_staying(assessment)}")


def _whole(amount: float | None) -> str:
    """Whole units of money; no zero has a sign."""
    return "not estimated" if amount is None else exact(amount + 0.0, 0)


def _totals(assessment: Assessment) -> Table | None:
    """The range of each total, and of what it saves against staying."""
    options = assessment.decision.options
    if not any(view.money and view.money.total_p50 is not None for view in options):
        return None
    unit = plain(assessment.scenario.currency, 6)
    titles = ("total, P10", "P50", "P80", "P90", "saved against staying, P10", "P50", "P90")
    columns = (
        Column("Option", 16),
        *(Column(f"{title}, {unit}", 10 if len(title) < 4 else 13, "number") for title in titles),
        Column("lowest cost in", 8, "number"),
    )
    rows = []
    for view in options:
        m, saved = view.money, view.net_benefit
        totals = (m.total_p10, m.total_p50, m.total_p80, m.total_p90) if m else (None,) * 4
        gains = (saved.low, saved.likely, saved.high) if saved else (None,) * 3
        chance = "no option" if view.chance_cheapest is None else percent(view.chance_cheapest)
        rows.append((wording.option(str(view.option)), *(money(amount) for amount in (*totals, *gains)), chance))
    note = "Percentiles of the same draws; they add up to nothing. Below zero, staying is cheaper."
    return Table(f"Ranges of the totals in {unit}", columns, tuple(rows), (), note)


def _speeds(assessment: Assessment) -> Table | None:
    """Speed of own kernels after each port against before, and what it does to the work where money was compared."""
    speeds = {name: speed for name, speed in assessment.estimate.speeds.items() if speed.kernels}
    if not speeds:
        return None
    times = {str(view.option): view.work_time for view in assessment.decision.options if view.work_time is not None}
    columns = (
        Column("Option", 13),
        Column("own kernels", 9, "number"),
        Column("moved to Triton", 9, "number"),
        Column("class measured", 10, "number"),
        Column("re-tuned", 9, "number"),
        Column("speed on the new cards", 13, "number"),
        Column("on the present cards", 13, "number"),
        Column("on the new cards, none re-tuned", 13, "number"),
        *((Column("time of all work on the new cards", 11, "number"),) if times else ()),
    )
    rows = []
    for name, speed in speeds.items():
        counts = (speed.kernels, speed.moved, speed.measured, speed.retuned)
        factors = (speed.new_cards, speed.present_cards, speed.untuned)
        time = (f"{times[name]:.2f}",) if times else ()
        rows.append((wording.option(name), *map(str, counts), *map(with_ends, factors), *time))
    caption = "Speed of own kernels after the port against before, cards apart: likely (low to high)"
    return Table(caption, columns, tuple(rows), (), _speed_note(assessment))


def _speed_note(assessment: Assessment) -> str:
    """What the speeds rest on, and how money takes them."""
    source = next(speed.source for speed in assessment.estimate.speeds.values() if speed.kernels)
    note = (
        f"1 is equal, more is better. By class of kernel, {source}. Times of kernels are not known: each weighs "
        "the same, and one without a measurement counts as equally fast."
    )
    scenario = assessment.scenario
    if not scenario.priced:
        return note
    share = percent(own_kernel_share(scenario, assessment.heuristics.policy.settings))
    assumed = "" if scenario.own_kernel_share is not None else ", a default of the policy"
    time = _WORK_TIME[scenario.speed_factor is not None]
    return (
        f"{note} Own kernels take u = {share} of today's GPU time{assumed}; they then run at f of today's speed, and "
        f"the new cards at s. Time of all work at likely values, where today's is 1: {time}"
    )


_WORK_TIME = {
    False: "(1 - u + u / f) / s.",
    True: "1 / s for “Move to AMD”, since the speed factor that was given holds what its kernels lose; “Triton first” "
    "takes as much longer as its kernels do.",
}


def _staying(assessment: Assessment) -> str:
    """What staying adds to the price of leaving; in no total."""
    unit = plain(assessment.scenario.currency, 6)
    exits = (view.money.dearer_exit for view in assessment.decision.options if view.money)
    dearer = next((one for one in exits if one is not None), None)
    if dearer is None:
        return "How fast the debt grows is not known, so that a later exit has no price here."
    if dearer.high <= 0:
        return "A later exit costs what an exit costs today: the debt does not grow."
    low, likely, high = (money(amount, unit) for amount in (dearer.low, dearer.likely, dearer.high))
    return (
        f"Staying makes a later exit {likely} ({low} to {high}) dearer over the horizon; in no total, since who stays "
        "does not pay it."
    )


def _kept(assessment: Assessment) -> str:
    """Which way of keeping the source is in the hours, and why; what the others would do stands in the table."""
    kept = assessment.estimate.kept
    if kept is None:
        return needless(assessment) or (_NOTHING_TO_KEEP if assessment.heuristics.strategies else "")
    hours = f"{days(kept.hours.likely, assessment)} person-days" if kept.hours.likely else "nothing"
    why = plain(kept.why_chosen, 200)
    return f"The source is kept by “{plain(kept.title, 60)}” ({kept.keeps}): {why}. It adds {hours} to the rows."


def needless(assessment: Assessment) -> str:
    """That a strategy was asked for where none applies; "" where none was or one does."""
    asked = assessment.scenario.strategy
    if asked is None or assessment.estimate.kept or not assessment.heuristics.strategies:
        return ""
    return f"{_NO_STRATEGY} The scenario asks for “{plain(asked, 60)}”, which has no effect."


def strategies(assessment: Assessment) -> Table | None:
    """The ways to keep the source side by side, in hours; none where there is nothing of one's own to keep."""
    prices, kept = assessment.estimate.strategies, assessment.estimate.kept
    if kept is None:
        return None
    years = f"{kept.horizon_years:.3g} years"
    columns = (
        Column("How the source is kept", 22),
        Column("h beyond the rows: low, likely, high", 18, "number"),
        Column("against the priced one: h now", 13, "number"),
        Column("h a year", 10, "number"),
        Column(f"h over {years}", 11, "number"),
        Column("Standing", 26),
    )
    rows = tuple(
        (
            f"{plain(price.title, 60)} ({price.keeps})",
            ", ".join(exact(hours) for hours in (price.hours.low, price.hours.likely, price.hours.high)),
            *_against(price, kept),
            exact(price.horizon_hours, 0),
            _standing(price),
        )
        for price in prices
    )
    return Table("How the source is kept", columns, rows, tuple(i for i, p in enumerate(prices) if p.chosen), _HORIZON)


def _against(price: StrategyPrice, kept: StrategyPrice) -> tuple[str, str]:
    """Likely hours now and a year, less those of the one that is priced."""
    if price.chosen:
        return "—", "—"
    now, year = price.hours.likely - kept.hours.likely, price.upkeep_year - kept.upkeep_year
    return f"{now + 0.0:+,.1f}", f"{year + 0.0:+,.1f}"


def _standing(price: StrategyPrice) -> str:
    if price.chosen:
        return f"priced: {plain(price.why_chosen, 200)}"
    if price.why:
        return f"does not fit: {plain(price.why, 200)}"
    return "fits, and is the cheapest" if price.proposed else "fits"


_NOTHING_TO_KEEP = "There is no CUDA source of your own to port, so that no way of keeping it has to be chosen."
_NO_STRATEGY = "No strategy is needed: there is no C, C++ or CUDA source of your own to port."
_HORIZON = (
    "Hours of “Move to AMD” before multipliers: what a way adds to the rows, which hold conversion, build files and "
    "their review. A year is the upkeep of all likely hours but set-up and learning; over the policy's horizon, "
    "which decides whatever the scenario's is, it is paid each year. The scenario's field “strategy” chooses another; "
    "`unwarp explain` says of each what is done and who says so."
)


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


def _nothing(assessment: Assessment) -> dict[str, str]:
    """What to say of parts or phases without hours: whether all of it is done, costs nothing, or was never found."""
    done, seen = work_for(assessment, (Disposition.PORTED,)), work_for(assessment, tuple(Disposition))
    return {
        name: "nothing left" if name in done else "no work" if name in seen else "nothing found"
        for name in (*PARTS, *PHASES)
    }


def _cell(spread: Spread | None, estimated: bool, assessment: Assessment, nothing: str = "nothing") -> str:
    if spread is None:
        return "not estimated"
    if not estimated:
        return "no port"
    if spread.likely == 0 and spread.p90 == 0:
        return nothing
    day = assessment.estimate.hours_per_day
    return f"{round_two(spread.p50 / day)} to {round_two(spread.p80 / day)} ({days(spread.likely, assessment)})"
