"""`unwarp report`: the main job, from a path to the pages."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from estimator.assessment import READ_SHARE_NEEDED
from estimator.cli import options
from estimator.cli.options import Request, assess, assessed, progress
from estimator.cli.output import complain, output_folder
from estimator.errors import NOT_MEASURED, EstimatorError, shown
from estimator.quantities import percent
from estimator.report import FORMATS, render

if TYPE_CHECKING:
    from estimator.assessment import Assessment


_WIDEST = 78


def _formats(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    """The names in a list such as "html,pdf"; an unknown one is wrong input."""
    names = tuple(dict.fromkeys(name.strip().lower() for name in text.split(",") if name.strip()))
    known = [known.name for known in FORMATS]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise click.BadParameter(f"no format '{', '.join(unknown)}'; formats are {', '.join(known)}")
    return names


@click.command(short_help="Scan, price and judge a code base; write the report.")
@assessed
@click.option(
    "-o", "--output", type=options.FILE, default=Path("unwarp-report"), show_default=True, help="Folder for the files."
)
@click.option(
    "--format",
    "formats",
    default="html,pdf,json",
    show_default=True,
    callback=_formats,
    help=f"Any of {', '.join(known.name for known in FORMATS)}, with commas.",
)
@click.option(
    "--audience",
    type=click.Choice(["internal", "external"]),
    default="internal",
    show_default=True,
    help="external leaves out prices, the negotiation annex and excerpts.",
)
@click.option(
    "--snippets",
    type=click.Choice(["none", "redacted", "full"]),
    default="redacted",
    show_default=True,
    help="How much of the code the files show.",
)
def report(
    path: Path,
    output: Path,
    formats: tuple[str, ...],
    audience: str,
    snippets: str,
    scenario: Path | None,
    weights: Path | None,
    scope: Path | None,
    exclude: tuple[str, ...],
    rocm: str,
    gfx: str,
    date: str,
    seed: int,
    jobs: int,
) -> None:
    """Scan PATH, price the port, judge it, and write the report.

    PATH is a folder, a file, or a .zip or .tar archive. Nothing of it is executed. Exit code 3 says that
    less than 80 % of the code could be read, or that a format could not be made; the rest is written.
    """
    request = Request(path, exclude, weights, scenario, rocm, gfx, date, seed, audience, snippets, scope, jobs)
    with output_folder(output) as write:
        assessment = assess(request, own_output=output)
        made, refused = _render(assessment, formats)
        written = write(made)
    for file in written:
        click.echo(shown(str(file)))
    click.echo()
    click.echo(_summary(assessment, written))
    for message in refused:
        complain(message)
    share = assessment.reliability.read_share
    if share < READ_SHARE_NEEDED:
        complain(f"only {percent(share)} of the code could be read; the figures measure no more than that")
        refused = (*refused, "")
    if refused:
        raise click.exceptions.Exit(NOT_MEASURED)


def _render(assessment: Assessment, formats: tuple[str, ...]) -> tuple[list[tuple[str, bytes]], tuple[str, ...]]:
    """File names with their contents, and why formats could not be made on this machine."""
    made, refused = [], []
    for known in FORMATS:
        if known.name not in formats:
            continue
        try:
            with progress(f"Writing {known.file_name}"):
                made.append((known.file_name, render(assessment, known.name)))
        except EstimatorError as error:
            if error.code != NOT_MEASURED:
                raise
            refused.append(str(error))
    return made, tuple(refused)


def _summary(assessment: Assessment, written: list[Path]) -> str:
    """The answer in a few lines: verdict, hours, what was not judged, where to read on."""
    from estimator.report.figures import counted
    from estimator.report.sections.decision import headline

    decision, reliability = assessment.decision, assessment.reliability
    pilot = "; pilot first" if decision.pilot_first else ""
    lines = [f"Verdict: {headline(assessment)} (confidence: {decision.confidence}{pilot})", ""]
    lines.append(f"{'person-days':<18}{'P50':>10}{'P80':>10}")
    lines += [_option_line(assessment, str(view.option)) for view in decision.options]
    unpriced = sum(row.sites for row in assessment.estimate.unpriced)
    skipped = sum(group.files for group in reliability.skipped)
    told = (
        f"Not judged: {counted(len(reliability.troubles), 'file')} in trouble, {counted(skipped, 'file')} left out, "
        f"{counted(unpriced, 'place')} without a price. Reliability: {reliability.level}."
    )
    lines += ["", *textwrap.wrap(told, _WIDEST)]
    if written:
        lines.append(f"Read on: {shown(str(written[0]))}")
    return "\n".join(lines)


def _option_line(assessment: Assessment, name: str) -> str:
    from estimator.report.figures import days
    from estimator.report.sections.decision import closed
    from estimator.report.wording import OPTIONS

    option = assessment.estimate.options[name]
    if not option.lines:
        return f"{OPTIONS[name]:<18}{'no port':>20}" if name == "nvidia" else f"{OPTIONS[name]:<18}{'0':>10}{'0':>10}"
    note = "  no option here" if name in closed(assessment) else ""
    return f"{OPTIONS[name]:<18}{days(option.hours.p50, assessment):>10}{days(option.hours.p80, assessment):>10}{note}"
