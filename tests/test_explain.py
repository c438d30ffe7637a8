"""What stands behind a name, where a table has something to hide."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from estimator.errors import EstimatorError
from estimator.explain import explain
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import PARTS, GpuTarget, Heuristics, Weight


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


def test_a_part_shows_its_rows_and_their_sum() -> None:
    told = explain("retuning", shipped()).splitlines()
    assert told[0].startswith("Part retuning: 2 rows")
    assert "  tune.constants: 0.5 / 2 / 8; 0.25 / 1 / 4 per function or file scope with own constants" in told
    assert "  perf.retune: 4 / 16 / 60; 4 / 12 / 48 per hot kernel" in told
    assert "  One first unit of each: 4.5 / 18 / 68; 4.25 / 13 / 52 h" in told
    assert "  Scaled by speed_parity if it is on: x 1.3 / 2.15 / 3" in told


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_explained(part: str) -> None:
    told = explain(part, shipped())
    assert f"Part {part}: " in told
    rows = [one.id for one in shipped().weights.values() if isinstance(one, Weight) and one.part == part]
    assert all(f"  {row}: " in told for row in rows)


def test_a_weight_says_unit_both_targets_repeats_grade_and_source() -> None:
    told = explain("shim.cub", shipped())
    for words in (
        "amd: 0.05 / 0.2 / 1.5 h for the first",
        "triton-first: ",
        "(low / likely / high, grade C)",
        "Counted per symbol: ",
        "Source: ",
    ):
        assert words in told
    assert "Units 2 to 10 cost 0.1 of the first, each after 0.02." in told
    assert "Never more than 50 likely hours by amd" in told
    assert "Charged only where there is debt of build.file." in explain("build.base", shipped())


def test_a_grade_names_the_rows_that_have_it() -> None:
    told = explain("A", shipped())
    assert "amd: 4 of 94 rows: kernel.elementwise" in told
    assert "multiplier weak_tests" in explain("C", shipped())
    assert "risk wave-width-late" in explain("C", shipped())


def test_a_multiplier_says_how_it_is_switched_on() -> None:
    told = explain("no_hardware", shipped())
    assert "x 1.3 / 1.65 / 2 (low / likely / high, grade C)" in told
    assert "multipliers.no_hardware = true or hardware_access = false" in told


def test_a_risk_says_when_it_comes_and_what_to_do() -> None:
    told = explain("target-hardware-late", shipped())
    assert "any debt; only with hardware_access = unknown; not beside no_hardware" in told
    assert "What to do: Reserve cards" in told
    with pytest.raises(EstimatorError, match="did you mean 'weak_tests'"):
        explain("week_tests", shipped())
