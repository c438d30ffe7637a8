"""Reading what headers and Cython declarations declare."""

from __future__ import annotations

import pytest

from estimator.knowledge.declarations import Declared, read_aliases, read_header, read_pairs, read_pxd, settle
from tests.pace import within

LONG = 40_000
MOST_SECONDS = 5.0  # each takes well below one; where time grew with the square it would be minutes


def header(text: str, off: frozenset[str] = frozenset()) -> Declared:
    declared = Declared()
    read_header(text, declared, off)
    settle(declared)
    return declared


def test_headers_give_functions_with_their_argument_counts() -> None:
    declared = header(
        """
        // cudaNot(int)
        #define cudaMacro(x) cudaReal(x)
        cudaError_t cudaReal(int a, void (*callback)(int, int), const T<int, int> &b = {});
        typedef void (CUDART_CB *cudaHostFn_t)(void *userData);
        static inline int cudaBody(void) { if (cudaCalled(1)) return cudaReturned(2); return 0; }
        extern __device__ float rounded(float) __THROW;
        __DECL__ int exchanged(int *address, int value) __DEF_IF_HOST
        const char *told = "cudaQuoted(int);";
        """
    )
    assert declared.functions == {"cudaReal": {2, 3}, "cudaBody": {0}, "rounded": {1}, "exchanged": {2}}
    assert declared.types == {"cudaHostFn_t"}
    assert "cudaNot" not in declared


def test_headers_give_types_and_enumerators() -> None:
    declared = header(
        """
        enum cudaKind { cudaKindA = 0, cudaKindB = cudaKindA + (1 << 2), /* cudaKindC */ };
        typedef struct cudaPair_st { int first[2]; struct { int x; } second; } cudaPair, *cudaPairs;
        typedef unsigned char cudaBytes[16];
        struct cudaOpaque;
        using cudaAlias = struct cudaOpaque *;
        """
    )
    assert declared.constants == {"cudaKindA", "cudaKindB"}
    assert declared.types == {
        "cudaKind", "cudaPair_st", "cudaPair", "cudaPairs", "cudaBytes", "cudaOpaque", "cudaAlias",
    }  # fmt: skip


def test_a_macro_is_what_it_stands_for() -> None:
    declared = header(
        """
        #define cuCopy cuCopy_v2
        CUresult cuCopy(int a);
        #define cublasScale cublasScale_v2
        int cublasScale_v2(int a, int b);
        #define cuName cuType_t
        typedef int cuType_t;
        #define CU_ONE 1
        #define CU_TWO (CU_ONE + 1)
        #define CU_GUARD
        #define cuRound cuRounder
        #define cuRounder cuRound
        """
    )
    assert declared.functions == {
        "cuCopy": {1}, "cuCopy_v2": {1}, "cublasScale": {2}, "cublasScale_v2": {2},
    }  # fmt: skip
    assert declared.types == {"cuType_t", "cuName"}
    assert declared.constants == {"CU_ONE", "CU_TWO", "cuRound", "cuRounder"}


def test_blocks_that_are_off_are_left_out_and_their_other_arms_are_not() -> None:
    text = """
        #if defined(OFF)
        int inner();
        #ifdef DEEPER
        int deeper();
        #endif
        #else
        int otherwise();
        #endif
        #ifndef OFF
        int on();
        #endif
        int after();
        """
    assert set(header(text, frozenset({"OFF"})).functions) == {"otherwise", "on", "after"}
    assert set(header(text).functions) == {"inner", "deeper", "otherwise", "on", "after"}


def test_a_header_that_never_ends_is_read_all_the_same() -> None:
    for text in ("typedef struct {" * 500, "int f(" * 500, "enum e {" * 500, "int f() " + "A B " * 5_000):
        assert not header(text).constants


@pytest.mark.parametrize(
    "text",
    [
        "typedef " * LONG,
        "typedef " * LONG + ";",
        "typedef {" * LONG + "};" * LONG,
        "int a(" * LONG,
        "int a(" * LONG + ");" * LONG,
        "int a(" * LONG + "){" * LONG,
        "struct __a__(" * LONG,
        "enum " * LONG,
        "/* " * LONG,
        '"\\' * LONG,
        "#define a b" + " " * 8 * LONG + "c",
        "typedef " + "a" * 8 * LONG + ");",
        "typedef " + "a[" * LONG + ");",
        "".join(f"#define A{i} A{i + 1}\n" for i in range(LONG)),
    ],
    ids=lambda text: text[:12],
)
def test_time_grows_with_the_length_of_a_header(text: str) -> None:
    with within(MOST_SECONDS):
        header(text)


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 8 * LONG,
        "ctypedef " + "a" * 8 * LONG + ")",
        "ctypedef a" + " " * 8 * LONG + ")",
        "('a'," + " " * 8 * LONG,
    ],
    ids=lambda text: text[:12],
)
def test_time_grows_with_the_length_of_a_declaration_file(text: str) -> None:
    with within(MOST_SECONDS):
        read_pxd(text, Declared())
        read_aliases(text)
        read_pairs(text)


def test_what_lies_in_each_other_is_read_to_a_depth() -> None:
    assert header("int f(int (*g)(int (*h)(int)));").functions == {"f": {1}}
    assert header("typedef struct { typedef int inner; } outer;").types == {"inner", "outer"}
    assert not header("int f(" + "(" * 9 + ")" * 9 + ");").functions


def test_a_quote_in_quotes_hides_no_comment() -> None:
    text = 'int f(char c = \'"\'); // int g();\nint h(char *s = "// no comment");\n'
    assert set(header(text).functions) == {"f", "h"}


def test_a_circle_of_macros_ends() -> None:
    declared = header("#define A B\n#define B A\n#define C C\nint f();\n#define D f\n")
    assert declared.constants == {"A", "B", "C"}
    assert set(declared.functions) == {"f", "D"}


def test_declaration_files_give_functions_types_and_constants() -> None:
    declared = Declared()
    read_pxd(
        '''
# cdef int hipNot()
cdef extern from "hip.h":
    cdef int HIP_ONE
    ctypedef struct hipPair:
        int first
    ctypedef enum hipKind:
        hipKindA
        hipKindB
    ctypedef void (*hipHostFn_t)(void * userData)
    ctypedef hipPair hipPair_t
    cdef struct hipOpaque:
        pass
cdef int hipOne(int a,int b) nogil
    """Calls
    hipDescribed
    """
cdef bint __hip_has_symbol(const char* n) nogil
''',
        declared,
    )
    assert declared.functions == {"hipOne": {2}}
    assert declared.types == {"hipPair", "hipKind", "hipHostFn_t", "hipPair_t", "hipOpaque"}
    assert {"HIP_ONE", "hipKindA", "hipKindB"} <= declared.constants
    assert "hipDescribed" not in declared
    assert "hipNot" not in declared


def test_alias_chains_are_followed_to_their_end() -> None:
    aliases = read_aliases("from a cimport hipX as cudaX\nctypedef cudaX cudaY\nctypedef cudaY cudaZ\n")
    assert aliases == {"cudaX": "hipX", "cudaY": "hipX", "cudaZ": "hipX"}


def test_a_table_of_renamings_gives_pairs() -> None:
    text = """("cudaA", "hipA"), ("cudaB", ("hipB", CONV, API)), ('cudaC', 'hipC'), ("cudaD", 4)"""
    assert read_pairs(text) == {"cudaA": "hipA", "cudaB": "hipB", "cudaC": "hipC"}
