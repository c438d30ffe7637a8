"""The README says what the tool says: help, categories, exit codes and the example are compared with the real ones.

`pytest tests/cli/test_docs.py --update-golden` rewrites the blocks.
"""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from estimator.cli import INTERRUPTED, TERMINATED, cli
from estimator.errors import NOT_MEASURED, WRONG_INPUT
from estimator.knowledge.rules import CATEGORIES

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
SAMPLE = "sample_repos/attention-kernels"


def category_rows() -> list[dict[str, str]]:
    with (ROOT / "heuristics/categories.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def fenced(text: str) -> str:
    return "```\n" + "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n```\n"


def help_block() -> str:
    return fenced(CliRunner().invoke(cli, ["--help"], prog_name="unwarp", terminal_width=100).output)


def categories_block() -> str:
    lines = ["| category | a place is |", "|---|---|"]
    return "\n".join(lines + [f"| {row['id']} | {row['meaning']} |" for row in category_rows()]) + "\n"


def example_block() -> str:
    """What `make report` prints at its end, from a run on the same sample."""
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("sample_repos").symlink_to(ROOT / "sample_repos")
        scenario = ROOT / SAMPLE / "scenario.toml"
        more = ["--scenario", str(scenario)] if scenario.exists() else []
        result = CliRunner().invoke(cli, ["report", SAMPLE, "--format", "html,json", *more], prog_name="unwarp")
    assert result.exit_code == 0, result.output
    written, answer = result.output.split("\n\n", 1)
    return fenced(
        written.replace("unwarp-report/report.html", "unwarp-report/report.html\nunwarp-report/report.pdf")
        + "\n\n"
        + answer
    )


@pytest.mark.parametrize(
    ("name", "generate"), [("help", help_block), ("categories", categories_block), ("example", example_block)]
)
def test_generated_blocks_are_up_to_date(name: str, generate: Callable[[], str], update_golden: bool) -> None:
    text = README.read_text(encoding="utf-8")
    found = re.search(rf"(?<=<!-- {name}: begin -->\n).*?(?=<!-- {name}: end -->)", text, re.DOTALL)
    assert found, f"README.md has no block '{name}'"
    if update_golden:
        README.write_text(text[: found.start()] + generate() + text[found.end() :], encoding="utf-8")
    else:
        assert found[0] == generate()


def test_every_category_is_explained_once() -> None:
    assert tuple(row["id"] for row in category_rows()) == CATEGORIES


def test_exit_codes_are_the_real_ones() -> None:
    table = README.read_text(encoding="utf-8").split("| exit code | when |\n|---|---|\n")[1].split("\n\n")[0]
    codes = {int(code) for line in table.splitlines() for code in re.findall(r"\d+", line.split("|")[1])}
    assert codes == {0, WRONG_INPUT, NOT_MEASURED, INTERRUPTED, TERMINATED}


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_documents_name_files_that_exist(name: str) -> None:
    for path in re.findall(r"`((?:heuristics|estimator|tests|benchmarks)/[\w./-]*\w)`", (ROOT / name).read_text()):
        assert (ROOT / path).exists(), f"{name} names {path}"
