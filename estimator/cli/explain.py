"""`unwarp explain`: what stands behind a name in the report."""

from __future__ import annotations

from pathlib import Path

import click

from estimator import DEFAULT_GFX
from estimator.cli import options


@click.command(short_help="Explain a rule, category, weight, API name, instruction, library, GPU or term.")
@click.argument("thing", nargs=-1, required=True)
@click.option("--weights", type=options.FILE, help="TOML file that replaces single weights by your own.")
@click.option("--rocm", default="", metavar="VERSION", help="ROCm release. Default: newest in the catalogue.")
@click.option("--gfx", default="", metavar="TARGET", help=f"AMD GPU target, or a product. Default: {DEFAULT_GFX}.")
def explain(thing: tuple[str, ...], weights: Path | None, rocm: str, gfx: str) -> None:
    """Say what THING is, why it matters, what it costs and where that is from.

    THING is any name that a report prints: a rule, category, weight, part of the work (setup, conversion, …),
    multiplier, risk, CUDA or HIP name, PTX instruction, library or its counterpart, package or requirement
    (torch, "flash-attn==2.5.8"), GPU target or product, criterion or setting of the policy, grade (A, B, C),
    or term (P80, likely, parsed, smem-tiled). Several are explained in turn, unless together they are one name.
    """
    from estimator import load_heuristics, target_for
    from estimator.explain import explain_each
    from estimator.knowledge.catalogue import check_release

    heuristics = load_heuristics(weights_overlay=weights)
    if rocm:
        check_release(rocm, heuristics)
    target = target_for(gfx or DEFAULT_GFX, heuristics)
    click.echo(explain_each(thing, heuristics, rocm, target, _titles()))


def _titles() -> dict[str, str]:
    """Names behind what the report calls them: "Own kernels" is the part kernels."""
    from estimator.report import wording

    return {title: name for names in (wording.CATEGORIES, wording.PARTS) for name, title in names.items()}
