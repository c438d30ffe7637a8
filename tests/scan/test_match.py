"""Rules against facts."""

from __future__ import annotations

from estimator.knowledge import load_heuristics
from estimator.languages.facts import FactKind, Reading
from estimator.languages.readings import simple_fact
from estimator.scan.match import Matcher


def test_texts_that_no_utf8_can_hold_are_matched() -> None:
    fact = simple_fact(FactKind.CALL, "cupy.asarray\ud800", 1, detail="\udc00")
    setting = simple_fact(FactKind.SETTING, "env NCCL_DEBUG", 2, detail="\ud800")
    hits = list(Matcher(load_heuristics().rules).hits(Reading("python", 2, (fact, setting))))
    assert hits
    assert all(hit.symbol.isascii() for hit in hits)
