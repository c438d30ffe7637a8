"""Facts of Python and Cython."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from estimator.languages import bazel, notebook, python
from estimator.languages.facts import NOTHING_HARVESTED, Confidence, Fact, FactKind


def _facts(code: str, path: str = "a.py") -> tuple[Fact, ...]:
    return python.read(path, code, NOTHING_HARVESTED).facts


def _texts(code: str, kind: FactKind, path: str = "a.py") -> list[tuple[str, int]]:
    return [(fact.text, fact.line) for fact in _facts(code, path) if fact.kind is kind]


def test_imports_are_dotted_and_given_once() -> None:
    code = "import cuda.b as c\nfrom d import e, f as g\nfrom .h import i\nimport cuda.b\nfrom j import *\n"
    assert _texts(code, FactKind.IMPORT) == [("cuda.b", 1), ("d.e", 2), ("d.f", 2), (".h.i", 3), ("j", 5)]


def test_calls_are_resolved_through_aliases() -> None:
    code = "import cupy as cp\nfrom numba import cuda\ncp.RawKernel(s, 'f')\ncuda.to_device(x)\nfoo().bar(1)\nk[g](2)\n"
    calls = dict(_texts(code, FactKind.CALL))
    assert calls == {"cupy.RawKernel": 3, "numba.cuda.to_device": 4, "foo": 5, ".bar": 5, "k[]": 6}


def test_the_first_binding_of_a_name_counts() -> None:
    code = "try:\n    import cupy as xp\nexcept ImportError:\n    import numpy as xp\nxp.RawKernel(s)\n"
    assert _texts(code, FactKind.CALL) == [("cupy.RawKernel", 5)]
    first = next(fact for fact in _facts(code) if fact.text == "cupy")
    assert first.guards == ("except ImportError",)


def test_a_decorator_reaches_to_its_definition_and_is_no_call() -> None:
    code = "from numba import cuda\nclass A:\n    @cuda.jit(device=True)\n    # note\n    def f(x):\n        pass\n"
    (fact,) = [fact for fact in _facts(code) if fact.kind is FactKind.DECORATOR]
    assert (fact.text, fact.line, fact.end_line, fact.function) == ("numba.cuda.jit", 3, 5, "A.f")
    assert _texts(code, FactKind.CALL) == []


def test_names_are_the_longest_chains_behind_an_import() -> None:
    code = "import torch\nif torch.version.hip:\n    torch.backends.cudnn.benchmark = True\nself.x.y = 1\n"
    assert _texts(code, FactKind.NAME) == [("torch.version.hip", 2), ("torch.backends.cudnn.benchmark", 3)]


def test_docstrings_and_messages_are_no_strings() -> None:
    code = '"""nvcc"""\ndef f():\n    """nvcc"""\n    raise E("nvcc")\nprint("nvcc")\nlog.info("nvcc")\nx = "nvcc"\n'
    assert _texts(code, FactKind.STRING) == [("nvcc", 7)]


def test_device_source_keeps_its_lines() -> None:
    code = 'a = r"""\n__global__ void f() {\n}\n"""\nb = ("__global__ void g() {\\n"\n     "}\\n")\n'
    assert _texts(code, FactKind.STRING) == [("\n__global__ void f() {\n}\n", 1), ("__global__ void g() {\n}\n", 5)]


def test_settings_and_environment() -> None:
    code = (
        "import triton\nk[g](x, num_warps=4)\nc = triton.Config({'BLOCK': 128}, num_stages=3)\n"
        "k[g](x, launch_pdl=pdl)\nmonkeypatch.setenv('ROCM_PATH', '')\n"
        "os.environ['NCCL_DEBUG'] = 'INFO'\nos.getenv('CUDA_HOME')\nf(env={'NCCL_ALGO': 'Ring'})\n"
    )
    assert [text for text, _ in _texts(code, FactKind.SETTING)] == [
        "num_warps=4",
        "BLOCK=128",
        "num_stages=3",
        "launch_pdl=pdl",
        "env ROCM_PATH",
        "env NCCL_DEBUG",
        "env CUDA_HOME",
        "NCCL_ALGO='Ring'",
    ]


def test_guards_tell_a_working_arm_from_one_that_only_raises() -> None:
    code = "import torch\nif torch.version.hip:\n    {}\nelse:\n    nv()\n"
    beside = next(fact for fact in _facts(code.format("amd()")) if fact.text == "nv")
    alone = next(fact for fact in _facts(code.format("raise NotImplementedError")) if fact.text == "nv")
    assert (beside.guards, beside.amd_arm) == (("!(torch.version.hip)",), "works")
    assert (alone.guards, alone.amd_arm) == (("not (torch.version.hip)",), "missing")


def test_a_negated_condition_with_an_else_works_too() -> None:
    code = "if not is_hip():\n    nv()\nelse:\n    amd()\n"
    arms = {fact.text: fact.amd_arm for fact in _facts(code)}
    assert (arms["nv"], arms["amd"]) == ("works", "amd")


def test_what_the_parser_gives_up_is_read_by_tokens() -> None:
    reading = python.read("a.py", "import cupy as cp\ndef x(:\n  cp.RawKernel('a' b)\n", NOTHING_HARVESTED)
    assert reading.error_bytes > 0
    assert "cupy.RawKernel" in {fact.text for fact in reading.facts}


def test_declarations_of_cython_are_no_calls() -> None:
    code = 'cdef extern from "cuda_runtime_api.h":\n    int cudaFree(void* p)\n\ndef f(p):\n    return cudaFree(p)\n'
    assert _texts(code, FactKind.CALL, "a.pyx") == [("cudaFree", 5)]
    assert _texts(code, FactKind.INCLUDE, "a.pyx") == [("cuda_runtime_api.h", 1)]


def test_pathological_depth_is_read_by_tokens_and_said() -> None:
    code = "import torch  # cuda\nx = " + "(" * 20_000 + "torch.compile(y)" + ")" * 20_000 + "\n"
    reading = python.read("a.py", code, NOTHING_HARVESTED)
    assert reading.doubts
    call = next(fact for fact in reading.facts if fact.kind is FactKind.CALL and "compile" in fact.text)
    assert (call.text, call.confidence) == ("torch.compile", Confidence.LEXICAL)


def test_bazel_shares_the_grammar() -> None:
    facts = bazel.read("BUILD", 'cuda_library(\n    name = "x",\n)\n', NOTHING_HARVESTED).facts
    assert [(fact.kind, fact.text, fact.line, fact.end_line) for fact in facts] == [
        (FactKind.CALL, "cuda_library", 1, 3),
        (FactKind.STRING, "x", 2, 2),
    ]


NOTEBOOK = """{
 "cells": [
  {
   "cell_type": "code",
   "source": [
    "import cupy as cp\\n",
    "!nvidia-smi -L\\n",
    "%matplotlib inline\\n",
    "cp.RawKernel(s)"
   ]
  }
 ]
}
"""


def test_a_notebook_counts_lines_of_its_file() -> None:
    facts = notebook.read("a.ipynb", NOTEBOOK, NOTHING_HARVESTED).facts
    assert [(fact.text, fact.line) for fact in facts] == [("cupy", 6), ("nvidia-smi -L", 7), ("cupy.RawKernel", 9)]


def test_an_import_of_several_lines_stands_at_its_first() -> None:
    code = "from torch.utils.cpp_extension import (\n    BuildExtension,\n    CUDA_HOME,\n)\n"
    found = [(fact.text.rsplit(".", 1)[-1], fact.line, fact.end_line) for fact in _facts(code)]
    assert found == [("BuildExtension", 1, 4), ("CUDA_HOME", 1, 4)]


def test_flags_stand_at_the_list_or_entry_they_belong_to() -> None:
    code = (
        "flags = [\n    '-O3',\n    '--use_fast_math',\n]\n"
        "args = {\n    'nvcc': [\n        '-lineinfo',\n    ],\n}\n"
        "rows = [\n    ('sm_80', 1),\n    ('sm_90', 2),\n]\n"
        "call(\n    x,\n    'nvcc',\n    arch='sm_80',\n)\n"
    )
    strings = dict.fromkeys(_texts(code, FactKind.STRING))
    expected = [("-O3", 1), ("--use_fast_math", 1), ("nvcc", 6), ("-lineinfo", 6), ("sm_80", 11), ("sm_90", 12)]
    assert [place for place in expected if place not in strings] == []
    assert ("nvcc", 14) in strings
    assert ("sm_80", 17) in strings


def test_what_a_test_holds_stands_at_its_if() -> None:
    code = (
        "import torch\nif (\n    torch.version.hip\n    and os.getenv('CUDA_HOME')\n    and is_cuda()\n):\n    pass\n"
    )
    lines = {fact.text: (fact.line, fact.end_line) for fact in _facts(code) if fact.kind is not FactKind.IMPORT}
    assert lines["torch.version.hip"] == lines["env CUDA_HOME"] == lines["is_cuda"] == (2, 6)


def test_conditions_are_tests_and_truth_values_about_devices() -> None:
    code = (
        "import triton\nif on_rocm and x:\n    pass\nelif is_hip:\n    pass\n"
        "a = [f for f in files if 'hip' not in f]\nb = 1 if IS_ROCM else 2\nc = not use_cuda\n"
        "assert sm >= 80, 'sm_70'\nif x > 1:\n    pass\nprint(use_cuda and y)\n"
    )
    assert _texts(code, FactKind.CONDITION) == [
        ("on_rocm and x", 2),
        ("is_hip", 4),
        ("'hip' not in f", 6),
        ("IS_ROCM", 7),
        ("not use_cuda", 8),
        ("sm >= 80", 9),
    ]


def test_variables_of_a_build_are_settings() -> None:
    code = (
        "nvcc_flags += ['-O3']\nargs['nvcc'].append('-g')\nhome = None\nkind = CUDAExtension if gpu else Cpp\n"
        "e = Extension('a', libraries=['cudart'])\n"
    )
    assert _texts(code, FactKind.SETTING) == [
        ("set nvcc_flags=['-O3']", 1),
        ("set args[nvcc]=('-g')", 2),
        ("set kind=CUDAExtension if gpu else Cpp", 4),
        ("set libraries=['cudart']", 5),
    ]


def test_constants_of_launches_in_all_their_forms() -> None:
    code = (
        "import triton\nBLOCK_M, BLOCK_N = 64, 32\nWARPS = [4, 8]\nSTAGES = 2 if big else 3\n"
        "B, num_warps = ((32, 4) if small else (16, 8))\ndef f():\n    HALF: tl.constexpr = 16\n    FULL = 32\n"
        "num_stages = min(n, 3)\nnum_ctas = given\nMOST = 16 * 1024\n"
    )
    constants = [(fact.text, fact.line) for fact in _facts(code) if fact.kind is FactKind.CONSTANT]
    names = ["BLOCK_M", "BLOCK_N", "WARPS", "STAGES", "B", "num_warps", "FULL", "num_stages", "MOST"]
    assert sorted(name for name, _ in constants) == sorted(names)


def test_a_configuration_is_one_place() -> None:
    code = (
        "import triton\nc = [\n    triton.Config(\n        {'BLOCK': 64},\n        num_warps=4 if x else 8,\n    )\n]\n"
    )
    settings = [(fact.text, fact.line, fact.end_line) for fact in _facts(code) if fact.kind is FactKind.SETTING]
    assert settings == [("BLOCK=64", 3, 6), ("num_warps=4 if x else 8", 3, 6)]


def test_the_condition_of_a_skipped_test_is_no_message() -> None:
    code = "import torch\n@pytest.mark.skipif(torch.version.hip is None, 'cuda')\ndef test_a(): pass\n"
    assert _texts(code, FactKind.CONDITION) == [("torch.version.hip is None", 2)]
    assert _texts(code, FactKind.STRING) == []


def test_settings_in_messages_are_none() -> None:
    assert _texts("print(f\"cuda {os.environ.get('ROCM_PATH')}\")\n", FactKind.SETTING) == []


def test_conditions_of_cython_are_read_by_lines() -> None:
    code = (
        "if runtime._is_hip_environment:\n    raise E\nelif int(capability()) < 53:  # old\n    pass\nif n:\n    pass\n"
    )
    conditions = [("runtime._is_hip_environment", 1), ("int(capability()) < 53", 3)]
    assert _texts(code, FactKind.CONDITION, "a.pyx") == conditions


def test_a_command_of_a_notebook_over_several_lines_is_one() -> None:
    cell = NOTEBOOK.replace("!nvidia-smi -L\\n", '!pip install \\\\\\n",\n    "  flash-attn\\n')
    facts = notebook.read("a.ipynb", cell, NOTHING_HARVESTED).facts
    places = {fact.text.strip(): (fact.line, fact.end_line) for fact in facts if "flash-attn" in fact.text}
    assert places
    assert set(places.values()) == {(7, 8)}


@given(st.text(alphabet=st.sampled_from("abc(){}[]'\"\n #@.,:=\\fi import def if else try:é"), max_size=200))
def test_any_text_is_read(text: str) -> None:
    for path in ("a.py", "a.pyx"):
        reading = python.read(path, text, NOTHING_HARVESTED)
        assert all(1 <= fact.line <= fact.end_line <= reading.lines + 1 for fact in reading.facts)


def test_assembly_and_tests_in_a_string_stand_at_their_own_lines() -> None:
    asm = 'asm volatile("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a));'
    code = f'import triton\ncode.raw("""\n#if __CUDA_ARCH__ >= 610\n{asm}\n#endif\n""")\n'
    (fact,) = [fact for fact in _facts(code) if fact.kind is FactKind.ASM]
    assert (fact.text, fact.line, fact.detail) == ("dp4a.s32.s32 %0, %1, %2, %3;", 4, "dp4a.s32.s32")
    assert _texts(code, FactKind.CONDITION) == [("#if __CUDA_ARCH__ >= 610", 3)]


def test_lists_of_requirements_hold_requirements() -> None:
    code = 'import torch.cuda\nsetup(install_requires=["a_b>=1",\n  "c[d]", "no package"])\nnames = ["e>=1"]\n'
    assert _texts(code, FactKind.REQUIREMENT) == [("a-b >=1", 2), ("c", 3)]
    assert _texts(code, FactKind.STRING) == [("no package", 2), ("e>=1", 4)]


def test_a_chooser_gives_constants_and_attributes_are_some() -> None:
    code = "import triton\nself._block1d = (64, 1)\ndef pick_unroll(n):\n    return 4\ndef count(n):\n    return 4\n"
    facts = [(fact.text, fact.line, fact.detail) for fact in _facts(code) if fact.kind is FactKind.CONSTANT]
    assert facts == [("self._block1d", 2, "(64, 1)"), ("pick_unroll", 4, "4")]


def test_lanes_are_arithmetic_with_the_width_of_a_warp() -> None:
    code = "import triton\na = tid % 32\nb = x // 64\nc = tid // WARP_SIZE\n"
    assert _texts(code, FactKind.LANE) == [("tid % 32", 2), ("tid // WARP_SIZE", 4)]
