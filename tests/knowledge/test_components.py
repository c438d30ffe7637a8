"""Components, frameworks and GPU targets."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge.components import COMPONENT_COLUMNS, load_components, load_frameworks
from estimator.knowledge.targets import COLUMNS, load_targets, width_of
from estimator.resources import data_folder

HEURISTICS = data_folder("heuristics")


def test_ids_are_the_library_names_that_reports_use() -> None:
    components = load_components(HEURISTICS / "components.csv")
    wanted = {
        "cuDNN",
        "NPP",
        "nvJPEG",
        "TensorRT",
        "OptiX",
        "CUTLASS",
        "cuBLAS",
        "cuBLASLt",
        "cuFFT",
        "cuSPARSE",
        "cuSPARSELt",
        "cuSOLVER",
        "cuRAND",
        "cuTENSOR",
        "NCCL",
        "NVSHMEM",
        "Thrust",
        "CUB",
        "libcu++",
        "DALI",
        "NVDEC",
        "NVENC",
        "cuFile",
        "NVML",
        "CUPTI",
        "NVTX",
        "nvJitLink",
        "NVRTC",
        "cuDSS",
        "CUDA-Runtime",
        "CUDA-Driver",
        "TensorRT-LLM",
        "FlashAttention",
        "xFormers",
        "Apex",
        "Transformer-Engine",
        "bitsandbytes",
    }
    assert wanted <= set(components)
    assert len(components) == 99
    assert components["NCCL"].amd_native == "RCCL"
    assert components["cuDNN"].port_kind == "api-differs"


def test_what_is_not_established_stays_empty() -> None:
    components = load_components(HEURISTICS / "components.csv")
    assert components["cuDSS"].source == ""
    assert components["cuDSS"].amd_native == ""
    assert sum(not component.source for component in components.values()) == 24


def test_targets_have_their_width() -> None:
    targets = load_targets(HEURISTICS / "targets.csv")
    assert len(targets) == 76
    assert [width_of(name, targets) for name in ("gfx942", "gfx1100", "sm_90", "gfx1250", "none")] == [64, 32, 32, 0, 0]


def test_frameworks_date_the_releases() -> None:
    frameworks = load_frameworks(HEURISTICS / "frameworks.csv")
    assert len(frameworks) == 39
    assert {row["version"]: row["as_of"] for row in frameworks if row["framework"] == "ROCm"}["10.1.0"] == "2026-10-05"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,A,k,,,api-differs,,,", "row 'a': 10 cells with an id are needed"),
        ("a,A,k,,,api-differs,,,,,more", "row 'a': 10 cells with an id are needed"),
        ("a,A,k,,,easy,,,,", "a: no port_kind 'easy'"),
        ("a,A,k,,,api-differs,,,,\na,A,k,,,api-differs,,,,", "a: the id stands in the file already"),
    ],
)
def test_component_faults(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "components.csv"
    path.write_text(",".join(COMPONENT_COLUMNS) + f"\n{row}\n", encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_components(path)
    assert message in str(raised.value)


def test_a_width_must_be_a_number(tmp_path: Path) -> None:
    path = tmp_path / "targets.csv"
    path.write_text(",".join(COLUMNS) + "\nAMD,gfx1,Card,wide,,,s\n", encoding="utf-8")
    with pytest.raises(EstimatorError, match="gfx1: the width 'wide' is not a whole number"):
        load_targets(path)
