"""Calibration: multipliers are shrunk as promised, faults are named all at once, the overlay loads again."""

from __future__ import annotations

import json
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.effort.calibration import Actual, calibrate, overlay, read_actuals, read_estimated
from estimator.errors import EstimatorError
from estimator.knowledge.values import Weight
from estimator.knowledge.weights import load_weights
from estimator.resources import data_folder

SIGMA = 0.54
DEFAULT = data_folder("heuristics") / "weights" / "default.toml"


def line(weight, part, p50, *findings, **more):
    return {"weight": weight, "part": part, "phase": "right", "p50": p50, "findings": list(findings), **more}


def multiplier(name, *, parts=(), weights=()):
    return {"id": name, "parts": list(parts), "weights": list(weights)}


LINES = [
    line("warp.size32", "remediation", 40.0, "F001", "F002"),
    line("warp.primitive", "remediation", 10.0, "F003"),
    line("build.base", "delivery", 12.0),
]


@pytest.fixture
def estimated(tmp_path):
    return assessment(tmp_path, LINES)


def assessment(tmp_path, lines, option="amd", multipliers=()):
    sites = {"F001": [0, 1, 2], "F002": [3], "F003": [4]}
    told = {
        "run": {"knowledge": {"digest": "abc"}},
        "findings": [{"id": name, "sites": indexes} for name, indexes in sites.items()],
        "estimate": {
            "sigma": SIGMA,
            "options": {"amd": {"lines": lines}, "nvidia": {"lines": []}},
            "multipliers": list(multipliers),
        },
    }
    (tmp_path / "assessment.json").write_text(json.dumps(told))
    return read_estimated(tmp_path / "assessment.json", option)


def actuals(tmp_path, text, estimated):
    (tmp_path / "actuals.csv").write_text(text)
    return read_actuals(tmp_path / "actuals.csv", estimated)


def faults(tmp_path, text, estimated):
    with pytest.raises(EstimatorError) as caught:
        actuals(tmp_path, text, estimated)
    return str(caught.value).replace(f"{tmp_path}/actuals.csv: ", "").splitlines()


def took(part, *ratios):
    return [Actual(f"{part}{i}", part, 10.0, 10.0 * ratio) for i, ratio in enumerate(ratios)]


def test_rows_name_a_finding_a_weight_or_a_part(tmp_path, estimated):
    """A finding has its share of its row's hours, by places."""
    rows = actuals(tmp_path, "finding,weight,part,hours\nF001,,,60\n,warp.primitive,,5\n,,delivery,24\n", estimated)
    assert [(row.part, row.estimated, row.hours) for row in rows] == [
        ("remediation", 30, 60),
        ("remediation", 10, 5),
        ("delivery", 12, 24),
    ]


def test_what_is_not_done_is_left_out(tmp_path, estimated):
    rows = actuals(tmp_path, "weight,hours,done\nwarp.primitive,5,no\nbuild.base,6,yes\nwarp.size32,7,\n", estimated)
    assert [row.name for row in rows] == ["build.base", "warp.size32"]


def test_multipliers_of_the_undertaking_are_part_of_what_was_estimated(tmp_path):
    """Weak tests added half to remediation: 15 h were estimated where the row alone says 10."""
    lines = [*LINES, line("times.weak_tests", "remediation", 25.0, multiplier="weak_tests")]
    made = assessment(tmp_path, lines, multipliers=[multiplier("weak_tests", parts=["remediation"])])
    (row,) = actuals(tmp_path, "weight,hours\nwarp.primitive,30\n", made)
    assert row.estimated == pytest.approx(15)


def test_a_multiplier_lifts_only_the_rows_that_it_acts_on(tmp_path):
    """All 25 h belong to one row of the part; the other, and one of another phase, stay."""
    lines = [
        *LINES,
        line("warp.ballot", "remediation", 8.0, phase="fast"),
        line("times.parity", "remediation", 25.0, multiplier="parity"),
    ]
    made = assessment(tmp_path, lines, multipliers=[multiplier("parity", weights=["warp.primitive", "warp.ballot"])])
    assert dict(made.hours) == pytest.approx(
        {"warp.size32": 40, "warp.primitive": 35, "build.base": 12, "warp.ballot": 8}
    )


def test_all_faults_are_named_at_once(tmp_path, estimated):
    rows = ("F009,,,1,", ",warp.primitve,,-2,", ",,remediaton,3,perhaps", "F001,warp.size32,,x,", ",,,inf,", "")
    text = "\n".join(("finding,weight,part,hours,done", *rows))
    told = faults(tmp_path, text, estimated)
    assert told[0].startswith("row 1: no finding 'F009' was priced in the assessment (did you mean 'F00")
    assert "row 2: hours: must be a number above 0, at most 1,000,000 (given: '-2')" in told
    assert "row 2: no weight 'warp.primitve' was priced in the assessment (did you mean 'warp.primitive'?)" in told
    assert "row 3: done: must be yes or no (given: 'perhaps')" in told
    assert "row 3: no part 'remediaton' was priced in the assessment (did you mean 'remediation'?)" in told
    assert "row 4: exactly one of finding, weight, part must be given, not 2" in told
    assert "row 5: exactly one of finding, weight, part must be given, not 0" in told
    assert sum("hours" in fault for fault in told) == 3


def test_hours_are_not_counted_twice(tmp_path, estimated):
    told = faults(
        tmp_path, "finding,weight,part,hours\nF001,,,1\n,warp.size32,,9\n,,remediation,10\nF001,,,2\n", estimated
    )
    assert "row 1: finding 'F001' is part of weight 'warp.size32' in row 2" in told
    assert "row 2: weight 'warp.size32' is part of part 'remediation' in row 3" in told
    assert "row 4: finding 'F001' stands in row 1 already" in told


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file; make it with `unwarp report`"),
        ("{", "no JSON"),
        ("[]", "not an assessment"),
        ('{"run": {}, "findings": []}', "estimate is missing or wrong"),
    ],
)
def test_what_is_no_assessment(tmp_path, content, message):
    path = tmp_path / "other.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(EstimatorError, match=message):
        read_estimated(path, "amd")


def test_an_option_without_prices(tmp_path):
    with pytest.raises(EstimatorError, match="nothing is priced for the option nvidia"):
        assessment(tmp_path, LINES, "nvidia")


def test_one_row_moves_a_part_half_way():
    (fit,) = calibrate(took("kernels", 4.0), SIGMA).fitted
    assert (fit.rows, fit.ratio, fit.multiplier) == (1, pytest.approx(4), pytest.approx(2))


def test_many_rows_move_it_nearly_all_the_way():
    fits = [calibrate(took("kernels", *[2.0] * n), SIGMA).fitted[0].multiplier for n in (1, 2, 9, 99)]
    assert fits == [pytest.approx(2 ** (n / (n + 1))) for n in (1, 2, 9, 99)]


def test_rows_that_disagree_are_trusted_less():
    """Same mean; scatter of variance 2 log(5)^2 against the stage's 0.54^2."""
    steady = calibrate(took("kernels", 2.0, 2.0), SIGMA).fitted[0].multiplier
    torn = calibrate(took("kernels", 10.0, 0.4), SIGMA).fitted[0].multiplier
    noise = 2 * log(5) ** 2 / SIGMA**2
    assert torn == pytest.approx(exp(log(2) * 2 / (2 + noise)))
    assert 1 < torn < steady


def test_errors_before_after_and_left_out():
    calibration = calibrate(took("kernels", 2.0, 2.0), SIGMA)
    assert calibration.before == pytest.approx(log(2))
    assert calibration.after == pytest.approx(log(2) / 3)
    assert calibration.left_out == pytest.approx(log(2) / 2)


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=8), st.floats(0.05, 1))
def test_a_multiplier_lies_between_one_and_the_ratio(ratios, sigma):
    (fit,) = calibrate(took("kernels", *ratios), sigma).fitted
    low, high = sorted((1.0, fit.ratio))
    assert low * (1 - 1e-9) <= fit.multiplier <= high * (1 + 1e-9)


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=8))
def test_fitting_never_makes_the_error_larger(ratios):
    calibration = calibrate(took("kernels", *ratios), SIGMA)
    assert calibration.after <= calibration.before + 1e-9


def test_the_overlay_multiplies_its_parts_and_nothing_else(tmp_path, weights):
    calibration = calibrate([*took("kernels", 4.0), *took("setup", 0.25)], SIGMA)
    path = tmp_path / "ours.toml"
    path.write_text(overlay(calibration, weights, "amd", 'actuals "2026".csv'), encoding="utf-8")
    ours = load_weights(DEFAULT, path)
    assert ours.keys() == weights.keys()
    for key, old in weights.items():
        new = ours[key]
        if not isinstance(old, Weight):
            assert new == old
            continue
        factor = {"kernels": 2.0, "setup": 0.5}.get(old.part, 1.0)
        for name in ("low", "likely", "high"):
            assert getattr(new.hours["amd"], name) == pytest.approx(getattr(old.hours["amd"], name) * factor, rel=1e-5)
        assert new.hours["triton-first"] == old.hours["triton-first"]
        assert ('calibrated on actuals "2026".csv, n = 1' in new.source) == (factor != 1.0)


def test_long_rows_are_multiplied_too(tmp_path, weights):
    """The end of a row moves with its hours, far beyond its shipped place as well; the other column stays."""
    ended = {key for key, weight in weights.items() if isinstance(weight, Weight) and weight.most}
    path = tmp_path / "ours.toml"
    for option, times in (("amd", 1e6), ("triton-first", 1e6), ("amd", 1e-3)):
        calibration = calibrate([*took("libraries", times), *took("conversion", times)], SIGMA)
        path.write_text(overlay(calibration, weights, option, "actuals.csv"), encoding="utf-8")
        ours = load_weights(DEFAULT, path)
        for key in ended:
            assert ours[key].times_at_most == pytest.approx(weights[key].times_at_most, rel=1e-4)


@given(st.text())
def test_any_file_name_makes_a_file_that_loads(tmp_path_factory, name):
    path = tmp_path_factory.getbasetemp() / "any.toml"
    text = overlay(calibrate(took("learning", 2.0), SIGMA), load_weights(DEFAULT, None), "amd", name)
    path.write_text(text, encoding="utf-8")
    assert load_weights(DEFAULT, path)["people.learning"].source.startswith("calibrated on")
