"""Which revision a folder holds, read without letting the folder configure git or lead it elsewhere.

HEAD and the refs are read here, as plain files of the repository itself. Only what lies in its object store is asked of
git, by `cat-file`, `rev-parse` and `ls-tree` against a commit, which were measured to execute nothing; git
runs in an empty repository of our own that borrows the object store, so that it never opens the stranger's
configuration, nor a file that this includes. A `.git` that is a file or a link leads elsewhere and isn't followed,
and neither is an object store that borrows from another. A repository of another user is left alone, as git does.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

_TIMEOUT = 2
_REF_BYTES = 4096
_PACKED_REFS_BYTES = 32_000_000
_REF_STEPS = 5  # a ref may name another, as HEAD does
_STORE_ENTRIES = 100_000
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SHUT = ("--no-optional-locks", "--no-replace-objects", "-c", "protocol.allow=never", "-c", "core.sshCommand=false")
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
_COMMIT = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(rb"ref:[ \t]*(refs/[\x21-\x7e]+)")
_COMMITTED = re.compile(rb"(?m)^committer .*> (\d{1,12}) [+-]\d{4}$")
_FORMAT = {40: "[core]\nrepositoryformatversion = 0\nbare = true\n"} | {
    64: "[core]\nrepositoryformatversion = 1\nbare = true\n[extensions]\nobjectFormat = sha256\n"
}


@dataclass(frozen=True, slots=True)
class Revision:
    """commit: full hash. date: day of the commit in UTC, ISO. Both are "" where `reason` says why.

    tracked: what the commit holds below the folder, relative to it, decoded as UTF-8 like the names of the walk.
    """

    commit: str
    date: str
    reason: str = ""
    tracked: frozenset[str] = frozenset()


class _NoRevision(Exception):
    """Why a folder has none that may be read."""


def revision_of(path: Path) -> Revision:
    """The commit checked out at a folder or file, if a repository of this user tracks it.

    A folder that merely lies inside another project's work tree, untracked, has no revision.
    """
    try:
        return _revision(path.resolve())
    except _NoRevision as error:
        return Revision("", "", str(error))
    except OSError as error:
        return Revision("", "", f"the repository can't be read: {error.strerror}")


def _revision(path: Path) -> Revision:
    root = _work_tree(path)
    git = _git_outside(path if path.is_dir() else path.parent)
    descriptor = os.open(root / ".git", _FOLDER)
    try:
        _check_owner(descriptor)
        commit = _head(descriptor)
        _check_store(descriptor)
    finally:
        os.close(descriptor)
    with _borrowed(root / ".git" / "objects", len(commit)) as environment:
        inside = f"{commit}:{path.relative_to(root) if path != root else ''}"
        if not _ask(git, environment, "rev-parse", "--verify", "--quiet", inside):
            raise _NoRevision("no git repository of this user tracks this folder")
        head = (_ask(git, environment, "cat-file", "commit", commit) or b"").partition(b"\n\n")[0]
        listed = _ask(git, environment, "ls-tree", "-r", "-z", "--name-only", inside) if path.is_dir() else b""
    names = frozenset(name.decode("utf-8", "surrogateescape") for name in (listed or b"").split(b"\0") if name)
    day = _day(head)
    return Revision(commit, day, "" if day else "git gave no date of the commit", names)


def _work_tree(path: Path) -> Path:
    """The nearest folder that holds a `.git`; one that is no folder itself leads elsewhere."""
    for folder in (path, *path.parents):
        try:
            status = os.lstat(folder / ".git")
        except (FileNotFoundError, NotADirectoryError):
            continue
        if not stat.S_ISDIR(status.st_mode):
            raise _NoRevision(f"{folder.name}/.git is a file or link that leads elsewhere, which is not followed")
        return folder
    raise _NoRevision("no git repository of this user tracks this folder")


def _check_owner(git_folder: int) -> None:
    allowed = {os.geteuid()} | ({int(user)} if (user := os.environ.get("SUDO_UID", "")).isdecimal() else set())
    if os.fstat(git_folder).st_uid not in allowed:
        raise _NoRevision("the git repository belongs to another user")


def _head(git_folder: int) -> str:
    """The commit that HEAD stands for, by way of loose and packed refs."""
    name = b"HEAD"
    for _ in range(_REF_STEPS):
        content = _read_inside(git_folder, name, _REF_BYTES).strip()
        if _COMMIT.fullmatch(content):
            return content.decode()
        if not content and name != b"HEAD":
            return _packed(git_folder, name)
        ref = _REF.fullmatch(content)
        if ref is None or b".." in ref[1]:
            break
        name = ref[1]
    raise _NoRevision("HEAD of the git repository names no commit")


def _packed(git_folder: int, ref: bytes) -> str:
    refs = _read_inside(git_folder, b"packed-refs", _PACKED_REFS_BYTES)
    for line in refs.splitlines():
        commit, _, name = line.partition(b" ")
        if name == ref and _COMMIT.fullmatch(commit):
            return commit.decode()
    raise _NoRevision("HEAD of the git repository names no commit")


def _read_inside(folder: int, path: bytes, most: int) -> bytes:
    """A regular file below a folder, through no link; empty where there is none."""
    *folders, name = path.split(b"/")
    opened: list[int] = []
    try:
        for part in folders:
            opened.append(os.open(part, _FOLDER, dir_fd=opened[-1] if opened else folder))
        opened.append(os.open(name, _OPEN, dir_fd=opened[-1] if opened else folder))
        if not stat.S_ISREG(os.fstat(opened[-1]).st_mode):
            return b""
        with os.fdopen(os.dup(opened[-1]), "rb") as file:
            return file.read(most)
    except OSError:
        return b""
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _check_store(git_folder: int) -> None:
    """The object store must be complete in itself: no links, no special files, nothing borrowed or shared."""
    names = os.listdir(git_folder)
    if "commondir" in names:
        raise _NoRevision("the git repository is part of another, which is not followed")
    if any(name.startswith("reftable") for name in names):
        raise _NoRevision("the refs of the git repository are kept in a form that isn't read")
    store = os.open("objects", _FOLDER, dir_fd=git_folder)
    entries = 0
    try:
        for folder, folders, files, place in os.fwalk(".", dir_fd=store):
            entries += len(folders) + len(files)
            if entries > _STORE_ENTRIES:
                raise _NoRevision("the git repository holds too many loose objects")
            if folder == "./info" and {"alternates", "http-alternates"} & set(files):
                raise _NoRevision("the git repository borrows objects from another, which is not followed")
            for name in (*folders, *files):
                mode = os.stat(name, dir_fd=place, follow_symlinks=False).st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                    raise _NoRevision("the git repository holds links or special files, which are not followed")
    finally:
        os.close(store)


@contextmanager
def _borrowed(objects: Path, digits: int) -> Iterator[dict[str, str]]:
    """The environment of an empty repository of our own whose object store is the stranger's."""
    # The name tells which process it belongs to, so that one that is ended by a signal can clean up.
    with tempfile.TemporaryDirectory(prefix=f"unwarp-{os.getpid()}-") as folder:
        own = Path(folder)
        (own / "refs").mkdir()
        (own / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        (own / "config").write_text(_FORMAT[digits], encoding="ascii")
        yield {"GIT_DIR": folder, "GIT_OBJECT_DIRECTORY": str(objects)}


def _day(head: bytes) -> str:
    """The committer's day in UTC, "" where the header of the commit has none."""
    found = _COMMITTED.search(head)
    if found is None:
        return ""
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(found[1]))).date().isoformat()
    except OverflowError:
        return ""


def _git_outside(folder: Path) -> str:
    """The git program by its absolute path; one that lies in the scanned folder is not run."""
    found = shutil.which("git")
    if found is None:
        raise _NoRevision("git is not installed")
    program = Path(found).resolve()
    if program.is_relative_to(folder):
        raise _NoRevision("the git program lies in the scanned folder and is not run")
    return str(program)


def _ask(git: str, environment: dict[str, str], *arguments: str) -> bytes | None:
    """What git prints, None when it fails, hangs or refuses."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            [git, *_SHUT, *arguments],
            cwd=environment["GIT_DIR"], env=kept | _ENVIRONMENT | environment, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=_TIMEOUT, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
