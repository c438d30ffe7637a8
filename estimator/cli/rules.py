"""`unwarp rules`: what is recognised, and whether a pack of one's own does what its examples say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from estimator.cli import options
from estimator.errors import EstimatorError, no_such, shown

if TYPE_CHECKING:
    from estimator.knowledge.values import Example, Heuristics, Rule


@click.group(short_help="List the rules, or check a pack of your own.")
def rules() -> None:
    """Rules say what a dependence on CUDA looks like; they never say what it costs."""


@rules.command("list", short_help="List the shipped rules.")
@click.option("--category", default="", help="Only this category.")
def list_rules(category: str) -> None:
    """List the shipped rules: id, category, weight class, title."""
    from estimator import load_heuristics
    from estimator.knowledge.rules import CATEGORIES

    if category and category not in CATEGORIES:
        raise EstimatorError(no_such("category", category, CATEGORIES))
    for rule in load_heuristics().rules:
        if category in ("", rule.category):
            click.echo(f"{rule.id:<36} {rule.category:<24} {rule.effort or '-':<28} {rule.title}")


@rules.command(short_help="Run the examples of a pack.")
@click.argument("folder", type=options.FILE)
def check(folder: Path) -> None:
    """Load all rules below FOLDER and run their examples; every fault is said at once."""
    from estimator import load_heuristics
    from estimator.knowledge.rules import load_rules

    shipped = load_heuristics()
    pack = load_rules(folder)
    faults = [
        f"{rule.file}: {rule.id}: {no_such('weight class', rule.effort, shipped.weights)}"
        for rule in pack
        if rule.effort and rule.effort not in shipped.weights
    ]
    for rule in pack:
        faults += [f"{rule.file}: {rule.id}: {shown(fault)}" for fault in _example_faults(rule, shipped)]
    if faults:
        raise EstimatorError("\n".join(faults))
    count = sum(len(rule.examples) for rule in pack)
    click.echo(f"{shown(str(folder))}: {len(pack)} rules, {count} examples, all as they say")


def _example_faults(rule: Rule, heuristics: Heuristics) -> Iterator[str]:
    for example in rule.examples:
        try:
            found = found_lines(rule, example, heuristics)
        except EstimatorError as error:
            yield str(error)
            continue
        if found != sorted(set(example.finds)):
            yield f"example '{example.name}': should find lines {list(example.finds)}, finds {found}"


def found_lines(rule: Rule, example: Example, heuristics: Heuristics) -> list[int]:
    """Lines of an example where the rule alone speaks.

    Rules on asm speak only after the scan has looked the instructions up, so these take a whole scan.
    """
    from dataclasses import replace

    from estimator import languages
    from estimator.languages.facts import FactKind
    from estimator.scan import scan
    from estimator.scan.match import Matcher
    from estimator.sources.files import Owner, SourceFile, SourceTree

    path, code = example.path or _default_path(rule), example.code.removeprefix("\n")
    language = languages.language_of(path)
    if language is None:
        raise EstimatorError(f"example '{example.name}': no language reads '{path}'")
    if any(match.kind is FactKind.ASM for match in rule.matches):
        tree = SourceTree("example", (SourceFile(path, code, Owner.OWN, "", "."),), (), ())
        sites = scan(tree, replace(heuristics, rules=(rule,))).sites
        return sorted({site.line for site in sites if site.rule == rule.id})
    return sorted({hit.line for hit in Matcher((rule,)).hits(languages.read(language, path, code))})


def _default_path(rule: Rule) -> str:
    """A file name of the rule's first language: its first pattern with the star filled in."""
    from estimator.languages import LANGUAGES

    patterns = next(one.patterns for one in LANGUAGES if one.name == rule.languages[0])
    return patterns[0].replace("*", "example")
