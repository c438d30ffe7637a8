"""The back-test: its figures are right, its ports stay apart, and what it must reach is reached."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.effort.agreement import rank_correlation, ranked
from estimator.effort.backtest import (
    BARS,
    CLASS,
    CONSTANT,
    ESTIMATE,
    ESTIMATE_ALONE,
    IN_SAMPLE,
    MOST_FURTHER,
    MOST_OWN,
    ROWS,
    SEARCHED,
    backtest,
    backtest_fresh,
)
from estimator.effort.blend import checked
from estimator.effort.reference_class import counted, drawing, fit
from estimator.errors import EstimatorError
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Port

SHIPPED = load_heuristics().ports


@pytest.fixture(scope="module")
def result(rule, units):
    return backtest(SHIPPED, rule, units.hours_per_day)


def of(result, method):
    return next(summary for summary in result.summaries if summary.method == method)


@pytest.mark.parametrize("method", [CLASS, SEARCHED, ESTIMATE])
def test_the_bars_are_reached(result, method):
    """On ports that each prediction had not seen; SEARCHED chose its features without them as well."""
    summary = of(result, method)
    assert summary.ports == 14
    assert summary.reached == dict.fromkeys(BARS, True)
    for interval in (summary.coverage, summary.bias, summary.rank):
        assert interval.low <= interval.value <= interval.high


def test_a_constant_guess_loses(result):
    constant, known = of(result, CONSTANT), of(result, CLASS)
    assert not constant.reached["rank"]
    assert constant.error > 1.3 * known.error
    assert constant.width > 1.3 * known.width
    assert constant.rank.value < 0


def test_the_search_inside_the_folds_costs_something(result):
    """Features that were settled while looking at the ports flatter; what is searched without a port pays for it."""
    assert of(result, SEARCHED).error > of(result, CLASS).error > of(result, IN_SAMPLE).error
    assert of(result, SEARCHED).error < of(result, CONSTANT).error


def test_without_a_team_ports_are_not_ranked(result):
    """The range is as wide as an estimate may be, the middle is right, and no bar on ranking can be reached."""
    summary = of(result, ESTIMATE_ALONE)
    assert summary.reached == {**dict.fromkeys(BARS, True), "coverage": False, "rank": False}
    assert summary.coverage.value > 0.75
    assert summary.error < of(result, ROWS).error


def test_blending_mends_rows(result):
    rows, mixed = of(result, ROWS), of(result, ESTIMATE)
    assert not rows.reached["coverage"]
    assert mixed.error < rows.error / 2


def test_each_port_is_predicted_from_the_others(result, rule):
    members = counted(SHIPPED)
    others = (*members[:3], *members[4:])
    assert result.tested[3].said[CLASS] == fit(others, drawing(rule)).predict(members[3].counts)


def test_the_rows_are_those_of_the_file_in_days(result, units):
    first = result.tested[0]
    assert first.said[ROWS].p50 == pytest.approx(first.port.functional[1] / units.hours_per_day)


def test_ports_of_another_scope_are_shown_and_not_counted(result):
    assert {one.port.kind for one in result.beside} >= {"full", "upkeep", "new kernels"}
    assert not any(one.port.counted for one in result.beside)
    assert all(summary.ports == 14 for summary in result.summaries)
    upkeep = next(one for one in result.beside if one.port.kind == "upkeep")
    assert CLASS not in upkeep.said


def test_the_same_ports_give_the_same_figures(result, rule, units):
    assert backtest(SHIPPED, rule, units.hours_per_day).summaries == result.summaries


def test_further_ports_are_predicted_by_a_class_that_holds_none_of_them(rule, units):
    further = (
        Port("own", 10, {"people": 2, "host_api_files": 9}),
        Port("big", 90, {"people": 4, "host_api_files": 40}),
    )
    fresh = backtest_fresh(SHIPPED, rule, units.hours_per_day, further)
    expected = fit(counted(SHIPPED), drawing(rule)).predict(further[0].counts)
    assert fresh.fresh
    assert fresh.tested[0].said[CLASS] == expected
    assert set(fresh.tested[0].said) >= {CLASS, CONSTANT}
    assert of(fresh, CLASS).ports == 2


def test_own_ports_join_the_class(rule, units):
    own = (Port("own", 10, {"people": 2, "host_api_files": 9}),)
    joined = backtest(SHIPPED, rule, units.hours_per_day, own)
    assert [one.port.repo for one in joined.tested][-1] == "own"
    assert of(joined, CLASS).ports == 15
    assert joined.tested[0].said[CLASS] != backtest(SHIPPED, rule, units.hours_per_day).tested[0].said[CLASS]


def test_coverage_counts_outcomes_inside(rule, units, result):
    """A port that took absurdly long lies outside, and only its own row says so."""
    index = next(
        i for i, one in enumerate(result.tested) if one.said[CLASS].p10 < one.port.author_days < one.said[CLASS].p90
    )
    longer = replace(counted(SHIPPED)[index], author_days=5000)
    ports = tuple(longer if port.repo == longer.repo and port.counted else port for port in SHIPPED)
    days = backtest(ports, rule, units.hours_per_day).tested[index].said[CLASS]
    assert days == result.tested[index].said[CLASS]
    assert not days.p10 <= 5000 <= days.p90


days = st.lists(st.floats(0.1, 1000), min_size=3, max_size=20)


@given(days)
def test_rank_correlation_with_itself_is_one(values):
    x = np.array(values)
    if len(set(np.round(np.log(x), 9))) > 1:
        assert rank_correlation(x, x**2) == pytest.approx(1)
        assert rank_correlation(x, 1 / x) == pytest.approx(-1)
    else:
        assert np.isnan(rank_correlation(x, x))


def test_rank_correlation_shares_ranks_among_ties():
    """Ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: 4.5 / sqrt(4.5 x 5)."""
    one, other = np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 4])
    assert rank_correlation(one, other) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)


def test_the_report_says_what_the_back_test_says(result, rule, units):
    told = checked(counted(SHIPPED), rule, units.hours_per_day, people_known=True)
    alone = checked(counted(SHIPPED), rule, units.hours_per_day, people_known=False)
    assert told.ports == alone.ports == 14
    said = ((ROWS, told.rows), (CLASS, told.reference), (ESTIMATE, told.blended), (ESTIMATE_ALONE, alone.blended))
    for method, fared in said:
        summary = of(result, method)
        assert fared.inside == round(summary.coverage.value * summary.ports)
        assert fared.factor == pytest.approx(np.exp(summary.error))
        assert fared.rank == pytest.approx(summary.rank.value)


def test_nothing_is_said_where_no_rows_were_priced_or_ports_are_few(rule):
    ports = counted(SHIPPED)
    assert checked([replace(port, functional=None) for port in ports], rule, 7, people_known=True) is None
    assert checked(ports[:6], rule, 7, people_known=True) is None
    assert checked(ports[:7], rule, 7, people_known=True).ports == 7


def test_own_ports_are_bounded_and_nothing_is_searched(rule, units):
    own = tuple(Port(f"own {i}", 5 + i, {"people": 2, "host_api_files": 9 + i}) for i in range(MOST_OWN + 1))
    with pytest.raises(EstimatorError, match="41 ports are too many; at most 40 own ports"):
        backtest(SHIPPED, rule, units.hours_per_day, own)
    joined = backtest(SHIPPED, rule, units.hours_per_day, own[:2])
    assert all(SEARCHED not in one.said for one in joined.tested)


def test_further_ports_are_bounded(rule, units):
    further = (Port("own", 10, {"people": 2, "host_api_files": 9}),) * (MOST_FURTHER + 1)
    with pytest.raises(EstimatorError, match="501 ports are too many; at most 500 further ports"):
        backtest_fresh(SHIPPED, rule, units.hours_per_day, further)


def test_ranks_of_many_resamples_are_those_of_each():
    """Counted over the whole table, yet each row stands for itself."""
    table = np.array([[1.0, 2, 2, 8], [8, 1, 1, 1], [3, 3, 3, 3]])
    other = np.array([[4.0, 3, 2, 1], [1, 2, 3, 4], [1, 2, 3, 4]])
    together = ranked(table, other)
    assert np.isnan(together[2])
    assert together[:2] == pytest.approx([rank_correlation(*pair) for pair in zip(table[:2], other[:2], strict=True)])
    assert together[:2] == pytest.approx([-(0.9**0.5), -(0.6**0.5)])
