"""What a C-family text says of the warp's width: arithmetic on lanes, masks of lanes, arrays and shapes of 32."""

from __future__ import annotations

import re

from estimator.languages.c_found import Found, Function
from estimator.languages.c_words import (
    LANE_SHIFT,
    LANE_VALUES,
    MASK_HOLDER_BEFORE,
    MASK_LITERAL,
    MASK_MAKER,
    MASK_NAMED_BEFORE,
    MASKED_CALL,
    NUMBER,
    THREAD,
    THREADS_NAME,
    WARP_NAME,
    number,
)
from estimator.languages.facts import Confidence, FactKind

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_CAST = re.compile(r"\b(?:static_cast|int|unsigned|size_t|u?int32_t)\b\s*(?:<[^<>]*>)?")
_LESS_ONE = re.compile(r"\(?\s*(\w+)\s*-\s*1\s*\)?")
_HALVES_OR_DOUBLES = re.compile(r">>=\s*1|/=\s*2|=\s*\w+\s*(?:>>\s*1|/\s*2)|\*=\s*2|<<=\s*1")
_INDEX_BEFORE = re.compile(r"\[\s*$")
_DIVIDED = re.compile(r"\s*(.+?)\s*(/|>>)\s*(\w+)\s*")
_RETURNED = re.compile(r"\{\s*return\s+(\w+)\s*;\s*\}")
_LANES_IN = re.compile(r"(/|\*|>>)\s*(32|5)\b")


def value_of(text: str, found: Found) -> int | None:
    """Value of a literal, a constant or a name that says "warp size"; None where the target decides it."""
    text = text.strip().strip("()").strip()
    if NUMBER.fullmatch(text):
        return number(text)
    match = _LESS_ONE.fullmatch(text)
    if match:
        value = value_of(match[1], found)
        if value is not None:
            return value - 1
    name = text.rsplit("::", 1)[-1]
    if name == "warpSize" or name in found.harvest.adaptive:
        return None
    if name in found.constants:
        return found.constants[name]
    return 32 if WARP_NAME.fullmatch(name) else None


def arithmetic(
    left: str,
    operator: str,
    right: str,
    start: int,
    end: int,
    found: Found,
    confidence: Confidence = Confidence.PARSED,
) -> None:
    """Record arithmetic on a thread index or count, if it is that: "$thread % 32"."""
    value = value_of(right, found)
    role = _role(left, found.functions.at(start), found)
    if not value or not role or (value not in LANE_VALUES and role != "$thread"):
        return
    name = right.strip()
    if role == "$threads" and THREADS_NAME.fullmatch(name.rsplit("::", 1)[-1]):
        return  # (n + kBlockSize - 1) / kBlockSize counts blocks
    if value in LANE_VALUES and operator in ("%", "&", "/", ">>") and name in found.constants:
        found.lane_constants.add(name)
    found.add(FactKind.LANE, f"{role} {operator} {value}", start, end, found.written(start, end), confidence)


def _role(text: str, function: Function | None, found: Found) -> str:
    """What an operand is: a thread index, a thread count, or nothing of interest."""
    names = found.thread_names.get(function.start, set()) if function else set()
    flat = _CAST.sub("", text.strip())
    if THREAD.search(flat):
        return "$thread"
    words = _IDENTIFIER.findall(flat)
    if any(word in names for word in words) and not re.search(r"[\[(]\s*$", flat):
        return "$thread"
    if len(words) <= 3 and any(THREADS_NAME.fullmatch(word) for word in words):
        return "$threads"
    return ""


def note_thread(name: str, value: str, start: int, found: Found) -> None:
    """Remember a variable that holds a thread index of the block."""
    function = found.functions.at(start)
    if function is None or "blockIdx" in value or "blockDim" in value:
        return
    names = found.thread_names.setdefault(function.start, set())
    words = _IDENTIFIER.findall(value)
    if THREAD.search(value) or (words and words[0] in names and len(words) <= 2):
        names.add(name)


def tail(left: str, right: str, start: int, end: int, parse: str, found: Found) -> None:
    """The unrolled end of a block reduction, s[t + 32], s[t + 16] …, which relies on lock step."""
    if value_of(right, found) != 32 or not _INDEX_BEFORE.search(parse[max(0, start - 10) : start]):
        return
    follow = rf"\[\s*{re.escape(left)}\s*\+\s*16\s*\]"
    if re.search(follow, parse[end : end + 400]):
        found.add(FactKind.LANE, "$tail + 32", start, end, found.written(start, end))


def halves_or_doubles(head: str) -> bool:
    """Whether a loop's head steps by powers of two."""
    return bool(_HALVES_OR_DOUBLES.search(head))


def halving(limit: str, at: int, start: int, end: int, found: Found) -> None:
    """A block reduction that stops at a warp."""
    if value_of(limit, found) == 32:
        found.add(FactKind.LANE, "$halving > 32", at, at + len(limit), found.written(start, end))


def constant_in_lanes(name: str, written: str, start: int, end: int, found: Found) -> None:
    """A constant that says lane or warp and is a multiple or part of 32."""
    part = _LANES_IN.search(written)
    if part and re.search(r"lane|warp", name, re.IGNORECASE):
        found.add(FactKind.LANE, f"$lanes {part[1]} {part[2]}", start, end, name)


def name_constants(found: Found) -> None:
    """Constants that lane arithmetic uses, or that are named so, are lane constants where they are defined."""
    for name, start in found.constant_places.items():
        value = found.constants.get(name)
        if value in LANE_VALUES and (name in found.lane_constants or WARP_NAME.fullmatch(name)):
            found.add(FactKind.LANE, f"$constant {value}", start, start + len(name), name)


def width_function(name: str, start: int, end: int, parse: str, found: Found) -> None:
    """A function that gives the warp's width, or its full mask, as a literal."""
    result = _RETURNED.match(parse, start, min(end, start + 80))
    if result is None:
        return
    if WARP_NAME.fullmatch(name) and result[1] == "32":
        found.add(FactKind.LANE, "$constant 32", result.start(1), result.end(1), name)
    elif "mask" in name.lower() and result[1].lower().startswith("0xffffffff"):
        found.add(FactKind.MASK, result[1], result.start(1), result.end(1), "named")


def shared_array(size: str, start: int, end: int, written: str, found: Found) -> None:
    """A shared array with one slot per lane or per warp."""
    if value_of(size, found) == 32 and written.count("[") == 1 and found.shuffles:
        found.add(FactKind.LANE, "$shared [32]", start, end, written)
    match = _DIVIDED.fullmatch(size)
    if match and value_of(match[3], found) in LANE_VALUES:
        found.add(FactKind.LANE, f"$shared {match[2]} {value_of(match[3], found)}", start, end, written)


def block_shape(name: str, start: int, end: int, arguments: str, found: Found) -> None:
    """A block's shape: rows of 32 in a file whose kernels work by warps, else a constant to tune."""
    first = arguments.strip("(){} ").partition(",")[0].strip()
    if not re.search(r"block|thread|cta", name, re.IGNORECASE) or not re.match(r"\d|[A-Zk]", first):
        return
    if found.shuffles and value_of(first, found) == 32:
        found.add(FactKind.LANE, "$block (32", start, end, found.written(start, end))
    elif first.isdigit():
        found.add(FactKind.CONSTANT, "dim3 block", start, end, arguments[:80])


def masks(name: str, start: int, opening: int, closing: int, parse: str, found: Found) -> None:
    """Lane masks given to warp primitives, and 32-bit variables that hold one."""
    bare = name.rsplit("::", 1)[-1]
    if MASKED_CALL.fullmatch(bare):
        first = parse[opening + 1 : closing - 1].partition(",")[0].strip()
        if MASK_LITERAL.fullmatch(first):
            at = opening + 1 + parse[opening + 1 : closing].index(first)
            found.add(FactKind.MASK, first, at, at + len(first), f"argument {bare}")
    if MASK_MAKER.fullmatch(bare):
        holder = MASK_HOLDER_BEFORE.search(parse, max(0, start - 200), start)
        if holder:
            found.add(FactKind.MASK, holder[1], holder.start(), start, f"holder {bare}")


def mask_literal(written: str, start: int, end: int, parse: str, found: Found) -> None:
    """A full mask that is given to something called a mask."""
    if MASK_NAMED_BEFORE.search(parse[max(0, start - 100) : start]):
        found.add(FactKind.MASK, written, start, end, "named")


def lane_shift(start: int, end: int, parse: str, found: Found) -> None:
    """`1u << lane`: a mask made from a lane number."""
    for match in LANE_SHIFT.finditer(parse, start, end):
        found.add(FactKind.MASK, match[0], match.start(), match.end(), "shift")
