"""What the user puts back or leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.errors import EstimatorError
from estimator.findings.scope import MOST_ENTRIES, Scoped, ScopeEntry, decided_in, effects, load_scope, scoped, settled
from estimator.findings.values import Disposition, JudgedSite
from estimator.scan.sites import Kernel, Site
from estimator.sources.files import Owner, SourceFile, SourceTree
from tests.pace import within

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


KERNELS = tuple(
    Kernel(path, line, line + 4, name, False, (), "elementwise", "good", "", 1, owner)
    for path, line, name, owner in (
        ("csrc/a.cu", 1, "flash_fwd", Owner.OWN),
        ("csrc/a.cu", 11, "flash_bwd", Owner.OWN),
        ("csrc/old/b.cu", 1, "gather", Owner.OWN),
        ("third_party/x/a.cu", 1, "theirs", Owner.VENDORED),
    )
)


def entry(table: str, path: str, why: str = "because", kernel: str = "", by: str = "") -> ScopeEntry:
    return ScopeEntry(table, path, why, "scope.toml:1", kernel, by)


def reasons(done: Scoped) -> dict[str, str]:
    return dict(done.choice(done.matches).reasons())


def chosen(*entries: ScopeEntry) -> dict[str, str]:
    """What is decided of each kernel, by name."""
    done = settled(scoped(TREE, entries, ("cuBLAS", "CUTLASS")), KERNELS)
    choice = done.choice(done.matches)
    decided = ((kernel.name, choice.of_kernel(kernel)) for kernel in KERNELS)
    return {name: entry.reason for name, entry in decided if entry}


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
        '[[later]]\nwhy = "a"\n[[leave_out]]\npath = "a"\nwhy = "x"\n[[leave_out]]\npath = 3\nwhy = "x"\n',
    )
    with pytest.raises(EstimatorError) as raised:
        load_scope(path)
    tables = "put_back, leave_out, replace and later"
    assert str(raised.value).split("\n") == [
        f"{path}:1: put_bak: no such table (did you mean 'put_back'?); known are {tables}",
        f"{path}:4: put_back: no such key 'pth' (did you mean 'path'?); known are path and why",
        f"{path}:4: put_back: 'path' is missing",
        f"{path}:4: put_back: 'why' must be text in quotes and not empty",
        f"{path}:7: replace: 'by' is missing",
        f"{path}:7: replace: 'why' is missing",
        f"{path}:9: later: 'path' or 'kernel' is missing",
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
    assert done.choice(done.matches).files == {}


def test_left_out_goes_before_put_back() -> None:
    entries = [entry("put_back", "third_party/x"), entry("leave_out", "third_party/x/t/**", "tests of theirs")]
    done = scoped(TREE, entries)
    assert reasons(done) == {"third_party/x/t/a.cu": "left out: tests of theirs"}


def test_the_first_entry_decides_and_each_file_counts_once() -> None:
    entries = [entry("leave_out", "csrc/old/", "first"), entry("leave_out", "*.cu", "second")]
    done = scoped(TREE, entries)
    assert reasons(done)["csrc/old/b.cu"] == "left out: first"
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


def test_kernels_are_named_by_pattern_and_by_file() -> None:
    assert chosen(entry("later", "", kernel="flash_*")) == {
        "flash_fwd": "later: because",
        "flash_bwd": "later: because",
    }
    assert chosen(entry("leave_out", "csrc/old/", kernel="*")) == {"gather": "left out: because"}
    assert chosen(entry("replace", "", kernel="flash_fwd", by="CUTLASS")) == {
        "flash_fwd": "replaced by CUTLASS: because"
    }


def test_left_out_goes_before_replaced_and_that_before_postponed() -> None:
    decided = chosen(
        entry("later", "csrc/", "last"),
        entry("replace", "", "middle", "*", "cuBLAS"),
        entry("leave_out", "", "first", "flash_bwd"),
    )
    assert decided == {
        "flash_fwd": "replaced by cuBLAS: middle",
        "flash_bwd": "left out: first",
        "gather": "replaced by cuBLAS: middle",
    }


def test_a_site_follows_its_kernel_else_its_file() -> None:
    done = settled(scoped(TREE, [entry("later", "csrc/"), entry("leave_out", "", kernel="flash_fwd")]), KERNELS)
    choice = done.choice(done.matches)
    tables = []
    for line, function in ((1, ""), (5, "f"), (6, ""), (30, "flash_fwd"), (30, "other")):
        decided = choice.of_site(Site("csrc/a.cu", line, line, 1, "inline-ptx", "r", "s", function=function))
        tables.append(decided.table if decided else "")
    assert tables == ["leave_out", "leave_out", "later", "leave_out", "later"]


def test_the_head_of_a_kernel_begins_before_its_name() -> None:
    done = settled(scoped(TREE, [entry("later", "", kernel="flash_bwd")]), KERNELS)
    head = Site("csrc/a.cu", 10, 11, 1, "cuda-kernel", "r", "flash_bwd")
    assert done.choice(done.matches).of_site(head) is not None


def test_slips_of_files_kernels_and_libraries_are_told_together() -> None:
    entries = [
        entry("replace", "", kernel="flash_fwt", by="cublas"),
        entry("replace", "csrc/old/", kernel="flash_fwd", by="cuBLAS"),
        entry("later", "nowhere/"),
        entry("later", "", kernel="theirs"),
    ]
    done = scoped(TREE, entries, ("cuBLAS", "CUTLASS"))
    with pytest.raises(EstimatorError) as raised:
        settled(done, KERNELS)
    assert str(raised.value).split("\n") == [
        "scope.toml:1: replace: 'cublas' is no id in components.csv (did you mean 'cuBLAS'?)",
        "scope.toml:1: later: 'nowhere/' fits no file of the scanned code",
        "scope.toml:1: replace: 'flash_fwt' is no own kernel of the scanned code (did you mean 'flash_fwd'?)",
        "scope.toml:1: replace: 'flash_fwd' is no own kernel of the scanned code in 'csrc/old/'; "
        "it stands in csrc/a.cu:1",
        "scope.toml:1: later: 'theirs' is no own kernel of the scanned code (did you mean 'gather'?)",
    ]


def test_effects_count_each_place_once() -> None:
    sites = [
        JudgedSite(Site("csrc/a.cu", line, line, 1, "inline-ptx", "r", "s", count=2), Disposition.EXCLUDED)
        for line in (2, 8, 12)
    ]
    done = settled(scoped(TREE, [entry("later", "", kernel="flash_fwd"), entry("later", "csrc/")]), KERNELS)
    rows = [(row.files, row.lines, row.kernels, row.sites) for row in effects(done, sites, KERNELS)]
    assert rows == [(1, 5, 1, 2), (2, 3, 2, 4)]


def test_a_part_of_the_entries_puts_back_only_its_own() -> None:
    done = scoped(TREE, [entry("put_back", "third_party/x/t/"), entry("put_back", "third_party/x/a.cu")])
    assert done.choice(done.matches).owners == {}
    assert done.choice(done.matches[:1]).owners == {"third_party/x/a.cu": Owner.VENDORED}


def test_a_file_of_too_many_entries_is_refused_before_it_is_judged(tmp_path: Path) -> None:
    text = '[[later]]\npath = "**/*"\nwhy = "x"\n'
    assert len(load_scope(written(tmp_path, text * MOST_ENTRIES))) == MOST_ENTRIES
    with pytest.raises(EstimatorError, match=rf"scope\.toml: 3,000 entries, at most {MOST_ENTRIES}; one pattern such"):
        load_scope(written(tmp_path, text * 2_999 + "[[put_back]]\n"))


def test_entries_of_one_pattern_share_what_it_fits() -> None:
    done = scoped(TREE, [entry("later", "**/*", why) for why in ("a", "b")])
    first, second = done.matches
    assert first.paths is second.paths
    assert set(reasons(done).values()) == {"later: a"}


def test_many_kernels_in_one_file_are_judged_in_one_pass() -> None:
    """Where each place looked at each kernel, these would be 400 million looks."""
    kernels = tuple(
        Kernel("csrc/a.cu", 10 * n, 10 * n + 4, f"k{n}", False, (), "elementwise", "good", "", 1, Owner.OWN)
        for n in range(1, 20_001)
    )
    done = settled(scoped(TREE, [entry("later", "", kernel="k*")]), kernels)
    choice = done.choice(done.matches)
    with within(5):
        sites = [Site("csrc/a.cu", 10 * n + 2, 10 * n + 2, 1, "inline-ptx", "r", "s") for n in range(1, 20_001)]
        assert all(choice.of_site(site) for site in sites)
        assert all(choice.of_kernel(kernel) for kernel in kernels)
        assert choice.of_site(Site("csrc/a.cu", 17, 18, 1, "inline-ptx", "r", "s")) is None


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 9), st.sampled_from("abc")), max_size=8, unique=True),
    st.integers(1, 15),
    st.integers(0, 4),
    st.sampled_from(["", "a", "b", "z"]),
)
def test_the_first_kernel_around_a_site_decides(
    places: list[tuple[int, int, str]], line: int, more: int, function: str
) -> None:
    """The same answer as a look at one kernel after the other, nested and overlapping ones too."""
    kernels = sorted(
        Kernel("csrc/a.cu", start, start + length, name, False, (), "elementwise", "good", "", 1, Owner.OWN)
        for start, length, name in places
    )
    entries = {kernel: entry("later", "", str(number), "k") for number, kernel in enumerate(kernels)}
    decided = decided_in(entries.items())
    site = Site("csrc/a.cu", line, line + more, 1, "inline-ptx", "r", "s", function=function)
    around = (k for k in kernels if (line <= k.end_line and k.line <= line + more) or k.name == function)
    begun = (k for k in kernels if line <= k.line <= line + more)
    assert decided.around(site) == entries.get(next(around, None))  # type: ignore[call-overload]
    assert decided.begun_at(site) == entries.get(next(begun, None))  # type: ignore[call-overload]
