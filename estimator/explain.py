"""What stands behind a name? A rule, category, weight, part, multiplier, risk, API, library, grade or term as text.

From the heuristics alone: no scan is needed to ask what a thing costs and who says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from estimator.errors import EstimatorError
from estimator.knowledge.catalogue import newest_release, status_of
from estimator.knowledge.frameworks import package_named
from estimator.knowledge.glossary import Term, load_glossary
from estimator.knowledge.ptx import family_of
from estimator.knowledge.rules import CATEGORIES, did_you_mean
from estimator.knowledge.tables import read_csv
from estimator.knowledge.values import (
    ApiName,
    Component,
    Heuristics,
    Multiplier,
    Package,
    PolicyLine,
    PtxFamily,
    Risk,
    Rule,
    Unpriced,
    Weight,
)
from estimator.knowledge.weights import PARTS, PER
from estimator.languages.requirements import normalised
from estimator.quantities import Hours, Triple, total
from estimator.resources import data_folder

GRADES = {
    "A": "measured: fitted to finished ports or to runs on hardware, with its sample",
    "B": "published: derived from figures that others printed, or from ports that anyone can read",
    "C": "judgement: nobody has measured it; the range is wide on purpose",
}
_STATUS = {
    "renamed": "renamed by a tool",
    "renamed-arguments-differ": "renamed, but its arguments differ: by hand",
    "same-name": "the same name",
    "rewrite": "no twin: the call is rewritten",
    "none": "no counterpart in this release",
    "verify": "a name of that form exists; whether it does the same was not verified",
}

_MEANING = {
    "": "whether there is a build for AMD is not known",
    "prebuilt": "has a prebuilt build for AMD",
    "source": "is built from source for AMD",
    "absorbed": "comes with the framework's ROCm build, or with ROCm",
    "falls-away": "falls away on AMD",
    "none": "no build for AMD under this name",
}


def explain(thing: str, heuristics: Heuristics, rocm: str = "") -> str:
    """All that the heuristics say about a name, one paragraph for each meaning it has.

    rocm: release that API names are looked up for; the newest of the catalogue by default. A name that
    nothing knows is an EstimatorError with the nearest known one.
    """
    rocm = rocm or newest_release(heuristics.apis)
    found = [text for look in _LOOKUPS for text in look(thing.strip(), heuristics)]
    found += _apis(thing.strip(), heuristics.apis, rocm)
    found = list(dict.fromkeys(found))
    if not found:
        raise EstimatorError(f"nothing is known as '{thing}'{did_you_mean(thing, _names(heuristics))}")
    return "\n\n".join(found)


def _rules(thing: str, heuristics: Heuristics) -> list[str]:
    return [_rule(rule, heuristics.weights) for rule in heuristics.rules if rule.id == thing]


def _rule(rule: Rule, weights: Mapping[str, Weight | Unpriced]) -> str:
    lines = [f"Rule {rule.id} ({rule.category}): {rule.title}", rule.why]
    if rule.remedy:
        lines.append(f"What to do: {rule.remedy}")
    if rule.library:
        lines.append(f"Library: {rule.library}")
    if rule.credit:
        lines.append("A credit: portable already, counted and not priced.")
    elif rule.effort:
        lines.append(_price(weights[rule.effort]))
    lines.append(f"Source: {'; '.join(rule.sources)}")
    lines.append(f"File: heuristics/rules/{rule.file}, {len(rule.examples)} examples")
    return "\n".join(lines)


def _categories(thing: str, heuristics: Heuristics) -> list[str]:
    if thing not in CATEGORIES:
        return []
    rows = read_csv(data_folder("heuristics") / "categories.csv", ("id", "meaning", "not"))
    row = next(row for row in rows if row["id"] == thing)
    lines = [f"Category {thing}: {row['meaning']}."]
    if row["not"]:
        lines.append(f"Not: {row['not']}.")
    lines += [f"  rule {rule.id}: {rule.title}" for rule in heuristics.rules if rule.category == thing]
    return ["\n".join(lines)]


def _weights(thing: str, heuristics: Heuristics) -> list[str]:
    if thing not in heuristics.weights:
        return []
    users = [rule.id for rule in heuristics.rules if rule.effort == thing]
    lines = [_price(heuristics.weights[thing])]
    if users:
        lines.append(f"Named by: {', '.join(users)}")
    return ["\n".join(lines)]


def _price(weight: Weight | Unpriced) -> str:
    """What a class costs, in hours, and who says so."""
    if isinstance(weight, Unpriced):
        return f"Weight {weight.id}: unpriced: {weight.reason}. Its places are shown, never counted as zero."
    lines = [f"Weight {weight.id}: {weight.title}; {weight.part}, phase '{weight.phase}'"]
    what = "shares of the one-off hours" if weight.per == "year" else f"h for the first {weight.unit}"
    lines += [
        f"  {option}: {_points(hours)} {what} (low / likely / high, grade {weight.grade.get(option, '')})"
        for option, hours in weight.hours.items()
    ]
    lines.append(f"  Counted per {weight.per}: {PER[weight.per]}")
    lines.append(f"  Units 2 to 10 cost {weight.repeat.to_10:g} of the first, each after {weight.repeat.after:g}.")
    lines += [f"  {text}" for text in _conditions(weight)]
    lines.append(f"  {weight.why}" if weight.why else "")
    lines.append(f"  Source: {weight.source}")
    return "\n".join(line for line in lines if line)


def _points(value: Hours | Triple) -> str:
    return f"{value.low:g} / {value.likely:g} / {value.high:g}"


_HOST = {
    "leaves": "In triton-first it costs the amd hours of the host code that stays C++; it falls away with the rest.",
    "blends": "In triton-first it goes from the amd hours to its own as host code moves to Python.",
}


def _conditions(weight: Weight) -> Iterator[str]:
    """What else decides on a row's hours."""
    if weight.most:
        yield f"Never more than {weight.most:g} likely hours by amd; triton-first ends at the same number of firsts."
    if "*" in weight.charged_with:
        yield "Charged only where there is any debt."
    elif weight.charged_with:
        yield f"Charged only where there is debt of {', '.join(weight.charged_with)}."
    if weight.host:
        yield _HOST[weight.host]


def _parts(thing: str, heuristics: Heuristics) -> list[str]:
    """A part with its rows, and what one first unit of each adds up to."""
    rows = [row for row in _priced(heuristics) if row.part == thing]
    if not rows:
        return []
    lines = [f"Part {thing}: {len(rows)} {'row' if len(rows) == 1 else 'rows'}; its hours are the sum of those charged"]
    lines.append("  low / likely / high hours of a first unit: amd; triton-first")
    lines += [f"  {row.id}: {'; '.join(map(_points, row.hours.values()))} per {row.unit}" for row in rows]
    sums = (total(row.hours[option] for row in rows) for option in rows[0].hours)
    if thing != "upkeep":
        lines.append(f"  One first unit of each: {'; '.join(map(_points, sums))} h")
    lines += [f"  Scaled by {one.id} if it is on: x {_points(one.factor)}" for one in _scaling(thing, heuristics)]
    return ["\n".join(lines)]


def _scaling(part: str, heuristics: Heuristics) -> list[Multiplier]:
    return [
        one
        for one in heuristics.multipliers.known.values()
        if part in one.parts or any(row.part == part and row.id in one.weights for row in _priced(heuristics))
    ]


def _priced(heuristics: Heuristics) -> list[Weight]:
    return [row for row in heuristics.weights.values() if isinstance(row, Weight)]


def _multipliers(thing: str, heuristics: Heuristics) -> list[str]:
    return [_multiplier(one) for one in heuristics.multipliers.known.values() if thing in (one.id, one.title)]


def _multiplier(one: Multiplier) -> str:
    on = [f"{name} = {str(value).lower()}" for name, values in one.on.items() for value in values]
    switches = " or ".join((f"multipliers.{one.id} = true", *on))
    return "\n".join(
        (
            f"Multiplier {one.id}: {one.title}; x {_points(one.factor)} (low / likely / high, grade {one.grade})",
            f"  Off, unless the scenario says {switches}. It scales {', '.join((*one.parts, *one.weights))}.",
            f"  {one.why}",
            f"  Source: {one.source}",
        )
    )


def _risks(thing: str, heuristics: Heuristics) -> list[str]:
    return [_risk(risk) for risk in heuristics.risks if thing in (risk.id, risk.title)]


def _risk(risk: Risk) -> str:
    what = f"of the hours of {', '.join(risk.share_of)}" if risk.share_of else "h"
    probability = f"probability {_points(risk.probability)} (low / likely / high, grade {risk.grade})"
    lines = [
        f"Risk {risk.id}: {risk.title}; {probability}",
        *(f"  {option}: {_points(impact)} {what} if it comes" for option, impact in risk.impact.items()),
        f"  {'; '.join(_when(risk))}.",
        f"  {risk.why}",
        f"  What to do: {risk.mitigation}",
        f"  Source: {risk.source}",
    ]
    return "\n".join(lines)


def _when(risk: Risk) -> Iterator[str]:
    """On what a risk depends."""
    named = ", ".join((*risk.weights, *risk.categories, *risk.libraries))
    places = "1 place" if risk.at_least == 1 else f"{risk.at_least} places"
    yield f"May come with {places} or more of {'any debt' if named == '*' else f'debt of {named}'}"
    for name, values in risk.scenario.items():
        yield f"only with {name} = {' or '.join(str(value).lower() for value in values)}"
    if risk.unless:
        yield f"not beside {', '.join(risk.unless)}, which count the same"


def _components(thing: str, heuristics: Heuristics) -> list[str]:
    return [
        _component(one)
        for one in heuristics.components.values()
        if thing.lower() in (one.id.lower(), one.title.lower())
    ]


def _component(one: Component) -> str:
    lines = [f"Library {one.id}: {one.title}"]
    if one.amd_native:
        lines.append(f"On AMD: {one.amd_native}")
    if one.hip_shim:
        lines.append(f"By way of HIP: {one.hip_shim}")
    if not (one.amd_native or one.hip_shim):
        lines.append("On AMD: no counterpart is established")
    lines.append(f"Porting: {one.port_kind or 'not established'}; maturity: {one.maturity or 'not established'}")
    if one.note:
        lines.append(one.note)
    lines.append(_sourced(one.source, one.as_of))
    return "\n".join(lines)


def _sourced(source: str, as_of: str) -> str:
    """Where a fact is from and of when; one that was not checked says so."""
    if not source:
        return "Source: none yet; general knowledge that was not checked"
    return f"Source: {source} ({as_of})" if as_of else f"Source: {source}"


def _packages(thing: str, heuristics: Heuristics) -> list[str]:
    """A package or base image by its name in any spelling, with what frameworks.csv says of its builds."""
    name = thing if "/" in thing else normalised(thing)
    package = package_named(name, heuristics.packages)
    return [_package(name, package, heuristics)] if package else []


def _package(name: str, package: Package, heuristics: Heuristics) -> str:
    rows = [row for row in heuristics.frameworks if row["framework"] == package.framework]
    component = heuristics.components.get(package.component)
    lines = [f"Package {name}: {_MEANING[package.means] if not rows else 'has builds of its own for AMD'}"]
    if component:
        lines.append(f"Library {component.id}; on AMD: {component.amd_native or 'no counterpart is established'}")
    if package.note:
        lines.append(package.note)
    lines += [_build(row) for row in rows]
    if not rows:
        lines.append(_sourced(package.source, package.as_of))
    return "\n".join(lines)


def _build(row: Mapping[str, str]) -> str:
    built = {"yes": "prebuilt", "no": "from source"}.get(row["prebuilt"], "how it is built is not established")
    told = (row["version"] or "version not named", f"ROCm {row['rocm_versions'] or 'not named'}", row["gfx_targets"])
    return f"  {', '.join(text for text in told if text)}: {built}. {_sourced(row['source'], row['as_of'])}"


def _instructions(thing: str, heuristics: Heuristics) -> list[str]:
    """A family by its id, or the family of an instruction: the longest prefix, dot by dot, wins."""
    by_id = [family for family in heuristics.ptx if family.id == thing]
    named = family_of(thing, heuristics.ptx)
    found = by_id or ([named] if named else [])
    return [_family(family, heuristics.weights) for family in found]


def _family(family: PtxFamily, weights: Mapping[str, Weight | Unpriced]) -> str:
    having = f" with one of {', '.join(family.having)}" if family.having else ""
    lines = [
        f"PTX {family.id} ({', '.join(family.match)}{having}): {family.does}",
        f"On AMD: {family.amd}",
        *([f"Since: {family.since}"] if family.since else []),
        f"In Triton: {family.triton}",
        f"Names checked against: {', '.join(family.checked) or 'nothing, not verified'}",
    ]
    if family.weight in weights:
        lines.append(_price(weights[family.weight]))
    lines.append(f"Source: {family.source} ({family.as_of})")
    return "\n".join(lines)


def _policy(thing: str, heuristics: Heuristics) -> list[str]:
    return [_criterion(line) for line in heuristics.policy.lines if line.id == thing]


def _criterion(line: PolicyLine) -> str:
    limits = ", ".join(f"{name} {value:g}" for name, value in line.thresholds.items())
    text = line.text.replace("{figure}", "…").replace("{team}", "the team")
    lines = [f"Criterion {line.id}: speaks for {line.favours}, {line.points:g} points", text]
    if limits:
        lines.append(f"Thresholds: {limits}")
    lines.append(f"Source: {line.source}")
    return "\n".join(lines)


def _grades(thing: str, heuristics: Heuristics) -> list[str]:
    """A grade, with the rows that have it in each column."""
    if thing not in GRADES:
        return []
    lines, rows = [f"Grade {thing}: {GRADES[thing]}."], _priced(heuristics)
    for option in rows[0].hours if rows else ():
        graded = [row.id for row in rows if row.grade[option] == thing]
        lines.append(f"  {option}: {len(graded)} of {len(rows)} rows: {', '.join(graded) or 'none'}")
    lines += [f"  multiplier {one.id}" for one in heuristics.multipliers.known.values() if one.grade == thing]
    lines += [f"  risk {risk.id}" for risk in heuristics.risks if risk.grade == thing]
    return ["\n".join(lines)]


def _terms(thing: str, heuristics: Heuristics) -> list[str]:
    return [
        f"Term {term.name}: {term.told(heuristics.units.hours_per_day)}." for term in _glossary() if term.names(thing)
    ]


def _glossary() -> tuple[Term, ...]:
    return load_glossary(data_folder("heuristics") / "glossary.toml")


def _targets(thing: str, heuristics: Heuristics) -> list[str]:
    return [
        f"Target {one.target} ({one.vendor}): {one.products or 'product not named'}; "
        f"{f'{one.width} lanes' if one.width else 'width not known'}\nSource: {one.source}"
        for one in heuristics.targets
        if one.target == thing
    ]


def _apis(thing: str, apis: Mapping[str, ApiName], rocm: str) -> list[str]:
    """A CUDA name by itself, or all CUDA names behind a HIP name."""
    found = [apis[thing]] if thing in apis else [api for api in apis.values() if api.hip_name == thing]
    return [_api(api, apis, rocm) for api in found]


def _api(api: ApiName, apis: Mapping[str, ApiName], rocm: str) -> str:
    status = status_of(api.cuda_name, apis, rocm)
    lines = [f"{api.cuda_name} ({api.library}) at ROCm {rocm}: {_STATUS.get(status, status)}"]
    if api.hip_name:
        since = f", since ROCm {api.since_rocm}" if api.since_rocm else ""
        lines.append(f"HIP name: {api.hip_name}{since}")
    if api.until_cuda:
        lines.append(f"In CUDA until {api.until_cuda}")
    lines.append(f"Evidence: {api.evidence}")
    return "\n".join(lines)


def _names(heuristics: Heuristics) -> Iterable[str]:
    return (
        *(rule.id for rule in heuristics.rules),
        *CATEGORIES,
        *heuristics.weights,
        *PARTS,
        *heuristics.multipliers.known,
        *(risk.id for risk in heuristics.risks),
        *heuristics.components,
        *(package.name.removesuffix("*") for package in heuristics.packages),
        *heuristics.apis,
        *(prefix for family in heuristics.ptx for prefix in family.match),
        *(line.id for line in heuristics.policy.lines),
        *(target.target for target in heuristics.targets),
        *(name for term in _glossary() for name in (term.name, *term.also)),
    )


_Lookup = Callable[[str, Heuristics], list[str]]
_LOOKUPS: tuple[_Lookup, ...] = (
    _rules,
    _categories,
    _weights,
    _parts,
    _multipliers,
    _risks,
    _components,
    _packages,
    _instructions,
    _policy,
    _grades,
    _terms,
    _targets,
)
