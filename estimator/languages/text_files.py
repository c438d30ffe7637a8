"""Texts of any kind: read as CUDA if they hold a kernel, else they give nothing."""

from __future__ import annotations

from estimator.languages import c_family
from estimator.languages.facts import Harvest, Reading
from estimator.languages.readings import reading_of


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """The facts of device source kept in a text or template file."""
    if "__global__" not in text:
        return reading_of("text", text, ())
    return c_family.read(path, text, harvest)
