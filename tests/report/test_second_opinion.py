"""The reference class in the report: beside the range, with its doubts and its reasons."""

from __future__ import annotations

from dataclasses import replace

from estimator.assessment import Assessment
from estimator.effort.values import Blend, Checked, Days, Fared, Reference, ReferenceRow
from estimator.knowledge.values import Calibrated
from estimator.report import render, wording
from estimator.report.sections import cost_range, method, risks, self_check
from tests.report.sample import sample

REFERENCE = Reference(
    ports=14,
    people=2,
    features=("people", "host_api_files"),
    host_api_files=9,
    days=Days(7.0, 12.0, 21.0),
    hours=Days(49.0, 84.0, 147.0),
    reason="",
    unlike=0.0,
    functional_days=20.0,
    usual_days=(1.0, 46.0),
    usual_ports=35,
    because=(),
    blend=Blend(weight=0.9, factor=0.63, class_error=0.43, rows_error=1.3),
)


def with_reference(reference: Reference | None) -> Assessment:
    assessment = sample()
    return replace(assessment, estimate=replace(assessment.estimate, reference=reference))


def test_the_class_stands_beside_the_functional_scope() -> None:
    assessment = with_reference(REFERENCE)
    view = cost_range.view(assessment)
    assert view.reference is not None
    assert [row[0] for row in view.reference.rows] == [
        "This estimate: both, 90 % of the weight with the class",
        "Rows that add up",
        "Reference class: 14 ports that happened",
    ]
    assert view.reference.rows[1][2] == "20"
    assert view.reference.rows[2][1:] == ("7.0", "12", "21")
    assert "2 engineers and 9 files" in view.reference.note
    assert "off by a factor of 1.5 and rows by 3.7" in view.reference.note
    assert "multiplied by 0.63" in view.reference.note
    assert view.second_opinion == ()
    assert any("14 public ports" in step for step in method.view(assessment).steps)


def test_where_nothing_is_blended_it_says_why() -> None:
    why = "this code lies outside of what the class knows: 9 people, the ports had 1 to 5"
    told = replace(REFERENCE, blend=None, unblended=why)
    view = cost_range.view(with_reference(told))
    assert view.reference is not None
    assert view.reference.rows[0][0] == "This estimate: rows that add up"
    assert why in view.reference.note
    assert any(f"Here nothing is blended: {why}" in step for step in method.view(with_reference(told)).steps)


def test_without_a_team_the_class_spans_all_sizes() -> None:
    view = cost_range.view(with_reference(replace(REFERENCE, people=None, features=())))
    assert view.reference is not None
    assert "names no team" in view.reference.note
    assert "files that call" not in view.reference.note


def test_less_weight_has_its_reason() -> None:
    why = "1,721 lines of CUDA, the ports had 1,799 to 56,474"
    view = cost_range.view(with_reference(replace(REFERENCE, reason=why)))
    assert view.reference is not None
    assert f"less weight here: {why}" in view.reference.note


def test_an_estimate_outside_of_what_ports_took_has_its_reason() -> None:
    row = ReferenceRow("kernel.tensor_raw", "Tensor core kernels", 350.0)
    (above,) = cost_range.view(with_reference(replace(REFERENCE, functional_days=90.0, because=(row,)))).second_opinion
    assert "90 person-days, above the 1 to 46 author-days that 35 ports took" in above
    assert "Tensor core kernels (50 days)" in above
    (below,) = cost_range.view(with_reference(replace(REFERENCE, functional_days=0.5))).second_opinion
    assert "person-days, below" in below


def cross_check(reference: Reference | None) -> tuple[str, ...]:
    (row,) = (row for row in self_check.view(with_reference(reference)).steps.rows if "cross-checked" in row[0])
    return row[1:3]


def test_the_self_check_names_the_class_and_whether_it_is_blended() -> None:
    of = "The rows add up to the total; the reference class of 14 ports that happened is a second estimate of"
    blended = f"{of} the functional scope, blended with it, 90 % of the weight the class's."
    assert cross_check(REFERENCE) == ("partly", blended)
    beside = cross_check(replace(REFERENCE, blend=None, unblended="9 people, the ports had 1 to 5"))
    assert beside == ("partly", f"{of} the functional scope, not blended with it: 9 people, the ports had 1 to 5.")
    assert cross_check(None)[1].endswith("a second, independent estimate was not made.")


def test_without_debt_nothing_is_said() -> None:
    view = cost_range.view(with_reference(None))
    assert (view.reference, view.second_opinion) == (None, ())


CHECKED = Checked(14, Fared(7, 3.61, -0.07), Fared(12, 1.48, 0.71), Fared(13, 1.59, 0.56))


def test_what_ports_that_happened_say_of_such_rows_stands_beside_the_class() -> None:
    assessment = with_reference(replace(REFERENCE, checked=CHECKED))
    text = cost_range.view(assessment).checked
    assert "rows that add up held 7 outcomes inside P10 to P90 (P50 typically off by a factor of 3.6" in text
    assert "rank correlation -0.07)" in text
    assert "their people, 12 outcomes inside P10 to P90 (P50 typically off by a factor of 1.5" in text
    assert "both blended 13 outcomes" in text
    assert "known only afterwards" in text
    assert text in render(assessment, "html").decode()
    brief = wording.checked_briefly(assessment.estimate)
    scopes = assessment.estimate.options["amd"].scopes
    assert brief.startswith(f"{scopes['functional'].p50 / scopes['full'].p50:.0%} of the hours".replace("%", " %"))
    assert "of such a blend held 13 outcomes; P50 was typically off by a factor of 1.6" in brief
    unblended = wording.checked_briefly(with_reference(replace(REFERENCE, checked=CHECKED, blend=None)).estimate)
    assert "of such rows held 7 outcomes; P50 was typically off by a factor of 3.6" in unblended
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
