"""What the user puts back into the estimate, leaves out of it, replaces or postpones, against what the tree says.

A scope file is read from where the user names it, never from the scanned tree by itself. Files are matched before the
scan, which must know whose they are; kernels after it. Whatever subset of the entries is asked for is then a `Choice`
over the same scan.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase, translate
from itertools import accumulate
from pathlib import Path
from typing import Any

from estimator.errors import EstimatorError, did_you_mean, shown
from estimator.findings.reach import Reach, Use, reach_of
from estimator.findings.values import JudgedSite, places_by_path
from estimator.knowledge.tables import read_toml
from estimator.languages.readings import line_count
from estimator.scan.sites import DeviceCode, Kernel, Site
from estimator.sources.files import SET_APART, Owner, SourceFile, SourceTree
from estimator.sources.members import pattern

PUT_BACK, LEAVE_OUT, REPLACE, LATER = "put_back", "leave_out", "replace", "later"
MOST_ENTRIES = 200  # of one file: each is matched against all files, and told of in the report
_MOST = 60  # characters of a name in a message
_KERNEL = "cuda-kernel"  # the category of a kernel's head
_BOTH = ("path", "kernel", "why")
ALONG = "only what leaves calls the function that it stands in"
NO_REACH = Reach()
Unit = Kernel | DeviceCode


@dataclass(frozen=True, slots=True)
class _Table:
    """Keys that a table of the file may hold. needs: those that must stand there, one of each group."""

    may: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]


# In the order in which they go before each other: what is left out is neither replaced nor postponed.
_TABLES: Mapping[str, _Table] = {
    PUT_BACK: _Table(("path", "why"), (("path",), ("why",))),
    LEAVE_OUT: _Table(_BOTH, (("path", "kernel"), ("why",))),
    REPLACE: _Table(("kernel", "by", "path", "why"), (("kernel",), ("by",), ("why",))),
    LATER: _Table(_BOTH, (("path", "kernel"), ("why",))),
}


@dataclass(frozen=True, slots=True)
class ScopeEntry:
    """One entry of a scope file. table: put_back, leave_out, replace or later.

    path: a pattern as in a .gitignore, "" for all files. kernel: a name, or a pattern with * and ?, "" for whole
    files. by: the library (id in components.csv) that takes the kernel's place. place: file and line, for messages.
    """

    table: str
    path: str
    why: str
    place: str
    kernel: str = ""
    by: str = ""

    @property
    def reason(self) -> str:
        """Why a place of it isn't priced as what it is."""
        start = {LEAVE_OUT: "left out", REPLACE: f"replaced by {self.by}", LATER: "later"}
        return f"{start[self.table]}: {self.why}"


@dataclass(frozen=True, slots=True)
class ScopeEffect:
    """What one entry did. files, lines, kernels, sites: that it decided; an earlier entry goes before a later one.

    functions: device functions that leave with its kernels, since only what leaves names them; their places and lines
    are counted with them.
    """

    change: str
    path: str
    kernel: str
    by: str
    why: str
    files: int
    lines: int
    kernels: int
    sites: int
    functions: int = 0


@dataclass(frozen=True, slots=True)
class Match:
    """What one entry fits: files, or kernels among them if it names any."""

    entry: ScopeEntry
    paths: tuple[str, ...]
    kernels: tuple[Kernel, ...] = ()


@dataclass(frozen=True, slots=True)
class Scoped:
    """A tree with what was put back as own code, and what each entry fits, in the order in which they decide.

    owners: whose each file was that was put back, by path. faults: of entries that fit nothing, to be told with those
    of the kernels. reach: the device functions that named kernels reach.
    """

    tree: SourceTree
    matches: tuple[Match, ...]
    owners: Mapping[str, Owner]
    faults: tuple[str, ...] = ()
    reach: Reach = NO_REACH

    def everything(self) -> Choice:
        """All that could be priced: what is put back, and nothing left out, replaced or postponed."""
        return self.choice(match for match in self.matches if match.entry.table == PUT_BACK)

    def choice(self, matches: Iterable[Match]) -> Choice:
        """What some of the entries decide together."""
        matches = tuple(matches)
        back = _put_back(matches)
        owners = {path: owner for path, owner in self.owners.items() if path not in back}
        return choice_of(*_decided(matches), owners, self.reach)


@dataclass(frozen=True, slots=True)
class Decided:
    """The kernels or device functions of one file that entries decide, in their order, found without a look at each;
    see `decided_in`.

    starts: their first lines. ends: the last line of each or of one before it, whichever is later. names: the place
    in the order of the first kernel of a name.
    """

    entries: Mapping[Unit, ScopeEntry]
    in_order: tuple[ScopeEntry, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    names: Mapping[str, int]

    def around(self, site: Site) -> ScopeEntry | None:
        """The entry of the first kernel that a site stands in, by its lines or by its function."""
        inside = self._first_on(site.line, site.end_line)
        first = min(inside, self.names.get(site.function, inside))
        return self.in_order[first] if first < len(self.starts) else None

    def at(self, line: int) -> ScopeEntry | None:
        """The entry of the first kernel that a line lies in."""
        first = self._first_on(line, line)
        return self.in_order[first] if first < len(self.starts) else None

    def _first_on(self, line: int, end_line: int) -> int:
        """The place of the first kernel on some lines, behind the last for none."""
        inside = bisect_left(self.ends, line)  # heads begin before the name
        return inside if inside < bisect_right(self.starts, end_line) else len(self.starts)

    def begun_at(self, site: Site) -> ScopeEntry | None:
        """The entry of the first kernel that begins on the lines of a site."""
        first = bisect_left(self.starts, site.line)
        begins = first < len(self.starts) and self.starts[first] <= site.end_line
        return self.in_order[first] if begins else None


def decided_in(pairs: Iterable[tuple[Unit, ScopeEntry]]) -> Decided:
    """Kernels, or functions, of one file with their entries, made ready to be looked up."""
    entries = dict(sorted(pairs, key=lambda pair: (pair[0].line, pair[0].end_line, pair[0].name)))
    names: dict[str, int] = {}
    for place, kernel in enumerate(entries):
        names.setdefault(kernel.name, place)
    starts = tuple(kernel.line for kernel in entries)
    ends = tuple(accumulate((kernel.end_line for kernel in entries), max))
    return Decided(entries, tuple(entries.values()), starts, ends, names)


@dataclass(frozen=True, slots=True)
class Choice:
    """What some entries of the scope file say of each place.

    files: the entry that decides a whole file, by path. kernels: kernels that an entry decides, by path.
    functions: device functions that leave with them, by path. owners: files that are not put back in this choice
    although the file says so, with whose they are. reach: what the functions were found by.
    """

    files: Mapping[str, ScopeEntry] = field(default_factory=dict)
    kernels: Mapping[str, Decided] = field(default_factory=dict)
    owners: Mapping[str, Owner] = field(default_factory=dict)
    functions: Mapping[str, Decided] = field(default_factory=dict)
    reach: Reach = NO_REACH

    def of_kernel(self, kernel: Kernel) -> ScopeEntry | None:
        """The entry that decides a kernel."""
        decided = self.kernels.get(kernel.path)
        return (decided and decided.entries.get(kernel)) or self.files.get(kernel.path)

    def of_site(self, site: Site) -> ScopeEntry | None:
        """The entry that decides a site: that of the kernel it stands in, else of its device function or its file."""
        return self.in_kernel(site) or self.of_function(site) or self.files.get(site.path)

    def in_kernel(self, site: Site) -> ScopeEntry | None:
        """The entry of the kernel that a site stands in."""
        decided = self.kernels.get(site.path)
        return decided.around(site) if decided else None

    def of_function(self, site: Site) -> ScopeEntry | None:
        """The entry that a site leaves with since only what leaves names the function it stands in."""
        decided = self.functions.get(site.path)
        return decided.around(site) if decided else None

    def reasons(self) -> Mapping[str, str]:
        """Why a file as a whole takes no part, by path."""
        return {path: entry.reason for path, entry in self.files.items()}

    def entries(self) -> Iterator[ScopeEntry]:
        """The entries of kernels, once for each kernel."""
        return (entry for decided in self.kernels.values() for entry in decided.entries.values())

    def replacement(self, site: Site) -> str:
        """The library that takes the place of the kernel whose head a site is, "" for any other site."""
        if site.category != _KERNEL:
            return ""
        entry = decided.begun_at(site) if (decided := self.kernels.get(site.path)) else None
        return entry.by if entry else ""

    def without(self, kernels: Container[Kernel], table: str) -> Choice:
        """The same, but entries of one table are silent about some kernels."""
        kept = {
            path: decided_in(
                (kernel, entry)
                for kernel, entry in decided.entries.items()
                if entry.table != table or kernel not in kernels
            )
            for path, decided in self.kernels.items()
        }
        return choice_of(self.files, kept, self.owners, self.reach)


def choice_of(
    files: Mapping[str, ScopeEntry], kernels: Mapping[str, Decided], owners: Mapping[str, Owner], reach: Reach
) -> Choice:
    """What entries decide, with the device functions that leave with kernels; what is postponed needs its own later."""

    def around(use: Use) -> ScopeEntry | None:
        decided = kernels.get(use.path)
        return decided.at(use.line) if decided else None

    given = (entry for decided in kernels.values() for entry in decided.in_order)
    order = sorted(dict.fromkeys((*given, *files.values())), key=lambda entry: list(_TABLES).index(entry.table))
    leaving = reach.leaving(around, files, order)
    by_path: dict[str, list[tuple[Unit, ScopeEntry]]] = {}
    for function in reach.functions:
        if function.name in leaving and function.path not in files:
            by_path.setdefault(function.path, []).append((function, leaving[function.name]))
    functions = {path: decided_in(pairs) for path, pairs in by_path.items()}
    return Choice(files, kernels, owners, functions, reach)


def load_scope(path: Path) -> tuple[ScopeEntry, ...]:
    """The entries of one file in the order in which they decide. All faults are told at once, each with its line.

    More entries than `MOST_ENTRIES` are a fault, told before any other.
    """
    given = read_toml(path)
    count = sum(len(entries) for entries in given.values() if isinstance(entries, list))
    if count > MOST_ENTRIES:
        raise EstimatorError(
            f"{path}: {count:,} entries, at most {MOST_ENTRIES}; one pattern such as csrc/old/ stands for many files"
        )
    lines = _lines(path)
    faults: list[str] = []
    for table, entries in given.items():
        faults += _faults(path, lines, table, entries)
    if not given:
        faults.append(f"{path}: holds nothing; write [[leave_out]] with path and why; tables are {_listed(_TABLES)}")
    if faults:
        raise EstimatorError("\n".join(faults))
    return tuple(
        ScopeEntry(
            table,
            entry.get("path", ""),
            entry["why"],
            _place(path, lines, table, number),
            entry.get("kernel", ""),
            entry.get("by", ""),
        )
        for table in _TABLES
        for number, entry in enumerate(given.get(table, ()))
    )


def scoped(tree: SourceTree, entries: Iterable[ScopeEntry], libraries: Iterable[str] = ()) -> Scoped:
    """The tree with what was put back as own code, and the files that each entry fits.

    An entry without any file, or by a library that isn't in `libraries`, is a slip: all of them are reported at once,
    here or, if the file names kernels too, by `settled`.
    """
    known = tuple(libraries)
    fitting: dict[tuple[str, bool], tuple[str, ...]] = {}  # entries of one pattern share what it fits
    matches = []
    faults: list[str] = []
    for entry in sorted(entries, key=lambda entry: list(_TABLES).index(entry.table)):
        asked = entry.path, entry.table == PUT_BACK
        if asked not in fitting:
            fitting[asked] = tuple(file.path for file in _candidates(tree, entry))
        matches.append(Match(entry, fitting[asked]))
        faults += _slips(matches[-1], known)
    if faults and not any(match.entry.kernel for match in matches):
        raise EstimatorError("\n".join(faults))
    back = _put_back(matches)
    owners = {file.path: file.owner for file in tree.files if file.path in back}
    files = tuple(_owned(file, back.get(file.path)) for file in tree.files)
    return Scoped(replace(tree, files=files), tuple(matches), owners, tuple(faults))


def settled(done: Scoped, kernels: Iterable[Kernel], functions: Iterable[DeviceCode] = ()) -> Scoped:
    """The same with the kernels that entries name. One that names none is a slip, as in `scoped`.

    functions: those that run on the device, of which some leave with their kernels.
    """
    own = [kernel for kernel in kernels if kernel.owner not in SET_APART]
    faults = list(done.faults)
    matches = []
    for match in done.matches:
        named = replace(match, kernels=_named(match, own)) if match.entry.kernel else match
        if match.entry.kernel and match.paths and not named.kernels:
            faults.append(_no_kernel(match, own))
        matches.append(named)
    if faults:
        raise EstimatorError("\n".join(faults))
    named_ones = (kernel for match in matches if match.entry.table != PUT_BACK for kernel in match.kernels)
    return replace(done, matches=tuple(matches), reach=reach_of(named_ones, functions, done.tree.files))


def effects(done: Scoped, sites: Iterable[JudgedSite], kernels: Iterable[Kernel] = ()) -> tuple[ScopeEffect, ...]:
    """What each entry did, all of them together, in the order in which they decide."""
    sites = tuple(sites)
    choice, back = done.choice(done.matches), _put_back(done.matches)
    by_path, by_entry = places_by_path(sites), _places_decided(choice, sites)
    inside = _kernels_decided(choice, back, kernels)
    functions: dict[ScopeEntry, list[Unit]] = {}
    for function, entry in (pair for decided in choice.functions.values() for pair in decided.entries.items()):
        functions.setdefault(entry, []).append(function)
    lines = {
        file.path: line_count(file.text) for file in done.tree.files if file.path in back or file.path in choice.files
    }
    decided: dict[ScopeEntry, list[str]] = {}
    for path, entry in (*back.items(), *choice.files.items()):
        decided.setdefault(entry, []).append(path)
    rows = []
    for match in done.matches:
        paths = decided.get(match.entry, [])
        is_back = match.entry.table == PUT_BACK
        count = sum(by_path[path] for path in paths) if is_back else by_entry[match.entry]
        along = functions.get(match.entry, [])
        rows.append(_effect(match.entry, paths, inside.get(match.entry, []), along, count, lines))
    return tuple(rows)


def _places_decided(choice: Choice, sites: Iterable[JudgedSite]) -> Counter[ScopeEntry | None]:
    """How many places each entry decides; None stands for those that none does."""
    places: Counter[ScopeEntry | None] = Counter()
    for judged in sites:
        places[choice.of_site(judged.site)] += judged.site.count
    return places


def _kernels_decided(
    choice: Choice, back: Mapping[str, ScopeEntry], kernels: Iterable[Kernel]
) -> dict[ScopeEntry | None, list[Kernel]]:
    """The kernels that each entry decides; one that is put back may be decided by another entry besides."""
    inside: dict[ScopeEntry | None, list[Kernel]] = {}
    for kernel in kernels:
        inside.setdefault(choice.of_kernel(kernel), []).append(kernel)
        if entry := back.get(kernel.path):
            inside.setdefault(entry, []).append(kernel)
    return inside


def _effect(
    entry: ScopeEntry,
    paths: list[str],
    kernels: list[Kernel],
    along: list[Unit],
    sites: int,
    lines_of: Mapping[str, int],
) -> ScopeEffect:
    """The size of whole files, or of the kernels that are named and of the functions along with them.

    lines_of: lines of each file that is decided.
    """
    chosen = set(paths)
    lines = sum(lines_of[path] for path in chosen)
    if entry.kernel:
        units = (*kernels, *along)
        chosen = {unit.path for unit in units}
        lines = sum(unit.end_line - unit.line + 1 for unit in units)
    return ScopeEffect(
        change=entry.table,
        path=entry.path,
        kernel=entry.kernel,
        by=entry.by,
        why=entry.why,
        files=len(chosen),
        lines=lines,
        kernels=len(kernels),
        sites=sites,
        functions=len(along),
    )


# what entries fit, and which of them decides


def _candidates(tree: SourceTree, entry: ScopeEntry) -> Iterator[SourceFile]:
    wanted = pattern(entry.path) if entry.path else None
    for file in tree.files:
        may_match = entry.table != PUT_BACK or file.owner in SET_APART
        if may_match and (not entry.path or (wanted is not None and wanted.match_file(file.path))):
            yield file


def _named(match: Match, kernels: Iterable[Kernel]) -> tuple[Kernel, ...]:
    paths = frozenset(match.paths)
    is_meant = re.compile(translate(match.entry.kernel)).match
    return tuple(kernel for kernel in kernels if kernel.path in paths and is_meant(kernel.name))


def _put_back(matches: Iterable[Match]) -> dict[str, ScopeEntry]:
    """The entry that puts a file back, by path."""
    back: dict[str, ScopeEntry] = {}
    for match in matches:
        if match.entry.table == PUT_BACK:
            for path in match.paths:
                back.setdefault(path, match.entry)
    return back


def _decided(matches: Iterable[Match]) -> tuple[dict[str, ScopeEntry], dict[str, Decided]]:
    """The entry of each file and each kernel, the first that fits; a kernel's own goes before that of its file."""
    files: dict[str, ScopeEntry] = {}
    kernels: dict[Kernel, ScopeEntry] = {}
    for match in matches:
        if match.entry.kernel:
            for kernel in match.kernels:
                if kernel.path not in files:
                    kernels.setdefault(kernel, match.entry)
        elif match.entry.table != PUT_BACK:
            for path in match.paths:
                files.setdefault(path, match.entry)
    by_path: dict[str, list[tuple[Kernel, ScopeEntry]]] = {}
    for kernel, entry in kernels.items():
        by_path.setdefault(kernel.path, []).append((kernel, entry))
    return files, {path: decided_in(pairs) for path, pairs in sorted(by_path.items())}


def _owned(file: SourceFile, entry: ScopeEntry | None) -> SourceFile:
    return replace(file, owner=Owner.OWN, owner_reason=f"put back: {entry.why}") if entry else file


# slips


def _slips(match: Match, libraries: Iterable[str]) -> Iterator[str]:
    entry = match.entry
    where = f"{entry.place}: {entry.table}"
    if not match.paths:
        what = "vendored or generated file" if entry.table == PUT_BACK else "file"
        yield f"{where}: '{shown(entry.path, _MOST)}' fits no {what} of the scanned code"
    if entry.by and entry.by not in libraries:
        yield f"{where}: '{shown(entry.by, _MOST)}' is no id in components.csv{_nearest(entry.by, libraries)}"


def _no_kernel(match: Match, kernels: Iterable[Kernel]) -> str:
    entry = match.entry
    told = f"{entry.place}: {entry.table}: '{shown(entry.kernel, _MOST)}' is no own kernel of the scanned code"
    elsewhere = next((k for k in kernels if fnmatchcase(k.name, entry.kernel)), None)
    if elsewhere:
        return f"{told} in '{shown(entry.path, _MOST)}'; it stands in {shown(elsewhere.path, _MOST)}:{elsewhere.line}"
    return told + _nearest(entry.kernel, sorted({kernel.name for kernel in kernels}))


def _nearest(word: str, words: Iterable[str]) -> str:
    """A hint like that of `did_you_mean` which doesn't mind capitals."""
    names = {name.casefold(): name for name in words}
    close = difflib.get_close_matches(word[:100].casefold(), names, n=1)
    return f" (did you mean '{shown(names[close[0]], _MOST)}'?)" if close else ""


def _faults(path: Path, lines: Mapping[str, int], table: str, entries: Any) -> Iterator[str]:
    where = f"{_place(path, lines, table, 0)}: {shown(table, _MOST)}"
    if table not in _TABLES:
        yield f"{where}: no such table{did_you_mean(table, _TABLES)}; known are {_listed(_TABLES)}"
    elif not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        yield f"{where}: must be a list of tables: write [[{table}]]"
    else:
        for number, entry in enumerate(entries):
            for fault in _entry_faults(_TABLES[table], entry):
                yield f"{_place(path, lines, table, number)}: {table}: {fault}"


def _entry_faults(table: _Table, entry: Mapping[str, Any]) -> Iterator[str]:
    for name in entry:
        if name not in table.may:
            hint = did_you_mean(name, table.may)
            yield f"no such key '{shown(name, _MOST)}'{hint}; known are {_listed(table.may)}"
    for names in table.needs:
        if not any(name in entry for name in names):
            yield f"{' or '.join(repr(name) for name in names)} is missing"
    for name in table.may:
        if name not in entry:
            continue
        if not isinstance(entry[name], str) or not entry[name].strip():
            yield f"'{name}' must be text in quotes and not empty"
        elif name == "path" and pattern(entry[name]) is None:
            yield f"'{shown(entry[name], _MOST)}' is not a pattern as in a .gitignore"


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}"


def _lines(path: Path) -> dict[str, int]:
    """Line of each table's heading, by name and number ("put_back.0"), as far as a plain look at the text finds it."""
    places: dict[str, int] = {}
    counts: dict[str, int] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if heading := re.match(r"""\s*(?:\[{1,2}\s*["']?([\w-]+)|["']?([\w-]+)["']?\s*=)""", line):
            name = heading[1] or heading[2]
            places.setdefault(f"{name}.{counts.get(name, 0)}", number)
            counts[name] = counts.get(name, 0) + 1
    return places


def _place(path: Path, lines: Mapping[str, int], table: str, number: int) -> str:
    line = lines.get(f"{table}.{number}")
    return f"{path}:{line}" if line else str(path)
