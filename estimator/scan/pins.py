"""Packages and base images that a file asks for, with the versions it allows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from estimator.knowledge.frameworks import package_named
from estimator.knowledge.values import Package
from estimator.languages.facts import Fact, FactKind
from estimator.languages.requirements import requirement
from estimator.scan.excerpts import redacted
from estimator.scan.match import Hit
from estimator.scan.sites import Pin
from estimator.sources.files import SourceFile

_PYTHON = ("", "pip", "conda", "lock")  # managers whose names `packages.csv` speaks of; "" is a list in Python code
_VERSION = re.compile(r"^v?(\d+(?:\.\d+)+)(?![\d.])")
_IMAGE = "image"
_ASKING = (FactKind.IMAGE, FactKind.REQUIREMENT, FactKind.STRING)  # few of all facts: asking each for its hit is slow
_HOLDING = (FactKind.SETTING, FactKind.COMMAND)  # where a rule says so
_HELD = re.compile(r"(?:[A-Za-z_]\w*=|\S*?::)(.*?),?$")  # a package of conda in a variable, or behind its channel
_LONGEST = 80  # characters of a specifier that are shown


def pins_of(
    file: SourceFile, facts: Iterable[Fact], hits: Iterable[Hit], packages: tuple[Package, ...]
) -> tuple[Pin, ...]:
    """The pins of one file, each package once a line.

    hits: of this file; those of a rule for packages make a pin of a name that `packages` doesn't know.
    """
    told = {hit.fact: hit.rule.library for hit in hits if hit.rule.category == "framework-dependency"}
    pins: dict[tuple[int, str], Pin] = {}
    asking = (fact for fact in facts if fact.kind in _ASKING)
    for fact in chain(asking, (fact for fact in told if fact.kind in _HOLDING)):
        is_told = fact in told
        for package, specifier, manager in _asked(fact, is_told):
            is_known = manager in (*_PYTHON, _IMAGE) and package_named(package, packages) is not None
            if is_known or (is_told and manager != _IMAGE):
                shown = redacted(specifier)[:_LONGEST]
                pin = Pin(file.path, fact.line, package, shown, manager or "pip", told.get(fact, ""), file.owner)
                pins.setdefault((fact.line, package), pin)
    return tuple(pins.values())


def _asked(fact: Fact, is_told: bool) -> Iterator[tuple[str, str, str]]:
    """Name, specifier and manager of what a fact asks for. is_told: whether a rule says that it names a package."""
    if fact.kind is FactKind.IMAGE:
        yield _image(fact.text)
    elif fact.kind is FactKind.REQUIREMENT:
        name, _, specifier = fact.text.partition(" ")
        yield name, specifier.partition(";")[0].strip(), fact.detail
    elif fact.kind is FactKind.STRING and is_told and (found := requirement(fact.text)):
        name, _, specifier = found.partition(" ")
        yield name, specifier, "pip"
    elif fact.kind in _HOLDING and (held := _HELD.match(fact.text)) and " " in (found := requirement(held[1])):
        name, _, specifier = found.partition(" ")
        yield name, specifier, "conda"


def _image(reference: str) -> tuple[str, str, str]:
    """An image without its registry where that is the usual one, and the version that its tag begins with."""
    whole = reference.partition("@")[0].removeprefix("docker.io/")
    name, _, tag = whole.rpartition(":")
    if not name or "/" in tag:  # no colon, or that of a port
        name, tag = whole, ""
    version = _VERSION.match(tag)
    return name.lower(), f"=={version[1]}" if version else "", _IMAGE
