"""What is listed and not priced, by folder and reason."""

from __future__ import annotations

from estimator.findings.scope import ScopeEntry
from estimator.findings.set_apart import SetApart, set_apart
from estimator.findings.values import Disposition, JudgedSite
from estimator.scan.sites import Site
from estimator.sources.files import Owner, SourceFile


def file(path: str, owner: Owner, reason: str, lines: int = 1) -> SourceFile:
    return SourceFile(path, "\n" * lines, owner, reason, "/".join(path.split("/")[:-1][:2]) or ".")


def judged(path: str, count: int = 1) -> JudgedSite:
    return JudgedSite(Site(path, 1, 1, 1, "inline-ptx", "r", "s", count=count), Disposition.EXCLUDED)


def test_groups_by_folder_and_reason_the_largest_first() -> None:
    files = [
        file("csrc/a.cu", Owner.OWN, "", 100),
        file("csrc/k/x.cu", Owner.GENERATED, "a hash in its name: d8375102fff4eb16", 3),
        file("csrc/k/y.cu", Owner.GENERATED, "a hash in its name: 1643d1d8375102ff", 4),
        file("third_party/cutlass/include/a.h", Owner.VENDORED, "in a folder 'third_party'", 10),
        file("third_party/cutlass/include/b/c.h", Owner.VENDORED, "in a folder 'third_party'", 10),
        file("third_party/fmt/a.h", Owner.VENDORED, "in a folder 'third_party'", 1),
    ]
    sites = [judged("csrc/a.cu"), judged("csrc/k/x.cu", 300), judged("csrc/k/y.cu"), judged("third_party/fmt/a.h")]
    assert set_apart(files, {}, sites) == (
        SetApart(Owner.VENDORED, "third_party/cutlass/include", "in a folder 'third_party'", 2, 20, 0),
        SetApart(Owner.GENERATED, "csrc/k", "a hash in its name", 2, 7, 301),
        SetApart(Owner.VENDORED, "third_party/fmt", "in a folder 'third_party'", 1, 1, 1),
    )


def test_what_the_user_leaves_out_is_listed_with_his_reason() -> None:
    entry = ScopeEntry("leave_out", "a.cu", "gone: soon", "scope.toml:1")
    (row,) = set_apart([file("a.cu", Owner.OWN, "", 5)], {"a.cu": entry}, [judged("a.cu")])
    assert row == SetApart(Owner.OWN, ".", "left out: gone: soon", 1, 5, 1)


def test_a_last_line_without_its_end_counts_as_it_does_in_the_scan() -> None:
    given = SourceFile("third_party/a.h", "int a;\nint b;", Owner.VENDORED, "in a folder 'third_party'", "third_party")
    (row,) = set_apart([given], {}, [])
    assert row.lines == 2


def test_nothing_apart_gives_nothing() -> None:
    assert set_apart([file("a.cu", Owner.OWN, "")], {}, [judged("a.cu")]) == ()
