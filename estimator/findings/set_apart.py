"""What is in the tree and not priced: whose work it is, where, why, and how large."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from estimator.findings.scope import ScopeEntry
from estimator.findings.values import JudgedSite, places_by_path
from estimator.languages.readings import line_count
from estimator.sources.files import SET_APART, Owner, SourceFile


@dataclass(frozen=True, slots=True)
class SetApart:
    """Files that are listed and not priced for one reason. folder: the innermost one that holds them all."""

    owner: Owner
    folder: str
    reason: str
    files: int
    lines: int
    sites: int


def set_apart(
    files: Iterable[SourceFile], chosen: Mapping[str, ScopeEntry], sites: Iterable[JudgedSite]
) -> tuple[SetApart, ...]:
    """Groups by owner, component and reason, the most lines first. chosen: what a scope file sets apart, by path."""
    groups: dict[tuple[Owner, str, str], list[SourceFile]] = {}
    for file in files:
        if file.owner in SET_APART:
            reason = file.owner_reason.split(": ", 1)[0]
        elif file.path in chosen:
            reason = chosen[file.path].reason
        else:
            continue
        groups.setdefault((file.owner, file.component, reason), []).append(file)
    counts = places_by_path(sites)
    rows = (_row(owner, reason, inside, counts) for (owner, _, reason), inside in groups.items())
    return tuple(sorted(rows, key=lambda row: (-row.lines, row.folder, row.owner, row.reason)))


def _row(owner: Owner, reason: str, inside: list[SourceFile], counts: Mapping[str, int]) -> SetApart:
    return SetApart(
        owner=owner,
        folder=_common([file.path for file in inside]),
        reason=reason,
        files=len(inside),
        lines=sum(line_count(file.text) for file in inside),
        sites=sum(counts.get(file.path, 0) for file in inside),
    )


def _common(paths: list[str]) -> str:
    """The innermost folder that holds all paths, "." for the root."""
    first, last = min(paths).split("/")[:-1], max(paths).split("/")[:-1]
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return "/".join(first[:same]) or "."
