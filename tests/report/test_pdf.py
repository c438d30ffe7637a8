"""The PDF: page one is one page, the JSON is inside, nothing is loaded, and it comes out the same twice."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from types import ModuleType

import pytest
from pypdf import PdfReader

from estimator.assessment import Assessment
from estimator.report import render

pytest.importorskip("weasyprint", reason="Pango is missing on this machine", exc_type=OSError)


@pytest.fixture(autouse=True)
def no_errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """WeasyPrint only logs what it could not load or draw; here that is a failure."""
    with caplog.at_level(logging.ERROR, logger="weasyprint"):
        yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def assessment(samples: ModuleType, which: str) -> Assessment:
    match which:
        case "nothing":
            return samples.nothing_to_port()
        case "hostile":
            return samples.hostile()
        case "external":
            return samples.sample(scenario=samples.priced_scenario(), audience="external", repeat=60)
        case "priced":
            return samples.sample(scenario=samples.priced_scenario())
        case _:
            raise ValueError(f"no assessment '{which}'")


@pytest.fixture(scope="module")
def made(samples: ModuleType) -> Callable[[str], bytes]:
    """The PDF of one of these assessments; each is made once, for it takes seconds."""
    return cache(lambda which: render(assessment(samples, which), "pdf"))


def opened(pdf: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(pdf))


def text_of(pdf: PdfReader, number: int) -> str:
    return re.sub(r"\s+", " ", pdf.pages[number].extract_text())


@pytest.mark.parametrize("which", ["hostile", "nothing", "priced"])
def test_page_one_is_one_page(made: Callable[[str], bytes], which: str) -> None:
    pdf = opened(made(which))
    first = text_of(pdf, 0)
    assert first.startswith("CUDA exit estimate")
    assert "Places in the code: Evidence" in first
    assert f"Internal: an estimate with a range, not an offer 1 / {len(pdf.pages)}" in first
    assert "Contents and how to read this report" in text_of(pdf, 1)
    assert "Contents and how to read this report" not in first
    for number in range(1, len(pdf.pages)):
        text = text_of(pdf, number)
        assert not text.startswith("How to check") or len(text) >= 500, f"page {number + 1}: a box by itself"
    for page in pdf.pages:
        for note in page.get("/Annots", []):
            action = note.get_object().get("/A", {})
            assert action.get("/S", "/GoTo") == "/GoTo"
    assert "/JavaScript" not in str(pdf.root_object)


def test_the_assessment_travels_inside(made: Callable[[str], bytes], samples: ModuleType) -> None:
    pdf = opened(made("priced"))
    assert pdf.attachments["assessment.json"] == [render(assessment(samples, "priced"), "json")]
    assert b"pdfaid" in made("priced") or pdf.xmp_metadata is not None
    assert pdf.root_object["/MarkInfo"]["/Marked"]
    assert [entry.title for entry in pdf.outline if not isinstance(entry, list)]


def test_same_input_same_bytes(made: Callable[[str], bytes], samples: ModuleType) -> None:
    assert made("priced") == render(assessment(samples, "priced"), "pdf")


def test_a_long_external_copy_is_discreet_inside_too_and_cut(made: Callable[[str], bytes], samples: ModuleType) -> None:
    pdf = opened(made("external"))
    whole = " ".join(text_of(pdf, number) for number in range(len(pdf.pages)))
    inside = pdf.attachments["assessment.json"][0].decode("utf-8")
    for word in ("Negotiation", "cublasLtMatmul(handle", "EUR 2.05", "offer of 12 October", "1.60 per"):
        assert word not in whole + inside, word
    assert f"The first 1,500 of {len(assessment(samples, 'external').found.sites):,} sites" in whole
    assert "further sites stand in sites.csv and assessment.json" in whole
    assert len(pdf.pages) < 40


def test_page_one_stays_one_page_when_everything_is_long(samples: ModuleType) -> None:
    priced = assessment(samples, "priced")
    decision = priced.decision
    long = "Widely worded matters " * 20
    flips = tuple(replace(decision.flip_points[0], input=long, now=long, flips_at=long) for _ in range(8))
    reasons = tuple(replace(reason, favours=decision.verdict, text=long) for reason in decision.reasons)
    options = {
        name: replace(option, tornado=tuple(replace(bar, title=long) for bar in option.tornado))
        for name, option in priced.estimate.options.items()
    }
    long_one = replace(
        priced,
        repository=replace(priced.repository, name=long),
        reliability=replace(priced.reliability, level_reason=long, gaps=(long,) * 9),
        estimate=replace(priced.estimate, options=options),
        decision=replace(decision, flip_points=flips, reasons=reasons, confidence_reason=long, pilot_reason=long),
    )
    pdf = opened(render(long_one, "pdf"))
    assert "Places in the code: Evidence" in text_of(pdf, 0)
    assert "Contents and how to read this report" in text_of(pdf, 1)
