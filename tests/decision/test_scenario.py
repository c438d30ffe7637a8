"""Scenario files: what is read, what is refused, and what the message says."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from estimator.decision import completeness, load_scenario
from estimator.decision.scenario import QUESTIONS
from estimator.decision.values import Range, Scenario
from estimator.errors import EstimatorError
from estimator.knowledge.multipliers import load_multipliers


@pytest.fixture
def load(tmp_path):
    def run(text):
        path = tmp_path / "scenario.toml"
        path.write_text(text, encoding="utf-8")
        return load_scenario(path)

    return run


def test_an_empty_file_is_a_scenario_without_answers(load):
    assert load("") == Scenario()
    assert completeness(load("")) == 0


def test_everything_in_the_template_can_be_given(load, heuristics):
    text = (heuristics / "scenario-template.toml").read_text(encoding="utf-8")
    assert load(text) == Scenario(), "the template as it stands says nothing"
    given = re.sub(r"^# (?=\w+ = |\[(notes|multipliers)\])", "", text, flags=re.MULTILINE)
    scenario = load(given)
    assert completeness(scenario) == 1
    assert scenario.priced
    assert scenario.speed_factor == Range(0.7, 0.95, 1.1)
    assert set(scenario.notes) == {"price_now", "price_offered"}
    known = load_multipliers(heuristics / "multipliers.toml").known
    assert scenario.multipliers == dict.fromkeys(known, True)
    for one in known.values():
        assert re.search(
            rf"^# {one.id} = true +# {one.factor.low:g} to {one.factor.high:g}\b", text, flags=re.MULTILINE
        )
    for item in fields(Scenario):
        assert re.search(rf"^# (\[)?{item.name}\b", text, flags=re.MULTILINE), f"{item.name} is not explained"


def test_a_single_speed_is_a_range_of_one(load):
    assert load("speed_factor = 1").speed_factor == Range(1.0, 1.0, 1.0)


def test_whole_numbers_are_numbers(load):
    scenario = load("rate = 150\ngpus_now = 8\nteam = 3\nworkload = 'hpc'\nnewest_kernels_first = false")
    assert (scenario.rate, scenario.team, scenario.workload) == (150, 3, "hpc")
    assert completeness(scenario) == pytest.approx(5 / len(QUESTIONS))


def test_all_faults_are_reported_at_once_with_their_lines(load):
    with pytest.raises(EstimatorError) as caught:
        load("prise_now = 2.95\nrate = -1\n\nworkload = 'standard-inferense'\nteam = 2.5\ndiscount_rate = 8\n")
    lines = str(caught.value).splitlines()
    assert len(lines) == 5
    assert caught.value.code == 2
    for line, part in (
        (1, "no such field (did you mean 'price_now'?)"),
        (2, "rate: must be more than 0 (given: -1)"),
        (4, "did you mean 'standard-inference'?"),
        (5, "team: must be a whole number (given: 2.5)"),
        (6, "0.08 means 8 %"),
    ):
        assert any(f"scenario.toml:{line}: " in text and part in text for text in lines), part


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed_factor = { low = 1.2, likely = 1, high = 0.9 }", "must rise: low 1.2, likely 1, high 0.9"),
        ("speed_factor = { low = 1, likely = 1 }", "speed_factor.high: is missing"),
        ("[speed_factor]\nlow = 1\nlikely = 1\nhigh = 1\nbest = 2", "scenario.toml:5: speed_factor.best"),
        ("price_offered = 1.99\nprice_now = 2", "an offered price needs a fleet"),
        ("price_offered = 1.99\ngpus_now = 8", "give 'price_now'"),
        ("gpu_hours_month = 100000\ngpus_now = 8", "more than 8 GPUs have in a month"),
        ("rate = 'much'", "rate: must be a number (given: 'much')"),
        ("rate = true", "rate: must be a number (given: true)"),
        ("rate = nan", "rate: must be a finite number"),
        ("price_now = 1e9", "price_now: must be at most 1000"),
        ("currency = 'dollars'", "three capital letters"),
        ("memory_decides = 'yes'", "memory_decides: must be true or false (given: 'yes')"),
        ("[notes]\nprice_nov = 'quote'", "a note on no field (did you mean 'price_now'?)"),
        ("rate = ", "not valid TOML"),
        ("horizon_months = 10_000", "must be at most 240 (given: 10000)"),
        ("gpu_hours_month = -5", "gpu_hours_month: must be more than 0 (given: -5)"),
        ("gpu_hours_month_planned = 1e5\ngpus_now = 2\ngpus_planned = 8", "more than 8 GPUs have in a month"),
        ("debt_growth_quarter = -4", "scenario.toml:1: debt_growth_quarter: must be at least 0 (given: -4.0)"),
        ("debt_growth_quarter = 'much'", "debt_growth_quarter: must be a number, or { low = …"),
        ("debt_growth_quarter = { low = 3, likely = 2, high = 9 }", "must rise: low 3, likely 2, high 9"),
        (
            "speed_factor.low = 1\nspeed_factor.likly = 1\nspeed_factor.high = 1",
            "toml:2: speed_factor.likly: no such key",
        ),
        ("speed_factor = { low = 1, likly = 1, high = 1 }", "(did you mean 'likely'?)"),
        ("workload = ['hpc']", "workload: must be 'standard-inference', 'own-models', 'training', 'research' or 'hpc'"),
        (
            "memory_decides = false\nmemory_need_gib = 140\nmemory_now_gib = 80",
            "140 GiB does not fit present cards of 80",
        ),
        ("memory_decides = true\nmemory_need_gib = 60\nmemory_now_gib = 80", "60 GiB fits present cards of 80 GiB"),
        ("memory_need_gib = inf", "memory_need_gib: must be a finite number"),
        ("gfx = 'gfx94'", "gfx: no target 'gfx94' (did you mean 'gfx942'?); known are gfx1010, "),
        ("gfx = 'sm_90'", "gfx: no target 'sm_90'"),
        ("rocm = 7.2", "rocm: must be a release in quotes, such as"),
        (
            "\nstrategy = 'alias-heder'",
            "toml:2: strategy: no strategy 'alias-heder' (did you mean 'alias-header'?); one of alias-header, hip",
        ),
        ("strategy = 3", "strategy: must be text in quotes (given: 3)"),
        ("notes = 5", "notes: must be a table (given: 5)"),
        ('"a\\u001bb" = 1', r"a\x1bb: no such field"),
        ("horizon_months = 0", "horizon_months: must be at least 1"),
        (
            "[multipliers]\nweek_tests = true",
            "scenario.toml:2: multipliers.week_tests: no multiplier of this name (did you",
        ),
        ("[multipliers]\nweak_tests = 9", "a multiplier lies between 0.15 and 5; 1 changes nothing (given: 9)"),
        ("[multipliers]\nweak_tests = { low = 1, likely = 9, high = 9 }", "a multiplier lies between 0.15 and 5"),
        (
            "[multipliers]\nweak_tests = { low = 2, likely = 1, high = 1 }",
            "weak_tests: must be true, false, a number, or",
        ),
        ("[multipliers]\nweak_tests = 'yes'", "weak_tests: must be true, false, a number, or"),
        ("[multipliers]\nweak_tests = nan", "weak_tests: must be true, false, a number, or"),
        ("multipliers = true", "scenario.toml:1: multipliers: must be a table (given: true)"),
    ],
)
def test_a_fault_says_where_and_what(load, text, message):
    with pytest.raises(EstimatorError) as caught:
        load(text)
    assert message in str(caught.value)
    assert "scenario.toml" in str(caught.value)
    assert not re.search(r"Input should|Field required|Extra inputs|pydantic", str(caught.value))


def test_faults_stand_in_the_order_of_the_file(load):
    with pytest.raises(EstimatorError) as caught:
        load("team = 0\nprise_now = 2\ngpus_now = -1\n[notes]\nprice_offered = 3\n")
    places = [int(text.split("scenario.toml:")[1].split(":")[0]) for text in str(caught.value).splitlines()]
    assert places == [1, 2, 3, 5]


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(EstimatorError, match="no such file"):
        load_scenario(tmp_path / "none.toml")
