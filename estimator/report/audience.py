"""What a reader outside the house may see: the same Assessment without what is confidential.

An external copy leaves out excerpts of code and everything that would show one's hand in a negotiation: prices, rates,
volumes, and whatever was worked out from them. Which parts of a decision those are is known to the decision stage.
Every format is made from this value, so the JSON inside the PDF is as discreet as its pages.
"""

from __future__ import annotations

import shlex
from dataclasses import replace

from estimator.assessment import Assessment
from estimator.decision.discreet import rests_on_prices, without_money, without_prices

LEFT_OUT = "left out of this copy"


def for_audience(assessment: Assessment) -> Assessment:
    """The assessment as `run.audience` and `run.snippets` allow it; doing it twice changes nothing more."""
    if external(assessment):
        assessment = _without_prices(assessment)
    if external(assessment) or assessment.run.snippets == "none":
        assessment = _without_excerpts(assessment)
    return assessment


def external(assessment: Assessment) -> bool:
    """Whether the copy is for readers outside the house."""
    return assessment.run.audience == "external"


def _without_excerpts(assessment: Assessment) -> Assessment:
    found = assessment.found
    sites = tuple(replace(judged, site=replace(judged.site, excerpt="")) for judged in found.sites)
    run = replace(assessment.run, snippets="none")
    return replace(assessment, run=run, found=replace(found, sites=sites))


def _without_prices(assessment: Assessment) -> Assessment:
    """Prices are taken out of decision and scenario; the name of the scenario's file goes with its contents."""
    decision, scenario, policy = assessment.decision, assessment.scenario, assessment.heuristics.policy
    bare = tuple(replace(total, verdict=None) for total in assessment.scopes)
    return replace(
        assessment,
        run=replace(assessment.run, command=_without_scenario(assessment.run.command)),
        scenario=without_money(scenario),
        decision=without_prices(decision, scenario, policy, assessment.reliability.level),
        scopes=bare if rests_on_prices(scenario) else assessment.scopes,
    )


def _without_scenario(command: str) -> str:
    """The command line without the name of the scenario's file; "" where its words can't be told apart."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    return shlex.join("--scenario=FILE" if word.startswith("--scenario") else word for word in words)
