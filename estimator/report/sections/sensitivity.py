"""What moves the figures, and what would turn the verdict."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.decision.money import speed_known
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.blocks import Chart, Column, Table
from estimator.report.figures import counted, detailed, ported, round_two
from estimator.report.sections.decision import no_flips
from estimator.report.text import joined, plain, sentences

TITLE = "Sensitivity"
_BARS = 10


@dataclass(frozen=True, slots=True)
class View:
    """A tornado for each port, flip points, and the price gap when no prices were given."""

    conclusion: str
    tornados: tuple[Chart, ...]
    flips: Table | None
    gaps: Chart | None
    gap_terms: str
    check: str


def view(assessment: Assessment) -> View:
    """What moves the figures."""
    return View(
        conclusion=_conclusion(assessment),
        tornados=tuple(_tornados(assessment)),
        flips=_flips(assessment),
        gaps=None if assessment.scenario.priced else gap_chart(assessment, "gaps"),
        gap_terms=gap_terms(assessment),
        check="Each bar moves one row from its low to its high figure and leaves the others at their "
        "median. A flip point changes "
        f"one input only; two small changes together can do the same.{_kernels(assessment)}",
    )


def _conclusion(assessment: Assessment) -> str:
    option, flips = detailed(assessment), assessment.decision.flip_points
    parts = []
    if option.tornado:
        bar, day = option.tornado[0], assessment.estimate.hours_per_day
        parts.append(
            f"The largest doubt is “{plain(bar.title, 80)}”: it alone moves the even-odds effort of "
            f"“{wording.option(option.option)}” "
            f"between {round_two(bar.low / day)} and {round_two(bar.high / day)} person-days."
        )
    if flips:
        parts.append(f"{counted(len(flips), 'single change', 'single changes')} would turn the verdict.")
    else:
        parts.append(no_flips(assessment))
    return " ".join(parts)


def _kernels(assessment: Assessment) -> str:
    """With which speed of own kernels the flip points of money were found."""
    known = [(name, speed) for name, speed in assessment.estimate.speeds.items() if speed.kernels]
    if not assessment.scenario.priced or not known:
        return ""
    told = joined([f"{speed.new_cards.likely:.2f} for “{wording.option(name)}”" for name, speed in known])
    return f" Money takes own kernels to run at a likely {told} of today's speed, cards apart: {known[0][1].source}."


def _tornados(assessment: Assessment) -> list[Chart]:
    from estimator.report.charts import Bar, tornado

    day = assessment.estimate.hours_per_day
    made: list[Chart] = []
    for option in ported(assessment):
        if option.tornado:
            bars = [Bar(driver.title, driver.low / day, driver.high / day) for driver in option.tornado[:_BARS]]
            title = f"What moves the effort of “{wording.option(option.option)}”"
            made.append(tornado(f"tornado{len(made)}", title, option.hours.p50 / day, bars))
    return made


def _flips(assessment: Assessment) -> Table | None:
    flips = assessment.decision.flip_points
    if not flips:
        return None
    columns = (
        Column("Input", 20),
        Column("Now", 16),
        Column("Flips at", 18),
        Column("Verdict then", 14),
        Column("In words", 32),
    )
    rows = tuple(
        (
            plain(f.input.replace("_", " "), 80),
            plain(f.now, 80),
            plain(f.flips_at, 80),
            wording.option(str(f.to)),
            sentences(f.text, 300),
        )
        for f in flips[:20]
    )
    return Table("Flip points", columns, rows)


def gap_chart(assessment: Assessment, name: str) -> Chart | None:
    """The price gap that pays the port back, by fleet size; None when it was not worked out."""
    from estimator.report.charts import gaps

    points = [(p.gpus, p.gap_p50, p.gap_p80) for p in assessment.decision.gaps]
    unit = f"{plain(assessment.scenario.currency, 6)} per GPU-hour"
    return gaps(name, gap_title(assessment), points, unit) if points else None


def gap_title(assessment: Assessment) -> str:
    """What the gap is, and at which speed."""
    speed = "the scenario's speed factor" if speed_known(assessment.scenario) else "equal speed"
    return f"Price gap that pays the port back, at {speed}"


def gap_terms(assessment: Assessment) -> str:
    """What the price gap was worked out with, saying of each figure that nobody gave that it is a default."""
    scenario, settings = assessment.scenario, assessment.heuristics.policy.settings
    currency = plain(scenario.currency, 6)

    def told(given: float | None, setting: str, words: str) -> str:
        value = settings[setting] if given is None else given
        shown = percent(value) if setting == "discount_rate" else f"{value:,.6g}"
        return words.format(shown) + (", a default of the policy" if given is None else "")

    fleet = scenario.gpu_hours_month and scenario.gpus_now
    each = round(scenario.gpu_hours_month / scenario.gpus_now) if fleet else None  # type: ignore[operator]
    parts = (
        told(scenario.rate, "rate", f"at {{}} {currency} an hour of an engineer"),
        told(scenario.horizon_months, "horizon_months", "over {} months"),
        told(each, "gpu_hours_month", "with {} hours a month for each GPU"),
        told(scenario.discount_rate, "discount_rate", "discounted by {} a year"),
    )
    return (
        f"The gap, present price less offered price, is worked out {'; '.join(parts)}; and {_speed(assessment)}. The "
        "worth of a second supplier is left out."
    )


def _speed(assessment: Assessment) -> str:
    speed = assessment.scenario.speed_factor
    if speed is None or not speed_known(assessment.scenario):
        return "at equal speed"
    return f"at a speed factor of {speed.low:g} to {speed.high:g}, likely {speed.likely:g}"
