"""Guards of the arms of one `if`, for languages that are read without a preprocessor.

A guard is written so that `guards.arm_of` can tell what stands beside it: "!(condition)" where another
arm of the same `if` does the work, "not (condition)" where that arm only fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from estimator.languages.guards import on_amd


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm. condition: "" for the last `else`. fails: all it does is to raise or to stop the build."""

    condition: str
    fails: bool = False


def guards_in(arms: Sequence[Arm], position: int) -> tuple[str, ...]:
    """What holds inside one arm: the arms before it do not, its own condition does."""
    before = tuple(
        f"not ({arm.condition})" if arm.fails else f"!({arm.condition})" for arm in arms[:position] if arm.condition
    )
    condition = arms[position].condition
    if not condition:
        return before
    if on_amd(condition) is False and any(_serves_amd(arm) for arm in arms[position + 1 :]):
        return (*before, f"!(not ({condition}))")
    return (*before, condition)


def _serves_amd(arm: Arm) -> bool:
    return not arm.fails and (not arm.condition or on_amd(arm.condition) is not False)
