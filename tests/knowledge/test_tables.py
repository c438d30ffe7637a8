"""Reading data files: whatever they are, the answer is a table or one message."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from estimator.decision import load_scenario
from estimator.errors import WRONG_INPUT, EstimatorError
from estimator.knowledge.policy import load_policy
from estimator.knowledge.rules import load_rules
from estimator.knowledge.tables import read_csv, read_toml
from estimator.knowledge.weights import load_weights
from estimator.resources import data_folder

DEFAULT = data_folder("heuristics") / "weights" / "default.toml"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" + b"a." * 20_000 + b"a]\n", "nested too deeply"),
        (b"a = " + b"[" * 20_000 + b"]" * 20_000, "nested too deeply"),
        (b"a = " + b"{ a = " * 200 + b"1" + b" }" * 200, "nested too deeply"),
        (b"a = " + b"9" * 6000, "overflowed at line 1"),
        (b"[a.b]\nc = [" + b"9" * 300 + b"]", "overflowed at line 2"),
        (b'a = 1\nb = "\xff"', ":2: not valid UTF-8"),
        (b"\xff\xfea\0=\x001\0", ":1: not valid UTF-8"),
        (b"a = '\x1b'", "not valid TOML"),
        (b"#" * 4_000_001, "larger than 4 MB"),
    ],
)
def test_a_file_that_is_no_table_is_one_message(tmp_path: Path, content: bytes, message: str) -> None:
    """For every kind of file alike, since one reader serves them all."""
    path = tmp_path / "x.toml"
    path.write_bytes(content)
    for load in (read_toml, load_scenario, load_policy, lambda path: load_weights(DEFAULT, path)):
        with pytest.raises(EstimatorError) as caught:
            load(path)
        assert caught.value.code == WRONG_INPUT
        assert message in str(caught.value)
        assert len(str(caught.value)) < len(str(path)) + 200
        assert str(caught.value).isprintable()
    with pytest.raises(EstimatorError, match=r"x\.toml"):
        load_rules(tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"\xef\xbb\xbfteam = 3\n")
    assert read_toml(tmp_path / "x.toml") == {"team": 3}
    assert load_scenario(tmp_path / "x.toml").team == 3


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", Path("/dev/zero"), Path(os.devnull)):
        with pytest.raises(EstimatorError, match="not a file"):
            read_toml(path)
    with pytest.raises(EstimatorError, match="a folder, not a file"):
        read_toml(tmp_path)
    with pytest.raises(EstimatorError, match="no such file"):
        read_toml(tmp_path / "none")
    with pytest.raises(EstimatorError, match="can't be read"):
        read_toml(tmp_path / "nul\0")


def test_names_of_a_file_can_not_write_to_the_terminal(tmp_path: Path) -> None:
    team = tmp_path / "team.toml"
    team.write_text('["\\u001b[31m\\nfaked"]\nunpriced = "x"\n["warp.primitive"]\n"\\u202e" = 1\n')
    with pytest.raises(EstimatorError) as caught:
        load_weights(DEFAULT, team)
    assert "'\\x1b[31m\\x0afaked'" in str(caught.value)
    assert all(line.isprintable() for line in str(caught.value).split("\n"))


def test_a_cell_without_end_is_one_message(tmp_path: Path) -> None:
    for text in ("a,b\n1," + "x" * 200_000 + "\n", "x" * 200_000 + ",b\n", 'a,b\n1,"' + "x\n" * 100_000):
        (tmp_path / "x.csv").write_text(text)
        with pytest.raises(EstimatorError, match=r"x\.csv: not a table of cells: field larger"):
            read_csv(tmp_path / "x.csv", ("a", "b"))
