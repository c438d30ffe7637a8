"""What do ports that happened say of this code? From findings, rows and ports, giving the Reference of an estimate.

`reference_class` draws a line through the ports, `blend` makes one figure of it and of the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isnan

from estimator.effort.blend import DAYS, blend, checked, nearness, rows_error_on
from estimator.effort.reference_class import Drawing, Ports, counted, drawing, fit
from estimator.effort.values import Blend, Days, EffortLine, Reference, ReferenceRow
from estimator.findings.values import Disposition, Findings
from estimator.knowledge.values import KERNEL_COUNTS, Heuristics, ReferenceRule

_HOST_API = ("runtime-api", "runtime-api-unsupported", "driver-api")
_KERNEL_COLUMNS = {
    "elementwise": "kernels_elementwise",
    "reduction": "kernels_shared",
    "smem-tiled": "kernels_shared",
    "tensor-wmma": "kernels_tensor",
    "tensor-raw": "kernels_tensor",
    "cluster": "kernels_tensor",
}
_ROWS_NAMED = 5


def measured(found: Findings) -> dict[str, float]:
    """Counts of what a port has to touch, by column of ports.csv: debt and automatic places, kernels in debt.

    Places of libraries, warps and so on are sites; files, symbols and libraries are distinct ones.
    """
    priced = (Disposition.DEBT, Disposition.AUTOMATIC)
    sites = [judged.site for judged in found.sites if judged.disposition in priced]
    number: Counter[str] = Counter()
    for site in sites:
        number[site.category] += site.count
    host = [site for site in sites if site.category in _HOST_API]
    libraries = {site.library for site in sites if site.category == "library-call" and site.library}
    kernels = Counter(
        _KERNEL_COLUMNS.get(judged.kernel.kind, "kernels_irregular")
        for judged in found.kernels
        if judged.disposition is Disposition.DEBT
    )
    return {
        "cuda_lines": found.inventory.cuda_lines,
        "host_api_files": len({site.path for site in host}),
        "runtime_sites": number["runtime-api"] + number["runtime-api-unsupported"],
        "driver_sites": number["driver-api"],
        "api_symbols": len({site.symbol for site in host}),
        "libraries": len(libraries),
        "library_sites": number["library-call"],
        "build_files": len({site.path for site in sites if site.category == "build-system"}),
        "container_files": len({site.path for site in sites if site.category in ("container", "orchestration")}),
        "warp_sites": number["warp-size"] + number["warp-primitive"] + number["lane-mask"],
        "ptx_sites": number["inline-ptx"] + number["ptx-module"],
        **{column: kernels[column] for column in KERNEL_COUNTS},
    }


def refer(
    found: Findings, lines: Sequence[EffortLine], rows_p50: float, heuristics: Heuristics, people: int | None
) -> Reference | None:
    """What the class says of a port of this code, beside the rows of the functional scope of amd.

    lines, rows_p50: those rows and their P50 in hours, priced as the ports were: by the shipped weights, without any
    multiplier or strategy. Rows of kinds that the ports hardly held are no part of it. people: who will work on it,
    None where nobody said so; more than any port had count as the most.
    None where there is no debt: a portable code base costs about nothing, whatever others took.
    """
    members, rule = counted(heuristics.ports), heuristics.reference
    hours_per_day = heuristics.units.hours_per_day
    if not members or not _has_debt(found):
        return None
    counts = measured(found) | ({} if people is None else {"people": float(max(people, 1))})
    features, days, class_error = _by_class(counts, members, drawing(rule, people is not None))
    unlike, functional_days = unlike_share(lines, rule), rows_p50 / hours_per_day
    like_days = functional_days * (1 - unlike)
    near, reason = nearness({**counts, DAYS: like_days}, members, hours_per_day, rule.fade)
    rows_error = rows_error_on(members, hours_per_day)
    comparable = like_days > 0 and not isnan(rows_error)
    mixed = blend(like_days, days.p50, rows_error, class_error, near) if comparable else None
    unblended = _unblended(mixed, like_days, reason, rule)
    return Reference(
        ports=len(members),
        people=people,
        features=features,
        host_api_files=int(counts["host_api_files"]),
        days=days,
        hours=days * hours_per_day,
        reason=reason,
        unlike=unlike,
        functional_days=functional_days,
        usual_days=(rule.days_least, rule.days_most),
        usual_ports=rule.ports_seen,
        because=_because(lines, functional_days, rule.days_most),
        checked=checked(members, rule, hours_per_day, people is not None),
        blend=None if unblended else mixed,
        unblended=unblended,
    )


def _has_debt(found: Findings) -> bool:
    judged = {item.disposition for item in found.sites} | {item.disposition for item in found.kernels}
    return Disposition.DEBT in judged


def _by_class(counts: Mapping[str, float], members: Ports, draw: Drawing) -> tuple[tuple[str, ...], Days, float]:
    """Features of the class's line, the author-days that it gives for such a code base, and how far off these are."""
    known = fit(members, draw)
    inside = _within(counts, members, known.line.features)
    return known.line.features, known.predict(inside), known.error_at(inside)


def unlike_share(lines: Iterable[EffortLine], rule: ReferenceRule) -> float:
    """Share of the likely hours of rows of kinds that the ports hardly held."""
    hours = [(line.hours.likely, line.weight in rule.unlike) for line in lines]
    whole = fsum(likely for likely, _ in hours)
    return fsum(likely for likely, unlike in hours if unlike) / whole if whole else 0.0


def _within(counts: Mapping[str, float], members: Ports, features: Sequence[str]) -> dict[str, float]:
    """Features no further than any port had them: the line says nothing of what lies beyond."""
    ends = {name: [port.counts[name] for port in members] for name in features}
    return {name: min(max(counts[name], min(known)), max(known)) for name, known in ends.items()}


def _unblended(mixed: Blend | None, like_days: float, reason: str, rule: ReferenceRule) -> str:
    """Why rows and class are not blended, "" where they are. like_days: of the rows of kinds that they held."""
    if not like_days:
        return "it has no functional hours of kinds that the ports held"
    if mixed is None:
        return "how rows fared on ports is not known"
    return f"this code lies outside of what the class knows: {reason}" if mixed.weight < rule.weight_least else ""


def _because(lines: Sequence[EffortLine], days: float, most: float) -> tuple[ReferenceRow, ...]:
    """The largest rows, until the rest would lie within the days that ports took; none if the whole does."""
    total = fsum(line.hours.likely for line in lines)
    rows: list[ReferenceRow] = []
    left = days
    for line in sorted(lines, key=lambda line: (-line.hours.likely, line.weight)):
        if left <= most or len(rows) == _ROWS_NAMED:
            break
        rows.append(ReferenceRow(line.weight, line.title, line.hours.likely))
        left -= days * line.hours.likely / total
    return tuple(rows)
