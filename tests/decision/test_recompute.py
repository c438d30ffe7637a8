"""Every figure of a decision follows from assessment.json alone: no scan, no heuristics folder."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from estimator.assessment import Assessment, Run, assess, decision_json, to_json
from estimator.decision import load_scenario
from estimator.decision.policy import case, judge
from estimator.decision.values import Range, Scenario
from estimator.effort import redrawn
from estimator.errors import EstimatorError
from estimator.knowledge import load_heuristics
from estimator.reading import basis, decision_of
from estimator.resources import data_folder
from estimator.sources import open_source

SAMPLES = sorted(path.parent for path in data_folder("sample_repos").glob("*/expected.toml"))
SEEDS = range(20)
SHIPPED = cache(load_heuristics)
# Digits that no rounding to four places would keep.
PRICED = Scenario(
    currency="EUR",
    gpus_now=48.0,
    gpu_hours_month=35_040.123456,
    gpu_hours_month_planned=41_000.654321,
    price_now=2.9512345,
    price_offered=2.4598765,
    speed_factor=Range(0.8123456, 1.0123456, 1.2123456),
    horizon_months=29.0,
    discount_rate=0.0712345,
    rate=139.123456,
    team=3,
    new_kernels_month=1.7,
    second_source_value=12_345.678912,
    memory_need_gib=100.5,
    memory_now_gib=80.0,
    gfx="gfx950",
    multipliers={"weak_tests": True, "ai_assistance": Range(0.7123456, 0.8123456, 1.0123456)},
    notes={"price_now": "quote of 2026-11-12"},
)
READ_ALONE = """
import json, sys

def only_code(event, arguments):
    if event == "open" and ("heuristics" in str(arguments[0]) or "sample_repos" in str(arguments[0])):
        raise PermissionError(arguments[0])

sys.addaudithook(only_code)
from estimator.assessment import decision_json
from estimator.reading import decision_of
print(json.dumps([decision_json(decision_of(document)) for document in json.load(sys.stdin)]))
"""


@cache
def assessed(sample: Path, priced: bool) -> Assessment:
    own = sample / "scenario.toml"
    scenario = PRICED if priced else load_scenario(own) if own.is_file() else Scenario()
    tree = open_source(sample, exclude=("expected.toml", "scenario.toml"))
    return assess(tree, SHIPPED(), Run("2026-11-30", "10.0", "gfx942", seed=1, version="test"), scenario)


def document(sample: Path, priced: bool) -> dict:
    return json.loads(json.dumps(to_json(assessed(sample, priced))))


def again(told: dict, seed: int | None = None) -> dict:
    return json.loads(json.dumps(decision_json(decision_of(told, seed))))


def verdict(told: dict, seed: int) -> str:
    """The verdict alone: all else that a decision holds takes longer."""
    read = basis(told, seed)
    return str(judge(case(read.estimate, read.found, read.scenario, read.policy, read.target)).verdict)


def test_nothing_but_the_document_is_needed():
    documents = [document(sample, priced) for sample in SAMPLES for priced in (False, True)]
    command = [sys.executable, "-c", READ_ALONE]
    done = subprocess.run(command, input=json.dumps(documents), capture_output=True, text=True, check=True)
    for told, decision in zip(documents, json.loads(done.stdout), strict=True):
        assert decision == told["decision"], told["repository"]["name"]


def test_the_documents_hold_all_that_moves_figures():
    documents = [document(sample, True) for sample in SAMPLES]
    assert all(told["estimate"]["multipliers"] and told["decision"]["break_even_price"] for told in documents)
    assert sum(bool(told["estimate"]["options"]["amd"]["risks"]) for told in documents) >= 4
    assert sum(bool(told["decision"]["growth"]) for told in documents) >= 4


@pytest.mark.parametrize("priced", [False, True], ids=["as it is", "priced"])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_hours_and_draws_are_the_same(sample, priced):
    whole = assessed(sample, priced)
    read = basis(document(sample, priced))
    assert read.estimate.draws.digest == whole.estimate.draws.digest
    for name, option in whole.estimate.options.items():
        bare = replace(option, risks=(), with_risks=read.estimate.options[name].with_risks)
        assert read.estimate.options[name] == bare
    assert (read.scenario, read.policy) == (whole.scenario, whole.heuristics.policy)
    assert read.found.inventory == whole.found.inventory


@pytest.mark.parametrize("strategy", ["abstraction-layer", "duplicated-tree"])
def test_a_strategy_that_is_asked_for_is_in_the_document(strategy):
    sample = next(sample for sample in SAMPLES if sample.name == "hpc-stencil")
    tree = open_source(sample, exclude=("expected.toml", "scenario.toml"))
    run = Run("2026-11-30", "10.0", "gfx942", seed=1, version="test")
    whole = assess(tree, SHIPPED(), run, replace(PRICED, strategy=strategy))
    told = json.loads(json.dumps(to_json(whole)))
    assert [row["id"] for row in told["estimate"]["strategies"] if row["chosen"]] == [strategy]
    assert again(told) == told["decision"]
    read = basis(told).estimate
    assert (read.strategies, read.draws.digest) == (whole.estimate.strategies, whole.estimate.draws.digest)
    assert read.options["amd"].upkeep == whole.estimate.options["amd"].upkeep


@pytest.mark.parametrize("part", ["lines", "policy", "scenario", "sites"])
def test_a_changed_document_changes_the_decision(part):
    told = document(next(sample for sample in SAMPLES if sample.name == "hpc-stencil"), True)
    match part:
        case "lines":
            told["estimate"]["options"]["amd"]["lines"][0]["high"] *= 3
        case "policy":
            told["policy"]["settings"]["gpu_hours_month"] *= 2
            told["scenario"]["gpus_now"] = None
        case "scenario":
            told["scenario"]["rate"] += 0.01
        case "sites":
            for site in told["sites"]:
                site["disposition"] = "excluded"
    assert again(told) != told["decision"]


@pytest.mark.parametrize("priced", [False, True], ids=["as it is", "priced"])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_the_verdict_is_the_same_with_other_luck(sample, priced):
    told = document(sample, priced)
    assert {verdict(told, seed) for seed in SEEDS} == {told["decision"]["verdict"]}


def test_other_luck_gives_other_draws():
    whole = assessed(SAMPLES[1], False).estimate
    other = redrawn(whole, 2, 1000)
    assert other.draws.digest != whole.draws.digest
    assert other.options["amd"].hours.mean == pytest.approx(whole.options["amd"].hours.mean)
    assert other.options["amd"].hours.p50 == pytest.approx(whole.options["amd"].hours.p50, rel=0.03)


@pytest.mark.parametrize("change", [{"schema": "unwarp/9.0"}, {"decision": None}])
def test_another_document_is_refused(change):
    told = {name: value for name, value in {**document(SAMPLES[1], False), **change}.items() if value is not None}
    with pytest.raises(EstimatorError, match="no assessment of the form unwarp"):
        decision_of(told)
