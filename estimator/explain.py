"""What stands behind a name? Rules, categories, prices, libraries, packages, APIs, instructions and terms as text.

From the heuristics alone: no scan is needed to ask what a thing costs and who says so. Only what belongs to one
report, such as the number of a finding, can't be told here, and the answer says where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import product

from estimator.effort.values import BLEND, FUNCTIONAL_PARTS, PORT_OPTIONS
from estimator.errors import EstimatorError, shown
from estimator.findings.requirements import Requirement, in_words, requirements
from estimator.knowledge.catalogue import known_as, newest_release, status_of
from estimator.knowledge.frameworks import package_named
from estimator.knowledge.glossary import Term, load_glossary
from estimator.knowledge.ptx import family_of
from estimator.knowledge.rules import CATEGORIES
from estimator.knowledge.strategies import PREFIX, THOUSANDS
from estimator.knowledge.tables import read_csv
from estimator.knowledge.targets import targets_named
from estimator.knowledge.values import (
    ApiName,
    Component,
    GpuTarget,
    Heuristics,
    Multiplier,
    Package,
    PolicyLine,
    PtxFamily,
    Risk,
    Rule,
    Strategy,
    StrategyCharge,
    Support,
    Unfit,
    Unpriced,
    Weight,
)
from estimator.knowledge.weights import PARTS, PER
from estimator.languages import LANGUAGES
from estimator.languages.facts import Fact, FactKind, Reading
from estimator.languages.requirements import requirement
from estimator.quantities import Hours, Triple, total
from estimator.resources import data_folder
from estimator.scan.match import Matcher
from estimator.scan.sites import Pin

_HOSTS = {"python": "Python", "cpp": "C++"}
NO_TITLES: Mapping[str, str] = {}
_CLOSE = 0.8  # of a hint, as difflib measures it: one letter in five may differ; less is a guess
_SLIP = 0.93  # so near to a known name it is that one with a slip, and no name that only a rule knows
_FEW = 2  # rules that are told in full
_MOST = 8  # components that one counterpart is explained with

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
_PINNED = {
    "prebuilt": "has a prebuilt build for AMD",
    "source": "is built from source for AMD",
    "not-known": "whether it has a build for AMD is not known",
}
_HOST = {
    "leaves": "In triton-first it costs the amd hours of the host code that stays C++; it falls away with the rest.",
    "blends": "In triton-first it goes from the amd hours to its own as host code moves to Python.",
}


def explain(
    thing: str, heuristics: Heuristics, rocm: str = "", gfx: str = "", titles: Mapping[str, str] = NO_TITLES
) -> str:
    """All that the heuristics say about a name, one paragraph for each meaning it has.

    rocm: release that API names and builds are looked up for; the newest of the catalogue by default. gfx: target
    that builds are looked up for; without one they are only listed. titles: names by what a report calls them.
    A name that nothing knows is an EstimatorError with the nearest known one.
    """
    rocm = rocm or newest_release(heuristics.apis)
    asked = thing.strip()
    names = dict.fromkeys((asked, *_readings(asked), *([titles[asked]] if asked in titles else [])))
    found = dict.fromkeys(text for name in names for text in _found(name, heuristics, rocm, gfx))
    return "\n\n".join(found or _otherwise(asked, [*names][-1], heuristics, titles))


def explain_each(
    words: Sequence[str], heuristics: Heuristics, rocm: str = "", gfx: str = "", titles: Mapping[str, str] = NO_TITLES
) -> str:
    """The words as one name if that is known, else each by itself; all that nothing knows in one EstimatorError."""
    try:
        return explain(" ".join(words), heuristics, rocm, gfx, titles)
    except EstimatorError:
        if len(words) == 1:
            raise
    told, unknown = [], []
    for word in dict.fromkeys(words):
        try:
            told.append(explain(word, heuristics, rocm, gfx, titles))
        except EstimatorError as error:
            unknown.append(str(error))
    if unknown:
        raise EstimatorError("\n".join(unknown))
    return "\n\n".join(told)


def _readings(thing: str) -> Iterator[str]:
    """What else a word may stand for: "grade C" for C, "cub::BlockScan<int>" for the name without its arguments."""
    if graded := re.fullmatch(r"(?i)grade ([abc])", thing):
        yield graded[1].upper()
    bare = re.sub(r"(?:<[^<>]*>)?(?:\(\))?;?$", "", thing)
    if bare and bare != thing:
        yield bare


def _found(thing: str, heuristics: Heuristics, rocm: str, gfx: str) -> Iterator[str]:
    for look in _LOOKUPS:
        yield from look(thing, heuristics)
    yield from _packages(thing, heuristics, rocm, gfx)
    yield from _apis(thing, heuristics.apis, rocm)


def _otherwise(asked: str, name: str, heuristics: Heuristics, titles: Mapping[str, str]) -> list[str]:
    """What only the rules know of a name, unless it is a known one with a slip; else an EstimatorError with a hint.

    asked: as the user wrote it. name: the same without what stands around it.
    """
    known = (*_names(heuristics), *titles)
    found = [] if _nearest(asked, known, _SLIP) else _seen_in_code(name, heuristics)
    if not found:
        nearest = _nearest(asked, known, _CLOSE)
        hint = f" (did you mean '{nearest}'?)" if nearest else ""
        raise EstimatorError(f"nothing is known as '{shown(asked, 100)}'{hint}")
    return found


def _nearest(word: str, names: Iterable[str], cutoff: float) -> str:
    """The known name that comes nearest to a word in any case, "" when none is as close as the cutoff."""
    known = {name.casefold(): name for name in reversed(list(names))}
    close = get_close_matches(word.casefold()[:100], known, n=1, cutoff=cutoff)
    return known[close[0]] if close else ""


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
    """A class by its id or title."""
    named = [row for row in heuristics.weights.values() if thing in (row.id, getattr(row, "title", ""))]
    return [_weight(row, heuristics) for row in named]


def _weight(row: Weight | Unpriced, heuristics: Heuristics) -> str:
    users = [rule.id for rule in heuristics.rules if rule.effort == row.id]
    named = f"\nNamed by: {', '.join(users)}" if users else ""
    return _price(row) + named


def _price(weight: Weight | Unpriced) -> str:
    """What a class costs, in hours, and who says so."""
    if isinstance(weight, Unpriced):
        return f"Weight {weight.id}: unpriced: {weight.reason}. Its places are shown, never counted as zero."
    lines = [f"Weight {weight.id}: {weight.title}; {weight.part}, phase '{weight.phase}'"]
    what = "shares of all hours but set-up, learning" if weight.per == "year" else f"h for the first {weight.unit}"
    lines += [
        f"  {option}: {_points(hours)} {what} (low / likely / high, grade {weight.grade.get(option, '')})"
        for option, hours in weight.hours.items()
    ]
    lines.append(f"  Counted per {weight.per}: {PER[weight.per]}")
    lines.append(f"  Units 2 to 10 cost {weight.repeat.to_10:g} of the first, each after {weight.repeat.after:g}.")
    lines += [f"  {text}" for text in _conditions(weight)]
    if weight.why:
        lines.append(f"  {weight.why}")
    lines.append(f"  Source: {weight.source}")
    return "\n".join(lines)


def _points(value: Hours | Triple) -> str:
    return f"{value.low:g} / {value.likely:g} / {value.high:g}"


def _conditions(weight: Weight) -> Iterator[str]:
    """What else decides on a row's hours."""
    if weight.most:
        yield f"Never more than {weight.most:g} likely hours by amd; triton-first ends at the same number of firsts."
    if "*" in weight.charged_with:
        yield "Charged only where there is any debt."
    elif weight.charged_with:
        yield f"Charged only where there is debt of {', '.join(weight.charged_with)}."
    if weight.done_by:
        yield "Counts as done where a build of the project takes AMD already, unless triton-first rewrites kernels."
    if weight.host:
        yield _HOST[weight.host]


def _parts(thing: str, heuristics: Heuristics) -> list[str]:
    """A part with its rows, and what one first unit of each adds up to."""
    rows = [row for row in _priced(heuristics) if row.part == thing]
    if not rows:
        return []
    lines = [f"Part {thing}: {len(rows)} {'row' if len(rows) == 1 else 'rows'}; its hours are the sum of those charged"]
    is_yearly = all(row.per == "year" for row in rows)  # shares of the hours, which don't add up with hours
    what = "shares of all hours but set-up, learning" if is_yearly else "hours of a first unit"
    lines.append(f"  low / likely / high {what}: amd; triton-first")
    lines += [f"  {row.id}: {'; '.join(map(_points, row.hours.values()))} per {row.unit}" for row in rows]
    if not is_yearly:
        sums = (total(row.hours[option] for row in rows) for option in rows[0].hours)
        lines.append(f"  One first unit of each: {'; '.join(map(_points, sums))} h")
    lines += [f"  Scaled by {one.id} if it is on: x {_points(one.factor)}" for one in _scaling(thing, heuristics)]
    return ["\n".join(lines)]


def _scaling(part: str, heuristics: Heuristics) -> list[Multiplier]:
    """The multipliers that act on a part, or on any of its rows."""
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


def _blends(thing: str, heuristics: Heuristics) -> list[str]:
    """What rows are multiplied by where they are blended with ports that happened."""
    rule, ports = heuristics.reference, sum(port.counted for port in heuristics.ports)
    if not ports or thing not in (BLEND, *(f"{BLEND}.{option}" for option in PORT_OPTIONS), rule.blend_title):
        return []
    return [
        f"Multiplier {BLEND}: {rule.blend_title} (grade {rule.blend_grade})\n"
        "  factor = (P50 of the class / P50 of the rows) ** w, with the weight w = near x rows_error ** 2 /\n"
        "  (rows_error ** 2 + class_error ** 2); errors: root mean squares of log(P50/actual) on ports left out.\n"
        f"  The class is a line through {ports} ports by {' and '.join(rule.features)}. Where the scenario names no\n"
        "  team, the class is the mean of the ports, in logarithms, whatever the code holds.\n"
        "  near is 1 where the code lies among the ports by host API files, lines of CUDA and days by rows. Beyond,\n"
        f"  it falls to 0 at {rule.fade:g} times the most that they had, or the least divided by as much. A weight\n"
        f"  below {rule.weight_least:g} counts as none.\n"
        "  It scales the functional scope of amd, and that of triton-first without the kernels that it rewrites: not\n"
        "  what a strategy adds, nor kinds of work that the ports hardly held. `unwarp backtest` tells how it fares.\n"
        f"  Source: {rule.source}"
    ]


def _additions(heuristics: Heuristics) -> Iterator[tuple[str, str, str, str]]:
    """The rows that multipliers can add to a sum: each with its name, the multiplier's, part and phase."""
    acting = [(one.id, one.parts, one.weights) for one in heuristics.multipliers.known.values()]
    acting += [(f"{BLEND}.{option}", FUNCTIONAL_PARTS, ()) for option in PORT_OPTIONS]
    for name, parts, weights in acting:
        rows = (row for row in _priced(heuristics) if row.part in parts or row.id in weights)
        for part, phase in dict.fromkeys((row.part, row.phase) for row in rows):
            yield f"times.{name}.{part}.{phase}", name, part, phase


def _added(thing: str, heuristics: Heuristics) -> list[str]:
    """What a multiplier adds to the rows of one part and phase, by the name of that row, and the multiplier itself."""
    return [
        text
        for row, name, part, phase in _additions(heuristics)
        if row == thing
        for text in (
            f"Row {row}: what multiplier {name} adds to the rows of {part}, phase '{phase}':\n"
            "  (factor - 1) x their hours, as the multipliers above it left them.",
            *_multipliers(name, heuristics),
            *_blends(name, heuristics),
        )
    ]


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
    if risk.lanes:
        yield f"only on targets of {' or '.join(map(str, risk.lanes))} lanes"
    for name, values in risk.scenario.items():
        yield f"only with {name} = {' or '.join(str(value).lower() for value in values)}"
    if risk.unless:
        yield f"not beside {', '.join(risk.unless)}, which count the same"


def _strategies(thing: str, heuristics: Heuristics) -> list[str]:
    """A strategy by its id, its title, or the row that it becomes."""
    return [_strategy(one) for one in heuristics.strategies if thing in (one.id, one.title, f"{PREFIX}{one.id}")]


def _strategy(one: Strategy) -> str:
    upkeep = f"{_points(one.upkeep)} of all hours but set-up, learning" if one.upkeep else "as project.upkeep_year says"
    lines = [
        f"Strategy {one.id}: {one.title}; keeps {one.keeps}; {one.part}, phase '{one.phase}'",
        f"  {one.what}",
        f"  Hours beyond the rows of the weights (low / likely / high, grade {one.grade}):",
        *(f"    {_charge(charge)}" for charge in one.price),
        *([] if one.price else ["    none"]),
        f"  Upkeep a year: {upkeep}",
        *(f"  Not proposed beyond {unfit.most:g} {_counted(unfit)}." for unfit in one.unfit),
        "  The scenario asks for it by its field strategy; without an answer the cheapest that fits is priced.",
        f"  Source: {one.source}",
    ]
    return "\n".join(lines)


def _charge(charge: StrategyCharge) -> str:
    per = f"1,000 {charge.per}" if charge.per in THOUSANDS else charge.per
    host = f", for the share of host code that is {_HOSTS[charge.host]}" if charge.host else ""
    return f"{_points(charge.hours)} h per {per}{host}"


def _counted(unfit: Unfit) -> str:
    return unfit.count or f"distinct names of debt in {', '.join(unfit.weights)}"


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


def _counterparts(thing: str, heuristics: Heuristics) -> list[str]:
    """The components that an AMD library stands in for, by one of the names in their cells."""
    word = thing.casefold()
    known = [one for one in heuristics.components.values() if word in _amd_names(one)]
    twins = [one.name for one in heuristics.packages if "-" in word and word in re.findall(r"[\w.-]+", one.note)]
    told = [f"{thing} is the twin on AMD of the package {', '.join(twins)}"] if twins else []
    if not known:
        return told
    told.append(f"{thing} is on AMD what stands in for {', '.join(one.id for one in known)}")
    return told + [_component(one) for one in known] if len(known) <= _MOST else told


def _amd_names(one: Component) -> set[str]:
    """The names in a component's cells: whole, without brackets, and each of several, in lower case."""
    cells = [cell for cell in (one.amd_native, one.hip_shim) if cell]
    parts = [part for cell in cells for part in re.split(r"[,/();]| or | and ", cell)]
    bare = [cell.split(" (", maxsplit=1)[0] for cell in cells]
    return {name.strip().casefold() for name in (*cells, *bare, *parts) if name.strip()}


def _sourced(source: str, as_of: str) -> str:
    """Where a fact is from and of when; one that was not checked says so."""
    if not source:
        return "Source: none yet; general knowledge that was not checked"
    return f"Source: {source} ({as_of})" if as_of else f"Source: {source}"


def _packages(thing: str, heuristics: Heuristics, rocm: str, gfx: str) -> list[str]:
    """A package or base image by its name in any spelling, or as a requirement, with what frameworks.csv says of it."""
    name, _, specifier = requirement(thing).partition(" ") if "/" not in thing else (thing, "", "")
    package = package_named(name, heuristics.packages)
    return [_package(Pin("", 0, name, specifier, "pip"), package, heuristics, rocm, gfx)] if package else []


def _package(pin: Pin, package: Package, heuristics: Heuristics, rocm: str, gfx: str) -> str:
    rows = [row for row in heuristics.frameworks if row.framework == package.framework]
    component = heuristics.components.get(package.component)
    lines = [f"Package {pin.package}: {_MEANING[package.means] if not rows else 'has builds of its own for AMD'}"]
    if component:
        lines.append(f"Library {component.id}; on AMD: {component.amd_native or 'no counterpart is established'}")
    if package.note:
        lines.append(package.note)
    lines += [_build(row) for row in rows]
    if not rows:
        lines.append(_sourced(package.source, package.as_of))
    else:
        [found] = requirements((pin,), heuristics, rocm, gfx, {})
        lines += _for_target(found, rocm, gfx)
    return "\n".join(lines)


def _for_target(found: Requirement, rocm: str, gfx: str) -> Iterator[str]:
    """What the builds say of the version asked for, and of the target if one is given, as the report says it."""
    if found.pinned:
        yield f"  The version asked for, {found.pinned}: {_PINNED[found.pinned_build]}"
    if gfx:
        yield f"  Target ROCm {rocm}, {gfx}: {in_words(found, rocm, gfx)}"


def _build(row: Support) -> str:
    built = {"yes": "prebuilt", "no": "from source"}.get(row.prebuilt, "how it is built is not established")
    told = (row.version or "version not named", f"ROCm {row.rocm_versions or 'not named'}", row.gfx_targets)
    return f"  {', '.join(text for text in told if text)}: {built}. {_sourced(row.source, row.as_of)}"


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
    lines += [f"  strategy {one.id}" for one in heuristics.strategies if one.grade == thing]
    return ["\n".join(lines)]


def _terms(thing: str, heuristics: Heuristics) -> list[str]:
    return [
        f"Term {term.name}: {term.told(heuristics.units.hours_per_day)}." for term in _glossary() if term.names(thing)
    ]


def _glossary() -> tuple[Term, ...]:
    return load_glossary(data_folder("heuristics") / "glossary.toml")


def _fields(thing: str, heuristics: Heuristics) -> list[str]:
    """A field of the scenario, as the template explains it."""
    told = _questions().get(thing)
    return [f"Field {thing} of the scenario:\n{told}"] if told else []


def _questions() -> dict[str, str]:
    """The paragraph that the scenario's template has for each field; fields that share one have the same."""
    template = (data_folder("heuristics") / "scenario-template.toml").read_text(encoding="utf-8")
    return {
        field: "\n".join(f"  {line.removeprefix('#').removeprefix(' ')}" for line in paragraph.strip().splitlines())
        for paragraph in template.split("\n\n")
        for field in _asked(paragraph)
    }


def _asked(paragraph: str) -> Iterator[str]:
    """The fields that a paragraph of the template asks for; what stands in a table is no field of its own."""
    for field, table in re.findall(r"(?m)^# (?:(\w+) =|\[(\w+)\]$)", paragraph):
        yield field or table
        if table:
            return


def _settings(thing: str, heuristics: Heuristics) -> list[str]:
    policy = heuristics.policy
    if thing not in policy.settings:
        return []
    return [f"Setting {thing} of the policy: {policy.settings[thing]:g}\n{policy.sources.get(thing, '')}".rstrip()]


def _classes(thing: str, heuristics: Heuristics) -> list[str]:
    """What a kernel of a class costs; the term itself is in the glossary."""
    name = f"kernel.{thing.replace('-', '_')}"
    return [_price(row) for row in heuristics.weights.values() if row.id == name or row.id.startswith(f"{name}_")]


def _finding(thing: str, heuristics: Heuristics) -> list[str]:
    """A finding's number says nothing without its report."""
    if not re.fullmatch(r"F\d{3,6}", thing):
        return []
    return [
        f"{thing} is a finding of one report: look for it there, in the section Evidence, or under findings in JSON"
    ]


def _targets(thing: str, heuristics: Heuristics) -> list[str]:
    """One paragraph a target, by its own name or that of a product."""
    names = targets_named(thing, heuristics.targets)
    return [_target([one for one in heuristics.targets if one.target == name]) for name in names]


def _target(rows: Sequence[GpuTarget]) -> str:
    """All products of one target; what they share is said once."""
    one = rows[0]
    first = f"; first ROCm release: {one.first_rocm or 'not established'}" if one.vendor == "AMD" else ""
    lines = [
        f"Target {one.target} ({one.vendor}): {f'{one.width} lanes' if one.width else 'width not known'}{first}",
        *(f"  {_product(row)}" for row in rows),
        f"Source: {'; '.join(dict.fromkeys(part for row in rows for part in row.source.split('; ')))}",
    ]
    return "\n".join(lines)


def _product(row: GpuTarget) -> str:
    memory = f"{row.memory_gib} GiB" if row.memory_gib.strip()[:1].isdecimal() else row.memory_gib
    facts = [memory and f"memory {memory}", row.bandwidth_tbs and f"{row.bandwidth_tbs} TB/s", row.note]
    told = "; ".join(fact for fact in facts if fact)
    return f"{row.products or 'product not named'}{f': {told}' if told else ''}"


def _seen_in_code(thing: str, heuristics: Heuristics) -> list[str]:
    """The rules that would find a name in code, scripts or settings, with their libraries; none for several words."""
    rules: dict[str, Rule] = {}
    if len(thing.split()) != 1:
        return []
    matcher = Matcher(heuristics.rules)
    texts = product(_IN_CODE, (thing, f"{thing}=1"), ("", "host", "kernel"))
    facts = tuple(Fact(kind, text, 1, 1, space=space) for kind, text, space in texts)
    for language in LANGUAGES:
        for hit in matcher.hits(Reading(language.name, 1, facts)):
            rules.setdefault(hit.rule.id, hit.rule)
    if len(rules) > _FEW:
        return ["\n".join((f"{thing} is found by:", *(f"  rule {rule.id}: {rule.title}" for rule in rules.values())))]
    libraries = dict.fromkeys(rule.library for rule in rules.values() if rule.library)
    told = [_component(heuristics.components[name]) for name in libraries if name in heuristics.components]
    return [f"{thing} is found by:\n{_rule(rule, heuristics.weights)}" for rule in rules.values()] + told


def _apis(thing: str, apis: Mapping[str, ApiName], rocm: str) -> list[str]:
    """A CUDA name by itself, or all CUDA names behind a HIP name."""
    return [_api(api, apis, rocm) for api in known_as(thing, apis)]


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
        *(f"{BLEND}.{option}" for option in PORT_OPTIONS),
        *(row for row, *_ in _additions(heuristics)),
        *(risk.id for risk in heuristics.risks),
        *(name for one in heuristics.strategies for name in (one.id, f"{PREFIX}{one.id}")),
        *heuristics.components,
        *(package.name.removesuffix("*") for package in heuristics.packages),
        *heuristics.apis,
        *(prefix for family in heuristics.ptx for prefix in family.match),
        *(line.id for line in heuristics.policy.lines),
        *(name for target in heuristics.targets for name in (target.target, target.products) if name),
        *heuristics.policy.settings,
        *_questions(),
        *(name for term in _glossary() for name in (term.name, *term.also)),
    )


_CHOSEN_BY_THE_CODE = frozenset(
    (
        FactKind.KERNEL,
        FactKind.LAUNCH,
        FactKind.CONSTANT,
        FactKind.LAUNCH_SIZE,
        FactKind.DEFINE,
        FactKind.OPERATOR,
        FactKind.ASM,
        FactKind.LINE,
    )
)
_IN_CODE = tuple(kind for kind in FactKind if kind not in _CHOSEN_BY_THE_CODE)
_Lookup = Callable[[str, Heuristics], list[str]]
_LOOKUPS: tuple[_Lookup, ...] = (
    _rules,
    _categories,
    _weights,
    _parts,
    _multipliers,
    _added,
    _blends,
    _risks,
    _strategies,
    _components,
    _counterparts,
    _instructions,
    _policy,
    _fields,
    _settings,
    _grades,
    _terms,
    _classes,
    _targets,
    _finding,
)
