"""`unwarp backtest`: how far off the reference class and the rows would have been on ports that happened."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from estimator.cli import options
from estimator.errors import EstimatorError, shown

if TYPE_CHECKING:
    from estimator.effort.backtest import Backtest, Interval, Summary, Tested

_COLUMNS = ("port", "counted", "kind", "method", "p10", "p50", "p90", "actual", "inside", "p50_by_actual")


@click.command(short_help="Compare estimates with ports that happened.")
@click.option("--ports", type=options.FILE, help="Further ports: predicted from the shipped ones, not left out.")
@click.option("--own", type=options.FILE, help="Finished ports of your team: they join the reference class.")
@click.option(
    "--format", "form", type=click.Choice(("text", "json", "csv")), default="text", show_default=True, help="Output."
)
def backtest(ports: Path | None, own: Path | None, form: str) -> None:
    """Predict each port of heuristics/ports.csv from the others and compare with what it took.

    A file of one's own needs the columns people, host_api_files and author_days; repo names a row, counted = "no"
    shows it beside, functional_p10, functional_p50 and functional_p90 (hours above 0) test the rows of an estimate.
    """
    from estimator import load_heuristics
    from estimator.effort.backtest import backtest as tested
    from estimator.effort.backtest import backtest_fresh
    from estimator.knowledge.ports import load_ports

    if ports and own:
        raise EstimatorError("--ports and --own can't be combined: own ports join the class, further ones test it")
    heuristics = load_heuristics()
    rule, day = heuristics.reference, heuristics.units.hours_per_day
    strategies = [one.id for one in heuristics.strategies]
    if ports:
        result = backtest_fresh(heuristics.ports, rule, day, load_ports(ports, strategies))
    else:
        result = tested(heuristics.ports, rule, day, load_ports(own, strategies) if own else ())
    {"text": _print_text, "json": _print_json, "csv": _print_csv}[form](result)


def _print_text(result: Backtest) -> None:
    from estimator.effort.backtest import CLASS, ESTIMATE, ROWS

    apart = "none of them in the class" if result.fresh else "each predicted from the others"
    click.echo(f"{len(result.tested)} ports, {apart}; author-days, P10 / P50 / P90\n")
    titles = f"{'reference class':<21} {'in':<3} {'ratio':>5}  {'rows of the estimate':<22} both blended"
    click.echo(f"{'port':<28} {'actual':>6}  {titles}")
    for one in result.tested:
        click.echo(f"{_name(one)}  {_cell(one, CLASS)}  {_days(one, ROWS):<22} {_days(one, ESTIMATE)}".rstrip())
    if result.beside:
        click.echo("\nbeside, of another scope or used when the rows were set; not counted")
        for one in result.beside:
            click.echo(f"{_name(one)}  {_cell(one, CLASS)}  {_days(one, ROWS):<22} {shown(one.port.kind, 20)}".rstrip())
    click.echo()
    _print_summaries(result)
    click.echo(_honest(result))


def _honest(result: Backtest) -> str:
    """What the figures say and what they don't, as far as it holds of these methods."""
    from estimator.effort.backtest import SEARCHED

    if result.fresh:
        return _HONEST_FRESH
    searched = any(summary.method == SEARCHED for summary in result.summaries)
    return _HONEST + (_SEARCHED if searched else _UNSEARCHED)


def _name(one: Tested) -> str:
    return f"{shown(one.port.repo, 28):<28} {one.port.author_days:>6g}"


def _cell(one: Tested, method: str) -> str:
    days = one.said.get(method)
    if days is None:
        return f"{'—':<21} {'':<3} {'':>5}"
    inside = "yes" if days.holds(one.port.author_days) else "no"
    return f"{_days(one, method):<21} {inside:<3} {days.p50 / one.port.author_days:>5.2f}"


def _days(one: Tested, method: str) -> str:
    days = one.said.get(method)
    return f"{days.p10:.1f} / {days.p50:.1f} / {days.p90:.1f}" if days else "—"


def _print_summaries(result: Backtest) -> None:
    from estimator.effort.backtest import BARS

    click.echo(f"{'':<40} {'inside P10-P90':<20} {'P90/P10':<9} {'P50/actual':<20} {'rank':<22} error")
    needed = [BARS[name][0] for name in ("coverage", "width", "bias", "rank")]
    click.echo(f"{'needed':<40} {needed[0]:<20} {needed[1]:<9} {needed[2]:<20} {needed[3]:<22} low")
    for summary in result.summaries:
        coverage, bias, rank = (_interval(interval) for interval in (summary.coverage, summary.bias, summary.rank))
        figures = f"{coverage:<20} {summary.width:<9.1f} {bias:<20} {rank:<22} {summary.error:.2f}"
        click.echo(f"{summary.method:<40} {figures} {_missed(summary)}".rstrip())


def _missed(summary: Summary) -> str:
    missed = ", ".join(name for name, reached in summary.reached.items() if not reached)
    return f"misses {missed}" if missed else ""


def _interval(interval: Interval) -> str:
    if isnan(interval.value):
        return "—"
    return f"{interval.value:.2f} ({interval.low:.2f} to {interval.high:.2f})"


_LEGEND = """
inside: share of the outcomes in P10-P90. P50/actual: median. rank: Spearman's correlation of P50 with the outcome.
error: root mean square of log(P50/actual). In brackets 95 % bootstrap intervals."""

_HONEST = f"""{_LEGEND}

What this says: where people and host API files are known, ports like these lie about where the class puts them, and an
estimate that is blended with it by how far off both are holds most of them. What it doesn't: the ports are few, all
succeeded, and most were made by maintainers or specialists. How many people took part is known only afterwards, and an
author-day counts people: where no team is known, neither rows nor code rank these ports. A constant guess ranks each
port by the mean of the others: its rank correlation is -1 by construction; its error and width are what to compare.
The features were settled while looking at these ports:
"""
_SEARCHED = "the line whose features are chosen in each fold, out of three named ones, is the fairer test."
_UNSEARCHED = "the fairer test, with features chosen in each fold, is made without --own."

_HONEST_FRESH = f"""{_LEGEND}

What this says: how a class that holds none of these ports would have fared, the number of people being known."""


def _print_json(result: Backtest) -> None:
    import json

    from estimator.effort.backtest import RESAMPLES, SEED

    rows = [_row(one) for one in (*result.tested, *result.beside)]
    summaries = [_summary(summary) for summary in result.summaries]
    told = {"unit": "author-days", "bootstrap": {"seed": SEED, "resamples": RESAMPLES}, "fresh": result.fresh}
    click.echo(
        json.dumps({**told, "summaries": summaries, "ports": rows}, indent=1, ensure_ascii=False, allow_nan=False)
    )


def _row(one: Tested) -> dict[str, Any]:
    said = {}
    for method, days in one.said.items():
        said[method] = {"p10": round(days.p10, 3), "p50": round(days.p50, 3), "p90": round(days.p90, 3)}
    port = one.port
    told = {"port": port.repo, "kind": port.kind, "counted": port.counted, "actual": port.author_days}
    return {**told, "counts": dict(port.counts), "said": said, "source": port.source}


def _summary(summary: Summary) -> dict[str, Any]:
    return {
        "method": summary.method,
        "ports": summary.ports,
        "coverage": _three(summary.coverage),
        "width": _figure(summary.width),
        "bias": _three(summary.bias),
        "rank": _three(summary.rank),
        "error": _figure(summary.error),
        "reached": dict(summary.reached),
    }


def _three(interval: Interval) -> dict[str, float | None]:
    values = {"value": interval.value, "low": interval.low, "high": interval.high}
    return {name: _figure(value) for name, value in values.items()}


def _figure(value: float) -> float | None:
    """Four digits; nothing where it isn't defined, since JSON has no word for that."""
    return round(value, 4) if isfinite(value) else None


def _print_csv(result: Backtest) -> None:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in (*result.tested, *result.beside):
        writer.writerows(_cells(one))
    click.echo(text.getvalue(), nl=False)


def _cells(one: Tested) -> Iterator[tuple[str, ...]]:
    """One line a method. A name that a spreadsheet would take for a formula is given as text."""
    port = one.port
    name = f"'{port.repo}" if port.repo.startswith(("=", "+", "-", "@")) else port.repo
    for method, days in one.said.items():
        inside = "yes" if days.holds(port.author_days) else "no"
        spread = (f"{days.p10:.3f}", f"{days.p50:.3f}", f"{days.p90:.3f}", f"{port.author_days:g}")
        ratio = f"{days.p50 / port.author_days:.3f}"
        yield (shown(name), "yes" if port.counted else "no", shown(port.kind), method, *spread, inside, ratio)
