"""The tool on one page: `assess`, the Assessment it gives, and the Assessment's JSON form.

Everything that a report shows stands in the Assessment; no format computes a figure of its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from estimator.errors import NOT_MEASURED, EstimatorError, Trouble
from estimator.quantities import percent

if TYPE_CHECKING:
    from estimator.decision.values import Decision, Scenario
    from estimator.effort.side_by_side import ScopeTotal
    from estimator.effort.values import Draws, EffortLine, Estimate, KernelPrice, OptionEstimate, Programme, Scaling
    from estimator.findings.requirements import Requirement
    from estimator.findings.scope import Choice, Scoped, ScopeEffect, ScopeEntry
    from estimator.findings.set_apart import SetApart
    from estimator.findings.values import Findings, JudgedKernel, JudgedSite
    from estimator.knowledge.values import Calibrated, Heuristics
    from estimator.scan.sites import Credit, FileCount, Scan
    from estimator.sources.files import SkippedGroup, SourceTree

SCHEMA = "unwarp/1.0"


@dataclass(frozen=True, slots=True)
class Run:
    """What came from outside and is told to the stages: no stage reads the clock.

    date: ISO date of the assessment. rocm, gfx: the target. seed: of the Monte Carlo draws.
    command: the command line with paths made relative. scope: entries of the user's scope file.
    """

    date: str
    rocm: str
    gfx: str
    seed: int
    version: str
    command: str = ""
    audience: str = "internal"
    snippets: str = "redacted"
    scope: tuple[ScopeEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Repository:
    """What was scanned. lines, bytes: of all files read. languages: lines by language."""

    name: str
    commit: str
    files: int
    lines: int
    bytes: int
    languages: Mapping[str, int]
    owners: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far the figures can be trusted, and what was not judged.

    read_share: bytes that matter and could be read, as a share of all bytes that matter.
    error_share: bytes inside what the parser gave up, as a share of the parsed bytes.
    confidence_shares: share of priced sites that were parsed, lexical, unsure. level: good, fair or poor.
    excluded: places that were found and not priced, by category. set_apart: the same by folder, owner and reason,
    with the files that hold none. gaps: what this run could not judge, as sentences.
    """

    level: str
    level_reason: str
    read_share: float
    error_share: float
    confidence_shares: Mapping[str, float]
    troubles: tuple[Trouble, ...]
    skipped: tuple[SkippedGroup, ...]
    excluded: Mapping[str, int]
    gaps: tuple[str, ...]
    set_apart: tuple[SetApart, ...] = ()


@dataclass(frozen=True, slots=True)
class Assessment:
    """One code base, measured, priced and judged.

    scope: what each entry of the user's scope file did. requirements: packages and base images, and what they mean.
    scopes: hours and verdict of everything, with each entry of the scope file alone, and with all of them; none without
    a file.
    """

    run: Run
    repository: Repository
    reliability: Reliability
    credits: tuple[Credit, ...]
    files: tuple[FileCount, ...]
    found: Findings
    estimate: Estimate
    scenario: Scenario
    decision: Decision
    heuristics: Heuristics
    scope: tuple[ScopeEffect, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    scopes: tuple[ScopeTotal, ...] = ()

    @property
    def nothing_to_port(self) -> bool:
        """Whether there is neither debt nor anything automatic to verify."""
        return not any(judged.disposition in ("debt", "automatic") for judged in self.found.sites)


READ_SHARE_NEEDED = 0.8
_GAPS = ("Nothing was compiled or run: speed on the target and numerical differences are not measured.",)


def assess(tree: SourceTree, heuristics: Heuristics, run: Run, scenario: Scenario, jobs: int = 1) -> Assessment:
    """Measure, price and judge one tree.

    An empty scenario is allowed: the verdict then rests on structure alone. A tree without a readable
    source file is an error with code 3. jobs: processes that read files; no figure depends on it.
    """
    from estimator.decision import decide, verdict_of
    from estimator.decision.programme import programme
    from estimator.decision.values import Target
    from estimator.effort import estimate_alike, estimate_blended
    from estimator.effort.side_by_side import Priced, side_by_side
    from estimator.findings import gather
    from estimator.findings.requirements import requirements
    from estimator.findings.scope import effects, scoped, settled
    from estimator.knowledge.catalogue import at_release
    from estimator.knowledge.risks import for_width
    from estimator.knowledge.targets import memory_of, width_of
    from estimator.scan import scan
    from estimator.scan.excerpts import redacted

    if not tree.files:
        raise EstimatorError(f"{tree.name}: no readable source file; nothing was measured", NOT_MEASURED)
    width = width_of(run.gfx, heuristics.targets)
    apis, risks = at_release(heuristics.apis, run.rocm), for_width(heuristics.risks, width)
    heuristics = replace(heuristics, apis=apis, risks=risks)
    scenario = replace(scenario, notes={name: redacted(note) for name, note in scenario.notes.items()})
    run = replace(run, scope=tuple(replace(entry, why=redacted(entry.why)) for entry in run.scope))
    scope = scoped(tree, run.scope, heuristics.components)
    tree = scope.tree
    scanned = scan(tree, heuristics, jobs)
    scope = settled(scope, scanned.kernels, scanned.functions)
    chosen = scope.choice(scope.matches)
    components = {file.path: file.component for file in tree.files}
    judged = partial(gather, scanned, components, heuristics, width)
    found = judged(chosen)
    undertaking = programme(scenario, heuristics)
    gaps = (
        *_of_the_target(run, heuristics, width),
        *_known_as(tree, heuristics),
        *_not_here(scanned),
        *_not_priced(found, chosen),
        *_done_already(found, heuristics, undertaking),
        *_GAPS,
        *_uncalibrated(heuristics.calibrated),
    )
    reliability = _reliability(scope, chosen, scanned, found, gaps)
    whole = judged(scope.everything()) if scope.matches else found
    estimated = estimate_blended(found, whole, heuristics, undertaking, run.seed)
    target = Target(run.rocm, run.gfx, memory_of(run.gfx, heuristics.targets))
    decision = decide(estimated, found, reliability.level, scenario, heuristics.policy, target)

    def alone(choice: Choice) -> Priced:
        left = judged(choice)
        hours = estimate_alike(estimated, left, heuristics, undertaking)
        return Priced(hours, verdict_of(hours, left, scenario, heuristics.policy, target))

    return Assessment(
        run=run,
        repository=_repository(tree, scanned),
        reliability=reliability,
        credits=scanned.credits,
        files=scanned.files,
        found=found,
        estimate=estimated,
        scenario=scenario,
        decision=decision,
        heuristics=heuristics,
        scope=effects(scope, found.sites, scanned.kernels),
        requirements=requirements(scanned.pins, heuristics, run.rocm, run.gfx, chosen.reasons()),
        scopes=side_by_side(scope, alone, Priced(estimated, decision.verdict)),
    )


def _repository(tree: SourceTree, scanned: Scan) -> Repository:
    languages: Counter[str] = Counter()
    owners: Counter[str] = Counter()
    for count in scanned.files:
        languages[count.language or "other"] += count.lines
        owners[count.owner] += count.lines
    return Repository(
        name=tree.name,
        commit=tree.commit,
        files=len(scanned.files),
        lines=sum(count.lines for count in scanned.files),
        bytes=sum(count.bytes for count in scanned.files),
        languages=dict(sorted(languages.items())),
        owners=dict(sorted(owners.items())),
    )


def _reliability(scope: Scoped, chosen: Choice, scanned: Scan, found: Findings, gaps: tuple[str, ...]) -> Reliability:
    """Shares that say how far the figures can be trusted; the level is the worst of them.

    gaps: what is missing besides. Good: at least 99 % of the bytes read and under 2 % of the parsed
    bytes given up; poor: under 80 % read or over 10 % given up. Sources that are named and missing make it fair at
    best. Limits are judgement; they only lower confidence, never move a figure.
    """
    from estimator.findings.set_apart import set_apart

    read_bytes = sum(count.bytes for count in scanned.files)
    lost = sum(trouble.size for trouble in scanned.troubles if trouble.stage in ("read", "decode"))
    parsed = sum(count.bytes for count in scanned.files if count.language in ("cuda", "cpp", "hip", "python"))
    errors = sum(count.error_bytes for count in scanned.files)
    read_share = read_bytes / (read_bytes + lost) if read_bytes + lost else 0.0
    error_share = errors / parsed if parsed else 0.0
    shares = _confidence_shares(found)
    level, reason = _level(read_share, error_share, shares)
    if scanned.missing and level == "good":
        level, reason = "fair", f"{_named(len({one.name for one in scanned.missing}))} not here"
    excluded: Counter[str] = Counter()
    for item in found.sites:
        if item.disposition == "excluded":
            excluded[item.site.category] += item.site.count
    return Reliability(
        level=level,
        level_reason=reason,
        read_share=read_share,
        error_share=error_share,
        confidence_shares=shares,
        troubles=scanned.troubles,
        skipped=scope.tree.skipped,
        excluded=dict(sorted(excluded.items())),
        gaps=gaps,
        set_apart=set_apart(scope.tree.files, chosen.files, found.sites),
    )


def _done_already(found: Findings, heuristics: Heuristics, undertaking: Programme) -> Iterator[str]:
    """What would come once with a port to AMD and isn't charged, since the project builds for AMD."""
    from estimator.effort.pricing import done_already

    if titles := done_already(found, heuristics.weights, undertaking.anew):
        yield (
            f"The project's own build takes AMD, so a port to AMD is not charged again for: {'; '.join(titles)}."
            " Rewriting kernels in Triton is. If the team is new to GPUs or has no hardware, say so in the scenario"
            " (gpu_experience, hardware_access)."
        )


def _uncalibrated(calibrated: Calibrated | None) -> Iterator[str]:
    """The parts that no finished work of a team stands behind."""
    from estimator.knowledge.values import PARTS

    if calibrated is None:
        yield "The estimate is uncalibrated: no actual hours of this team stand behind it."
    elif left := [part for part in PARTS if part not in calibrated.parts]:
        yield f"The estimate is calibrated on {calibrated.rows_told}; no actual hours stand behind {', '.join(left)}."


def _of_the_target(run: Run, heuristics: Heuristics, width: int) -> Iterator[str]:
    """What the tables don't say, or may no longer say rightly, of the target; a GPU newer than the release."""
    from estimator.knowledge.catalogue import is_older
    from estimator.knowledge.targets import first_rocm_of

    days = (date.fromisoformat(run.date) - date.fromisoformat(heuristics.date)).days
    if days > heuristics.policy.settings["knowledge_days"]:
        yield (
            f"The tables are of {heuristics.date}, {days} days before this assessment: newer ROCm releases may have"
            " what they call missing."
        )
    first = first_rocm_of(run.gfx, heuristics.targets)
    if first and is_older(run.rocm, first):
        yield (
            f"ROCm {run.rocm} does not list {run.gfx} among its GPUs; {first} is the first release that does."
            " Give another --rocm or --gfx: the figures hold only where the two go together."
        )
    if not width:
        yield f"The wavefront of {run.gfx} is not established: warp findings are judged as if it had 64 lanes."


def _known_as(tree: SourceTree, heuristics: Heuristics) -> Iterator[str]:
    """What there is for AMD of the project itself, which may make a port needless."""
    from estimator.findings.requirements import known_as

    for name, component in known_as(tree, heuristics.packages, heuristics.components):
        there = component.amd_native or component.hip_shim or "no counterpart is established"
        maturity = f" ({component.maturity})" if component.maturity else ""
        said = [f"{name} is in the tables: {there}{maturity}", component.note.rstrip(".")]
        where = ", ".join(part for part in (component.source, component.as_of) if part) or "no source yet"
        yield f"{'. '.join(filter(None, said))} ({where}). What is priced here is this code as it is."


def _not_here(scanned: Scan) -> Iterator[str]:
    """CUDA sources that are part of the project and not of what was given to the tool."""
    names = list(dict.fromkeys(one.name for one in scanned.missing))
    if names:
        shown = ", ".join(names[:_MOST_NAMES]) + (" and others" if len(names) > _MOST_NAMES else "")
        yield f"{_named(len(names))} not here: {shown}; what they hold is in no figure."


def _named(count: int) -> str:
    return (
        f"{count:,} CUDA sources that build files name are" if count > 1 else "1 CUDA source that a build file names is"
    )


_MOST_NAMES = 5
_APART = {
    "": "in vendored or generated code: listed, not priced",
    "leave_out": "in what the scope file leaves out: listed, not priced",
    "replace": "in kernels that the scope file replaces, with functions of theirs: the library is priced instead",
    "later": "in what the scope file postpones: priced apart, not in the total",
}


def _not_priced(found: Findings, chosen: Choice) -> Iterator[str]:
    """What was found and set apart, as sentences."""
    from estimator.sources.files import SET_APART

    places: Counter[str] = Counter()
    kernels: Counter[str] = Counter()
    for site in (item.site for item in found.sites if item.disposition == "excluded"):
        entry = None if site.owner in SET_APART else chosen.of_site(site)
        places[entry.table if entry else ""] += site.count
    for kernel in (item.kernel for item in found.kernels if item.disposition == "excluded"):
        entry = None if kernel.owner in SET_APART else chosen.of_kernel(kernel)
        kernels[entry.table if entry else ""] += 1
    for table, where in _APART.items():
        yield from _stand(places[table], kernels[table], where)


def _stand(places: int, kernels: int, where: str) -> Iterator[str]:
    if not places:
        return
    what = "1 place" if places == 1 else f"{places:,} places"
    if kernels:
        what += " and 1 kernel" if kernels == 1 else f" and {kernels:,} kernels"
    stand = "stands" if places == 1 and not kernels else "stand"
    yield f"{what} {stand} {where}."


def _confidence_shares(found: Findings) -> dict[str, float]:
    priced = Counter(item.site.confidence.value for item in found.sites if item.disposition in ("debt", "automatic"))
    total = priced.total()
    return {name: priced[name] / total if total else 0.0 for name in ("parsed", "lexical", "unsure")}


def _level(read_share: float, error_share: float, shares: Mapping[str, float]) -> tuple[str, str]:
    if read_share < READ_SHARE_NEEDED:
        return "poor", f"only {percent(read_share)} of the bytes that matter could be read"
    if error_share > 0.10:
        return "poor", f"the parser gave up on {percent(error_share)} of the source; tokens were read there instead"
    if shares["unsure"] > 0.3:
        return "poor", f"{percent(shares['unsure'])} of the priced places are unsure"
    if read_share < 0.99:
        return "fair", f"{percent(read_share)} of the bytes that matter could be read"
    if error_share > 0.02:
        return "fair", f"the parser gave up on {percent(error_share)} of the source; tokens were read there instead"
    if shares["lexical"] > 0.3:
        lexical = percent(shares["lexical"])
        return "fair", f"{lexical} of the priced places were read by tokens, not from the syntax tree"
    return "good", f"{percent(read_share)} of the bytes read, {percent(error_share)} of the source inside parse errors"


def to_json(assessment: Assessment) -> dict[str, Any]:
    """The JSON form of design and schema: `unwarp schema` prints what it must satisfy."""
    return {**scan_json(assessment), **_judgement(assessment)}


def scan_json(assessment: Assessment) -> dict[str, Any]:
    """What `unwarp scan --format json` gives: everything that was found, nothing that was priced."""
    from estimator.knowledge.targets import memory_of

    run, found = assessment.run, assessment.found
    prices = {(price.path, price.line, price.name): price for price in assessment.estimate.kernels}
    return {
        "schema": SCHEMA,
        "tool": {"name": "unwarp", "version": run.version},
        "run": {
            "date": run.date,
            "target": {
                "rocm": run.rocm,
                "gfx": run.gfx,
                "memory_gib": memory_of(run.gfx, assessment.heuristics.targets),
            },
            "seed": run.seed,
            "command": run.command,
            "audience": run.audience,
            "snippets": run.snippets,
            "knowledge": {"digest": assessment.heuristics.digest, "date": assessment.heuristics.date},
            "scope": [_plain(effect) for effect in assessment.scope],
        },
        "repository": _plain(assessment.repository),
        "reliability": _plain(assessment.reliability),
        "credits": [_plain(credit) for credit in assessment.credits],
        "requirements": [_plain(requirement) for requirement in assessment.requirements],
        "sites": [_site(item, run.snippets) for item in found.sites],
        "kernels": [_kernel(item, prices) for item in found.kernels],
    }


def _site(item: JudgedSite, snippets: str) -> dict[str, Any]:
    site = item.site
    row: dict[str, Any] = {"path": site.path, "line": site.line, "end_line": site.end_line, "column": site.column}
    row["category"] = site.category
    if site.library:
        row["library"] = site.library
    row |= {"symbol": site.symbol, "rule": site.rule, "disposition": item.disposition.value}
    if item.reason:
        row["reason"] = item.reason
    row |= {"confidence": site.confidence.value, "owner": site.owner.value, "guards": list(site.guards)}
    row["excerpt"] = "" if snippets == "none" else site.excerpt
    if site.count > 1:
        row["count"] = site.count
    return row


def _kernel(item: JudgedKernel, prices: Mapping[tuple[str, int, str], KernelPrice]) -> dict[str, Any]:
    kernel = item.kernel
    price = prices.get((kernel.path, kernel.line, kernel.name))
    return {
        "name": kernel.name,
        "path": kernel.path,
        "line": kernel.line,
        "end_line": kernel.end_line,
        "template": kernel.template,
        "features": list(kernel.features),
        "class": kernel.kind,
        "triton_fit": kernel.triton_fit,
        "triton_reason": kernel.triton_reason,
        "launches": kernel.launches,
        "owner": kernel.owner.value,
        "disposition": item.disposition.value,
        **({"replaced_by": item.replaced_by} if item.replaced_by else {}),
        "hours": dict(price.hours) if price else None,
        "plan": price.plan if price else "keep",
    }


def _judgement(assessment: Assessment) -> dict[str, Any]:
    estimated, decision = assessment.estimate, assessment.decision
    return {
        "findings": [_plain(finding) for finding in assessment.found.findings],
        "inventory": _as_given(assessment.found.inventory),
        "estimate": {
            "stage": estimated.stage,
            "sigma": estimated.sigma,
            "hours_per_day": estimated.hours_per_day,
            "reference": _plain(estimated.reference),
            "engineers": estimated.engineers,
            "multipliers": [_scaling(scaling) for scaling in estimated.scalings],
            "options": {name: _option(option) for name, option in estimated.options.items()},
            "speeds": _as_given(estimated.speeds),
            "strategies": _as_given(estimated.strategies),
            "unpriced": [_plain(row) for row in estimated.unpriced],
            "draws": _draws(estimated.draws),
        },
        "scopes": [_scope_total(total) for total in assessment.scopes],
        "scenario": _as_given(assessment.scenario),
        "policy": _as_given(assessment.heuristics.policy),
        "decision": decision_json(decision),
    }


def decision_json(decision: Decision) -> dict[str, Any]:
    """The JSON form of a decision. The growth of the debt is an input to it, so that it isn't rounded."""
    return {**_plain(decision), "growth": _as_given(decision.growth)}


def _scope_total(total: ScopeTotal) -> dict[str, Any]:
    row = {name: value for name, value in _plain(total).items() if name != "entry"}
    entry = total.entry
    told = {"change": entry.table, "path": entry.path, "kernel": entry.kernel, "by": entry.by} if entry else None
    return {"what": row.pop("what"), "entry": told, **row}


def _option(option: OptionEstimate) -> dict[str, Any]:
    return {
        "hours": _plain(option.hours),
        "parts": {name: _plain(spread) for name, spread in option.parts.items()},
        "phases": {name: _plain(spread) for name, spread in option.phases.items()},
        "scopes": {**{name: _plain(spread) for name, spread in option.scopes.items()}, "edits": option.edits},
        "upkeep_year": _plain(option.upkeep),
        "upkeep_of": _as_given(option.upkeep_of),
        "grades": _plain(option.grades),
        "tornado": [_plain(driver) for driver in option.tornado],
        "reason": option.reason,
        "lines": [_line(line) for line in option.lines],
        "risks": [_plain(risk) for risk in option.risks],
        "with_risks": _plain(option.with_risks),
    }


def _scaling(scaling: Scaling) -> dict[str, Any]:
    one = scaling.multiplier
    about = {
        "id": one.id,
        "title": one.title,
        "parts": list(one.parts),
        "weights": list(one.weights),
        "spares": list(one.spares),
    }
    told = {"why": scaling.why, "options": list(scaling.options), "source": scaling.source, "grade": one.grade}
    return {**about, "factor": _as_given(scaling.factor), **told}


def _line(line: EffortLine) -> dict[str, Any]:
    left_out = ("hours",) if line.multiplier else ("hours", "multiplier")
    row = {name: value for name, value in _plain(line).items() if name not in left_out}
    return {**row, "count": line.count, **_as_given(line.hours)}


def _draws(draws: Draws) -> dict[str, Any]:
    """What gives the same draws again, from the lines, and what they are known by."""
    number = max((len(full) for full in draws.full.values()), default=0)
    return {"seed": draws.seed, "number": number, "digest": draws.digest}


def _round(value: float) -> float:
    return round(value, 4)


def _plain(value: Any) -> Any:
    """Dataclasses to dictionaries, enumerations to their values, numbers rounded for stable bytes."""
    return _written(value, _round)


def _as_given(value: Any) -> Any:
    """The same with every number as it is: what other figures are worked out from must not be rounded."""
    return _written(value, float)


def _written(value: Any, number: Callable[[float], float]) -> Any:
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float):
        return number(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _written(getattr(value, field.name), number) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _written(item, number) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_written(item, number) for item in value]
    return value


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the JSON form."""
    text = Path(__file__).with_name("assessment.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
