"""What `sources` hands on: the files of a tree, each with its owner, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from estimator.errors import Trouble


class Owner(StrEnum):
    """Whose work a file is; only own, test and example files are priced."""

    OWN = "own"
    VENDORED = "vendored"
    GENERATED = "generated"
    TEST = "test"
    EXAMPLE = "example"


SET_APART = frozenset((Owner.VENDORED, Owner.GENERATED))  # listed with their places, not priced


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One readable text file.

    path: relative to the root, forward slashes. text: decoded, line ends as "\n".
    owner_reason: why it isn't the project's own work, "" otherwise. What is of this file alone stands last, after ": ".
    component: the folder or build target it belongs to, "." at the root.
    """

    path: str
    text: str
    owner: Owner
    owner_reason: str
    component: str


@dataclass(frozen=True, slots=True)
class SkippedGroup:
    """Files that were left out for one reason. bytes: their size together."""

    reason: str
    files: int
    bytes: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A tree as it was read. files: sorted by path. commit: 40 hex digits, "" without git.

    commit_date: ISO date of that commit, "" without git. commit_reason: why one of both is empty.
    """

    name: str
    files: tuple[SourceFile, ...]
    skipped: tuple[SkippedGroup, ...]
    troubles: tuple[Trouble, ...]
    commit: str = ""
    commit_date: str = ""
    commit_reason: str = ""
