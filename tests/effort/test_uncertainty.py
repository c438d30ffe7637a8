"""The draws: right distributions, the same bytes for the same seed, quick enough."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from math import exp

import numpy as np
import pytest

from estimator.effort import estimate
from estimator.effort.pricing import Row
from estimator.effort.uncertainty import Luck, Simulation, digest
from estimator.effort.values import Programme, Scaling
from estimator.knowledge import load_heuristics
from estimator.quantities import Hours
from tests.pace import within


@pytest.mark.parametrize("mode", [0.0, 0.01, 0.25, 0.5, 0.9, 1.0])
def test_pert_has_its_mean_and_its_bounds(mode):
    hours = Hours(10, 10 + 20 * mode, 30)
    drawn = Luck(1, 20_000, 0.54).pert("w", hours)
    a, b = 1 + 4 * mode, 5 - 4 * mode
    assert drawn.mean() == pytest.approx(hours.mean, rel=2e-4)
    assert drawn.std() == pytest.approx(20 * (a * b / 36 / 7) ** 0.5, rel=5e-3)
    assert 10 <= drawn.min() <= drawn.max() <= 30


def test_a_row_without_width_is_its_figure():
    assert set(Luck(1, 1000, 0.54).pert("w", Hours(3, 3, 3))) == {3}


def test_the_shared_factor_has_the_published_ratios():
    factor = Luck(7, 20_000, 0.54).factor
    p10, p50, p80, p90 = np.percentile(factor, (10, 50, 80, 90))
    assert p50 == pytest.approx(1, abs=1e-3)
    assert (p10, p80, p90) == (pytest.approx(0.5, abs=0.01), pytest.approx(1.58, abs=0.01), pytest.approx(2, abs=0.01))


def test_another_row_moves_nobody_elses_draws(tree, priced):
    one = priced(tree().site("warp.ballot", path="a.cu"))
    two = priced(tree().site("warp.ballot", path="a.cu").site("feature.graphs"))
    lines = [{line.weight: line.p50 for line in estimate.options["amd"].lines} for estimate in (one, two)]
    assert lines[0]["warp.ballot"] == lines[1]["warp.ballot"]


def test_options_share_their_luck_where_they_share_a_weight():
    luck = Luck(1, 5000, 0.54)
    assert np.corrcoef(luck.pert("w", Hours(1, 2, 9)), luck.pert("w", Hours(0, 5, 6)))[0, 1] > 0.9
    assert abs(np.corrcoef(luck.pert("w", Hours(1, 2, 9)), luck.pert("v", Hours(1, 2, 9)))[0, 1]) < 0.05


def test_rows_that_err_alike_keep_the_spread_of_the_stage(tree, weights, units, performance):
    code = tree()
    for number in range(300):
        code.site("runtime.no_equiv", f"s{number}")
    full = {
        stage: estimate(code.found(), weights, units, performance, seed=1, stage=stage).options["amd"].hours
        for stage in ("scan", "pilot", "slice")
    }
    assert full["scan"].p80 / full["scan"].p50 > 1.5
    assert full["scan"].p90 > full["pilot"].p90 > full["slice"].p90
    assert full["scan"].likely == full["slice"].likely


def test_same_seed_same_digest(tree, priced):
    code = tree().site("runtime.no_equiv").kernel("kernel.reduction")
    first, second, other = priced(code), priced(code), priced(code, seed=2)
    assert first.draws.digest == second.draws.digest != other.draws.digest
    assert len(first.draws.digest) == 16
    assert first.options == second.options


def test_the_digest_sees_every_option():
    zeros = np.zeros(10)
    assert (
        digest({"amd": zeros}) != digest({"amd": zeros, "nvidia": zeros}) != digest({"amd": zeros, "nvidia": zeros + 1})
    )


def test_upkeep_is_a_share_of_what_has_to_be_kept_and_outside_the_total(tree, priced):
    """Nobody keeps the set-up and what was learnt alive by a share of the code."""
    option = priced(tree().site("runtime.no_equiv")).options["amd"]
    parts = {part: one.likely for part, one in option.parts.items()}
    assert parts["setup"] > 0 < parts["learning"]
    maintained = option.hours.likely - parts["setup"] - parts["learning"]
    assert option.upkeep.likely == pytest.approx(0.25 * maintained)
    assert 0 < option.upkeep.p10 < option.upkeep.p50 < option.upkeep.p90 < option.hours.p90
    assert not any(line.part == "upkeep" for line in option.lines)


def test_tornado_holds_one_row_at_its_ends(tree, priced):
    option = priced(tree().site("lib.tensorrt.symbol").site("warp.primitive")).options["amd"]
    widths = [driver.high - driver.low for driver in option.tornado]
    assert widths == sorted(widths, reverse=True)
    assert all(driver.low <= option.hours.p50 <= driver.high for driver in option.tornado)
    assert option.tornado[0].weight == "lib.tensorrt.fixed"
    assert len(option.tornado) == min(10, len(option.lines))


def test_the_tornado_of_one_row_is_its_range(weights):
    row = Row(weights["runtime.no_equiv"], 1, Hours(1, 5, 24), "C", (), "")
    (driver,) = Simulation((row,), Luck(1, 20_000, 0.54)).tornado()
    assert (driver.low, driver.high) == (pytest.approx(1, rel=2e-3), pytest.approx(24, rel=2e-3))


def test_the_order_of_rows_does_not_matter(weights):
    rows = [Row(weights[key], 1, Hours(1, 5, 24), "C", (), "") for key in ("warp.primitive", "runtime.no_equiv")]
    one, other = (Simulation(given, Luck(1, 1000, 0.54)) for given in (rows, reversed(rows)))
    assert one.rows == other.rows
    assert one.full().tolist() == other.full().tolist()


def test_mean_is_exact(weights):
    row = Row(weights["runtime.no_equiv"], 1, Hours(1, 5, 24), "C", (), "")
    spread = Simulation((row,), Luck(1, 20_000, 0.54)).parts(("remediation",))
    assert spread.mean == pytest.approx(7.5 * exp(0.54**2 / 2))
    assert spread.mean == pytest.approx(Simulation((row,), Luck(1, 20_000, 0.54)).full().mean(), rel=0.01)


def test_twenty_thousand_draws_of_two_hundred_rows_take_under_a_second(tree, weights, units, performance):
    base = weights["runtime.no_equiv"]
    many = {
        f"x.{i:03}": replace(base, id=f"x.{i:03}", hours={k: h + Hours(0, 0, i) for k, h in base.hours.items()})
        for i in range(200)
    }
    code = tree()
    for key in many:
        code.site(key)
    with within(1):
        result = estimate(code.found(), {**weights, **many}, replace(units, draws=20_000), performance, seed=3)
    assert len(result.options["amd"].lines) >= 200


def test_multipliers_and_risks_take_little_more(tree, weights, units, performance):
    heuristics = load_heuristics()
    scalings = tuple(Scaling(one, one.factor, "a test") for one in heuristics.multipliers.known.values())
    code = tree(cuda_lines=75_000, changed_lines=7_000)
    for number, key in enumerate(key for key, weight in weights.items() if weight_of_places(weight)):
        for line in range(80):
            code.site(key, f"s{line % 9}", path=f"{number}.cu", line=line, function=f"f{line % 20}")
    outlook = Programme(scalings, heuristics.risks)
    with within(3):
        result = estimate(code.found(), weights, units, performance, seed=3, programme=outlook)
    assert len(result.options["amd"].risks) > 5


def weight_of_places(weight):
    return getattr(weight, "per", "") in ("site", "symbol", "pattern", "function", "file", "place")


def test_numpy_waits_for_the_first_estimate():
    code = "import sys, estimator.effort, estimator.effort.values; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
