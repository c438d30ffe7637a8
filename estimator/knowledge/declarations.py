"""What a header or a Cython declaration file declares: functions with argument counts, types, constants.

Only names and counts leave this module. It reads C and C++ headers as text, without a preprocessor:
all branches of a conditional count, which is right for the question "does this name exist", unless the
caller names macros whose blocks are off.

Time grows with the length of a text, whatever stands in it: no pattern looks at the same stretch from many places
(hence the possessive ones), brackets are paired in one pass, and what lies in each other is followed to a depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

# C and C++.
_COMMENT = re.compile(r"""/\*.*?(?:\*/|\Z)|//[^\n]*|('"'|"(?:\\.|[^"\\\n])*+"?)""", re.S)
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*$", re.M)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:[ \t]+([^\n]*))?$", re.M)
_ONE_WORD = re.compile(r"^\(?(?:\w+\()?([A-Za-z_]\w*)\)*$")
_CALL = re.compile(r"\b([A-Za-z_]\w*)[ \t\n]*\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
_TAG = re.compile(
    r"\b(?:struct|union|enum|class)\s+(?:(?:class|struct)\s+)?(?:__\w+__?\s*(?:\([^()]*\)+\s*)?)*([A-Za-z_]\w*)"
)
_ENUM = re.compile(r"\benum\b[^;{}()]{0,400}+\{([^{}]*)\}")
_IN_STATEMENTS = re.compile(r"\btypedef\b|[{};]")
_USING = re.compile(r"\busing\s+([A-Za-z_]\w*)\s*=")
_POINTER_TO_FUNCTION = re.compile(r"\(\s*(?:\w+\s+)*\*\s*([A-Za-z_]\w*)\s*\)\s*\(")
_DECLARATOR = re.compile(r"\b([A-Za-z_]\w*+)\s*+(?:\[[^\[\]]*+\]\s*+)*+$")
_PARENTHESIS = re.compile(r"[()]")
_ATTRIBUTE = re.compile(r"\b(?:__declspec|__attribute__|__align__|\w*(?:_deprecated|DEPRECATED)\w*)\s*\([^;{}]*$")
_LAST_WORD = re.compile(r"(\w+)$")
_NOT_A_TYPE = frozenset({"return", "else", "case", "new", "delete", "throw", "goto", "sizeof", "defined"})
_DEFAULT = re.compile(r"=|\b__dparm\b|\b__dv\b")  # of an argument; the words are macros for one
# Qualifiers, attributes and macros between the parentheses of a declaration and its body or semicolon.
_AFTER_A_PROTOTYPE = re.compile(
    r"\s*+(?:(?>(?!__DEF_IF_HOST)__\w+|[A-Z][A-Z0-9_]*|const|noexcept|throw)\b\s*+(?:\((?:[^()]|\([^()]*+\))*+\)\s*+)?)*+(?:[;{]|__DEF_IF_HOST)"
)
# How far a declaration may reach, in characters, and how many may lie in each other; what is more is none.
_STATEMENT, _ARGUMENTS, _BEFORE, _AFTER = 200_000, 6_000, 120, 400
_DEEPEST = 8
# Cython, and the table of pairs.
_PXD_FUNCTION = re.compile(r"^cdef\s[^\n(]*?\b(\w+)\s*(?:\"\w+\"\s*)?\(([^\n]*)\)[^\n()]*$", re.M)
_PXD_ALIAS = re.compile(r"\b([A-Za-z_]\w*)\s+as\s+([A-Za-z_]\w*)")
_PXD_CHAIN = re.compile(r"^ctypedef\s+(\w+)\s+(\w+)\s*$", re.M)
_PXD_TYPE = re.compile(
    r"^[ \t]*+(?:ctypedef\s++[^\n(]*?\b(\w++)[ \t]*+(?::[ \t]*+)?+$"
    r"|ctypedef\s[^\n(]*\(\s*\*\s*(\w+)\)|cdef\s+(?:struct|enum|union)\s+(\w+))",
    re.M,
)
_PXD_CONSTANT = re.compile(
    r"^[ \t]*+cdef\s+(?:const\s+)?\w+(?:\s*\*)?\s+(\w+)[ \t]*$|^[ \t]++([A-Za-z_]\w*+)[ \t]*+$", re.M
)
_PAIR = re.compile(r"\(\s*[\"'](\w+)[\"'],\s*+(?:\(\s*+)?[\"'](\w+)[\"']")
_NOT_A_NAME = frozenset({"pass", "nogil"})


@dataclass(slots=True)
class Declared:
    """Names of one set of files.

    functions: by name, the argument counts it accepts; none where they are not known. types: typedef names
    and tags. constants: enumerators and, after `settle`, macros that stand for a value. defined: what the
    macros without arguments stand for.
    """

    functions: dict[str, set[int]] = field(default_factory=dict)
    types: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    defined: dict[str, str] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.functions or name in self.types or name in self.constants

    @property
    def names(self) -> set[str]:
        """All names, whatever their kind."""
        return self.functions.keys() | self.types | self.constants

    def add(self, name: str, counts: set[int]) -> None:
        """Note a function; counts may be empty when they are not known."""
        self.functions.setdefault(name, set()).update(counts)


def read_header(text: str, into: Declared, off: frozenset[str] = frozenset()) -> None:
    """Functions that a C or C++ header declares or defines inline, its types and enumerators; `settle` adds macros.

    off: names of macros whose `#if` blocks are left out.
    """
    text = _COMMENT.sub(lambda match: match.group(1) or " ", text).replace("\\\n", " ")
    if off:
        text = _without_blocks(text, off)
    into.defined.update((name, value) for name, given in _DEFINE.findall(text) if (value := given.strip()))
    text = _DIRECTIVE.sub("", text)
    for name, counts in _prototypes(text):
        into.add(name, counts)
    into.types.update(_types(text))
    into.constants.update(_enumerators(text))


def settle(declared: Declared) -> None:
    """Say what macros are, once all headers are read: a function, a type or a constant.

    A macro that maps a name to its versioned form (`#define cuMemAlloc cuMemAlloc_v2`) makes both functions
    where one is; any other macro for the name of a function or type is one too.
    """
    words = {name: word.group(1) for name, value in declared.defined.items() if (word := _ONE_WORD.match(value))}
    ends = _ends(words)
    for name in declared.defined:
        target = ends.get(name, name)
        if target in declared.functions:
            declared.add(name, declared.functions[target])
        elif name in declared.functions:
            if target.startswith(name):
                declared.add(target, declared.functions[name])
        elif target in declared.types:
            declared.types.add(name)
        else:
            declared.constants.add(name)


def read_pxd(text: str, into: Declared) -> None:
    """Names of a Cython declaration file; private helpers (leading underscore) are left out."""
    text = re.sub(r'""".*?"""|^[ \t]*#[^\n]*$', "", text, flags=re.M | re.S)
    for name, arguments in _PXD_FUNCTION.findall(text):
        if not name.startswith("_"):
            into.add(name, _counts(arguments))
    into.types.update(name for found in _PXD_TYPE.findall(text) if (name := "".join(found)) and name[0] != "_")
    constants = {"".join(found) for found in _PXD_CONSTANT.findall(text)}
    into.constants.update(name for name in constants - _NOT_A_NAME if name[0] != "_")


def read_aliases(text: str) -> dict[str, str]:
    """New name by old name of `cimport old as new` and of `ctypedef old new`, chains resolved.

    A chain that ends in a C type (`ctypedef int CUdevice`) ends there.
    """
    text = re.sub(r"#[^\n]*", "", text)
    pairs = {new: old for old, new in _PXD_ALIAS.findall(text)}
    pairs.update({new: old for old, new in _PXD_CHAIN.findall(text) if new not in pairs})
    return _ends(pairs)


def read_pairs(text: str) -> dict[str, str]:
    """Renamings of PyTorch's table, `("cudaX", ("hipX", ...))`: HIP name by CUDA name."""
    return dict(_PAIR.findall(text))


def _ends(pairs: Mapping[str, str]) -> dict[str, str]:
    """The end of the chain that each name begins; a circle ends somewhere in it."""
    ends: dict[str, str] = {}
    for first in pairs:
        way: dict[str, None] = {}
        name = first
        while name in pairs and name not in ends and name not in way:
            way[name] = None
            name = pairs[name]
        ends.update(dict.fromkeys(way, ends.get(name, name)))
    return ends


def _without_blocks(text: str, off: frozenset[str]) -> str:
    """The text without the first arm of each conditional that asks for one of these macros."""
    kept: list[str] = []
    stack: list[bool] = []  # for each open conditional, whether its present arm is left out
    left_out = 0  # how many of these are
    for line in text.split("\n"):
        directive = line.lstrip()
        if re.match(r"#\s*if", directive):
            stack.append(bool(off.intersection(_WORD.findall(directive))) and not re.match(r"#\s*ifndef", directive))
            left_out += stack[-1]
        elif re.match(r"#\s*(?:else|elif)", directive) and stack:
            left_out -= stack[-1]
            stack[-1] = False
        elif re.match(r"#\s*endif", directive) and stack:
            left_out -= stack.pop()
        if not left_out:
            kept.append(line)
    return "\n".join(kept)


def _enumerators(text: str) -> Iterator[str]:
    for body in _ENUM.findall(text):
        for part in _split(body):
            if word := _WORD.match(part.strip()):
                yield word.group()


def _types(text: str) -> Iterator[str]:
    yield from _TAG.findall(text)
    yield from _USING.findall(text)
    for statement in _typedefs(text):
        if pointer := _POINTER_TO_FUNCTION.search(statement):
            yield pointer.group(1)
            continue
        for part in _split(statement.rsplit("}", 1)[-1]):
            if word := _DECLARATOR.search(part.strip()):
                yield word.group(1)


def _typedefs(text: str) -> Iterator[str]:
    """What stands between each `typedef` and the semicolon that ends it, in the order of the ends."""
    depth = 0
    begun: list[tuple[int, int]] = []  # depth and place of typedefs that wait for their end, innermost last
    for match in _IN_STATEMENTS.finditer(text):
        match match.group():
            case "{":
                depth += 1
            case "}":
                depth -= 1
            case ";":
                if begun and begun[-1][0] == depth:
                    start = begun.pop()[1]
                    if match.start() - start <= _STATEMENT:
                        yield text[start : match.start()]
            case _:
                begun = [*(one for one in begun if one[0] < depth), (depth, match.end())][-_DEEPEST:]


def _prototypes(text: str) -> Iterator[tuple[str, set[int]]]:
    """Names that are declared as functions, not called, each with its argument counts; no preprocessor lines in it."""
    closing = _closing(text)
    for match in _CALL.finditer(text):
        end = closing.get(match.end() - 1, -1)
        if not 0 <= end - match.end() <= _ARGUMENTS or not _follows_a_type(text, match.start()):
            continue
        if _AFTER_A_PROTOTYPE.match(text, end + 1, end + _AFTER):
            yield match.group(1), _counts(text[match.end() : end])


def _follows_a_type(text: str, start: int) -> bool:
    """Whether what stands before a name can be the type that a function gives."""
    before = text[max(0, start - _BEFORE) : start].rstrip()
    if not before or not (before[-1].isalnum() or before[-1] in "_*&>)") or before.endswith("->"):
        return False
    if before[-1] == ")":  # an attribute before the name, not a cast or a call
        return _ATTRIBUTE.search(before) is not None
    word = _LAST_WORD.search(before)
    return not (word and word.group(1) in _NOT_A_TYPE)


def _closing(text: str) -> dict[int, int]:
    """Where each parenthesis closes, by the place where it opens; none for those that hold too many in each other."""
    closing: dict[int, int] = {}
    begun: list[list[int]] = []  # place and height of those still open, innermost last
    for match in _PARENTHESIS.finditer(text):
        if match.group() == "(":
            begun.append([match.start(), 0])
        elif begun:
            start, height = begun.pop()
            if height < _DEEPEST:
                closing[start] = match.start()
            if begun:
                begun[-1][1] = max(begun[-1][1], height + 1)
    return closing


def _counts(arguments: str) -> set[int]:
    """Argument counts a call may have: defaults make a range."""
    parts = [part.strip() for part in _split(arguments)]
    if parts in ([""], ["void"]):
        return {0}
    optional = sum(bool(_DEFAULT.search(part)) for part in parts)
    return set(range(len(parts) - optional, len(parts) + 1))


def _split(arguments: str) -> list[str]:
    """Parts between commas that stand in no brackets of any kind."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(arguments):
        if character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(arguments[start:position])
            start = position + 1
    return [*parts, arguments[start:]]
