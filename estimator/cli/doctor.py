"""`unwarp doctor`: what this machine lacks, and the line that brings it."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from estimator.cli.output import complain
from estimator.errors import NOT_MEASURED, EstimatorError

_FONT_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.fonts",
    "~/.local/share/fonts",
    "/Library/Fonts",
    "/System/Library/Fonts",
)


@dataclass(frozen=True, slots=True)
class Need:
    """One system part that the PDF needs, with Debian's package for it."""

    package: str
    what: str
    present: Callable[[], bool]


def _library(soname: str) -> Callable[[], bool]:
    def loads() -> bool:
        try:
            ctypes.CDLL(soname)
        except OSError:
            return False
        return True

    return loads


def _any_font() -> bool:
    folders = [Path(folder).expanduser() for folder in _FONT_FOLDERS]
    return any(next(folder.rglob(f"*.{kind}"), None) for folder in folders for kind in ("ttf", "otf", "ttc"))


NEEDS = (
    Need("libpango-1.0-0", "Pango, text layout", _library("libpango-1.0.so.0")),
    Need("libpangoft2-1.0-0", "Pango, fonts", _library("libpangoft2-1.0.so.0")),
    Need("libharfbuzz-subset0", "HarfBuzz, fonts cut to size", _library("libharfbuzz-subset.so.0")),
    Need("fonts-dejavu-core", "a font", _any_font),
)


@click.command(short_help="Check this machine; say or do what is missing.")
@click.option("--fix", is_flag=True, help="Install what is missing with apt-get, if that is allowed here.")
def doctor(fix: bool) -> None:
    """Check what the tool needs of this machine. Exit code 3: a PDF can't be made here as it is.

    HTML, JSON and CSV need nothing beyond Python. With --fix, missing Debian packages are installed when
    the user is root or may use sudo without a password.
    """
    missing = _missing()
    if missing and fix:
        _install(missing)
        missing = _missing()
    _print_python()
    for need in NEEDS if _on_linux() else ():
        click.echo(_line(need.package not in missing, need.what, need.package))
    pdf = _pdf_fault()
    click.echo(_line(not pdf, "PDF", pdf or "can be made"))
    click.echo(_line(shutil.which("git") is not None, "git", "the commit's hash and date are read from it"))
    if missing:
        click.echo(f"\nFor the PDF:\n    apt-get install -y {' '.join(missing)}")
    if pdf:
        raise click.exceptions.Exit(NOT_MEASURED)


def _print_python() -> None:
    from estimator import load_heuristics, version

    click.echo(_line(sys.version_info >= (3, 11), "Python", sys.version.split()[0]))
    try:
        knowledge = load_heuristics()
        told = f"{len(knowledge.rules)} rules, {len(knowledge.weights)} weights, {len(knowledge.apis)} API names"
        click.echo(_line(True, f"unwarp {version()}", told))
    except EstimatorError as error:
        click.echo(_line(False, f"unwarp {version()}", str(error)))


def _line(good: bool, what: str, detail: str) -> str:
    return f"{'ok' if good else 'MISSING':<8} {what:<28} {detail}"


def _on_linux() -> bool:
    return sys.platform.startswith("linux")


def _missing() -> tuple[str, ...]:
    """Debian's packages that are needed and not there; other systems are judged by the PDF alone."""
    return tuple(need.package for need in NEEDS if not need.present()) if _on_linux() else ()


def _pdf_fault() -> str:
    """Make a page in a fresh process, since a library that was missing at import stays missing; "" when it works."""
    page = "import weasyprint; assert weasyprint.HTML(string='<p>x').write_pdf().startswith(b'%PDF')"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", page], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines()
    return lines[-1][:200] if lines else f"the test page ended with code {done.returncode}"


def _install(packages: tuple[str, ...]) -> None:
    """Run apt-get for the packages, with a fresh list when the old one doesn't know them."""
    root = _as_root()
    if shutil.which("apt-get") is None or root is None:
        complain("system packages can't be installed here (no apt-get, or neither root nor sudo)")
        return
    install = [*root, "apt-get", "install", "-y", "--no-install-recommends", *packages]
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (install, [*root, "apt-get", "update"], install):
        complain(" ".join(command))
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment, check=False)
        if command is install and done.returncode == 0:
            return


def _as_root() -> list[str] | None:
    """What to put before a command to run it as root; None when that isn't allowed without a password."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    asked = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
    return ["sudo", "-n"] if asked.returncode == 0 else None
