"""What does the worst text of a size cost? Every construct of every language, repeated until the size is reached.

    python benchmarks/pathological.py 100k            all cases, the slow ones in a table
    python benchmarks/pathological.py 2m yaml shell   the cases whose name begins so

Each case is scanned as a tree of one file in a child process; the kernel says what it took. A case fails above
10 seconds of CPU or 1 GiB of memory, whatever its size up to 2 MB.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Heuristics
from estimator.languages import Language, language_of
from estimator.languages.c_harvest import harvest
from estimator.scan import scan_file
from estimator.scan.match import Matcher
from estimator.sources.files import Owner, SourceFile

MOST_SECONDS = 10.0
MOST_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Case:
    """A text that repeats itself: head, then `unit` n times, the middle, then `back` n times, the end."""

    name: str
    path: str
    unit: str
    back: str = ""
    head: str = ""
    middle: str = ""
    end: str = ""

    def text(self, size: int) -> str:
        """A text of about that many characters; `{n}` in a unit becomes its number."""
        share = self.unit + self.back
        room = max(0, size - len(self.head + self.middle + self.end))
        times = max(1, room // max(1, len(share.replace("{n}", "12345"))))
        return self.head + _repeated(self.unit, times) + self.middle + _repeated(self.back, times) + self.end

    def language(self) -> Language:
        """The language that reads it."""
        language = language_of(self.path)
        assert language is not None, self.path
        return language


def _repeated(unit: str, times: int) -> str:
    if "{n}" not in unit:
        return unit * times
    return "".join(unit.replace("{n}", str(number)) for number in range(times))


_KERNEL = "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n"
_BODY = "__global__ void f(float* x) {\n"

# Where a text of each language begins, so that it is read at all, and what may stand in the middle of it.
_HEADS = {
    "cuda.cu": ("#include <cuda_runtime.h>\n", _KERNEL),
    "cuda-body.cu": ("__global__ void f(float* x) {\n", "x[threadIdx.x % 32] = cudaMalloc(x);\n}\n"),
    "cuda-device.cu": ("__device__ void f(){", 'asm volatile("mov.u32 %0, %laneid;" : "=r"(x));}\n'),
    "cpp.h": ("#include <cuda.h>\n", "cudaMalloc(a);\n"),
    "python.py": ("import triton\n", "triton.jit(f)\n"),
    "python-call.py": ("import cupy as cp\ncp.RawKernel(", ")\ncp.asarray(x)\n"),
    "cython.pyx": ("import cupy\n", "cupy.asarray(x)\n"),
    "notebook.ipynb": ("", ""),
    "pyproject.toml": ("[project]\n", '\ndependencies = ["cupy"]\n'),
    "value/pyproject.toml": ("a = ", '\nb = "cupy"\n'),
    "uv.lock": ("[[package]]\n", '\n[[package]]\nname = "cupy"\nversion = "1"\n'),
    "Dockerfile": ("FROM nvidia/cuda:12\n", "RUN nvcc a.cu\n"),
    "run/Dockerfile": ("RUN ", "nvcc a.cu\n"),
    "env/Dockerfile": ("ENV A=", "\nRUN nvcc a.cu\n"),
    "yaml.yml": ("", "\nimage: nvidia/cuda\n"),
    "value.yml": ("a: ", "\nimage: nvidia/cuda\n"),
    "script.yml": ("run: |\n  ", "\n  nvcc a.cu\n"),
    "template.yaml.j2": ("{% if a %}\n", "\nimage: nvidia/cuda\n"),
    "Makefile": ("all:\n", "\tnvcc a.cu\n"),
    "recipe/Makefile": ("all:\n\t", "\n\tnvcc a.cu\n"),
    "value/Makefile": ("A = ", "\n\tnvcc a.cu\n"),
    "BUILD": ("cuda_library(\n", ")\n"),
    ".bazelrc": ("build --config=cuda\n", "build --config=cuda\n"),
    "configure.ac": ("AC_CHECK_LIB(\n", "[cudart])\n"),
    "meson.build": ("project('a', 'cuda')\n", "dependency('cuda')\n"),
    "meson-call/meson.build": ("dependency(", "'cuda')\n"),
    "shell.sh": ("nvcc a.cu\n", "nvcc b.cu\n"),
    "shell-word.sh": ("nvcc ", "b.cu\n"),
    "CMakeLists.txt": ("project(a CUDA)\n", "find_package(CUDA)\n"),
    "call/CMakeLists.txt": ("set(CUDA_A ", ")\nfind_package(CUDA)\n"),
    "fortran.f90": ("use cudafor\n", "call cudaMalloc(a)\n"),
    "fixed.f": ("      use cudafor\n", "      call cudaMalloc(a)\n"),
    "julia.jl": ("using CUDA\n", "CUDA.zeros(1)\n"),
    "rust.rs": ("use cudarc::driver;\n", "cudaMalloc(a);\n"),
    "go.go": ("package cuda\n", 'import "C"\n'),
    "sharp.cs": ("using Cuda;\n", "cudaMalloc(a);\n"),
    "java.java": ("import jcuda.Pointer;\n", "cudaMalloc(a);\n"),
    "ptx.ptx": (".version 7.0\n.target sm_80\n", ".visible .entry a() {}\n"),
    "text.txt": (_KERNEL, _KERNEL),
    "requirements.txt": ("cupy\n", "cupy==1\n"),
}

# Units that mean something in one language or another; each is tried in all. Pairs close again.
_UNITS = (
    *(
        "(",
        "[",
        "{",
        "<",
        "<<<",
        ")",
        "]",
        "}",
        ">",
        '"',
        "'",
        "`",
        '"""',
        "'''",
        "\\",
        "\\\n",
        "/*",
        "//",
        "#",
        "#=",
        "$",
    ),
    *(
        "\n",
        "\t",
        " ",
        "a",
        "a ",
        "a\n",
        "a.",
        "a::",
        "a<",
        "a<\n",
        "a(",
        "a[",
        "a,",
        "a=",
        "a = ",
        "a:",
        "a: ",
        "a: b\n",
    ),
    *(
        "- ",
        "-",
        "? ",
        "! ",
        "!a ",
        "& ",
        "&a ",
        "*a ",
        "| ",
        "a|",
        ": ",
        ", ",
        "a;",
        ";",
        "::",
        "->",
        "=",
        "==",
        "1",
        "1,",
    ),
    *(
        "0x",
        "%",
        "%%",
        "{{",
        "{%",
        "${",
        "$(",
        "$((",
        "<(",
        "<<A ",
        "<<A\n",
        "<< 'A' ",
        "@",
        "@a\n",
        "@a ",
        "a@",
        "~",
        "^",
    ),
    *(
        "-a ",
        "--a=b ",
        "a=b ",
        "A=1\n",
        '"a" ',
        "'a' ",
        "'a',",
        '"a",',
        "f'{",
        'R"(',
        "not ",
        "and ",
        "lambda: ",
        "if ",
        "a if ",
    ),
    *(
        "é",
        "é ",
        "\u2028",
        "\ud800",
        "\x0c",
        "a.b.c ",
        "a.b(c).",
        "a::b<c>::",
        "a_b",
        "[[",
        "]]",
        "[=[",
        "{a: ",
        "{a=",
        "[a]\n",
    ),
    *(
        "a(b,",
        "a(b)\n",
        "a{n} = 32\n",
        "a{n}(b)\n",
        "warp{n} ",
        "cudaMalloc(",
        "cudaMalloc(a);\n",
        "# via\n",
        ">>>",
        "a<<<b>>>",
    ),
    *(
        " \n",
        "\n ",
        "\t\n",
        "a \\\n",
        "A = \\\n",
        "A=",
        "--from=a ",
        "template<",
        "asm(",
        'asm("',
        "a*",
        "a->",
        "a?b:",
        "++",
        "!",
    ),
    *(
        "const int warp",
        "namespace a=",
        "#define A ",
        "#define A(\n",
        "#define A{n} B\n",
        "#define A B \\\n",
        "a a",
        "a\t",
        "0",
    ),
)
_PAIRS = (
    *(
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("a(", ")"),
        ("a<", ">"),
        ("a[", "]"),
        ("{a:", "}"),
        ("{a=", "}"),
        ("$(", ")"),
    ),
    *(
        ("`", "`"),
        ('"', '"'),
        ("[a, ", "]"),
        ("f(g, ", ")"),
        ("${a:-", "}"),
        ("/*", "*/"),
        ("#=", "=#"),
        ("$(a ", " b)"),
    ),
    *(("{{", "}}"), ("$(shell ", ")"), ("lambda x: (", ")"), ("template<class a=", "> ")),
)

# What one language alone knows.
_OWN: tuple[tuple[str, str, str], ...] = (
    ("cuda.cu", "#if A\n", "#endif\n"),
    ("cuda.cu", "#if A{n}\n", "#endif\n"),
    ("cuda.cu", "#if USE_ROCM\n", "a;\n#else\nb;\n#endif\n"),
    ("cuda.cu", "#ifdef A\n", ""),
    ("cuda.cu", "#elif A\n", ""),
    ("cuda.cu", "#if A\ncudaFree(a);\n", "#endif\n"),
    ("cuda.cu", "#if 0\n#endif\n", ""),
    ("cuda.cu", "#if A\n{\n#else\n#endif\n", ""),
    ("cuda.cu", "#if USE_ROCM\na;\n#else\nb;\n#endif\n", ""),
    ("cuda-long.cu", "#elif defined(USE_ROCM)\na;\n", ""),
    ("cuda.cu", "#else\n", ""),
    ("cuda.cu", "#include <a.h>\n", ""),
    ("cuda.cu", "#pragma unroll\n", ""),
    ("cuda.cu", "__global__ void k(", ""),
    ("cuda.cu", "__global__ ", ""),
    ("cuda.cu", "__global__ void k() {", ""),
    ("cuda.cu", "__global__ void k() {", "}"),
    ("cuda.cu", _KERNEL, ""),
    ("cuda.cu", "__global__ void k{n}() { f{n}(); }\n", ""),
    ("cuda.cu", "__device__ int f{n}() { return f{n}(f{n}()); }\n", ""),
    ("cuda.cu", "__device__ int f(){", "}"),
    ("cuda.cu", "struct A { __device__ int f(){ return 1;}", "};"),
    ("cuda.cu", "__launch_bounds__(", ""),
    ("cuda.cu", "template<int a> __global__ ", ""),
    ("cuda.cu", "namespace a {", "}"),
    ("cuda.cu", "namespace a = b;\n", ""),
    ("cuda.cu", "const int warp_size = 32;\n", ""),
    ("cuda.cu", "enum { A = 32, ", ""),
    ("cuda.cu", "_Pragma(", ""),
    ("cuda.cu", 'u8R"a(', ""),
    ("cuda.cu", "'a", ""),
    ("cuda.cu", 'extern "C" {', "}"),
    ("cuda-body.cu", "a<<<b,", ""),
    ("cuda-body.cu", "a<b><<<1,1>>>();\n", ""),
    ("cuda-body.cu", "(a)<<<1,1>>>();\n", ""),
    ("cuda-body.cu", ")<<<", ""),
    ("cuda-body.cu", "><<<", ""),
    ("cuda-body.cu", "asm volatile(\n", ""),
    ("cuda-body.cu", 'asm volatile("mov.u32 %0, %1;" : "=r"(a));\n', ""),
    ("cuda-device.cu", 'asm volatile("\n', ""),
    ("cuda-body.cu", 'asm("a {b;', ""),
    ("cuda-body.cu", "asm(a", ")"),
    ("cuda-body.cu", '"mov.u32 {%0}" ', ""),
    ("cuda-body.cu", "if (a) ", ""),
    ("cuda-body.cu", "else if (a) b; ", ""),
    ("cuda-body.cu", "for (int i = 16; i > 0; i >>= 1) { __shfl(", ""),
    ("cuda-body.cu", "for (;;) ", ""),
    ("cuda-body.cu", "for (int i=16;i>0;i>>=1) {", "}"),
    ("cuda-body.cu", "x[threadIdx.x % 32] = 1;\n", ""),
    ("cuda-body.cu", "threadIdx.x % 32 + ", ""),
    ("cuda-body.cu", "int a{n} = threadIdx.x;\n", ""),
    ("cuda-body.cu", "s[t + 32] + ", ""),
    ("cuda-body.cu", "__shared__ float a[32];\n", ""),
    ("cuda-body.cu", "__shared__ float a", "[32]"),
    ("cuda-body.cu", "dim3 block(32, 1);\n", ""),
    ("cuda-body.cu", "0xffffffff, ", ""),
    ("cuda-body.cu", "__shfl_sync(0xffffffff, a);\n", ""),
    ("cuda-body.cu", "1u << lane, ", ""),
    ("cuda-body.cu", "unsigned a = 1u << ", ""),
    ("cuda-body.cu", "a.b(c).", ""),
    ("cuda-body.cu", "a.b.", ""),
    ("cuda-body.cu", "int a, ", ""),
    ("cuda-body.cu", "[&] { ", "}"),
    ("cuda-body.cu", "while (flag) {", ""),
    ("cuda-body.cu", "while (", ""),
    ("cuda-body.cu", "for (;;", ""),
    ("cuda-body.cu", "a[b[", ""),
    ("cuda-body.cu", "a += b[", ""),
    ("cuda-body.cu", "int *", ""),
    ("cuda-body.cu", "(int)", ""),
    ("cuda-body.cu", "{% a", ""),
    ("macro.cu", "#define K{n} __global__\nK{n} void k{n}() { }\n", ""),
    ("macro.cu", "#define K{n} K{n} __device__ __device__\n", ""),
    ("macro.cu", "#define A{n} __attribute__((", ""),
    ("macro.cu", "#define A (", ""),
    ("macro.cu", "#define A(B) C(B)\nA(\n", ""),
    ("template.cu.in", "{{", ""),
    ("template.cu.in", "{% a", ""),
    ("template.cu.in", "@a", ""),
    ("python.py", "@triton.jit\ndef f(x):\n  tl.load(x)\n", ""),
    ("python.py", "@triton.jit\n", ""),
    ("python.py", "if torch.cuda.is_available():\n  a()\n", ""),
    ("python.py", "if cuda:\n  pass\nel", ""),
    ("python.py", "elif cuda:\n  pass\n", ""),
    ("python-else.py", "elif cuda{n}:\n  cp.a()\n", ""),
    ("python.py", "try:\n  import a\nexcept ImportError:\n  b = None\n", ""),
    ("python.py", "x = a if cuda else ", ""),
    ("python-call.py", "a if hip else ", ""),
    ("python.py", "from a import b{n} as c{n}\n", ""),
    ("python.py", "from a import *\n", ""),
    ("python.py", "import a, ", ""),
    ("python.py", "class A:\n def f(self): triton.a()\n", ""),
    ("python.py", "os.environ['NCCL_A'] = '1'\n", ""),
    ("python.py", "triton.a.b.c\n", ""),
    ("python.py", "print('cuda')\n", ""),
    ("python.py", "x = 'cuda' 'cuda'\n", ""),
    ("python-call.py", "'cuda' ", ""),
    ("python-call.py", "'cuda',", ""),
    ("python-call.py", "print(", ")"),
    ("python-call.py", "triton.a(", ")"),
    ("python-call.py", "triton.a(", ""),
    ("python-call.py", "f'{", "}'"),
    ("python-call.py", "num_warps=4, ", ""),
    ("python-call.py", "{'A_BC': ", "}"),
    ("python.py", "a = 32\n", ""),
    ("python.py", "@\n", ""),
    ("python.py", "def f():\n", ""),
    ("python.py", "if cuda: (\n", ""),
    ("python.py", "  triton.a(\n", ""),
    ("cython.pyx", "cdef extern from 'a.h':\n  int f()\n", ""),
    ("cython.pyx", "cdef extern from 'a.h':\n", ""),
    ("cython.pyx", "f(", ""),
    ("cython.pyx", "cdef extern from 'a.h':\n  f()\n\n", ""),
    ("cython.pyx", "import a\n", ""),
    ("notebook.ipynb", '{"cells": [', ""),
    ("notebook.ipynb", "[", "]"),
    ("uv.lock", '[[package]]\nname = "a{n}"\nversion = "1"\n', ""),
    ("pyproject.toml", 'a{n} = "b"\n', ""),
    ("pyproject.toml", "[a{n}]\nb = 1\n", ""),
    ("pyproject.toml", "[[a]]\nb = 1\n", ""),
    ("pyproject.toml", "[a{n}]\n", ""),
    ("key/pyproject.toml", "a.", ""),
    ("pyproject.toml", "[a.", ""),
    ("pyproject.toml", "a.b.c.d{n} = 1\n", ""),
    ("value/pyproject.toml", "{a={b=[", ""),
    ("value/pyproject.toml", "[{a=", ""),
    ("Dockerfile", "RUN <<A <<B <<C\n", ""),
    ("Dockerfile", "RUN <<A\n", ""),
    ("Dockerfile", "RUN <<A{n}\n", ""),
    ("Dockerfile", "RUN <<A\nnvcc\nA\n", ""),
    ("Dockerfile", "COPY <<A <<A{n} b\n", ""),
    ("Dockerfile", "RUN --mount=a ", ""),
    ("run/Dockerfile", "--mount=a \\\n", ""),
    ("run/Dockerfile", "<<A ", ""),
    ("run/Dockerfile", "[", ""),
    ("Dockerfile", "FROM a AS b{n}\n", ""),
    ("Dockerfile", "ARG A{n}=${A{n}}\n", ""),
    ("Dockerfile", "ARG A=${A}${A}\n", ""),
    ("Dockerfile", "ENV A=1 \\\n", ""),
    ("env/Dockerfile", "A=1 ", ""),
    ("Dockerfile", "COPY --from=a b c\n", ""),
    ("Dockerfile", "RUN if nvcc; then \\\n", ""),
    ("Dockerfile", "RUN a && \\\n", ""),
    ("value.yml", "{a: ", ""),
    ("value.yml", "[", ""),
    ("value.yml", "{a: [", ""),
    ("yaml.yml", "? ", ""),
    ("yaml.yml", "- ", ""),
    ("yaml.yml", "- a\n", ""),
    ("yaml.yml", "- - a\n", ""),
    ("yaml.yml", "a{n}: b\n", ""),
    ("yaml.yml", "a: &a b\n", ""),
    ("yaml.yml", "a: *a\n", ""),
    ("yaml.yml", "--- a\n", ""),
    ("yaml.yml", "run: nvcc a\n", ""),
    ("yaml.yml", "command: [", ""),
    ("yaml-words.yml", "- a\n", ""),
    ("yaml.yml", "a: |\n  b\n", ""),
    ("yaml.yml", "run: |\n  nvcc b\n", ""),
    ("yaml.yml", "- run: >\n   nvcc b\n", ""),
    ("yaml.yml", "!!python/object:a ", ""),
    ("yaml.yml", "%TAG ! a\n", ""),
    ("template.yaml.j2", "- a: {{ b }}\n", ""),
    ("template.yaml.j2", "run: |\n  nvcc\n", ""),
    ("Makefile", "ifdef A\n", ""),
    ("Makefile", "ifdef A\n\tnvcc a\n", ""),
    ("Makefile", "ifdef A\n", "endif\n"),
    ("Makefile", "else ifdef A\n", ""),
    ("Makefile", "else\n", ""),
    ("else/Makefile", "ifdef A\nelse\nelse\n", ""),
    ("Makefile", "\tnvcc \\\n", ""),
    ("Makefile", "A = b \\\n", ""),
    ("Makefile", "$(shell $(shell ", ""),
    ("value/Makefile", "$(shell a) ", ""),
    ("value/Makefile", "export ", ""),
    ("Makefile", "export ", ""),
    ("meson.build", "if a\n", ""),
    ("meson.build", "if a\ndependency('b')\n", ""),
    ("meson.build", "if a\n", "endif\n"),
    ("meson.build", "else\n", ""),
    ("meson-call/meson.build", "a('b',\n", ""),
    ("meson-call/meson.build", "[\n'b',\n", ""),
    ("meson-call/meson.build", "(\n", "'b')\n"),
    ("shell.sh", "cat <<EOF\n", ""),
    ("shell.sh", "cat <<EOF{n}\n", ""),
    ("shell.sh", "cat <<A <<B <<C\n", ""),
    ("shell.sh", "cat <<A\na\nA\n", ""),
    ("shell.sh", "if nvcc; then\n", ""),
    ("shell.sh", "if nvcc; then\n", "fi\n"),
    ("shell.sh", "if nvcc; then a; else\n", ""),
    ("shell.sh", "else\n", ""),
    ("shell.sh", "if a\nelse\nelse\n", ""),
    ("shell.sh", "case a in\n", ""),
    ("shell.sh", "case a in b) c ;;\n", ""),
    ("shell.sh", "a|b) c ;;\n", ""),
    ("shell-case.sh", "a|", ""),
    ("shell-case.sh", "a) nvcc ;;\n", ""),
    ("shell-case.sh", "a)\n", ""),
    ("shell.sh", "then ", ""),
    ("shell.sh", "do ", ""),
    ("shell.sh", "{ ", ""),
    ("shell.sh", "! ", ""),
    ("shell.sh", "sudo ", ""),
    ("shell.sh", "env A=1 ", ""),
    ("shell.sh", "sudo env A=1 nvcc ", ""),
    ("shell-word.sh", "sudo a ", ""),
    ("shell.sh", "bash -c '", ""),
    ("shell.sh", 'bash -c "', ""),
    ("shell.sh", "bash -c \\'", ""),
    ("shell.sh", "eval -c ", ""),
    ("shell.sh", "export A=1 ", ""),
    ("shell.sh", "A=1 ", ""),
    ("shell.sh", "pip install a ", ""),
    ("shell.sh", "pip install a\n", ""),
    ("shell-word.sh", "install a ", ""),
    ("shell.sh", "conda install -c b a ", ""),
    ("shell.sh", "#SBATCH -a\n", ""),
    ("shell-word.sh", '"a"b', ""),
    ("shell-word.sh", "a#", ""),
    ("CMakeLists.txt", "if(A)\n", ""),
    ("CMakeLists.txt", "if(A)\n", "endif()\n"),
    ("CMakeLists.txt", "if(A{n})\nfind_package(CUDA)\n", "endif()\n"),
    ("CMakeLists.txt", "elseif(A)\n", ""),
    ("else/CMakeLists.txt", "elseif(USE_ROCM)\nset(A B)\n", ""),
    ("CMakeLists.txt", "else()\n", ""),
    ("else/CMakeLists.txt", "else()\n", ""),
    ("CMakeLists.txt", "endif()\n", ""),
    ("CMakeLists.txt", "set(A B)\n", ""),
    ("CMakeLists.txt", "set(A\nB\n)\n", ""),
    ("CMakeLists.txt", "set(", ""),
    ("CMakeLists.txt", "foreach(A)\n", "endforeach()\n"),
    ("CMakeLists.txt", "function(A)\n", "endfunction()\n"),
    ("CMakeLists.txt", "while(A)\n", ""),
    ("CMakeLists.txt", "macro(A)\n", ""),
    ("CMakeLists.txt", "if(A)\nelse()\nif(B)\n", ""),
    ("call/CMakeLists.txt", "A\n", ""),
    ("call/CMakeLists.txt", '"a"\n', ""),
    ("call/CMakeLists.txt", "[[a]]\n", ""),
    ("call/CMakeLists.txt", "${", "}"),
    ("fortran.f90", "attributes(global) subroutine a\n", ""),
    ("fortran.f90", "attributes(global) subroutine a{n}\nend subroutine\n", ""),
    ("fortran.f90", "call cudaMalloc(a)\n", ""),
    ("fortran.f90", "use a{n}\n", ""),
    ("go.go", '/* */ import "C"\n', ""),
    ("go.go", "/* #include <a.h>\n", ""),
    ("go.go", "// a\n", ""),
    ("go.go", '//#include <cuda.h>\nimport "C"\n', ""),
    ("go.go", "/*", ""),
    ("rust.rs", 'r#"', ""),
    ("rust.rs", 'r##"', ""),
    ("requirements.txt", "a \\\n", ""),
    ("requirements.txt", "a{n}==1 # via b\n", ""),
    ("requirements.txt", "a\n# via b\n", ""),
    ("requirements.txt", "--a ", ""),
    ("requirements.txt", "git+https://a/", ""),
    ("ptx.ptx", ".version\n", ""),
    ("ptx-versions.ptx", ".version 7.0\n", ""),
    ("ptx-blank.ptx", "\n ", ""),
)
# Cases of their own: what stands before and behind matters.
_ODD = (
    Case("cuda-long.cu elif", "a.cu", "#elif defined(USE_ROCM)\na;\n", head="#if A\n", middle="#endif\n" + _KERNEL),
    Case("cuda-long.cu elif-n", "a.cu", "#elif A{n}\ncudaFree(a);\n", head="#if A\n", middle="#endif\n" + _KERNEL),
    Case("cuda-long.cu elif-0", "a.cu", "#elif A{n}\n#if 0\n#endif\n", head="#if A\n", middle="#endif\n" + _KERNEL),
    Case("cuda-long.cu long-condition", "a.cu", "A && ", head="#if ", middle="B\ncudaFree(a);\n#endif\n" + _KERNEL),
    Case("cuda-long.cu not", "a.cu", "!", head="#if ", middle="USE_ROCM\ncudaFree(a);\n#endif\n" + _KERNEL),
    Case(
        "cuda-long.cu round", "a.cu", "(", ")", head="#if ", middle="USE_ROCM", end="\ncudaFree(a);\n#endif\n" + _KERNEL
    ),
    Case("cuda-long.cu terms", "a.cu", "USE_ROCM || ", head="#if ", middle="B\ncudaFree(a);\n#endif\n" + _KERNEL),
    Case("cuda-long.cu long-define", "a.cu", "A(B) \\\n", head="#define X ", middle="\n" + _KERNEL),
    Case("cuda-long.cu asm-text", "a.cu", '"mov.u32 a, b;\\n"\n', head="__device__ void f() { asm(", middle=");}\n"),
    Case("cuda-long.cu asm-open", "a.cu", "{ a", head='__device__ void f() { asm("', middle='");}\n'),
    Case("cuda-long.cu asm-pred", "a.cu", "@ ! ", head='__device__ void f() { asm("', middle='");}\n'),
    Case("cuda-long.cu name-words", "a.cu", "a ", head="__global__ ", middle="k() {}\n"),
    Case("cuda-long.cu arguments", "a.cu", "int a, ", head="__global__ void k(", middle="int b) {}\n"),
    Case("cuda-long.cu string", "a.cu", "a", head='const char* x = "cuda', middle='";\n' + _KERNEL),
    Case("cuda-long.cu string-n", "a.cu", 'const char* x{n} = "cuda";\n', middle=_KERNEL),
    Case("cuda-long.cu comment", "a.cu", "a", head="/* ", middle="*/\n" + _KERNEL),
    Case("cuda-long.cu comment-n", "a.cu", "// a \\\n", middle="\n" + _KERNEL),
    Case("cuda-long.cu line", "a.cu", "cudaMalloc(a); ", head="void f() {", middle="}\n" + _KERNEL),
    Case("cuda-long.cu nested-functions", "a.cu", "void f() { cudaFree(a); ", "}", middle=_KERNEL),
    Case("cuda-long.cu nested-lambda", "a.cu", "f([&] { cudaFree(a);", "});", head="void g() {", end="}"),
    Case("cuda-long.cu embedded", "a.cu", _KERNEL, head='const char* s = R"(', middle=')";\n'),
    Case("cuda-long.cu embedded-n", "a.cu", 'const char* s{n} = R"(' + _KERNEL + ')";\n'),
    Case("cuda-long.cu bytes", "a.cu", "0x1f, ", head="unsigned char fatbin[] = {", middle="};\n" + _KERNEL),
    Case("cuda-long.cu switch", "a.cu", "case {n}: cudaFree(a); break;\n", head="void f() { switch (a) {", middle="}}"),
    Case("cuda-long.cu else-if", "a.cu", "if (a) cudaFree(b); else ", head="void f() {", middle=";}\n" + _KERNEL),
    Case("python-else.py chain", "a.py", "elif cuda{n}:\n  cp.a()\n", head="import cupy as cp\nif cuda:\n  pass\n"),
    Case("python-else.py one", "a.py", "elif cuda:\n  cp.a()\n", head="import cupy as cp\nif cuda:\n  pass\n"),
    Case("python-else.py body", "a.py", "  cp.a(x)\n", head="import cupy as cp\nif torch.cuda.is_available():\n"),
    Case(
        "python-else.py try",
        "a.py",
        "  import a{n}\n",
        head="import cupy\ntry:\n",
        middle="except ImportError:\n  pass\n",
    ),
    Case("python-long.py string", "a.py", "__global__ void k() { }\\n", head="import cupy\nx = '''", middle="'''\n"),
    Case("python-long.py strings-n", "a.py", "x = '__global__ void k() { }'\n", head="import cupy\n"),
    Case("python-long.py line", "a.py", "cupy.a(x); ", head="import cupy\n", middle="\n"),
    Case("python-long.py broken", "a.py", "cupy.a(x)\n", head="import cupy\n(((\n", middle="\n"),
    Case("python-long.py broken-n", "a.py", "cupy.a(x\n", head="import cupy\n", middle="\n"),
    Case("python-long.py errors-n", "a.py", "cupy.a(x) $ b\n", head="import cupy\n", middle="\n"),
    Case("python-long.py doc", "a.py", '"""a\n', head="import cupy\n"),
    Case("yaml-words.yml args", "a.yml", "- a\n", head="command:\n"),
    Case("yaml-words.yml deep", "a.yml", "a: {b: ", "}", head="x: {", end="}"),
    Case("yaml-words.yml flow", "a.yml", "a{n}: b, ", head="x: {", middle="}"),
    Case("yaml-words.yml block", "a.yml", "  nvcc a\n", head="run: |\n"),
    Case("yaml-words.yml folded", "a.yml", "  nvcc a\n", head="run: >\n"),
    Case("yaml-words.yml plain", "a.yml", "  nvcc a\n", head="run: a\n"),
    Case("yaml-words.yml here", "a.yml", "  cat <<EOF\n", head="run: |\n"),
    Case("yaml-words.yml quoted", "a.yml", " a\n", head='x: "', middle='"'),
    Case("shell-case.sh pattern", "a.sh", "a|", head="case $A in\n", middle="b) nvcc;;\nesac\n"),
    Case("shell-case.sh arms", "a.sh", "a) nvcc ;;\n", head="case $A in\n"),
    Case("shell-case.sh else", "a.sh", "else\n", head="if a; then\nnvcc\n", middle="fi\n"),
    Case("shell-long.sh quoted", "a.sh", "nvcc a\n", head='X="', middle='"\n'),
    Case("shell-long.sh ticks", "a.sh", "`nvcc` ", head="x "),
    Case("shell-long.sh escapes", "a.sh", "\\\\\\'", head="bash -c '", middle="'"),
    Case("make-else/Makefile", "Makefile", "else\n", head="ifdef A\n", middle="endif\n"),
    Case("meson-else/meson.build", "meson.build", "else\n", head="if a\n", middle="endif\n"),
    Case("cmake-else elseif", "CMakeLists.txt", "elseif(A{n})\nset(B C)\n", head="if(A)\n", middle="endif()\n"),
    Case(
        "cmake-else elseif-rocm", "CMakeLists.txt", "elseif(USE_CUDA)\nset(B C)\n", head="if(A)\n", middle="endif()\n"
    ),
    Case("cmake-else else", "CMakeLists.txt", "else()\nset(B C)\n", head="if(A)\n", middle="endif()\n"),
    Case("cmake-else message", "CMakeLists.txt", 'message(FATAL_ERROR "a")\n', head="if(A)\n", middle="endif()\n"),
    Case(
        "notebook cells",
        "a.ipynb",
        '{"cell_type": "code", "source": ["import cupy\\n", "cupy.a()\\n"]},',
        head='{"cells": [',
        middle="{}]}",
    ),
    Case(
        "notebook same",
        "a.ipynb",
        '"!nvcc a\\n",',
        head='{"cells": [{"cell_type": "code", "source": [',
        middle='"a"]}]}',
    ),
    Case(
        "notebook text", "a.ipynb", "import cupy\\n", head='{"cells": [{"cell_type": "code", "source": "', middle='"}]}'
    ),
    Case(
        "notebook escaped",
        "a.ipynb",
        '"\\u0061",',
        head='{"cells": [{"cell_type": "code", "source": [',
        middle='"a"]}]}',
    ),
    Case(
        "notebook escaped-cells",
        "a.ipynb",
        '{"cell_type": "code", "source": "\\u0061\\u0062 x"},',
        head='{"cells": [',
        middle="{}]}",
    ),
    Case(
        "notebook bash",
        "a.ipynb",
        '{"cell_type": "code", "source": ["%%bash\\n", "cat <<EOF\\n"]},',
        head='{"cells": [',
        middle="{}]}",
    ),
    Case(
        "notebook bash-long",
        "a.ipynb",
        '"cat <<EOF\\n",',
        head='{"cells": [{"cell_type": "code", "source": ["%%bash\\n", ',
        middle='"a"]}]}',
    ),
    Case(
        "notebook device",
        "a.ipynb",
        '{"cell_type": "code", "source": ["%%cu\\n", "__global__ void k() {}\\n"]},',
        head='{"cells": [',
        middle="{}]}",
    ),
    Case("toml-long array", "pyproject.toml", '"a",\n', head="[project]\ndependencies = [", middle="]\n"),
    Case("toml-long dotted", "pyproject.toml", "a.", middle="b = 1\n"),
    Case("toml-long header", "pyproject.toml", "a.", head="[", middle="b]\nc = 1\n"),
    Case("toml-long string", "pyproject.toml", "a\n", head='a = """', middle='"""\n'),
    Case("toml-long inline", "pyproject.toml", "a{n} = 1, ", head="a = {", middle="b = 1}\n"),
    Case("toml-long lock", "uv.lock", 'name = "a"\n', head="[[package]]\n"),
    Case("docker-long words", "Dockerfile", "a ", head="RUN [", middle="]\n"),
    Case("docker-long from", "Dockerfile", "${A:-", "}", head="FROM ", end="\n"),
    Case("docker-long args", "Dockerfile", "ARG A{n}=1\nFROM ${A{n}}\n"),
    Case("docker-long comment", "Dockerfile", "# a\n", head="RUN a \\\n"),
    Case("docker-long options", "Dockerfile", "--a=b ", head="RUN ", middle="nvcc\n"),
    Case("lines-long word", "a.rs", "cuda", head="use cudarc;\n"),
    Case("lines-long go", "a.go", "//a\n", head="package cuda\n", middle="x\n"),
    Case("lines-long fortran", "a.f90", "attributes(global) subroutine a{n}\nx = 1\n", middle="end subroutine\n"),
    Case("lines-long lines", "a.jl", "CUDA.a(b)\n"),
    Case("requirements-long via", "requirements.txt", "a # via\n", head="cupy\n"),
    Case("requirements-long word", "requirements.txt", "a-", head="cupy\n"),
    Case("requirements-long joined", "requirements.txt", "a \\\n", head="cupy==1 "),
    Case("requirements-long url", "requirements.txt", "a/", head="https://"),
    Case("requirements-long extras", "requirements.txt", "[a", head="cupy"),
    Case("requirements-long spaces", "requirements.txt", " ", head="cupy", middle="x\n"),
    Case("cuda-names warp", "a.cu", "warp", head="#include <cuda.h>\nconst int ", middle=";\n"),
    Case(
        "cuda-loops shuffle",
        "a.cu",
        "for (int i = 16; i > 0; i >>= 1) ",
        head=_BODY,
        middle="x += __shfl_down(x, i);}\n",
    ),
    Case("cuda-digits host", "a.cu", "int n = " + "1" * 5_000 + ";\n", head="void f() { cudaFree(0);\n", middle="}\n"),
    Case("cuda-array blanks", "a.cu", "__shared__ float a[x" + " " * 5_000 + "+ y];\n", head=_BODY, middle="}\n"),
    Case("pyx-source name", "a.pyx", "a", head="import cupy\nx = f'__global__ {", middle="'\n"),
    Case(
        "template-yaml blanks", "a.yaml.j2", "a" + " " * 3_900 + "x\n", head="{{ x }}\n", middle="image: nvidia/cuda\n"
    ),
)


def cases() -> Iterator[Case]:
    """All of them, by name."""
    for place, (head, middle) in _HEADS.items():
        path = place.rsplit("/", 1)[-1]
        for unit in _UNITS:
            yield Case(f"{place} {unit!r}", path, unit, head=head, middle=middle)
            if unit.strip():
                yield Case(f"{place} {unit!r} lines", path, unit + "\n", head=head, middle=middle)
        for unit, back in _PAIRS:
            yield Case(f"{place} {unit!r} {back!r}", path, unit, back, head=head, middle="a", end=middle)
    for place, unit, back in _OWN:
        head, middle = _HEADS.get(place, ("", ""))
        path = place.rsplit("/", 1)[-1]
        yield Case(f"{place} {unit!r}" + (f" {back!r}" if back else "") + " own", path, unit, back, head, middle)
    yield from _ODD


@dataclass(frozen=True, slots=True)
class Cost:
    """What a case took: CPU seconds, bytes of memory at most, how the child ended ("" where it came to its end)."""

    seconds: float
    memory: int
    ended: str = ""

    @property
    def fails(self) -> bool:
        return bool(self.ended) or self.seconds > MOST_SECONDS or self.memory > MOST_BYTES


def cost(work: Callable[[], object], most_seconds: int = 60, most_bytes: int = 4 << 30) -> Cost:
    """Do something in a child process and ask the kernel what it took."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        sys.settrace(None)  # measuring coverage is no part of the work
        resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            work()
        except MemoryError:
            os._exit(3)
        except BaseException as error:
            print(f"  {type(error).__name__}: {str(error)[:200]}", file=sys.stderr, flush=True)
            os._exit(4)
        os._exit(0)
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    ended = "" if code == 0 else {-24: "time", -9: "killed", 3: "memory", -11: "crash", 4: "error"}.get(code, str(code))
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, ended)


@cache
def _prepared() -> tuple[Heuristics, Matcher]:
    """The shipped rules; grammars and expressions are made once a process, so that no case pays for them."""
    heuristics = load_heuristics()
    matcher = Matcher(heuristics.rules)
    for place in _HEADS:
        text = "cuda __global__ void k() {}\n"
        scan_file(_file(place, text), harvest([text]), matcher, heuristics)
    return heuristics, matcher


def _file(path: str, text: str) -> SourceFile:
    return SourceFile(path, text, Owner.OWN, "", ".")


def scanned(case: Case, size: int) -> Callable[[], object]:
    """Scanning one file with the shipped rules; what is shared by all files is ready before."""
    heuristics, matcher = _prepared()
    text = case.text(size)
    texts = [text] if case.language().module == "c_family" else []
    return lambda: scan_file(_file(case.path, text), harvest(texts), matcher, heuristics)


def main() -> None:
    size = int(re.sub(r"[^\d]", "", sys.argv[1])) * {"k": 1_000, "m": 1_000_000}[sys.argv[1][-1].lower()]
    wanted = tuple(sys.argv[2:])
    least = float(os.environ.get("LEAST", str(5 * size / 2e6)))
    start = time.monotonic()
    number = failed = 0
    print(f"{'CPU s':>8} {'MB':>7}  case of {size:,} characters")
    for case in cases():
        if wanted and not case.name.startswith(wanted):
            continue
        number += 1
        used = cost(scanned(case, size), int(2 + size / 1e5))
        failed += used.fails
        if used.fails or used.seconds > least:
            print(f"{used.seconds:8.2f} {used.memory / 1e6:7.0f}  {case.name} {used.ended}{'  FAILS' * used.fails}")
    print(f"{number:,} cases in {time.monotonic() - start:.0f} s, {failed:,} above the limits")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
