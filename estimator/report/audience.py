"""What a reader outside the house may see: the same Assessment without what is confidential.

An external copy leaves out excerpts of code and everything that would show one's hand in a negotiation: prices, rates,
break-evens, money, and the reasons and flip points that rest on them. Every format is made from this value, so the JSON
inside the PDF is as discreet as its pages.
"""

from __future__ import annotations

import re
from dataclasses import replace

from estimator.assessment import Assessment

_CONFIDENTIAL = re.compile(r"price|money|\brate\b|second.?source|break.?even|currency|discount|cheapest", re.IGNORECASE)
_MONEY_FIELDS = ("price_now", "price_offered", "discount_rate", "rate", "second_source_value")


def for_audience(assessment: Assessment) -> Assessment:
    """The assessment as `run.audience` and `run.snippets` allow it; doing it twice changes nothing more."""
    if assessment.run.audience == "external":
        assessment = _without_prices(assessment)
    if assessment.run.audience == "external" or assessment.run.snippets == "none":
        assessment = _without_excerpts(assessment)
    return assessment


def _without_excerpts(assessment: Assessment) -> Assessment:
    found = assessment.found
    sites = tuple(replace(judged, site=replace(judged.site, excerpt="")) for judged in found.sites)
    run = replace(assessment.run, snippets="none")
    return replace(assessment, run=run, found=replace(found, sites=sites))


def _without_prices(assessment: Assessment) -> Assessment:
    decision, scenario = assessment.decision, assessment.scenario
    notes = {key: note for key, note in scenario.notes.items() if key not in _MONEY_FIELDS}
    hidden = dict.fromkeys(_MONEY_FIELDS)
    return replace(
        assessment,
        scenario=replace(scenario, notes=notes, **hidden),  # type: ignore[arg-type]
        decision=replace(
            decision,
            reasons=tuple(r for r in decision.reasons if not _CONFIDENTIAL.search(f"{r.policy} {r.figure} {r.text}")),
            flip_points=tuple(f for f in decision.flip_points if not _CONFIDENTIAL.search(f"{f.input} {f.text}")),
            options=tuple(
                replace(view, money=None, chance_cheapest=None, text=_discreet(view.text)) for view in decision.options
            ),
            conditions=tuple(text for text in decision.conditions if not _CONFIDENTIAL.search(text)),
            confidence_reason=_discreet(decision.confidence_reason),
            pilot_reason=_discreet(decision.pilot_reason),
            gaps=(),
            chance_cheapest=None,
            break_even_month=None,
            break_even_price=None,
        ),
    )


def _discreet(text: str) -> str:
    return "rests on figures left out of this copy" if _CONFIDENTIAL.search(text) else text
