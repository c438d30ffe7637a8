"""What conditions say in a build for AMD."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.languages.guards import arm_of, on_amd


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("defined(USE_ROCM)", True),
        ("defined USE_ROCM", True),
        ("!defined(USE_ROCM)", False),
        ("defined(__HIP_PLATFORM_AMD__)", True),
        ("defined(__HIP_PLATFORM_NVIDIA__)", False),
        ("defined(__CUDACC__)", False),
        ("__CUDA_ARCH__ >= 800", False),
        ("!(__CUDA_ARCH__ >= 800)", True),
        ("defined(NDEBUG)", None),
        ("defined(NDEBUG) && defined(USE_ROCM)", None),
        ("defined(NDEBUG) && !defined(USE_ROCM)", False),
        ("defined(NDEBUG) || defined(USE_ROCM)", True),
        ("defined(__CUDACC__) || defined(__HIPCC__)", True),
        ("!(defined(__CUDACC__) || defined(__HIPCC__))", False),
        ("USE_ROCM == 0", False),
        ("torch.version.hip is None", False),
        ("torch.version.hip is not None", True),
        ("torch.version.cuda is not None", False),
        ("not is_hip()", False),
        ("current_platform.is_rocm() and x", None),
        ("USE_CUDA AND NOT USE_HIP", False),
        ('BACKEND STREQUAL "HIP"', True),
        ('USE_HIP AND BACKEND STREQUAL "CUDA"', False),
        ('USE_HIP AND BACKEND MATCHES "SYCL"', None),
        ('BACKEND STREQUAL "rocm"', True),
        ("GPU STREQUAL CUDA", False),
        ("${GPU} STREQUAL CUDA", False),
        ("GPU MATCHES CUDA|HIP", None),
        ("HIP IN_LIST BACKENDS", True),
        ("defined(__IS_HIP_COMPILE__)", True),
        ("!defined(ACME_HIP_ENABLED)", False),
        ("defined(SHIP_RELATIONSHIPS)", None),
        ("defined(LEG_HIP_JOINT)", None),
        ("defined(WAVE_NO_HIP)", False),
        ("!defined(WAVE_WITHOUT_ROCM)", True),
        ("(defined(USE_ROCM)", True),
        ("defined(USE_ROCM))", None),
        ("", None),
    ],
)
def test_the_value_on_amd(condition: str, value: bool | None) -> None:
    assert on_amd(condition) is value


@pytest.mark.parametrize(
    ("guards", "arm"),
    [
        ((), ""),
        (("defined(NDEBUG)",), ""),
        (("defined(USE_ROCM)",), "amd"),
        (("!(defined(USE_ROCM))",), "works"),
        (("!defined(USE_ROCM)",), "missing"),
        (("not (is_hip())",), "missing"),
        (("!(defined(USE_ROCM))", "defined(USE_ROCM)"), "amd"),
        (("__CUDA_ARCH__ >= 800",), ""),
        (("GPU STREQUAL CUDA",), ""),
        (("GPU STREQUAL rocm",), "amd"),
        (("!(GPU STREQUAL rocm)",), "works"),
        (("!(not (GPU STREQUAL CUDA) or (GPU STREQUAL HIP))",), "works"),
    ],
)
def test_where_a_place_stands(guards: tuple[str, ...], arm: str) -> None:
    assert arm_of(guards) == arm


_conditions = st.recursive(
    st.sampled_from(["defined(USE_ROCM)", "defined(__CUDACC__)", "defined(NDEBUG)"]),
    lambda inner: st.one_of(
        inner.map(lambda text: f"!({text})"),
        st.tuples(inner, st.sampled_from(["&&", "||"]), inner).map(lambda parts: f"({' '.join(parts)})"),
    ),
)


@given(_conditions)
def test_negation_turns_what_is_decided(condition: str) -> None:
    value = on_amd(condition)
    assert on_amd(f"!({condition})") is (None if value is None else not value)


@given(st.text(alphabet="()!&|<>= HIPROCMdefin_0,.", max_size=60))
def test_any_condition_has_an_answer(text: str) -> None:
    assert on_amd(text) in (True, False, None)
