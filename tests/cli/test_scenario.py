"""A scenario on the command line: it may name the target, and the options go before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from estimator.cli import cli

SCENARIO = 'gfx = "gfx90a"\nrocm = "6.4"\ngpus_now = 8\nprice_now = 2.5\nprice_offered = 2.0\n'


@pytest.fixture
def code(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    (tmp_path / "code/a.cu").write_text("__global__ void scale(float *x) { x[threadIdx.x] *= 2; }\n")
    (tmp_path / "s.toml").write_text(SCENARIO)
    return tmp_path / "code"


def reported(code: Path, *options: str) -> dict[str, Any]:
    command = ["report", str(code), "--format", "json,html", "-o", str(code.parent / "out"), *options]
    result = CliRunner().invoke(cli, [*command, "--scenario", str(code.parent / "s.toml")], prog_name="unwarp")
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads((code.parent / "out/assessment.json").read_text())
    return told


def test_the_target_of_the_scenario_is_taken_where_no_option_names_one(code: Path) -> None:
    told = reported(code)
    assert told["run"]["target"] == {"rocm": "6.4", "gfx": "gfx90a", "memory_gib": 64.0}
    assert not [item for item in told["decision"]["assumptions"] if item["about"] in ("gfx", "rocm")]


def test_an_option_goes_before_it_and_the_report_says_so(code: Path) -> None:
    told = reported(code, "--gfx", "gfx942")
    assert told["run"]["target"]["gfx"] == "gfx942"
    assert told["run"]["target"]["rocm"] == "6.4"
    page = (code.parent / "out/report.html").read_text(encoding="utf-8")
    assert (
        page.count("The scenario names gfx gfx90a, the command gfx942: the command’s was taken.")
        + page.count("The scenario names gfx gfx90a, the command gfx942: the command&#39;s was taken.")
        >= 1
    )


def test_prices_without_a_date_are_told_on_the_page(code: Path) -> None:
    reported(code)
    page = (code.parent / "out/report.html").read_text(encoding="utf-8")
    assert page.count("price_offered has no date") == 1
    assert page.count("How fast the debt grows is not known") >= 1
