"""`unwarp scenario`: the questions that the code can't answer, as a file to fill in."""

from __future__ import annotations

from pathlib import Path

import click

from estimator.cli import options
from estimator.errors import EstimatorError, shown


@click.group(short_help="Make or check a scenario file.")
def scenario() -> None:
    """Fleet, prices, team and workload: what a verdict in money needs besides the code."""


@scenario.command(short_help="Write a scenario file to fill in.")
@click.argument("file", type=options.FILE, default=Path("scenario.toml"))
def init(file: Path) -> None:
    """Write the annotated template to FILE (default: scenario.toml). An existing file is left alone."""
    from estimator.cli.output import write_whole
    from estimator.resources import data_folder

    if file.exists():
        raise EstimatorError(f"{file}: exists already; name another file or remove it")
    template = data_folder("heuristics") / "scenario-template.toml"
    click.echo(shown(str(write_whole(file, template.read_bytes(), "name another file"))))


@scenario.command(short_help="Check a scenario file.")
@click.argument("file", type=options.FILE)
def check(file: Path) -> None:
    """Check FILE: all its faults at once, and which questions are still open."""
    from estimator.decision import load_scenario
    from estimator.decision.scenario import QUESTIONS, completeness

    given = load_scenario(file)
    click.echo(f"{shown(str(file))}: good; {completeness(given):.0%} of the questions are answered")
    unanswered = [name for name in QUESTIONS if getattr(given, name) is None]
    if unanswered:
        click.echo(f"open: {', '.join(unanswered)}")
    if not given.priced:
        click.echo("no verdict in money: that needs gpu_hours_month, price_now, price_offered and rate")
