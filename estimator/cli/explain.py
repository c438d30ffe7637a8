"""`unwarp explain`: what stands behind a name in the report."""

from __future__ import annotations

from pathlib import Path

import click

from estimator.cli import options


@click.command(short_help="Explain a rule, category, weight, API name, instruction, library or term.")
@click.argument("thing", nargs=-1, required=True)
@click.option("--weights", type=options.FILE, help="TOML file that replaces single weights by your own.")
@click.option("--rocm", default="", metavar="VERSION", help="ROCm release. Default: newest in the catalogue.")
def explain(thing: tuple[str, ...], weights: Path | None, rocm: str) -> None:
    """Say what THING is, why it matters, what it costs and where that is from.

    THING is a rule, category, weight, part of the work (setup, conversion, …), multiplier, risk, CUDA or
    HIP name, PTX instruction, library, criterion of the policy, grade (A, B, C), or term of the report
    (P80, likely, reserve).
    """
    from estimator import load_heuristics
    from estimator.explain import explain as explanation

    click.echo(explanation(" ".join(thing), load_heuristics(weights_overlay=weights), rocm))
