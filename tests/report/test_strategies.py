"""How the source is kept, in the report: one table, the same figures in every format."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from estimator.assessment import Assessment, Run, assess
from estimator.decision.values import Scenario
from estimator.findings.scope import ScopeEntry
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Unfit
from estimator.quantities import Hours, Triple
from estimator.report import render
from estimator.report.sections import options
from estimator.resources import data_folder
from estimator.sources import open_source

SHIPPED = cache(load_heuristics)
COPY = "duplicated-tree"


@cache
def assessed(
    sample: str, strategy: str | None = None, horizon: float | None = None, audience: str = "internal"
) -> Assessment:
    return _assess(sample, Scenario(strategy=strategy, horizon_months=horizon), audience)


def _assess(
    sample: str, scenario: Scenario, audience: str = "internal", scope: tuple[ScopeEntry, ...] = ()
) -> Assessment:
    tree = open_source(data_folder("sample_repos") / sample, exclude=("expected.toml", "scenario.toml"))
    run = Run("2026-11-30", "10.0", "gfx942", seed=1, version="test", audience=audience, scope=scope)
    return assess(tree, SHIPPED(), run, scenario)


def test_the_table_says_what_is_priced_and_what_the_others_would_add() -> None:
    view = options.view(assessed("hpc-stencil"))
    assert view.kept == (
        "The source is kept by “One alias header” (one source): the cheapest that fits. It adds nothing to the rows."
    )
    assert view.strategies is not None
    rows = {row[0]: row for row in view.strategies.rows}
    first, layer = rows["One alias header (one source)"], rows["An abstraction layer (one source)"]
    assert view.strategies.strong == (0,)
    assert first[1:4] == ("0.0, 0.0, 0.0", "—", "—")
    assert first[5] == "priced: the cheapest that fits"
    assert layer[1:4] == ("10.8, 35.0, 124.0", "+35.0", "+8.8")
    assert layer[5] == "fits"
    assert sum(column.width for column in view.strategies.columns) == 100


def test_one_that_was_asked_for_is_in_the_hours_and_what_does_not_fit_says_why() -> None:
    whole = assessed("cudnn-trainer", "abstraction-layer")
    view = options.view(whole)
    assert view.kept.startswith("The source is kept by “An abstraction layer” (one source): the scenario asks for it.")
    assert view.strategies is not None
    standing = [row[5] for row in view.strategies.rows]
    assert standing[0] == "fits, and is the cheapest"
    assert standing[1].startswith("does not fit: kernels stand in strings")
    assert standing[2] == "priced: the scenario asks for it"
    bare = assessed("cudnn-trainer").estimate.options["amd"].hours.likely
    assert whole.estimate.options["amd"].hours.likely > bare
    assert all(line.weight != "strategy.alias-header" for line in whole.estimate.options["amd"].lines)


@pytest.mark.parametrize("sample", ["already-ported", "serving-stack"])
def test_without_source_of_ones_own_one_sentence_says_so(sample: str) -> None:
    view = options.view(assessed(sample))
    assert view.strategies is None
    assert view.kept.startswith("There is no CUDA source of your own to port")
    assert "How the source is kept" not in render(assessed(sample), "md").decode("utf-8")


TREES = {
    "image": {"Dockerfile": "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nRUN nvcc --version\n"},
    "cupy": {"m.py": 'import cupy as cp\nk = cp.RawKernel("""__global__ void k(float* x) { x[0] = 1; }""", "k")\n'},
    "build": {"CMakeLists.txt": "project(x LANGUAGES CXX CUDA)\nfind_package(CUDAToolkit)\nadd_executable(a a.cu)\n"},
    "nothing": {"m.py": "x = 1\n"},
}


@pytest.mark.parametrize("name", TREES)
def test_what_is_asked_for_where_none_applies_is_said_to_have_no_effect(tmp_path: Path, name: str) -> None:
    for path, text in TREES[name].items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    run = Run("2026-11-30", "10.0", "gfx942", seed=1, version="test")
    asked, bare = (
        assess(open_source(tmp_path), SHIPPED(), run, scenario) for scenario in (Scenario(strategy=COPY), Scenario())
    )
    assert asked.estimate.options == bare.estimate.options
    told = (
        "No strategy is needed: there is no C, C++ or CUDA source of your own to port. "
        "The scenario asks for “duplicated-tree”, which has no effect."
    )
    for kind in ("md", "html"):
        assert told in re.sub(r"\s+", " ", render(asked, kind).decode("utf-8"))
        assert "No strategy is needed" not in render(bare, kind).decode("utf-8")
    (line,) = (one.text for one in asked.decision.assumptions if one.about == "strategy")
    assert line.startswith("The strategy “duplicated-tree” has no effect: ")
    assert "strategy" not in {one.about for one in bare.decision.assumptions}


def test_every_format_has_it() -> None:
    whole = assessed("hpc-stencil", "duplicated-tree")
    html = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", render(whole, "html").decode("utf-8")))
    for text in (html, render(whole, "md").decode("utf-8")):
        assert "A duplicated tree (two sources)" in text
        assert "priced: the scenario asks for it" in text
        assert "12.6, 38.6, 134.8" in text
    book = zipfile.ZipFile(io.BytesIO(render(whole, "xlsx")))
    assert "strategies" in book.read("xl/workbook.xml").decode("utf-8")
    rows = json.loads(render(whole, "json"))["estimate"]["strategies"]
    assert [(row["id"], row["chosen"], row["proposed"]) for row in rows] == [
        ("alias-header", False, True),
        ("hipify-at-build", False, False),
        ("abstraction-layer", False, False),
        ("duplicated-tree", True, False),
    ]


@cache
def _cheap_now(months: float) -> Assessment:
    """With a way that costs nothing now and much a year, and one the other way round."""
    first, second, *_ = SHIPPED().strategies
    ways = (
        replace(first, price=(), upkeep=Triple(2.0, 2.0, 2.0)),
        replace(second, price=(replace(first.price[0], host="", hours=Hours(80, 80, 80)),), unfit=()),
    )
    tree = open_source(data_folder("sample_repos") / "hpc-stencil", exclude=("expected.toml", "scenario.toml"))
    run = Run("2026-11-30", "10.0", "gfx942", seed=1, version="test", audience="external")
    return assess(tree, replace(SHIPPED(), strategies=ways), run, Scenario(horizon_months=months))


@pytest.mark.parametrize("made", [_cheap_now, lambda months: assessed("hpc-stencil", None, months, "external")])
def test_a_copy_for_others_does_not_tell_the_horizon(made: Callable[[float], Assessment]) -> None:
    """It is a term of the contract: whatever it is, what is proposed is the cheapest over the policy's."""
    copies = [render(made(months), "json") for months in (1.0, 12.0, 120.0)]
    estimates = [json.loads(copy)["estimate"] for copy in copies]
    assert estimates[0] == estimates[1] == estimates[2]
    rows = estimates[0]["strategies"]
    assert {row["horizon_years"] for row in rows} == {3}
    (proposed,) = (row for row in rows if row["proposed"])
    assert proposed["chosen"]
    assert proposed["horizon_hours"] == min(row["horizon_hours"] for row in rows if row["fits"])
    assert proposed["id"] == ("hipify-at-build" if made is _cheap_now else "alias-header")


def test_a_strategy_that_is_asked_for_is_in_every_scope() -> None:
    entries = (ScopeEntry("leave_out", "CMakeLists.txt", "because", "scope.toml:1"),)
    asked = _assess("hpc-stencil", Scenario(strategy="abstraction-layer"), scope=entries)
    bare = _assess("hpc-stencil", Scenario(), scope=entries)
    dearer = [a.hours["amd"].likely - b.hours["amd"].likely for a, b in zip(asked.scopes, bare.scopes, strict=True)]
    assert len(dearer) == 3
    assert min(dearer) >= 24


def test_every_scope_keeps_the_source_as_the_report_does() -> None:
    """The header fits one build file, and in the report there is one; the whole has two, and is priced with it too."""
    shipped = SHIPPED().strategies
    narrow = (replace(shipped[0], unfit=(Unfit("build_files", (), 1, "{figure} build files"),)), *shipped[2:])
    heuristics = replace(SHIPPED(), strategies=narrow)
    tree = open_source(data_folder("sample_repos") / "hpc-stencil", exclude=("expected.toml", "scenario.toml"))
    run = Run("2026-11-30", "10.0", "gfx942", seed=1, version="test")
    entries = (ScopeEntry("leave_out", "/CMakeLists.txt", "because", "scope.toml:1"),)
    scoped = assess(tree, heuristics, replace(run, scope=entries), Scenario())
    whole = assess(tree, heuristics, run, Scenario())
    assert [one.estimate.kept.id for one in (scoped, whole) if one.estimate.kept] == [
        "alias-header",
        "abstraction-layer",
    ]
    everything = next(total for total in scoped.scopes if total.what == "everything")
    layer = next(price.hours.likely for price in whole.estimate.strategies if price.id == "abstraction-layer")
    assert everything.hours["amd"].likely <= whole.estimate.options["amd"].hours.likely - layer * 0.5
