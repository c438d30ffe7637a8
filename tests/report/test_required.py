"""What required packages mean, in every format that shows it."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from types import ModuleType

import jsonschema
import pytest

from estimator.assessment import Assessment, scan_json, schema
from estimator.findings.requirements import Fit, Requirement, Status
from estimator.findings.values import Disposition, JudgedSite
from estimator.report import render
from estimator.report.required import sentence, table
from estimator.report.sections.libraries import view
from estimator.scan.sites import FileCount, Site
from estimator.sources.files import Owner

TORCH = Requirement(
    "requirements.txt", 4, "torch", "==2.4.0+cu121", "pip", "PyTorch", Status.PREBUILT,
    "not-known", "2.15.0", "2.11.0", "2.12.0", "7.14.0", "gfx942",
    Fit.OTHER_ROCM, "", 7, "", "AMD's page", "2026-10-30",
)  # fmt: skip
BLAS = Requirement("requirements.txt", 5, "nvidia-cublas-cu12", "", "pip", "cuBLAS", Status.ABSORBED)
FLASH = Requirement("setup.py", 9, "flash-attn", "", "pip", "FlashAttention", Status.SOURCE)
GEMM = Requirement("requirements.txt", 6, "deep-gemm", "==1.0", "pip", "", Status.NOT_KNOWN)


def assessed(samples: ModuleType, *found: Requirement) -> Assessment:
    sample: Assessment = samples.sample()
    return replace(sample, requirements=found)


def test_a_row_tells_what_there_is_how_late_and_for_what(samples: ModuleType) -> None:
    shown = table(assessed(samples, TORCH))
    assert shown is not None
    assert shown.rows == (
        (
            "torch",
            "==2.4.0+cu121: requirements.txt:4",
            "prebuilt; this version: not known",
            "2.11.0; 2.12.0 from source",
            "7 months",
            "no build for ROCm 10.2 is named; 2.11.0 is for ROCm 7.14.0 (gfx942)",
            "AMD's page, 2026-10-30",
        ),
    )


def test_what_is_not_known_says_so_and_is_never_none(samples: ModuleType) -> None:
    shown = table(assessed(samples, GEMM))
    assert shown is not None
    assert shown.rows[0][2:] == (
        *("not known", "not known", "not known"),
        "for which ROCm it is built is not known",
        "no source yet",
    )


def test_a_library_that_comes_along_names_its_counterpart_and_has_no_lag(samples: ModuleType) -> None:
    assessment = assessed(samples, BLAS)
    component = assessment.heuristics.components.get("cuBLAS")
    shown = table(assessment)
    assert shown is not None
    assert shown.rows[0][2].startswith("comes with the framework or ROCm")
    assert component is None or component.amd_native in shown.rows[0][2]
    assert shown.rows[0][3:6] == ("—", "—", "—")


def test_the_same_version_in_several_files_is_one_row_and_builds_of_their_own_come_first(samples: ModuleType) -> None:
    shown = table(assessed(samples, BLAS, GEMM, replace(TORCH, path="a.txt"), TORCH))
    assert shown is not None
    assert [row[0] for row in shown.rows] == ["torch", "deep-gemm", "nvidia-cublas-cu12"]
    assert shown.rows[0][1] == "==2.4.0+cu121: a.txt:4 and 1 more"


def test_a_long_list_is_cut_and_says_so(samples: ModuleType) -> None:
    shown = table(assessed(samples, *(replace(GEMM, package=f"p{number}") for number in range(45))))
    assert shown is not None
    assert len(shown.rows) == 40
    assert "5 further rows stand in assessment.json" in shown.note


def test_the_sentence_counts_each_kind(samples: ModuleType) -> None:
    told = (
        "3 packages and base images looked up: 1 prebuilt for AMD, 1 carried by ROCm or not needed and 1 not known. "
        "For ROCm 10.2 and gfx942 no build is named of torch."
    )
    assert sentence(assessed(samples, TORCH, BLAS, GEMM)) == told
    assert sentence(assessed(samples)) == ""
    assert table(assessed(samples)) is None


def test_what_only_tests_ask_for_says_so(samples: ModuleType) -> None:
    assessment = assessed(samples, replace(TORCH, path="tests/requirements.txt"), GEMM)
    test_file = FileCount("tests/requirements.txt", "requirements", Owner.TEST, 4, 80, 0)
    assessment = replace(assessment, files=(*assessment.files, test_file))
    assert "Only tests or examples ask for torch." in sentence(assessment)
    shown = table(assessment)
    assert shown is not None
    assert [row[1].endswith("(tests or examples)") for row in shown.rows] == [True, False]


@pytest.mark.parametrize(("found", "told"), [(FLASH, "required"), (None, "optional import")])
def test_an_import_that_nothing_requires_is_optional(samples: ModuleType, found: Requirement | None, told: str) -> None:
    assessment = assessed(samples, *([found] if found else []))
    site = Site("a.py", 1, 1, 1, "framework-dependency", "framework.flash-attn", "flash_attn.layers", "FlashAttention")
    judged = JudgedSite(site, Disposition.DEBT)
    seen = view(replace(assessment, found=replace(assessment.found, sites=(judged,), findings=(), kernels=())))
    assert seen.packages is not None
    assert [row[:3] for row in seen.packages.rows] == [("flash-attn", told, "1")]
    assert ("1 required package carries" in seen.conclusion) == (told == "required")
    assert ("imported without being required (optional imports)" in seen.conclusion) == (told != "required")


@pytest.mark.parametrize(
    ("rule", "symbol", "row"),
    [
        ("framework.cuda-index", "cu128", ("CUDA wheel index cu128", "index of wheels", "1")),
        ("framework.cuda-index", "${{ matrix.cuda }}", ("CUDA wheel index of a variable", "index of wheels", "1")),
        ("framework.conda-channel", "nvidia", ("conda channel nvidia", "channel of packages", "1")),
        ("framework.others", "DeepGEMM", ("deepgemm", "named in a script", "1")),
    ],
)
def test_what_nothing_imports_is_no_optional_import(
    samples: ModuleType, rule: str, symbol: str, row: tuple[str, str, str]
) -> None:
    assessment = assessed(samples)
    judged = JudgedSite(Site("a.sh", 1, 1, 1, "framework-dependency", rule, symbol, ""), Disposition.DEBT)
    seen = view(replace(assessment, found=replace(assessment.found, sites=(judged,), findings=(), kernels=())))
    assert seen.packages is not None
    assert [row[:3] for row in seen.packages.rows] == [row]
    assert "imported" not in seen.conclusion


def test_every_format_has_it(samples: ModuleType) -> None:
    assessment = assessed(samples, TORCH, GEMM)
    page = render(assessment, "html").decode("utf-8")
    assert "What the required versions mean on AMD" in page
    assert "2.11.0; 2.12.0 from source" in page
    book = zipfile.ZipFile(io.BytesIO(render(assessment, "xlsx")))
    assert b"2.12.0" in book.read("xl/sharedStrings.xml")
    rows = scan_json(assessment)["requirements"]
    assert [(row["package"], row["status"], row["lag_months"]) for row in rows] == [
        ("torch", "prebuilt", 7),
        ("deep-gemm", "not-known", None),
    ]
    jsonschema.validate(scan_json(assessment), schema())


@pytest.mark.parametrize("text", ["<b>x</b>", "=1+1", "\u202e\x1b[31m", "a" * 5_000])
def test_a_strangers_text_is_harmless(samples: ModuleType, text: str) -> None:
    assessment = assessed(samples, replace(TORCH, package=text, pinned=text, path=text))
    page = render(assessment, "html").decode("utf-8")
    assert "<b>x</b>" not in page
    assert "\u202e" not in page
    assert b"<f>" not in b"".join(
        zipfile.ZipFile(io.BytesIO(render(assessment, "xlsx"))).read(f"xl/worksheets/sheet{n}.xml") for n in range(1, 6)
    )
