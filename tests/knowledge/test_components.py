"""Components and GPU targets."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge.components import COMPONENT_COLUMNS, load_components
from estimator.knowledge.targets import (
    COLUMNS,
    first_rocm_of,
    load_targets,
    memory_of,
    targets_named,
    width_of,
)
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
    assert len(components) == 111
    assert components["NCCL"].amd_native == "RCCL"
    assert components["cuDNN"].port_kind == "api-differs"


def test_what_is_not_established_stays_empty() -> None:
    components = load_components(HEURISTICS / "components.csv")
    assert components["cuDSS"].source == ""
    assert components["cuDSS"].amd_native == ""
    assert sum(not component.source for component in components.values()) == 16


@pytest.mark.parametrize(
    ("component", "counterpart"),
    [
        ("HIPIFY", "hipify-clang"),
        ("CUDA-Runtime", "HIP runtime"),
        ("cuBLASLt", "hipBLASLt"),
        ("cuDNN", "MIOpen"),
        ("cuDNN-Graph", "hipDNN"),
        ("CUTLASS", "Composable Kernel"),
        ("TensorRT", "MIGraphX"),
        ("FlashAttention", "AITER"),
        ("FlashInfer", "AITER"),
        ("Triton", "AMD backend"),
        ("PyTorch", "ROCm build"),
        ("torch-compile", "Triton"),
        ("CUDA-Wheels", "rocm"),
        ("CUDA-Images", "rocm/"),
        ("Transformer-Engine", "fork"),
        ("nvprof", "rocprofv3"),
        ("Nsight-Compute", "rocprofiler-compute"),
        ("Nsight-Systems", "rocprofiler-systems"),
        ("NVTX", "ROCTX"),
        ("CUPTI", "rocprofiler-sdk"),
        ("nvidia-smi", "amd-smi"),
        ("NVML", "AMD SMI"),
        ("DCGM", "RDC"),
        ("GPU-Operator", "AMD GPU Operator"),
        ("NVIDIA-Device-Plugin", "device plugin"),
        ("MIG", "CPX"),
        ("UCX", "ROCm"),
        ("NVSHMEM", "rocSHMEM"),
        ("GPUDirect-RDMA", "dma-buf"),
        ("nvcc", "hipcc"),
        ("cuDF", "hipDF"),
        ("RMM", "hipMM"),
    ],
)
def test_what_a_decision_touches_has_its_counterpart(component: str, counterpart: str) -> None:
    assert counterpart in load_components(HEURISTICS / "components.csv")[component].amd_native


def test_libraries_have_a_name_by_hip_and_one_of_their_own() -> None:
    components = load_components(HEURISTICS / "components.csv")
    names = ("BLAS", "FFT", "RAND", "SPARSE", "SOLVER")
    assert all(components[f"cu{name}"].hip_shim == f"hip{name}" for name in names)
    assert all(components[f"cu{name}"].amd_native == f"roc{name}" for name in names)


def test_what_has_a_source_has_a_date() -> None:
    """One row rests on a package of a distribution, which has a version instead."""
    components = load_components(HEURISTICS / "components.csv").values()
    assert [one.id for one in components if one.source and not one.as_of] == []
    assert [one.id for one in components if one.as_of and not one.source] == []


def test_targets_have_their_width() -> None:
    targets = load_targets(HEURISTICS / "targets.csv")
    assert len(targets) == 76
    assert [width_of(name, targets) for name in ("gfx942", "gfx1100", "sm_90", "gfx1250", "none")] == [
        64,
        32,
        32,
        32,
        0,
    ]


def test_every_gpu_has_the_width_of_its_family() -> None:
    """64 lanes to gfx9 (GCN and CDNA), 32 from gfx10 on (RDNA and after), 32 for all of NVIDIA's."""
    for target in load_targets(HEURISTICS / "targets.csv"):
        is_wide = target.target.startswith(("gfx8", "gfx9"))
        assert target.width == (64 if is_wide else 32), target.target
        assert target.source, target.target


def test_a_width_that_is_not_known_is_none() -> None:
    assert width_of("gfx9999", load_targets(HEURISTICS / "targets.csv")) == 0


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


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("AMD,gfx1,Card,wide,,,,,s", "gfx1: the width 'wide' is not a whole number"),
        ("AMD,gfx1,Card,32,,,soon,,s", "gfx1: first_rocm 'soon' is no release"),
        ("AMD,gfx1,A,32,,,6.0,,s\nAMD,gfx1,B,32,,,7.0,,s", "gfx1: its rows name different first releases"),
        ("AMD,gfx1,Card,32,,,s", "row 'gfx1': 9 cells with a target are needed"),
        ("AMD, ,Card,32,,,,,s", "row ' ': 9 cells with a target are needed"),
    ],
)
def test_target_faults(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "targets.csv"
    path.write_text(",".join(COLUMNS) + f"\n{rows}\n", encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_targets(path)
    assert message in str(raised.value)


def test_memory_is_that_of_one_device() -> None:
    targets = load_targets(HEURISTICS / "targets.csv")
    assert memory_of("gfx90a", targets) == 64  # an MI250X holds two devices of 64 GiB
    assert [one.note for one in targets if one.products == "Instinct MI250X"] != [""]
    assert (memory_of("gfx942", targets), memory_of("gfx1250", targets)) == (256, None)


def test_the_first_release_of_a_target_is_known_or_empty() -> None:
    targets = load_targets(HEURISTICS / "targets.csv")
    names = ("gfx942", "gfx950", "gfx1201", "gfx1151", "sm_90")
    assert [first_rocm_of(name, targets) for name in names] == ["6.0.0", "7.0.0", "6.4.1", "", ""]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("gfx942", ("gfx942",)),
        ("MI300X", ("gfx942",)),
        ("instinct mi300x", ("gfx942",)),
        ("RX 7900 XT", ("gfx1100",)),
        ("RX 5500", ("gfx1012",)),
        ("H100", ("sm_90",)),
        ("Radeon VII", ("gfx906",)),
        ("Radeon", ()),
        ("XT", ()),
        ("80", ()),
        ("MI", ()),
        ("", ()),
    ],
)
def test_a_product_names_its_target(name: str, found: tuple[str, ...]) -> None:
    assert targets_named(name, load_targets(HEURISTICS / "targets.csv")) == found
