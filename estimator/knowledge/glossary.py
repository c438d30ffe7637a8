"""What the terms mean: `heuristics/glossary.toml`, read by the report and by `unwarp explain` alike.

[[term]]
name = "P80"
also = ["careful budget"]     # other names for the same thing
report = true                 # false: not printed among the terms of the report
meaning = "… {day} …"         # {day}: hours of a person-day
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from estimator.errors import raise_all
from estimator.knowledge.fields import STRICT, Words
from estimator.knowledge.tables import check, read_toml


@dataclass(frozen=True, slots=True)
class Term:
    """One term. also: other names. report: whether it stands among the report's terms."""

    name: str
    meaning: str
    also: tuple[str, ...] = ()
    report: bool = True

    def names(self, word: str) -> bool:
        """Whether a word is this term's name or another name of it, in any case."""
        return word.casefold() in (name.casefold() for name in (self.name, *self.also))

    def told(self, day: float) -> str:
        """The meaning, with the hours of a person-day filled in."""
        return self.meaning.replace("{day}", f"{day:g}")


class _TermTable(BaseModel):
    model_config = STRICT

    name: Words
    meaning: Words
    also: list[Words] = []
    report: bool = True


class _GlossaryTable(BaseModel):
    model_config = STRICT

    term: Annotated[list[_TermTable], Field(min_length=1)]


def load_glossary(path: Path) -> tuple[Term, ...]:
    """The terms in the file's order. A name that stands twice is an error."""
    table = check(path, "", _GlossaryTable, read_toml(path))
    terms = tuple(Term(each.name, each.meaning, tuple(each.also), each.report) for each in table.term)
    names = [name.casefold() for term in terms for name in (term.name, *term.also)]
    twice = sorted({name for name in names if names.count(name) > 1})
    raise_all([f"{path}: term '{name}' stands twice; names are unique" for name in twice])
    return terms
