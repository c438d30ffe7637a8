"""CUDA, HIP, C and C++: facts from the syntax tree, from tokens where the tree gave up.

What must not be lost (asm, kernels, launches, attributes, directives) is found by tokens in the masked
text; what needs structure (calls against declarations, thread arithmetic, constants) comes from
tree-sitter. Ranges that the parser can't see or gave up are read by tokens, with lower confidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import tree_sitter
import tree_sitter_cuda

from estimator.languages.c_text import CText, blank, matching, read_text
from estimator.languages.facts import (
    Confidence,
    DeviceFunction,
    Fact,
    FactKind,
    Harvest,
    KernelFact,
    Reading,
)
from estimator.languages.ptx import instructions

_DEPTH_LIMIT = 5_000
_ATTRIBUTES = r"__launch_bounds__|__cluster_dims__|__block_size__|__maxnreg__|__align__|__attribute__|__declspec|alignas|__annotate__"
_QUALIFIER = re.compile(
    r"__forceinline__|__noinline__|__inline__|__grid_constant__|__restrict__|__restrict|__host__|__device__|__managed__"
    r"|__shared__|__constant__|__extension__|\b(?:C10|CUTLASS|CUTE|THRUST|CUB|TORCH|GGML|AT|FLASHINFER|EIGEN|KOKKOS|RAJA|AMREX)"
    r"_[A-Z_]*(?:DEVICE|HOST|INLINE|API|GLOBAL_FUNC|FUNC|PRAGMA_UNROLL|FUNCTION)\b(?!\s*\()"
)
_ATTRIBUTE_CALL = re.compile(rf"\b({_ATTRIBUTES})\s*\(")
_KEYWORDS = frozenset(
    "if for while switch return sizeof alignof decltype catch static_assert defined new delete throw else do case operator "
    "noexcept typeid __attribute__ __launch_bounds__ __cluster_dims__ __align__ alignas __declspec asm __asm__ __asm "
    "static_cast reinterpret_cast const_cast dynamic_cast template typename void int float double char bool unsigned".split()
)
_RELEVANT = re.compile(
    r"cuda|CUDA|\bcudnn|__global__|__device__|\bcu[A-Z]|\bcu[a-z]+[A-Z_]\w*\(|\basm\b|__asm|\bhip[A-Z_/]|HIP|ROCM|ROCm|<<<|\bcub::|thrust|cutlass"
    r"|\bcute\b|wmma|nccl|\bnpp|[oO]ptix|__shfl|nv(?:toolsext|tx|ml|jpeg|shmem|infer|rtc|codec|comp|JitLink)|\bdali[/A-Z:]|cudss|NvInfer|nvinfer|cooperative_groups"
    r"|threadIdx|WARP_SIZE|libnvidia|\bsm_\d|warpSize|nvshmem|NVENC|NVDEC|cuvid|KERNEL|gfx\d"
)
_TEMPLATE_TEXT = re.compile(r"\{\{.*?\}\}|@\w+@|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_STRING_WORTH = re.compile(
    r"cuda|cud[an]|__global__|sm_|compute_|\.ptx|cubin|fatbin|lib\w+\.so|nvidia|nvcc|gfx\d|\basm\b|\.target"
)


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Facts of a C-family text, sorted by place. A text without any GPU token gives its length alone."""
    language = "cuda" if re.search(r"\.cuh?(\.|$)", path) else "hip" if ".hip" in path else "cpp"
    lines = text.count("\n") + (not text.endswith("\n")) if text else 0
    size = len(text.encode("utf-8", "replace"))
    known = harvest.kernel_macros and re.search("|".join(map(re.escape, sorted(harvest.kernel_macros))), text)
    if language != "cuda" and not _RELEVANT.search(text) and not known:
        return Reading(language, lines, (), size=size)
    if path.endswith((".in", ".j2", ".jinja", ".tmpl", ".template")):
        text = _TEMPLATE_TEXT.sub(_stand_in, text)
    return _Reader(read_text(text), harvest, language).reading(language, lines, size)


def harvest(texts: Iterable[str]) -> Harvest:
    """Learn a repository's own macros: attributes to blank, device and kernel qualifiers, warp constants."""
    bodies: dict[str, str] = {}
    values: dict[str, set[str]] = {}
    aliases: dict[str, set[str]] = {}
    for text in texts:
        for match in _DEFINE.finditer(text):
            body = " ".join(match[3].replace("\\\n", " ").split("//")[0].split())
            if len(body) <= 300:
                bodies.setdefault(match[1], body)
            if not match[2] and body:
                values.setdefault(match[1], set()).add(body)
        for match in _WIDTH.finditer(text):
            values.setdefault(match[1], set()).add(match[2].strip())
        for match in _NAMESPACE_ALIAS.finditer(text):
            aliases.setdefault(match[1], set()).add(match[2])
    qualifiers = _qualifier_macros(bodies)
    numbers = {name: {number(v) for v in found if _NUMBER.fullmatch(v)} for name, found in values.items()}
    return Harvest(
        qualifiers=frozenset(qualifiers),
        device_macros=frozenset(n for n in qualifiers if _reaches(n, "__device__", bodies)),
        kernel_macros=frozenset(n for n in qualifiers if _reaches(n, "__global__", bodies)),
        constants=tuple(
            sorted((n, next(iter(found))) for n, found in numbers.items() if len(found) == 1 and len(values[n]) == 1)
        ),
        adaptive=frozenset(n for n, found in numbers.items() if found & {32, 31} and len(values[n]) > 1),
        aliases=tuple(sorted((n, next(iter(found))) for n, found in aliases.items() if len(found) == 1)),
    )


_WIDTH = re.compile(
    r"\bconst(?:expr)?\s+(?:static\s+)?(?:unsigned\s+|u?int(?:32_t)?\s+|int\s+|size_t\s+|auto\s+)+(\w*(?:[wW]arp|WARP|[wW]ave|WAVE|[lL]ane|LANE)\w*)\s*=\s*([^;{}]{1,60});"
)
_NAMESPACE_ALIAS = re.compile(r"\bnamespace\s+(\w+)\s*=\s*([\w:]+)\s*;")


_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^()\n]*\))?[ \t]*((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE)
_NUMBER = re.compile(r"\(?\s*(0[xX][0-9a-fA-F']+|\d[\d']*)([uUlL]*)\s*\)?")
_ONLY_QUALIFIERS = re.compile(
    r"(?:__\w+__(?:\s*\((?:[^()]|\([^()]*\))*\))?|inline|static|extern|\"C\"|constexpr|void|template|const|volatile|__forceinline"
    r"|__declspec\s*\([^()]*\)|\[\[[^\]]*\]\]|alignas\s*\([^()]*\)|_Pragma\s*\([^()]*\)|\s)+"
)


def _qualifier_macros(bodies: dict[str, str]) -> set[str]:
    """Names whose bodies hold qualifiers only, directly or through others of them."""
    found: set[str] = set()
    while True:
        more = {
            name
            for name, body in bodies.items()
            if name not in found and _is_qualifier(" ".join(w for w in body.split() if w not in found), body)
        }
        if not more:
            return found
        found |= more


def _is_qualifier(rest: str, body: str) -> bool:
    if not body or body.startswith(("__CUDA", "__HIP", "__LINE__", "__FILE__", "__COUNTER__")):
        return False
    return not rest or bool(_ONLY_QUALIFIERS.fullmatch(rest) and "__" in rest or rest in ("inline", "static inline"))


def _reaches(name: str, word: str, bodies: dict[str, str], depth: int = 0) -> bool:
    body = bodies.get(name, "")
    if word in body:
        return True
    return depth < 5 and any(_reaches(w, word, bodies, depth + 1) for w in body.split() if w in bodies and w != name)


def number(text: str) -> int:
    """Value of a plain integer literal, suffixes and brackets allowed."""
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a number: {text}")
    digits = match[1].replace("'", "")
    return int(digits, 16) if digits[:2] in ("0x", "0X") else int(digits)


def _stand_in(match: re.Match[str]) -> str:
    """Template placeholders become identifiers of the same length; control blocks become blanks."""
    whole = match.group()
    if whole.startswith(("{%", "{#")) or "\n" in whole:
        return blank(whole)
    return "v" + re.sub(r"\W", "_", whole[1:-1]) + "_"


@dataclass(frozen=True, slots=True)
class _Function:
    """A function definition: offsets of head, body and end."""

    name: str
    start: int
    body: int
    end: int
    space: str


@dataclass(slots=True)
class _Reader:
    """One text while it is read; facts by (kind, offset), so that the first way to find one wins."""

    source: CText
    harvest: Harvest
    language: str
    facts: dict[tuple[FactKind, int], Fact] = field(default_factory=dict)
    functions: list[_Function] = field(default_factory=list)
    kernels: list[tuple[KernelFact, int, int]] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    thread_names: dict[int, set[str]] = field(default_factory=dict)
    lane_constants: set[str] = field(default_factory=set)
    constant_places: dict[str, int] = field(default_factory=dict)
    asm_texts: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    error_bytes: int = 0
    shuffles: bool = False

    def reading(self, language: str, lines: int, size: int) -> Reading:
        self.constants.update(self.harvest.constants)
        self.aliases.update(self.harvest.aliases)
        self.shuffles = bool(_SHUFFLE.search(self.source.masked))
        parse = self._prepared()
        self._read_directives()
        self._find_kernels(parse)
        tree = _parser().parse(parse.encode("ascii", "replace"))
        lexical = list(self.source.lexical)
        _Walk(self, parse, lexical).run(tree)
        self.functions.extend(
            _Function(kernel.name, start, start, end, "kernel")
            for kernel, start, end in self.kernels
            if not any(f.start <= start < f.end for f in self.functions)
        )
        self._read_asm()
        self._read_attributes_and_launches()
        self._read_strings()
        for start, end in lexical:
            self._read_tokens(start, end)
        self._name_lane_constants()
        placed = sorted(self.facts.items(), key=lambda item: (item[1].line, item[1].column, item[0][0]))
        facts = tuple(fact for _, fact in placed)
        kernels = tuple(self._with_features(kernel, start, end, parse) for kernel, start, end in self.kernels)
        if any(fact.kind is FactKind.INCLUDE and _HIP_HEADER.match(fact.text) and not fact.guards for fact in facts):
            language = "hip"
        if language == "hip":
            facts = tuple(replace(fact, amd_arm="amd") for fact in facts)
            kernels = tuple(replace(kernel, amd_arm="amd") for kernel in kernels)
        return Reading(
            language=language,
            lines=lines,
            facts=facts,
            kernels=kernels,
            device_functions=tuple(self._device_functions(parse)),
            error_bytes=self.error_bytes,
            size=size,
            definitions=tuple(sorted(self._definitions())),
        )

    def _definitions(self) -> set[str]:
        names = {function.name for function in self.functions}
        names |= {fact.text for fact in self.facts.values() if fact.kind is FactKind.DEFINE}
        return {name for name in names if _API_NAME.match(name)}

    # -- facts and where they stand

    def add(
        self,
        kind: FactKind,
        text: str,
        start: int,
        end: int,
        detail: str = "",
        confidence: Confidence = Confidence.PARSED,
        space: str | None = None,
    ) -> None:
        if (kind, start) in self.facts:
            return
        function = self.function_at(start)
        line = self.source.line(start)
        self.facts[kind, start] = Fact(
            kind=kind,
            text=text,
            line=line,
            end_line=self.source.line(max(start, end - 1)),
            column=start - self.source.line_starts[line - 1] + 1,
            detail=detail,
            function=function.name if function else "",
            space=space if space is not None else function.space if function else "",
            guards=self.source.guards(start),
            confidence=confidence,
            amd_arm=self.source.amd_arm(start),
        )

    def function_at(self, offset: int) -> _Function | None:
        """The innermost function around an offset."""
        best = None
        for function in self.functions:
            if function.start <= offset < function.end and (best is None or function.start >= best.start):
                best = function
        return best

    def written(self, start: int, end: int, limit: int = 200) -> str:
        """Source as written between two offsets, on one line."""
        return " ".join(self.source.text[start:end].split())[:limit]

    # -- preparation

    def _prepared(self) -> str:
        """The parser's text without attributes: same length, qualifiers and attribute macros blanked."""
        parse = self.source.parse
        pieces: list[tuple[int, int, str]] = []
        for match in _ATTRIBUTE_CALL.finditer(parse):
            end = matching(parse, match.end() - 1, limit=2_000)
            if end > 0:
                pieces.append((match.start(), end, ""))
        pieces.extend((m.start(), m.end(), "") for m in _QUALIFIER.finditer(parse))
        words = self.harvest.qualifiers
        if words:
            for match in re.finditer(r"\b[A-Za-z_]\w*", parse):
                if match.group() not in words:
                    continue
                end = match.end()
                if parse[end : end + 1] == "(":
                    end = max(end, matching(parse, end, limit=2_000))
                stand_in = "void" if match.group() in self.harvest.kernel_macros else ""
                pieces.append((match.start(), end, stand_in))
        return _replaced(parse, pieces)

    # -- found by tokens

    def _read_directives(self) -> None:
        for directive in self.source.directives:
            text = directive.text
            if directive.name in ("include", "include_next", "import"):
                match = re.match(r'[<"]([^>"]+)[>"]', text)
                if match:
                    self.add(FactKind.INCLUDE, match[1], directive.start, directive.end)
            elif directive.name in ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"):
                self.add(FactKind.CONDITION, text, directive.start, directive.end, directive.name)
            elif directive.name == "pragma":
                self.add(FactKind.PRAGMA, text, directive.start, directive.end)
            elif directive.name == "define":
                match = re.match(r"(\w+)(\([^()]*\))?\s*(.*)", text, re.DOTALL)
                if match:
                    self.add(FactKind.DEFINE, match[1], directive.start, directive.end, match[3][:200])
                    if not match[2] and _NUMBER.fullmatch(match[3]):
                        self.constant(match[1], number(match[3]), directive.start, directive.end)
        for match in re.finditer(r"_Pragma\s*\(\s*", self.source.masked):
            literals = self.source.strings_in(match.end(), match.end() + 2)
            if literals:
                self.add(FactKind.PRAGMA, literals[0].value, match.start(), literals[0].end)

    def constant(self, name: str, value: int, start: int, end: int) -> None:
        self.constants[name] = value
        self.constant_places.setdefault(name, start)
        self.add(FactKind.CONSTANT, name, start, end, str(value))

    def _find_kernels(self, parse: str) -> None:
        words = ["__global__", *sorted(self.harvest.kernel_macros)]
        seen: set[int] = set()
        for match in re.finditer(rf"\b(?:{'|'.join(map(re.escape, words))})\b", self.source.masked):
            kernel = self._kernel(match.start(), match.end())
            if kernel and kernel[1] not in seen:
                seen.add(kernel[1])
                self.kernels.append((kernel[0], kernel[1], kernel[2]))
                self.add(FactKind.KERNEL, kernel[0].name, kernel[3], kernel[3] + 1, space="kernel")

    def _kernel(self, start: int, end: int) -> tuple[KernelFact, int, int, int] | None:
        """The definition that a qualifier begins: kernel, offsets of body and end, offset of its line."""
        masked = self.source.masked
        if masked[end : end + 1] == "(":  # a macro with arguments
            end = matching(masked, end, limit=2_000)
            if end < 0:
                return None
        found = _kernel_name(masked, end)
        if found is None:
            return None
        name, name_start, opening = found
        closing = matching(masked, opening, limit=20_000)
        if closing < 0:
            return None
        after = re.compile(r"[{;]").search(masked, closing, closing + 2_000)
        if not after or after.group() == ";":
            return None
        body_end = matching(self.source.parse, after.start(), "{", "}", limit=2_000_000)
        if body_end < 0:
            body_end = matching(masked, after.start(), "{", "}", limit=2_000_000)
        if body_end < 0:
            body_end = min(len(masked), after.start() + 20_000)
        head = masked[
            max(0, masked.rfind("\n\n", 0, start), masked.rfind("}", 0, start), masked.rfind(";", 0, start)) : start
        ]
        kernel = KernelFact(
            name=name,
            line=self.source.line(name_start),
            end_line=self.source.line(body_end - 1),
            template=bool(re.search(r"\btemplate\s*<\s*[^>\s]", head)),
            features=(),
            guards=self.source.guards(start),
            amd_arm=self.source.amd_arm(start),
        )
        return kernel, after.start(), body_end, name_start

    def _read_asm(self) -> None:
        masked = self.source.masked
        for match in _ASM.finditer(masked):
            end = matching(masked, match.end() - 1, limit=60_000)
            if end < 0:
                continue
            text = self._asm_text(match.end(), end - 1)
            opcodes = instructions(text)
            self.asm_texts.append((match.start(), opcodes))
            self.add(FactKind.ASM, text, match.start(), end, " | ".join(opcodes))

    def _asm_text(self, start: int, end: int) -> str:
        """The template of an asm statement: literals joined, what stands between them as {name}."""
        masked = self.source.masked
        colon = re.compile(r":").search(masked, start, end)
        stop = colon.start() if colon else end
        pieces: list[str] = []
        last = start
        for literal in self.source.strings_in(start, stop):
            pieces.append(self._between(last, literal.start))
            pieces.append(literal.value)
            last = literal.end
        pieces.append(self._between(last, stop))
        return "".join(pieces)

    def _between(self, start: int, end: int) -> str:
        words = re.findall(r"#?\s*[A-Za-z_]\w*", self.source.masked[start:end])
        return "".join("{" + word.lstrip("# ") + "}" for word in words)

    def _read_attributes_and_launches(self) -> None:
        masked = self.source.masked
        for match in _ATTRIBUTE_CALL.finditer(masked):
            end = matching(masked, match.end() - 1, limit=2_000)
            if end > 0 and match[1] not in ("__attribute__", "__declspec", "alignas", "__align__"):
                self.add(FactKind.ATTRIBUTE, match[1], match.start(), end, self.written(match.end(), end - 1))
        for match in re.finditer(r"<<<", masked):
            end = masked.find(">>>", match.end(), match.end() + 4_000)
            if end < 0:
                continue
            name, start = _name_before(masked, match.start())
            arguments = self.written(start + len(name), match.start())
            self.add(FactKind.LAUNCH, name, start, end + 3, (arguments + " " + self.written(match.end(), end)).strip())

    def _read_strings(self) -> None:
        for literal in self.source.strings:
            if _STRING_WORTH.search(literal.value) and not self._is_message(literal.start):
                self.add(FactKind.STRING, literal.value[:20_000], literal.start, literal.end)

    def _is_message(self, offset: int) -> bool:
        """Whether a literal is dead code or the text of an #error."""
        if self.source.masked[offset] == " ":
            return True
        line = self.source.line_starts[self.source.line(offset) - 1]
        return bool(re.match(r"\s*#\s*(?:error|warning|pragma\s+message|include)", self.source.masked[line:offset]))

    def _read_tokens(self, start: int, end: int) -> None:
        """Facts by tokens alone, for what the parser did not see."""
        masked = self.source.masked
        for match in _CALL.finditer(masked, start, end):
            name = match[1]
            if name.split("::")[-1] in _KEYWORDS or _declares(masked, match.start()):
                continue
            closing = matching(masked, match.end() - 1, limit=4_000)
            stop = closing if closing > 0 else match.end()
            detail = self.written(match.end(), stop - 1)
            member = _MEMBER_BEFORE.search(masked, max(0, match.start() - 80), match.start())
            if member:
                owner = self.types.get(member[1], member[1])
                self.add(FactKind.MEMBER_CALL, f"{owner}.{name}", match.start(), stop, detail, Confidence.LEXICAL)
            else:
                self.add(FactKind.CALL, self.expanded(name), match.start(), stop, detail, Confidence.LEXICAL)
        for match in _QUALIFIED.finditer(masked, start, end):
            if not masked[match.end() :].lstrip().startswith("("):
                self.add(FactKind.NAME, self.expanded(match[0]), match.start(), match.end(), "", Confidence.LEXICAL)
        for match in _LANE.finditer(masked, start, end):
            self.lane(match[1], match[2], match[3], match.start(), match.end(), Confidence.LEXICAL)
        for match in _MASK.finditer(masked, start, end):
            self.add(
                FactKind.MASK,
                match[0],
                match.start(),
                match.end(),
                self._mask_context(match.start()),
                Confidence.LEXICAL,
            )

    def _mask_context(self, offset: int) -> str:
        line_start = self.source.line_starts[self.source.line(offset) - 1]
        return "define " + self.written(line_start, offset, 120)

    # -- meaning shared by tree and tokens

    def expanded(self, name: str) -> str:
        """A qualified name with its namespace alias resolved: cg::this_grid is cooperative_groups::this_grid."""
        root, separator, rest = name.partition("::")
        return self.aliases[root] + separator + rest if separator and root in self.aliases else name

    def lane(
        self, left: str, operator: str, right: str, start: int, end: int, confidence: Confidence = Confidence.PARSED
    ) -> None:
        """Record arithmetic on a thread index or count, if it is that."""
        value = self._value(right)
        function = self.function_at(start)
        role = self._role(left, function)
        if value is None or not role or (value not in _LANE_VALUES and role != "$thread"):
            return
        if not value.bit_length():
            return
        name = right.strip()
        if value in _LANE_VALUES and operator in ("%", "&", "/", ">>") and name in self.constants:
            self.lane_constants.add(name)
        self.add(FactKind.LANE, f"{role} {operator} {value}", start, end, self.written(start, end), confidence)

    def _value(self, text: str) -> int | None:
        text = text.strip().strip("()").strip()
        if _NUMBER.fullmatch(text):
            return number(text)
        match = re.fullmatch(r"\(?\s*(\w+)\s*-\s*1\s*\)?", text)
        if match and self._value(match[1]) is not None:
            value = self._value(match[1])
            return value - 1 if value is not None else None
        name = text.rsplit("::", 1)[-1]
        if name == "warpSize" or name in self.harvest.adaptive:
            return None
        if name in self.constants:
            return self.constants[name]
        return 32 if _WARP_NAME.fullmatch(name) else None

    def _role(self, text: str, function: _Function | None) -> str:
        """What an operand is: a thread index, a thread count, a halving offset, or nothing of interest."""
        names = self.thread_names.get(function.start, set()) if function else set()
        flat = _CAST.sub("", text.strip())
        if _THREAD.search(flat):
            return "$thread"
        words = re.findall(r"[A-Za-z_]\w*", flat)
        if words and any(word in names for word in words) and not re.search(r"[\[(]\s*$", flat):
            return "$thread"
        if len(words) <= 3 and any(_THREADS_NAME.fullmatch(word) for word in words):
            return "$threads"
        return ""

    def _name_lane_constants(self) -> None:
        """Constants that lane arithmetic uses, or that are named so, are lane constants where they are defined."""
        for name, start in self.constant_places.items():
            value = self.constants.get(name)
            if value in _LANE_VALUES and (name in self.lane_constants or _WARP_NAME.fullmatch(name)):
                self.add(FactKind.LANE, f"$constant {value}", start, start + len(name), name)

    # -- kernels and device functions

    def _with_features(self, kernel: KernelFact, start: int, end: int, parse: str) -> KernelFact:
        features = self._features(start, end)
        head = self.source.masked[max(0, start - 1_500) : start]
        head = head[head.rfind("__global__") :] if "__global__" in head else head
        if "__cluster_dims__" in head:
            features = tuple(sorted({*features, "cluster"}))
        calls = tuple(sorted(set(_called(parse[start:end])) - {kernel.name}))
        return replace(kernel, features=features, calls=calls)

    def _device_functions(self, parse: str) -> Iterator[DeviceFunction]:
        for function in self.functions:
            if function.space == "device":
                features = self._features(function.body, function.end)
                yield DeviceFunction(
                    function.name, features, tuple(sorted(set(_called(parse[function.body : function.end]))))
                )

    def _features(self, start: int, end: int) -> tuple[str, ...]:
        body = self.source.masked[start:end]
        found = {name for name, pattern in _FEATURES.items() if pattern.search(body)}
        if "accumulation" in found and not _accumulates(body):
            found.discard("accumulation")
        for offset, opcodes in self.asm_texts:
            if start <= offset < end and opcodes:
                found.add("asm")
                found.update(_asm_features(opcodes))
        return tuple(sorted(found))


_API_NAME = re.compile(r"cu[A-Zdbfrst]|nccl|nv[a-z]|npp|optix")
_HIP_HEADER = re.compile(r"hip/|hipblas|hiprand|rocblas|rccl|hipcub|hipfft")
_ASM = re.compile(
    r"\b(?:asm|__asm|__asm__)\b\s*(?:(?:volatile|__volatile__|__volatile|goto|inline|__inline__)\b\s*)*\("
)
_CALL = re.compile(
    r"(?<![\w:#])((?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)\s*(?:<[^<>;(){}]*(?:<[^<>;(){}]*>[^<>;(){}]*)*>)?\s*\("
)
_MEMBER_BEFORE = re.compile(r"([A-Za-z_]\w*)\s*(?:\.|->)\s*(?:template\s+)?$")
_QUALIFIED = re.compile(r"(?<![\w:])[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+")
_LANE = re.compile(
    r"((?:threadIdx\.[xyz]|\b[A-Za-z_][\w.]*)(?:\s*\))?)\s*(%|&(?!&)|/|>>|<(?![<=])|==|>=)\s*(\w+(?:\s*-\s*1)?)",
    re.ASCII,
)
_MASK = re.compile(r"\b0[xX][fF]{8}[uUlL]*\b(?!\w)")
_SHUFFLE = re.compile(
    r"__shfl|__ballot|__reduce_\w+_sync|__any_sync|__all_sync|__activemask|__match_|__syncwarp|\bshfl_\w+\(|(?:[wW]arp|[bB]lock)_?(?:[rR]educe|[sS]um|[mM]ax|[mM]in|[sS]can)\w*\s*[<(]"
)
_WARP_NAME = re.compile(
    r"(?:k|g_|s_|m_)?(?:cuda_?|num_?|gpu_?)?(?:warp_?(?:size|threads|width|sz|length|lanes)|threads_?per_?warp|lanes(?:_per_warp)?|num_?threads_?(?:in|per)_?warp"
    r"|warp_?size_?(?:c|const)|WarpSize|warpsz|lane_?count|wave_?(?:size|lanes)|elems_?per_?warp)_?",
    re.IGNORECASE,
)
_THREAD = re.compile(r"\bthreadIdx\s*\.\s*[xyz]\b|\bthread_rank\s*\(|\blocalThreadIdx\b")
_THREADS_NAME = re.compile(
    r"\w*(?:threads|block_?(?:size|dim)|nthr|cta_?size)(?:_?per_?(?:block|cta))?(?:_?[xyz])?_?|nt", re.IGNORECASE
)
_CAST = re.compile(r"\b(?:static_cast|int|unsigned|size_t|u?int32_t)\b\s*(?:<[^<>]*>)?")
_LANE_VALUES = frozenset((32, 31, 5))
_FEATURES = {
    "shared-memory": re.compile(r"__shared__|\bsmem\b|shared_memory|SharedStorage|extern_shared"),
    "barrier": re.compile(r"__syncthreads|\b(?:block|cta|tb)\w*\.sync\(|__barrier_sync"),
    "shuffle": re.compile(
        r"__shfl|__ballot|__reduce_\w+_sync|__any_sync|__all_sync|__match_|__syncwarp|\.shfl|cg::reduce"
    ),
    "atomic": re.compile(r"\batomic[A-Z]\w*\s*\(|\bgpuAtomic|\batomic_\w+\s*\("),
    "wmma": re.compile(r"\bwmma::"),
    "mma-cxx": re.compile(r"\bcute::gemm|\bMMA_Atom|TiledMma|\bmma_sync\b(?!\w)|warp::Mma|cutlass::arch::Mma"),
    "cp-async": re.compile(r"memcpy_async|cuda::pipeline|__pipeline_|cp_async"),
    "tma": re.compile(r"\bCUtensorMap|SM90_TMA|tma_load|cp_async_bulk|TMA_LOAD"),
    "cluster": re.compile(r"cluster_group|this_cluster|cluster_sync|cluster_arrive"),
    "cooperative": re.compile(r"\bgrid\w*\s*\.\s*sync\s*\(|this_grid\s*\(\s*\)\s*\.\s*sync|grid_barrier|grid_sync"),
    "texture": re.compile(r"\btex[123]D\w*\s*[<(]|\bsurf[123]D\w*\s*[<(]|\btex1Dfetch"),
    "double": re.compile(r"\bdouble\b"),
    "device-launch": re.compile(r"<<<"),
    "loop": re.compile(r"\b(?:for|while)\s*\("),
    "halving-loop": re.compile(r"(?:>>=\s*1|/=\s*2)"),
    "block-reduce": re.compile(
        r"BlockReduce|BlockScan|WarpReduce|WarpScan|block_?reduce|warp_?reduce|warp_?sum|block_?sum", re.IGNORECASE
    ),
    "spin": re.compile(r"while\s*\([^;{}]*(?:atomic|volatile|load_acquire|ld_acquire|flag)[^;{}]*\)\s*[;{]"),
    "compare-and-swap": re.compile(r"\batomicCAS\s*\("),
    "indirect": re.compile(r"\w+\s*\[[^\[\];]*\b\w+\s*\[[^\[\]]*\][^\[\]]*\]"),
    "row-pointer": re.compile(r"row_?(?:ptr|start|offset)|offsets?\s*\[[^\]]*\+\s*1\s*\]|\bindptr\b", re.IGNORECASE),
    "accumulation": re.compile(r"[;{})]\s*\w+\s*\+=[^;{}]*[\[(*][^;{}]*;|(\b\w+)\s*=\s*f?max[f]?\(\s*\1\b"),
    "sort": re.compile(r"BlockRadixSort|bitonic|radix_?sort|\bsort\w*\s*\(", re.IGNORECASE),
}
_FOR_HEADER = re.compile(r"\bfor\s*\([^;{}]*;[^;{}]*;[^{};]*?\)(?=\s*[{\w#])")
_ASM_FEATURES = (
    ("mma-asm", ("mma.", "ldmatrix")),
    ("wmma", ("wmma.",)),
    ("wgmma", ("wgmma.", "tcgen05.")),
    ("tma", ("cp.async.bulk", "cp.reduce.async.bulk")),
    ("cp-async", ("cp.async",)),
    ("mbarrier", ("mbarrier.",)),
    ("cluster", ("barrier.cluster", "mapa", "cluster")),
)


def _accumulates(body: str) -> bool:
    """Whether something is summed up inside a loop, loop counters left aside."""
    loop = _FEATURES["loop"].search(body)
    return bool(loop and _FEATURES["accumulation"].search(_FOR_HEADER.sub("for ", body[loop.start() :])))


def _asm_features(opcodes: tuple[str, ...]) -> set[str]:
    return {name for name, heads in _ASM_FEATURES for opcode in opcodes if opcode.startswith(heads)}


def _called(body: str) -> list[str]:
    return [m[1].rsplit("::", 1)[-1] for m in _CALL.finditer(body) if m[1] not in _KEYWORDS]


_WORD = re.compile(r"\s*([A-Za-z_~][\w]*(?:\s*::\s*[A-Za-z_]\w*)*(?:##\w+)*)")


def _kernel_name(masked: str, position: int) -> tuple[str, int, int] | None:
    """Name of the function that a qualifier at `position` belongs to, its offset and its bracket's."""
    for _ in range(60):
        match = _WORD.match(masked, position)
        if match is None:
            step = re.compile(r"\s*(?:[*&]|\[\[[^\]]*\]\]|\\\n|##|\"[^\"]*\")").match(masked, position)
            if step is None:
                return None
            position = step.end()
            continue
        position = match.end()
        follow = re.compile(r"\s*(?:\\\n\s*)*").match(masked, position)
        after = follow.end() if follow else position
        if masked[after : after + 2] == "##":
            position = after
            name_end = re.compile(r"##\s*\w+").match(masked, after)
            if name_end:
                after = name_end.end()
                if masked[after : after + 1] == "(":
                    return masked[match.start(1) : after], match.start(1), after
                position = after
            continue
        if masked[after : after + 1] == "<":
            closing = _angle_end(masked, after)
            if closing < 0:
                return None
            opening = re.compile(r"\s*\(").match(masked, closing)
            if opening and not masked[after : after + 3] == "<<<":
                return match[1], match.start(1), opening.end() - 1
            position = closing
            continue
        if masked[after : after + 1] == "(":
            closing = matching(masked, after, limit=4_000)
            word = match[1]
            is_attribute = bool(re.fullmatch(_ATTRIBUTES, word)) or (
                closing > 0 and bool(re.match(r"\s*[A-Za-z_]\w*\s*[(<]", masked[closing : closing + 200]))
            )
            if is_attribute and closing > 0:
                position = closing
                continue
            return word, match.start(1), after
        if word_ends(masked, after):
            return None
    return None


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


_ANGLE = re.compile(r"->|[<>(;{]")


def word_ends(masked: str, position: int) -> bool:
    """Whether a declaration ends here without a parameter list."""
    return masked[position : position + 1] in (";", "{", "}", "=", "")


def _name_before(masked: str, position: int) -> tuple[str, int]:
    """The kernel named before <<<, template arguments left out, and its offset."""
    end = position
    while end > 0 and masked[end - 1].isspace():
        end -= 1
    if end and masked[end - 1] == ">":
        depth = 0
        while end > 0:
            end -= 1
            depth += {">": 1, "<": -1}.get(masked[end], 0)
            if depth == 0 or masked[end] in ";{}":
                break
        while end > 0 and masked[end - 1].isspace():
            end -= 1
    match = re.compile(r"[A-Za-z_][\w:]*$").search(masked, max(0, end - 200), end)
    return (match[0], match.start()) if match else ("", position)


def _declares(masked: str, start: int) -> bool:
    """Whether tokens before a name make it a declaration or definition rather than a call."""
    before = masked[max(0, start - 80) : start].rstrip()
    if not before or before[-1] in ";{}(,=!&|?:<+-/%[\\":
        return False
    match = re.search(r"([A-Za-z_]\w*)\s*[*&]*$", before)
    if not match:
        return False
    return match[1] not in (
        "return",
        "else",
        "do",
        "throw",
        "case",
        "co_return",
        "and",
        "or",
        "not",
        "in",
    ) and not before.endswith(")")


def _replaced(text: str, pieces: list[tuple[int, int, str]]) -> str:
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


_STRIP_TEMPLATE = re.compile(r"<[^<>]*>")


def _plain(name: str) -> str:
    """A qualified name without template arguments and blanks."""
    while "<" in name:
        shorter = _STRIP_TEMPLATE.sub("", name)
        if shorter == name:
            return name.split("<", 1)[0]
        name = shorter
    return "".join(name.split()).removeprefix("::")


class _Walk:
    """One pass over the tree, without recursion: deep trees are a stranger's way to crash us."""

    def __init__(self, reader: _Reader, parse: str, lexical: list[tuple[int, int]]) -> None:
        self.reader = reader
        self.parse = parse
        self.lexical = lexical
        self.callees: set[int] = set()
        self.pending: list[Callable[[], None]] = []
        self.name_end = 0
        self.name_root = ""
        self.enter: dict[str, Callable[[tree_sitter.Node], None]] = {
            "function_definition": self.function,
            "namespace_alias_definition": self.alias,
            "call_expression": self.call,
            "qualified_identifier": self.qualified,
            "template_type": self.template_type,
            "declaration": self.declaration,
            "field_declaration": self.declaration,
            "parameter_declaration": self.typed,
            "optional_parameter_declaration": self.default_parameter,
            "binary_expression": self.binary,
            "enumerator": self.enumerator,
            "field_expression": self.field,
            "for_statement": self.loop,
            "number_literal": self.number,
            "array_declarator": self.array,
            "ERROR": self.error,
        }

    def run(self, tree: tree_sitter.Tree) -> None:
        """First declarations and functions, then everything that needs to know them."""
        cursor = tree.walk()
        depth = 0
        visiting = True
        while True:
            if visiting:
                node = cursor.node
                if node is not None:
                    handler = self.enter.get(node.type)
                    if handler is not None:
                        handler(node)
                if depth < _DEPTH_LIMIT * 4 and cursor.goto_first_child():
                    depth += 1
                    continue
            if cursor.goto_next_sibling():
                visiting = True
                continue
            if not cursor.goto_parent():
                break
            depth -= 1
            visiting = False
        for action in self.pending:
            action()

    def text(self, node: tree_sitter.Node) -> str:
        return self.parse[node.start_byte : node.end_byte]

    def function(self, node: tree_sitter.Node) -> None:
        declarator = node.child_by_field_name("declarator")
        body = node.child_by_field_name("body")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = declarator.child_by_field_name("declarator") or _first_named(declarator)
        if declarator is None or body is None:
            return
        named = declarator.child_by_field_name("declarator")
        name = _plain(self.text(named)).rsplit("::", 1)[-1] if named is not None else ""
        source = self.reader.source.masked
        start = node.start_byte
        head_from = max(source.rfind(";", 0, start), source.rfind("}", 0, start), source.rfind("{", 0, start), 0)
        head = source[head_from : body.start_byte]
        space = self.space(head, source[body.start_byte : body.end_byte])
        if space == "kernel":
            kernel = next((k for k, s, e in self.reader.kernels if s == body.start_byte), None)
            name = kernel.name if kernel else name
        self.reader.functions.append(_Function(name, start, body.start_byte, node.end_byte, space))

    def space(self, head: str, body: str) -> str:
        words = set(re.findall(r"[A-Za-z_]\w*", head))
        if "__global__" in words or words & self.reader.harvest.kernel_macros:
            return "kernel"
        if (
            "__device__" in words
            or words & self.reader.harvest.device_macros
            or any(w.endswith("_DEVICE") for w in words)
        ):
            return "device"
        return "device" if "threadIdx." in body else "host"

    def alias(self, node: tree_sitter.Node) -> None:
        names = [self.text(child) for child in node.named_children]
        if len(names) == 2:
            self.reader.aliases[names[0]] = _plain(names[1])
            self.reader.add(FactKind.NAME, _plain(names[1]), node.start_byte, node.end_byte, "namespace alias")

    def call(self, node: tree_sitter.Node) -> None:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return
        if any(child.type == "kernel_call_syntax" for child in node.children):
            self.callees.add(function.start_byte)
            return
        if function.type == "field_expression":
            owner = function.child_by_field_name("argument")
            method = function.child_by_field_name("field")
            if owner is None or method is None:
                return
            self.later(self.member_call, node, self.text(owner), _plain(self.text(method)), method.start_byte)
            return
        name = _plain(self.text(function))
        self.callees.add(function.start_byte)
        if not name or name in _KEYWORDS or not re.match(r"[A-Za-z_]", name):
            return
        if name == "dim3":
            named = re.search(r"(\w+)\s*=?\s*$", self.parse[max(0, node.start_byte - 60) : node.start_byte])
            self.later(
                self.block_shape, named[1] if named else "", node.start_byte, node.end_byte, self.text(arguments)
            )
        self.later(self.add_call, name, function.start_byte, node.end_byte, arguments.start_byte, arguments.end_byte)

    def later(self, action: Callable[..., None], *arguments: object) -> None:
        """Put off what needs the functions, types and constants of the whole text."""
        self.pending.append(lambda: action(*arguments))

    def add_call(self, name: str, start: int, end: int, opening: int, closing: int) -> None:
        detail = self.reader.written(opening + 1, closing - 1)
        self.reader.add(FactKind.CALL, self.reader.expanded(name), start, end, detail)
        self.masks(name, start, opening, closing)

    def masks(self, name: str, start: int, opening: int, closing: int) -> None:
        """Lane masks given to warp primitives, and 32-bit variables that hold one."""
        bare = name.rsplit("::", 1)[-1]
        if _MASKED_CALL.fullmatch(bare):
            first = self.parse[opening + 1 : closing - 1].split(",")[0].strip()
            if _MASK_LITERAL.fullmatch(first):
                at = opening + 1 + self.parse[opening + 1 : closing].index(first)
                self.reader.add(FactKind.MASK, first, at, at + len(first), f"argument {bare}")
        if _MASK_MAKER.fullmatch(bare):
            holder = _HOLDER.search(self.parse, max(0, start - 200), start)
            if holder:
                self.reader.add(FactKind.MASK, holder[1], holder.start(), start, f"holder {bare}")

    def member_call(self, node: tree_sitter.Node, owner: str, method: str, at: int) -> None:
        plain = _plain(owner)
        kind = self.reader.types.get(plain) or self.reader.types.get(plain.split("(")[0], "")
        if not kind and "(" in owner:
            kind = _plain(owner.split("(", 1)[0])
        text = f"{self.reader.expanded(kind or plain)}.{method}"
        arguments = node.child_by_field_name("arguments")
        detail = self.reader.written(arguments.start_byte + 1, arguments.end_byte - 1) if arguments else ""
        self.reader.add(FactKind.MEMBER_CALL, text, at, node.end_byte, detail)

    def qualified(self, node: tree_sitter.Node) -> None:
        start = node.start_byte
        name = _plain(self.text(node))
        root = name.split("::", 1)[0]
        if start < self.name_end and root == self.name_root:
            return
        self.name_end, self.name_root = node.end_byte, root
        if start in self.callees:
            return
        arguments = self.text(node).partition("<")[2]
        self.later(self.add_name, name, start, node.end_byte, arguments)

    def add_name(self, name: str, start: int, end: int, arguments: str) -> None:
        self.reader.add(FactKind.NAME, self.reader.expanded(name), start, end, " ".join(arguments.split())[:120])

    def template_type(self, node: tree_sitter.Node) -> None:
        """A template named without its namespace, with numbers: GemmShape<128, 128, 32>."""
        name, _, arguments = self.text(node).partition("<")
        if node.start_byte >= self.name_end and re.search(r"\d", arguments) and node.start_byte not in self.callees:
            self.later(self.add_name, name.strip(), node.start_byte, node.end_byte, arguments)

    def declaration(self, node: tree_sitter.Node) -> None:
        self.typed(node)
        type_node = node.child_by_field_name("type")
        member, default = node.child_by_field_name("declarator"), node.child_by_field_name("default_value")
        if member is not None and default is not None:
            self.constant(self.text(member).strip("*& "), self.text(default), node.start_byte, node.end_byte)
        for child in node.children_by_field_name("declarator"):
            if child.type != "init_declarator":
                continue
            named = child.child_by_field_name("declarator")
            value = child.child_by_field_name("value")
            if named is None or value is None:
                continue
            name, written = self.text(named).strip("*& "), self.text(value)
            if _is_constant(self.parse[node.start_byte : child.start_byte]):
                self.constant(name, written, node.start_byte, node.end_byte)
            self.later(self.note_thread, name, written, node.start_byte)
            if value.type == "call_expression" and type_node is not None and self.text(type_node).startswith("auto"):
                callee = value.child_by_field_name("function")
                if callee is not None:
                    self.reader.types[name] = _plain(self.text(callee))
            if type_node is not None and self.text(type_node) == "dim3":
                self.later(self.block_shape, name, node.start_byte, node.end_byte, written)
        if re.match(r"(?:\w+\s+)*(?:unsigned|u?int(?:32_t)?|unsigned int)\s", self.text(node)[:60]):
            self.later(self.lane_shift, node.start_byte, node.end_byte)

    def constant(self, name: str, written: str, start: int, end: int) -> None:
        """A named constant; one that says lane or warp and is a multiple or part of 32 is lane arithmetic."""
        if _NUMBER.fullmatch(written):
            value = number(written)
            self.reader.constant(name, value, start, end)
            if value == 32 and re.fullmatch(r"\w*threads_?", name, re.IGNORECASE):
                self.later(self.reader.add, FactKind.LANE, "$block 32", start, end, name)
            return
        if re.search(r"\d", written) and re.search(r"\bconstexpr\b|\bstatic\b", self.parse[start:end]):
            self.later(self.reader.add, FactKind.CONSTANT, name, start, end, written[:80])
        part = re.search(r"(/|\*|>>)\s*(32|5)\b", written)
        if part and re.search(r"lane|warp", name, re.IGNORECASE):
            self.later(self.reader.add, FactKind.LANE, f"$lanes {part[1]} {part[2]}", start, end, name)

    def lane_shift(self, start: int, end: int) -> None:
        """`1u << lane`: a mask made from a lane number."""
        for match in _LANE_SHIFT.finditer(self.parse, start, end):
            self.reader.add(FactKind.MASK, match[0], match.start(), match.end(), "shift")

    def note_thread(self, name: str, value: str, start: int) -> None:
        """Remember variables that hold a thread index of the block."""
        function = self.reader.function_at(start)
        if function is None or "blockIdx" in value or "blockDim" in value:
            return
        names = self.reader.thread_names.setdefault(function.start, set())
        words = re.findall(r"[A-Za-z_]\w*", value)
        if _THREAD.search(value) or (words and words[0] in names and len(words) <= 2):
            names.add(name)

    def typed(self, node: tree_sitter.Node) -> None:
        type_node = node.child_by_field_name("type")
        if type_node is None or type_node.type in ("primitive_type", "placeholder_type_specifier"):
            return
        kind = _plain(self.text(type_node))
        for declarator in node.children_by_field_name("declarator"):
            named = declarator
            while named is not None and named.type not in ("identifier", "field_identifier"):
                named = named.child_by_field_name("declarator") or _first_named(named)
            if named is not None:
                self.reader.types[self.text(named)] = kind

    def default_parameter(self, node: tree_sitter.Node) -> None:
        named = node.child_by_field_name("declarator")
        value = node.child_by_field_name("default_value")
        if named is not None and value is not None and _NUMBER.fullmatch(self.text(value)):
            inside = node.parent is not None and node.parent.type == "template_parameter_list"
            if inside:
                self.reader.constant(self.text(named), number(self.text(value)), node.start_byte, node.end_byte)

    def enumerator(self, node: tree_sitter.Node) -> None:
        named = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if named is not None and value is not None and _NUMBER.fullmatch(self.text(value)):
            self.reader.constant(self.text(named), number(self.text(value)), node.start_byte, node.end_byte)

    def binary(self, node: tree_sitter.Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return
        sign = self.text(operator)
        if sign == "<<":
            self.later(self.lane_shift, node.start_byte, node.end_byte)
            return
        if sign not in ("%", "&", "/", ">>", "<", "==", ">=", "+", "*", "!=", ">"):
            return
        if right.end_byte - right.start_byte > 40 or left.end_byte - left.start_byte > 120:
            return
        self.later(self.arithmetic, self.text(left), sign, self.text(right), node.start_byte, node.end_byte)

    def arithmetic(self, left: str, sign: str, right: str, start: int, end: int) -> None:
        if sign == "+":
            self.tail(left, right, start, end)
        elif sign != "*":
            self.reader.lane(left, sign, right, start, end)

    def tail(self, left: str, right: str, start: int, end: int) -> None:
        """The unrolled end of a block reduction, s[t + 32], s[t + 16] …, which relies on lock step."""
        if self.reader._value(right) != 32 or not re.search(r"\[\s*$", self.parse[max(0, start - 10) : start]):
            return
        follow = rf"\[\s*{re.escape(left)}\s*\+\s*16\s*\]"
        if re.search(follow, self.parse[end : end + 400]):
            self.reader.add(FactKind.LANE, "$tail + 32", start, end, self.reader.written(start, end))

    def field(self, node: tree_sitter.Node) -> None:
        parent = node.parent
        if parent is not None and parent.type == "call_expression":
            return
        owner, member = node.child_by_field_name("argument"), node.child_by_field_name("field")
        if owner is None or member is None:
            return
        if owner.type == "call_expression":
            callee = owner.child_by_field_name("function")
            if callee is not None and callee.type in ("qualified_identifier", "identifier"):
                name = f"{_plain(self.text(callee))}.{self.text(member)}"
                self.later(self.reader.add, FactKind.NAME, name, owner.start_byte, node.end_byte)
            return
        if owner.type != "identifier":
            return
        name, part, start, end = self.text(owner), self.text(member), node.start_byte, node.end_byte
        self.later(self.typed_field, name, part, start, end)

    def typed_field(self, name: str, part: str, start: int, end: int) -> None:
        kind = self.reader.types.get(name, "")
        if kind:
            self.reader.add(FactKind.NAME, f"{self.reader.expanded(kind)}.{part}", start, end)

    def loop(self, node: tree_sitter.Node) -> None:
        """Shuffle loops that start at half a warp, and block reductions that stop at a warp."""
        body = node.child_by_field_name("body")
        if body is None:
            return
        head = self.parse[node.start_byte : body.start_byte]
        if not re.search(r">>=\s*1|/=\s*2|=\s*\w+\s*(?:>>\s*1|/\s*2)|\*=\s*2|<<=\s*1", head):
            return
        inside = self.parse[body.start_byte : body.end_byte]
        start = re.search(r"=\s*(16)\s*;", head)
        if start and _SHUFFLE.search(inside):
            at = node.start_byte + start.start(1)
            self.later(
                self.reader.add,
                FactKind.LANE,
                "$shuffle 16",
                at,
                at + 2,
                self.reader.written(node.start_byte, body.start_byte),
            )
        stop = re.search(r";\s*\w+\s*(?:>=?)\s*(\w+)\s*;", head)
        if stop:
            at = node.start_byte + stop.start(1)
            self.later(self.halving, stop[1], at, node.start_byte, body.start_byte)

    def halving(self, limit: str, at: int, start: int, end: int) -> None:
        if self.reader._value(limit) == 32:
            self.reader.add(FactKind.LANE, "$halving > 32", at, at + len(limit), self.reader.written(start, end))

    def number(self, node: tree_sitter.Node) -> None:
        written = self.text(node)
        if _MASK.fullmatch(written):
            self.later(self.mask_literal, written, node.start_byte, node.end_byte)

    def mask_literal(self, written: str, start: int, end: int) -> None:
        before = self.parse[max(0, start - 100) : start]
        if re.search(
            r"\b\w*(?:mask|MASK|Mask|lanes|LANES|active|FULL)\w*\s*(?:\[\s*\])?\s*(?:=|\{|\|=|&=)\s*$", before
        ):
            self.reader.add(FactKind.MASK, written, start, end, "named")

    def array(self, node: tree_sitter.Node) -> None:
        """Shared arrays with one slot per lane or warp."""
        size = node.child_by_field_name("size")
        if size is None:
            return
        line = self.reader.source.masked[max(0, self.parse.rfind("\n", 0, node.start_byte)) : node.start_byte]
        if "__shared__" in line:
            self.later(self.shared_array, self.text(size), size.start_byte, size.end_byte, self.text(node))

    def shared_array(self, size: str, start: int, end: int, written: str) -> None:
        if self.reader._value(size) == 32 and written.count("[") == 1 and self.reader.shuffles:
            self.reader.add(FactKind.LANE, "$shared [32]", start, end, written)
        match = re.fullmatch(r"\s*(.+?)\s*(/|>>)\s*(\w+)\s*", size)
        if match and self.reader._value(match[3]) in _LANE_VALUES:
            self.reader.add(FactKind.LANE, f"$shared {match[2]} {self.reader._value(match[3])}", start, end, written)

    def block_shape(self, name: str, start: int, end: int, arguments: str) -> None:
        """A block's shape: rows of 32 in a file whose kernels work by warps, else a constant to tune."""
        first = arguments.strip("(){} ").split(",")[0].strip()
        if not re.search(r"block|thread|cta", name, re.IGNORECASE) or not re.match(r"\d|[A-Zk]", first):
            return
        if self.reader.shuffles and self.reader._value(first) == 32:
            self.reader.add(FactKind.LANE, "$block (32", start, end, self.reader.written(start, end))
        elif first.isdigit():
            self.reader.add(FactKind.CONSTANT, "dim3 block", start, end, arguments[:80])

    def error(self, node: tree_sitter.Node) -> None:
        covered = sum(child.end_byte - child.start_byte for child in node.named_children if _is_whole(child))
        self.reader.error_bytes += max(0, node.end_byte - node.start_byte - covered)
        self.lexical.append((node.start_byte, node.end_byte))


_MASKED_CALL = re.compile(r"__(?:shfl|ballot|any|all|match|reduce)\w*_sync|__syncwarp")
_MASK_MAKER = re.compile(r"__ballot(?:_sync)?|__activemask|__match_(?:any|all)_sync|__any_sync_mask")
_MASK_LITERAL = re.compile(r"\(?\s*(?:0[xX][0-9a-fA-F']+[uUlL]*|-1|~0[uUlL]*|\(?unsigned\)?\s*-1|\d+[uUlL]*)\s*\)?")
_HOLDER = re.compile(r"\b((?:const\s+)?(?:unsigned(?:\s+int)?|u?int(?:32_t)?|auto)\s+\w+)\s*=\s*$")
_LANE_SHIFT = re.compile(r"\b1[uU]?\s*<<\s*\(?\s*(?:lane\w*|\w*[lL]ane(?:_?[iI]d)?|tid_in_warp)\b")


def _is_constant(head: str) -> bool:
    return bool(re.search(r"\b(?:const|constexpr|consteval|static)\b", head))


def _is_whole(node: tree_sitter.Node) -> bool:
    return node.type.endswith(("_definition", "declaration", "_statement")) and not node.has_error


def _first_named(node: tree_sitter.Node) -> tree_sitter.Node | None:
    return node.named_children[0] if node.named_child_count else None
