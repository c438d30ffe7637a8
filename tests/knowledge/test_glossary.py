"""The glossary is one text for the report and for `explain`; a name that stands twice is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.effort.values import FUNCTIONAL_PARTS
from estimator.errors import EstimatorError
from estimator.knowledge.glossary import load_glossary
from estimator.resources import data_folder


def test_the_shipped_terms_are_whole() -> None:
    terms = load_glossary(data_folder("heuristics") / "glossary.toml")
    assert {"P10", "P50", "P80", "P90", "likely", "mean", "reserve"} <= {term.name for term in terms}
    for term in terms:
        told = term.told(7.0)
        assert "{" not in told
        assert not told.endswith(".")


def test_what_the_report_speaks_of_beside_the_rows_is_among_its_terms() -> None:
    printed = {term.name for term in load_glossary(data_folder("heuristics") / "glossary.toml") if term.report}
    assert {"author-day", "functional scope", "blend", "reference class", "porting strategy"} <= printed


def test_the_functional_scope_is_told_as_it_is_counted() -> None:
    (term,) = (
        one for one in load_glossary(data_folder("heuristics") / "glossary.toml") if one.names("functional scope")
    )
    inside, outside = term.meaning.split(": ")
    assert all(part in inside for part in FUNCTIONAL_PARTS)
    assert not any(part in outside for part in FUNCTIONAL_PARTS)


def test_names_are_unique(tmp_path: Path) -> None:
    path = tmp_path / "glossary.toml"
    path.write_text('[[term]]\nname = "A"\nmeaning = "x"\n[[term]]\nname = "B"\nalso = ["a"]\nmeaning = "y"\n')
    with pytest.raises(EstimatorError, match="term 'a' stands twice"):
        load_glossary(path)
