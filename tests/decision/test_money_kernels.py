"""Own kernels in the money: Amdahl's law by hand, and what a share and a speed can and can't do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.decision import decide, money
from estimator.decision.policy import judge
from estimator.decision.values import Range, Scenario, Verdict
from estimator.effort.values import KernelSpeed
from estimator.quantities import Triple

GIVEN = Range(0.7, 0.9, 1.2)
PLAIN = Scenario(gpu_hours_month=9000.0, price_now=3.0, price_offered=2.0, rate=100.0, own_kernel_share=0.4)
EQUAL = Triple(1.0, 1.0, 1.0)
MOVERS = (Verdict.AMD, Verdict.TRITON_FIRST)


def kernels(new: Triple, present: Triple = EQUAL) -> KernelSpeed:
    return KernelSpeed(8, 8, 8, 2, new, present, new, "measured by hand")


def fixed(value: float) -> Triple:
    return Triple(value, value, value)


SLOW = {
    "amd": kernels(Triple(0.7, 0.9, 1.0)),
    "triton-first": kernels(Triple(0.5, 0.8, 1.1), Triple(0.6, 0.85, 1.1)),
}


@pytest.fixture(scope="module")
def books(estimated):
    return lambda speeds: money.ledger(replace(estimated("vision"), speeds=speeds))


@pytest.fixture(scope="module")
def terms(policy):
    return lambda scenario: money.terms(scenario, policy.settings)


def means(books, deal):
    return {option: float(cost.running.mean()) for option, cost in money.costs(books, deal).items()}


def same(one, other):
    return all(np.array_equal(one[option].total, other[option].total) for option in money.OPTIONS)


def test_the_time_of_the_work_follows_amdahl(books, terms):
    deal = terms(replace(PLAIN, discount_rate=0.0, horizon_months=10.0))
    deal = replace(deal, speed=Range(0.5, 0.5, 0.5))
    speeds = {"amd": kernels(fixed(0.8)), "triton-first": kernels(fixed(0.5), fixed(0.4))}
    running = means(books(speeds), deal)
    assert running[Verdict.NVIDIA] == pytest.approx(90_000 * 3)
    assert running[Verdict.AMD] == pytest.approx(90_000 * 2 * (0.6 + 0.4 / 0.8) / 0.5)
    on_present, on_new = 3 * (0.6 + 0.4 / 0.4), 2 * (0.6 + 0.4 / 0.5) / 0.5
    assert running[Verdict.TRITON_FIRST] == pytest.approx(90_000 * min(on_present, on_new))


def test_a_speed_that_was_measured_holds_what_amd_loses(books, terms):
    speeds = {"amd": kernels(fixed(0.8)), "triton-first": kernels(fixed(0.5), fixed(0.4))}
    deal = terms(replace(PLAIN, speed_factor=Range(1.0, 1.0, 1.0)))
    prices = money.prices_paid(books(speeds), deal)
    assert prices[Verdict.AMD] == pytest.approx(2.0)
    assert prices[Verdict.TRITON_FIRST] == pytest.approx(2 * (0.6 + 0.4 / 0.5) / (0.6 + 0.4 / 0.8))


@pytest.mark.parametrize("speed", [None, GIVEN])
def test_no_share_changes_nothing(books, terms, speed):
    none = terms(replace(PLAIN, own_kernel_share=0.0, speed_factor=speed))
    assert same(money.costs(books(SLOW), none), money.costs(books({}), none))


@pytest.mark.parametrize("speed", [None, GIVEN])
def test_kernels_as_fast_as_before_change_nothing(books, terms, speed):
    as_fast = {"amd": kernels(EQUAL), "triton-first": kernels(EQUAL)}
    some, none = (terms(replace(PLAIN, own_kernel_share=share, speed_factor=speed)) for share in (0.5, 0.0))
    for option in money.OPTIONS:
        assert means(books(as_fast), some)[option] == pytest.approx(means(books({}), none)[option])


_speeds = st.tuples(st.floats(0.05, 3), st.floats(0, 1), st.floats(0, 1)).map(
    lambda one: Triple(one[0], one[0] + one[1], one[0] + one[1] + one[2])
)
_shares = st.floats(0, 1)


@settings(max_examples=60)
@given(_speeds, st.floats(0.1, 1), _shares, st.booleans())
def test_slower_kernels_are_never_cheaper(books, terms, factor, less, share, measured):
    slower = Triple(factor.low * less, factor.likely * less, factor.high * less)
    deal = terms(replace(PLAIN, own_kernel_share=share, speed_factor=GIVEN if measured else None))
    amd = kernels(EQUAL)
    fast, slow = (books({"amd": amd, "triton-first": kernels(f, f)}) for f in (factor, slower))
    for option in MOVERS:
        before, after = (money.costs(one, deal)[option].running for one in (fast, slow))
        assert (after >= before * (1 - 1e-12)).all()
    alone = replace(deal, speed_given=False)
    fast, slow = (books({"amd": kernels(f), "triton-first": amd}) for f in (factor, slower))
    assert means(slow, alone)[Verdict.AMD] >= means(fast, alone)[Verdict.AMD] * (1 - 1e-12)


@settings(max_examples=60)
@given(_speeds, _speeds, _speeds, _shares, st.booleans())
def test_expected_is_the_mean_of_costs(books, terms, amd, new, present, share, measured):
    made = books({"amd": kernels(amd), "triton-first": kernels(new, present)})
    deal = terms(replace(PLAIN, own_kernel_share=share, speed_factor=GIVEN if measured else None))
    found = money.expected(made, deal)
    for option, cost in money.costs(made, deal).items():
        assert found[option] == pytest.approx(float(cost.total.mean()), rel=1e-9)


@pytest.mark.parametrize("speed", [None, GIVEN])
@pytest.mark.parametrize("option", MOVERS)
def test_at_the_break_even_price_moving_costs_as_much_as_staying(books, terms, option, speed):
    made, deal = books(SLOW), terms(replace(PLAIN, speed_factor=speed))
    price = money.break_even_price(option, made, deal)
    found = money.expected(made, replace(deal, price_offered=price))
    assert found[option] == pytest.approx(found[Verdict.NVIDIA], rel=1e-6)


def test_where_triton_pays_on_the_present_cards_no_offer_is_too_dear(books, terms):
    faster = {"amd": kernels(EQUAL), "triton-first": kernels(fixed(2.0), fixed(2.0))}
    made, deal = books(faster), terms(replace(PLAIN, gpu_hours_month=1e6))
    assert money.break_even_price(Verdict.TRITON_FIRST, made, deal) is None
    dear = money.expected(made, replace(deal, price_offered=900.0))
    assert dear[Verdict.TRITON_FIRST] < dear[Verdict.NVIDIA]


def test_slower_kernels_earn_the_port_back_later(estimated, books, terms):
    option, deal = estimated("vision").options["amd"], terms(PLAIN)
    as_fast, slower = (money.break_even_month(option, Verdict.AMD, books(one), deal) for one in ({}, SLOW))
    assert as_fast < slower


def test_a_lower_price_is_one_for_the_same_work(case_of):
    this = case_of("vision", replace(PLAIN, rate=None))
    slower = replace(this, books=replace(this.books, speeds={**this.books.speeds, Verdict.AMD: kernels(fixed(0.5))}))

    def figure(one):
        asked = judge(one)
        return next(item.figure for item in (*asked.spoken, *asked.silent) if item.line.id == "lower-price")

    assert figure(this) == pytest.approx(1 - 2 / 3)
    assert figure(slower) == pytest.approx(1 - 2 / 3 * (0.6 + 0.4 / 0.5))


@pytest.fixture
def decision(estimated, found, policy):
    def run(scenario, speeds=SLOW):
        return decide(replace(estimated("vision"), speeds=speeds), found("vision"), "good", scenario, policy)

    return run


def test_the_share_flips_the_verdict_and_is_said_to_be_assumed(decision):
    slow = {**SLOW, "amd": kernels(fixed(0.4))}
    scenario = replace(PLAIN, own_kernel_share=None, gpu_hours_month=40_000.0)
    now = decision(scenario, slow)
    (flip,) = [flip for flip in now.flip_points if flip.input == "own_kernel_share"]
    assert flip.now == "50 %, assumed"
    at = float(flip.flips_at.split()[0]) / 100
    assert decision(replace(scenario, own_kernel_share=at), slow).verdict == flip.to != now.verdict
    before = at + 0.05 if at < 0.5 else at - 0.05
    assert decision(replace(scenario, own_kernel_share=before), slow).verdict == now.verdict


def test_a_share_of_kernels_that_are_not_there_flips_nothing(decision):
    assert all(flip.input != "own_kernel_share" for flip in decision(PLAIN, {}).flip_points)


def test_the_speed_that_flips_is_of_the_kind_that_was_tried(decision, policy, estimated, found):
    scenario = replace(PLAIN, gpu_hours_month=40_000.0)
    now = decision(scenario)
    (flip,) = [flip for flip in now.flip_points if flip.input == "speed_factor"]
    at = float(flip.flips_at)
    ends = {f"speed_{end}": policy.settings[f"speed_{end}"] * at for end in ("low", "likely", "high")}
    other = replace(policy, settings={**policy.settings, **ends})
    made = replace(estimated("vision"), speeds=SLOW)
    assert decide(made, found("vision"), "good", scenario, other).verdict == flip.to != now.verdict


def test_what_is_assumed_of_kernels_is_said_where_money_is_compared(decision):
    def said(scenario, speeds=SLOW):
        return " ".join(item.text for item in decision(scenario, speeds).assumptions)

    assumed = said(replace(PLAIN, own_kernel_share=None))
    assert "own kernels are taken to use 50 % of today's GPU time (a default of the policy)" in assumed
    assert "8 of 8 own kernels are of a class that was measured by hand." in assumed
    assert "own_kernel_share is not given" not in said(PLAIN)
    for silent in (said(PLAIN, {}), said(Scenario())):
        assert "measured by hand" not in silent


def test_a_share_of_kernels_that_are_not_there_is_said_to_be_of_no_use(decision):
    def said(scenario, speeds):
        return [item.text for item in decision(scenario, speeds).assumptions if item.about == "own_kernel_share"]

    for scenario in (PLAIN, Scenario(own_kernel_share=PLAIN.own_kernel_share)):
        (text,) = said(scenario, {})
        assert text.endswith(" and not used: there are no own kernels in C++ to port.")
        assert said(scenario, SLOW) == []
    assert said(Scenario(), {}) == []


def test_each_option_says_how_long_the_work_takes_at_likely_speeds(decision, policy):
    def times(scenario):
        return {view.option: view.work_time for view in decision(scenario).options}

    amd, triton = 0.6 + 0.4 / 0.9, 0.6 + 0.4 / 0.8
    given = times(replace(PLAIN, speed_factor=GIVEN))
    assert given == pytest.approx({Verdict.NVIDIA: 1.0, Verdict.AMD: 1 / 0.9, Verdict.TRITON_FIRST: triton / amd / 0.9})
    cards = policy.settings["speed_likely"]
    assert times(PLAIN) == pytest.approx(
        {Verdict.NVIDIA: 1.0, Verdict.AMD: amd / cards, Verdict.TRITON_FIRST: triton / cards}
    )
    assert set(times(Scenario()).values()) == {None}


def test_each_port_says_how_fast_its_kernels_run(decision):
    texts = {view.option: view.text for view in decision(PLAIN).options}
    assert "Own kernels then run at 0.90 (0.70 to 1.00) of today's speed" in texts[Verdict.AMD]
    assert "Own kernels then run at 0.80 (0.50 to 1.10) of today's speed" in texts[Verdict.TRITON_FIRST]
    assert "Own kernels" not in texts[Verdict.NVIDIA]
