"""`unwarp scan`: what was found, to stdout, without a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from estimator.assessment import READ_SHARE_NEEDED
from estimator.cli.options import Request, assess, assessed
from estimator.cli.output import complain
from estimator.errors import NOT_MEASURED, shown
from estimator.quantities import percent

if TYPE_CHECKING:
    from estimator.assessment import Assessment


@click.command(short_help="List what was found, to stdout.")
@assessed
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
def scan(
    path: Path,
    form: str,
    scenario: Path | None,
    weights: Path | None,
    exclude: tuple[str, ...],
    rocm: str,
    gfx: str,
    date: str,
    seed: int,
) -> None:
    """List every place in PATH where the code relies on CUDA, as text, JSON or CSV, to stdout.

    Exit code 3 says that less than 80 % of the code could be read.
    """
    assessment = assess(Request(path, exclude, weights, scenario, rocm, gfx, date, seed))
    match form:
        case "json":
            _print_json(assessment)
        case "csv":
            from estimator.report import render

            click.echo(render(assessment, "csv"), nl=False)
        case _:
            _print_text(assessment)
    share = assessment.reliability.read_share
    if share < READ_SHARE_NEEDED:
        complain(f"only {percent(share)} of the code could be read")
        raise click.exceptions.Exit(NOT_MEASURED)


def _print_json(assessment: Assessment) -> None:
    import json

    from estimator.assessment import scan_json

    click.echo(json.dumps(scan_json(assessment), indent=1, ensure_ascii=False, allow_nan=False))


def _print_text(assessment: Assessment) -> None:
    """One line a site, as compilers print them, then the counts."""
    from collections import Counter

    for judged in assessment.found.sites:
        site = judged.site
        what = f"{site.library}: {site.symbol}" if site.library else site.symbol
        click.echo(shown(f"{site.path}:{site.line}: {site.category}: {what} [{judged.disposition}]"))
    counts = Counter(judged.site.category for judged in assessment.found.sites)
    click.echo(err=True)
    for category, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        click.echo(f"{count:>7}  {category}", err=True)
    if not counts:
        click.echo(f"No place in {assessment.repository.files} files relies on CUDA.", err=True)
