"""Packages and images that a file asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.knowledge import load_heuristics
from estimator.scan import scan
from estimator.scan.sites import Pin
from estimator.sources import open_source

SECRET = "hunter2hunter2hunter2"


def pins(folder: Path, **files: str) -> list[Pin]:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return list(scan(open_source(folder), load_heuristics()).pins)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("requirements__txt", "torch==2.4.0+cu121\nnumpy\n", (1, "torch", "==2.4.0+cu121", "pip")),
        ("requirements__txt", "Flash_Attn >= 2.6 ; python_version > '3.9'\n", (1, "flash-attn", ">=2.6", "pip")),
        ("requirements__txt", "jax[cuda12]>=0.4,<0.13\n", (1, "jax", ">=0.4,<0.13", "pip")),
        ("requirements__txt", "nvidia.nccl_cu12\n", (1, "nvidia-nccl-cu12", "", "pip")),
        ("pyproject__toml", '[project]\nname = "a"\ndependencies = ["sglang>=0.5"]\n', (3, "sglang", ">=0.5", "pip")),
        ("pyproject__toml", '[tool.poetry.dependencies]\ntriton = "^3.0"\n', (2, "triton", "^3.0", "pip")),
        ("uv__lock", '[[package]]\nname = "torch"\nversion = "2.12.0"\n', (2, "torch", "==2.12.0", "lock")),
        ("environment__yml", "dependencies:\n  - pytorch-cuda=12.1\n", (2, "pytorch-cuda", "=12.1", "conda")),
        ("Dockerfile", 'FROM ubuntu\nRUN pip install "cupy-cuda12x>=13"\n', (2, "cupy-cuda12x", ">=13", "pip")),
        ("build__sh", 'export PIN="pytorch-cuda==12.1.*"\n', (1, "pytorch-cuda", "==12.1.*", "conda")),
        ("w__sh", '"${C}::cuda-nvcc_linux-64=11.8.0",\n', (1, "cuda-nvcc-linux-64", "=11.8.0", "conda")),
        ("Dockerfile", "FROM vllm/vllm-openai:v0.6.3\n", (1, "vllm/vllm-openai", "==0.6.3", "image")),
        ("Dockerfile", "FROM docker.io/nvidia/cuda:12.4.1-devel\n", (1, "nvidia/cuda", "==12.4.1", "image")),
        ("setup__py", 'from setuptools import setup\nsetup(install_requires=["apex"])\n', (2, "apex", "", "pip")),
        ("setup__py", 'import torch.cuda\ndeps = ["flash_attn>=2.0"]\n', (2, "flash-attn", ">=2.0", "pip")),
    ],
)
def test_every_way_to_ask_for_a_package(
    tmp_path: Path, name: str, text: str, expected: tuple[int, str, str, str]
) -> None:
    assert [(p.line, p.package, p.specifier, p.manager) for p in pins(tmp_path, **{name: text})] == [expected]


def test_what_a_rule_calls_nvidias_is_kept_though_no_table_knows_it(tmp_path: Path) -> None:
    assert [p.package for p in pins(tmp_path, requirements__txt="deep-gemm==1.0\npandas\n")] == ["deep-gemm"]


def test_an_import_an_index_or_a_channel_is_no_requirement(tmp_path: Path) -> None:
    files = {
        "m__py": "import xformers\n",
        "requirements__txt": "--extra-index-url https://example.org/whl/cu121\n",
        "environment__yml": "channels:\n  - nvidia\n",
        "build__sh": "export UV_TORCH_BACKEND=cu128\nconda build . -c nvidia\n",
    }
    assert pins(tmp_path, **files) == []


def test_a_crate_is_not_the_package_of_its_name(tmp_path: Path) -> None:
    found = pins(tmp_path, Cargo__toml='[dependencies]\ncudnn = "1"\ntorch = "2"\n')
    assert [(p.package, p.manager) for p in found] == [("cudnn", "cargo")]


def test_the_tree_does_not_require_itself(tmp_path: Path) -> None:
    (tmp_path / "vllm").mkdir()
    (tmp_path / "vllm" / "__init__.py").write_text("")
    assert [p.package for p in pins(tmp_path, requirements__txt="vllm\ntorch\n")] == ["torch"]


def test_secrets_of_an_address_stay_out(tmp_path: Path) -> None:
    [pin] = pins(tmp_path, requirements__txt=f"torch @ https://me:{SECRET}@example.org/torch.whl\n")
    assert pin.package == "torch"
    assert SECRET not in pin.specifier
