"""What stands behind a name, where a table has something to hide."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from estimator import assess
from estimator.assessment import Assessment
from estimator.cli.explain import _titles
from estimator.decision.values import Scenario
from estimator.errors import EstimatorError
from estimator.explain import explain, explain_each
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import PARTS, GpuTarget, Heuristics, Weight
from estimator.report.blocks import Table
from estimator.report.page import sections
from estimator.resources import data_folder


@cache
def shipped() -> Heuristics:
    return load_heuristics()


def test_a_fact_that_was_not_checked_says_so() -> None:
    assert shipped().components["cuDSS"].source == ""
    assert explain("cuDSS", shipped()).endswith("Source: none yet; general knowledge that was not checked")
    assert "Source: " in explain("MIG", shipped())
    assert "()" not in explain("MIG", shipped())


@pytest.mark.parametrize("spelling", ["flash-attn", "flash_attn", "Flash.Attn"])
def test_a_package_is_known_in_any_spelling(spelling: str) -> None:
    told = explain(spelling, shipped())
    assert "Package flash-attn: has builds of its own for AMD" in told
    assert "gfx90a; gfx942: from source" in told


def test_a_wheel_of_nvidias_says_what_becomes_of_it() -> None:
    told = explain("nvidia-cublas-cu12", shipped())
    assert "comes with the framework's ROCm build, or with ROCm" in told
    assert "rocBLAS" in told


def test_a_package_without_a_build_that_anybody_named_is_not_known() -> None:
    told = explain("kvikio", shipped())
    assert "whether there is a build for AMD is not known" in told


def test_a_width_that_is_not_known_is_not_zero() -> None:
    target = GpuTarget("AMD", "gfx9999", "", 0, "", "a list")
    told = explain("gfx9999", replace(shipped(), targets=(target,)))
    assert told == (
        "Target gfx9999 (AMD): width not known; first ROCm release: not established\n"
        "  product not named\nSource: a list"
    )
    assert "64 lanes" in explain("gfx942", shipped())


def test_a_misspelt_package_gets_a_hint() -> None:
    with pytest.raises(EstimatorError, match="did you mean 'flash-attn'"):
        explain("flash-attnn", shipped())


def test_a_part_shows_its_rows_and_their_sum() -> None:
    told = explain("retuning", shipped()).splitlines()
    assert told[0].startswith("Part retuning: 2 rows")
    assert "  tune.constants: 0.5 / 2 / 8; 0.25 / 1 / 4 per function or file scope with own constants" in told
    assert "  perf.retune: 4 / 16 / 60; 4 / 12 / 48 per hot kernel" in told
    assert "  One first unit of each: 4.5 / 18 / 68; 4.25 / 13 / 52 h" in told
    assert "  Scaled by speed_parity if it is on: x 1.3 / 2.15 / 3" in told


def test_shares_of_a_part_are_no_hours() -> None:
    told = explain("upkeep", shipped())
    assert "low / likely / high shares of all hours but set-up, learning" in told
    assert "One first unit of each" not in told


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_explained(part: str) -> None:
    told = explain(part, shipped())
    assert f"Part {part}: " in told
    rows = [one.id for one in shipped().weights.values() if isinstance(one, Weight) and one.part == part]
    assert all(f"  {row}: " in told for row in rows)


def test_a_weight_says_unit_both_targets_repeats_grade_and_source() -> None:
    told = explain("shim.cub", shipped())
    for words in (
        "amd: 0.05 / 0.2 / 1.5 h for the first",
        "triton-first: ",
        "(low / likely / high, grade C)",
        "Counted per symbol: ",
        "Source: ",
    ):
        assert words in told
    assert "Units 2 to 10 cost 0.1 of the first, each after 0.02." in told
    assert "Never more than 50 likely hours by amd" in told
    assert "Charged only where there is debt of build.file." in explain("build.base", shipped())


def test_a_grade_names_the_rows_that_have_it() -> None:
    told = explain("A", shipped())
    assert "amd: 4 of 95 rows: kernel.elementwise" in told
    assert "multiplier weak_tests" in explain("C", shipped())
    assert "risk wave-width-late" in explain("C", shipped())


def test_a_multiplier_says_how_it_is_switched_on() -> None:
    told = explain("no_hardware", shipped())
    assert "x 1.3 / 1.65 / 2 (low / likely / high, grade C)" in told
    assert "multipliers.no_hardware = true or hardware_access = false" in told


@pytest.mark.parametrize(
    ("row", "adds", "behind"),
    [
        (
            "times.no_hardware.remediation.right",
            "no_hardware adds to the rows of remediation, phase 'right'",
            "x 1.3 / 1.65 / 2",
        ),
        ("times.speed_parity.retuning.fast", "speed_parity adds to the rows of retuning", "It scales perf.retune."),
        ("times.ports.amd.delivery.runs", "ports.amd adds to the rows of delivery, phase 'runs'", "Multiplier ports: "),
        (
            "times.ports.triton-first.libraries.runs",
            "ports.triton-first adds to the rows of libraries",
            "functional scope",
        ),
        ("times.ports.triton-first.kernels.runs", "ports.triton-first adds to the rows of kernels", "that it rewrites"),
    ],
)
def test_what_a_multiplier_adds_is_explained_by_the_name_of_its_row(row: str, adds: str, behind: str) -> None:
    told = explain(row, shipped())
    assert told.startswith(f"Row {row}: what multiplier {adds}")
    assert behind in told
    assert "is found by" not in told


def test_a_row_that_no_multiplier_has_is_not_known() -> None:
    for row in ("times.speed_parity.kernels.fast", "times.ports.triton-first.retuning.fast"):
        with pytest.raises(EstimatorError, match="did you mean 'times"):
            explain(row, shipped())


def test_the_blend_says_what_holds_without_a_team() -> None:
    told = explain("ports.amd", shipped())
    assert "Where the scenario names no team, the class is the mean of the ports" in " ".join(told.split())


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Scenario)])
def test_every_field_of_the_scenario_is_explained(field: str) -> None:
    told = explain(field, shipped())
    assert f"Field {field} of the scenario:\n  " in told


def test_a_field_is_told_in_the_words_of_the_template() -> None:
    told = explain("own_kernel_share", shipped())
    assert "  Share of the GPU time that is spent in kernels of your own, 0 to 1" in told
    assert "  Example: 400 of the 1,000 ms" in told
    assert "  own_kernel_share = 0.4\n" in f"{told}\n"
    assert "  weak_tests = true" in explain("multipliers", shipped())
    assert explain("memory_now_gib", shipped()).count("Field ") == 1
    with pytest.raises(EstimatorError, match="did you mean 'own_kernel_share'"):
        explain("own_kernel_shar", shipped())


def test_a_risk_says_when_it_comes_and_what_to_do() -> None:
    told = explain("target-hardware-late", shipped())
    assert "any debt; only with hardware_access = unknown; not beside no_hardware" in told
    assert "What to do: Reserve cards" in told
    with pytest.raises(EstimatorError, match="did you mean 'weak_tests'"):
        explain("week_tests", shipped())


def test_a_target_is_one_paragraph_with_all_its_products() -> None:
    told = explain("gfx942", shipped())
    assert told.count("Target gfx942") == 1
    assert "first ROCm release: 6.0.0" in told
    assert "Instinct MI300X: memory 192 GiB; 5.3 TB/s" in told
    assert told.count("MI300 architecture") == 1
    assert "two devices in one module of 128 GiB" in explain("MI250X", shipped())
    assert explain("MI300X", shipped()) == told


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        ("RCCL", "RCCL is on AMD what stands in for NCCL"),
        ("hipcub", "Library CUB"),
        ("amd-nerfacc", "is the twin on AMD of the package nerfacc"),
        ("framework-absorbs", "how a package is ported"),
        ("lexical", "read: from tokens"),
        ("smem-tiled", "Weight kernel.smem_tiled"),
        ("cluster", "Weight kernel.cluster_tma"),
        ("margin_pilot", "Setting margin_pilot of the policy: 2"),
        ("Triton first", "own kernels move to Triton"),
        ("grade C", "Grade C: judgement"),
        ("Grade c", "Grade C: judgement"),
        ("reference class", "ports to AMD that happened"),
        ("author-days", "one person on one date with a commit"),
        ("functional scope", "conversion, remediation, kernels, libraries and delivery"),
        ("blend", "rows and reference class taken together"),
        ("porting strategy", "how the source is kept"),
        ("cub::BlockScan<int, 256>", "Library CUB"),
        ("cooperative_groups::this_grid()", "cooperative-groups"),
        ("hipLaunchKernelGGL", "rule api.hip: HIP calls"),
        ("NCCL_DEBUG", "Rule communication.settings"),
        ("CUDA_HOME", "rule build.project-file"),
        ("H100", "Target sm_90"),
        ("F009", "a finding of one report"),
        ("Re-tuning: constants", "Weight tune.constants"),
    ],
)
def test_names_that_a_report_prints_are_known(thing: str, told: str) -> None:
    titles = {row.title: row.id for row in shipped().weights.values() if isinstance(row, Weight)}
    if thing.startswith("Re-tuning"):
        thing = next(title for title, name in titles.items() if name == "tune.constants")
    assert told in explain(thing, shipped())


def test_a_requirement_says_what_its_version_and_the_target_mean() -> None:
    told = explain("torch==2.4.0", shipped(), "10.0", "gfx942")
    assert "The version asked for, ==2.4.0: has a prebuilt build for AMD" in told
    assert "Target ROCm 10.0, gfx942: no build for ROCm 10.0 is named; 2.11.0 is for ROCm 7.14.0" in told
    assert "The version asked for" not in explain("torch", shipped())
    other = explain("xformers", shipped(), "10.0", "gfx942")
    assert "no build for ROCm 10.0 is named; 0.0.32.post2 is for ROCm 6.4" in other


def test_several_names_are_explained_in_turn_unless_they_are_one() -> None:
    told = explain_each(("P80", "gfx942"), shipped())
    assert told.index("Term P80") < told.index("Target gfx942")
    assert explain_each(("flip", "point"), shipped()).startswith("Term flip point")
    with pytest.raises(EstimatorError) as raised:
        explain_each(("P80", "qqqqqq", "zzzzzz"), shipped())
    assert "'qqqqqq'" in str(raised.value)
    assert "'zzzzzz'" in str(raised.value)


@pytest.mark.parametrize("thing", ["bananas", "F9", "hello world", "::", "<>", "-", "x" * 5_000])
def test_no_hint_is_better_than_a_wild_one(thing: str) -> None:
    with pytest.raises(EstimatorError) as raised:
        explain(thing, shipped())
    assert "did you mean" not in str(raised.value)
    assert len(str(raised.value)) < 500


# --- a walk over what the reports of the samples print ---

# Columns whose cells are names, by their titles; what is left of a cell behind the sign is no name.
_NAMES = {
    "Term": "",
    "Policy": "",
    "Setting": "",
    "Weight": "",
    "Multiplier": "",
    "Class": "",
    "Plan": "",
    "Library": "",
    "Option": ",",
    "For": "",
    "Category": "",
    "Kind of finding": "",
    "Package": "",
    "Package or image": "",
    "How it comes in": "",
    "AMD counterpart": "",
    "Owner": "",
    "Grade": ":",
    "grade": "",
    "Fit for Triton": ":",
    "For AMD": ";",
    "How it is ported": ",",
}
_CALLED = ("library-call", "runtime-api", "driver-api", "inline-ptx", "tensor-core", "async-copy", "cooperative-groups")
_NO_NAMES = re.compile(
    r"^(|—|[ABC]/[ABC]|no source yet|the same packages from .*|Total|  .*|CUDA wheel index .*|.*: no port)$"
)


def _tables(view: object) -> Iterator[Table]:
    if isinstance(view, Table):
        yield view
    elif dataclasses.is_dataclass(view):
        for field in dataclasses.fields(view):
            yield from _tables(getattr(view, field.name))
    elif isinstance(view, tuple):
        for part in view:
            yield from _tables(part)


def _printed(assessment: Assessment) -> Iterator[str]:
    for section in sections(assessment):
        for table in _tables(section.view):
            for index, column in enumerate(table.columns):
                if column.title in _NAMES:
                    sign = _NAMES[column.title] or "\0"
                    yield from (row[index].split(sign, maxsplit=1)[0] for row in table.rows)
    yield from (finding.rule for finding in assessment.found.findings)
    for judged in assessment.found.sites:
        yield from map(str, (judged.disposition, judged.site.confidence, judged.site.owner, judged.site.category))
        if judged.site.category in _CALLED:
            yield judged.site.symbol
    yield from (price.id for option in assessment.estimate.options.values() for price in option.risks)


@cache
def _is_known(cell: str) -> bool:
    """Whether a cell is explained, whole or name by name where two stand side by side."""
    for names in ([cell], cell.split(" and ")):
        try:
            for name in names:
                explain(name, shipped(), titles=_titles())
        except EstimatorError:
            continue
        return True
    return False


@pytest.mark.parametrize(
    "sample",
    ["already-ported", "attention-kernels", "cudnn-trainer", "hpc-stencil", "serving-stack", "vision-ops"],
)
def test_every_name_in_a_report_of_a_sample_is_explained(sample: str) -> None:
    assessment = assess(data_folder("sample_repos") / sample, shipped())
    cells = {cell for cell in _printed(assessment) if not _NO_NAMES.match(cell)}
    assert len(cells) > 60
    assert {cell for cell in cells if not _is_known(cell)} == set()


@pytest.mark.parametrize("name", ["duplicated-tree", "strategy.duplicated-tree", "A duplicated tree"])
def test_a_strategy_is_told_by_its_name_its_row_and_its_title(name: str) -> None:
    told = explain(name, shipped())
    assert "Strategy duplicated-tree: A duplicated tree; keeps two sources; conversion, phase 'runs'" in told
    assert "    2 / 4 / 12 h per 1,000 cuda_lines\n" in told
    assert "Upkeep a year: 0.25 / 0.73 / 1.1 of all hours but set-up, learning" in told
    assert "Not proposed beyond 40000 cuda_lines." in told
    assert "Source: judgement; libCEED took 25 author-days" in told


def test_a_strategy_says_for_which_host_it_is_charged_and_a_slip_finds_it() -> None:
    told = explain("hipify-at-build", shipped())
    assert "4 / 12 / 48 h per repository, for the share of host code that is C++" in told
    assert "Upkeep a year: as project.upkeep_year says" in told
    assert "Not proposed beyond 0 distinct names of debt in nvrtc.string, py.cupy_raw, py.pycuda." in told
    with pytest.raises(EstimatorError, match=r"did you mean 'strategy\.alias-header'"):
        explain("strategy.alias-heder", shipped())
