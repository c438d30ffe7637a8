"""What a scenario switches on, and why it says so."""

from __future__ import annotations

from dataclasses import fields
from functools import cache

import pytest

from estimator.decision.programme import programme
from estimator.decision.values import Range, Scenario
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Heuristics
from estimator.quantities import Triple


@cache
def shipped() -> Heuristics:
    return load_heuristics()


def switched(**answers):
    return {one.multiplier.id: one for one in programme(Scenario(**answers), shipped()).scalings}


def test_all_multipliers_are_off_until_switched_on():
    assert switched() == {}
    assert switched(hardware_access=True, multipliers={"weak_tests": False}) == {}


def test_true_takes_the_shipped_range_and_a_range_its_own():
    on = switched(multipliers={"weak_tests": True, "ai_assistance": Range(0.7, 0.8, 1)})
    assert on["weak_tests"].factor == shipped().multipliers.known["weak_tests"].factor
    assert on["weak_tests"].why == "the scenario: multipliers.weak_tests = true"
    assert on["ai_assistance"].factor == Triple(0.7, 0.8, 1)


def test_they_apply_in_the_order_of_the_table_whatever_the_scenario_writes():
    names = ["ai_assistance", "speed_parity", "weak_tests"]
    assert list(switched(multipliers=dict.fromkeys(names, True))) == names[::-1]


def test_an_answer_that_says_the_same_switches_it_on_unless_it_is_kept_off():
    on = switched(hardware_access=False)
    assert list(on) == ["no_hardware"]
    assert on["no_hardware"].why == "the scenario: hardware_access = false"
    assert switched(hardware_access=False, multipliers={"no_hardware": False}) == {}


@pytest.mark.parametrize("team", [None, 5])
def test_the_team_and_the_answers_go_along(team):
    outlook = programme(Scenario(team=team), shipped())
    assert (outlook.team, outlook.answers["team"], outlook.answers["hardware_access"]) == (team, team, None)
    assert outlook.risks == shipped().risks


@pytest.mark.parametrize("months", [None, 18.0])
def test_the_strategy_goes_along_and_pays_over_the_policy_s_horizon(months):
    """The scenario's is confidential, and the hours are not."""
    outlook = programme(Scenario(strategy="duplicated-tree", horizon_months=months), shipped())
    assert (outlook.strategy, outlook.years, outlook.strategies) == ("duplicated-tree", 3, shipped().strategies)
    assert programme(Scenario(), shipped()).strategy is None


def test_the_tables_name_questions_of_the_scenario():
    named = [name for one in shipped().multipliers.known.values() for name in one.on]
    named += [name for risk in shipped().risks for name in risk.scenario]
    assert set(named) <= {item.name for item in fields(Scenario)}


@pytest.mark.parametrize(
    ("answers", "parts"),
    [
        ({}, ()),
        ({"hardware_access": True, "gpu_experience": True}, ()),
        ({"hardware_access": False}, ("setup",)),
        ({"gpu_experience": False}, ("learning",)),
    ],
)
def test_what_a_build_for_amd_does_not_show_of_the_team_is_done_anew(answers, parts):
    assert programme(Scenario(**answers), shipped()).anew == parts
