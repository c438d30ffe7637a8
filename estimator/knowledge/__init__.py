"""What is known about CUDA and its counterparts, from `heuristics/`, giving one checked value: Heuristics.

Each file has a module that reads and checks it alone; this module reads them all, checks what one file
says about another, and stamps the whole with a digest and a date.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from estimator.errors import EstimatorError, did_you_mean, no_such, raise_all

if TYPE_CHECKING:
    from estimator.knowledge.values import ApiName, Component, Heuristics, PtxFamily, Rule, Unpriced, Weight

_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", re.ASCII)


def load_heuristics(folder: Path | None = None, weights_overlay: Path | None = None, *, date: str = "") -> Heuristics:
    """Read and check all knowledge.

    folder: a folder laid out like `heuristics/`; the shipped one by default. weights_overlay: a team's own
    weights, laid over the shipped ones. date: stands in the result instead of the newest date of a fact.
    All faults that one file has with another are reported in one EstimatorError.
    """
    from estimator.knowledge.catalogue import load_catalogue
    from estimator.knowledge.components import load_components
    from estimator.knowledge.frameworks import load_frameworks, load_packages, load_releases
    from estimator.knowledge.multipliers import load_multipliers
    from estimator.knowledge.performance import load_performance
    from estimator.knowledge.policy import load_policy
    from estimator.knowledge.ports import load_ports, load_reference_rule
    from estimator.knowledge.ptx import load_ptx
    from estimator.knowledge.risks import load_risks
    from estimator.knowledge.rules import load_rules
    from estimator.knowledge.strategies import load_strategies
    from estimator.knowledge.targets import load_targets
    from estimator.knowledge.units import load_units
    from estimator.knowledge.values import Heuristics
    from estimator.knowledge.weights import load_calibrated, load_weights
    from estimator.resources import data_folder

    folder = data_folder("heuristics") if folder is None else folder
    if not folder.is_dir():
        raise EstimatorError(f"{folder}: no such folder; it must be laid out like the shipped heuristics/")
    rules = load_rules(folder / "rules")
    shipped = load_weights(folder / "weights" / "default.toml", None)
    weights = load_weights(folder / "weights" / "default.toml", weights_overlay) if weights_overlay else shipped
    components = load_components(folder / "components.csv")
    apis = load_catalogue(folder / "apis")
    ptx = load_ptx(folder / "ptx.toml")
    raise_all([*_rule_faults(rules, weights, components), *_table_faults(folder, apis, ptx, weights, components)])
    policy = load_policy(folder / "policy.toml")
    multipliers = load_multipliers(folder / "multipliers.toml", weights)
    strategies = load_strategies(folder / "strategies.toml", weights)
    frameworks = load_frameworks(folder / "frameworks.csv")
    packages = load_packages(folder / "packages.csv", components, {one.framework for one in frameworks})
    releases = load_releases(folder / "releases.csv")
    dates = [policy.date, *(one.as_of for one in components.values()), *(family.as_of for family in ptx)]
    dates += [*(one.as_of for one in frameworks), *(one.as_of for one in packages), *(one.as_of for one in releases)]
    return Heuristics(
        rules=rules,
        weights=weights,
        units=load_units(folder / "units.toml"),
        policy=policy,
        components=components,
        apis=apis,
        ptx=ptx,
        targets=load_targets(folder / "targets.csv"),
        performance=load_performance(folder / "performance.csv", weights),
        frameworks=frameworks,
        digest=_digest(folder, weights_overlay),
        date=date or _newest(dates),
        packages=packages,
        releases=releases,
        multipliers=multipliers,
        risks=load_risks(folder / "risks.toml", weights, components, multipliers.known),
        ports=load_ports(folder / "ports.csv", [one.id for one in strategies]),
        reference=load_reference_rule(folder / "reference.toml", weights),
        calibrated=load_calibrated(weights_overlay) if weights_overlay else None,
        strategies=strategies,
        shipped=shipped,
    )


def _newest(dates: Iterable[str]) -> str:
    """The newest of dates such as "2026-11-30", "2026-11" and "2026", as a whole one; what is none doesn't count."""
    whole = [f"{text}-01-01"[:10] for text in dates if _DATE.fullmatch(text)]
    return max(whole, default="1970-01-01")


def _rule_faults(
    rules: Iterable[Rule], weights: Mapping[str, Weight | Unpriced], components: Mapping[str, Component]
) -> list[str]:
    faults = []
    for rule in rules:
        where = f"rules/{rule.file}: {rule.id}"
        if rule.effort and rule.effort not in weights:
            faults.append(f"{where}: {no_such('weight class', rule.effort, weights)}")
        if rule.library and rule.library not in components:
            hint = did_you_mean(rule.library, components)
            faults.append(f"{where}: no library '{rule.library}' in components.csv{hint}")
    return faults


def _table_faults(
    folder: Path,
    apis: Mapping[str, ApiName],
    ptx: tuple[PtxFamily, ...],
    weights: Mapping[str, Weight | Unpriced],
    components: Mapping[str, Component],
) -> list[str]:
    from estimator.knowledge.catalogue import libraries

    faults = []
    for library in sorted(libraries(apis) - set(components)):
        hint = did_you_mean(library, components)
        faults.append(f"{folder / 'apis'}: no library '{library}' in components.csv{hint}")
    for family in ptx:
        if family.weight not in weights:
            no_weight = no_such("weight class", family.weight, weights)
            faults.append(f"{folder / 'ptx.toml'}: family {family.id}: {no_weight}")
    return faults


def _digest(folder: Path, overlay: Path | None) -> str:
    """SHA-256 over names and bytes of all data files and of the overlay, first 16 hex digits."""
    files = {path[len(str(folder)) + 1 :].replace(os.sep, "/"): path for path in _data_files(str(folder))}
    if overlay is not None:
        files["(overlay)"] = str(overlay)
    digest = hashlib.sha256()
    for name in sorted(files):
        with open(files[name], "rb") as file:
            content = file.read()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _data_files(folder: str) -> Iterator[str]:
    for where, _, names in os.walk(folder):
        paths = (os.path.join(where, name) for name in names if name.endswith((".toml", ".csv")))
        yield from filter(os.path.isfile, paths)  # a pipe of such a name would never end
