"""PDF/A-3a printed by WeasyPrint from the HTML page, with assessment.json attached.

WeasyPrint needs Pango and its friends from the system; where they are missing, the error says how to install them.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from estimator.assessment import Assessment
from estimator.errors import NOT_MEASURED, EstimatorError
from estimator.report import as_json
from estimator.report.moment import moment
from estimator.report.page import page
from estimator.report.sections import SECTIONS

INSTALL = "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core"
_OPTIONS = {"pdf_variant": "pdf/a-3a"}
_SECOND = SECTIONS[1]  # begins page two, or page one has run over


def render(assessment: Assessment) -> bytes:
    """The document. EstimatorError with code 3 when Pango can't be loaded or the file comes out broken."""
    weasyprint = _weasyprint()
    fetcher = _fetcher()
    created = moment(assessment.run.date)
    attached = weasyprint.Attachment(
        string=as_json.render(assessment),
        name="assessment.json",
        description="All figures of this report, for other programs",
        relationship="Data",
        created=created,
        modified=created,
        url_fetcher=fetcher,
    )
    with _fixed_clock(int(created.timestamp())):
        document = _laid_out(weasyprint, page(assessment), fetcher)
        if _SECOND not in document.pages[1].anchors:
            document = _laid_out(weasyprint, page(assessment, compact=True), fetcher)
        made: bytes = document.write_pdf(**_OPTIONS, attachments=[attached])
    if not (made.startswith(b"%PDF") and b"%%EOF" in made[-64:]):
        raise EstimatorError("the PDF came out broken; the other formats are not affected", NOT_MEASURED)
    return made


def _laid_out(weasyprint: Any, text: str, fetcher: Any) -> Any:
    return weasyprint.HTML(string=text, url_fetcher=fetcher, media_type="print").render(**_OPTIONS)


def _weasyprint() -> Any:
    try:
        # Where Pango is missing it prints a banner; stdout is for data, and the error below says it all.
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            # Without libharfbuzz-subset0 it warns at import; `unwarp doctor` is the place to say so.
            warnings.simplefilter("ignore", DeprecationWarning)
            import weasyprint
    except OSError as error:
        message = f"the PDF needs Pango, which could not be loaded ({error}); install it with: {INSTALL}"
        raise EstimatorError(message, NOT_MEASURED) from None
    return weasyprint


def _fetcher() -> Any:
    from weasyprint.urls import URLFetcher

    class DataOnly(URLFetcher):  # type: ignore[misc]  # weasyprint has no types
        """Lets `data:` through and nothing else: a report loads nothing, from nowhere."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            if not url.startswith("data:"):
                raise ValueError(f"a report loads nothing, not even {url[:80]}")
            return super().fetch(url, headers)

    return DataOnly(allowed_protocols=("data",), allow_redirects=False)


@contextmanager
def _fixed_clock(seconds: int) -> Iterator[None]:
    """SOURCE_DATE_EPOCH while the fonts are subset: their head table holds a date."""
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = str(seconds)
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before
