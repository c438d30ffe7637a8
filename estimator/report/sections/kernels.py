"""The kernels of one's own: class, fit for Triton, hours by option and what to do with each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.decision.policy import forbids, kernels_beside
from estimator.decision.values import Verdict
from estimator.effort.values import KernelPrice
from estimator.findings.values import Disposition, JudgedKernel
from estimator.report import wording
from estimator.report.blocks import MOST_ROWS, Column, Listing, Table, listing
from estimator.report.figures import counted, detailed, exact
from estimator.report.text import column, joined, place, plain

TITLE = "Kernel plan"
_MOST_LINES = 1500


@dataclass(frozen=True, slots=True)
class View:
    """The inventory, dearest first; the rest as a list."""

    conclusion: str
    inventory: Table | None
    rest: Listing | None
    check: str


def view(assessment: Assessment) -> View:
    """The plan of each kernel."""
    prices = {(p.path, p.line, p.name): p for p in assessment.estimate.kernels}
    judged = [(k, prices.get((k.kernel.path, k.kernel.line, k.kernel.name))) for k in assessment.found.kernels]
    shown = detailed(assessment).option
    judged.sort(key=lambda pair: _dearest(pair, shown))
    return View(
        conclusion=_conclusion(assessment, judged),
        inventory=_inventory(assessment, judged[:MOST_ROWS], shown) if judged else None,
        rest=_rest(judged[MOST_ROWS:]),
        check="A template counts once, however often it is instantiated. The hours are likely hours of the "
        "kernel alone; "
        "warp, PTX and tuning work inside it stands in rows of its own. Speed in Triton is that of the class against "
        f"CUDA, where 1 is equal and more is better: {assessment.heuristics.units.kernel_speed_source}.",
    )


def _dearest(pair: tuple[JudgedKernel, KernelPrice | None], option: str) -> tuple[float, str, int]:
    """By the hours of the option that the report shows."""
    judged, price = pair
    hours = price.hours.get(option, 0.0) if price else 0.0
    return -hours, judged.kernel.path, judged.kernel.line


def _conclusion(assessment: Assessment, judged: list[tuple[JudgedKernel, KernelPrice | None]]) -> str:
    if not judged:
        return " ".join(filter(None, ("There are no kernels of your own in C++.", _beside(assessment))))
    fits = Counter(k.kernel.triton_fit for k, _ in judged)
    plans = Counter(price.plan for _, price in judged if price)
    fit = joined([f"{fits[name]} {title}" for name, title in wording.FITS.items() if fits[name]])
    plan = joined([f"{plans[name]} {title}" for name, title in wording.PLANS.items() if plans[name]])
    left = "" if any(k.disposition is Disposition.DEBT for k, _ in judged) else ", none left to port"
    first = f"{counted(len(judged), 'kernel')} of your own in C++{left}. Fit for Triton: {plain(fit)}."
    spoke = {reason.policy: reason for reason in assessment.decision.reasons}
    ruled_out = [
        plain(spoke[line.id].text)
        for line in assessment.heuristics.policy.lines
        if line.id in spoke and not line.veto and Verdict.TRITON_FIRST in forbids(line)
    ]
    cheapest = f"Cheapest way for each on AMD: {plain(plan)}." if plan else ""
    told = (first, *ruled_out, cheapest, _kept_in_cpp(assessment, judged), _beside(assessment))
    return " ".join(text for text in told if text)


def _beside(assessment: Assessment) -> str:
    """What own kernels take that are written in Python and stand in no inventory, as a sentence; else ""."""
    hours = kernels_beside(detailed(assessment), assessment.found)
    return f"Own kernels written in Python take {exact(hours)} h besides; they are not listed here." if hours else ""


def _kept_in_cpp(assessment: Assessment, judged: list[tuple[JudgedKernel, KernelPrice | None]]) -> str:
    """Advice to keep in C++ what is a poor fit and was measured to be slower in Triton, as a sentence; else ""."""
    slower = Counter(
        known.weight
        for known, price in judged
        if price and price.plan == "hip" and known.kernel.triton_fit == "poor" and _slower(assessment, known)
    )
    if not slower:
        return ""
    number = counted(slower.total(), "kernel")
    rows = (assessment.heuristics.performance[name].triton_factor for name in sorted(slower))
    ranges = joined([f"{likely:g} ({low:g} to {high:g})" for low, likely, high in rows])
    return f"Keep {number} in C++/HIP in every option: kernels of that kind reached {ranges} of CUDA's speed in Triton."


def _slower(assessment: Assessment, known: JudgedKernel) -> bool:
    """Whether a kernel's class was measured to be slower in Triton even at its high end."""
    row = assessment.heuristics.performance.get(known.weight)
    return row is not None and row.triton_factor[2] < 1


def _inventory(assessment: Assessment, judged: list[tuple[JudgedKernel, KernelPrice | None]], option: str) -> Table:
    columns = (
        Column("Kernel", 18, "code"),
        Column("Place", 18, "code"),
        Column("Class", 11),
        Column("Fit for Triton", 18),
        Column("h, AMD", 7, "number"),
        Column("h, Triton", 7, "number"),
        Column("Speed in Triton", 10, "number"),
        Column("Plan", 11),
    )
    rows = []
    for known, price in judged:
        kernel = known.kernel
        fit = f"{plain(kernel.triton_fit, 12)}: {plain(kernel.triton_reason, 90)}"
        amd, triton = (_hours(price, name) for name in ("amd", "triton-first"))
        where = place(kernel.path, kernel.line, 70)
        way, speed = _plan(known, price), _speed(assessment, known)
        rows.append((plain(kernel.name, 80), where, plain(kernel.kind, 20), fit, amd, triton, speed, way))
    caption = f"Kernels, dearest first by “{wording.option(option)}” (likely hours)"
    return Table(caption, columns, tuple(rows))


def _speed(assessment: Assessment, known: JudgedKernel) -> str:
    row = assessment.heuristics.performance.get(known.weight)
    return "—" if row is None else f"{row.triton_factor[0]:g} to {row.triton_factor[2]:g}"


def _plan(known: JudgedKernel, price: KernelPrice | None) -> str:
    if price is None:
        return f"not priced: {plain(str(known.disposition), 20)}"
    if known.replaced_by:
        return f"replace by {plain(known.replaced_by, 40)}"
    return wording.PLANS.get(price.plan, plain(price.plan, 20))


def _hours(price: KernelPrice | None, option: str) -> str:
    if price is None or option not in price.hours:
        return "—"
    return exact(price.hours[option], 2 if price.hours[option] < 1 else 1)


def _rest(judged: list[tuple[JudgedKernel, KernelPrice | None]]) -> Listing | None:
    if not judged:
        return None
    lines = [
        f"{column(known.kernel.name, 40)} {column(place(known.kernel.path, known.kernel.line), 48, keep_end=True)} "
        f"{column(known.kernel.kind, 12)} {column(known.kernel.triton_fit, 7)} {_hours(price, 'amd'):>8} "
        f"{_hours(price, 'triton-first'):>8}"
        for known, price in judged[:_MOST_LINES]
    ]
    head = f"{'kernel':40} {'place':48} {'class':12} {'triton':7} {'h amd':>8} {'h triton':>8}"
    left = len(judged) - _MOST_LINES
    note = f"{left:,} further kernels stand in assessment.json and report.xlsx." if left > 0 else ""
    return listing(f"{counted(len(judged), 'further kernel')}", head, lines, note)
