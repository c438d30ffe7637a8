"""C-family text made ready for reading: comments and strings masked, conditionals resolved.

Offsets stay the same throughout: a masked text has the length of its original, and one character is
one byte, so that the parser's offsets are the text's.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from estimator.languages.c_words import TOLD
from estimator.languages.depth import CUT, kept
from estimator.languages.guards import AMD_NAME, on_amd
from estimator.languages.readings import begun
from estimator.languages.spans import Spans

# One of the characters that begin any of these, then the rest of it: `re` passes over all others at once.
_SKIP = re.compile(
    r"""["'/uULR](?:
       (?<=/)(?P<comment>/[^\n\\]*(?:\\.[^\n\\]*)*(?:\\\n[^\n\\]*(?:\\.[^\n\\]*)*)*|\*.*?(?:\*/|\Z))
      |(?:(?<=R)|(?<=[uUL])R|(?<=u)8R)(?P<raw>"(?P<delimiter>[^()\\\s"]{0,16})\()
      |(?<=")(?P<string>(?:[^"\\\n]|\\.)*"?)
      |(?<![0-9A-Za-z_].)(?:(?<=')|(?<=[uUL])'|(?<=u)8')(?P<char>(?:[^'\\\n]|\\.)+'))""",
    re.VERBOSE | re.DOTALL,
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_RAW_END = re.compile(r"""\)([^()\\\s"]{0,16}+)\"""")
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*([a-z]+)\b((?:[^\n\\]|\\.|\\\n)*)", re.MULTILINE | re.DOTALL)
_MACRO_HEAD = re.compile(r"\s*\w+(?:\([^()]*\))?")
_CONTINUED = re.compile(r"\\\n")
_NEAR = 400  # characters
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_ESCAPE = re.compile(r"\\(?:\n|(.))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """A string literal: offsets of the whole literal and its value with escapes resolved."""

    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class Directive:
    """One preprocessor directive: name, its text on one line, offsets of the whole and of a macro's body."""

    name: str
    text: str
    start: int
    end: int
    text_start: int


@dataclass(frozen=True, slots=True)
class Arm:
    """The text between two directives of one conditional. dead: never compiled (`#if 0`).

    amd: as Fact.amd_arm, from this conditional alone.
    """

    start: int
    end: int
    guard: str
    dead: bool
    group: int
    amd: str = ""


class Conditions:
    """The conditions of a text, which can be asked what holds at an offset."""

    def __init__(self, arms: Iterable[Arm]) -> None:
        """arms: those that are compiled."""
        self._arms = Spans((arm.start, arm.end, arm) for arm in arms)
        self.is_cut = self._arms.is_cut

    def at(self, offset: int) -> tuple[tuple[str, ...], str]:
        """Guards around an offset, outermost first, and the place's amd_arm as in Fact."""
        around = self._arms.around(offset)
        return tuple(arm.guard for arm in around if arm.guard), _vendor(around)


def _vendor(around: Iterable[Arm]) -> str:
    """As Fact.amd_arm: an AMD arm anywhere around decides, else the innermost word."""
    words = [arm.amd for arm in around if arm.amd]
    return "amd" if "amd" in words else words[-1] if words else ""


@dataclass(frozen=True, slots=True)
class CText:
    """A text ready for reading.

    masked: comments and string contents blanked, dead arms blanked, all else as written.
    parse: what the parser gets: directives blanked too, and one arm only where arms would not balance.
    lexical: ranges that the parser does not see and tokens must be read from: macro bodies, left-out arms.
    """

    text: str
    masked: str
    parse: str
    strings: tuple[StringLiteral, ...]
    directives: tuple[Directive, ...]
    conditions: Conditions
    lexical: tuple[tuple[int, int], ...]
    line_starts: tuple[int, ...]

    def line(self, offset: int) -> int:
        """Line of an offset, from 1."""
        return bisect.bisect_right(self.line_starts, offset)

    def line_start(self, offset: int) -> int:
        """Offset where the line of an offset begins."""
        return self.line_starts[self.line(offset) - 1]

    def strings_in(self, start: int, end: int) -> tuple[StringLiteral, ...]:
        """String literals that begin inside a range."""
        first = bisect.bisect_left(self.strings, start, key=_start)
        return self.strings[first : bisect.bisect_left(self.strings, end, lo=first, key=_start)]


def _start(literal: StringLiteral) -> int:
    return literal.start


def is_told(masked: str, offset: int) -> bool:
    """Whether what stands at an offset is only printed, logged or thrown; looked for near it."""
    first = max(0, offset - _NEAR)
    start = max(masked.rfind(sign, first, offset) for sign in ";{}")
    return TOLD.search(masked, max(first, start + 1), offset) is not None


_FEW = 20  # names that are looked for by one expression
_WORD = re.compile(r"[A-Za-z_](?<!\w.)\w*")  # as \b[A-Za-z_]\w*, with a beginning that `re` can look for


def words_at(text: str, names: Collection[str]) -> Iterator[re.Match[str]]:
    """Where a text has a word that is one of some names, in order.

    Where few names occur, `re` looks for these instead of trying every word.
    """
    present = names if len(names) <= _FEW else {*names}.intersection(_WORD.findall(text))
    if len(present) <= _FEW:
        words = "|".join(begun(name) for name in sorted(present))
        return re.finditer(rf"(?:{words})\b", text) if present else iter(())
    return (match for match in _WORD.finditer(text) if match[0] in names)


def blank(text: str) -> str:
    """Spaces of the same length, line ends kept."""
    return "\n".join(" " * len(line) for line in text.split("\n"))


def read_text(text: str) -> CText:
    """Mask, resolve and index one text. Never fails: odd text gives odd but harmless masks."""
    masked, strings = _mask(text)
    directives = tuple(_directives(text, masked))
    arms = _arms(directives, len(text))
    dead = [(arm.start, arm.end) for arm in arms if arm.dead]
    masked = _without(masked, dead)
    dead_arms = Spans((start, end, True) for start, end in dead)
    live = tuple(d for d in directives if not dead_arms.around(d.start))
    hidden = _unbalanced(masked, arms)
    parse = _without(masked, [(d.start, d.end) for d in live] + list(hidden))
    bodies = [(d.text_start, d.end) for d in live if d.name == "define"]
    starts = [0]
    starts.extend(match.end() for match in re.finditer(r"\n", text))
    return CText(
        text=text,
        masked=masked,
        parse=parse,
        strings=strings,
        directives=live,
        conditions=Conditions(_with_vendor(masked, [arm for arm in arms if not arm.dead])),
        lexical=tuple(sorted(bodies + list(hidden))),
        line_starts=tuple(starts),
    )


def matching(text: str, start: int, opening: str = "(", closing: str = ")", limit: int = 200_000) -> int:
    """Offset behind the bracket that closes the one at `start`; -1 when none does within `limit`."""
    if text.startswith(opening, start):
        end = _ends(text, opening, closing).get(start, -1)
        return end if end <= start + limit else -1
    depth = 0  # the bracket itself is hidden: the next one that closes what opens behind it
    brackets = re.compile(f"[{re.escape(opening)}{re.escape(closing)}]")
    for match in brackets.finditer(text, start, start + min(limit, _FARTHEST)):
        depth += 1 if match.group() == opening else -1
        if depth == 0:
            return match.end()
    return -1


_FARTHEST = 20_000


@lru_cache(maxsize=8)
def _ends(text: str, opening: str, closing: str) -> Mapping[int, int]:
    """Offsets behind the closing brackets of one kind, by those of the opening ones."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for match in re.finditer(f"[{re.escape(opening)}{re.escape(closing)}]", text):
        if match.group() == opening:
            opened.append(match.start())
        elif opened:
            ends[opened.pop()] = match.end()
    return ends


def _mask(text: str) -> tuple[str, tuple[StringLiteral, ...]]:
    text = text if text.isascii() else _NOT_ASCII.sub("_", text)
    pieces: list[str] = []
    strings: list[StringLiteral] = []
    raw_ends: dict[str, list[int]] | None = None
    last = 0
    while match := _SKIP.search(text, last):
        start, end = match.span()
        if match["raw"] is not None:
            raw_ends = raw_ends if raw_ends is not None else _raw_ends(text)
            ends = raw_ends.get(match["delimiter"], [])
            place = bisect.bisect_right(ends, end + len(match["delimiter"]) + 1)
            if place == len(ends):  # nothing closes it: what a plain string would be
                opening = text.index('"', start)
                pieces.append(text[last:opening])
                match = _SKIP.match(text, opening)
                assert match is not None
                last = start = opening
                end = match.end()
            else:
                closing = ends[place]
                pieces.append(text[last:start])
                strings.append(StringLiteral(start, closing, text[end : closing - len(match["delimiter"]) - 2]))
                pieces.append('"' + blank(text[start + 1 : closing - 1]) + '"')
                last = closing
                continue
        pieces.append(text[last:start])
        whole = match.group()
        if match["comment"] is not None:
            pieces.append(blank(whole))
        elif match["string"] is not None:
            strings.append(StringLiteral(start, end, _unescape(whole[1:].removesuffix('"'))))
            last_one = "\n" if whole.endswith("\n") else '"'  # an open string may end with a continued line
            pieces.append('"' + blank(whole[1:-1]) + (last_one if len(whole) > 1 else ""))
        else:
            pieces.append("0" + blank(whole[1:]))
        last = end
    pieces.append(text[last:])
    return "".join(pieces), tuple(strings)


def _raw_ends(text: str) -> dict[str, list[int]]:
    """Offsets behind all that may close a raw string, by its delimiter."""
    ends: dict[str, list[int]] = {}
    for match in _RAW_END.finditer(text):
        ends.setdefault(match[1], []).append(match.end())
    return ends


def _unescape(value: str) -> str:
    if "\\" not in value:
        return value
    return _ESCAPE.sub(lambda m: "" if m[1] is None else _ESCAPES.get(m[1], m[1]), value)


def _directives(text: str, masked: str) -> list[Directive]:
    found = []
    for match in _DIRECTIVE.finditer(masked):
        source = text if match[1] in ("include", "include_next", "import") else masked
        body = _CONTINUED.sub("  ", source[match.start(2) : match.end(2)])
        head = _MACRO_HEAD.match(masked, match.start(2)) if match[1] == "define" else None
        text_start = head.end() if head else match.start(2)
        found.append(Directive(match[1], " ".join(body.split()), match.start(), match.end(), text_start))
    return found


def _arms(directives: tuple[Directive, ...], length: int) -> list[Arm]:
    """All arms of all conditionals; include guards are no condition."""
    arms: list[Arm] = []
    stack: list[_Open] = []
    group = 0
    for index, directive in enumerate(directives):
        if directive.name in ("if", "ifdef", "ifndef"):
            group += 1
            condition = _condition(directive)
            if not stack and index == 0 and _is_include_guard(directives):
                condition = ""
            stack.append(_Open(group, condition, directive.end))
        elif directive.name in ("elif", "elifdef", "elifndef", "else") and stack:
            top = stack[-1]
            arms.append(_close(top, directive.start))
            if top.condition and top.condition not in _NEVER:
                top.negated.append(f"!({_shortened(top.condition)})")
            top.taken = top.taken or top.condition in _ALWAYS
            top.condition = "" if directive.name == "else" else _condition(directive)
            top.start = directive.end
            top.otherwise = directive.name == "else"
        elif directive.name == "endif" and stack:
            arms.append(_close(stack.pop(), directive.start))
    while stack:
        arms.append(_close(stack.pop(), length))
    return sorted(arms, key=lambda arm: (arm.start, -arm.end))


def _with_vendor(masked: str, arms: list[Arm]) -> tuple[Arm, ...]:
    """Arms with what each is to AMD; only conditionals that name an AMD macro say anything.

    Arms may lie in one another and conditionals may have arms without end: what is read for all of them together is
    bounded, and what is beyond counts as undecided.
    """
    groups: dict[int, list[Arm]] = {}
    for arm in arms:
        groups.setdefault(arm.group, []).append(arm)
    room = 8 * len(masked) + 200_000
    stated: dict[int, tuple[Arm, ...]] = {}
    for group, members in groups.items():
        length = sum(len(member.guard) for member in members)
        if length <= room and any(AMD_NAME.search(member.guard) for member in members):
            beside = [member for member in members if on_amd(member.guard) is True]
            length += sum(min(member.end - member.start, _LONGEST_ARM) for member in beside)
            if length <= room:
                stated[group] = tuple(_stated(member, beside, masked) for member in members)
        room -= length
    taken = {group: iter(members) for group, members in stated.items()}
    return tuple(next(taken[arm.group]) if arm.group in taken else arm for arm in arms)


def _stated(arm: Arm, beside: Sequence[Arm], masked: str) -> Arm:
    """An arm with its word on AMD; beside: the arms of its conditional that are for AMD."""
    value = on_amd(arm.guard)
    state = "amd" if value is True else ""
    if value is False:
        works = any(_does_work(masked[other.start : min(other.end, other.start + _LONGEST_ARM)]) for other in beside)
        state = "works" if works else "throws" if beside else "missing"
    return replace(arm, amd=state)


_LONGEST_ARM = 50_000  # looked at: an arm longer than that does some work
_LONGEST_STATEMENT = 400
_LONGEST_CONDITION = 1_000

_REFUSAL = re.compile(
    r"\bthrow\b|#\s*error|\babort\s*\(|_CHECK\s*\(\s*false|\bassert\s*\(\s*(?:false|0)|NOT_SUPPORTED|NotSupported"
    r"|not_supported|unimplemented|UNIMPLEMENTED|NO_DEVICE_CODE|__trap|return\s+\w*(?:Error|ERROR|Unsupported|UNSUPPORTED)\w*",
)
_WORK = re.compile(
    r"[\w\])]\s*(?:[-+*/&|]?=)[^=]|\breturn\s+[^;]*\w|\w\s*\([^;{}]*\)\s*;|^[ \t]*#[ \t]*(?:define|include)"
    r"|\busing\b|\btypedef\b",
    re.MULTILINE,
)


def _does_work(arm: str) -> bool:
    """Whether an AMD arm does something besides refusing."""
    if not _REFUSAL.search(arm):
        return bool(arm.strip())
    statements = [s for s in re.split(r"[;{}\n]", arm) if s.strip()]
    return any(_WORK.search(s[:_LONGEST_STATEMENT] + ";") and not _REFUSAL.search(s) for s in statements)


_ALWAYS = ("1", "true")
_NEVER = ("0", "false")


@dataclass(slots=True)
class _Open:
    """A conditional whose end has not been seen yet. negated: of the arms that came before the one at hand."""

    group: int
    condition: str
    start: int
    negated: list[str] = field(default_factory=list)
    taken: bool = False
    otherwise: bool = False


def _close(top: _Open, end: int) -> Arm:
    own = [_shortened(top.condition)] if top.condition and top.condition not in _ALWAYS else []
    dead = top.condition in _NEVER or top.taken
    return Arm(top.start, end, " && ".join((*kept(top.negated), *own)), dead, top.group)


def _shortened(condition: str) -> str:
    return condition if len(condition) <= _LONGEST_CONDITION else condition[:_LONGEST_CONDITION] + CUT


def _condition(directive: Directive) -> str:
    name = directive.text.split()[0] if directive.text.split() else ""
    if directive.name in ("ifdef", "elifdef"):
        return f"defined({name})"
    if directive.name in ("ifndef", "elifndef"):
        return f"!defined({name})"
    return directive.text


def _is_include_guard(directives: tuple[Directive, ...]) -> bool:
    if len(directives) < 3 or directives[0].name not in ("ifndef", "if") or directives[1].name != "define":
        return False
    name = directives[1].text.split()[0].split("(")[0] if directives[1].text else ""
    if not name or name not in directives[0].text.replace("(", " ").replace(")", " ").split():
        return False
    depth = 0
    for position, directive in enumerate(directives):
        if directive.name in ("if", "ifdef", "ifndef"):
            depth += 1
        elif directive.name == "endif":
            depth -= 1
            if depth == 0:
                return position >= len(directives) - 2
    return True


def _without(text: str, ranges: list[tuple[int, int]]) -> str:
    if not ranges:
        return text
    pieces = []
    last = 0
    for first, end in sorted(ranges):
        if end <= last:
            continue
        start = max(first, last)
        pieces.append(text[last:start])
        pieces.append(blank(text[start:end]))
        last = end
    pieces.append(text[last:])
    return "".join(pieces)


def _unbalanced(masked: str, arms: list[Arm]) -> list[tuple[int, int]]:
    """Arms to hide from the parser: all but the first live one where an arm opens more than it closes."""
    groups: dict[int, list[Arm]] = {}
    for arm in arms:
        if not arm.dead:
            groups.setdefault(arm.group, []).append(arm)
    chosen = [members for members in groups.values() if len(members) > 1]
    if not chosen:
        return []
    balance = _Balance(masked)
    hidden: list[tuple[int, int]] = []
    for members in chosen:
        if not all(balance.holds(arm.start, arm.end) for arm in members):
            hidden.extend((arm.start, arm.end) for arm in members[1:])
    return hidden


_BRACKET = re.compile(r"[{}()]")
_DIRECTIVE_LINE = re.compile(r"^[ \t]*#.*$", re.MULTILINE)


class _Balance:
    """The brackets of a text, read once: whether a range of it stands for itself."""

    def __init__(self, text: str) -> None:
        code = _DIRECTIVE_LINE.sub(lambda match: " " * len(match[0]), text)
        self._text = text
        self._word_ends = [match.end() for match in re.finditer(r"\S+", code)]
        self._places = [-1]
        self._depths = [0]
        for match in _BRACKET.finditer(text):
            self._places.append(match.start())
            self._depths.append(self._depths[-1] + (1 if match.group() in "{(" else -1))
        self._lower = self._next_lower()

    def _next_lower(self) -> list[int]:
        """For each bracket the place of the next one behind which fewer are open."""
        lower = [len(self._text)] * len(self._depths)
        waiting: list[int] = []
        for index, depth in enumerate(self._depths):
            while waiting and self._depths[waiting[-1]] > depth:
                lower[waiting.pop()] = self._places[index]
            waiting.append(index)
        return lower

    def holds(self, start: int, end: int) -> bool:
        """Whether brackets close in order and the range does not end inside a statement."""
        before = bisect.bisect_left(self._places, start) - 1
        last = bisect.bisect_left(self._places, end) - 1
        if self._depths[before] != self._depths[last] or self._lower[before] < end:
            return False
        word = bisect.bisect_right(self._word_ends, end) - 1
        return word < 0 or self._word_ends[word] <= start or self._text[self._word_ends[word] - 1] in ";}:,{"
