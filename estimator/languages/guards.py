"""What a condition says when the build is for AMD: true, false, or not decided by the vendor.

Conditions of every language come here as text: preprocessor, CMake and Python.
"""

from __future__ import annotations

import re
from functools import lru_cache

AMD_NAME = re.compile(
    r"\b(?:\w*USE_HIP\w*|\w*USE_ROCM\w*|\w*ROCM\w*|__HIP\w*|HIP_PLATFORM\w*|\w*_HIP|\w+_HIP_(?:ENABLED|COMPILE\w*|BUILD)|HIP_\w+|\w*(?:ENABLE|WITH|HAVE|BUILD)_HIP\w*"
    r"|HIP|\w*AMDGPU\w*|\w*AMDGCN\w*|__gfx\w+__|\w*USE_AMD\w*|\w*HIPCC\w*|torch\.version\.hip|is_hip|is_rocm|\w*IS_HIP\w*|hip_version"
    r"|\w*on_hip|_is_hip|current_platform\.is_rocm|\w*is_rocm\w*)\b(?!_PLATFORM_NVIDIA)"
)
_NVIDIA_NAME = re.compile(
    r"__CUDACC__|__NVCC__|__CUDA_ARCH__\w*|__CUDACC_\w+|\b\w*USE_CUDA\w*|__HIP_PLATFORM_NVIDIA__|__HIP_PLATFORM_NVCC__|CUDA_FOUND|torch\.version\.cuda"
    r"|CUDART_VERSION|CUDA_VERSION|CUDNN_VERSION|\b\w*(?:ENABLE|WITH|HAVE|BUILD)_CUDA\w*"
)
_NEGATED = re.compile(r"(?:NO|WITHOUT|DISABLE)_(?:HIP|ROCM)")
_COMPARES = re.compile(r"\b(?:STREQUAL|MATCHES|IN_LIST)\b")
_AMD_TEXT = re.compile(r"\b(?:STREQUAL|MATCHES)\s+\W{0,4}(?i:hip|rocm|amd)(?:\b|_)")
_EXPANSION = re.compile(r"\$(?:ENV)?\{([\w.]+)\}")
_TOKEN = re.compile(
    r"\s*(defined\s*\(\s*[\w.]+\s*\)|defined\s+[\w.]+|&&|\|\||!=|==|>=|<=|[()!<>]|\bnot\b|\band\b|\bor\b|\bNOT\b|\bAND\b|\bOR\b"
    r"|\bis\s+not\s+None\b|\bis\s+None\b|\b(?:STREQUAL|EQUAL|MATCHES|IN_LIST)\b|[\w.]+|[^\s\w])"
)


_LONGEST = 8_000  # characters and tokens of a condition that is still evaluated
_MOST_TOKENS = 2_000
_DEEPEST = 50


@lru_cache(maxsize=4096)
def on_amd(condition: str) -> bool | None:
    """Value of a condition in a build for AMD; None when other things decide, or where it is beyond reading."""
    if len(condition) > _LONGEST:
        return None
    if not any(names.search(condition) for names in (AMD_NAME, _NVIDIA_NAME, _COMPARES)):
        return None
    tokens = [match[1] for match in _TOKEN.finditer(_EXPANSION.sub(r"\1", condition))]
    if len(tokens) > _MOST_TOKENS or _depth(tokens) > _DEEPEST:
        return None
    value, rest = _either(tokens)
    return value if not rest else None


def _depth(tokens: list[str]) -> int:
    """How deep brackets and negations nest at most."""
    negations = [0]  # not yet answered, one number for each open bracket
    depth = deepest = 0
    for token in tokens:
        if token == "(":
            negations.append(0)
            depth += 1
        elif token in ("!", "not", "NOT"):
            negations[-1] += 1
            depth += 1
        elif token == ")" and len(negations) > 1:
            depth -= negations.pop() + 1
        else:
            depth -= negations[-1]
            negations[-1] = 0
        deepest = max(deepest, depth)
    return deepest


@lru_cache(maxsize=4096)
def arm_of(guards: tuple[str, ...]) -> str:
    """Where a place stands: "amd" in an AMD arm, "works" in the arm beside one, "missing" where AMD has
    nothing, "" where no condition on the vendor holds. For languages whose else arms come as "!(…)"."""
    state = ""
    for guard in guards:
        if not AMD_NAME.search(guard) and not _AMD_TEXT.search(guard):
            continue
        value = on_amd(guard)
        if value is True:
            return "amd"
        if value is False:
            state = "works" if guard.startswith("!(") else "missing"
    return state


def _either(tokens: list[str]) -> tuple[bool | None, list[str]]:
    left, rest = _both(tokens)
    while rest and rest[0] in ("||", "or", "OR"):
        right, rest = _both(rest[1:])
        left = True if left is True or right is True else None if left is None or right is None else False
    return left, rest


def _both(tokens: list[str]) -> tuple[bool | None, list[str]]:
    left, rest = _term(tokens)
    while rest and rest[0] in ("&&", "and", "AND"):
        right, rest = _term(rest[1:])
        left = False if left is False or right is False else None if left is None or right is None else True
    return left, rest


def _term(tokens: list[str]) -> tuple[bool | None, list[str]]:
    if not tokens:
        return None, []
    head, rest = tokens[0], tokens[1:]
    if head in ("!", "not", "NOT"):
        value, rest = _term(rest)
        return (None if value is None else not value), rest
    if head == "(":
        value, rest = _either(rest)
        return _compared(value, rest[1:] if rest and rest[0] == ")" else rest)
    return _compared(_named(head), rest)


def _compared(value: bool | None, rest: list[str]) -> tuple[bool | None, list[str]]:
    """A comparison keeps what its name says: `__CUDA_ARCH__ >= 800` is false where the name is not defined."""
    if rest and rest[0].startswith("is"):
        return (value if "not" in rest[0] or value is None else not value), rest[1:]
    if rest and rest[0] == "IN_LIST":
        return value, rest[2:]
    if rest and rest[0] in ("STREQUAL", "MATCHES", "EQUAL"):
        return _compared_text(rest[1:])
    if rest and rest[0] in ("==", "!=", ">=", "<=", "<", ">"):
        operator, other = rest[0], rest[1] if len(rest) > 1 else ""
        if value is not None and operator == "==" and other in ("0", "False"):
            value = not value
        return value, rest[2:]
    if rest and rest[0] == "(":  # a call: its arguments don't decide
        depth = 0
        for position, token in enumerate(rest):
            depth += {"(": 1, ")": -1}.get(token, 0)
            if depth == 0:
                return value, rest[position + 1 :]
    return value, rest


def _compared_text(rest: list[str]) -> tuple[bool | None, list[str]]:
    """`BACKEND STREQUAL "HIP"`: what the text names decides."""
    words: list[str] = []
    while rest and rest[0] not in ("AND", "OR", ")"):
        words.append(rest[0])
        rest = rest[1:]
    names = [word.upper() for word in words]
    amd = any(word in ("HIP", "ROCM", "AMD") for word in names)
    nvidia = "CUDA" in names or "NVIDIA" in names
    return (amd if amd != nvidia else None), rest


def _named(token: str) -> bool | None:
    name = re.sub(r"^defined\s*\(?\s*|\s*\)$", "", token)
    if _NVIDIA_NAME.fullmatch(name) or _NEGATED.search(name):
        return False
    if AMD_NAME.fullmatch(name):
        return True
    return None
