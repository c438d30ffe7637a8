"""Packages, their builds for AMD, and upstream releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge.components import load_components
from estimator.knowledge.frameworks import (
    FRAMEWORK_COLUMNS,
    PACKAGE_COLUMNS,
    RELEASE_COLUMNS,
    load_frameworks,
    load_packages,
    load_releases,
    package_named,
)
from estimator.knowledge.values import Package
from estimator.knowledge.versions import key_of, named
from estimator.resources import data_folder

HEURISTICS = data_folder("heuristics")


def shipped() -> tuple[Package, ...]:
    frameworks = {row.framework for row in load_frameworks(HEURISTICS / "frameworks.csv")}
    return load_packages(HEURISTICS / "packages.csv", load_components(HEURISTICS / "components.csv"), frameworks)


def test_frameworks_date_the_releases() -> None:
    frameworks = load_frameworks(HEURISTICS / "frameworks.csv")
    assert len(frameworks) == 51
    assert {row.version: row.as_of for row in frameworks if row.framework == "ROCm"}["10.1.0"] == "2026-10-05"
    assert all(row.source for row in frameworks)


def test_a_framework_with_numbered_builds_has_a_dated_newest_release() -> None:
    """Without one no lag can be told; ROCm, AMD's own packages and images count otherwise."""
    rows = load_frameworks(HEURISTICS / "frameworks.csv")
    dated = {release.framework for release in load_releases(HEURISTICS / "releases.csv")}
    numbered = {row.framework for row in rows if list(named(row.version))}
    assert numbered - dated == {"ROCm", "TGI", "Triton Server", "hip-python", "numba-hip"}


def test_no_build_is_newer_than_the_newest_release() -> None:
    releases = load_releases(HEURISTICS / "releases.csv")
    for row in load_frameworks(HEURISTICS / "frameworks.csv"):
        newest = max((key_of(r.version) for r in releases if r.framework == row.framework), default=None)
        keys = [key_of(last) for _, last in named(row.version)]
        assert newest is None or all(key is not None and key <= newest for key in keys), row


@pytest.mark.parametrize(
    ("name", "component", "means"),
    [
        ("torch", "PyTorch", ""),
        ("flash-attn", "FlashAttention", ""),
        ("nvidia-cublas-cu12", "cuBLAS", "absorbed"),
        ("nvidia-cublas", "cuBLAS", "absorbed"),
        ("nvidia-cusparselt-cu13", "cuSPARSELt", "absorbed"),
        ("nvidia-cusparse-cu12", "cuSPARSE", "absorbed"),
        ("nvidia-cudnn-frontend", "cuDNN-Graph", "none"),
        ("nvidia-pyindex", "", "falls-away"),
        ("nvidia/cuda", "CUDA-Images", "none"),
    ],
)
def test_the_longest_name_wins(name: str, component: str, means: str) -> None:
    package = package_named(name, shipped())
    assert package is not None
    assert (package.component, package.means) == (component, means)


def test_names_alike_are_not_taken() -> None:
    assert [package_named(name, shipped()) for name in ("torchmetrics", "vllm-router", "tritonclient", "numpy")] == [
        None
    ] * 4


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Flash_Attn,,,,,,", "the normal form is 'flash-attn'"),
        ("a,,,,,,\na,,,,,,", "the name stands in the file already"),
        ("a,cuBLASS,,,,,", "no component 'cuBLASS'"),
        ("a,,PyTroch,,,,", "no framework 'PyTroch'"),
        ("a,,,gone,,,", "no meaning 'gone'"),
        ("a,,PyTorch,none,,,", "frameworks.csv says what it means"),
        ("a,,", "7 cells with a name are needed"),
    ],
)
def test_package_faults(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "packages.csv"
    path.write_text(",".join(PACKAGE_COLUMNS) + f"\n{row}\n", encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_packages(path, {"cuBLAS"}, {"PyTorch"})
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "row", ["PyTorch,main,2026-10-28,s,", "PyTorch,2.1,2026-13-01,s,", "PyTorch,2.1,20261001,s,", ",1,2"]
)
def test_release_faults(tmp_path: Path, row: str) -> None:
    path = tmp_path / "releases.csv"
    path.write_text(",".join(RELEASE_COLUMNS) + f"\n{row}\n", encoding="utf-8")
    with pytest.raises(EstimatorError, match="framework, version, ISO date and source are needed"):
        load_releases(path)


def test_framework_faults(tmp_path: Path) -> None:
    path = tmp_path / "frameworks.csv"
    path.write_text(",".join(FRAMEWORK_COLUMNS) + "\nPyTorch,2.1,7.0,,perhaps,s,\nPyTorch,2.1\n", encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_frameworks(path)
    assert "prebuilt 'perhaps' must be yes, no or empty" in str(raised.value)
    assert "row 'PyTorch': 7 cells are needed" in str(raised.value)
