"""The blend: it lies between rows and class, weighs them by how far off they are, and fades away from the ports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.effort.blend import blend, blending, rows_error_on
from estimator.effort.reference_class import drawing, fit
from estimator.effort.values import FUNCTIONAL_PARTS, Programme, acts_on


def test_rows_and_class_are_blended_by_how_far_off_they_are(said, among_the_ports, ports, rule, units):
    reference = said(among_the_ports())
    known, blend = fit(ports, drawing(rule)), reference.blend
    assert blend.class_error == known.error_at({"people": 2, "host_api_files": 20})
    assert blend.rows_error == rows_error_on(ports, units.hours_per_day)
    assert blend.weight == pytest.approx(blend.rows_error**2 / (blend.rows_error**2 + blend.class_error**2))
    assert blend.factor == pytest.approx((reference.days.p50 / reference.functional_days) ** blend.weight)
    assert reference.unblended == ""


def test_the_class_loses_weight_with_distance(said, among_the_ports):
    """Line by line, and never by a cliff, until at half the least of the ports nothing is left."""
    weights, built = [], among_the_ports()
    for lines in (1799, 1700, 1500, 1200, 1000, 950):
        built.cuda_lines = lines
        reference = said(built)
        weights.append(reference.blend.weight)
    assert weights == sorted(weights, reverse=True)
    assert weights[0] - weights[1] < 0.1
    assert "950 lines of CUDA, the ports had 1,799 to 56,474" in reference.reason
    built.cuda_lines = 899
    assert "899 lines of CUDA" in said(built).unblended


def test_rows_far_below_those_of_any_port_are_not_blended(said, tree, rule):
    """A kernel and a call in a long file are no port of two weeks."""
    built = tree(cuda_lines=5000).site("runtime.verify", "cudaMalloc").kernel("kernel.elementwise", "k")
    reference = said(built)
    assert reference.functional_days < 2
    assert "person-days by rows, the ports had 4.0 to 54" in reference.unblended
    assert blending(reference, rule) == ()


def test_kinds_that_the_ports_hardly_held_are_left_alone(said, among_the_ports, priced, rule):
    plain = said(among_the_ports())
    built = among_the_ports().kernel("kernel.tensor_raw", "a")
    reference = said(built)
    rows = priced(built).options["amd"]
    likely = {line.weight: line.hours.likely for line in rows.lines if line.part in FUNCTIONAL_PARTS}
    assert reference.unlike == pytest.approx(likely["kernel.tensor_raw"] / sum(likely.values()))
    assert reference.blend.factor == pytest.approx(plain.blend.factor, rel=0.1)
    amd = blending(reference, rule)[0]
    mixed = priced(built, programme=Programme(scalings=(amd,))).options["amd"]
    kernels = [line.hours for line in mixed.lines if line.part == "kernels"]
    assert [hours.likely for hours in kernels] == [likely["kernel.tensor_raw"]]


def test_what_a_strategy_adds_is_left_alone(said, among_the_ports, rule, weights):
    amd, _ = blending(said(among_the_ports()), rule)
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


def test_the_blend_is_a_multiplier_of_each_option(said, among_the_ports, priced, rule):
    amd, triton = blending(said(among_the_ports()), rule)
    assert (amd.options, triton.options) == (("amd",), ("triton-first",))
    assert set(amd.multiplier.parts) == set(FUNCTIONAL_PARTS)
    assert set(triton.multiplier.parts) == set(FUNCTIONAL_PARTS) - {"kernels"}
    built = among_the_ports().kernel("kernel.reduction", "k")
    plain = priced(built).options
    mixed = priced(built, programme=Programme(scalings=(amd, triton))).options
    times = amd.factor.likely
    assert mixed["amd"].scopes["functional"].p50 == pytest.approx(times * plain["amd"].scopes["functional"].p50)
    assert mixed["amd"].parts["validation"] == plain["amd"].parts["validation"]
    assert mixed["amd"].edits == plain["amd"].edits
    assert mixed["triton-first"].parts["kernels"] == plain["triton-first"].parts["kernels"]
    assert sum(line.hours.likely for line in mixed["amd"].lines) == pytest.approx(mixed["amd"].hours.likely)
