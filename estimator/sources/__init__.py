"""What is there to read? A folder, file or archive as a tree of texts, each with its owner.

Nothing of the tree is executed, no link is followed, nothing outside its root is read, and git is asked
only for the name of the revision. What was left out is counted by reason, what could not be read is
a trouble.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from pathspec import GitIgnoreSpec

from estimator.errors import NOT_MEASURED, EstimatorError, Trouble
from estimator.languages import language_of
from estimator.sources import members
from estimator.sources.alike import without_repetition
from estimator.sources.archive import archive_name, is_archive, members_of
from estimator.sources.decode import Binary, decode, is_minified
from estimator.sources.files import SET_APART, SkippedGroup, SourceFile, SourceTree
from estimator.sources.git import Revision, revision_of
from estimator.sources.members import DEFAULT_LIMITS, Left, Limits, Member, Raw
from estimator.sources.ownership import Context, component_of, context_of, owner_of
from estimator.sources.tree import read_one, walk

__all__ = ["DEFAULT_LIMITS", "Limits", "open_source"]

_BINARY = "binary file"
_MINIFIED = "minified or data: lines too long for a person"
_EXAMPLES = 5
_EVIDENCE_LENGTH = 16_384  # characters; a licence names its holder early
# Long lines are the ordinary form of these.
_LONG_LINES_ARE_FINE = frozenset({"notebook", "toml", "yaml", "ptx", "text"})
# What these languages lose by size or long lines may be debt; the rest is rarely more than data.
_MATTERS = frozenset({"cuda", "hip", "cpp", "python", "cmake"})

# Left out on purpose, or because it is no text at all.
_NO_LOSS = frozenset(
    {
        members.NOT_SOURCE,
        members.IGNORED,
        members.EXCLUDED,
        members.LINK,
        members.TOOL_FOLDER,
        members.TOOL_FILE,
        members.TWICE,
        _BINARY,
    }
)


@dataclass(slots=True)
class _Gathered:
    texts: dict[str, str] = field(default_factory=dict)
    evidence: dict[str, str] = field(default_factory=dict)
    left: list[Left] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Taken:
    """What became of one file. size: its bytes. left: why it is left out, "" if it isn't."""

    size: int
    text: str | None = None
    evidence: str | None = None
    left: str = ""
    trouble: Trouble | None = None


def open_source(path: Path, *, exclude: tuple[str, ...] = (), limits: Limits = DEFAULT_LIMITS) -> SourceTree:
    """All source files below a path, decoded, with owner and component, sorted by path.

    path: a folder, one file, or a .zip or .tar archive (gz, bz2, xz), read as a stream. A single folder at
    the top of an archive is taken for its root. exclude: patterns as in a .gitignore.
    Raises EstimatorError where the path can't be read (2), or holds no readable source or more than
    the limits allow (3).
    """
    excluded = members.exclusions(exclude)
    revision = Revision("", "", "an archive has no git history")
    name = members.printable(members.from_disk(path.resolve().name)) or "root"
    if path.is_dir():
        revision = revision_of(path)
        gathered = _gather(walk(path, excluded, revision.tracked, limits))
    elif not path.is_file():
        raise EstimatorError(f"{path}: no such file or folder; give a folder, a source file, or a .zip or .tar archive")
    elif is_archive(path):
        name = members.printable(members.from_disk(archive_name(path)))
        gathered = _without(_unwrapped(_gather(members_of(path, limits))), excluded)
    else:
        gathered = _gather([read_one(path, limits)])
        revision = revision_of(path)
    if not gathered.texts:
        raise EstimatorError(_no_source(path, gathered), NOT_MEASURED)
    return _tree(name, gathered, revision)


def _gather(found: Iterable[Member]) -> _Gathered:
    """All members by what became of them; of files with one path, which only archives hold, the last counts."""
    gathered = _Gathered()
    taken: dict[str, _Taken] = {}
    for member in found:
        match member:
            case Raw(path, content):
                if path in taken:
                    gathered.left.append(Left(path, members.TWICE, taken[path].size))
                taken[path] = _take(path, content)
            case Left():
                gathered.left.append(member)
            case Trouble():
                gathered.troubles.append(member)
    for path, one in taken.items():
        if one.text is not None:
            gathered.texts[path] = one.text
        if one.evidence is not None:
            gathered.evidence[path] = one.evidence
        if one.left:
            gathered.left.append(Left(path, one.left, one.size))
        if one.trouble is not None:
            gathered.troubles.append(one.trouble)
    return gathered


def _take(path: str, content: bytes) -> _Taken:
    """What becomes of the bytes of one file."""
    size, decoded, language = len(content), decode(content), language_of(path)
    if isinstance(decoded, Binary):
        return _Taken(size, text="") if members.is_device_code(path) else _Taken(size, left=_BINARY)
    evidence = decoded.text[:_EVIDENCE_LENGTH] if members.is_evidence(path) else None
    if language is None:
        return _Taken(size, evidence=evidence, left=members.NOT_SOURCE)
    if language.name not in _LONG_LINES_ARE_FINE and is_minified(decoded.text):
        return _Taken(size, evidence=evidence, left=_MINIFIED)
    reason = f"{decoded.lost} characters are not valid {decoded.encoding}"
    trouble = Trouble(path, "decode", reason, decoded.lost) if decoded.lost else None
    return _Taken(size, decoded.text, evidence, trouble=trouble)


def _unwrapped(gathered: _Gathered) -> _Gathered:
    """An archive's members without the one folder that all of them lie in."""
    paths = [*gathered.texts, *(left.path for left in gathered.left), *(one.path for one in gathered.troubles)]
    paths = [path for path in paths if path != members.ALL]
    tops = {path.split("/", 1)[0] for path in paths}
    if len(tops) != 1 or any("/" not in path for path in paths):
        return gathered
    skip = len(tops.pop()) + 1
    return _Gathered(
        texts={path[skip:]: text for path, text in gathered.texts.items()},
        evidence={path[skip:]: text for path, text in gathered.evidence.items()},
        left=[replace(left, path=left.path[skip:]) for left in gathered.left],
        troubles=[one if one.path == members.ALL else replace(one, path=one.path[skip:]) for one in gathered.troubles],
    )


def _without(gathered: _Gathered, excluded: GitIgnoreSpec) -> _Gathered:
    """An archive's members without what the user excludes; a folder leaves these out while it is walked."""
    out = [path for path in gathered.texts if excluded.match_file(path)]
    for path in out:
        gathered.left.append(Left(path, members.EXCLUDED, len(gathered.texts.pop(path).encode())))
    gathered.troubles = [trouble for trouble in gathered.troubles if not excluded.match_file(trouble.path)]
    return gathered


def _tree(name: str, gathered: _Gathered, revision: Revision) -> SourceTree:
    context = context_of(name, gathered.texts, gathered.evidence)
    files = []
    for path, text in sorted(gathered.texts.items()):
        owner, reason = owner_of(path, text, context)
        files.append(SourceFile(path, text, owner, reason, component_of(path)))
    files = without_repetition(files, context.signs)
    lost = [left for left in gathered.left if _is_loss(left, context)]
    return SourceTree(
        name=name,
        files=tuple(files),
        skipped=_groups(gathered.left),
        troubles=tuple(
            sorted([*gathered.troubles, *(Trouble(one.path, "read", one.reason, one.size) for one in lost)])
        ),
        commit=revision.commit,
        commit_date=revision.date,
        commit_reason=revision.reason,
    )


def _is_loss(left: Left, context: Context) -> bool:
    """Whether a file that was left out could hold debt: code of the project itself, too large or of long lines."""
    language = language_of(left.path)
    if left.reason in _NO_LOSS or language is None or language.name not in _MATTERS:
        return False
    return owner_of(left.path, "", context)[0] not in SET_APART


def _groups(left: Iterable[Left]) -> tuple[SkippedGroup, ...]:
    by_reason: dict[str, list[Left]] = {}
    for one in left:
        by_reason.setdefault(one.reason, []).append(one)
    return tuple(
        SkippedGroup(
            reason=reason,
            files=len(group),
            bytes=sum(one.size for one in group),
            examples=tuple(sorted(one.path for one in group)[:_EXAMPLES]),
        )
        for reason, group in sorted(by_reason.items())
    )


def _no_source(path: Path, gathered: _Gathered) -> str:
    """Why nothing is there to scan, with what was met instead."""
    if gathered.troubles:
        first = min(gathered.troubles)
        count = len(gathered.troubles)
        where = "" if first.path == members.ALL else f"{first.path}: "
        return f"{path}: no readable source: {count} could not be read, first {where}{first.reason}"
    met = ", ".join(f"{group.files} {group.reason}" for group in _groups(gathered.left))
    return f"{path}: no readable source: {met or 'nothing is in it'}"
