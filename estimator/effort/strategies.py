"""How should the source be kept once it runs on AMD, and what does that cost beyond the rows? From findings and table.

Each strategy has a price over counts of the findings, a share of upkeep, and conditions that only bound from above.
The cheapest that fits is proposed: its hours and those of so many years of upkeep. The one that is asked for, else the
proposed one, becomes a row of its own, in triton-first for as much of the host code as stays C++.
Source: heuristics/strategies.toml; heuristics/README.md explains it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import fsum

from estimator.effort.pricing import Row, Weights, is_a_port, stand_in
from estimator.effort.reference import measured
from estimator.effort.values import UPKEEP_PARTS, Programme, StrategyPrice, Upkeep
from estimator.errors import EstimatorError, no_such
from estimator.findings.values import Disposition, Findings
from estimator.knowledge.strategies import ONCE, PREFIX, THOUSANDS
from estimator.knowledge.values import Strategy, StrategyCharge, Unfit
from estimator.quantities import NO_HOURS, Hours, Triple


def strategies(
    found: Findings, weights: Weights, rows: Iterable[Row], upkeep: Upkeep, programme: Programme
) -> tuple[StrategyPrice, ...]:
    """Every strategy with its price, in the order of the table; one of them is chosen.

    rows: of the option amd without any strategy. upkeep: of the table. None where nothing makes a port, or no source
    in C, C++ or CUDA of one's own is part of it.
    Raises EstimatorError for a strategy that is asked for and not in the table.
    """
    known, asked = programme.strategies, programme.strategy
    if asked is not None and known and asked not in {one.id for one in known}:
        raise EstimatorError(no_such("strategy", asked, [one.id for one in known]))
    if not (known and found.inventory.cuda_lines and is_a_port(found, weights)):
        return ()
    maintained = fsum(row.hours.likely for row in rows if row.weight.part in UPKEEP_PARTS)
    counts = measured(found)
    priced = [_priced(one, found, counts, maintained, upkeep.share, programme.years) for one in known]
    return tuple(_chosen(priced, asked))


def kept(strategies: Iterable[Strategy], prices: Iterable[StrategyPrice], stays: float) -> tuple[Row, ...]:
    """The row of the chosen strategy; none where it costs nothing. stays: share of the host code that stays C++."""
    chosen = {price.id: price for price in prices if price.chosen and price.hours.high * stays > 0}
    return tuple(_row(one, chosen[one.id], stays) for one in strategies if one.id in chosen)


def upkeep_with(prices: Iterable[StrategyPrice], upkeep: Upkeep, stays: float) -> Upkeep:
    """The upkeep of an option whose source is kept as chosen; between both shares where some host code leaves C++."""
    own = next((price for price in prices if price.chosen and price.upkeep_own), None)
    if own is None or not stays:
        return upkeep
    ends = (
        stays * getattr(own.upkeep_share, end) + (1 - stays) * getattr(upkeep.share, end)
        for end in ("low", "likely", "high")
    )
    return Upkeep(f"{PREFIX}{own.id}", Triple(*ends))


def _priced(
    strategy: Strategy, found: Findings, counts: Mapping[str, float], maintained: float, table: Triple, years: float
) -> StrategyPrice:
    """One strategy with its price. maintained: likely hours that upkeep is a share of, without the strategy's own."""
    hours, told = _hours(strategy.price, counts, found.inventory.python_host)
    share = strategy.upkeep or table
    why = "; ".join(_misfits(strategy.unfit, found, counts))
    own = hours.likely if strategy.part in UPKEEP_PARTS else 0.0
    year = share.likely * (maintained + own)
    return StrategyPrice(
        id=strategy.id,
        title=strategy.title,
        keeps=strategy.keeps,
        fits=not why,
        why=why,
        hours=hours,
        sum=told,
        upkeep_share=share,
        upkeep_own=strategy.upkeep is not None,
        upkeep_year=year,
        horizon_hours=hours.likely + year * years,
        horizon_years=years,
        proposed=False,
        chosen=False,
        why_chosen="",
        grade=strategy.grade,
        source=strategy.source,
    )


def _chosen(prices: list[StrategyPrice], asked: str | None) -> Iterator[StrategyPrice]:
    """The same with one proposed and one chosen; where none fits, the cheapest of all is proposed."""
    fitting = [price for price in prices if price.fits] or prices
    proposed = min(fitting, key=lambda price: price.horizon_hours).id
    for price in prices:
        chosen = price.id == (asked or proposed)
        why = _why_chosen(price, asked is not None) if chosen else ""
        yield replace(price, proposed=price.id == proposed, chosen=chosen, why_chosen=why)


def _why_chosen(price: StrategyPrice, is_asked: bool) -> str:
    """Why a strategy is in the estimate, in words."""
    cheapest = "the cheapest that fits" if price.fits else "none fits, and it is the cheapest"
    misfit = f"; it does not fit: {price.why}" if price.why else ""
    return f"{'the scenario asks for it' if is_asked else cheapest}{misfit}"


# what a strategy costs, and whether it fits


def _hours(price: Iterable[StrategyCharge], counts: Mapping[str, float], python_host: float) -> tuple[Hours, str]:
    """Hours of a price list, and their sum in words."""
    host = {"": 1.0, "python": python_host, "cpp": 1 - python_host}
    hours, words = NO_HOURS, []
    for charge in price:
        share, units = host[charge.host], _units(charge.per, counts)
        if units * share > 0:
            hours = hours + charge.hours * (units * share)
            times = " x ".join(f"{factor:.4g}" for factor in (share, units) if factor != 1)
            words.append(f"{times} x {charge.hours.likely:g}" if times else f"{charge.hours.likely:g}")
    return hours, f"{' + '.join(words)} h" if words else "nothing beyond the rows"


def _units(per: str, counts: Mapping[str, float]) -> float:
    if per == ONCE:
        return 1.0
    return counts[per] / 1000 if per in THOUSANDS else counts[per]


def _misfits(unfit: Iterable[Unfit], found: Findings, counts: Mapping[str, float]) -> Iterator[str]:
    for one in unfit:
        figure = counts[one.count] if one.count else _symbols(found, one.weights)
        if figure > one.most:
            yield one.why.replace("{figure}", f"{figure:,.0f}").replace("{most}", f"{one.most:,.0f}")


def _symbols(found: Findings, weights: tuple[str, ...]) -> int:
    """Distinct symbols of debt that any of the weights prices."""
    return len(
        {
            found.sites[index].site.symbol
            for finding in found.findings
            if finding.weight in weights
            for index in finding.sites
            if found.sites[index].disposition is Disposition.DEBT
        }
    )


def _row(strategy: Strategy, price: StrategyPrice, stays: float) -> Row:
    weight = stand_in(
        f"{PREFIX}{strategy.id}",
        f"How the source is kept: {strategy.title}",
        part=strategy.part,
        phase=strategy.phase,
        unit="repository",
        per="repository",
        source=strategy.source,
        why=strategy.what,
    )
    told = price.sum if stays == 1 else f"{stays:.3g} x ({price.sum.removesuffix(' h')}) h"
    return Row(weight, 1.0, price.hours * stays, price.grade, (), told)
