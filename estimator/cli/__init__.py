"""The command line: reads arguments, calls the stages, prints, and ends with the exit code of the README.

Each command is a module here. Heavy libraries are imported inside the commands, so that `unwarp --help`
answers at once. Nothing below this layer prints or exits.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click

from estimator.cli.backtest import backtest
from estimator.cli.calibrate import calibrate
from estimator.cli.catalogue import catalogue
from estimator.cli.doctor import doctor
from estimator.cli.explain import explain
from estimator.cli.output import complain, tidy
from estimator.cli.report import report
from estimator.cli.rules import rules
from estimator.cli.scan import scan
from estimator.cli.scenario import scenario
from estimator.cli.schema import schema
from estimator.errors import WRONG_INPUT, EstimatorError, shown

if TYPE_CHECKING:
    import multiprocessing.process

INTERRUPTED = 130
TERMINATED = 143

_INTERRUPTION = "interrupted; nothing was left half-written"
# What a write to stdout ends with when nothing is wrong but the place it goes to.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class _Commands(click.Group):
    """Turns wrong input and interruption into one message and an exit code; bugs keep their traceback."""

    def main(self, *arguments: Any, **named: Any) -> Any:
        try:
            return super().main(*arguments, **named)
        except OSError as error:
            if error.errno not in _NO_ROOM or error.filename is not None:
                raise
            complain(f"the output can't be written: {error.strerror}")
            _drop_stdout()
            sys.exit(WRONG_INPUT)

    def make_context(self, *arguments: Any, **named: Any) -> click.Context:
        with _harmless_usage():
            return super().make_context(*arguments, **named)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _harmless_usage():
                result = super().invoke(ctx)
            if sys.stdout is not None:  # closed by the caller
                sys.stdout.flush()  # a full disk is to be noticed here, not at the interpreter's end
            return result
        except EstimatorError as error:
            complain(str(error))
            ctx.exit(error.code)
        except KeyboardInterrupt:
            complain(_INTERRUPTION)
            ctx.exit(INTERRUPTED)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of their use, not of the alphabet


@contextmanager
def _harmless_usage() -> Iterator[None]:
    """Click's own messages repeat what the user, or a script with a stranger's names, gave as an argument."""
    try:
        yield
    except click.UsageError as error:
        raise click.UsageError(shown(error.format_message(), 300), error.ctx) from None


def _drop_stdout() -> None:
    """Let what is still buffered go nowhere, or the interpreter would fail on it once more at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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


for _command in (report, scan, explain, rules, catalogue, scenario, calibrate, backtest, schema, doctor):
    cli.add_command(_command)


def main() -> None:
    """Entry point of `unwarp`. What it prints is UTF-8, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    for number, message in ((signal.SIGINT, _INTERRUPTION), (signal.SIGTERM, ""), (signal.SIGHUP, "")):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _ending(128 + number, message))
    cli(prog_name="unwarp")


def _ending(code: int, message: str) -> Callable[[int, FrameType | None], NoReturn]:
    """Ends the process at once: an exception would be lost in whatever library is just being imported.

    So would one of our own: at that moment a module may be half there, or stderr in the midst of a line.
    """
    process = os.getpid()

    def end(_: int, __: FrameType | None) -> NoReturn:
        try:
            if os.getpid() == process:  # not in a worker, which inherits this
                for child in _children():
                    child.kill()
                tidy()
                if message:
                    complain(message)
        finally:
            os._exit(code)

    return end


def _children() -> list[multiprocessing.process.BaseProcess]:
    """The workers. None while their library is only half imported."""
    listed = getattr(sys.modules.get("multiprocessing"), "active_children", None)
    return listed() if listed else []
