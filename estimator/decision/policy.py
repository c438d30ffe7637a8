"""The published rule at work: which criteria speak, for which option, and who wins.

A criterion is a function that gives a figure; its line in `heuristics/policy.toml` says from which
threshold on the figure speaks, for which option, with how many points, and why. Order of the verdict:

1. Nothing to port: amd, no other criterion is asked.
2. A veto line that speaks forbids the options it names, or else every option it does not favour. A line
   that names options without being a veto says that they are no options here: money leaves them out, and
   lines that only give them points are not asked.
3. With prices: of the options left, the one with the lowest expected cost. Without: the one with most points.
4. A tie goes to the option that moves less: nvidia, then amd, then triton-first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from estimator.decision.money import (
    OPTIONS,
    Ledger,
    Terms,
    chances,
    costs,
    expected,
    horizon,
    hourly_rate,
    ledger,
    likely_speed,
    scaled,
    terms,
)
from estimator.decision.values import NO_TARGET, Range, Scenario, Target, Verdict
from estimator.effort.pricing import KERNEL_CATEGORY
from estimator.effort.values import FUNCTIONAL_PARTS, PORT_OPTIONS, Estimate, OptionEstimate, Scaling, Spread, acts_on
from estimator.errors import EstimatorError, no_such
from estimator.findings.values import Disposition, Finding, Findings
from estimator.knowledge.strategies import PREFIX
from estimator.knowledge.values import Policy, PolicyLine
from estimator.quantities import percent

CODE_PARTS = tuple(part for part in FUNCTIONAL_PARTS if part != "delivery")
NOTHING_TO_PORT = "nothing-to-port"


@dataclass(frozen=True, slots=True)
class Work:
    """One priced row of an option that changes code, likely hours. criteria: ids of those whose words name it.

    scaled: with what multipliers make of it, as it stands in the total.
    """

    hours: float
    scaled: float
    criteria: frozenset[str]


@dataclass(frozen=True, slots=True)
class Structure:
    """What the code shows, as far as criteria ask for it.

    work: rows of CODE_PARTS by option, likely hours. own: kernels to port by class and Triton fit. debt, automatic:
    places by category and library. statements: lines with debt by the categories that stand there, so that an asm
    statement that is a matrix instruction too counts once. ported: places with a working AMD arm. unpriced: places by
    category. hours: full scope by option. retuning: likely hours of the amd option. beside: those of its own
    kernels that are written in Python, which no inventory of kernels holds.
    """

    work: Mapping[Verdict, tuple[Work, ...]]
    own: Mapping[tuple[str, str], int]
    debt: Mapping[tuple[str, str], int]
    automatic: Mapping[tuple[str, str], int]
    statements: Mapping[frozenset[str], int]
    ported: int
    unpriced: Mapping[str, int]
    hours: Mapping[Verdict, Spread]
    retuning: float
    beside: float
    python_host: float
    mpi: bool
    triton_kernels: int

    @property
    def kernels(self) -> int:
        """Own kernels that have to be ported."""
        return sum(self.own.values())

    def of_kinds(self, kinds: Collection[str]) -> int:
        """Kernels of some classes."""
        return sum(count for (kind, _), count in self.own.items() if kind in kinds)

    def of_fits(self, fits: Collection[str]) -> int:
        """Kernels of some Triton fits."""
        return sum(count for (_, fit), count in self.own.items() if fit in fits)

    def debt_in(self, categories: Collection[str]) -> int:
        """Places of debt in some categories."""
        return sum(count for (category, _), count in self.debt.items() if category in categories)

    def statements_in(self, categories: Collection[str]) -> int:
        """Lines with debt in any of some categories."""
        return sum(count for standing, count in self.statements.items() if not standing.isdisjoint(categories))

    def open_in(self, categories: Collection[str]) -> int:
        """Places of debt or to be verified in some categories."""
        checked = sum(count for (category, _), count in self.automatic.items() if category in categories)
        return self.debt_in(categories) + checked

    @property
    def open_places(self) -> int:
        """Places that are debt or to be verified."""
        return sum(self.debt.values()) + sum(self.automatic.values())


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """All that a verdict rests on. figures: figures set by hand, by criterion, to try what would flip it."""

    structure: Structure
    books: Ledger
    scenario: Scenario
    policy: Policy
    figures: Mapping[str, float] = field(default_factory=dict)
    target: Target = NO_TARGET

    def without(self, line: PolicyLine) -> Case:
        """The same case with all work that a criterion's words name left out, its kernels and places too."""
        kinds, categories, libraries = (line.words.get(name, ()) for name in ("kinds", "categories", "libraries"))

        def kept(places: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
            return {key: n for key, n in places.items() if key[0] not in categories and key[1] not in libraries}

        before = self.structure
        after = replace(
            before,
            work={
                option: tuple(row for row in rows if line.id not in row.criteria)
                for option, rows in before.work.items()
            },
            own={key: count for key, count in before.own.items() if key[0] not in kinds},
            debt=kept(before.debt),
            automatic=kept(before.automatic),
            statements={held: n for held, n in before.statements.items() if held.isdisjoint(categories)},
            unpriced={key: count for key, count in before.unpriced.items() if key not in categories},
        )
        changed = replace(self, structure=after)
        for option, rows in before.work.items():
            gone = sum(row.scaled for row in rows if line.id in row.criteria)
            whole = before.hours[option].likely
            changed = changed.with_hours(option, max(1 - gone / whole, 0.0) if whole > 0 else 1.0)
        return changed

    def with_speed(self, speed: Range) -> Case:
        """The same case at another speed factor: the scenario's where it gives one, else the policy's default."""
        if self.scenario.speed_factor is not None:
            return replace(self, scenario=replace(self.scenario, speed_factor=speed))
        ends = {"speed_low": speed.low, "speed_likely": speed.likely, "speed_high": speed.high}
        return replace(self, policy=replace(self.policy, settings={**self.policy.settings, **ends}))

    def with_hours(self, option: Verdict, factor: float) -> Case:
        """The same case with one option's port `factor` times as dear."""
        structure = self.structure
        hours = {**structure.hours, option: scaled(structure.hours[option], factor)}
        retuning = structure.retuning * (factor if option is Verdict.AMD else 1.0)
        return replace(
            self,
            structure=replace(structure, hours=hours, retuning=retuning),
            books=self.books.scaled(option, factor),
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a criterion may look at. expected: mean cost of each eligible option, empty without prices.

    speed: likely speed of amd's work against today's, 1 is equal.
    hedge: share of the draws in which triton-first is cheapest, where all options are open and it costs least on
    average; None elsewhere.
    """

    structure: Structure
    scenario: Scenario
    settings: Mapping[str, float]
    expected: Mapping[Verdict, float]
    target: Target = NO_TARGET
    hedge: float | None = None
    speed: float = 1.0


@dataclass(frozen=True, slots=True)
class Spoken:
    """A criterion that was asked, with its figure."""

    line: PolicyLine
    figure: float

    @property
    def speaks(self) -> bool:
        """Whether the figure lies within the line's thresholds."""
        bounds = self.line.thresholds
        return bounds.get("least", self.figure) <= self.figure <= bounds.get("most", self.figure)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict and what led to it.

    ranking: options, the verdict first, forbidden ones last. points: sum by option. forbidden: by vetoes
    and as no option; ineligible: those of them that are no option here, so that money does not compare them.
    silent: figures of criteria that could be asked but did not speak. expected: mean cost of all options.
    """

    ranking: tuple[Verdict, ...]
    points: Mapping[Verdict, float]
    spoken: tuple[Spoken, ...]
    silent: tuple[Spoken, ...]
    forbidden: frozenset[Verdict]
    ineligible: frozenset[Verdict]
    expected: Mapping[Verdict, float]

    @property
    def decided_by_veto(self) -> bool:
        """Whether vetoes left only the verdict."""
        return len(self.forbidden) == len(OPTIONS) - 1

    @property
    def verdict(self) -> Verdict:
        """The option that leads."""
        return self.ranking[0]

    @property
    def runner_up(self) -> Verdict:
        """The option behind it."""
        return self.ranking[1]

    @property
    def margin(self) -> float:
        """Points between the two; negative where money or a veto overrules the points."""
        return self.points[self.verdict] - self.points[self.runner_up]

    @property
    def nothing_to_port(self) -> bool:
        """Whether the verdict rests on there being nothing to port."""
        return any(spoken.line.id == NOTHING_TO_PORT for spoken in self.spoken)

    @property
    def next_by_cost(self) -> Verdict | None:
        """The option next in expected cost, of those that money compares; None without prices."""
        compared = sorted((cost, option) for option, cost in self.expected.items() if option not in self.ineligible)
        return compared[1][1] if len(compared) > 1 else None


Criterion = Callable[[Evidence, PolicyLine], float | None]


def case(estimate: Estimate, found: Findings, scenario: Scenario, policy: Policy, target: Target = NO_TARGET) -> Case:
    """Everything a verdict rests on, put together once. A policy line without a function is an error."""
    for line in policy.lines:
        if line.id not in _BY_ID:
            raise EstimatorError(f"policy: {no_such('criterion', line.id, _BY_ID)}")
    return Case(structure_of(estimate, found, policy.lines), ledger(estimate), scenario, policy, target=target)


def structure_of(estimate: Estimate, found: Findings, lines: Iterable[PolicyLine]) -> Structure:
    """What the criteria of `lines` need from the code, counted. A site that stands for many places counts as many."""
    amd = estimate.options[Verdict.AMD]
    places: dict[str, Counter[tuple[str, str]]] = {disposition: Counter() for disposition in Disposition}
    for judged in found.sites:
        places[judged.disposition][judged.site.category, judged.site.library] += judged.site.count
    open_kernels = [
        judged.kernel
        for judged in found.kernels
        if judged.disposition in (Disposition.DEBT, Disposition.AUTOMATIC) and not judged.replaced_by
    ]
    unpriced: Counter[str] = Counter()
    for row in estimate.unpriced:
        unpriced[row.category] += row.sites
    retuning = amd.parts.get("retuning")
    asking = [line for line in lines if line.words]
    return Structure(
        work={Verdict(name): _work(estimate.options[name], estimate.scalings, found, asking) for name in PORT_OPTIONS},
        own=Counter((kernel.kind, kernel.triton_fit) for kernel in open_kernels),
        debt=places[Disposition.DEBT],
        automatic=places[Disposition.AUTOMATIC],
        statements=_statements(found),
        ported=places[Disposition.PORTED].total(),
        unpriced=unpriced,
        hours={Verdict(name): option.hours for name, option in estimate.options.items()},
        retuning=retuning.likely if retuning else 0.0,
        beside=kernels_beside(amd, found),
        python_host=found.inventory.python_host,
        mpi=found.inventory.mpi,
        triton_kernels=found.inventory.triton_kernels,
    )


def kernels_beside(option: OptionEstimate, found: Findings) -> float:
    """Likely hours of own kernels that no inventory holds, being written in Python.

    They have their share of what multipliers add to the part.
    """
    categories = {finding.id: finding.category for finding in found.findings}
    beside = whole = 0.0
    for line in option.lines:
        if line.part == "kernels" and not line.multiplier:
            known = {categories[name] for name in line.findings if name in categories}
            whole += line.hours.likely
            beside += line.hours.likely if known and KERNEL_CATEGORY not in known else 0.0
    return option.parts["kernels"].likely * beside / whole if beside else 0.0


def _statements(found: Findings) -> Counter[frozenset[str]]:
    """Lines with debt by the categories that stand there. A site that stands for many places counts as many."""
    standing: dict[tuple[str, int], Counter[str]] = {}
    for site in (judged.site for judged in found.sites if judged.disposition is Disposition.DEBT):
        standing.setdefault((site.path, site.line), Counter())[site.category] += site.count
    told: Counter[frozenset[str]] = Counter()
    for categories in standing.values():
        told[frozenset(categories)] += max(categories.values())
    return told


def _work(
    option: OptionEstimate, scalings: Iterable[Scaling], found: Findings, asking: Sequence[PolicyLine]
) -> tuple[Work, ...]:
    """Rows of the code itself: neither what a multiplier adds nor how the source is kept says what it is bound to."""
    by_id = {finding.id: finding for finding in found.findings}
    acting = [scaling for scaling in scalings if option.option in scaling.options]
    rows = []
    for row in option.lines:
        if row.part in CODE_PARTS and not (row.multiplier or row.weight.startswith(PREFIX)):
            findings = [by_id[name] for name in row.findings if name in by_id]
            criteria = frozenset(line.id for line in asking if _is_named_by(row.weight, findings, line.words))
            times = prod(one.factor.likely for one in acting if acts_on(one.multiplier, row.weight, row.part))
            rows.append(Work(row.hours.likely, row.hours.likely * times, criteria))
    return tuple(rows)


def _is_named_by(weight: str, findings: Sequence[Finding], words: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a row's weight begins with one of `weights`, all its findings are of `categories`, or one of
    them is of `libraries`."""
    categories, libraries = words.get("categories", ()), words.get("libraries", ())
    return (
        weight.startswith(words.get("weights", ()))
        or (bool(findings) and all(finding.category in categories for finding in findings))
        or any(finding.library in libraries for finding in findings)
    )


def judge(this: Case) -> Judgement:
    """The verdict of a case by the published rule; always one, deterministic, no I/O."""
    settings = this.policy.settings
    deal = terms(this.scenario, settings)
    means = expected(this.books, deal) if deal else {}
    speed = likely_speed(this.books, this.scenario, settings)
    facts = Evidence(this.structure, this.scenario, settings, {}, this.target, speed=speed)
    facts = replace(facts, hedge=_hedge(this, facts, deal, means))
    ineligible = _narrowed(this, facts)
    evidence = replace(facts, expected={option: cost for option, cost in means.items() if option not in ineligible})
    asked = _figures(this, evidence, [line for line in this.policy.lines if _counts(line, ineligible)])
    spoken = [item for item in asked if item.speaks]
    silent = tuple(item for item in asked if not item.speaks)
    nothing = [item for item in spoken if item.line.id == NOTHING_TO_PORT]
    if nothing:
        moved = (Verdict.AMD, Verdict.NVIDIA, Verdict.TRITON_FIRST)
        return Judgement(moved, _points(nothing), tuple(nothing), silent, frozenset(), ineligible, means)
    points, forbidden = _points(spoken), forbidden_by(item.line for item in spoken)
    ranking = tuple(
        sorted(OPTIONS, key=lambda o: (o in forbidden, means[o] if means else -points[o], OPTIONS.index(o)))
    )
    return Judgement(ranking, points, tuple(spoken), silent, forbidden, ineligible & forbidden, means)


def _counts(line: PolicyLine, ineligible: Collection[Verdict]) -> bool:
    """Whether a line is asked: one that only gives points to what is no option here is not."""
    return line.veto or bool(line.forbids) or line.favours not in ineligible


def _narrowed(this: Case, facts: Evidence) -> frozenset[Verdict]:
    """Options that are none here."""
    narrowing = [line for line in this.policy.lines if line.forbids and not line.veto]
    return forbidden_by(item.line for item in _figures(this, facts, narrowing) if item.speaks)


def _hedge(this: Case, facts: Evidence, deal: Terms | None, means: Mapping[Verdict, float]) -> float | None:
    """Share of the draws in which triton-first is cheapest, where that is in doubt."""
    if deal is None or min(OPTIONS, key=lambda option: means[option]) is not Verdict.TRITON_FIRST:
        return None
    vetoes = [line for line in this.policy.lines if line.veto]
    vetoed = forbidden_by(item.line for item in _figures(this, facts, vetoes) if item.speaks)
    if vetoed or _narrowed(this, facts):
        return None
    return chances(costs(this.books, deal))[Verdict.TRITON_FIRST]


def _figures(this: Case, evidence: Evidence, lines: Iterable[PolicyLine]) -> list[Spoken]:
    result = []
    for line in lines:
        figure = this.figures.get(line.id)
        figure = _BY_ID[line.id](evidence, line) if figure is None else figure
        if figure is not None:
            result.append(Spoken(line, figure))
    return result


def _points(spoken: Iterable[Spoken]) -> dict[Verdict, float]:
    points = dict.fromkeys(OPTIONS, 0.0)
    for item in spoken:
        points[Verdict(item.line.favours)] += item.line.points
    return points


def forbids(line: PolicyLine) -> frozenset[Verdict]:
    """Options that a line forbids when it speaks: none, those it names, or all it does not favour."""
    if line.forbids:
        return frozenset(Verdict(name) for name in line.forbids)
    return frozenset(option for option in OPTIONS if line.veto and option != line.favours)


def forbidden_by(lines: Iterable[PolicyLine]) -> frozenset[Verdict]:
    """Options that lines forbid when all of them speak; if that is every option, they cancel each other."""
    forbidden = frozenset(option for line in lines for option in forbids(line))
    return forbidden if len(forbidden) < len(OPTIONS) else frozenset()


def ruled_out(lines: Iterable[PolicyLine], spoke: Collection[str]) -> frozenset[Verdict]:
    """Options that are none here, by the lines that spoke, named by id; what a veto forbids is not among them."""
    return forbidden_by(line for line in lines if line.id in spoke and not line.veto)


def threshold(line: PolicyLine, name: str) -> float:
    """A threshold that the criterion relies on; an error if the policy does not give it."""
    if name not in line.thresholds:
        raise EstimatorError(f"policy: criterion '{line.id}' needs the threshold '{name}'")
    return line.thresholds[name]


def _named_hours(structure: Structure, line: PolicyLine) -> float:
    """Likely hours of code work in rows that a line's words name."""
    return sum(row.hours for row in structure.work[Verdict.AMD] if line.id in row.criteria)


def _code_share(structure: Structure, line: PolicyLine) -> float | None:
    """Share of the likely hours of code work in rows that a line's words name; None without code work."""
    return _share(_named_hours(structure, line), sum(row.hours for row in structure.work[Verdict.AMD]))


def _held_by(structure: Structure, line: PolicyLine) -> bool:
    """Whether the work that `words` names is too large a share for what the criterion says to hold."""
    return (_code_share(structure, line) or 0.0) > threshold(line, "most_held")


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _yes(answer: bool | None) -> float | None:
    return None if answer is None else float(answer)


# --- Criteria. Each gives its figure, None where it can't be asked; ids are the names with dashes. ---


def nothing_to_port(evidence: Evidence, line: PolicyLine) -> float | None:
    """P80 of the amd option in hours, if it is small and nothing is unpriced, or nothing is open at all."""
    structure = evidence.structure
    if structure.open_places == 0 and structure.kernels == 0:
        return 0.0
    unpriced = sum(structure.unpriced.values())
    p80 = structure.hours[Verdict.AMD].p80
    return p80 if unpriced == 0 and p80 <= threshold(line, "most") else None


def cheapest_amd(evidence: Evidence, line: PolicyLine) -> float | None:
    """What amd saves against the next option over the horizon, in its currency."""
    return _lead(evidence, Verdict.AMD)


def cheapest_nvidia(evidence: Evidence, line: PolicyLine) -> float | None:
    """What staying saves against the next option over the horizon, in its currency."""
    return _lead(evidence, Verdict.NVIDIA)


def cheapest_triton_first(evidence: Evidence, line: PolicyLine) -> float | None:
    """What triton-first saves against the next option over the horizon, in its currency."""
    return _lead(evidence, Verdict.TRITON_FIRST)


def _lead(evidence: Evidence, option: Verdict) -> float | None:
    if option not in evidence.expected:
        return None
    others = min(cost for other, cost in evidence.expected.items() if other is not option)
    lead = others - evidence.expected[option]
    return lead if lead > 0 else None


def triton_as_hedge(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of the draws in which triton-first is cheapest, where it costs least on average."""
    return evidence.hedge


def newest_kernels_first(evidence: Evidence, line: PolicyLine) -> float | None:
    """1 if new vendor kernels are needed at once, 0 if not."""
    return _yes(evidence.scenario.newest_kernels_first)


def binary_without_source(evidence: Evidence, line: PolicyLine) -> float | None:
    """Places of named categories that nobody can price: binaries without a source have no bound."""
    return float(sum(evidence.structure.unpriced.get(name, 0) for name in line.words.get("categories", ())))


def no_own_kernels(evidence: Evidence, line: PolicyLine) -> float | None:
    """Own kernels that would have to be ported."""
    return float(evidence.structure.kernels)


def host_without_python(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of the host code that is Python, where there are own kernels and it is too small for Triton."""
    structure = evidence.structure
    if not structure.kernels or structure.python_host >= threshold(line, "least_python"):
        return None
    return structure.python_host


def nothing_for_triton(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of own kernels that Triton can express at least in part, if the host is Python."""
    structure = evidence.structure
    if not structure.kernels or structure.python_host < threshold(line, "least_python"):
        return None
    return structure.of_fits(("good", "partial")) / structure.kernels


def tensor_core_code(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of code work in hand-written tensor-core kernels and PTX, where it is more than a trifle in hours."""
    hours = _named_hours(evidence.structure, line)
    return _code_share(evidence.structure, line) if hours >= threshold(line, "least_hours") else None


def hand_tuned_places(evidence: Evidence, line: PolicyLine) -> float | None:
    """Lines of PTX, tensor-core and asynchronous-copy code for each own kernel to port."""
    structure = evidence.structure
    return _share(structure.statements_in(line.words.get("categories", ())), max(structure.kernels, 1))


def direct_libraries(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of code work in libraries whose AMD counterpart has another API."""
    return _code_share(evidence.structure, line)


def unmapped_calls(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of open places that are calls below the runtime API or without a counterpart."""
    structure = evidence.structure
    return _share(structure.debt_in(line.words.get("categories", ())), structure.open_places)


def unpriced_share(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of the debt that nobody has a price for."""
    structure = evidence.structure
    return _share(sum(structure.unpriced.values()), sum(structure.debt.values()))


def no_infrastructure_people(evidence: Evidence, line: PolicyLine) -> float | None:
    """People dedicated to GPU infrastructure."""
    return evidence.scenario.infrastructure_people


def no_hardware_access(evidence: Evidence, line: PolicyLine) -> float | None:
    """1 if there is no daily access to the target hardware, 0 if there is."""
    access = evidence.scenario.hardware_access
    return _yes(None if access is None else not access)


def no_gpu_experience(evidence: Evidence, line: PolicyLine) -> float | None:
    """1 if the team is new to GPU programming, 0 if not."""
    experience = evidence.scenario.gpu_experience
    return _yes(None if experience is None else not experience)


def mixed_cluster(evidence: Evidence, line: PolicyLine) -> float | None:
    """GPUs now or planned, if the code holds scheduling or cluster communication to keep on both vendors."""
    scenario, structure = evidence.scenario, evidence.structure
    gpus = [count for count in (scenario.gpus_now, scenario.gpus_planned) if count is not None]
    return max(gpus) if gpus and structure.open_in(line.words.get("categories", ())) else None


def large_port(evidence: Evidence, line: PolicyLine) -> float | None:
    """Months the whole team needs for the amd port, at P80."""
    return _team_months(evidence)


def small_port(evidence: Evidence, line: PolicyLine) -> float | None:
    """Months the whole team needs for the amd port, at P80."""
    return _team_months(evidence)


def _team_months(evidence: Evidence) -> float:
    team = evidence.settings["team"] if evidence.scenario.team is None else evidence.scenario.team
    return evidence.structure.hours[Verdict.AMD].p80 / (team * evidence.settings["hours_month"])


def above_framework(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of open places that stand above the framework, if there are no own kernels to port."""
    structure = evidence.structure
    if structure.kernels:
        return None
    return _share(structure.open_in(line.words.get("categories", ())), structure.open_places)


def standard_inference(evidence: Evidence, line: PolicyLine) -> float | None:
    """1 if the workload is standard inference, 0 if another one was named."""
    return _workload(evidence, "standard-inference")


def hpc_workload(evidence: Evidence, line: PolicyLine) -> float | None:
    """1 if the code uses MPI or the workload is HPC, 0 if not; asked of C++ hosts only."""
    structure = evidence.structure
    if structure.python_host > threshold(line, "most_python") or _held_by(structure, line):
        return None
    return float(structure.mpi or evidence.scenario.workload == "hpc")


def _workload(evidence: Evidence, name: str) -> float | None:
    workload = evidence.scenario.workload
    return _yes(None if workload is None else workload == name)


def portable_kernels(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of kernels that are not of the named classes, unless other work holds the port back."""
    structure = evidence.structure
    if _held_by(structure, line):
        return None
    bound = structure.of_kinds(line.words.get("kinds", ()))
    return _share(structure.kernels - bound, structure.kernels)


def hipify_route(evidence: Evidence, line: PolicyLine) -> float | None:
    """The same share as portable-kernels, asked of hosts that are mostly C++."""
    if evidence.structure.python_host > threshold(line, "most_python"):
        return None
    return portable_kernels(evidence, line)


def tuning_reserve(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of the amd hours that re-tuning takes."""
    return _share(evidence.structure.retuning, evidence.structure.hours[Verdict.AMD].likely)


def automatic_share(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of open places that a tool converts."""
    structure = evidence.structure
    return _share(sum(structure.automatic.values()), structure.open_places)


def already_ported(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of all places that already have a working AMD arm."""
    structure = evidence.structure
    return _share(structure.ported, structure.ported + structure.open_places)


def memory_decides(evidence: Evidence, line: PolicyLine) -> float | None:
    """1 if the work does not fit the present cards but those of the target, 0 if not."""
    too_large = _too_large_now(evidence)
    return 0.0 if too_large and (_missing_gib(evidence) or 0.0) > 0 else _yes(too_large)


def memory_short(evidence: Evidence, line: PolicyLine) -> float | None:
    """GiB that the target's largest card lacks for the work; not asked where the present cards lack them too."""
    return None if _too_large_now(evidence) else _missing_gib(evidence)


def _too_large_now(evidence: Evidence) -> bool | None:
    """Whether the work does not fit the present cards: as answered, else by the GiB given; None if nobody says."""
    scenario = evidence.scenario
    need, now = scenario.memory_need_gib, scenario.memory_now_gib
    if scenario.memory_decides is not None or need is None or now is None:
        return scenario.memory_decides
    return need > now


def _missing_gib(evidence: Evidence) -> float | None:
    need, has = evidence.scenario.memory_need_gib, evidence.target.memory_gib
    return None if need is None or has is None else need - has


def second_source(evidence: Evidence, line: PolicyLine) -> float | None:
    """Worth of a second supplier over the horizon as a share of the amd port's price at P50."""
    rate = hourly_rate(evidence.scenario, evidence.settings)
    if evidence.scenario.second_source_value is None or rate is None:
        return None
    months, _ = horizon(evidence.scenario, evidence.settings)
    worth = evidence.scenario.second_source_value * months / 12
    return _share(worth, rate * evidence.structure.hours[Verdict.AMD].p50)


def lower_price(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share saved per unit of work at the offered price; negative where it is dearer."""
    scenario = evidence.scenario
    if not scenario.price_now or scenario.price_offered is None:
        return None
    return 1 - scenario.price_offered / evidence.speed / scenario.price_now


def higher_price(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share lost per unit of work at the offered price; negative where it is cheaper."""
    saved = lower_price(evidence, line)
    return None if saved is None else -saved


def cheaper_by_hip(evidence: Evidence, line: PolicyLine) -> float | None:
    """Hours of triton-first / hours of amd, at P50; asked only where there are kernels."""
    return _hours_ratio(evidence)


def cheaper_by_triton(evidence: Evidence, line: PolicyLine) -> float | None:
    """The same ratio, unless work that Triton expresses badly is too large a share."""
    return None if _held_by(evidence.structure, line) else _hours_ratio(evidence)


def _hours_ratio(evidence: Evidence) -> float | None:
    hours = evidence.structure.hours
    if not evidence.structure.kernels:
        return None
    return _share(hours[Verdict.TRITON_FIRST].p50, hours[Verdict.AMD].p50)


def no_new_kernels(evidence: Evidence, line: PolicyLine) -> float | None:
    """Own kernels written a month, if there are own kernels that HIP carries over."""
    structure = evidence.structure
    return None if not structure.kernels or _held_by(structure, line) else evidence.scenario.new_kernels_month


def new_kernels(evidence: Evidence, line: PolicyLine) -> float | None:
    """Own kernels written a month, if the host is Python and the present kernels fit Triton."""
    fit = _triton_fit(evidence, line)
    return evidence.scenario.new_kernels_month if fit is None or fit >= threshold(line, "least_fit") else None


def triton_fit(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of own kernels that fit Triton well, if the host is Python."""
    return _triton_fit(evidence, line) if evidence.structure.kernels else None


def tensor_by_triton(evidence: Evidence, line: PolicyLine) -> float | None:
    """Of own tensor-core kernels, the share that Triton expresses at least in part, if the host is Python."""
    structure, kinds = evidence.structure, line.words.get("kinds", ())
    if structure.python_host < threshold(line, "least_python"):
        return None
    fit = sum(count for (kind, how), count in structure.own.items() if kind in kinds and how != "poor")
    return _share(fit, structure.of_kinds(kinds))


def triton_in_use(evidence: Evidence, line: PolicyLine) -> float | None:
    """Triton kernels as a share of all own kernels, if some are still CUDA."""
    structure = evidence.structure
    if not structure.kernels or _held_by(structure, line):
        return None
    return _share(structure.triton_kernels, structure.triton_kernels + structure.kernels)


def _triton_fit(evidence: Evidence, line: PolicyLine) -> float | None:
    """Share of kernels with a good fit; 0 where the host or other work rules Triton out, None without kernels."""
    structure = evidence.structure
    if not structure.kernels:
        return None
    if structure.python_host < threshold(line, "least_python") or _held_by(structure, line):
        return 0.0
    return structure.of_fits(("good",)) / structure.kernels


CRITERIA: tuple[Criterion, ...] = (
    nothing_to_port,
    cheapest_amd,
    cheapest_nvidia,
    cheapest_triton_first,
    triton_as_hedge,
    newest_kernels_first,
    binary_without_source,
    no_own_kernels,
    host_without_python,
    nothing_for_triton,
    tensor_core_code,
    hand_tuned_places,
    direct_libraries,
    unmapped_calls,
    unpriced_share,
    no_infrastructure_people,
    no_hardware_access,
    no_gpu_experience,
    mixed_cluster,
    large_port,
    small_port,
    above_framework,
    standard_inference,
    hpc_workload,
    portable_kernels,
    hipify_route,
    tuning_reserve,
    automatic_share,
    already_ported,
    memory_decides,
    memory_short,
    second_source,
    lower_price,
    higher_price,
    cheaper_by_hip,
    no_new_kernels,
    cheaper_by_triton,
    new_kernels,
    tensor_by_triton,
    triton_fit,
    triton_in_use,
)


def criterion_id(criterion: Criterion) -> str:
    """The id by which `policy.toml` names a criterion."""
    return str(getattr(criterion, "__name__", "")).replace("_", "-")


_BY_ID = {criterion_id(criterion): criterion for criterion in CRITERIA}


ON_PRICES = frozenset(
    criterion_id(criterion)
    for criterion in (
        cheapest_amd,
        cheapest_nvidia,
        cheapest_triton_first,
        triton_as_hedge,
        second_source,
        lower_price,
        higher_price,
    )
)


def told(text: str, figure: str, this: Case, **more: str) -> str:
    """A text of the policy with its fields filled in; a team that nobody named is said to be a default."""
    return text.format(figure=figure, team=_team(this), **more)


def _team(this: Case) -> str:
    given = this.scenario.team
    if given is not None:
        return f"the team of {counted(given, 'engineer')}"
    return f"a team of {counted(this.policy.settings['team'], 'engineer')} (a default of the policy)"


def counted(number: float, one: str) -> str:
    """ "1 point", "2 points", "0.5 points"."""
    return f"{number:,g} {one if number == 1 else one + 's'}"


def shown(figure: float, unit: str, currency: str = "") -> str:
    """A figure as text: "%" shows a share as per cent, "" yes or no, "currency" an amount; else with its unit."""
    match unit:
        case "":
            return "yes" if figure else "no"
        case "%":
            return percent(figure)
        case "currency":
            return amount(figure, currency)
        case "months" if 0 < figure < 0.1:
            return "under 0.1 months"
        case _:
            return f"{figure:,.0f} {unit}" if abs(figure) >= 10 else f"{figure:.2g} {unit}"


def amount(value: float, currency: str) -> str:
    """An amount of money to three significant digits: "1.24 million USD", "45,600 USD"."""
    for size, name in ((1e9, " billion"), (1e6, " million")):
        if abs(value) >= size:
            return f"{value / size:.3g}{name} {currency}"
    if abs(value) < 100:
        return f"{value:.3g} {currency}"
    digits = len(str(int(abs(value)))) - 3
    return f"{round(value, -digits):,.0f} {currency}"
