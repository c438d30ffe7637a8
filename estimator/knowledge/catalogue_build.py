"""Writes the API catalogue `heuristics/apis/*.csv` from header and declaration packages.

The manifest `heuristics/apis/sources.toml` says which packages, and by which rules a CUDA name is joined
with a HIP name. Packages come from the Python package registry through pip, one at a time. Only names,
releases and the way a pair was found are written: no header text, no comment, no prototype.

How a CUDA function gets its HIP name, first hit wins: a pair of the manifest; an alias declared by the
interop package; a renaming rule whose result exists on the HIP side (for driver functions such a hit is
only worth "verify": equal names there often have other signatures). A pair whose argument counts can't
agree is marked `renamed-arguments-differ`. A function with none of these is "none" or "rewrite".
Types and enumerators are listed only where the interop package pairs them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from estimator.errors import EstimatorError
from estimator.knowledge.catalogue import COLUMNS, release_key
from estimator.knowledge.declarations import Declared, read_aliases, read_header, read_pxd
from estimator.knowledge.tables import check, read_toml
from estimator.knowledge.values import ApiName

MANIFEST = "sources.toml"

# Endings of what looks like a function in a header and is none that code calls by this name: types, and
# the per-thread-stream forms that macros of the header put in.
_NOT_CALLED_SO = ("_t", "_ptsz", "_ptds")

# One platform for everybody, so that the same files are read wherever the build runs.
_PLATFORMS = (
    "manylinux_2_28_x86_64",
    "manylinux_2_27_x86_64",
    "manylinux_2_25_x86_64",
    "manylinux_2_18_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux2014_x86_64",
    "manylinux_2_12_x86_64",
    "manylinux2010_x86_64",
    "manylinux_2_5_x86_64",
    "manylinux1_x86_64",
    "any",
)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Package(_Table):
    name: str
    version: str
    role: str
    release: str
    files: str


class _Library(_Table):
    id: str
    file: str
    names: str
    renames: tuple[tuple[str, str], ...]
    guess: str
    otherwise: str
    first_release: str = ""


class _Listed(_Table):
    names: tuple[str, ...]
    status: str
    why: str
    rename: tuple[str, str] | None = None
    since: str = ""
    until: str = ""

    def hip_name(self, name: str) -> str:
        return re.sub(*self.rename, name) if self.rename else ""


class _Manifest(_Table):
    date: str
    generations: tuple[str, ...]
    releases: tuple[str, ...]
    package: tuple[_Package, ...]
    library: tuple[_Library, ...]
    listed: tuple[_Listed, ...] = ()


@dataclass(slots=True)
class _Collected:
    """What the packages say: CUDA names by generation, HIP names by release, aliases, C++ templates."""

    cuda: dict[str, Declared] = field(default_factory=dict)
    hip: dict[str, Declared] = field(default_factory=dict)
    header: Declared = field(default_factory=Declared)
    header_release: str = ""
    aliases: dict[str, str] = field(default_factory=dict)


def build(out: Path, wheels: Path, manifest: Path | None = None) -> Mapping[str, Mapping[str, int]]:
    """Write one CSV a library into `out`; gives rows by status for each library.

    wheels: folder for the packages; what is there already is not fetched again.
    The same packages give the same bytes. A package that can't be had is an error.
    """
    path = manifest or out / MANIFEST
    table = check(path, "", _Manifest, read_toml(path))
    wheels.mkdir(parents=True, exist_ok=True)
    collected = _Collected()
    for package in table.package:
        _collect(_wheel(package, wheels), package, collected)
    joined = [(library, _join(library, table, collected)) for library in table.library]
    texts = [(out / library.file, _text(library, table, rows)) for library, rows in joined]
    for file, text in texts:
        file.write_text(text, encoding="utf-8", newline="\n")
    return {library.id: dict(sorted(Counter(row.status for row in rows).items())) for library, rows in joined}


def _wheel(package: _Package, wheels: Path) -> Path:
    stem = re.sub(r"[-.]", "_", package.name)
    pattern = f"{stem}-{package.version}-*.whl"
    found = sorted(wheels.glob(pattern))
    if not found:
        platforms = [part for platform in _PLATFORMS for part in ("--platform", platform)]
        tags = [
            "--python-version",
            "3.11",
            "--implementation",
            "cp",
            "--abi",
            "cp311",
            "--abi",
            "abi3",
            "--abi",
            "none",
        ]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        wanted = f"{package.name}=={package.version}"
        done = subprocess.run(
            [*command, *tags, *platforms, "--dest", str(wheels), wanted], capture_output=True, text=True, check=False
        )
        found = sorted(wheels.glob(pattern))
        if not found:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise EstimatorError(f"{wanted}: pip could not fetch this package: {last}")
    return found[0]


def _collect(wheel: Path, package: _Package, collected: _Collected) -> None:
    wanted = re.compile(package.files)
    with zipfile.ZipFile(wheel) as archive:
        inside = sorted(name for name in archive.namelist() if wanted.search(name))
        if not inside:
            raise EstimatorError(f"{wheel.name}: holds no file that matches {package.files}")
        for name in inside:
            text = archive.read(name).decode("utf-8", errors="replace")
            match package.role:
                case "cuda":
                    into = collected.cuda.setdefault(package.release, Declared())
                    (read_pxd if name.endswith(".pxd") else read_header)(text, into)
                case "hip":
                    read_pxd(text, collected.hip.setdefault(package.release, Declared()))
                case "hip-header":
                    read_header(text, collected.header)
                    collected.header_release = package.release
                case "interop":
                    collected.aliases.update(read_aliases(text))
                case other:
                    raise EstimatorError(f"{MANIFEST}: {package.name}: no role '{other}'")


def _join(library: _Library, table: _Manifest, collected: _Collected) -> list[ApiName]:
    own = re.compile(library.names)
    functions = {name for g in collected.cuda.values() for name in g.functions if own.search(name)}
    functions = {name for name in functions if not name.endswith(_NOT_CALLED_SO)}
    paired = {name for name in collected.aliases if own.search(name) and not name.endswith("_st")}
    listed = {name: entry for entry in table.listed for name in entry.names if own.search(name)}
    generations = [g for g in table.generations if g in collected.cuda and _has(collected.cuda[g], own)]
    rows = []
    for name in sorted(functions | paired | listed.keys()):
        until = _until(name, name in functions, generations, collected)
        if name in listed:
            entry = listed[name]
            hip_name = entry.hip_name(name)
            since = entry.since or (_since(hip_name, library, table, collected)[0] if hip_name else "")
            evidence = f"by hand: {entry.why}"
            rows.append(ApiName(library.id, name, hip_name, entry.status, since, entry.until or until, evidence))
        elif row := _pair(name, name in functions, library, table, collected):
            rows.append(ApiName(library.id, name, row[0], row[1], row[2], until, row[3]))
    return rows


def _has(declared: Declared, own: re.Pattern[str]) -> bool:
    return any(own.search(name) for name in declared.functions)


def _pair(
    name: str, function: bool, library: _Library, table: _Manifest, collected: _Collected
) -> tuple[str, str, str, str] | None:
    """HIP name, status, first release and evidence of one CUDA name; None if there is nothing to say."""
    alias = collected.aliases.get(name, "")
    if alias and alias != name and _exists(alias, collected):
        since, where = _since(alias, library, table, collected)
        status, note = _arguments(name, alias, "renamed", collected) if function else ("renamed", "")
        return alias, status, since, f"alias in the interop package{where}{note}"
    if not function:
        return None
    for pattern, replacement in library.renames:
        guess, changed = re.subn(pattern, replacement, name)
        if changed and _is_function(guess, collected):
            since, where = _since(guess, library, table, collected)
            status, note = _arguments(name, guess, library.guess, collected)
            return guess, status, since, f"renaming rule{where}{note}"
    reason = (
        "counterpart library has another interface" if library.otherwise == "rewrite" else "no HIP name in any list"
    )
    return "", library.otherwise, "", reason


def _exists(hip_name: str, collected: _Collected) -> bool:
    return any(hip_name in declared.words for declared in (*collected.hip.values(), collected.header))


def _is_function(hip_name: str, collected: _Collected) -> bool:
    newest = max(collected.hip, key=release_key)
    return hip_name in collected.hip[newest].functions or hip_name in collected.header.functions


def _since(hip_name: str, library: _Library, table: _Manifest, collected: _Collected) -> tuple[str, str]:
    """First release that lists a HIP name ("" for the oldest list, or not known), and a word about it."""
    if library.first_release:
        return "", "; first release not known"
    listed = [r for r in table.releases if r in collected.hip and hip_name in collected.hip[r].words]
    if not listed:
        return "", f"; seen in a header of {collected.header_release}"
    first = listed[0]
    if release_key(first) > release_key(collected.header_release) and hip_name in collected.header.words:
        return "", f"; seen in a header of {collected.header_release}"
    return ("" if first == table.releases[0] else first), ""


def _arguments(name: str, hip_name: str, status: str, collected: _Collected) -> tuple[str, str]:
    """Status after comparing argument counts, and what to say about them.

    Only where no CUDA generation's counts can be met is it another signature; where only an older one's
    can, the note says so.
    """
    newest = max(collected.hip, key=release_key)
    hip = collected.hip[newest].functions.get(hip_name, set()) | collected.header.functions.get(hip_name, set())
    known = [
        (g, d.functions[name])
        for g, d in sorted(collected.cuda.items(), key=lambda item: release_key(item[0]))
        if d.functions.get(name)
    ]
    if not hip or not known or status not in ("renamed", "same-name"):
        return status, ""
    fits = [generation for generation, counts in known if counts & hip]
    if not fits:
        return "renamed-arguments-differ", "; takes another number of arguments"
    if known[-1][0] not in fits:
        return status, f"; another number of arguments from CUDA {known[-1][0]} on"
    return status, ""


def _until(name: str, function: bool, generations: list[str], collected: _Collected) -> str:
    """Last CUDA generation whose headers have the name, "" for the newest one or where none has it."""

    def has(generation: str) -> bool:
        declared = collected.cuda[generation]
        return name in (declared.functions if function else declared.words)

    seen = [g for g in generations if has(g)]
    if not generations or (seen and seen[-1] == generations[-1]):
        return ""
    return seen[-1] if seen else ""


def _text(library: _Library, table: _Manifest, rows: list[ApiName]) -> str:
    """The file of one library, ready to be written."""
    lines = [
        f"# {library.id}: CUDA names and their HIP names. Written by 'unwarp catalogue build'.",
        f"# As of {table.date}; packages, versions and corrections are in sources.toml: change that file.",
        "# since_rocm is empty where the oldest list (ROCm 6.2) has the HIP name, or where it is not known.",
        "# until_cuda is the last generation of CUDA headers read that has the name; empty: the newest has it.",
        ",".join(COLUMNS),
    ]
    for row in rows:
        cells = (row.library, row.cuda_name, row.hip_name, row.status, row.since_rocm, row.until_cuda, row.evidence)
        if any(set(cell) & set(',"\n') for cell in cells):
            raise EstimatorError(f"{library.file}: {row.cuda_name}: a cell holds a comma, a quote or a line break")
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"
