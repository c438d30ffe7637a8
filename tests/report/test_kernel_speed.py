"""How fast own kernels run after a port: shown for each option with where it is from, and in the kernel plan."""

from __future__ import annotations

from dataclasses import replace

from estimator.assessment import Assessment
from estimator.decision.values import Range, Scenario, Verdict
from estimator.effort.values import KernelSpeed
from estimator.knowledge.values import Performance
from estimator.quantities import Triple
from estimator.report import render
from estimator.report.sections import kernels, options, sensitivity
from tests.report.sample import priced_scenario, sample

EQUAL = Triple(1.0, 1.0, 1.0)
SOURCE = "measured on a card of our own"
SPEEDS = {
    "amd": KernelSpeed(8, 0, 7, 2, Triple(0.8, 0.96, 1.0), EQUAL, Triple(0.7, 0.9, 1.0), SOURCE),
    "triton-first": KernelSpeed(
        8, 6, 7, 2, Triple(0.6, 0.8, 1.05), Triple(0.65, 0.82, 1.05), Triple(0.5, 0.7, 1.05), SOURCE
    ),
}
IRREGULAR = Performance("kernel.irregular", (0.15, 0.65, 0.76), (0.05, 0.1, 0.2), (0.05, 0.25, 0.45), "H200")


def with_speeds(scenario: Scenario | None = None) -> Assessment:
    assessment = sample()
    settings = {**assessment.heuristics.policy.settings, "own_kernel_share": 0.5}
    rule = replace(assessment.heuristics.policy, settings=settings)
    asked = scenario or Scenario()
    taken = {Verdict.AMD: 1.23, Verdict.TRITON_FIRST: 1.34, Verdict.NVIDIA: 1.0} if asked.priced else {}
    views = tuple(replace(view, work_time=taken.get(view.option)) for view in assessment.decision.options)
    return replace(
        assessment,
        decision=replace(assessment.decision, options=views),
        estimate=replace(assessment.estimate, speeds=SPEEDS),
        scenario=asked,
        heuristics=replace(assessment.heuristics, policy=rule, performance={"kernel.irregular": IRREGULAR}),
    )


def test_each_option_shows_the_speed_that_money_takes() -> None:
    table = options.view(with_speeds(replace(priced_scenario(), own_kernel_share=None, speed_factor=None))).speeds
    assert table is not None
    heads = [column.title for column in table.columns]
    assert heads[1:5] == ["own kernels", "moved to Triton", "class measured", "re-tuned"]
    assert [row[1:5] for row in table.rows] == [("8", "0", "7", "2"), ("8", "6", "7", "2")]
    assert [row[5] for row in table.rows] == ["0.96 (0.80 to 1.00)", "0.80 (0.60 to 1.05)"]
    assert [row[6] for row in table.rows] == ["1.00 (1.00 to 1.00)", "0.82 (0.65 to 1.05)"]
    assert SOURCE in table.note
    assert "take u = 50 % of today's GPU time, a default of the policy" in table.note
    assert "(1 - u + u / f) / s" in table.note
    assert "speed factor" not in table.note


def test_the_time_of_the_work_is_the_decisions_own() -> None:
    table = options.view(with_speeds(priced_scenario())).speeds
    assert table is not None
    assert table.columns[-1].title == "time of all work on the new cards"
    assert [row[-1] for row in table.rows] == ["1.23", "1.34"]


def test_the_table_of_speeds_stays_on_one_page() -> None:
    page = render(with_speeds(), "html").decode()
    whole = page.split('<div class="whole">', maxsplit=1)[1].split("</div>", maxsplit=1)[0]
    assert "Speed of own kernels after the port" in whole
    assert "1 is equal, more is better." in whole


def test_a_speed_factor_that_was_given_is_said_to_hold_it() -> None:
    given = replace(priced_scenario(), own_kernel_share=0.25, speed_factor=Range(0.7, 0.9, 1.05))
    table = options.view(with_speeds(given)).speeds
    assert table is not None
    assert "take u = 25 % of today's GPU time;" in table.note
    assert "1 / s for “Move to AMD”, since the speed factor that was given holds what its kernels lose" in table.note
    assert "u / f" not in table.note


def test_without_prices_the_share_of_the_time_is_not_asked() -> None:
    assessment = with_speeds()
    table = options.view(assessment).speeds
    assert table is not None
    assert len(table.columns) == 8
    assert "GPU time" not in table.note
    assert SOURCE not in sensitivity.view(assessment).check
    assert options.view(sample()).speeds is None


def test_sensitivity_names_the_speed_of_each_option() -> None:
    check = sensitivity.view(with_speeds(priced_scenario())).check
    assert "0.96 for “Move to AMD” and 0.80 for “Triton first”" in check
    assert SOURCE in check


def test_the_plan_keeps_in_c_what_was_measured_to_be_slower() -> None:
    assessment = with_speeds()
    view = kernels.view(assessment)
    assert view.inventory is not None
    assert assessment.heuristics.units.kernel_speed_source in view.check
    speeds = {row[0]: row[6] for row in view.inventory.rows}
    assert speeds["topk_radix"] == "0.15 to 0.76"
    assert speeds["rms_norm"] == "—"
    assert "Keep" not in view.conclusion, "the sample has a library take its place"
    prices = tuple(replace(price, plan="hip") for price in assessment.estimate.kernels)
    by_hip = replace(assessment, estimate=replace(assessment.estimate, kernels=prices))
    assert "Keep 1 kernel in C++/HIP in every option" in kernels.view(by_hip).conclusion
    assert "0.65 (0.15 to 0.76) of CUDA's speed in Triton" in kernels.view(by_hip).conclusion


def test_a_kernel_whose_class_is_as_fast_is_not_advised_against() -> None:
    assessment = with_speeds()
    even = replace(IRREGULAR, triton_factor=(0.8, 1.0, 1.05))
    heuristics = replace(assessment.heuristics, performance={"kernel.irregular": even})
    prices = tuple(replace(price, plan="hip") for price in assessment.estimate.kernels)
    told = replace(assessment, heuristics=heuristics, estimate=replace(assessment.estimate, kernels=prices))
    assert "Keep" not in kernels.view(told).conclusion
