"""What made this report, exactly: versions, digests, seed, commit and command."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.assessment import SCHEMA, Assessment
from estimator.report.blocks import Column, Table
from estimator.report.text import plain

TITLE = "Provenance"


@dataclass(frozen=True, slots=True)
class View:
    """Facts to repeat the run."""

    conclusion: str
    facts: Table
    check: str


def view(assessment: Assessment) -> View:
    """Where the report comes from."""
    run, repository, h = assessment.run, assessment.repository, assessment.heuristics
    languages = ", ".join(
        f"{plain(n, 20)} {c:,}" for n, c in sorted(repository.languages.items(), key=lambda x: -x[1])[:12]
    )
    owners = ", ".join(f"{plain(name, 20)} {count:,}" for name, count in repository.owners.items())
    rows = (
        ("Tool", f"unwarp {plain(run.version, 40)}, schema {SCHEMA}"),
        ("Command", plain(run.command, 400) or "called from Python"),
        ("Repository", plain(repository.name, 120)),
        ("Commit", plain(repository.commit, 64) or "not under git"),
        ("Read", f"{repository.files:,} files, {repository.lines:,} lines, {repository.bytes:,} bytes"),
        ("Lines by language", languages or "none"),
        ("Lines by owner", owners or "none"),
        ("Date", plain(run.date, 20)),
        ("Target", f"ROCm {plain(run.rocm, 12)}, {plain(run.gfx, 16)}"),
        ("Heuristics", f"as of {plain(h.date, 20)}, digest {plain(h.digest, 80)}"),
        ("Draws", f"seed {assessment.estimate.draws.seed}, digest {plain(assessment.estimate.draws.digest, 80)}"),
        ("Audience, excerpts", f"{plain(run.audience, 20)}, {plain(run.snippets, 20)}"),
    )
    return View(
        "The same source, tables, seed and version give the same figures, byte for byte.",
        Table("This run", (Column("What", 24), Column("Value", 76, "code")), rows),
        "Run the command again at the commit named here and compare assessment.json; the PDF carries the "
        "same file as an attachment.",
    )
