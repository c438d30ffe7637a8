"""YAML: Kubernetes manifests, Helm charts, CI workflows, Compose files, conda environments.

Read as a stream of events: nothing is built, so that anchors can't blow up and tags can't run anything.
Templates that are no YAML before they are rendered are read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from estimator.languages import shell
from estimator.languages.depth import LONGEST_NAME
from estimator.languages.facts import Confidence, Fact, FactKind, Harvest, Reading
from estimator.languages.readings import compact, encodable, reading_of, simple_fact
from estimator.languages.requirements import requirement

_SCRIPTS = frozenset({"run", "script", "before_script", "after_script", "commands", "install", "cmd", "shell", "setup"})
_ARGUMENTS = frozenset({"command", "args", "entrypoint"})
_IMAGES = frozenset({"image", "container", "docker_image", "baseimage", "base_image", "containerimage", "image_id"})
_DEPENDENCIES = re.compile(r"(^|\.)(dependencies|dependencies\.pip|requirements\.(build|host|run)|pip)$")
_TEMPLATE = re.compile(r"\{\{|\{%")
_KEY_VALUE = re.compile(
    r"""^(?P<indent>\s*)(?P<item>(?:-\s+)*)(?P<key>"[^"]+"|'[^']+'|[^\s:#{}\[\],"'-][^:#{}]*+)\s*+:(?:\s+(?P<value>\S.*))?$"""
)
_COMMENT = re.compile(r"(^|\s)#.*$")
_DEEPEST = 200  # levels
_MOST_EVENTS = 120_000  # of the parser; 50,000 facts take no more
_LONGEST_PATH = 1_000
_LONGEST_LINE = 4_000  # of a template


@dataclass(slots=True)
class _Level:
    """An open mapping or sequence. key: of the mapping's entry at hand, with the line it stands on."""

    is_mapping: bool
    key: str = ""
    key_line: int = 0
    expects_value: bool = False
    words: list[str] = field(default_factory=list)
    words_line: int = 0
    name: str = ""


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Settings "path.to.key=value" (list positions left out), images, commands of scripts, requirements."""
    doubts: list[str] = []
    try:
        return reading_of("yaml", text, list(_events(text, doubts)), 0, tuple(doubts))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, _TooDeepError):
            doubts = [f"YAML of more than {_DEEPEST} levels: read by lines"]
        elif not _TEMPLATE.search(text):
            doubts = [f"no valid YAML ({type(error).__name__}): read by lines"]
        return reading_of("yaml", text, _by_lines(text), 0, tuple(doubts))


class _TooDeepError(ValueError):
    """A text nests deeper than anybody writes."""


def _events(text: str, doubts: list[str]) -> Iterator[Fact]:
    """Facts by the parser's events; what it was not asked for any more goes to `doubts`."""
    stack: list[_Level] = []
    shown = 0  # last line that was given as a whole
    lines = text.split("\n")
    for number, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
        if len(stack) > _DEEPEST:
            raise _TooDeepError
        if number > _MOST_EVENTS:
            doubts.append(f"only read up to line {_start(event) + 1:,}: too many entries")
            return
        line = _start(event) + 1
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            name = stack[-1].key if stack and stack[-1].is_mapping else (stack[-1].name if stack else "")
            if stack and stack[-1].is_mapping:
                yield simple_fact(FactKind.SETTING, f"{_path(stack)}=", stack[-1].key_line)
            stack.append(_Level(isinstance(event, yaml.MappingStartEvent), name=name, words_line=line))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            level = stack.pop()
            if level.words:
                yield from shell.commands(" ".join(level.words), level.words_line)
            _value_ends(stack)
        elif isinstance(event, yaml.AliasEvent):
            _value_ends(stack)
        elif isinstance(event, yaml.ScalarEvent):
            level = stack[-1] if stack else _Level(False)
            if level.is_mapping and not level.expects_value:
                key = encodable(event.value[:200].replace("\n", " "))
                level.key, level.key_line, level.expects_value = key, line, True
                if line > shown and line <= len(lines) and "{{" in lines[line - 1]:  # a template taken for a mapping
                    shown = line
                    yield simple_fact(FactKind.LINE, compact(lines[line - 1], 500), line)
                continue
            yield from _scalar(event, stack, level, lines)
            _value_ends(stack)


def _start(event: yaml.Event) -> int:
    """Line of an event's beginning, from 0."""
    return event.start_mark.line if event.start_mark is not None else 0


def _end(event: yaml.Event) -> int:
    """First line behind an event, from 0."""
    mark = event.end_mark
    return mark.line + (mark.column > 0) if mark is not None else 0


def _value_ends(stack: list[_Level]) -> None:
    if stack and stack[-1].is_mapping:
        stack[-1].expects_value = False


def _path(stack: list[_Level]) -> str:
    keys: list[str] = []
    room = _LONGEST_PATH
    for level in stack:
        if level.is_mapping and level.key and room > 0:
            keys.append(level.key)
            room -= len(level.key) + 1
    return ".".join(keys)[:_LONGEST_PATH]


def _scalar(event: yaml.ScalarEvent, stack: list[_Level], level: _Level, lines: list[str]) -> Iterator[Fact]:
    start = _start(event) + 1
    path = _path(stack)
    key = (level.key if level.is_mapping else level.name).lower()
    line = level.key_line if level.is_mapping else start
    value = encodable(event.value)
    end = max(line, _end(event))
    if key not in _SCRIPTS or "\n" not in value.rstrip("\n"):  # else its commands say it, each at its line
        yield simple_fact(FactKind.SETTING, f"{path}={compact(value, 400)}", line, end_line=end)
    if key in _IMAGES or (key == "repository" and re.search(r"(?i)image", path)) or value.startswith("docker://"):
        yield simple_fact(FactKind.IMAGE, compact(value.removeprefix("docker://")), start)
    if not level.is_mapping and _DEPENDENCIES.search(path):
        found = requirement(_TEMPLATE.split(value)[0])
        if found:
            manager = "pip" if path.endswith("pip") else "conda"
            yield simple_fact(FactKind.REQUIREMENT, found, start, detail=manager)
    if key in _ARGUMENTS and not level.is_mapping:
        if "\n" in value:
            yield from _script(event, lines)
        else:
            level.words.append(f"'{value}'" if re.search(r"\s", value) and "'" not in value else value)
    elif key in _SCRIPTS or key in _ARGUMENTS:
        yield from _script(event, lines)


def _script(event: yaml.ScalarEvent, lines: list[str]) -> Iterator[Fact]:
    """Commands of a scalar, each on the line where it stands in the file."""
    start = _start(event)
    if event.style in ("|", ">"):
        body = lines[start + 1 : _end(event)]
        joint = "\n" if event.style == "|" else " \\\n"
        yield from shell.commands(joint.join(body), start + 2)
    elif event.style is None and _end(event) > start + 1:
        first = lines[start]
        column = event.start_mark.column if event.start_mark is not None else 0
        body = [first[column:], *lines[start + 1 : _end(event)]]
        yield from shell.commands(" \\\n".join(body), start + 1)
    else:
        yield from shell.commands(encodable(event.value), start + 1)


def _by_lines(text: str) -> Iterator[Fact]:
    """Settings and lines of a text that is YAML only after rendering."""
    levels: list[tuple[int, str]] = []
    block: list[str] = []
    block_indent = block_line = -1
    last = text.count("\n") + 1
    for number, raw in enumerate([*text.split("\n"), ""], start=1):
        indent = len(raw) - len(raw.lstrip())
        if block_indent >= 0:
            if (raw.strip() and indent <= block_indent) or number > last:
                yield from shell.commands("\n".join(block), block_line + 1)
                block, block_indent = [], -1
            else:
                block.append(raw)
                continue
        if len(raw) > _LONGEST_LINE:
            yield simple_fact(FactKind.LINE, compact(raw, 500), number, confidence=Confidence.LEXICAL)
            continue
        line = _COMMENT.sub("", raw) if not _TEMPLATE.search(raw) else raw
        content = line.strip()
        if not content or content.startswith("#") or re.match(r"^\{\{-?\s*/\*", content):
            continue
        match = _KEY_VALUE.match(line.rstrip())
        if match is None and content.startswith("- "):
            yield from _item(content[2:].strip().strip("\"'"), _under(levels, indent), number)
        if match is None or content.startswith("{{"):
            yield simple_fact(FactKind.LINE, compact(content, 500), number, confidence=Confidence.LEXICAL)
            continue
        column = len(match["indent"]) + len(match["item"])
        while levels and levels[-1][0] >= column:
            levels.pop()
        key = match["key"].strip().strip("\"'")[:LONGEST_NAME]
        levels.append((column, key))
        value = (match["value"] or "").strip()
        path = ".".join(name for _, name in levels[:_DEEPEST])[:_LONGEST_PATH]
        if re.fullmatch(r"[|>][-+0-9]*", value) and key.lower() in _SCRIPTS | _ARGUMENTS:
            block_indent, block_line = column, number
            continue
        plain = value.strip("\"'")
        yield simple_fact(FactKind.SETTING, f"{path}={compact(plain, 400)}", number, confidence=Confidence.LEXICAL)
        if plain and (key.lower() in _IMAGES or (key == "repository" and re.search(r"(?i)image", path))):
            yield simple_fact(FactKind.IMAGE, compact(plain), number, confidence=Confidence.LEXICAL)
        if plain and key.lower() in _SCRIPTS:
            yield from shell.commands(plain, number)


def _under(levels: list[tuple[int, str]], indent: int) -> str:
    """The path of the keys that an item with this indent belongs to."""
    return ".".join(name for column, name in levels[:_DEEPEST] if column <= indent)[:_LONGEST_PATH]


def _item(item: str, path: str, line: int) -> Iterator[Fact]:
    """A list's item without a key: a setting, and a package where the list names packages."""
    yield simple_fact(FactKind.SETTING, f"{path}={compact(item, 400)}", line, confidence=Confidence.LEXICAL)
    found = requirement(_TEMPLATE.split(item)[0]) if _DEPENDENCIES.search(path) else ""
    if found:
        manager = "pip" if path.endswith("pip") else "conda"
        yield simple_fact(FactKind.REQUIREMENT, found, line, detail=manager, confidence=Confidence.LEXICAL)
