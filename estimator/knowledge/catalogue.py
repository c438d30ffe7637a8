"""The API catalogue: which CUDA name has which HIP name, from which ROCm release on.

The files `heuristics/apis/*.csv` are written by `catalogue_build`; no cell holds a comma or a quote,
so a plain split reads them, which keeps loading of some thousands of rows to milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from estimator.errors import EstimatorError
from estimator.knowledge.values import ApiName

COLUMNS = ("library", "cuda_name", "hip_name", "status", "since_rocm", "until_cuda", "evidence")
STATUSES = ("renamed", "renamed-arguments-differ", "same-name", "rewrite", "none", "verify")


def load_catalogue(folder: Path) -> Mapping[str, ApiName]:
    """All names of a folder of CSV files, by CUDA name. A name stands once over all files."""
    paths = sorted(folder.glob("*.csv"))
    if not paths:
        raise EstimatorError(f"{folder}: no catalogue files (*.csv); run 'unwarp catalogue build'")
    names: dict[str, ApiName] = {}
    faults: list[str] = []
    for path in paths:
        _load(path, names, faults)
    if faults:
        raise EstimatorError("\n".join(faults))
    return names


def status_of(name: str, apis: Mapping[str, ApiName], rocm: str) -> str:
    """Status of a CUDA name at a ROCm release such as "7.2" or "10.0.1".

    A HIP name that came later than the release counts as none. "" means that the catalogue doesn't
    know the name, which says nothing about whether it exists.
    """
    api = apis.get(name)
    if api is None:
        return ""
    if api.hip_name and is_older(rocm, api.since_rocm):
        return "none"
    return api.status


def at_release(apis: Mapping[str, ApiName], rocm: str) -> Mapping[str, ApiName]:
    """The catalogue as it stands at a ROCm release: names that came later have no counterpart yet."""
    statuses = {name: status_of(name, apis, rocm) for name in apis}
    return {
        name: api if api.status == statuses[name] else replace(api, status=statuses[name]) for name, api in apis.items()
    }


def as_csv(apis: Mapping[str, ApiName], rocm: str = "") -> str:
    """The catalogue as CSV text, sorted by library and name.

    rocm: where given, the status column is the one at that release, and a HIP name that came later is
    left empty with its first release kept.
    """
    lines = [",".join(COLUMNS)]
    for api in sorted(apis.values(), key=lambda item: (item.library, item.cuda_name)):
        status = status_of(api.cuda_name, apis, rocm) if rocm else api.status
        hip_name = "" if status == "none" else api.hip_name
        cells = (api.library, api.cuda_name, hip_name, status, api.since_rocm, api.until_cuda, api.evidence)
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def is_older(release: str, other: str) -> bool:
    """Whether a release comes before another; numbers are compared as numbers, as far as the shorter
    one goes: 7.2 is older than 7.14, and 10 is not older than 10.0. An empty one is never newer."""
    if not release or not other:
        return False
    left, right = release_key(release), release_key(other)
    shared = min(len(left), len(right))
    return left[:shared] < right[:shared]


def release_key(release: str) -> tuple[int, ...]:
    """A release as numbers, for sorting; what is no number is an error."""
    try:
        return tuple(int(part) for part in release.split("."))
    except ValueError:
        raise EstimatorError(f"'{release}' is not a release; write it as numbers with dots, such as 7.2") from None


def newest_release(apis: Mapping[str, ApiName]) -> str:
    """Newest ROCm release that the catalogue names, "" if it names none."""
    releases = {api.since_rocm for api in apis.values() if api.since_rocm}
    return max(releases, key=release_key, default="")


def _load(path: Path, names: dict[str, ApiName], faults: list[str]) -> None:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EstimatorError(f"{path}: can't be read: {error}") from None
    header = ",".join(COLUMNS)
    started = False
    for number, line in enumerate(lines, start=1):
        if not line or line[0] == "#":
            continue
        if not started:
            if line != header:
                faults.append(f"{path}: line {number}: the columns must be {header}")
                return
            started = True
            continue
        cells = line.split(",")
        if len(cells) != len(COLUMNS):
            faults.append(f"{path}: line {number}: {len(cells)} cells, {len(COLUMNS)} needed; cells hold no commas")
        elif cells[3] not in STATUSES:
            faults.append(f"{path}: line {number}: no status '{cells[3]}'; one of {', '.join(STATUSES)}")
        elif cells[1] in names:
            faults.append(
                f"{path}: line {number}: {cells[1]} stands in the catalogue already ({names[cells[1]].library})"
            )
        else:
            names[cells[1]] = ApiName(*cells)
    if not started:
        faults.append(f"{path}: no header line; the columns must be {header}")
