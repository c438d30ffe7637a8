"""The knowledge in `heuristics/` as values; loading and checking is next door, one module a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from estimator.languages.facts import FactKind
from estimator.quantities import Hours, Triple

PARTS = (
    "setup",
    "conversion",
    "remediation",
    "kernels",
    "libraries",
    "delivery",
    "validation",
    "retuning",
    "learning",
)
PHASES = ("runs", "right", "fast")

# Columns of ports.csv that count something: what a port is predicted from, and what a strategy is priced by.
KERNEL_COUNTS = ("kernels_elementwise", "kernels_shared", "kernels_tensor", "kernels_irregular")
COUNTS = (
    "people",
    "lines",
    "cuda_lines",
    "host_api_files",
    "runtime_sites",
    "driver_sites",
    "api_symbols",
    "libraries",
    "library_sites",
    "build_files",
    "container_files",
    "warp_sites",
    "ptx_sites",
    *KERNEL_COUNTS,
)
AMD_BUILD = "amd-build"  # what a site shows of the whole tree, and what a row may have been done by
AMD_OPTION = "amd-option"  # a build asks for AMD, whatever it then does


@dataclass(frozen=True, slots=True)
class Example:
    """A text with the lines where the rule must match; none means that it must stay silent."""

    name: str
    code: str
    finds: tuple[int, ...]
    path: str


@dataclass(frozen=True, slots=True)
class Match:
    """One way to recognise a thing: a fact's kind and RE2 patterns for its text and detail.

    spaces: where the fact must run (kernel, device, host); empty means anywhere. The text pattern's
    first group, if it has one, is the site's symbol; else the whole text is.
    """

    kind: FactKind
    pattern: str
    detail: str = ""
    spaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """What a thing is and how it is recognised, never what it costs.

    matches: any of them is enough. library: id in components.csv for library-call rules.
    effort: weight class, "" for credits and for rules that another finding prices.
    shows: what a site says of the whole tree: "amd-build", "amd-image" or "amd-cluster"; "" for nothing.
    python_host: whether a site shows that Python launches the kernels.
    credit: portable, counted instead of listed as a site. yields: ids of more specific rules: where one
    of them finds the same place, this one stays silent.
    """

    id: str
    title: str
    category: str
    why: str
    languages: tuple[str, ...]
    matches: tuple[Match, ...]
    effort: str
    library: str
    credit: bool
    yields: tuple[str, ...]
    remedy: str
    sources: tuple[str, ...]
    examples: tuple[Example, ...]
    file: str
    shows: str = ""
    python_host: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    """Share of the first unit's hours for units 2 to 10 and for each after; at most 1, not rising."""

    to_10: float
    after: float


@dataclass(frozen=True, slots=True)
class Weight:
    """Price of a class of findings.

    hours: for the first unit, by option (amd, triton-first). per: how units are counted: "symbol",
    "pattern", "function" (each distinct one is a first, its further sites repeat), "site", "kernel",
    "file", "dependency" (one series), "kloc", "repository", "programme", "engineer", "hot-kernel", "review"; all of
    them with their meaning are `knowledge.weights.PER`.
    charged_with: for fixed rows, the weights of which one must have a debt finding; "*" is any. done_by: "amd-build"
    for rows that come once and were done where a build of the project takes AMD already.
    grade: by option: A measured, B published, C judgement.
    feature: per kernel only: the row counts the kernels that have this feature, whatever their class.
    host: what happens to the row in triton-first as host code moves to Python: "leaves" falls away,
    "blends" goes from the amd price to its own, "" has its own price.
    most: likely hours by amd at which the row stops growing, 0 for no such end; see `times_at_most`.
    """

    id: str
    title: str
    part: str
    phase: str
    unit: str
    per: str
    hours: Mapping[str, Hours]
    repeat: Repeat
    grade: Mapping[str, str]
    charged_with: tuple[str, ...]
    source: str
    why: str
    done_by: str = ""
    host: str = ""
    feature: str = ""
    most: float = 0.0

    @property
    def times_at_most(self) -> float:
        """How many times the first unit's hours all units may cost at most, in either column; infinite without end."""
        return self.most / self.hours["amd"].likely if self.most else inf


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Finished work that an overlay of weights was fitted to, by `unwarp calibrate`.

    rows: how many. origin: name of their file. option: in whose hours. parts: whose weights moved. assessed: date of
    the assessment that they were compared with, "" if unknown.
    """

    rows: int
    origin: str
    option: str
    parts: tuple[str, ...]
    assessed: str = ""

    @property
    def rows_told(self) -> str:
        """Such as "3 rows of actuals.csv"."""
        return f"{'1 row' if self.rows == 1 else f'{self.rows} rows'} of {self.origin}"


@dataclass(frozen=True, slots=True)
class Unpriced:
    """A class that nobody has figures for yet, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Multiplier:
    """What makes a whole programme dearer or cheaper; off until a scenario switches it on.

    factor: on the hours of the rows of `parts` and of the rows `weights`. on: answers of the scenario that switch it
    on, by field. spares: how the names of rows begin that it leaves alone, whatever their part.
    """

    id: str
    title: str
    factor: Triple
    parts: tuple[str, ...]
    weights: tuple[str, ...]
    on: Mapping[str, tuple[bool | str, ...]]
    grade: str
    source: str
    why: str
    spares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Multipliers:
    """All multipliers by id, in the order in which they are applied. least, most: what a scenario may give instead."""

    known: Mapping[str, Multiplier] = field(default_factory=dict)
    least: float = 0.0
    most: float = inf


@dataclass(frozen=True, slots=True)
class Risk:
    """An event that may come or not, apart from the range of the rows.

    weights, categories, libraries: it applies where at least `at_least` places of debt of any of these are found; a
    star ends a beginning, "*" is any debt. scenario: by field, answers of which one must be given ("unknown": none is).
    lanes: widths of a wavefront that it needs, none for any target. unless: multipliers beside which it does not
    apply, since they count the same. impact: by option, hours if it comes, or with share_of a share of these parts'
    hours.
    """

    id: str
    title: str
    weights: tuple[str, ...]
    categories: tuple[str, ...]
    libraries: tuple[str, ...]
    at_least: int
    scenario: Mapping[str, tuple[bool | str, ...]]
    unless: tuple[str, ...]
    probability: Triple
    impact: Mapping[str, Triple]
    share_of: tuple[str, ...]
    mitigation: str
    grade: str
    source: str
    why: str
    lanes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StrategyCharge:
    """Hours for each unit of a count. per: "repository" or a column of ports.csv, cuda_lines in thousands.

    host: "python" or "cpp", whose share of the host code it is charged for; "" for all of it.
    """

    per: str
    hours: Hours
    host: str = ""


@dataclass(frozen=True, slots=True)
class Unfit:
    """A count beyond which a strategy is not proposed: a column of ports.csv, or distinct symbols of debt of weights.

    why: as a clause; it may hold {figure} and {most}.
    """

    count: str
    weights: tuple[str, ...]
    most: float
    why: str


@dataclass(frozen=True, slots=True)
class Strategy:
    """How the source is kept once it runs on AMD. keeps: "one source" or "two sources".

    price: hours beyond the rows of the weights, which stand in part and phase. upkeep: share, a year, of
    the one-off hours without set-up and learning; None where the row for upkeep holds.
    """

    id: str
    title: str
    what: str
    keeps: str
    part: str
    phase: str
    price: tuple[StrategyCharge, ...]
    upkeep: Triple | None
    unfit: tuple[Unfit, ...]
    grade: str
    source: str


@dataclass(frozen=True, slots=True)
class Units:
    """The one table of conversions: engine, report legend and documentation all read it.

    kernel_speed_source: what the speeds of `Performance` rest on, as a clause.
    """

    hours_per_day: float
    days_per_month: float
    lines_per_site: float
    hot_kernel_share: float
    hot_kernels_most: int
    engineers: int
    sigma: Mapping[str, float]
    draws: int
    source: str
    kernel_speed_source: str


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """One published criterion: what it favours, how strongly, from which threshold on.

    thresholds: by name, in `unit`; "least" and "most" bound the figure, others guard the criterion.
    Texts may hold {figure}. veto: forbids every other option, or those that `forbids` names; without veto,
    those in `forbids` are no options where the line speaks. condition: what must be arranged when the verdict
    is to move. unit: of the figure, "%" for shares, "" for yes or no. input: the figure's name as a reader
    would change it, "" when a change of it makes no sense. words: names that the figure is counted over.
    """

    id: str
    favours: str
    points: float
    thresholds: Mapping[str, float]
    text: str
    source: str
    veto: bool = False
    condition: str = ""
    unit: str = ""
    input: str = ""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forbids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """The published rule. settings: margins and defaults that no single criterion owns.

    sources: where each setting comes from, with its unit, by name.
    """

    lines: tuple[PolicyLine, ...]
    settings: Mapping[str, float]
    date: str
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Component:
    """A CUDA-side component and its AMD counterpart; empty cells are not established."""

    id: str
    title: str
    kind: str
    amd_native: str
    hip_shim: str
    port_kind: str
    maturity: str
    note: str
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Package:
    """What a required package or base image means on AMD; `heuristics/packages.csv` explains the words.

    name: in its normal form, with a star at its end for any ending. component: id, "" for none. framework: whose
    Support speaks for it. means: what holds where there are none, "" when that isn't known.
    """

    name: str
    component: str
    framework: str
    means: str
    note: str
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Support:
    """What one source says of a framework's builds for AMD; texts as in `heuristics/frameworks.csv`, "" if not said.

    version: one or several, and ranges ("0.14.0 to 0.18.0"). rocm_versions, gfx_targets: for which the build is.
    prebuilt: "yes", "no" (from source) or "". The framework "ROCm" is ROCm itself: its rows date the releases.
    """

    framework: str
    version: str
    rocm_versions: str
    gfx_targets: str
    prebuilt: str
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Release:
    """One version of a framework and its upstream release. released: ISO date."""

    framework: str
    version: str
    released: str
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class ApiName:
    """One CUDA name and its HIP counterpart. status: renamed, renamed-arguments-differ, same-name,
    rewrite, none or verify. since_rocm: "" if in the oldest list; until_cuda: "" if in the newest."""

    library: str
    cuda_name: str
    hip_name: str
    status: str
    since_rocm: str
    until_cuda: str
    evidence: str


@dataclass(frozen=True, slots=True)
class PtxFamily:
    """A family of PTX instructions: what it does, what stands in for it, which weight prices it.

    match: instruction prefixes, dot by dot ("ld.global", "mma.sync"); the longest match wins.
    having: parts of which one must stand behind the prefix ("f16x2" in "add.rn.f16x2"); none asks for nothing.
    since: targets or releases that have the AMD counterpart, "" where it isn't bound to some.
    checked: where the AMD names were looked up (hip, clang, llvm, triton); none: not verified.
    category: inline-ptx, or the one that an asm of this family is besides: tensor-core, async-copy.
    """

    id: str
    match: tuple[str, ...]
    does: str
    amd: str
    triton: str
    weight: str
    category: str
    source: str
    as_of: str
    having: tuple[str, ...] = ()
    since: str = ""
    checked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GpuTarget:
    """A GPU target: gfx or sm name, products, width of a wavefront or warp in lanes.

    memory_gib, bandwidth_tbs: of one device, as written ("16 or 32"). first_rocm: the earliest release that lists it.
    Texts are empty where it is not established.
    """

    vendor: str
    target: str
    products: str
    width: int
    memory_gib: str
    source: str
    bandwidth_tbs: str = ""
    first_rocm: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Performance:
    """Measured speed of Triton against CUDA (1 is equal, more is better) and share of speed at risk
    when constants are kept, per kernel weight; each low, likely, high."""

    weight: str
    triton_factor: tuple[float, float, float]
    risk_cuda: tuple[float, float, float]
    risk_triton: tuple[float, float, float]
    source: str


@dataclass(frozen=True, slots=True)
class Port:
    """A port to AMD that happened: what it took, and what the code held before.

    author_days: distinct (person, date) pairs with a commit. counts: figures by column of ports.csv; what was not
    measured is missing. kind: functional, full, … strategy: how the source is kept, empty where not established.
    counted: whether it is of the reference class; others are only shown beside. functional: P10, P50, P90 of the
    functional scope in hours, as the rows price it; None if not priced.
    """

    repo: str
    author_days: float
    counts: Mapping[str, float]
    kind: str = "functional"
    strategy: str = ""
    counted: bool = True
    functional: tuple[float, float, float] | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceRule:
    """How the ports become a reference class; `heuristics/reference.toml` explains each key."""

    features: tuple[str, ...]
    searched: tuple[str, ...]
    shrinkage: float
    ports_seen: int
    days_least: float
    days_most: float
    unlike: tuple[str, ...]
    fade: float
    weight_least: float
    source: str
    blend_title: str = ""
    blend_grade: str = ""


NO_REFERENCE = ReferenceRule((), (), 1.0, 0, 0.0, 0.0, (), 2.0, 0.05, "")


@dataclass(frozen=True, slots=True)
class Heuristics:
    """All knowledge of one run. digest: SHA-256 over the files it came from, first 16 hex digits.

    calibrated: the finished work of a team behind its weights; None for those that are shipped or set by hand.
    shipped: the weights without any overlay.
    """

    rules: tuple[Rule, ...]
    weights: Mapping[str, Weight | Unpriced]
    units: Units
    policy: Policy
    components: Mapping[str, Component]
    apis: Mapping[str, ApiName]
    ptx: tuple[PtxFamily, ...]
    targets: tuple[GpuTarget, ...]
    performance: Mapping[str, Performance]
    frameworks: tuple[Support, ...]
    digest: str
    date: str
    packages: tuple[Package, ...] = ()
    releases: tuple[Release, ...] = ()
    multipliers: Multipliers = field(default_factory=Multipliers)
    risks: tuple[Risk, ...] = ()
    ports: tuple[Port, ...] = ()
    reference: ReferenceRule = NO_REFERENCE
    calibrated: Calibrated | None = None
    strategies: tuple[Strategy, ...] = ()
    shipped: Mapping[str, Weight | Unpriced] = field(default_factory=dict)
