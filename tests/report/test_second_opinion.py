"""The reference class in the report: beside the range, with its doubts and its reasons."""

from __future__ import annotations

from dataclasses import replace

from estimator.assessment import Assessment
from estimator.effort.values import Days, Reference, ReferenceRow
from estimator.report.sections import cost_range, method
from tests.report.sample import sample

REFERENCE = Reference(
    ports=14,
    people=2,
    host_api_files=9,
    days=Days(7.0, 12.0, 21.0),
    hours=Days(49.0, 84.0, 147.0),
    applies=True,
    reason="",
    functional_days=20.0,
    usual_days=(1.0, 46.0),
    usual_ports=35,
    because=(),
)


def with_reference(reference: Reference | None) -> Assessment:
    assessment = sample()
    return replace(assessment, estimate=replace(assessment.estimate, reference=reference))


def test_the_class_stands_beside_the_functional_scope() -> None:
    assessment = with_reference(REFERENCE)
    view = cost_range.view(assessment)
    assert view.reference is not None
    assert view.reference.rows[1][1:] == ("7.0", "12", "21")
    assert "2 engineers and 9 files" in view.reference.note
    assert view.second_opinion == ()
    assert any("14 public ports" in step for step in method.view(assessment).steps)


def test_where_the_class_does_not_apply_it_says_so() -> None:
    view = cost_range.view(with_reference(replace(REFERENCE, applies=False, reason="9 people, the ports had 1 to 5")))
    (text,) = view.second_opinion
    assert "9 people, the ports had 1 to 5" in text


def test_an_estimate_outside_of_what_ports_took_has_its_reason() -> None:
    row = ReferenceRow("kernel.tensor_raw", "Tensor core kernels", 350.0)
    (above,) = cost_range.view(with_reference(replace(REFERENCE, functional_days=90.0, because=(row,)))).second_opinion
    assert "90 person-days lies above the 1 to 46 author-days that 35 ports took" in above
    assert "Tensor core kernels (50 days)" in above
    (below,) = cost_range.view(with_reference(replace(REFERENCE, functional_days=0.5))).second_opinion
    assert "lies below" in below


def test_without_debt_nothing_is_said() -> None:
    view = cost_range.view(with_reference(None))
    assert (view.reference, view.second_opinion) == (None, ())
