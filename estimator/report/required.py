"""What required packages and base images mean on AMD, as a table and a sentence of the libraries section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from estimator.assessment import Assessment
from estimator.findings.requirements import Fit, Requirement, Status, in_words
from estimator.report.blocks import Column, Table
from estimator.report.figures import counted
from estimator.report.text import joined, place, plain
from estimator.sources.files import Owner

_MOST = 40  # rows
_NOT_KNOWN = "not known"
UNSOURCED = "no source yet"
_STATUS = {
    Status.PREBUILT: "prebuilt",
    Status.SOURCE: "built from source",
    Status.NONE: "none under this name",
    Status.NOT_KNOWN: _NOT_KNOWN,
    Status.ABSORBED: "comes with the framework or ROCm",
    Status.FALLS_AWAY: "falls away",
}
_ORDER = tuple(_STATUS)
_WITHOUT_VERSIONS = (Status.ABSORBED, Status.FALLS_AWAY, Status.NONE)
_BUILT = (Status.PREBUILT, Status.SOURCE)
_FOR_ANOTHER_TARGET = (Fit.OTHER_GFX, Fit.NEWER_ROCM, Fit.OTHER_ROCM)
_NAMED = 8  # packages that a sentence names
_NOTE = (
    "The lag is the time between the upstream releases of the newest version with a build for AMD and of the newest "
    "version of all. What no source says is “not known”, never “none”."
)


def table(assessment: Assessment) -> Table | None:
    """One row for each package and version asked for, those with builds of their own first."""
    groups: dict[tuple[str, str, str], list[Requirement]] = {}
    for one in assessment.requirements:
        groups.setdefault((one.manager, one.package, one.pinned), []).append(one)
    if not groups:
        return None
    columns = (
        Column("Package or image", 14),
        Column("Asked for, where", 18),
        Column("For AMD", 15),
        Column("Newest for AMD", 13),
        Column("Lag", 8),
        Column("Build for this target", 17),
        Column("Source, date", 15),
    )
    ordered = sorted(groups.values(), key=lambda group: (_ORDER.index(group[0].status), group[0].package))
    rows = tuple(_row(assessment, group) for group in ordered[:_MOST])
    left = len(ordered) - _MOST
    more = f" {counted(left, 'further row stands', 'further rows stand')} in assessment.json." if left > 0 else ""
    return Table("What the required versions mean on AMD", columns, rows, (), _NOTE + more)


def sentence(assessment: Assessment) -> str:
    """How many packages and images there are of each kind; "" where none is required."""
    found = {one.package: one.status for one in assessment.requirements}
    if not found:
        return ""
    counts = Counter(found.values())
    rest = counts[Status.ABSORBED] + counts[Status.FALLS_AWAY]
    parts = [
        (counts[Status.PREBUILT], "prebuilt for AMD"),
        (counts[Status.SOURCE], "built from source"),
        (rest, "carried by ROCm or not needed"),
        (counts[Status.NONE], "without a build under its name"),
        (counts[Status.NOT_KNOWN], _NOT_KNOWN),
    ]
    told = joined([f"{number:,} {what}" for number, what in parts if number])
    looked_up = f"{counted(len(found), 'package or base image', 'packages and base images')} looked up: {told}."
    return " ".join(text for text in (looked_up, _only_beside(assessment), _not_for_target(assessment)) if text)


def _only_beside(assessment: Assessment) -> str:
    """The packages that nothing but tests and examples ask for."""
    delivered = {one.package for one in assessment.requirements if not is_beside(assessment, one)}
    beside = sorted({one.package for one in assessment.requirements} - delivered)
    return f"Only tests or examples ask for {_listed(beside)}." if beside else ""


def _not_for_target(assessment: Assessment) -> str:
    """The packages with builds for AMD of which none is named for the target."""
    elsewhere = {
        one.package for one in assessment.requirements if one.status in _BUILT and one.target in _FOR_ANOTHER_TARGET
    }
    target = f"ROCm {assessment.run.rocm} and {assessment.run.gfx}"
    return f"For {target} no build is named of {_listed(sorted(elsewhere))}." if elsewhere else ""


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first few of them."""
    more = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    return joined([*(plain(name, 40) for name in names[:_NAMED]), *more])


def is_beside(assessment: Assessment, one: Requirement) -> bool:
    """Whether a test or an example asks for it, nothing that is delivered."""
    owner = next((file.owner for file in assessment.files if file.path == one.path), Owner.OWN)
    return owner in (Owner.TEST, Owner.EXAMPLE)


def _row(assessment: Assessment, group: list[Requirement]) -> tuple[str, ...]:
    one = group[0]
    has_versions = one.status not in _WITHOUT_VERSIONS
    return (
        plain(one.package, 60),
        _asked(assessment, group),
        plain(_meaning(assessment, one), 160),
        plain(_newest(one), 80) if has_versions else "—",
        _lag(one) if has_versions else "—",
        plain(in_words(one, assessment.run.rocm, assessment.run.gfx), 160) if has_versions else "—",
        plain(dated(one.source, one.as_of), 140) or UNSOURCED,
    )


def dated(source: str, as_of: str) -> str:
    """A source with its date, if it has one; "" where there is no source."""
    return f"{source}, {as_of}" if source and as_of else source


def _asked(assessment: Assessment, group: list[Requirement]) -> str:
    one = group[0]
    more = f" and {len(group) - 1:,} more" if len(group) > 1 else ""
    beside = " (tests or examples)" if all(is_beside(assessment, each) for each in group) else ""
    return f"{plain(one.pinned, 40) or 'any version'}: {place(one.path, one.line, 40)}{more}{beside}"


def _meaning(assessment: Assessment, one: Requirement) -> str:
    """What there is for AMD, for the version asked for if that differs, and what the package's row notes."""
    parts = [_STATUS[one.status]]
    if one.pinned_build and one.pinned_build != one.status:
        parts.append(f"this version: {_STATUS[Status(one.pinned_build)]}")
    component = assessment.heuristics.components.get(one.component)
    if one.status in (Status.ABSORBED, Status.NONE) and component and component.amd_native:
        parts.append(f"counterpart: {component.amd_native}")
    return "; ".join([*parts, *([one.note] if one.note else [])])


def _newest(one: Requirement) -> str:
    source = f"; {one.newest_source} from source" if one.newest_source else ""
    return (one.newest_amd or _NOT_KNOWN) + source


def _lag(one: Requirement) -> str:
    return _NOT_KNOWN if one.lag_months is None else counted(one.lag_months, "month")
