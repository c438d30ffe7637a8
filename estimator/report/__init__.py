"""How does the answer look on paper? An Assessment goes in, the bytes of one file come out.

Each format is a module `as_<name>` with `render(assessment) -> bytes`, loaded when it is asked for. The pages come from
`sections`; no format computes hours, prices or verdicts of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from estimator.errors import EstimatorError

if TYPE_CHECKING:
    from estimator.assessment import Assessment


@dataclass(frozen=True, slots=True)
class Format:
    """One output format: its name on the command line, its file, its module."""

    name: str
    file_name: str
    module: str


FORMATS = (
    Format("html", "report.html", "estimator.report.as_html"),
    Format("pdf", "report.pdf", "estimator.report.as_pdf"),
    Format("json", "assessment.json", "estimator.report.as_json"),
    Format("csv", "sites.csv", "estimator.report.as_csv"),
    Format("xlsx", "report.xlsx", "estimator.report.as_xlsx"),
    Format("md", "report.md", "estimator.report.as_md"),
    Format("sarif", "report.sarif", "estimator.report.as_sarif"),
)


def render(assessment: Assessment, format: str) -> bytes:
    """The assessment in one format, as `run.audience` and `run.snippets` allow it.

    An unknown format is an EstimatorError; a format that can't be made on this machine is one with code 3.
    """
    from estimator.report.audience import for_audience

    for known in FORMATS:
        if known.name == format:
            made: bytes = import_module(known.module).render(for_audience(assessment))
            return made
    names = ", ".join(known.name for known in FORMATS)
    raise EstimatorError(f"no format '{format}'; formats are {names}")
