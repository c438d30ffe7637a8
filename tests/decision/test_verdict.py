"""Six kinds of code base and the verdict a knowing reader gives; then prices, pilots, vetoes and confidence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.decision import decide
from estimator.decision.values import Range, Scenario, Verdict
from estimator.errors import EstimatorError

PRICED = Scenario(gpu_hours_month=46_720.0, price_now=2.95, price_offered=1.99, rate=150.0)
SMALL_FLEET = replace(PRICED, gpu_hours_month=730.0)
NAMES = ("attention", "stencil", "serving", "vision", "trainer", "ported")


def policies(decision):
    return {reason.policy for reason in decision.reasons}


# --- by structure ---


@pytest.mark.parametrize(
    ("name", "scenario", "verdict", "because"),
    [
        ("attention", Scenario(), Verdict.NVIDIA, {"tensor-core-code", "hand-tuned-places"}),
        ("stencil", Scenario(), Verdict.AMD, {"hipify-route", "hpc-workload", "tuning-reserve"}),
        ("serving", Scenario(), Verdict.AMD, {"above-framework"}),
        ("serving", Scenario(workload="standard-inference"), Verdict.AMD, {"above-framework", "standard-inference"}),
        ("vision", Scenario(new_kernels_month=3.0), Verdict.TRITON_FIRST, {"new-kernels", "triton-in-use"}),
        ("trainer", Scenario(), Verdict.NVIDIA, {"direct-libraries", "unmapped-calls"}),
        ("ported", Scenario(), Verdict.AMD, {"nothing-to-port"}),
        ("portable", Scenario(), Verdict.AMD, {"nothing-to-port"}),
    ],
)
def test_the_verdict_rests_on_the_evidence(decided, name, scenario, verdict, because):
    decision = decided(name, scenario)
    assert decision.verdict == verdict
    assert because <= policies(decision)
    assert not decision.pilot_first
    assert decision.chance_cheapest is decision.break_even_month is decision.break_even_price is None


def test_at_most_two_of_six_want_a_pilot(decided):
    assert sum(decided(name).pilot_first for name in NAMES) <= 2


def test_without_new_kernels_or_triton_the_same_kernels_go_by_hip(decided):
    decision = decided("vision", triton_kernels=0)
    assert decision.verdict == Verdict.AMD
    assert decision.pilot_first, "two criteria for Triton against three for HIP are no clear lead"


def test_hpc_code_goes_to_amd_with_a_reserve_for_tuning(decided):
    decision = decided("stencil")
    assert any("reserve for tuning" in reason.text for reason in decision.reasons)
    (reserve,) = [text for text in decision.conditions if "reserve for tuning" in text]
    assert "29 h of re-tuning" in reserve
    assert "P80 - P50" in reserve


def test_nothing_to_port_costs_nothing_whatever_else_is_said(decided):
    decision = decided("ported", Scenario(newest_kernels_first=True), reliability="fair")
    assert decision.verdict == Verdict.AMD
    assert [reason.policy for reason in decision.reasons] == ["nothing-to-port"]
    assert "No cost to move" in decision.reasons[0].text
    assert not decision.pilot_first
    assert decision.gaps == ()


def test_an_unpriced_binary_is_not_nothing(decided):
    decision = decided("ported", unpriced=(("ptx-module", 2),))
    assert decision.verdict == Verdict.NVIDIA
    assert "binary-without-source" in policies(decision)


def test_needing_newest_kernels_forbid_a_move(decided):
    for scenario in (Scenario(newest_kernels_first=True), replace(PRICED, newest_kernels_first=True)):
        decision = decided("serving", scenario)
        assert decision.verdict == Verdict.NVIDIA
        assert decision.reasons[0].policy == "newest-kernels-first"
        assert decision.conditions == ()
        assert not decision.pilot_first
    assert "Money alone would choose AMD" in decision.confidence_reason


def test_triton_is_no_option_for_a_host_in_cpp(decided):
    view = {option.option: option for option in decided("trainer", PRICED).options}[Verdict.TRITON_FIRST]
    assert view.chance_cheapest is None
    assert "Triton first is no option here: 0 % of the host code is Python" in view.text


def test_without_own_kernels_nothing_is_said_of_them(decided):
    decision = decided("serving")
    texts = {option.option: option.text for option in decision.options}
    assert "by HIP or Triton" not in texts[Verdict.AMD]
    assert "no own kernel in C++ has to be ported, so that none could move to Triton" in texts[Verdict.TRITON_FIRST]
    assert "Move own kernels" not in texts[Verdict.TRITON_FIRST]
    (reason,) = [reason for reason in decision.reasons if reason.policy == "no-own-kernels"]
    assert "host" not in reason.text + reason.source
    assert reason.figure == "0 kernels to port"
    assert not policies(decision) & {"nothing-for-triton", "host-without-python"}


def test_kernels_that_are_ported_already_are_not_denied(decided):
    """Nobody is told that there are no kernels, where there may be some that are done."""
    told = " ".join(view.text for view in decided("serving").options)
    assert "no own kernel has to be ported" in told
    assert "there are no own kernels" not in told
    assert "Nothing of its own" not in told


def test_kernels_that_are_written_in_python_are_not_denied(decided, codes):
    dsl = ("py.cute_dsl", "kernels", 120.0, 80.0, "python-cuda", "")
    texts = {view.option: view.text for view in decided("serving", rows=(*codes["serving"].rows, dsl)).options}
    assert "no own kernel in C++ has to be ported, those written in Python take 120 h" in texts[Verdict.AMD]
    assert "no own kernel has to be ported" not in texts[Verdict.AMD]
    assert "No own kernel in C++ has to move to Triton" in texts[Verdict.TRITON_FIRST]
    assert "written in Python" not in "".join(view.text for view in decided("serving").options)


def test_what_is_no_option_collects_no_points(decided):
    """New kernels speak for Triton first, but not where there are none to begin with."""
    many = Scenario(new_kernels_month=5.0)
    assert "new-kernels" in policies(decided("vision", many))
    decision = decided("serving", many)
    assert "new-kernels" not in policies(decision)
    assert {view.option: view.points for view in decision.options}[Verdict.TRITON_FIRST] == 0
    assert "favour Triton first" not in decided("serving", replace(PRICED, new_kernels_month=5.0)).confidence_reason


def test_a_cheaper_one_that_is_no_option_is_named_where_money_leads(decided, codes):
    cheap = tuple((*row[:3], row[3] / 2, *row[4:]) for row in codes["serving"].rows)
    reason = decided("serving", PRICED, rows=cheap).reasons[0]
    assert reason.policy == "cheapest-amd"
    assert reason.text.endswith(" Triton first costs less on average, but is no option here.")
    dear = tuple((*row[:3], row[3] * 1000, *row[4:]) for row in codes["serving"].rows)
    assert decided("serving", PRICED, rows=dear).reasons[0].text.endswith("in the mean of all draws.")


def test_a_speed_of_kernels_that_are_not_there_is_not_told(decided, codes):
    reserve = [text for text in decided("stencil").conditions if "reserve for tuning" in text]
    assert "Untuned, own kernels run at 1.00" not in "".join(reserve)
    assert "Untuned, own kernels run at an unknown part of today's speed" in "".join(reserve)


def test_each_way_to_rule_triton_out_has_its_own_words(decided):
    assert "host-without-python" in policies(decided("trainer"))
    decision = decided("vision", kernels=(("irregular", "poor"),) * 5)
    (reason,) = [reason for reason in decision.reasons if reason.policy == "nothing-for-triton"]
    assert (
        reason.text == "Triton first is no option here: 0 % of the own kernels could move to Triton at least in part."
    )
    assert "C++" not in reason.source


def test_a_veto_is_told_in_words(decided):
    decision = decided("stencil", Scenario(newest_kernels_first=True))
    texts = {option.option: option.text for option in decision.options}
    assert "Forbidden: New vendor kernels are needed at once" in texts[Verdict.AMD]
    assert "newest-kernels-first" not in "".join(texts.values())


def test_a_tie_is_no_lead(decided, policy):
    kept = tuple(line for line in policy.lines if line.id in ("unpriced-share", "portable-kernels"))
    even = tuple(replace(line, points=1.0) for line in kept)
    decision = decided("stencil", rule=replace(policy, lines=even), unpriced=(("texture-surface", 9),))
    assert decision.margin == 0
    assert "the option that moves less: NVIDIA, then AMD, then Triton first" in decision.pilot_reason
    for text in (decision.pilot_reason, decision.confidence_reason):
        assert "NVIDIA and AMD are level on points" in text
        assert " 0 points" not in text


def test_one_point_is_one_point(decided):
    decision = decided("vision", triton_kernels=0)
    assert decision.margin == 1
    assert "AMD leads Triton first by 1 point. A lead of 2 points is asked for." in decision.pilot_reason


def test_a_team_by_default_is_said_to_be_one(decided):
    def text(scenario):
        return next(r.text for r in decided("serving", scenario).reasons if r.policy == "small-port")

    assert "a team of 2 engineers (a default of the policy)" in text(Scenario())
    assert "of the team of 3 engineers at P80" in text(Scenario(team=3))


def test_with_nobody_for_the_machines_amd_is_forbidden(decided):
    assert decided("stencil", Scenario(workload="hpc", infrastructure_people=2.0)).verdict == Verdict.AMD
    decision = decided("stencil", Scenario(workload="hpc", infrastructure_people=0.0))
    assert decision.verdict == Verdict.NVIDIA
    assert decision.reasons[0].policy == "no-infrastructure-people"
    priced = decided("serving", replace(PRICED, infrastructure_people=0.0))
    assert priced.verdict == Verdict.NVIDIA
    assert "Money alone would choose AMD" in priced.confidence_reason
    view = {option.option: option for option in priced.options}[Verdict.AMD]
    assert view.chance_cheapest > 0.9, "a veto hides no money"


def test_where_no_new_kernels_come_hip_is_the_end_of_it(decided):
    decision = decided("vision", Scenario(new_kernels_month=0.0))
    assert decision.verdict == Verdict.AMD
    assert "no-new-kernels" in policies(decision)


def test_triton_stands_behind_nvidia_for_tensor_core_kernels_called_from_python(decided):
    assert decided("attention").runner_up == Verdict.TRITON_FIRST


def test_a_large_mixed_cluster_needs_a_scheduling_layer(decided):
    decision = decided("serving", Scenario(gpus_now=16.0, gpus_planned=512.0))
    assert decision.verdict == Verdict.AMD
    assert any("scheduling layer" in text for text in decision.conditions)


def test_poor_reliability_asks_for_a_pilot_and_names_the_dearest_kernels(decided):
    decision = decided("attention", reliability="poor")
    assert decision.pilot_first
    assert decision.confidence == "low"
    assert "reliability is poor" in decision.pilot_reason
    assert decision.pilot_kernels == (
        "kernel_5 (csrc/k.cu:50)",
        "kernel_4 (csrc/k.cu:40)",
        "kernel_3 (csrc/k.cu:30)",
    )


def test_reasons_for_the_verdict_come_first(decided):
    decision = decided("vision", Scenario(new_kernels_month=3.0))
    sides = [reason.favours == decision.verdict for reason in decision.reasons]
    assert sides == sorted(sides, reverse=True)
    assert all(reason.figure and reason.source for reason in decision.reasons)
    assert decision.options[0].option == decision.verdict
    assert decision.options[1].option == decision.runner_up
    assert decision.margin == decision.options[0].points - decision.options[1].points


def test_no_criterion_at_all_means_staying_and_a_pilot(decided, policy):
    silent = replace(policy, lines=tuple(line for line in policy.lines if line.id == "unpriced-share"))
    decision = decided("stencil", rule=silent)
    assert (decision.verdict, decision.margin, decision.pilot_first) == (Verdict.NVIDIA, 0, True)


def test_vetoes_that_forbid_everything_cancel_each_other(decided, policy):
    lines = tuple(
        replace(line, veto=True) if line.id in ("hipify-route", "small-port") else line for line in policy.lines
    )
    opposed = tuple(replace(line, favours="nvidia") if line.id == "small-port" else line for line in lines)
    assert decided("stencil", rule=replace(policy, lines=opposed)).verdict == Verdict.AMD


def test_a_criterion_that_no_function_knows_is_an_error(decided, policy):
    unknown = replace(policy.lines[0], id="memory-decide")
    with pytest.raises(EstimatorError, match=r"no criterion 'memory-decide' \(did you mean 'memory-decides'\?\)"):
        decided("stencil", rule=replace(policy, lines=(unknown,)))


def test_a_threshold_that_a_criterion_needs_and_misses_is_an_error(decided, policy):
    (line,) = [replace(line, thresholds={}) for line in policy.lines if line.id == "hipify-route"]
    with pytest.raises(EstimatorError, match="'hipify-route' needs the threshold 'most_python'"):
        decided("stencil", rule=replace(policy, lines=(line,)))


# --- by money ---


def test_a_large_fleet_pays_for_the_port(decided):
    decision = decided("stencil", PRICED)
    assert decision.verdict == Verdict.AMD
    assert decision.reasons[0].policy == "cheapest-amd"
    assert decision.chance_cheapest > 0.9
    assert decision.port_months < decision.break_even_month < decision.port_months + 2
    assert PRICED.price_offered < decision.break_even_price < PRICED.price_now
    assert "hipify-route" in policies(decision), "points stay listed as reasons"


def test_a_small_fleet_does_not_pay_for_a_large_port(decided):
    decision = decided("attention", SMALL_FLEET)
    assert decision.verdict == Verdict.NVIDIA
    assert decision.break_even_price is None
    lines = {option.option: option for option in decision.options}
    assert lines[Verdict.NVIDIA].money.port_p50 == 0
    assert lines[Verdict.AMD].net_benefit.likely < 0
    assert lines[Verdict.NVIDIA].net_benefit == Range(0, 0, 0)


def test_options_that_overlap_ask_for_a_pilot(decided):
    decision = decided("stencil", replace(PRICED, price_offered=2.7))
    assert decision.pilot_first
    assert "No option is cheapest in at least 70 % of the draws" in decision.pilot_reason
    assert decision.confidence == "low"
    assert len(decision.pilot_kernels) == 3


HEDGED = replace(PRICED, price_offered=2.75, speed_factor=Range(0.6, 1.0, 1.3))


def test_what_is_cheapest_in_no_draw_is_no_verdict(decided, policy):
    """Triton first costs least on average, for it may take the cheaper vendor, and in no draw is it cheapest."""
    decision = decided("vision", HEDGED)
    bare = replace(policy, lines=tuple(line for line in policy.lines if line.id != "triton-as-hedge"))
    assert decided("vision", HEDGED, rule=bare).verdict == Verdict.TRITON_FIRST
    assert decision.verdict != Verdict.TRITON_FIRST
    assert decision.chance_cheapest > 0.3
    assert decision.pilot_first
    (reason,) = [reason for reason in decision.reasons if reason.policy == "triton-as-hedge"]
    assert "cheapest in 0 % of the draws" in reason.text
    assert reason.text in {view.option: view for view in decision.options}[Verdict.TRITON_FIRST].text


def test_a_hedge_stays_an_option_where_a_veto_leaves_no_other_way_out(decided):
    decision = decided("vision", replace(HEDGED, infrastructure_people=0.0))
    assert "triton-as-hedge" not in policies(decision)
    assert decision.verdict in (Verdict.TRITON_FIRST, Verdict.NVIDIA)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(NAMES), st.floats(0.5, 6), st.floats(0.5, 6), st.floats(0.3, 1.5), st.floats(0, 1))
def test_where_money_leads_the_verdict_is_cheapest_in_some_draws(decided, name, now, offered, speed, width):
    scenario = replace(PRICED, price_now=now, price_offered=offered)
    given_ = replace(scenario, speed_factor=Range(speed, speed + width / 2, speed + width))
    decision = decided(name, given_, draws=400)
    assert decision.basis in ("prices", "nothing to port", "veto")
    assert decision.chance_cheapest > 0 or decision.basis != "prices"


def test_the_next_option_is_named(decided):
    reason = decided("stencil", PRICED).reasons[0]
    assert reason.policy == "cheapest-amd"
    assert "less than NVIDIA, in the mean of all draws" in reason.text


def test_a_speed_inside_the_range_that_turns_the_verdict_is_to_be_measured_first(decided):
    decision = decided("stencil", replace(PRICED, price_offered=2.45, speed_factor=Range(0.8, 1.0, 1.1)))
    flip = next(flip for flip in decision.flip_points if flip.input == "speed_factor")
    assert 0.8 <= float(flip.flips_at) <= 1.1
    assert not decision.pilot_first, "one option is cheapest in 70 % of the draws"
    assert decision.confidence_reason.startswith("The speed factor decides, measure it first: at ")
    assert "inside the range given (0.8 to 1.1), the verdict would be NVIDIA" in decision.confidence_reason
    assert any(text.startswith("Measure the speed of the offered cards first: at ") for text in decision.conditions)
    piloted = decided("stencil", replace(PRICED, price_offered=2.7))
    assert "The speed factor decides, measure it first: at" in piloted.pilot_reason
    assert "inside the range taken by default (0.625 to 1.25)" in piloted.pilot_reason
    sure = decided("stencil", replace(PRICED, speed_factor=Range(0.9, 1.0, 1.1)))
    assert "speed factor decides" not in sure.confidence_reason + "".join(sure.conditions)


def test_a_flip_at_a_hairs_breadth_is_no_verdict(decided):
    sure = replace(PRICED, speed_factor=Range(1.0, 1.0, 1.0))
    even = decided("stencil", sure).break_even_price
    near = decided("stencil", replace(sure, price_offered=even * 0.99))
    assert near.pilot_first
    assert near.confidence == "low"
    assert "A change by under 2 % turns it: If the " in near.pilot_reason
    assert "A change by" not in decided("stencil", replace(sure, price_offered=even * 0.9)).pilot_reason


def test_who_stays_is_told_what_to_pilot(decided):
    decision = decided("stencil", replace(PRICED, price_offered=2.9))
    assert (decision.verdict, decision.pilot_first) == (Verdict.NVIDIA, True)
    assert "what is to be tried before it is settled is the move (AMD)" in decision.pilot_reason


def test_equally_dear_kernels_are_piloted_by_their_launches(estimated, found, policy):
    estimate, whole = estimated("attention"), found("attention")
    even = tuple(replace(kernel, hours={**kernel.hours, "amd": 2.0}) for kernel in estimate.kernels)
    kernels = tuple(
        replace(judged, kernel=replace(judged.kernel, launches=number % 4))
        for number, judged in enumerate(whole.kernels)
    )
    decision = decide(replace(estimate, kernels=even), replace(whole, kernels=kernels), "poor", Scenario(), policy)
    assert [name.split()[0] for name in decision.pilot_kernels] == ["kernel_4", "kernel_3", "kernel_2"]


def test_points_and_money_that_disagree_cost_confidence(decided):
    decision = decided("trainer", PRICED)
    assert decision.verdict == Verdict.AMD
    assert decision.margin < 0
    assert "criteria favour NVIDIA" in decision.confidence_reason


def test_a_free_move_to_a_dearer_vendor_is_said_so(decided):
    decision = decided("ported", replace(PRICED, price_offered=4.0))
    assert decision.verdict == Verdict.AMD
    assert any("Moving costs nothing, running would" in text for text in decision.conditions)


def test_the_verdict_does_not_depend_on_the_seed(verdict):
    for scenario in (Scenario(), PRICED):
        for name in NAMES:
            assert len({verdict(name, scenario, seed=seed) for seed in range(20)}) == 1


def test_the_same_input_gives_the_same_decision(decided):
    assert decided("vision", PRICED) == decided("vision", PRICED)


amounts = st.floats(0.2, 12.0)
choices = st.sampled_from(NAMES)
scenarios = st.builds(
    Scenario,
    gpu_hours_month=st.none() | st.floats(100, 1e6),
    price_now=st.none() | amounts,
    price_offered=st.none() | amounts,
    rate=st.none() | st.floats(20, 500),
    speed_factor=st.none() | st.builds(lambda a, b, c: Range(a, a + b, a + b + c), *[st.floats(0.2, 1.0)] * 3),
    horizon_months=st.none() | st.floats(1, 120),
    discount_rate=st.none() | st.floats(0, 0.5),
    team=st.none() | st.integers(1, 50),
    infrastructure_people=st.none() | st.floats(0, 10),
    workload=st.sampled_from([None, "standard-inference", "own-models", "training", "research", "hpc"]),
    newest_kernels_first=st.none() | st.booleans(),
    new_kernels_month=st.none() | st.floats(0, 30),
    second_source_value=st.none() | st.floats(0, 1e6),
    memory_decides=st.none() | st.booleans(),
    hardware_access=st.none() | st.booleans(),
    gpu_experience=st.none() | st.booleans(),
    gpus_planned=st.none() | st.floats(1, 4096),
)


@settings(max_examples=60, deadline=None)
@given(choices, scenarios, st.sampled_from(["good", "fair", "poor"]))
def test_a_verdict_is_always_given(decided, verdict, name, scenario, reliability):
    decision = decided(name, scenario, reliability=reliability, draws=200)
    assert decision.verdict in set(Verdict)
    assert decision.verdict == verdict(name, scenario, draws=200)
    assert decision.runner_up != decision.verdict
    assert {option.option for option in decision.options} == set(Verdict)
    assert decision.reasons or decision.pilot_first
    assert (decision.chance_cheapest is None) == (not scenario.priced)
    assert decision.confidence in ("high", "medium", "low")
    assert decision.confidence_reason
    assert 0 <= decision.completeness <= 1
    assert all(flip.to != decision.verdict for flip in decision.flip_points)
    assert all(point.gap_p50 <= point.gap_p80 for point in decision.gaps)


@settings(max_examples=60, deadline=None)
@given(choices, scenarios, st.floats(0.3, 1.0))
def test_a_lower_offered_price_never_moves_away_from_amd(verdict, name, scenario, share):
    before = replace(scenario, price_offered=scenario.price_offered or 2.0)
    cheaper = replace(before, price_offered=before.price_offered * share)
    if verdict(name, before, draws=200) == Verdict.AMD:
        assert verdict(name, cheaper, draws=200) == Verdict.AMD


@pytest.mark.parametrize("price", [5e-324, 1e-300, 1e-9])
def test_the_search_for_flips_ends_for_the_smallest_prices(decided, price):
    for name in NAMES:
        assert decided(name, Scenario(gpu_hours_month=1e5, price_now=2.0, price_offered=price), draws=100).verdict
