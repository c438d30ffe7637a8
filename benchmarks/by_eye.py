"""Precision and recall on files of real packages that two people read by eye.

    python benchmarks/by_eye.py corpus/ [DRAW ...]

truth/read_by_eye_files.csv names the files (drawn by sample_files.py), truth/read_by_eye.csv what the readers found:
"required" where both saw the site and one was sure, else "optional". A site is right when a reader has its line and
category (or one that he called as right); a required row is found when a site of that category lies on its lines, or
next to them where a statement spans lines. The texts are read from the packages; none of them is kept here.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from estimator.knowledge import load_heuristics
from estimator.knowledge.values import Heuristics
from estimator.languages.c_harvest import harvest
from estimator.scan import Reader, by_catalogue, is_c, own_packages, package_of
from estimator.scan.sites import Site
from estimator.sources import open_source
from estimator.sources.files import SourceTree

TRUTH = Path(__file__).with_name("truth")
SPANNING = frozenset(("library-call", "tuning-constant", "build-system", "tooling", "cuda-kernel"))


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    end_line: int
    categories: frozenset[str]
    required: bool


class Package:
    """A package of which single files are scanned, with what the whole of it says about them."""

    def __init__(self, tree: SourceTree, heuristics: Heuristics) -> None:
        self._files = {file.path: file for file in tree.files}
        self._heuristics = heuristics
        self._own = own_packages(tree)
        learnt = harvest(file.text for file in tree.files if is_c(file.path))
        self._read = Reader(learnt, heuristics)

    def sites(self, path: str) -> list[Site]:
        found = self._read(self._files[path]).sites
        sites = (by_catalogue(site, self._heuristics) for site in found)
        return [s for s in sites if s.category != "framework-dependency" or package_of(s.symbol) not in self._own]


def rows_of(package: str, path: str) -> list[Row]:
    with (TRUTH / "read_by_eye.csv").open(encoding="utf-8") as file:
        return [
            Row(
                int(row["line"]),
                int(row["end_line"] or row["line"]),
                frozenset({row["category"], *row["also_ok"].split("|")}),
                row["weight"] == "required",
            )
            for row in csv.DictReader(file)
            if (row["package"], row["path"]) == (package, path)
        ]


def agree(site: Site, row: Row) -> bool:
    if site.category not in row.categories:
        return False
    near = 1 if site.category in SPANNING else 0
    return site.line - near <= row.end_line and row.line <= max(site.line, site.end_line) + near


def main() -> None:
    heuristics = load_heuristics()
    with (TRUTH / "read_by_eye_files.csv").open(encoding="utf-8") as file:
        listed = [(row["draw"], row["package"], row["path"]) for row in csv.DictReader(file)]
    asked = sys.argv[2:] or sorted({draw for draw, _, _ in listed})
    packages: dict[str, Package] = {}
    figures: dict[str, list[tuple[int, int, int, int]]] = {draw: [] for draw in asked}
    for draw, package, path in listed:
        if draw not in figures:
            continue
        if package not in packages:
            packages[package] = Package(open_source(Path(sys.argv[1]) / f"{package}.tar.gz"), heuristics)
        figures[draw].append(score(package, path, packages[package].sites(path), draw))
    for draw, rows in figures.items():
        print_figures(f"draw {draw}", rows)
    print_figures("all", [row for rows in figures.values() for row in rows])


def print_figures(title: str, figures: Sequence[tuple[int, int, int, int]]) -> None:
    found, required, right, given = (sum(one[part] for one in figures) for part in range(4))
    recalls = [one[0] / one[1] if one[1] else 1.0 for one in figures]
    precisions = [one[2] / one[3] if one[3] else 1.0 for one in figures]
    print(f"{title}: {len(figures)} files")
    print(f"  recall {found / required:.3f} ({found} of {required}), mean over files {sum(recalls) / len(recalls):.3f}")
    print(
        f"  precision {right / given:.3f} ({right} of {given}), mean over files {sum(precisions) / len(precisions):.3f}"
    )


def score(package: str, path: str, sites: Sequence[Site], draw: str) -> tuple[int, int, int, int]:
    """Required rows found and all, places right and all."""
    rows = rows_of(package, path)
    required = [row for row in rows if row.required]
    missed = [row for row in required if not any(agree(site, row) for site in sites)]
    places = {(site.line, site.category): site for site in sites}
    wrong = [site for site in places.values() if not any(agree(site, row) for row in rows)]
    for row in missed:
        print(f"{draw} missed {package} {path}:{row.line}: {', '.join(sorted(row.categories - {''}))}")
    for site in wrong:
        print(f"{draw} wrong  {package} {path}:{site.line}: {site.category} ({site.rule}) {site.excerpt[:60]}")
    return len(required) - len(missed), len(required), len(places) - len(wrong), len(places)


if __name__ == "__main__":
    main()
