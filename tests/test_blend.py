"""A code base of the size of ports that happened: its rows are blended with them, from scan to JSON and back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from estimator.assessment import Assessment, Run, assess, decision_json, to_json
from estimator.decision.values import Range, Scenario
from estimator.effort.values import FUNCTIONAL_PARTS
from estimator.explain import explain
from estimator.findings.scope import load_scope
from estimator.knowledge import load_heuristics
from estimator.reading import decision_of
from estimator.sources import open_source

FILE = """\
#include <cuda_runtime.h>
__global__ void scale_{n}(float* x, float a, int count) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) x[i] *= a;
}}
void run_{n}(float* x, int count) {{
  float* d = nullptr;
  cudaMalloc(&d, count * sizeof(float));
  scale_{n}<<<(count + 255) / 256, 256>>>(d, 2.0f, count);
  cudaMemPrefetchAsync(d, count, 0, 0);
  cudaFree(d);
}}
"""
RUN = Run("2026-11-30", "10.0", "gfx942", seed=1, version="test")
SHIPPED = load_heuristics()


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("code")
    for number in range(12):
        lines = "".join(f"__device__ int constant_{number}_{i}() {{ return {i}; }}\n" for i in range(200))
        (folder / f"part_{number}.cu").write_text(FILE.format(n=number) + lines)
    return folder


def assessed(code: Path, scenario: Scenario, ports: bool = True) -> Assessment:
    heuristics = SHIPPED if ports else replace(SHIPPED, ports=())
    return assess(open_source(code), heuristics, RUN, scenario)


@pytest.mark.parametrize("team", [None, 3])
def test_parts_of_the_functional_scope_are_scaled_alike(code: Path, team: int | None) -> None:
    scenario = Scenario(team=team)
    mixed, rows = assessed(code, scenario).estimate, assessed(code, scenario, ports=False).estimate
    assert rows.reference is None
    assert mixed.reference is not None
    assert mixed.reference.blend is not None
    assert mixed.reference.people == team
    for part, spread in rows.options["amd"].parts.items():
        times = mixed.reference.blend.factor if part in FUNCTIONAL_PARTS else 1
        assert mixed.options["amd"].parts[part].likely == pytest.approx(times * spread.likely)
    assert mixed.options["amd"].edits == rows.options["amd"].edits
    assert mixed.reference.functional_days == pytest.approx(
        rows.options["amd"].scopes["functional"].p50 / SHIPPED.units.hours_per_day
    )


def test_the_decision_is_worked_out_from_the_document_alone(code: Path) -> None:
    scenario = Scenario(team=2, gpu_hours_month=5e4, price_now=3.0, price_offered=2.0, rate=120.0)
    told = assessed(code, scenario)
    document = json.loads(json.dumps(to_json(told)))
    assert [row["id"] for row in document["estimate"]["multipliers"]] == ["ports.amd", "ports.triton-first"]
    assert decision_json(decision_of(document)) == document["decision"]


def test_what_a_multiplier_adds_is_not_taken_back(code: Path) -> None:
    """The factor comes from rows without multipliers, so that a user's own counts in full."""
    plain, doubled = (
        assessed(code, Scenario(team=2, multipliers=given)).estimate
        for given in ({}, {"weak_tests": Range(2.0, 2.0, 2.0)})
    )
    assert plain.reference == doubled.reference
    one, two = (estimate.options["amd"].parts["remediation"].likely for estimate in (plain, doubled))
    assert two == pytest.approx(2 * one)


def test_everything_of_a_scope_file_is_what_it_was_without(code: Path, tmp_path: Path) -> None:
    """Leaving code out moves no price of what stays."""
    (tmp_path / "scope.toml").write_text('[[leave_out]]\npath = "part_[0-7].cu"\nwhy = "goes away"\n')
    scenario = Scenario(team=2)
    plain = assessed(code, scenario)
    run = replace(RUN, scope=load_scope(tmp_path / "scope.toml"))
    less = assess(open_source(code), SHIPPED, run, scenario)
    everything, *_ = less.scopes
    assert everything.hours["amd"] == plain.estimate.options["amd"].hours
    assert less.estimate.scalings == plain.estimate.scalings
    assert less.estimate.options["amd"].hours.p50 < plain.estimate.options["amd"].hours.p50


@pytest.mark.parametrize("strategy", ["abstraction-layer", "duplicated-tree"])
def test_a_strategy_adds_what_its_table_says(code: Path, strategy: str) -> None:
    plain, asked = (assessed(code, Scenario(team=2, strategy=way)).estimate for way in (None, strategy))
    (price,) = [one for one in asked.strategies if one.id == strategy]
    one, two = (estimate.options["amd"].scopes["functional"].likely for estimate in (plain, asked))
    assert two - one == pytest.approx(price.hours.likely)
    assert asked.reference == plain.reference


def test_its_name_is_explained() -> None:
    assert "class_error" in explain("ports.amd", SHIPPED)
