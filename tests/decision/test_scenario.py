"""Scenario files: what is read, what is refused, and what the message says."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from estimator.decision import completeness, load_scenario
from estimator.decision.scenario import QUESTIONS
from estimator.decision.values import Range, Scenario
from estimator.errors import EstimatorError


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
    given = re.sub(r"^# (?=\w+ = |\[notes\])", "", text, flags=re.MULTILINE)
    scenario = load(given)
    assert completeness(scenario) == 1
    assert scenario.priced
    assert scenario.speed_factor == Range(0.7, 0.95, 1.1)
    assert set(scenario.notes) == {"price_now", "price_offered"}
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
        (2, "rate: Input should be greater than 0"),
        (4, "did you mean 'standard-inference'?"),
        (5, "team: Input should be a valid integer"),
        (6, "0.08 means 8 %"),
    ):
        assert any(f"scenario.toml:{line}: " in text and part in text for text in lines), part


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed_factor = { low = 1.2, likely = 1, high = 0.9 }", "must rise: low 1.2, likely 1, high 0.9"),
        ("speed_factor = { low = 1, likely = 1 }", "speed_factor.high: Field required"),
        ("[speed_factor]\nlow = 1\nlikely = 1\nhigh = 1\nbest = 2", "scenario.toml:5: speed_factor.best"),
        ("price_offered = 1.99\nprice_now = 2", "an offered price needs a fleet"),
        ("price_offered = 1.99\ngpus_now = 8", "give 'price_now'"),
        ("gpu_hours_month = 100000\ngpus_now = 8", "more than 8 GPUs have in a month"),
        ("rate = 'much'", "rate: Input should be a valid number (given: 'much')"),
        ("rate = true", "rate: Input should be a valid number"),
        ("rate = nan", "rate"),
        ("price_now = 1e9", "less than or equal to 1000"),
        ("currency = 'dollars'", "three capital letters"),
        ("memory_decides = 'yes'", "valid boolean"),
        ("[notes]\nprice_nov = 'quote'", "a note on no field (did you mean 'price_now'?)"),
        ("rate = ", "not valid TOML"),
        ("horizon_months = 0", "greater than or equal to 1"),
    ],
)
def test_a_fault_says_where_and_what(load, text, message):
    with pytest.raises(EstimatorError) as caught:
        load(text)
    assert message in str(caught.value)
    assert "scenario.toml" in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(EstimatorError, match="no such file"):
        load_scenario(tmp_path / "none.toml")
