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

_ROWS = 20


@click.command(short_help="List what was found, to stdout.")
@assessed
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "csv", "sarif"]), default="text", show_default=True
)
def scan(
    path: Path,
    form: str,
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
    """List every place in PATH where the code relies on CUDA, as text, JSON, CSV or SARIF, to stdout.

    Exit code 3 says that less than 80 % of the code could be read.
    """
    request = Request(path, exclude, weights, scenario, rocm, gfx, date, seed, scope=scope, jobs=jobs, command="scan")
    assessment = assess(request)
    match form:
        case "json":
            _print_json(assessment)
        case "csv" | "sarif":
            from estimator.report import render

            click.echo(render(assessment, form), nl=False)
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
    """One line a site, as compilers print them, then the counts and what was set apart."""
    from collections import Counter

    counts: Counter[str] = Counter()
    for judged in assessment.found.sites:
        site = judged.site
        what = f"{site.library}: {site.symbol}" if site.library else site.symbol
        many = f" (and {site.count - 1:,} more of the file)" if site.count > 1 else ""
        click.echo(shown(f"{site.path}:{site.line}: {site.category}: {what}{many} [{judged.disposition}]"))
        counts[site.category] += site.count
    click.echo(err=True)
    for category, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        click.echo(f"{count:>7}  {category}", err=True)
    if not counts:
        click.echo(f"No place in {assessment.repository.files} files relies on CUDA.", err=True)
    _print_set_apart(assessment)


def _print_set_apart(assessment: Assessment) -> None:
    """What is listed and not priced, the largest first."""
    rows = assessment.reliability.set_apart
    if not rows:
        return
    click.echo("\nSet apart: listed, not priced", err=True)
    click.echo(f"{'files':>7} {'lines':>10} {'sites':>8}  {'owner':<9}  folder: reason", err=True)
    for row in rows[:_ROWS]:
        size = f"{row.files:>7,} {row.lines:>10,} {row.sites:>8,}"
        click.echo(f"{size}  {row.owner:<9}  {shown(row.folder)}: {shown(row.reason, 100)}", err=True)
    if rest := rows[_ROWS:]:
        lines, sites = sum(row.lines for row in rest), sum(row.sites for row in rest)
        click.echo(
            f"{sum(row.files for row in rest):>7,} {lines:>10,} {sites:>8,}  in {len(rest)} further groups; "
            "--format json lists all",
            err=True,
        )
