"""Are all PTX statements and kernels of real packages found? A small lexer of its own is the truth.

    python benchmarks/recall.py corpus/vllm-0.33.0.tar.gz corpus/gsplat-1.5.3.tar.gz …

Truth: in .cu and .cuh files, each `asm` statement outside comments, strings and `#if 0` whose text holds a PTX
instruction (AMD's and host instructions are told by their mnemonics, statements without text are none), and each
`__global__` that a definition follows. A statement is found when a site of inline-ptx, tensor-core or async-copy
begins within 2 lines; a kernel when the inventory has its name within 12 lines.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

from estimator import languages
from estimator.knowledge import load_heuristics
from estimator.scan import scan
from estimator.sources import open_source

_AMD = re.compile(
    r"^\s*(?:[sv]_\w+|ds_\w+|buffer_\w+|global_(?:load|store|atomic)\w*|flat_\w+|scratch_\w+|image_\w+)\b"
)
_HOST = re.compile(
    r"^\s*(?:cpuid|rdtsc\w*|pause|lock|xchg\w*|mfence|[ls]fence|xgetbv|nop|yield|isb|dmb|dsb|mrs|prefetchw?|bsr|bsf|mov[lqw]?\s+%%?[er])"
)
_ASM = re.compile(r"\b(?:asm|__asm|__asm__)\b\s*(?:(?:volatile|__volatile__)\s*)?\(")


def plain(text: str) -> tuple[str, str]:
    """The text with comments, dead code and string contents blanked, and with comments and dead code alone blanked."""
    both: list[str] = []
    code: list[str] = []
    position, state = 0, "code"
    while position < len(text):
        two, one = text[position : position + 2], text[position]
        if state == "code" and two in ("//", "/*"):
            state = two
        elif state == "code" and one == '"':
            state = one
            both.append(one)
            code.append(one)
            position += 1
            continue
        if state == "code":
            both.append(one)
            code.append(one)
        elif state == '"':
            if one == "\\" and position + 1 < len(text):
                both.append("  " if text[position + 1] != "\n" else " \n")
                code.append(two)
                position += 2
                continue
            both.append(one if one in '"\n' else " ")
            code.append(one)
            if one in '"\n':
                state = "code"
        else:
            both.append(one if one == "\n" else " ")
            code.append(one if one == "\n" else " ")
            if (state == "//" and one == "\n" and text[position - 1] != "\\") or (
                state == "/*" and text[position - 1 : position + 1] == "*/" and len(both) > 2
            ):
                state = "code"
        position += 1
    return without_dead("".join(both)), without_dead("".join(code))


def without_dead(text: str) -> str:
    """Blank what `#if 0` leaves out; an `#else` of it is live."""
    stack: list[bool] = []
    lines = []
    for line in text.split("\n"):
        directive = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b\s*(.*)", line)
        if directive:
            word, rest = directive[1], directive[2].strip()
            if word.startswith("if"):
                stack.append(word == "if" and rest == "0")
            elif word in ("else", "elif") and stack:
                stack[-1] = False
            elif word == "endif" and stack:
                stack.pop()
        lines.append(" " * len(line) if any(stack) else line)
    return "\n".join(lines)


def asm_lines(both: str, code: str) -> list[int]:
    """Lines of asm statements with a PTX instruction."""
    found = []
    for match in _ASM.finditer(both):
        end = closing(both, match.end() - 1)
        body = code[match.end() : end]
        words = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', body.split("::")[0] if "::" in body else body))
        first = words.replace("\\n", "\n").replace("\\t", " ").lstrip(" \n{")
        if re.search(r"[a-z]\w*\.[a-z]", words) and not _AMD.match(first) and not _HOST.match(first):
            found.append(both.count("\n", 0, match.start()) + 1)
    return found


def kernels(both: str) -> list[tuple[str, int]]:
    """Names and lines of kernel definitions: the word before the parameter list that a body follows."""
    found = []
    for match in re.finditer(r"\b__global__\b", both):
        named = name_after(both, match.end())
        if named is None:
            continue
        name, opening = named
        follows = re.compile(r"[{;]").search(both, closing(both, opening))
        if follows and follows.group() == "{":
            found.append((name, both.count("\n", 0, match.start()) + 1))
    return found


def name_after(text: str, position: int) -> tuple[str, int] | None:
    """The first word with a parameter list that is no attribute, and where its list opens."""
    for _ in range(40):
        word = re.compile(r"[\s*&]*([A-Za-z_][\w:]*)\s*").match(text, position)
        if word is None:
            return None
        position = word.end()
        if word[1].startswith(("__launch_bounds__", "__cluster_dims__", "__attribute__", "__maxnreg__")):
            position = closing(text, position) + 1
        elif text[position : position + 1] == "(":
            return word[1], position
        elif text[position : position + 1] == "<":
            position = closing(text, position, "<", ">") + 1
            if re.compile(r"\s*\(").match(text, position):
                return word[1], text.index("(", position)
    return None


def closing(text: str, start: int, opens: str = "(", closes: str = ")") -> int:
    """Where the bracket at `start` closes; round brackets inside pointed ones are passed over."""
    depth = 0
    position = start
    while position < min(len(text), start + 60_000):
        if opens == "<" and text[position] == "(":
            position = closing(text, position)
        depth += {opens: 1, closes: -1}.get(text[position], 0)
        if depth == 0:
            return position
        position += 1
    return len(text)


def measure(path: Path) -> None:
    heuristics = load_heuristics()
    tree = open_source(path)
    tree = replace(
        tree,
        files=tuple(f for f in tree.files if (known := languages.language_of(f.path)) and known.module == "c_family"),
    )
    scanned = scan(tree, heuristics)
    sites: dict[str, set[int]] = {}
    for site in scanned.sites:
        if site.category in ("inline-ptx", "tensor-core", "async-copy"):
            sites.setdefault(site.path, set()).update(range(site.line - 2, site.line + 3))
    known = {
        (kernel.path, kernel.name, line)
        for kernel in scanned.kernels
        for line in range(kernel.line - 12, kernel.line + 1)
    }
    totals = [0, 0, 0, 0]
    for file in tree.files:
        if not file.path.endswith((".cu", ".cuh")):
            continue
        both, code = plain(file.text)
        for line in asm_lines(both, code):
            totals[0] += 1
            if line in sites.get(file.path, ()):
                totals[1] += 1
            else:
                print(f"  asm missed: {file.path}:{line}")
        for name, line in kernels(both):
            totals[2] += 1
            if (file.path, name, line) in known:
                totals[3] += 1
            else:
                print(f"  kernel missed: {file.path}:{line}: {name}")
    print(f"{path.name}: asm {totals[1]} of {totals[0]}, kernels {totals[3]} of {totals[2]}")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        measure(Path(argument))
