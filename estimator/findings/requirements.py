"""What the required packages and base images mean on AMD: which have a build, for which ROCm and GPU, how late it is.

From the pins of a Scan, `packages.csv`, `frameworks.csv` and `releases.csv` to one Requirement a pin. What no source
says is not known, and said so: nothing is concluded from a row that isn't there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from estimator.knowledge.catalogue import is_older
from estimator.knowledge.frameworks import package_named
from estimator.knowledge.values import Component, Heuristics, Package, Release, Support
from estimator.knowledge.versions import Key, allows, covers, key_of, named, pinned
from estimator.languages.requirements import normalised
from estimator.scan.sites import Pin
from estimator.sources.files import SET_APART, SourceTree

_GFX = re.compile(r"\bgfx[0-9a-fx]+\b")
_AGE = re.compile(r"[-_](?:v?\d+(?:\.\w+)*(?:\+[\w.]+)?|[0-9a-f]{40}|main|master)$")  # of an archive or its folder
_BUILT_FOR = re.compile(r"-(?:python|cuda\d*x?|cu\d+)$")
_NAME = re.compile(r"""^[ \t]*name[ \t]*=[ \t]*["']?([\w.-]{1,100})""", re.MULTILINE)
_NAMES_ITSELF = {  # files of the root, and what its name stands behind there
    "pyproject.toml": re.compile(r"^\[(?:project|tool\.poetry)\]", re.MULTILINE),
    "setup.cfg": re.compile(r"^\[metadata\]", re.MULTILINE),
    "setup.py": re.compile(r"\bsetup\("),
}
_NEEDS = re.compile(r"^(?:(?P<gpu>gfx\w+)\s+)?(?P<least>>=)?\s*(?P<release>\d{1,9}(?:\.\d{1,9})*)(?:\.x)?$")


class Status(StrEnum):
    """What there is for AMD under a package's name.

    absorbed: comes with the framework's ROCm build, or with ROCm. falls-away: nothing takes its place. none: no build
    under this name; the component's counterpart, if there is one, has another name and interface.
    """

    PREBUILT = "prebuilt"
    SOURCE = "source"
    ABSORBED = "absorbed"
    FALLS_AWAY = "falls-away"
    NONE = "none"
    NOT_KNOWN = "not-known"


class Fit(StrEnum):
    """What the known builds say of the target.

    named: one names its ROCm release and its GPU. release: one names the release and no GPU. other-gfx: all name GPUs,
    never this one. newer-rocm: newer releases only. other-rocm: other releases only. not-known: they name none.
    """

    NAMED = "named"
    RELEASE = "release"
    OTHER_GFX = "other-gfx"
    NEWER_ROCM = "newer-rocm"
    OTHER_ROCM = "other-rocm"
    NOT_KNOWN = "not-known"


@dataclass(frozen=True, slots=True, order=True)
class Requirement:
    """One required package or base image.

    pinned: the specifier as written, "" for any version. component: id in components.csv, "" for none.
    pinned_build: whether the versions that it allows have a build: prebuilt, source or not-known; "" where nothing is
    pinned or the package has no versions for AMD. newest: newest version upstream. newest_amd: newest version with a
    prebuilt build or, if none has one, a build from source; rocm, gfx: what is published of it.
    newest_source: a newer one than that, known to build but not as a prebuilt build. target: what the builds say of
    the target; for_target: newest version of those that name it or, without any, its release alone. lag_months: whole
    months between the upstream releases of newest_amd and newest; None where one of the two dates isn't known. Texts
    are empty where nothing is known.
    """

    path: str
    line: int
    package: str
    pinned: str
    manager: str
    component: str
    status: Status
    pinned_build: str = ""
    newest: str = ""
    newest_amd: str = ""
    newest_source: str = ""
    rocm: str = ""
    gfx: str = ""
    target: Fit = Fit.NOT_KNOWN
    for_target: str = ""
    lag_months: int | None = None
    note: str = ""
    source: str = ""
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class _Build:
    """One version that a row names, with its row."""

    key: Key
    version: str
    row: Support


def requirements(
    pins: Iterable[Pin], heuristics: Heuristics, rocm: str, gfx: str, left_out: Mapping[str, str]
) -> tuple[Requirement, ...]:
    """One requirement for each pin of the own code, sorted by place.

    rocm, gfx: the target. left_out: files that the user leaves out, by path.
    """
    own = (pin for pin in pins if pin.owner not in SET_APART and pin.path not in left_out)
    return tuple(sorted(_requirement(pin, heuristics, rocm, gfx) for pin in own))


def _requirement(pin: Pin, heuristics: Heuristics, rocm: str, gfx: str) -> Requirement:
    package = package_named(pin.package, heuristics.packages) if pin.manager != "cargo" else None
    component = heuristics.components.get(package.component if package else pin.library)
    rows = tuple(row for row in heuristics.frameworks if package and row.framework == package.framework)
    told = _without_rows(pin, package, component)
    if package is None or not rows:
        return told
    builds = _builds(rows)
    newest, newest_source = _newest(builds)
    latest = _latest(package.framework, heuristics.releases)
    speaks = _speaking(builds, newest) or rows
    return replace(
        told,
        status=_status(rows),
        pinned_build=_pinned_build(pin.specifier, builds),
        newest=latest.version if latest else "",
        newest_amd=newest.version if newest else "",
        newest_source=newest_source.version if newest_source else "",
        rocm=_joined(row.rocm_versions for row in speaks),
        gfx=_joined(row.gfx_targets for row in speaks),
        target=_fit(rows, rocm, gfx),
        for_target=_for_target(rows, rocm, gfx),
        lag_months=_lag(package.framework, newest, latest, heuristics.releases),
        source=_joined(row.source for row in speaks),
        as_of=max(row.as_of for row in speaks),
    )


def _without_rows(pin: Pin, package: Package | None, component: Component | None) -> Requirement:
    """What `packages.csv` alone says, if anything. The component's source stands in for one that isn't given."""
    status = Status(package.means) if package and package.means else Status.NOT_KNOWN
    sourced = package if package and package.source else component
    return Requirement(
        path=pin.path,
        line=pin.line,
        package=pin.package,
        pinned=pin.specifier,
        manager=pin.manager,
        component=component.id if component else "",
        status=status,
        note=package.note if package else "",
        source=sourced.source if sourced else "",
        as_of=sourced.as_of if sourced else "",
    )


def _builds(rows: Iterable[Support]) -> tuple[_Build, ...]:
    """The versions that the rows name, of a range its last one, the newest first."""
    builds = [_Build(key, _bare(last), row) for row in rows for _, last in named(row.version) if (key := key_of(last))]
    return tuple(sorted(builds, key=lambda build: build.key, reverse=True))


def _bare(version: str) -> str:
    """A version without what stands in brackets behind it."""
    return version.split(" ", maxsplit=1)[0]


def _newest(builds: Sequence[_Build]) -> tuple[_Build | None, _Build | None]:
    """The newest version that is prebuilt, else the newest at all; and a newer one that isn't, if there is one."""
    if not builds:
        return None, None
    prebuilt = next((build for build in builds if build.row.prebuilt == "yes"), None)
    if prebuilt is None or prebuilt.key == builds[0].key:
        return prebuilt or builds[0], None
    return prebuilt, builds[0]


def _speaking(builds: Iterable[_Build], newest: _Build | None) -> list[Support]:
    """The rows that name the newest version and build it the same way."""
    if newest is None:
        return []
    alike = (newest.key, newest.row.prebuilt)
    return [build.row for build in builds if (build.key, build.row.prebuilt) == alike]


def _status(rows: Iterable[Support]) -> Status:
    """Prebuilt if any row says so, else source if any says so; a row that doesn't say leaves it open."""
    said = {row.prebuilt for row in rows}
    return Status.PREBUILT if "yes" in said else Status.SOURCE if "no" in said else Status.NOT_KNOWN


def _pinned_build(specifier: str, builds: Iterable[_Build]) -> str:
    """Status of the builds that a specifier allows, "" for one that asks for no version."""
    if not specifier:
        return ""
    version = pinned(specifier)
    allowed = [
        build.row for build in builds if (_covered(build.row, version) if version else allows(specifier, build.version))
    ]
    return _status(allowed).value


def _covered(row: Support, version: str) -> bool:
    return any(covers(first, last, version) for first, last in named(row.version))


def _fit(rows: Iterable[Support], rocm: str, gfx: str) -> Fit:
    """What all rows together say of the target; newer ROCm only if no row names another release than a newer one."""
    fits = [(_release_fit(row, rocm, gfx), _names_gpu(row, gfx)) for row in rows]
    if (Fit.RELEASE, True) in fits:
        return Fit.NAMED
    releases = {release for release, names_gpu in fits if names_gpu is not False}
    if not releases:
        return Fit.OTHER_GFX
    said = (Fit.RELEASE, Fit.OTHER_ROCM, Fit.NEWER_ROCM, Fit.NOT_KNOWN)
    return next(fit for fit in said if fit in releases)


def _for_target(rows: Iterable[Support], rocm: str, gfx: str) -> str:
    """The newest version of which a row names the target's release and GPU, else the release and no GPU.

    One without a number, "main", is newest.
    """
    fitting = [(_names_gpu(row, gfx), row.version) for row in rows if _release_fit(row, rocm, gfx) is Fit.RELEASE]
    named_gpu = any(names_gpu for names_gpu, _ in fitting)
    versions = [version for names_gpu, version in fitting if names_gpu or (names_gpu is None and not named_gpu)]
    numbered = [(key, last) for text in versions for _, last in named(text) if (key := key_of(last))]
    unnumbered = [text for text in versions if text and not list(named(text))]
    return unnumbered[0] if unnumbered else _bare(max(numbered, default=(None, ""))[1])


def _names_gpu(row: Support, gfx: str) -> bool | None:
    """Whether a row names a GPU; None where it names none at all, or families only."""
    targets = _GFX.findall(row.gfx_targets)
    return any(_is_target(target, gfx) for target in targets) if targets else None


def _is_target(written: str, gfx: str) -> bool:
    """Whether "gfx115x" or "gfx942" speaks of a target."""
    return len(written) == len(gfx) and all(a in ("x", b) for a, b in zip(written, gfx, strict=True))


def _release_fit(row: Support, rocm: str, gfx: str) -> Fit:
    """What one row says of a release: RELEASE, NEWER_ROCM, OTHER_ROCM, or NOT_KNOWN if it names none.

    "10.1.0", "6.3.x" and "7.0" stand for themselves and what is more exact; ">=6.3" for all from there on; with
    a GPU in front, for this one alone.
    """
    needs = [match for part in row.rocm_versions.split(";") if (match := _NEEDS.match(part.strip()))]
    own = [match for match in needs if match["gpu"] and _is_target(match["gpu"], gfx)]
    needs = own or [match for match in needs if not match["gpu"]]
    if not needs:
        return Fit.NOT_KNOWN
    if any(_meets(match["release"], rocm, is_least=bool(match["least"])) for match in needs):
        return Fit.RELEASE
    return Fit.NEWER_ROCM if all(is_older(rocm, match["release"]) for match in needs) else Fit.OTHER_ROCM


def _meets(release: str, rocm: str, *, is_least: bool) -> bool:
    """Whether a release asked for is the named one, or with is_least at least that."""
    return not is_older(rocm, release) and (is_least or not is_older(release, rocm))


def _latest(framework: str, releases: Iterable[Release]) -> Release | None:
    """The newest upstream release of a framework."""
    dated = (
        (key, release) for release in releases if release.framework == framework if (key := key_of(release.version))
    )
    return max(dated, key=lambda pair: pair[0], default=(None, None))[1]


def _lag(framework: str, newest: _Build | None, latest: Release | None, releases: Iterable[Release]) -> int | None:
    """Whole months from the upstream release of the newest version for AMD to that of the newest one.

    A version that isn't dated itself, such as AMD's own patch, counts from its last dated one of the same two numbers.
    """
    if newest is None or latest is None:
        return None
    before = [
        (key, release.released)
        for release in releases
        if release.framework == framework and (key := key_of(release.version)) and key <= newest.key
    ]
    key, released = max(before, default=(None, ""))
    if key is None or key[0][:2] != newest.key[0][:2]:
        return None
    start, end = date.fromisoformat(released), date.fromisoformat(latest.released)
    return max(0, 12 * (end.year - start.year) + end.month - start.month - (end.day < start.day))


def in_words(found: Requirement, rocm: str, gfx: str) -> str:
    """Which build is for the target, and for what the newest one is, where that is another.

    "no build for ROCm 10.0 is named; 2.11.0 is for ROCm 7.14.0".
    """
    version = found.for_target or "a build whose version is not named"
    said = {
        Fit.NAMED: f"for ROCm {rocm} and {gfx}: {version}",
        Fit.RELEASE: f"for ROCm {rocm}, no GPU named: {version}",
        Fit.OTHER_GFX: f"no build for {gfx} is named",
        Fit.NEWER_ROCM: f"no build for ROCm {rocm} is named, only for newer releases",
        Fit.OTHER_ROCM: f"no build for ROCm {rocm} is named",
        Fit.NOT_KNOWN: "for which ROCm it is built is not known",
    }[found.target]
    newest, is_for = found.newest_amd or "the build that is named", _is_for(found)
    serves = found.target in (Fit.NAMED, Fit.RELEASE)
    is_same = serves and (found.for_target == found.newest_amd or not found.newest_amd)
    return said if is_same or not is_for else f"{said}; {newest} is for {is_for}"


def _is_for(found: Requirement) -> str:
    """What is published of the newest build: "ROCm 7.0.2, 7.2.0 (gfx942, gfx950)"; "" where nothing is."""
    rocm, gfx = found.rocm.replace("; ", ", "), found.gfx.replace("; ", ", ")
    if rocm and gfx:
        return f"ROCm {rocm} ({gfx})"
    return f"ROCm {rocm}" if rocm else gfx


def _joined(cells: Iterable[str]) -> str:
    """What several rows say, each thing once."""
    return "; ".join(dict.fromkeys(part.strip() for cell in cells for part in cell.split("; ") if part.strip()))


def known_as(
    tree: SourceTree, packages: Iterable[Package], components: Mapping[str, Component]
) -> Iterator[tuple[str, Component]]:
    """The packages of the tables that have the project's own name, and their components, each component once.

    The name is that of the folder or archive, without a version, and those that its build files give it.
    """
    by_name = {package.name.rstrip("-*"): package for package in packages}
    told = set[str]()
    for name in (normalised(tree.name), normalised(_AGE.sub("", tree.name)), *_names_of_itself(tree)):
        package = by_name.get(name) or by_name.get(_BUILT_FOR.sub("", name))
        component = components.get(package.component) if package else None
        if package and component and component.id not in told:
            told.add(component.id)
            yield package.name.rstrip("-*"), component


def _names_of_itself(tree: SourceTree) -> Iterator[str]:
    for file in tree.files:
        begin = _NAMES_ITSELF.get(file.path)
        if begin and (start := begin.search(file.text)):
            section = file.text[start.end() :].split("\n[", 1)[0]
            if name := _NAME.search(section):
                yield normalised(name[1])
