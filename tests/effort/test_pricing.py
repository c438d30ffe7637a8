"""Rows by hand: what is counted, in which column, and what is charged beside it."""

from __future__ import annotations

import pytest

from estimator.effort.pricing import hot_kernels, tally
from estimator.effort.values import Programme
from estimator.errors import EstimatorError
from estimator.findings.values import Disposition
from estimator.knowledge.values import Repeat


def lines(estimate, option="amd"):
    return {line.weight: line for line in estimate.options[option].lines}


def likely(estimate, weight, option="amd"):
    return lines(estimate, option)[weight].hours.likely


def test_a_first_is_dearer_than_its_repeats():
    assert tally([12]).factor(Repeat(0.25, 0.1)) == pytest.approx(1 + 9 * 0.25 + 2 * 0.1)
    assert tally([1, 1]).factor(Repeat(0.25, 0.1)) == 2
    assert tally([]).factor(Repeat(1, 1)) == 0


def test_call_sites_are_one_series(tree, priced):
    few = tree()
    for line in range(500, 512):
        few.site("warp.primitive", f"shfl{line}", line=line, category="warp-primitive")
    found = lines(priced(few))["warp.primitive"]
    assert found.count == 12
    assert found.hours.likely == pytest.approx(0.15 * (1 + 9 * 0.25 + 2 * 0.1))
    assert found.sum == "1 x 0.15 + 9 x 0.25 x 0.15 + 2 x 0.1 x 0.15 h"
    assert found.findings == ("F001",)


def test_each_symbol_is_a_first(tree, priced):
    calls = tree().site("lib.npp.symbol", "a").site("lib.npp.symbol", "a").site("lib.npp.symbol", "b")
    found = lines(priced(calls))["lib.npp.symbol"]
    assert found.count == 2
    assert found.hours.likely == pytest.approx(1.5 * (2 + 0.15))


def test_each_function_of_each_file_is_a_first(tree, priced):
    code = tree()
    for path, function in (("a.cu", "f"), ("a.cu", "f"), ("a.cu", "g"), ("b.cu", "f")):
        code.site("warp.size32", path=path, function=function)
    assert likely(priced(code), "warp.size32") == pytest.approx(1.5 * (3 + 0.5))


def test_files_and_dependencies_are_counted_once_each(tree, priced):
    code = tree().site("ci.base", path="Dockerfile").site("ci.base", path="Dockerfile").site("ci.base", path="b.yaml")
    code.site("dep.apex", "apex").site("dep.apex", "apex.normalization").site("dep.flash_attn", "flash-attn")
    code.site("dep.flash_attn", "flash_attn.interface")
    estimate = priced(code)
    assert likely(estimate, "ci.base") == pytest.approx(24 * 1.3)
    assert likely(estimate, "dep.apex") == 12
    assert likely(estimate, "dep.flash_attn") == 8


def test_a_row_that_stands_for_many_places_counts_them(tree, priced):
    assert likely(priced(tree().site("warp.primitive", count=3)), "warp.primitive") == pytest.approx(0.15 * 1.5)


def test_only_debt_and_automatic_sites_cost_anything(tree, priced):
    code = tree()
    for disposition in (Disposition.PORTED, Disposition.CREDIT, Disposition.EXCLUDED):
        code.site("runtime.no_equiv", disposition=disposition)
        code.kernel("kernel.reduction", disposition=disposition)
    estimate = priced(code)
    assert estimate.options["amd"].lines == estimate.options["triton-first"].lines == ()
    assert estimate.options["amd"].hours.p90 == 0
    assert [kernel.plan for kernel in estimate.kernels] == ["keep"] * 3
    assert {hours for kernel in estimate.kernels for hours in kernel.hours.values()} == {0}


def test_automatic_sites_bring_verification_and_no_fixed_row(tree, priced):
    code = tree(cuda_lines=2000, changed_lines=40)
    for number in range(40):
        code.site("runtime.symbol", f"s{number % 8}", line=number, disposition=Disposition.AUTOMATIC)
    code.site("lib.nccl.symbol", "n", disposition=Disposition.AUTOMATIC)
    code.kernel("kernel.reduction", disposition=Disposition.AUTOMATIC)
    estimate = priced(code)
    assert set(lines(estimate)) == {"runtime.symbol", "lib.nccl.symbol", "runtime.verify", "project.review"}
    assert estimate.options["amd"].hours.p80 <= 8
    assert not any(line.fixed for line in estimate.options["amd"].lines)


def test_fixed_rows_come_with_the_debt_of_their_part(tree, priced):
    bare = lines(priced(tree().site("runtime.no_equiv")))
    assert {key for key, line in bare.items() if line.fixed} == {"project.setup", "people.learning"}
    library = lines(priced(tree().site("lib.cutlass.symbol", "Gemm").site("build.file", path="CMakeLists.txt")))
    assert {key for key, line in library.items() if line.fixed} == {
        "project.setup",
        "people.learning",
        "lib.cutlass.fixed",
        "build.base",
    }
    assert library["lib.cutlass.fixed"].findings == ()


def test_what_a_build_for_amd_needed_once_is_done(tree, priced):
    code = tree(amd_build=True).site("lib.cutlass.symbol", "Gemm").site("build.file", path="CMakeLists.txt")
    estimate = priced(code)
    assert {key for key, line in lines(estimate).items() if line.fixed} == {"lib.cutlass.fixed"}
    assert lines(estimate)["build.file"].hours.likely > 0


def test_a_build_for_amd_knows_nothing_of_triton(tree, priced):
    estimate = priced(tree(amd_build=True, python_host=1.0).kernel("kernel.reduction"))
    assert "people.learning" not in lines(estimate)
    assert "people.learning" in {line.weight for line in estimate.options["triton-first"].lines}


def test_what_a_build_for_amd_shows_of_others_is_charged_where_the_scenario_says_so(tree, priced):
    code = tree(amd_build=True).site("runtime.no_equiv")
    programme = Programme(anew=("setup", "learning"))
    assert {key for key, line in lines(priced(code, programme=programme)).items() if line.fixed} == {
        "project.setup",
        "people.learning",
    }


def test_unpriced_debt_has_no_line_but_brings_set_up(tree, priced):
    estimate = priced(tree().site("communication", category="communication").site("communication", category="x"))
    assert [(row.weight, row.category, row.sites) for row in estimate.unpriced] == [
        ("communication", "communication", 1),
        ("communication", "x", 1),
    ]
    assert "communication" not in lines(estimate)
    assert "project.setup" in lines(estimate)


def test_a_kernel_without_a_figure_is_unpriced_and_has_no_hours(tree, priced):
    estimate = priced(tree().kernel("kernel.quantised"))
    assert [(row.weight, row.sites) for row in estimate.unpriced] == [("kernel.quantised", 1)]
    assert estimate.kernels[0].hours == {}
    assert "No figure yet" in estimate.kernels[0].reason


def test_kernels_come_from_the_inventory_not_from_their_sites(tree, priced):
    code = tree().kernel("kernel.reduction", "k", line=1)
    code.site("kernel.reduction", "k", line=1, category="cuda-kernel")
    code.site("kernel.reduction", "k", line=1, category="cuda-kernel")
    found = lines(priced(code))["kernel.reduction"]
    assert (found.count, found.hours.likely, found.findings) == (1, 0.5, ("F001",))


def test_a_kernel_is_found_by_any_line_of_its_head(tree, priced):
    code = tree().kernel("kernel.reduction", "k", line=3)
    code.site("kernel.reduction", "k", line=1, end_line=3, category="cuda-kernel")
    assert lines(priced(code))["kernel.reduction"].findings == ("F001",)


def test_a_feature_is_priced_by_the_kernels_that_have_it(tree, priced):
    code = tree().kernel("kernel.reduction", "k", line=1, features=("bf16",))
    code.kernel("kernel.smem_tiled", "l", line=101, features=("bf16", "loop"))
    code.kernel("kernel.smem_tiled", "m", line=201)
    code.site("kernel.reduction", "k", line=1, category="cuda-kernel")
    found = lines(priced(code))["feature.bf16"]
    assert (found.count, found.findings, found.part) == (2, ("F001",), "remediation")
    assert found.hours.likely == pytest.approx(0.3 * 1.25)
    assert priced(code).options["amd"].edits == pytest.approx(0.4)


def test_shares_of_kernels_add_up_to_their_row(tree, priced):
    code = tree(python_host=1.0)
    for number in range(14):
        code.kernel("kernel.smem_tiled", f"k{number}", line=1 + 20 * number)
    estimate = priced(code)
    for option in ("amd", "triton-first"):
        shares = sum(kernel.hours[option] for kernel in estimate.kernels)
        assert shares == pytest.approx(likely(estimate, "kernel.smem_tiled", option))


def test_amd_takes_triton_where_it_is_cheaper_and_the_host_is_python(tree, priced):
    code = tree(python_host=1.0).kernel("kernel.tensor_raw")
    code.site("ptx.mma_async", "mma.sync", line=3, function="k", category="inline-ptx")
    cheap = priced(code)
    assert cheap.kernels[0].plan == "triton"
    assert "0.95 (0.75 to 1.05)" in cheap.kernels[0].reason
    assert likely(cheap, "kernel.tensor_raw") == 80
    assert likely(cheap, "ptx.mma_async") == 0.5
    code.python_host = 0.0
    hosted = priced(code)
    assert hosted.kernels[0].plan == "hip"
    assert "ahead of time" in hosted.kernels[0].reason
    assert likely(hosted, "kernel.tensor_raw") == 90
    assert likely(hosted, "ptx.mma_async") == 5


def test_a_poor_fit_stays_in_hip_in_both_options_with_what_stands_in_it(tree, priced):
    code = tree(python_host=1.0).kernel("kernel.irregular", "sort", line=1, fit="poor")
    code.kernel("kernel.reduction", "sum", line=21)
    code.site("warp.size32", line=3, function="sort").site("warp.size32", line=23, function="sum")
    estimate = priced(code)
    first = lines(estimate, "triton-first")
    assert first["kernel.irregular"].hours.likely == 2
    assert first["kernel.reduction"].hours.likely == 8
    assert first["warp.size32"].hours.likely == 1.5
    assert first["warp.size32"].sum == "HIP: 1 x 1.5; Triton: 1 x 0 h"
    assert estimate.kernels[0].plan == "hip"
    assert "poor fit for Triton: because" in estimate.kernels[0].reason
    assert "Triton's speed against CUDA for this class: 0.65 (0.15 to 0.76)" in estimate.kernels[0].reason


def test_host_rows_leave_with_the_python_host(tree, priced):
    for share in (0.0, 0.25, 1.0):
        code = tree(cuda_lines=1000, python_host=share).kernel("kernel.elementwise", path="k.cu")
        code.site("runtime.no_equiv", "odd").site("api.driver", "cuX").site("build.file", path="Makefile")
        first = lines(priced(code), "triton-first")
        for weight, hours in (("runtime.no_equiv", 5), ("api.driver", 0.3), ("runtime.verify", 0.5)):
            left = first[weight].hours.likely if weight in first else 0
            assert left == pytest.approx(hours * (1 - share))
        assert first["build.base"].hours.likely == pytest.approx(12 * (1 - share) + 6 * share)


def test_triton_first_with_nothing_to_rewrite_is_the_hip_port(tree, priced):
    code = tree(cuda_lines=5000, changed_lines=70, python_host=1.0)
    code.site("lib.cutlass.symbol", "Gemm").site("ptx.simple", "lop3").site("runtime.no_equiv", "odd")
    options = priced(code).options
    assert options["amd"].lines == options["triton-first"].lines


@pytest.mark.parametrize(("fit", "same"), [("good", False), ("poor", True)])
def test_triton_first_is_kept_alive_like_what_it_is(tree, priced, fit, same):
    options = priced(tree().kernel("kernel.reduction", fit=fit)).options
    amd, triton = (options[name].upkeep_of for name in ("amd", "triton-first"))
    assert (triton == amd) == same
    if same:
        assert options["triton-first"].upkeep == options["amd"].upkeep


def test_a_library_takes_the_place_of_a_kernel(tree, priced):
    estimate = priced(tree().kernel("dep.flash_attn", "attention"))
    assert estimate.kernels[0].plan == "library"
    assert likely(estimate, "dep.flash_attn") == 8
    assert "valid.numeric" not in lines(estimate)


@pytest.mark.parametrize(("kernels", "hot"), [(0, 0), (1, 1), (5, 1), (6, 2), (15, 3), (74, 15), (500, 15)])
def test_hot_kernels_are_a_fifth_at_least_one_at_most_fifteen(tree, units, kernels, hot):
    code = tree()
    for number in range(kernels):
        disposition = Disposition.DEBT if number % 2 else Disposition.AUTOMATIC
        code.kernel("kernel.elementwise", f"k{number}", disposition=disposition)
    assert hot_kernels(code.found(), units) == hot


def test_every_kernel_is_validated(tree, priced):
    code = tree().kernel("kernel.elementwise", line=1).kernel("kernel.reduction", line=21)
    estimate = priced(code)
    assert likely(estimate, "valid.numeric") == pytest.approx(1.5)
    assert lines(estimate)["valid.numeric"].findings == ()


def test_quantities_are_not_series(tree, priced):
    estimate = priced(tree(cuda_lines=2500, changed_lines=500).site("runtime.no_equiv"), engineers=3)
    assert likely(estimate, "runtime.verify") == pytest.approx(1.25)
    assert likely(estimate, "project.review") == pytest.approx(1.25)
    assert likely(estimate, "people.learning") == 120
    assert "people.learning" not in lines(priced(tree().site("runtime.no_equiv"), engineers=0))


def test_edits_leave_fixed_rows_out(tree, priced):
    code = tree().site("lib.cutlass.symbol", "Gemm").site("runtime.no_equiv", "odd").site("build.file")
    assert priced(code).options["amd"].edits == 9.0


def test_an_unknown_class_is_an_error_with_a_hint(tree, priced):
    with pytest.raises(EstimatorError, match=r"F001: no weight class 'warp.primitve' \(did you mean 'warp.primitive'"):
        priced(tree().site("warp.primitve"))


def test_an_unknown_stage_is_an_error(tree, weights, units, performance):
    from estimator.effort import estimate

    with pytest.raises(EstimatorError, match=r"no stage 'dream'; stages of units\.toml: pilot, scan, slice"):
        estimate(tree().found(), weights, units, performance, seed=1, stage="dream")


def test_staying_costs_no_hours(tree, priced):
    stay = priced(tree().site("runtime.no_equiv")).options["nvidia"]
    assert (stay.lines, stay.reason, stay.hours.p90, stay.upkeep.p90) == ((), "no port", 0, 0)


def test_outside_kernels_triton_first_goes_with_the_file_or_with_the_tree(tree, priced):
    code = (
        tree(python_host=1.0)
        .kernel("kernel.reduction", path="moved.cu")
        .kernel("kernel.irregular", path="kept.cu", fit="poor")
    )
    for path in ("moved.cu", "kept.cu", "header.cuh"):
        code.site("warp.size32", path=path, function=f"device_{path}")
    first = lines(priced(code), "triton-first")["warp.size32"]
    assert (first.count, first.hours.likely) == (3, 1.5)
    assert first.sum == "HIP: 1 x 1.5; Triton: 2 x 0 h"


def test_a_line_is_as_sure_as_its_weakest_price(tree, priced):
    code = (
        tree(python_host=1.0)
        .kernel("kernel.reduction", "a", line=1)
        .kernel("kernel.reduction", "b", line=21, fit="poor")
    )
    code.kernel("kernel.smem_tiled", "c", line=41)
    first = lines(priced(code), "triton-first")
    assert first["kernel.reduction"].grade == "B"
    assert lines(priced(tree().kernel("kernel.reduction")), "triton-first")["kernel.reduction"].grade == "A"


def test_a_kernel_without_a_class_is_priced_elsewhere(tree, priced):
    estimate = priced(tree().kernel(""))
    assert (estimate.kernels[0].plan, estimate.kernels[0].reason) == ("keep", "Priced by another finding.")


def test_a_class_that_was_not_measured_has_no_speed(tree, priced):
    assert "speed" not in priced(tree().kernel("kernel.persistent")).kernels[0].reason


def test_kernels_named_by_several_findings_and_none(tree, priced):
    code = tree().kernel("kernel.reduction", line=1)
    code.site("", "k", line=1, category="cuda-kernel").site("", "other", line=300, category="cuda-kernel", path="b.cu")
    code.site("kernel.elementwise", "k", line=77, category="cuda-kernel")
    assert lines(priced(code))["kernel.reduction"].findings == ("F001",)


def test_components_are_one_series(tree, priced):
    code = (
        tree().site("tool.cupti", "a").site("tool.cupti", "b").site("py.cuda_python", "x").site("py.cuda_python", "y")
    )
    estimate = priced(code)
    assert likely(estimate, "tool.cupti") == 32
    assert likely(estimate, "py.cuda_python") == pytest.approx(0.4 * 1.6)
