"""What was not judged: files that failed, files left out, sites not priced, and the gaps of this run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from estimator.assessment import Assessment
from estimator.findings.values import Disposition
from estimator.quantities import percent
from estimator.report import wording
from estimator.report.blocks import Column, Listing, Table, listing
from estimator.report.figures import counted
from estimator.report.text import column, plain, unended

TITLE = "Not analysed"
_TROUBLES, _GROUPS, _REASONS, _LINES = 25, 25, 15, 600


@dataclass(frozen=True, slots=True)
class View:
    """Losses by kind."""

    conclusion: str
    troubles: Table | None
    more_troubles: Listing | None
    skipped: Table | None
    excluded: Table | None
    set_apart: Table | None
    unpriced: Table | None
    gaps: tuple[str, ...]
    check: str


def view(assessment: Assessment) -> View:
    """Everything the figures leave out."""
    r = assessment.reliability
    lost = len(r.troubles) + sum(group.files for group in r.skipped)
    return View(
        conclusion=f"Reliability is {plain(r.level, 20)}: {unended(plain(r.level_reason))}. {percent(r.read_share)} "
        f"of the bytes that matter "
        f"were read; {counted(lost, 'file')} did not take part in full.",
        troubles=_troubles(assessment),
        more_troubles=_more_troubles(assessment),
        skipped=_skipped(assessment),
        excluded=_excluded(assessment),
        set_apart=_set_apart(assessment),
        unpriced=_unpriced(assessment),
        gaps=tuple(plain(text, 400) for text in r.gaps[:20]),
        check="Bytes that matter are those of files whose name or content can hold CUDA. A site in a file "
        "named here is missing from "
        "every figure; a vendored or generated site is found, but not priced.",
    )


def _troubles(assessment: Assessment) -> Table | None:
    troubles = assessment.reliability.troubles
    if not troubles:
        return None
    columns = (Column("File", 44, "code"), Column("Stage", 10), Column("Reason", 32), Column("Bytes", 14, "number"))
    rows = tuple(
        (plain(t.path, 120), plain(t.stage, 12), plain(t.reason, 160), f"{t.size:,}") for t in troubles[:_TROUBLES]
    )
    return Table("Files that could not be read in full", columns, rows)


def _more_troubles(assessment: Assessment) -> Listing | None:
    troubles = assessment.reliability.troubles[_TROUBLES:]
    if not troubles:
        return None
    lines = [
        f"{column(t.path, 60, keep_end=True)} {column(t.stage, 7)} {column(t.reason, 46)} {t.size:>10,}"
        for t in troubles[:_LINES]
    ]
    left = len(troubles) - _LINES
    note = f"{left:,} further files stand in assessment.json." if left > 0 else ""
    head = f"{'file':60} {'stage':7} {'reason':46} {'bytes':>10}"
    return listing(counted(len(troubles), "further file"), head, lines, note)


def _skipped(assessment: Assessment) -> Table | None:
    groups = assessment.reliability.skipped
    if not groups:
        return None
    columns = (
        Column("Reason", 30),
        Column("Files", 10, "number"),
        Column("Bytes", 15, "number"),
        Column("For example", 45, "code"),
    )
    rows = tuple(
        (plain(g.reason, 80), f"{g.files:,}", f"{g.bytes:,}", ", ".join(plain(e, 60) for e in g.examples[:3]))
        for g in groups[:_GROUPS]
    )
    return Table("Files left out", columns, rows)


def _excluded(assessment: Assessment) -> Table | None:
    reasons: Counter[tuple[str, str]] = Counter()
    for j in assessment.found.sites:
        if j.disposition in (Disposition.EXCLUDED, Disposition.PORTED):
            reasons[str(j.disposition), j.reason or "no reason given"] += j.site.count
    rows = [
        (plain(disposition), plain(reason, 120), f"{count:,}")
        for (disposition, reason), count in reasons.most_common(_REASONS)
    ]
    if not rows:
        return None
    columns = (Column("What", 24), Column("Why", 60), Column("Sites", 16, "number"))
    return Table("Sites that were found and not priced", columns, tuple(rows))


def _set_apart(assessment: Assessment) -> Table | None:
    """What belongs to others, to generators, or is left out, by folder; with `put_back` it takes part."""
    groups = assessment.reliability.set_apart
    if not groups:
        return None
    columns = (
        Column("Folder", 34, "code"),
        Column("Owner", 11),
        Column("Why", 25),
        Column("Files", 9, "number"),
        Column("Lines", 11, "number"),
        Column("Sites", 10, "number"),
    )
    rows = tuple(
        (plain(g.folder, 80), str(g.owner), plain(g.reason, 120), f"{g.files:,}", f"{g.lines:,}", f"{g.sites:,}")
        for g in groups[:_GROUPS]
    )
    note = "A scope file puts single folders back into the estimate, or leaves more of them out."
    if rest := groups[_GROUPS:]:
        lines, sites = sum(g.lines for g in rest), sum(g.sites for g in rest)
        note += f" {len(rest):,} further groups with {lines:,} lines and {sites:,} sites stand in assessment.json."
    return Table("Code that was set apart", columns, rows, (), note)


def _unpriced(assessment: Assessment) -> Table | None:
    rows = assessment.estimate.unpriced
    if not rows:
        return None
    columns = (
        Column("Weight", 24, "code"),
        Column("Category", 24),
        Column("Why there is no price", 40),
        Column("Sites", 12, "number"),
    )
    made = tuple(
        (plain(r.weight, 40), wording.category(plain(r.category, 40)), plain(r.reason, 200), f"{r.sites:,}")
        for r in rows[:_GROUPS]
    )
    return Table("Unpriced: found, but nobody has figures for it yet", columns, made)
