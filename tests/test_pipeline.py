"""The stages together: properties that hold for any tree, and one assessment kept whole."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from math import isclose
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.assessment import Assessment, Run, assess, scan_json, schema, to_json
from estimator.decision.values import Scenario
from estimator.errors import EstimatorError
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import GpuTarget, Heuristics
from estimator.resources import data_folder
from estimator.sources import open_source
from estimator.sources.files import Owner, SourceFile, SourceTree

GOLDEN = Path(__file__).with_name("golden") / "vision-ops.json"
RUN = Run(date="2026-11-30", rocm="10.0", gfx="gfx942", seed=1, version="test")
NAMES = (
    "a.cu",
    "b.cuh",
    "c.cpp",
    "d.py",
    "CMakeLists.txt",
    "Dockerfile",
    "e.yaml",
    "f.sh",
    "g.ipynb",
    "h.txt",
    "i.toml",
)


@cache
def heuristics() -> Heuristics:
    return load_heuristics()


def tree_of(files: dict[str, str]) -> SourceTree:
    made = (SourceFile(path, text, Owner.OWN, "", ".") for path, text in sorted(files.items()))
    return SourceTree("tree", tuple(made), (), ())


def assessed(files: dict[str, str], scenario: Scenario | None = None) -> Assessment:
    return assess(tree_of(files), heuristics(), RUN, scenario or Scenario())


def of_sample(name: str) -> Assessment:
    tree = open_source(data_folder("sample_repos") / name, exclude=("expected.toml", "scenario.toml"))
    return assess(replace(tree, commit="", commit_date=""), heuristics(), RUN, Scenario())


def amd_hours(files: dict[str, str]) -> float:
    return assessed(files).estimate.options["amd"].hours.likely


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(NAMES), st.binary(max_size=400))
def test_any_bytes_are_scanned_without_an_exception(
    tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / name).write_bytes(content)
    try:
        tree = open_source(folder)
    except EstimatorError:
        return
    scan_json(assess(tree, heuristics(), RUN, Scenario()))


CODE = st.lists(
    st.sampled_from(
        (
            "__global__ void k(float* p) { p[threadIdx.x % 32] = 1; }",
            'asm volatile("bar.sync 0;");',
            "cudaMalloc(&p, 4);",
            "#ifdef USE_ROCM",
            "#else",
            "#endif",
            "#if 0",
            "/*",
            "*/",
            '"',
            "}",
            "{",
            "k<<<1, 256>>>(p);",
            "__shfl_down_sync(0xffffffff, v, 1);",
            "using G = cutlass::gemm::device::Gemm<float>;",
            "é\\",
            'R"x(',
            ')x"',
        )
    ),
    max_size=14,
).map("\n".join)


@settings(deadline=None, max_examples=60)
@given(CODE)
def test_broken_code_is_scanned_and_stays_in_its_lines(text: str) -> None:
    found = assessed({"a.cu": text}).found
    lines = text.count("\n") + 1
    assert all(1 <= item.site.line <= item.site.end_line <= lines for item in found.sites)


@settings(deadline=None, max_examples=20)
@given(st.permutations(["x.cu", "y.cu", "z.py"]), CODE)
def test_the_order_of_files_does_not_matter(order: list[str], text: str) -> None:
    tree = tree_of(
        {"x.cu": text, "y.cu": "void f() { cudaFree(0); }", "z.py": "import cupy\ncupy.RawKernel('a', 'b')\n"}
    )
    by_path = {file.path: file for file in tree.files}
    shuffled = replace(tree, files=tuple(by_path[path] for path in order))
    assert to_json(assess(shuffled, heuristics(), RUN, Scenario())) == to_json(
        assess(tree, heuristics(), RUN, Scenario())
    )


@pytest.mark.parametrize("name", ["attention-kernels", "hpc-stencil", "serving-stack", "already-ported"])
def test_totals_are_sums_of_their_lines(name: str) -> None:
    for option in of_sample(name).estimate.options.values():
        likely = sum(line.hours.likely for line in option.lines)
        assert isclose(option.hours.likely, likely, abs_tol=1e-6)
        assert isclose(sum(spread.mean for spread in option.parts.values()), option.hours.mean, abs_tol=1e-6)
        assert isclose(sum(spread.likely for spread in option.phases.values()), likely, abs_tol=1e-6)
        for spread in (*option.parts.values(), *option.phases.values(), *option.scopes.values()):
            assert 0 <= spread.p10 <= spread.p50 <= spread.p80 <= spread.p90


def mma(sites: int) -> dict[str, str]:
    statement = (
        'asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, '
        '{%0,%1,%2,%3};" : "+f"(d[0]));'
    )
    return {"a.cu": "__global__ void k(float* d) {\n" + "\n".join([statement] * sites) + "\n}\n"}


def test_a_thousand_matrix_instructions_cost_more_than_one() -> None:
    one, many = amd_hours(mma(1)), amd_hours(mma(1000))
    assert one + 50 < many < 20 * one


def test_a_thousand_plain_calls_cost_little_more_than_one() -> None:
    calls = {n: {"a.cpp": "void f(void** p) {\n" + "cudaMalloc(p, 4);\n" * n + "}\n"} for n in (1, 1000)}
    assert 0 <= amd_hours(calls[1000]) - amd_hours(calls[1]) < 8


@pytest.mark.parametrize(
    "code",
    [
        "import torch\n\n\ndef f(x):\n    torch.backends.cudnn.benchmark = True\n"
        "    return x.cuda() if torch.cuda.is_available() else x\n",
        "print('nothing here')\n",
    ],
)
def test_portable_code_costs_about_nothing(code: str) -> None:
    result = assessed({"train.py": code * 20})
    assert result.estimate.options["amd"].hours.p80 <= 8
    assert result.decision.verdict == "amd"
    assert not result.decision.pilot_first


def test_what_is_portable_is_counted_as_a_credit() -> None:
    result = assessed({"train.py": "import torch\nx = torch.cuda.is_available()\n"})
    assert sum(credit.count for credit in result.credits) >= 1


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
def test_sites_do_not_depend_on_the_encoding(tmp_path: Path, encoding: str) -> None:
    code = "// größe\n__global__ void k(float* p) { p[threadIdx.x & 31] = 1; }\nvoid f() { cudaFree(0); }\n"
    places = []
    for name, content in (("plain", code.encode()), ("other", code.encode(encoding))):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.cu").write_bytes(content)
        result = assess(open_source(folder), heuristics(), RUN, Scenario())
        places.append([(item.site.line, item.site.category) for item in result.found.sites])
    assert places[0] == places[1] != []


def test_carriage_returns_end_lines(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(b"int x;\rvoid f() { cudaFree(0); }\r")
    result = assess(open_source(tmp_path), heuristics(), RUN, Scenario())
    assert [item.site.line for item in result.found.sites] == [2]


def test_an_older_release_lacks_names() -> None:
    code = {"a.cpp": "void f(cudaLibrary_t l) { cudaLibraryUnload(l); }\n"}
    newest = assess(tree_of(code), heuristics(), RUN, Scenario()).found.sites[0].site.category
    older = assess(tree_of(code), heuristics(), replace(RUN, rocm="6.2"), Scenario()).found.sites[0].site.category
    assert (newest, older) == ("runtime-api", "runtime-api-unsupported")


@pytest.mark.parametrize("name", sorted(path.name for path in data_folder("sample_repos").iterdir() if path.is_dir()))
def test_the_json_form_satisfies_its_schema(name: str) -> None:
    document = to_json(of_sample(name))
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    assert [error.message for error in validator.iter_errors(json.loads(json.dumps(document, allow_nan=False)))] == []


def test_one_assessment_is_kept_whole(request: pytest.FixtureRequest) -> None:
    """Read the difference before `pytest --update-golden`: a moved figure belongs into CHANGELOG, Estimates."""
    document: dict[str, Any] = to_json(of_sample("vision-ops"))
    document["run"]["knowledge"] = {"digest": "", "date": ""}
    written = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(written, encoding="utf-8")
    assert json.loads(written) == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_a_folder_for_amd_beside_one_for_nvidia_is_a_port() -> None:
    code = "__global__ void k(float* p) { p[threadIdx.x % 32] = 1; }\nvoid f() { cudaFree(0); }\n"
    files = {f"ops/{folder}/topk.cu": code for folder in ("nvidia", "amd")} | {"ops/other/topk.cu": code}
    judged = {(item.site.path, item.site.category): item for item in assessed(files).found.sites}
    assert judged["ops/nvidia/topk.cu", "warp-size"].disposition == "ported"
    assert judged["ops/amd/topk.cu", "warp-size"].disposition == "ported"
    assert judged["ops/other/topk.cu", "warp-size"].disposition == "debt"


def test_a_target_of_32_lanes_needs_no_change_of_width() -> None:
    tree = tree_of({"a.cu": "__global__ void k(float* p) { p[threadIdx.x % 32] = 1; }\n"})
    widths = {
        gfx: next(
            item.disposition
            for item in assess(tree, heuristics(), replace(RUN, gfx=gfx), Scenario()).found.sites
            if item.site.category == "warp-size"
        )
        for gfx in ("gfx942", "gfx1100")
    }
    assert widths == {"gfx942": "debt", "gfx1100": "ported"}


def test_old_tables_are_told_first() -> None:
    tree = tree_of({"a.cu": "__global__ void k() {}\n"})
    first = {
        day: assess(tree, replace(heuristics(), date="2026-11-30"), replace(RUN, date=day), Scenario())
        for day in ("2026-11-01", "2027-05-29", "2027-05-30")
    }
    warned = {day: "The tables are of 2026-11-30" in one.reliability.gaps[0] for day, one in first.items()}
    assert warned == {"2026-11-01": False, "2027-05-29": False, "2027-05-30": True}
    assert "181 days" in first["2027-05-30"].reliability.gaps[0]


def test_a_build_for_amd_of_the_project_itself_is_told_first_and_moves_no_figure() -> None:
    tree = tree_of({"a.cu": "__global__ void k() {}\n"})
    plain = assess(tree, heuristics(), RUN, Scenario())
    known = assess(replace(tree, name="gsplat-1.5.3"), heuristics(), RUN, Scenario())
    assert known.reliability.gaps == (
        "gsplat is in the tables: amd-gsplat (preview). amd-gsplat 0.0.1: a package of its own name and count of"
        " versions (PyPI amd-gsplat, 2025-12). What is priced here is this code as it is.",
        *plain.reliability.gaps,
    )
    assert all(to_json(known)[part] == to_json(plain)[part] for part in ("estimate", "decision"))


def test_a_target_of_unknown_width_is_told() -> None:
    known = replace(heuristics(), targets=(GpuTarget("AMD", "gfx9999", "", 0, "", "a list"),))
    gaps = assess(tree_of({"a.cu": "int a;\n"}), known, replace(RUN, gfx="gfx9999"), Scenario()).reliability.gaps
    assert "gfx9999" in gaps[0]


def test_secrets_in_notes_do_not_travel() -> None:
    noted = Scenario(notes={"price_now": "quoted 2026-11, https://user:hunter2hunter@portal.example/"})
    assert "hunter2hunter" not in json.dumps(to_json(assessed({"a.cpp": "void f() { cudaFree(0); }\n"}, noted)))


def test_a_large_generated_file_keeps_its_totals() -> None:
    """Rows of whole files count as many places as they stand for, in every total."""
    body = "".join(f"  x += __shfl_xor_sync(0xffffffff, x, {number});\n" for number in range(1, 150))
    text = f"__global__ void k(int *p) {{\n  int x = *p;\n{body}}}\n"
    apart = SourceTree("tree", (SourceFile("a.cu", text, Owner.GENERATED, "a hash in its name: x", "."),), (), ())
    own = replace(apart, files=(replace(apart.files[0], owner=Owner.OWN, owner_reason=""),))
    few = assess(apart, heuristics(), RUN, Scenario())
    many = assess(own, heuristics(), RUN, Scenario())
    assert len(few.found.sites) == len({judged.site.category for judged in many.found.sites})
    totals: dict[str, int] = {}
    for judged in many.found.sites:
        totals[judged.site.category] = totals.get(judged.site.category, 0) + 1
    assert dict(few.reliability.excluded) == totals
    assert sum(row.sites for row in few.reliability.set_apart) == sum(totals.values())
    assert f"{sum(totals.values()):,} places" in few.reliability.gaps[0]


def test_what_is_vendored_gives_no_credit() -> None:
    """Triton kernels of others say nothing of how the team works."""
    text = "import triton\n\n@triton.jit\ndef f(x):\n    pass\n"
    apart = SourceTree("tree", (SourceFile("v/a.py", text, Owner.VENDORED, "in a folder 'v'", "v"),), (), ())
    assert assess(apart, heuristics(), RUN, Scenario()).found.inventory.triton_kernels == 0
