"""Archives: read as streams, within their bounds, and never trusted."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from estimator.errors import NOT_MEASURED, WRONG_INPUT, EstimatorError
from estimator.sources import Limits, open_source
from tests.pace import within

KERNEL = b"__global__ void f() {}\n"


def make_tar(path: Path, files: dict[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def make_zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


FILES = {"pkg-1.0/csrc/a.cu": KERNEL, "pkg-1.0/setup.py": b"import torch\n", "pkg-1.0/logo.svg": b"<svg/>"}


@pytest.mark.parametrize(
    ("suffix", "mode"), [("tar", "w"), ("tar.gz", "w:gz"), ("tar.bz2", "w:bz2"), ("tar.xz", "w:xz")]
)
def test_a_tar_reads_like_its_folder(tmp_path: Path, suffix: str, mode: str) -> None:
    tree = open_source(make_tar(tmp_path / f"pkg-1.0.{suffix}", FILES, mode))
    assert tree.name == "pkg-1.0"
    assert [(file.path, file.text) for file in tree.files] == [
        ("csrc/a.cu", KERNEL.decode()),
        ("setup.py", "import torch\n"),
    ]
    assert [group.examples for group in tree.skipped] == [("logo.svg",)]


def test_a_zip_reads_like_its_folder(tmp_path: Path) -> None:
    tree = open_source(make_zip(tmp_path / "pkg.zip", FILES))
    assert [file.path for file in tree.files] == ["csrc/a.cu", "setup.py"]


def test_files_beside_the_top_folder_keep_their_paths(tmp_path: Path) -> None:
    tree = open_source(make_zip(tmp_path / "pkg.zip", {"src/a.cu": KERNEL, "b.cu": KERNEL}))
    assert [file.path for file in tree.files] == ["b.cu", "src/a.cu"]


def test_exclude_holds_below_the_top_folder(tmp_path: Path) -> None:
    tree = open_source(make_tar(tmp_path / "pkg.tar.gz", FILES), exclude=("/csrc/",))
    assert [file.path for file in tree.files] == ["setup.py"]


def test_members_that_lead_out_are_left(tmp_path: Path) -> None:
    path = tmp_path / "evil.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("../up.cu", "/etc/abs.cu", "a/../../b.cu", "ok/good.cu"):
            info = tarfile.TarInfo(name)
            info.size = len(KERNEL)
            archive.addfile(info, io.BytesIO(KERNEL))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo(f"special{kind.decode()}.cu")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    tree = open_source(path)
    assert [file.path for file in tree.files] == ["ok/good.cu"]
    assert sorted(group.files for group in tree.skipped) == [3, 4]
    assert list(tmp_path.iterdir()) == [path]


def test_a_zip_link_is_left(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "pkg.zip", {"a.cu": KERNEL})
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("link.cu")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("../up.cu", KERNEL)
    assert [file.path for file in open_source(path).files] == ["a.cu"]


def test_bombs_stop_at_the_limits(tmp_path: Path) -> None:
    zeros = bytes(40_000_000)
    for path in (make_tar(tmp_path / "b.tar.gz", {"a.cu": KERNEL, "z.bin": zeros}), tmp_path / "raw.tar.gz"):
        if not path.exists():
            path.write_bytes(gzip.compress(zeros))
        with pytest.raises(EstimatorError):
            open_source(path)
    with pytest.raises(EstimatorError, match="GB unpacked") as caught:
        open_source(make_tar(tmp_path / "c.tar", {"a.cu": KERNEL * 1000}, "w"), limits=Limits(total_bytes=10_000))
    assert caught.value.code == NOT_MEASURED
    with pytest.raises(EstimatorError, match="members"):
        open_source(make_zip(tmp_path / "d.zip", {f"{n}.cu": KERNEL for n in range(5)}), limits=Limits(entries=4))
    packed = open_source(make_zip(tmp_path / "e.zip", {"a.cu": KERNEL, "b.cu": b"\n" * 1_900_000}))
    assert [trouble.reason for trouble in packed.troubles] == ["archive member is packed more than 100:1"]


def test_a_lying_size_is_not_believed(tmp_path: Path) -> None:
    """The sizes in a zip's directory are the sender's claim; what comes out is what counts."""
    path = make_zip(tmp_path / "lie.zip", {"a.cu": KERNEL, "b.cu": b"int x;\n" * 5000})
    tree = open_source(path, limits=Limits(file_bytes=10_000))
    assert [file.path for file in tree.files] == ["a.cu"]


def test_an_archive_inside_is_not_opened(tmp_path: Path) -> None:
    inner = make_zip(tmp_path / "inner.zip", {"x.cu": KERNEL}).read_bytes()
    tree = open_source(make_zip(tmp_path / "outer.zip", {"a.cu": KERNEL, "inner.zip": inner}))
    assert [file.path for file in tree.files] == ["a.cu"]


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz", "x.tar.xz"])
@pytest.mark.parametrize("content", [b"", b"not an archive", b"\x1f\x8b\x08\0broken", b"\xfd7zXZ\0\0", b"PK\x03\x04"])
def test_damaged_archives_are_wrong_input(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(EstimatorError) as caught:
        open_source(tmp_path / name)
    assert caught.value.code in (WRONG_INPUT, NOT_MEASURED)


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.tar.bz2", "a.tar.xz"])
@pytest.mark.parametrize("share", [0, 0.4, 0.7])
def test_a_cut_archive_must_be_fetched_again(tmp_path: Path, name: str, share: float) -> None:
    noise = random.Random(1).randbytes(30_000)
    files = {"a.cu": KERNEL, "b.cu": noise}
    form = name.removeprefix("a.tar").removeprefix(".")
    path = make_zip(tmp_path / name, files) if form == "a.zip" else make_tar(tmp_path / name, files, f"w:{form}")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(EstimatorError, match=r"not a readable archive: its end is missing.*; fetch it again$"):
        open_source(path)


def test_what_is_no_archive_is_not_called_a_cut_one(tmp_path: Path) -> None:
    for name in ("a.zip", "a.tar.gz"):
        (tmp_path / name).write_bytes(b"a page that says that there is no such file\n" * 100)
        with pytest.raises(EstimatorError, match=r"not a readable archive: (?!its end)"):
            open_source(tmp_path / name)


def a_tar(*files: tuple[str, bytes], pax: dict[str, str] | None = None) -> bytes:
    """A plain tar, to be damaged: each header 512 bytes, each content filled up to 512."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for number, (name, content) in enumerate(files):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if number == 1 and pax:
                info.pax_headers = pax
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


THREE = (("p/a.cu", KERNEL), ("p/b.cu", KERNEL * 100), ("p/c.cu", KERNEL * 100))


def damaged(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 7]) + content[at + 1 :]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (damaged(a_tar(*THREE), 1024 + 148), "a damaged header"),
        (gzip.compress(damaged(a_tar(*THREE), 1024 + 148)), "a damaged header"),
        (a_tar(*THREE, pax={"size": "-5"}), "a member of negative size"),
        (a_tar(*THREE, pax={"size": "0"}), "a damaged header"),
    ],
)
def test_what_a_damaged_tar_loses_is_counted(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "pkg.tar"
    path.write_bytes(content)
    tree = open_source(path)
    assert "a.cu" in [file.path for file in tree.files]
    assert [(one.path, one.stage) for one in tree.troubles] == [(".", "read")]
    assert fault in tree.troubles[0].reason
    assert tree.troubles[0].size >= 2 * len(KERNEL)


@pytest.mark.parametrize("end", [1024, 1024 + 100, 1024 + 512, 1024 + 1000])
@pytest.mark.parametrize("name", ["a.cu", "a.bin"])
def test_a_tar_cut_anywhere_is_an_error(tmp_path: Path, end: int, name: str) -> None:
    """Also at the border of a member, where only the missing end mark tells."""
    path = tmp_path / "pkg.tar"
    path.write_bytes(a_tar(("first.cu", KERNEL), (name, KERNEL * 100))[:end])
    with pytest.raises(EstimatorError, match="not a readable archive: its end is missing"):
        open_source(path)


def test_a_sparse_member_is_not_filled_up(tmp_path: Path) -> None:
    path = tmp_path / "pkg.tar"
    path.write_bytes(a_tar(*THREE, pax={"GNU.sparse.map": "0,1,1800000,1", "GNU.sparse.size": "1900000"}))
    assert [(one.path, one.size) for one in open_source(path).troubles] == [("b.cu", 1_900_000)]


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_a_file_named_twice_counts_once(tmp_path: Path, make: Callable[..., Path]) -> None:
    files = {"a.cu": KERNEL, "./a.cu": KERNEL * 2, "b//c.cu": KERNEL, "b/./c.cu": KERNEL * 3}
    tree = open_source(make(tmp_path / ("pkg.zip" if make is make_zip else "pkg.tar.gz"), files))
    assert [(file.path, len(file.text)) for file in tree.files] == [("a.cu", 46), ("b/c.cu", 69)]
    assert [(group.reason.split(" in")[0], group.examples) for group in tree.skipped] == [
        ("named twice", ("a.cu", "b/c.cu"))
    ]
    assert tree.troubles == ()


def test_many_of_one_name_cost_linear_time(tmp_path: Path) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        warnings.simplefilter("ignore", UserWarning)  # "Duplicate name"
        for _ in range(20_000):
            archive.writestr("a.cu", KERNEL)
    with within(10):
        tree = open_source(tmp_path / "a.zip")
    assert tree.skipped[0].files == 19_999


def test_a_packed_bomb_is_judged_while_it_is_read(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "bomb.zip", {f"{n}.cu": b" " * 1_900_000 for n in range(200)} | {"ok.cu": KERNEL})
    with within(2):
        tree = open_source(path)
    assert {trouble.size for trouble in tree.troubles} == {1_900_000}


def test_a_size_without_end_does_not_hang(tmp_path: Path) -> None:
    path = tmp_path / "pkg.tar"
    path.write_bytes(a_tar(*THREE, pax={"size": "99999999999999"}))
    with pytest.raises(EstimatorError, match="GB unpacked"):
        open_source(path)


def test_an_endless_name_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "pkg.tar"
    path.write_bytes(a_tar(*THREE, pax={"comment": "x" * 1_100_000}))
    tree = open_source(path)
    assert [file.path for file in tree.files] == ["a.cu"]
    assert tree.troubles[0].size > 1_000_000
