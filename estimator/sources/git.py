"""Which revision a folder holds, asked of git without letting the folder configure git.

Only commands that were measured to execute nothing are used: `rev-parse`, `ls-tree` and `log --format` against
a revision. File monitors, hooks, filters, external diffs, lazy fetches and signature programs are shut off
besides. A repository of another user is refused by git; that refusal is respected, never switched off.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_TIMEOUT = 10
_SHUT = (
    "--no-optional-locks", "--no-replace-objects",
    "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "log.showSignature=false",
    "-c", "diff.external=", "-c", "protocol.allow=never", "-c", "core.sshCommand=false",
)  # fmt: skip
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
_ANSWER = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64}) (\d{4}-\d\d-\d\d)")


@dataclass(frozen=True, slots=True)
class Revision:
    """commit: full hash. date: day of the commit in UTC, ISO. Both are "" where `reason` says why."""

    commit: str
    date: str
    reason: str = ""


def revision_of(path: Path) -> Revision:
    """The commit checked out at a folder or file, if a repository tracks it.

    A folder that merely lies inside another project's work tree, untracked, has no revision.
    """
    folder = path if path.is_dir() else path.parent
    inside = "./" if path.is_dir() else f"./{path.name}"
    git = _git_outside(folder)
    if git is None:
        return Revision("", "", "git is not installed")
    if not _ask(git, folder, "rev-parse", "--verify", "--quiet", f"HEAD:{inside}"):
        return Revision("", "", "no git repository of this user tracks this folder")
    answer = _ask(
        git, folder, "log", "-1", "--no-show-signature", "--no-color",
        "--format=%H %cd", "--date=format-local:%Y-%m-%d", "HEAD", "--",
    )  # fmt: skip
    match = _ANSWER.fullmatch((answer or b"").decode("ascii", errors="replace").strip())
    if match is None:
        return Revision("", "", "git gave no commit")
    return Revision(match[1], match[2])


def tracked_files(folder: Path) -> frozenset[str]:
    """Paths that the commit holds below a folder, relative to it; none where there is no repository.

    They are what a .gitignore has no say in. The names are those of the commit, in their raw form.
    """
    git = _git_outside(folder)
    listed = git and _ask(git, folder, "ls-tree", "-r", "-z", "--name-only", "HEAD")
    return frozenset(os.fsdecode(name) for name in (listed or b"").split(b"\0") if name)


def _git_outside(folder: Path) -> str | None:
    """The git program by its absolute path; one that lies in the scanned folder is not run."""
    found = shutil.which("git")
    if found is None:
        return None
    program = Path(found).resolve()
    return None if program.is_relative_to(folder.resolve()) else str(program)


def _ask(git: str, folder: Path, *arguments: str) -> bytes | None:
    """What git prints, None when it fails, hangs or refuses."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            [git, *_SHUT, *arguments],
            cwd=folder, env=kept | _ENVIRONMENT | {"TZ": "UTC"}, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=_TIMEOUT, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
