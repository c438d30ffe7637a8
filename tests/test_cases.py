"""What each finding means, case by case: tests/cases/README.md says how a case is written."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from estimator.findings import gather
from estimator.findings.values import Disposition, JudgedSite
from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Heuristics
from estimator.scan import scan
from estimator.sources import open_source

CASES = sorted(path.parent for path in Path(__file__).with_name("cases").glob("*/case.json"))
NOT_YET: frozenset[str] = frozenset()  # strict: a case that passes must leave this list
NO_COST = (Disposition.PORTED, Disposition.EXCLUDED, Disposition.CREDIT)


@cache
def heuristics() -> Heuristics:
    return load_heuristics()


def sites_of(folder: Path) -> tuple[JudgedSite, ...]:
    tree = open_source(folder, exclude=("case.json",))
    return gather(scan(tree, heuristics()), {}, heuristics()).sites


def misses(case: dict[str, Any], sites: tuple[JudgedSite, ...]) -> list[str]:
    """Expected findings that are not there."""
    found = []
    for wanted in case["expect"]:
        categories = {wanted["category"], *wanted.get("also_ok", [])}
        lines = range(wanted["line"], wanted.get("line_end", wanted["line"]) + 1)
        if not any(
            judged.site.path == wanted["path"]
            and judged.site.category in categories
            and judged.site.line in lines
            and judged.site.library == wanted.get("library", judged.site.library)
            for judged in sites
        ):
            found.append(f"missed {wanted['path']}:{wanted['line']}: {wanted['category']} {wanted.get('library', '')}")
    return found


def intruders(case: dict[str, Any], sites: tuple[JudgedSite, ...]) -> list[str]:
    """Findings that must not be there."""
    return [
        f"wrong {judged.site.path}:{judged.site.line}: {judged.site.category} ({judged.site.rule})"
        for absent in case["expect_absent"]
        for judged in sites
        if judged.site.path == absent["path"]
        and judged.site.category == absent["category"]
        and absent.get("line", judged.site.line) == judged.site.line
        and not (absent.get("ok_if_excluded") and judged.disposition in NO_COST)
    ]


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(folder, id=folder.name, marks=pytest.mark.xfail(strict=True) if folder.name in NOT_YET else ())
        for folder in CASES
    ],
)
def test_case(folder: Path) -> None:
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    sites = sites_of(folder)
    assert misses(case, sites) + intruders(case, sites) == []
