"""Each sample goes to the other verdict when the input that its reader named is set."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache

import pytest

from estimator.assessment import Run, assess
from estimator.decision import load_scenario
from estimator.decision.values import Scenario, Verdict
from estimator.findings.scope import load_scope
from estimator.knowledge import load_heuristics
from estimator.resources import data_folder
from estimator.sources import open_source

SAMPLES = data_folder("sample_repos")
SHIPPED = cache(load_heuristics)
SET_BY_HAND = {
    "hpc-stencil": {"infrastructure_people": 0.0},
    "vision-ops": {"new_kernels_month": 0.0},
}
# The tensor-core kernel goes to a library, its instructions with it, and so does the one that only sm_90 builds.
NO_TENSOR_CODE = """
[[replace]]
kernel = "flash_fwd_kernel"
by = "FlashAttention"
why = "the library has a build for AMD"
[[leave_out]]
path = "csrc/ptx.cuh"
why = "instructions of that kernel"
[[leave_out]]
path = "csrc/gather_sm90.cu"
why = "built for sm_90 only"
"""
A_FRAMEWORK = """
[[leave_out]]
path = "src/"
why = "a framework takes over the layers"
[[leave_out]]
path = "tests/"
why = "its layers have tests of their own"
"""


def flip(name):
    return tomllib.loads((SAMPLES / name / "expected.toml").read_text(encoding="utf-8"))["verdict"]["flip"]


def decision(name, scope=(), **changes):
    own = SAMPLES / name / "scenario.toml"
    scenario = replace(load_scenario(own) if own.is_file() else Scenario(), **changes)
    tree = open_source(SAMPLES / name, exclude=("expected.toml", "scenario.toml"))
    run = Run("2026-11-30", "10.0", "gfx942", seed=1, version="test", scope=tuple(scope))
    return assess(tree, SHIPPED(), run, scenario).decision


@pytest.mark.parametrize("name", SET_BY_HAND)
def test_an_answer_flips(name):
    (field,) = SET_BY_HAND[name]
    assert flip(name)["input"] == field
    to = Verdict(flip(name)["to"].split(":")[0])
    now = decision(name)
    assert now.verdict != to
    assert field in {point.input for point in now.flip_points if point.to == to}
    assert decision(name, **SET_BY_HAND[name]).verdict == to


def test_a_price_flips_where_the_decision_says_so():
    assert flip("serving-stack") == {"input": "price_offered", "to": "nvidia"}
    now = decision("serving-stack")
    (point,) = [point for point in now.flip_points if point.input == "price_offered"]
    at = float(point.flips_at.split()[0])
    assert now.verdict == Verdict.AMD
    assert decision("serving-stack", price_offered=at).verdict == point.to == Verdict.NVIDIA
    assert decision("serving-stack", price_offered=at - 0.05).verdict == Verdict.AMD


@pytest.mark.parametrize(("name", "text"), [("attention-kernels", NO_TENSOR_CODE), ("cudnn-trainer", A_FRAMEWORK)])
def test_a_scope_flips(name, text, tmp_path):
    path = tmp_path / "scope.toml"
    path.write_text(text, encoding="utf-8")
    assert flip(name)["input"] == "scope"
    now = decision(name)
    then = decision(name, load_scope(path))
    assert now.verdict == Verdict.NVIDIA
    assert then.verdict == Verdict(flip(name)["to"].split(":")[0])
    assert then.verdict in {point.to for point in now.flip_points if point.flips_at == "all of it left out"}


def test_every_sample_that_names_a_flip_is_tried():
    named = {path.parent.name for path in SAMPLES.glob("*/expected.toml") if "verdict.flip" in path.read_text("utf-8")}
    assert named == {*SET_BY_HAND, "serving-stack", "attention-kernels", "cudnn-trainer"}
