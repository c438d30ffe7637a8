"""The tables of prices: the shipped ones load, and faults are named, all at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge.performance import load_performance
from estimator.knowledge.units import load_units
from estimator.knowledge.values import PARTS as LINE_PARTS
from estimator.knowledge.values import Repeat, Unpriced, Weight
from estimator.knowledge.weights import ONCE, PARTS, PER, load_weights
from estimator.quantities import Hours

HEURISTICS = Path(__file__).resolve().parents[2] / "heuristics"
DEFAULT = HEURISTICS / "weights" / "default.toml"

GOOD = """
[warp.primitive]
title = "Shuffles"
part = "remediation"
phase = "right"
unit = "call site"
per = "site"
amd = { low = 0.05, likely = 0.15, high = 1 }
triton-first = { low = 0, likely = 0, high = 0.25 }
repeat = { to_10 = 0.25, after = 0.1 }
grade = { amd = "B", triton-first = "C" }
source = "somewhere"
why = "because"

[tensor-core]
unpriced = "no finished port to learn from yet"
"""


def loaded(tmp_path, text, overlay=None):
    default = tmp_path / "default.toml"
    default.write_text(text)
    if overlay is None:
        return load_weights(default, None)
    team = tmp_path / "team.toml"
    team.write_text(overlay)
    return load_weights(default, team)


def faults(tmp_path, text, overlay=None):
    with pytest.raises(EstimatorError) as caught:
        loaded(tmp_path, text, overlay)
    return str(caught.value).replace(f"{tmp_path}/", "").splitlines()


def test_the_shipped_table_holds_every_row():
    weights = load_weights(DEFAULT, None)
    priced = [weight for weight in weights.values() if isinstance(weight, Weight)]
    assert len(priced) == 95
    assert len(weights) - len(priced) == 9
    assert {weight.part for weight in priced} == set(PARTS)
    assert weights["warp.size32"].hours == {"amd": Hours(0.25, 1.5, 12), "triton-first": Hours(0, 0, 0.25)}
    assert weights["project.upkeep_year"].hours["amd"] == Hours(0.1, 0.25, 0.7)
    assert weights["lib.cudnn_legacy.fixed"].charged_with == ("lib.cudnn_legacy.symbol",)
    assert isinstance(weights["communication"], Unpriced)
    assert weights["feature.bf16"].feature == "bf16"


def test_grades_are_those_that_the_readme_states():
    weights = [weight for weight in load_weights(DEFAULT, None).values() if isinstance(weight, Weight)]
    counts = {o: {g: sum(w.grade[o] == g for w in weights) for g in "ABC"} for o in ("amd", "triton-first")}
    assert counts == {"amd": {"A": 4, "B": 30, "C": 61}, "triton-first": {"A": 2, "B": 9, "C": 84}}


def test_parts_are_those_of_the_lines_and_upkeep():
    assert (*LINE_PARTS, "upkeep") == PARTS


def test_the_readme_explains_every_way_of_counting():
    text = (HEURISTICS / "README.md").read_text()
    assert [name for name in PER if f"`{name}`" not in text] == []


def test_a_table_becomes_a_weight(tmp_path):
    weights = loaded(tmp_path, GOOD)
    assert list(weights) == ["warp.primitive", "tensor-core"]
    assert weights["warp.primitive"].repeat == Repeat(0.25, 0.1)
    assert weights["tensor-core"] == Unpriced("tensor-core", "no finished port to learn from yet")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("likely = 0.15", "likely = 2", "amd: low <= likely <= high must hold, not 0.05, 2, 1"),
        ("low = 0.05", "low = -1", "warp.primitive.amd.low: must be at least 0 (given: -1)"),
        ("high = 1 }", "high = inf }", "warp.primitive.amd.high: must be a finite number (given: inf)"),
        ("to_10 = 0.25", "to_10 = 1.5", "warp.primitive.repeat.to_10: must be at most 1 (given: 1.5)"),
        ("after = 0.1", "after = 0.5", "warp.primitive.repeat: shares must not rise"),
        ('amd = "B"', 'amd = "D"', "warp.primitive.grade.amd: must be 'A', 'B' or 'C' (given: 'D')"),
        ('per = "site"', 'per = "sites"', "no way of counting 'sites' (did you mean 'site'?)"),
        ('per = "site"', 'per = "year"', "part 'upkeep' and per 'year' belong together"),
        ('per = "site"', 'per = "repository"', "a row per repository needs 'charged_with'"),
        ('phase = "right"', 'phase = ""', "every part but 'upkeep' has a phase"),
        ('part = "remediation"', 'part = "remedy"', "no part 'remedy'"),
        ('source = "somewhere"', 'source = ""', "warp.primitive.source: must not be empty"),
        ('why = "because"', 'why = "because"\nmost = 0.1', "'most' ends a row of places"),
        ('why = "because"', 'why = "because"\ncolour = 1', "warp.primitive.colour: no such key is known here"),
        ('why = "because"', 'why = "because"\ncharged_with = ["warp.x"]', "charged_with: no weight class 'warp.x'"),
        ('why = "because"', 'why = "because"\ndone_by = "x"', "done_by: must be '' or 'amd-build' (given: 'x')"),
        ('why = "because"', 'why = "because"\ndone_by = "amd-build"', "'done_by' is for rows that come once"),
        ('unit = "call site"\n', "", "warp.primitive.unit: is missing"),
        ("low = 0.05", "low = true", "warp.primitive.amd.low: must be a number (given: true)"),
        ("low = 0.05", 'low = "2"', "warp.primitive.amd.low: must be a number (given: '2')"),
        ("low = 0.05", 'low = "\\u001b' + "x" * 99 + '"', "must be a number (given: '\\x1bxxx"),
        ("amd = { low = 0.05, likely = 0.15, high = 1 }", "amd = 3", "warp.primitive.amd: must be a table (given: 3)"),
        ('source = "somewhere"', "source = 2026-01-01", "source: must be text in quotes (given: 2026-01-01)"),
        ('why = "because"', 'why = "because"\ncharged_with = 1', "charged_with: must be a list (given: 1)"),
        ("[warp.primitive]", "loose = 1\n[warp.primitive]", "loose: stands outside a table"),
        ("[warp.primitive]", "[warp.primitive", "not valid TOML"),
        ("unpriced = ", "unpricd = ", "tensor-core.unpricd: no such key is known here"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_file_and_key(tmp_path, old, new, fault):
    assert old in GOOD
    messages = faults(tmp_path, GOOD.replace(old, new, 1))
    assert all(message.startswith("default.toml: ") for message in messages)
    assert any(fault in message for message in messages)


def test_all_faults_come_at_once(tmp_path):
    bad = GOOD.replace("likely = 0.15", "likely = 2").replace("after = 0.1", "after = 0.5")
    messages = faults(tmp_path, bad, '[warp.primitve]\ntitle = "x"\n[tensor-core]\nunpriced = ""')
    assert len(messages) == 4
    assert any("team.toml: no weight class 'warp.primitve' (did you mean 'warp.primitive'?)" in m for m in messages)
    assert any(message.startswith("team.toml: tensor-core.unpriced") for message in messages)


def test_an_empty_table_is_an_error(tmp_path):
    assert faults(tmp_path, "") == ["default.toml: no weight classes; a class is a table such as [warp.primitive]"]


def test_an_overlay_replaces_single_keys(tmp_path):
    team = '[warp.primitive]\namd = { likely = 0.3 }\nsource = "our last port"'
    weight = loaded(tmp_path, GOOD, team)["warp.primitive"]
    assert weight.hours["amd"] == Hours(0.05, 0.3, 1)
    assert (weight.source, weight.title) == ("our last port", "Shuffles")


def test_an_overlay_prices_an_unpriced_class_and_the_other_way_round(tmp_path):
    table = GOOD.partition("[tensor-core]")[0].replace("warp.primitive", "tensor-core")
    assert isinstance(loaded(tmp_path, GOOD, table)["tensor-core"], Weight)
    assert loaded(tmp_path, GOOD, '[warp.primitive]\nunpriced = "we never did one"')["warp.primitive"] == Unpriced(
        "warp.primitive", "we never did one"
    )


def test_an_overlay_that_prices_half_a_class_says_what_is_missing(tmp_path):
    messages = faults(tmp_path, GOOD, "[tensor-core]\namd = { low = 1, likely = 2, high = 3 }")
    assert "team.toml: tensor-core.title: is missing" in messages


def test_a_misspelt_key_of_an_overlay_is_named(tmp_path):
    messages = faults(tmp_path, GOOD, "[warp.primitive]\nadm = { likely = 0.3 }")
    assert messages == ["team.toml: warp.primitive.adm: no such key is known here"]


def test_a_missing_overlay_is_named(tmp_path):
    with pytest.raises(EstimatorError, match=r"none\.toml: no such file"):
        load_weights(DEFAULT, tmp_path / "none.toml")


def test_what_is_once_for_a_programme_says_so():
    weights = load_weights(DEFAULT, None)
    assert (weights["project.setup"].per, weights["people.learning"].per) == ("programme", "engineer")
    assert weights["project.setup"].repeat == Repeat(0.4, 0.4)


def test_only_what_a_script_does_has_an_end():
    ended = {w.id for w in load_weights(DEFAULT, None).values() if isinstance(w, Weight) and w.most}
    assert {key.partition(".")[0] for key in ended} == {"runtime", "shim", "lib", "tool", "warp"}
    assert not ended & {"warp.size32", "ptx.simple", "lib.cutlass.symbol", "kernel.elementwise"}


def test_rows_charged_once_name_what_brings_them():
    for weight in load_weights(DEFAULT, None).values():
        if isinstance(weight, Weight) and weight.per in ONCE:
            assert weight.charged_with


def test_the_shipped_units_load():
    units = load_units(HEURISTICS / "units.toml")
    assert (units.hours_per_day, units.draws, units.sigma["scan"]) == (7, 20_000, 0.54)


def test_the_readme_names_the_conversions_as_they_are():
    """Numbers in prose are those of the table; whoever changes the table is told where else they stand."""
    units, text = load_units(HEURISTICS / "units.toml"), " ".join((HEURISTICS / "README.md").read_text().split())
    scan, pilot, piece = (f"{units.sigma[stage]:g}" for stage in ("scan", "pilot", "slice"))
    assert f"{scan} after a scan, {pilot} after a pilot of one module, {piece} after a vertical slice" in text
    assert f"come from {units.draws:,} draws" in text
    assert f"An author-day ({units.hours_per_day:g} h)" in text
    comments = " ".join((HEURISTICS / "units.toml").read_text().replace("#", " ").split())
    year = round(units.days_per_month * 12 * units.hours_per_day, -1)
    assert f"{year:,.0f} productive hours a year" in comments
    assert f"/ 12 months / {units.hours_per_day:g} h" in comments


def test_all_faults_of_the_units_come_at_once(tmp_path):
    text = (HEURISTICS / "units.toml").read_text()
    path = tmp_path / "units.toml"
    path.write_text(re.sub(r"hours_per_day = 7", "hours_per_day = 70", text).replace("scan = ", "skan = "))
    with pytest.raises(EstimatorError) as caught:
        load_units(path)
    assert "units.toml: hours_per_day: must be at most 24 (given: 70)" in str(caught.value)
    assert "the stage 'scan' is missing" in str(caught.value)


def test_the_shipped_speeds_load_and_name_classes():
    weights = load_weights(DEFAULT, None)
    speeds = load_performance(HEURISTICS / "performance.csv", weights)
    assert speeds["kernel.irregular"].triton_factor == (0.15, 0.65, 0.76)
    assert speeds["kernel.tensor_wmma"].triton_factor == (0.9, 1.0, 1.3)


def test_all_faults_of_the_speeds_come_at_once(tmp_path):
    text = (HEURISTICS / "performance.csv").read_text()
    path = tmp_path / "performance.csv"
    changes = (("0.95,1.00,1.05", "0.95,0.5,1.05"), ("kernel.reduction", "kernel.redaction"), ("0.85,0.96", "x,0.96"))
    for old, new in changes:
        text = text.replace(old, new, 1)
    text = text.replace("0.40,0.00,0.20,0.45", "0.40,0.00,0.20,4.5").replace('"H200: int4 dequantising GEMV"', "")
    path.write_text(text + text.splitlines()[-1])
    with pytest.raises(EstimatorError) as caught:
        load_performance(path, load_weights(DEFAULT, None))
    messages = str(caught.value)
    assert "kernel.elementwise: triton: low <= likely <= high must hold" in messages
    assert "kernel.redaction: no weight class of this name (did you mean 'kernel.reduction'?)" in messages
    assert "kernel.smem_tiled: triton_low: not a number: 'x'" in messages
    assert "kernel.tensor_wmma: triton_risk: must lie between 0 and 0.99" in messages
    assert "kernel.quantised: stands there twice" in messages
    assert "kernel.quantised: the source is missing" in messages
