"""Texts that a stranger may write to stop us: what they cost, and what a reading says of what it left out."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from estimator import languages
from estimator.languages import (
    cmake,
    dockerfile,
    make,
    meson,
    notebook,
    python,
    requirements,
    shell,
    toml_files,
    yaml_files,
)
from estimator.languages.arms import Arm, guards_of
from estimator.languages.c_family import read
from estimator.languages.c_harvest import harvest
from estimator.languages.c_words import plain
from estimator.languages.depth import CUT, MOST, TOO_DEEP, kept
from estimator.languages.facts import NOTHING_HARVESTED, FactKind, Reading
from estimator.languages.guards import on_amd
from estimator.languages.readings import TOO_MANY, UNPARSED
from estimator.languages.spans import Spans
from tests.pace import slowness

SIZE = 100_000
SECONDS, MEMORY = 4.0, 1 << 30  # generous: what these took before was minutes, or gigabytes


def _pathological() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "pathological.py"
    spec = importlib.util.spec_from_file_location("pathological", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["pathological"] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


pathological = _pathological()
CASES = {case.name: case for case in pathological.cases()}
# Each took more than ten seconds, or a gigabyte, at 2 MB or far below.
WORST = [
    *(
        f"{place} {unit!r} own"
        for place, unit in (
            ("value.yml", "["),
            ("yaml.yml", "- "),
            ("value.yml", "{a: "),
            ("yaml.yml", "? "),
            ("yaml.yml", "a: &a b\n"),
            ("value/pyproject.toml", "{a={b=["),
            ("key/pyproject.toml", "a."),
            ("pyproject.toml", "[a."),
            ("shell.sh", "cat <<EOF\n"),
            ("shell.sh", "cat <<EOF{n}\n"),
            ("shell.sh", "if nvcc; then\n"),
            ("shell.sh", "sudo "),
            ("shell.sh", "else\n"),
            ("shell.sh", "case a in\n"),
            ("shell.sh", "then "),
            ("shell-word.sh", "a#"),
            ("Dockerfile", "RUN <<A <<B <<C\n"),
            ("run/Dockerfile", "--mount=a \\\n"),
            ("env/Dockerfile", "A=1 "),
            ("python.py", "@triton.jit\ndef f(x):\n  tl.load(x)\n"),
            ("python.py", "  triton.a(\n"),
            ("python-call.py", "triton.a("),
            ("cython.pyx", "cdef extern from 'a.h':\n"),
            ("CMakeLists.txt", "if(A)\n"),
            ("CMakeLists.txt", "set("),
            ("else/CMakeLists.txt", "elseif(USE_ROCM)\nset(A B)\n"),
            ("Makefile", "ifdef A\n\tnvcc a\n"),
            ("meson.build", "if a\ndependency('b')\n"),
            ("meson-call/meson.build", "[\n'b',\n"),
            ("cuda-device.cu", 'asm volatile("\n'),
            ("cuda-body.cu", "asm volatile(\n"),
            ("cuda-body.cu", "a.b(c)."),
            ("cuda-body.cu", "a += b["),
            ("cuda-body.cu", "for (;;"),
            ("cuda-body.cu", "(a)<<<1,1>>>();\n"),
            ("cuda.cu", "#if 0\n#endif\n"),
            ("cuda.cu", 'u8R"a('),
            ("cuda.cu", "__global__ void k() {"),
            ("cuda.cu", "__global__ void k{n}() { f{n}(); }\n"),
            ("macro.cu", "#define K{n} __global__\nK{n} void k{n}() { }\n"),
            ("macro.cu", "#define K{n} K{n} __device__ __device__\n"),
            ("go.go", "/* #include <a.h>\n"),
            ("fortran.f90", "attributes(global) subroutine a\n"),
            ("ptx-blank.ptx", "\n "),
        )
    ),
    *(
        f"{place} {unit!r}"
        for place, unit in (
            ("python.py", "["),
            ("python.py", "# via\n"),
            ("python.py", "\\\n"),
            ("CMakeLists.txt", " \n"),
            ("cuda.cu", "a<\n"),
            ("cuda.cu", "a("),
            ("cuda.cu", "a."),
            ("cuda.cu", "<<A "),
            ("cuda.cu", "cudaMalloc("),
            ("yaml.yml", "a: b\n"),
        )
    ),
    "python.py '/*' lines",
    "template.cu.in '{{' own",
    "CMakeLists.txt '\\u2028'",
    "cuda.cu '#if A\\n' '#endif\\n' own",
    "cuda.cu '__global__ void k() {' '}' own",
    "CMakeLists.txt 'if(A)\\n' 'endif()\\n' own",
    "cuda-long.cu elif",
    "cuda-long.cu elif-n",
    "python-else.py chain",
    "cmake-else elseif-rocm",
    "notebook escaped-cells",
    "cuda-names warp",
    "cuda-loops shuffle",
    "cuda-digits host",
    "cuda-array blanks",
    "pyx-source name",
    "template-yaml blanks",
]


@pytest.mark.parametrize("name", WORST)
def test_the_worst_texts_are_cheap(name: str) -> None:
    cost = pathological.cost(pathological.scanned(CASES[name], SIZE), 60, 2 << 30)
    assert cost.ended == ""
    assert cost.seconds < SECONDS * slowness()
    assert cost.memory < MEMORY


def test_the_table_knows_every_language() -> None:
    modules = {case.language().module for case in CASES.values()}
    assert modules == {language.module for language in languages.LANGUAGES}


def _read(path: str, text: str) -> Reading:
    language = languages.language_of(path)
    assert language is not None
    return languages.read(language, path, text)


# -- what was left out is said


@pytest.mark.parametrize(
    ("path", "text", "doubt"),
    [
        ("a.yml", "a: " + "[" * 1_000, "YAML of more than 200 levels: read by lines"),
        ("a.yml", "- " * 1_000, "YAML of more than 200 levels: read by lines"),
        ("a.yml", "a: b\n" * 70_000, "only read up to line 60,000: too many entries"),
        ("pyproject.toml", "a=" + "{a=" * 1_000, "nested too deeply for TOML: read by lines"),
        ("pyproject.toml", "a." * 1_000 + "b = 1", "nested too deeply for TOML: read by lines"),
        ("a.sh", "if nvcc; then\n" * 100, TOO_DEEP),
        ("a.sh", "sudo " * 100 + "nvcc a.cu", TOO_DEEP),
        ("a.sh", "nvcc\n" * 60_000, TOO_MANY),
        ("CMakeLists.txt", "if(A)\n" * 100 + "find_package(CUDA)\n" + "endif()\n" * 100, TOO_DEEP),
        ("Makefile", "ifdef A\n" * 100 + "\tnvcc a\n", TOO_DEEP),
        ("meson.build", "if a\n" * 100 + "dependency('cuda')\n", TOO_DEEP),
        (
            "a.py",
            "import cupy\n" + "".join(" " * n + "if cuda:\n" for n in range(100)) + " " * 100 + "cupy.a()\n",
            TOO_DEEP,
        ),
        ("a.cu", "#if A\n" * 100 + "__global__ void k() {}\n" + "#endif\n" * 100, TOO_DEEP),
        ("a.cu", "__global__ void k() {" + "a<" * 60_000, UNPARSED),
        (
            "a.cu",
            "__global__ void k() {" * 2_000 + "}" * 2_000,
            "functions that lie in one another: of some only the name was read",
        ),
        (
            "a.ipynb",
            '{"cells": [' + '{"cell_type": "code", "source": "\\u0061 x"},' * 2_001 + "{}]}",
            "written with unusual escapes: lines are those of the cells before",
        ),
    ],
)
def test_what_was_left_out_is_a_doubt(path: str, text: str, doubt: str) -> None:
    assert doubt in _read(path, text).doubts


def test_what_people_write_leaves_no_doubt() -> None:
    for path, text in (
        ("a.sh", "if a; then\n" * 20 + "nvcc b\n" + "fi\n" * 20),
        ("a.cu", "#if A\n" * 20 + "__global__ void k() {}\n" + "#endif\n" * 20),
        ("CMakeLists.txt", "if(A)\n" * 20 + "find_package(CUDA)\n" + "endif()\n" * 20),
        ("a.yml", "{a: " * 50 + "1" + "}" * 50),
    ):
        assert _read(path, text).doubts == ()


def test_a_text_that_is_not_parsed_is_read_by_tokens() -> None:
    reading = read("a.cu", "void f() { cudaMalloc(a); " + "a<" * 60_000, NOTHING_HARVESTED)
    assert (FactKind.CALL, "cudaMalloc") in {(fact.kind, fact.text) for fact in reading.facts}
    assert reading.error_bytes > 100_000


# -- the bounds themselves


def test_guards_keep_the_outermost_and_the_innermost() -> None:
    names = [str(number) for number in range(200)]
    assert kept(names[:MOST]) == tuple(names[:MOST])
    found = kept(names)
    assert (found[:10], found[10], found[-1], len(found)) == (tuple(names[:10]), CUT, "199", MOST)
    assert kept((*found, "200"))[10] == CUT


def test_deep_spans_keep_the_outermost_and_the_innermost() -> None:
    spans = Spans((number, 1_000 - number, number) for number in range(300))
    assert spans.is_cut
    assert spans.around(400) == (*range(10), *range(250, 300))
    assert spans.around(5) == tuple(range(6))
    assert not Spans((number, 1_000 - number, number) for number in range(MOST)).is_cut


def test_guards_of_a_long_chain() -> None:
    arms = [Arm(f"A{number}") for number in range(500)] + [Arm("")]
    guards = guards_of(arms)
    assert guards[2] == ("!(A0)", "!(A1)", "A2")
    assert guards[-1][0] == "!(A0)"
    assert guards[-1][-1] == "!(A499)"
    assert len(guards[-1]) == MOST


@pytest.mark.parametrize(
    "condition", ["!" * 3_000 + "USE_ROCM", "(" * 3_000 + "USE_ROCM", "USE_ROCM && " * 3_000 + "1"]
)
def test_conditions_beyond_reading_are_undecided(condition: str) -> None:
    assert on_amd(condition) is None


@pytest.mark.parametrize(
    ("condition", "value"),
    [("USE_ROCM && " * 100 + "USE_ROCM", True), ("(" * 20 + "USE_ROCM" + ")" * 20, True), ("!!!USE_ROCM", False)],
)
def test_conditions_that_people_may_write_are_decided(condition: str, value: bool) -> None:
    assert on_amd(condition) is value


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("a::b<c<d>, e>::f", "a::b::f"),
        ("::a", "a"),
        ("a<b", "a"),
        ("a<b>::c<d", "a::c"),
        ("a->b<c>", "a->b"),
        ("x < y > z", "xz"),
    ],
)
def test_names_without_template_arguments(name: str, result: str) -> None:
    assert plain(name) == result


def test_macros_that_name_each_other_end() -> None:
    chain = "".join(f"#define A{n} A{n + 1} A{n + 1}\n" for n in range(100)) + "#define A100 __device__\n"
    assert "A100" in harvest([chain]).device_macros
    words = " ".join("__a__" for _ in range(40))
    assert harvest([f"#define B {words.replace(' ', '')}!\n"]).qualifiers == frozenset()


def test_documents_of_the_shell_end_where_they_say() -> None:
    text = "cat <<A <<'B'\nnvcc a\nA\nnvcc b\nB\nnvcc c\ncat <<-C\nnvcc d\n\tC \nnvcc e\ncat <<D\nnvcc f\n"
    facts = shell.read("a.sh", text, NOTHING_HARVESTED).facts
    assert [(f.text, f.line) for f in facts if f.text.startswith("nvcc")] == [
        ("nvcc c", 6),
        ("nvcc e", 10),
        ("nvcc f", 12),
    ]


def test_long_blanks_and_comments_move_nothing() -> None:
    found = cmake.read(
        "CMakeLists.txt", "set(A" + " \n" * 5_000 + "B)\n" + "\n" * 900 + "find_package(CUDA)", NOTHING_HARVESTED
    )
    assert [(f.text, f.line, f.end_line) for f in found.facts] == [
        ("set A B", 1, 5_001),
        ("set = B", 5_001, 5_001),
        ("find_package CUDA", 5_902, 5_902),
    ]
    code = "import cupy\n" + "# a\n" * 500 + "x = '''\n" + "#define A\n" * 200 + "'''\ncupy.a(x)\n"
    facts = python.read("a.py", code, NOTHING_HARVESTED).facts
    assert [(f.kind, f.line) for f in facts if f.kind is not FactKind.IMPORT] == [
        (FactKind.STRING, 502),
        (FactKind.CALL, 704),
    ]
    assert next(f for f in facts if f.kind is FactKind.STRING).text.count("#define A") == 200


def test_half_of_a_surrogate_pair_is_no_text() -> None:
    cell = '{"cells": [{"cell_type": "code", "source": ["import cupy\\n", "x = \'cuda \\ud800\'"]}]}'
    for reading in (
        notebook.read("a.ipynb", cell, NOTHING_HARVESTED),
        yaml_files.read("a.yml", 'a: "cuda \\ud800"\n', NOTHING_HARVESTED),
    ):
        assert all(fact.text.isascii() for fact in reading.facts)


def test_names_are_not_written_again_for_every_fact() -> None:
    name = "a" * 100_000
    readings = (
        cmake.read("CMakeLists.txt", f"{name}(\n" + "B\n" * 500 + ")", NOTHING_HARVESTED),
        make.read("Makefile", f"{name} = \\\n" + "B \\\n" * 500, NOTHING_HARVESTED),
        meson.read("meson.build", f"{name}(\n" + "'B',\n" * 500 + ")", NOTHING_HARVESTED),
        toml_files.read("pyproject.toml", f"[{name}]\n" + "b = 1\n" * 500, NOTHING_HARVESTED),
        yaml_files.read("a.yml", f"{name}:\n" + "- b\n" * 500, NOTHING_HARVESTED),
        dockerfile.read("Dockerfile", f"ARG A={name}\n" + "FROM ${A}\n" * 500, NOTHING_HARVESTED),
        python.read("a.py", f"import cupy.{name} as b\n" + "b.c()\n" * 500, NOTHING_HARVESTED),
        python.read("a.py", f"import cupy\ndef {name}():\n" + "  cupy.c()\n" * 500, NOTHING_HARVESTED),
        read("a.cu", f"namespace b = cuda::{name};\nvoid f() {{" + "b::c();\n" * 500 + "}", NOTHING_HARVESTED),
        requirements.read("requirements.txt", name + "\n" + "cupy\n" * 500, NOTHING_HARVESTED),
    )
    for reading in readings:
        assert sum(len(fact.text) + len(fact.function) for fact in reading.facts) < 2_000_000
