"""What a scenario says of the undertaking as a whole: which multipliers are on, which risks may come, who works.

And how the source is to be kept, and over how many years that has to pay: the policy's, for the choice is in hours that
everyone sees, and a scenario's horizon is a term of a contract.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from estimator.decision.values import Scenario
from estimator.effort.values import Programme, Scaling
from estimator.knowledge.values import Heuristics, Multiplier, Multipliers
from estimator.quantities import Triple

_HAD = {
    "setup": "hardware_access",
    "learning": "gpu_experience",
}  # what a project's AMD build shows of others, not of us


def programme(scenario: Scenario, heuristics: Heuristics) -> Programme:
    """The undertaking by a scenario; an empty one switches no multiplier on and answers nothing."""
    answers = {item.name: getattr(scenario, item.name) for item in fields(Scenario)}
    return Programme(
        scalings=tuple(_switched_on(scenario, heuristics.multipliers)),
        risks=heuristics.risks,
        answers=answers,
        team=scenario.team,
        strategies=heuristics.strategies,
        strategy=scenario.strategy,
        years=heuristics.policy.settings["horizon_months"] / 12,
        anew=tuple(part for part, answer in _HAD.items() if getattr(scenario, answer) is False),
    )


def _switched_on(scenario: Scenario, multipliers: Multipliers) -> Iterator[Scaling]:
    """In the order of the table. What [multipliers] says of one goes before what another field says."""
    for one in multipliers.known.values():
        match scenario.multipliers.get(one.id):
            case None:
                yield from _by_answer(one, scenario)
            case False:
                pass
            case True:
                yield Scaling(one, one.factor, f"the scenario: multipliers.{one.id} = true")
            case given:
                factor = Triple(given.low, given.likely, given.high)
                yield Scaling(one, factor, f"the scenario: multipliers.{one.id}, with a figure of its own")


def _by_answer(one: Multiplier, scenario: Scenario) -> Iterator[Scaling]:
    for name, values in one.on.items():
        answer = getattr(scenario, name)
        if answer is not None and answer in values:
            shown = str(answer).lower() if isinstance(answer, bool) else f"'{answer}'"
            yield Scaling(one, one.factor, f"the scenario: {name} = {shown}")
            return
