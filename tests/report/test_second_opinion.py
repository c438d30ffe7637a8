"""The reference class in the report: beside the range, with its doubts and its reasons."""

from __future__ import annotations

from dataclasses import replace

from estimator.assessment import Assessment
from estimator.effort.values import Checked, Days, Fared, Reference, ReferenceRow
from estimator.knowledge.values import Calibrated
from estimator.report import render, wording
from estimator.report.sections import cost_range, method, risks, self_check
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


CHECKED = Checked(14, Fared(7, 3.61, -0.07), Fared(12, 1.48, 0.71))


def test_what_ports_that_happened_say_of_such_rows_stands_beside_the_class() -> None:
    assessment = with_reference(replace(REFERENCE, checked=CHECKED))
    text = cost_range.view(assessment).checked
    assert "14 ports that happened: 7 outcomes lay inside P10 to P90 of such rows" in text
    assert "3.6 (rank correlation -0.07)" in text
    assert "12 outcomes inside, a factor of 1.5" in text
    assert text in render(assessment, "html").decode()
    brief = wording.checked_briefly(CHECKED)
    assert "P50 was typically off by a factor of 3.6" in brief
    assert any(step.startswith(brief) for step in method.view(assessment).steps)
    assert cost_range.view(with_reference(REFERENCE)).checked == ""


def test_calibrated_weights_are_said_to_be_so() -> None:
    assessment = sample()
    assert wording.UNCALIBRATED in method.view(assessment).conclusion
    calibrated = Calibrated(3, "ours<1>.csv", "amd", ("kernels", "setup"), "2026-11-30")
    ours = replace(assessment, heuristics=replace(assessment.heuristics, calibrated=calibrated))
    told = method.view(ours).conclusion
    assert "Calibrated on 3 rows of ours<1>.csv (Move to AMD, compared with the assessment of 2026-11-30)" in told
    assert "Own kernels; Set-up: tools, hardware, CI" in told
    assert "Uncalibrated" not in told
    assert "ours&lt;1&gt;.csv" in render(ours, "html").decode()
    assert ("Updated with actuals", "partly", "Calibrated on 3 rows of ours<1>.csv.") in {
        row[:3] for row in self_check.view(ours).steps.rows
    }
    assert risks.view(ours).register.rows[-1][:2] == ("Few actual hours of your team", "3 rows of ours<1>.csv")
