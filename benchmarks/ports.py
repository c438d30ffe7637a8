"""What did the code of ports that happened hold before? Makes heuristics/ports.csv.

    python benchmarks/ports.py MIRRORS [OUTPUT.csv]

MIRRORS: a folder with a bare git mirror of each repository of truth/ports.csv, as OWNER+NAME or OWNER+NAME/repo.
The tree before the port is packed with `git archive` and scanned as an archive, never unpacked and never executed;
only figures are written, beside what the table says (all but its evidence). A row without a mirror or a commit keeps
its counts empty and is said on stderr.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from estimator import assess, load_heuristics
from estimator.assessment import Assessment
from estimator.effort.reference import measured, unlike_share
from estimator.effort.values import FUNCTIONAL_PARTS
from estimator.knowledge.ports import FUNCTIONAL
from estimator.knowledge.tables import read_csv
from estimator.knowledge.values import COUNTS, Heuristics
from estimator.resources import data_folder

KNOWN = Path(__file__).with_name("truth") / "ports.csv"
COLUMNS = (
    *("repo", "before_commit", "done_commit", "author_days", "people", "calendar_days", "kind", "strategy"),
    *("scope", "quality", "counted", *COUNTS[1:], *FUNCTIONAL, "source"),
)
HEADER = """\
# Ports from CUDA to AMD that happened: what they took, and what the tool counts in the tree before. Made by
# benchmarks/ports.py; figures only. README.md, "The reference class", explains it.
# author_days: distinct (person, date) pairs with a commit of the port. people: who committed to it. strategy: what
# most of the ported CUDA source goes through. counted: in the class; the others have another scope, or were used when
# the weights were set, and are shown beside. Counts are of debt and automatic places in own, test and example files;
# functional_*: hours of the rows, without set-up, learning, validation and re-tuning. Empty: not established.
"""


def assessed(mirror: Path, commit: str, heuristics: Heuristics) -> Assessment:
    """The whole tool on the tree of a commit."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "tree.tar"
        missing = [f":(exclude,top,literal){path}" for path in absent(mirror, commit)]
        git(mirror, "archive", "--format=tar", f"--output={archive}", commit, "--", ".", *missing)
        return assess(archive, heuristics, jobs=os.cpu_count() or 1)


def counts_of(assessment: Assessment) -> dict[str, str]:
    """What the tool counted and priced, by column."""
    option = assessment.estimate.options["amd"]
    spread, lines = option.scopes["functional"], [line for line in option.lines if line.part in FUNCTIONAL_PARTS]
    like = 1 - unlike_share(lines, assessment.heuristics.reference)
    counts = {**measured(assessment.found), "lines": assessment.repository.lines}
    hours = zip(FUNCTIONAL, (like * spread.p10, like * spread.p50, like * spread.p90), strict=True)
    return {name: f"{count:.0f}" for name, count in counts.items()} | {name: f"{h:.1f}" for name, h in hours}


def absent(mirror: Path, commit: str) -> list[str]:
    """Files that a mirror lists without having them, as some leave out the largest; said on stderr."""
    rows = git(mirror, "ls-tree", "-r", "-l", "-z", commit).split("\0")
    paths = [row.split("\t", 1)[1] for row in rows if "\t" in row and row.split("\t", 1)[0].split()[3] == "BAD"]
    if paths:
        print(f"{mirror}: without {len(paths)} files that the mirror lacks: {', '.join(paths[:3])} …", file=sys.stderr)
    return paths


def git(mirror: Path, *arguments: str) -> str:
    """What git says about a mirror, without any settings of this machine's."""
    settings = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    command = ["git", "-C", str(mirror), *arguments]
    done = subprocess.run(command, check=True, env={**os.environ, **settings}, stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8", "surrogateescape")


def mirror_of(mirrors: Path, repo: str) -> Path | None:
    """The git folder of a repository, None if it isn't there."""
    folder = mirrors / repo.replace("/", "+")
    return next((path for path in (folder / "repo", folder) if (path / "objects").is_dir()), None)


def row_of(known: Mapping[str, str], mirrors: Path, heuristics: Heuristics) -> dict[str, str]:
    """A row of the table with its counts, where they can be had."""
    mirror = mirror_of(mirrors, known["repo"])
    if mirror is None or not known["before_commit"]:
        told = "no mirror or no commit before the port; without counts"
        print(f"{known['repo']} ({known['kind']}): {told}", file=sys.stderr)
        return dict(known)
    return {**known, **counts_of(assessed(mirror, known["before_commit"], heuristics))}


def main() -> None:
    mirrors = Path(sys.argv[1])
    output = Path(sys.argv[2]) if len(sys.argv) > 2 else data_folder("heuristics") / "ports.csv"
    # Without ports: what rows add up to must not be blended with what it is compared to.
    rows_alone = replace(load_heuristics(), ports=())
    rows = [row_of(row, mirrors, rows_alone) for row in read_csv(KNOWN, ("repo", "before_commit", "kind"))]
    with output.open("w", encoding="utf-8", newline="") as file:
        file.write(HEADER)
        writer = csv.DictWriter(file, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
