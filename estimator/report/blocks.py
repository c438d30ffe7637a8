"""What sections are made of: tables, lists of fixed columns and charts, all as ready text."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

MOST_ROWS = 60


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table. kind: text, number or code. width: its share of the table in percent."""

    title: str
    width: int
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of ready text. strong: indexes of rows to set in bold. note: a line below, "" for none."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    strong: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines of fixed columns for long lists: printed as blocks of 60 lines, which stays fast at any length."""

    caption: str
    head: str
    blocks: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with its title, its description and the table of what it shows."""

    title: str
    description: str
    svg: Markup
    table: Table


def listing(caption: str, head: str, lines: list[str], note: str = "") -> Listing:
    """Lines cut into blocks of 60."""
    blocks = tuple("\n".join(lines[start : start + 60]) for start in range(0, len(lines), 60))
    return Listing(caption, head, blocks, note)
