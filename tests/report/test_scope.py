"""The section that shows the scopes side by side."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import jsonschema

from estimator.assessment import schema, to_json
from estimator.decision.values import Scenario
from estimator.report import render
from estimator.report.audience import for_audience
from estimator.report.page import page
from estimator.report.sections.scope import totals, view


def test_scopes_stand_side_by_side_with_their_changes(samples: ModuleType) -> None:
    assessment = samples.sample()
    day = assessment.estimate.hours_per_day
    table = totals(assessment)
    rows = {row[0]: row for row in table.rows}
    assert list(rows) == [
        "As found, without the scope file",
        "Put back: third_party/fork/",
        "Everything",
        "Postponed: kernel gather_*",
        "All entries together: this report",
        "Postponed: on top of this report",
        "This report and what is postponed",
    ]
    assert rows["Everything"][1:4] == (f"{420 / day:.1f}", f"{600 / day:.1f}", f"+{42 / day:.1f}")
    assert rows["Postponed: kernel gather_*"][3] == f"−{84 / day:.1f}"
    assert rows["This report and what is postponed"][3] == "0.0"
    assert rows["As found, without the scope file"][3] == ""
    assert [table.rows[index][0] for index in table.strong] == ["Everything", "All entries together: this report"]
    assert rows["Everything"][-1] == "Stay with NVIDIA"
    assert rows["Postponed: kernel gather_*"][-1] == "Move to AMD"
    assert rows["Postponed: on top of this report"][-1] == ""


def test_all_formats_with_tables_show_them(samples: ModuleType) -> None:
    assessment = samples.sample()
    for text in (page(assessment), render(assessment, "md").decode()):
        assert "All entries together: this report" in text
        assert "Put back: third_party/fork/" in text


def test_without_a_scope_file_there_is_no_section(samples: ModuleType) -> None:
    assessment = replace(samples.sample(), scope=(), scopes=())
    assert view(assessment) is None
    assert "Scopes side by side" not in page(assessment)
    assert "Scopes side by side" not in render(assessment, "md").decode()


def test_a_copy_for_others_tells_no_verdict_that_prices_had_a_part_in(samples: ModuleType) -> None:
    whole = samples.sample()
    external = replace(whole, run=replace(whole.run, audience="external"))
    priced = replace(external, scenario=samples.priced_scenario())
    assert {row.verdict for row in for_audience(priced).scopes} == {None}
    assert for_audience(replace(external, scenario=Scenario())).scopes == whole.scopes


def test_the_json_form_has_verdicts_and_functions_and_keeps_to_its_schema(samples: ModuleType) -> None:
    told = to_json(samples.sample())
    jsonschema.validate({"scopes": told["scopes"]}, {**_part("scopes"), "$defs": schema()["$defs"]})
    assert [row["verdict"] for row in told["scopes"]].count(None) == 1
    jsonschema.validate(told["run"]["scope"], schema()["properties"]["run"]["properties"]["scope"])
    assert all("functions" in row for row in told["run"]["scope"])


def _part(name: str) -> dict[str, Any]:
    return {"properties": {name: schema()["properties"][name]}}
