"""CSV, XLSX, Markdown and JSON: the figures of the Assessment, and nothing that a program would run."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from types import ModuleType
from xml.etree import ElementTree

import pytest

from estimator.report import render
from estimator.report.as_md import escaped
from estimator.report.figures import round_two

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def test_csv_has_every_site(samples: ModuleType) -> None:
    assessment = samples.sample()
    rows = list(csv.DictReader(io.StringIO(render(assessment, "csv").decode("utf-8"))))
    assert [(row["path"], int(row["line"]), row["rule"]) for row in rows] == [
        (judged.site.path, judged.site.line, judged.site.rule) for judged in assessment.found.sites
    ]
    findings = {finding.id: len(finding.sites) for finding in assessment.found.findings}
    assert {name: sum(row["finding"] == name for row in rows) for name in findings} == findings


def test_csv_runs_no_formula(samples: ModuleType) -> None:
    text = render(samples.hostile(), "csv").decode("utf-8")
    for row in csv.reader(io.StringIO(text)):
        for cell in row:
            assert not cell.lstrip().startswith(("=", "+", "-", "@", "\t", "\r"))
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e\u200b]", text)


def test_xlsx_holds_the_figures_and_no_formula(samples: ModuleType) -> None:
    assessment = samples.sample()
    archive = zipfile.ZipFile(io.BytesIO(render(assessment, "xlsx")))
    sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
    assert len(sheets) == 6
    cells = []
    for name in sheets:
        tree = ElementTree.fromstring(archive.read(name))
        assert not list(tree.iter(f"{SHEET}f"))
        assert not list(tree.iter(f"{SHEET}hyperlink"))
        cells.extend(float(c.findtext(f"{SHEET}v") or 0) for c in tree.iter(f"{SHEET}c") if c.get("t") != "s")
    for option in ("amd", "triton-first"):
        hours = assessment.estimate.options[option].hours
        assert min(abs(cell - hours.p80) for cell in cells) < 0.0051
    assert all(round(cell, 2) == cell for cell in cells)


@pytest.mark.parametrize("format", ["csv", "xlsx", "md", "json"])
@pytest.mark.parametrize("which", ["sample", "hostile", "nothing_to_port"])
def test_same_input_same_bytes(samples: ModuleType, which: str, format: str) -> None:
    assert render(getattr(samples, which)(), format) == render(getattr(samples, which)(), format)


def test_markdown_shows_the_same_figures(samples: ModuleType) -> None:
    assessment = samples.sample()
    text = render(assessment, "md").decode("utf-8")
    day = assessment.estimate.hours_per_day
    for option in ("amd", "triton-first"):
        hours = assessment.estimate.options[option].hours
        assert f"| {round_two(hours.p50 / day)} | {round_two(hours.p80 / day)} |" in text


def test_markdown_escapes_only_what_is_acted_on(samples: ModuleType) -> None:
    harmless = "On 2026-11-30: C++ at 98.4 % (so-called), why? a_name; it's 1=1!"
    assert escaped(harmless) == harmless
    for text, told in (
        ("- item", r"\- item"),
        ("1. first", r"1\. first"),
        ("*a* _b_ `c` [d](e)", r"\*a\* \_b\_ \`c\` \[d\](e)"),
        ("http://x www.x :tada: a::b", "http&#58;//x www&#46;x &#58;tada: a&#58;&#58;b"),
        ("<b> a|b @me #7", "&lt;b&gt; a&#124;b &#64;me &#35;7".replace("&lt;", "&#60;").replace("&gt;", "&#62;")),
    ):
        assert escaped(text) == told
    assert "2026-11-30" in render(samples.sample(), "md").decode("utf-8")


def test_xlsx_has_names_beside_ids_and_formats(samples: ModuleType) -> None:
    archive = zipfile.ZipFile(io.BytesIO(render(samples.sample(), "xlsx")))
    strings = archive.read("xl/sharedStrings.xml").decode("utf-8")
    for words in ("option_name", "Triton first", "category_name", "Warp of 32 assumed", "part_name", "cuBLASLt"):
        assert f">{words}<" in strings, words
    assert "#,##0.00" in archive.read("xl/styles.xml").decode("utf-8") or 'numFmtId="4"' in archive.read(
        "xl/styles.xml"
    ).decode("utf-8")


def test_markdown_is_escaped(samples: ModuleType) -> None:
    text = render(samples.hostile(), "md").decode("utf-8")
    assert "<" not in text
    assert "```" not in text
    assert "::error" not in text
    assert not re.search(r"(?<!&)#(?!\d+;| |# )", text)
    assert "@SUM" not in text


def test_json_is_canonical(samples: ModuleType) -> None:
    made = render(samples.hostile(), "json")
    assert made.endswith(b"\n")
    assert json.loads(made)
