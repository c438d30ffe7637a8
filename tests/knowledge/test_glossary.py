"""The glossary is one text for the report and for `explain`; a name that stands twice is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_names_are_unique(tmp_path: Path) -> None:
    path = tmp_path / "glossary.toml"
    path.write_text('[[term]]\nname = "A"\nmeaning = "x"\n[[term]]\nname = "B"\nalso = ["a"]\nmeaning = "y"\n')
    with pytest.raises(EstimatorError, match="term 'a' stands twice"):
        load_glossary(path)
