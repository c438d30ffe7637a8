"""The loader over all of `heuristics/`: cross references, digest, date."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge import load_heuristics
from estimator.resources import data_folder
from tests.pace import within


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    target = tmp_path / "heuristics"
    shutil.copytree(data_folder("heuristics"), target)
    return target


def a_rule(copy: Path, field: str) -> tuple[Path, str]:
    """A rule file that has the field filled, and its text."""
    for path in sorted((copy / "rules").rglob("*.toml")):
        text = path.read_text(encoding="utf-8")
        if f'\n{field} = "' in text and f'\n{field} = ""' not in text:
            return path, text
    raise AssertionError(f"no rule with {field}")


def test_the_shipped_knowledge_loads_and_agrees_with_itself() -> None:
    heuristics = load_heuristics()
    assert heuristics.rules
    assert heuristics.date >= "2026-11-30"
    assert len(heuristics.digest) == 16
    assert {api.library for api in heuristics.apis.values()} <= set(heuristics.components)
    assert set(heuristics.performance) <= set(heuristics.weights)


def test_the_digest_follows_every_byte_and_not_the_place(copy: Path) -> None:
    before = load_heuristics(copy).digest
    assert before == load_heuristics().digest
    with (copy / "targets.csv").open("a", encoding="utf-8") as file:
        file.write("# a remark\n")
    assert load_heuristics(copy).digest != before


def test_a_pipe_among_the_data_does_not_hang(copy: Path) -> None:
    before = load_heuristics(copy).digest
    os.mkfifo(copy / "pipe.toml")
    assert load_heuristics(copy).digest == before


def test_an_overlay_changes_the_digest_by_its_content_only(copy: Path, tmp_path: Path) -> None:
    first, second, other = (tmp_path / name for name in ("a.toml", "b.toml", "c.toml"))
    first.write_text("# nothing\n", encoding="utf-8")
    second.write_text("# nothing\n", encoding="utf-8")
    other.write_text("# nothing else\n", encoding="utf-8")
    digests = [load_heuristics(copy, path).digest for path in (first, second, other)]
    assert digests[0] == digests[1] != digests[2]
    assert load_heuristics(copy).digest not in digests


def test_a_date_can_be_given(copy: Path) -> None:
    assert load_heuristics(copy, date="2027-01-01").date == "2027-01-01"


def test_an_undeclared_weight_class_names_file_rule_and_neighbour(copy: Path) -> None:
    path, text = a_rule(copy, "effort")
    effort = text.split('\neffort = "', 1)[1].split('"', 1)[0]
    path.write_text(text.replace(f'\neffort = "{effort}"', f'\neffort = "{effort}x"'), encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_heuristics(copy)
    message = str(raised.value)
    assert f"rules/{path.parent.name}/{path.name}: " in message
    assert f"no weight class '{effort}x' (did you mean '{effort}'?)" in message


def test_an_unknown_library_is_named_with_all_other_faults(copy: Path) -> None:
    path, text = a_rule(copy, "library")
    library = text.split('\nlibrary = "', 1)[1].split('"', 1)[0]
    path.write_text(text.replace(f'\nlibrary = "{library}"', f'\nlibrary = "{library}x"'), encoding="utf-8")
    components = (copy / "components.csv").read_text(encoding="utf-8")
    (copy / "components.csv").write_text(components.replace("\nNCCL,", "\nNCCL2,"), encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_heuristics(copy)
    assert f"no library '{library}x' in components.csv" in str(raised.value)
    assert "apis: no library 'NCCL' in components.csv (did you mean 'NCCL2'?)" in str(raised.value)


def test_ports_name_the_strategies_of_their_own_folder(copy: Path) -> None:
    path = copy / "strategies.toml"
    text = path.read_text(encoding="utf-8").replace("[hipify-at-build]", "[hipify-by-build]")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(EstimatorError) as raised:
        load_heuristics(copy)
    faults = str(raised.value).splitlines()
    assert len(faults) == (copy / "ports.csv").read_text(encoding="utf-8").count(",hipify-at-build,")
    assert all("no strategy 'hipify-at-build' (did you mean 'hipify-by-build'?)" in fault for fault in faults)


def test_a_missing_folder_or_file_is_one_message(tmp_path: Path, copy: Path) -> None:
    with pytest.raises(EstimatorError, match="no such folder"):
        load_heuristics(tmp_path / "nowhere")
    (copy / "ptx.toml").unlink()
    with pytest.raises(EstimatorError, match=r"ptx\.toml: no such file"):
        load_heuristics(copy)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, estimator.knowledge; print([m for m in ('pydantic', 're2', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_loading_all_knowledge_is_quick() -> None:
    """The bar is 60 ms a time, with every module imported; the bound leaves room for a tracer of coverage."""
    load_heuristics()
    with within(5 * 0.2):
        for _ in range(5):
            load_heuristics()
