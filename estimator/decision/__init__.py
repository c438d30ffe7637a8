"""AMD, NVIDIA or Triton first? From an estimate, findings, a scenario and the published rule: a Decision.

`decide` gives the verdict with its reasons, what would flip it, and the money behind it. Loaded when first
used, so that reading the values of this stage costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from estimator.decision.scenario import completeness, load_scenario
    from estimator.decision.verdict import decide, verdict_of

__all__ = ["completeness", "decide", "load_scenario", "verdict_of"]


def __getattr__(name: str) -> Any:
    if name in ("decide", "verdict_of"):
        from estimator.decision import verdict

        return getattr(verdict, name)
    if name in ("completeness", "load_scenario"):
        from estimator.decision import scenario

        return getattr(scenario, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
