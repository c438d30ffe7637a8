"""The shipped rule fits the code, and a broken one is refused with all its faults."""

from __future__ import annotations

from dataclasses import replace

import pytest

from estimator import assess
from estimator.decision.policy import CODE_PARTS, CRITERIA, amount, case, criterion_id, shown, structure_of
from estimator.decision.values import Scenario
from estimator.errors import EstimatorError
from estimator.knowledge.policy import SETTINGS, load_policy
from estimator.resources import data_folder


def test_every_criterion_has_its_line_and_every_line_its_criterion(policy):
    assert sorted(line.id for line in policy.lines) == sorted(criterion_id(criterion) for criterion in CRITERIA)


def test_every_line_has_a_source_and_a_text_that_can_be_filled(policy):
    for line in policy.lines:
        assert line.source
        assert line.text.format(figure="1 h", team="a team", next="another option")
        line.condition.format(figure="1 h", retuning="1 h", reserve="2 h", untuned="0.9", team="a team")
        assert "least" in line.thresholds or "most" in line.thresholds or line.unit == "currency"


def test_every_setting_has_a_source(policy):
    assert set(policy.settings) == set(policy.sources) == set(SETTINGS)


def test_points_that_are_published_add_up_in_the_decision(decided, policy):
    decision = decided("stencil")
    published = {line.id: line.points for line in policy.lines}
    assert all(reason.points == published[reason.policy] for reason in decision.reasons)
    for option in decision.options:
        assert option.points == sum(r.points for r in decision.reasons if r.favours == option.option)


def test_all_faults_of_a_policy_are_reported_at_once(tmp_path, heuristics):
    text = (heuristics / "policy.toml").read_text(encoding="utf-8")
    broken = (
        text.replace("[settings.dominance]", "[settings.dominanse]")
        .replace('favours = "triton-first"', 'favours = "triton"', 1)
        .replace("points = 3", "points = -3", 1)
        .replace("No cost to move: at P80 the port takes {figure}", "No cost to move: {hours}")
        .replace('id = "unpriced-share"', 'id = "direct-libraries"')
    )
    path = tmp_path / "policy.toml"
    path.write_text(broken, encoding="utf-8")
    with pytest.raises(EstimatorError) as caught:
        load_policy(path)
    message = str(caught.value)
    for part in (
        "no setting 'dominanse' (did you mean 'dominance'?)",
        "settings.dominance is missing",
        "criteria 'cheapest-triton-first'.favours",
        "criteria 'tensor-core-code'.points",
        "holds '{hours}'; what may stand here: {figure}",
        "criteria 'direct-libraries': the id stands twice",
    ):
        assert part in message, part


@pytest.mark.parametrize(
    ("figure", "unit", "text"),
    [
        (0.304, "%", "30 %"),
        (0.004, "%", "0.4 %"),
        (1.0, "", "yes"),
        (0.0, "", "no"),
        (1234.5, "h", "1,234 h"),
        (7.25, "places per kernel", "7.2 places per kernel"),
        (0.25, "months", "0.25 months"),
        (0.0003, "months", "under 0.1 months"),
        (1_236_000.0, "currency", "1.24 million USD"),
        (45_612.0, "currency", "45,600 USD"),
        (12.345, "currency", "12.3 USD"),
    ],
)
def test_figures_are_shown_with_their_unit(figure, unit, text):
    assert shown(figure, unit, "USD") == text


def test_negative_amounts_keep_their_sign():
    assert amount(-45_612.0, "EUR") == "-45,600 EUR"


def test_a_line_that_stands_in_two_categories_counts_once(tmp_path):
    """cp.async is inline PTX and an asynchronous copy; two statements for one kernel are two."""
    copy = 'asm volatile("cp.async.commit_group;");\n'
    (tmp_path / "a.cu").write_text(f"__global__ void k(float* x) {{\n{copy}{copy}x[0] = 1;\n}}\n")
    found = assess(tmp_path)
    structure = structure_of(found.estimate, found.found, found.heuristics.policy.lines)
    categories = ("inline-ptx", "async-copy")
    assert structure.debt_in(categories) == 4
    assert structure.statements_in(categories) == 2


def test_work_left_out_takes_what_multipliers_add_with_it():
    """Without any row of the code, what other parts take is left; the blend with ports acts on some rows only."""
    scenario = Scenario(multipliers={"weak_tests": True, "two_vendors": True})
    whole = assess(data_folder("sample_repos") / "cudnn-trainer", scenario=scenario)
    estimate, policy = whole.estimate, whole.heuristics.policy
    assert {scaling.multiplier.id for scaling in estimate.scalings} > {"weak_tests", "two_vendors", "ports.amd"}
    weights = tuple(line.weight for option in estimate.options.values() for line in option.lines)
    everything = replace(policy.lines[0], words={"weights": weights})
    this = case(estimate, whole.found, scenario, replace(policy, lines=(everything,)))
    for option, hours in this.without(everything).structure.hours.items():
        parts = estimate.options[option].parts
        assert hours.likely == pytest.approx(sum(parts[name].likely for name in parts if name not in CODE_PARTS))
