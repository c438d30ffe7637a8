"""What stands behind a name, where a table has something to hide."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from estimator.errors import EstimatorError
from estimator.explain import explain
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import GpuTarget, Heuristics


@cache
def shipped() -> Heuristics:
    return load_heuristics()


def test_a_fact_that_was_not_checked_says_so() -> None:
    assert shipped().components["cuDSS"].source == ""
    assert explain("cuDSS", shipped()).endswith("Source: none yet; general knowledge that was not checked")
    assert "Source: " in explain("MIG", shipped())
    assert "()" not in explain("MIG", shipped())


@pytest.mark.parametrize("spelling", ["flash-attn", "flash_attn", "Flash.Attn"])
def test_a_package_is_known_in_any_spelling(spelling: str) -> None:
    told = explain(spelling, shipped())
    assert "Package flash-attn: has builds of its own for AMD" in told
    assert "gfx90a; gfx942: from source" in told


def test_a_wheel_of_nvidias_says_what_becomes_of_it() -> None:
    told = explain("nvidia-cublas-cu12", shipped())
    assert "comes with the framework's ROCm build, or with ROCm" in told
    assert "rocBLAS" in told


def test_a_package_without_a_build_that_anybody_named_is_not_known() -> None:
    told = explain("kvikio", shipped())
    assert "whether there is a build for AMD is not known" in told


def test_a_width_that_is_not_known_is_not_zero() -> None:
    target = GpuTarget("AMD", "gfx9999", "", 0, "", "a list")
    told = explain("gfx9999", replace(shipped(), targets=(target,)))
    assert told == "Target gfx9999 (AMD): product not named; width not known\nSource: a list"
    assert "64 lanes" in explain("gfx942", shipped())


def test_a_misspelt_package_gets_a_hint() -> None:
    with pytest.raises(EstimatorError, match="did you mean 'flash-attn'"):
        explain("flash-attnn", shipped())
