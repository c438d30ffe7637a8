"""Guards of the arms of one `if`, for languages that are read without a preprocessor.

A guard is written so that `guards.arm_of` can tell what stands beside it: "!(condition)" where another
arm of the same `if` does the work, "not (condition)" where that arm only fails. Where an arm for AMD follows,
the arm's own guard names it: "!(not (condition) or (condition for AMD))".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from estimator.languages.depth import MOST, OUTERMOST, kept
from estimator.languages.guards import on_amd


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm. condition: "" for the last `else`. fails: all it does is to raise or to stop the build."""

    condition: str
    fails: bool = False


def guards_of(arms: Sequence[Arm]) -> tuple[tuple[str, ...], ...]:
    """What holds inside each arm: the arms before it do not, its own condition does.

    Of a very long chain the first and the nearest of those before are given.
    """
    before = [f"not ({arm.condition})" if arm.fails else f"!({arm.condition})" for arm in arms if arm.condition]
    last_for_amd = max((position for position, arm in enumerate(arms) if _serves_amd(arm)), default=-1)
    named = max((position for position, arm in enumerate(arms) if _is_for_amd(arm)), default=-1)
    amd = f" or ({arms[named].condition})" if named >= 0 else ""
    found: list[tuple[str, ...]] = []
    passed = 0
    for position, arm in enumerate(arms):
        others = kept(before[:passed] if passed <= MOST else (*before[:OUTERMOST], *before[passed - MOST : passed]))
        if not arm.condition:
            found.append(others)
            continue
        passed += 1
        beside = last_for_amd > position and on_amd(arm.condition) is False
        own = f"!(not ({arm.condition}){amd if named > position else ''})" if beside else arm.condition
        found.append((*others, own))
    return tuple(found)


def _serves_amd(arm: Arm) -> bool:
    return not arm.fails and (not arm.condition or on_amd(arm.condition) is not False)


def _is_for_amd(arm: Arm) -> bool:
    return not arm.fails and bool(arm.condition) and on_amd(arm.condition) is True
