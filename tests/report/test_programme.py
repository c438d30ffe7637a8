"""Risks and multipliers in the report: the same figures as in the estimate, and sums that can be done again."""

from __future__ import annotations

import re
from dataclasses import replace
from types import ModuleType

import pytest

from estimator.assessment import Assessment
from estimator.effort.values import EffortLine, RiskEvent, Scaling, WithRisks
from estimator.knowledge import load_heuristics
from estimator.quantities import Change, Hours, Triple
from estimator.report import render
from estimator.report.figures import round_two
from estimator.report.sections import libraries, location, method, risks
from estimator.report.sections.decision import _beside

EVENT = RiskEvent(
    "flood", "Water in the <cellar>", Triple(0.1, 0.2, 0.3), Hours(7, 14, 70), 4.9, "12 places in 1 file: a.cu",
    ("F001",), 12, 1, "A boat", "somebody; judgement", "C",
)  # fmt: skip
LINE = EffortLine(
    "times.weak_tests.kernels.runs", "Weak tests: x 1.5 on kernels (runs)", "kernels", "runs",
    "likely hour of the rows it acts on", 100.0, Change(1, 50, 900), 60.0, "C", False, (),
    "(1.5 - 1) x 100.00 h: 2 rows", "weak_tests",
)  # fmt: skip


@pytest.fixture
def risky(samples: ModuleType) -> Assessment:
    whole: Assessment = samples.sample()
    multipliers = load_heuristics().multipliers
    one = multipliers.known["weak_tests"]
    options = dict(whole.estimate.options)
    for name in ("amd", "triton-first"):
        option = options[name]
        risky = WithRisks(option.hours.mean + 4.9, option.hours.p50 + 7, option.hours.p80 + 21, option.hours.p90 + 21)
        options[name] = replace(option, risks=(EVENT,), with_risks=risky, lines=(*option.lines, LINE))
    scalings = (Scaling(one, one.factor, "the scenario: multipliers.weak_tests = true"),)
    return replace(
        whole,
        estimate=replace(whole.estimate, options=options, scalings=scalings),
        heuristics=replace(whole.heuristics, multipliers=multipliers),
    )


def test_an_event_stands_with_its_figures_and_what_to_do(risky: Assessment) -> None:
    view = risks.view(risky)
    assert view.events is not None
    first, last = view.events.rows
    assert first[1:] == ("20 % (10 % to 30 %)", "1.0, 2.0, 10", "0.70", "A boat", "somebody; judgement (C)")
    assert first[0] == "Water in the <cellar>. 12 places in 1 file: a.cu"
    assert last[3] == "0.70"
    assert view.conclusion.startswith("1 event may come on top of the range")


def test_an_event_of_any_debt_shows_no_places(risky: Assessment) -> None:
    shipped = next(risk for risk in load_heuristics().risks if risk.weights == ("*",))

    def told(weights: tuple[str, ...], why: str) -> str:
        known = replace(risky.heuristics, risks=(replace(shipped, id=EVENT.id, weights=weights),))
        options = {name: replace(one, risks=(replace(EVENT, why=why),)) for name, one in risky.estimate.options.items()}
        changed = replace(risky, heuristics=known, estimate=replace(risky.estimate, options=options))
        table = risks.view(changed).events
        assert table is not None
        return table.rows[0][0]

    assert told(("warp.size32",), "12 places in 1 file: a.cu") == "Water in the <cellar>. 12 places in 1 file: a.cu"
    assert told(("*",), "12 places in 1 file: a.cu") == "Water in the <cellar>."
    assert told(("*",), "12 places in 1 file: a.cu; boat is not answered") == (
        "Water in the <cellar>. boat is not answered"
    )


def test_events_that_move_nothing_that_can_be_shown_lift_nothing(risky: Assessment) -> None:
    option = risky.estimate.options["triton-first"]
    assert "which lift P80 from" in _beside(risky, option)
    same = replace(option, with_risks=replace(option.with_risks, p80=option.hours.p80))
    p80 = round_two(option.hours.p80 / risky.estimate.hours_per_day)
    assert f"events that may come, which hardly lift P80, {p80} person-days" in _beside(risky, same)


def test_the_budget_is_shown_without_and_with_the_events(risky: Assessment) -> None:
    view = risks.view(risky)
    assert view.budget is not None
    assert [column.title for column in view.budget.columns][3] == "contingency, P80 - P50"
    for row in view.budget.rows:
        assert row[-1] == "3.0"
    assert "Money, verdict and every other figure keep to the hours without the events" in view.budget.note


def test_a_multipliers_row_is_none_that_may_take_far_longer(risky: Assessment) -> None:
    view = risks.view(risky)
    assert view.wide is not None
    assert all("Weak tests" not in row[0] for row in view.wide.rows)


def test_without_events_there_are_no_tables_of_them(samples: ModuleType) -> None:
    for made in (samples.sample(), samples.nothing_to_port()):
        view = risks.view(made)
        assert (view.events, view.budget) == (None, None)


def test_the_register_names_other_sections_by_their_titles(risky: Assessment) -> None:
    """Numbers move with the section on the scope, which comes and goes."""
    view = risks.view(risky)
    assert f"section “{location.TITLE}”" in view.check
    assert not re.search(r"section \d", view.check)
    table = libraries.view(risky).libraries
    assert table is not None
    assert f"section “{location.TITLE}”" in table.note
    assert not re.search(r"section \d", table.note)


def test_every_multiplier_is_listed_with_its_state(risky: Assessment) -> None:
    table = method.view(risky).multipliers
    assert table is not None
    states = {row[0]: row[3] for row in table.rows}
    assert states.pop("Weak tests") == "on, by the scenario: multipliers.weak_tests = true"
    assert set(states.values()) == {"off"}
    assert table.rows[0][4:6] == ("50.00", "50.00")
    assert sum(column.width for column in table.columns) == 100
    assert table.strong == ()


def test_a_figure_of_ones_own_has_no_source_of_others(risky: Assessment) -> None:
    one = load_heuristics().multipliers.known["weak_tests"]
    assert one.source in _sources(risky)["Weak tests"]
    scalings = (Scaling(one, Triple(1.1, 1.2, 1.3), "the scenario: multipliers.weak_tests, with a figure of its own"),)
    ours = replace(risky, estimate=replace(risky.estimate, scalings=scalings))
    assert _sources(ours)["Weak tests"] == "yours, no source given"
    noted = replace(ours, scenario=replace(ours.scenario, notes={"weak_tests": "last two ports"}))
    assert _sources(noted)["Weak tests"] == "yours: last two ports"
    assert (
        _sources(replace(noted, run=replace(noted.run, audience="external")))["Weak tests"] == "yours, no source given"
    )


def _sources(assessment: Assessment) -> dict[str, str]:
    table = method.view(assessment).multipliers
    assert table is not None
    return {row[0]: row[-1] for row in table.rows}


def test_titles_are_escaped_on_the_page(risky: Assessment) -> None:
    page = render(risky, "html").decode()
    assert "Water in the &lt;cellar&gt;" in page
    assert "<cellar>" not in page


def test_the_settings_come_from_the_table(samples: ModuleType) -> None:
    whole: Assessment = samples.sample()
    units = replace(whole.heuristics.units, days_per_month=11.5, draws=4321, engineers=9)
    changed = replace(whole, heuristics=replace(whole.heuristics, units=units))
    rows = {row[0]: row[1] for row in method.view(changed).settings.rows}
    assert rows["Person-month"] == "11.5 person-days"
    assert rows["Draws"] == "4,321"
    assert rows["Engineers who learn"] == "9"
