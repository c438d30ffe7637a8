"""How fast do one's own kernels run after a port, from their plan and what was measured of their class, as factors.

A kernel rewritten in Triton runs at the measured speed of its class against CUDA; one that stays C++ at its own. On
other cards, and in Triton, constants that nobody re-tunes lose the share of speed at risk. The re-tuning rows pay for
some kernels, and which ones is not known: that share of every kernel counts as tuned.
Times are not known either: each kernel weighs the same. Where the hot ones take most of the time, and they are those
that are tuned, the truth is faster. A class without a measurement counts as 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum

from estimator.effort.pricing import TRITON, has_to_be_tuned, kernel_columns
from estimator.effort.values import KernelSpeed
from estimator.findings.values import Findings
from estimator.knowledge.values import Performance, Unpriced, Weight
from estimator.quantities import Triple

_AS_BEFORE = (1.0, 1.0, 1.0)
_NO_RISK = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class _Way:
    """A kernel's way: measured speed of its class, None if there is none, and whether it is rewritten in Triton."""

    row: Performance | None
    triton: bool

    def speed(self) -> tuple[float, float, float]:
        """Against CUDA, tuned."""
        return self.row.triton_factor if self.row and self.triton else _AS_BEFORE

    def risk(self, *, new_cards: bool) -> tuple[float, float, float]:
        """Share of it lost without tuning; C++ on the cards it was tuned for loses none."""
        if self.row is None:
            return _NO_RISK
        if self.triton:
            return self.row.risk_triton
        return self.row.risk_cuda if new_cards else _NO_RISK


def kernel_speed(
    found: Findings,
    weights: Mapping[str, Weight | Unpriced],
    performance: Mapping[str, Performance],
    option: str,
    retuned: float,
    source: str,
) -> KernelSpeed:
    """Speed of own kernels after the port of one option (amd or triton-first).

    Counted are the kernels that have to be tuned: debt and automatic ones that no library replaces; none gives 1.
    retuned: how many of them the re-tuning rows pay for. source: of the performance, as a clause.
    """
    pairs = zip(found.kernels, kernel_columns(found, weights, option), strict=True)
    ways = [
        _Way(performance.get(judged.weight), column == TRITON) for judged, column in pairs if has_to_be_tuned(judged)
    ]
    tuned = min(retuned / len(ways), 1.0) if ways else 1.0
    return KernelSpeed(
        kernels=len(ways),
        moved=sum(way.triton for way in ways),
        measured=sum(way.row is not None for way in ways),
        retuned=int(tuned * len(ways) + 0.5),
        new_cards=_together(ways, tuned, new_cards=True),
        present_cards=_together(ways, tuned, new_cards=False),
        untuned=_together(ways, 0.0, new_cards=True),
        source=source,
    )


def _together(ways: Iterable[_Way], tuned: float, *, new_cards: bool) -> Triple:
    """Harmonic mean of the kernels' speeds, each with the same time before; end by end, as if all erred alike.

    tuned: share of each kernel that is re-tuned.
    """
    each = [(way.speed(), way.risk(new_cards=new_cards)) for way in ways]
    if not each:
        return Triple(*_AS_BEFORE)

    def end(at: int) -> float:
        times = ((tuned + (1 - tuned) / (1 - risk[2 - at])) / speed[at] for speed, risk in each)
        return len(each) / fsum(times)

    return Triple(end(0), end(1), end(2))
