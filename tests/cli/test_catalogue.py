"""`unwarp catalogue`: one name or all, in each format, at a release; and the build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from estimator.knowledge.catalogue import COLUMNS, load_catalogue
from estimator.resources import data_folder
from tests.cli.command import unwarp


def run(*arguments: str) -> Result:
    return unwarp("catalogue", *arguments)


def test_one_name_as_text() -> None:
    result = run("show", "cudaLaunchKernelExC")
    assert result.exit_code == 0
    assert result.output.startswith(
        "cudaLaunchKernelExC -> hipLaunchKernelExC (CUDA-Runtime): renamed, since ROCm 7.0; "
    )
    assert result.output.count("\n") == 1


def test_one_name_as_csv_at_a_release_before_it() -> None:
    header, row = run("show", "cudaLaunchKernelExC", "--format", "csv", "--rocm", "6.4").output.splitlines()
    assert header == "library,cuda_name,hip_name,status,since_rocm,until_cuda,evidence"
    assert row.startswith("CUDA-Runtime,cudaLaunchKernelExC,,none,7.0,,")


def test_a_hip_name_as_json() -> None:
    rows = json.loads(run("show", "hipblasSgemm", "--format", "json").output)
    assert {row["cuda_name"] for row in rows} == {"cublasSgemm", "cublasSgemm_v2"}
    assert tuple(rows[0]) == COLUMNS


@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_all_names(form: str) -> None:
    apis = load_catalogue(data_folder("heuristics") / "apis")
    output = run("show", "--format", form).output
    match form:
        case "json":
            assert {row["cuda_name"] for row in json.loads(output)} == set(apis)
        case "csv":
            assert len(output.splitlines()) == len(apis) + 1
        case _:
            assert len(output.splitlines()) == len(apis)


def test_an_unknown_name_is_an_error_with_the_nearest_one() -> None:
    result = run("show", "cudaMaloc")
    assert result.exit_code == 2
    assert "no such name in the catalogue: 'cudaMaloc' (did you mean 'cudaMalloc'?)" in result.stderr


def test_a_release_that_is_none_is_an_error() -> None:
    assert "'newest' is not a release" in run("show", "cudaMalloc", "--rocm", "newest").stderr
    assert "nothing is known of ROCm 99" in run("show", "cudaMalloc", "--rocm", "99").stderr


def test_folders_that_can_not_be_used_are_told_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("build", "--into", str(tmp_path / "file"), "--wheels", str(tmp_path))
    assert (result.exit_code, "file: can't be used as a folder" in result.stderr) == (2, True)
    result = run("build", "--into", str(tmp_path / "new"), "--wheels", str(tmp_path / "file"))
    assert (result.exit_code, "file: can't be used as a folder" in result.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_build_that_fails_says_what_and_leaves_the_tables(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (wheels / "nvidia_cuda_runtime_cu11-11.8.89-py3-none-any.whl").write_bytes(b"nothing")
    result = run("build", "--into", str(tmp_path / "new"), "--wheels", str(wheels))
    assert result.exit_code == 2
    assert "not a readable package" in result.stderr
    assert not (tmp_path / "new").exists()
