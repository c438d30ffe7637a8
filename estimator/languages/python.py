"""Python, read with tree-sitter-python: imports, calls, decorators, names, strings, settings.

Names are given in full: `import cupy as cp; cp.RawKernel(…)` is a call of cupy.RawKernel. Only names that an
import binds are resolved; the first binding of a name counts, so that a fallback (`except ImportError:
import numpy as cp`) doesn't hide what it falls back from. Cython and what the parser gave up are read by
tokens, with lower confidence.
"""

from __future__ import annotations

import builtins
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Tree

from estimator.languages.arms import Arm, guards_of
from estimator.languages.depth import CUT, LONGEST_NAME, TOO_DEEP, kept
from estimator.languages.facts import Confidence, Fact, FactKind, Harvest, Reading
from estimator.languages.ptx import instructions
from estimator.languages.python_places import Place, Places
from estimator.languages.readings import DEEPEST, UNPARSED, any_of, compact, is_deeper, parsed, reading_of, simple_fact
from estimator.languages.requirements import normalised
from estimator.languages.spans import Spans

# What nodes of these types are taken as, all of them.
_TAKEN = {
    "import_statement": "import",
    "import_from_statement": "import",
    "call": "call",
    "attribute": "attribute",
    "augmented_assignment": "set",
    "string": "string",
    "concatenated_string": "joined",
    "decorated_definition": "decorated",
    "function_definition": "scope",
    "class_definition": "scope",
    "if_statement": "branch",
    "conditional_expression": "branch",
    "elif_clause": "test",
    "while_statement": "test",
    "if_clause": "test",
    "boolean_operator": "test",
    "not_operator": "test",
    "comparison_operator": "test",
    "try_statement": "try",
    "raise_statement": "message",
    "assert_statement": "message",
    "ERROR": "error",
}
_STRINGS = ("string", "concatenated_string")
_LISTED = frozenset({"list", "conditional_expression", "binary_operator"})
_COMPUTED = frozenset({"call", "binary_operator", "conditional_expression", "parenthesized_expression"})
_LANE_SIGNS = frozenset({"%", "//", "&", ">>"})
_LISTS = frozenset({"expression_list", "tuple", "parenthesized_expression", "conditional_expression"})
_LINKED = re.compile(rb"librar|ldflags|link_args|cflags")
_HELP = frozenset({b"help", b"description", b"epilog", b"reason"})
# The parser looks through all lines of such a run at each of them.
_IDLE_LINES = re.compile(rb"(?:^[ \t\f]*+(?:#[^\n]*+|\\)?\n){100,}+", re.MULTILINE)
_IDLE = re.compile(rb"[^\n]")

_is_relevant = any_of(
    r"(?i)cuda|cu(?:py|blas|fft|rand|solver|sparse|tensor|pti|dnn|file)|nvrtc|hipify|cutlass|cute|numba|triton|nvidia|nccl|nvml|nvtx|nvcc|rocm|\bhip\b|hip_|_hip|amdsmi|aiter|gfx\d|\bsm_?\d|compute_\d|capability"
    r"|flash_?attn|apex|transformer_engine|tensorrt|bitsandbytes|xformers|flashinfer|deep_?gemm|deep_ep|cudf|cuml|rmm|dcgm|mig-|nsys"
    r"|\bncu\b|__global__|\.cu\b|\.ptx|cubin|num_warps|num_stages|/dev/kfd|amd\.com|cudnn|ucx|gdrcopy|load_inline|jit_kernel|tilelang|mamba_ssm|causal_conv1d"
    r"|\bimport warp\b|\bucp\b|pyverbs|nixl|cvcuda|\bnvcv\b|nvimgcodec|pynv|holoscan"
    r"|cuopt|cuspatial|cuproj|cucim|cuvs|pylibraft|kvikio"
)
_SERVING = re.compile(r"^(?:from|import)\s+((?:vllm|sglang)\b[\w.]*)", re.MULTILINE)
# Conditions worth keeping as guards: about a platform or about what is installed.
_is_of_platform = any_of(
    r"(?i)hip|rocm|amd|cuda|nvidia|nvcc|gfx|gcn|\bsm_?\d|capability|available|hasattr|find_spec|triton|vendor|platform|device_type"
)
_speaks_of_devices = any_of(r"(?i)cuda|nvcc|nvidia|rocm|hipcc|amdgpu|gfx\d|triton|torch\.version|aiter")
_is_condition = any_of(
    r"(?i)hip|rocm|amd|cuda|nvidia|nvcc|gfx|aiter|compute_cap|device_capacity|(?:\b|_)(?:sm|cc)(?:\b|_|\d)|capability|arch"
)
# Variables whose value says how something is built, and values that do.
_is_of_build = any_of(
    r"(?i)cuda|nvcc|gencode|ptxas|hip|rocm|arch|cutlass|librar|link|ldflags|cflags|nvrtc|aiter|capabilit"
)
_KERNEL_PACKAGES = frozenset({"triton", "numba", "cupy", "pycuda", "cutlass", "tilelang", "quack", "jit_kernel"})
_KERNEL_ROOTS = frozenset({"cuda", "warp"})  # many a project has a folder of that name
_TRUTH = frozenset({"boolean_operator", "not_operator", "comparison_operator"})
_TUNING = frozenset(
    {"launch_pdl", "num_warps", "num_stages", "num_ctas", "maxnreg", "waves_per_eu", "num_consumer_groups"}
)
_NAME = re.compile(r"(?<![\w.\"'])[A-Za-z_]\w*(?:\.\w+)*")
_DOTTED = re.compile(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$")
_IMPORT_ERRORS = re.compile(r"\b(ImportError|ModuleNotFoundError|Exception|OSError|AttributeError|RuntimeError)\b")
_MESSAGE_CALL = re.compile(
    r"(^|\.)(print|log|debug|info|warning|warn|warning_once|info_once|error|critical|exception|add_argument_group|skip)$"
)
_SKIPPING = re.compile(r"(^|\.)(skipif|skipIf|skipUnless|xfail)$")
_PREFIX = re.compile(r"^([A-Za-z]*)('''|\"\"\"|'|\")")
_ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "", "\\": "\\", "'": "'", '"': '"'}
_DEVICE_SOURCE = re.compile(r"__global__|__device__")
_ADDING = frozenset({"append", "extend", "insert", "add", "update"})
_CHOSEN_VALUES = frozenset({"identifier", "attribute", "conditional_expression"})
# Variables whose value may be put together of numbers, and a number in it that is one's own choice.
_CHOSEN_SIZE = re.compile(rb"(?i)block|tile|num_warps|num_stages|warps|threads|split_k")
_OWN_NUMBER = re.compile(rb"(?<![\w.])(?:[2-9]|\d{2,})(?![\w.])")
# Variables that hold what a tuner tries.
_TABLE = re.compile(rb"(?i)config|powers_?of|autotun|search_?space")
_TABLES = frozenset({"list", "tuple", "dictionary", "call", "list_comprehension", "binary_operator"})
_THREE_NUMBERS = re.compile(r"(?<![\w.])\d{1,4}\b(?:[^\d\n]{1,40}\b\d{1,4}\b(?!\.\d)){2}")
_is_tuner = any_of(r"triton\.Config\b|triton\.autotune|\bautotuner?\b|get_best_config|@autotune")
# What a lane is told by: the right side of `tid % 32`.
_WIDTH = re.compile(rb"^(?:32|31|5|0x1[fF]|[\w.]*(?:warp|WARP|lanes|LANES|THREADS)[\w.]*)$")
# Keyword arguments whose tuples are sizes of a launch or versions of a device.
_SHAPED = frozenset({b"block", b"block_size", b"threads", b"cc", b"compute_capability", b"capability"})
_is_tuned = any_of(r"(?i)unroll|num_warps|num_stages|num_threads|block_?size|tile_?size|threads_per_block")
_is_chooser = any_of(r"(?i)config|heuristic|setting|launch|block|tile|num_warps|stages")
# Names of what must be installed: lists of requirements are told by them.
_REQUIRED = re.compile(rb"(?i)require|dependenc|\bextras\b")
_REQUIREMENT = re.compile(r"^([A-Za-z][\w.-]*+)\s*+(?:\[[\w, -]*+\])?\s*+((?:[=<>~!]=|[<>]|@\s|;)[^\n]*+)?$")
# Device code in the strings of a code generator: its statements of assembly and its tests.
_CODE_ASM = re.compile(r"\b(?:asm|__asm__)\s*+(?:volatile|__volatile__)?\s*+\(\s*+((?:\"(?:[^\"\\\n]|\\.)*+\"\s*+)++)")
_CODE_PIECE = re.compile(r"\"((?:[^\"\\\n]|\\.)*+)\"")
_CODE_TEST = re.compile(r"^[ \t]*+#[ \t]*+(?:el)?if(?:n?def)?\b[^\n]*+", re.MULTILINE)
_BLOCK_KEY = re.compile(r"(?:BLOCK|TILE|GROUP)_SIZE(?:_[MNK])?$|BLOCK_[MNK]$|SPLIT_K$")
_ENVIRONMENT_KEY = re.compile(r"^[A-Z][A-Z0-9_]{3,}$")
_FLAGS = frozenset({b"extra_cuda_cflags", b"extra_nvcc_flags", b"nvcc_args"})
_CONVERTED = re.compile(r"(?:int|str|float|bool|list|tuple|Path)\(\s*(\w+)\s*\)")
_ASSEMBLER = re.compile(r"(?:^|\.)llvm\.inline_asm$")
_OF_INSTRUCTIONS = re.compile(r"(?:^|[\s{;])@?[a-z]\w*+\.[a-z]|;|^(?:s|v|ds|buffer|global)_\w+ ")
_MOST_GIVEN = 12  # arguments that are looked at
_MOST_PIECES = 500
# Calls of these say nothing about a platform; leaving them out halves the facts of a file.
_BUILTINS = frozenset(dir(builtins)) - {"getattr", "hasattr", "__import__", "exec", "eval", "compile"}
_LONGEST_STRING = 200_000
_LONGEST_TEXT = 10_000
_LONGEST_SCOPE = 1_000


_Span = tuple[int, int, tuple[str, ...]]  # offsets and the guards of what stands between them


class _Mark(NamedTuple):
    """A fact while the text is read, before its scope and its guards are known; start: its offset."""

    kind: FactKind
    text: str
    line: int
    end_line: int
    start: int
    detail: str = ""
    function: str = ""
    column: int = 0  # from 1; 0: that of its start
    space: str = ""


@dataclass(slots=True)
class _Source:
    """One parsed text: its bytes, names bound by imports, spans of scopes, guards and messages."""

    data: bytes
    plain: str | None  # the text itself where a character is a byte
    aliases: dict[str, str] = field(default_factory=dict)
    scopes: Spans[str] = field(default_factory=lambda: Spans(()))
    guards: Spans[tuple[str, ...]] = field(default_factory=lambda: Spans(()))
    messages: Spans[str] = field(default_factory=lambda: Spans(()))
    required: Spans[str] = field(default_factory=lambda: Spans(()))
    kernels: bool = False
    tunes: bool = False  # whether it hands configurations to a tuner
    devices: bool = False  # whether a word of GPUs stands in it that means nothing else, as "hip" does
    places: Places = field(default_factory=lambda: Places(b""))

    def text(self, node: Node) -> str:
        return self.between(node.start_byte, node.end_byte)

    def beginning(self, node: Node) -> str:
        """Its text, cut where nobody looks any more: what is nested deep is read once a level."""
        return self.between(node.start_byte, min(node.end_byte, node.start_byte + _LONGEST_TEXT))

    def between(self, start: int, end: int) -> str:
        if self.plain is not None:
            return self.plain[start:end]
        return self.data[start:end].decode("utf-8", "replace")

    def scope(self, offset: int) -> str:
        """Dotted names of the functions and classes around an offset."""
        return ".".join(self.scopes.around(offset))[:_LONGEST_SCOPE]

    def held(self, offset: int) -> tuple[str, ...]:
        """Guards around an offset, outermost first."""
        around = self.guards.around(offset)
        return kept([guard for guards in around for guard in guards]) if around else ()


@functools.cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_python.language()))


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """All facts of a Python or Cython file; none where no word of the GPU world stands in it."""
    if not _is_relevant(text):
        return reading_of("python", text, _plain_imports(text))
    if path.lower().endswith((".pyx", ".pxd")):
        return reading_of("python", text, _lexical(text, {}, 1))
    return read_as("python", text)


def _plain_imports(text: str) -> Iterator[Fact]:
    """Imports of serving engines, in files without any other word of the GPU world."""
    line, last = 1, 0
    for match in _SERVING.finditer(text):
        line, last = line + text.count("\n", last, match.start(1)), match.start(1)
        yield simple_fact(FactKind.IMPORT, match[1], line, confidence=Confidence.LEXICAL)


def read_as(language: str, text: str) -> Reading:
    """The facts of Python text, for languages that share its grammar."""
    data = text.encode("utf-8", "surrogatepass")
    tree = parsed(_parser(), _IDLE_LINES.sub(lambda match: _IDLE.sub(b" ", match[0]), data))
    if tree is None or is_deeper(tree, DEEPEST):
        doubt = UNPARSED if tree is None else "nested too deeply for the parser: read by tokens"
        return reading_of(language, text, _lexical(text, {}, 1), len(data), (doubt,))
    nodes, places = _nodes(tree, data)
    taken: Callable[[str], list[Node]] = lambda name: nodes.get(name, [])  # noqa: E731
    plain = text if text.isascii() else None
    source = _Source(data, plain, tunes=_is_tuner(text), places=places, devices=_speaks_of_devices(text))
    marks: list[_Mark] = []
    for node in taken("import"):
        marks.extend(_imports(node, source))
    source.kernels = any(map(_is_of_kernels, source.aliases.values()))
    calls = taken("call")
    source.scopes = _scopes(taken("scope"), taken("decorated"), source)
    source.guards = _guards(taken("branch"), taken("try"), source)
    source.messages = _messages(taken("message"), calls, source)
    source.required = Spans([(node.start_byte, node.end_byte, "required") for node in taken("required")])
    decorators = [decorator for node in taken("decorated") for decorator in _decorators(node, source)]
    marks.extend(mark for mark, _ in decorators)
    skipped = {start for _, start in decorators}
    callees: set[int] = set()
    for node in calls:
        marks.extend(_call(node, source, skipped, callees))
    marks.extend(_names(taken("attribute"), source, callees | skipped))
    marks.extend(_strings(taken("string"), taken("joined"), {node.start_byte for node in taken("doc")}, source))
    for name, give in (
        ("set", _set),
        ("call", _addition),
        ("pair", _pair),
        ("keyword", _keyword),
        ("constant", _constant),
        ("constants", _constants),
        ("sizes", _sizes),
        ("table", _table),
        ("returned", _returned),
        ("lane", _lane),
        ("scope", _definition),
        ("linked", _linked),
        ("subscript", _subscript),
    ):
        for node in taken(name):
            marks.extend(give(node, source))
    marks.extend(_tests([*taken("branch"), *taken("test")], source))
    errors = _outermost(taken("error"))
    facts = list(_placed(_unique_imports(marks), source))
    doubts = (TOO_DEEP,) if source.scopes.is_cut or source.guards.is_cut else ()
    chosen, left_out = _error_lines(errors, len(text))
    if left_out:
        doubts = (*doubts, f"{left_out:,} errors in long lines: what stands in them was not read again by tokens")
    facts.extend(_inside_errors(chosen, text, source, facts))
    return reading_of(language, text, facts, sum(node.end_byte - node.start_byte for node in errors), doubts)


def _nodes(tree: Tree, data: bytes) -> tuple[dict[str, list[Node]], Places]:
    """The nodes of interest by what they are taken as, in the order of the text, outer ones first; their places.

    Walked with a cursor: a query takes the square of the time where one node has many children.
    """
    found: dict[str, list[Node]] = {}
    places = Places(data)
    cursor = tree.walk()
    while True:
        node = cursor.node
        assert node is not None
        places.enter(node, cursor)
        name = _TAKEN.get(node.type)
        if name is not None:
            found.setdefault(name, []).append(node)
        elif node.type in _CHOSEN and (chosen := _CHOSEN[node.type](node, data)) is not None:
            found.setdefault(chosen[0], []).append(chosen[1])
        if cursor.goto_first_child():
            continue
        places.leave()
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found, places
            places.leave()


def _type_of(node: Node, field_name: str) -> str:
    child = node.child_by_field_name(field_name)
    return child.type if child is not None else ""


def _alone(node: Node, _: bytes) -> tuple[str, Node] | None:
    """A string that is a statement: documentation."""
    if node.named_child_count != 1:
        return None
    child = node.named_children[0]
    return ("doc", child) if child.type in _STRINGS else None


def _with_text_key(node: Node, _: bytes) -> tuple[str, Node] | None:
    return ("pair", node) if _type_of(node, "key") == "string" else None


def _argument(node: Node, data: bytes) -> tuple[str, Node] | None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None:
        return None
    word = data[name.start_byte : name.end_byte]
    is_known = word.decode("ascii", "replace") in _TUNING or (value.type in ("tuple", "list") and word in _SHAPED)
    if value.type in ("list", "dictionary") and _REQUIRED.search(word):
        return "required", value
    if value.type in ("integer", "true") or is_known:
        return "keyword", node
    if value.type in _LISTED and _LINKED.search(word):
        return "linked", node
    if word in _FLAGS:
        return "keyword", node
    is_help = value.type in _STRINGS and name.type == "identifier" and word in _HELP
    return ("message", value) if is_help else None


def _number_default(node: Node, _: bytes) -> tuple[str, Node] | None:
    return ("keyword", node) if _type_of(node, "value") == "integer" else None


def _assigned(node: Node, data: bytes) -> tuple[str, Node] | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return None
    if left.type == "identifier":
        if right.type in ("list", "dictionary") and _REQUIRED.search(data, left.start_byte, left.end_byte):
            return "required", right
        is_known = data[left.start_byte : left.end_byte].decode("utf-8", "replace") in _TUNING
        is_sized = is_known or _CHOSEN_SIZE.search(data, left.start_byte, left.end_byte) is not None
        if right.type in _TABLES and _TABLE.search(data, left.start_byte, left.end_byte):
            return "table", node
        is_computed = is_sized and right.type in _COMPUTED and _holds_number(right, data)
        return ("constant", node) if is_computed or _is_numbers(right) else ("set", node)
    if left.type == "attribute" and right.type in ("integer", "tuple", "binary_operator") and _is_numbers(right):
        return "constant", node
    is_pairs = left.type in ("pattern_list", "tuple_pattern") and right.type in _LISTS
    return ("constants" if is_pairs else "set", node)


def _over_sizes(node: Node, data: bytes) -> tuple[str, Node] | None:
    """A loop over sizes to try: `for block_m in [16, 32]`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or right.type not in ("list", "tuple") or not _is_numbers(right):
        return None
    is_size = left.type == "identifier" and _CHOSEN_SIZE.search(data, left.start_byte, left.end_byte)
    return ("sizes", node) if is_size or _makes_configurations(node, data) else None


def _makes_configurations(node: Node, data: bytes) -> bool:
    """Whether a loop is the one of a list of configurations: `[Config(…) for s in (2, 3)]`."""
    listed = node.parent if node.type == "for_in_clause" else None
    return listed is not None and data.find(b"Config(", listed.start_byte, listed.start_byte + 2_000) >= 0


def _holds_number(node: Node, data: bytes) -> bool:
    """Whether a short value names a number of its own, other than by an index or inside a name."""
    return _OWN_NUMBER.search(data, node.start_byte, min(node.end_byte, node.start_byte + 400)) is not None


def _of_lanes(node: Node, data: bytes) -> tuple[str, Node] | None:
    """`tid % 32`, `tid // WARP_SIZE`: arithmetic with what may be the width of a warp."""
    right = node.child_by_field_name("right")
    if (
        right is None
        or right.end_byte - right.start_byte > LONGEST_NAME
        or _type_of(node, "operator") not in _LANE_SIGNS
    ):
        return None
    return ("lane", node) if _WIDTH.match(data[right.start_byte : right.end_byte]) else None


def _is_numbers(node: Node) -> bool:
    """Whether a value is a number, a list of them, or one of two by a condition."""
    if node.type == "conditional_expression":
        return all(side.type == "integer" for side in node.named_children[::2])
    is_several = node.type in ("list", "tuple", "binary_operator") and 0 < node.named_child_count < 20
    listed = node.named_children if is_several else [node]
    return all(item.type == "integer" for item in listed)


def _number_returned(node: Node, _: bytes) -> tuple[str, Node] | None:
    value = node.named_children[0] if node.named_child_count == 1 else None
    several = value.named_children if value is not None and value.type in ("expression_list", "tuple") else [value]
    return ("returned", node) if several and all(one is not None and one.type == "integer" for one in several) else None


def _text_subscript(node: Node, _: bytes) -> tuple[str, Node] | None:
    if _type_of(node, "value") not in ("attribute", "identifier"):
        return None
    is_text = any(child.type in _STRINGS for child in node.children_by_field_name("subscript"))
    return ("subscript", node) if is_text else None


_CHOSEN: dict[str, Callable[[Node, bytes], tuple[str, Node] | None]] = {
    "expression_statement": _alone,
    "pair": _with_text_key,
    "keyword_argument": _argument,
    "default_parameter": _number_default,
    "typed_default_parameter": _number_default,
    "assignment": _assigned,
    "return_statement": _number_returned,
    "binary_operator": _of_lanes,
    "for_statement": _over_sizes,
    "for_in_clause": _over_sizes,
    "subscript": _text_subscript,
}


def _tests(nodes: Iterable[Node], source: _Source) -> Iterator[_Mark]:
    """Tests of branches and other truth values that speak of a platform or of a device, the outermost of each."""
    nodes = nodes if source.devices else ()
    end = -1
    for node in sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte)):
        test = _tested(node)
        if test is None or test.start_byte < end:
            continue
        end = test.end_byte
        text = source.beginning(test)
        if (_is_condition(text) or _is_of_platform(text)) and not source.messages.around(test.start_byte):
            place = source.places.tests.get(test.start_byte)
            yield _standing(_mark(FactKind.CONDITION, compact(text), test), place)


def _tested(node: Node) -> Node | None:
    """What a branch or a truth value tests."""
    parts = node.named_children if node.type in ("conditional_expression", "if_clause") else []
    if parts:
        return parts[min(len(parts) - 1, 1)]
    return node if node.type in _TRUTH else node.child_by_field_name("condition")


def _standing(mark: _Mark, place: Place | None) -> _Mark:
    """The mark at the first line of what it belongs to."""
    if place is None or place.line > mark.line:
        return mark
    return mark._replace(line=place.line, end_line=max(place.end_line, mark.end_line), column=place.column)


def _set(node: Node, source: _Source) -> Iterator[_Mark]:
    """A variable of the build that gets a value: "set nvcc_flags=[…]"."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or right.type == "assignment" or not source.devices:
        return
    name = _holder(left, source)
    converted = _CONVERTED.fullmatch(source.beginning(right)) if right.type == "call" else None
    if converted and converted[1] == name:
        return  # the same in another type
    if name and (_is_of_build(name) or (right.type in _CHOSEN_VALUES and _is_of_build(source.beginning(right)))):
        yield _mark(FactKind.SETTING, f"set {name}={compact(source.beginning(right))}", node)


def _addition(node: Node, source: _Source) -> Iterator[_Mark]:
    """What is added to a variable of the build: `nvcc_flags.append("-g")` reads like `nvcc_flags += …`."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or function.type != "attribute":
        return
    method, held = function.child_by_field_name("attribute"), function.child_by_field_name("object")
    if method is None or held is None or source.text(method) not in _ADDING or not source.devices:
        return
    name = _holder(held, source)
    if name and _is_of_build(name):
        yield _mark(FactKind.SETTING, f"set {name}={compact(source.beginning(arguments))}", node)


def _holder(node: Node, source: _Source) -> str:
    """A variable as written, quotes left out: extra_args[nvcc]; "" for anything longer."""
    if node.type not in ("identifier", "attribute", "subscript") or node.end_byte - node.start_byte > LONGEST_NAME:
        return ""
    return re.sub(r"[\"'\s]", "", source.text(node))


def _outermost(nodes: Iterable[Node]) -> list[Node]:
    kept: list[Node] = []
    for node in nodes:
        if not kept or node.start_byte >= kept[-1].end_byte:
            kept.append(node)
    return kept


def _mark(kind: FactKind, text: str, node: Node, detail: str = "") -> _Mark:
    return _Mark(kind, text, node.start_point.row + 1, node.end_point.row + 1, node.start_byte, detail)


def _placed(marks: Iterable[_Mark], source: _Source) -> Iterator[Fact]:
    """The facts of marks, which come in the order of the text, with their columns, scopes and guards."""
    last = column = 0
    for mark in marks:
        offset = mark.start
        line_start = source.data.rfind(b"\n", last, offset) + 1
        if line_start:
            last, column = line_start, 0
        column += offset - last if source.plain is not None else len(source.between(last, offset))
        last = offset
        yield Fact(
            kind=mark.kind,
            text=mark.text,
            line=mark.line,
            end_line=mark.end_line,
            column=mark.column or column + 1,
            detail=mark.detail,
            function=mark.function or source.scope(offset),
            space=mark.space,
            guards=source.held(offset),
        )


def _unique_imports(marks: Iterable[_Mark]) -> Iterator[_Mark]:
    seen: set[str] = set()
    for mark in sorted(marks, key=lambda mark: mark.start):
        if mark.kind is FactKind.IMPORT:
            if mark.text in seen:
                continue
            seen.add(mark.text)
        yield mark


def _scopes(nodes: Iterable[Node], decorated: Iterable[Node], source: _Source) -> Spans[str]:
    """Functions and classes; what a decorator says belongs to what it decorates."""
    starts = {}
    for outer in decorated:
        definition = outer.child_by_field_name("definition")
        if definition is not None:
            starts[definition.start_byte] = outer.start_byte
    spans = []
    for node in nodes:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is not None and body is not None:
            start = starts.get(node.start_byte, name.end_byte)
            spans.append((start, body.end_byte, source.text(name)[:LONGEST_NAME]))
    return Spans(spans)


def _guards(branches: Iterable[Node], tries: Iterable[Node], source: _Source) -> Spans[tuple[str, ...]]:
    spans: list[_Span] = []
    for node in branches:
        spans.extend(_arms(node, source) if node.type == "if_statement" else _choice(node, source))
    for node in tries:
        body = node.child_by_field_name("body")
        handlers = [child for child in node.named_children if child.type == "except_clause"]
        if body is None:
            continue
        for handler in handlers:
            block = handler.named_children[-1] if handler.named_children else None
            head_end = block.start_byte if block is not None else handler.end_byte
            head = source.data[handler.start_byte : head_end].decode("utf-8", "replace")
            named = _IMPORT_ERRORS.search(head)
            if named or re.match(r"except\s*:", head):
                spans.append((body.start_byte, body.end_byte, (f"except {named[1] if named else 'Exception'}",)))
                break
    return Spans(spans)


def _arms(node: Node, source: _Source) -> Iterator[_Span]:
    """Bodies of an if statement, each with what holds inside."""
    arms: list[Arm] = []
    bodies: list[Node] = []
    for arm in (node, *node.children_by_field_name("alternative")):
        condition = arm.child_by_field_name("condition")
        body = arm.child_by_field_name("consequence" if condition is not None else "body")
        if body is None:
            return
        text = _condition(source.beginning(condition), source) if condition is not None else ""
        arms.append(Arm(text, _only_raises(body)))
        bodies.append(body)
    for body, guards in zip(bodies, guards_of(arms), strict=True):
        if chosen := _of_platform(guards):
            yield (body.start_byte, body.end_byte, chosen)


def _of_platform(guards: Iterable[str]) -> tuple[str, ...]:
    return tuple(guard for guard in guards if guard == CUT or _is_guard(guard))


_is_guard = functools.lru_cache(maxsize=4096)(_is_of_platform)  # a long chain of arms repeats them


def _only_raises(body: Node) -> bool:
    statements = [child for child in body.named_children if child.type != "comment"]
    return bool(statements) and all(child.type in ("raise_statement", "assert_statement") for child in statements)


def _choice(node: Node, source: _Source) -> Iterator[_Span]:
    """Both sides of `a if condition else b`."""
    parts = [child for child in node.named_children if child.type != "comment"]
    if len(parts) != 3:
        return
    arms = (Arm(_condition(source.beginning(parts[1]), source)), Arm(""))
    for side, guards in zip((parts[0], parts[2]), guards_of(arms), strict=True):
        if chosen := _of_platform(guards):
            yield (side.start_byte, side.end_byte, chosen)


def _condition(text: str, source: _Source) -> str:
    """A condition on one line, its names in full."""
    plain = compact(text, 160)
    return _NAME.sub(lambda match: _resolved(match[0], source), plain)


def _messages(nodes: Iterable[Node], calls: Iterable[Node], source: _Source) -> Spans[str]:
    """Places where a string is said to a person, not used."""
    spans = [(_said(node), node.end_byte, "said") for node in nodes]
    for node in calls:
        function = node.child_by_field_name("function")
        if function is None:
            continue
        start, end = function.start_byte, function.end_byte
        name = source.between(max(start, end - 60), end)
        arguments = node.child_by_field_name("arguments")
        if _MESSAGE_CALL.search(name):
            spans.append((function.end_byte, node.end_byte, "said"))
        elif _SKIPPING.search(name) and arguments is not None and arguments.named_children:
            spans.append((arguments.named_children[0].end_byte, node.end_byte, "said"))
    return Spans(spans)


def _said(node: Node) -> int:
    """Where a message begins: behind the test of an assertion, else with the node."""
    parts = node.named_children if node.type == "assert_statement" else []
    return parts[0].end_byte if parts else node.start_byte


def _imports(node: Node, source: _Source) -> Iterator[_Mark]:
    """Modules and names of an import statement, each with all that one statement takes from its module; binds them."""
    module = ""
    if node.type == "import_from_statement":
        name = node.child_by_field_name("module_name")
        module = "".join(source.text(name).split())[:LONGEST_NAME] if name is not None else ""
        if any(child.type == "wildcard_import" for child in node.named_children):
            yield _mark(FactKind.IMPORT, module, node)
            return
    named = node.children_by_field_name("name")
    together = compact(", ".join(source.text(child) for child in named[:_MOST_GIVEN])) if module else ""
    for child in named:
        original, alias = child, None
        if child.type == "aliased_import":
            found = child.child_by_field_name("name")
            original, alias = (found if found is not None else child), child.child_by_field_name("alias")
        name_text = "".join(source.text(original).split())[:LONGEST_NAME]
        full = (module if module.endswith(".") else f"{module}.") + name_text if module else name_text
        if alias is not None:
            source.aliases.setdefault(source.text(alias), full)
        elif module:
            source.aliases.setdefault(name_text, full)
        else:
            top = name_text.split(".")[0]
            source.aliases.setdefault(top, top)
        yield _mark(FactKind.IMPORT, full, child if module == "" else node, together)


def _is_of_kernels(name: str) -> bool:
    """Whether an imported name belongs to a package that kernels are written with."""
    parts = name.split(".")
    return parts[0] in _KERNEL_ROOTS or not _KERNEL_PACKAGES.isdisjoint(parts)


def _resolved(dotted: str, source: _Source) -> str:
    head, dot, rest = dotted.partition(".")
    return source.aliases.get(head, head) + dot + rest


def _callee(node: Node, source: _Source) -> str:
    """A called name in full; "name[]" for what is indexed first, ".name" behind anything but names."""
    if node.type == "subscript":
        value = node.child_by_field_name("value")
        return f"{_callee(value, source)}[]" if value is not None and value.type != "subscript" else "[]"
    text = source.beginning(node)
    if _DOTTED.match(text):
        return _resolved(text, source)
    text = "".join(text.split()) if len(text) < 300 else ""
    if _DOTTED.match(text):
        return _resolved(text, source)
    if node.type == "attribute":
        name = node.child_by_field_name("attribute")
        return f".{source.text(name)}" if name is not None else ""
    return ""


def _decorators(node: Node, source: _Source) -> Iterator[tuple[_Mark, int]]:
    """Decorators of a definition, each with the offset of its expression."""
    definition = node.child_by_field_name("definition")
    name = definition.child_by_field_name("name") if definition is not None else None
    if definition is None or name is None:
        return
    scope = source.scope(node.start_byte)
    for child in node.children:
        if child.type != "decorator" or not child.named_children:
            continue
        expression = child.named_children[0]
        arguments = None
        if expression.type == "call":
            arguments = expression.child_by_field_name("arguments")
            function = expression.child_by_field_name("function")
            expression = function if function is not None else expression
        text = _callee(expression, source)
        detail = compact(source.beginning(arguments)) if arguments is not None else ""
        mark = _Mark(
            FactKind.DECORATOR,
            text,
            child.start_point.row + 1,
            name.end_point.row + 1,
            child.start_byte,
            detail,
            function=scope,
        )
        yield mark, child.named_children[0].start_byte


def _call(node: Node, source: _Source, skipped: set[int], callees: set[int]) -> Iterator[_Mark]:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return
    if function.type == "attribute":
        callees.add(function.start_byte)
    if node.start_byte in skipped:
        return
    text = _callee(function, source)
    if not text or text in _BUILTINS:
        return
    inner = source.beginning(arguments)
    if arguments.type == "argument_list":
        inner = inner[1:-1]
    line = function.end_point.row + 1
    place = source.places.tests.get(node.start_byte)
    yield _standing(_Mark(FactKind.CALL, text, line, node.end_point.row + 1, node.start_byte, compact(inner)), place)
    if _ASSEMBLER.search(text):
        yield _assembly(arguments, node, source)
    if source.kernels and (size := _block_of_launch(function, arguments, source)):
        yield _mark(FactKind.CONSTANT, f"launch {text}", function, size)
    if "env" not in text or source.messages.around(node.start_byte):
        return
    name = text.removeprefix(".").removeprefix("os.")
    if name.endswith((".setenv", ".delenv")) or name in (
        "getenv",
        "environ.get",
        "environ.setdefault",
        "environ.pop",
        "putenv",
        "env.setdefault",
    ):
        key = re.match(r"""\s*["'](\w+)["']""", inner)
        if key:
            mark = _Mark(FactKind.SETTING, f"env {key[1]}", line, line, node.start_byte, compact(inner))
            yield _standing(mark, place)


def _assembly(arguments: Node, node: Node, source: _Source) -> _Mark:
    """The text of `inline_asm(…)` as far as it is written there, else "{text}"."""
    given = [child.child_by_field_name("value") or child for child in arguments.named_children]
    told = (_joined(child, source) for child in given[:_MOST_GIVEN])
    text = next((text for text in told if text and _OF_INSTRUCTIONS.search(text)), "{text}")
    return _mark(FactKind.ASM, text, node, " | ".join(instructions(text)))._replace(space="device")


def _joined(node: Node, source: _Source) -> str:
    """The strings that a text is put together from: next to one another, by + or by %; what is put in is left out."""
    waiting = [node]
    pieces: list[str] = []
    while waiting and len(pieces) < _MOST_PIECES:
        piece = waiting.pop()
        if piece.type == "string":
            pieces.append(_content(source.beginning(piece)))
        elif piece.type in ("concatenated_string", "parenthesized_expression", "binary_operator"):
            waiting.extend(reversed(piece.named_children))
    return "".join(pieces)[:_LONGEST_TEXT]


def _block_of_launch(function: Node, arguments: Node, source: _Source) -> str:
    """The number of threads at a launch: `kernel[blocks, 256](…)`, `kernel((blocks,), (256,), …)`; "" for others."""
    if function.type == "subscript":
        shapes = function.children_by_field_name("subscript")
    else:
        shapes = [child for child in arguments.named_children[:2] if child.type == "tuple"]
    block = shapes[1] if len(shapes) > 1 else None
    if block is not None and block.type == "tuple" and block.named_children:
        block = block.named_children[0]
    return source.text(block) if block is not None and block.type == "integer" else ""


def _names(nodes: Iterable[Node], source: _Source, callees: set[int]) -> Iterator[_Mark]:
    """Longest dotted chains that begin with an imported name and aren't called."""
    end = -1
    for node in nodes:
        if node.start_byte < end:
            continue
        text = "".join(source.text(node).split()) if node.end_byte - node.start_byte < 300 else ""
        if not _DOTTED.match(text):
            continue
        end = node.end_byte
        if node.start_byte in callees or text.split(".", 1)[0] not in source.aliases:
            continue
        mark = _mark(FactKind.NAME, _resolved(text, source), node)
        yield _standing(mark, source.places.tests.get(node.start_byte))


def _strings(
    strings: Iterable[Node], joined: Iterable[Node], documentation: set[int], source: _Source
) -> Iterator[_Mark]:
    """String literals with escapes resolved; adjacent ones are one string. Docstrings and messages are left out."""
    end = -1
    for node in sorted([*strings, *joined], key=lambda node: (node.start_byte, -node.end_byte)):
        if node.start_byte < end:
            continue
        end = node.end_byte
        if node.start_byte in documentation:
            continue
        pieces = [child for child in node.named_children if child.type == "string"]
        raw = [source.text(piece) for piece in (pieces if node.type == "concatenated_string" else [node])]
        text = "".join(_content(piece) for piece in raw)
        if not text.strip():
            continue
        if source.messages.around(node.start_byte) and not _DEVICE_SOURCE.search(text):
            continue
        mark = _mark(FactKind.STRING, text[:_LONGEST_STRING], node)
        if source.required.around(node.start_byte) and (needed := _REQUIREMENT.match(text.strip())):
            text = f"{normalised(needed[1])} {needed[2] or ''}".strip()
            yield mark._replace(kind=FactKind.REQUIREMENT, text=text)
            continue
        if text.endswith(".ptx") and not (source.kernels or source.devices):
            continue  # scanners of rooms write point clouds of that name
        yield from _code_in(mark)
        yield mark if "\n" in text else _standing(mark, source.places.entries.get(node.start_byte))


def _code_in(mark: _Mark) -> Iterator[_Mark]:
    """Assembly and tests of the preprocessor in a string of device code that is no whole kernel, at their own lines."""
    text = mark.text
    if "__global__" in text or ("asm" not in text and "__CUDA_ARCH__" not in text):
        return
    line, last = mark.line, 0
    found = sorted([*_CODE_ASM.finditer(text), *_CODE_TEST.finditer(text)], key=lambda match: match.start())
    for match in found:
        line, last = line + text.count("\n", last, match.start()), match.start()
        end = min(line + match[0].rstrip().count("\n"), mark.end_line)
        place = mark._replace(line=min(line, mark.end_line), end_line=end)
        if match.re is _CODE_ASM:
            assembly = "".join(_CODE_PIECE.findall(match[1]))
            yield place._replace(kind=FactKind.ASM, text=assembly, detail=" | ".join(instructions(assembly)))
        else:
            yield place._replace(kind=FactKind.CONDITION, text=compact(match[0]))


def _content(raw: str) -> str:
    """What a literal holds. A \\n becomes a line break only where the literal itself has one line."""
    match = _PREFIX.match(raw)
    if match is None:
        return raw
    prefix, quote = match[1].lower(), match[2]
    text = raw[match.end() : len(raw) - len(quote)]
    if "r" not in prefix:
        lines = "\n" in text
        text = _ESCAPE.sub(lambda found: _unescaped(found[1], lines), text)
    if "f" in prefix:
        if _DEVICE_SOURCE.search(text):
            text = re.sub(r"(?<!\{)\{([A-Za-z_]\w{0,200}+)[^{}\n]{0,400}+\}(?!\})", r"\1", text)
        text = text.replace("{{", "{").replace("}}", "}")
    return text


def _unescaped(character: str, lines: bool) -> str:
    if character == "\n":
        return "\\\n"
    if character == "n" and lines:
        return "\\n"
    return _ESCAPES.get(character, "\\" + character)


def _pair(node: Node, source: _Source) -> Iterator[_Mark]:
    """Entries of a dictionary that read like settings: "NCCL_DEBUG=INFO", "nvcc=[…]", "num_warps=4"."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is None or value is None:
        return
    name = _content(source.text(key))
    is_number = value.type == "integer" and (source.kernels or _BLOCK_KEY.match(name) is not None)
    if is_number or name in _TUNING or name == "nvcc" or _ENVIRONMENT_KEY.match(name):
        mark = _mark(FactKind.SETTING, f"{name}={compact(source.beginning(value))}", node)
        yield _standing(mark, source.places.tests.get(node.start_byte))


def _keyword(node: Node, source: _Source) -> Iterator[_Mark]:
    """Keyword arguments and defaults with a number, such as num_warps=4."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None:
        return
    word = source.text(name)
    call = node.parent.parent if word.encode() in _FLAGS and node.parent is not None else None
    if call is not None:
        mark = _mark(FactKind.SETTING, f"{word}={compact(source.beginning(value))}", call)
        yield mark._replace(start=node.start_byte, column=1)
    elif source.kernels or word in _TUNING or (source.devices and value.type == "tuple"):
        mark = _mark(FactKind.SETTING, f"{word}={compact(source.beginning(value))}", node)
        yield _standing(mark, source.places.tests.get(node.start_byte))


def _constant(node: Node, source: _Source) -> Iterator[_Mark]:
    name, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if name is None or value is None or not source.kernels or not source.text(name):
        return
    kind = node.child_by_field_name("type")
    if not any(character.isdigit() for character in source.beginning(value)):
        return
    if kind is None or not source.scopes.around(node.start_byte) or "constexpr" not in source.beginning(kind):
        yield _mark(FactKind.CONSTANT, source.text(name), node, compact(source.beginning(value)))


def _constants(node: Node, source: _Source) -> Iterator[_Mark]:
    """`BLOCK_M, BLOCK_N = 64, 32`: a constant for each number, also where a condition chooses among them."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or not source.kernels:
        return
    chosen = right.type in ("parenthesized_expression", "conditional_expression")
    values = [right] * left.named_child_count if chosen else right.named_children
    for name, value in zip(left.named_children, values, strict=False):
        if name.type == "identifier" and (chosen or value.type == "integer"):
            yield _mark(FactKind.CONSTANT, source.text(name), node, compact(source.beginning(value)))


def _sizes(node: Node, source: _Source) -> Iterator[_Mark]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and right is not None and source.kernels:
        name = source.beginning(left)
        text = f"config {compact(name)}" if _makes_configurations(node, source.data) else name
        yield _mark(FactKind.CONSTANT, text, right, compact(source.beginning(right)))


def _table(node: Node, source: _Source) -> Iterator[_Mark]:
    """Lists and tables of sizes in a file that tunes kernels: `configs = [(64, 32, 4), …]`; others as they are."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or not (source.kernels and source.tunes):
        yield from _constant(node, source) if right is not None and _is_numbers(right) else _set(node, source)
        return
    written = source.beginning(right)
    if (found := _THREE_NUMBERS.search(written)) and "Config(" not in written:
        yield _mark(FactKind.CONSTANT, f"table {source.text(left)}", node, found[0])


def _returned(node: Node, source: _Source) -> Iterator[_Mark]:
    """Numbers that a chooser of launch sizes gives back, under the chooser's name."""
    around = source.scopes.around(node.start_byte) if source.kernels else ()
    value = node.named_children[0]
    if around and value.type == "integer" and _is_tuned(around[-1]):
        yield _mark(FactKind.CONSTANT, around[-1], node, source.text(value))
    elif around and value.type != "integer" and _is_chooser(around[-1]):
        yield _mark(FactKind.CONSTANT, f"table {around[-1]}", node, compact(source.text(value)))


def _lane(node: Node, source: _Source) -> Iterator[_Mark]:
    """Arithmetic that may tell lanes and warps, in files that hold kernels."""
    if source.kernels:
        yield _mark(FactKind.LANE, compact(source.beginning(node), 200), node)


def _definition(node: Node, source: _Source) -> Iterator[_Mark]:
    """Functions whose name speaks of a platform: "def get_hip_version"."""
    name = node.child_by_field_name("name")
    if name is None or node.type != "function_definition" or not source.devices:
        return
    if _is_of_platform(text := source.text(name)[:LONGEST_NAME]):
        yield _mark(FactKind.SETTING, f"def {text}", name)


def _linked(node: Node, source: _Source) -> Iterator[_Mark]:
    """Libraries and flags of an extension: "set libraries=[…]"."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is not None and value is not None and source.devices:
        yield _mark(FactKind.SETTING, f"set {source.text(name)}={compact(source.beginning(value))}", node)


def _subscript(node: Node, source: _Source) -> Iterator[_Mark]:
    """Environment variables: os.environ["X"], env["X"]."""
    value = node.child_by_field_name("value")
    key = node.child_by_field_name("subscript")
    if value is None or key is None:
        return
    holder = _callee(value, source)
    if re.search(r"(^|\.)environ$|(^|[._])env(ironment|_vars)?$", holder):
        mark = _mark(FactKind.SETTING, f"env {_content(source.text(key))}", node)
        yield _standing(mark, source.places.tests.get(node.start_byte))


def _error_lines(nodes: Iterable[Node], size: int) -> tuple[list[tuple[int, int]], int]:
    """First and last lines of what the parser gave up, from 0, and how many errors are left out.

    size: of the text. Lines with very many errors are not read again for each of them.
    """
    room = 4 * size + 100_000
    chosen: dict[tuple[int, int], None] = {}
    left_out = 0
    for node in nodes:
        lines = node.start_point.row, node.end_point.row
        if lines in chosen:
            continue
        room -= node.end_byte - node.start_byte + node.start_point.column
        if room < 0:
            left_out += 1
        else:
            chosen[lines] = None
    return list(chosen), left_out


def _inside_errors(
    ranges: Iterable[tuple[int, int]], text: str, source: _Source, known: Iterable[Fact]
) -> Iterator[Fact]:
    """Facts by tokens on the lines of what the parser gave up."""
    seen = {(fact.kind, fact.text, fact.line) for fact in known}
    lines = text.split("\n")
    for first, last in ranges:
        for fact in _lexical("\n".join(lines[first : last + 1]), source.aliases, first + 1):
            if (fact.kind, fact.text, fact.line) not in seen:
                seen.add((fact.kind, fact.text, fact.line))
                yield fact


_LEXEME = re.compile(
    r"""(?P<comment>\#[^\n]*)
      |(?P<string>[rRbBuUfF]{0,2}(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))
      |(?P<name>[A-Za-z_]\w*(?:[ \t]*\.[ \t]*[A-Za-z_]\w*)*)(?P<call>[ \t]*\()?
      |(?P<at>@)|(?P<newline>\n[ \t]*)|(?P<space>[ \t]+)|(?P<other>\d[\w.]*|.)""",
    re.VERBOSE | re.DOTALL,
)
_IMPORT_LINE = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<module>[\w.]+)[ \t]+c?import[ \t]+\(?(?P<names>[^\n#]*)"
    r"|c?import[ \t]+(?P<plain>[\w., \t]+))",
    re.MULTILINE,
)
_TEST_LINE = re.compile(r"^[ \t]*+(?:el)?(?:if|IF)\b[ \t]*+([^\n]{1,300}+)", re.MULTILINE)
_EXTERN = re.compile(r"""^([ \t]*)cdef[ \t]+extern[ \t]+from[ \t]+["']<?([^"'>]+)>?["'][^\n]*\n""", re.MULTILINE)
_KEYWORDS = frozenset(
    {"return", "in", "and", "or", "not", "if", "elif", "while", "else", "await", "yield", "assert", "lambda", "is"}
    | {"with", "raise", "del", "for", "print", "from", "import", "except", "nogil", "gil"}
)


def _lexical(text: str, aliases: dict[str, str], first_line: int) -> Iterator[Fact]:
    """Facts by tokens: imports, calls, decorators and strings; declarations of Cython are no calls."""
    bound = dict(aliases)
    source = _Source(b"", "", bound)
    line, last = first_line, 0
    for match in _IMPORT_LINE.finditer(text):
        start = match.start(match.lastgroup or 0)
        line, last = line + text.count("\n", last, start), start
        for name in _imported(match, bound):
            yield Fact(FactKind.IMPORT, name, line, line, confidence=Confidence.LEXICAL)
    yield from _test_lines(text, first_line)
    declared: list[tuple[int, int]] = []
    line, last = first_line, 0
    for match in _EXTERN.finditer(text):
        line, last = line + text.count("\n", last, match.start(1)), match.start(1)
        yield Fact(FactKind.INCLUDE, match[2], line, line, confidence=Confidence.LEXICAL)
        deeper = re.compile(rf"(?:{match[1]}[ \t]+[^\n]*\n|[ \t]*\n)*").match(text, match.end())
        declared.append((match.start(), deeper.end() if deeper else match.end()))
    line = first_line
    waiting = reach = 0  # of the declarations: the next one, and how far those before it go
    before, decorating = "", False
    for match in _LEXEME.finditer(text):
        kind = match.lastgroup
        if kind == "call" or kind == "name":
            name = "".join(match["name"].split())
            words = before.split()
            declaration = bool(words) and words[-1] not in _KEYWORDS and re.match(r"^\w+\*?$", words[-1]) is not None
            while waiting < len(declared) and declared[waiting][0] <= match.start():
                reach = max(reach, declared[waiting][1])
                waiting += 1
            inside = match.start() < reach
            if decorating:
                yield Fact(FactKind.DECORATOR, _resolved(name, source), line, line, confidence=Confidence.LEXICAL)
            elif match["call"] and not declaration and not inside and name not in _KEYWORDS:
                detail = compact(text[match.end() : match.end() + 400].split("\n", 1)[0])
                yield Fact(FactKind.CALL, _resolved(name, source), line, line, 1, detail, confidence=Confidence.LEXICAL)
        elif kind == "string" and before.strip():
            content = _content(match["string"])
            if content.strip():
                end = line + match[0].count("\n")
                yield Fact(FactKind.STRING, content[:_LONGEST_STRING], line, end, confidence=Confidence.LEXICAL)
        decorating = (kind == "at" and not before.strip()) or (decorating and kind == "space")
        before = "" if kind == "newline" else (before + match[0])[-80:] if kind != "comment" else before
        line += match[0].count("\n")


def _test_lines(text: str, first_line: int) -> Iterator[Fact]:
    """Tests of `if`, as far as they stand on its line."""
    line, last = first_line, 0
    for match in _TEST_LINE.finditer(text):
        line, last = line + text.count("\n", last, match.start(1)), match.start(1)
        test = compact(match[1].rpartition(":")[0])
        if _is_condition(test):
            yield Fact(FactKind.CONDITION, test, line, line, confidence=Confidence.LEXICAL)


def _imported(match: re.Match[str], bound: dict[str, str]) -> Iterator[str]:
    module = match["module"] or ""
    module = module[:LONGEST_NAME]
    for part in re.split(r"[,;]", match["names"] or match["plain"] or ""):
        words = part.strip(" ()\\").split()
        words = [word[:LONGEST_NAME] for word in words[:3]]
        if not words or not _DOTTED.match(words[0]):
            if module and words == ["*"]:
                yield module
            continue
        full = (module if module.endswith(".") else f"{module}.") + words[0] if module else words[0]
        alias = words[2] if len(words) > 2 and words[1] == "as" else "" if module else words[0].split(".")[0]
        if alias or module:
            bound.setdefault(alias or words[0], full if alias not in full.split(".")[:1] else alias)
        yield full
