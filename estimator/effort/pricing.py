"""What does each class of findings cost, in three-point hours, from findings and weights, as rows of one option.

A place is priced in one of two columns of the table: "amd" when its code stays C++ and goes through HIP,
"triton-first" when the kernel it stands in is rewritten in Triton. Each kernel has one column per option;
what stands inside a kernel follows it.
Source: first and repeat, and what falls away in Triton-first, are explained in heuristics/README.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from estimator.effort.values import KernelPrice, UnpricedRow
from estimator.errors import EstimatorError, no_such
from estimator.findings.values import Disposition, Finding, Findings, JudgedKernel
from estimator.knowledge.values import AMD_BUILD, Performance, Repeat, Units, Unpriced, Weight
from estimator.languages.requirements import normalised
from estimator.quantities import NO_HOURS, Hours

if TYPE_CHECKING:
    from estimator.scan.sites import Site

HIP = "amd"
TRITON = "triton-first"
COLUMNS = (HIP, TRITON)
PRICED = (Disposition.DEBT, Disposition.AUTOMATIC)
KERNEL_CATEGORY = "cuda-kernel"  # its sites are the kernels of the inventory, priced from there
GROUPED = ("symbol", "pattern", "function")
SERIES = ("site", "file", "place", "name", "dependency", "component")
FIXED = ("repository", "programme", "engineer")
MOSTLY_PYTHON = 0.5

Weights = Mapping[str, Weight | Unpriced]


@dataclass(frozen=True, slots=True)
class Row:
    """A priced row before the draws: what becomes an EffortLine. grade: the weakest of the prices it took."""

    weight: Weight
    count: float
    hours: Hours
    grade: str
    findings: tuple[str, ...]
    sum: str

    @property
    def fixed(self) -> bool:
        """Charged once whatever the sites."""
        return self.weight.per in FIXED


def stand_in(
    key: str, title: str, *, part: str, phase: str, unit: str, per: str, source: str = "", why: str = ""
) -> Weight:
    """The weight of a row that no table holds, such as one read back: all that draws and readers need of it."""
    return Weight(
        id=key,
        title=title,
        part=part,
        phase=phase,
        unit=unit,
        per=per,
        hours={},
        repeat=Repeat(1.0, 1.0),
        grade={},
        charged_with=(),
        source=source,
        why=why,
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """Units by what they cost: first ones, the 2nd to 10th of a group, and those after."""

    firsts: int
    to_10: int
    after: int

    def factor(self, repeat: Repeat) -> float:
        """How many times the hours of a first unit all units cost."""
        return self.firsts + self.to_10 * repeat.to_10 + self.after * repeat.after


@dataclass(frozen=True, slots=True)
class _Charge:
    """A part of a row: so many times the first unit's hours in one column, and the sum in words."""

    column: str
    factor: float
    words: str


@dataclass(frozen=True, slots=True)
class _Place:
    """A priced site with the finding that it belongs to and the column that it is priced in."""

    site: Site
    finding: Finding
    column: str


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one option does with the code.

    columns: column of each kernel of the inventory, "" where it has no price of its own. moved: share of
    the priced kernels that are rewritten in Triton. host_moved: share of the host code that moves to Python
    with them. base: column of what stands for the whole tree; triton-first with nothing to rewrite is a HIP port.
    """

    option: str
    columns: tuple[str, ...]
    moved: float
    host_moved: float
    base: str


def tally(groups: Iterable[int]) -> Tally:
    """Fold groups of units, one number of units each (at least 1), to what they cost."""
    sizes = list(groups)
    return Tally(len(sizes), sum(min(n - 1, 9) for n in sizes), sum(max(n - 10, 0) for n in sizes))


def price(found: Findings, weights: Weights, units: Units, option: str, anew: Collection[str] = ()) -> tuple[Row, ...]:
    """The rows of one option (amd or triton-first), sorted by weight.

    anew: parts that are charged although a build of the project takes AMD already.
    Only debt and automatic sites cost anything; none gives no rows. Classes declared unpriced have no row.
    Raises EstimatorError for a finding whose class is not in the table.
    """
    plan = _plan(found, weights, option)
    places = _places(found, weights, plan)
    in_debt = _classes_in_debt(found)
    rows = []
    for key in sorted(weights):
        weight = weights[key]
        if isinstance(weight, Unpriced) or weight.per == "year":
            continue
        if weight.charged_with and not charged(weight, in_debt, weights):
            continue
        if _is_done(weight, found, anew) and plan.base == HIP:  # such a build knows nothing of Triton
            continue
        count, charges, findings = _charges(found, weight, places.get(key, ()), units, plan)
        row = _row(weight, count, _host_share(weight, charges, plan), findings)
        if row.hours.high > 0:
            rows.append(row)
    return tuple(rows)


def unpriced(found: Findings, weights: Weights) -> tuple[UnpricedRow, ...]:
    """Sites and kernels without a figure, by class and category; sorted."""
    sites: Counter[tuple[str, str]] = Counter()
    for finding in found.findings:
        if finding.category != KERNEL_CATEGORY and isinstance(weights.get(finding.weight), Unpriced):
            sites[finding.weight, finding.category] += sum(site.count for site in _priced_sites(found, finding))
    for judged in found.kernels:
        if judged.disposition is Disposition.DEBT and isinstance(weights.get(judged.weight), Unpriced):
            sites[judged.weight, KERNEL_CATEGORY] += 1
    rows = []
    for (key, category), count in sorted(sites.items()):
        weight = weights[key]
        if isinstance(weight, Unpriced) and count:
            rows.append(UnpricedRow(key, category, weight.reason, count))
    return tuple(rows)


def price_kernels(found: Findings, weights: Weights, performance: Mapping[str, Performance]) -> tuple[KernelPrice, ...]:
    """Each kernel of the inventory, in its order, with its share of its row's likely hours by option.

    The shares of a class add up to its row. What costs nothing (ported, automatic, left out) is kept, with
    zero hours; a kernel whose class is unpriced has no hours at all.
    """
    plans = {option: _plan(found, weights, option) for option in COLUMNS}
    counts = {
        option: Counter(
            (judged.weight, column) for judged, column in zip(found.kernels, plan.columns, strict=True) if column
        )
        for option, plan in plans.items()
    }
    prices = []
    for index, judged in enumerate(found.kernels):
        hours = {}
        weight = weights.get(judged.weight)
        for option, plan in plans.items():
            column = plan.columns[index]
            if judged.disposition is not Disposition.DEBT or not isinstance(weight, Unpriced):
                hours[option] = _kernel_hours(weight, column, counts[option][judged.weight, column])
        way, reason = _kernel_plan(judged, weights, performance, plans[HIP].columns[index])
        prices.append(KernelPrice(judged.kernel.path, judged.kernel.line, judged.kernel.name, hours, way, reason))
    return tuple(prices)


def columns(found: Findings, weights: Weights, option: str) -> Callable[[Site], str]:
    """Gives for each site of the tree the column that one option prices it in."""
    return _KernelIndex(found, _plan(found, weights, option)).column


def host_stays(found: Findings, weights: Weights, option: str) -> float:
    """Share of the host code that stays C++ in one option, 0 to 1."""
    return 1 - _plan(found, weights, option).host_moved


def base_column(found: Findings, weights: Weights, option: str) -> str:
    """The column of what stands for the whole tree in one option, upkeep among it."""
    return _plan(found, weights, option).base


def hot_kernels(found: Findings, units: Units) -> int:
    """Kernels that decide the speed: a share of the debt and automatic ones, at least 1 if there is any.

    Those that a library replaces are the library's to tune.
    """
    kernels = sum(has_to_be_tuned(judged) for judged in found.kernels)
    if not kernels:
        return 0
    share = ceil(round(units.hot_kernel_share * kernels, 9))
    return min(max(1, share), units.hot_kernels_most)


def has_to_be_tuned(judged: JudgedKernel) -> bool:
    """Whether a kernel runs on the target by one's own care: debt or automatic, and replaced by no library."""
    return judged.disposition in PRICED and not judged.replaced_by


# which way each kernel goes


def kernel_columns(found: Findings, weights: Weights, option: str) -> tuple[str, ...]:
    """The column of each kernel of the inventory in one option, "" where it has no price of its own."""
    return _plan(found, weights, option).columns


def _plan(found: Findings, weights: Weights, option: str) -> _Plan:
    columns = tuple(_column(judged, weights, option, found.inventory.python_host) for judged in found.kernels)
    debt = sum(bool(column) for column in columns)
    moved = columns.count(TRITON) / debt if debt else 0.0
    host_moved = found.inventory.python_host * moved if option == TRITON else 0.0
    base = TRITON if option == TRITON and moved > 0 else HIP
    return _Plan(option, columns, moved, host_moved, base)


def _column(judged: JudgedKernel, weights: Weights, option: str, python_host: float) -> str:
    """The column that a kernel is priced in, "" for one that costs nothing or has no price."""
    weight = _class(weights, judged.weight, judged.kernel.path) if judged.weight else None
    if judged.disposition is not Disposition.DEBT or not isinstance(weight, Weight) or weight.part != "kernels":
        return ""
    if judged.kernel.triton_fit == "poor":
        return HIP
    if option == TRITON:
        return TRITON
    cheaper = weight.hours[TRITON].likely < weight.hours[HIP].likely
    return TRITON if cheaper and python_host >= MOSTLY_PYTHON else HIP


def _kernel_hours(weight: Weight | Unpriced | None, column: str, number: int) -> float:
    if not column or not isinstance(weight, Weight):
        return 0.0
    return weight.hours[column].likely * tally([number]).factor(weight.repeat) / number


def _kernel_plan(
    judged: JudgedKernel, weights: Weights, performance: Mapping[str, Performance], column: str
) -> tuple[str, str]:
    """The way a kernel goes in the option amd, and why."""
    weight = weights.get(judged.weight)
    if judged.disposition is not Disposition.DEBT:
        return "keep", _KEPT[judged.disposition]
    if isinstance(weight, Unpriced):
        way = "library" if judged.replaced_by else "hip"
        return way, f"No figure yet: {weight.reason}."
    if weight is None:
        return "keep", "Priced by another finding."
    if weight.part != "kernels":
        return "library", f"A library takes its place; priced as '{weight.title}'."
    first = f"HIP {weight.hours[HIP].likely:g} h, Triton {weight.hours[TRITON].likely:g} h for the first of its class"
    kernel = judged.kernel
    speed = _measured(performance.get(judged.weight))
    if kernel.triton_fit == "poor":
        why = f": {kernel.triton_reason}" if kernel.triton_reason else ""
        return "hip", f"Stays C++ in both options, a poor fit for Triton{why}. {first}.{speed}"
    if column == TRITON:
        return "triton", f"Triton is cheaper: {first}.{speed}"
    if weight.hours[TRITON].likely < weight.hours[HIP].likely:
        return "hip", f"{first}, but a C++ host needs Triton code packed ahead of time, which has no price yet.{speed}"
    return "hip", f"HIP is cheaper: {first}.{speed}"


_KEPT = {
    Disposition.AUTOMATIC: "Compiles as it is after automatic renaming.",
    Disposition.CREDIT: "Portable already.",
    Disposition.PORTED: "Has a working AMD arm.",
    Disposition.EXCLUDED: "Left out of the price: vendored, generated or out of scope.",
}


def _measured(row: Performance | None) -> str:
    if row is None:
        return ""
    low, likely, high = row.triton_factor
    return f" Triton's speed against CUDA for this class: {likely:g} ({low:g} to {high:g})."


# which places there are, and in which column


def _places(found: Findings, weights: Weights, plan: _Plan) -> dict[str, list[_Place]]:
    """Priced sites by class; the kernels themselves are not among them."""
    inside = _KernelIndex(found, plan)
    places: dict[str, list[_Place]] = {}
    for finding in found.findings:
        if not finding.weight:
            continue
        weight = _class(weights, finding.weight, finding.id)
        if isinstance(weight, Unpriced) or finding.category == KERNEL_CATEGORY or weight.per == "kernel":
            continue
        kept = places.setdefault(finding.weight, [])
        kept += (_Place(site, finding, inside.column(site)) for site in _priced_sites(found, finding))
    return places


def _priced_sites(found: Findings, finding: Finding) -> Iterator[Site]:
    for index in finding.sites:
        if found.sites[index].disposition in PRICED:
            yield found.sites[index].site


class _KernelIndex:
    """Which column a site is priced in: its kernel's; outside kernels, that of its file's or tree's kernels.

    Outside kernels the option amd stays with HIP; triton-first rewrites a file's device functions if it
    rewrites any kernel of the file, and those of headers without kernels if it rewrites any at all.
    """

    def __init__(self, found: Findings, plan: _Plan) -> None:
        self._option = plan.option
        self._ranges: dict[str, list[tuple[int, int, str, str]]] = {}
        for judged, column in zip(found.kernels, plan.columns, strict=True):
            if column:
                kernel = judged.kernel
                row = (kernel.line, kernel.end_line, kernel.name, column)
                self._ranges.setdefault(kernel.path, []).append(row)
        self._names = {
            (path, name): column for path, rows in self._ranges.items() for _, _, name, column in sorted(rows)
        }
        self._lines = {path: _by_line(rows) for path, rows in self._ranges.items()}
        self._outside = {path: self._best(row[3] for row in rows) for path, rows in self._ranges.items()}
        self._headers = self._best(column for column in plan.columns if column)

    def column(self, site: Site) -> str:
        """The column for one site."""
        lines = self._lines.get(site.path)
        if lines is None:
            return self._headers
        return lines.get(site.line) or self._names.get((site.path, site.function)) or self._outside[site.path]

    def _best(self, columns: Iterable[str]) -> str:
        return TRITON if self._option == TRITON and TRITON in columns else HIP


def _by_line(rows: Iterable[tuple[int, int, str, str]]) -> dict[int, str]:
    return {line: column for first, last, _, column in sorted(rows) for line in range(first, last + 1)}


# how many units there are, and what they cost


def _charges(
    found: Findings, weight: Weight, places: Iterable[_Place], units: Units, plan: _Plan
) -> tuple[float, list[_Charge], tuple[str, ...]]:
    """Units of a row, its charges by column, and the findings that it comes from."""
    match weight.per:
        case "kernel":
            return _kernel_charges(found, weight, plan)
        case "hot-kernel":
            hot = hot_kernels(found, units)
            return hot, _blend(_series_charge(weight, HIP, [hot] if hot else []), weight, plan.moved), ()
        case "kloc" | "review" | "repository" | "programme" | "engineer":
            count = _quantity(found, weight.per, units)
            charges = [_Charge(HIP if weight.host else plan.base, count, f"{count:.4g} x {{}}")] if count else []
            return count, charges, ()
        case _:
            count, charges, findings = _place_charges(weight, list(places), plan.base, _replaced(found, weight))
            return count, charges, tuple(sorted({*findings, *_heads(found, weight)}))


def _quantity(found: Findings, per: str, units: Units) -> float:
    quantities = {
        "kloc": found.inventory.cuda_lines / 1000,
        "review": found.inventory.changed_lines * units.lines_per_site / 1000,
        "repository": 1.0,
        "programme": 1.0,
        "engineer": float(units.engineers),
    }
    return quantities[per]


def _kernel_charges(found: Findings, weight: Weight, plan: _Plan) -> tuple[float, list[_Charge], tuple[str, ...]]:
    """A class's own kernels, those with the weight's feature, or with charged_with every priced kernel."""
    columns: Counter[str] = Counter()
    chosen = []
    for judged, column in zip(found.kernels, plan.columns, strict=True):
        if column and (weight.charged_with or weight.id == judged.weight or weight.feature in judged.kernel.features):
            columns[column] += 1
            chosen.append(judged)
    charges = [c for column in COLUMNS if columns[column] for c in _series_charge(weight, column, [columns[column]])]
    return columns.total(), charges, () if weight.charged_with else _kernel_findings(found, chosen)


def _kernel_findings(found: Findings, kernels: Iterable[JudgedKernel]) -> tuple[str, ...]:
    lines = {(judged.kernel.path, judged.kernel.line) for judged in kernels}
    ids = set()
    for finding in found.findings:
        if finding.category == KERNEL_CATEGORY:
            sites = (found.sites[index].site for index in finding.sites)
            heads = ((site.path, line) for site in sites for line in range(site.line, site.end_line + 1))
            if any(head in lines for head in heads):
                ids.add(finding.id)
    return tuple(sorted(ids))


def _replaced(found: Findings, weight: Weight) -> int:
    """Kernels whose job a library or package takes over: they are judged with its class."""
    if weight.part == "kernels":
        return 0
    return sum(judged.weight == weight.id and judged.disposition is Disposition.DEBT for judged in found.kernels)


def _heads(found: Findings, weight: Weight) -> Iterator[str]:
    """Findings of kernels whose job a library takes over."""
    for finding in found.findings:
        if finding.category == KERNEL_CATEGORY and finding.weight == weight.id:
            yield finding.id


def _place_charges(
    weight: Weight, places: list[_Place], base: str, replaced: int
) -> tuple[float, list[_Charge], tuple[str, ...]]:
    """Sites of one class, folded to units. replaced: kernels whose job it takes over, together one unit more."""
    count = 0
    charges: list[_Charge] = []
    for column in COLUMNS:
        groups: Counter[Hashable] = Counter()
        for place in places:
            if place.column == column:
                groups[_unit(weight.per, place)] += place.site.count
        if replaced and column == base:
            groups["replaced kernels",] = replaced
        if not groups:
            continue
        sizes = list(groups.values())
        if weight.per in SERIES:
            sizes = [groups.total() if weight.per == "site" else len(groups)]
        count += len(groups) if weight.per in GROUPED else sizes[0]
        charges += _series_charge(weight, column, sizes)
    return count, charges, tuple(sorted({place.finding.id for place in places}))


def _unit(per: str, place: _Place) -> Hashable:
    """What makes two sites the same unit."""
    site = place.site
    match per:
        case "symbol" | "pattern" | "name":
            return site.symbol
        case "function" | "place":
            return site.path, site.function
        case "file":
            return site.path
        case "dependency":
            return normalised(site.symbol.partition(".")[0])
        case "component":
            return place.finding.component
        case _:
            return ""


def _series_charge(weight: Weight, column: str, sizes: Iterable[int]) -> list[_Charge]:
    units = tally(sizes)
    if not units.firsts:
        return []
    shares: Counter[float] = Counter()
    shares[1.0] += units.firsts
    shares[weight.repeat.to_10] += units.to_10
    shares[weight.repeat.after] += units.after
    words = " + ".join(_term(count, share) for share, count in shares.items() if count)
    factor = units.factor(weight.repeat)
    if factor > weight.times_at_most:
        factor, words = weight.times_at_most, f"{words}, at most {weight.times_at_most:.4g} x {{}}"
    return [_Charge(column, factor, words)]


def _term(count: int, share: float) -> str:
    return f"{count} x {{}}" if share == 1 else f"{count} x {share:g} x {{}}"


def _host_share(weight: Weight, charges: list[_Charge], plan: _Plan) -> list[_Charge]:
    """Change the charges of a row that depends on where the host code goes; others stay."""
    if not weight.host:
        return charges
    as_hip = [_Charge(HIP, charge.factor, charge.words) for charge in charges]
    if weight.host == "blends":
        return _blend(as_hip, weight, plan.host_moved)
    return [_scaled(charge, HIP, 1 - plan.host_moved) for charge in as_hip if plan.host_moved < 1]


def _blend(charges: list[_Charge], weight: Weight, moved: float) -> list[_Charge]:
    """Charges at the HIP price for what stays, at the Triton price for the moved share."""
    parts = [_scaled(charge, HIP, 1 - moved) for charge in charges if moved < 1]
    return parts + [_scaled(charge, TRITON, moved) for charge in charges if moved > 0]


def _scaled(charge: _Charge, column: str, share: float) -> _Charge:
    words = charge.words if share == 1 else f"{share:.3g} x ({charge.words})"
    return _Charge(column, charge.factor * share, words)


def _row(weight: Weight, count: float, charges: list[_Charge], findings: tuple[str, ...]) -> Row:
    hours = NO_HOURS
    for charge in charges:
        hours = hours + weight.hours[charge.column] * charge.factor
    grade = max((weight.grade[charge.column] for charge in charges), default="C")
    words = [charge.words.replace("{}", f"{weight.hours[charge.column].likely:g}") for charge in charges]
    if len({charge.column for charge in charges}) > 1:
        names = {HIP: "HIP", TRITON: "Triton"}
        words = [f"{names[charge.column]}: {text}" for charge, text in zip(charges, words, strict=True)]
    return Row(weight, float(count), hours, grade, findings, f"{'; '.join(words)} h" if words else "")


# which rows are charged


def _classes_in_debt(found: Findings) -> frozenset[str]:
    """Weight classes with at least one debt site or kernel; "" stands for debt that has no class."""
    classes = {judged.weight for judged in found.kernels if judged.disposition is Disposition.DEBT}
    for finding in found.findings:
        if any(found.sites[index].disposition is Disposition.DEBT for index in finding.sites):
            classes.add(finding.weight)
    return frozenset(classes)


def charged(weight: Weight, in_debt: frozenset[str], weights: Weights) -> bool:
    """Whether a fixed row has debt to go with; constants to re-tune alone are no port that needs a start-up."""
    if "*" not in weight.charged_with:
        return not in_debt.isdisjoint(weight.charged_with)
    return any(makes_a_port(key, weights) for key in in_debt)


def _is_done(weight: Weight, found: Findings, anew: Collection[str]) -> bool:
    """Whether what comes once was done for a build of the tree that takes AMD already, and holds for who works now."""
    return weight.done_by == AMD_BUILD and found.inventory.amd_build and weight.part not in anew


def done_already(found: Findings, weights: Weights, anew: Collection[str] = ()) -> tuple[str, ...]:
    """Titles of rows that amd would charge once for this port, were they not done already; by weight."""
    in_debt = _classes_in_debt(found)
    rows = (row for _, row in sorted(weights.items()) if isinstance(row, Weight) and _is_done(row, found, anew))
    return tuple(row.title for row in rows if charged(row, in_debt, weights))


def is_a_port(found: Findings, weights: Weights) -> bool:
    """Whether there is debt that makes a port, so that what comes once for all of it is charged."""
    return any(makes_a_port(key, weights) for key in _classes_in_debt(found))


def makes_a_port(key: str, weights: Weights) -> bool:
    """Whether debt of a class is more than constants to re-tune; what has no class or no price is."""
    weight = weights.get(key)
    return not (isinstance(weight, Weight) and weight.part == "retuning")


def _class(weights: Weights, key: str, where: str) -> Weight | Unpriced:
    if key in weights:
        return weights[key]
    raise EstimatorError(f"{where}: {no_such('weight class', key, weights)}; declare it in the weights")
