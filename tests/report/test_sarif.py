"""SARIF: what the standard requires, and fingerprints that outlive a shift of lines."""

from __future__ import annotations

import json
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from estimator.assessment import Assessment
from estimator.findings.values import Disposition
from estimator.report import render
from estimator.report.as_sarif import SCHEMA_ADDRESS

# Required properties and closed sets of values of the objects that we write, from the schema of SARIF 2.1.0.
REQUIRED = {
    "sarifLog": ("version", "runs"),
    "run": ("tool",),
    "tool": ("driver",),
    "toolComponent": ("name",),
    "reportingDescriptor": ("id",),
    "multiformatMessageString": ("text",),
    "invocation": ("executionSuccessful",),
    "notification": ("message",),
    "result": ("message",),
    "suppression": ("kind",),
}
LEVELS = {"none", "note", "warning", "error"}


def run_of(assessment: Assessment) -> dict[str, Any]:
    document = json.loads(render(assessment, "sarif"))
    assert document["version"] == "2.1.0"
    assert document["$schema"] == SCHEMA_ADDRESS
    (run,) = document["runs"]
    checked: dict[str, Any] = run
    return checked


def has(kind: str, value: dict[str, Any]) -> dict[str, Any]:
    assert all(name in value for name in REQUIRED[kind]), (kind, value)
    return value


def check_place(place: dict[str, Any]) -> None:
    uri = place["artifactLocation"]["uri"]
    assert uri
    assert not uri.startswith("/")
    assert not any(character in uri for character in " \\:\n?#")
    if region := place.get("region"):
        assert region["startLine"] >= 1
        assert region["endLine"] >= region["startLine"]
        assert region.get("startColumn", 1) >= 1


@pytest.mark.parametrize("name", ["sample", "nothing_to_port", "hostile"])
def test_required_properties_are_there(samples: ModuleType, name: str) -> None:
    assessment = getattr(samples, name)()
    run = has("run", run_of(assessment))
    driver = has("toolComponent", has("tool", run["tool"])["driver"])
    for rule in driver["rules"]:
        has("reportingDescriptor", rule)
        for text in ("shortDescription", "fullDescription", "help"):
            if text in rule:
                assert has("multiformatMessageString", rule[text])["text"]
    for invocation in run["invocations"]:
        for told in has("invocation", invocation)["toolExecutionNotifications"]:
            assert has("notification", told)["level"] in LEVELS
            check_place(told["locations"][0]["physicalLocation"])
    assert len(run["results"]) == len(assessment.found.sites)
    for result in run["results"]:
        assert has("result", result)["message"]["text"]
        assert result["level"] in LEVELS
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        check_place(result["locations"][0]["physicalLocation"])
        assert all(
            has("suppression", one)["kind"] in ("inSource", "external") for one in result.get("suppressions", ())
        )


def disposed(assessment: Assessment, disposition: Disposition, reason: str = "") -> Assessment:
    sites = tuple(replace(judged, disposition=disposition, reason=reason) for judged in assessment.found.sites)
    return replace(assessment, found=replace(assessment.found, sites=sites))


@pytest.mark.parametrize("disposition", list(Disposition))
def test_the_level_is_what_a_place_means(samples: ModuleType, disposition: Disposition) -> None:
    run = run_of(disposed(samples.sample(), disposition, "vendored code"))
    assert {result["level"] for result in run["results"]} == {"warning" if disposition == "debt" else "note"}
    justified = {result["suppressions"][0]["justification"] for result in run["results"] if "suppressions" in result}
    assert justified == ({"vendored code"} if disposition == "excluded" else set())


def prints(assessment: Assessment) -> list[str]:
    return [result["partialFingerprints"]["unwarp/v1"] for result in run_of(assessment)["results"]]


def test_fingerprints_outlive_a_shift_of_lines(samples: ModuleType) -> None:
    assessment = samples.sample(repeat=3)
    moved = tuple(
        replace(judged, site=replace(judged.site, line=judged.site.line + 7, end_line=judged.site.end_line + 7))
        for judged in assessment.found.sites
    )
    shifted = replace(assessment, found=replace(assessment.found, sites=moved))
    assert prints(shifted) == prints(assessment)
    assert len(set(prints(assessment))) == len(assessment.found.sites)


def test_an_external_copy_shows_no_code(samples: ModuleType) -> None:
    run = run_of(samples.sample(audience="external"))
    assert "snippet" not in json.dumps(run)


def test_a_row_for_many_places_says_so(samples: ModuleType) -> None:
    assessment = samples.sample()
    first, *rest = assessment.found.sites
    many = replace(first, site=replace(first.site, count=300))
    run = run_of(replace(assessment, found=replace(assessment.found, sites=(many, *rest))))
    assert run["results"][0]["occurrenceCount"] == 300
