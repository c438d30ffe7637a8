"""Arguments and options that several commands share, and how they become values of the stages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from estimator import DEFAULT_GFX, DEFAULT_SEED

if TYPE_CHECKING:
    from estimator.assessment import Assessment

Command = Callable[..., Any]
FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked to have assessed, as the options gave it."""

    path: Path
    exclude: tuple[str, ...]
    weights: Path | None
    scenario: Path | None
    rocm: str
    gfx: str
    date: str
    seed: int
    audience: str = "internal"
    snippets: str = "redacted"
    scope: Path | None = None
    jobs: int = 0
    command: str = "report"


def assessed(command: Command) -> Command:
    """PATH and the options that decide what is assessed and for which target."""
    for option in reversed(
        (
            click.argument("path", type=FILE),
            click.option("--scenario", type=FILE, help="Fleet, prices and team as TOML; see `unwarp scenario init`."),
            click.option("--weights", type=FILE, help="TOML file that replaces single weights by your own."),
            click.option(
                "--scope", type=FILE, help="TOML file that puts back, leaves out, replaces or postpones code."
            ),
            click.option("--exclude", metavar="GLOB", multiple=True, help="Leave out, as in a .gitignore. Repeatable."),
            click.option(
                "--rocm", default="", metavar="VERSION", help="ROCm release. Default: newest in the catalogue."
            ),
            click.option(
                "--gfx", default="", metavar="TARGET", help=f"AMD GPU target, or a product. Default: {DEFAULT_GFX}."
            ),
            click.option("--date", default="", metavar="DATE", help="Date of the assessment. Default: the commit's."),
            click.option("--seed", default=DEFAULT_SEED, show_default=True, help="Of the Monte Carlo draws."),
            click.option(
                "--jobs",
                type=click.IntRange(0),
                default=0,
                metavar="N",
                help="Processes that read. Default: one a core.",
            ),
        )
    ):
        command = option(command)
    return command


def assess(request: Request, *, own_output: Path | None = None) -> Assessment:
    """Load everything that was asked for and assess it, with progress on stderr.

    All files of the user are read before the scan, so that a wrong one is an error at once. The target is that of
    the options, else the scenario's. own_output:
    folder of our own files; where it lies inside the tree it is left out, so that a second run sees what the
    first one saw.
    """
    from estimator import assess as assess_source
    from estimator import load_heuristics, load_scenario, load_scope, open_source, run_for

    heuristics = load_heuristics(weights_overlay=request.weights)
    scenario = load_scenario(request.scenario) if request.scenario else None
    scope = load_scope(request.scope) if request.scope else ()
    with progress(f"Reading {click.format_filename(request.path)}"):
        tree = open_source(request.path, exclude=(*request.exclude, *_inside(request.path, own_output)))
    run = run_for(
        tree,
        heuristics,
        date=request.date,
        rocm=request.rocm or (scenario.rocm if scenario else None) or "",
        gfx=request.gfx or (scenario.gfx if scenario else None) or "",
        seed=request.seed,
        command=command_line(request),
        audience=request.audience,
        snippets=request.snippets,
        scope=scope,
    )
    with progress(f"Assessing {len(tree.files)} files"):
        return assess_source(tree, heuristics, run, scenario, request.jobs or _cores())


def _cores() -> int:
    """Processors that this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _inside(path: Path, output: Path | None) -> tuple[str, ...]:
    """The pattern that leaves out the output folder, if it lies inside the scanned one."""
    if output is None or not path.is_dir() or output.resolve() == path.resolve():
        return ()
    try:
        inside = output.resolve().relative_to(path.resolve())
    except ValueError:
        return ()
    return ("/" + re.sub(r"([\\*?\[\]! #])", r"\\\1", inside.as_posix()) + "/",)


def command_line(request: Request) -> str:
    """The command that gives this assessment again, without any absolute path."""
    import shlex

    words = ["unwarp", request.command, request.path.resolve().name]
    words += [f"--exclude={glob}" for glob in request.exclude]
    words += [f"--{name}={file.name}" for name in ("scenario", "weights", "scope") if (file := getattr(request, name))]
    words += [f"--{name}={value}" for name in ("rocm", "gfx", "date") if (value := getattr(request, name))]
    words.append(f"--seed={request.seed}")
    if request.command == "report":
        words += [f"--audience={request.audience}", f"--snippets={request.snippets}"]
    return shlex.join(words)


@contextmanager
def progress(text: str) -> Iterator[None]:
    """A moving line on stderr while something takes time; nothing when stderr is no terminal."""
    import sys

    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield
