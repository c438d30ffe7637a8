"""Writes the API catalogue `heuristics/apis/*.csv` from header and declaration packages.

The manifest `heuristics/apis/sources.toml` says which packages, and by which rules a CUDA name is joined
with a HIP name. Packages come from registries with their ordinary clients, one at a time. Only names,
releases and the way a pair was found are written: no header text, no comment, no prototype.

How a CUDA name gets its HIP name, first hit wins: a pair of the manifest; an alias declared by the
interop package; a renaming rule whose result exists on the HIP side; a pair of PyTorch's renaming table
whose result exists there. For driver functions the last two are only worth "verify": equal names there
often have other signatures. A pair whose argument counts can't agree is `renamed-arguments-differ`.
A name with none of these is "none", or "rewrite" where the counterpart library has another interface.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import astuple, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from estimator.errors import EstimatorError, raise_all, shown
from estimator.knowledge.catalogue import RELEASE, STATUSES, as_csv, load_catalogue, release_key
from estimator.knowledge.declarations import (
    Declared,
    read_aliases,
    read_header,
    read_pairs,
    read_pxd,
    settle,
)
from estimator.knowledge.packages import Registry, package, texts
from estimator.knowledge.tables import check, read_toml
from estimator.knowledge.values import ApiName

MANIFEST = "sources.toml"
HIP_NAMES = "hip-names.txt"


def _sound(pattern: str) -> str:
    """A pattern as it was given; one that can't be read is refused."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a pattern: {error}") from None
    return pattern


def _replacing(rename: tuple[str, str]) -> tuple[str, str]:
    """A pattern and its replacement; one that names a group which the pattern doesn't have is refused."""
    try:
        re.sub(*rename, "")
    except (re.error, IndexError) as error:
        raise ValueError(f"not a replacement: {error}") from None
    return rename


def _fits_a_cell(text: str) -> str:
    """A text as it was given; one that would break the tables is refused."""
    if not _is_cell(text):
        raise ValueError("holds a comma, a quote or a control character, which no cell of a table may")
    return text


def _is_cell(text: str) -> bool:
    return text.isprintable() and not set(text) & set(',"')


_Pattern = Annotated[str, AfterValidator(_sound)]
_Rename = Annotated[tuple[_Pattern, str], AfterValidator(_replacing)]
_Cell = Annotated[str, AfterValidator(_fits_a_cell)]
_Id = Annotated[_Cell, Field(min_length=1)]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]
_Date = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
_Release = Annotated[str, Field(pattern=f"^{RELEASE}$")]
_MaybeRelease = Annotated[str, Field(pattern=f"^({RELEASE})?$")]
# Of a package, as its registry and the name of its file have it; of a file, in the folder and no other.
_PackageName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.+_-]*$", max_length=100)]
_PackageVersion = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.+~_-]*$", max_length=100)]
_FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*\.csv$", max_length=100)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Package(_Table):
    name: _PackageName
    version: _PackageVersion
    role: Literal["cuda", "hip", "hip-header", "interop", "candidates"]
    release: _Release
    files: _Pattern
    library: str = ""
    registry: Registry = "wheels"
    off: tuple[str, ...] = ()


class _Library(_Table):
    id: _Id
    file: _FileName
    names: _Pattern
    renames: tuple[_Rename, ...]
    guess: Literal["renamed", "same-name", "verify"]
    otherwise: Literal["rewrite", "none"]
    aliases: bool = True
    candidates: bool = True
    older: bool = False
    first_release: _MaybeRelease = ""


class _Listed(_Table):
    library: str
    names: tuple[_Name, ...] = ()
    match: _Pattern = ""
    status: str
    why: _Cell
    rename: _Rename | None = None
    since: _MaybeRelease | None = None
    until: Annotated[str, Field(pattern=f"^(<?{RELEASE})?$")] = ""

    def hip_name(self, name: str) -> str:
        return re.sub(*self.rename, name) if self.rename else ""


class _Manifest(_Table):
    date: _Date
    generations: tuple[_Release, ...]
    may_fall: Annotated[float, Field(ge=0, le=1)]
    hip_names: _Pattern
    left_out: _Pattern
    tags: _Pattern
    package: tuple[_Package, ...]
    library: tuple[_Library, ...]
    listed: tuple[_Listed, ...] = ()


@dataclass(slots=True)
class _Collected:
    """What the packages say.

    cuda: by library and generation. hip, headers: by release, from declarations (C functions, types,
    enumerators) and from headers (these and C++ templates, device functions, macros). aliases, candidates: HIP
    name by CUDA name.
    """

    cuda: dict[str, dict[str, Declared]] = field(default_factory=dict)
    hip: dict[str, Declared] = field(default_factory=dict)
    headers: dict[str, Declared] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    candidates: dict[str, str] = field(default_factory=dict)

    @property
    def oldest(self) -> str:
        """The oldest release whose declarations were read, "" for none."""
        return min(self.hip, key=release_key, default="")

    def newest(self) -> Iterator[Declared]:
        """Where a HIP name must stand to be one of today's: the newest declarations, and any header."""
        if self.hip:
            yield self.hip[max(self.hip, key=release_key)]
        yield from self.headers.values()

    def exists(self, hip_name: str) -> bool:
        """Whether a HIP name stands in today's lists."""
        return any(hip_name in declared for declared in self.newest())


def build(into: Path, wheels: Path | None = None, manifest: Path | None = None) -> Mapping[str, Mapping[str, int]]:
    """Write one CSV a library, and the list of HIP names, into a folder; gives rows by status for each library.

    wheels: folder for the packages; what is there already is not fetched again, and stays. Without it each
    package lies in a temporary folder while it is read. manifest: that of the folder by default.
    The same packages give the same bytes. A folder that can't be used, a package that can't be had or has another
    layout, a name in two libraries, or a library that lost more of its names than the manifest allows is an
    EstimatorError, and nothing is written.
    """
    path = manifest or into / MANIFEST
    table = check(path, "", _Manifest, read_toml(path))
    _check_names(path, table)
    with _usable(into, "--into", is_written=True):
        return _built(into, wheels, table)


def _built(into: Path, wheels: Path | None, table: _Manifest) -> Mapping[str, Mapping[str, int]]:
    collected = _collected(table, wheels)
    rows = {library.id: _join(library, table, collected) for library in table.library}
    faults = [*_doubles(rows), *_fallen(into, table, rows)]
    raise_all(faults)
    files = {library.file: _text(library, table, collected.oldest, rows[library.id]) for library in table.library}
    files[HIP_NAMES] = _hip_names(table, collected, rows)
    _replace(into, files)
    return {library: dict(sorted(Counter(row.status for row in found).items())) for library, found in rows.items()}


def _check_names(path: Path, table: _Manifest) -> None:
    """Libraries and statuses that the manifest names must be known, and each table has one library.

    All faults are one EstimatorError.
    """
    known = {library.id for library in table.library}
    files = Counter(library.file.casefold() for library in table.library)
    ids = Counter(library.id for library in table.library)
    faults = [f"{path}: {name}: stands twice" for name, count in (files + ids).items() if count > 1]
    faults += [
        f"{path}: {entry.name}: no library '{entry.library}' in this manifest"
        for entry in table.package
        if entry.role == "cuda" and entry.library not in known
    ]
    for listed in table.listed:
        what = listed.names[0] if listed.names else listed.match
        if listed.library not in known:
            faults.append(f"{path}: {what}: no library '{listed.library}' in this manifest")
        if listed.status not in STATUSES:
            faults.append(f"{path}: {what}: no status '{listed.status}'; one of {', '.join(STATUSES)}")
    raise_all(faults)


def _collected(table: _Manifest, wheels: Path | None) -> _Collected:
    collected = _Collected()
    with _usable(wheels, "--wheels") if wheels else nullcontext():
        for (name, version, registry), entries in groupby(table.package, lambda p: (p.name, p.version, p.registry)):
            with nullcontext(wheels) if wheels else _temporary() as folder:
                file = package(name, version, folder, registry)
                for entry in entries:
                    for inside, text in texts(file, re.compile(entry.files)):
                        _read(inside, text, entry, collected)
    for declared in (*(d for g in collected.cuda.values() for d in g.values()), *collected.headers.values()):
        settle(declared)
    return collected


@contextmanager
def _usable(folder: Path, option: str, *, is_written: bool = False) -> Iterator[None]:
    """Make a folder if need be, and remove it again if nothing came into it.

    option: what the user gave it with. One that can't be made, or not be written to if it is to be, is an
    EstimatorError.
    """
    made: list[Path] = []
    try:
        _make(folder, made, option, is_written=is_written)
        yield
    finally:
        for path in made:
            with suppress(OSError):  # not empty
                path.rmdir()


def _make(folder: Path, made: list[Path], option: str, *, is_written: bool) -> None:
    """made: takes what did not exist before, innermost first."""
    try:
        made += [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        if is_written:
            with tempfile.TemporaryFile(dir=folder):
                pass
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = getattr(error, "strerror", None) or error
        raise EstimatorError(f"{folder}: can't be used as a folder: {why}; give {option} another one") from None


@contextmanager
def _temporary() -> Iterator[Path]:
    """A folder that goes away again, even if the command line is stopped."""
    with tempfile.TemporaryDirectory(prefix=f"unwarp-{os.getpid()}-") as folder:
        yield Path(folder)


def _read(path: str, text: str, entry: _Package, collected: _Collected) -> None:
    off = frozenset(entry.off)
    match entry.role:
        case "cuda":
            by_generation = collected.cuda.setdefault(entry.library, {})
            read_header(text, by_generation.setdefault(entry.release, Declared()), off)
        case "hip":
            read_pxd(text, collected.hip.setdefault(entry.release, Declared()))
        case "hip-header":
            read_header(text, collected.headers.setdefault(entry.release, Declared()), off)
        case "interop":
            collected.aliases.update(read_aliases(text))
        case "candidates":
            collected.candidates.update(read_pairs(text))


def _join(library: _Library, table: _Manifest, collected: _Collected) -> list[ApiName]:
    """All names of one library with their counterparts, sorted."""
    own = re.compile(library.names)
    generations = collected.cuda.get(library.id, {}).values()
    names = {name for declared in generations for name in declared.names if own.search(name)}
    names |= {name for name in _in_no_header(library, collected) if own.search(name)}
    listed = _listed(library, table, names)
    join = _Join(library, table, collected)
    return [
        join.by_hand(name, listed[name]) if name in listed else join.row(name)
        for name in sorted(names | listed.keys())
        if not re.search(table.left_out, name)
    ]


def _in_no_header(library: _Library, collected: _Collected) -> set[str]:
    """CUDA names that only a table of pairs has, with a HIP name of today."""
    declared = {name for other in collected.cuda.values() for one in other.values() for name in one.names}
    pairs = (collected.aliases if library.aliases else {}) | (collected.candidates if library.older else {})
    return {name for name, hip_name in pairs.items() if name not in declared and collected.exists(hip_name)}


def _listed(library: _Library, table: _Manifest, names: set[str]) -> dict[str, _Listed]:
    """What the manifest lists by name, and of these names by pattern; a name goes before a pattern."""
    entries = [entry for entry in table.listed if entry.library == library.id]
    listed = {name: entry for entry in entries for name in entry.names}
    for entry in (entry for entry in entries if entry.match):
        listed |= {name: entry for name in names - listed.keys() if re.search(entry.match, name)}
    return listed


@dataclass(frozen=True, slots=True)
class _Join:
    """The join of one library's names."""

    library: _Library
    table: _Manifest
    collected: _Collected

    def by_hand(self, name: str, entry: _Listed) -> ApiName:
        """What the manifest says of a name."""
        hip_name = entry.hip_name(name)
        since = entry.since if entry.since is not None else self.since(hip_name)[0] if hip_name else ""
        return self.made(name, hip_name, entry.status, since, f"by hand: {entry.why}", entry.until)

    def row(self, name: str) -> ApiName:
        """What the sources say of a name."""
        function = self.is_function(name)
        alias = self.collected.aliases.get(name, "")
        if alias and alias != name and self.collected.exists(alias):
            return self.pair(name, alias, "renamed", "alias in the interop package")
        worth = self.library.guess if function else ("same-name" if self.library.guess == "same-name" else "renamed")
        for guess in self.guesses(name):
            if self.stands_for(guess, function):
                return self.pair(name, guess, worth, "renaming rule")
        candidate = self.collected.candidates.get(name, "") if self.library.candidates else ""
        if candidate and self.stands_for(candidate, function):
            return self.pair(name, candidate, worth, "renaming table of PyTorch")
        plain = re.sub(self.table.tags, "", name)
        if plain != name and not function and (typedef := self.row(plain)).hip_name:
            return self.made(name, typedef.hip_name, typedef.status, typedef.since_rocm, f"tag of {plain}")
        is_rewrite = self.library.otherwise == "rewrite"
        reason = "counterpart library has another interface" if is_rewrite else "no HIP name in any list"
        return self.made(name, "", self.library.otherwise, "", reason)

    def guesses(self, name: str) -> Iterator[str]:
        """HIP names that the library's rules make of a name."""
        for pattern, replacement in self.library.renames:
            guess, changed = re.subn(pattern, replacement, name, count=1)
            if changed:
                yield guess

    def pair(self, name: str, hip_name: str, status: str, evidence: str) -> ApiName:
        """A pair found, with its first release and after a look at the argument counts."""
        since, where = self.since(hip_name)
        note = ""
        if self.is_function(name) and status in ("renamed", "same-name"):
            status, note = self.arguments(name, hip_name, status)
        return self.made(name, hip_name, status, since, f"{evidence}{where}{note}")

    def made(self, name: str, hip_name: str, status: str, since: str, evidence: str, until: str = "") -> ApiName:
        """A row; a pair of equal names is called so."""
        if status == "renamed" and hip_name == name:
            status = "same-name"
        return ApiName(self.library.id, name, hip_name, status, since, until or self.until(name), evidence)

    def is_function(self, name: str) -> bool:
        """Whether a CUDA name is called, in any generation; one that no header has counts as what it stands for."""
        generations = self.collected.cuda.get(self.library.id, {}).values()
        if any(name in one for one in generations):
            return any(name in one.functions and name not in one.types for one in generations)
        pairs = (self.collected.aliases, self.collected.candidates)
        return any(self.stands_for(by_name.get(name, ""), True) for by_name in pairs)

    def stands_for(self, hip_name: str, function: bool) -> bool:
        """Whether a HIP name stands there as something of the same kind."""
        if function:
            return any(hip_name in declared.functions for declared in self.collected.newest())
        return any(hip_name in declared.types or hip_name in declared.constants for declared in self.collected.newest())

    def since(self, hip_name: str) -> tuple[str, str]:
        """First release that lists a HIP name ("" where the oldest list has it, or it is not known), and a word."""
        if self.library.first_release:
            return "", "; first release not known"
        listed = [release for release, one in self.collected.hip.items() if hip_name in one]
        seen = [release for release, one in self.collected.headers.items() if hip_name in one]
        first = min((*listed, *seen), key=release_key, default="")
        where = f"; seen in a header of {max(seen, key=release_key)}" if seen and not listed else ""
        return ("" if not first or release_key(first) <= release_key(self.collected.oldest or first) else first), where

    def arguments(self, name: str, hip_name: str, status: str) -> tuple[str, str]:
        """Status after comparing argument counts, and what to say about them.

        Only where no CUDA generation's counts can be met is it another signature; where only an older one's
        can, the note says so.
        """
        hip = {count for declared in self.collected.newest() for count in declared.functions.get(hip_name, ())}
        generations = self.collected.cuda.get(self.library.id, {})
        known = [
            (generation, counts)
            for generation in sorted(generations, key=release_key)
            if (counts := generations[generation].functions.get(name))
        ]
        if not hip or not known:
            return status, ""
        fits = [generation for generation, counts in known if counts & hip]
        if not fits:
            return "renamed-arguments-differ", "; takes another number of arguments"
        if known[-1][0] not in fits:
            return status, f"; another number of arguments from CUDA {known[-1][0]} on"
        return status, ""

    def until(self, name: str) -> str:
        """Last CUDA generation whose headers have the name, "" for the newest one or where none has it."""
        generations = self.collected.cuda.get(self.library.id, {})
        read = [generation for generation in self.table.generations if generation in generations]
        seen = [generation for generation in read if name in generations[generation]]
        return seen[-1] if seen and seen[-1] != read[-1] else ""


def _doubles(rows: Mapping[str, Iterable[ApiName]]) -> Iterator[str]:
    """A fault for each name in two libraries."""
    first: dict[str, str] = {}
    for library, found in rows.items():
        for row in found:
            if row.cuda_name in first:
                yield f"{MANIFEST}: {row.cuda_name} is in {first[row.cuda_name]} and in {library}; narrow their 'names'"
            first[row.cuda_name] = library


def _fallen(into: Path, table: _Manifest, rows: Mapping[str, list[ApiName]]) -> Iterator[str]:
    """A fault for each library that lost more of its names than the manifest allows."""
    if not any(into.glob("*.csv")):
        return
    before = Counter(row.library for row in load_catalogue(into).values())
    for library, found in rows.items():
        if len(found) < before[library] * (1 - table.may_fall):
            yield (
                f"{library}: {len(found)} names, {before[library]} in the table that stands there; a package may have "
                f"changed its layout (if that is right, raise may_fall in {MANIFEST}, now {table.may_fall:g})"
            )


def _text(library: _Library, table: _Manifest, oldest: str, rows: list[ApiName]) -> str:
    """The file of one library, ready to be written. oldest: the oldest release whose declarations were read."""
    for row in rows:
        if not row.cuda_name or not all(map(_is_cell, astuple(row))):
            name = shown(row.cuda_name, 60)
            raise EstimatorError(f"{library.file}: '{name}': no name, or a cell with a comma, a quote or a line break")
    comments = (
        f"# {library.id}: CUDA names and their HIP names. Written by 'unwarp catalogue build'.",
        f"# As of {table.date}; packages, versions and corrections are in {MANIFEST}: change that file.",
        f"# since_rocm is empty where the oldest list (ROCm {oldest}) has the HIP name, or where it is not known.",
        "# until_cuda is the last generation of CUDA headers read that has the name; empty: the newest has it.",
    )
    return "\n".join((*comments, as_csv(rows)))


def _hip_names(table: _Manifest, collected: _Collected, rows: Mapping[str, Iterable[ApiName]]) -> str:
    """The list of HIP names, each with the first release that has it in the lists read."""
    own = re.compile(table.hip_names)
    used = {row.hip_name for found in rows.values() for row in found}
    first: dict[str, str] = {}
    for by_release in (collected.hip, collected.headers):
        for release in sorted(by_release, key=release_key):
            for name in by_release[release].names:
                if name in used or own.search(name):
                    first[name] = min(release, first.get(name, release), key=release_key)
    lines = [
        f"# HIP names of the packages in {MANIFEST}, each with the oldest of the releases read that has it.",
        "# Written by 'unwarp catalogue build'; what the tables name is here or by hand.",
        *(f"{name} {first[name]}" for name in sorted(first)),
    ]
    return "\n".join(lines) + "\n"


def _replace(into: Path, files: Mapping[str, str]) -> None:
    """Write all files beside their places first, then put them there: no table is ever half-written.

    What would then stand there must load, with the tables that stay.
    """
    try:
        with tempfile.TemporaryDirectory(prefix=".build-", dir=into) as folder:
            beside = Path(folder)
            for path in into.glob("*.csv"):
                shutil.copyfile(path, beside / path.name)
            for name, text in files.items():
                (beside / name).write_text(text, encoding="utf-8", newline="\n")
            _check_loads(beside, into)
            for name in files:
                os.replace(beside / name, into / name)
    except OSError as error:
        raise EstimatorError(f"{into}: can't be written: {error.strerror}; give --into another one") from None


def _check_loads(beside: Path, into: Path) -> None:
    try:
        load_catalogue(beside)
    except EstimatorError as error:
        raise EstimatorError(str(error).replace(f"{beside}/", f"{into}/")) from None
