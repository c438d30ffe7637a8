"""What stands behind a name? A rule, category, weight, API, instruction, library, criterion, grade or term as text.

From the heuristics alone: no scan is needed to ask what a thing costs and who says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from estimator.errors import EstimatorError
from estimator.knowledge.catalogue import newest_release, status_of
from estimator.knowledge.glossary import Term, load_glossary
from estimator.knowledge.rules import CATEGORIES, did_you_mean
from estimator.knowledge.tables import read_csv
from estimator.knowledge.values import ApiName, Component, Heuristics, PolicyLine, PtxFamily, Rule, Unpriced, Weight
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
    for option, hours in weight.hours.items():
        grade = weight.grade.get(option, "")
        lines.append(
            f"  {option}: {hours.low:g} / {hours.likely:g} / {hours.high:g} h for the first {weight.unit}"
            f" (low / likely / high, grade {grade})"
        )
    lines.append(f"  Units 2 to 10 cost {weight.repeat.to_10:g} of the first, each after {weight.repeat.after:g}.")
    lines.append(f"  {weight.why}" if weight.why else "")
    lines.append(f"  Source: {weight.source}")
    return "\n".join(line for line in lines if line)


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
    lines.append(f"Source: {one.source} ({one.as_of})")
    return "\n".join(lines)


def _instructions(thing: str, heuristics: Heuristics) -> list[str]:
    """A family by its id, or the family of an instruction: the longest prefix, dot by dot, wins."""
    by_id = [family for family in heuristics.ptx if family.id == thing]
    fits = [
        (len(prefix), family)
        for family in heuristics.ptx
        for prefix in family.match
        if thing == prefix or thing.startswith(prefix + ".")
    ]
    found = by_id or ([max(fits, key=lambda fit: fit[0])[1]] if fits else [])
    return [_family(family, heuristics.weights) for family in found]


def _family(family: PtxFamily, weights: Mapping[str, Weight | Unpriced]) -> str:
    lines = [
        f"PTX {family.id} ({', '.join(family.match)}): {family.does}",
        f"On AMD: {family.amd}",
        f"In Triton: {family.triton}",
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


def _grades(thing: str, _: Heuristics) -> list[str]:
    return [f"Grade {thing}: {GRADES[thing]}."] if thing in GRADES else []


def _terms(thing: str, heuristics: Heuristics) -> list[str]:
    return [
        f"Term {term.name}: {term.told(heuristics.units.hours_per_day)}." for term in _glossary() if term.names(thing)
    ]


def _glossary() -> tuple[Term, ...]:
    return load_glossary(data_folder("heuristics") / "glossary.toml")


def _targets(thing: str, heuristics: Heuristics) -> list[str]:
    return [
        f"Target {one.target} ({one.vendor}): {one.products}; {one.width} lanes\nSource: {one.source}"
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
        *heuristics.components,
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
    _components,
    _instructions,
    _policy,
    _grades,
    _terms,
    _targets,
)
