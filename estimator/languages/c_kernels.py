"""Kernels and device functions: where their definitions stand, what their bodies hold, whom they call."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from estimator.languages.c_found import Function
from estimator.languages.c_text import CText, matching, words_at
from estimator.languages.c_words import ATTRIBUTES, CALL, KEYWORDS
from estimator.languages.facts import DeviceFunction, KernelFact
from estimator.languages.readings import any_of, begun


@dataclass(frozen=True, slots=True)
class Definition:
    """A kernel's definition by offsets: start of its qualifier, of its name, of its body; end of its body."""

    fact: KernelFact
    start: int
    name_start: int
    body: int
    end: int


@dataclass(frozen=True, slots=True)
class Assembly:
    """An asm statement: its offset and the opcodes in it."""

    start: int
    opcodes: tuple[str, ...]


def definitions(
    source: CText, kernel_macros: Iterable[str], kernel_heads: Iterable[str] = ()
) -> tuple[Definition, ...]:
    """All definitions that `__global__`, or a macro that stands for it or for the whole head, begins; declarations
    are none."""
    found: dict[int, Definition] = {}
    for match in words_at(source.masked, {"__global__", *kernel_macros}):
        definition = _definition(source, match.start(), match.end())
        if definition is not None:
            found.setdefault(definition.body, definition)
    heads = frozenset(kernel_heads)
    for match in _MACRO_CALL.finditer(source.masked) if heads else ():
        if match[1] in heads and (definition := _headed(source, match)) is not None:
            found[definition.body] = definition
    return tuple(found.values())


class Bodies:
    """The bodies of a text as they are read one after another.

    Bodies that never close lie in one another: what is read of all together is bounded.
    """

    def __init__(self, source: CText, parse: str, assembly: Sequence[Assembly]) -> None:
        self.source = source
        self._parse = parse
        self._assembly = assembly
        self._starts = [statement.start for statement in assembly]
        self._room = 4 * len(parse) + 200_000
        self.is_cut = False

    def read(self, start: int, end: int) -> tuple[set[str], set[str]]:
        """What a body holds, and last names of the functions that it calls."""
        self._room -= end - start
        if self._room < 0:
            self.is_cut = True
            return set(), set()
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return _features(self.source.masked[start:end], self._assembly[first:last]), _called(self._parse[start:end])


def described(kernel: Definition, bodies: Bodies) -> KernelFact:
    """A kernel's fact with what its body holds and whom it calls."""
    source = bodies.source
    features, calls = bodies.read(kernel.body, kernel.end)
    head = source.masked[max(0, kernel.body - 1_500) : kernel.body]
    head = head[head.rfind("__global__") :] if "__global__" in head else head
    if "__cluster_dims__" in head:
        features |= {"cluster"}
    features |= {name for name, has in _NUMBER_FORMATS.items() if has(head)}
    others = calls - {kernel.fact.name}
    return replace(kernel.fact, features=tuple(sorted(features)), calls=tuple(sorted(others)))


def device_functions(functions: Iterable[Function], bodies: Bodies) -> Iterator[DeviceFunction]:
    """Functions that run on the device, kernels left out."""
    for function in functions:
        if function.space == "device":
            features, calls = bodies.read(function.body, function.end)
            lines = bodies.source.line(function.start), bodies.source.line(function.end - 1)
            yield DeviceFunction(function.name, tuple(sorted(features)), tuple(sorted(calls)), *lines)


# -- where a definition stands


def _definition(source: CText, start: int, end: int) -> Definition | None:
    """The definition that a qualifier begins."""
    masked = source.masked
    if masked[end : end + 1] == "(":  # a macro with arguments
        end = matching(masked, end, limit=2_000)
        if end < 0:
            return None
    found = _name(masked, end)
    if found is None:
        return None
    name, name_start, opening = found
    closing = matching(masked, opening, limit=20_000)
    if closing < 0:
        return None
    body = _BODY_OR_END.search(masked, closing, closing + 2_000)
    if not body or body.group() == ";":
        return None
    body_end = _body_end(source, body.start())
    first = max(0, start - _LONGEST_HEAD)
    before = max(first, *(masked.rfind(stop, first, start) for stop in ("\n\n", "}", ";")))
    guards, amd_arm = source.conditions.at(start)
    fact = KernelFact(
        name=name,
        line=source.line(name_start),
        end_line=source.line(body_end - 1),
        template=masked.find("template", before, start) >= 0 and bool(_TEMPLATE.search(masked, before, start)),
        features=(),
        guards=guards,
        amd_arm=amd_arm,
    )
    return Definition(fact, start, name_start, body.start(), body_end)


def _headed(source: CText, call: re.Match[str]) -> Definition | None:
    """The definition that a macro begins which is the whole head of a kernel: MACRO(name, …) {…}."""
    closing = matching(source.masked, call.end() - 1, limit=2_000)
    name = _FIRST_ARGUMENT.match(source.masked, call.end())
    opening = _BRACE.match(source.masked, closing) if closing > 0 else None
    if name is None or opening is None:
        return None
    body_end = _body_end(source, opening.end() - 1)
    guards, amd_arm = source.conditions.at(call.start())
    fact = KernelFact(
        name=name[1],
        line=source.line(call.start()),
        end_line=source.line(body_end - 1),
        template=True,
        features=(),
        guards=guards,
        amd_arm=amd_arm,
    )
    return Definition(fact, call.start(), name.start(1), opening.end() - 1, body_end)


_MACRO_CALL = re.compile(r"(?<!define )\b([A-Za-z_]\w*+)\s*+\(")
_FIRST_ARGUMENT = re.compile(r"\s*+([A-Za-z_]\w*+)\s*+[,)]")
_BRACE = re.compile(r"\s*+\{")
_LONGEST_HEAD = 5_000  # characters of what stands before a qualifier
_BODY_OR_END = re.compile(r"[{;]")
_TEMPLATE = re.compile(r"\btemplate\s*<\s*[^>\s]")


def _body_end(source: CText, start: int) -> int:
    for text in (source.parse, source.masked):
        end = matching(text, start, "{", "}", limit=2_000_000)
        if end >= 0:
            return end
    return min(len(source.masked), start + 20_000)


_WORD = re.compile(r"\s*([A-Za-z_~][\w]*(?:\s*::\s*[A-Za-z_]\w*)*(?:##\w+)*)")
_BETWEEN_WORDS = re.compile(r"\s*(?:[*&]|::|\[\[[^\]]*\]\]|\\\n|##|\"[^\"]*\")")
_BLANKS = re.compile(r"\s*(?:\\\n\s*)*")
_PASTED = re.compile(r"##\s*\w+")
_OPENING = re.compile(r"\s*\(")
_NAME_FOLLOWS = re.compile(r"\s*(?:[A-Za-z_]\w*[\s*&]+){0,4}[A-Za-z_]\w*\s*[(<]")


def _name(masked: str, position: int) -> tuple[str, int, int] | None:
    """Name of the function that a qualifier at `position` belongs to, its offset and its bracket's."""
    for _ in range(60):
        match = _WORD.match(masked, position)
        if match is None:
            step = _BETWEEN_WORDS.match(masked, position)
            if step is None:
                return None
            position = step.end()
            continue
        word, start = match[1], match.start(1)
        blanks = _BLANKS.match(masked, match.end())
        after = blanks.end() if blanks else match.end()
        following = masked[after : after + 1]
        if masked.startswith("##", after):
            pasted = _PASTED.match(masked, after)
            position = pasted.end() if pasted else after
            if pasted and masked[position : position + 1] == "(":
                return masked[start:position], start, position
        elif following == "<":
            position = _angle_end(masked, after)
            if position < 0:
                return None
            opening = _OPENING.match(masked, position)
            if opening and not masked.startswith("<<<", after):
                return word, start, opening.end() - 1
        elif following == "(":
            closing = matching(masked, after, limit=4_000)
            if closing < 0 or not _is_attribute(word, masked[closing : closing + 200]):
                return word, start, after
            position = closing
        elif following in (";", "{", "}", "=", ""):
            return None
        else:
            position = match.end()
    return None


def _is_attribute(word: str, behind: str) -> bool:
    """Whether a word with brackets is no function: an attribute, or a macro with the name behind it."""
    return bool(re.fullmatch(ATTRIBUTES, word) or _NAME_FOLLOWS.match(behind))


_ANGLE = re.compile(r"->|[<>(;{]")


def _angle_end(masked: str, start: int) -> int:
    """Offset behind the template argument list that opens at `start`; brackets inside are skipped."""
    depth = 0
    position = start
    for _ in range(2_000):
        match = _ANGLE.search(masked, position, start + 4_000)
        if match is None or match.group() in ";{":
            return -1
        position = match.end()
        if match.group() == "(":
            position = matching(masked, match.start(), limit=4_000)
            if position < 0:
                return -1
        elif match.group() == "<":
            depth += 1
        elif match.group() == ">":
            depth -= 1
            if depth == 0:
                return position
    return -1


# -- what a body holds

_NUMBER_FORMATS = {
    "bf16": any_of(r"\b__?nv_bfloat16\w*"),
    "fp8": any_of(r"\b__nv_(?:fp[468]\w*|cvt_\w*fp[468]\w*)|\b__NV_(?:E4M3|E5M2|E2M1)\b"),
}
_FEATURES = {
    **_NUMBER_FORMATS,
    "shared-memory": any_of(r"__shared__|\bsmem\b|shared_memory|SharedStorage|extern_shared"),
    "barrier": any_of(r"__syncthreads|\b(?:block|cta|tb)\w*\.sync\(|__barrier_sync"),
    "shuffle": any_of(r"__shfl|__ballot|__reduce_\w+_sync|__any_sync|__all_sync|__match_|__syncwarp|\.shfl|cg::reduce"),
    "atomic": any_of(r"\batomic[A-Z]\w*\s*\(|\bgpuAtomic|\batomic_\w+\s*\("),
    "wmma": any_of(r"\bwmma::"),
    "mma-cxx": any_of(r"\bcute::gemm|\bMMA_Atom|TiledMma|\bmma_sync\b|warp::Mma|cutlass::arch::Mma"),
    "cp-async": any_of(r"memcpy_async|cuda::pipeline|__pipeline_|cp_async"),
    "tma": any_of(r"\bCUtensorMap|SM90_TMA|tma_load|cp_async_bulk|TMA_LOAD"),
    "cluster": any_of(r"cluster_group|this_cluster|cluster_sync|cluster_arrive"),
    "cooperative": any_of(r"\bgrid\w*\s*\.\s*sync\s*\(|this_grid\s*\(\s*\)\s*\.\s*sync|grid_barrier|grid_sync"),
    "texture": any_of(r"\btex[123]D\w*\s*[<(]|\bsurf[123]D\w*\s*[<(]|\btex1Dfetch"),
    "double": any_of(r"\bdouble\b"),
    "device-launch": any_of(r"<<<"),
    "halving-loop": any_of(r"(?:>>=\s*1|/=\s*2)"),
    "block-reduce": any_of(
        r"(?i)BlockReduce|BlockScan|WarpReduce|WarpScan|block_?reduce|warp_?reduce|warp_?sum|block_?sum"
    ),
    "spin": any_of(r"while\s*\([^;{}]*(?:atomic|volatile|load_acquire|ld_acquire|flag)[^;{}]*\)\s*[;{]"),
    "compare-and-swap": any_of(r"\batomicCAS\s*\("),
    "indirect": any_of(r"\w+\s*\[[^\[\];]*\b\w+\s*\[[^\[\]]*\][^\[\]]*\]"),
    "row-pointer": any_of(r"(?i)row_?(?:ptr|start|offset)|offsets?\s*\[[^\]]*\+\s*1\s*\]|\bindptr\b"),
    "sort": any_of(r"(?i)BlockRadixSort|bitonic|radix_?sort|\bsort\w*\s*\("),
    "directed-rounding": any_of(r"\b__(?:[fd](?:add|sub|mul|div|sqrt|rcp)|fmaf?)_r[duz]\b"),
    "register-class": any_of(r"\bregister\s+\w"),
}
_COMBINING = frozenset(("atomic", "shared-memory", "shuffle"))
_has_own_element = any_of(
    r"\bblockIdx\.\w\s*\*\s*blockDim\.|\bblockDim\.\w\s*\*\s*blockIdx\.|\bthis_grid\s*\(\s*\)\.thread_rank"
    r"|\bCUDA_(?:1D_)?KERNEL_LOOP"
)
_LOOP = re.compile(rf"(?:{begun('for')}|{begun('while')})\s*\(")
_STOP = re.compile(r"[;{}]")
_ADDED = re.compile(r"[;{})]\s*\w+\s*\+=")
_MAXIMUM = re.compile(r"(\b\w+)\s*=\s*f?max[f]?\(\s*\1\b")
_FOR = re.compile(begun("for") + r"\s*\(")
_HEADER_END = re.compile(r"\)(?=\s*[{\w#])")
_ASM_FEATURES = (
    ("mma-asm", ("mma.", "ldmatrix")),
    ("wmma", ("wmma.",)),
    ("wgmma", ("wgmma.", "tcgen05.")),
    ("tma", ("cp.async.bulk", "cp.reduce.async.bulk")),
    ("cp-async", ("cp.async",)),
    ("mbarrier", ("mbarrier.",)),
    ("cluster", ("barrier.cluster", "mapa", "cluster")),
)


def _features(body: str, assembly: Sequence[Assembly]) -> set[str]:
    found = {name for name, has in _FEATURES.items() if has(body)}
    loop = _LOOP.search(body)
    if loop:
        found.add("loop")
        is_alone = not found & _COMBINING and _has_own_element(body)  # a thread adds up for the one that is its own
        if not is_alone and _accumulates(_without_headers(body[loop.start() :])):
            found.add("accumulation")
    for statement in assembly:
        if statement.opcodes:
            found.add("asm")
            found |= {name for name, heads in _ASM_FEATURES if any(o.startswith(heads) for o in statement.opcodes)}
    return found


def _without_headers(body: str) -> str:
    """A body with the brackets of its `for` loops left out: `for ` alone stands there."""
    stops = [match.start() for match in _STOP.finditer(body)]
    ends: dict[int, int] = {}  # by the second semicolon, where the header ends that has it
    pieces: list[str] = []
    last = 0
    for match in _FOR.finditer(body):
        place = bisect_left(stops, match.end())
        if match.start() < last or place + 1 >= len(stops):
            continue
        first, second = stops[place], stops[place + 1]
        if body[first] != ";" or body[second] != ";":
            continue
        if second not in ends:
            stop = stops[place + 2] if place + 2 < len(stops) else len(body)
            ending = _HEADER_END.search(body, second + 1, min(stop + 1, len(body)))
            ends[second] = ending.end() if ending and ending.start() < stop else -1
        if ends[second] >= 0:
            pieces.extend((body[last : match.start()], "for "))
            last = ends[second]
    pieces.append(body[last:])
    return "".join(pieces)


def _accumulates(body: str) -> bool:
    """Whether something is added up or compared over and over: `sum += a[i];`, `m = fmaxf(m, x)`."""
    if "max" in body and _MAXIMUM.search(body):
        return True
    end = -1
    for match in _ADDED.finditer(body):
        if match.end() <= end:
            continue  # in a statement that was looked at from its beginning
        stop = _STOP.search(body, match.end())
        if stop is None:
            return False
        end = stop.start()
        if stop[0] == ";" and _INDEXED.search(body, match.end(), end):
            return True
    return False


_INDEXED = re.compile(r"[\[(*]")


def _called(body: str) -> set[str]:
    """Last names of the functions that a body calls."""
    return {match[1].rsplit("::", 1)[-1] for match in CALL.finditer(body) if match[1] not in KEYWORDS}
