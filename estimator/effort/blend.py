"""How do rows and reference class become one figure? Two opinions of one port, giving a multiplier of the rows.

Rows add up what the code asks for, the class says what people then needed; where the class applies, both are blended
by how far off either typically was on ports that happened. The class loses weight with the distance from those ports.
Source: `heuristics/reference.toml`; heuristics/README.md explains it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf, log, log1p, nan, prod

from estimator.effort.agreement import fared, root_mean_square
from estimator.effort.reference_class import Ports, ReferenceClass, drawing, fit, without_each
from estimator.effort.values import BLEND, FUNCTIONAL_PARTS, PORT_OPTIONS, Blend, Checked, Days, Reference, Scaling
from estimator.knowledge.strategies import PREFIX
from estimator.knowledge.values import Multiplier, Port, ReferenceRule
from estimator.quantities import Triple, percent

DAYS = "days"
_WORDS = {
    "host_api_files": "files with calls of the CUDA runtime or driver to port",
    "cuda_lines": "lines of CUDA",
    DAYS: "person-days by rows",
}


def blend(rows: float, others: float, rows_error: float, class_error: float, near: float = 1.0) -> Blend:
    """Two P50s as one, in logarithms, each with the weight of 1 / error squared; the class by how near the code is.

    rows, others: of the rows and of the class, above 0, in one unit. near: 0 to 1.
    Source: the combination with the least variance of two estimates whose errors are independent.
    """
    weight = near * rows_error**2 / (rows_error**2 + class_error**2)
    return Blend(weight, (others / rows) ** weight, class_error, rows_error)


def nearness(counts: Mapping[str, float], members: Ports, hours_per_day: float, fade: float) -> tuple[float, str]:
    """How far the class speaks of a code base: share of its weight that is left, and why it is less than all.

    Beyond what they had of host API files, lines of CUDA or days by rows, weight falls in a straight line of the
    logarithm, to none at `fade` times the most, or the least divided by it.
    """
    ends = {name: _ends(members, name, hours_per_day) for name in _WORDS}
    shares = {name: _faded(counts[name], ends[name], fade) for name in _WORDS}
    reasons = (
        f"{_shown(counts[name])} {words}, the ports had {_shown(ends[name][0])} to {_shown(ends[name][1])}"
        for name, words in _WORDS.items()
        if shares[name] < 1
    )
    return prod(shares.values()), "; ".join(reasons)


def _ends(members: Ports, name: str, hours_per_day: float) -> tuple[float, float]:
    """The least and the most that ports had; everything where none has the figure."""
    if name == DAYS:
        known = [rows.p50 for port in members if (rows := rows_in_days(port, hours_per_day))]
    else:
        known = [port.counts[name] for port in members if name in port.counts]
    return (min(known), max(known)) if known else (0.0, inf)


def _faded(value: float, ends: tuple[float, float], fade: float) -> float:
    beyond = max(log1p(ends[0]) - log1p(value), log1p(value) - log1p(ends[1]), 0.0)
    return max(0.0, 1 - beyond / log(fade))


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def blending(reference: Reference | None, rule: ReferenceRule, rewrites: bool = True) -> tuple[Scaling, ...]:
    """The blend as a multiplier of an option's rows, so that lines and parts still add up; none if nothing is blended.

    amd: all parts of the functional scope. triton-first: without its kernels, which no port of the class wrote anew;
    rewrites: whether it does, else it is the same port. Rows of kinds that the ports hardly held are left alone, and so
    is what a strategy adds: ports went all ways.
    """
    if reference is None or reference.blend is None:
        return ()
    kept = tuple(part for part in FUNCTIONAL_PARTS if not rewrites or part != "kernels")
    return tuple(
        _scaling(option, parts, reference.blend, reference.ports, rule)
        for option, parts in zip(PORT_OPTIONS, (FUNCTIONAL_PARTS, kept), strict=True)
    )


def _scaling(option: str, parts: tuple[str, ...], blend: Blend, ports: int, rule: ReferenceRule) -> Scaling:
    why = f"blended with {ports} ports that happened, {percent(blend.weight)} of the weight theirs"
    multiplier = Multiplier(
        id=f"{BLEND}.{option}",
        title=rule.blend_title,
        factor=Triple(blend.factor, blend.factor, blend.factor),
        parts=parts,
        weights=(),
        spares=(PREFIX, *rule.unlike),
        on={},
        grade=rule.blend_grade,
        source=rule.source,
        why=why,
    )
    return Scaling(multiplier, multiplier.factor, why, (option,))


# how rows, class and both fared on ports that happened


def rows_in_days(port: Port, hours_per_day: float) -> Days | None:
    """What the rows of an estimate said of a port, in author-days; None if they were not priced."""
    return Days(*(hours / hours_per_day for hours in port.functional)) if port.functional else None


def rows_error_on(members: Ports, hours_per_day: float) -> float:
    """Root mean square of log(P50/actual) of the rows on ports; not a number where fewer than three were priced."""
    known = [(rows, port) for port in members if (rows := rows_in_days(port, hours_per_day))]
    return root_mean_square(log(rows.p50 / port.author_days) for rows, port in known) if len(known) >= 3 else nan


def blended(rows: Days, port: Port, known: ReferenceClass, rows_error: float) -> Days:
    """What an estimate of a port would have said: its rows, each multiplied by the blend's factor."""
    days, error = known.predict(port.counts), known.error_at(port.counts)
    return rows * blend(rows.p50, days.p50, rows_error, error).factor


def checked(members: Ports, rule: ReferenceRule, hours_per_day: float, people_known: bool) -> Checked | None:
    """How the rows of an estimate, the class and both blended fared on ports of the class whose rows were priced.

    Each port is predicted from the others. None where no rows were priced, or the others are too few for a line.
    """
    if sum(bool(port.functional) for port in members) < 4 or len(members) < len(rule.features) + 5:
        return None
    draw = drawing(rule, people_known)
    took, rows, alone, mixed = [], [], [], []
    for port, others in without_each(members):
        if said := rows_in_days(port, hours_per_day):
            known = fit(others, draw)
            took.append(port.author_days)
            rows.append(said)
            alone.append(known.predict(port.counts))
            mixed.append(blended(said, port, known, rows_error_on(others, hours_per_day)))
    of_class = fared(took, alone)
    if not (people_known and rule.features):
        of_class = replace(of_class, rank=None)  # it tells no port from another: what it has comes of leaving out
    return Checked(len(took), fared(took, rows), of_class, fared(took, mixed))
