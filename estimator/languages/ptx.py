"""PTX as it stands in asm statements: text to instructions."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r"//[^\n]*")
_LABEL = re.compile(r"^\s*[$%\w=]+\s*:(?!:)\s*")
_PREDICATE = re.compile(r"^\s*@\s*(?:!\s*)?%{0,2}[\w$]+\s+")
_OPCODE = re.compile(r"^\s*([A-Za-z_][\w.:<>$]*)(.*)", re.DOTALL)
_OPERAND_LIST = re.compile(r"\{[^{};]*\}")
_PASTED = re.compile(r"^(?:\s*operands\b)+(?=\s*[a-z]\w*\.)")  # a macro or a preprocessor line before an instruction
_DECLARATION = re.compile(r"^\s*\.[a-z]")
_SPECIAL_REGISTER = re.compile(r"%(?!%)((?:[a-z]{3}|pm\d)[a-z_0-9]*)")  # %r1, %p and %f2 are a program's own
_NESTED = 4  # braces in braces: a pasted part inside an operand list


def instructions(text: str) -> tuple[str, ...]:
    """Opcodes of an asm text, in order: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32".

    text: all pieces joined; `%%` or `%` before registers, labels, predicates and blocks are understood.
    Declarations (.reg, .pred) and empty statements give nothing. A `mov` that reads a special register
    carries its name: "mov.u32 %smid".
    """
    closed = text.rfind("*/") + 2  # behind it nothing closes a comment any more
    flat = (
        _COMMENT.sub(" ", text[:closed]) + _LINE_COMMENT.sub(" ", text[closed:])
        if closed > 1
        else _LINE_COMMENT.sub(" ", text)
    )
    if ";" not in flat:  # not PTX, or a single statement without its semicolon
        flat = flat.replace("\n", ";")
    for _ in range(_NESTED):
        flat = _OPERAND_LIST.sub(_without_braces, flat)
    found = []
    for piece in flat.replace("{", ";").replace("}", ";").split(";"):
        statement = _PASTED.sub("", _PREDICATE.sub("", _LABEL.sub("", piece)))
        if _DECLARATION.match(statement):
            continue
        match = _OPCODE.match(statement)
        if match and match[1] != "operands":
            found.append(match[1] + _special_register(match[1], match[2]))
    return tuple(found)


def _without_braces(found: re.Match[str]) -> str:
    return ";" + found.group()[1:].replace("}", ";") if _opens_block(found.group()) else " operands "


def _special_register(opcode: str, operands: str) -> str:
    if not opcode.startswith("mov"):
        return ""
    register = _SPECIAL_REGISTER.search(operands)
    return f" %{register[1]}" if register else ""


def _opens_block(braces: str) -> bool:
    """Whether braces without a semicolon hold a statement rather than an operand list such as {%0, %1}."""
    inner = braces[1:-1].strip()
    return bool(re.match(r"[a-z]\w*\.[\w.:]+\s", inner))
