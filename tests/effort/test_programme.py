"""Multipliers and risks on rows by hand: what they add, that it re-adds, and that nothing else moves."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.effort import estimate
from estimator.effort.values import Programme, Scaling, WithRisks
from estimator.findings.values import Disposition
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import PARTS, PHASES, Heuristics
from estimator.quantities import Triple


@cache
def shipped() -> Heuristics:
    return load_heuristics()


def scaling(name, *factor):
    one = shipped().multipliers.known[name]
    return Scaling(one, Triple(*factor) if factor else one.factor, "a test")


def risk(name, **changes):
    (found,) = (one for one in shipped().risks if one.id == name)
    return replace(found, **changes)


@pytest.fixture
def run(weights, units, performance):
    def price(tree, *, draws=2000, seed=1, **outlook):
        found = tree.found()
        programme = Programme(**outlook)
        return estimate(found, weights, replace(units, draws=draws), performance, seed=seed, programme=programme)

    return price


def code(tree, sites=20):
    made = tree(cuda_lines=900, changed_lines=80).kernel("kernel.reduction").kernel("kernel.tensor_raw", "m", line=21)
    for number in range(sites):
        made.site("warp.size32", path=f"{number % 7}.cu", line=number, category="warp-size")
    return (
        made.site("lib.cutlass.symbol", "Gemm").site("build.file", path="Makefile").site("ci.base", path="Dockerfile")
    )


# multipliers


def test_a_multiplier_is_a_row_of_its_own_for_each_part_and_phase(tree, run):
    option = run(code(tree), scalings=(scaling("weak_tests"),)).options["amd"]
    rows = [line for line in option.lines if not line.multiplier]
    for added in (line for line in option.lines if line.multiplier):
        cell = [line for line in rows if (line.part, line.phase) == (added.part, added.phase)]
        assert added.count == pytest.approx(fsum(line.hours.likely for line in cell))
        assert added.hours.likely == pytest.approx(0.5 * added.count)
        assert added.sum == f"(1.5 - 1) x {added.count:.2f} h: {len(cell)} row{'s' if len(cell) > 1 else ''}"
        assert added.grade == "C"
    parts = {line.part for line in option.lines if line.multiplier}
    assert parts == {"remediation", "kernels", "libraries", "validation"}


def test_each_multiplies_what_the_ones_before_it_left(tree, run):
    one, two = scaling("weak_tests", 2, 2, 2), scaling("no_hardware", 3, 3, 3)
    before, after = run(code(tree)).options["amd"], run(code(tree), scalings=(one, two)).options["amd"]
    for part, times in (("kernels", 6), ("delivery", 3), ("setup", 1), ("learning", 1)):
        for measure in ("likely", "mean", "p10", "p50", "p90"):
            expected = times * getattr(before.parts[part], measure)
            assert getattr(after.parts[part], measure) == pytest.approx(expected, rel=1e-9)
    words = {line.sum for line in after.lines if line.multiplier == "no_hardware" and line.part == "kernels"}
    assert all("with the multipliers above" in text for text in words)


def test_a_weight_can_be_scaled_alone(tree, run):
    option = run(code(tree).site("tune.constants"), scalings=(scaling("speed_parity", 2, 2, 2),)).options["amd"]
    lines = {line.weight: line.hours.likely for line in option.lines}
    assert lines["times.speed_parity.retuning.fast"] == lines["perf.retune"]
    assert option.parts["retuning"].likely == pytest.approx(2 * lines["perf.retune"] + lines["tune.constants"])


def test_a_factor_of_one_changes_no_total_and_no_other_row(tree, run):
    plain, ones = run(code(tree)), run(code(tree), scalings=(scaling("no_hardware", 1, 1, 1),))
    for option in ("amd", "triton-first"):
        assert ones.options[option].scopes == plain.options[option].scopes
        rows = tuple(line for line in ones.options[option].lines if not line.multiplier)
        assert rows == plain.options[option].lines
        assert ones.options[option].edits == plain.options[option].edits


def test_a_multiplier_below_one_takes_hours_off_and_grades_still_add_up(tree, run):
    option = run(code(tree), scalings=(scaling("ai_assistance", 0.5, 0.6, 0.7),)).options["amd"]
    assert option.hours.likely < run(code(tree)).options["amd"].hours.likely
    assert all(line.hours.likely < 0 for line in option.lines if line.multiplier)
    assert fsum(option.grades.values()) == pytest.approx(1)
    assert all(spread.p10 >= 0 for spread in option.parts.values())


def test_the_mean_of_a_multiplied_part_is_exact(tree, run):
    estimate = run(code(tree), draws=20_000, scalings=(scaling("weak_tests"), scaling("no_hardware")))
    drawn = estimate.draws.full["amd"].mean()
    assert estimate.options["amd"].hours.mean == pytest.approx(drawn, rel=0.01)


def test_a_multiplier_is_one_bar_of_the_tornado(tree, run):
    option = run(code(tree), draws=20_000, scalings=(scaling("no_hardware"),)).options["amd"]
    (bar,) = (driver for driver in option.tornado if driver.weight == "no_hardware")
    at = [run(code(tree), draws=20_000, scalings=(scaling("no_hardware", *[end] * 3),)) for end in (1.3, 2)]
    assert (bar.low, bar.high) == tuple(pytest.approx(one.options["amd"].hours.p50) for one in at)


def test_a_multiplier_moves_no_other_draws(tree, run):
    one, two = scaling("weak_tests"), scaling("two_families")
    alone = run(code(tree), scalings=(one,)).options["amd"]
    both = run(code(tree), scalings=(one, two)).options["amd"]
    p50 = [
        {line.weight: line.p50 for line in option.lines if line.multiplier != two.multiplier.id}
        for option in (alone, both)
    ]
    assert p50[0] == p50[1]


factors = st.tuples(st.floats(0.2, 1), st.floats(1, 2), st.floats(2, 5))
switches = st.dictionaries(st.sampled_from(sorted(shipped().multipliers.known)), factors, max_size=6)


@settings(max_examples=25, deadline=None)
@given(switches, st.integers(0, 30))
def test_with_any_multipliers_rows_parts_and_phases_add_up(weights, units, performance, tree, chosen, sites):
    scalings = tuple(scaling(name, *factor) for name, factor in chosen.items())
    found = code(tree, sites).found()
    programme = Programme(scalings=scalings, risks=shipped().risks)
    made = estimate(found, weights, replace(units, draws=1000), performance, seed=1, programme=programme)
    for option in made.options.values():
        lines = fsum(line.hours.likely for line in option.lines)
        assert lines == pytest.approx(option.hours.likely, rel=1e-9)
        for spreads, names in ((option.parts, PARTS), (option.phases, PHASES)):
            for measure in ("likely", "mean"):
                whole = fsum(getattr(spreads[name], measure) for name in names)
                assert whole == pytest.approx(getattr(option.hours, measure), rel=1e-9)
        ends = [fsum(getattr(line.hours, end) for line in option.lines) for end in ("low", "likely", "high")]
        assert 0 <= ends[0] <= ends[1] <= ends[2]
        expected = fsum(event.expected for event in option.risks)
        assert option.with_risks.mean == pytest.approx(option.hours.mean + expected)
        assert option.with_risks.p80 >= option.hours.p80


# risks


def test_a_risk_says_where_it_comes_from(tree, run):
    (event,) = run(code(tree), risks=(risk("wave-width-late"),)).options["amd"].risks
    assert event.why == "20 places in 7 files: 0.cu, 1.cu, 2.cu, …"
    assert (event.places, event.files, len(event.findings)) == (20, 7, 1)
    assert event.hours.likely == 24
    assert event.expected == pytest.approx((0.15 + 4 * 0.3 + 0.6) / 6 * (8 + 4 * 24 + 160) / 6)


def test_a_share_is_of_the_hours_of_its_parts(tree, run):
    option = run(code(tree), risks=(risk("speed-stays-short"),)).options["amd"]
    assert option.risks == ()  # no debt site of its categories: kernels come from the inventory here
    made = code(tree).site("kernel.reduction", "k", line=1, category="cuda-kernel")
    option = run(made, risks=(risk("speed-stays-short"),)).options["amd"]
    assert option.risks[0].hours.likely == pytest.approx(1.15 * option.parts["retuning"].likely)
    mean = (0.2 + 4 * 0.35 + 0.6) / 6 * (0.3 + 4 * 1.15 + 2) / 6
    assert option.risks[0].expected == pytest.approx(mean * option.parts["retuning"].mean)


def test_risks_stay_out_of_every_other_figure(tree, run):
    without, with_them = run(code(tree)), run(code(tree), risks=shipped().risks)
    assert without.draws.digest == with_them.draws.digest
    for option, made in with_them.options.items():
        assert replace(made, risks=(), with_risks=WithRisks()) == replace(
            without.options[option], risks=(), with_risks=WithRisks()
        )
    amd = with_them.options["amd"]
    assert amd.with_risks.p80 > amd.hours.p80


def test_a_certain_risk_is_its_impact_and_an_impossible_one_nothing(tree, run):
    sure = risk("wave-width-late", probability=Triple(1, 1, 1), impact={"amd": Triple(10, 10, 10)})
    never = replace(sure, probability=Triple(0, 0, 0))
    plain = run(code(tree)).options["amd"].hours
    assert run(code(tree), risks=(sure,)).options["amd"].with_risks.p80 == pytest.approx(plain.p80 + 10)
    assert run(code(tree), risks=(never,)).options["amd"].with_risks.p80 == pytest.approx(plain.p80)


def test_it_comes_as_often_as_it_says_and_apart_from_the_rest(tree, run):
    sure = risk("wave-width-late", probability=Triple(0.3, 0.3, 0.3), impact={"amd": Triple(1e6, 1e6, 1e6)})
    option = run(code(tree), risks=(sure,), draws=10_000).options["amd"]
    assert option.with_risks.p50 < 1e5 < option.with_risks.p80
    assert option.risks[0].expected == pytest.approx(300_000)


def test_too_few_places_or_another_answer_bring_no_risk(tree, run):
    few = run(code(tree, sites=4), risks=(risk("wave-width-late"),)).options
    assert few["amd"].risks == ()
    late = risk("target-hardware-late")
    assert [event.id for event in run(code(tree), risks=(late,)).options["amd"].risks] == ["target-hardware-late"]
    assert "hardware_access is not answered" in run(code(tree), risks=(late,)).options["amd"].risks[0].why
    for answer in (True, False):
        assert run(code(tree), risks=(late,), answers={"hardware_access": answer}).options["amd"].risks == ()
    assert run(code(tree), risks=(late,), scalings=(scaling("no_hardware"),)).options["amd"].risks == ()


def test_lanes_are_no_risk_where_triton_takes_the_kernels(tree, run):
    made = tree(python_host=1.0).kernel("kernel.reduction")
    for number in range(9):
        made.site("warp.size32", line=2, function=f"k{number}")
    options = run(made, risks=(risk("wave-width-late"),)).options
    assert [len(options[name].risks) for name in ("amd", "triton-first")] == [1, 0]
    made.kernels.clear()  # nothing to rewrite: triton-first is the HIP port
    options = run(made, risks=(risk("wave-width-late"),)).options
    assert options["amd"].risks == options["triton-first"].risks != ()


def test_nothing_to_port_has_no_risks(tree, run):
    made = tree()
    for number in range(60):
        made.site("warp.size32", line=number, disposition=Disposition.PORTED)
        made.site("runtime.symbol", line=number, disposition=Disposition.AUTOMATIC)
    for option in run(made, risks=shipped().risks).options.values():
        assert option.risks == ()
        assert option.with_risks.p80 == pytest.approx(option.hours.p80)
    empty = run(tree(), risks=shipped().risks).options["amd"]
    assert (empty.risks, empty.with_risks) == ((), WithRisks())


def test_the_same_seed_gives_the_same_risks(tree, run):
    first, second = (run(code(tree), risks=shipped().risks, seed=9).options for _ in range(2))
    assert first == second
    fewer = run(code(tree), risks=shipped().risks[1:], seed=9).options["amd"].risks
    assert fewer == tuple(event for event in first["amd"].risks if event.id != shipped().risks[0].id)


def test_draws_of_a_chance_are_even():
    from estimator.effort.uncertainty import Luck

    drawn = Luck(1, 1000, 0.5).chance("x")
    assert np.sum(drawn < 0.25) == 250


def test_the_team_learns(tree, run):
    lines = {line.weight: line for line in run(code(tree), team=5).options["amd"].lines}
    assert lines["people.learning"].count == 5
    assert run(code(tree), team=5).engineers == 5
