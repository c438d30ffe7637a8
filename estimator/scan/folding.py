"""Other people's and machines' files with very many places, as one row for each category."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from estimator.scan.sites import Site
from estimator.sources.files import SET_APART

MOST_SITES = 200  # of a file, each with a row of its own


def folded(sites: Iterable[Site]) -> Iterator[Site]:
    """The sites, those of a vendored or generated file with more than MOST_SITES as one row a category.

    Such a row is the first of its sites, spans all of them, and counts for all of them. No order is kept.
    """
    apart: dict[str, list[Site]] = {}
    for site in sites:
        if site.owner in SET_APART:
            apart.setdefault(site.path, []).append(site)
        else:
            yield site
    for inside in apart.values():
        yield from inside if sum(site.count for site in inside) <= MOST_SITES else _rows(inside)


def _rows(inside: Iterable[Site]) -> Iterator[Site]:
    by_category: dict[str, list[Site]] = {}
    for site in sorted(inside):
        by_category.setdefault(site.category, []).append(site)
    for alike in by_category.values():
        last = max(site.end_line for site in alike)
        yield replace(alike[0], end_line=last, guards=(), count=sum(site.count for site in alike))
