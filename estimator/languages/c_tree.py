"""What is found in the syntax tree: functions, calls, names, types, constants, and where lanes are counted.

One pass, without recursion: deep trees are a stranger's way to crash us. What needs the functions, types and
constants of the whole text is put off until the pass is over.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import tree_sitter
import tree_sitter_cuda

from estimator.languages import c_lanes
from estimator.languages.c_found import Found, Function
from estimator.languages.c_kernels import Definition
from estimator.languages.c_text import is_told
from estimator.languages.c_words import (
    AMD_NAMESPACES,
    API_NAME,
    CAPABILITY_PARTS,
    HANDLES,
    KEYWORDS,
    MASK,
    NESTED_TYPES,
    NUMBER,
    number,
    plain,
    shuffles_at,
)
from estimator.languages.depth import LONGEST_NAME
from estimator.languages.facts import FactKind
from estimator.languages.readings import UNPARSED, parsed, starts_of

_DEEPEST = 20_000
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_COMPARED = frozenset(("%", "&", "/", ">>", "<", "<=", "==", ">=", "!=", ">"))
_UNSIGNED = re.compile(r"(?:\w+\s+)*(?:unsigned|u?int(?:32_t)?|unsigned int)\s")
_CONSTANT_HEAD = re.compile(r"\b(?:const|constexpr|consteval|static)\b")
_UNCHANGING = re.compile(r"\bconstexpr\b|\bstatic\b")
_NAME_BEFORE = re.compile(r"(\w+)\s*=?\s*$")
_STARTS_AT_HALF_A_WARP = re.compile(r"=\s*(16)\s*;")
_DOUBLES_TO_A_WARP = re.compile(r";\s*\w+\s*<=?\s*(32|31)\s*;")
_OVER_LANES = re.compile(r"(?:;\s*\w+\s*<|=)\s*(32)(?:\s*/\s*2)?\s*;")
_LANES_WIDE = re.compile(r"32|\w+\s*\?\s*(?:32\s*:\s*\d+|\d+\s*:\s*32)")
_lanes_at = starts_of(r"\blane|[a-z]Lane|__shfl|\bSHFL_|__ballot")
_STOPS_AT = re.compile(r";\s*\w+\s*(>=?)\s*(\w+)\s*;")
_THREE_SIZES = re.compile(r"\d\d+\s*,\s*\d\d+\s*,\s*\d\d+\s*[,>]")
_LAUNCHER = re.compile(r"launch|kernel", re.IGNORECASE)
_THREADS = re.compile(r"\w*threads_?", re.IGNORECASE)
_CONSTANT = re.compile(r"::(?:k[A-Z]\w*|[A-Z][A-Z0-9_]+)$")
_OWN_NUMBER = re.compile(r"[^<]*?\b_?\d+\b")
_USED = re.compile(r"using\s+(namespace\s+)?(?:::)?([\w:]+)")
_STATEMENTS = (
    *("expression_statement", "return_statement", "throw_statement", "static_assert_declaration"),
    *("template_instantiation", "field_initializer", "template_parameter_list"),
)
_WITH_HEADERS = ("if_statement", "while_statement", "switch_statement", "for_range_loop")
_OBJECTS = frozenset(("identifier", "init_declarator", "array_declarator"))
_NAMED_TYPES = frozenset(("type_identifier", "template_type"))
_MOST_ARGUMENTS = 8
_MOST_NAMESPACES = 50
_WIDTH = 32
_MOST_PENDING = 500_000
_LONGEST_TEXT = 4_000
_LONGEST_NAME = 1_000  # with all that is called in it
_LONGEST_HEAD = 20_000


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


@dataclass(frozen=True, slots=True)
class Gaps:
    """What the parser gave up: the ranges, and the bytes in them without the whole statements among those."""

    ranges: tuple[tuple[int, int], ...]
    bytes: int


def read_tree(parse: str, found: Found, kernels: Iterable[Definition]) -> Gaps:
    """Record what the tree of a text shows; gives what the parser gave up.

    parse: the text for the parser, one byte a character. kernels: found before, so that a function that is
    one carries its name.
    """
    tree = parsed(_parser(), parse.encode("ascii", "replace"))
    if tree is None:
        found.doubts[UNPARSED] = None
        return Gaps(((0, len(parse)),), len(parse))
    walk = _Walk(parse, found, {kernel.body: kernel.fact.name for kernel in kernels})
    walk.run(tree)
    return Gaps(tuple(walk.errors), walk.error_bytes)


class _Walk:
    """One pass over the tree."""

    def __init__(self, parse: str, found: Found, kernels: dict[int, str]) -> None:
        self.parse = parse
        self.found = found
        self.kernels = kernels
        self.errors: list[tuple[int, int]] = []
        self.error_bytes = 0
        self.error_end = 0
        self.callees: set[int] = set()
        self.pending: list[tuple[Callable[..., None], tuple[object, ...]]] = []
        self.name_end = 0
        self.name_root = ""
        self.template_end = 0
        self.shifts_end = 0
        self.alias_end = 0
        self.defined: frozenset[str] = frozenset()  # names of the functions of this text
        self.places: dict[Callable[[str], list[int]], list[int]] = {}
        self.parent = ""  # type of the node around the one at hand; Node.parent climbs down from the root

    def handlers(self) -> dict[str, Callable[[tree_sitter.Node], None]]:
        """What each type of node is read by; kept by nobody, so that the walk is no cycle of references."""
        return {
            **dict.fromkeys(_STATEMENTS, self.statement),
            **dict.fromkeys(_WITH_HEADERS, self.header),
            "function_definition": self.function,
            "namespace_alias_definition": self.alias,
            "alias_declaration": self.type_alias,
            "type_definition": self.type_alias,
            "using_declaration": self.using,
            "namespace_definition": self.namespace,
            "base_class_clause": self.bases,
            "parameter_list": self.parameters,
            "call_expression": self.call,
            "qualified_identifier": self.qualified,
            "template_function": self.template_function,
            "template_type": self.template_type,
            "declaration": self.declaration,
            "field_declaration": self.declaration,
            "parameter_declaration": self.typed,
            "optional_parameter_declaration": self.default_parameter,
            "binary_expression": self.binary,
            "assignment_expression": self.assignment,
            "enumerator": self.enumerator,
            "field_expression": self.field,
            "for_statement": self.for_header,
            "number_literal": self.number,
            "array_declarator": self.array,
            "ERROR": self.error,
        }

    def run(self, tree: tree_sitter.Tree) -> None:
        """First declarations and functions, then everything that needs to know them."""
        enter = self.handlers().get
        cursor = tree.walk()
        depth = 0
        visiting = True
        parents = [""]
        while True:
            if visiting:
                node = cursor.node
                assert node is not None
                kind = node.type
                handler = enter(kind)
                if handler is not None:
                    self.parent = parents[-1]
                    handler(node)
                if depth < _DEEPEST and cursor.goto_first_child():
                    parents.append(kind)
                    depth += 1
                    continue
            if cursor.goto_next_sibling():
                visiting = True
                continue
            if not cursor.goto_parent():
                break
            parents.pop()
            depth -= 1
            visiting = False
        self.defined = frozenset(function.name for function in self.found.functions)
        pending, self.pending = self.pending, []  # bound methods kept here would make the walk a cycle
        for action, arguments in pending:
            action(*arguments)

    def later(self, action: Callable[..., None], *arguments: object) -> None:
        """Put off what needs the functions, types and constants of the whole text."""
        if len(self.pending) < _MOST_PENDING:
            self.pending.append((action, arguments))
        else:
            self.found.doubts[f"more than {_MOST_PENDING:,} places to judge: the rest was left out"] = None

    def text(self, node: tree_sitter.Node) -> str:
        """Source of a node, cut where nobody looks any more: what nests deep is read once a level."""
        return self.parse[node.start_byte : min(node.end_byte, node.start_byte + _LONGEST_TEXT)]

    # -- statements

    def statement(self, node: tree_sitter.Node) -> None:
        """Where one statement lies; one that the parser took together with others is none."""
        start, end = node.start_byte, node.end_byte
        if not (node.has_error and self.parse.find(";", start, end - 1) >= 0):
            self.found.statements.append((start, end))

    def header(self, node: tree_sitter.Node) -> None:
        """What stands before the body of an `if` or a loop."""
        condition = node.child_by_field_name("condition") or node.child_by_field_name("right")
        if condition is not None:
            self.found.statements.append((node.start_byte, condition.end_byte))

    def for_header(self, node: tree_sitter.Node) -> None:
        body = node.child_by_field_name("body")
        if body is not None:
            self.found.statements.append((node.start_byte, body.start_byte))
        self.loop(node)

    def bases(self, node: tree_sitter.Node) -> None:
        """What a class is derived from."""
        self.statement(node)
        for child in node.named_children:
            if child.type == "type_identifier":
                self.later(self.add_name, self.text(child), child.start_byte, child.end_byte, "")

    def parameters(self, node: tree_sitter.Node) -> None:
        if self.parent == "function_declarator":
            self.statement(node)

    # -- functions

    def function(self, node: tree_sitter.Node) -> None:
        declarator = node.child_by_field_name("declarator")
        body = node.child_by_field_name("body")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = declarator.child_by_field_name("declarator") or _first_named(declarator)
        if declarator is None or body is None:
            return
        named = declarator.child_by_field_name("declarator")
        name = plain(self.text(named)).rsplit("::", 1)[-1] if named is not None else ""
        source = self.found.source.masked
        start = node.start_byte
        first = max(0, start - _LONGEST_HEAD)
        before = max(
            source.rfind(";", first, start), source.rfind("}", first, start), source.rfind("{", first, start), first
        )
        space = self.space(source[before : body.start_byte], body.start_byte, body.end_byte)
        if space == "kernel":
            name = self.kernels.get(body.start_byte, name)
        self.found.functions.add(Function(name, start, body.start_byte, node.end_byte, space))
        self.later(c_lanes.width_function, name, body.start_byte, body.end_byte, self.parse, self.found)

    def space(self, head: str, start: int, end: int) -> str:
        """Where a function runs, by the words before its body."""
        words = set(_IDENTIFIER.findall(head))
        learnt = self.found.harvest
        if "__global__" in words or words & learnt.kernel_macros:
            return "kernel"
        if "__device__" in words or words & learnt.device_macros or any(w.endswith("_DEVICE") for w in words):
            return "device"
        masked = self.found.source.masked
        if masked.find("threadIdx.", start, end) < 0 or masked.find("<<<", start, end) >= 0:
            return "host"  # what launches and names a thread emulates the launch, or holds a lambda
        return "device"

    # -- calls and names

    def alias(self, node: tree_sitter.Node) -> None:
        names = [self.text(child) for child in node.named_children]
        if len(names) == 2:
            if names[1].startswith(AMD_NAMESPACES):
                self.found.add(FactKind.DEFINE, names[0], node.start_byte, node.end_byte, names[1][:LONGEST_NAME])
            if self.found.source.conditions.at(node.start_byte)[1] != "amd":  # beside it the name means itself
                self.found.aliases[names[0]] = plain(names[1])[:LONGEST_NAME]
            self.found.add(FactKind.NAME, plain(names[1]), node.start_byte, node.end_byte, "namespace alias")

    def type_alias(self, node: tree_sitter.Node) -> None:
        """`using Name = lib::Type<…>;` or `typedef lib::Type<…> Name;`."""
        self.statement(node)
        self.alias_end = node.end_byte
        type_node = node.child_by_field_name("type")
        named = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        if type_node is None or named is None or named.type != "type_identifier":
            return
        meant = plain(self.text(type_node).lstrip().removeprefix("typename "))[:LONGEST_NAME]
        if "::" in meant and not meant.endswith("_t"):  # numbers and traits
            self.found.type_aliases.setdefault(self.text(named), meant)

    def namespace(self, node: tree_sitter.Node) -> None:
        """What stands in a namespace may leave its name out."""
        named = node.child_by_field_name("name")
        if named is not None:
            self.open_namespace(self.text(named).split("::", 1)[0])

    def open_namespace(self, name: str) -> None:
        """Note a namespace whose names may be used without it; the first ones of very many."""
        if len(self.found.namespaces) < _MOST_NAMESPACES:
            self.found.namespaces[name[:LONGEST_NAME]] = None

    def using(self, node: tree_sitter.Node) -> None:
        """`using namespace lib;` or `using lib::name;`."""
        self.statement(node)
        used = _USED.match(self.text(node))
        if used and used[1]:
            self.open_namespace(self.found.expanded(used[2]))
        elif used and "::" in used[2]:
            self.found.type_aliases.setdefault(used[2].rsplit("::", 1)[1], used[2])

    def call(self, node: tree_sitter.Node) -> None:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return
        start, end = node.start_byte, node.end_byte
        if any(child.type == "kernel_call_syntax" for child in node.children):
            self.callees.add(function.start_byte)
            return
        if function.type == "field_expression":
            owner = function.child_by_field_name("argument")
            method = function.child_by_field_name("field")
            if owner is not None and method is not None:
                name = plain(self.text(method))
                where = owner.start_byte, min(owner.end_byte, owner.start_byte + _LONGEST_NAME)
                self.later(self.add_member_call, where, name, method.start_byte, end, _inside(arguments))
            return
        name = plain(self.text(function))
        self.callees.add(function.start_byte)
        name = name[:_LONGEST_NAME]
        if not name or name in KEYWORDS or not re.match(r"[A-Za-z_]", name):
            return
        if name == "dim3":
            named = _NAME_BEFORE.search(self.parse[max(0, start - 60) : start])
            self.later(c_lanes.block_shape, named[1] if named else "", start, end, self.text(arguments), self.found)
        self.later(self.add_call, name, function.start_byte, end, arguments.start_byte, arguments.end_byte)
        if "::" not in name:
            given = [self.text(child) for child in arguments.named_children[:_MOST_ARGUMENTS] if _is_plain(child)]
            self.later(self.add_used_call, name, tuple(given), function.start_byte, end)

    def add_used_call(self, name: str, given: tuple[str, ...], start: int, end: int) -> None:
        """A call without the namespace that `using namespace` or the type of an argument brings in."""
        types, found = self.found.types, self.found
        kind = found.expanded(types.get(name, ""))
        if "::" in kind:
            found.add(FactKind.MEMBER_CALL, f"{kind}.operator()", start, end)
        if name in self.defined or name in found.type_aliases:
            return
        of_arguments = (found.expanded(types[argument]) for argument in given if argument in types)
        roots = {kind.split("::", 1)[0]: None for kind in of_arguments if "::" in kind}
        spaces = found.namespaces | roots
        if spaces:
            found.add(FactKind.NAME, f"using:{name}", start, end, " ".join(spaces))

    def add_call(self, name: str, start: int, end: int, opening: int, closing: int) -> None:
        detail = self.found.written(opening + 1, closing - 1)
        self.found.add(FactKind.CALL, self.found.expanded(name), start, end, detail)
        c_lanes.masks(name, start, opening, closing, self.parse, self.found)
        c_lanes.parted(name, self.parse[opening + 1 : closing - 1], start, end, self.found)

    def add_member_call(
        self, where: tuple[int, int], method: str, start: int, end: int, arguments: tuple[int, int]
    ) -> None:
        owner = self.parse[slice(*where)]
        name = plain(owner)
        types = self.found.types
        kind = types.get(name) or types.get(name.split("(")[0], "")
        if not kind and "(" in owner:
            kind = plain(owner.split("(", 1)[0])
        text = f"{self.found.expanded(kind or name)}.{method}"
        self.found.add(FactKind.MEMBER_CALL, text, start, end, self.found.written(*arguments))

    def qualified(self, node: tree_sitter.Node) -> None:
        written = self.text(node)
        start = node.start_byte + len(written) - len(written.lstrip())  # a repaired name may begin with blanks
        name = plain(written)
        root = name.split("::", 1)[0]
        if not name or (start < self.name_end and root == self.name_root):
            return
        self.name_end, self.name_root = node.end_byte, root
        if start not in self.callees and self.parent != "qualified_identifier":  # else it is the rest of a name
            arguments = written.partition("<")[2][:_LONGEST_NAME]
            is_alias = start < self.alias_end
            self.later(self.add_name, name[:_LONGEST_NAME], start, node.end_byte, arguments, is_alias)

    def template_type(self, node: tree_sitter.Node) -> None:
        """A template named without its namespace: GemmShape<128, 128, 32>; inside another one only with numbers."""
        name, _, arguments = self.text(node).partition("<")
        start = node.start_byte
        is_inner = start < self.template_end
        self.template_end = max(self.template_end, node.end_byte)
        is_worth = _OWN_NUMBER.match(arguments) if is_inner else name[:1].isupper() or re.search(r"\d", arguments)
        if is_worth and start >= self.name_end and start not in self.callees:
            self.later(self.add_name, name.strip(), node.start_byte, node.end_byte, arguments[:_LONGEST_NAME])

    def template_function(self, node: tree_sitter.Node) -> None:
        """A launcher with sizes as template arguments: launch_scan<128, 4, float>(…)."""
        name, _, arguments = self.text(node).partition("<")
        if self.parse.startswith("<<<", node.end_byte):
            return  # a launch, whose parameters have names
        is_sized = _LAUNCHER.search(name) and re.match(r"(?:[^<>()]*[ ,])?\d+\s*,[^<>()]*\d|\d", arguments)
        if is_sized or _THREE_SIZES.match(arguments):
            self.later(self.found.add, FactKind.CONSTANT, "launcher", node.start_byte, node.end_byte, arguments[:80])

    def add_name(self, name: str, start: int, end: int, arguments: str, is_alias: bool = False) -> None:
        meant = self.found.expanded(name)
        if meant.endswith(NESTED_TYPES):
            return  # room for a library object, or its arguments; the object itself is seen where it is used
        is_short = name.split("::", 1)[0] in self.found.type_aliases
        if not (is_short and (is_alias or _CONSTANT.search(name))):  # neither makes use of the library anew
            self.found.add(FactKind.NAME, meant, start, end, " ".join(arguments.split())[:120])

    def declared(self, node: tree_sitter.Node, kind: str) -> None:
        """An object of a vendor's type, or of one that has a short name here."""
        declarator = node.child_by_field_name("declarator")
        inside = _OBJECTS | {"function_declarator"} if self.parent == "compound_statement" else _OBJECTS
        pointed = declarator.child_by_field_name("declarator") if declarator is not None else None
        is_pointer = pointed is not None and pointed.type.startswith(("pointer_", "reference_"))
        is_object = declarator is not None and declarator.type in inside and not is_pointer
        if declarator is not None and declarator.type == "identifier":
            is_object &= not self.found.type_aliases.get(kind, "").endswith(HANDLES)
        if is_object and (API_NAME.match(kind) or kind in self.found.type_aliases):
            self.later(self.add_name, kind, node.start_byte, node.end_byte, "")

    def field(self, node: tree_sitter.Node) -> None:
        if self.parent == "call_expression":
            return
        owner, member = node.child_by_field_name("argument"), node.child_by_field_name("field")
        if owner is None or member is None:
            return
        if owner.type == "call_expression":
            callee = owner.child_by_field_name("function")
            if callee is not None and callee.type in ("qualified_identifier", "identifier") and not callee.is_missing:
                name = f"{plain(self.text(callee))}.{self.text(member)}"
                self.later(self.found.add, FactKind.NAME, name, owner.start_byte, node.end_byte)
        elif owner.type == "identifier":
            self.later(self.add_field, self.text(owner), self.text(member), node.start_byte, node.end_byte)

    def add_field(self, name: str, part: str, start: int, end: int) -> None:
        kind = self.found.types.get(name, "") or (name if part in CAPABILITY_PARTS else "")
        if kind and not (part in CAPABILITY_PARTS and is_told(self.parse, start)):
            self.found.add(FactKind.NAME, f"{self.found.expanded(kind)}.{part}", start, end)

    # -- declarations and constants

    def declaration(self, node: tree_sitter.Node) -> None:
        self.typed(node)
        type_node = node.child_by_field_name("type")
        if type_node is None or type_node.child_by_field_name("body") is None:
            self.statement(node)
        if node.type == "declaration" and type_node is not None and type_node.type in _NAMED_TYPES:
            self.declared(node, plain(self.text(type_node)))
        member, default = node.child_by_field_name("declarator"), node.child_by_field_name("default_value")
        if type_node is not None and member is not None:
            name = member.child_by_field_name("declarator") or member
            kind = self.text(type_node)
            self.later(c_lanes.mask_variable, self.text(name), kind, node.start_byte, node.end_byte, self.found)
        if member is not None and member.type == "parenthesized_declarator":
            self.errors.append((node.start_byte, node.end_byte))  # CHECK(call(…)), taken for a declaration
        if member is not None and default is not None:
            self.constant(self.text(member).strip("*& "), self.text(default), node)
        for child in node.children_by_field_name("declarator"):
            if child.type == "init_declarator":
                self.initialised(child, node)
            elif child.type == "function_declarator" and type_node is not None and self.text(type_node) == "dim3":
                self.shape(child, node)
        if _UNSIGNED.match(self.parse, node.start_byte, min(node.end_byte, node.start_byte + 60)):
            self.shift(node)

    def shape(self, node: tree_sitter.Node, declaration: tree_sitter.Node) -> None:
        """`dim3 block(ROWS, COLUMNS);`, which reads like a function of two types."""
        named, sizes = node.child_by_field_name("declarator"), node.child_by_field_name("parameters")
        if named is not None and sizes is not None:
            start, end = declaration.start_byte, declaration.end_byte
            self.later(c_lanes.block_shape, self.text(named), start, end, self.text(sizes), self.found)

    def initialised(self, node: tree_sitter.Node, declaration: tree_sitter.Node) -> None:
        """One variable of a declaration, with its first value."""
        named = node.child_by_field_name("declarator")
        value = node.child_by_field_name("value")
        if named is None or value is None:
            return
        start, end = declaration.start_byte, declaration.end_byte
        name, written = self.text(named).strip("*& "), self.text(value)
        c_lanes.note_width(name, written, self.found)
        if _CONSTANT_HEAD.search(self.parse, start, min(node.start_byte, start + _LONGEST_TEXT // 4)):
            self.constant(name, written, declaration)
        else:
            self.later(c_lanes.chosen, name, written, start, end, self.found)
        self.later(c_lanes.note_thread, name, written, start, self.found)
        self.later(c_lanes.named_index, name, written, start, end, self.found)
        type_node = declaration.child_by_field_name("type")
        kind = self.text(type_node) if type_node is not None else ""
        if value.type == "call_expression" and kind.startswith("auto"):
            callee = value.child_by_field_name("function")
            if callee is not None:
                self.found.types[name] = plain(self.text(callee))[:LONGEST_NAME]
        if kind == "dim3":
            self.later(c_lanes.block_shape, name, start, end, written, self.found)

    def constant(self, name: str, written: str, node: tree_sitter.Node) -> None:
        """A named constant, or one whose value is put together from others."""
        start, end = node.start_byte, node.end_byte
        if NUMBER.fullmatch(written):
            value = number(written)
            self.found.constant(name, value, start, end)
            if value == _WIDTH and _THREADS.fullmatch(name):
                self.later(self.found.add, FactKind.LANE, "$block 32", start, end, name)
            return
        self.later(c_lanes.chosen, name, written, start, end, self.found)
        is_fixed = bool(_UNCHANGING.search(self.parse, start, min(end, start + _LONGEST_TEXT // 4)))
        self.later(self.computed, name, written, start, end, is_fixed)

    def computed(self, name: str, written: str, start: int, end: int, is_fixed: bool) -> None:
        """A constant put together from others: a part or multiple of a warp, else one to tune."""
        in_lanes = c_lanes.constant_in_lanes(name, written, start, end, self.found)
        if is_fixed and not in_lanes and re.search(r"\d", written):
            self.found.add(FactKind.CONSTANT, name, start, end, written[:80])

    def typed(self, node: tree_sitter.Node) -> None:
        type_node = node.child_by_field_name("type")
        if type_node is None or type_node.type in ("primitive_type", "placeholder_type_specifier"):
            return
        kind = plain(self.text(type_node))
        for declarator in node.children_by_field_name("declarator"):
            named: tree_sitter.Node | None = declarator
            while named is not None and named.type not in ("identifier", "field_identifier"):
                named = named.child_by_field_name("declarator") or _first_named(named)
            if named is not None:
                self.found.types[self.text(named)] = kind[:LONGEST_NAME]

    def default_parameter(self, node: tree_sitter.Node) -> None:
        if self.parent == "template_parameter_list":
            self.numbered(node.child_by_field_name("declarator"), node.child_by_field_name("default_value"), node)

    def enumerator(self, node: tree_sitter.Node) -> None:
        self.numbered(node.child_by_field_name("name"), node.child_by_field_name("value"), node)

    def numbered(self, named: tree_sitter.Node | None, value: tree_sitter.Node | None, node: tree_sitter.Node) -> None:
        if named is not None and value is not None and NUMBER.fullmatch(self.text(value)):
            self.found.constant(self.text(named), number(self.text(value)), node.start_byte, node.end_byte)

    # -- lanes

    def binary(self, node: tree_sitter.Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return
        start, end, sign = node.start_byte, node.end_byte, self.text(operator)
        if sign == "<<":
            if self.text(right) == "5" and self.text(left).startswith("blockIdx"):
                self.later(c_lanes.up_to_a_warp, start, end, self.found)
            self.shift(node)
            return
        if right.end_byte - right.start_byte > 40 or left.end_byte - left.start_byte > 120:
            return
        if sign in _COMPARED:
            self.later(c_lanes.arithmetic, self.text(left), sign, self.text(right), start, end, self.found)
        elif sign == "*":
            self.later(c_lanes.product, self.text(left), self.text(right), start, end, self.found)
        elif sign == "+":
            self.later(c_lanes.tail, self.text(left), self.text(right), start, end, self.parse, self.found)
            self.later(c_lanes.lane_offset, start, end, self.parse, self.found)

    def assignment(self, node: tree_sitter.Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return
        sign = self.text(operator)
        if sign == "+=":
            self.later(c_lanes.stride, self.text(right), node.start_byte, node.end_byte, self.found)
        elif sign == "=" and left.type in ("field_expression", "identifier"):
            name, value, start, end = self.text(left), self.text(right), node.start_byte, node.end_byte
            self.later(c_lanes.block_side, name, value, start, end, self.found)
            self.later(c_lanes.assigned, name.rpartition(".")[2], value, start, end, self.found)

    def shift(self, node: tree_sitter.Node) -> None:
        """Lane masks made by a shift; a chain of shifts is read once."""
        if node.end_byte > self.shifts_end:
            self.shifts_end = node.end_byte
            self.later(c_lanes.lane_shift, node.start_byte, node.end_byte, self.parse, self.found)

    def loop(self, node: tree_sitter.Node) -> None:
        """Shuffle loops that start at half a warp, and block reductions that stop at a warp."""
        body = node.child_by_field_name("body")
        if body is None:
            return
        start, end = node.start_byte, body.start_byte
        head = self.parse[start : min(end, start + _LONGEST_TEXT)]
        over = _OVER_LANES.search(head)
        if over and self.holds(_lanes_at, body):
            at = start + over.start(1)
            self.later(c_lanes.up_to_a_warp, at, at + 2, self.found)
        if not c_lanes.halves_or_doubles(head):
            return
        for limit, lane in ((_STARTS_AT_HALF_A_WARP, "$shuffle 16"), (_DOUBLES_TO_A_WARP, "$shuffle 32")):
            bound = limit.search(head)
            if bound and self.holds(shuffles_at, body):
                at = start + bound.start(1)
                self.later(self.found.add, FactKind.LANE, lane, at, at + 2, self.found.written(start, end))
        last = _STOPS_AT.search(head)
        if last:
            self.later(c_lanes.halving, last[1], last[2], start + last.start(2), start, end, self.found)

    def holds(self, starts: Callable[[str], list[int]], body: tree_sitter.Node) -> bool:
        """Whether something of a kind stands in a body; the text is searched once a kind, since loops nest."""
        if starts not in self.places:
            self.places[starts] = starts(self.parse)
        places = self.places[starts]
        first = bisect_left(places, body.start_byte)
        return first < len(places) and places[first] < body.end_byte

    def number(self, node: tree_sitter.Node) -> None:
        written = self.text(node)
        if MASK.fullmatch(written):
            self.later(c_lanes.mask_literal, written, node.start_byte, node.end_byte, self.parse, self.found)

    def array(self, node: tree_sitter.Node) -> None:
        """Arrays with one slot per lane or warp: shared ones, and those of functions whose lanes work together."""
        size = node.child_by_field_name("size")
        if size is None or self.parent == "array_declarator":
            return
        first = max(0, node.start_byte - _LONGEST_TEXT)
        first = max(first, self.parse.rfind("\n", first, node.start_byte))
        if self.found.source.masked.find("__shared__", first, node.start_byte) >= 0:
            written, start, end = self.text(size), size.start_byte, size.end_byte
            self.later(c_lanes.shared_array, written, start, end, self.text(node), self.found)
        elif _LANES_WIDE.fullmatch(self.text(size)):
            self.later(c_lanes.up_to_a_warp, size.start_byte, size.end_byte, self.found)

    # -- what the parser gave up

    def error(self, node: tree_sitter.Node) -> None:
        self.errors.append((node.start_byte, node.end_byte))
        if node.start_byte < self.error_end:
            return  # its bytes are those of the error around it
        self.error_end = node.end_byte
        covered = sum(child.end_byte - child.start_byte for child in node.named_children if _is_whole(child))
        self.error_bytes += node.end_byte - node.start_byte - covered


def _inside(brackets: tree_sitter.Node) -> tuple[int, int]:
    return brackets.start_byte + 1, brackets.end_byte - 1


def _is_plain(node: tree_sitter.Node) -> bool:
    return node.type == "identifier"


def _is_whole(node: tree_sitter.Node) -> bool:
    return node.type.endswith(("_definition", "declaration", "_statement")) and not node.has_error


def _first_named(node: tree_sitter.Node) -> tree_sitter.Node | None:
    return node.named_children[0] if node.named_child_count else None
