"""Each sample against what a knowing reader wrote down before the tool was run."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from estimator.assessment import Assessment, Run, assess
from estimator.decision import load_scenario
from estimator.decision.values import Scenario
from estimator.findings.values import Disposition, JudgedSite
from estimator.knowledge import load_heuristics
from estimator.resources import data_folder
from estimator.sources import open_source

SAMPLES = sorted(path.parent for path in data_folder("sample_repos").glob("*/expected.toml"))
# Where tool and reader differ, each with its reason. Strict: what is mended must leave the list.
KNOWN_MISSES = {
    "cudnn-trainer/kernels/loss.cu:50: warp-size",  # `classes > 32` on the host: lanes only by the kernel's meaning
}
KNOWN_CLASSES = {("already-ported", "write_kernel")}  # stream compaction: no feature tells it from a block scan
NO_COST = (Disposition.PORTED, Disposition.EXCLUDED, Disposition.CREDIT)


@cache
def assessed(sample: Path) -> Assessment:
    scenario = sample / "scenario.toml"
    return assess(
        open_source(sample, exclude=("expected.toml", "scenario.toml")),
        load_heuristics(),
        Run(date="2026-11-30", rocm="10.0", gfx="gfx942", seed=1, version="test"),
        load_scenario(scenario) if scenario.is_file() else Scenario(),
    )


def expected(sample: Path) -> dict[str, Any]:
    return tomllib.loads((sample / "expected.toml").read_text(encoding="utf-8"))


def places(row: dict[str, Any]) -> list[tuple[int, int]]:
    """Line ranges of an entry: one, or one for each of its lines."""
    lines = row.get("lines") or [row["line"]]
    return [(line, row.get("line_end", line)) for line in lines]


def is_found(row: dict[str, Any], first: int, last: int, sites: tuple[JudgedSite, ...]) -> bool:
    categories = {row["category"], *row.get("also_ok", [])}
    return any(
        item.site.path == row["path"] and item.site.category in categories and first <= item.site.line <= last
        for item in sites
    )


def missed(sample: Path) -> list[str]:
    """Places that the reader found and the tool did not."""
    sites = assessed(sample).found.sites
    return [
        f"{row['path']}:{first}: {row['category']}"
        for row in expected(sample).get("sites", [])
        if not row.get("optional")
        for first, last in places(row)
        if not is_found(row, first, last, sites)
    ]


def wrong(sample: Path) -> list[str]:
    """Places that the reader ruled out and the tool found, at a cost where a free finding is fine."""
    return [
        f"{row['path']}:{row['line']}: {row['category']} ({item.site.rule}, {item.disposition})"
        for row in expected(sample).get("absent", [])
        for item in assessed(sample).found.sites
        if item.site.path == row["path"]
        and item.site.category == row["category"]
        and item.site.line == row["line"]
        and not (row.get("ok_if_excluded") and item.disposition in NO_COST)
    ]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_every_place_of_the_reader_is_found(sample: Path) -> None:
    known = {place.removeprefix(f"{sample.name}/") for place in KNOWN_MISSES if place.startswith(f"{sample.name}/")}
    assert set(missed(sample)) == known


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_what_the_reader_ruled_out_stays_silent(sample: Path) -> None:
    assert wrong(sample) == []


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_kernels_are_those_of_the_reader(sample: Path) -> None:
    found = {(k.kernel.path, k.kernel.name): k.kernel for k in assessed(sample).found.kernels}
    rows = expected(sample).get("kernels", [])
    assert {(row["path"], row["name"]) for row in rows} <= set(found)
    classes = {row["name"]: (row["class"], found[row["path"], row["name"]].kind) for row in rows}
    differing = {(sample.name, name) for name, pair in classes.items() if pair[0] != pair[1]}
    assert differing == {known for known in KNOWN_CLASSES if known[0] == sample.name}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_the_verdict_is_the_readers(sample: Path) -> None:
    verdict = expected(sample)["verdict"]
    decision = assessed(sample).decision
    assert decision.verdict == verdict["option"], [reason.text for reason in decision.reasons]
    assert decision.pilot_first == verdict.get("pilot_first", False)


def test_at_most_two_samples_are_pilots() -> None:
    assert sum(assessed(sample).decision.pilot_first for sample in SAMPLES) <= 2


def test_the_ported_sample_costs_about_nothing() -> None:
    ported = next(sample for sample in SAMPLES if sample.name == "already-ported")
    assert assessed(ported).estimate.options["amd"].hours.p80 <= 8
