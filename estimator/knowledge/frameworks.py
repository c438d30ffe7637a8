"""Which packages have a build for AMD, which versions, and when those came out.

`frameworks.csv` says what a source says of builds, `releases.csv` dates versions upstream, `packages.csv` leads from
the name of a package or base image to both.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from datetime import date
from pathlib import Path

from estimator.errors import raise_all
from estimator.knowledge.tables import read_rows
from estimator.knowledge.values import Package, Release, Support
from estimator.knowledge.versions import key_of
from estimator.languages.requirements import normalised

FRAMEWORK_COLUMNS = ("framework", "version", "rocm_versions", "gfx_targets", "prebuilt", "source", "as_of")
PACKAGE_COLUMNS = ("package", "component", "framework", "means", "note", "source", "as_of")
RELEASE_COLUMNS = ("framework", "version", "released", "source", "as_of")
MEANINGS = ("", "prebuilt", "source", "absorbed", "falls-away", "none")
PREBUILT = ("", "yes", "no")


def load_frameworks(path: Path) -> tuple[Support, ...]:
    """What the sources say of builds, in the order of the file. All faults of the file are one EstimatorError."""
    rows: list[Support] = []
    faults: list[str] = []
    for cells in read_rows(path, FRAMEWORK_COLUMNS, "framework", f"{len(FRAMEWORK_COLUMNS)} cells", faults):
        rows.append(Support(*cells))
        if rows[-1].prebuilt not in PREBUILT:
            faults.append(f"{path}: {rows[-1].framework}: prebuilt '{rows[-1].prebuilt}' must be yes, no or empty")
    raise_all(faults)
    return tuple(rows)


def load_packages(path: Path, components: Container[str], frameworks: Container[str]) -> tuple[Package, ...]:
    """All packages, exact names first, then those with a star, the longest first: the first that fits is the answer.

    components, frameworks: names that a package may lead to. All faults of the file are one EstimatorError.
    """
    packages: dict[str, Package] = {}
    faults: list[str] = []
    for cells in read_rows(path, PACKAGE_COLUMNS, "package", f"{len(PACKAGE_COLUMNS)} cells with a name", faults):
        package = Package(*cells)
        if fault := _package_fault(package, packages, components, frameworks):
            faults.append(f"{path}: {package.name}: {fault}")
        packages[package.name] = package
    raise_all(faults)
    return tuple(sorted(packages.values(), key=lambda one: (one.name.endswith("*"), -len(one.name), one.name)))


def _package_fault(
    package: Package, seen: Container[str], components: Container[str], frameworks: Container[str]
) -> str:
    """What is wrong with a package, "" for nothing."""
    if package.name in seen:
        return "the name stands in the file already"
    name = package.name.removesuffix("*")
    if "/" not in name and name != normalised(name):
        return f"the normal form is '{normalised(name)}'"
    if package.component and package.component not in components:
        return f"no component '{package.component}' in components.csv"
    if package.framework and package.framework not in frameworks:
        return f"no framework '{package.framework}' in frameworks.csv"
    if package.means not in MEANINGS:
        return f"no meaning '{package.means}'; one of {', '.join(MEANINGS[1:])}"
    return "frameworks.csv says what it means" if package.framework and package.means else ""


def load_releases(path: Path) -> tuple[Release, ...]:
    """Upstream releases in the order of the file; a version or date that can't be read is an EstimatorError."""
    needed = "framework, version, ISO date and source"
    releases: list[Release] = []
    faults: list[str] = []
    for cells in read_rows(path, RELEASE_COLUMNS, "framework", needed, faults):
        releases.append(Release(*cells))
        if key_of(releases[-1].version) is None or not _is_date(releases[-1].released):
            faults.append(f"{path}: row '{releases[-1].framework}': {needed} are needed")
    raise_all(faults)
    return tuple(releases)


def package_named(name: str, packages: Iterable[Package]) -> Package | None:
    """The first package that a name in its normal form fits, of packages in the order of `load_packages`."""
    for package in packages:
        if package.name.endswith("*"):
            if name.startswith(package.name[:-1]):
                return package
        elif name == package.name:
            return package
    return None


def _is_date(text: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d{2}-\d{2}", text)) and date.fromisoformat(text) is not None
    except ValueError:
        return False
