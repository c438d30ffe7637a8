"""Flip points: each one flips when it is set, none flips before, and they come in order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from estimator.decision.policy import judge
from estimator.decision.sensitivity import _rounded, _with_unit, flip_points
from estimator.decision.values import Scenario, Verdict

PRICED = Scenario(gpu_hours_month=46_720.0, price_now=2.95, price_offered=1.99, rate=150.0, horizon_months=24.0)


def flips(decision):
    return {flip.input: flip for flip in decision.flip_points}


def number(text):
    return float(text.split()[0].replace(",", ""))


@pytest.mark.parametrize("name", ["attention", "stencil", "serving", "vision", "trainer"])
def test_each_number_flips_when_it_is_set_and_not_just_before(decided, name):
    decision = decided(name, replace(PRICED, gpu_hours_month=3_000.0))
    for field in ("price_offered", "price_now", "gpu_hours_month", "rate", "horizon_months"):
        if (flip := flips(decision).get(field)) is None:
            continue
        scenario = replace(PRICED, gpu_hours_month=3_000.0)
        now, at = getattr(scenario, field), number(flip.flips_at)
        assert decided(name, replace(scenario, **{field: at})).verdict == flip.to
        before = now + 0.94 * (at - now)
        assert decided(name, replace(scenario, **{field: before})).verdict == decision.verdict


def test_the_offered_price_flips_at_the_break_even_price(decided):
    decision = decided("stencil", PRICED)
    assert number(flips(decision)["price_offered"].flips_at) == pytest.approx(decision.break_even_price, rel=0.01)
    assert flips(decision)["price_offered"].to == Verdict.NVIDIA


def test_an_assumed_speed_is_said_to_be_assumed(decided):
    flip = flips(decided("stencil", PRICED))["speed_factor"]
    assert flip.now == "1, assumed"
    assert number(flip.flips_at) < 1
    assert "the verdict would be NVIDIA" in flip.text


def test_an_answer_not_given_counts_too(decided):
    flip = flips(decided("serving"))["newest_kernels_first"]
    assert (flip.now, flip.flips_at, flip.to) == ("not given", "yes", Verdict.NVIDIA)
    assert decided("serving", Scenario(newest_kernels_first=True)).verdict == Verdict.NVIDIA


def test_new_kernels_flip_a_code_that_fits_triton(decided):
    flip = flips(decided("vision", triton_kernels=0))["new_kernels_month"]
    assert (flip.flips_at, flip.to) == ("1", Verdict.TRITON_FIRST)


@pytest.mark.parametrize(
    ("name", "scenario", "field", "to"),
    [
        ("stencil", Scenario(workload="hpc", infrastructure_people=2.0), "infrastructure_people", Verdict.NVIDIA),
        ("vision", Scenario(new_kernels_month=2.0, infrastructure_people=1.0), "new_kernels_month", Verdict.AMD),
        ("serving", PRICED, "price_offered", Verdict.NVIDIA),
    ],
)
def test_the_input_that_a_reader_would_name_is_among_them(decided, name, scenario, field, to):
    flip = flips(decided(name, scenario))[field]
    assert flip.to == to
    assert decided(name, replace(scenario, **{field: number(flip.flips_at)})).verdict == to


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        (1.0, "engineers", "1 engineer"),
        (2.0, "engineers", "2 engineers"),
        (0.5, "months", "0.5 months"),
        (1.0, "h", "1 h"),
        (1.0, "Rs", "1 Rs"),
        (1.0, "", "1"),
    ],
)
def test_one_is_no_plural(value, unit, told):
    assert _with_unit(value, unit) == told


def test_an_input_of_the_policy_is_one_thing(policy):
    """Sentences say that it is, rose to or were something."""
    assert {line.input.split()[0] for line in policy.lines if line.input} == {"share", "density"}


def test_a_second_supplier_flips_from_an_amount_on(decided):
    decision = decided("vision")
    flip = flips(decision)["second_source_value"]
    value = number(flip.flips_at)
    assert decided("vision", Scenario(second_source_value=value)).verdict == flip.to == Verdict.AMD
    assert decided("vision", Scenario(second_source_value=0.94 * value)).verdict == decision.verdict
    assert "or more" in flip.text


def test_work_left_out_flips_what_rests_on_it(decided):
    assert flips(decided("attention"))["tensor-core-code"].to == Verdict.AMD
    assert flips(decided("trainer"))["direct-libraries"].to == Verdict.AMD


def test_a_share_of_the_code_flips_at_its_threshold(decided):
    flip = flips(decided("vision"))["triton-in-use"]
    assert (flip.now, flip.flips_at, flip.to) == ("21 %", "below 10 %", Verdict.AMD)
    assert decided("vision", triton_kernels=1).verdict == Verdict.AMD


def test_hours_flip_as_a_multiple_of_the_estimate(decided, case_of):
    scenario = replace(PRICED, gpu_hours_month=3_000.0)
    decision = decided("stencil", scenario)
    flip = flips(decision)["amd_hours"]
    factor = float(flip.flips_at.split(",")[-1].split()[0])
    this = case_of("stencil", scenario)
    assert judge(this).verdict == Verdict.AMD
    assert judge(this.with_hours(Verdict.AMD, factor)).verdict == flip.to
    assert judge(this.with_hours(Verdict.AMD, (1 + 0.94 * (factor - 1)))).verdict == Verdict.AMD


UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)  # a decision takes long to shrink
_TOWARDS_AMD = {Verdict.NVIDIA: 0, Verdict.TRITON_FIRST: 1, Verdict.AMD: 2}
_amounts = st.floats(0.2, 12.0)
_scenarios = st.builds(
    Scenario,
    gpu_hours_month=st.none() | st.floats(300, 1e5),
    price_now=st.none() | _amounts,
    price_offered=st.none() | _amounts,
    rate=st.none() | st.floats(20, 500),
    new_kernels_month=st.none() | st.floats(0, 3),
    second_source_value=st.none() | st.floats(0, 1e6),
    gpus_planned=st.none() | st.floats(1, 512),
    team=st.none() | st.integers(1, 9),
)


@settings(max_examples=40, deadline=None, phases=UNSHRUNK)
@given(st.sampled_from(["attention", "stencil", "serving", "vision", "trainer"]), _scenarios, st.integers(0, 4))
def test_no_flip_is_perverse(decided, name, scenario, triton_kernels):
    """Cheaper never drives away, dearer never attracts: hours of an option, prices and speed."""
    decision = decided(name, scenario, draws=200, triton_kernels=triton_kernels)
    for flip in decision.flip_points:
        rises, now = " rose to " in flip.text, decision.verdict
        if not rises and " fell to " not in flip.text:
            continue
        match flip.input:
            case "amd_hours" | "triton-first_hours":
                assert flip.input.removesuffix("_hours") == (now if rises else flip.to), flip.text
            case "price_offered":
                assert (_TOWARDS_AMD[flip.to] > _TOWARDS_AMD[now]) != rises, flip.text
            case "price_now" | "speed_factor":
                assert (_TOWARDS_AMD[flip.to] > _TOWARDS_AMD[now]) == rises, flip.text
            case "rate":
                assert (now if rises else flip.to) != Verdict.NVIDIA, flip.text
            case "second_source_value":
                assert (flip.to if rises else now) != Verdict.NVIDIA, flip.text


def test_numbers_come_first_and_the_smallest_change_leads(decided):
    decision = decided("stencil", PRICED)
    ratios = [
        abs(number(flip.flips_at) / number(flip.now.replace(",", " ")) - 1)
        for flip in decision.flip_points
        if flip.input in ("price_offered", "price_now")
    ]
    assert len(ratios) == 2
    assert decision.flip_points[-1].input == "newest_kernels_first"


def test_what_never_flips_is_not_named(decided):
    assert "team" not in flips(decided("stencil", PRICED))
    assert flips(decided("portable")) == {}


def test_flip_points_do_not_depend_on_when_they_are_asked(case_of):
    this = case_of("vision", PRICED)
    assert flip_points(this, judge(this)) == flip_points(this, judge(this))


@pytest.mark.parametrize(
    ("value", "up", "rounded"),
    [
        (2.3461, True, 2.35),
        (2.3461, False, 2.34),
        (45_612.3, True, 45_700),
        (0.81234, False, 0.812),
        (2.35, True, 2.35),
    ],
)
def test_rounding_goes_to_the_far_side(value, up, rounded):
    assert _rounded(value, 3, up=up) == pytest.approx(rounded)
