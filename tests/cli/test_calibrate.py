"""`unwarp calibrate` from outside: from a report to weights of one's own and back into a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from estimator.errors import WRONG_INPUT
from tests.cli.command import KERNEL, unwarp


@pytest.fixture
def reported(tmp_path: Path) -> Path:
    """An assessment of one small file."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code/a.cu").write_text(KERNEL)
    result = unwarp("report", tmp_path / "code", "-o", tmp_path / "out", "--format", "json", "--date", "2026-01-02")
    assert result.exit_code == 0, result.output
    return tmp_path / "out/assessment.json"


def parts(path: Path) -> dict[str, float]:
    option = json.loads(path.read_text())["estimate"]["options"]["amd"]
    return {name: part["likely"] for name, part in option["parts"].items()}


def test_weights_go_back_into_a_report(reported: Path, tmp_path: Path) -> None:
    """Setting up, one kind of work here, took four times the estimate: it doubles, and no other part moves."""
    before = parts(reported)
    lines = json.loads(reported.read_text())["estimate"]["options"]["amd"]["lines"]
    setup = sum(line["p50"] for line in lines if line["part"] == "setup")
    (tmp_path / "actuals.csv").write_text(f"part,hours\nsetup,{4 * setup}\n")
    result = unwarp("calibrate", tmp_path / "actuals.csv", "--assessment", reported, "-o", tmp_path / "ours.toml")
    assert result.exit_code == 0, result.output
    assert "note:" not in result.stderr
    again = unwarp(
        *("report", tmp_path / "code", "-o", tmp_path / "new", "--format", "json", "--date", "2026-01-02"),
        *("--weights", tmp_path / "ours.toml"),
    )
    assert again.exit_code == 0, again.output
    after = parts(tmp_path / "new/assessment.json")
    assert after.pop("setup") == pytest.approx(2 * before.pop("setup"), rel=1e-4)
    assert after == before
    gaps = json.loads((tmp_path / "new/assessment.json").read_text())["reliability"]["gaps"]
    (gap,) = [one for one in gaps if "calibrated" in one]
    assert gap.startswith(
        "The estimate is calibrated on 1 row of actuals.csv; no actual hours stand behind conversion,"
    )
    assert "setup" not in gap


def test_a_finding_that_several_rows_price_is_told_as_their_sum(reported: Path, tmp_path: Path) -> None:
    told = json.loads(reported.read_text())
    option = told["estimate"]["options"]["amd"]
    finding = next(one for line in option["lines"] for one in line["findings"])
    lines = [line for line in option["lines"] if finding in line["findings"]]
    for part in ("kernels", "delivery"):
        option["lines"].append({**lines[0], "weight": f"extra.{part}", "part": part, "p50": 3.0, "findings": [finding]})
    reported.write_text(json.dumps(told))
    (tmp_path / "actuals.csv").write_text(f"finding,hours\n{finding},4\n")
    result = unwarp("calibrate", tmp_path / "actuals.csv", "--assessment", reported)
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[1].split()[:2] == [finding, str(len(lines) + 2)]
    assert f"{finding}: hours can't be told apart by part" in result.output


def test_no_gain_is_said(reported: Path, tmp_path: Path) -> None:
    (tmp_path / "actuals.csv").write_text("part,hours\nsetup,400\n")
    result = unwarp("calibrate", tmp_path / "actuals.csv", "--assessment", reported)
    assert "no gain; these rows don't foretell one another yet" in result.output
    assert "1 row is few" in result.output


def test_other_tables_are_said(reported: Path, tmp_path: Path) -> None:
    told = json.loads(reported.read_text())
    told["run"]["knowledge"]["digest"] = "0"
    reported.write_text(json.dumps(told))
    (tmp_path / "actuals.csv").write_text("part,hours\nsetup,4\n")
    result = unwarp("calibrate", tmp_path / "actuals.csv", "--assessment", reported)
    assert (result.exit_code, "priced with other tables" in result.stderr) == (0, True)


def test_faults_end_with_two_and_write_nothing(reported: Path, tmp_path: Path) -> None:
    (tmp_path / "actuals.csv").write_text("part,hours\nsetupp,4\nsetup,-1\n")
    result = unwarp("calibrate", tmp_path / "actuals.csv", "--assessment", reported, "-o", tmp_path / "ours.toml")
    assert (result.exit_code, result.stderr.count("actuals.csv: row")) == (WRONG_INPUT, 2)
    assert "did you mean 'setup'" in result.stderr
    assert "setup (Set-up: tools, hardware, CI)" in result.stderr
    assert not (tmp_path / "ours.toml").exists()
    missing = unwarp("calibrate", tmp_path / "actuals.csv", "--assessment", tmp_path / "none.json")
    assert (missing.exit_code, "no such file" in missing.stderr) == (WRONG_INPUT, True)


def test_what_is_read_is_not_written_over(reported: Path, tmp_path: Path) -> None:
    (tmp_path / "actuals.csv").write_text("part,hours\nsetup,400\n")
    for path in (tmp_path / "actuals.csv", reported):
        before = path.read_bytes()
        result = unwarp("calibrate", tmp_path / "actuals.csv", "--assessment", reported, "-o", path)
        assert (result.exit_code, "is read as well" in result.stderr) == (WRONG_INPUT, True)
        assert path.read_bytes() == before


def test_weights_that_could_not_be_used_are_not_written(reported: Path, tmp_path: Path) -> None:
    """Hours near the largest number there is, doubled: no report could be made with them."""
    (tmp_path / "huge.toml").write_text("[project.setup]\namd = { low = 1e308, likely = 1e308, high = 1e308 }\n")
    (tmp_path / "actuals.csv").write_text("part,hours\nsetup,4000\n")
    inputs = (tmp_path / "actuals.csv", "--assessment", reported, "--weights", tmp_path / "huge.toml")
    result = unwarp("calibrate", *inputs, "-o", tmp_path / "ours.toml")
    assert (result.exit_code, "ours.toml: not written" in result.stderr) == (WRONG_INPUT, True), result.output
    assert not (tmp_path / "ours.toml").exists()
