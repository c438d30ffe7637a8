"""What would flip the verdict: the smallest change of each input that does, found by search, then tried.

An input is a field of the scenario, the hours of an option, or the figure of a criterion that names an
`input` in the policy. Each is changed alone. Numbers are changed step by step up and down, at most by the
policy's `flip_range`, then narrowed by bisection; yes/no and named values are tried one by one. What is
written as `flips_at` is rounded away from the present value and has been judged again as it stands.
A change for the better of one option never counts as a reason to leave it, nor one for the worse as a reason to take
it: fewer hours of an option may turn the verdict towards that option only, and so for prices and speed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from estimator.decision.money import own_kernel_share, speed_factor
from estimator.decision.policy import Case, Judgement, Spoken, judge, shown
from estimator.decision.scenario import WORKLOADS
from estimator.decision.values import Flip, Range, Scenario, Verdict

NAMES = {Verdict.AMD: "AMD", Verdict.NVIDIA: "NVIDIA", Verdict.TRITON_FIRST: "Triton first"}
NOT_GIVEN = "not given"
_TO_AMD = {Verdict.NVIDIA: 0, Verdict.TRITON_FIRST: 1, Verdict.AMD: 2}
_TO_MOVING = {Verdict.NVIDIA: 0, Verdict.TRITON_FIRST: 1, Verdict.AMD: 1}
_TO_TRITON = {Verdict.AMD: 0, Verdict.NVIDIA: 1, Verdict.TRITON_FIRST: 2}
_STEP = 1.1
_HALVINGS = 16
_DIGITS = (3, 4, 5, 6)
_SLACK = 0.05
_LARGEST_AMOUNT = 1e9
_LAST = math.inf
_PLURALS = ("months", "engineers", "GPUs")

Change = Callable[[float], Case]
Lean = Mapping[Verdict, int]
Tips = Callable[[float], Verdict | None]


@dataclass(frozen=True, slots=True)
class _Field:
    """A number of the scenario. trials: values to try, nearest first, where steps make no sense.

    lean: whom more of it favours, as ranks; none where that is open. sense: -1 where less of it favours them.
    """

    name: str
    words: str
    unit: str
    trials: tuple[float, ...] = ()
    lean: Lean = field(default_factory=dict)
    sense: int = 1


@dataclass(frozen=True, slots=True)
class Found:
    """A flip with the size of its change: the logarithm of the ratio for numbers, endless for answers.

    at: the value that flips, as it was judged; None where it is no number.
    """

    flip: Flip
    size: float
    at: float | None = None


_FLEETS = (1.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0)
_SHARES = tuple(step / 20 for step in range(21))
_FEW = (*(float(count) for count in range(21)), 50.0, 100.0)
_FIELDS = (
    _Field("price_offered", "the offered price", "{currency} per GPU-hour", (), _TO_AMD, -1),
    _Field("price_now", "the present price", "{currency} per GPU-hour", (), _TO_AMD),
    _Field("gpu_hours_month", "the GPU-hours a month", "h"),
    _Field("gpu_hours_month_planned", "the planned GPU-hours a month", "h"),
    _Field("rate", "the rate of an engineer-hour", "{currency}", (), _TO_MOVING, -1),
    _Field("horizon_months", "the horizon", "months"),
    _Field("second_source_value", "the worth of a second supplier", "{currency} a year", (), _TO_MOVING),
    _Field("memory_need_gib", "the memory that the work needs on one GPU", "GiB"),
    _Field("new_kernels_month", "the number of new kernels a month", "", _FEW, _TO_TRITON),
    _Field("infrastructure_people", "the number of people for GPU infrastructure", "", _FEW, _TO_AMD),
    _Field("team", "the team", "engineers", tuple(float(count) for count in range(1, 51)), _TO_MOVING),
    _Field("gpus_planned", "the planned fleet", "GPUs", _FLEETS, _TO_MOVING, -1),
)
_ANSWERS: tuple[tuple[str, str, tuple[bool | str, ...]], ...] = (
    ("newest_kernels_first", "Are new vendor kernels needed at once?", (True, False)),
    ("memory_decides", "Does memory decide?", (True, False)),
    ("workload", "What is the workload?", WORKLOADS),
    ("hardware_access", "Is there daily access to the target hardware?", (True, False)),
)


def flip_points(this: Case, now: Judgement) -> tuple[Flip, ...]:
    """Every input that can flip the verdict alone, in the order of `flips`."""
    return tuple(item.flip for item in flips(this, now))


def flips(this: Case, now: Judgement) -> tuple[Found, ...]:
    """Every input that can flip the verdict alone, numbers first, the smallest change at the head.

    Where there is nothing to port, only the hours are tried: no other input is asked.
    """
    search = _Search(this, now.verdict)
    if now.nothing_to_port:
        return tuple(item for item in search.hours() if item is not None)
    found = [
        item
        for item in (
            *(search.number(entry) for entry in _FIELDS),
            search.speed(),
            search.share(),
            *search.hours(),
            *search.criteria(now),
            *(search.answer(*entry) for entry in _ANSWERS),
        )
        if item is not None
    ]
    return tuple(sorted(found, key=lambda item: item.size))


@dataclass(frozen=True, slots=True)
class _Search:
    """The case as it is and its verdict; each method tries one kind of input."""

    case: Case
    verdict: Verdict

    def _to(self, changed: Case) -> Verdict | None:
        """The verdict of a changed case if it is another one."""
        verdict = judge(changed).verdict
        return None if verdict is self.verdict else verdict

    def _tips(self, change: Change, before: float | None, lean: Lean, sense: int = 1, *, strict: bool = False) -> Tips:
        """The other verdict that a new value leads to, if the change can be a reason for it.

        lean, sense: whom more of the input favours, as in _Field. strict: options of one rank never take over
        from each other.
        """
        leans = {} if before is None else lean
        more, less = self._reachable(leans, sense, strict), self._reachable(leans, -sense, strict)

        def tips(at: float) -> Verdict | None:
            reachable = more if before is None or at > before else less
            to = self._to(change(at)) if reachable else None
            return to if to in reachable else None

        return tips

    def _reachable(self, lean: Lean, way: int, strict: bool) -> frozenset[Verdict]:
        """Verdicts that a change can be a reason for. way: 1 where it favours those that rank high, else -1."""
        others = frozenset(Verdict) - {self.verdict}
        if not lean:
            return others
        gained = {other: (lean[other] - lean[self.verdict]) * way for other in others}
        return frozenset(other for other in others if gained[other] > 0 or (gained[other] == 0 and not strict))

    def number(self, entry: _Field) -> Found | None:
        """A number of the scenario, given or not."""
        scenario = self.case.scenario
        value = getattr(scenario, entry.name)
        currency = scenario.currency

        def change(new: float) -> Case:
            number = int(new) if entry.name == "team" else new
            return replace(self.case, scenario=_with(scenario, entry.name, number))

        tips = self._tips(change, value, entry.lean, entry.sense)
        if entry.trials:
            at = self._nearest(tips, value, entry.trials)
        elif value:
            at = self._closest(tips, value)
        elif entry.name == "second_source_value":
            at = self._upwards(tips, 1000.0)
        else:
            at = None
        if at is None:
            return None
        unit = entry.unit.format(currency=currency)
        now = NOT_GIVEN if value is None else _with_unit(value, unit)
        size = _size(at, value) if value and at else _LAST
        return self._found(entry.name, entry.words, now, _with_unit(at, unit), tips(at), value, at, size)

    def speed(self) -> Found | None:
        """The speed factor, its whole range moved together."""
        scenario = self.case.scenario
        given = speed_factor(scenario, self.case.policy.settings)

        def change(new: float) -> Case:
            k = new / given.likely
            return self.case.with_speed(Range(given.low * k, new, given.high * k))

        tips = self._tips(change, given.likely, _TO_AMD)
        at = self._closest(tips, given.likely)
        if at is None:
            return None
        now = _plain(given.likely) + ("" if scenario.speed_factor else ", assumed")
        size = _size(at, given.likely)
        return self._found(
            "speed_factor",
            "the likely speed of the new cards against the present ones",
            now,
            _plain(at),
            tips(at),
            given.likely,
            at,
            size,
        )

    def share(self) -> Found | None:
        """The share of GPU time in own kernels, in steps of a twentieth; whom more of it favours is open."""
        scenario = self.case.scenario
        given = own_kernel_share(scenario, self.case.policy.settings)

        def change(new: float) -> Case:
            return replace(self.case, scenario=replace(scenario, own_kernel_share=new))

        tips = self._tips(change, given, {})
        kernels = any(speed.kernels for speed in self.case.books.speeds.values())
        at = self._nearest(tips, given, _SHARES) if kernels else None
        if at is None:
            return None
        now = shown(given, "%") + (", assumed" if scenario.own_kernel_share is None else "")
        size = _size(at, given) if at and given else _LAST
        words = "the share of GPU time in own kernels"
        return self._found("own_kernel_share", words, now, shown(at, "%"), tips(at), given, at, size)

    def hours(self) -> Iterator[Found | None]:
        """Hours of each way to port, as a multiple of the estimate."""
        for option in (Verdict.AMD, Verdict.TRITON_FIRST):
            p50 = self.case.structure.hours[option].p50
            if p50 <= 0:
                continue

            def change(factor: float, option: Verdict = option) -> Case:
                return self.case.with_hours(option, factor)

            dearer = {other: int(other is not option) for other in Verdict}
            tips = self._tips(change, 1.0, dearer, strict=True)
            at = self._closest(tips, 1.0)
            if at is not None:
                yield self._found(
                    f"{option}_hours",
                    f"the hours of the {NAMES[option]} option",
                    f"{shown(p50, 'h')} at P50",
                    f"{shown(p50 * at, 'h')} at P50, {_plain(at)} times the estimate",
                    tips(at),
                    1.0,
                    at,
                    _size(at, 1.0),
                )

    def criteria(self, now: Judgement) -> Iterator[Found | None]:
        """Figures of the code, moved just across their threshold; if that is not enough, the work left out."""
        for item in (*now.spoken, *now.silent):
            if item.line.input and "least" in item.line.thresholds:
                yield self._across(item) or self._left_out(item)

    def _across(self, item: Spoken) -> Found | None:
        line, figure, least = item.line, item.figure, item.line.thresholds["least"]
        size = _size(least, figure) if figure > 0 and least > 0 else _LAST
        if size > math.log(self.case.policy.settings["flip_range"]):
            return None
        at = least if figure < least else math.nextafter(least, -math.inf)
        to = self._to(replace(self.case, figures={**self.case.figures, line.id: at}))
        flips_at = ("" if figure < least else "below ") + shown(least, line.unit)
        return self._found(line.id, f"the {line.input}", shown(figure, line.unit), flips_at, to, figure, at, size)

    def _left_out(self, item: Spoken) -> Found | None:
        """The work that a criterion counts taken out of the code, where the criterion speaks."""
        line = item.line
        to = self._to(self.case.without(line)) if item.speaks and line.words else None
        if to is None:
            return None
        now = shown(item.figure, line.unit)
        text = f"If that work were left out or replaced (the {line.input} is {now}), the verdict would be {NAMES[to]}."
        return Found(Flip(line.id, now, "all of it left out", to, text), _LAST)

    def answer(self, name: str, words: str, values: tuple[bool | str, ...]) -> Found | None:
        """A yes/no or named value: the first other value that flips the verdict."""
        present = getattr(self.case.scenario, name)
        for value in values:
            if value == present:
                continue
            to = self._to(replace(self.case, scenario=_with(self.case.scenario, name, value)))
            if to is not None:
                now = NOT_GIVEN if present is None else _answer(present)
                new = _answer(value)
                text = f"If “{words}” were answered {new} ({_is(now)}), the verdict would be {NAMES[to]}."
                return Found(Flip(name, now, new, to, text), _LAST)
        return None

    def _found(
        self,
        name: str,
        words: str,
        now: str,
        flips_at: str,
        to: Verdict | None,
        before: float | None,
        at: float,
        size: float,
    ) -> Found | None:
        if to is None:
            return None
        if before is None:
            reach = f"were {flips_at}{' or more' if name == 'second_source_value' else ''}"
        elif flips_at.startswith("below "):
            reach = f"were {flips_at}"
        else:
            reach = f"rose to {flips_at}" if at > before else f"fell to {flips_at}"
        text = f"If {words} {reach} ({_is(now)}), the verdict would be {NAMES[to]}."
        return Found(Flip(name, now, flips_at, to, text), size, at)

    def _nearest(self, tips: Tips, value: float | None, trials: tuple[float, ...]) -> float | None:
        near = sorted((t for t in trials if t != value), key=lambda t: (abs(t - value) if value is not None else t, t))
        return next((trial for trial in near if tips(trial) is not None), None)

    def _closest(self, tips: Tips, value: float) -> float | None:
        """The nearest value, by ratio, that flips the verdict; None within the policy's range."""
        above = self._march(tips, value, _STEP, math.inf)
        below = self._march(tips, value, 1 / _STEP, math.inf if above is None else _size(above, value))
        return min((at for at in (above, below) if at is not None), key=lambda at: _size(at, value), default=None)

    def _march(self, tips: Tips, value: float, step: float, nearest: float) -> float | None:
        """The first value on one side that flips the verdict.

        nearest: size of the nearest one that is known to, infinite for none; no larger one is sought.
        """
        most = math.log(self.case.policy.settings["flip_range"])
        before, at = value, value * step
        # The smallest numbers have no next one.
        while at != before and _size(at, value) <= most and _size(before, value) < nearest:
            if tips(at) is not None:
                return self._narrow(tips, value, before, at)
            before, at = at, at * step
        return None

    def _upwards(self, tips: Tips, first: float) -> float | None:
        """The least amount from zero on that flips the verdict, for an input that is not given."""
        before, at = 0.0, first
        while at <= _LARGEST_AMOUNT:
            if tips(at) is not None:
                return self._narrow(tips, 0.0, before, at)
            before, at = at, at * 1.5
        return None

    def _narrow(self, tips: Tips, value: float, keeps: float, flips: float) -> float:
        """Bisection between a number that keeps the verdict and one that flips it, rounded to the far side.

        Rounding moves the flip by no more than a small part of its distance from the present value.
        """
        for _ in range(_HALVINGS):
            middle = (keeps + flips) / 2
            keeps, flips = (keeps, middle) if tips(middle) is not None else (middle, flips)
        for digits in _DIGITS:
            rounded = _rounded(flips, digits, up=flips > keeps)
            near = abs(rounded - flips) <= _SLACK * abs(flips - value)
            if near and rounded > 0 and tips(rounded) is not None:
                return rounded
        return flips


def _size(at: float, value: float) -> float:
    """How large a change is: the logarithm of the ratio, up or down."""
    return abs(math.log(at / value))


def _with(scenario: Scenario, name: str, value: float | bool | str) -> Scenario:
    """The scenario with one field set."""
    change: dict[str, Any] = {name: value}
    return replace(scenario, **change)


def _rounded(value: float, digits: int, *, up: bool) -> float:
    """The value to so many significant digits, up or down."""
    places = digits - 1 - math.floor(math.log10(abs(value)))
    scale = 10.0**places
    near = value * scale
    whole = math.ceil(near - 1e-9) if up else math.floor(near + 1e-9)
    return round(whole / scale, max(places, 0))


def _plain(value: float) -> str:
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"


def _with_unit(value: float, unit: str) -> str:
    """ "2 engineers", "1 engineer", "3.5 h"; nothing but a number without a unit."""
    return f"{_plain(value)} {unit.removesuffix('s') if value == 1 and unit in _PLURALS else unit}".rstrip()


def _answer(value: bool | str) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case _:
            return value


def _is(now: str) -> str:
    return now if now == NOT_GIVEN else f"now {now}"
