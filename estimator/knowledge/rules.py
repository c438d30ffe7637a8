"""Rule packs: `heuristics/rules/<topic>/<name>.toml`, one rule a file.

A rule file:

    id = "cuda.warp-shuffle"          # stable for ever
    title = "Shuffles between lanes"
    category = "warp-primitive"       # of the fixed list
    why = "…"
    languages = ["cuda", "cpp"]       # names of estimator/languages
    match = { call = '^__shfl_(up_|down_|xor_)?sync$' }    # one or more kinds of fact, any is enough
    # match = [{ kind = "call", pattern = '…', detail = '…', spaces = ["kernel", "device"] }]   long form
    effort = "warp.primitive"         # weight class; "" for credits
    library = "cuDNN"                 # id in components.csv: library-call and framework-dependency rules
    credit = true                     # counted, not listed
    shows = "amd-build"               # what a site says of the whole tree: an AMD build, image or cluster
    python_host = true                # a site shows that Python launches the kernels
    yields = ["other.rule"]           # silent where that rule finds the same place
    remedy = "…"                      # what to do about it
    sources = ["…"]

    [[examples]]
    name = "a mask of 32 bits"
    path = "a.cu"                     # optional; the default is a file of the rule's first language
    code = '''…'''
    finds = [2]                       # lines; [] says that the rule stays silent
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from estimator.errors import EstimatorError, did_you_mean, no_such, noted, raise_all, shown
from estimator.knowledge.fields import STRICT
from estimator.knowledge.tables import check, read_toml
from estimator.knowledge.values import Example, Match, Rule
from estimator.languages import LANGUAGES
from estimator.languages.facts import FactKind

CATEGORIES = (
    "inline-ptx",
    "ptx-module",
    "cuda-kernel",
    "warp-size",
    "warp-primitive",
    "lane-mask",
    "library-call",
    "driver-api",
    "runtime-api",
    "runtime-api-unsupported",
    "tuning-constant",
    "tensor-core",
    "async-copy",
    "cooperative-groups",
    "dynamic-parallelism",
    "cuda-graph",
    "texture-surface",
    "graphics-interop",
    "managed-memory",
    "arch-guard",
    "build-system",
    "container",
    "orchestration",
    "tooling",
    "communication",
    "python-cuda",
    "triton-kernel",
    "triton-nvidia-specific",
    "framework-dependency",
    "rocm-ready",
)


class _Strict(BaseModel):
    model_config = STRICT


class _MatchTable(_Strict):
    kind: Annotated[FactKind, Field(strict=False)]  # written as text
    pattern: str
    detail: str = ""
    spaces: list[str] = []


class _ExampleTable(_Strict):
    name: str
    code: str
    finds: list[Annotated[int, Field(ge=1)]]
    path: str = ""


class _RuleTable(_Strict):
    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+(\.[a-z0-9_-]+)+$")]
    title: str
    category: str
    why: str
    languages: Annotated[list[str], Field(min_length=1)]
    match: list[_MatchTable]
    effort: str = ""
    library: str = ""
    credit: bool = False
    shows: Literal["", "amd-build", "amd-option", "amd-image", "amd-cluster"] = ""
    python_host: bool = False
    yields: list[str] = []
    remedy: str = ""
    sources: Annotated[list[str], Field(min_length=1)]
    examples: list[_ExampleTable]

    @field_validator("category")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if value not in CATEGORIES:
            raise ValueError(no_such("category", value, CATEGORIES))
        return value

    @field_validator("languages")
    @classmethod
    def _are_known(cls, values: list[str]) -> list[str]:
        names = tuple(language.name for language in LANGUAGES)
        unknown = [f"'{shown(value, 60)}'{did_you_mean(value, names)}" for value in values if value not in names]
        if unknown:
            raise ValueError(f"no language {', '.join(unknown)}")
        return values

    @field_validator("match", mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return [{"kind": kind, "pattern": pattern} for kind, pattern in value.items()]
        return value

    @model_validator(mode="after")
    def _has_both_sides(self) -> _RuleTable:
        found = [bool(example.finds) for example in self.examples]
        if not (any(found) and not all(found)):
            raise ValueError("examples must show both sides: one that finds, one with finds = []")
        if self.category == "library-call" and not self.library:
            raise ValueError("a library-call rule must name its 'library'")
        if self.library and self.category not in ("library-call", "framework-dependency"):
            raise ValueError("'library' belongs to library-call and framework-dependency rules only")
        return self


def load_rules(folder: Path) -> tuple[Rule, ...]:
    """All rules below a folder, sorted by id. All faults of the pack are reported at once."""
    if not folder.is_dir():
        raise EstimatorError(f"{folder}: no such folder; give one that holds rule files (*.toml)")
    faults: list[str] = []
    rules: dict[str, Rule] = {}
    for path in sorted(folder.rglob("*.toml")):
        with noted(faults):
            rule = _rule(path)
            if rule.id in rules:
                faults.append(f"{path}: rule '{rule.id}' stands in {rules[rule.id].file} already; ids are unique")
            rules[rule.id] = rule
    for rule in rules.values():
        unknown = (other for other in rule.yields if other not in rules)
        faults += (f"{rule.file}: {rule.id}: yields to {no_such('rule', other, rules)}" for other in unknown)
    raise_all(faults)
    if not rules:
        raise EstimatorError(f"{folder}: no rule files (*.toml) below this folder")
    return tuple(rules[key] for key in sorted(rules))


def _rule(path: Path) -> Rule:
    table = check(path, "", _RuleTable, read_toml(path))
    return Rule(
        id=table.id,
        title=table.title,
        category=table.category,
        why=table.why,
        languages=tuple(table.languages),
        matches=tuple(Match(m.kind, m.pattern, m.detail, tuple(m.spaces)) for m in table.match),
        effort=table.effort,
        library=table.library,
        credit=table.credit,
        yields=tuple(table.yields),
        remedy=table.remedy,
        sources=tuple(table.sources),
        examples=tuple(Example(e.name, e.code, tuple(e.finds), e.path) for e in table.examples),
        file="/".join(path.parts[-2:]),
        shows=table.shows,
        python_host=table.python_host,
    )
