"""`unwarp backtest` from outside: the table, the machine-readable forms, further ports, faults."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from estimator.errors import WRONG_INPUT
from tests.cli.command import unwarp


def test_text_shows_ports_methods_and_what_it_does_not_say() -> None:
    result = unwarp("backtest")
    assert result.exit_code == 0, result.output
    for text in ("14 ports, each predicted from the others", "microsoft/LightGBM", "constant guess", "not counted"):
        assert text in result.output
    assert "What it doesn't" in result.output
    assert max(map(len, result.output.splitlines())) <= 144


def test_text_and_json_agree_and_repeat() -> None:
    first, again = (unwarp("backtest", "--format", "json").stdout for _ in range(2))
    assert first == again
    told = json.loads(first)
    summary = next(row for row in told["summaries"] if row["method"] == "reference class")
    assert all(summary["reached"].values())
    line = next(line for line in unwarp("backtest").output.splitlines() if line.startswith("reference class "))
    assert f"{summary['coverage']['value']:.2f} (" in line
    assert f"{summary['rank']['value']:.2f} (" in line


def test_csv_has_a_line_a_method() -> None:
    rows = list(csv.DictReader(io.StringIO(unwarp("backtest", "--format", "csv").stdout)))
    ours = [row for row in rows if row["method"] == "reference class" and row["counted"] == "yes"]
    assert len(ours) == 14
    for row in ours:
        inside = float(row["p10"]) <= float(row["actual"]) <= float(row["p90"])
        assert (row["inside"] == "yes") == inside


def test_further_ports(tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("repo,people,host_api_files,author_days\n=cmd,2,9,11\nus/two,1,60,30\n")
    result = unwarp("backtest", "--ports", tmp_path / "more.csv", "--format", "json")
    told = json.loads(result.stdout)
    assert (told["fresh"], told["summaries"][0]["ports"]) == (True, 2)
    assert "none of them in the class" in unwarp("backtest", "--ports", tmp_path / "more.csv").output
    assert "\n=cmd" not in unwarp("backtest", "--ports", tmp_path / "more.csv", "--format", "csv").output
    joined = json.loads(unwarp("backtest", "--own", tmp_path / "more.csv", "--format", "json").stdout)
    assert next(row["ports"] for row in joined["summaries"] if row["method"] == "reference class") == 16


def test_one_further_port_has_a_row_and_no_summary(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("people,host_api_files,author_days\n2,9,11\n")
    result = unwarp("backtest", "--ports", tmp_path / "one.csv")
    assert (result.exit_code, "row 1" in result.output) == (0, True)


def test_faults(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("people,host_api_files,author_days\n0,1,2\n1,1,-2\n")
    result = unwarp("backtest", "--ports", tmp_path / "bad.csv")
    assert (result.exit_code, result.stderr.count("bad.csv: row")) == (WRONG_INPUT, 2)
    assert unwarp("backtest", "--ports", tmp_path / "none.csv").exit_code == WRONG_INPUT
    both = unwarp("backtest", "--ports", tmp_path / "bad.csv", "--own", tmp_path / "bad.csv")
    assert (both.exit_code, "can't be combined" in both.stderr) == (WRONG_INPUT, True)


@pytest.mark.parametrize("option", ["--ports", "--own"])
def test_a_port_keeps_its_source_in_one_of_the_shipped_ways(tmp_path: Path, option: str) -> None:
    (tmp_path / "kept.csv").write_text("people,host_api_files,author_days,strategy\n2,7,12.5,alias-headers\n")
    result = unwarp("backtest", option, tmp_path / "kept.csv")
    assert result.exit_code == WRONG_INPUT
    assert "no strategy 'alias-headers' (did you mean 'alias-header'?); one of alias-header, hipify" in result.stderr


def test_the_readme_says_what_the_command_says(update_golden: bool) -> None:
    """`pytest tests/cli/test_backtest.py --update-golden` rewrites the block."""
    readme = Path(__file__).parents[2] / "heuristics/README.md"
    text = readme.read_text(encoding="utf-8")
    begin, end = "<!-- backtest: begin -->\n", "<!-- backtest: end -->"
    head, rest = text.split(begin)
    block, tail = rest.split(end)
    told = json.loads(unwarp("backtest", "--format", "json").stdout)["summaries"]
    rows = ["| | inside P10-P90 | P90/P10 | P50/actual | rank | error |", "|---|---|---|---|---|---|"]
    for row in told:
        figures = ["{value:.2f} ({low:.2f} to {high:.2f})".format(**row[name]) for name in ("coverage", "bias", "rank")]
        coverage, bias, rank = figures
        cells = (row["method"], coverage, f"{row['width']:.1f}", bias, rank, f"{row['error']:.2f}")
        rows.append(f"| {' | '.join(cells)} |")
    table = "\n".join(rows) + "\n"
    if update_golden:
        readme.write_text(head + begin + table + end + tail, encoding="utf-8")
    else:
        assert block == table


def test_json_holds_numbers_alone(tmp_path: Path) -> None:
    """The farthest port that a file may hold, beside two that are the same."""
    rows = "1000000,999999999,100000\n1,0,0.01\n1,0,0.01\n"
    (tmp_path / "far.csv").write_text(f"people,host_api_files,author_days\n{rows}")
    for option in ("--ports", "--own"):
        result = unwarp("backtest", option, tmp_path / "far.csv", "--format", "json")
        assert result.exit_code == 0, result.output
        assert "NaN" not in result.stdout
        assert "Infinity" not in result.stdout


def test_own_ports_say_that_nothing_was_searched(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("people,host_api_files,author_days\n2,9,11\n")
    assert "is made without --own" in unwarp("backtest", "--own", tmp_path / "own.csv").output
    assert "is made without --own" not in unwarp("backtest").output
