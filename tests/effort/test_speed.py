"""Speed of own kernels after a port: means by hand, ends that rise, and what raises or lowers them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.effort.speed import kernel_speed
from estimator.findings.values import Disposition
from estimator.knowledge.values import Performance
from estimator.quantities import Triple

EQUAL = Triple(1.0, 1.0, 1.0)
ROWS = {
    "kernel.reduction": Performance("kernel.reduction", (0.8, 0.9, 1.1), (0.0, 0.1, 0.4), (0.1, 0.2, 0.5), "by hand"),
    "kernel.smem_tiled": Performance(
        "kernel.smem_tiled", (0.5, 0.6, 0.7), (0.2, 0.3, 0.4), (0.0, 0.25, 0.5), "by hand"
    ),
}


@pytest.fixture(scope="module")
def speed(weights):
    return lambda code, option, retuned=0.0, rows=ROWS: kernel_speed(
        code.found(), weights, rows, option, retuned, "by hand"
    )


def test_a_rewritten_kernel_takes_the_factor_less_what_is_at_risk(tree, speed):
    made = speed(tree(python_host=1.0).kernel("kernel.reduction"), "triton-first")
    assert (made.kernels, made.moved, made.measured, made.retuned) == (1, 1, 1, 0)
    by_hand = (0.8 * 0.5, 0.9 * 0.8, 1.1 * 0.9)
    for factor in (made.new_cards, made.present_cards, made.untuned):
        assert (factor.low, factor.likely, factor.high) == pytest.approx(by_hand)


def test_what_stays_c_loses_constants_on_new_cards_only(tree, speed):
    made = speed(tree().kernel("kernel.reduction"), "amd")
    assert (made.new_cards.low, made.new_cards.likely, made.new_cards.high) == pytest.approx((0.6, 0.9, 1.0))
    assert made.present_cards == EQUAL
    assert made.moved == 0


def test_re_tuning_wins_back_what_is_at_risk_and_no_more(tree, speed):
    code = tree(python_host=1.0).kernel("kernel.reduction", "a", line=1).kernel("kernel.reduction", "b", line=21)
    none, half, whole = (speed(code, "triton-first", retuned) for retuned in (0.0, 1.0, 2.0))
    assert whole.new_cards.likely == pytest.approx(0.9)
    assert half.new_cards.likely == pytest.approx(1 / (0.5 / 0.9 + 0.5 / 0.72))
    assert half.untuned == none.untuned == none.new_cards
    assert speed(code, "triton-first", 99.0) == whole


def test_the_mean_is_of_times_and_what_was_not_measured_counts_as_equal(tree, speed):
    code = tree(python_host=1.0).kernel("kernel.smem_tiled", "a", line=1).kernel("kernel.persistent", "b", line=21)
    made = speed(code, "triton-first", 2.0)
    assert (made.kernels, made.measured, made.retuned) == (2, 1, 2)
    assert made.new_cards.likely == pytest.approx(2 / (1 / 0.6 + 1))


def test_a_poor_fit_stays_in_c_in_triton_first_too(tree, speed):
    code = tree(python_host=1.0).kernel("kernel.reduction", fit="poor")
    assert speed(code, "triton-first") == speed(code, "amd")


def test_only_kernels_that_have_to_be_tuned_count(tree, speed):
    code = tree()
    for line, disposition in enumerate(Disposition):
        code.kernel("kernel.reduction", f"k{line}", line=1 + 20 * line, disposition=disposition)
    assert speed(code, "amd").kernels == 2
    nothing = speed(tree(), "amd")
    assert (nothing.kernels, nothing.new_cards, nothing.untuned) == (0, EQUAL, EQUAL)


def test_an_estimate_holds_the_speed_of_both_ports(tree, priced, units):
    code = tree(python_host=1.0)
    for number in range(10):
        code.kernel("kernel.reduction", f"k{number}", line=1 + 20 * number)
    speeds = priced(code).speeds
    assert {name: (one.moved, one.retuned) for name, one in speeds.items()} == {"amd": (0, 2), "triton-first": (10, 2)}
    assert speeds["triton-first"].new_cards.likely == pytest.approx(1 / (0.2 + 0.8 / 0.85))
    assert {one.source for one in speeds.values()} == {units.kernel_speed_source}


def test_nothing_is_tuned_where_no_row_pays_for_it(tree, priced):
    automatic = tree().kernel("kernel.reduction", disposition=Disposition.AUTOMATIC)
    made = priced(automatic).speeds["amd"]
    assert (made.kernels, made.retuned) == (1, 0)
    assert made.new_cards == made.untuned


_classes = st.lists(st.sampled_from([*ROWS, "kernel.persistent"]), min_size=1, max_size=6)


@given(_classes, st.sampled_from(["amd", "triton-first"]), st.floats(0, 6), st.floats(0, 6))
def test_ends_rise_and_more_tuning_is_never_slower(tree, speed, classes, option, one, more):
    code = tree(python_host=1.0)
    for number, weight in enumerate(classes):
        code.kernel(weight, f"k{number}", line=1 + 20 * number)
    slower, faster = (speed(code, option, retuned) for retuned in sorted((one, more)))
    for at in ("low", "likely", "high"):
        assert getattr(slower.untuned, at) <= getattr(slower.new_cards, at) * (1 + 1e-9)
        assert getattr(slower.new_cards, at) <= getattr(faster.new_cards, at) * (1 + 1e-9)
        assert getattr(slower.new_cards, at) <= getattr(slower.present_cards, at) * (1 + 1e-9)
