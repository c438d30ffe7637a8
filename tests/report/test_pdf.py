"""The PDF: page one is one page, the JSON is inside, nothing is loaded, and it comes out the same twice."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import pytest
from pypdf import PdfReader

from estimator.report import render

pytest.importorskip("weasyprint", reason="Pango is missing on this machine", exc_type=OSError)


@pytest.fixture(autouse=True)
def no_errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """WeasyPrint only logs what it could not load or draw; here that is a failure."""
    with caplog.at_level(logging.ERROR, logger="weasyprint"):
        yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def text_of(pdf: PdfReader, number: int) -> str:
    return re.sub(r"\s+", " ", pdf.pages[number].extract_text())


@pytest.mark.parametrize("which", ["priced", "hostile", "nothing"])
def test_page_one_is_one_page(samples: ModuleType, which: str) -> None:
    match which:
        case "priced":
            assessment = samples.sample(scenario=samples.priced_scenario())
        case "hostile":
            assessment = samples.hostile()
        case _:
            assessment = samples.nothing_to_port()
    pdf = PdfReader(io.BytesIO(render(assessment, "pdf")))
    first = text_of(pdf, 0)
    assert first.startswith("CUDA exit estimate")
    assert "Places in the code: Evidence" in first
    assert f"Internal: an estimate with a range, not an offer 1 / {len(pdf.pages)}" in first
    assert "Contents and how to read this report" in text_of(pdf, 1)
    assert "Contents and how to read this report" not in first
    for number in range(1, len(pdf.pages)):
        alone = text_of(pdf, number).startswith("How to check") and len(text_of(pdf, number)) < 500
        assert not alone, f"page {number + 1}: a box by itself"
    for page in pdf.pages:
        for note in page.get("/Annots", []):
            action = note.get_object().get("/A", {})
            assert action.get("/S", "/GoTo") == "/GoTo"
    assert "/JavaScript" not in str(pdf.root_object)


def test_the_assessment_travels_inside(samples: ModuleType) -> None:
    assessment = samples.sample()
    made = render(assessment, "pdf")
    pdf = PdfReader(io.BytesIO(made))
    assert pdf.attachments["assessment.json"] == [render(assessment, "json")]
    assert b"pdfaid" in made or pdf.xmp_metadata is not None
    assert pdf.root_object["/MarkInfo"]["/Marked"]
    assert [entry.title for entry in pdf.outline if not isinstance(entry, list)]


def test_same_input_same_bytes(samples: ModuleType) -> None:
    assert render(samples.sample(), "pdf") == render(samples.sample(), "pdf")


def test_an_external_copy_is_discreet_inside_too(samples: ModuleType) -> None:
    assessment = samples.sample(scenario=samples.priced_scenario(), audience="external")
    pdf = PdfReader(io.BytesIO(render(assessment, "pdf")))
    whole = " ".join(page.extract_text() for page in pdf.pages) + pdf.attachments["assessment.json"][0].decode("utf-8")
    for word in ("Negotiation", "cublasLtMatmul(handle", "EUR 2.05", "offer of 12 October", "1.60 per"):
        assert word not in whole, word


def test_page_one_stays_one_page_when_everything_is_long(samples: ModuleType) -> None:
    assessment = samples.sample(scenario=samples.priced_scenario())
    decision = assessment.decision
    long = "Widely worded matters " * 20
    flips = tuple(replace(decision.flip_points[0], input=long, now=long, flips_at=long) for _ in range(8))
    reasons = tuple(replace(reason, favours=decision.verdict, text=long) for reason in decision.reasons)
    options = {
        name: replace(option, tornado=tuple(replace(bar, title=long) for bar in option.tornado))
        for name, option in assessment.estimate.options.items()
    }
    long_one = replace(
        assessment,
        repository=replace(assessment.repository, name=long),
        reliability=replace(assessment.reliability, level_reason=long, gaps=(long,) * 9),
        estimate=replace(assessment.estimate, options=options),
        decision=replace(decision, flip_points=flips, reasons=reasons, confidence_reason=long, pilot_reason=long),
    )
    pdf = PdfReader(io.BytesIO(render(long_one, "pdf")))
    assert "Places in the code: Evidence" in text_of(pdf, 0)
    assert "Contents and how to read this report" in text_of(pdf, 1)


def test_a_long_list_of_sites_is_cut_and_says_so(samples: ModuleType) -> None:
    assessment = samples.sample(repeat=60)
    pdf = PdfReader(io.BytesIO(render(assessment, "pdf")))
    whole = " ".join(text_of(pdf, number) for number in range(len(pdf.pages)))
    assert f"The first 1,500 of {len(assessment.found.sites):,} sites" in whole
    assert "further sites stand in sites.csv and assessment.json" in whole
    assert len(pdf.pages) < 40
