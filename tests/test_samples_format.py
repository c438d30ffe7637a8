"""The sample repositories are whole, and each expected.toml speaks of places that exist.

What the tool finds in them is compared elsewhere; here nothing is scanned. expected.toml and scenario.toml describe a
sample and do not count as its lines.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from estimator.decision.values import Scenario, Verdict
from estimator.knowledge.rules import CATEGORIES

FOLDER = Path(__file__).resolve().parents[1] / "sample_repos"
SAMPLES = sorted(path.parent for path in FOLDER.glob("*/expected.toml"))
DESCRIPTIONS = ("expected.toml", "scenario.toml")
FEWEST_LINES, MOST_LINES = 300, 1500
BUILD_FILES = ("CMakeLists.txt", "Makefile", "setup.py", "pyproject.toml", "meson.build", "requirements.txt")
KERNEL_CLASSES = (
    "elementwise",
    "reduction",
    "smem-tiled",
    "tensor-wmma",
    "tensor-raw",
    "persistent",
    "cluster",
    "irregular",
)
TRITON_FITS = ("good", "partial", "poor")
SITE_KEYS = {"path", "line", "lines", "line_end", "category", "library", "note", "also_ok", "optional"}
VERDICT_KEYS = {"option", "reason", "pilot_first", "runner_up", "flip", "conditions"}

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)


def expected(sample: Path) -> dict[str, Any]:
    return tomllib.loads((sample / "expected.toml").read_text(encoding="utf-8"))


def texts(sample: Path) -> dict[str, list[str]]:
    """Lines of every file of a sample, by relative path."""
    found = {}
    for path in sorted(sample.rglob("*")):
        name = path.relative_to(sample).as_posix()
        if path.is_file() and "__pycache__" not in name:
            found[name] = path.read_text(encoding="utf-8").splitlines()
    return found


def test_there_are_samples() -> None:
    assert {"attention-kernels", "hpc-stencil", "cudnn-trainer"} <= {sample.name for sample in SAMPLES}


@each_sample
def test_is_a_whole_repository(sample: Path) -> None:
    files = texts(sample)
    names = [Path(name).name for name in files]
    assert any(name.upper().startswith("README") for name in names)
    assert any(name in BUILD_FILES for name in names)
    assert any("Dockerfile" in name or "Containerfile" in name for name in names)
    assert any(re.search(r"(^|/)(tests?/|test_|test\.)", name) for name in files)
    lines = sum(len(text) for name, text in files.items() if name not in DESCRIPTIONS)
    assert FEWEST_LINES <= lines <= MOST_LINES


@each_sample
def test_verdict_is_one_of_three(sample: Path) -> None:
    verdict = expected(sample)["verdict"]
    assert verdict.keys() <= VERDICT_KEYS
    assert verdict["option"] in set(Verdict)
    assert verdict.get("runner_up", Verdict.AMD) in set(Verdict)
    assert verdict["option"] != verdict.get("runner_up")
    assert isinstance(verdict["pilot_first"], bool)
    assert verdict["reason"].strip()


@each_sample
def test_sites_lie_within_their_files(sample: Path) -> None:
    files = texts(sample)
    faults = []
    for site in expected(sample)["sites"]:
        if not site.keys() <= SITE_KEYS or ("line" in site) == ("lines" in site):
            faults.append(f"keys: {site}")
        if not {site["category"], *site.get("also_ok", ())} <= set(CATEGORIES):
            faults.append(f"category: {site}")
        if (site["category"] == "library-call") != bool(site.get("library")):
            faults.append(f"library: {site}")
        length = len(files.get(site["path"], ()))
        for line in site.get("lines", [site.get("line", 0)]):
            last = site.get("line_end", line)
            if not 1 <= line <= last <= length or not files[site["path"]][line - 1].strip():
                faults.append(f"line {line}: {site}")
    assert faults == []


@each_sample
def test_kernels_stand_where_they_are_said_to(sample: Path) -> None:
    files = texts(sample)
    for kernel in expected(sample).get("kernels", ()):
        assert kernel["class"] in KERNEL_CLASSES
        assert kernel["triton_fit"] in TRITON_FITS
        near = "\n".join(files[kernel["path"]][max(0, kernel["line"] - 3) : kernel["line"] + 3])
        assert kernel["name"] in near, f"{kernel['path']}:{kernel['line']}: no {kernel['name']}"


@each_sample
def test_absent_places_exist_and_contradict_no_site(sample: Path) -> None:
    files = texts(sample)
    answer = expected(sample)
    taken = {
        (site["path"], line, site["category"])
        for site in answer["sites"]
        for first in site.get("lines", [site.get("line", 0)])
        for line in range(first, site.get("line_end", first) + 1)
    }
    for place in answer.get("absent", ()):
        assert place["category"] in CATEGORIES
        assert place["path"] in files
        if "line" in place:
            assert 1 <= place["line"] <= len(files[place["path"]])
            assert (place["path"], place["line"], place["category"]) not in taken


@each_sample
def test_scenario_has_known_fields(sample: Path) -> None:
    path = sample / "scenario.toml"
    if not path.exists():
        pytest.skip("the verdict rests on the code alone")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    assert table.keys() <= {field.name for field in dataclasses.fields(Scenario)}
    priced = {key for key in ("price_now", "price_offered", "rate") if key in table}
    assert priced <= table.get("notes", {}).keys(), "a price needs a date and a source in [notes]"


def cuda_sources() -> list[Path]:
    return sorted(path for sample in SAMPLES for path in sample.rglob("*.cu"))


def toolkit_includes(nvcc: str) -> list[Path]:
    """Folders of the toolkit's headers. Asked of nvcc itself, which may be a wrapper script."""
    dry = subprocess.run([nvcc, "--dryrun", "-c", "x.cu"], capture_output=True, text=True, check=False, timeout=60)
    top = re.search(r"^#\$ TOP=(.+)$", dry.stderr, re.MULTILINE)
    roots = [Path(top.group(1).strip())] if top else []
    folders = [root / "include" for root in roots] + [p for root in roots for p in root.glob("targets/*/include")]
    return [inner for folder in folders for inner in (folder, folder / "cccl") if inner.is_dir()]


def missing_headers(source: Path, own: list[Path], toolkit: list[Path]) -> set[str]:
    """Headers with a suffix that a source asks for, directly or through own headers, and nobody has."""
    missing: set[str] = set()
    seen: set[Path] = set()
    todo = [source]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+\.[^>"]+)[>"]', text, re.MULTILINE):
            mine = [folder / name for folder in (path.parent, *own) if (folder / name).is_file()]
            if mine:
                todo.append(mine[0])
            elif not any((folder / name).is_file() for folder in (*toolkit, Path("/usr/include"))):
                missing.add(name)
    return missing


@pytest.mark.parametrize("source", cuda_sources(), ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_cuda_sources_compile(source: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on this machine")
    sample = FOLDER / source.relative_to(FOLDER).parts[0]
    own = sorted({path.parent for path in sample.rglob("*") if path.suffix in {".h", ".hpp", ".cuh"}})
    own += [sample / name for name in ("include", "src") if (sample / name).is_dir()]
    missing = missing_headers(source, own, toolkit_includes(nvcc))
    if missing:
        pytest.skip(f"headers that do not come with the toolkit: {', '.join(sorted(missing))}")
    arch = "sm_90a" if "sm90" in source.name else "sm_80"
    includes = [f"-I{folder}" for folder in own]
    command = [nvcc, "-std=c++17", f"-arch={arch}", *includes, "-c", str(source), "-o", "/dev/null"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stderr
