"""What the user puts back or leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.findings.scope import ScopeEntry, effects, load_scope, scoped
from estimator.sources.files import Owner, SourceFile, SourceTree

TREE = SourceTree(
    "tree",
    (
        SourceFile("csrc/a.cu", "int a;\n", Owner.OWN, "", "csrc"),
        SourceFile("csrc/old/b.cu", "int b;\nint c;\n", Owner.OWN, "", "csrc/old"),
        SourceFile("third_party/x/a.cu", "int a;\n", Owner.VENDORED, "in a folder 'third_party'", "third_party/x"),
        SourceFile("third_party/x/t/a.cu", "int a;\n", Owner.VENDORED, "in a folder 'third_party'", "third_party/x"),
    ),
    (),
    (),
)


def entry(table: str, path: str, why: str = "because") -> ScopeEntry:
    return ScopeEntry(table, path, why, "scope.toml:1")


def written(tmp_path: Path, text: str) -> Path:
    (tmp_path / "scope.toml").write_text(text)
    return tmp_path / "scope.toml"


def test_a_file_gives_its_entries(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '# ours\n[[leave_out]]\npath = "csrc/old/"\nwhy = "gone soon"\n\n'
        '[[put_back]]\npath = "third_party/x"\nwhy = "a fork"\n',
    )
    assert load_scope(path) == (
        ScopeEntry("put_back", "third_party/x", "a fork", f"{path}:6"),
        ScopeEntry("leave_out", "csrc/old/", "gone soon", f"{path}:2"),
    )


def test_all_faults_are_told_at_once_with_their_places(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '[[put_bak]]\npath = "a"\nwhy = "x"\n[[put_back]]\npth = "a"\nwhy = ""\n[[replace]]\nkernel = "k"\n'
        '[[later]]\npath = "a"\n[[leave_out]]\npath = "a"\nwhy = "x"\n[[leave_out]]\npath = 3\nwhy = "x"\n',
    )
    with pytest.raises(EstimatorError) as raised:
        load_scope(path)
    assert str(raised.value).split("\n") == [
        f"{path}:1: put_bak: no such table (did you mean 'put_back'?); known are put_back and leave_out",
        f"{path}:4: put_back: no such key 'pth' (did you mean 'path'?); known are path and why",
        f"{path}:4: put_back: 'path' is missing",
        f"{path}:4: put_back: 'why' must be text in quotes and not empty",
        f"{path}:7: replace: not known to this version, which reads put_back and leave_out",
        f"{path}:9: later: not known to this version, which reads put_back and leave_out",
        f"{path}:14: leave_out: 'path' must be text in quotes and not empty",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds nothing"),
        ('put_back = "a"\n', "must be a list of tables: write [[put_back]]"),
        ('[put_back]\npath = "a"\nwhy = "b"\n', "must be a list of tables"),
        ('[[put_back]]\npath = "a\n', "not valid TOML"),
        ('[[put_back]]\npath = "!"\nwhy = "b"\n', "not a pattern as in a .gitignore"),
        ("leave_out = [1]\n", "must be a list of tables"),
    ],
)
def test_wrong_files_are_told_so(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(EstimatorError, match=r"scope\.toml") as raised:
        load_scope(written(tmp_path, text))
    assert told in str(raised.value)


def test_put_back_is_own_with_its_reason() -> None:
    done = scoped(TREE, [entry("put_back", "third_party/x/", "a fork of ours")])
    assert [(file.owner, file.owner_reason) for file in done.tree.files[2:]] == [
        (Owner.OWN, "put back: a fork of ours")
    ] * 2
    assert [file.owner for file in done.tree.files[:2]] == [Owner.OWN, Owner.OWN]
    assert done.left_out == {}


def test_left_out_goes_before_put_back() -> None:
    entries = [entry("put_back", "third_party/x"), entry("leave_out", "third_party/x/t/**", "tests of theirs")]
    done = scoped(TREE, entries)
    assert done.left_out == {"third_party/x/t/a.cu": "tests of theirs"}


def test_the_first_entry_decides_and_each_file_counts_once() -> None:
    entries = [entry("leave_out", "csrc/old/", "first"), entry("leave_out", "*.cu", "second")]
    done = scoped(TREE, entries)
    assert done.left_out["csrc/old/b.cu"] == "first"
    assert [(effect.files, effect.lines) for effect in effects(done, ())] == [(1, 2), (3, 3)]


def test_patterns_without_a_file_are_all_told() -> None:
    entries = [entry("put_back", "csrc/a.cu"), entry("leave_out", "nowhere/"), entry("leave_out", "csrc/a.cu")]
    with pytest.raises(EstimatorError) as raised:
        scoped(TREE, entries)
    assert str(raised.value).split("\n") == [
        "scope.toml:1: put_back: 'csrc/a.cu' fits no vendored or generated file of the scanned code",
        "scope.toml:1: leave_out: 'nowhere/' fits no file of the scanned code",
    ]


def test_no_entries_change_nothing() -> None:
    done = scoped(TREE, ())
    assert done.tree == TREE
    assert effects(done, ()) == ()
