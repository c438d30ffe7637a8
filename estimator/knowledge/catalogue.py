"""The API catalogue: which CUDA name has which HIP name, from which ROCm release on.

The files `heuristics/apis/*.csv` are written by `catalogue_build`, one a library. No cell holds a comma or a
quote, so that a table is one split away from its cells; a name becomes an ApiName only when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, replace
from pathlib import Path

from estimator.errors import EstimatorError, shown
from estimator.knowledge.tables import read_text
from estimator.knowledge.values import ApiName, Heuristics

COLUMNS = ("library", "cuda_name", "hip_name", "status", "since_rocm", "until_cuda", "evidence")
STATUSES = ("renamed", "renamed-arguments-differ", "same-name", "rewrite", "none", "verify")
RELEASE = r"[0-9]{1,9}(\.[0-9]{1,9}){0,4}"

_HEADER = ",".join(COLUMNS)
_WIDTH = len(COLUMNS)
_LIBRARY, _NAME, _STATUS, _SINCE = map(COLUMNS.index, ("library", "cuda_name", "status", "since_rocm"))
_RELEASE = re.compile(RELEASE)


class Catalogue(Mapping[str, ApiName]):
    """CUDA names with their counterparts as they stand at a ROCm release; frozen.

    cells: those of all rows one after another, checked. rocm: release that the status is asked for; "" for
    the newest, at which everything listed exists.
    """

    __slots__ = ("_cells", "_rocm", "_rows")

    def __init__(self, cells: list[str], rocm: str = "") -> None:
        self._cells = cells
        self._rocm = rocm
        self._rows = dict(zip(cells[_NAME::_WIDTH], range(0, len(cells), _WIDTH), strict=True))

    def __getitem__(self, name: str) -> ApiName:
        row = self._rows[name]
        api = ApiName(*self._cells[row : row + _WIDTH])
        return replace(api, status="none") if _comes_later(api, self._rocm) else api

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __reduce__(self) -> tuple[type[Catalogue], tuple[list[str], str]]:
        return Catalogue, (self._cells, self._rocm)

    def at(self, rocm: str) -> Catalogue:
        """The same names at another release."""
        return self if rocm == self._rocm else Catalogue(self._cells, rocm)

    def column(self, name: str) -> set[str]:
        """All values of a column; the status is the one at the newest release."""
        return set(self._cells[COLUMNS.index(name) :: _WIDTH])


def load_catalogue(folder: Path) -> Catalogue:
    """All names of a folder of CSV files, by CUDA name. A name stands once over all files.

    All faults of all files are reported in one EstimatorError.
    """
    paths = sorted(folder.glob("*.csv"))
    if not paths:
        raise EstimatorError(f"{folder}: no catalogue files (*.csv); run 'unwarp catalogue build'")
    cells: list[str] = []
    sound = True
    for path in paths:
        table = _parts(path)[1].replace("\n", ",").split(",")
        sound = sound and _is_sound(table)
        table.pop()
        cells += table
    catalogue = Catalogue(cells) if sound else None
    if catalogue is None or len(catalogue) != len(cells) // _WIDTH:
        raise EstimatorError("\n".join(_faults(paths)))
    return catalogue


def catalogue_of(apis: Iterable[ApiName]) -> Catalogue:
    """A catalogue of these names."""
    return Catalogue([cell for api in apis for cell in astuple(api)])


def status_of(name: str, apis: Mapping[str, ApiName], rocm: str) -> str:
    """Status of a CUDA name at a ROCm release such as "7.2" or "10.0.1".

    A HIP name that came later than the release counts as none. "" means that the catalogue doesn't
    know the name, which says nothing about whether it exists.
    """
    api = apis.get(name)
    if api is None:
        return ""
    return "none" if _comes_later(api, rocm) else api.status


def at_release(apis: Mapping[str, ApiName], rocm: str) -> Catalogue:
    """The catalogue as it stands at a ROCm release: names that came later have no counterpart yet."""
    return _catalogue(apis).at(rocm)


def known_as(name: str, apis: Mapping[str, ApiName]) -> tuple[ApiName, ...]:
    """What the catalogue says of a CUDA name, or of all CUDA names behind a HIP name."""
    if name in apis:
        return (apis[name],)
    return tuple(api for api in apis.values() if api.hip_name == name)


def as_rows(apis: Mapping[str, ApiName], rocm: str = "") -> list[ApiName]:
    """The names sorted by library and name.

    rocm: where given, the status is the one at that release, and a HIP name that came later is left out
    with its first release kept.
    """
    found = sorted(apis.values(), key=lambda api: (api.library, api.cuda_name))
    if not rocm:
        return found
    return [replace(api, status="none", hip_name="") if _comes_later(api, rocm) else api for api in found]


def as_csv(rows: Iterable[ApiName]) -> str:
    """Names as CSV text with its header, in the order given."""
    return "\n".join([_HEADER, *(",".join(astuple(api)) for api in rows)]) + "\n"


def is_older(release: str, other: str) -> bool:
    """Whether a release comes before another; numbers are compared as numbers, as far as the shorter
    one goes: 7.2 is older than 7.14, and 10 is not older than 10.0. An empty one is never newer."""
    if not release or not other:
        return False
    left, right = release_key(release), release_key(other)
    shared = min(len(left), len(right))
    return left[:shared] < right[:shared]


def release_key(release: str) -> tuple[int, ...]:
    """A release as numbers, for sorting; what is none is an EstimatorError."""
    if not _RELEASE.fullmatch(release):
        raise EstimatorError(_no_release(release))
    return tuple(int(part) for part in release.split("."))


def check_release(rocm: str, heuristics: Heuristics) -> None:
    """A release that is asked for must lie between the oldest and the newest one that the tables name.

    What is no release at all, or lies outside, is an EstimatorError.
    """
    release_key(rocm)
    named = releases(heuristics.apis)
    named |= {one.version for one in heuristics.frameworks if one.framework == "ROCm" and one.version}
    if not named:
        return
    oldest, newest = min(named, key=release_key), max(named, key=release_key)
    if is_older(rocm, oldest) or is_older(newest, rocm):
        raise EstimatorError(f"nothing is known of ROCm {rocm}; the tables know {oldest} to {newest}")


def releases(apis: Mapping[str, ApiName]) -> set[str]:
    """ROCm releases that the catalogue names."""
    return _catalogue(apis).column("since_rocm") - {""}


def libraries(apis: Mapping[str, ApiName]) -> set[str]:
    """Libraries that the catalogue names."""
    return _catalogue(apis).column("library")


def newest_release(apis: Mapping[str, ApiName]) -> str:
    """Newest ROCm release that the catalogue names, "" if it names none."""
    return max(releases(apis), key=release_key, default="")


def _catalogue(apis: Mapping[str, ApiName]) -> Catalogue:
    return apis if isinstance(apis, Catalogue) else catalogue_of(apis.values())


def _comes_later(api: ApiName, rocm: str) -> bool:
    return bool(api.hip_name) and is_older(rocm, api.since_rocm)


def _no_release(text: str) -> str:
    return f"'{shown(text, 60)}' is not a release; write it as numbers with dots, such as 7.2"


def _parts(path: Path) -> tuple[str, str]:
    """The comments at the head of a file and its rows, each with its line end; without rows where the head is wrong."""
    head, _, rows = read_text(path).replace("\r\n", "\n").partition(f"{_HEADER}\n")
    return head, rows if all(line[:1] in ("", "#") for line in head.split("\n")) else ""


def _is_sound(cells: list[str]) -> bool:
    """Whether all rows of a file are what they should be, judged by columns, which is quick.

    A row with a cell too many or too few moves those after it, so that another cell stands where the
    library, the same in each row of a file, should be. The empty cell after the last line end is the last.
    """
    return (
        len(cells) > 1
        and len(cells) % _WIDTH == 1
        and not cells[-1]
        and len(set(cells[_LIBRARY:-1:_WIDTH])) == 1
        and set(cells[_STATUS::_WIDTH]) <= set(STATUSES)
        and all(map(_RELEASE.fullmatch, set(cells[_SINCE::_WIDTH]) - {""}))
    )


def _faults(paths: Iterable[Path]) -> Iterator[str]:
    """What is wrong with the files, line by line."""
    known: dict[str, str] = {}
    for path in paths:
        head, rows = _parts(path)
        if not rows:
            yield f"{path}: no rows, or no line that is the header; after comments the columns must be {_HEADER}"
            continue
        if not rows.endswith("\n"):
            yield f"{path}: no line end after the last row"
        library = rows.partition(",")[0]
        for number, line in enumerate(rows.removesuffix("\n").split("\n"), head.count("\n") + 2):
            if fault := _fault(line.split(","), library, known):
                yield f"{path}: line {number}: {fault}"


def _fault(cells: list[str], library: str, known: dict[str, str]) -> str:
    """What is wrong with one row, "" for nothing. known: libraries of the names seen so far; this one is added."""
    if len(cells) != _WIDTH:
        return f"{len(cells)} cells, {_WIDTH} needed; cells hold no commas"
    name, status, since = cells[_NAME], cells[_STATUS], cells[_SINCE]
    if cells[_LIBRARY] != library:
        return f"library '{shown(cells[_LIBRARY], 60)}' in the file of '{shown(library, 60)}'"
    if status not in STATUSES:
        return f"no status '{shown(status, 60)}'; one of {', '.join(STATUSES)}"
    if since and not _RELEASE.fullmatch(since):
        return _no_release(since)
    if name in known:
        return f"{shown(name, 60)} stands in the catalogue already ({known[name]})"
    known[name] = library
    return ""
