"""Could what git knew of a project before its port have told how long the port takes? It can't: this shows it.

    python benchmarks/port_history.py MIRRORS

MIRRORS: as for ports.py. Counts people and commits in the 6, 12 and 24 months before each port of the reference class;
prints the rank correlation of each figure with author-days and with the people on the port, then that of predictions
for ports left out, with their error (root mean square of log(P50/actual)), beside people and a constant.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import log
from pathlib import Path

import numpy as np
from ports import KNOWN, git, mirror_of

from estimator import load_heuristics
from estimator.effort.agreement import error, rank_correlation
from estimator.effort.reference_class import counted, ridge, without_each
from estimator.knowledge.tables import read_csv
from estimator.knowledge.values import Port

MONTHS = (6, 12, 24)
REGULAR = 5  # commits


def figures(mirror: Path, commit: str) -> dict[str, float]:
    """People who committed, those with several commits, commits, days with one; by months before the port."""
    before = datetime.fromisoformat(git(mirror, "log", "-1", "--format=%cI", commit).strip())
    found: dict[str, float] = {}
    for months in MONTHS:
        since = (before - timedelta(days=365.25 / 12 * months)).isoformat()
        log_of = git(mirror, "log", "--no-merges", f"--since={since}", "--format=%aE %as", commit).lower().splitlines()
        people = Counter(line.split()[0] for line in log_of)
        found |= {
            f"people_{months}": len(people),
            f"regulars_{months}": sum(number >= REGULAR for number in people.values()),
            f"commits_{months}": len(log_of),
            f"person_days_{months}": len(set(log_of)),
        }
    return found


def left_out(ports: Sequence[Port], features: tuple[str, ...], shrinkage: float) -> tuple[float, float]:
    """Rank correlation and error of predictions for each port by a line through the others."""
    pairs = [
        (ridge(others, features, shrinkage).at(port.counts)[0], log(port.author_days))
        for port, others in without_each(ports)
    ]
    said, took = np.exp(np.array(pairs).T)
    return rank_correlation(said, took), error(said, took)


def main() -> None:
    heuristics, mirrors = load_heuristics(), Path(sys.argv[1])
    commits = {row["repo"]: row["before_commit"] for row in read_csv(KNOWN, ("repo", "before_commit"))}
    known, ports = counted(heuristics.ports), []
    for port in known:
        mirror = mirror_of(mirrors, port.repo)
        if mirror is None:
            sys.exit(f"{port.repo}: no mirror; without it the figures can't be compared")
        ports.append(replace(port, counts={**port.counts, **figures(mirror, commits[port.repo])}))
    took = np.array([port.author_days for port in ports])
    people = np.array([port.counts["people"] for port in ports])
    shrinkage = heuristics.reference.shrinkage
    print(f"{len(ports)} ports{'':12}days  people   left out: rank  error")
    for name in (*sorted(ports[0].counts.keys() - known[0].counts.keys()), "people"):
        seen = np.array([1 + port.counts[name] for port in ports])
        rank, off = left_out(ports, (name,), shrinkage)
        print(
            f"{name:18}{rank_correlation(seen, took):7.2f}{rank_correlation(seen, people):8.2f}{rank:16.2f}{off:7.2f}"
        )
    print(f"{'constant':18}{'':15}{'':16}{left_out(ports, (), shrinkage)[1]:7.2f}")


if __name__ == "__main__":
    main()
