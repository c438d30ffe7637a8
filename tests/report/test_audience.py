"""Copies for readers outside the house: nothing in them moves with prices, and their words fit what is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest

from estimator import Assessment, assess, render
from estimator.decision import decide
from estimator.decision.scenario import load_scenario
from estimator.decision.values import Range, Scenario
from estimator.report.page import page, sections
from estimator.resources import data_folder

SAMPLE = data_folder("sample_repos") / "serving-stack"


@pytest.fixture(scope="module")
def with_scenario() -> Callable[..., Assessment]:
    """The external assessment of a sample, under the sample's scenario with changed fields."""
    whole = assess(SAMPLE)
    given = load_scenario(SAMPLE / "scenario.toml")
    command = "unwarp report serving-stack '--scenario=offer of 1.99.toml' --seed=1"

    def made(audience: str = "external", **changes: object) -> Assessment:
        scenario = replace(given, **changes)
        level, policy = whole.reliability.level, whole.heuristics.policy
        decision = decide(whole.estimate, whole.found, level, scenario, policy)
        run = replace(whole.run, audience=audience, command=command)
        return replace(whole, run=run, scenario=scenario, decision=decision)

    return made


@pytest.mark.parametrize(
    "changes",
    [
        {"price_now": 3.4},
        {"price_offered": 0.7},
        {"price_offered": 2.75},
        {"rate": 40.0},
        {"price_now": 8.0, "price_offered": 7.0, "rate": 300.0},
        {"gpu_hours_month": 21_000.0, "horizon_months": 48.0, "discount_rate": 0.2},
        {"speed_factor": Range(0.9, 1.3, 1.5)},
        {"notes": {"price_now": "told on the phone: 1.10"}, "name": "last offer 1.10"},
    ],
)
@pytest.mark.parametrize("format", ["json", "html", "md", "csv", "xlsx"])
def test_other_prices_with_the_same_verdict_give_the_same_bytes(
    with_scenario: Callable[..., Assessment], format: str, changes: dict[str, object]
) -> None:
    before, after = with_scenario(), with_scenario(**changes)
    assert before.decision.verdict == after.decision.verdict
    assert before.decision != after.decision or "notes" in changes
    assert render(before, format) == render(after, format)


def test_nothing_of_the_scenario_file_is_told(with_scenario: Callable[..., Assessment]) -> None:
    text = render(with_scenario(), "json").decode("utf-8")
    for word in ("1.99", "2.95", "35040", "offer of", "aimultiple", "Second supplier"):
        assert word not in text, word
    decision = json.loads(text)["decision"]
    assert all(option["net_benefit"] is None for option in decision["options"])
    assert decision["flip_points"] == []


def test_words_fit_what_is_shown(with_scenario: Callable[..., Assessment]) -> None:
    html = render(with_scenario(), "html").decode("utf-8")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    assert "give a scenario with both prices" not in text
    assert "left out of this copy; points are those of the criteria shown" in text
    assert "Flip points that rest on prices are left out of this copy" in text
    assert "What would flip it” first" not in text, "no flip point is shown to settle"
    assert "No hourly rate was given" not in text
    assert re.search(r"price offered, per GPU-hour\s+left out of this copy", text)
    assert text.count("The verdict rests on prices that this copy leaves out") == 2, "as a headline and as a doubt"
    assert "the verdict rests on prices that this copy leaves out; of the criteria shown, 2 criteria" in text
    assert "Confidence: low" in text


def test_an_internal_copy_says_that_prices_lead(with_scenario: Callable[..., Assessment]) -> None:
    shown = {section.name: section.view for section in sections(with_scenario("internal"))}
    recommendation = shown["recommendation"]
    why = "with the prices given it costs least of the options that there are; besides, 3 criteria speak for it"
    assert why in recommendation.conclusion
    assert recommendation.runner_up == "Second by expected cost comes “Stay with NVIDIA”."
    assert shown["decision"].reasons[0].startswith("With the prices given, moving to AMD costs least")


def test_packages_show_the_counterpart_that_is_known(with_scenario: Callable[..., Assessment]) -> None:
    view = next(section.view for section in sections(with_scenario("internal")) if section.name == "libraries")
    rows = {row[0]: row for row in view.packages.rows}
    assert "flash-attn (ROCm build)" in rows["flash-attn"][3]
    assert rows["flash-attn"][5] != "no source yet"
    assert not [name for name in rows if "_" in name or re.fullmatch(r"cu\d+", name)]
    assert any(name.startswith("CUDA wheel index cu1") for name in rows)


@pytest.mark.parametrize(
    ("month", "words"), [(1.2, "in month 2"), (1.0, "in month 1"), (0.0, "at once"), (None, "never at these prices")]
)
def test_the_month_of_the_last_payment(samples: ModuleType, month: float | None, words: str) -> None:
    whole = samples.sample(scenario=samples.priced_scenario())
    changed = replace(whole, decision=replace(whole.decision, break_even_month=month))
    view = next(section.view for section in sections(changed) if section.name == "negotiation")
    (row,) = [row for row in view.break_even.rows if row[0] == "Port paid back"]
    assert row[1] == words
    assert "counted from the start of the port" in row[2]
    assert "about 2.5 months at P50" in row[2]
    assert "two fleets side by side are not priced" in row[2]


def test_defaults_behind_the_price_gap_are_named(samples: ModuleType) -> None:
    html = page(samples.sample())
    assert html.count("at 212 USD an hour of an engineer, a default of the policy") == 2
    assert "over 36 months, a default of the policy" in html
    assert "With 64 GPUs a gap of USD" in html
    known = samples.sample(scenario=Scenario(rate=99.0, horizon_months=24.0, gpus_now=10.0, gpu_hours_month=5000.0))
    assert "at 99 USD an hour of an engineer; over 24 months; with 500 hours a month for each GPU;" in page(known)
