"""How the source is kept: what each way adds, which one is proposed, and what it does to the estimate."""

from __future__ import annotations

from dataclasses import replace
from math import fsum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.effort import estimate, redrawn
from estimator.effort.values import Programme
from estimator.errors import EstimatorError
from estimator.findings.values import Disposition
from estimator.knowledge import load_heuristics
from estimator.quantities import Hours, Triple

SHIPPED = load_heuristics().strategies
ALIAS, HIPIFY, LAYER, COPY = (one.id for one in SHIPPED)
few = settings(max_examples=40, deadline=None)


@pytest.fixture(scope="session")
def kept(weights, units, performance):
    """Estimate of a tree with the shipped strategies."""

    def run(code, asked=None, years=3.0, strategies=SHIPPED):
        outlook = Programme(strategies=strategies, strategy=asked, years=years)
        found = code.found()
        return estimate(found, weights, replace(units, draws=500), performance, seed=1, programme=outlook)

    return run


def program(tree, host=0.0, symbols=3, files=2):
    """A program with a kernel, a build file and calls without a twin."""
    code = tree(cuda_lines=2000, changed_lines=20, python_host=host).kernel("kernel.reduction", path="0.cu")
    code.site("build.file", path="CMakeLists.txt", category="build-system")
    for number in range(symbols):
        category = "runtime-api-unsupported"
        code.site("runtime.no_equiv", f"cudaF{number}", path=f"{number % files}.cu", category=category)
    return code


def by_id(estimated):
    return {price.id: price for price in estimated.strategies}


def maintained(option):
    """Likely hours of all that upkeep is a share of."""
    return sum(spread.likely for part, spread in option.parts.items() if part not in ("setup", "learning"))


def strategy_rows(estimated, option="amd"):
    return [line for line in estimated.options[option].lines if line.weight.startswith("strategy.")]


def test_hours_are_the_sum_in_words_and_add_up_over_the_horizon(tree, kept, priced):
    code = program(tree)
    bare = maintained(priced(code).options["amd"])
    copy = by_id(kept(code))[COPY]
    assert copy.sum == "24 + 2 x 1 + 2 x 4 h"
    assert copy.hours == Hours(8 + 2 * 0.25 + 2 * 2, 34, 80 + 2 * 4 + 2 * 12)
    assert copy.upkeep_year == pytest.approx(0.73 * (bare + 34))
    assert copy.horizon_hours == pytest.approx(34 + 3 * copy.upkeep_year)
    assert (copy.upkeep_own, copy.horizon_years) == (True, 3)
    layer = by_id(kept(code))[LAYER]
    assert layer.upkeep_year == pytest.approx(0.25 * (bare + 26))
    assert not layer.upkeep_own


@pytest.mark.parametrize(("host", "name"), [(0.0, ALIAS), (1.0, HIPIFY)])
def test_the_cheapest_that_fits_is_priced_and_moves_nothing_where_it_costs_nothing(tree, kept, priced, host, name):
    code = program(tree, host)
    estimated, bare = kept(code), priced(code, draws=500)
    chosen = estimated.kept
    assert chosen is not None
    assert (chosen.id, chosen.why_chosen, chosen.sum) == (name, "the cheapest that fits", "nothing beyond the rows")
    assert [price.proposed for price in estimated.strategies] == [price.chosen for price in estimated.strategies]
    assert estimated.options == bare.options
    assert estimated.draws.digest == bare.draws.digest


def test_of_equals_the_upper_one_is_proposed(tree, kept):
    twins = tuple(replace(SHIPPED[0], id=name, price=(), unfit=()) for name in ("one", "two"))
    assert [kept(program(tree), strategies=order).kept.id for order in (twins, twins[::-1])] == ["one", "two"]


def test_the_one_asked_for_is_a_row_of_its_own_and_its_upkeep_goes_before(tree, kept, priced):
    code = program(tree)
    asked, bare = kept(code, COPY).options["amd"], priced(code, draws=500).options["amd"]
    assert [line.weight for line in asked.lines if line not in bare.lines] == ["strategy.duplicated-tree"]
    assert asked.parts["conversion"].likely == pytest.approx(bare.parts["conversion"].likely + 34)
    assert asked.upkeep_of.share == Triple(0.25, 0.73, 1.1)
    assert asked.upkeep.likely == pytest.approx(0.73 * maintained(asked))
    assert by_id(kept(code, COPY))[COPY].upkeep_year == pytest.approx(asked.upkeep.likely)
    assert asked.edits == bare.edits
    layer = kept(code, LAYER)
    assert layer.options["amd"].upkeep_of == bare.upkeep_of
    assert (layer.kept.why_chosen, layer.kept.proposed) == ("the scenario asks for it", False)
    assert by_id(layer)[ALIAS].proposed


@pytest.mark.parametrize("host", [0.0, 0.4, 1.0])
def test_triton_first_takes_as_much_as_stays_cpp(tree, kept, host):
    """Every kernel is rewritten, so that the Python share of the host leaves."""
    rows = strategy_rows(kept(program(tree, host), LAYER), "triton-first")
    assert [row.hours for row in rows] == ([Hours(8.5, 26, 88) * (1 - host)] if host < 1 else [])
    if host == 0.4:
        assert rows[0].sum == "0.6 x (24 + 2 x 1) h"
    shares = {option: one.upkeep_of.share.likely for option, one in kept(program(tree, host), COPY).options.items()}
    assert shares["amd"] == 0.73
    assert shares["triton-first"] == pytest.approx(host * 0.2 + (1 - host) * 0.73)


def test_too_many_calls_without_a_twin_are_too_much_for_a_header(tree, kept):
    assert by_id(kept(program(tree, symbols=30)))[ALIAS].fits
    price = by_id(kept(program(tree, symbols=31)))[ALIAS]
    assert price.why == "31 API functions have no HIP twin, and beyond 30 the header is a layer"
    assert not price.chosen
    assert kept(program(tree, symbols=31)).kept.id == HIPIFY
    ported = program(tree, symbols=30).site("runtime.no_equiv", "cudaX", disposition=Disposition.PORTED)
    assert by_id(kept(ported))[ALIAS].fits


def test_kernels_in_strings_are_not_seen_by_a_build(tree, kept):
    code = program(tree, 1.0).site("py.cupy_raw", "RawKernel", path="a.py", category="python-cuda")
    assert not by_id(kept(code))[HIPIFY].fits
    assert kept(code).kept.id == ALIAS


def test_one_that_does_not_fit_is_priced_when_asked_for_and_that_is_said(tree, kept):
    code = program(tree)
    code.cuda_lines = 50_000
    price = kept(code, COPY).kept
    told = "50,000 lines of CUDA would be copied; the largest copy seen has 13,071"
    assert (price.id, price.fits, price.why) == (COPY, False, told)
    assert price.why_chosen == f"the scenario asks for it; it does not fit: {told}"
    assert strategy_rows(kept(code, COPY))[0].hours.likely == 24 + 2 + 50 * 4


def test_where_none_fits_the_cheapest_is_priced(tree, kept):
    narrow = tuple(replace(one, unfit=(replace(SHIPPED[0].unfit[0], most=0),)) for one in SHIPPED)
    chosen = kept(program(tree), strategies=narrow).kept
    assert (chosen.id, chosen.fits) == (ALIAS, False)
    assert chosen.why_chosen.startswith("none fits, and it is the cheapest; it does not fit: 3 API functions")


@pytest.mark.parametrize("asked", [None, COPY])
@pytest.mark.parametrize("bare", ["nothing", "no source", "ported", "automatic", "constants"])
def test_without_debt_or_source_of_ones_own_there_is_none(tree, kept, priced, bare, asked):
    code = tree(cuda_lines=2000, changed_lines=3)
    match bare:
        case "no source":
            code = tree().site("ci.base", path="Dockerfile", category="container")
        case "ported" | "automatic":
            code.site("runtime.symbol", disposition=Disposition(bare))
        case "constants":
            code.site("tune.constants", category="tuning-constant")
    estimated = kept(code, asked)
    assert (estimated.strategies, estimated.kept) == ((), None)
    assert estimated.options == priced(code, draws=500).options


def test_a_name_that_nothing_has_is_an_error(tree, kept):
    with pytest.raises(EstimatorError, match=r"no strategy 'alias-heder' \(did you mean 'alias-header'\?\)"):
        kept(program(tree), "alias-heder")


@pytest.mark.parametrize("asked", [LAYER, COPY])
def test_the_lines_alone_give_the_same_figures(tree, kept, asked):
    whole = kept(program(tree, 0.4), asked)
    again = redrawn(whole, 1, 500)
    assert again.draws.digest == whole.draws.digest
    assert again.options == whole.options
    assert again.strategies == whole.strategies


sites = st.lists(
    st.tuples(
        st.sampled_from(("runtime.no_equiv", "runtime.symbol", "nvrtc.string", "build.file", "warp.size32")),
        st.integers(0, 60),
        st.sampled_from(["a.cu", "b.cu", "c.cu", "d.cuh"]),
        st.sampled_from(["runtime-api", "driver-api", "build-system", "warp-size"]),
    ),
    max_size=60,
)


@few
@given(sites, sites, st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([0.1, 3.0, 20.0]), st.integers(0, 50_000))
def test_more_debt_never_costs_less(tree, kept, some, more, host, years, lines):
    def built(rows):
        code = tree(cuda_lines=100 + lines * len(rows) // 60, changed_lines=len(rows), python_host=host)
        for weight, number, path, category in rows:
            code.site(weight, f"s{number}", path=path, category=category)
        return kept(code, years=years)

    before, after = built(some), built(some + more)
    for option in ("amd", "triton-first"):
        for point in ("likely", "mean", "p50", "p80"):
            a, b = (getattr(one.options[option].hours, point) for one in (before, after))
            assert b >= a * (1 - 1e-9)
    for one, other in zip(before.strategies, after.strategies, strict=False):
        assert other.hours.likely >= one.hours.likely
        assert one.fits or not other.fits
    if before.strategies:
        assert min(p.horizon_hours for p in before.strategies if p.fits) <= (
            min(p.horizon_hours for p in after.strategies if p.fits) * (1 + 1e-9)
        )


@few
@given(sites, st.sampled_from([None, ALIAS, LAYER, COPY]))
def test_one_is_chosen_and_the_proposed_one_is_the_cheapest_that_fits(tree, kept, some, asked):
    code = tree(cuda_lines=900, changed_lines=len(some))
    for weight, number, path, category in some:
        code.site(weight, f"s{number}", path=path, category=category)
    estimated = kept(code, asked)
    assert bool(estimated.strategies) == bool(some)
    if not some:
        return
    (proposed,) = (price for price in estimated.strategies if price.proposed)
    assert proposed.fits
    assert all(proposed.horizon_hours <= price.horizon_hours for price in estimated.strategies if price.fits)
    assert estimated.kept.id == (asked or proposed.id)
    rows = fsum(row.hours.likely for row in strategy_rows(estimated))
    assert rows == pytest.approx(estimated.kept.hours.likely)
