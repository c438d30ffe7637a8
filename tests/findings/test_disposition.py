"""What a build for AMD in the tree makes of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from estimator import assess
from estimator.assessment import Assessment
from estimator.findings import gather
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Unpriced
from estimator.scan import scan
from estimator.sources import open_source

KERNEL = """
#define WARP_SIZE 32
constexpr int BLOCK_SIZE = 256;
__global__ void sum(float* x) { x[threadIdx.x / WARP_SIZE] += __shfl_down_sync(0xffffffff, x[0], 16); }
"""
BOUND = '__global__ void product(float* x) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32 {}, {}, {}, {};"); }'
CUDA = 'from torch.utils.cpp_extension import CUDAExtension\next = CUDAExtension("own", ["sum.cu"])\n'
HIP = "from torch.utils.cpp_extension import IS_HIP_EXTENSION\n"


def assessed(folder: Path, files: Mapping[str, str]) -> Assessment:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return assess(folder)


def dispositions(found: Assessment, path: str) -> dict[str, str]:
    return {item.site.category: item.disposition.value for item in found.found.sites if item.site.path == path}


def fixed(found: Assessment) -> set[str]:
    return {line.weight for line in found.estimate.options["amd"].lines if line.fixed}


def test_a_build_for_amd_leaves_what_is_to_be_verified(tmp_path: Path) -> None:
    found = assessed(tmp_path, {"setup.py": HIP + CUDA, "csrc/sum.cu": KERNEL})
    assert dispositions(found, "setup.py")["build-system"] == "ported"
    assert dispositions(found, "csrc/sum.cu") == {
        "cuda-kernel": "ported",
        "tuning-constant": "ported",
        "warp-size": "automatic",
        "warp-primitive": "automatic",
        "lane-mask": "automatic",
    }
    assert fixed(found) == set()
    assert found.estimate.options["amd"].hours.likely > 0


def test_without_one_all_of_it_is_a_port(tmp_path: Path) -> None:
    found = assessed(tmp_path, {"setup.py": CUDA, "csrc/sum.cu": KERNEL})
    assert dispositions(found, "setup.py")["build-system"] == "debt"
    assert set(dispositions(found, "csrc/sum.cu").values()) == {"debt"}
    assert {"project.setup", "build.base", "people.learning"} <= fixed(found)


def test_a_build_for_amd_answers_for_what_lies_below_it(tmp_path: Path) -> None:
    found = assessed(tmp_path, {"part/setup.py": HIP + CUDA, "other/setup.py": CUDA})
    assert dispositions(found, "part/setup.py")["build-system"] == "ported"
    assert dispositions(found, "other/setup.py")["build-system"] == "debt"


def test_a_build_script_of_extensions_that_asks_for_amd_is_a_build_for_amd(tmp_path: Path) -> None:
    asks = "if torch.version.hip:\n    macros = [('USE_ROCM', None)]\nelse:\n    macros = []\n"
    knows = "#ifdef USE_ROCM\n#include <hip/hip_fp16.h>\n#else\n#include <cuda_fp16.h>\n#endif\n"
    refuses = "#ifdef USE_ROCM\n#error AMD is not supported\n#endif\n"
    script, code = "import torch\n" + asks + CUDA, {"csrc/sum.cu": KERNEL, "csrc/mask.h": knows}
    found = assessed(tmp_path, {"setup.py": script, **code})
    assert dispositions(found, "setup.py")["build-system"] == "ported"
    assert dispositions(found, "csrc/sum.cu")["cuda-kernel"] == "ported"
    for name, files in (
        ("a script that may be copied", {"setup.py": script, "csrc/sum.cu": KERNEL}),
        ("an image", {"setup.py": script, "csrc/sum.cu": KERNEL, "Dockerfile": "FROM rocm/pytorch:latest\n"}),
        ("a refusal", {"setup.py": script, "csrc/sum.cu": KERNEL, "csrc/mask.h": refuses}),
        ("no build", {"setup.py": CUDA, "test.py": "import torch\n" + asks, **code}),
    ):
        (folder := tmp_path / name).mkdir()
        assert dispositions(assessed(folder, files), "csrc/sum.cu")["cuda-kernel"] == "debt", name


CUB = """
#include {0}
using Load = cub::BlockLoad<float, 128, 4, cub::BLOCK_LOAD_DIRECT>;
"""


@pytest.mark.parametrize("alias", ["namespace cub = hipcub;", "#define cub hipcub", "namespace own_cub = hipcub;"])
def test_a_namespace_that_means_hip_s_covers_its_names(tmp_path: Path, alias: str) -> None:
    other = alias.replace("= hipcub", "= cub") if "own_cub" in alias else ""
    both = f"#ifdef USE_ROCM\n#include <hipcub/hipcub.hpp>\n{alias}\n#else\n#include <cub/cub.cuh>\n{other}\n#endif\n"
    code = CUB.format("<cuda_fp16.h>").replace("cub::", "own_cub::" if other else "cub::")
    found = assessed(tmp_path, {"load.cu": both + code})
    assert {item.disposition.value for item in found.found.sites if item.site.library == "CUB"} == {"ported"}
    (plain := tmp_path / "plain").mkdir()
    found = assessed(plain, {"load.cu": CUB.format("<cub/cub.cuh>")})
    assert {item.disposition.value for item in found.found.sites if item.site.library == "CUB"} == {"debt"}


CMAKE = "project(waves LANGUAGES CXX CUDA)\nadd_library(waves csrc/sum.cu)\n"


@pytest.mark.parametrize(
    ("asks", "disposition"),
    [
        ("set(Kokkos_ENABLE_HIP OFF)\n", "debt"),
        ('option(Robot_HIP_joint "" ON)\n', "debt"),
        ('if(USE_ROCM)\n  message(FATAL_ERROR "no AMD")\nendif()\n', "debt"),
        ("if(USE_ROCM)\n  enable_language(HIP)\nendif()\n", "ported"),
    ],
)
def test_an_option_alone_builds_nothing(tmp_path: Path, asks: str, disposition: str) -> None:
    found = assessed(tmp_path, {"CMakeLists.txt": CMAKE + asks, "csrc/sum.cu": KERNEL})
    assert dispositions(found, "csrc/sum.cu")["cuda-kernel"] == disposition


def test_an_option_and_a_source_for_amd_are_a_build(tmp_path: Path) -> None:
    arm = "#ifdef USE_ROCM\n#include <hip/hip_fp16.h>\n#else\n#include <cuda_fp16.h>\n#endif\n"
    cmake = CMAKE + 'option(Waves_ENABLE_HIP "for AMD" OFF)\n'
    found = assessed(tmp_path, {"CMakeLists.txt": cmake, "csrc/sum.cu": KERNEL, "csrc/half.h": arm})
    assert dispositions(found, "csrc/sum.cu")["cuda-kernel"] == "ported"


@pytest.mark.parametrize(
    ("nvidia", "amd", "text"),
    [
        ("src/cuda_ops.cu", "src/hip_ops.cpp", ""),
        ("src/cuda_ops.cu", "src/hip_ops.py", "angle = 3\n"),
        ("src/cuda_ops.cu", "src/hip_ops.h", "#include <hip/hip_runtime.h>\n"),
        ("src/cuda_ops.fp8.cu", "src/hip_ops.fp16.cpp", "#include <hip/hip_runtime.h>\n"),
        ("src/cuda-gen/ops.cu", "src/hip-gen/notes.txt", "hip\n"),
    ],
)
def test_what_is_only_named_so_is_no_twin(tmp_path: Path, nvidia: str, amd: str, text: str) -> None:
    found = assessed(tmp_path, {"setup.py": HIP + CUDA, nvidia: BOUND, amd: text})
    assert dispositions(found, nvidia)["cuda-kernel"] == "debt"


def test_names_alone_are_no_twins_where_nothing_builds_for_amd(tmp_path: Path) -> None:
    found = assessed(tmp_path, {"setup.py": CUDA, "knee_cuda.cu": KERNEL, "knee_hip.cpp": "int angle = 3;\n"})
    assert dispositions(found, "knee_cuda.cu")["cuda-kernel"] == "debt"


@pytest.mark.parametrize(
    ("nvidia", "amd"),
    [
        ("src/accCudaKernels.cu", "src/accHipKernels.hip.cpp"),
        ("src/cuda_ops.cu", "src/hip_ops.cpp"),
        ("src/CUDAops.cu", "src/HIPops.cpp"),
        ("src/cuda-gen/ops.cu", "src/hip-gen/more.cpp"),
        ("src/CUDA/ops.cu", "src/HIP/more.cpp"),
    ],
)
def test_a_file_with_a_twin_named_for_amd_is_ported(tmp_path: Path, nvidia: str, amd: str) -> None:
    twin = "#include <hip/hip_runtime.h>\n" + KERNEL
    found = assessed(tmp_path, {"setup.py": HIP + CUDA, nvidia: BOUND + KERNEL, amd: twin})
    assert set(dispositions(found, nvidia).values()) == {"ported"}
    (other := tmp_path / "other").mkdir()
    found = assessed(other, {"setup.py": HIP + CUDA, nvidia: BOUND + KERNEL, "lib/" + amd: twin})
    assert "debt" in dispositions(found, nvidia).values()


def test_what_a_build_for_amd_needed_once_is_not_charged_again(tmp_path: Path) -> None:
    found = assessed(tmp_path, {"setup.py": HIP + CUDA, "csrc/product.cu": BOUND})
    assert not {"project.setup", "build.base", "people.learning"} & fixed(found)
    assert found.estimate.options["amd"].hours.likely > 0


def test_what_counts_as_done_is_told_beside_debt_alone(tmp_path: Path) -> None:
    for name, code, told in (("debt", BOUND, 1), ("nothing left", KERNEL, 0)):
        (folder := tmp_path / name).mkdir()
        gaps = assessed(folder, {"setup.py": HIP + CUDA, "csrc/a.cu": code}).reliability.gaps
        assert sum("not charged again for: Learning the target; Set-up" in gap for gap in gaps) == told


@pytest.mark.parametrize("category", ["cuda-kernel", "tuning-constant", "warp-size"])
def test_kernels_for_nvidia_s_units_are_not_built_there(tmp_path: Path, category: str) -> None:
    found = assessed(tmp_path, {"setup.py": HIP, "csrc/product.cu": BOUND + KERNEL})
    kept = {i.disposition.value for i in found.found.sites if i.site.category == category and i.site.symbol != "sum"}
    assert kept == {"debt"}


COPY = "__global__ void copy(char* to) {{ {0} }}\n"
BULK = 'asm volatile("cp.async.bulk.commit_group;");'
PIPELINE = (
    'asm volatile("barrier.cluster.arrive.aligned;");',
    'asm volatile("wgmma.fence.sync.aligned;");',
    'asm volatile("mma.sync.aligned.m16n8k16.row.col.f32 {}, {}, {}, {};");',
)


@pytest.mark.parametrize(
    ("body", "weight"),
    [(BULK, "kernel.bulk_copy"), *((BULK + more, "kernel.cluster_tma") for more in PIPELINE)],
)
def test_what_only_copies_in_bulk_is_no_matrix_pipeline(tmp_path: Path, body: str, weight: str) -> None:
    found = assessed(tmp_path, {"copy.cu": COPY.format(body)})
    assert [(item.kernel.kind, item.weight) for item in found.found.kernels] == [("cluster", weight)]


HARDER = (
    ("cooperative_groups::this_grid().sync();", "kernel.persistent"),
    ("while (atomicCAS((int*)to, 0, 1) != 0) {}", "kernel.persistent"),
    ("__shared__ float s[32]; __syncthreads(); to[0] = s[0];", "kernel.bulk_copy"),
)


@pytest.mark.parametrize(("body", "weight"), HARDER)
def test_a_bulk_copy_makes_no_kernel_cheaper(tmp_path: Path, body: str, weight: str) -> None:
    hours = {}
    for name, copied in (("with", BULK), ("without", "")):
        (folder := tmp_path / name).mkdir()
        found = assessed(folder, {"copy.cu": COPY.format(copied + body)})
        hours[name] = found.estimate.kernels[0].hours["amd"]
        if copied:
            assert [(item.kernel.kind, item.weight) for item in found.found.kernels] == [("cluster", weight)]
    assert hours["with"] >= hours["without"]


def test_a_copy_without_a_price_is_not_priced_as_the_rest(tmp_path: Path) -> None:
    shipped = load_heuristics()
    weights = {**shipped.weights, "kernel.bulk_copy": Unpriced("kernel.bulk_copy", "not known")}
    (tmp_path / "copy.cu").write_text(COPY.format(BULK), encoding="utf-8")
    scanned = scan(open_source(tmp_path), shipped)
    (kernel,) = gather(scanned, {}, replace(shipped, weights=weights)).kernels
    assert kernel.weight == "kernel.bulk_copy"


def test_a_makefile_for_amd_is_a_build_whatever_its_ending(tmp_path: Path) -> None:
    make = "CC = hipcc\nCFLAGS = --offload-arch=gfx90a -DUSE_HIP\n"
    found = assessed(tmp_path, {"src/makefile": "CC = nvcc\n", "src/makefile.hip": make, "src/sum.cu": KERNEL})
    assert dispositions(found, "src/sum.cu")["cuda-kernel"] == "ported"
