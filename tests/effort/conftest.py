"""Small findings built by hand, and the shipped knowledge, for the tests of `effort`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from estimator.effort import estimate
from estimator.effort.reference import refer
from estimator.effort.reference_class import Ports, counted
from estimator.effort.values import FUNCTIONAL_PARTS, NO_PROGRAMME, Estimate, Programme, Reference
from estimator.findings.values import Disposition, Finding, Findings, Inventory, JudgedKernel, JudgedSite
from estimator.knowledge import load_heuristics
from estimator.knowledge.performance import load_performance
from estimator.knowledge.units import load_units
from estimator.knowledge.values import Heuristics, Performance, ReferenceRule, Units, Unpriced, Weight
from estimator.knowledge.weights import load_weights
from estimator.scan.sites import Kernel, Site
from estimator.sources.files import Owner

HEURISTICS = Path(__file__).resolve().parents[2] / "heuristics"


Priced = Callable[..., Estimate]
Said = Callable[..., Reference | None]


@pytest.fixture(scope="session")
def weights() -> Mapping[str, Weight | Unpriced]:
    return load_weights(HEURISTICS / "weights" / "default.toml", None)


@pytest.fixture(scope="session")
def units() -> Units:
    return load_units(HEURISTICS / "units.toml")


@pytest.fixture(scope="session")
def performance() -> Mapping[str, Performance]:
    return load_performance(HEURISTICS / "performance.csv")


@pytest.fixture(scope="session")
def priced(weights: Mapping[str, Weight | Unpriced], units: Units, performance: Mapping[str, Performance]) -> Priced:
    """Estimate of a Tree or of Findings with the shipped knowledge and few draws."""

    def run(
        tree: Tree | Findings, *, seed: int = 1, programme: Programme = NO_PROGRAMME, **changes: object
    ) -> Estimate:
        found = tree.found() if isinstance(tree, Tree) else tree
        changed = replace(units, **{"draws": 1000, **changes})
        return estimate(found, weights, changed, performance, seed=seed, programme=programme)

    return run


@pytest.fixture(scope="session")
def tree() -> type[Tree]:
    return Tree


@pytest.fixture(scope="session")
def heuristics() -> Heuristics:
    return load_heuristics()


@pytest.fixture(scope="session")
def ports(heuristics: Heuristics) -> Ports:
    return counted(heuristics.ports)


@pytest.fixture(scope="session")
def rule(heuristics: Heuristics) -> ReferenceRule:
    return heuristics.reference


@pytest.fixture(scope="session")
def said(priced: Priced, heuristics: Heuristics, rule: ReferenceRule) -> Said:
    """What the shipped ports say of a Tree, by the shipped rule or another one."""

    def run(tree: Tree, *, people: int | None = 2, rule: ReferenceRule = rule) -> Reference | None:
        rows = priced(tree).options["amd"]
        lines = [line for line in rows.lines if line.part in FUNCTIONAL_PARTS]
        known = replace(heuristics, reference=rule)
        return refer(tree.found(), lines, rows.scopes["functional"].p50, known, people)

    return run


@pytest.fixture(scope="session")
def among_the_ports() -> Callable[..., Tree]:
    """A Tree as large as the ports that happened, with a place in each of its files."""

    def grown() -> Tree:
        tree = Tree(cuda_lines=5000)
        for number in range(20):
            tree.site("runtime.no_equiv", path=f"{number}.cu")
        return tree

    return grown


@dataclass
class Tree:
    """Collects sites and kernels; `found()` gives the Findings."""

    cuda_lines: int = 0
    changed_lines: int = 0
    python_host: float = 0.0
    amd_build: bool = False
    rows: list[tuple[str, str, Site, Disposition]] = field(default_factory=list)
    kernels: list[JudgedKernel] = field(default_factory=list)

    def site(
        self,
        weight: str,
        symbol: str = "s",
        *,
        path: str = "a.cu",
        line: int = 500,
        end_line: int = 0,
        function: str = "f",
        category: str = "runtime-api",
        disposition: Disposition = Disposition.DEBT,
        count: int = 1,
    ) -> Tree:
        site = Site(path, line, max(line, end_line), 1, category, "rule", symbol, function=function, count=count)
        self.rows.append((weight, category, site, disposition))
        return self

    def kernel(
        self,
        weight: str,
        name: str = "k",
        *,
        path: str = "a.cu",
        line: int = 1,
        features: tuple[str, ...] = (),
        fit: str = "good",
        disposition: Disposition = Disposition.DEBT,
    ) -> Tree:
        kernel = Kernel(path, line, line + 9, name, False, features, "", fit, "because", 1, Owner.OWN)
        self.kernels.append(JudgedKernel(kernel, disposition, weight))
        return self

    def found(self, order: Iterable[int] | None = None) -> Findings:
        """Findings, one per weight and category, in the given order of weights."""
        sites = tuple(JudgedSite(site, disposition) for _, _, site, disposition in self.rows)
        keys = sorted({(weight, category) for weight, category, _, _ in self.rows})
        findings = []
        for number, (weight, category) in enumerate(keys, start=1):
            indexes = tuple(i for i, row in enumerate(self.rows) if row[:2] == (weight, category))
            findings.append(Finding(f"F{number:03}", "rule", category, "", ".", weight, indexes))
        if order is not None:
            findings = [findings[i] for i in order]
        inventory = Inventory(self.cuda_lines, self.changed_lines, self.python_host, False, 0, 0, self.amd_build)
        return Findings(sites, tuple(self.kernels), tuple(findings), inventory)
