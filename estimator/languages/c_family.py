"""CUDA, HIP, C and C++: facts from the syntax tree, from tokens where the tree gave up.

What must not be lost (asm, kernels, launches, attributes, directives) is found by tokens in the masked
text (`c_tokens`, `c_kernels`); what needs structure (calls against declarations, thread arithmetic,
constants) comes from tree-sitter (`c_tree`). Ranges that the parser can't see or gave up are read by tokens,
with lower confidence. `c_harvest` learns a repository's own macros first; `c_lanes` knows warps of 32,
`c_words` the vocabulary, `c_text` comments, strings and conditionals.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from estimator.languages import c_kernels, c_lanes, c_tokens, c_tree
from estimator.languages.c_found import Found, Function
from estimator.languages.c_kernels import Definition
from estimator.languages.c_text import blank, read_text
from estimator.languages.c_words import API_NAME, HIP_HEADER, has_shuffles, is_relevant
from estimator.languages.depth import TOO_DEEP
from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import any_of, line_count

_FEW = 50  # words that are looked for one after another
_WORD = re.compile(r"\w+")
_CUDA_FILE = re.compile(r"\.cuh?(\.|$)")
_HEADER_FILE = re.compile(r"\.(?:h|hh|hpp|hxx|inl|inc|ipp|tpp)$")
_holds_kernels = any_of(r"__global__|<<<|\bthreadIdx\.")
_TEMPLATE_FILES = (".in", ".j2", ".jinja", ".tmpl", ".template")
_PLACEHOLDER = re.compile(r"\{[{%#]|@\w+@")
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}"}


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Facts of a C-family text, sorted by place. A text without any GPU token gives its length alone."""
    language = "cuda" if _CUDA_FILE.search(path) else "hip" if ".hip" in path else "cpp"
    lines, size = line_count(text), len(text.encode("utf-8", "replace"))
    if (
        language != "cuda"
        and not is_relevant(text)
        and not _names_any(text, harvest.kernel_macros | harvest.kernel_heads)
    ):
        return Reading(language, lines, (), size=size)
    if path.endswith(_TEMPLATE_FILES):
        text = _without_placeholders(text)
    if language == "cpp" and _HEADER_FILE.search(path) and _holds_kernels(text):
        language = "cuda"
    return replace(_reading(text, harvest, language), lines=lines, size=size)


def _names_any(text: str, words: Collection[str]) -> bool:
    if len(words) > _FEW:
        return any(match[0] in words for match in _WORD.finditer(text))
    return any(word in text for word in words)


def _without_placeholders(text: str) -> str:
    """Template placeholders become identifiers of the same length; control blocks become blanks."""
    pieces: list[str] = []
    unclosed: set[str] = set()
    last = position = 0
    while match := _PLACEHOLDER.search(text, position):
        position, end = match.end(), match.end()
        closing = _CLOSING.get(match[0])
        if closing is not None:
            place = text.find(closing, match.end()) if closing not in unclosed else -1
            if place < 0:
                unclosed.add(closing)
                position = match.start() + 1
                continue
            end = place + len(closing)
        pieces.extend((text[last : match.start()], _stand_in(text[match.start() : end])))
        last = position = end
    pieces.append(text[last:])
    return "".join(pieces)


def _stand_in(whole: str) -> str:
    if whole.startswith(("{%", "{#")) or "\n" in whole:
        return blank(whole)
    return "v" + re.sub(r"\W", "_", whole[1:-1]) + "_"


def _reading(text: str, learnt: Harvest, language: str) -> Reading:
    """Everything in one text; tree before tokens, so that what both see is a fact of the tree."""
    source = read_text(text)
    found = Found(source, learnt, shuffles=has_shuffles(source.masked))
    found.constants.update(learnt.constants)
    found.aliases.update(learnt.aliases)
    parse = c_tokens.without_attributes(source, learnt)
    c_tokens.read_directives(found)
    kernels = c_kernels.definitions(source, learnt.kernel_macros, learnt.kernel_heads)
    for kernel in kernels:
        found.add(FactKind.KERNEL, kernel.fact.name, kernel.start, kernel.name_start + 1, space="kernel")
    gaps = c_tree.read_tree(parse, found, kernels)
    found.functions.extend(list(_unseen(kernels, found)))
    assembly = c_tokens.read_asm(found)
    c_tokens.read_attributes(found)
    c_tokens.read_launches(found)
    c_tokens.read_operators(found)
    c_tokens.read_capability(found)
    c_tokens.read_strings(found)
    for start, end in _few_times((*source.lexical, *gaps.ranges), len(parse)):
        c_tokens.read_range(start, end, found)
    c_lanes.name_constants(found)
    c_lanes.launch_constants(found)
    c_lanes.shared_constants(found)
    bodies = c_kernels.Bodies(source, parse, assembly)
    reading = Reading(
        language=language,
        lines=0,
        facts=found.in_order(),
        kernels=tuple(c_kernels.described(kernel, bodies) for kernel in kernels),
        device_functions=tuple(c_kernels.device_functions(found.functions, bodies)),
        error_bytes=gaps.bytes,
        doubts=tuple(_doubts(found, bodies)),
        definitions=_own_names(found),
    )
    return _for_amd(reading) if language == "hip" or any(map(_is_hip_header, reading.facts)) else reading


def _doubts(found: Found, bodies: c_kernels.Bodies) -> Iterator[str]:
    yield from found.doubts
    if found.source.conditions.is_cut:
        yield TOO_DEEP
    if bodies.is_cut:
        yield "functions that lie in one another: of some only the name was read"


def _few_times(ranges: Iterable[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Ranges to read; those that lie in others are left out where all together are many times the text."""
    room = 4 * size
    for start, end in ranges:
        room -= end - start
        if room >= 0:
            yield start, end


def _unseen(kernels: Iterable[Definition], found: Found) -> Iterator[Function]:
    """Kernels inside no function that the tree shows."""
    for kernel in kernels:
        if found.functions.at(kernel.body) is None:
            yield Function(kernel.fact.name, kernel.body, kernel.body, kernel.end, "kernel")


def _own_names(found: Found) -> tuple[str, ...]:
    """Names of functions and macros defined here that look like a vendor's API."""
    names = {function.name for function in found.functions}
    names |= {fact.text for fact in found.facts.values() if fact.kind is FactKind.DEFINE}
    return tuple(sorted(name for name in names if API_NAME.match(name)))


def _is_hip_header(fact: Fact) -> bool:
    return fact.kind is FactKind.INCLUDE and not fact.guards and bool(HIP_HEADER.match(fact.text))


def _for_amd(reading: Reading) -> Reading:
    """A text that is written for HIP as a whole."""
    return replace(
        reading,
        language="hip",
        facts=tuple(replace(fact, amd_arm="amd") for fact in reading.facts),
        kernels=tuple(replace(kernel, amd_arm="amd") for kernel in reading.kernels),
    )
