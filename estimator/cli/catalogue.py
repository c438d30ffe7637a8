"""`unwarp catalogue`: what is known of CUDA's names, and how that is written anew."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from estimator.cli import options
from estimator.errors import EstimatorError, did_you_mean, shown

if TYPE_CHECKING:
    from estimator.knowledge.values import ApiName


@click.group(short_help="Look up CUDA names and their HIP names.")
def catalogue() -> None:
    """The catalogue says which CUDA name has which HIP name, and from which ROCm release on."""


@catalogue.command(short_help="Show one name, or all.")
@click.argument("name", default="")
@click.option("--format", "form", default="text", type=click.Choice(["text", "csv", "json"]), help="Default: text.")
@click.option("--rocm", default="", metavar="VERSION", help="As it stands at this release. Default: the newest.")
def show(name: str, form: str, rocm: str) -> None:
    """Show NAME, a CUDA or HIP name, or without it the whole catalogue."""
    from estimator import load_heuristics
    from estimator.knowledge.catalogue import as_rows, check_release, known_as

    heuristics = load_heuristics()
    if rocm:
        check_release(rocm, heuristics)
    apis = heuristics.apis
    found = {api.cuda_name: api for api in known_as(name, apis)} if name else apis
    if not found:
        hint = did_you_mean(name, [*apis, *{api.hip_name for api in apis.values()}])
        raise EstimatorError(f"no such name in the catalogue: '{shown(name, 60)}'{hint}")
    click.echo(_FORMS[form](as_rows(found, rocm)), nl=False)


@catalogue.command(short_help="Write the catalogue from header packages.")
@click.option("--into", type=options.FILE, help="Folder of the tables and of sources.toml. Default: the shipped one.")
@click.option("--wheels", type=options.FILE, help="Folder that holds the packages, or is to keep them.")
def build(into: Path | None, wheels: Path | None) -> None:
    """Write the tables anew from the packages that sources.toml names.

    They are fetched one at a time (9 GB in all) into a temporary folder, unless --wheels holds or is to keep
    them. When anything is wrong, the tables stay as they are.
    """
    from estimator.knowledge import catalogue_build
    from estimator.resources import data_folder

    shipped = data_folder("heuristics") / "apis"
    into = into or shipped
    own = into / catalogue_build.MANIFEST
    counts = catalogue_build.build(into, wheels, own if own.is_file() else shipped / catalogue_build.MANIFEST)
    for library, by_status in counts.items():
        told = ", ".join(f"{count} {status}" for status, count in by_status.items())
        click.echo(f"{library:<14} {sum(by_status.values()):>6}  {told}")
    click.echo(f"{'all':<14} {sum(sum(by_status.values()) for by_status in counts.values()):>6}")


def _text(rows: Iterable[ApiName]) -> str:
    lines = []
    for api in rows:
        since = f", since ROCm {api.since_rocm}" if api.since_rocm else ""
        until = f", in CUDA until {api.until_cuda}" if api.until_cuda else ""
        lines.append(
            f"{api.cuda_name} -> {api.hip_name or '-'} ({api.library}): {api.status}{since}{until}; {api.evidence}"
        )
    return "\n".join(lines) + "\n"


def _csv(rows: Iterable[ApiName]) -> str:
    from estimator.knowledge.catalogue import as_csv

    return as_csv(rows)


def _json(rows: Iterable[ApiName]) -> str:
    import json
    from dataclasses import asdict

    return json.dumps([asdict(api) for api in rows], indent=1) + "\n"


_FORMS = {"text": _text, "csv": _csv, "json": _json}
