"""The shipped API catalogue, its reader, and what a release has to do with a name's status."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from estimator import languages
from estimator.errors import EstimatorError
from estimator.knowledge.catalogue import (
    COLUMNS,
    STATUSES,
    Catalogue,
    as_csv,
    as_rows,
    at_release,
    catalogue_of,
    is_older,
    known_as,
    libraries,
    load_catalogue,
    newest_release,
    release_key,
    status_of,
)
from estimator.knowledge.values import ApiName
from estimator.languages.facts import FactKind
from estimator.resources import data_folder

HEADER = ",".join(COLUMNS)
FOLDER = data_folder("heuristics") / "apis"
SAMPLES = (data_folder("sample_repos"), Path(__file__).parents[1] / "cases")
COUNTS = {
    "CUDA-Device": 1296,
    "CUDA-Driver": 2383,
    "CUDA-Runtime": 1755,
    "CUPTI": 2861,
    "NCCL": 181,
    "NVML": 2543,
    "NVRTC": 57,
    "NVTX": 361,
    "cuBLAS": 1037,
    "cuBLASLt": 1049,
    "cuComplex": 26,
    "cuDNN": 1464,
    "cuFFT": 244,
    "cuFile": 237,
    "cuRAND": 205,
    "cuSOLVER": 782,
    "cuSPARSE": 842,
    "cuSPARSELt": 96,
    "cuTENSOR": 230,
    "nvJitLink": 48,
}


@pytest.fixture(scope="module")
def apis() -> Catalogue:
    return load_catalogue(FOLDER)


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
        ("CUDA_R_16F", "HIP_R_16F", "renamed"),
        ("CUDART_PI_F", "HIP_PI_F", "renamed"),
        ("CUBLAS_OP_N", "HIPBLAS_OP_N", "renamed"),
        ("CUBLASLT_EPILOGUE_BIAS", "HIPBLASLT_EPILOGUE_BIAS", "renamed"),
        ("cublasCgeru_v2_64", "hipblasCgeru_64", "renamed"),
        ("cusparseScsrmv", "hipsparseScsrmv", "renamed"),
        ("curandStatePhilox4_32_10_t", "hiprandStatePhilox4_32_10_t", "renamed"),
        ("cuCmulf", "hipCmulf", "renamed"),
        ("make_cuDoubleComplex", "make_hipDoubleComplex", "renamed"),
        ("__shfl_down_sync", "__shfl_down_sync", "same-name"),
        ("atomicExch", "atomicExch", "same-name"),
        ("float4", "float4", "same-name"),
        ("make_float4", "make_float4", "same-name"),
        ("__bfloat162float", "__bfloat162float", "same-name"),
        ("ncclFloat16", "ncclFloat16", "same-name"),
        ("CU_DEVICE_ATTRIBUTE_WARP_SIZE", "hipDeviceAttributeWarpSize", "renamed"),
    ],
)
def test_known_pairs(apis: Catalogue, cuda: str, hip: str, status: str) -> None:
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
        "cudaErrorLaunchIncompatibleTexturing",
        "CU_TENSOR_MAP_SWIZZLE_128B",
        "__nanosleep",
        "__fadd_rd",
        "cusparseSpMVOp",
    ],
)
def test_known_absences(apis: Catalogue, name: str) -> None:
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
def test_driver_names_that_only_look_alike_are_to_be_verified(apis: Catalogue, name: str) -> None:
    assert apis[name].status == "verify"


def test_counterparts_of_another_interface_are_rewrites(apis: Catalogue) -> None:
    for name in ("nvmlInit_v2", "cuptiActivityEnable", "nvJitLinkCreate", "cudnnConvolutionForward"):
        assert apis[name].status == "rewrite"


def test_the_everyday_runtime_calls_all_have_a_twin(apis: Catalogue) -> None:
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


def test_counts(apis: Catalogue) -> None:
    """A change of these is a new build of the catalogue: check why before writing the new figures."""
    assert Counter(api.library for api in apis.values()) == COUNTS
    assert {api.status for api in apis.values()} <= set(STATUSES)


def test_a_status_and_its_hip_name_fit(apis: Catalogue) -> None:
    for api in apis.values():
        if api.status == "none":
            assert not api.hip_name, api
        elif api.status != "rewrite":
            assert api.hip_name, api
        assert (api.status == "same-name") == (api.hip_name == api.cuda_name), api
        assert api.evidence, api


def test_no_text_of_a_header_is_kept() -> None:
    for path in FOLDER.glob("*.csv"):
        text = path.read_text(encoding="utf-8")
        assert not set("(){}*&\t") & set("".join(line for line in text.splitlines() if not line.startswith("#"))), path


def test_files_are_sorted(apis: Catalogue) -> None:
    for path in FOLDER.glob("*.csv"):
        names = [row.split(",")[1] for row in path.read_text(encoding="utf-8").splitlines() if row[0] != "#"][1:]
        assert names == sorted(names), path


def test_a_name_that_came_later_counts_as_none_before(apis: Catalogue) -> None:
    assert apis["cudaOccupancyMaxActiveClusters"].since_rocm == "10.0"
    assert status_of("cudaOccupancyMaxActiveClusters", apis, "7.2") == "none"
    assert status_of("cudaOccupancyMaxActiveClusters", apis, "10.0.0") == "renamed"
    assert status_of("cudaLaunchKernelExC", apis, "6.4") == "none"
    assert status_of("cudaLaunchKernelExC", apis, "7.14") == "renamed"
    assert status_of("noSuchName", apis, "10.0") == ""


def test_releases_compare_as_numbers(apis: Catalogue) -> None:
    assert is_older("7.2", "7.14")
    assert not is_older("10", "10.0")
    assert not is_older("7.2", "")
    assert newest_release(apis) == "10.0"
    with pytest.raises(EstimatorError, match="'latest' is not a release"):
        release_key("latest")
    for text in ("", "7.", "7_1", "-7.1", "7.1 ", "9" * 5_000, "7.٣", "1.1.1.1.1.1", "7.2\n"):
        with pytest.raises(EstimatorError, match="is not a release"):
            release_key(text)


def test_rows_take_the_release_into_account(apis: Catalogue) -> None:
    rows = as_csv(as_rows(apis, "6.4")).splitlines()
    assert rows[0] == HEADER
    assert len(rows) == len(apis) + 1
    assert next(row for row in rows if ",cudaLaunchKernelExC," in row).startswith(
        "CUDA-Runtime,cudaLaunchKernelExC,,none,7.0,"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("library,cuda_name\n", "the columns must be"),
        (f"{HEADER}\nA,cudaX,hipX,renamed,,\n", "line 2: 6 cells, 7 needed"),
        (f"{HEADER}\nA,cudaX,hipX,renamed,,\nA,cudaY,hipY,renamed,,,e,\n", "line 3: 8 cells, 7 needed"),
        (f"{HEADER}\nA,cudaX,hipX,renamed,,,e\nB,cudaY,hipY,renamed,,,e\n", "line 3: library 'B' in the file of 'A'"),
        (f"{HEADER}\nA,cudaX,hipX,renamed,new,,e\n", "line 2: 'new' is not a release"),
        (f"{HEADER}\nA,cudaX,hipX,renamed,,,e\n\n", "line 3: 1 cells, 7 needed"),
        (f"{HEADER}\nA,cudaX,hipX,renamed,,,e", "no line end after the last"),
        (f"{HEADER}\n", "no rows"),
        (f"{HEADER}\nA,cudaX,hipX,done,,,e\n", "line 2: no status 'done'"),
        (f"{HEADER}\nA,cudaX,hipX,renamed,,,e\nA,cudaX,hipX,renamed,,,e\n", "line 3: cudaX stands in the catalogue"),
        ("# nothing\n", "no line that is the header"),
    ],
)
def test_faults_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_catalogue(tmp_path)
    assert message in str(raised.value)
    assert "a.csv" in str(raised.value)


def test_the_faults_of_all_files_are_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{HEADER}\nA,cudaX,hipX,done,,,e\nA,cudaY,hipY,renamed,,\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text(f"{HEADER}\nB,cudaZ,,none,,,e\n", encoding="utf-8")
    (tmp_path / "c.csv").write_text(f"{HEADER}\nC,cudaZ,,none,,,e\n", encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_catalogue(tmp_path)
    assert [line.split(": ", 1)[1] for line in str(raised.value).splitlines()] == [
        f"line 2: no status 'done'; one of {', '.join(STATUSES)}",
        "line 3: 6 cells, 7 needed; cells hold no commas",
        "line 2: cudaZ stands in the catalogue already (B)",
    ]


def test_a_catalogue_is_a_mapping_that_keeps_what_it_was_given() -> None:
    rows = [
        ApiName("A", "cudaX", "hipX", "renamed", "7.1", "", "seen"),
        ApiName("A", "cudaY", "", "none", "", "11.8", "not seen"),
    ]
    made = catalogue_of(rows)
    assert list(made) == ["cudaX", "cudaY"]
    assert list(made.values()) == rows
    assert made.get("cudaZ") is None
    assert "cudaX" in made
    assert len(made) == 2
    assert libraries(made) == libraries(dict(made)) == {"A"}
    assert newest_release(made) == newest_release(dict(made)) == "7.1"
    with pytest.raises(KeyError):
        made["cudaZ"]


def test_a_release_changes_statuses_and_nothing_else() -> None:
    row = ApiName("A", "cudaX", "hipX", "renamed", "7.1", "", "seen")
    made = catalogue_of([row, replace(row, cuda_name="cudaOld", since_rocm="")])
    then = at_release(made, "7.0")
    assert then["cudaX"] == replace(row, status="none")
    assert then["cudaOld"].status == "renamed"
    assert at_release(then, "7.1")["cudaX"] == row
    assert at_release(dict(made), "7.0")["cudaX"].status == "none"
    assert made["cudaX"] == row
    assert pickle.loads(pickle.dumps(then))["cudaX"] == then["cudaX"]


def test_a_hip_name_finds_all_cuda_names_behind_it(apis: Catalogue) -> None:
    assert {api.cuda_name for api in known_as("hipDeviceSynchronize", apis)} >= {
        "cudaDeviceSynchronize",
        "cudaThreadSynchronize",
    }
    assert known_as("cudaMalloc", apis) == (apis["cudaMalloc"],)
    assert known_as("noSuchName", apis) == ()


def test_a_hip_name_is_listed_or_put_there_by_hand(apis: Catalogue) -> None:
    listed = dict(line.split(" ") for line in (FOLDER / "hip-names.txt").read_text().splitlines() if line[0] != "#")
    strange = [
        api.cuda_name
        for api in apis.values()
        if api.hip_name and api.hip_name not in listed and not api.evidence.startswith("by hand: ")
    ]
    assert not strange
    assert len(listed) > 7_000
    assert list(listed) == sorted(listed)
    assert {release_key(release) for release in listed.values()} >= {(6, 2), (7, 0), (10, 0)}


def test_a_first_release_is_not_before_the_lists_have_the_name(apis: Catalogue) -> None:
    listed = dict(line.split(" ") for line in (FOLDER / "hip-names.txt").read_text().splitlines() if line[0] != "#")
    for api in apis.values():
        if api.since_rocm and not api.evidence.startswith("by hand: "):
            assert api.since_rocm == listed[api.hip_name], api


def test_every_cuda_call_in_the_samples_and_cases_is_known(apis: Catalogue) -> None:
    """What looks like a call of one of these libraries by its name, and isn't defined there."""
    vendor = re.compile(
        r"(cuda|cu|cublas|cublasLt|cusparse|cusolver(Dn|Sp|Rf|Mg)?|cufft(Xt)?|curand|cudnn|nccl|nvml|nvtx|cupti|nvrtc"
        r"|nvJitLink|cutensor)[A-Z]\w*"
    )
    calls, unknown = set(), set()
    for path in (path for root in SAMPLES for path in sorted(root.rglob("*")) if path.is_file()):
        language = languages.language_of(path.as_posix())
        if language is None or language.module != "c_family":
            continue
        reading = languages.read(language, path.as_posix(), path.read_text(encoding="utf-8", errors="replace"))
        named = {fact.text.rsplit("::", 1)[-1] for fact in reading.facts if fact.kind is FactKind.CALL}
        called = {name for name in named - set(reading.definitions) if vendor.fullmatch(name)}
        calls |= called
        unknown |= {f"{path}: {name}" for name in called if not status_of(name, apis, "10.0")}
    assert not unknown
    assert len(calls) > 50


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EstimatorError, match="unwarp catalogue build"):
        load_catalogue(tmp_path)
