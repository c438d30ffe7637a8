"""The reference class: the line is exact, never sees the port it predicts, and knows where it doesn't apply."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import exp, log, log1p, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.effort.blend import blend, blending, rows_error_on
from estimator.effort.reference import measured, refer
from estimator.effort.reference_class import counted, drawing, fit, ridge, searching, student, without_each
from estimator.effort.uncertainty import acts_on
from estimator.effort.values import FUNCTIONAL_PARTS, Programme
from estimator.errors import EstimatorError
from estimator.findings.values import Disposition
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Port

BOTH = ("people", "host_api_files")
SHIPPED = load_heuristics()


@pytest.fixture(scope="module")
def ports():
    return counted(SHIPPED.ports)


@pytest.fixture(scope="module")
def rule():
    return SHIPPED.reference


def port(days, people, files, **more):
    return Port("a/b", days, {"people": people, "host_api_files": files, **more})


def on_a_line(people, files):
    return port(exp(0.5 + 0.8 * log(people) + 0.3 * log1p(files)), people, files)


MADE_UP = tuple(on_a_line(*pair) for pair in ((1, 0), (2, 9), (3, 4), (1, 30), (5, 2), (4, 60)))
some_ports = st.lists(
    st.builds(port, st.floats(0.5, 200), st.integers(1, 9), st.integers(0, 500)), min_size=6, max_size=12
).map(tuple)


def test_without_shrinkage_a_line_is_found_exactly():
    line = ridge(MADE_UP, BOTH, 0.0)
    for people, files in ((2, 20), (7, 100)):
        assert line.at({"people": people, "host_api_files": files})[0] == pytest.approx(
            0.5 + 0.8 * log(people) + 0.3 * log1p(files)
        )
    assert fit(MADE_UP, partial(ridge, features=BOTH, shrinkage=0.0)).error == pytest.approx(0, abs=1e-9)


@given(some_ports, st.floats(0.01, 100))
def test_the_slopes_make_the_penalised_sum_least(ports, shrinkage):
    """Its gradient is zero: Z'(y - Zb) = shrinkage b."""
    line = ridge(ports, BOTH, shrinkage)
    x = np.array([[log(p.counts["people"]), log1p(p.counts["host_api_files"])] for p in ports])
    z = (x - line.centre) / line.scale
    y = np.log([p.author_days for p in ports]) - line.level
    assert z.T @ (y - z @ line.slopes) == pytest.approx(shrinkage * line.slopes, abs=1e-7)


def test_more_shrinkage_means_flatter_lines_down_to_the_mean(ports):
    steep = [float(np.linalg.norm(ridge(ports, BOTH, shrinkage).slopes)) for shrinkage in (0, 1, 10, 100, 1e9)]
    assert steep == sorted(steep, reverse=True)
    flat = ridge(ports, BOTH, 1e9).at({"people": 5, "host_api_files": 50})[0]
    assert flat == pytest.approx(ridge(ports, (), 1.0).at({})[0], abs=1e-6)


def test_the_error_is_that_of_lines_that_did_not_see_the_port(ports):
    draw = partial(ridge, features=BOTH, shrinkage=1.0)
    errors = []
    for index, one in enumerate(ports):
        others = [other for number, other in enumerate(ports) if number != index]
        errors.append(log(one.author_days) - draw(others).at(one.counts)[0])
    assert fit(ports, draw).error == pytest.approx(sqrt(sum(e * e for e in errors) / len(errors)))


@given(st.floats(0.01, 1e5))
def test_what_a_port_took_does_not_move_its_own_prediction(days):
    ports = counted(SHIPPED.ports)
    draw = partial(searching, choices=(("people", "host_api_files"), ("people", "build_files")), shrinkage=1.0)
    changed = (replace(ports[0], author_days=days), *ports[1:])
    said = [fit(others, draw).predict(one.counts) for one, others in (next(without_each(p)) for p in (ports, changed))]
    assert said[0] == said[1]


@given(st.integers(1, 50), st.integers(0, 1000), st.integers(0, 20), st.integers(0, 500))
def test_more_people_or_files_never_take_fewer_days(people, files, more_people, more_files):
    known = counted(SHIPPED.ports)
    known_class = fit(known, partial(ridge, features=BOTH, shrinkage=1.0))
    less = known_class.predict({"people": people, "host_api_files": files})
    more = known_class.predict({"people": people + more_people, "host_api_files": files + more_files})
    assert more.p50 >= less.p50 * (1 - 1e-12)
    assert less.p10 < less.p50 < less.p90


def test_the_range_widens_away_from_the_ports(ports, rule):
    known_class = fit(ports, drawing(rule))
    widths = []
    for files in (20, 200, 2000):
        days = known_class.predict({"people": 2, "host_api_files": files})
        widths.append(days.p90 / days.p10)
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


def test_the_search_takes_the_feature_that_errs_least():
    told = tuple(replace(p, counts={**p.counts, "noise": n}) for p, n in zip(MADE_UP, (5, 1, 4, 1, 5, 9), strict=True))
    assert searching(told, (("people", "noise"), BOTH), 0.0).features == BOTH


def test_a_feature_that_is_the_same_everywhere_gets_no_slope():
    same = tuple(replace(p, counts={"people": 2, "host_api_files": p.counts["host_api_files"]}) for p in MADE_UP)
    assert ridge(same, BOTH, 0.0).slopes[0] == 0


@pytest.mark.parametrize(
    ("ports", "message"),
    [
        (MADE_UP[:4], "4 ports are too few for 2 features; 5 needed"),
        ((Port("a", 3, {"people": 1}),) * 6, "host_api_files"),
    ],
)
def test_too_little_to_draw_a_line_through(ports, message):
    with pytest.raises(EstimatorError, match=message):
        ridge(ports, BOTH, 1.0)


@pytest.mark.parametrize(("freedom", "right"), [(2, 1.886), (5, 1.476), (11, 1.363), (30, 1.310)])
def test_quantiles_of_student(freedom, right):
    """Tables of any textbook."""
    assert student(0.9, freedom) == pytest.approx(right, abs=0.01)


# what a code base holds


def test_files_of_the_host_side_are_counted_once(tree):
    built = tree()
    built.site("runtime.verify", "cudaMalloc", path="a.cu", disposition=Disposition.AUTOMATIC)
    built.site("runtime.verify", "cudaFree", path="a.cu", disposition=Disposition.AUTOMATIC, count=3)
    built.site("api.driver", "cuLaunch", path="b.cpp", category="driver-api")
    built.site("runtime.verify", path="c.cu", disposition=Disposition.EXCLUDED)
    built.site("warp.size32", path="d.cu", category="warp-size")
    counts = measured(built.kernel("kernel.reduction").found())
    assert (counts["host_api_files"], counts["runtime_sites"], counts["driver_sites"]) == (2, 4, 1)
    assert (counts["api_symbols"], counts["warp_sites"]) == (3, 1)


def said(priced, tree, ports, rule, units, people=2):
    rows = priced(tree).options["amd"]
    lines = [line for line in rows.lines if line.part in FUNCTIONAL_PARTS]
    known = replace(SHIPPED, ports=ports, reference=rule, units=units)
    return refer(tree.found(), lines, rows.scopes["functional"].p50, known, people)


def test_without_debt_there_is_no_second_opinion(priced, tree, ports, rule, units):
    portable = tree().site("runtime.verify", disposition=Disposition.AUTOMATIC)
    assert said(priced, portable, ports, rule, units) is None


def among_the_ports(tree, files=20):
    built = tree(cuda_lines=5000)
    for number in range(files):
        built.site("runtime.no_equiv", path=f"{number}.cu")
    return built


def test_a_code_base_among_the_ports(priced, tree, ports, rule, units):
    reference = said(priced, among_the_ports(tree), ports, rule, units)
    assert (reference.reason, reference.unblended, reference.because) == ("", "", ())
    assert (reference.people, reference.host_api_files, reference.ports) == (2, 20, len(ports))
    assert reference.hours.p50 == pytest.approx(reference.days.p50 * units.hours_per_day)


def test_it_says_where_it_does_not_apply(priced, tree, ports, rule, units):
    alike = tree(cuda_lines=5000).kernel("kernel.reduction", "a")
    reference = said(priced, alike, ports, rule, units)
    assert reference.blend is None
    assert "0 files that call the CUDA runtime or driver, the ports had 1 to 54" in reference.unblended
    strict = replace(rule, unlike=("kernel.reduction", "runtime.verify"))
    assert "no functional hours of kinds that the ports held" in said(priced, alike, ports, strict, units).unblended


def test_rows_and_class_are_blended_by_how_far_off_they_are(priced, tree, ports, rule, units):
    reference = said(priced, among_the_ports(tree), ports, rule, units)
    known, blend = fit(ports, drawing(rule)), reference.blend
    assert blend.class_error == known.error_at({"people": 2, "host_api_files": 20})
    assert blend.rows_error == rows_error_on(ports, units.hours_per_day)
    assert blend.weight == pytest.approx(blend.rows_error**2 / (blend.rows_error**2 + blend.class_error**2))
    assert blend.factor == pytest.approx((reference.days.p50 / reference.functional_days) ** blend.weight)
    assert reference.unblended == ""


def test_without_a_team_the_class_knows_no_feature(priced, tree, ports, rule, units):
    reference = said(priced, among_the_ports(tree), ports, rule, units, people=None)
    assert (reference.people, reference.features) == (None, ())
    assert reference.blend.class_error > said(priced, among_the_ports(tree), ports, rule, units).blend.class_error


@pytest.mark.parametrize("people", [5, 6, 100])
def test_more_people_than_any_port_had_count_as_the_most(priced, tree, ports, rule, units, people):
    most = said(priced, among_the_ports(tree), ports, rule, units, 5)
    assert replace(said(priced, among_the_ports(tree), ports, rule, units, people), people=5) == most


def test_the_class_loses_weight_with_distance(priced, tree, ports, rule, units):
    """Line by line, and never by a cliff, until at half the least of the ports nothing is left."""
    weights, built = [], among_the_ports(tree)
    for lines in (1799, 1700, 1500, 1200, 1000, 950):
        built.cuda_lines = lines
        reference = said(priced, built, ports, rule, units)
        weights.append(reference.blend.weight)
    assert weights == sorted(weights, reverse=True)
    assert weights[0] - weights[1] < 0.1
    assert "950 lines of CUDA, the ports had 1,799 to 56,474" in reference.reason
    built.cuda_lines = 899
    assert "899 lines of CUDA" in said(priced, built, ports, rule, units).unblended


def test_rows_far_below_those_of_any_port_are_not_blended(priced, tree, ports, rule, units):
    """A kernel and a call in a long file are no port of two weeks."""
    built = tree(cuda_lines=5000).site("runtime.verify", "cudaMalloc").kernel("kernel.elementwise", "k")
    reference = said(priced, built, ports, rule, units)
    assert reference.functional_days < 2
    assert "person-days by rows, the ports had 4.0 to 54" in reference.unblended
    assert blending(reference, rule) == ()


def test_kinds_that_the_ports_hardly_held_are_left_alone(priced, tree, ports, rule, units):
    plain = said(priced, among_the_ports(tree), ports, rule, units)
    built = among_the_ports(tree).kernel("kernel.tensor_raw", "a")
    reference = said(priced, built, ports, rule, units)
    rows = priced(built).options["amd"]
    likely = {line.weight: line.hours.likely for line in rows.lines if line.part in FUNCTIONAL_PARTS}
    assert reference.unlike == pytest.approx(likely["kernel.tensor_raw"] / sum(likely.values()))
    assert reference.blend.factor == pytest.approx(plain.blend.factor, rel=0.1)
    amd = blending(reference, rule)[0]
    mixed = priced(built, programme=Programme(scalings=(amd,))).options["amd"]
    kernels = [line.hours for line in mixed.lines if line.part == "kernels"]
    assert [hours.likely for hours in kernels] == [likely["kernel.tensor_raw"]]


def test_what_a_strategy_adds_is_left_alone(priced, tree, ports, rule, units, weights):
    amd, _ = blending(said(priced, among_the_ports(tree), ports, rule, units), rule)
    part = weights["runtime.symbol"].part
    assert acts_on(amd.multiplier, "runtime.symbol", part)
    assert not acts_on(amd.multiplier, "strategy.duplicated-tree", part)


@given(
    st.floats(0.01, 1e4),
    st.floats(0.01, 1e4),
    st.floats(0.05, 3),
    st.floats(0.05, 3),
    st.floats(1, 100),
    st.floats(0, 1),
)
def test_a_blend_lies_between_and_follows_the_rows(rows, others, rows_error, class_error, more, near):
    told = blend(rows, others, rows_error, class_error, near)
    mixed = rows * told.factor
    assert min(rows, others) * (1 - 1e-9) <= mixed <= max(rows, others) * (1 + 1e-9)
    assert rows * more * blend(rows * more, others, rows_error, class_error, near).factor >= mixed * (1 - 1e-9)


def test_the_blend_is_a_multiplier_of_each_option(priced, tree, ports, rule, units):
    amd, triton = blending(said(priced, among_the_ports(tree), ports, rule, units), rule)
    assert (amd.options, triton.options) == (("amd",), ("triton-first",))
    assert set(amd.multiplier.parts) == set(FUNCTIONAL_PARTS)
    assert set(triton.multiplier.parts) == set(FUNCTIONAL_PARTS) - {"kernels"}
    built = among_the_ports(tree).kernel("kernel.reduction", "k")
    plain = priced(built).options
    mixed = priced(built, programme=Programme(scalings=(amd, triton))).options
    times = amd.factor.likely
    assert mixed["amd"].scopes["functional"].p50 == pytest.approx(times * plain["amd"].scopes["functional"].p50)
    assert mixed["amd"].parts["validation"] == plain["amd"].parts["validation"]
    assert mixed["amd"].edits == plain["amd"].edits
    assert mixed["triton-first"].parts["kernels"] == plain["triton-first"].parts["kernels"]
    assert sum(line.hours.likely for line in mixed["amd"].lines) == pytest.approx(mixed["amd"].hours.likely)


def test_an_estimate_above_what_ports_took_names_the_rows(priced, tree, ports, rule, units):
    built = tree().site("runtime.no_equiv")
    for number in range(40):
        built.site("warp.size32", f"s{number}", path=f"{number}.cu", function=f"f{number}", category="warp-size")
    reference = said(priced, built, ports, replace(rule, days_most=2), units)
    assert reference.functional_days > 2
    assert reference.because[0].weight == "warp.size32"
    assert said(priced, built, ports, rule, units).because == ()


def test_a_port_beyond_all_figures_is_told(rule):
    """A line with a feature that is the same everywhere has no idea of another value."""
    ports = [Port(f"{i}", 5.0 + i, {"people": 2, "libraries": 0}) for i in range(6)]
    known = fit(ports, partial(ridge, features=("libraries",), shrinkage=0.0))
    assert known.predict({"libraries": 0}).p50 > 0
    with pytest.raises(EstimatorError, match="so far from the others"):
        known.predict({"libraries": 999_999_999})
