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
# What expected.toml names, in the words of a scope file.
REPLACED = """
[[replace]]
kernel = "flash_fwd_kernel"
by = "FlashAttention"
why = "the library has a build for AMD"
"""
# The layers and what hands them their tensors and handles; kernels and driver calls are left.
A_FRAMEWORK = "".join(
    f"""
[[leave_out]]
path = "src/{name}.*"
why = "a framework takes over the layers"
"""
    for name in ("conv", "block", "fused", "classifier", "tensor", "check", "main")
)
NO_GATHER = """
[[leave_out]]
kernel = "gather_pages_kernel"
why = "built for sm_90 only, and other cards do without"
"""
NAMED = {"attention-kernels": REPLACED, "cudnn-trainer": A_FRAMEWORK}


def flip(name):
    return tomllib.loads((SAMPLES / name / "expected.toml").read_text(encoding="utf-8"))["verdict"]["flip"]


def assessed(name, scope=(), **changes):
    own = SAMPLES / name / "scenario.toml"
    scenario = replace(load_scenario(own) if own.is_file() else Scenario(), **changes)
    tree = open_source(SAMPLES / name, exclude=("expected.toml", "scenario.toml"))
    run = Run("2026-11-30", "10.0", "gfx942", seed=1, version="test", scope=tuple(scope))
    return assess(tree, SHIPPED(), run, scenario)


def decision(name, scope=(), **changes):
    return assessed(name, scope, **changes).decision


def entries(folder, text):
    path = folder / "scope.toml"
    path.write_text(text, encoding="utf-8")
    return load_scope(path)


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


@pytest.mark.parametrize("name", ["attention-kernels", "cudnn-trainer"])
def test_a_scope_flips(name, tmp_path):
    assert flip(name)["input"] == "scope"
    assert decision(name).verdict == Verdict.NVIDIA
    then = decision(name, entries(tmp_path, NAMED[name])).verdict
    assert then == Verdict(flip(name)["to"].split(":")[0])
    assert then in {point.to for point in decision(name).flip_points if point.flips_at == "all of it left out"}


def test_another_kernel_left_out_keeps_the_verdict(tmp_path):
    """It is the attention kernel that holds the package, not the one that copies its pages."""
    assert decision("attention-kernels", entries(tmp_path, NO_GATHER)).verdict == Verdict.NVIDIA


def test_each_scope_has_the_verdict_that_it_would_have_by_itself(tmp_path):
    both = entries(tmp_path, REPLACED + NO_GATHER)
    rows = {row.entry or row.what: row.verdict for row in assessed("attention-kernels", both).scopes}
    alone = {entry: decision("attention-kernels", (entry,)).verdict for entry in both}
    assert rows == {
        "everything": decision("attention-kernels").verdict,
        **alone,
        "now": decision("attention-kernels", both).verdict,
    }
    assert len(set(rows.values())) == 2


def test_every_sample_that_names_a_flip_is_tried():
    named = {path.parent.name for path in SAMPLES.glob("*/expected.toml") if "verdict.flip" in path.read_text("utf-8")}
    assert named == {*SET_BY_HAND, *NAMED, "serving-stack"}
