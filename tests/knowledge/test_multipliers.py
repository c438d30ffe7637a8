"""Multipliers and risks: the shipped tables say what they should, and faults are named, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge import load_heuristics
from estimator.knowledge.multipliers import load_multipliers
from estimator.knowledge.risks import for_width, load_risks
from estimator.quantities import Triple

HEURISTICS = Path(__file__).resolve().parents[2] / "heuristics"

MULTIPLIERS = """
[bounds]
least = 0.5
most = 2

[multipliers.slow]
title = "Slow"
factor = { low = 1, likely = 1.1, high = 1.2 }
parts = ["kernels"]
grade = "C"
source = "somebody"
why = "because"
"""

RISKS = """
[flood]
title = "Water"
any = { weights = ["kernel.*"] }
unless = ["slow"]
probability = { low = 0.1, likely = 0.2, high = 0.3 }
amd = { low = 1, likely = 2, high = 3 }
mitigation = "a boat"
grade = "C"
source = "somebody"
why = "because"
"""


def faults(load, tmp_path, text):
    path = tmp_path / "table.toml"
    path.write_text(text)
    with pytest.raises(EstimatorError) as caught:
        load(path)
    return str(caught.value).replace(f"{tmp_path}/", "")


def risks(path):
    return load_risks(path, ["kernel.reduction", "warp.size32"], ["NCCL"], ["slow"])


def test_ranges_are_the_published_ones_and_likely_is_their_middle():
    known = load_heuristics().multipliers.known
    ranges = {one.id: (one.factor.low, one.factor.high) for one in known.values()}
    assert ranges == {
        "weak_tests": (1.2, 1.8),
        "no_hardware": (1.3, 2),
        "two_vendors": (1.1, 1.25),
        "two_families": (1.15, 1.3),
        "speed_parity": (1.3, 3),
        "ai_assistance": (0.5, 1.2),
    }
    assert known["ai_assistance"].factor.likely == 1
    for name, (low, high) in ranges.items():
        if name != "ai_assistance":
            assert known[name].factor.likely == pytest.approx((low + high) / 2)
    assert {one.grade for one in known.values()} == {"C"}


def test_shares_of_risks_that_a_multiplier_stands_for_are_its_factor_less_one():
    heuristics = load_heuristics()
    pairs = {risk.unless[0]: risk for risk in heuristics.risks if risk.unless}
    assert set(pairs) == {"no_hardware", "speed_parity"}
    for name, risk in pairs.items():
        factor = heuristics.multipliers.known[name].factor
        for share in risk.impact.values():
            assert (share.low, share.likely, share.high) == pytest.approx(
                (factor.low - 1, factor.likely - 1, factor.high - 1)
            )


def test_no_shipped_risk_is_certain_and_judgement_says_that_it_is():
    for risk in load_heuristics().risks:
        assert risk.probability.high < 1
        assert risk.grade != "C" or "judgement" in risk.source or "judgement" in risk.why


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("high = 1.2", "high = 1", "multipliers.slow.factor: low <= likely <= high must hold, not 1, 1.1, 1"),
        ("high = 1.2", "high = 3", "multipliers.slow.factor: lies outside 0.5 to 2"),
        ('parts = ["kernels"]', 'parts = ["kernel"]', "no part 'kernel' (did you mean 'kernels'?)"),
        ('parts = ["kernels"]', "", "acts on nothing; name 'parts' or 'weights'"),
        ("least = 0.5", "least = 1.5", "bounds: 1 must lie between least and most"),
        ('grade = "C"', 'grade = "D"', "multipliers.slow.grade: must be 'A', 'B' or 'C'"),
        ('why = "because"', 'wy = "because"', "multipliers.slow.why: is missing"),
    ],
)
def test_a_fault_of_a_multiplier_is_named(tmp_path, old, new, fault):
    assert fault in faults(load_multipliers, tmp_path, MULTIPLIERS.replace(old, new, 1))


def test_a_multiplier_on_no_weight_is_a_fault(tmp_path):
    text = MULTIPLIERS.replace("parts =", 'weights = ["perf.retun"]\nparts =')
    message = faults(lambda path: load_multipliers(path, load_heuristics().weights), tmp_path, text)
    assert "multipliers.slow.weights: no weight class 'perf.retun' (did you mean 'perf.retune'?)" in message


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("high = 0.3", "high = 1.3", "flood: a probability is at most 1, not 1.3"),
        ("amd = ", "amt = ", "flood.amt: no such key is known here"),
        ("amd = { low = 1, likely = 2, high = 3 }", "", "hits no option; give 'amd' or 'triton-first'"),
        ('"kernel.*"', '"kernels.*"', "any.weights: nothing is called 'kernels.*'"),
        ('"kernel.*"', '"warp.size"', "nothing is called 'warp.size' (did you mean 'warp.size32'?)"),
        ('weights = ["kernel.*"]', 'libraries = ["NCL"]', "nothing is called 'NCL' (did you mean 'NCCL'?)"),
        ('weights = ["kernel.*"]', "", "names nothing; weights = ['*'] is any debt"),
        ('unless = ["slow"]', 'unless = ["slo"]', "unless: no multiplier 'slo' (did you mean 'slow'?)"),
        ('unless = ["slow"]', 'share_of = ["kernel"]', "no part 'kernel'"),
        ('unless = ["slow"]', "at_least = 0", "flood.at_least: must be at least 1"),
        ("[flood]", "loose = 1\n[flood]", "loose: stands outside a table"),
    ],
)  # fmt: skip
def test_a_fault_of_a_risk_is_named(tmp_path, old, new, fault):
    assert old in RISKS
    assert fault in faults(risks, tmp_path, RISKS.replace(old, new, 1))


def test_all_faults_of_the_risks_come_at_once(tmp_path):
    second = RISKS.replace("[flood]", "[fire]").replace("kernel.*", "oven").replace("slow", "fast")
    message = faults(risks, tmp_path, RISKS.replace("high = 0.3", "high = 2") + second)
    assert len(message.splitlines()) == 3


def test_a_risk_becomes_a_value(tmp_path):
    path = tmp_path / "risks.toml"
    path.write_text(RISKS)
    (risk,) = risks(path)
    assert (risk.weights, risk.unless, risk.at_least) == (("kernel.*",), ("slow",), 1)
    assert risk.impact == {"amd": Triple(1, 2, 3)}


def test_a_risk_may_need_a_width():
    known = load_heuristics().risks
    of = {width: {risk.id for risk in for_width(known, width)} for width in (0, 32, 64)}
    assert of[64] - of[32] == {"wave-width-late"}
    assert of[0] == of[64] == {risk.id for risk in known}  # a width that isn't known counts as 64


def test_a_width_that_no_gpu_has_is_a_fault(tmp_path):
    assert "flood.lanes" in faults(risks, tmp_path, RISKS.replace("unless", "lanes = [48]\nunless"))
