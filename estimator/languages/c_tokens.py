"""What is found by tokens in the masked text: directives, asm, attributes, launches, strings.

These must not be lost where the parser gives up. `read_range` reads whole ranges so, for macro bodies and
for what the parser did not see; such facts are lexical.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from estimator.languages import c_lanes
from estimator.languages.c_found import Found
from estimator.languages.c_harvest import templates
from estimator.languages.c_kernels import Assembly
from estimator.languages.c_text import CText, Directive, blank, is_told, matching, words_at
from estimator.languages.c_words import (
    ASM,
    ASSIGNED_BEFORE,
    ATTRIBUTE_CALL,
    CALL,
    CAPABILITY,
    CAPABILITY_MAJOR,
    CAPABILITY_OWNER,
    CAPABILITY_TEST,
    KEYWORDS,
    LANE,
    MASK,
    MEMBER_BEFORE,
    NUMBER,
    QUALIFIED,
    QUALIFIER,
    SHIFTED,
    VECTOR_OPERATOR,
    capability_calls_at,
    is_string_worth,
    makes_capability,
    may_hold_attributes,
    may_test_capability,
    may_test_major,
    number,
    parts,
)
from estimator.languages.facts import Confidence, FactKind, Harvest
from estimator.languages.ptx import instructions

_IDENTIFIER_IN = re.compile(r"[A-Za-z_]\w*")
_BRACKET_BEHIND = re.compile(r"\s*\(")
_HEADER = re.compile(r'([<"])([^>"]+)[>"]')
_MACRO = re.compile(r"(\w+)(\([^()]*\))?\s*(.*)", re.DOTALL)
_BY_LANES = ("elect.", "shfl.", "vote.", "match.", "redux.", "bar.warp", "activemask")
_LITERAL_SIZE = re.compile(r"(?<![\w.])\d\d+\b")
_COMPUTED = re.compile(r"[\w\s()]*[*/+<-][\w\s()*/+<-]*")  # a value put together from others
_GUARD_NAME = re.compile(r"_(?:H|HH|HPP|HXX|CUH|INL|INCLUDED?|GUARD)_{0,9}$|^_{0,9}INCLUDE_GUARD")
_PRAGMA_OPERATOR = re.compile(r"_Pragma\s*\(\s*")
_MESSAGE_LINE = re.compile(r"\s*#\s*(?:error|warning|pragma\s+message|include)")
_RENAMED = re.compile(r"[ \t]*#[ \t]*define[ \t]+\w+\([^()\n]*\)[ \t]*\(?__\w+\(")
_MOST_OPCODES = 2_000
_FEW = 20  # names that are looked for one after another
_NEAR = 160  # characters before a place
_SHORT_BODY = 1_500
_LONGEST_ARGUMENTS = 4_000  # characters of a launched template's arguments
_STATED = ("__attribute__", "__declspec", "alignas", "__align__")  # attributes that say nothing of a GPU
_NO_DECLARATION = ("return", "else", "do", "throw", "case", "co_return", "and", "or", "not", "in")


# -- before parsing


def without_attributes(source: CText, learnt: Harvest) -> str:
    """The parser's text without attributes: same length, qualifiers and attribute macros blanked."""
    parse = source.parse
    pieces: list[tuple[int, int, str]] = []
    for match in ATTRIBUTE_CALL.finditer(parse) if may_hold_attributes(parse) else ():
        end = matching(parse, match.end() - 1, limit=2_000)
        if end > 0:
            pieces.append((match.start(), end, ""))
    pieces.extend((match.start(), match.end(), "") for match in QUALIFIER.finditer(parse))
    for match in words_at(parse, learnt.qualifiers):
        end = match.end()
        if parse[end : end + 1] == "(":
            end = max(end, matching(parse, end, limit=2_000))
        pieces.append((match.start(), end, "void" if match.group() in learnt.kernel_macros else ""))
    return _replaced(parse, pieces)


def _replaced(text: str, pieces: Iterable[tuple[int, int, str]]) -> str:
    """Text with ranges blanked, or overwritten by a shorter word; same length."""
    result: list[str] = []
    last = 0
    for start, end, word in sorted(pieces):
        if start < last:
            continue
        result.append(text[last:start])
        hole = blank(text[start:end])
        result.append(word + hole[len(word) :] if word and len(word) <= len(hole) else hole)
        last = end
    result.append(text[last:])
    return "".join(result)


# -- in the whole text


def read_directives(found: Found) -> None:
    """Includes, conditions, pragmas, macros and the constants among them."""
    guard = _include_guard(found.source.directives)
    for directive in found.source.directives:
        start, end = directive.start, directive.end
        if directive.name in ("include", "include_next", "import"):
            header = _HEADER.match(directive.text)
            if header:
                found.add(FactKind.INCLUDE, header[2], start, end, "quotes" if header[1] == '"' else "")
        elif directive is guard:
            continue
        elif directive.name in ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"):
            found.add(FactKind.CONDITION, directive.text, start, end, directive.name)
        elif directive.name == "pragma":
            found.add(FactKind.PRAGMA, directive.text, start, end)
        elif directive.name == "define":
            _read_macro(directive, found)
    for match in _PRAGMA_OPERATOR.finditer(found.source.masked):
        literals = found.source.strings_in(match.end(), match.end() + 2)
        if literals:
            found.add(FactKind.PRAGMA, literals[0].value, match.start(), literals[0].end)


def _include_guard(directives: Sequence[Directive]) -> Directive | None:
    """The first condition of a header that only keeps it from being read twice."""
    if len(directives) < 2 or directives[0].name != "ifndef" or directives[1].name != "define":
        return None
    name = directives[0].text.strip()
    return directives[0] if directives[1].text.split()[:1] == [name] and _GUARD_NAME.search(name) else None


def _read_macro(directive: Directive, found: Found) -> None:
    macro = _MACRO.match(directive.text)
    if macro is None:
        return
    found.add(FactKind.DEFINE, macro[1], directive.start, directive.end, macro[3][:200])
    if not macro[2] and NUMBER.fullmatch(macro[3]):
        found.constant(macro[1], number(macro[3]), directive.start, directive.end)
    elif not macro[2] and _COMPUTED.fullmatch(macro[3]):
        found.add(FactKind.CONSTANT, macro[1], directive.start, directive.end, macro[3])


def read_asm(found: Found) -> tuple[Assembly, ...]:
    """Asm statements; their opcodes stand in the detail and are given."""
    masked = found.source.masked
    statements = []
    for match in ASM.finditer(masked) if "asm" in masked else ():
        end = matching(masked, match.end() - 1, limit=60_000)
        if end < 0:
            continue
        text = _asm_text(found.source, match.end(), end - 1)
        opcodes = instructions(text)
        if len(opcodes) > _MOST_OPCODES:
            found.doubts[f"an asm statement of more than {_MOST_OPCODES:,} instructions: the rest was left out"] = None
            opcodes = opcodes[:_MOST_OPCODES]
        statements.append(Assembly(match.start(), opcodes))
        found.add(FactKind.ASM, text, match.start(), end, " | ".join(opcodes))
        if any(opcode.startswith(_BY_LANES) for opcode in opcodes):
            for mask in MASK.finditer(masked, match.end(), end):
                found.add(FactKind.MASK, mask[0], mask.start(), mask.end(), "argument asm")
    return tuple(statements)


def _asm_text(source: CText, start: int, end: int) -> str:
    """The template of an asm statement: literals joined, what stands between them as {name}."""
    colon = source.masked.find(":", start, end)
    stop = colon if colon >= 0 else end
    pieces: list[str] = []
    last = start
    for literal in source.strings_in(start, stop):
        pieces.append(_between(source, last, literal.start))
        pieces.append(literal.value)
        last = literal.end
    pieces.append(_between(source, last, stop))
    return "".join(pieces)


def _between(source: CText, start: int, end: int) -> str:
    piece = source.masked[start:end]
    pieces = []
    last = 0
    for match in _IDENTIFIER_IN.finditer(piece):
        before = piece[last : match.start()]
        blanks = before[len(before.rstrip()) :]
        pieces.append("{" + (blanks + match[0]).lstrip("# ") + "}")
        last = match.end()
    return "".join(pieces)


def read_attributes(found: Found) -> None:
    """Attributes with arguments that say something of a kernel, such as launch bounds."""
    masked = found.source.masked
    for match in ATTRIBUTE_CALL.finditer(masked) if may_hold_attributes(masked) else ():
        end = matching(masked, match.end() - 1, limit=2_000)
        if end > 0 and match[1] not in _STATED:
            found.add(FactKind.ATTRIBUTE, match[1], match.start(), end, found.written(match.end(), end - 1))


def read_launches(found: Found) -> None:
    """Kernels launched by <<< >>>; template arguments and configuration in the detail."""
    masked = found.source.masked
    parameters = {**dict(found.harvest.kernel_parameters), **dict(templates(masked))} if "<<<" in masked else {}
    for match in re.finditer(r"<<<", masked):
        end = masked.find(">>>", match.end(), match.end() + 4_000)
        if end < 0:
            continue
        name, start = _launched(masked, match.start())
        arguments = found.written(start + len(name), match.start())
        detail = f"{arguments} {found.written(match.end(), end)}".strip()
        found.add(FactKind.LAUNCH, name, start, end + 3, detail)
        chosen = _numbers_given(arguments, parameters.get(name.rsplit("::", 1)[-1], ()))
        if chosen:
            found.add(FactKind.CONSTANT, f"launch {' '.join(chosen)}", start + len(name), end + 3, arguments[:80])
        block = _second(masked[match.end() : end])
        if _LITERAL_SIZE.search(block):
            found.add(FactKind.CONSTANT, "launch block", start, end + 3, " ".join(block.split())[:80])


def _numbers_given(arguments: str, parameters: Sequence[str]) -> list[str]:
    """Template parameters that a launch gives numbers."""
    given = parts(arguments.removeprefix("<").removesuffix(">"))
    return [name for name, value in zip(parameters, given, strict=False) if NUMBER.fullmatch(value)]


def _second(arguments: str) -> str:
    """The second of arguments that commas outside brackets part."""
    depth, commas = 0, []
    for at, sign in enumerate(arguments):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            commas.append(at)
    return arguments[commas[0] + 1 : commas[1] if len(commas) > 1 else None] if commas else ""


def _launched(masked: str, position: int) -> tuple[str, int]:
    """The kernel named before <<<, template arguments left out, and its offset."""
    end = _back_over_blanks(masked, position)
    if end and masked[end - 1] == ">":
        end = _back_over_blanks(masked, _template_start(masked, end))
    match = re.compile(r"[A-Za-z_][\w:]*$").search(masked, max(0, end - 200), end)
    return (match[0], match.start()) if match else ("", position)


def _template_start(masked: str, end: int) -> int:
    """Offset of the bracket that opens the template arguments ending at `end`; round brackets are passed over."""
    depth = inside = 0
    first = max(0, end - _LONGEST_ARGUMENTS)
    while end > first:
        end -= 1
        character = masked[end]
        inside += {")": 1, "(": -1}.get(character, 0)
        if not inside:
            depth += {">": 1, "<": -1}.get(character, 0)
        if depth == 0 or inside < 0 or character in ";{}":
            break
    return end


def _back_over_blanks(text: str, position: int) -> int:
    first = max(0, position - _LONGEST_ARGUMENTS)
    while position > first and text[position - 1].isspace():
        position -= 1
    return position


def read_operators(found: Found) -> None:
    """The first free operator on a built-in vector type: where one is defined, its family stands in one block."""
    for match in VECTOR_OPERATOR.finditer(found.source.masked):
        if found.source.conditions.at(match.start())[1] != "amd":
            name = " ".join((match[0].partition("(")[0].replace(" ", ""), match["type"]))
            found.add(FactKind.OPERATOR, name, match.start(), match.end())
            return


def read_capability(found: Found) -> None:
    """Compute capabilities put together from their two parts, and what is compared with such a number."""
    masked = found.source.masked
    tests = _capability_tests(masked)
    holders: dict[tuple[str, int], None] = {}  # variables and the start of their function
    givers: dict[str, None] = {}  # functions that give one
    for match in CAPABILITY.finditer(masked) if makes_capability(masked) else ():
        if CAPABILITY_OWNER.fullmatch(match[1]) and "inor" in masked[match.end() : match.end() + 60]:
            tests.append((match.start(), match.end()))
            _note_capability(match.start(), holders, givers, found)
    for start in capability_calls_at(masked):
        _note_capability(start, holders, {}, found)
    for name in list(givers)[:_FEW]:
        for match in re.finditer(rf"\b{name}\s*\(\s*\w*\s*\)(?!\s*\{{)", masked):
            tests.append((match.start(), match.end()))
            _note_capability(match.start(), holders, {}, found)
    for name, function in list(holders)[:_FEW]:
        for match in re.finditer(rf"\b{name}\s*(?:/\s*10\s*)?(?:[<>]=?|[=!]=)\s*\d", masked):
            if _function_start(match.start(), found) == function:
                tests.append((match.start(), match.end()))
    for start, end in sorted(place for place in tests if not is_told(masked, place[0])):
        found.add(FactKind.NAME, f"$capability {found.written(start, end)}", start, end)


def _capability_tests(masked: str) -> list[tuple[int, int]]:
    """Where a number that is one of a chip, or its first part, is compared."""
    tests: list[tuple[int, int]] = []
    if may_test_capability(masked):
        tests.extend(match.span() for match in CAPABILITY_TEST.finditer(masked))
    if may_test_major(masked):
        parts = (match for match in CAPABILITY_MAJOR.finditer(masked) if CAPABILITY_OWNER.fullmatch(match[1]))
        tests.extend(match.span() for match in parts)
    return tests


def _note_capability(start: int, holders: dict[tuple[str, int], None], givers: dict[str, None], found: Found) -> None:
    """Remember what holds or gives the capability that stands at an offset."""
    function = found.functions.at(start)
    before = found.source.masked[max(0, start - _NEAR) : start]
    assigned = ASSIGNED_BEFORE.search(before)
    if assigned:
        holders[assigned[1], function.start if function else -1] = None
    elif function and function.end - function.body < _SHORT_BODY and re.search(r"\breturn\b[^;{}]*$", before):
        givers[function.name] = None


def _function_start(offset: int, found: Found) -> int:
    function = found.functions.at(offset)
    return function.start if function else -1


def read_strings(found: Found) -> None:
    """Strings that name something of a GPU or may hold device source."""
    for literal in found.source.strings:
        if is_string_worth(literal.value) and not _is_message(found.source, literal.start):
            found.add(FactKind.STRING, literal.value[:20_000], literal.start, literal.end)


def _is_message(source: CText, offset: int) -> bool:
    """Whether a literal is dead code or the text of an #error."""
    if source.masked[offset] == " ":
        return True
    start = source.line_start(offset)
    return bool(_MESSAGE_LINE.match(source.masked, start, min(offset, start + 200)))


# -- in ranges that the parser did not see


def read_range(start: int, end: int, found: Found) -> None:
    """Calls, names, lane arithmetic and masks by tokens alone."""
    masked = found.source.masked
    if _renames_for_amd(start, found):
        return
    _read_calls(start, end, found)
    for match in QUALIFIED.finditer(masked, start, end):
        if not _BRACKET_BEHIND.match(masked, match.end()):
            name = found.expanded(match[0])
            found.add(FactKind.NAME, name, match.start(), match.end(), "", Confidence.LEXICAL)
    for match in LANE.finditer(masked, start, end):
        c_lanes.arithmetic(match[1], match[2], match[3], match.start(), match.end(), found, Confidence.LEXICAL)
    for match in MASK.finditer(masked, start, end):
        if SHIFTED.match(masked, match.end()):
            continue  # the upper bits of something else; masks of lanes are shifted by a lane, and so seen
        context = "define " + found.written(found.source.line_start(match.start()), match.start(), 120)
        found.add(FactKind.MASK, match[0], match.start(), match.end(), context, Confidence.LEXICAL)


def _renames_for_amd(start: int, found: Found) -> bool:
    """Whether a range is the body of a macro that gives a builtin its name on AMD: the port, not a use."""
    if found.source.conditions.at(start)[1] != "amd":
        return False
    return bool(_RENAMED.match(found.source.masked, found.source.line_start(start)))


def _read_calls(start: int, end: int, found: Found) -> None:
    masked = found.source.masked
    for match in CALL.finditer(masked, start, end):
        name = match[1]
        if name.split("::")[-1] in KEYWORDS or _declares(masked, match.start()):
            continue
        closing = matching(masked, match.end() - 1, limit=4_000)
        stop = closing if closing > 0 else match.end()
        detail = found.written(match.end(), stop - 1)
        member = MEMBER_BEFORE.search(masked, max(0, match.start() - 80), match.start())
        if member:
            kind, text = FactKind.MEMBER_CALL, f"{found.types.get(member[1], member[1])}.{name}"
        else:
            kind, text = FactKind.CALL, found.expanded(name)
            c_lanes.masks(name, match.start(), match.end() - 1, stop, masked, found)
        found.add(kind, text, match.start(), stop, detail, Confidence.LEXICAL)


def _declares(masked: str, start: int) -> bool:
    """Whether tokens before a name make it a declaration or definition rather than a call."""
    before = masked[max(0, start - 80) : start].rstrip()
    if not before or before[-1] in ";{}(,=!&|?:<+-/%[\\":
        return False
    match = re.search(r"([A-Za-z_]\w*)\s*[*&]*$", before)
    return match is not None and match[1] not in _NO_DECLARATION and not before.endswith(")")
