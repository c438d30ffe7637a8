"""What a C-family text says of the warp's width: arithmetic on lanes, masks of lanes, arrays and shapes of 32."""

from __future__ import annotations

import re

from estimator.languages.c_found import Found, Function
from estimator.languages.c_words import (
    ADAPTIVE,
    LANE_INDEX,
    LANE_SHIFT,
    LANE_VALUES,
    MASK_HOLDER_BEFORE,
    MASK_LITERAL,
    MASK_MAKER,
    MASK_NAMED_BEFORE,
    MASKED_CALL,
    NUMBER,
    THREAD,
    THREAD_NAME,
    THREADS_NAME,
    WARP_INDEX,
    WARP_NAME,
    number,
)
from estimator.languages.facts import Confidence, FactKind

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_CAST = re.compile(r"\b(?:static_cast|int|unsigned|size_t|u?int32_t)\b\s*(?:<[^<>]*>)?")
_LESS_ONE = re.compile(r"\(?\s*(\w+)\s*-\s*1\s*\)?")
_HALVES_OR_DOUBLES = re.compile(r">>=\s*1|/=\s*2|=\s*\w+\s*(?:>>\s*1|/\s*2)|\*=\s*2|<<=\s*1")
_INDEX_BEFORE = re.compile(r"\[\s*$")
_DIVIDED = re.compile(r"[^/>]*+(?:>(?!>)[^/>]*+)*+(/|>>)\s*+(\w++)\s*+")
_RETURNED = re.compile(r"\{\s*return\s+(\w+)\s*;\s*\}")
_TILE_NAME = re.compile(r"\w*(?:block|tile)_?(?:size|width|dim|[mnkxyz])?", re.IGNORECASE)
_PART_OF_THREAD = re.compile(r"threadIdx\.[xyz]\s*(?:>>|/)")
_LAST_NAME = re.compile(r"[A-Za-z_]\w*(?=\s*\)?\s*$)")
_ROW_AND_LANE = re.compile(
    r"<<\s*5\s*\)?\s*\+\s*\(?\s*\w*[lL]ane|[lL]ane\w*\s*\+\s*\(\s*[\w.]+\s*<<\s*5\b|\*\s*32\s*\)?\s*\+\s*\(?\s*\w*[lL]ane|[lL]ane\w*\s*\)?\s*\+\s*\(?\s*\w+\s*\*\s*32\b"
)
_PART_OF_32 = re.compile(r"(?:%|/)\s*32\b|&\s*(?:31|0x1[fF]|\(\s*32\s*-\s*1\s*\))|>>\s*5\b")
_PART_OF_THREAD_32 = re.compile(r"\(?\s*threadIdx\.x\s*(?:%\s*32|&\s*(?:31|0x1[fF]))\s*\)?")
_TOGETHER = re.compile(r"__shfl|\.shfl|\bSHFL_\w+\(|__ballot|__match_|__reduce_\w+_sync")
_INDEXED = re.compile(r"\b(\w{1,80}+)\s*+\[\s*+(\w++)\s*+\]")
_LONGEST_BODY = 60_000
_NEAR = 500  # characters between the steps of a reduction
_PARTS = ("%", "&", "/", ">>")
_WIDTH = 32
_BLOCK_NAME = re.compile(r"block|thread|cta", re.IGNORECASE)
_CAPPED = re.compile(r"\bmin\s{0,9}+(?:<\w{1,40}+>)?\s{0,9}+\([^()]{1,80},\s{0,9}+(?P<cap>\d{2,4})\s*+\)")
_WARPS_OF_A_GRID = re.compile(r"\b32\s*\*\s*\w|\w\s*\*\s*32\b")
_LANE_MASK_NAME = re.compile(r"(?:\w+_)?(?:member|lane|warp|active|shfl|participa\w+)_?mask_?", re.IGNORECASE)
_BITS_32 = re.compile(r"unsigned(?:\s+int)?|u?int(?:32_t)?|uint")
_PARTIAL = re.compile(r"\w*(?:shared|s_?mem|shm|warp|sum|partial|reduc|scratch)\w*\s*\[", re.IGNORECASE)
_BY_PROCESSORS = re.compile(
    r"\b\d{1,6}\s{0,9}+\*\s{0,9}+\w{0,40}(?:multi_?processor|sm_?count|num_?sms?)"
    r"|(?:multi_?processor\w{0,40}+|sm_?count|num_?sms?)\s{0,9}+\*\s{0,9}+\d",
    re.IGNORECASE,
)
_INTEGER = re.compile(r"(?<![\w.])\d{1,6}\b(?!\.)")
_CUT = re.compile(
    r"\(\s*[\w.:>()\[\]-]{1,60}\s*\+\s*(?P<less>\d{1,6})(?:\s*-\s*1)?\s*\)\s*/\s*(?P<whole>\d{1,6})\s*", re.ASCII
)
_CUT_DOWN = re.compile(r"\(\s*[\w.:>()*\[\]-]{1,60}\s*-\s*1\s*\)\s*/\s*(?P<whole>\d{1,6})\s*\+\s*1\s*", re.ASCII)
_NO_ARGUMENTS = re.compile(r"\w\s*\(\s*\)\s*$")
_ROUNDED = re.compile(
    r"(?i)(?:ceil|int|round)_?(?:div|up|ceil)\w*|div_?(?:up|ceil|round_?up)\w*|cdiv|updiv|round_up\w*"
)
_ONE_OR_BOUND = re.compile(r"(\w+)|(?:std::)?(?:min|max)(?:<\w+>)?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_LANES_OVER = re.compile(r"\b(?P<number>32)\s*(?P<sign>/)\s*\w")
_LANES_IN = re.compile(r"(?P<sign>/|\*|>>)\s*(?P<number>32|5)\b(?!\s*/)")


def value_of(text: str, found: Found) -> int | None:
    """Value of a literal, a constant or a name that says "warp size"; None where the target decides it."""
    if _NO_ARGUMENTS.search(text):
        return None  # get_warp_size() asks the target
    text = text.strip().strip("()").strip()
    if NUMBER.fullmatch(text):
        return number(text)
    match = _LESS_ONE.fullmatch(text)
    if match:
        value = value_of(match[1], found)
        if value is not None:
            return value - 1
    name = text.rsplit("::", 1)[-1]
    if ADAPTIVE.fullmatch(name) or name in found.harvest.adaptive or name in found.adaptive:
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
    less_one = _LESS_ONE.fullmatch(right.strip())
    if operator == "&" and less_one and less_one[1] == left.strip():
        return  # width & (width - 1) asks for a power of two
    value = value_of(right, found)
    role = _role(left, found.functions.at(start), found)
    if operator in _PARTS and value not in LANE_VALUES and _is_lane(left, start, found):
        role = "$lane"
    if not role and operator not in _PARTS and value in (_WIDTH, _WIDTH - 1) and _ends_as(LANE_INDEX, left):
        role = "$lane"
    if operator in _PARTS and (is_width(left, found) or (not role and is_width(right, found))):
        role, value = "$width", 32
    if role == "$threads" and operator in ("<", ">", ">=") and is_width(right, found):
        role = "$width"
    if role == "$thread" and (_PART_OF_THREAD.search(left) or _TILE_NAME.fullmatch(right.strip())):
        return  # groups of threads, numbered up to 32; rows of a tile that is 32 wide
    if not value or not role or (value not in LANE_VALUES and role not in ("$thread", "$lane")):
        return
    if operator == "<" and value == _WIDTH and _is_step(left.strip(), start, end, found):
        return
    name = right.strip()
    bare = name.rsplit("::", 1)[-1]
    if role == "$threads" and THREADS_NAME.fullmatch(bare) and not WARP_NAME.fullmatch(bare):
        return  # (n + kBlockSize - 1) / kBlockSize counts blocks; kNumThreads / kWarpThreads counts warps
    if value in LANE_VALUES and operator in _PARTS and name in found.constants:
        found.lane_constants.add(name)
    found.add(FactKind.LANE, f"{role} {operator} {value}", start, end, found.written(start, end), confidence)


def _is_lane(text: str, start: int, found: Found) -> bool:
    """Whether an operand ends in a lane's number: by its name, or because it was made by a part by 32."""
    function = found.functions.at(start)
    names = found.lane_names.get(function.start, ()) if function else ()
    return _ends_as(LANE_INDEX, text) or text.strip().strip("()") in names


def _is_step(left: str, start: int, end: int, found: Found) -> bool:
    """Whether `t < 32` is one step of a tree, with `t < 64` before it and a barrier between it and `t < 16`: each of
    its steps waits, so that none of them relies on a warp."""
    masked = found.source.masked
    name = re.escape(left)
    behind = re.search(rf"\b{name}\s{{0,9}}<\s{{0,9}}16\b", masked[end : end + _NEAR])
    before = re.search(rf"\b{name}\s{{0,9}}<\s{{0,9}}64\b", masked[max(0, start - 3 * _NEAR) : start])
    return bool(before and behind and _waits(masked[end : end + behind.start()]))


def _waits(text: str) -> bool:
    """Whether a barrier stands in a text, and no exchange between lanes."""
    return "sync" in text and not _TOGETHER.search(text)


def works_by_warp(start: int, found: Found) -> bool:
    """Whether the device function around a place lets lanes work together."""
    function = found.functions.at(start)
    if function is None or function.space == "host":
        return False
    if function.start not in found.by_warp:
        body = found.source.masked[function.body : min(function.end, function.body + _LONGEST_BODY)]
        found.by_warp[function.start] = bool(_TOGETHER.search(body))
    return found.by_warp[function.start]


def up_to_a_warp(start: int, end: int, found: Found) -> None:
    """A loop over the lanes of a warp, or an array with one slot for each, where lanes work together."""
    if works_by_warp(start, found):
        found.add(FactKind.LANE, "$lanes 32", start, end, found.written(start, end))


def named_index(name: str, written: str, start: int, end: int, found: Found) -> None:
    """A variable called a lane or warp whose value is a part by 32, whatever is parted."""
    if (LANE_INDEX.fullmatch(name) or WARP_INDEX.fullmatch(name)) and _PART_OF_32.search(written):
        found.add(FactKind.LANE, "$lane of 32", start, end, written[:80])


def is_width(text: str, found: Found) -> bool:
    """Whether an operand is a constant that is named as the warp's width and is 32, or that less one."""
    name = text.strip().strip("()").strip().rsplit("::", 1)[-1].partition("-")[0].strip()
    return bool(WARP_NAME.fullmatch(name)) and not _NO_ARGUMENTS.search(text) and value_of(name, found) == _WIDTH


def _ends_as(pattern: re.Pattern[str], text: str) -> bool:
    """Whether an operand ends in a name of a kind: `(lane` or `row + lane_id`."""
    name = _LAST_NAME.search(text)
    return name is not None and bool(pattern.fullmatch(name[0]))


def product(left: str, right: str, start: int, end: int, found: Found) -> None:
    """A warp's number times its width, or any number times a constant named so."""
    for width, other in ((left, right), (right, left)):
        if is_width(width, found) or (value_of(width, found) == _WIDTH and _ends_as(WARP_INDEX, other)):
            found.add(FactKind.LANE, "$width * 32", start, end, found.written(start, end))
            return
        if width.strip() == "32" and other.startswith("blockIdx"):
            up_to_a_warp(start, end, found)


def parted(name: str, arguments: str, start: int, end: int, found: Found) -> None:
    """A number of warps by a function: `ceil_div(n, WARP_SIZE)`."""
    if _ROUNDED.fullmatch(name.rsplit("::", 1)[-1]) and is_width(arguments.rpartition(",")[2], found):
        found.add(FactKind.LANE, "$width / 32", start, end, found.written(start, end))


def lane_offset(start: int, end: int, parse: str, found: Found) -> None:
    """Rows of 32 with a lane in them: `i * 32 + lane`."""
    if _ROW_AND_LANE.search(parse, start, end):
        found.add(FactKind.LANE, "$row * 32 + $lane", start, end, found.written(start, end))


def stride(right: str, start: int, end: int, found: Found) -> None:
    """A loop that steps by the width: `i += WARP_SIZE`, or by 32 where lanes work together."""
    if is_width(right, found) or (right.strip() == "32" and works_by_warp(start, found)):
        found.add(FactKind.LANE, "$stride 32", start, end, found.written(start, end))


def _role(text: str, function: Function | None, found: Found) -> str:
    """What an operand is: a thread index, a thread count, or nothing of interest."""
    names = found.thread_names.get(function.start, set()) if function else set()
    flat = _CAST.sub("", text.strip())
    if THREAD.search(flat):
        return "$thread"
    words = _IDENTIFIER.findall(flat)
    if function and function.space in ("kernel", "device"):
        others = set() if found.shuffles else found.grid_names.get(function.start, set())
        names = names | {word for word in words if THREAD_NAME.fullmatch(word) and word not in others}
    if any(word in names for word in words) and not re.search(r"[\[(]\s*$", flat):
        return "$thread"
    if len(words) <= 3 and any(THREADS_NAME.fullmatch(word) for word in words):
        return "$threads"
    return ""


def note_thread(name: str, value: str, start: int, found: Found) -> None:
    """Remember a variable that holds a thread index of the block."""
    function = found.functions.at(start)
    if function is None:
        return
    if "blockIdx" in value or "blockDim" in value:
        found.grid_names.setdefault(function.start, set()).add(name)
        return
    if _PART_OF_THREAD_32.fullmatch(value):
        found.lane_names.setdefault(function.start, set()).add(name)
    names = found.thread_names.setdefault(function.start, set())
    words = _IDENTIFIER.findall(value)
    if THREAD.search(value) or (words and words[0] in names and len(words) <= 2):
        names.add(name)


def tail(left: str, right: str, start: int, end: int, parse: str, found: Found) -> None:
    """The unrolled end of a block reduction, s[t + 32], s[t + 16] …, which relies on lock step, or the step before
    the lanes exchange what is left."""
    if value_of(right, found) != 32 or not _INDEX_BEFORE.search(parse[max(0, start - 10) : start]):
        return
    follow = rf"\[\s*{re.escape(left)}\s*\+\s*16\s*\]|\b__shfl_|\.shfl_"
    following = re.search(follow, parse[end : end + _NEAR])
    if following and "sync" not in parse[end : end + following.start()]:
        found.add(FactKind.LANE, "$tail + 32", start, end, found.written(start, end))


def halves_or_doubles(head: str) -> bool:
    """Whether a loop's head steps by powers of two."""
    return bool(_HALVES_OR_DOUBLES.search(head))


def halving(sign: str, limit: str, at: int, start: int, end: int, found: Found) -> None:
    """A block reduction that stops at a warp: `i > 32`, or `i >= 64` with two of them left to add."""
    if value_of(limit, found) == _WIDTH or (sign == ">=" and value_of(limit, found) == 2 * _WIDTH):
        found.add(FactKind.LANE, "$halving > 32", at, at + len(limit), found.written(start, end))


def constant_in_lanes(name: str, written: str, start: int, end: int, found: Found) -> bool:
    """Record a constant that is the warp's width, or that says lane or warp and is a multiple or part of 32; whether
    it is one."""
    if is_width(written, found) and "-" not in written:
        found.add(FactKind.LANE, f"$constant {_WIDTH}", start, end, name)
        return True
    part = _LANES_IN.search(written) or _LANES_OVER.search(written)
    if not part or not re.search(r"lane|warp|per_?thread", name, re.IGNORECASE):
        return False
    found.add(FactKind.LANE, f"$lanes {part['sign']} {part['number']}", start, end, name)
    return True


def name_constants(found: Found) -> None:
    """Constants that lane arithmetic uses, or that are named so, are lane constants where they are defined."""
    for name, start in found.constant_places.items():
        value = found.constants.get(name)
        if value in LANE_VALUES and (name in found.lane_constants or WARP_NAME.fullmatch(name)):
            found.add(FactKind.LANE, f"$constant {value}", start, start + len(name), name)


def launch_constants(found: Found) -> None:
    """Constants that launches and shapes of blocks use fix the size of a block or grid where they are defined."""
    used = {name for fact in found.facts.values() if fact.kind is FactKind.LAUNCH for name in _names(fact.detail)}
    used.update(found.shape_names)
    for name in sorted((used | found.harvest.launched) & found.constant_places.keys()):
        start = found.constant_places[name]
        if name not in used and found.functions.at(start) is not None:
            continue  # a launch in another file can't mean a constant of a function
        if found.constants.get(name, 0) > 1 and not WARP_NAME.fullmatch(name):
            text = f"block {name}" if name in found.block_names else name
            found.add(FactKind.LAUNCH_SIZE, text, start, start + len(name), str(found.constants[name]))


def shared_constants(found: Found) -> None:
    """Constants of a kernel that size its shared arrays fix how much a block works on at a time."""
    for name in sorted(found.shared_names & found.constant_places.keys()):
        start = found.constant_places[name]
        function = found.functions.at(start)
        if function is not None and function.space != "host" and not WARP_NAME.fullmatch(name):
            found.add(FactKind.LAUNCH_SIZE, f"shared {name}", start, start + len(name), str(found.constants[name]))


def _names(written: str) -> set[str]:
    return set(_IDENTIFIER.findall(written))


def note_width(name: str, written: str, found: Found) -> None:
    """Remember a width that is put together from the target's: it assumes nothing."""
    if WARP_NAME.fullmatch(name) and name not in found.constants and ADAPTIVE.search(written):
        found.adaptive.add(name)


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
    """A shared array with one slot per lane or per warp; other sizes that are names fix how much a block takes."""
    found.shared_names.update(_names(size))
    if value_of(size, found) == _WIDTH and written.count("[") == 1 and _holds_partials(written, found):
        found.add(FactKind.LANE, "$shared [32]", start, end, written)
    match = _DIVIDED.fullmatch(size)
    if match and value_of(match[2], found) in LANE_VALUES:
        found.add(FactKind.LANE, f"$shared {match[1]} {value_of(match[2], found)}", start, end, written)


def _holds_partials(written: str, found: Found) -> bool:
    """Whether a shared array of 32 holds something of each lane or warp: by its name, by its index or by its text."""
    if found.shuffles or _PARTIAL.match(written):
        return True
    if found.warp_indexed is None:
        indexed = _INDEXED.finditer(found.source.masked)
        found.warp_indexed = frozenset(match[1] for match in indexed if WARP_INDEX.fullmatch(match[2]))
    return written.partition("[")[0].strip() in found.warp_indexed


def chosen(name: str, written: str, start: int, end: int, found: Found) -> None:
    """A host variable that fixes how the work is cut: threads of a block, or items a block or chunk takes."""
    function = found.functions.at(start)
    if function is None or function.space != "host":
        return
    if THREADS_NAME.fullmatch(name):
        largest = max((int(digits) for digits in _INTEGER.findall(written)), default=0)
        if largest >= _WIDTH:
            found.add(FactKind.CONSTANT, name, start, end, written[:80] if "*" in written else str(largest))
        _note_sizes(written, found)
    if _BY_PROCESSORS.search(written):
        found.add(FactKind.CONSTANT, f"chunks {name}", start, end, written[:80])
    cut = _CUT.fullmatch(written)
    if not cut or int(cut["less"]) not in (int(cut["whole"]), int(cut["whole"]) - 1):
        cut = _CUT_DOWN.fullmatch(written)
    if cut and int(cut["whole"]) >= 2 * _WIDTH:
        found.add(FactKind.CONSTANT, f"chunks {name}", start, end, cut["whole"])


def _note_sizes(written: str, found: Found) -> None:
    """Constants that a number of threads is set to, or kept above or below."""
    if match := _ONE_OR_BOUND.fullmatch(written):
        names = {name for name in match.groups() if name}
        found.shape_names |= names
        found.block_names |= names


def assigned(name: str, value: str, start: int, end: int, found: Found) -> None:
    """A block's size that a branch chooses: `block_size = 384;`, `config.threads = 128;`."""
    function = found.functions.at(start)
    is_host = function is not None and function.space == "host"
    if is_host and THREADS_NAME.fullmatch(name):
        _note_sizes(value, found)
    if is_host and THREADS_NAME.fullmatch(name) and NUMBER.fullmatch(value) and number(value) >= _WIDTH:
        found.add(FactKind.CONSTANT, name, start, end, value)


def block_shape(name: str, start: int, end: int, arguments: str, found: Found) -> None:
    """A block's shape: rows of 32 in a file whose kernels work by warps, else a constant to tune."""
    found.shape_names.update(_names(arguments))
    if _BLOCK_NAME.search(name):
        found.block_names.update(_names(arguments))
    if found.shuffles and _WARPS_OF_A_GRID.search(arguments):
        found.add(FactKind.LANE, "$grid 32", start, end, found.written(start, end))
    first = arguments.strip("(){} ").partition(",")[0].strip()
    if _BLOCK_NAME.search(name) and (cap := _CAPPED.search(arguments)):
        found.add(FactKind.CONSTANT, "dim3 block", start, end, cap["cap"])
    if not _BLOCK_NAME.search(name) or not re.match(r"\d|[A-Zk]", first):
        return
    if is_width(first, found) or (found.shuffles and value_of(first, found) == 32):
        found.add(FactKind.LANE, "$block (32", start, end, found.written(start, end))
    elif first.isdigit():
        found.add(FactKind.CONSTANT, "dim3 block", start, end, arguments[:80])


def block_side(left: str, right: str, start: int, end: int, found: Found) -> None:
    """One side of a block set by itself: `block.x = 128`."""
    name, _, side = left.rpartition(".")
    if side not in ("x", "y", "z") or found.types.get(name) != "dim3" or not _BLOCK_NAME.search(name):
        return
    found.shape_names.update(_names(right))
    if found.shuffles and _WARPS_OF_A_GRID.search(right):
        found.add(FactKind.LANE, "$grid 32", start, end, found.written(start, end))
    if right.strip().isdigit() and int(right) > 1:
        found.add(FactKind.CONSTANT, "dim3 block", start, end, right.strip())


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


def mask_variable(name: str, kind: str, start: int, end: int, found: Found) -> None:
    """A variable or member of 32 bits that is called a mask of lanes."""
    if _LANE_MASK_NAME.fullmatch(name) and _BITS_32.fullmatch(kind):
        found.add(FactKind.MASK, f"{kind} {name}", start, end, "holder named")


def lane_shift(start: int, end: int, parse: str, found: Found) -> None:
    """`1u << lane`: a mask made from a lane number."""
    for match in LANE_SHIFT.finditer(parse, start, end):
        found.add(FactKind.MASK, match[0], match.start(), match.end(), "shift")
