"""The report as one HTML page: views of the sections put into their templates.

HTML and PDF are this same page; what differs on paper is said in the style sheet.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from estimator.assessment import Assessment
from estimator.report.sections import SECTIONS
from estimator.report.text import plain
from estimator.resources import data_folder

_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Section:
    """One section that takes part. number: its place on paper, from 1. view: what its template shows."""

    name: str
    title: str
    number: int
    view: Any


def sections(assessment: Assessment) -> tuple[Section, ...]:
    """The sections that have something to say, in their order on paper."""
    made: list[Section] = []
    for name in SECTIONS:
        module = import_module(f"estimator.report.sections.{name}")
        view = module.view(assessment)
        if view is not None:
            made.append(Section(name, module.TITLE, len(made) + 1, view))
    return tuple(made)


def page(assessment: Assessment, *, compact: bool = False) -> str:
    """The whole report as HTML that stands alone: no script, nothing loaded.

    compact: page one set smaller, for the rare case that it would run over on paper.
    """
    return (
        _environment()
        .get_template("report.html")
        .render(
            sections=sections(assessment),
            repository=plain(assessment.repository.name, 60) or "unnamed repository",
            date=plain(assessment.run.date, 20),
            version=plain(assessment.run.version, 40),
            compact=compact,
            external=assessment.run.audience == "external",
        )
    )


def _environment() -> Environment:
    folder = data_folder("report_templates")
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _harmless(value: object) -> object:
    """A second net below the views: no hidden character reaches the page, whatever a view forgot."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return "\n".join(plain(line, _LONGEST) for line in value.split("\n"))
    return value
