"""What must hold for any code base."""

from __future__ import annotations

from dataclasses import fields
from math import fsum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.effort.values import FUNCTIONAL_PARTS
from estimator.findings.values import Disposition
from estimator.knowledge.values import PARTS, PHASES

CLASSES = (
    "ptx.simple",
    "ptx.mma_async",
    "warp.size32",
    "warp.primitive",
    "runtime.symbol",
    "runtime.no_equiv",
    "lib.cutlass.symbol",
    "shim.thrust",
    "feature.graphs",
    "build.file",
    "ci.base",
    "dep.apex",
    "tune.constants",
    "managed-memory",
)
KERNELS = ("kernel.elementwise", "kernel.reduction", "kernel.tensor_raw", "kernel.irregular", "kernel.quantised")

sites = st.lists(
    st.tuples(
        st.sampled_from(CLASSES),
        st.sampled_from("abc"),
        st.sampled_from(["a.cu", "b.cu", "c.cuh"]),
        st.integers(1, 60),
        st.sampled_from(["", "f", "g"]),
        st.sampled_from(list(Disposition)),
    ),
    max_size=40,
)
kernels = st.lists(
    st.tuples(
        st.sampled_from(KERNELS),
        st.sampled_from(["a.cu", "b.cu"]),
        st.integers(1, 60),
        st.sampled_from(["good", "poor"]),
        st.sampled_from(list(Disposition)),
    ),
    max_size=12,
)
hosts = st.sampled_from([0.0, 0.3, 1.0])
few = settings(max_examples=40, deadline=None)


def built(tree, some_sites, some_kernels, host=0.0):
    code = tree(cuda_lines=10 * len(some_sites), changed_lines=len(some_sites), python_host=host)
    for weight, symbol, path, line, function, disposition in some_sites:
        code.site(weight, symbol, path=path, line=line, function=function, category="c", disposition=disposition)
    for weight, path, line, fit, disposition in some_kernels:
        code.kernel(weight, path=path, line=line, fit=fit, disposition=disposition)
    return code


def likely(estimate, option="amd"):
    return estimate.options[option].hours.likely


@few
@given(sites, kernels, hosts)
def test_totals_are_the_sums_of_their_lines(tree, priced, some_sites, some_kernels, host):
    for option in priced(built(tree, some_sites, some_kernels, host)).options.values():
        for kind, names in (("parts", PARTS), ("phases", PHASES)):
            spreads = getattr(option, kind)
            assert tuple(spreads) == names
            for measure in ("likely", "mean"):
                total = fsum(getattr(spread, measure) for spread in spreads.values())
                assert total == pytest.approx(getattr(option.hours, measure), rel=1e-12)
        assert option.hours.likely == pytest.approx(fsum(line.hours.likely for line in option.lines), rel=1e-12)
        functional = fsum(option.parts[part].mean for part in FUNCTIONAL_PARTS)
        assert option.scopes["functional"].mean == pytest.approx(functional, rel=1e-12)
        assert sum(option.grades.values()) == pytest.approx(1 if option.hours.likely else 0)


@few
@given(sites, kernels, hosts)
def test_bounds_rise_at_every_step(tree, priced, some_sites, some_kernels, host):
    for option in priced(built(tree, some_sites, some_kernels, host)).options.values():
        spreads = [*option.parts.values(), *option.phases.values(), *option.scopes.values(), option.upkeep]
        for spread in spreads:
            assert 0 <= spread.p10 <= spread.p50 <= spread.p80 <= spread.p90
        for line in option.lines:
            assert 0 <= line.hours.low <= line.hours.likely <= line.hours.high
            assert line.count > 0


@few
@given(sites, sites, kernels, hosts)
def test_more_sites_never_cost_less(tree, priced, some_sites, more, some_kernels, host):
    before = priced(built(tree, some_sites, some_kernels, host))
    after = priced(built(tree, some_sites + more, some_kernels, host))
    for option in ("amd", "triton-first"):
        for scope in ("functional", "full"):
            a, b = before.options[option].scopes[scope], after.options[option].scopes[scope]
            for point in ("likely", "mean", "p10", "p50", "p80", "p90"):
                assert getattr(b, point) >= getattr(a, point) * (1 - 1e-9)


@few
@given(sites, kernels, sites, kernels, hosts)
def test_a_whole_costs_no_more_than_its_parts_apart(tree, priced, sites_a, kernels_a, sites_b, kernels_b, host):
    """Automatic kernels are left out: they are re-tuned with the rest, but alone they are a portable code base."""
    a, b = built(tree, sites_a, kernels_a, host), built(tree, sites_b, kernels_b, host)
    for code, side in ((a, "a"), (b, "b")):
        code.kernels = [k for k in code.kernels if k.disposition is not Disposition.AUTOMATIC]
        code.rows = [(w, c, _moved(site, side), d) for w, c, site, d in code.rows]
        code.kernels = [type(k)(_moved(k.kernel, side), k.disposition, k.weight) for k in code.kernels]
    whole = tree(a.cuda_lines + b.cuda_lines, a.changed_lines + b.changed_lines, host)
    whole.rows, whole.kernels = a.rows + b.rows, a.kernels + b.kernels
    assert likely(priced(whole)) <= (likely(priced(a)) + likely(priced(b))) * (1 + 1e-9)


def _moved(place, side):
    values = {field.name: getattr(place, field.name) for field in fields(place)}
    return type(place)(**{**values, "path": f"{side}/{place.path}"})


@few
@given(sites, kernels, hosts, st.randoms(use_true_random=False))
def test_the_order_of_findings_does_not_matter(tree, priced, some_sites, some_kernels, host, chance):
    code = built(tree, some_sites, some_kernels, host)
    order = list(range(len(code.found().findings)))
    chance.shuffle(order)
    first, second = priced(code), priced(code.found(order))
    assert first.options == second.options
    assert first.unpriced == second.unpriced
    assert first.draws.digest == second.draws.digest


@few
@given(sites, kernels, hosts)
def test_every_priced_finding_has_a_line_or_is_unpriced(tree, priced, weights, some_sites, some_kernels, host):
    code = built(tree, some_sites, some_kernels, host)
    found = code.found()
    estimate = priced(found)
    for finding in found.findings:
        live = [i for i in finding.sites if found.sites[i].disposition in (Disposition.DEBT, Disposition.AUTOMATIC)]
        shown = {i for line in estimate.options["amd"].lines for i in line.findings}
        absent = {row.weight for row in estimate.unpriced}
        assert bool(live) == (finding.id in shown or finding.weight in absent)


# what a reviewer expects of volume


def repeated(tree, weight, number, disposition=Disposition.DEBT):
    """So many places of one symbol, ten in each function."""
    code = tree(changed_lines=number)
    for i in range(number):
        code.site(weight, "same", path=f"{i // 100}.cu", line=i, function=f"f{i // 10}", disposition=disposition)
    return code


def test_a_thousand_matrix_instructions_cost_a_hundred_times_one(tree, priced):
    """Each place has its own fragments, which are looked at one by one, at a tenth of the first: 1 + 9/4 + 990/10
    firsts. The total grows less, since set-up and learning are paid once; it must differ by far all the same."""
    one, thousand = (priced(repeated(tree, "ptx.mma_async", number)).options["amd"] for number in (1, 1000))
    assert one.parts["remediation"].likely == pytest.approx(5)
    assert thousand.parts["remediation"].likely == pytest.approx(5 * 102.25)
    assert 5 < thousand.hours.likely / one.hours.likely < 10


def test_a_thousand_calls_that_a_tool_renames_cost_less_than_an_hour(tree, priced):
    """One alias line carries all calls of a name; what is left is to look over a list. No set-up, no learning."""
    one, thousand = (
        priced(repeated(tree, "runtime.symbol", number, Disposition.AUTOMATIC)).options["amd"] for number in (1, 1000)
    )
    calls = [option.parts["conversion"].likely for option in (one, thousand)]
    assert calls == [pytest.approx(0.05), pytest.approx(0.05 * (1 + 9 * 0.02 + 990 * 0.01))]
    assert calls[1] < 1
    assert thousand.hours.likely < 4  # with the review of a thousand changed lines


def test_what_a_script_does_comes_to_an_end_and_what_needs_thought_does_not(tree, priced):
    ends = [priced(tree().site("shim.cub", count=number)).options for number in (10**5, 10**6, 10**7)]
    assert [options["amd"].parts["libraries"].likely for options in ends] == [50, 50, 50]
    (row,) = (line for line in ends[0]["amd"].lines if line.weight == "shim.cub")
    assert row.sum.endswith(", at most 250 x 0.2 h")
    for option in ("amd", "triton-first"):
        hours = [options[option].parts["libraries"].likely for options in ends]
        assert hours == sorted(hours)
    many = [priced(tree().site("ptx.simple", count=number)).options["amd"].hours.likely for number in (10**5, 10**6)]
    assert many[1] > 9 * many[0]


@few
@given(
    st.sampled_from(("shim.cub", "runtime.symbol", "warp.primitive", "tool.nvtx")),
    st.integers(1, 10**6),
    st.integers(1, 10**6),
)
def test_an_end_only_flattens(tree, priced, weight, some, more):
    before, after = (priced(tree().site(weight, count=number)) for number in (some, some + more))
    apart = priced(tree().site(weight, count=more))
    for option in ("amd", "triton-first"):
        assert likely(before, option) <= likely(after, option) * (1 + 1e-12)
        assert likely(after, option) <= (likely(before, option) + likely(apart, option)) * (1 + 1e-12)
