"""How deep a text may nest, and how much of it is looked at more than once: bounds that no written code comes near.

A stranger's text may nest without end, and what stands at a place grows with its depth: guards, paths, scopes. Kept
are the outermost and the innermost of them, with a mark between that a reading reports as a doubt.
"""

from __future__ import annotations

from collections.abc import Sequence

OUTERMOST, INNERMOST = 10, 50
MOST = OUTERMOST + INNERMOST
CUT = "…"  # stands where something was left out
LONGEST_NAME = 200  # characters of a name that is written again for every fact below it
TOO_DEEP = "conditions or commands nest deeper than anybody writes: some in the middle were left out"


def kept(values: Sequence[str]) -> tuple[str, ...]:
    """All values, or the outermost and the innermost of too many with a mark between."""
    if len(values) <= MOST:
        return tuple(values)
    return (*values[:OUTERMOST], CUT, *values[len(values) - INNERMOST + 1 :])
