"""What does the tool still ask for once a port is done? Every port that happened, before it and after it.

    python benchmarks/ports_after.py MIRRORS

MIRRORS: as for ports.py, which packs and scans the trees. Prints places in debt, the P50 of amd in person-days, full
scope, and the verdict, before and after; what the port left out by choice (an optional library, a second attention)
stays in debt.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ports import KNOWN, assessed, mirror_of

from estimator import load_heuristics
from estimator.assessment import Assessment
from estimator.knowledge.tables import read_csv


def told(found: Assessment) -> str:
    """Places in debt, P50 in days and the verdict."""
    debt = sum(item.site.count for item in found.found.sites if item.disposition == "debt")
    days = found.estimate.options["amd"].hours.p50 / found.heuristics.units.hours_per_day
    return f"{debt:>7,} {days:>8.1f}  {found.decision.verdict:<13}"


def main() -> None:
    mirrors, heuristics, seen = Path(sys.argv[1]), load_heuristics(), set()
    print(f"{'':32}{'debt':>7} {'days':>8}  {'before':<13}{'debt':>7} {'days':>8}  after")
    for row in read_csv(KNOWN, ("repo", "before_commit", "done_commit")):
        mirror = mirror_of(mirrors, row["repo"])
        if mirror is None or not row["before_commit"] or not row["done_commit"] or row["repo"] in seen:
            continue
        seen.add(row["repo"])
        both = [told(assessed(mirror, row[name], heuristics)) for name in ("before_commit", "done_commit")]
        print(f"{row['repo']:32}{''.join(both)}", flush=True)


if __name__ == "__main__":
    main()
