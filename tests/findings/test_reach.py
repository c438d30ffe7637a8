"""Device functions that leave with the kernels that alone call them."""

from __future__ import annotations

from functools import cache

import pytest

from estimator.findings import gather
from estimator.findings.reach import Reach, reach_of
from estimator.findings.scope import ScopeEntry, effects, scoped, settled
from estimator.findings.values import Disposition, Findings
from estimator.knowledge import load_heuristics
from estimator.scan import scan
from estimator.scan.sites import DeviceCode, Kernel
from estimator.sources.files import Owner, SourceFile, SourceTree
from tests.pace import within

HEURISTICS = cache(load_heuristics)
SUM = "v += __shfl_down_sync(0xffffffff, v, 1); return v;"
HEADER = f"""
__device__ float leaf(float v);
__device__ float leaf(float v) {{ {SUM} }}
__device__ double leaf(double v) {{ {SUM} }}
__device__ float middle(float v) {{ return leaf(v); }}
__device__ float shared(float v) {{ {SUM} }}
"""
KERNELS = """
#include "h.cuh"
__global__ void one(float* p) { *p = middle(*p) + shared(*p); }
__global__ void two(float* p) { *p = shared(*p); }
"""


def entry(table: str, kernel: str, path: str = "", by: str = "") -> ScopeEntry:
    return ScopeEntry(table, path, "because", f"scope.toml:{kernel}", kernel, by)


def tree(**files: str) -> SourceTree:
    names = {"h": "h.cuh", "k": "k.cu", "more": "more.cu", "host": "host.cpp", "py": "m.py"}
    sources = (SourceFile(names[key], text, Owner.OWN, "", ".") for key, text in files.items())
    return SourceTree("tree", tuple(sources), (), ())


def gone(code: SourceTree, *entries: ScopeEntry) -> dict[str, str]:
    """Functions that leave, with the table they leave by."""
    scanned = scan(code, HEURISTICS())
    done = settled(scoped(code, entries, ("cuBLAS",)), scanned.kernels, scanned.functions)
    choice = done.choice(done.matches)
    decided = (pair for one in choice.functions.values() for pair in one.entries.items())
    return {function.name: entry.table for function, entry in decided}


def found(code: SourceTree, *entries: ScopeEntry) -> Findings:
    scanned = scan(code, HEURISTICS())
    done = settled(scoped(code, entries, ("cuBLAS",)), scanned.kernels, scanned.functions)
    return gather(scanned, {}, HEURISTICS(), 64, done.choice(done.matches))


def test_what_only_a_replaced_kernel_reaches_goes_with_it() -> None:
    code = tree(h=HEADER, k=KERNELS)
    assert gone(code, entry("replace", "one", by="cuBLAS")) == {"leaf": "replace", "middle": "replace"}
    sites = found(code, entry("replace", "one", by="cuBLAS")).sites
    left = {(judged.site.path, judged.site.line): judged.reason for judged in sites if judged.site.path == "h.cuh"}
    along = "replaced by cuBLAS: because; only what leaves calls the function that it stands in"
    assert left == {("h.cuh", 3): along, ("h.cuh", 4): along, ("h.cuh", 6): ""}
    assert all(judged.disposition is Disposition.EXCLUDED for judged in sites if judged.reason == along)


def test_the_effect_of_an_entry_counts_them() -> None:
    code, entries = tree(h=HEADER, k=KERNELS), (entry("later", "one"),)
    scanned = scan(code, HEURISTICS())
    done = settled(scoped(code, entries), scanned.kernels, scanned.functions)
    judged = gather(scanned, {}, HEURISTICS(), 64, done.choice(done.matches)).sites
    (row,) = effects(done, judged, scanned.kernels)
    inside = sum(item.reason.startswith("later: because") for item in judged)
    assert (row.kernels, row.functions, row.files, row.lines, row.sites) == (1, 3, 2, 4, inside)


def test_all_kernels_that_need_a_function_must_leave() -> None:
    code = tree(h=HEADER, k=KERNELS)
    assert "shared" not in gone(code, entry("leave_out", "one"))
    assert gone(code, entry("leave_out", "*"))["shared"] == "leave_out"
    code = tree(h=HEADER, k=KERNELS, more="__global__ void three(float* p) { *p = leaf(*p); }")
    assert gone(code, entry("leave_out", "one")).keys() == {"middle"}
    assert gone(code, entry("leave_out", "one"), entry("leave_out", "", "more.cu")).keys() == {"leaf", "middle"}


def test_what_a_postponed_kernel_needs_is_postponed() -> None:
    both = gone(tree(h=HEADER, k=KERNELS), entry("replace", "one", by="cuBLAS"), entry("later", "two"))
    assert both == {"leaf": "replace", "middle": "replace", "shared": "later"}


@pytest.mark.parametrize(
    "use",
    [
        "__global__ void three(float* p) { *p = leaf(*p); }",
        "#define LEAF(x) leaf(x)",
        "template <typename F> void run(F f);\nvoid host() { run(leaf); }",
        "__device__ float other(float v) { return leaf(v); }",
        'const char* name = "leaf<float>";',
        "__device__ float (*table)(float) = leaf;",
        "using Op = Wrapper<leaf>;",
        "#define DEVICE_SUM leaf",
        "#define DEVICE_INLINE __device__ __forceinline__\n#define SUM leaf",
        "__device__ float f(float v);\n#undef SUM\n#define SUM(v) \\\n  leaf(v)",
        "__device__ Op<leaf> make() { return {}; }",
        "__device__ Op<float, leaf>::type op;",
        "__device__ Op<Op<float>, leaf> op;",
        "__device__ float table[leaf(3)];",
        "using Op = Wrapper<ON_DEVICE, leaf>;",
        "void host() { run(ON_DEVICE, leaf); }",
        "float host() { return DEVICE_SCALE * leaf(1); }",
        "float host() { return DEVICE_SCALE * scale * leaf(1); }",
        "void host(int n) { switch (n) { case DEVICE_ONE: leaf(1); } }",
        "void host() { for (int i = 0; i != DEVICE_COUNT && leaf(i); ++i) {} }",
        f"void host() {{ run(0{', 0' * 200}, DEVICE float, leaf); }}",
    ],
)
def test_any_other_use_keeps_all_of_a_name(use: str) -> None:
    code = tree(h=HEADER, k=KERNELS, more=use)
    assert gone(code, entry("leave_out", "one")).keys() == {"middle"}


@pytest.mark.parametrize(
    "no_use",
    [
        "// leaf(v)",
        "__device__ float leaf(float v);",
        "using ns::leaf;",
        "#if 0\nvoid f() { leaf(1); }\n#endif",
        "template <typename T, int N = (1 > 0)> __device__ Vec<Vec<T>, N> leaf(T v);",
        "#define MY_DEVICE __device__\nMY_DEVICE inline float leaf(float v);",
        "struct S { friend __device__ float ns::leaf(float v); };",
        '#ifdef __CUDACC__\nextern "C" __attribute__((noinline)) __device__ float leaf(float v);\n#endif',
    ],
)
def test_comments_and_declarations_are_no_use(no_use: str) -> None:
    code = tree(h=HEADER, k=KERNELS, more=f"#include <cuda_runtime.h>\n{no_use}\n")
    assert gone(code, entry("leave_out", "one")).keys() == {"leaf", "middle"}


@pytest.mark.parametrize(
    "text", ["""code = 'y = leaf(x)'""", r"""code = "x;\nleaf(x)" """, '''code = """\ny = leaf(x);\n"""''']
)
def test_a_name_in_a_string_of_python_keeps_it(text: str) -> None:
    code = tree(h=HEADER, k=KERNELS, py=text)
    assert gone(code, entry("leave_out", "one")).keys() == {"middle"}


@pytest.mark.parametrize("text", ["# leaf, isn't it\nx = 'y'", "leaf = 1", "x = 'leaflet'  # 'leaf'"])
def test_names_of_python_itself_are_no_use(text: str) -> None:
    code = tree(h=HEADER, k=KERNELS, py=text)
    assert gone(code, entry("leave_out", "one")).keys() == {"leaf", "middle"}


def test_functions_that_call_each_other_leave_together_or_not_at_all() -> None:
    ring = (
        "__device__ int a(int n);\n__device__ int b(int n) { return a(n); }\n__device__ int a(int n) { return b(n); }\n"
    )
    kernel = "__global__ void one(int* p) { *p = a(*p); }\n"
    assert gone(tree(k=ring + kernel), entry("leave_out", "one")).keys() == {"a", "b"}
    other = "__global__ void two(int* p) { *p = b(*p); }\n"
    assert gone(tree(k=ring + kernel + other), entry("leave_out", "one")) == {}


def test_a_kernel_that_is_not_replaced_after_all_keeps_its_functions() -> None:
    """What is ported already isn't replaced."""
    ported = f"#ifdef USE_ROCM\n{KERNELS}#else\n{KERNELS}#endif\n".replace('#include "h.cuh"\n', "")
    judged = found(tree(h=HEADER, k=ported), entry("replace", "one", by="cuBLAS")).sites
    assert {item.reason for item in judged if item.site.path == "h.cuh"} == {""}


def test_code_of_others_is_not_ours_to_leave() -> None:
    files = (
        SourceFile("h.cuh", HEADER, Owner.VENDORED, "theirs", "."),
        SourceFile("k.cu", KERNELS, Owner.OWN, "", "."),
    )
    assert gone(SourceTree("tree", files, (), ()), entry("leave_out", "one")) == {}


def test_long_chains_and_many_names_end_soon() -> None:
    count = 5_000
    body = "".join(f"__device__ int f{n}(int v) {{ return f{n + 1}(v); }}\n" for n in range(count))
    files = [SourceFile("k.cu", body + "__global__ void one(int* p) { f0(1); }\n", Owner.OWN, "", ".")]
    functions = [DeviceCode("k.cu", n + 1, n + 1, f"f{n}") for n in range(count)]
    kernel = Kernel("k.cu", count + 1, count + 1, "one", False, (), "elementwise", "good", "", 1, Owner.OWN)
    with within(3):
        reach = reach_of([kernel], functions, files)
        left = reach.leaving(lambda use: "entry" if use.line == count + 1 else None, {}, ["entry"])
    assert len(left) == count


def test_nothing_is_read_without_a_kernel() -> None:
    assert reach_of((), [DeviceCode("k.cu", 1, 1, "f")], ()) == Reach()
