"""What each option costs over the horizon, draw by draw on the numbers that `effort` drew.

One option costs, in the scenario's currency, discounted to today:

    port + running + upkeep - second source

    port           hours of the full scope x rate, paid at once
    running        GPU-hours a month x price x time for the same work, for every month of the horizon
    upkeep         hours a year to keep the port alive x rate; the same share of the port in every draw
    second source  what a second supplier is worth a year; staying does not earn it

    time           (1 - u + u / f) / s, where today's is 1
    u              share of today's GPU time that is spent in kernels of one's own
    f              speed of these kernels after the port / before it, by option and cards; `effort` works it out
    s              speed factor of the new cards; 1 on the present ones

amd runs at the offered price on the new cards; staying runs at the present price, and its time is 1; triton-first can
run on either vendor and takes the cheaper one, with kernels that are in Triton on both. A speed factor that the
scenario gives was measured with a ported code, so that it holds amd's own kernels: amd's time is then 1 / s, and
triton-first on the new cards takes as much longer as its kernels do than amd's.
Staying has no port and no upkeep. The horizon begins with the move; until then the present cards run on alone, and
what two fleets side by side would cost is in no line. s and f are drawn from triangles through their low, likely and
high values, each on luck of its own; all options meet the same luck.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

import numpy as np

from estimator.decision.values import GapPoint, MoneyLine, Range, Scenario, Verdict
from estimator.effort.values import Array, Estimate, KernelSpeed, OptionEstimate, Spread
from estimator.quantities import Triple

_Times = TypeVar("_Times", float, Array)

FLEETS = (1, 8, 16, 32, 64, 128, 256, 512, 1024)
OPTIONS = (Verdict.NVIDIA, Verdict.AMD, Verdict.TRITON_FIRST)
_SPEED_STREAM = 1
_KERNEL_STREAM = 2
_NO_INTEREST = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """Draws of times after the port against today's, on the new cards; triton_here: on the present ones."""

    amd: Array
    triton: Array
    triton_here: Array


@dataclass(frozen=True, slots=True, eq=False)
class TimeDraws:
    """What the time of the work rests on. luck: uniform draws, one a row of hours, for the speed factor.

    kernels: as many draws of the time that own kernels then take, 1 / f.
    """

    luck: Array
    kernels: Times


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """What every option's money rests on. hours: draws of the full scope, hours; none for staying.

    upkeep: hours a year per hour of port. speeds: of own kernels after each port; time_draws: those that go with them.
    """

    hours: Mapping[Verdict, Array]
    upkeep: Mapping[Verdict, float]
    speeds: Mapping[Verdict, KernelSpeed]
    time_draws: TimeDraws

    def scaled(self, option: Verdict, factor: float) -> Ledger:
        """The same draws with one option's port `factor` times as dear."""
        return replace(self, hours={**self.hours, option: self.hours[option] * factor})


_EQUAL = Triple(1.0, 1.0, 1.0)
_AS_BEFORE = KernelSpeed(0, 0, 0, 0, _EQUAL, _EQUAL, _EQUAL, "")


@dataclass(frozen=True, slots=True)
class Terms:
    """The scenario's money side with declared defaults filled in; currency, hours, months, shares.

    speed_given: whether the speed factor is the scenario's own, which holds what amd's own kernels lose.
    """

    gpu_hours_month: float
    price_now: float
    price_offered: float
    rate: float
    speed: Range
    months: float
    discount_rate: float
    second_source_value: float
    own_kernel_share: float = 0.0
    speed_given: bool = False

    @property
    def paid_months(self) -> float:
        """Months of the horizon, each discounted: what one unit of currency a month is worth today."""
        return annuity(self.months, self.discount_rate)


@dataclass(frozen=True, slots=True, eq=False)
class Cost:
    """One option's draws of each line, currency over the horizon."""

    port: Array
    running: Array
    upkeep: Array
    second_source: float

    @property
    def total(self) -> Array:
        """All lines together."""
        return self.port + self.running + self.upkeep - self.second_source


def ledger(estimate: Estimate) -> Ledger:
    """The draws of an estimate, ready for money. The luck of speeds depends on the estimate's seed alone."""
    hours = {Verdict(name): np.asarray(draws, dtype=np.float64) for name, draws in estimate.draws.full.items()}
    size = max((len(draws) for draws in hours.values()), default=1)
    hours[Verdict.NVIDIA] = np.zeros(size)
    luck, kernel_luck = (_luck(estimate.draws.seed, stream, size) for stream in (_SPEED_STREAM, _KERNEL_STREAM))
    upkeep = {Verdict(name): _upkeep_share(option) for name, option in estimate.options.items()}
    speeds = {option: estimate.speeds.get(option, _AS_BEFORE) for option in OPTIONS}
    time_draws = TimeDraws(luck, _kernel_times(speeds, kernel_luck))
    return Ledger(hours, {**upkeep, Verdict.NVIDIA: 0.0}, speeds, time_draws)


def _kernel_times(speeds: Mapping[Verdict, KernelSpeed], luck: Array) -> Times:
    return Times(*(1 / speed_draws(Range(f.low, f.likely, f.high), luck) for f in _factors(speeds)))


def _factors(speeds: Mapping[Verdict, KernelSpeed]) -> tuple[Triple, Triple, Triple]:
    """Speeds of own kernels in the order of `Times`."""
    amd, triton = speeds[Verdict.AMD], speeds[Verdict.TRITON_FIRST]
    return amd.new_cards, triton.new_cards, triton.present_cards


def _luck(seed: int, stream: int, size: int) -> Array:
    return np.random.default_rng([seed, stream]).random(size)


def _upkeep_share(option: OptionEstimate) -> float:
    return option.upkeep.mean / option.hours.mean if option.hours.mean > 0 else 0.0


def terms(scenario: Scenario, settings: Mapping[str, float]) -> Terms | None:
    """The money side of a scenario, None where prices, GPU-hours or the rate are missing.

    GPU-hours that are planned to become more or fewer do so evenly: every month pays for their mean.
    """
    match scenario:
        case Scenario(
            gpu_hours_month=float() | int() as hours,
            price_now=float() | int() as now,
            price_offered=float() | int() as offered,
            rate=float() | int() as rate,
        ):
            speed = speed_factor(scenario, settings)
            months, discount_rate = horizon(scenario, settings)
            if scenario.gpu_hours_month_planned is not None:
                hours = (hours + scenario.gpu_hours_month_planned) / 2
            return Terms(
                gpu_hours_month=hours,
                price_now=now,
                price_offered=offered,
                rate=rate,
                speed=speed,
                months=months,
                discount_rate=discount_rate,
                second_source_value=scenario.second_source_value or 0.0,
                own_kernel_share=own_kernel_share(scenario, settings),
                speed_given=scenario.speed_factor is not None,
            )
        case _:
            return None


def speed_factor(scenario: Scenario, settings: Mapping[str, float]) -> Range:
    """Target speed / present speed: as given, else the policy's default range."""
    if scenario.speed_factor is not None:
        return scenario.speed_factor
    return Range(settings["speed_low"], settings["speed_likely"], settings["speed_high"])


def own_kernel_share(scenario: Scenario, settings: Mapping[str, float]) -> float:
    """Share of today's GPU time in kernels of one's own: as given, else the policy's default."""
    given = scenario.own_kernel_share
    return settings["own_kernel_share"] if given is None else given


def likely_speed(books: Ledger, scenario: Scenario, settings: Mapping[str, float]) -> float:
    """Likely speed of amd's work against today's, own kernels and cards together."""
    speed = speed_factor(scenario, settings).likely
    if scenario.speed_factor is not None:
        return speed
    kernels = books.speeds[Verdict.AMD].new_cards.likely
    return speed / work_time(own_kernel_share(scenario, settings), 1 / kernels)


def horizon(scenario: Scenario, settings: Mapping[str, float]) -> tuple[float, float]:
    """Months and discount rate a year: as given, else the policy's defaults."""
    months = settings["horizon_months"] if scenario.horizon_months is None else scenario.horizon_months
    rate = settings["discount_rate"] if scenario.discount_rate is None else scenario.discount_rate
    return months, rate


def annuity(months: float, discount_rate: float) -> float:
    """Present value of 1 paid at the end of each of `months` months, which need not be whole.

    Source: the annuity formula (1 - (1 + i)^-n) / i, with i the monthly rate of an effective yearly rate.
    """
    monthly = _monthly(discount_rate)
    return months if monthly < _NO_INTEREST else -math.expm1(-months * math.log1p(monthly)) / monthly


def months_to_earn(amount: float, each_month: float, discount_rate: float) -> float | None:
    """Months until `each_month`, discounted, adds up to `amount`; None if it never does."""
    if amount <= 0:
        return 0.0
    if each_month <= 0:
        return None
    monthly = _monthly(discount_rate)
    if monthly < _NO_INTEREST:
        return amount / each_month
    eaten = amount * monthly / each_month
    return -math.log1p(-eaten) / math.log1p(monthly) if eaten < 1 else None


def _monthly(discount_rate: float) -> float:
    return math.expm1(math.log1p(discount_rate) / 12)


def speed_draws(speed: Range, luck: Array) -> Array:
    """Triangular draws by inverse distribution, so that a better range never draws a worse speed."""
    width = speed.high - speed.low
    if width <= 0:
        return np.full_like(luck, speed.likely)
    peak = (speed.likely - speed.low) / width
    rising = speed.low + np.sqrt(luck * width * (speed.likely - speed.low))
    falling = speed.high - np.sqrt((1 - luck) * width * (speed.high - speed.likely))
    return np.where(luck < peak, rising, falling)


def work_time(share: float, kernels: _Times) -> _Times:
    """Time for the same work on cards of one speed, where a share of it takes `kernels` times as long.

    Source: Amdahl's law.
    """
    return 1 - share + share * kernels


def work_times(books: Ledger, deal: Terms) -> Times:
    """Draws of the time for the same work, where today's is 1, cards and own kernels together."""
    return _drawn_times(books.time_draws, deal.speed, deal.own_kernel_share, deal.speed_given)


# Draws are keyed by identity: a search changes one input at a time and asks for the same ones again and again.
@lru_cache(maxsize=1)
def _drawn_times(draws: TimeDraws, speed: Range, share: float, speed_given: bool) -> Times:
    return _work_times(draws.kernels, speed_draws(speed, draws.luck), share, speed_given)


def likely_times(books: Ledger, deal: Terms) -> dict[Verdict, float]:
    """The same with every speed at its likely value, by option: on the new cards, but for staying, which takes 1."""
    own = Times(*(np.array(1 / factor.likely) for factor in _factors(books.speeds)))
    times = _work_times(own, np.array(deal.speed.likely), deal.own_kernel_share, deal.speed_given)
    return {Verdict.NVIDIA: 1.0, Verdict.AMD: float(times.amd), Verdict.TRITON_FIRST: float(times.triton)}


def _work_times(own: Times, speed: Array, share: float, speed_given: bool) -> Times:
    """own: times of own kernels, against today's. speed: of the new cards; speed_given: by the scenario."""
    amd, triton = work_time(share, own.amd), work_time(share, own.triton)
    if speed_given:
        amd, triton = np.ones_like(amd), triton / amd
    return Times(amd / speed, triton / speed, work_time(share, own.triton_here))


def prices_paid(books: Ledger, deal: Terms) -> dict[Verdict, Array]:
    """What the work of one of today's GPU-hours costs in each option, draw by draw."""
    return _prices(work_times(books, deal), deal.price_now, deal.price_offered)


def _prices(times: Times, now: float, offered: float) -> dict[Verdict, Array]:
    return {
        Verdict.NVIDIA: np.full_like(times.amd, now),
        Verdict.AMD: offered * times.amd,
        Verdict.TRITON_FIRST: np.minimum(now * times.triton_here, offered * times.triton),
    }


@lru_cache(maxsize=1)  # keyed by identity: the same times are asked for again and again
def _mean_prices(times: Times, now: float, offered: float) -> Mapping[Verdict, float]:
    return {option: float(prices.mean()) for option, prices in _prices(times, now, offered).items()}


@lru_cache(maxsize=1)  # keyed by identity: the same draws are asked for again and again
def _mean_hours(books: Ledger) -> Mapping[Verdict, float]:
    return {option: float(hours.mean()) for option, hours in books.hours.items()}


def costs(books: Ledger, deal: Terms) -> dict[Verdict, Cost]:
    """Every option's cost over the horizon, draw by draw; all options on the same draws."""
    paid = deal.paid_months
    bought = deal.gpu_hours_month * paid
    running = {option: bought * prices for option, prices in prices_paid(books, deal).items()}
    worth = deal.second_source_value / 12 * paid
    result = {}
    for option in OPTIONS:
        port = books.hours[option] * deal.rate
        upkeep = port * (books.upkeep[option] / 12 * paid)
        result[option] = Cost(port, running[option], upkeep, 0.0 if option is Verdict.NVIDIA else worth)
    return result


def expected(books: Ledger, deal: Terms) -> dict[Verdict, float]:
    """Mean total of each option; the lowest leads. The means of `costs` without arrays of its lines, for searches."""
    paid = deal.paid_months
    bought = deal.gpu_hours_month * paid
    running = _mean_prices(work_times(books, deal), deal.price_now, deal.price_offered)
    hours = _mean_hours(books)
    result = {}
    for option in OPTIONS:
        port = hours[option] * deal.rate
        worth = 0.0 if option is Verdict.NVIDIA else deal.second_source_value / 12 * paid
        result[option] = port * (1 + books.upkeep[option] / 12 * paid) + bought * running[option] - worth
    return result


def chances(bill: Mapping[Verdict, Cost], eligible: Sequence[Verdict] = OPTIONS) -> dict[Verdict, float]:
    """Share of the draws in which each option is cheapest; a tie goes to the option that comes first."""
    totals = np.stack([bill[option].total for option in eligible])
    counts = np.bincount(totals.argmin(axis=0), minlength=len(eligible))
    return {option: float(count) / totals.shape[1] for option, count in zip(eligible, counts, strict=True)}


def money_line(cost: Cost) -> MoneyLine:
    """One option's figures for the report."""
    port_p50, port_p80 = np.percentile(cost.port, [50, 80])
    total_p10, total_p50, total_p80, total_p90 = np.percentile(cost.total, [10, 50, 80, 90])
    return MoneyLine(
        port=float(cost.port.mean()),
        port_p50=float(port_p50),
        port_p80=float(port_p80),
        running=float(cost.running.mean()),
        upkeep=float(cost.upkeep.mean()),
        total_p50=float(total_p50),
        total_p80=float(total_p80),
        second_source=cost.second_source,
        total=float(cost.total.mean()),
        total_p10=float(total_p10),
        total_p90=float(total_p90),
    )


def net_benefit(bill: Mapping[Verdict, Cost], option: Verdict) -> Range:
    """What an option saves against staying over the horizon: P10, P50 and P90; negative is a loss."""
    saved = bill[Verdict.NVIDIA].total - bill[option].total
    low, middle, high = np.percentile(saved, [10, 50, 90])
    return Range(float(low), float(middle), float(high))


def port_months(option: OptionEstimate, scenario: Scenario, settings: Mapping[str, float]) -> float:
    """Months that the port takes the whole team at P50; the team as given, else the policy's."""
    team = settings["team"] if scenario.team is None else scenario.team
    return option.hours.p50 / (team * settings["hours_month"])


def break_even_month(
    option: OptionEstimate, which: Verdict, books: Ledger, deal: Terms, ported_in: float = 0.0
) -> float | None:
    """Month, counted from the start of the port, in which an option has earned its port back; None if it never does.

    ported_in: months that the port takes; nothing is saved before. Port at P50, paid at once; saving a month at its
    expected value, less upkeep, plus the second source. May lie beyond the horizon.
    """
    p50 = option.hours.p50
    bill = costs(books, deal)
    monthly = float((bill[Verdict.NVIDIA].running - bill[which].running).mean()) / deal.paid_months
    monthly += deal.second_source_value / 12 - p50 * deal.rate * books.upkeep[which] / 12
    grown = p50 * deal.rate * math.exp(ported_in * math.log1p(_monthly(deal.discount_rate)))
    earned = months_to_earn(grown, monthly, deal.discount_rate)
    return None if earned is None else ported_in + earned


def break_even_price(which: Verdict, books: Ledger, deal: Terms) -> float | None:
    """Offered price per GPU-hour at which an option's expected total equals staying; None if none does.

    For triton-first the price is the highest that still pays: above it, it stays on the present cards. None too where
    every price pays, because its kernels run faster there.
    """
    bill = costs(books, deal)
    extra = float((bill[which].port + bill[which].upkeep).mean()) - bill[which].second_source
    bought = deal.gpu_hours_month * deal.paid_months
    times = work_times(books, deal)
    wanted = deal.price_now - extra / bought
    if which is Verdict.AMD:
        price = wanted / float(times.amd.mean())
        return price if price > 0 else None
    here = deal.price_now * times.triton_here
    if wanted <= 0 or wanted >= float(here.mean()):
        return None

    def paid(price: float) -> float:
        return float(np.minimum(here, price * times.triton).mean())

    low, high = 0.0, float((here / times.triton).max())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if paid(middle) <= wanted else (low, middle)
    return low


def gaps(
    option: OptionEstimate, scenario: Scenario, settings: Mapping[str, float], books: Ledger | None = None
) -> tuple[GapPoint, ...]:
    """Price gap per GPU-hour that pays an option's port and upkeep within the horizon, by fleet size.

    GPU-hours of one GPU a month and the engineer's rate come from the scenario, else from the policy. The default
    rate is in US dollars, so a scenario in another currency without a rate has no gaps. books: whose speed draws to
    take where the scenario gives a speed factor, own kernels included, and the present price; else equal speed of the
    work as a whole is assumed. The worth of a second supplier is left out.
    """
    rate = hourly_rate(scenario, settings)
    if rate is None:
        return ()
    months, discount_rate = horizon(scenario, settings)
    paid = annuity(months, discount_rate)
    hours = settings["gpu_hours_month"]
    if scenario.gpu_hours_month and scenario.gpus_now:
        hours = scenario.gpu_hours_month / scenario.gpus_now

    now = scenario.price_now or 0.0
    slowness = 1.0
    if books is not None and speed_known(scenario) and scenario.speed_factor:
        slowness = float((1 / speed_draws(scenario.speed_factor, books.time_draws.luck)).mean())

    def gap(port: float, upkeep: float, gpus: int) -> float:
        each = rate * (port + upkeep / 12 * paid) / (gpus * hours * paid)
        return now - (now - each) / slowness

    full, upkeep = option.hours, option.upkeep
    return tuple(GapPoint(n, gap(full.p50, upkeep.p50, n), gap(full.p80, upkeep.p80, n)) for n in FLEETS)


def speed_known(scenario: Scenario) -> bool:
    """Whether a price gap can be told at the scenario's own speed: it gives a speed factor and the present price."""
    return scenario.speed_factor is not None and scenario.price_now is not None


def hourly_rate(scenario: Scenario, settings: Mapping[str, float]) -> float | None:
    """Loaded cost of an engineer-hour: as given, else the policy's, which is in US dollars only."""
    if scenario.rate is not None:
        return scenario.rate
    return settings["rate"] if scenario.currency == "USD" else None


def scaled(spread: Spread, factor: float) -> Spread:
    """A spread `factor` times as large."""
    return Spread(
        spread.likely * factor,
        spread.mean * factor,
        spread.p10 * factor,
        spread.p50 * factor,
        spread.p80 * factor,
        spread.p90 * factor,
    )
