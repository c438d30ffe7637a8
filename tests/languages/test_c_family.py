"""Facts, kernels and device functions of CUDA, HIP, C and C++; macros of a repository."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from estimator.languages import c_family
from estimator.languages.c_harvest import harvest
from estimator.languages.facts import NOTHING_HARVESTED, Confidence, Fact, FactKind, Harvest, KernelFact, Reading
from tests.pace import within

_WORDS = st.sampled_from(
    [
        *("__global__ ", "void k", "(int i)", "(", ")", "{", "}", ";", "<", ">", "<<<1, 32>>>", "::", "#if 0\n", "\n"),
        *("#else\n", "#endif\n", "#ifdef USE_ROCM\n", "#define F(x) f<<<1, x>>>()\n", "threadIdx.x", " % 32", " & 31"),
        *('asm volatile("', "bar.sync 0;", '")', "__shfl_sync(0xffffffff, v, 0)", "template <int N = 32>", "##"),
        *("__launch_bounds__(256, 2)", "/*", "*/", "//", "\\\n", '"', "'", "é", "int lane = ", "x[t + 32]", "{{ n }}"),
    ]
)
sources = st.one_of(st.text(max_size=80), st.lists(_WORDS, max_size=25).map("".join))


def read(code: str, path: str = "a.cu", learnt: Harvest = NOTHING_HARVESTED) -> Reading:
    return c_family.read(path, code, learnt)


def of(code: str, kind: FactKind, learnt: Harvest = NOTHING_HARVESTED) -> list[str]:
    return [fact.text for fact in read(code, learnt=learnt).facts if fact.kind is kind]


def one(code: str, kind: FactKind, learnt: Harvest = NOTHING_HARVESTED) -> Fact:
    (fact,) = (fact for fact in read(code, learnt=learnt).facts if fact.kind is kind)
    return fact


def kernel(code: str, learnt: Harvest = NOTHING_HARVESTED) -> KernelFact:
    (found,) = read(code, learnt=learnt).kernels
    return found


def in_kernel(body: str) -> str:
    return f"__global__ void k(float* p, int n) {{\n{body}\n}}\n"


# -- which texts, and what they are called


@pytest.mark.parametrize(
    ("path", "code", "language"),
    [
        ("a.cu", "int x;", "cuda"),
        ("a.cuh", "int x;", "cuda"),
        ("a.cu.in", "int x;", "cuda"),
        ("a.cpp", "cudaFree(p);", "cpp"),
        ("a.hip", "int x;", "hip"),
        ("a.cpp", "#include <hip/hip_runtime.h>\n", "hip"),
        ("a.cpp", "#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#else\n#include <cuda.h>\n#endif\n", "cpp"),
    ],
)
def test_the_language_of_a_text(path: str, code: str, language: str) -> None:
    assert read(code, path).language == language


def test_a_text_without_a_gpu_has_its_size_alone() -> None:
    assert read("int main() { return 0; }\nint x;", "a.cpp") == Reading("cpp", 2, (), size=31)


def test_a_kernel_macro_of_the_repository_makes_a_text_worth_reading() -> None:
    learnt = harvest(["#define MY_ENTRY __global__ void\n"])
    assert [found.name for found in read("MY_ENTRY k() { }", "a.h", learnt).kernels] == ["k"]


def test_everything_in_a_hip_text_is_for_amd() -> None:
    reading = read("#include <hip/hip_runtime.h>\n__global__ void k() { f(); }\n", "a.cpp")
    assert {fact.amd_arm for fact in reading.facts} == {"amd"}
    assert reading.kernels[0].amd_arm == "amd"


def test_template_files_are_read_with_names_for_placeholders() -> None:
    reading = read("{% if x %}\n__global__ void k_{{ name }}(@T@* p) { cudaX(p); }\n", "a.cu.j2")
    assert [found.line for found in reading.kernels] == [2]
    assert reading.kernels[0].name.startswith("k_v_")


# -- kernels


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("__global__ void k() {}", "k"),
        ("__global__\nvoid\nk(int a,\n  int b)\n{\n}", "k"),
        ('extern "C" __global__ void k() {}', "k"),
        ("static __global__ void k() {}", "k"),
        ("void __global__ k() {}", "k"),
        ("template <typename T, int N> __global__ void k(T* p) {}", "k"),
        ("template <> __global__ void k<float, 4>(float* p) {}", "k"),
        ("__global__ void ns::k() {}", "ns::k"),
        ("__global__ void __launch_bounds__(256) k() {}", "k"),
        ("__global__ void __launch_bounds__(256, 2, 1) k() {}", "k"),
        ("__launch_bounds__(N * 2, (A > B) ? 1 : 2) __global__ void k() {}", "k"),
        ("__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) k() {}", "k"),
        ("__global__ __attribute__((noinline)) void k() {}", "k"),
        ("__global__ [[maybe_unused]] void k() {}", "k"),
        ("__global__ MY_BOUNDS(256) void k() {}", "k"),
        ("__global__ typename std::enable_if<(N > 4), void>::type k() {}", "k"),
        ("__global__ std::enable_if_t<(sizeof(T) > 4 && (M > N)), void> k(T x) {}", "k"),
        ("__global__ auto k() -> void {}", "k"),
        ("__global__ void k(dim3 a = dim3(1), int b = (2)) {}", "k"),
        ("#define MAKE(n) __global__ void n##_kernel(int x) { f(x); }", "n##_kernel"),
        ("#define MAKE(n) \\\n  __global__ void \\\n  pre_##n(int x) { }", "pre_##n"),
    ],
)
def test_the_name_of_a_kernel(code: str, name: str) -> None:
    assert kernel(code).name == name
    assert of(code, FactKind.KERNEL) == [name]


@pytest.mark.parametrize(
    "code",
    [
        "__global__ void k(int x);",
        "template <typename T> __global__ void k(T);\n",
        "// __global__ void k() {}",
        "/* __global__ void k() {} */",
        "#if 0\n__global__ void k() {}\n#endif",
        "__global__",
        "__global__ void k",
        "__global__ void k(",
        "#define G __global__\n",
        "__global__ int x = 3;",
    ],
)
def test_no_kernel(code: str) -> None:
    assert read(code).kernels == ()


def test_a_declaration_before_its_definition_counts_once() -> None:
    assert kernel("__global__ void k();\n\n__global__ void k() {\n  f();\n}\n").line == 3


def test_place_and_guards_of_a_kernel() -> None:
    found = kernel("#ifndef USE_ROCM\ntemplate <int N>\n__global__ void k() {\n\n}\n#endif\n")
    assert (found.line, found.end_line, found.template) == (3, 5, True)
    assert (found.guards, found.amd_arm) == (("!defined(USE_ROCM)",), "missing")
    assert not kernel("template <> __global__ void k<1>() {}").template
    assert not kernel("template <int N> void f() {}\n__global__ void k() {}").template


def test_a_macro_that_makes_kernels() -> None:
    learnt = harvest(["#define KERNEL(n) __global__ void __launch_bounds__(n)\n#define K2 __global__ void\n"])
    assert kernel("KERNEL(256) k(int x) { }", learnt).name == "k"
    assert kernel("K2 k(int x) { f(x); }", learnt).calls == ("f",)


@pytest.mark.parametrize(
    ("body", "feature"),
    [
        ("__shared__ float s[4];", "shared-memory"),
        ("__syncthreads();", "barrier"),
        ("__shfl_down_sync(m, v, 1);", "shuffle"),
        ("atomicAdd(p, 1);", "atomic"),
        ("atomicCAS(p, 1, 2);", "compare-and-swap"),
        ('asm("bar.sync 0;");', "asm"),
        ('asm("mma.sync.aligned.m16n8k8 {%0}, {%1};");', "mma-asm"),
        ('asm("wgmma.mma_async.sync x;");', "wgmma"),
        ('asm("cp.async.bulk.tensor x;");', "tma"),
        ('asm("cp.async.ca.shared x;");', "cp-async"),
        ('asm("mbarrier.init x;");', "mbarrier"),
        ("wmma::fragment<wmma::matrix_a> f;", "wmma"),
        ("cooperative_groups::this_grid().sync();", "cooperative"),
        ("tex2D<float>(t, 1, 2);", "texture"),
        ("double d = 1;", "double"),
        ("child<<<1, 1>>>();", "device-launch"),
        ("while (atomicAdd(p, 0) == 0) ;", "spin"),
        ("x = p[idx[i]];", "indirect"),
        ("for (int i = 0; i < n; ++i) { s += p[i]; }", "accumulation"),
        ("for (int o = 8; o; o /= 2) {}", "halving-loop"),
        ("typedef cub::BlockReduce<float, 256> R;", "block-reduce"),
    ],
)
def test_what_a_kernel_holds(body: str, feature: str) -> None:
    assert feature in kernel(in_kernel(body)).features


def test_what_a_kernel_only_mentions_is_no_feature() -> None:
    assert kernel(in_kernel('// __syncthreads();\nprintf("double atomicAdd(");')).features == ()
    assert "accumulation" not in kernel(in_kernel("for (int i = 0; i < n; i += step * 2) { p[i] = 0; }")).features


@pytest.mark.parametrize(
    ("body", "adds"),
    [
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < n; ++k) { s += p[k]; } out[i] = s;",
            False,
        ),
        ("auto i = cg::this_grid().thread_rank(); for (int k = 0; k < n; ++k) { s += p[k]; } out[i] = s;", False),
        (
            "int i = blockDim.x * blockIdx.x + threadIdx.x; for (; i < n; i += m) { s += p[i]; } atomicAdd(out, s);",
            True,
        ),
        ("const float* row = p + blockIdx.x * n; for (int k = 0; k < n; ++k) { s += row[k]; }", True),
    ],
)
def test_a_thread_with_an_element_of_its_own_reduces_nothing(body: str, adds: bool) -> None:
    assert ("accumulation" in kernel(in_kernel(body)).features) is adds


def test_clusters_are_declared_in_front() -> None:
    assert "cluster" in kernel("__global__ void __cluster_dims__(2, 1, 1) k() {}").features


def test_device_functions_and_calls() -> None:
    code = "__device__ float f(float x) { __syncthreads(); return g<2>(x) + a::h(x); }\nvoid host() {}\n"
    (function,) = read(code).device_functions
    assert (function.name, function.features) == ("f", ("barrier",))
    assert {"g", "h"} <= set(function.calls)


# -- calls, names, launches


def test_calls_are_told_from_declarations() -> None:
    code = "cudaError_t cudaFoo(int x);\nvoid f() { cudaFree(p); a::b<int>(1); }\n"
    assert of(code, FactKind.CALL) == ["cudaFree", "a::b"]


def test_where_a_call_stands() -> None:
    fact = one("namespace a {\nvoid f() {\n  cudaFree(\n    p);\n}\n}\n", FactKind.CALL)
    assert (fact.line, fact.end_line, fact.column, fact.function, fact.space) == (3, 4, 3, "f", "host")
    assert fact.detail == "p"
    assert fact.confidence is Confidence.PARSED


def test_calls_on_objects_are_named_by_type() -> None:
    code = "void f(cg::grid_group g) { g.sync(); h->run(1); make(2).go(); }"
    assert of(code, FactKind.MEMBER_CALL) == ["cg::grid_group.sync", "h.run", "make.go"]


def test_namespace_aliases_are_resolved() -> None:
    code = "namespace cg = cooperative_groups;\nvoid f() { cg::sync(cg::this_grid()); }"
    assert "cooperative_groups::sync" in of(code, FactKind.CALL)
    learnt = harvest(["namespace cg = cooperative_groups;"])
    assert of("void f() { cg::sync(1); }", FactKind.CALL, learnt) == ["cooperative_groups::sync"]


def test_names_that_are_not_called() -> None:
    code = "using A = cutlass::gemm::device::Gemm<float, 2>;\nGemmShape<128, 64, 8> s;\n"
    assert {"cutlass::gemm::device::Gemm", "GemmShape"} <= set(of(code, FactKind.NAME))
    assert of("void f() { cutlass::gemm(1); }", FactKind.NAME) == []


@pytest.mark.parametrize(
    ("code", "name", "detail"),
    [
        ("void f() { k<<<g, b>>>(x); }", "k", "g, b"),
        ("void f() { a::k<float, (1 < 2)><<<g, b, 0, s>>>(x); }", "a::k", "<float, (1 < 2)> g, b, 0, s"),
        ("#define RUN(n) k<n><<<1, n>>>()\n", "k", "<n> 1, n"),
    ],
)
def test_launches(code: str, name: str, detail: str) -> None:
    fact = one(code, FactKind.LAUNCH)
    assert (fact.text, fact.detail) == (name, detail)


def test_a_function_that_launches_is_of_the_host_although_it_names_threads() -> None:
    emulated = (
        "template <class F> void each(F f, int n) {\n"
        "#ifdef __CUDACC__\n  run<<<n, 128>>>(f);\n#else\n"
        "  uint3 threadIdx; threadIdx.x = 0; f(threadIdx.x);\n#endif\n}\n"
    )
    assert one(emulated, FactKind.LAUNCH).space == "host"
    assert one(in_kernel("run<<<1, 1>>>(threadIdx.x);"), FactKind.LAUNCH).space == "kernel"


def test_numbers_at_a_launch_are_named_by_the_kernel_of_another_file() -> None:
    learnt = harvest(
        ["template <typename T, int kTile = 4, bool B>\n__global__ void __launch_bounds__(64, 2) k(T* p) {}"]
    )
    assert learnt.kernel_parameters == (("k", ("T", "kTile", "B")),)
    launch = "void f(int n) { own::k<float, 8, true><<<n, n>>>(p); }"
    assert of(launch, FactKind.CONSTANT, learnt) == ["launch kTile"]
    assert of(launch, FactKind.CONSTANT) == []


def test_steps_of_a_tree_with_barriers_rely_on_no_warp() -> None:
    step = "if (tid < {0}) s[tid] += s[tid + {0}];\n__syncthreads();\n"
    tree = "int tid = threadIdx.x;\n" + "".join(step.format(width) for width in (64, 32, 16))
    assert of(in_kernel(tree), FactKind.LANE) == ["$thread < 64", "$thread < 16"]
    unrolled = "int tid = threadIdx.x;\nif (tid < 32) { s[tid] += s[tid + 32]; s[tid] += s[tid + 16]; }"
    assert of(in_kernel(unrolled), FactKind.LANE) == ["$thread < 32", "$tail + 32"]
    shuffled = "int tid = threadIdx.x;\nv = v + s[tid + 32];\nv += __shfl_down_sync(m, v, 16);"
    assert of(in_kernel(shuffled), FactKind.LANE) == ["$tail + 32"]


def test_quads_of_lanes_whatever_a_lane_is_called() -> None:
    quads = "int t = threadIdx.x % 32; int u = threadIdx.x % 64;\nint row = t / 4, other = u / 4, column = (t % 4) * 2;"
    assert [text for text in of(in_kernel(quads), FactKind.LANE) if "lane" in text] == ["$lane / 4", "$lane % 4"]


def test_macro_bodies_and_left_out_arms_are_read_by_tokens() -> None:
    fact = one("#define CHECK(x) do { cudaPeek(x); } while (0)\n", FactKind.CALL)
    assert (fact.text, fact.confidence) == ("cudaPeek", Confidence.LEXICAL)
    code = "#ifdef A\nvoid f() { cudaOne();\n#else\nvoid f(int) { cudaTwo();\n#endif\n}\n"
    found = {fact.text: fact.confidence for fact in read(code).facts if fact.kind is FactKind.CALL}
    assert found == {"cudaOne": Confidence.PARSED, "cudaTwo": Confidence.LEXICAL}


def test_what_the_parser_gave_up_is_read_by_tokens() -> None:
    reading = read("void f() { int ) ( ; cudaFree(p); @@ }")
    assert reading.error_bytes > 0
    assert "cudaFree" in [fact.text for fact in reading.facts]


def test_comments_and_strings_are_no_code() -> None:
    code = '// cudaFree(p);\nvoid f() { g("cudaFree(p) // x"); /* cudaMalloc(q) */ }\n'
    assert of(code, FactKind.CALL) == ["g"]
    assert of(code, FactKind.STRING) == ["cudaFree(p) // x"]


# -- directives, attributes, asm


def test_directives() -> None:
    code = "#include <cuda.h>\n#include MACRO\n#pragma unroll 4\n#if defined(A) && \\\n B\n#endif\n#define N 0x20\n"
    facts = {(fact.kind, fact.text, fact.detail) for fact in read(code).facts}
    assert {
        (FactKind.INCLUDE, "cuda.h", ""),
        (FactKind.PRAGMA, "unroll 4", ""),
        (FactKind.CONDITION, "defined(A) && B", "if"),
        (FactKind.DEFINE, "N", "0x20"),
        (FactKind.CONSTANT, "N", "32"),
    } <= facts


def test_pragmas_as_operators() -> None:
    assert of('void f() { _Pragma("unroll") for (;;) {} }', FactKind.PRAGMA) == ["unroll"]


def test_attributes_with_their_arguments() -> None:
    code = "__global__ void __launch_bounds__(256, 2) k() {}\nstruct __align__(16) S {};"
    facts = [(fact.text, fact.detail) for fact in read(code).facts if fact.kind is FactKind.ATTRIBUTE]
    assert facts == [("__launch_bounds__", "256, 2")]


def test_qualifiers_do_not_disturb_the_parser() -> None:
    code = "struct __align__(16) S { __host__ __device__ __forceinline__ int f() const { return cudaX(); } };"
    reading = read(code)
    assert reading.error_bytes == 0
    assert reading.facts[-1].function == "f"


@pytest.mark.parametrize(
    ("statement", "text", "opcodes"),
    [
        ('asm("bar.sync 0;");', "bar.sync 0;", "bar.sync"),
        ('asm volatile("a.b x;" "c.d y;\\n" : "=r"(x) : "r"(y));', "a.b x;c.d y;\n", "a.b | c.d"),
        ('__asm__ __volatile__("a.b" M "c;" ::: "memory");', "a.b{M}c;", "a.b"),
        ('asm("ld." #T ".u32 x;");', "ld.{T}.u32 x;", "ld."),
    ],
)
def test_asm_is_put_together(statement: str, text: str, opcodes: str) -> None:
    fact = one(in_kernel(statement), FactKind.ASM)
    assert (fact.text, fact.detail, fact.space) == (text, opcodes, "kernel")


# -- lanes, masks, constants


@pytest.mark.parametrize(
    ("code", "lane"),
    [
        (in_kernel("int l = threadIdx.x % 32;"), "$thread % 32"),
        (in_kernel("int l = threadIdx.x & 0x1f;"), "$thread & 31"),
        (in_kernel("int w = threadIdx.x >> 5;"), "$thread >> 5"),
        (in_kernel("int t = threadIdx.x; int w = t / 32;"), "$thread / 32"),
        (in_kernel("int w = (int)threadIdx.x / WARP_SIZE;"), "$thread / 32"),
        (in_kernel("int l = threadIdx.x & (kWarpSize - 1);"), "$thread & 31"),
        ("constexpr int N = 32;\n" + in_kernel("int w = threadIdx.x / N;"), "$thread / 32"),
        ("void f(int threads) { int w = threads / 32; }", "$threads / 32"),
        ("#define WARP_SIZE 32\n", "$constant 32"),
        (in_kernel("s[t] += s[t + 32]; s[t] += s[t + 16];"), "$tail + 32"),
        (in_kernel("for (int i = 16; i > 0; i >>= 1) v += __shfl_down_sync(m, v, i);"), "$shuffle 16"),
        (in_kernel("for (int s = n / 2; s > 32; s >>= 1) f(s);"), "$halving > 32"),
        (in_kernel("__shared__ float s[32]; __syncwarp();"), "$shared [32]"),
        (in_kernel("__shared__ float s[N / 32];"), "$shared / 32"),
        (in_kernel("__syncwarp();") + "void f() { dim3 block(32, 4); }", "$block (32"),
        ("static constexpr int kThreads = 32;", "$block 32"),
        ("static constexpr int kLanes = N / 32;", "$lanes / 32"),
    ],
)
def test_arithmetic_on_lanes(code: str, lane: str) -> None:
    assert lane in of(code, FactKind.LANE)


@pytest.mark.parametrize(
    "code",
    [
        in_kernel("int i = blockIdx.x * blockDim.x + n % 32;"),
        in_kernel("int l = threadIdx.x % warpSize;"),
        in_kernel("int t = blockIdx.x * 4 + threadIdx.x; int w = t / 32;"),
        in_kernel("float s[32];"),
        in_kernel("// threadIdx.x % 32"),
        "int bits = x & 31;",
    ],
)
def test_no_arithmetic_on_lanes(code: str) -> None:
    assert of(code, FactKind.LANE) == []


def test_a_width_that_the_build_chooses_is_no_constant() -> None:
    learnt = harvest(["#ifdef USE_ROCM\n#define WARP 64\n#else\n#define WARP 32\n#endif\n"])
    assert learnt.adaptive == {"WARP"}
    assert of(in_kernel("int l = threadIdx.x % WARP;"), FactKind.LANE, learnt) == []


@pytest.mark.parametrize(
    ("code", "mask", "detail"),
    [
        (in_kernel("v = __shfl_sync(0xffffffff, v, 0);"), "0xffffffff", "argument __shfl_sync"),
        (in_kernel("__syncwarp(0xFFFFFFFFu);"), "0xFFFFFFFFu", "argument __syncwarp"),
        (in_kernel("unsigned full_mask = 0xffffffff;"), "0xffffffff", "named"),
        (in_kernel("unsigned m = __ballot_sync(a, b);"), "unsigned m", "holder __ballot_sync"),
        (in_kernel("unsigned m = 1u << lane_id;"), "1u << lane_id", "shift"),
        ("#define FULL 0xffffffffu\n", "0xffffffffu", "define #define FULL"),
    ],
)
def test_masks(code: str, mask: str, detail: str) -> None:
    assert (mask, detail) in [(fact.text, fact.detail) for fact in read(code).facts if fact.kind is FactKind.MASK]


@pytest.mark.parametrize("code", ["uint32_t crc = 0xffffffff;", in_kernel("v = __shfl_sync(m, v, 0);")])
def test_no_masks(code: str) -> None:
    assert of(code, FactKind.MASK) == []


def test_constants() -> None:
    code = "enum { A = 3 };\ntemplate <int B = 4> struct S { static const int C = 5; };\nconstexpr int D = 2 * N;\n"
    facts = {(fact.text, fact.detail) for fact in read(code).facts if fact.kind is FactKind.CONSTANT}
    assert facts == {("A", "3"), ("B", "4"), ("C", "5"), ("D", "2 * N")}


def test_names_of_its_own_that_look_like_an_api() -> None:
    assert read("#define cudaCheck(x) x\nvoid ncclWrap() {}\nvoid f() {}\n").definitions == ("cudaCheck", "ncclWrap")


# -- what the repository's macros say


def test_qualifiers_are_learnt_through_each_other() -> None:
    learnt = harvest(
        [
            "#define HD __host__ __device__\n#define INL HD inline // note\n#define FN(x) __launch_bounds__(x)\n",
            "#define KERNEL \\\n  __global__ void\n#define N 4\n#define EMPTY\n",
            "#define CALL(x) f(x)\n#define V __CUDA_ARCH__\n",
        ]
    )
    assert learnt.qualifiers == {"HD", "INL", "FN", "KERNEL"}
    assert learnt.device_macros == {"HD", "INL"}
    assert learnt.kernel_macros == {"KERNEL"}
    assert learnt.constants == (("N", 4),)


def test_constants_of_the_repository_must_agree() -> None:
    learnt = harvest(
        ["#define A 32\n#define B 1\nconstexpr int kWarp = 32;\n", "#define A 32\n#define B 2\n#define C x\n"]
    )
    assert learnt.constants == (("A", 32), ("kWarp", 32))
    assert learnt.adaptive == frozenset()


def test_namespace_aliases_of_the_repository_must_agree() -> None:
    learnt = harvest(["namespace a = x::y;\nnamespace b = p;", "namespace b = q;"])
    assert learnt.aliases == (("a", "x::y"),)


def test_device_macros_make_device_functions() -> None:
    learnt = harvest(["#define DINLINE __device__ __forceinline__\n"])
    (function,) = read("DINLINE int f() { return g(); }", learnt=learnt).device_functions
    assert (function.name, function.calls) == ("f", ("g",))


@given(st.lists(st.text(alphabet="#define AB_()\\\n 32", max_size=40), max_size=4))
def test_any_texts_can_be_learnt_from(texts: list[str]) -> None:
    assert harvest(texts) == harvest(iter(texts))


# -- whatever stands there


@given(sources)
@example("__global__ void k() {" * 20)
@example("(" * 3_000)
@example("x<" * 3_000)
@example("#if A\n" * 500)
@example("(int 0)###(int 0)")
def test_any_text_gives_a_reading(code: str) -> None:
    reading = read(code)
    assert all(1 <= fact.line <= fact.end_line <= reading.lines for fact in reading.facts)
    assert list(reading.facts) == sorted(reading.facts, key=lambda fact: (fact.line, fact.column, fact.kind))
    assert 0 <= reading.error_bytes <= reading.size


def moved_by_one(fact: Fact) -> Fact:
    first, last = (line + 1 if line else 0 for line in (fact.first_line, fact.last_line))
    return replace(fact, line=fact.line + 1, end_line=fact.end_line + 1, first_line=first, last_line=last)


@given(sources)
@example("<<<0>>>().A")
def test_a_comment_in_front_moves_everything_by_a_line(code: str) -> None:
    plain, moved = read(code), read("// a comment\n" + code)
    assert moved.facts == tuple(moved_by_one(fact) for fact in plain.facts)
    assert moved.kernels == tuple(replace(k, line=k.line + 1, end_line=k.end_line + 1) for k in plain.kernels)
    assert moved.lines == plain.lines + 1


def test_a_count_of_blocks_is_no_count_of_warps() -> None:
    assert of("constexpr int kColBlockSize = 32;\nint f(int n) { return n / kColBlockSize; }\n", FactKind.LANE) == []
    code = "constexpr int kBlockSize = 32;\nint f(int n) { return (n + kBlockSize - 1) / kBlockSize; }\n"
    assert of(code, FactKind.LANE) == []


def test_a_tile_of_two_dimensions_is_no_array_of_lanes() -> None:
    code = in_kernel(
        "  __shared__ float tile[32][33];\n  float v = __shfl_down_sync(~0u, p[0], 1);\n  p[0] = tile[0][0] + v;"
    )
    assert of(code, FactKind.LANE) == []


def test_functions_that_give_the_width_or_the_mask_are_its_definition() -> None:
    assert of("__device__ int WarpThreads() { return 32; }\n", FactKind.LANE) == ["$constant 32"]
    assert of("__device__ unsigned WarpFullMask() { return 0xffffffffu; }\n", FactKind.MASK) == ["0xffffffffu"]
    assert of("int batch() { return 32; }\n__global__ void k() {}\n", FactKind.LANE) == []


# -- statements


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("void f() {\n  check(\n    lib::sum(\n      1));\n}\n", (2, 4)),
        ("void f() {\n  if (a &&\n      lib::sum(1)) {\n    g();\n  }\n}\n", (2, 3)),
        ("void f() {\n  each(n, [=] {\n    x = lib::sum(1)\n      + 2;\n  });\n}\n", (3, 4)),
        ("using Sum =\n    lib::sum<float>;\n", (1, 2)),
        ("void f() {\n  CHECK(lib::sum(\n      CAST((void *)) kernel, 1));\n}\n", (2, 3)),
    ],
)
def test_calls_and_names_know_their_statement(code: str, lines: tuple[int, int]) -> None:
    found = [fact for fact in read(code).facts if fact.text == "lib::sum"]
    assert {(fact.first_line or fact.line, fact.last_line or fact.end_line) for fact in found} == {lines}


def test_a_kernel_is_seen_from_its_qualifier_to_its_name() -> None:
    reading = read("template <int N>\n__global__ void\nk(int* p) {\n}\n")
    assert [(fact.line, fact.end_line) for fact in reading.facts if fact.kind is FactKind.KERNEL] == [(2, 3)]
    assert [(kernel.line, kernel.end_line) for kernel in reading.kernels] == [(3, 4)]


def test_a_long_chain_of_aliases_ends() -> None:
    code = "".join(f"using A{n} = A{n + 1}::T;\n" for n in range(50)) + "using A50 = A0::T;\nA0::g x = A0::h();\n"
    assert read(code).facts


def test_a_macro_that_is_the_head_of_a_kernel() -> None:
    code = (
        "#define DEFINE_KERNEL(name, ...) template <__VA_ARGS__> __global__ void name(const Params p)\n"
        "DEFINE_KERNEL(forward, bool A, int B) {\n  run<A, B>(p);\n}\n"
        "DEFINE_KERNEL(backward, bool A) {\n  __syncthreads();\n}\n"
        "DEFINE_KERNEL(declared, bool A);\n"
    )
    learnt = harvest([code])
    assert learnt.kernel_heads == {"DEFINE_KERNEL"}
    assert [(found.name, found.line, found.end_line) for found in read(code, learnt=learnt).kernels] == [
        ("forward", 2, 4),
        ("backward", 5, 7),
    ]


def test_a_width_taken_over_from_a_namesake_is_no_other_width() -> None:
    one_width = harvest(["constexpr int kWarpSize = 32;", "constexpr int kWarpSize = Traits::kWarpSize;"])
    assert (one_width.constants, one_width.adaptive) == ((("kWarpSize", 32),), frozenset())
    assert harvest(["constexpr int kWarp = 32u;", "constexpr int kWarp = 32;"]).adaptive == frozenset()
    assert harvest(["constexpr int kWarp = 32;", "constexpr int kWarp = 64;"]).adaptive == {"kWarp"}


def test_a_constant_that_another_file_launches_with() -> None:
    learnt = harvest(["void f() { k<<<n, SUM_SIZE>>>(); }"])
    assert "SUM_SIZE" in learnt.launched
    header = "#define SUM_SIZE 256\n#define OTHER_SIZE 128\nvoid g() { const int kSize = 64; cudaFree(0); }\n"
    assert of(header, FactKind.LAUNCH_SIZE, learnt) == ["SUM_SIZE"]


def test_headers_with_kernels_are_cuda() -> None:
    assert read("__global__ void k() {}\n", "a.h").language == "cuda"
    assert read("#include <cuda_runtime.h>\n", "a.h").language == "cpp"
    assert read('const char* s = "__global__ void k() {}";\n', "a.cpp").language == "cpp"


# -- what it takes


def test_what_is_learnt_is_looked_for_itself() -> None:
    with within(0.1):
        assert harvest(["value = other(first + second) - third;\n" * 200_000]) == NOTHING_HARVESTED


def test_a_text_that_was_read_is_gone_at_once() -> None:
    # The collector of cycles is off while files are read.
    code = in_kernel("for (int i = 16; i > 0; i /= 2) v += __shfl_xor_sync(0xffffffff, v, i);\nlaunch(cub::Sum());")
    read(code)
    gc.collect()
    gc.disable()
    try:
        read(code)
        assert gc.collect() == 0
    finally:
        gc.enable()
