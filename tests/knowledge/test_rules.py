"""Rule packs: every fault of a pack is said at once, in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge.rules import load_rules

GOOD = """
id = "a.b"
title = "t"
category = "warp-size"
why = "w"
languages = ["cuda"]
match = { call = '^f$' }
sources = ["s"]

[[examples]]
name = "one"
code = "f();"
finds = [1]

[[examples]]
name = "none"
code = ""
finds = []
"""


def faults(folder: Path) -> list[str]:
    with pytest.raises(EstimatorError) as caught:
        load_rules(folder)
    return str(caught.value).replace(f"{folder}/", "").splitlines()


def test_a_pack_loads(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD)
    assert [rule.id for rule in load_rules(tmp_path)] == ["a.b"]


def test_all_faults_of_a_pack_come_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD.replace("title = ", "titel = "))
    (tmp_path / "b.toml").write_text(GOOD.replace('"cuda"', '"cuda", "cudda"').replace("finds = []", "finds = [2]"))
    (tmp_path / "c.toml").write_text(GOOD.replace("call =", "shout ="))
    (tmp_path / "d.toml").write_text("[")
    messages = faults(tmp_path)
    assert messages[:3] == [
        "a.toml: title: is missing",
        "a.toml: titel: no such key is known here",
        "b.toml: languages: no language 'cudda' (did you mean 'cuda'?)",
    ]
    assert "must be" in messages[3]
    assert messages[4].startswith("d.toml: not valid TOML")


def test_what_is_no_folder_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD)
    assert faults(tmp_path / "nope") == [f"{tmp_path}/nope: no such folder; give one that holds rule files (*.toml)"]
    assert "no such folder" in faults(tmp_path / "a.toml")[0]
