"""Shell scripts, batch scripts and environment files: commands, settings, scheduler directives.

`commands` reads shell text for the other languages as well (Dockerfile, Make recipes, CI files).
The reader knows quotes, comments, continuation lines, here-documents, chains, substitutions and the
arms of `if` and `case`; it expands variables only in what fetches or installs. What `echo` and `printf` say
is a message and gives no arguments.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise

from estimator.languages.depth import CUT, INNERMOST, OUTERMOST, kept
from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import MOST_FACTS, compact, reading_of, simple_fact
from estimator.languages.requirements import requirement

_TOKEN = re.compile(
    r"""(?P<continued>\\\n)|(?P<escaped>\\.)|(?P<single>'[^']*'?)|(?P<open>\$\(|[<>]\(|\()|(?P<close>\))
      |(?P<quote>")|(?P<tick>`)|(?P<here><<-?\s*(?P<word>['"]?[\w.+-]+['"]?))|(?P<herestring><<<)
      |(?P<redirect>&>>?|[0-9]?>&[0-9-]?|[0-9]?>>?|<)
      |(?P<stop>;;&?|&&|\|\|?&?|;|&|\n)|(?P<space>[ \t]+)|(?P<brace>\$\{[^}\n]*\}?)
      |(?P<comment>\#)|(?P<plain>[^\\'"`()<>;&|\n \t#$]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_ALONE = re.compile(r"^\t*([\w.+-]+)[ \t]*$", re.MULTILINE)
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
_PASSING = frozenset({"-e", "--env", "-x", "--build-arg"})  # options that hand a setting to a container or a rank
_PROFILES = re.compile(r"GITHUB_(?:ENV|PATH)\b|BASH_ENV\b|\.(?:bashrc|profile|zshrc)$|/etc/(?:environment|profile)")
_CONFIGURED = re.compile(r"[\w/-]\.(?:py|cfg|conf|ini|toml|env|mk|cmake)$")
_PASSED = re.compile(r"(?:--env=)?[A-Za-z_]\w*=")
_SPACED = re.compile(r"^([A-Za-z_]\w*+)[ \t]++=[ \t]*+")
_ASSIGNED = re.compile(r"^\s*+([A-Za-z_]\w*+)=(\S*+)\s*+\\$")
_VARIABLE_END = re.compile(r"-?[${%].*$", re.DOTALL)
_CHANNEL = re.compile(r"^(?:\$\{?\w+\}?|[\w./-]+)::")
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
_INSTALLING = frozenset({"install", "reinstall", "add", "create", "download"})
_INDEXES = frozenset(
    {"--extra-index-url", "--index-url", "--default-index", "-i", "-f", "--find-links", "--index", "--source"}
)
_VALUES = frozenset(
    {"-r", "--requirement", "-t", "--target", "-n", "--name", "-p", "--prefix", "--python", "-c", "--constraint"}
    | {"--channel", "--channel-priority", "--file", "--solver", "--platform", "--subdir", "--trusted-host"}
    | {"--upgrade-strategy", "--progress-bar", "--root", "--src", "--dest", "--cache-dir", "--log", "--proxy"}
    | {"--timeout", "--retries", "--python-version", "--implementation", "--abi", "--no-binary", "--only-binary"}
    | {
        "--config-settings",
        "--global-option",
        "--root-user-action",
        "--index-strategy",
        "--torch-backend",
        "--link-mode",
    }
    | {"--resolution", "--prerelease", "-G", "--group", "-E", "--extras", "--extra", "-o", "--option"}
    | {"--target-release", "--default-release", "--virtual", "--repository", "--repo", "--enablerepo", "--disablerepo"}
)
_FETCHING = re.compile(r"(?:curl|wget|aria2c|dpkg|rpm|apt|apt-get|dnf|yum|zypper)\s")
_USED = re.compile(r"\$(?:\{([A-Za-z_]\w{0,99})(?::?-([^${}]{0,200}))?\}|([A-Za-z_]\w{0,99}))")
_LONGEST_VALUE = 400  # characters
_MOST_USED = 20  # variables of one text that are replaced
_SHELLS = frozenset({"bash", "sh", "eval"})
_BRACES = re.compile(r"\\.|\$\{|\}", re.DOTALL)
_LONGEST_EXPANSION = 1_000  # characters
_CONTINUED_BY_TICK = (" `\n", "\t`\n")  # PowerShell in a CI file
_MOST_WRAPPERS = 20  # around one command
_LONGEST_PATTERN = 1_000


@dataclass(slots=True)
class _Word:
    text: str
    line: int
    quoted: bool = False


@dataclass(slots=True)
class _State:
    """Where the reader is inside one level of substitution."""

    words: list[_Word] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)  # of the word at hand, none of them empty
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
    facts = list(islice(commands(text), 2 * MOST_FACTS))
    line, last = 1, 0
    for match in _DIRECTIVE.finditer(text):
        name = "qsub" if match[1] == "$" else match[1]
        line, last = line + text.count("\n", last, match.start()), match.start()
        facts.append(simple_fact(FactKind.COMMAND, f"{name} {match[2].strip()}", line))
    return reading_of("shell", text, facts)


def commands(text: str, first_line: int = 1, guards: tuple[str, ...] = ()) -> Iterator[Fact]:
    """Commands, settings and installed packages of shell text whose first line is `first_line`.

    A command behind a wrapper (sudo, srun, env, bash -c) is a fact of its own beside the wrapper's. What fetches or
    installs a file is given once more with the values of its variables, as far as the text sets them.
    """
    values: dict[str, str] = {}
    for fact in _commands(text, first_line, guards):
        yield fact
        if fact.kind is FactKind.SETTING:
            name, _, value = fact.text.partition("=")
            values[name] = _expanded(value, values)[:_LONGEST_VALUE]
        elif fact.kind is FactKind.COMMAND and "$" in fact.text and _FETCHING.match(fact.text):
            whole = _expanded(fact.text, values)
            if whole != fact.text:
                yield replace(fact, text=f"fetched {compact(whole, 1000)}")


def _expanded(text: str, values: Mapping[str, str]) -> str:
    """A text with variables replaced that are known; a default counts as the value of one that is not."""
    return _USED.sub(lambda match: values.get(match[1] or match[3]) or match[2] or match[0], text, count=_MOST_USED)


def _commands(text: str, first_line: int, guards: tuple[str, ...]) -> Iterator[Fact]:
    arms: list[str] = []
    for simple in _simple_commands(text, first_line):
        words = _follow_arms(simple.words, arms)
        if simple.stop == ";;" and arms and arms[-1].startswith("case "):
            yield from _facts_of(words, (*guards, *_holding(arms)))
            arms[-1] = arms[-1].split(" in ", 1)[0] + " in "
            continue
        in_pattern = bool(arms) and arms[-1].startswith("case ") and (arms[-1].endswith((" in ", "|")))
        if simple.stop == "pattern" or (in_pattern and simple.stop == "|"):
            if in_pattern:
                pattern = arms[-1] + "".join(word.text for word in words)
                arms[-1] = pattern[:_LONGEST_PATTERN] + ("|" if simple.stop == "|" else "")
            if in_pattern and simple.stop == "pattern" and words:
                yield simple_fact(FactKind.CONDITION, arms[-1], words[0].line, guards=(*guards, *_holding(arms[:-1])))
            continue
        yield from _facts_of(words, (*guards, *_holding(arms)))


def _holding(arms: Sequence[str]) -> tuple[str, ...]:
    near = arms if len(arms) <= 4 * INNERMOST else (*arms[:OUTERMOST], CUT, *arms[-3 * INNERMOST :])
    return kept([arm for arm in near if arm and not arm.endswith(" in ")])


def _follow_arms(words: Sequence[_Word], arms: list[str]) -> Sequence[_Word]:
    """Keep the stack of open `if` and `case` arms; gives the words behind the keywords."""
    position = 0
    while position < len(words):
        word = words[position].text
        if word in ("if", "elif", "case"):
            rest = compact(" ".join(other.text for other in words[position + 1 : position + 122]), 120)
        if word == "if":
            arms.append(rest.removesuffix(" ]").removeprefix("[ "))
        elif word == "elif" and arms:
            arms[-1] = rest.removesuffix(" ]").removeprefix("[ ")
        elif word == "else" and arms:
            arms[-1] = f"!({arms[-1][:_LONGEST_PATTERN]})"
        elif word == "case":
            arms.append(f"case {rest.removesuffix(' in').split(' in ')[0]} in ")
            return words[-1:] if " in " in rest else ()
        elif word in ("fi", "esac"):
            if arms:
                arms.pop()
        elif word not in ("then", "do", "{", "!", "while", "until"):
            break
        position += 1
    return words[position:] if position else words


def _facts_of(words: Sequence[_Word], guards: tuple[str, ...], wrappers: int = 0) -> Iterator[Fact]:
    position = 0
    options = True
    while position < len(words):
        head = words[position]
        if _ASSIGNMENT.match(head.text):
            yield from _settings(head.text, head.line, guards)
            position += 1
        elif head.text in _DECLARING:
            if options:
                words, position, options = [w for w in words[position:] if not w.text.startswith("-")], 0, False
            position += 1
            while position < len(words) and _is_set(words[position].text):
                if _ASSIGNMENT.match(words[position].text):
                    yield from _settings(words[position].text, words[position].line, guards)
                position += 1
            if head.text != "env":
                return
        elif head.text == "setenv" and len(words) > position + 2:
            yield from _settings(f"{words[position + 1].text}={words[position + 2].text}", head.line, guards)
            return
        else:
            yield from _command(words[position:] if position else words, guards, wrappers)
            return


def _is_set(text: str) -> bool:
    """Whether a word behind `env` or `export` sets a variable, maybe one whose name is itself a variable's value."""
    return _ASSIGNMENT.match(text) is not None or (text.startswith("$") and "=" in text)


def _settings(text: str, line: int, guards: tuple[str, ...]) -> Iterator[Fact]:
    """A variable and its value; those that a command kept in the value sets on later lines follow it."""
    name, value = text.replace("+=", "=", 1).split("=", 1)
    whole = compact(value.replace("\\\n", ""), 400)
    yield simple_fact(FactKind.SETTING, f"{name}={whole}", line, guards=guards)
    for number, part in enumerate(value.split("\n")):
        inner = _ASSIGNED.match(part) if number else None
        if inner:
            yield simple_fact(FactKind.SETTING, f"{inner[1]}={compact(inner[2], 400)}", line + number, guards=guards)


def _command(words: Sequence[_Word], guards: tuple[str, ...], wrappers: int) -> Iterator[Fact]:
    name = words[0].text.rsplit("/", 1)[-1]
    end = words[-1].line + words[-1].text.count("\n")
    said = words[:1] if name in _MESSAGES else words[:8_000]
    text = compact(" ".join(word.text for word in said).replace("\\\n", ""), 1000)
    yield simple_fact(FactKind.COMMAND, text, words[0].line, end_line=end, guards=guards)
    yield from _installed(words, guards)
    yield from _passed(words, guards)
    if name in _WRAPPERS:
        inner = _wrapped(words)
        if name in _SHELLS and len(words) > 2 and words[1].text in ("-c", "-lc", "-ec", "-xc"):
            if words[2].text != words[0].text:
                yield from commands(words[2].text, words[2].line, guards)
        elif inner and wrappers < _MOST_WRAPPERS:
            deep = (CUT,) if wrappers + 1 == _MOST_WRAPPERS else ()
            yield from _facts_of(inner, (*guards, *deep), wrappers + 1)


def _passed(words: Sequence[_Word], guards: tuple[str, ...]) -> Iterator[Fact]:
    """Settings that a command hands on: `docker run -e NAME=value`, `echo NAME=value >> $GITHUB_ENV`.

    So do words for a configuration file, `echo "NAME = value" > site.cfg`, and places for `$GITHUB_PATH`.
    """
    last = words[-1].text
    written = words[0].text in _MESSAGES and len(words) > 2
    kept_for_later = written and bool(_PROFILES.search(last) or _CONFIGURED.search(last))
    if written and last.endswith("GITHUB_PATH"):
        yield from _settings(f"PATH={words[1].text}", words[1].line, guards)
        return
    for before, word in pairwise(words[:-1] if kept_for_later else words):
        text = _SPACED.sub(r"\1=", word.text.removeprefix("export ")) if kept_for_later else word.text
        if not _PASSED.match(text):
            continue
        if kept_for_later or before.text in _PASSING or text.startswith("--env="):
            yield from _settings(text.removeprefix("--env="), word.line, guards)


def _wrapped(words: Sequence[_Word]) -> Sequence[_Word]:
    """The words of the command that a wrapper runs, empty if there is none."""
    name = words[0].text.rsplit("/", 1)[-1]
    if name in _SHELLS or (name == "command" and words[1:] and words[1].text in ("-v", "-V")):
        return ()
    position = 1
    if name in _RUNNERS_WITH_VERB:
        if len(words) < 2 or words[1].text not in ("run", "exec"):
            return ()
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
    return ()


def _installed(words: Sequence[_Word], guards: tuple[str, ...]) -> Iterator[Fact]:
    """Packages that an installing command names, each on its own line; detail is the manager."""
    texts = [word.text for word in words]
    names = [text.rsplit("/", 1)[-1] for text in texts]
    if texts[1:3] == ["-m", "pip"]:
        names, words = names[2:], words[2:]
    manager = _INSTALLERS.get(re.sub(r"^pip3(\.\d+)?$", "pip", names[0]), "")
    verbs = [position for position, name in enumerate(names) if name in _INSTALLING]
    if not manager or not verbs:
        return
    option = ""
    for word in _whole(words[verbs[0] + 1 :]):
        if option or "-url=" in word.text or word.text.startswith("--find-links="):
            where = f"{option}={word.text}" if option else word.text
            if option not in _VALUES:
                yield simple_fact(FactKind.SETTING, where, word.line, guards=guards)
            option = ""
            continue
        if word.text in _VALUES or word.text in _INDEXES:
            option = word.text
            continue
        for line, text in enumerate(_CHANNEL.sub("", word.text).split("\n"), start=word.line):
            if text.startswith("-") or not re.match(r"[A-Za-z]", text) or "=" in text.split("/")[0][:1]:
                continue
            found = requirement(text) or requirement(_before_variable(text))
            if found and not _ASSIGNMENT.fullmatch(text):
                yield simple_fact(FactKind.REQUIREMENT, found, line, detail=manager, guards=guards)


def _whole(words: Sequence[_Word]) -> Iterator[_Word]:
    """The words, but those of a template, such as `{{ name }}`, as one."""
    held: list[_Word] = []
    depth = 0
    for word in words:
        held.append(word)
        depth += word.text.count("{{") - word.text.count("}}")
        if depth <= 0:
            yield _Word(" ".join(part.text for part in held), held[0].line)
            held, depth = [], 0


def _before_variable(text: str) -> str:
    """What stands before the first variable or template; "" for an address in which that ends a folder."""
    begun = _VARIABLE_END.sub("", text)
    return "" if begun.endswith("/") else begun


def _simple_commands(text: str, first_line: int) -> Iterator[_Simple]:
    """Simple commands in the order in which they end; substitutions come before what holds them."""
    stack = [_State()]
    line = first_line
    position = unclosed = 0  # no expansion that begins before `unclosed` is looked into
    here: list[str] = []
    documents = _Documents(text)
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            break
        kind, token = match.lastgroup or "", match[0]
        if kind == "word":
            kind = "here"
        state = stack[-1]
        if kind == "single" and state.in_quote:
            kind, token = "plain", "'"  # an apostrophe: "it's building"
        if kind == "comment" and not (state.in_quote or state.pieces or state.quoted):
            token = text[match.start() : _line_end(text, position)]
        if kind == "brace":
            closed = _brace_end(text, match.start()) if match.start() >= unclosed else 0
            unclosed = max(unclosed, match.start() + _LONGEST_EXPANSION) if closed < 0 else unclosed
            token = text[match.start() : closed] if closed > 0 else token
        start_line = line
        line += token.count("\n")
        position = match.start() + len(token)
        if kind == "quote":
            _grow(state, "", start_line, quoted=True)
            state.in_quote = not state.in_quote
        elif kind == "open" and (token == "$(" or not state.in_quote):
            stack.append(_State(closing=")", subshell=token == "("))
        elif kind == "tick" and state.closing != "`" and text[match.start() - 1 : position + 1] in _CONTINUED_BY_TICK:
            _word_ends(state)
            position, line = position + 1, line + 1
        elif kind == "tick":
            if state.closing == "`":
                yield from _ended(state, "")
                stack.pop()
                _grow(stack[-1], "$(…)", start_line)
            else:
                stack.append(_State(closing="`"))
        elif state.in_quote:
            _grow(state, token if kind == "continued" else _unescaped(kind, token), start_line, quoted=True)
        elif kind == "close":
            if state.closing == ")" and len(stack) > 1:
                yield from _ended(state, "")
                stack.pop()
                if not state.subshell or stack[-1].pieces:
                    _grow(stack[-1], "$(…)", start_line)
            else:
                yield from _ended(state, "pattern")
        elif kind == "comment":
            if token == "#" and (state.pieces or state.quoted):
                _grow(state, "#", start_line)
        elif kind == "here":
            here.append((match["word"] or "").strip("'\""))
        elif token == "\n" and state.pieces == ["^"] and not state.quoted:  # a line of cmd.exe goes on
            state.pieces.clear()
        elif kind in ("stop", "redirect", "herestring"):
            if kind == "stop":
                yield from _ended(state, ";;" if token.startswith(";;") else token)
                if token == "\n" and here:
                    position, skipped = documents.behind(position, here)
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


def _brace_end(text: str, start: int) -> int:
    """Behind the brace that closes an expansion, past those inside it; -1 where none does soon."""
    depth = 0
    for match in _BRACES.finditer(text, start, start + _LONGEST_EXPANSION):
        depth += {"${": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return -1


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return end if end >= 0 else len(text)


def _unescaped(kind: str, token: str) -> str:
    if kind == "escaped":
        return token[1:]
    return token.strip("'") if kind == "single" else token


def _grow(state: _State, text: str, line: int, quoted: bool = False) -> None:
    if not state.pieces and not state.quoted:
        state.line = line
    if text:
        state.pieces.append(text)
    state.quoted = state.quoted or quoted


def _word_ends(state: _State) -> None:
    if state.pieces or state.quoted:
        state.words.append(_Word("".join(state.pieces), state.line, state.quoted))
        state.pieces.clear()
    state.quoted = False


def _ended(state: _State, stop: str) -> Iterator[_Simple]:
    _word_ends(state)
    words, state.words = state.words, []
    if words or stop in (";;", "pattern"):
        yield _Simple(tuple(words), stop)


class _Documents:
    """The here-documents of a text. Where their names stand alone on a line is looked up once for all of them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: dict[str, list[int]] | None = None

    def behind(self, start: int, names: Sequence[str]) -> tuple[int, int]:
        """The offset behind the documents that begin at `start`, and how many lines they have."""
        position = start
        for name in names:
            ends = self._lines().get(name, [])
            place = bisect_left(ends, position + len(name))
            if place == len(ends):
                break
            position = ends[place]
        return position, self._text.count("\n", start, position)

    def _lines(self) -> dict[str, list[int]]:
        """Ends of the lines that hold one word, by the word."""
        if self._ends is None:
            self._ends = {}
            for match in _ALONE.finditer(self._text):
                self._ends.setdefault(match[1], []).append(match.end())
        return self._ends
