"""Files appear whole or not at all."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

import pytest

from estimator.cli.output import complain, output_folder, tidy, write_whole
from estimator.errors import WRONG_INPUT, EstimatorError


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert write_whole(path, b"one") == path
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_obeys_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        assert write_whole(tmp_path / "a", b"").stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)


def test_a_full_disk_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    """A limit on file sizes stands in for the full disk: both fail in the middle of a write."""
    path = write_whole(tmp_path / "a.pdf", b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(EstimatorError, match=r"a\.pdf: can't be written"):
            write_whole(path, b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_files_of_one_run_appear_together_or_not_at_all(tmp_path: Path) -> None:
    with output_folder(tmp_path / "out") as write:
        write([("a", b"old"), ("b", b"old")])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(EstimatorError, match="b: can't be written"), output_folder(tmp_path / "out") as write:
            write([("a", b"new"), ("b", b"x" * 100_000), ("c", b"new")])
        with pytest.raises(EstimatorError, match="b: can't be written"), output_folder(tmp_path / "other") as write:
            write([("a", b"new"), ("b", b"x" * 100_000)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == {"a": b"old", "b": b"old"}
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_a_folder_in_the_place_of_one_file_stops_all(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(EstimatorError, match="b: can't be written"), output_folder(tmp_path) as write:
        write([("a", b"new"), ("b", b"new")])
    assert list(tmp_path.iterdir()) == [tmp_path / "b"]


def test_an_end_without_unwinding_leaves_nothing(tmp_path: Path) -> None:
    with output_folder(tmp_path / "a/b"):
        tidy()
        assert list(tmp_path.iterdir()) == []


def test_folders_made_for_nothing_are_removed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), output_folder(tmp_path / "a/b"):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_folders_that_hold_output_stay(tmp_path: Path) -> None:
    with output_folder(tmp_path / "a/b") as write:
        write([("x", b"1")])
    assert (tmp_path / "a/b/x").read_bytes() == b"1"


def test_a_file_in_the_way_is_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(EstimatorError, match="out: can't be written") as caught, output_folder(tmp_path / "out"):
        pass
    assert caught.value.code == WRONG_INPUT


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder_is_wrong_input(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(EstimatorError, match="can't be written"), output_folder(tmp_path / "out"):
        pass


def test_a_name_can_not_pass_for_a_message_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    complain("a\nunwarp: all is well\r\x1b[2J\u2028: no such file\n" + "x" * 5_000)
    first, *further = capsys.readouterr().err.removesuffix("\n").split("\n")
    assert first == "unwarp: a"
    assert further[0] == "        unwarp: all is well\\x0d\\x1b[2J\\u2028: no such file"
    assert len(further) == 2
    assert len(further[1]) < 2_100
