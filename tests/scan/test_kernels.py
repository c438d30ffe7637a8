"""The inventory: what a kernel is, by what it does and by what it calls."""

from __future__ import annotations

import pytest

from estimator.languages.facts import DeviceFunction, KernelFact
from estimator.scan.kernels import FoundFunction, FoundKernel, class_of, inventory, triton_fit
from estimator.sources.files import Owner


def kernel(path: str, *calls: str, features: tuple[str, ...] = ()) -> FoundKernel:
    return FoundKernel(path, Owner.OWN, KernelFact("k", 1, 9, False, features, calls))


def function(path: str, name: str, *features: str, calls: tuple[str, ...] = ()) -> FoundFunction:
    return FoundFunction(path, DeviceFunction(name, features, calls))


def kind(found: FoundKernel, *functions: FoundFunction) -> str:
    (item,) = inventory([found], functions, {})
    return item.kind


def test_a_kernel_is_what_it_calls_does() -> None:
    chain = (function("b.cuh", "attend", calls=("product",)), function("c.cuh", "product", "mma-asm"))
    assert kind(kernel("a.cu", "attend"), *chain) == "tensor-raw"


def test_a_name_of_several_files_says_nothing_about_which_is_called() -> None:
    functions = (function("x/b.cuh", "compute", "tma"), function("y/c.cuh", "compute", "mma-asm"))
    assert kind(kernel("a.cu", "compute"), *functions) == "elementwise"


def test_the_function_of_the_own_file_or_folder_is_meant() -> None:
    functions = (function("x/b.cuh", "compute", "tma"), function("y/c.cuh", "compute", "shuffle"))
    assert kind(kernel("y/a.cu", "compute"), *functions) == "reduction"
    assert kind(kernel("x/b.cuh", "compute"), *functions) == "cluster"


def test_operators_and_functors_of_the_folder_lend_their_number_formats() -> None:
    functions = (
        function("x/convert.cuh", "operator()", "fp8", "shuffle", calls=("narrow",)),
        function("x/narrow.cuh", "narrow", "directed-rounding"),
        function("y/other.cuh", "operator+", "bf16"),
    )
    (item,) = inventory([kernel("x/a.cu", "op")], functions, {})
    assert item.features == ("directed-rounding", "fp8")


def test_functions_that_call_each_other_end() -> None:
    functions = (function("a.cu", "f", calls=("g",)), function("a.cu", "g", "wmma", calls=("f",)))
    assert kind(kernel("a.cu", "f"), *functions) == "tensor-wmma"


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ((), "elementwise"),
        (("loop", "accumulation"), "reduction"),
        (("shared-memory", "barrier"), "smem-tiled"),
        (("shuffle", "shared-memory", "barrier"), "reduction"),
        (("compare-and-swap", "loop"), "irregular"),
        (("cooperative", "barrier"), "persistent"),
        (("wmma", "shuffle"), "tensor-wmma"),
        (("mma-asm", "cp-async"), "tensor-raw"),
        (("tma", "mma-asm"), "cluster"),
    ],
)
def test_the_dearest_thing_names_the_class(features: tuple[str, ...], expected: str) -> None:
    assert class_of(set(features), "k") == expected
    assert triton_fit(expected, set(features))[1]


@pytest.mark.parametrize(
    ("features", "fit"),
    [
        (("tma",), "partial"),
        (("tma", "shared-memory", "barrier"), "partial"),
        (("tma", "mbarrier", "cooperative"), "poor"),
        (("tma", "spin"), "poor"),
        (("tma", "compare-and-swap", "loop"), "poor"),
        (("tma", "wgmma", "cooperative"), "partial"),
        (("cp-async", "cooperative"), "poor"),
        (("cp-async",), "good"),
    ],
)
def test_a_bulk_copy_makes_nothing_fit_better(features: tuple[str, ...], fit: str) -> None:
    (item,) = inventory([kernel("a.cu", features=features)], (), {})
    assert item.triton_fit == fit
    assert item.kind == ("cluster" if "tma" in features else class_of(set(features), "k"))
    assert (item.triton_fit, item.triton_reason) in {triton_fit(kind, set(features)) for kind in _KINDS}


_KINDS = ("elementwise", "smem-tiled", "cluster", "persistent", "irregular")
