"""The revision of a folder, from repositories that may be hostile."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from estimator.sources import open_source
from estimator.sources.git import revision_of


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "src").mkdir(parents=True)
    (root / "a.cu").write_text("int a;\n")
    (root / "src/b.cu").write_text("int b;\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return root


def git(root: Path, *arguments: str) -> str:
    environment = os.environ | {
        "GIT_AUTHOR_DATE": "2024-05-05T23:30:00-0500",
        "GIT_COMMITTER_DATE": "2024-05-05T23:30:00-0500",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_commit_and_day_in_utc(repository: Path) -> None:
    tree = open_source(repository)
    assert tree.commit == git(repository, "rev-parse", "HEAD")
    assert tree.commit_date == "2024-05-06"
    assert open_source(repository / "src").commit == tree.commit
    assert open_source(repository / "a.cu").commit == tree.commit


def test_a_folder_that_the_repository_does_not_track_has_no_revision(repository: Path) -> None:
    (repository / "corpus").mkdir()
    (repository / "corpus/x.cu").write_text("int x;\n")
    assert revision_of(repository / "corpus").commit == ""
    assert revision_of(repository / "corpus").reason


def test_no_repository_and_no_commit(tmp_path: Path) -> None:
    assert revision_of(tmp_path).commit == ""
    git(tmp_path, "init", "-q")
    assert revision_of(tmp_path).commit == ""


def test_a_tracked_file_is_read_although_it_is_ignored(repository: Path) -> None:
    (repository / ".gitignore").write_text("build/\n*.cuh\n")
    (repository / "build").mkdir()
    for name in ("build/kept.cu", "kept.cuh"):
        (repository / name).write_text("int a;\n")
    git(repository, "add", "-f", ".")
    git(repository, "commit", "-q", "-m", "second")
    for name in ("build/new.cu", "new.cuh"):
        (repository / name).write_text("int a;\n")
    tree = open_source(repository)
    assert [file.path for file in tree.files] == ["a.cu", "build/kept.cu", "kept.cuh", "src/b.cu"]
    below = open_source(repository / "build")
    assert [file.path for file in below.files] == ["kept.cu", "new.cu"]


def test_nothing_of_a_hostile_repository_is_executed(repository: Path, tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    script.chmod(0o755)
    for key in (
        "core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "filter.x.clean", "filter.x.smudge",
        "diff.x.textconv", "diff.x.command", "gpg.program", "core.editor", "core.askPass", "log.showSignature",
    ):  # fmt: skip
        git(repository, "config", key, "true" if key == "log.showSignature" else str(script))
    git(repository, "config", "core.hooksPath", str(tmp_path))
    (repository / ".gitattributes").write_text("* filter=x diff=x\n")
    (repository / "a.cu").write_text("int changed;\n")
    tree = open_source(repository)
    assert tree.commit
    assert not marker.exists()


def test_a_git_that_lies_in_the_scanned_folder_is_not_run(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "executed"
    fake = repository / "git"
    fake.write_text(f"#!/bin/sh\ntouch {marker}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(repository), prepend=os.pathsep)
    assert revision_of(repository).commit == ""
    assert not marker.exists()


def test_packed_refs_and_packs_are_read(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "gc", "-q")
    git(repository, "pack-refs", "--all")
    assert not any((repository / ".git/refs/heads").iterdir())
    assert (revision_of(repository).commit, revision_of(repository).date) == (commit, "2024-05-06")


def test_a_detached_head_and_sha_256_are_read(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    (tmp_path / "größe.cu").write_text("int a;\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    git(tmp_path, "checkout", "-q", "--detach")
    found = revision_of(tmp_path)
    assert (len(found.commit), found.date, found.tracked) == (64, "2024-05-06", {"größe.cu"})


def test_a_git_file_is_not_followed_out_of_the_folder(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.cu").write_text("int a;\n")
    (outside / ".git").write_text(f"gitdir: {repository}/.git\n")
    tree = open_source(outside)
    assert tree.commit == ""
    assert "leads elsewhere" in tree.commit_reason
    (outside / ".git").unlink()
    (outside / ".git").symlink_to(repository / ".git")
    assert "leads elsewhere" in open_source(outside).commit_reason


@pytest.mark.parametrize("what", ["alternates", "commondir", "link"])
def test_an_object_store_that_leads_elsewhere_is_not_read(repository: Path, tmp_path: Path, what: str) -> None:
    if what == "alternates":
        (repository / ".git/objects/info/alternates").write_text(f"{tmp_path}\n")
    elif what == "commondir":
        (repository / ".git/commondir").write_text(str(tmp_path))
    else:
        (repository / ".git/objects/pack/x.pack").symlink_to(tmp_path / "x.pack")
    found = revision_of(repository)
    assert found.commit == ""
    assert "not followed" in found.reason


def test_the_configuration_is_never_opened(repository: Path, tmp_path: Path) -> None:
    """A FIFO there would hang whoever opens it."""
    os.mkfifo(tmp_path / "fifo")
    config = repository / ".git/config"
    for text in (f"[include]\npath = {tmp_path}/fifo\n", "[mailmap]\nfile = /dev/zero\n", "not a configuration"):
        config.write_text(text)
        assert revision_of(repository).date == "2024-05-06"
    config.unlink()
    os.mkfifo(config)
    assert revision_of(repository).date == "2024-05-06"


@pytest.mark.parametrize("name", ["HEAD", "packed-refs", "refs/heads/main"])
def test_refs_that_are_no_files_do_not_hang(repository: Path, name: str) -> None:
    git(repository, "symbolic-ref", "HEAD", "refs/heads/main")
    (repository / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(repository / ".git" / name)
    assert revision_of(repository).commit == "" or name == "packed-refs"


@pytest.mark.parametrize(
    "text", ["ref: refs/../../outside", "ref: refs/heads/a", "0" * 39, "", "ref: HEAD", "x" * 9999]
)
def test_a_hostile_head_names_no_commit(repository: Path, text: str) -> None:
    (repository / ".git/HEAD").write_text(text)
    (repository / ".git/refs/heads/a").write_text("ref: refs/heads/a\n")
    assert revision_of(repository).commit == ""
    assert revision_of(repository).reason
