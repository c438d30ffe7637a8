"""What leaving CUDA would cost: a code base goes in, an assessment with a verdict comes out.

    >>> from estimator import assess, render
    >>> from estimator.resources import data_folder
    >>> result = assess(data_folder("sample_repos") / "already-ported")
    >>> result.decision.verdict.value
    'amd'
    >>> hours = result.estimate.options["amd"].hours
    >>> hours.p10 <= hours.p50 <= hours.p90
    True
    >>> render(result, "json")[:20]  # doctest: +ELLIPSIS
    b'{...

Nothing heavy is imported before it is used. The command line is a thin user of these names.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from estimator.assessment import Assessment, Run
    from estimator.decision import load_scenario
    from estimator.decision.values import Scenario
    from estimator.errors import EstimatorError
    from estimator.findings.scope import ScopeEntry, load_scope
    from estimator.knowledge import load_heuristics
    from estimator.knowledge.values import Heuristics
    from estimator.report import render
    from estimator.sources import open_source
    from estimator.sources.files import SourceTree

__all__ = [
    "Assessment",
    "EstimatorError",
    "Heuristics",
    "Run",
    "Scenario",
    "SourceTree",
    "assess",
    "load_heuristics",
    "load_scenario",
    "load_scope",
    "open_source",
    "render",
    "run_for",
]

_HOME = {
    "Assessment": "estimator.assessment",
    "EstimatorError": "estimator.errors",
    "Heuristics": "estimator.knowledge.values",
    "Run": "estimator.assessment",
    "Scenario": "estimator.decision.values",
    "SourceTree": "estimator.sources.files",
    "load_heuristics": "estimator.knowledge",
    "load_scenario": "estimator.decision",
    "load_scope": "estimator.findings.scope",
    "open_source": "estimator.sources",
    "render": "estimator.report",
}

DEFAULT_GFX = "gfx942"
DEFAULT_SEED = 1
YEARS = range(1970, 2100)  # of an assessment's date; all formats can write them


def assess(
    source: str | Path | SourceTree,
    heuristics: Heuristics | None = None,
    run: Run | None = None,
    scenario: Scenario | None = None,
    jobs: int = 1,
) -> Assessment:
    """Measure, price and judge one code base.

    source: a folder, a file, a .zip or .tar archive, or a tree that `open_source` gave. heuristics: the
    shipped ones by default. run: date, target and seed, by default those of `run_for` for the scenario's target.
    scenario: prices, fleet and team; without one the verdict rests on the structure of the code alone. jobs:
    processes that read files; more than one needs a script that can be imported, with `if __name__ == "__main__"`.
    Raises EstimatorError for wrong input and for a source that holds nothing readable.
    """
    from estimator.assessment import assess as assess_tree
    from estimator.decision.values import Scenario
    from estimator.knowledge import load_heuristics
    from estimator.sources import open_source
    from estimator.sources.files import SourceTree

    tree = source if isinstance(source, SourceTree) else open_source(Path(source))
    heuristics = heuristics or load_heuristics()
    scenario = scenario or Scenario()
    run = run or run_for(tree, heuristics, rocm=scenario.rocm or "", gfx=scenario.gfx or "")
    return assess_tree(tree, heuristics, run, scenario, jobs)


def run_for(
    tree: SourceTree,
    heuristics: Heuristics,
    *,
    date: str = "",
    rocm: str = "",
    gfx: str = "",
    seed: int = DEFAULT_SEED,
    command: str = "",
    audience: str = "internal",
    snippets: str = "redacted",
    scope: tuple[ScopeEntry, ...] = (),
) -> Run:
    """What an assessment takes from outside, with its defaults filled in.

    date: ISO date; else SOURCE_DATE_EPOCH, else the commit's date, else today (UTC). rocm: a release;
    else the newest one that the catalogue names. gfx: a target of heuristics/targets.csv, or a product of one
    target ("MI300X"); else gfx942.
    scope: entries that `load_scope` gave.
    An unknown target, a date or release that can't be read, or a release outside of what is known is an
    EstimatorError.
    """
    from estimator.assessment import Run
    from estimator.errors import EstimatorError
    from estimator.knowledge.catalogue import check_release, newest_release

    if rocm:
        check_release(rocm, heuristics)
    if not 0 <= seed < 2**32:
        raise EstimatorError(f"the seed {str(seed)[:20]} is none; give a whole number from 0 to 4294967295")
    gfx = target_for(gfx, heuristics) if gfx else DEFAULT_GFX
    return Run(
        date=_date(date, tree.commit_date),
        rocm=rocm or newest_release(heuristics.apis),
        gfx=gfx,
        seed=seed,
        version=version(),
        command=command,
        audience=audience,
        snippets=snippets,
        scope=scope,
    )


def target_for(gfx: str, heuristics: Heuristics) -> str:
    """The target that is meant, by its own name or by a product's; as given where no target is known."""
    from estimator.errors import EstimatorError, shown
    from estimator.knowledge.targets import targets_named

    ours = [target for target in heuristics.targets if target.target.startswith("gfx")]
    meant = targets_named(gfx, ours)
    if not ours or len(meant) == 1:
        return meant[0] if meant else gfx
    if meant:
        raise EstimatorError(f"'{shown(gfx, 60)}' may be {' or '.join(meant)}; name one of them")
    known = ", ".join(sorted({target.target for target in ours}))
    raise EstimatorError(f"'{shown(gfx, 60)}' is no target in heuristics/targets.csv; known are {known}")


def version() -> str:
    """Version of the installed distribution, "0+unknown" when the package runs uninstalled."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("unwarp")
    except PackageNotFoundError:
        return "0+unknown"


def _date(asked: str, committed: str) -> str:
    """The first date that is known, as an ISO date."""
    import os
    from datetime import UTC, date, datetime

    from estimator.errors import EstimatorError, shown

    if asked:
        try:
            day = date.fromisoformat(asked)
        except ValueError:
            raise EstimatorError(f"'{shown(asked, 60)}' is no date; write it as 2026-11-30") from None
        if day.year not in YEARS:
            raise EstimatorError(f"the year of {day} lies outside {YEARS[0]} to {YEARS[-1]}")
        return day.isoformat()
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        try:
            day = datetime.fromtimestamp(int(epoch), UTC).date()
        except (ValueError, OverflowError, OSError):
            day = date.min
        if day.year not in YEARS:
            told = f"SOURCE_DATE_EPOCH={shown(epoch, 60)}: not a number of seconds since 1970"
            raise EstimatorError(f"{told} that ends before {YEARS[-1] + 1}")
        return day.isoformat()
    return committed or datetime.now(UTC).date().isoformat()


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'estimator' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOME[name]), name)
