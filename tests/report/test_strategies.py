"""How the source is kept, in the report: one table, the same figures in every format."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from functools import cache

import pytest

from estimator.assessment import Assessment, Run, assess
from estimator.decision.values import Scenario
from estimator.findings.scope import ScopeEntry
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Unfit
from estimator.report import render
from estimator.report.sections import options
from estimator.resources import data_folder
from estimator.sources import open_source

SHIPPED = cache(load_heuristics)


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


def test_a_copy_for_others_does_not_tell_the_horizon() -> None:
    """It is a term of the contract: the policy's stands in its place."""
    short, long = (render(assessed("hpc-stencil", None, months, "external"), "json") for months in (12.0, 60.0))
    rows = [json.loads(made)["estimate"]["strategies"] for made in (short, long)]
    assert rows[0] == rows[1]
    assert {row["horizon_years"] for row in rows[0]} == {3}
    assert assessed("hpc-stencil", None, 12.0, "external").estimate.strategies[0].horizon_years == 1


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
