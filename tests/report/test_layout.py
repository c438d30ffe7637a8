"""Each explicit list agrees with its folder, and only charts declare text safe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import estimator.report
from estimator.errors import EstimatorError
from estimator.knowledge.rules import CATEGORIES
from estimator.report import FORMATS, render, wording
from estimator.report.sections import SECTIONS
from estimator.resources import data_folder

PACKAGE = Path(estimator.report.__file__).parent
TEMPLATES = data_folder("report_templates")


def test_each_format_has_its_module() -> None:
    modules = {path.stem for path in PACKAGE.glob("as_*.py")}
    assert modules == {f"as_{known.name}" for known in FORMATS}
    assert {known.module for known in FORMATS} == {f"estimator.report.{name}" for name in modules}


def test_each_section_has_its_module_and_template() -> None:
    modules = {path.stem for path in (PACKAGE / "sections").glob("*.py")} - {"__init__"}
    templates = {path.stem for path in (TEMPLATES / "sections").glob("*.html")}
    assert modules == set(SECTIONS) == templates
    assert len(SECTIONS) == len(set(SECTIONS))


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(EstimatorError, match=r"no format 'docx'.*html, pdf"):
        render(None, "docx")  # type: ignore[arg-type]


def test_every_category_has_a_name() -> None:
    assert set(wording.CATEGORIES) == set(CATEGORIES)


def test_only_charts_declare_text_safe() -> None:
    users = [path.name for path in PACKAGE.rglob("*.py") if "Markup(" in path.read_text(encoding="utf-8")]
    assert users == ["charts.py"]
    for path in TEMPLATES.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe|autoescape|<script|javascript:|\son\w+=", text), path
        assert not re.search(r"=\{\{", text), f"{path}: an attribute without quotes"
