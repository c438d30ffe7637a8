"""Rules against facts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from estimator.errors import EstimatorError
from estimator.knowledge import load_heuristics
from estimator.languages.facts import FactKind, Reading
from estimator.languages.readings import simple_fact
from estimator.scan import scan
from estimator.scan.match import Matcher
from estimator.sources import open_source


def test_texts_that_no_utf8_can_hold_are_matched() -> None:
    fact = simple_fact(FactKind.CALL, "cupy.asarray\ud800", 1, detail="\udc00")
    setting = simple_fact(FactKind.SETTING, "env NCCL_DEBUG", 2, detail="\ud800")
    hits = list(Matcher(load_heuristics().rules).hits(Reading("python", 2, (fact, setting))))
    assert hits
    assert all(hit.symbol.isascii() for hit in hits)


def test_a_pattern_that_re2_cannot_read_is_an_error_that_names_its_rule(capfd: pytest.CaptureFixture[str]) -> None:
    rule = load_heuristics().rules[0]
    broken = replace(rule, matches=(replace(rule.matches[0], pattern="(f"),))
    with pytest.raises(EstimatorError) as caught:
        list(Matcher((broken,)).hits(Reading(rule.languages[0], 1, ())))
    assert str(caught.value) == f"rules/{rule.file}: {rule.id}: not a pattern that RE2 can read: missing ): (f"
    assert capfd.readouterr() == ("", "")


def test_each_line_that_requires_a_package_is_a_site_but_only_its_first_import(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("xformers>=1; a\nxformers>=2; b\n")
    (tmp_path / "m.py").write_text("import xformers\nimport xformers.ops\n")
    sites = scan(open_source(tmp_path), load_heuristics()).sites
    assert [(site.path, site.line) for site in sites] == [("m.py", 1), ("requirements.txt", 1), ("requirements.txt", 2)]


def test_a_version_of_a_library_is_no_setting_of_it(tmp_path: Path) -> None:
    (tmp_path / "env.sh").write_text("NVSHMEM_VERSION=3.4.5\nNVSHMEM_DEBUG=1\n")
    sites = scan(open_source(tmp_path), load_heuristics()).sites
    assert [(site.line, site.category) for site in sites] == [(1, "build-system"), (2, "communication")]
