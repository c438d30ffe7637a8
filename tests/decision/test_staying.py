"""What staying costs: the growth of the debt, by hand, and what the decision says of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from estimator.decision import money, staying
from estimator.decision.values import Growth, Range, Scenario, Verdict

PRICED = Scenario(gpu_hours_month=46_720.0, price_now=2.95, price_offered=1.99, rate=150.0)
GIVEN = Range(10.0, 20.0, 60.0)


def stay(decision):
    return next(view for view in decision.options if view.option is Verdict.NVIDIA)


def test_new_kernels_take_the_mean_hours_of_a_kernel_with_its_tests_and_tuning(estimated):
    estimate = estimated("vision")
    kernels, remediation, validation, retuning = 0.6 + 2.0, 4.0 + 1.5, 6.0, 45.0
    growth = staying.growth_of(Scenario(new_kernels_month=2.0), estimate)
    driven = kernels + remediation  # the other two parts hold only rows that are charged once in this code
    assert growth.hours.likely == pytest.approx(2 * 3 * driven / 15)
    rows = tuple(replace(line, fixed=False) for line in estimate.options["amd"].lines)
    options = {**estimate.options, "amd": replace(estimate.options["amd"], lines=rows)}
    each = staying.growth_of(Scenario(new_kernels_month=2.0), replace(estimate, options=options))
    assert each.hours.likely == pytest.approx(2 * 3 * (driven + validation + retuning) / 15)
    assert growth.hours.low == 0, "the rows of this code have no lower end"
    assert growth.hours.high == pytest.approx(4 * growth.hours.likely), "as far off as their rows"
    assert "2 new kernels a month" in growth.basis
    assert "mean of this code's 15 kernels" in growth.basis


def test_what_the_scenario_says_goes_before_what_was_measured_and_that_before_kernels(estimated):
    estimate, measured = estimated("vision"), Growth(Range(1.0, 2.0, 3.0), "as the history shows")
    said = Scenario(new_kernels_month=2.0, debt_growth_quarter=GIVEN)
    assert staying.growth_of(said, estimate, measured).hours == GIVEN
    assert staying.growth_of(replace(said, debt_growth_quarter=None), estimate, measured) == measured


@pytest.mark.parametrize(("name", "kernels"), [("vision", None), ("serving", 3.0), ("portable", 1.0)])
def test_nothing_is_made_up(estimated, name, kernels):
    assert staying.growth_of(Scenario(new_kernels_month=kernels), estimated(name)) is None


def test_no_new_kernels_are_no_growth(estimated):
    growth = staying.growth_of(Scenario(new_kernels_month=0.0), estimated("serving"))
    assert growth.hours == Range(0, 0, 0)
    assert staying.told(growth) == "the debt stays as it is: no new kernels are written"


def test_an_exit_gets_dearer_every_quarter(decided):
    scenario = replace(PRICED, debt_growth_quarter=GIVEN, discount_rate=0.0, horizon_months=24.0)
    decision = decided("stencil", scenario)
    assert stay(decision).money.dearer_exit == Range(8 * 10 * 150, 8 * 20 * 150, 8 * 60 * 150)
    assert "every quarter makes leaving 20 h dearer (10 to 60 h; as the scenario says)" in stay(decision).text
    assert all(view.money.dearer_exit is None for view in decision.options if view.option is not Verdict.NVIDIA)
    later = decided("stencil", replace(scenario, discount_rate=0.1))
    assert stay(later).money.dearer_exit.likely < stay(decision).money.dearer_exit.likely


def test_it_stands_in_no_total_and_moves_no_verdict(decided):
    plain, growing = decided("stencil", PRICED), decided("stencil", replace(PRICED, debt_growth_quarter=GIVEN))
    assert stay(growing).money == replace(stay(plain).money, dearer_exit=stay(growing).money.dearer_exit)
    assert growing.verdict == plain.verdict
    assert growing.chance_cheapest == plain.chance_cheapest


def test_what_is_not_known_is_said(decided):
    decision = decided("stencil", PRICED)
    assert decision.growth is None
    assert stay(decision).money.dearer_exit is None
    assert "how fast it grows is not known" in stay(decision).text
    assert any("How fast the debt grows is not known" in item.text for item in decision.assumptions)


def test_planned_hours_are_met_half_way(estimated, policy):
    deal = money.terms(replace(PRICED, gpu_hours_month_planned=93_440.0), policy.settings)
    assert deal.gpu_hours_month == pytest.approx(70_080)
