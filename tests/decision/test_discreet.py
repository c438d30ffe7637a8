"""A decision for readers outside the house: it does not move with prices, and says no more than it may."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from estimator.decision.discreet import HIDDEN_FIELDS, rests_on_prices, without_money, without_prices
from estimator.decision.policy import CRITERIA, ON_PRICES, Evidence, case, criterion_id
from estimator.decision.values import Range, Scenario, Verdict

PRICED = Scenario(gpu_hours_month=46_720.0, price_now=2.95, price_offered=1.99, rate=150.0)
ALL_PRICES = replace(PRICED, speed_factor=Range(1.0, 1.0, 1.0), second_source_value=1_000.0, infrastructure_people=1.0)
TWO_PRICES = Scenario(gpus_now=64.0, price_now=2.0, price_offered=2.0)
NAMES = ("attention", "stencil", "serving", "vision", "trainer", "ported")
prices = st.floats(0.3, 9.0)
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)  # a decision takes long to shrink


def told(decided, policy, name, scenario, reliability="good"):
    decision = decided(name, scenario, reliability=reliability, draws=200)
    return decision.verdict, without_prices(decision, scenario, policy, reliability), without_money(scenario)


@pytest.fixture(scope="module")
def usual(decided, policy):
    """What is told with the usual prices, all of them or two alone."""
    return cache(
        lambda name, every, reliability="good": told(
            decided, policy, name, ALL_PRICES if every else TWO_PRICES, reliability
        )
    )


@settings(max_examples=60, deadline=None, phases=UNSHRUNK)
@given(
    st.sampled_from(NAMES),
    st.sampled_from(["good", "poor"]),
    st.builds(
        lambda now, offered, rate, hours, worth, speed: {
            "price_now": now,
            "price_offered": offered,
            "rate": rate,
            "gpu_hours_month": hours,
            "second_source_value": worth,
            "speed_factor": Range(speed, speed, speed),
        },
        prices,
        prices,
        st.floats(20, 500),
        st.floats(500, 1e6),
        st.floats(1, 1e6),
        st.floats(0.3, 3),
    ),
)
def test_other_prices_with_the_same_verdict_change_nothing(usual, decided, verdict, policy, name, reliability, changed):
    one, first, scenario = usual(name, True, reliability)
    others = replace(ALL_PRICES, **changed)
    assert without_money(others) == scenario
    if verdict(name, others, draws=200) == one:
        assert told(decided, policy, name, others, reliability) == (one, first, scenario)


@settings(max_examples=30, deadline=None, phases=UNSHRUNK)
@given(st.sampled_from(NAMES), prices, prices)
def test_two_prices_alone_leave_no_trace_either(usual, decided, policy, name, now, offered):
    one, first, _ = usual(name, False)
    other, second, _ = told(decided, policy, name, replace(TWO_PRICES, price_now=now, price_offered=offered))
    assert one != other or first == second


@pytest.mark.parametrize("name", NAMES)
def test_points_are_those_of_the_reasons_shown(decided, policy, name):
    _, decision, _ = told(decided, policy, name, PRICED)
    for view in decision.options:
        assert view.points == sum(r.points for r in decision.reasons if r.favours == view.option)
    assert decision.options[0].option == decision.verdict
    assert decision.options[1].option == decision.runner_up
    assert decision.margin == decision.options[0].points - decision.options[1].points


def test_what_rests_on_prices_is_known_by_trying(decided, policy, estimated, found):
    """Every criterion whose figure moves with a hidden field is on the list, and no other one."""
    changed = {
        "price_now": 1.0,
        "price_offered": 5.0,
        "rate": 15.0,
        "second_source_value": 9e5,
        "speed_factor": Range(0.1, 0.2, 0.3),
        "horizon_months": 3.0,
        "gpu_hours_month": 10.0,
        "gpu_hours_month_planned": 20.0,
        "discount_rate": 0.9,
        "own_kernel_share": 0.9,
    }
    assert set(changed) == set(HIDDEN_FIELDS)
    scenario = replace(PRICED, second_source_value=1000.0)
    structure = case(estimated("vision"), found("vision"), scenario, policy).structure
    moved = set()
    for criterion in CRITERIA:
        line = next(line for line in policy.lines if line.id == criterion_id(criterion))
        asked = [
            criterion(Evidence(structure, each, policy.settings, dict.fromkeys(Verdict, 1.0), hedge=chance), line)
            for each, chance in ((scenario, 0.2), (replace(scenario, **changed), None))
        ]
        if asked[0] != asked[1]:
            moved.add(line.id)
    assert moved | {f"cheapest-{option}" for option in Verdict} == ON_PRICES


def test_flip_points_of_structure_stay_where_no_price_was_given(decided, policy):
    decision = decided("vision")
    bare = without_prices(decision, Scenario(), policy, "good")
    assert not rests_on_prices(Scenario())
    kept = {flip.input for flip in bare.flip_points}
    assert "triton-in-use" in kept
    assert kept == {flip.input for flip in decision.flip_points} - {"second_source_value"}
    assert (bare.confidence, bare.margin, bare.pilot_first) == (
        decision.confidence,
        decision.margin,
        decision.pilot_first,
    )


def test_confidence_is_said_in_a_sentence(decided, policy):
    _, decision, _ = told(decided, policy, "serving", PRICED)
    assert decision.confidence_reason == (
        "The verdict rests on prices that this copy leaves out; the scenario answers 15 % of its questions."
    )


WORDS = ("low", "medium", "high")
RELIABILITIES = ("good", "fair", "poor")


def no_surer(decided, policy, name, reliability, scenario):
    whole = decided(name, scenario, reliability=reliability, draws=200)
    copy = without_prices(whole, scenario, policy, reliability)
    return WORDS.index(copy.confidence) <= WORDS.index(whole.confidence)


@pytest.mark.parametrize("reliability", RELIABILITIES)
@pytest.mark.parametrize("name", NAMES)
def test_no_copy_looks_surer_where_nothing_was_hidden(decided, policy, name, reliability):
    assert no_surer(decided, policy, name, reliability, Scenario())


@settings(max_examples=60, deadline=None, phases=UNSHRUNK)
@given(
    st.sampled_from(NAMES),
    st.sampled_from(RELIABILITIES),
    st.builds(
        partial(replace, PRICED),
        price_now=prices,
        price_offered=prices,
        rate=st.sampled_from([PRICED.rate, None]),
        newest_kernels_first=st.booleans(),
    ),
)
def test_no_copy_looks_surer_than_the_whole(decided, policy, name, reliability, scenario):
    assert no_surer(decided, policy, name, reliability, scenario)


def test_a_hedge_is_not_told(decided, policy):
    scenario = replace(PRICED, price_offered=2.75, speed_factor=Range(0.6, 1.0, 1.3))
    whole = decided("vision", scenario)
    assert any(reason.policy == "triton-as-hedge" for reason in whole.reasons)
    copy = without_prices(whole, scenario, policy, "good")
    assert "of the draws" not in repr(copy)
    assert (copy.port_months, copy.basis) == (None, "prices")


def test_the_loss_of_a_free_move_is_not_told(decided, policy):
    scenario = replace(PRICED, price_offered=4.0)
    assert decided("ported", scenario).conditions
    assert told(decided, policy, "ported", scenario)[1].conditions == ()
