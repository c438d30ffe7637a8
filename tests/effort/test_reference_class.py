"""The reference class: the line is exact, never sees the port it predicts, and knows where it doesn't apply."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import exp, log, log1p, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.effort.reference_class import counted, drawing, fit, ridge, searching, student, without_each
from estimator.errors import EstimatorError
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Port

BOTH = ("people", "host_api_files")
SHIPPED = load_heuristics()


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


def test_a_port_beyond_all_figures_is_told(rule):
    """A line with a feature that is the same everywhere has no idea of another value."""
    ports = [Port(f"{i}", 5.0 + i, {"people": 2, "libraries": 0}) for i in range(6)]
    known = fit(ports, partial(ridge, features=("libraries",), shrinkage=0.0))
    assert known.predict({"libraries": 0}).p50 > 0
    with pytest.raises(EstimatorError, match="so far from the others"):
        known.predict({"libraries": 999_999_999})


@pytest.mark.parametrize(("freedom", "right"), [(2, 1.886), (5, 1.476), (11, 1.363), (30, 1.310)])
def test_quantiles_of_student(freedom, right):
    """Tables of any textbook."""
    assert student(0.9, freedom) == pytest.approx(right, abs=0.01)
