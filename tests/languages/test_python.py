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
        "os.environ['NCCL_DEBUG'] = 'INFO'\nos.getenv('CUDA_HOME')\nf(env={'NCCL_ALGO': 'Ring'})\n"
    )
    assert [text for text, _ in _texts(code, FactKind.SETTING)] == [
        "num_warps=4",
        "BLOCK=128",
        "num_stages=3",
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


@given(st.text(alphabet=st.sampled_from("abc(){}[]'\"\n #@.,:=\\fi import def if else try:é"), max_size=200))
def test_any_text_is_read(text: str) -> None:
    for path in ("a.py", "a.pyx"):
        reading = python.read(path, text, NOTHING_HARVESTED)
        assert all(1 <= fact.line <= fact.end_line <= reading.lines + 1 for fact in reading.facts)
