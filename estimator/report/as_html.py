"""HTML: one page that stands alone, light or dark as the reader's system is."""

from __future__ import annotations

from estimator.assessment import Assessment
from estimator.report.page import page


def render(assessment: Assessment) -> bytes:
    """The page in UTF-8."""
    return page(assessment).encode("utf-8")
