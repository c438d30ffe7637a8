"""Shell scripts, batch scripts and environment files: commands, settings, scheduler directives.

`commands` reads shell text for the other languages as well (Dockerfile, Make recipes, CI files).
The reader knows quotes, comments, continuation lines, here-documents, chains, substitutions and the
arms of `if` and `case`; it expands nothing. What `echo` and `printf` say is a message and gives no arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import compact, reading_of, simple_fact
from estimator.languages.requirements import requirement

_TOKEN = re.compile(
    r"""(?P<continued>\\\n)|(?P<escaped>\\.)|(?P<single>'[^']*'?)|(?P<open>\$\(|[<>]\(|\()|(?P<close>\))
      |(?P<quote>")|(?P<tick>`)|(?P<here><<-?\s*(?P<word>['"]?[\w.+-]+['"]?))|(?P<herestring><<<)
      |(?P<redirect>&>>?|[0-9]?>&[0-9-]?|[0-9]?>>?|<)
      |(?P<stop>;;&?|&&|\|\|?&?|;|&|\n)|(?P<space>[ \t]+)|(?P<brace>\$\{[^}\n]*\}?)
      |(?P<comment>\#[^\n]*)|(?P<plain>[^\\'"`()<>;&|\n \t#$]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"^#(SBATCH|PBS|BSUB|COBALT|\$)\s+(\S.*)$", re.MULTILINE)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_OPTION_VALUE = re.compile(r"^[\d.:,]+$|^\w+=|,")
_DECLARING = frozenset({"export", "declare", "readonly", "local", "typeset", "env"})
_WRAPPERS = frozenset(
    {"sudo", "srun", "mpirun", "mpiexec", "mpiexec.hydra", "jsrun", "aprun", "env", "time", "nohup", "exec", "xargs"}
    | {"numactl", "taskset", "timeout", "nice", "stdbuf", "eval", "command", "builtin", "then", "do", "else", "!", "{"}
    | {"while", "until", "poetry", "uv", "pixi", "conda", "singularity", "apptainer", "bash", "sh"}
)
_RUNNERS_WITH_VERB = frozenset({"poetry", "uv", "pixi", "conda", "singularity", "apptainer"})
_MESSAGES = frozenset({"echo", "printf", "cat"})
_INSTALLERS = {
    "pip": "pip",
    "pip3": "pip",
    "uv": "pip",
    "poetry": "pip",
    "pdm": "pip",
    "conda": "conda",
    "mamba": "conda",
    "micromamba": "conda",
    "apt": "apt",
    "apt-get": "apt",
    "aptitude": "apt",
    "dnf": "rpm",
    "yum": "rpm",
    "microdnf": "rpm",
    "tdnf": "rpm",
    "zypper": "rpm",
    "apk": "apk",
}
_INDEXES = frozenset({"--extra-index-url", "--index-url", "-i", "-f", "--find-links", "--index", "--source"})
_VALUES = frozenset({"-r", "--requirement", "-t", "--target", "-n", "--name", "-p", "--prefix", "--python", "-c"})
_SHELLS = frozenset({"bash", "sh", "eval"})


@dataclass(slots=True)
class _Word:
    text: str
    line: int
    quoted: bool = False


@dataclass(slots=True)
class _State:
    """Where the reader is inside one level of substitution."""

    words: list[_Word] = field(default_factory=list)
    text: str = ""
    line: int = 0
    quoted: bool = False
    in_quote: bool = False
    closing: str = ""
    subshell: bool = False


@dataclass(frozen=True, slots=True)
class _Simple:
    """One simple command and what stops it."""

    words: tuple[_Word, ...]
    stop: str


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Commands, settings and scheduler directives of a script."""
    facts = list(commands(text))
    for match in _DIRECTIVE.finditer(text):
        name = "qsub" if match[1] == "$" else match[1]
        line = text.count("\n", 0, match.start()) + 1
        facts.append(simple_fact(FactKind.COMMAND, f"{name} {match[2].strip()}", line))
    return reading_of("shell", text, facts)


def commands(text: str, first_line: int = 1, guards: tuple[str, ...] = ()) -> Iterator[Fact]:
    """Commands, settings and installed packages of shell text whose first line is `first_line`.

    A command behind a wrapper (sudo, srun, env, bash -c) is a fact of its own beside the wrapper's.
    """
    arms: list[str] = []
    for simple in _simple_commands(text, first_line):
        words = list(simple.words)
        _follow_arms(words, arms)
        if simple.stop == ";;" and arms and arms[-1].startswith("case "):
            yield from _facts_of(words, (*guards, *_holding(arms)))
            arms[-1] = arms[-1].split(" in ", 1)[0] + " in "
            continue
        in_pattern = bool(arms) and arms[-1].startswith("case ") and (arms[-1].endswith((" in ", "|")))
        if simple.stop == "pattern" or (in_pattern and simple.stop == "|"):
            if in_pattern:
                arms[-1] += "".join(word.text for word in words) + ("|" if simple.stop == "|" else "")
            continue
        yield from _facts_of(words, (*guards, *_holding(arms)))


def _holding(arms: Iterable[str]) -> tuple[str, ...]:
    return tuple(arm for arm in arms if arm and not arm.endswith(" in "))


def _follow_arms(words: list[_Word], arms: list[str]) -> None:
    """Keep the stack of open `if` and `case` arms; strips the keywords off the command."""
    while words:
        word = words[0].text
        rest = compact(" ".join(other.text for other in words[1:]), 120)
        if word == "if":
            arms.append(rest.removesuffix(" ]").removeprefix("[ "))
        elif word == "elif" and arms:
            arms[-1] = rest.removesuffix(" ]").removeprefix("[ ")
        elif word == "else" and arms:
            arms[-1] = f"!({arms[-1]})"
        elif word == "case":
            arms.append(f"case {rest.removesuffix(' in').split(' in ')[0]} in ")
            pattern = rest.split(" in ", 1)
            words[:] = words[-1:] if len(pattern) == 2 else []
            return
        elif word in ("fi", "esac"):
            if arms:
                arms.pop()
            words.pop(0)
            continue
        elif word not in ("then", "do", "{", "!", "while", "until"):
            return
        words.pop(0)


def _facts_of(words: list[_Word], guards: tuple[str, ...]) -> Iterator[Fact]:
    while words:
        head = words[0]
        if _ASSIGNMENT.match(head.text) and not head.text.startswith("="):
            yield _setting(head.text, head.line, guards)
            words = words[1:]
        elif head.text in _DECLARING:
            kept = [word for word in words[1:] if not word.text.startswith("-")]
            for position, word in enumerate(kept):
                if not _ASSIGNMENT.match(word.text):
                    words = kept[position:] if head.text == "env" else []
                    break
                yield _setting(word.text, word.line, guards)
            else:
                words = []
        elif head.text == "setenv" and len(words) > 2:
            yield _setting(f"{words[1].text}={words[2].text}", head.line, guards)
            return
        else:
            yield from _command(words, guards)
            return


def _setting(text: str, line: int, guards: tuple[str, ...]) -> Fact:
    name, value = text.replace("+=", "=", 1).split("=", 1)
    return simple_fact(FactKind.SETTING, f"{name}={compact(value, 400)}", line, guards=guards)


def _command(words: list[_Word], guards: tuple[str, ...]) -> Iterator[Fact]:
    name = words[0].text.rsplit("/", 1)[-1]
    end = words[-1].line + words[-1].text.count("\n")
    said = words[:1] if name in _MESSAGES else words
    text = compact(" ".join(word.text for word in said), 1000)
    yield simple_fact(FactKind.COMMAND, text, words[0].line, end_line=end, guards=guards)
    yield from _installed(words, guards)
    if name in _WRAPPERS:
        inner = _wrapped(words)
        if name in _SHELLS and len(words) > 2 and words[1].text in ("-c", "-lc", "-ec", "-xc"):
            if words[2].text != words[0].text:
                yield from commands(words[2].text, words[2].line, guards)
        elif inner:
            yield from _facts_of(inner, guards)


def _wrapped(words: list[_Word]) -> list[_Word]:
    """The words of the command that a wrapper runs, empty if there is none."""
    name = words[0].text.rsplit("/", 1)[-1]
    if name in _SHELLS or (name == "command" and words[1:] and words[1].text in ("-v", "-V")):
        return []
    position = 1
    if name in _RUNNERS_WITH_VERB:
        if len(words) < 2 or words[1].text not in ("run", "exec"):
            return []
        position = 2
    while position < len(words):
        word = words[position].text
        if word.startswith("-") or _OPTION_VALUE.search(word):
            position += 1
            continue
        if name in ("singularity", "apptainer") and (word.endswith(".sif") or "://" in word):
            position += 1
            continue
        return words[position:]
    return []


def _installed(words: list[_Word], guards: tuple[str, ...]) -> Iterator[Fact]:
    """Packages that an installing command names, each on its own line; detail is the manager."""
    texts = [word.text for word in words]
    names = [text.rsplit("/", 1)[-1] for text in texts]
    if names[0].startswith("python") and texts[1:3] == ["-m", "pip"]:
        names, words = names[2:], words[2:]
    manager = _INSTALLERS.get(re.sub(r"^pip3(\.\d+)?$", "pip", names[0]), "")
    verbs = [position for position, name in enumerate(names) if name in ("install", "add", "create", "download")]
    if not manager or not verbs:
        return
    option = ""
    for word in words[verbs[0] + 1 :]:
        if option or "-url=" in word.text or word.text.startswith("--find-links="):
            where = f"{option}={word.text}" if option else word.text
            if option not in _VALUES:
                yield simple_fact(FactKind.SETTING, where, word.line, guards=guards)
            option = ""
            continue
        if word.text in _VALUES or word.text in _INDEXES:
            option = word.text
            continue
        for line, text in enumerate(word.text.split("\n"), start=word.line):
            if text.startswith("-") or not re.match(r"[A-Za-z]", text) or "=" in text.split("/")[0][:1]:
                continue
            found = requirement(text)
            if found and not _ASSIGNMENT.fullmatch(text):
                yield simple_fact(FactKind.REQUIREMENT, found, line, detail=manager, guards=guards)


def _simple_commands(text: str, first_line: int) -> Iterator[_Simple]:
    """Simple commands in the order in which they end; substitutions come before what holds them."""
    stack = [_State()]
    line = first_line
    position = 0
    here: list[str] = []
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            break
        kind, token = match.lastgroup or "", match[0]
        if kind == "word":
            kind = "here"
        state = stack[-1]
        start_line = line
        line += token.count("\n")
        position = match.end()
        if kind == "quote":
            _grow(state, "", start_line, quoted=True)
            state.in_quote = not state.in_quote
        elif kind == "open" and (token == "$(" or not state.in_quote):
            stack.append(_State(closing=")", subshell=token == "("))
        elif kind == "tick":
            if state.closing == "`":
                yield from _ended(state, "")
                stack.pop()
                _grow(stack[-1], "$(…)", start_line)
            else:
                stack.append(_State(closing="`"))
        elif state.in_quote:
            _grow(state, "" if kind == "continued" else _unescaped(kind, token), start_line, quoted=True)
        elif kind == "close":
            if state.closing == ")" and len(stack) > 1:
                yield from _ended(state, "")
                stack.pop()
                if not state.subshell or stack[-1].text:
                    _grow(stack[-1], "$(…)", start_line)
            else:
                yield from _ended(state, "pattern")
        elif kind == "comment":
            if state.text or state.quoted:
                _grow(state, "#", start_line)
                position = match.start() + 1
        elif kind == "here":
            here.append((match["word"] or "").strip("'\""))
        elif kind in ("stop", "redirect", "herestring"):
            if kind == "stop":
                yield from _ended(state, ";;" if token.startswith(";;") else token)
                if token == "\n" and here:
                    position, skipped = _behind_documents(text, position, here)
                    line += skipped
                    here = []
            else:
                _word_ends(state)
        elif kind in ("space", "continued"):
            _word_ends(state)
        else:
            _grow(state, _unescaped(kind, token), start_line, quoted=kind == "single")
    while stack:
        yield from _ended(stack.pop(), "")


def _unescaped(kind: str, token: str) -> str:
    if kind == "escaped":
        return token[1:]
    return token.strip("'") if kind == "single" else token


def _grow(state: _State, text: str, line: int, quoted: bool = False) -> None:
    if not state.text and not state.quoted:
        state.line = line
    state.text += text
    state.quoted = state.quoted or quoted


def _word_ends(state: _State) -> None:
    if state.text or state.quoted:
        state.words.append(_Word(state.text, state.line, state.quoted))
    state.text, state.quoted = "", False


def _ended(state: _State, stop: str) -> Iterator[_Simple]:
    _word_ends(state)
    words, state.words = state.words, []
    if words or stop in (";;", "pattern"):
        yield _Simple(tuple(words), stop)


def _behind_documents(text: str, position: int, names: list[str]) -> tuple[int, int]:
    """The offset behind the here-documents that start at `position`, and how many lines they have."""
    start = position
    for name in names:
        end = re.compile(rf"^\t*{re.escape(name)}[ \t]*$", re.MULTILINE).search(text, position)
        if end is None:
            return position, text.count("\n", start, position)
        position = end.end()
    return position, text.count("\n", start, position)
