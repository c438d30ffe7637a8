"""Pictures of figures, drawn by matplotlib as SVG that stands inside the page.

Blue and orange with grey, safe for the colour-blind; every value is written beside its mark, so colour alone means
nothing. Text stays text (`svg.fonttype` none), ids begin with the chart's name so that several charts share a page, and
the same figures give the same bytes.
"""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import matplotlib
import matplotlib.style
from markupsafe import Markup
from matplotlib.figure import Figure

from estimator.report.blocks import Chart, Column, Table
from estimator.report.figures import price, round_two
from estimator.report.text import plain

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

BLUE, ORANGE, GREY, PALE, INK = "#1f5fa8", "#c8601a", "#7d8590", "#c9d3df", "#1c2430"
LINES = ("solid", "dashed", "dotted")
PERCENTILES = (10, 50, 80, 90)
WIDE, HALF = 7.0, 3.45
_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 8.0,
    "figure.constrained_layout.use": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "unwarp",
}


@dataclass(frozen=True, slots=True)
class Span:
    """One option in a chart of ranges, in person-days; None where there is no port."""

    label: str
    percentiles: tuple[float, float, float, float] | None
    chosen: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a tornado: the total with this input at its low and at its high end."""

    label: str
    low: float
    high: float


def ranges(name: str, title: str, spans: Sequence[Span]) -> Chart:
    """P10 to P90 as a pale bar, P50 to P80 as a strong one, one row an option, in person-days."""
    with _drawing():
        figure = Figure(figsize=(WIDE, 0.42 + 0.34 * len(spans)))
        axes = figure.subplots()
        top = max((span.percentiles[3] for span in spans if span.percentiles), default=1.0) or 1.0
        for row, span in enumerate(spans):
            _range_row(axes, row, span, top)
        axes.set_xlim(0, top * 1.28)
        axes.set_ylim(len(spans) - 0.45, -0.6)
        axes.set_yticks(range(len(spans)), [span.label for span in spans])
        for label, span in zip(axes.get_yticklabels(), spans, strict=True):
            label.set_fontweight("bold" if span.chosen else "normal")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("person-days: pale bar P10 to P90, strong bar P50 to P80", fontsize=7.5)
        columns = (Column("Option", 32), *(Column(f"P{p}", 17, "number") for p in PERCENTILES))
        rows = tuple(
            (span.label, *(round_two(p) for p in span.percentiles))
            if span.percentiles
            else (span.label, *["no port"] * 4)
            for span in spans
        )
        texts = [f"{row[0]}: P50 {row[2]}, P80 {row[3]}" for row in rows]
        return _finish(name, figure, title, "; ".join(texts), Table(f"{title}, in person-days", columns, rows))


def tornado(name: str, title: str, base: float, bars: Sequence[Bar], *, half: bool = False) -> Chart:
    """How far each input alone moves the total (P50) from `base`, in person-days, largest first."""
    with _drawing():
        size, width = (7.0, 24) if half else (7.5, 40)
        figure = Figure(figsize=(HALF if half else WIDE, 0.42 + (0.30 if half else 0.34) * max(1, len(bars))))
        axes = figure.subplots()
        low = min((bar.low for bar in bars), default=base)
        high = max((bar.high for bar in bars), default=base)
        reach = (high - low) or 1.0
        for row, bar in enumerate(bars):
            axes.barh(row, bar.low - base, left=base, height=0.55, color=BLUE)
            axes.barh(row, bar.high - base, left=base, height=0.55, color=ORANGE)
            gap = reach * 0.012
            axes.text(min(bar.low, base) - gap, row, round_two(bar.low), ha="right", va="center", fontsize=size)
            axes.text(max(bar.high, base) + gap, row, round_two(bar.high), ha="left", va="center", fontsize=size)
        axes.axvline(base, color=INK, linewidth=0.8)
        room = 0.24 if half else 0.14
        axes.set_xlim(low - reach * room, high + reach * room)
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.set_yticks(range(len(bars)), [_wrapped(bar.label, width) for bar in bars], fontsize=size)
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", labelsize=size)
        axes.locator_params(axis="x", nbins=4 if half else 8)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(f"person-days at P50; the line is {round_two(base)}", fontsize=size)
        rows = tuple((plain(bar.label), round_two(bar.low), round_two(bar.high)) for bar in bars)
        columns = (Column("Input", 60), Column("at its low end", 20, "number"), Column("at its high end", 20, "number"))
        texts = [f"{row[0]}: {row[1]} to {row[2]}" for row in rows]
        return _finish(name, figure, title, "; ".join(texts), Table(f"{title}, in person-days", columns, rows))


def s_curve(name: str, title: str, curves: Sequence[tuple[str, NDArray[np.float64]]]) -> Chart:
    """Chance to stay within a budget, one curve an option. curves: label and draws in person-days."""
    import numpy as np

    with _drawing():
        figure = Figure(figsize=(WIDE, 3.2))
        axes = figure.subplots()
        steps = np.arange(1, 100)
        rows: list[tuple[str, ...]] = []
        leftmost = min(range(len(curves)), key=lambda i: float(np.median(curves[i][1])), default=0)
        for (label, draws), colour, line in zip(curves, (BLUE, ORANGE, GREY), LINES, strict=False):
            axes.plot(np.percentile(draws, steps), steps, color=colour, linestyle=line, linewidth=1.6, label=label)
            marks = np.percentile(draws, PERCENTILES)
            axes.plot(marks, PERCENTILES, "o", color=colour, markersize=3.5)
            left = len(rows) == leftmost
            for share, mark in zip(PERCENTILES, marks, strict=True):
                offset, align = ((-6, 4), "right") if left else ((6, -9), "left")
                text = f"P{share} {round_two(float(mark))}"
                axes.annotate(
                    text, (float(mark), share), offset, textcoords="offset points", ha=align, fontsize=7, color=colour
                )
            rows.append((label, *(round_two(float(mark)) for mark in marks)))
        top = max((float(np.percentile(draws, 99)) for _, draws in curves), default=1.0)
        axes.set_xlim(-0.06 * top, top * 1.05)
        axes.set_ylim(0, 106)
        axes.set_xticks([tick for tick in axes.get_xticks() if 0 <= tick <= top])
        axes.set_yticks(PERCENTILES, [f"{p} %" for p in PERCENTILES])
        axes.grid(axis="y", color=PALE, linewidth=0.5)
        axes.set_xlabel("budget in person-days")
        axes.set_ylabel("chance to stay within it")
        axes.legend(loc="lower right", frameon=False, fontsize=8)
        columns = (Column("Option", 32), *(Column(f"P{p}", 17, "number") for p in PERCENTILES))
        texts = [f"{row[0]}: half of the projects within {row[2]}, four of five within {row[3]}" for row in rows]
        return _finish(name, figure, title, "; ".join(texts), Table(f"{title}, in person-days", columns, tuple(rows)))


def ranked(name: str, title: str, bars: Sequence[tuple[str, float]], unit: str) -> Chart:
    """Amounts as bars, in the order given, with their values and their running share of the whole."""
    with _drawing():
        figure = Figure(figsize=(WIDE, 0.35 + 0.25 * max(1, len(bars))))
        axes = figure.subplots()
        whole = sum(value for _, value in bars) or 1.0
        top = max((value for _, value in bars), default=1.0) or 1.0
        running, rows = 0.0, []
        for row, (label, value) in enumerate(bars):
            running += value
            axes.barh(row, value, height=0.6, color=BLUE)
            axes.text(value + top * 0.012, row, round_two(value), va="center", fontsize=7.5)
            rows.append((plain(label), round_two(value), f"{100 * running / whole:.0f} %"))
        axes.set_xlim(0, top * 1.12)
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.set_yticks(range(len(bars)), [_wrapped(label, 38) for label, _ in bars])
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(unit)
        columns = (Column("Name", 60), Column(unit, 20, "number"), Column("running share", 20, "number"))
        texts = [f"{row[0]}: {row[1]}" for row in rows]
        return _finish(name, figure, title, "; ".join(texts), Table(title, columns, tuple(rows)))


def gaps(name: str, title: str, points: Sequence[tuple[int, float, float]], unit: str) -> Chart:
    """Price gap per GPU-hour that pays the port back, by fleet size. points: GPUs, gap at P50, gap at P80.

    A negative gap, where faster cards may cost more, has no place on a logarithmic scale: then the scale is linear.
    """
    with _drawing():
        figure = Figure(figsize=(WIDE, 2.6))
        axes = figure.subplots()
        sizes = [point[0] for point in points]
        for index, colour, line, label in ((1, BLUE, "solid", "effort at P50"), (2, ORANGE, "dashed", "effort at P80")):
            values = [point[index] for point in points]
            axes.plot(sizes, values, color=colour, linestyle=line, marker="o", markersize=3.5, label=label)
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        for size, low, high in points:
            axes.annotate(price(low), (size, low), (0, -11), textcoords="offset points", ha="center", fontsize=7)
            axes.annotate(price(high), (size, high), (0, 6), textcoords="offset points", ha="center", fontsize=7)
        positive = [value for point in points for value in point[1:] if value > 0]
        if len(positive) == 2 * len(points) > 0:
            axes.set_yscale("log")
            axes.set_ylim(min(positive) / 2.6, max(positive) * 2.6)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.12g}")
        axes.minorticks_off()
        axes.margins(x=0.06)
        axes.set_xlabel("GPUs in the fleet")
        axes.set_ylabel(unit)
        axes.legend(loc="upper right", frameon=False, fontsize=8)
        columns = (
            Column("GPUs", 34, "number"),
            Column("gap, effort at P50", 33, "number"),
            Column("gap, effort at P80", 33, "number"),
        )
        rows = tuple((f"{size:,}", price(low), price(high)) for size, low, high in points)
        texts = [f"{row[0]} GPUs: {row[1]} to {row[2]}" for row in rows]
        return _finish(name, figure, title, "; ".join(texts), Table(f"{title}, {unit}", columns, rows))


def _range_row(axes: Axes, row: int, span: Span, top: float) -> None:
    if span.percentiles is None:
        axes.text(top * 0.012, row, "no port: no porting hours", va="center", color=GREY, fontsize=8)
        return
    p10, p50, p80, p90 = span.percentiles
    axes.barh(row, p90 - p10, left=p10, height=0.5, color=PALE)
    axes.barh(row, p80 - p50, left=p50, height=0.5, color=BLUE if span.chosen else GREY)
    text = f"P50 {round_two(p50)}, P80 {round_two(p80)}"
    axes.text(p90 + top * 0.015, row, text, va="center", fontsize=8, fontweight="bold" if span.chosen else "normal")


def _wrapped(label: str, width: int) -> str:
    return "\n".join(textwrap.wrap(plain(label), width, max_lines=2, placeholder=" …")) or " "


@contextmanager
def _drawing() -> Iterator[None]:
    """The style of all charts, whatever the user's own matplotlib settings are; theirs come back after."""
    with matplotlib.style.context(["default", _STYLE]), warnings.catch_warnings():
        # A name in a script that DejaVu Sans lacks is drawn by the reader's own font: the text stays text.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from font")
        yield


def _finish(name: str, figure: Figure, title: str, description: str, table: Table) -> Chart:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, facecolor="none")
    return Chart(title, description, _standing_alone(name, buffer.getvalue(), title, description), table)


def _standing_alone(name: str, svg: str, title: str, description: str) -> Markup:
    """The picture made fit for the page: no prologue, own ids, with title and description.

    The one place where text is declared safe for HTML: matplotlib has escaped all labels as XML, and what is added
    here is escaped here.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
    svg = svg.replace("font-family: 'DejaVu Sans'", "font-family: 'DejaVu Sans', Verdana, sans-serif")
    svg = re.sub(r'style="([^"]*)"', _attributes, svg)
    head, body = svg.split(">", 1)
    head = re.sub(r"\s+xmlns(:\w+)?=\"[^\"]*\"", "", head)
    label = f'role="img" aria-labelledby="{name}-title {name}-desc" stroke-linejoin="round"'
    told = escape(plain(description, 2000))
    words = f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{told}</desc>'
    xmlns = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return Markup(f"{head} {xmlns} {label}>{words}{body}")


def _attributes(style: re.Match[str]) -> str:
    """`style="fill: none; stroke: #000"` as `fill="none" stroke="#000"`, which every SVG reader knows."""
    pairs = (declaration.split(":", 1) for declaration in style[1].split(";") if ":" in declaration)
    return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in pairs)
