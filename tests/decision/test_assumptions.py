"""What figures take for granted is said: dates, defaults, targets, memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from estimator.decision.discreet import without_prices
from estimator.decision.policy import judge
from estimator.decision.values import Range, Scenario, Target, Verdict
from estimator.decision.verdict import decide
from estimator.effort.values import StrategyPrice
from estimator.quantities import Hours, Triple

PRICED = Scenario(gpu_hours_month=46_720.0, price_now=2.95, price_offered=1.99, rate=150.0)
MI300X = Target("10.0", "gfx942", 256.0)


@pytest.fixture
def said(estimated, found, policy):
    """Assumptions of a decision, by field."""

    def run(scenario, target=MI300X):
        decision = decide(estimated("stencil"), found("stencil"), "good", scenario, policy, target)
        return {item.about: item.text for item in decision.assumptions}

    return run


@pytest.mark.parametrize(
    ("note", "dated"),
    [(None, False), ("an offer", False), ("offer 12 of 2026", False), ("2026-11", True), ("quote of 2026-11-12", True)],
)
def test_a_price_without_a_date_is_told_once(said, note, dated):
    notes = {"price_now": "index of 2026-05-20", **({"price_offered": note} if note else {})}
    texts = said(replace(PRICED, notes=notes))
    assert ("price_offered" in texts) != dated
    assert "price_now" not in texts
    if not dated:
        assert texts["price_offered"].startswith("price_offered has no date")


def test_defaults_that_stand_in_for_money_are_named(said):
    texts = said(PRICED)
    assert "0.625 to 1.25 times" in texts["speed_factor"]
    assert "36 months" in texts["horizon_months"]
    assert "0.08 a year" in texts["discount_rate"]
    given = replace(PRICED, speed_factor=Range(1, 1, 1), horizon_months=12.0, discount_rate=0.1)
    assert not {"speed_factor", "horizon_months", "discount_rate"} & set(said(given))
    assert "speed_factor" not in said(Scenario()), "without prices nothing rests on it"


def test_the_option_goes_before_the_scenario_and_that_is_said(said):
    texts = said(Scenario(gfx="gfx950", rocm="10.0"))
    assert texts["gfx"] == "The scenario names gfx gfx950, the command gfx942: the command's was taken."
    assert "rocm" not in texts
    assert "gfx" not in said(Scenario(gfx="gfx942"))


def test_a_copy_for_others_tells_nothing_of_prices(estimated, found, policy):
    scenario = replace(PRICED, gpu_hours_month_planned=5e4)
    decision = decide(estimated("stencil"), found("stencil"), "good", scenario, policy, MI300X)
    told = without_prices(decision, scenario, policy, "good").assumptions
    assert [item.about for item in told] == [""]


def kept(why="", chosen="the cheapest that fits"):
    """An estimate's way to keep the source."""
    hours, share = Hours(0, 2, 8), Triple(0.1, 0.2, 0.3)
    about = ("layer", "A layer", "one source", not why, why)
    return StrategyPrice(*about, hours, "2 h", share, False, 9.0, 29.0, 3.0, True, True, chosen, "C", "")


@pytest.mark.parametrize(
    ("price", "asked", "text"),
    [
        (kept(), None, "strategy is not given: the source is kept by “A layer”, the cheapest that fits."),
        (kept("too many files"), "layer", "The source is kept by “A layer”, which does not fit: too many files."),
        (kept("too many files"), None, "The source is kept by “A layer”, which does not fit: too many files."),
        (kept(), "layer", None),
    ],
)
def test_how_the_source_is_kept_is_said_where_nobody_asked_or_it_does_not_fit(
    estimated, found, policy, price, asked, text
):
    estimate = replace(estimated("stencil"), strategies=(price,))
    told = decide(estimate, found("stencil"), "good", Scenario(strategy=asked), policy, MI300X).assumptions
    assert [item.text for item in told if item.about == "strategy"] == ([text] if text else [])


# --- memory ---


@pytest.fixture
def memory(case_of):
    """Which memory criteria speak."""

    def run(target_gib, **answers):
        this = replace(case_of("stencil", Scenario(**answers)), target=Target("10.0", "gfx942", target_gib))
        return {item.line.id for item in judge(this).spoken if item.line.id.startswith("memory")}

    return run


@pytest.mark.parametrize(
    ("target", "need", "now", "speaks"),
    [
        (256.0, 140.0, 80.0, {"memory-decides"}),
        (256.0, 60.0, 80.0, set()),
        (256.0, 80.0, 80.0, set()),
        (32.0, 60.0, 80.0, {"memory-short"}),
        (32.0, 60.0, None, {"memory-short"}),
        (64.0, 140.0, 80.0, set()),
        (None, 140.0, 80.0, {"memory-decides"}),
        (256.0, None, 80.0, set()),
    ],
)
def test_need_is_compared_with_both_cards(memory, target, need, now, speaks):
    assert memory(target, memory_need_gib=need, memory_now_gib=now) == speaks


def test_an_answer_alone_is_enough(memory):
    assert memory(256.0, memory_decides=True) == {"memory-decides"}
    assert memory(100.0, memory_decides=True, memory_need_gib=140.0) == set()


def test_memory_can_flip_a_verdict(decided):
    kernels = Scenario(infrastructure_people=1.0, memory_need_gib=100.0, memory_now_gib=80.0)
    decision = decided("vision", kernels)
    assert "memory-decides" in {reason.policy for reason in decision.reasons if reason.favours is Verdict.AMD}
