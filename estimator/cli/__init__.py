"""The command line: reads arguments, calls the stages, prints, and ends with the exit code of the README.

Each command is a module here. Heavy libraries are imported inside the commands, so that `unwarp --help`
answers at once. Nothing below this layer prints or exits.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any, NoReturn

import click

from estimator.cli.doctor import doctor
from estimator.cli.explain import explain
from estimator.cli.report import report
from estimator.cli.rules import rules
from estimator.cli.scan import scan
from estimator.cli.scenario import scenario
from estimator.cli.schema import schema
from estimator.errors import EstimatorError

INTERRUPTED = 130
TERMINATED = 143


class _Commands(click.Group):
    """Turns wrong input and interruption into one message and an exit code; bugs keep their traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except EstimatorError as error:
            click.echo(f"unwarp: {error}", err=True)
            ctx.exit(error.code)
        except KeyboardInterrupt:
            click.echo("unwarp: interrupted; nothing was left half-written", err=True)
            ctx.exit(INTERRUPTED)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of their use, not of the alphabet


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from estimator import version

        click.echo(f"unwarp {version()}")
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def cli() -> None:
    """What would it cost to leave CUDA?

    Scans a code base, prices the port with heuristics that anyone can read, and recommends AMD, NVIDIA
    (stay) or Triton-first, with the evidence.
    """


for _command in (report, scan, explain, rules, scenario, schema, doctor):
    cli.add_command(_command)


def main() -> None:
    """Entry point of `unwarp`."""
    signal.signal(signal.SIGTERM, _terminate)
    cli(prog_name="unwarp")


def _terminate(_: int, __: FrameType | None) -> NoReturn:
    sys.exit(TERMINATED)  # unwinds, so that temporary files are removed on the way
