"""`unwarp calibrate`: hours that finished work really took become a team's own weights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from estimator.cli import options
from estimator.errors import shown

if TYPE_CHECKING:
    from estimator.effort.calibration import Actual, Calibration


@click.command(short_help="Fit the prices to the hours that your finished work took.")
@click.argument("actuals", type=options.FILE)
@click.option("-o", "--output", type=options.FILE, help="Write the fitted weights to this file, for --weights.")
@click.option(
    "--assessment",
    type=options.FILE,
    default=Path("unwarp-report/assessment.json"),
    show_default=True,
    help="What was estimated.",
)
@click.option(
    "--option",
    "option",
    type=click.Choice(("amd", "triton-first")),
    default="amd",
    show_default=True,
    help="What was carried out.",
)
@click.option(
    "--weights", type=options.FILE, help="The weights that the assessment was priced with, if not the shipped."
)
def calibrate(actuals: Path, output: Path | None, assessment: Path, option: str, weights: Path | None) -> None:
    """Compare the hours of ACTUALS with the assessment, part by part, and fit a multiplier for each.

    ACTUALS is a CSV file of finished work: the column hours, and one of finding (F012), weight
    (warp.primitive) or part (kernels); a column done with "no" leaves a row out.
    """
    from estimator import load_heuristics
    from estimator.cli.output import write_whole
    from estimator.effort.calibration import calibrate as fit
    from estimator.effort.calibration import overlay, read_actuals, read_estimated

    heuristics = load_heuristics(weights_overlay=weights)
    estimated = read_estimated(assessment, option)
    rows = read_actuals(actuals, estimated)
    calibration = fit(rows, estimated.sigma)
    _print(rows, calibration)
    if estimated.digest != heuristics.digest:
        click.echo(
            "note: the assessment was priced with other tables than these; the multipliers hold for its hours, "
            "the overlay multiplies the present ones",
            err=True,
        )
    if output:
        text = overlay(calibration, heuristics.weights, option, actuals.name)
        click.echo(f"\n{shown(str(write_whole(output, text.encode())))}")


def _print(rows: tuple[Actual, ...], calibration: Calibration) -> None:
    click.echo(f"{'finished work':<32} {'part':<12} {'estimated':>10} {'actual':>8} {'ratio':>6}   hours")
    for row in rows:
        figures = f"{row.estimated:>10.1f} {row.hours:>8.1f} {row.hours / row.estimated:>6.2f}"
        click.echo(f"{shown(row.name, 32):<32} {row.part:<12} {figures}")
    click.echo(f"\n{'part':<12} {'rows':>4} {'actual/estimated':>17} {'multiplier':>11}   shrunk towards 1")
    for fit in calibration.fitted:
        click.echo(f"{fit.part:<12} {fit.rows:>4} {fit.ratio:>17.2f} {fit.multiplier:>11.2f}")
    told = f"before {calibration.before:.2f}, after {calibration.after:.2f}"
    click.echo(f"\nerror (root mean square of log ratios): {told}, each row left out {calibration.left_out:.2f}")
    if len(rows) < 5:
        click.echo(f"{len(rows)} rows are few: expect the multipliers to move with every further one")
