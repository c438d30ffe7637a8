"""What did an assessment rest on? From its JSON form alone: estimate with its draws, findings, scenario and rule.

No tree is scanned and no table of `heuristics/` is read: lines, multipliers and sigma give the draws again, and with
sites, kernels, scenario and policy the decision. So anybody who holds the file can check the verdict, or ask what
another seed would have said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from estimator.assessment import SCHEMA
from estimator.decision.values import Decision, Growth, Range, Scenario, Target
from estimator.effort import redrawn
from estimator.effort.values import (
    Draws,
    EffortLine,
    Estimate,
    KernelPrice,
    KernelSpeed,
    OptionEstimate,
    Scaling,
    Spread,
    StrategyPrice,
    UnpricedRow,
    Upkeep,
)
from estimator.errors import EstimatorError
from estimator.findings.values import Disposition, Finding, Findings, Inventory, JudgedKernel, JudgedSite
from estimator.knowledge.values import Multiplier, Policy, PolicyLine
from estimator.languages.facts import Confidence
from estimator.quantities import Change, Hours, Triple
from estimator.scan.sites import Kernel, Site
from estimator.sources.files import Owner

Json = Mapping[str, Any]
_OF_SITE = ("path", "line", "end_line", "column", "category", "rule", "symbol", "library", "excerpt", "count")
_OF_KERNEL = ("path", "line", "end_line", "name", "template", "triton_fit", "triton_reason", "launches")
_NOT_DRAWN = Spread(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Basis:
    """All that a decision rests on. growth: of the debt, as the decision took it; None where it was not known."""

    estimate: Estimate
    found: Findings
    reliability: str
    scenario: Scenario
    policy: Policy
    target: Target
    growth: Growth | None


def decision_of(document: Json, seed: int | None = None) -> Decision:
    """The decision worked out again from an assessment's JSON form.

    document: of `unwarp report`, as `json.loads` gives it. seed: of other draws; by default those of the document,
    which give its decision to the last digit. A copy for an external audience holds no prices and can't do so.
    Raises EstimatorError for a document of another kind or version.
    """
    from estimator.decision import decide

    rests = basis(document, seed)
    return decide(
        rests.estimate, rests.found, rests.reliability, rests.scenario, rests.policy, rests.target, rests.growth
    )


def basis(document: Json, seed: int | None = None) -> Basis:
    """What the decision of an assessment's JSON form rests on.

    Risk events, the reference class and the reasons of kernel plans are not read: no decision rests on them. What the
    class moved is read with the multipliers.
    Raises EstimatorError for a document of another kind or version.
    """
    if document.get("schema") != SCHEMA or "decision" not in document:
        raise EstimatorError(f"no assessment of the form {SCHEMA}; give an assessment.json of `unwarp report`")
    growth = document["decision"]["growth"]
    return Basis(
        estimate=_estimate(document, seed),
        found=_findings(document),
        reliability=document["reliability"]["level"],
        scenario=_scenario(document["scenario"]),
        policy=_policy(document["policy"]),
        target=Target(**document["run"]["target"]),
        growth=Growth(Range(**growth["hours"]), growth["basis"]) if growth else None,
    )


# the estimate


def _estimate(document: Json, seed: int | None) -> Estimate:
    told = document["estimate"]
    draws = told["draws"]
    bare = Estimate(
        options={name: _option(name, option) for name, option in told["options"].items()},
        kernels=tuple(_price(row) for row in document["kernels"] if row["hours"] is not None),
        unpriced=tuple(UnpricedRow(**row) for row in told["unpriced"]),
        stage=told["stage"],
        sigma=told["sigma"],
        hours_per_day=told["hours_per_day"],
        draws=Draws(draws["seed"], {}, draws["digest"]),
        scalings=tuple(_scaling(row) for row in told["multipliers"]),
        engineers=told["engineers"],
        speeds={name: _speed(row) for name, row in told["speeds"].items()},
        strategies=tuple(_strategy(row) for row in told["strategies"]),
    )
    return redrawn(bare, draws["seed"] if seed is None else seed, draws["number"])


def _option(name: str, told: Json) -> OptionEstimate:
    """An option with its lines; the spreads are drawn later."""
    return OptionEstimate(
        option=name,
        lines=tuple(_line(row) for row in told["lines"]),
        parts={},
        phases={},
        scopes={},
        edits=told["scopes"]["edits"],
        upkeep=_NOT_DRAWN,
        grades={},
        tornado=(),
        reason=told["reason"],
        upkeep_of=Upkeep(told["upkeep_of"]["weight"], Triple(**told["upkeep_of"]["share"])),
    )


def _line(row: Json) -> EffortLine:
    ends = {name: row[name] for name in ("low", "likely", "high")}
    multiplier = row.get("multiplier", "")
    hours = Change(**ends) if multiplier else Hours(**ends)
    kept = {name: value for name, value in row.items() if name not in (*ends, "findings")}
    return EffortLine(**kept, hours=hours, findings=tuple(row["findings"]))


def _scaling(row: Json) -> Scaling:
    factor = Triple(**row["factor"])
    multiplier = Multiplier(
        id=row["id"],
        title=row["title"],
        factor=factor,
        parts=tuple(row["parts"]),
        weights=tuple(row["weights"]),
        on={},
        grade=row["grade"],
        source=row["source"],
        why="",
        spares=tuple(row["spares"]),
    )
    return Scaling(multiplier, factor, row["why"], tuple(row["options"]))


def _speed(row: Json) -> KernelSpeed:
    triples = {name: Triple(**value) for name, value in row.items() if isinstance(value, Mapping)}
    return KernelSpeed(**{**row, **triples})


def _strategy(row: Json) -> StrategyPrice:
    return StrategyPrice(**{**row, "hours": Hours(**row["hours"]), "upkeep_share": Triple(**row["upkeep_share"])})


def _price(row: Json) -> KernelPrice:
    return KernelPrice(row["path"], row["line"], row["name"], row["hours"], row["plan"], "")


# what was found


def _findings(document: Json) -> Findings:
    return Findings(
        sites=tuple(_site(row) for row in document["sites"]),
        kernels=tuple(_kernel(row) for row in document["kernels"]),
        findings=tuple(Finding(**{**row, "sites": tuple(row["sites"])}) for row in document["findings"]),
        inventory=Inventory(**document["inventory"]),
    )


def _site(row: Json) -> JudgedSite:
    told = {name: row[name] for name in _OF_SITE if name in row}
    guards, confidence, owner = tuple(row["guards"]), Confidence(row["confidence"]), Owner(row["owner"])
    site = Site(**told, guards=guards, confidence=confidence, owner=owner)
    return JudgedSite(site, Disposition(row["disposition"]), row.get("reason", ""))


def _kernel(row: Json) -> JudgedKernel:
    told = {name: row[name] for name in _OF_KERNEL}
    kernel = Kernel(**told, features=tuple(row["features"]), kind=row["class"], owner=Owner(row["owner"]))
    return JudgedKernel(kernel, Disposition(row["disposition"]), "", row.get("replaced_by", ""))


# what was said and published


def _scenario(told: Json) -> Scenario:
    multipliers = {name: _range(one) for name, one in told["multipliers"].items()}
    values = {name: _range(value) for name, value in told.items() if name not in ("multipliers", "notes")}
    return Scenario(**values, multipliers=multipliers, notes=dict(told["notes"]))


def _range(value: Any) -> Any:
    return Range(**value) if isinstance(value, Mapping) else value


def _policy(told: Json) -> Policy:
    return Policy(
        lines=tuple(_policy_line(row) for row in told["lines"]),
        settings=told["settings"],
        date=told["date"],
        sources=told["sources"],
    )


def _policy_line(row: Json) -> PolicyLine:
    words = {name: tuple(listed) for name, listed in row["words"].items()}
    return PolicyLine(**{**row, "words": words, "forbids": tuple(row["forbids"])})
