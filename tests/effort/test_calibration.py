"""Calibration: multipliers are shrunk as promised, faults are named all at once, the overlay loads again."""

from __future__ import annotations

import json
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.effort.calibration import Actual, Estimated, calibrate, overlay, read_actuals, read_estimated
from estimator.errors import EstimatorError
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Calibrated, Weight
from estimator.knowledge.weights import load_calibrated, load_weights
from estimator.resources import data_folder

SIGMA = 0.54
KERNELS = ("kernel.elementwise", "kernel.reduction", "kernel.smem_tiled", "kernel.tensor_raw")
TITLES = {"remediation": "Remediation by hand", "delivery": "Build, containers, delivery"}
DEFAULT = data_folder("heuristics") / "weights" / "default.toml"


def line(weight, part, p50, *findings, **more):
    return {"weight": weight, "part": part, "phase": "right", "p50": p50, "findings": list(findings), **more}


def multiplier(name, **reach):
    return {"id": name, "parts": [], "weights": [], **reach}


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
    return read_actuals(tmp_path / "actuals.csv", estimated, TITLES)


def faults(tmp_path, text, estimated):
    with pytest.raises(EstimatorError) as caught:
        actuals(tmp_path, text, estimated)
    return str(caught.value).replace(f"{tmp_path}/actuals.csv: ", "").splitlines()


def took(part, *ratios):
    """One finished row for each ratio, of as many kinds of work."""
    return [Actual(f"{part}{i}", {(part, f"{part}.{i}"): 10.0}, 10.0 * ratio) for i, ratio in enumerate(ratios)]


def of(option):
    """An assessment of that option, as far as an overlay asks."""
    return Estimated(option, {}, {}, {}, SIGMA, "", "2026-11-30")


def shifts(calibration):
    """Logarithms of the multipliers: of what no row holds, and of each kind that one holds."""
    told = {}
    for fit in calibration.fitted:
        told |= {fit.part: log(fit.multiplier)} | {weight: log(value) for weight, value in fit.kinds.items()}
    return told


def test_rows_name_a_finding_a_weight_or_a_part(tmp_path, estimated):
    """A finding has its share of its row's hours, by places."""
    rows = actuals(tmp_path, "finding,weight,part,hours\nF001,,,60\n,warp.primitive,,5\n,,delivery,24\n", estimated)
    assert [(dict(row.parts), row.estimated, row.hours) for row in rows] == [
        ({"remediation": 1}, 30, 60),
        ({"remediation": 1}, 10, 5),
        ({"delivery": 1}, 12, 24),
    ]


SPREAD = [
    line("kernel.reduction", "kernels", 6.0, "F002"),
    line("kernel.tiled", "kernels", 4.25, "F002"),
    line("feature.bf16", "remediation", 2.0, "F002"),
    line("warp.primitive", "remediation", 8.0, "F003"),
]


def test_a_finding_of_several_rows_is_compared_with_all_of_them(tmp_path):
    (row,) = actuals(tmp_path, "finding,hours\nF002,24.5\n", assessment(tmp_path, SPREAD))
    assert (row.estimated, row.log_ratio) == (12.25, pytest.approx(log(2)))
    assert list(row.parts.items()) == [
        ("kernels", pytest.approx(10.25 / 12.25)),
        ("remediation", pytest.approx(2 / 12.25)),
    ]


def test_a_finding_moves_its_parts_by_their_shares(tmp_path):
    (row,) = actuals(tmp_path, "finding,hours\nF002,24.5\n", assessment(tmp_path, SPREAD))
    told = shifts(calibrate([row], SIGMA))
    assert told["kernels"] / told["remediation"] == pytest.approx(10.25 / 2)
    own = {weight: told[weight] - told[part] for part, weight in row.kinds}
    assert own["kernel.reduction"] / own["kernel.tiled"] == pytest.approx(6 / 4.25)


def test_the_same_work_told_by_finding_or_by_part_gives_the_same(tmp_path):
    estimated = assessment(tmp_path, [one for one in SPREAD if one["part"] == "kernels"])
    by_finding = actuals(tmp_path, "finding,hours\nF002,30\n", estimated)
    by_part = actuals(tmp_path, "part,hours\nkernels,30\n", estimated)
    assert shifts(calibrate(by_finding, SIGMA)) == pytest.approx(shifts(calibrate(by_part, SIGMA)))


def test_a_part_that_a_row_hardly_touches_is_left_alone(tmp_path):
    lines = [line("kernel.reduction", "kernels", 99.5, "F002"), line("feature.bf16", "remediation", 0.5, "F002")]
    (row,) = actuals(tmp_path, "finding,hours\nF002,300\n", assessment(tmp_path, lines))
    assert [fit.part for fit in calibrate([row], SIGMA).fitted] == ["kernels"]


def test_a_part_that_was_not_priced_is_told_those_that_were(tmp_path, estimated):
    (told,) = faults(tmp_path, "part,hours\nOwn kernels,3\n", estimated)
    assert told.endswith("there are remediation (Remediation by hand), delivery (Build, containers, delivery)")


def test_what_is_not_done_is_left_out(tmp_path, estimated):
    rows = actuals(tmp_path, "weight,hours,done\nwarp.primitive,5,no\nbuild.base,6,yes\nwarp.size32,7,\n", estimated)
    assert [row.name for row in rows] == ["build.base", "warp.size32"]


def test_multipliers_of_the_undertaking_are_part_of_what_was_estimated(tmp_path):
    """Weak tests added half to remediation: 15 h were estimated where the row alone says 10."""
    lines = [*LINES, line("times.weak_tests", "remediation", 25.0, multiplier="weak_tests")]
    made = assessment(tmp_path, lines, multipliers=[multiplier("weak_tests", parts=["remediation"])])
    (row,) = actuals(tmp_path, "weight,hours\nwarp.primitive,30\n", made)
    assert row.estimated == pytest.approx(15)


@pytest.mark.parametrize(
    "reach",
    [{"weights": ["warp.primitive", "warp.ballot"]}, {"parts": ["remediation"], "spares": ["warp.size"]}],
)
def test_a_multiplier_lifts_only_the_rows_that_it_acts_on(tmp_path, reach):
    """All 25 h belong to one row of the part; the other, and one of another phase, stay."""
    lines = [
        *LINES,
        line("warp.ballot", "remediation", 8.0, phase="fast"),
        line("times.parity", "remediation", 25.0, multiplier="parity"),
    ]
    made = assessment(tmp_path, lines, multipliers=[multiplier("parity", **reach)])
    assert dict(made.hours) == pytest.approx(
        {"warp.size32": 40, "warp.primitive": 35, "build.base": 12, "warp.ballot": 8}
    )


def test_all_faults_are_named_at_once(tmp_path, estimated):
    rows = ("F009,,,1,", ",warp.primitve,,-2,", ",,remediaton,3,perhaps", "F001,warp.size32,,x,", ",,,inf,", "")
    text = "\n".join(("finding,weight,part,hours,done", *rows))
    told = faults(tmp_path, text, estimated)
    assert told[0].startswith("row 1: no finding 'F009' was priced in the assessment (did you mean 'F00")
    assert "row 2: hours: must be a number from 0.001 to 1,000,000 (given: '-2')" in told
    assert "row 2: no weight 'warp.primitve' was priced in the assessment (did you mean 'warp.primitive'?)" in told
    assert "row 3: done: must be yes or no (given: 'perhaps')" in told
    part = "row 3: no part 'remediaton' was priced in the assessment (did you mean 'remediation'?)"
    assert any(fault.startswith(part) for fault in told)
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


def test_one_row_moves_its_own_kind_half_way_and_the_rest_of_the_part_a_quarter():
    calibration = calibrate(took("kernels", 4.0), SIGMA)
    (fit,) = calibration.fitted
    assert (fit.rows, fit.ratio) == (1, pytest.approx(4))
    assert shifts(calibration) == pytest.approx({"kernels": log(4) / 4, "kernels.0": log(4) / 2})


def test_a_row_is_one_observation_whatever_it_holds():
    """A whole part told by one figure moves it less than the same told kind by kind."""
    whole = [Actual("kernels", {("kernels", f"kernels.{i}"): 10.0 for i in range(3)}, 60.0)]
    assert shifts(calibrate(whole, SIGMA))["kernels"] < shifts(calibrate(took("kernels", 2, 2, 2), SIGMA))["kernels"]


def test_many_rows_move_it_nearly_all_the_way():
    fits = [calibrate(took("kernels", *[2.0] * n), SIGMA).fitted[0].multiplier for n in (1, 2, 9, 99)]
    assert fits == [pytest.approx(2 ** (n / (n + 3))) for n in (1, 2, 9, 99)]


def test_many_findings_of_one_kind_move_that_kind():
    """The kind n / (n + 1) of the way, the rest of its part half of that."""
    rows = [Actual(f"F{i}", {("kernels", "kernel.tiled"): 10.0}, 20.0) for i in range(9)]
    told = shifts(calibrate(rows, SIGMA))
    assert told == pytest.approx({"kernels": log(2) * 0.45, "kernel.tiled": log(2) * 0.9})


def test_rows_that_disagree_are_trusted_less():
    """Same mean; scatter of variance 2 log(5)^2 against the stage's 0.54^2."""
    steady = calibrate(took("kernels", 2.0, 2.0), SIGMA).fitted[0].multiplier
    torn = calibrate(took("kernels", 10.0, 0.4), SIGMA).fitted[0].multiplier
    noise = 2 * log(5) ** 2 / SIGMA**2
    assert torn == pytest.approx(exp(log(2) / (1.5 + noise)))
    assert 1 < torn < steady


def test_errors_before_after_and_left_out():
    calibration = calibrate(took("kernels", 2.0, 2.0), SIGMA)
    assert calibration.before == pytest.approx(log(2))
    assert calibration.after == pytest.approx(log(2) * 0.4)
    assert calibration.left_out == pytest.approx(log(2) * 0.75)
    assert calibration.gains


def test_rows_that_foretell_nothing_are_no_gain():
    for rows in (took("kernels", 6.3), [*took("kernels", 3.0), *took("setup", 0.4)], took("kernels", 9.0, 0.1)):
        assert not calibrate(rows, SIGMA).gains


@given(st.lists(st.tuples(st.sampled_from(("kernels", "setup")), st.floats(0.1, 10)), min_size=2, max_size=6))
def test_a_row_left_out_is_foretold_by_the_others(drawn):
    """The closed form against fitting again without each row; alike where all rows scatter little enough."""
    rows = [
        Actual(f"{i}", {(part, f"{part}.{i % 2}"): 10.0}, 10.0 * ratio**0.1) for i, (part, ratio) in enumerate(drawn)
    ]
    squares = []
    for index, row in enumerate(rows):
        ((part, weight),) = row.kinds
        fits = {fit.part: fit for fit in calibrate([*rows[:index], *rows[index + 1 :]], SIGMA).fitted}
        squares.append((row.log_ratio - (log(fits[part].of(weight)) if part in fits else 0.0)) ** 2)
    assert calibrate(rows, SIGMA).left_out == pytest.approx((sum(squares) / len(squares)) ** 0.5, abs=1e-9)


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
    path.write_text(overlay(calibration, weights, of("amd"), 'actuals "2026".csv'), encoding="utf-8")
    ours = load_weights(DEFAULT, path)
    assert ours.keys() == weights.keys()
    for key, old in weights.items():
        new = ours[key]
        if not isinstance(old, Weight):
            assert new == old
            continue
        factor = {"kernels": 4**0.25, "setup": 0.25**0.25}.get(old.part, 1.0)
        for name in ("low", "likely", "high"):
            assert getattr(new.hours["amd"], name) == pytest.approx(getattr(old.hours["amd"], name) * factor, rel=1e-5)
        assert new.hours["triton-first"] == old.hours["triton-first"]
        assert ('calibrated on actuals "2026".csv, n = 1' in new.source) == (factor != 1.0)


def test_kinds_that_were_done_move_more(tmp_path, weights):
    calibration = calibrate([Actual("F001", {("kernels", "kernel.reduction"): 10.0}, 40.0)], SIGMA)
    path = tmp_path / "ours.toml"
    path.write_text(overlay(calibration, weights, of("amd"), "actuals.csv"), encoding="utf-8")
    ours = load_weights(DEFAULT, path)
    times = {key: ours[key].hours["amd"].likely / weights[key].hours["amd"].likely for key in KERNELS}
    assert times == pytest.approx(dict.fromkeys(KERNELS, 4**0.25) | {"kernel.reduction": 2.0}, rel=1e-4)


def test_the_overlay_says_what_it_was_fitted_to(tmp_path, weights):
    path = tmp_path / "ours.toml"
    path.write_text(overlay(calibrate(took("kernels", 4.0, 2.0), SIGMA), weights, of("amd"), "a.csv"), encoding="utf-8")
    assert load_calibrated(path) == Calibrated(2, "a.csv", "amd", ("kernels",), "2026-11-30")
    assert load_heuristics(weights_overlay=path).calibrated == load_calibrated(path)
    assert load_heuristics().calibrated is None


@pytest.mark.parametrize("text", ["calibrated = 3", "[calibrated]\nrows = 0", '[calibrated]\nparts = ["kernel"]'])
def test_a_wrong_table_of_calibration_is_an_error(tmp_path, text):
    (tmp_path / "ours.toml").write_text(text)
    with pytest.raises(EstimatorError, match=r"ours\.toml: calibrated"):
        load_heuristics(weights_overlay=tmp_path / "ours.toml")


def test_long_rows_are_multiplied_too(tmp_path, weights):
    """The end of a row moves with its hours, far beyond its shipped place as well; the other column stays."""
    ended = {key for key, weight in weights.items() if isinstance(weight, Weight) and weight.most}
    path = tmp_path / "ours.toml"
    for option, times in (("amd", 1e6), ("triton-first", 1e6), ("amd", 1e-3)):
        calibration = calibrate([*took("libraries", times), *took("conversion", times)], SIGMA)
        path.write_text(overlay(calibration, weights, of(option), "actuals.csv"), encoding="utf-8")
        ours = load_weights(DEFAULT, path)
        for key in ended:
            assert ours[key].times_at_most == pytest.approx(weights[key].times_at_most, rel=1e-4)


@given(st.text())
def test_any_file_name_makes_a_file_that_loads(tmp_path_factory, name):
    path = tmp_path_factory.getbasetemp() / "any.toml"
    text = overlay(calibrate(took("learning", 2.0), SIGMA), load_weights(DEFAULT, None), of("amd"), name)
    path.write_text(text, encoding="utf-8")
    assert load_weights(DEFAULT, path)["people.learning"].source.startswith("calibrated on")
    assert load_calibrated(path).rows == 1


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"part": "evil"}, r"lines\.0\.part"),
        ({"p50": 1e300}, r"lines\.0\.p50"),
        ({"p50": -1.0}, r"options\.amd: warp\.size32: fewer than 0 hours"),
    ],
)
def test_a_wrong_assessment_is_told_with_the_place(tmp_path, change, place):
    with pytest.raises(EstimatorError, match=place):
        assessment(tmp_path, [LINES[0] | change])


def test_a_sigma_of_nothing_is_told(tmp_path):
    assessment(tmp_path, LINES)
    path = tmp_path / "assessment.json"
    path.write_text(path.read_text().replace(f'"sigma": {SIGMA}', '"sigma": 1e-300'))
    with pytest.raises(EstimatorError, match=r"estimate\.sigma"):
        read_estimated(path, "amd")


def test_hours_too_few_for_a_ratio_are_told(tmp_path):
    tiny = assessment(tmp_path, [line("warp.size32", "remediation", 1e-310)])
    assert faults(tmp_path, "weight,hours\nwarp.size32,1\n", tiny) == [
        "row 1: weight 'warp.size32' was estimated at 1e-310 hours: there is no ratio"
    ]
    assert "from 0.001" in faults(tmp_path, "part,hours\nremediation,5e-324\n", tiny)[0]


def test_of_many_faults_twenty_are_named(tmp_path, estimated):
    told = faults(tmp_path, "weight,hours\n" + "".join(f"x{i},1\n" for i in range(5000)), estimated)
    assert (len(told), told[-1]) == (21, "… and 4,980 more rows, not looked at")
