"""The shipped API catalogue, its reader, and what a release has to do with a name's status."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge.catalogue import (
    COLUMNS,
    STATUSES,
    as_csv,
    is_older,
    load_catalogue,
    newest_release,
    release_key,
    status_of,
)
from estimator.knowledge.values import ApiName
from estimator.resources import data_folder

HEADER = ",".join(COLUMNS)
COUNTS = {
    "CUDA-Driver": 1379,
    "CUDA-Runtime": 1071,
    "CUPTI": 181,
    "NCCL": 64,
    "NVML": 436,
    "NVRTC": 46,
    "NVTX": 50,
    "cuBLAS": 520,
    "cuBLASLt": 46,
    "cuDNN": 77,
    "cuFFT": 57,
    "cuFile": 181,
    "cuRAND": 52,
    "cuSOLVER": 500,
    "cuSPARSE": 553,
    "cuSPARSELt": 31,
    "cuTENSOR": 57,
    "nvJitLink": 16,
}


@pytest.fixture(scope="module")
def apis() -> dict[str, ApiName]:
    return dict(load_catalogue(data_folder("heuristics") / "apis"))


@pytest.mark.parametrize(
    ("cuda", "hip", "status"),
    [
        ("cudaMalloc", "hipMalloc", "renamed"),
        ("cudaMallocHost", "hipHostMalloc", "renamed"),
        ("cudaFuncSetAttribute", "hipFuncSetAttribute", "renamed"),
        ("cudaThreadSynchronize", "hipDeviceSynchronize", "renamed"),
        ("cudaOccupancyMaxPotentialBlockSizeVariableSMem", "hipOccupancyMaxPotentialBlockSizeVariableSMem", "renamed"),
        ("cudaGraphicsGLRegisterBuffer", "hipGraphicsGLRegisterBuffer", "renamed"),
        ("cuLaunchKernel", "hipModuleLaunchKernel", "renamed"),
        ("cuMemcpyHtoD_v2", "hipMemcpyHtoD", "renamed"),
        (
            "cuOccupancyMaxPotentialBlockSize",
            "hipModuleOccupancyMaxPotentialBlockSize",
            "renamed-arguments-differ",
        ),
        ("cusparseSpSM_solve", "hipsparseSpSM_solve", "renamed-arguments-differ"),
        ("nvrtcGetPTX", "hiprtcGetCode", "renamed"),
        ("cublasSgemm", "hipblasSgemm", "renamed"),
        ("cublasHgemm", "hipblasHgemm", "renamed"),
        ("cublasLtMatmul", "hipblasLtMatmul", "renamed"),
        ("cufftExecC2C", "hipfftExecC2C", "renamed"),
        ("curandGenerateUniform", "hiprandGenerateUniform", "renamed"),
        ("cusolverDnSgetrf", "hipsolverDnSgetrf", "renamed"),
        ("ncclAllReduce", "ncclAllReduce", "same-name"),
        ("nvtxRangeEnd", "roctxRangeStop", "renamed"),
        ("cudaStream_t", "hipStream_t", "renamed"),
        ("CUdevice", "hipDevice_t", "renamed"),
        ("cudaSuccess", "hipSuccess", "renamed"),
    ],
)
def test_known_pairs(apis: dict[str, ApiName], cuda: str, hip: str, status: str) -> None:
    assert (apis[cuda].hip_name, apis[cuda].status) == (hip, status)


@pytest.mark.parametrize(
    "name",
    [
        "cudaCtxResetPersistingL2Cache",
        "cudaGraphConditionalHandleCreate",
        "cudaGridDependencySynchronize",
        "cudaEGLStreamConsumerConnect",
        "cudaGraphicsD3D11RegisterResource",
        "cudaLaunchDevice",
        "cuTensorMapEncodeTiled",
        "cuMulticastCreate",
        "cuCtxResetPersistingL2Cache",
        "cuCheckpointProcessLock",
        "nvrtcGetLTOIR",
        "nvtxDomainCreateA",
    ],
)
def test_known_absences(apis: dict[str, ApiName], name: str) -> None:
    assert (apis[name].hip_name, apis[name].status) == ("", "none")


@pytest.mark.parametrize(
    "name",
    [
        "cuMemcpy",
        "cuMemcpyAsync",
        "cuMemcpyPeer",
        "cuMemcpyPeerAsync",
        "cuFuncSetAttribute",
        "cuFuncSetCacheConfig",
        "cuFuncSetSharedMemConfig",
        "cuGreenCtxCreate",
    ],
)
def test_driver_names_that_only_look_alike_are_to_be_verified(apis: dict[str, ApiName], name: str) -> None:
    assert apis[name].status == "verify"


def test_counterparts_of_another_interface_are_rewrites(apis: dict[str, ApiName]) -> None:
    for name in ("nvmlInit_v2", "cuptiActivityEnable", "nvJitLinkCreate", "cudnnConvolutionForward"):
        assert apis[name].status == "rewrite"


def test_the_everyday_runtime_calls_all_have_a_twin(apis: dict[str, ApiName]) -> None:
    everyday = [
        "cudaMalloc",
        "cudaFree",
        "cudaMemcpy",
        "cudaMemcpyAsync",
        "cudaMemset",
        "cudaMemsetAsync",
        "cudaMallocManaged",
        "cudaMallocAsync",
        "cudaFreeAsync",
        "cudaMallocPitch",
        "cudaMalloc3D",
        "cudaMallocArray",
        "cudaMemcpy2D",
        "cudaMemcpy2DAsync",
        "cudaMemcpy3D",
        "cudaMemcpyToSymbol",
        "cudaMemcpyFromSymbol",
        "cudaMemcpyPeer",
        "cudaMemcpyPeerAsync",
        "cudaMemGetInfo",
        "cudaHostRegister",
        "cudaHostUnregister",
        "cudaHostAlloc",
        "cudaFreeHost",
        "cudaHostGetDevicePointer",
        "cudaGetDevice",
        "cudaSetDevice",
        "cudaGetDeviceCount",
        "cudaGetDeviceProperties",
        "cudaDeviceSynchronize",
        "cudaDeviceReset",
        "cudaDeviceGetAttribute",
        "cudaDeviceCanAccessPeer",
        "cudaDeviceEnablePeerAccess",
        "cudaDeviceSetLimit",
        "cudaDeviceSetCacheConfig",
        "cudaGetLastError",
        "cudaPeekAtLastError",
        "cudaGetErrorString",
        "cudaGetErrorName",
        "cudaStreamCreate",
        "cudaStreamCreateWithFlags",
        "cudaStreamCreateWithPriority",
        "cudaStreamDestroy",
        "cudaStreamSynchronize",
        "cudaStreamWaitEvent",
        "cudaStreamQuery",
        "cudaStreamAddCallback",
        "cudaStreamBeginCapture",
        "cudaStreamEndCapture",
        "cudaEventCreate",
        "cudaEventCreateWithFlags",
        "cudaEventRecord",
        "cudaEventSynchronize",
        "cudaEventElapsedTime",
        "cudaEventDestroy",
        "cudaEventQuery",
        "cudaFuncGetAttributes",
        "cudaFuncSetCacheConfig",
        "cudaLaunchKernel",
        "cudaLaunchKernelExC",
        "cudaLaunchCooperativeKernel",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
        "cudaOccupancyMaxPotentialBlockSize",
        "cudaGraphCreate",
        "cudaGraphInstantiate",
        "cudaGraphLaunch",
        "cudaGraphDestroy",
        "cudaGraphExecDestroy",
        "cudaGraphAddKernelNode",
        "cudaIpcGetMemHandle",
        "cudaIpcOpenMemHandle",
        "cudaCreateTextureObject",
        "cudaDestroyTextureObject",
        "cudaCreateSurfaceObject",
        "cudaBindTexture",
        "cudaMemPrefetchAsync",
        "cudaMemAdvise",
        "cudaPointerGetAttributes",
        "cudaRuntimeGetVersion",
        "cudaDriverGetVersion",
        "cudaProfilerStart",
        "cudaProfilerStop",
        "cudaLaunchHostFunc",
        "cudaMemPoolCreate",
        "cudaDeviceGetDefaultMemPool",
        "cudaGetSymbolAddress",
    ]
    assert {name: status_of(name, apis, "10.0") for name in everyday} == dict.fromkeys(everyday, "renamed")


def test_counts(apis: dict[str, ApiName]) -> None:
    """A change of these is a new build of the catalogue: check why before writing the new figures."""
    assert Counter(api.library for api in apis.values()) == COUNTS
    assert {api.status for api in apis.values()} <= set(STATUSES)


def test_a_status_and_its_hip_name_fit(apis: dict[str, ApiName]) -> None:
    for api in apis.values():
        if api.status == "none":
            assert not api.hip_name, api
        elif api.status != "rewrite":
            assert api.hip_name, api
        assert (api.status == "same-name") == (api.hip_name == api.cuda_name), api
        assert api.evidence, api


def test_no_text_of_a_header_is_kept() -> None:
    for path in (data_folder("heuristics") / "apis").glob("*.csv"):
        text = path.read_text(encoding="utf-8")
        assert not set("(){}*&\t") & set("".join(line for line in text.splitlines() if not line.startswith("#"))), path


def test_files_are_sorted(apis: dict[str, ApiName]) -> None:
    for path in (data_folder("heuristics") / "apis").glob("*.csv"):
        names = [row.split(",")[1] for row in path.read_text(encoding="utf-8").splitlines() if row[0] != "#"][1:]
        assert names == sorted(names), path


def test_a_name_that_came_later_counts_as_none_before(apis: dict[str, ApiName]) -> None:
    assert apis["cudaOccupancyMaxActiveClusters"].since_rocm == "10.0"
    assert status_of("cudaOccupancyMaxActiveClusters", apis, "7.2") == "none"
    assert status_of("cudaOccupancyMaxActiveClusters", apis, "10.0.0") == "renamed"
    assert status_of("cudaLaunchKernelExC", apis, "6.4") == "none"
    assert status_of("cudaLaunchKernelExC", apis, "7.14") == "renamed"
    assert status_of("noSuchName", apis, "10.0") == ""


def test_releases_compare_as_numbers(apis: dict[str, ApiName]) -> None:
    assert is_older("7.2", "7.14")
    assert not is_older("10", "10.0")
    assert not is_older("7.2", "")
    assert newest_release(apis) == "10.0"
    with pytest.raises(EstimatorError, match="'latest' is not a release"):
        release_key("latest")


def test_as_csv_takes_the_release_into_account(apis: dict[str, ApiName]) -> None:
    rows = as_csv(apis, "6.4").splitlines()
    assert rows[0] == HEADER
    assert len(rows) == len(apis) + 1
    assert next(row for row in rows if ",cudaLaunchKernelExC," in row).startswith(
        "CUDA-Runtime,cudaLaunchKernelExC,,none,7.0,"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("library,cuda_name\n", "line 1: the columns must be"),
        (f"{HEADER}\nA,cudaX,hipX,renamed,,\n", "line 2: 6 cells, 7 needed"),
        (f"{HEADER}\nA,cudaX,hipX,done,,,e\n", "line 2: no status 'done'"),
        (f"{HEADER}\nA,cudaX,hipX,renamed,,,e\nA,cudaX,hipX,renamed,,,e\n", "line 3: cudaX stands in the catalogue"),
        ("# nothing\n", "no header line"),
    ],
)
def test_faults_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_catalogue(tmp_path)
    assert message in str(raised.value)
    assert "a.csv" in str(raised.value)


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EstimatorError, match="unwarp catalogue build"):
        load_catalogue(tmp_path)
