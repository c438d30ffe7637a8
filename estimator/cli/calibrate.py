"""`unwarp calibrate`: hours that finished work really took become a team's own weights."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from estimator.cli import options
from estimator.errors import EstimatorError, shown
from estimator.quantities import percent

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
    (warp.primitive) or part (kernels); a column done with "no" leaves a row out. A row moves its own kinds of work
    most, the rest of their part half as far, other parts not at all.
    """
    from estimator import load_heuristics
    from estimator.cli.output import write_whole
    from estimator.effort.calibration import calibrate as fit
    from estimator.effort.calibration import overlay, read_actuals, read_estimated
    from estimator.report.wording import PARTS

    _keep_inputs(output, (actuals, assessment, weights))
    heuristics = load_heuristics(weights_overlay=weights)
    estimated = read_estimated(assessment, option)
    rows = read_actuals(actuals, estimated, PARTS)
    calibration = fit(rows, estimated.sigma)
    _print(rows, calibration)
    if estimated.digest != heuristics.digest:
        click.echo(
            "note: the assessment was priced with other tables than these; the multipliers hold for its hours, "
            "the overlay multiplies the present ones",
            err=True,
        )
    if output:
        text = overlay(calibration, heuristics.weights, estimated, actuals.name)
        _read_back(text, output)
        click.echo(f"\n{shown(str(write_whole(output, text.encode())))}")


def _keep_inputs(output: Path | None, inputs: tuple[Path | None, ...]) -> None:
    """Refuse to write over what is read."""
    for path in inputs:
        if output and path and output.resolve() == path.resolve():
            raise EstimatorError(f"{output}: is read as well; choose another place with -o")


def _read_back(text: str, output: Path) -> None:
    """Raise EstimatorError, before anything is written, for weights that no report could be made with."""
    from estimator import load_heuristics

    with tempfile.TemporaryDirectory(prefix=f"unwarp-{os.getpid()}-") as folder:
        written = Path(folder) / "weights.toml"
        written.write_text(text, encoding="utf-8")
        try:
            load_heuristics(weights_overlay=written)
        except EstimatorError as error:
            fault = str(error).split("\n")[0].removeprefix(f"{written}: ")
            raise EstimatorError(f"{output}: not written, since the fitted weights can't be used: {fault}") from None


def _print(rows: tuple[Actual, ...], calibration: Calibration) -> None:
    _print_rows(rows)
    _print_multipliers(calibration)
    _print_errors(calibration)


def _print_rows(rows: tuple[Actual, ...]) -> None:
    click.echo(f"{'finished work':<32} {'rows':>4} {'P50':>10} {'actual':>10} {'ratio':>6}   part")
    for row in rows:
        figures = f"{len(row.kinds):>4} {row.estimated:>10.1f} {row.hours:>10.1f} {row.hours / row.estimated:>6.2f}"
        click.echo(f"{shown(row.name, 32):<32} {figures}   {_parts(row)}")
    click.echo("hours; P50: of all rows of the estimate that the work is priced in, added up")
    if mixed := [shown(row.name, 32) for row in rows if len(row.parts) > 1]:
        told = "hours can't be told apart by part; each part takes its share of the P50"
        click.echo(f"{', '.join(mixed)}: {told}")


def _parts(row: Actual) -> str:
    """The part of a row, or several with their shares."""
    if len(row.parts) == 1:
        return next(iter(row.parts))
    return ", ".join(f"{part} {percent(share)}" for part, share in row.parts.items())


def _print_multipliers(calibration: Calibration) -> None:
    click.echo(f"\n{'kind of work':<32} {'rows':>4} {'actual/estimated':>17} {'multiplier':>11}   shrunk towards 1")
    for fit in calibration.fitted:
        click.echo(f"{fit.part:<32} {fit.rows:>4} {fit.ratio:>17.2f} {fit.multiplier:>11.2f}   what no row holds")
        for weight, multiplier in fit.kinds.items():
            click.echo(f"  {shown(weight, 30):<30} {'':>4} {'':>17} {multiplier:>11.2f}")


def _print_errors(calibration: Calibration) -> None:
    before, after, left_out = calibration.before, calibration.after, calibration.left_out
    click.echo(f"\nerror (root mean square of log ratios): before {before:.2f}, after {after:.2f} on the same rows")
    told = "better than before" if calibration.gains else "no gain; these rows don't foretell one another yet"
    click.echo(f"each row left out {left_out:.2f}: {told}")
    if calibration.rows < 5:
        few = "1 row is few" if calibration.rows == 1 else f"{calibration.rows} rows are few"
        click.echo(f"{few}: expect the multipliers to move with every further one")
