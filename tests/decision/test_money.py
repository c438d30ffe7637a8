"""Money by hand: annuities, break-even, chances and gaps, against sums anyone can redo."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.decision import money
from estimator.decision.values import Range, Scenario, Verdict

PLAIN = Scenario(
    gpu_hours_month=1000.0,
    price_now=3.0,
    price_offered=2.0,
    rate=100.0,
    speed_factor=Range(1.0, 1.0, 1.0),
    horizon_months=36.0,
    discount_rate=0.0,
)


@pytest.fixture
def books(estimated):
    return money.ledger(estimated("stencil"))


@pytest.fixture
def terms(policy):
    return lambda scenario: money.terms(scenario, policy.settings)


def test_every_line_is_the_sum_it_says(estimated, books, terms):
    option = estimated("stencil").options["amd"]
    bill = money.costs(books, terms(PLAIN))
    amd = bill[Verdict.AMD]
    assert amd.port.mean() == pytest.approx(option.hours.mean * 100)
    assert amd.running.mean() == pytest.approx(1000 * 2 * 36)
    assert amd.upkeep.mean() == pytest.approx(option.upkeep.mean * 100 * 3)
    assert bill[Verdict.NVIDIA].total == pytest.approx(1000 * 3 * 36)
    assert bill[Verdict.TRITON_FIRST].running.mean() == pytest.approx(1000 * 2 * 36)


def test_triton_first_runs_on_the_cheaper_vendor(books, terms):
    bill = money.costs(books, terms(replace(PLAIN, price_offered=9.0)))
    assert bill[Verdict.TRITON_FIRST].running.mean() == pytest.approx(1000 * 3 * 36)


def test_a_second_source_is_worth_money_to_those_who_move(books, terms):
    worth = terms(replace(PLAIN, second_source_value=12_000.0))
    bill, plain = money.costs(books, worth), money.costs(books, terms(PLAIN))
    for option, gain in ((Verdict.AMD, 36_000), (Verdict.TRITON_FIRST, 36_000), (Verdict.NVIDIA, 0)):
        assert (plain[option].total - bill[option].total).mean() == pytest.approx(gain)


def test_break_even_month_is_port_over_monthly_saving(estimated, books, terms):
    option = estimated("stencil").options["amd"]
    port = option.hours.p50 * 100
    upkeep = port * option.upkeep.mean / option.hours.mean / 12
    month = money.break_even_month(option, Verdict.AMD, books, terms(PLAIN))
    assert month == pytest.approx(port / (1000 * 1.0 - upkeep))
    assert money.break_even_month(option, Verdict.AMD, books, terms(replace(PLAIN, price_offered=2.99))) is None


def test_the_months_of_the_port_come_before_what_is_saved(estimated, books, terms, policy):
    option = estimated("stencil").options["amd"]
    alone = money.break_even_month(option, Verdict.AMD, books, terms(PLAIN))
    assert money.break_even_month(option, Verdict.AMD, books, terms(PLAIN), 4.0) == pytest.approx(4 + alone)
    dear = terms(replace(PLAIN, discount_rate=0.1))
    at_once, later = (money.break_even_month(option, Verdict.AMD, books, dear, months) for months in (0.0, 4.0))
    assert later > at_once + 4, "what is paid at the start costs interest until savings begin"
    months = money.port_months(option, Scenario(team=2), policy.settings)
    assert months == pytest.approx(option.hours.p50 / (2 * 137.5))
    assert money.port_months(option, Scenario(team=4), policy.settings) == pytest.approx(months / 2)


def test_means_of_a_line_add_up(books, terms):
    for cost in money.costs(books, terms(replace(PLAIN, second_source_value=5e3))).values():
        line = money.money_line(cost)
        assert line.port + line.running + line.upkeep - line.second_source == pytest.approx(line.total)
        assert line.total_p10 <= line.total_p50 <= line.total_p80 <= line.total_p90


@pytest.mark.parametrize("option", [Verdict.AMD, Verdict.TRITON_FIRST])
def test_at_the_break_even_price_moving_costs_as_much_as_staying(books, terms, option):
    deal = terms(replace(PLAIN, speed_factor=Range(0.7, 0.9, 1.2), discount_rate=0.08, gpu_hours_month=9000.0))
    price = money.break_even_price(option, books, deal)
    means = money.expected(books, replace(deal, price_offered=price))
    assert means[option] == pytest.approx(means[Verdict.NVIDIA], rel=1e-6)


def test_no_price_pays_for_a_port_that_costs_more_than_all_running(books, terms):
    deal = terms(replace(PLAIN, gpu_hours_month=10.0))
    assert money.break_even_price(Verdict.AMD, books, deal) is None
    assert money.break_even_price(Verdict.TRITON_FIRST, books, deal) is None


def test_expected_is_the_mean_of_the_draws(books, terms):
    deal = terms(replace(PLAIN, speed_factor=Range(0.5, 0.8, 1.5), discount_rate=0.1, second_source_value=5e3))
    means = money.expected(books, deal)
    for option, cost in money.costs(books, deal).items():
        assert means[option] == pytest.approx(float(cost.total.mean()), rel=1e-9)


def test_chances_add_up_and_leave_out_what_is_no_option(books, terms):
    bill = money.costs(books, terms(replace(PLAIN, speed_factor=Range(0.5, 0.8, 1.5))))
    assert sum(money.chances(bill).values()) == pytest.approx(1)
    assert set(money.chances(bill, (Verdict.NVIDIA, Verdict.AMD))) == {Verdict.NVIDIA, Verdict.AMD}


def test_defaults_of_the_policy_stand_in_for_what_is_missing(policy, terms):
    deal = terms(Scenario(gpu_hours_month=1.0, price_now=1.0, price_offered=1.0, rate=1.0))
    assert (deal.months, deal.discount_rate) == (36, 0.08)
    assert deal.speed == Range(0.625, 1.0, 1.25)
    assert terms(Scenario(gpu_hours_month=1.0, price_now=1.0, price_offered=1.0)) is None


def test_gaps_halve_when_the_fleet_doubles(estimated, policy):
    option = estimated("stencil").options["amd"]
    points = {point.gpus: point for point in money.gaps(option, Scenario(), policy.settings)}
    assert tuple(points) == money.FLEETS
    assert points[16].gap_p50 == pytest.approx(2 * points[32].gap_p50)
    given = replace(PLAIN, gpus_now=2.0)
    by_hand = 100 * (option.hours.p80 + 3 * option.upkeep.p80) / (8 * 500 * 36)
    assert money.gaps(option, given, policy.settings)[1].gap_p80 == pytest.approx(by_hand)


@pytest.mark.parametrize("speed", [Range(0.7, 0.9, 1.0), Range(1.2, 1.3, 1.5)])
def test_slower_cards_need_a_larger_gap(estimated, policy, books, terms, speed):
    option = estimated("stencil").options["amd"]
    equal = money.gaps(option, PLAIN, policy.settings, books)
    own = money.gaps(option, replace(PLAIN, speed_factor=speed), policy.settings, books)
    assert all((a.gap_p50 < b.gap_p50) == (speed.likely < 1) for a, b in zip(equal, own, strict=True))
    slowness = float((1 / money.speed_draws(speed, books.time_draws.luck)).mean())
    assert own[3].gap_p50 == pytest.approx(3 - (3 - equal[3].gap_p50) / slowness)
    untold = replace(PLAIN, speed_factor=speed, price_now=None)
    assert money.gaps(option, untold, policy.settings, books)[3].gap_p50 == pytest.approx(equal[3].gap_p50)


def test_no_gaps_in_another_currency_without_a_rate(estimated, policy):
    option = estimated("stencil").options["amd"]
    assert money.gaps(option, Scenario(currency="EUR"), policy.settings) == ()
    assert money.gaps(option, Scenario(currency="EUR", rate=90.0), policy.settings)


@given(st.floats(1, 240), st.floats(0, 1))
def test_months_to_earn_undoes_the_annuity(months, rate):
    worth = money.annuity(months, rate)
    assert 0 < worth <= months * (1 + 1e-9)
    assert money.months_to_earn(worth, 1.0, rate) == pytest.approx(months, rel=1e-6)


def test_what_never_earns_its_cost_has_no_month():
    assert money.months_to_earn(1e9, 1.0, 0.08) is None
    assert money.months_to_earn(10, 0, 0) is None
    assert money.months_to_earn(0, 0, 0) == 0


@given(st.floats(0.1, 2), st.floats(0, 2), st.floats(0, 2))
def test_speed_draws_stay_in_their_range(low, up, further):
    speed = Range(low, low + up, low + up + further)
    draws = money.speed_draws(speed, np.linspace(0, 0.999, 200))
    assert speed.low * (1 - 1e-9) <= draws.min()
    assert draws.max() <= speed.high * (1 + 1e-9)
    assert (np.diff(draws) >= -1e-9).all()
