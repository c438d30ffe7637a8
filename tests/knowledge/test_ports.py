"""Ports that happened: the shipped file is what it says, and faults of another are named, all at once."""

from __future__ import annotations

import csv
from statistics import median

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge.ports import OWN_LAYER, load_ports, load_reference_rule
from estimator.knowledge.values import COUNTS
from estimator.resources import data_folder

SHIPPED = data_folder("heuristics") / "ports.csv"
RULE = data_folder("heuristics") / "reference.toml"
STRATEGIES = ("alias-header", "hipify-at-build", "abstraction-layer", "duplicated-tree")


def written(tmp_path, text):
    (tmp_path / "ports.csv").write_text(text)
    return tmp_path / "ports.csv"


def test_the_shipped_ports_agree_with_what_is_known_of_them():
    """Author-days, people, scope and strategy are those of the table that the counts were made from."""
    known = SHIPPED.parents[1] / "benchmarks/truth/ports.csv"
    with known.open(encoding="utf-8") as file:
        table = list(csv.DictReader(line for line in file if not line.startswith("#")))
    ports = load_ports(SHIPPED, STRATEGIES)
    told = [(p.repo, p.author_days, p.counts.get("people"), p.counted, p.kind, p.strategy) for p in ports]
    people = [float(row["people"]) if row["people"] else None for row in table]
    assert told == [
        (row["repo"], float(row["author_days"]), number, row["counted"] == "yes", row["kind"], row["strategy"])
        for row, number in zip(table, people, strict=True)
    ]
    counted = [port for port in ports if port.counted]
    assert len(counted) == 14
    assert all(port.strategy and port.functional and set(COUNTS) <= port.counts.keys() for port in counted)


def test_the_readme_tells_what_each_strategy_took():
    ports = [port for port in load_ports(SHIPPED, STRATEGIES) if port.strategy]
    rows = []
    for strategy in STRATEGIES:
        days = sorted(port.author_days for port in ports if port.counted and port.strategy == strategy)
        span = f"{days[0]:g} to {days[-1]:g}" if len(days) > 1 else f"{days[0]:g}"
        beside = [f"{p.repo} {p.author_days:g}" for p in ports if not p.counted and p.strategy == strategy]
        rows.append(f"| {strategy} | {len(days)} | {span} | {median(days):g} | {', '.join(beside)} |")
    told = (SHIPPED.parent / "README.md").read_text(encoding="utf-8")
    table = told.split("<!-- strategies: begin -->")[1].split("<!-- strategies: end -->")[0]
    assert table.strip().splitlines()[2:] == rows


def test_three_columns_are_enough(tmp_path):
    (port,) = load_ports(written(tmp_path, "people,host_api_files,author_days\n2,7,12.5\n"), STRATEGIES)
    assert (port.repo, port.author_days, port.counts) == ("row 1", 12.5, {"people": 2, "host_api_files": 7})
    assert (port.counted, port.functional) == (True, None)


def test_all_faults_are_named_at_once(tmp_path):
    path = written(
        tmp_path,
        "repo,people,host_api_files,author_days,counted,functional_p50\n"
        "a,0,-3,nan,maybe,\nb,2,,5,yes,\nc,2,1,5,yes,9\nd,,,5,no,\n",
    )
    with pytest.raises(EstimatorError) as caught:
        load_ports(path, STRATEGIES)
    faults = str(caught.value).replace(f"{path}: ", "").splitlines()
    assert [fault.split(")")[0] for fault in faults] == [*["row 1 (a"] * 4, "row 2 (b", "row 3 (c"]
    for fault, name in zip(faults, ("author_days", "people", "counted", "host_api_files"), strict=False):
        assert name in fault
    assert "host_api_files: missing" in faults[4]
    assert "belong together" in faults[5]


def test_a_strategy_is_one_of_those_given_or_none(tmp_path):
    head = "people,host_api_files,author_days,strategy\n"
    ports = load_ports(written(tmp_path, f"{head}2,7,12.5,duplicated-tree\n2,7,12.5,\n"), STRATEGIES)
    assert [port.strategy for port in ports] == ["duplicated-tree", ""]
    with pytest.raises(EstimatorError, match=r"row 1\.strategy: .*'alias-headers' \(did you mean 'alias-header'\?\)"):
        load_ports(written(tmp_path, f"{head}2,7,12.5,alias-headers\n"), STRATEGIES)


def test_all_strategies_that_were_not_given_are_named_at_once(tmp_path):
    text = "people,host_api_files,author_days,strategy\n2,7,12.5,copy\n2,7,12.5,copi\n-2,7,12.5,alias-header\n"
    with pytest.raises(EstimatorError) as caught:
        load_ports(written(tmp_path, text), ("copy", "layer"))
    assert str(caught.value).replace(f"{tmp_path}/ports.csv: ", "").splitlines() == [
        "row 2.strategy: no strategy 'copi' (did you mean 'copy'?); one of copy, layer",
        "row 3.people: must be at least 1 (given: '-2')",
        "row 3.strategy: no strategy 'alias-header'; one of copy, layer",
    ]
    (port,) = load_ports(written(tmp_path, text.partition("\n2,7,12.5,copi")[0]), ("copy", "layer"))
    assert port.strategy == "copy"


def test_a_layer_and_a_copy_are_told_from_ways_that_keep_the_names_of_cuda():
    kept = {port.strategy: port.counts.get(OWN_LAYER) for port in load_ports(SHIPPED, STRATEGIES)}
    known = {"alias-header": 0, "hipify-at-build": 0, "abstraction-layer": 1, "duplicated-tree": 1}
    assert kept == {**known, "": None}


def test_hours_of_nothing_give_no_ratio(tmp_path):
    head = "people,host_api_files,author_days,functional_p10,functional_p50,functional_p90\n"
    with pytest.raises(EstimatorError, match=r"row 1\.functional_p10: must be at least 0\.01"):
        load_ports(written(tmp_path, f"{head}2,7,12.5,0,3,9\n"), STRATEGIES)
    with pytest.raises(EstimatorError, match=r"row 1\.author_days: must be at least 0\.01"):
        load_ports(written(tmp_path, "people,host_api_files,author_days\n2,7,1e-300\n"), STRATEGIES)


def test_of_many_faults_twenty_are_named(tmp_path):
    head = "people,host_api_files,author_days\n"
    with pytest.raises(EstimatorError) as caught:
        load_ports(written(tmp_path, head + "0,1,2\n" * 100), STRATEGIES)
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[19].endswith("(given: '0')")
    assert lines[20].endswith("… and 80 more rows, not looked at")


def test_a_missing_column_is_named(tmp_path):
    with pytest.raises(EstimatorError, match="column 'host_api_files' is missing"):
        load_ports(written(tmp_path, "people,author_days\n1,2\n"), STRATEGIES)


def test_the_rule_names_what_it_does_not_know(tmp_path):
    weights = ("kernel.tensor_wmma",)
    text = RULE.read_text().replace('"host_api_files"]', '"host_api_flies"]', 1)
    (tmp_path / "reference.toml").write_text(text)
    with pytest.raises(EstimatorError, match="did you mean 'host_api_files'"):
        load_reference_rule(tmp_path / "reference.toml", weights)
    with pytest.raises(EstimatorError, match=r"unlike: no weight class 'kernel\.tensor_raw'"):
        load_reference_rule(RULE, weights)
