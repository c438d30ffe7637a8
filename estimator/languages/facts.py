"""What a language module hands on: facts about a text, never judgements.

A fact says what stands where in the words of its language; rules decide what it means.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FactKind(StrEnum):
    """Kinds of fact; a rule's `match` names one of them and gives a pattern for its text."""

    INCLUDE = "include"  # header as written between brackets, or between quotes: then the detail says so
    CALL = "call"  # callee, qualified as written, without template arguments: cub::DeviceScan::Sum
    MEMBER_CALL = "member_call"  # object's type (if known, else name) and method: grid_group.sync
    NAME = "name"  # a qualified or plain name that is used, not called: cutlass::gemm::device::Gemm
    LAUNCH = "launch"  # kernel name at <<< >>>; detail holds the launch configuration
    KERNEL = "kernel"  # name of a __global__ definition
    ASM = "asm"  # assembly text put together from its pieces
    ATTRIBUTE = "attribute"  # __launch_bounds__(256, 2) with its arguments
    PRAGMA = "pragma"  # text behind #pragma
    CONDITION = "condition"  # text of an #if, #ifdef, #ifndef or #elif
    DEFINE = "define"  # name of a macro; detail holds its body
    CONSTANT = "constant"  # name of a constant with a number; detail holds the number
    LAUNCH_SIZE = "launch_size"  # name of a constant that a launch or a block's shape uses, where it is defined
    LANE = "lane"  # arithmetic on a thread index, normalised: "$thread % 32"
    MASK = "mask"  # a lane mask literal, or a 32-bit holder of one
    OPERATOR = "operator"  # the first of a text's free operators on a built-in vector type: "operator+ float4"
    STRING = "string"  # contents of a string literal
    IMPORT = "import"  # dotted module path, with the name behind "from … import": a.b.c; detail: names taken together
    DECORATOR = "decorator"  # dotted name of a decorator; the line is the decorator's
    COMMAND = "command"  # a build or shell command with its arguments, on one line
    SETTING = "setting"  # "key = value": make variables, YAML paths, environment settings, TOML keys
    REQUIREMENT = "requirement"  # "name specifier", name normalised: lower case, dashes
    IMAGE = "image"  # container image reference
    LINE = "line"  # a whole line of a text that has no finer facts


class Confidence(StrEnum):
    """How a fact was read: from the tree, from tokens, or with a doubt that stays."""

    PARSED = "parsed"
    LEXICAL = "lexical"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that stands in a text.

    line, end_line: from 1, lines of the file as a person counts them. column: from 1, in characters.
    detail: the second half of what the kind says, "" where there is none.
    function: name of the enclosing function, "" outside. space: where it runs: kernel, device, host,
    or "" when unknown. guards: conditions around it, outermost first, each as it holds:
    ("defined(USE_ROCM)", "!(__CUDA_ARCH__ < 800)"). amd_arm: "amd" inside an AMD arm; beside one "works" or
    "throws" by what that arm does; "missing" where a condition leaves AMD nothing; else "".
    first_line, last_line: those of the innermost statement around it, 0 where they are its own or none was read.
    """

    kind: FactKind
    text: str
    line: int
    end_line: int
    column: int = 1
    detail: str = ""
    function: str = ""
    space: str = ""
    guards: tuple[str, ...] = ()
    confidence: Confidence = Confidence.PARSED
    amd_arm: str = ""
    first_line: int = 0
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class DeviceFunction:
    """A function that runs on the device: what its body holds and whom it calls.

    features: words such as "shared-memory", "barrier", "shuffle", "atomic", "asm", "mma-asm", "wmma",
    "cp-async", "tma", "cluster", "cooperative", "texture", "double", "recursion"; sorted.
    calls: last names of the functions it calls, sorted. line, end_line: of its head and of its last bracket.
    """

    name: str
    features: tuple[str, ...]
    calls: tuple[str, ...]
    line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True)
class KernelFact:
    """One `__global__` definition, templates once; features and calls as in DeviceFunction."""

    name: str
    line: int
    end_line: int
    template: bool
    features: tuple[str, ...]
    calls: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    confidence: Confidence = Confidence.PARSED
    amd_arm: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All that one text gives. lines: its length. error_bytes: bytes inside what the parser gave up.

    definitions: names of functions and macros defined here that look like a vendor's API (cudaCheck).
    """

    language: str
    lines: int
    facts: tuple[Fact, ...]
    kernels: tuple[KernelFact, ...] = ()
    device_functions: tuple[DeviceFunction, ...] = ()
    error_bytes: int = 0
    size: int = 0
    doubts: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Harvest:
    """What one pass over the whole repository learnt that a single file can't show.

    qualifiers: macros that stand for attributes or specifiers and may be blanked before parsing.
    device_macros: those of them that make a function run on the device.
    kernel_macros: macros whose body makes a `__global__` definition out of what follows them.
    kernel_heads: macros that are the whole head of a kernel; their first argument names it.
    constants: numeric `#define`s and constants of the repository by name, where all agree.
    adaptive: constants with another value on another target: a warp width chosen by the build.
    aliases: namespace aliases of the repository, where all agree.
    launched: constants that a launch somewhere in the repository takes as the size of its blocks.
    kernel_parameters: names of the template parameters of kernels, where all of a name agree.
    """

    qualifiers: frozenset[str] = frozenset()
    device_macros: frozenset[str] = frozenset()
    kernel_macros: frozenset[str] = frozenset()
    kernel_heads: frozenset[str] = frozenset()
    constants: tuple[tuple[str, int], ...] = ()
    adaptive: frozenset[str] = frozenset()
    aliases: tuple[tuple[str, str], ...] = ()
    launched: frozenset[str] = frozenset()
    kernel_parameters: tuple[tuple[str, tuple[str, ...]], ...] = ()


NOTHING_HARVESTED = Harvest()
