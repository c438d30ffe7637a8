"""SARIF 2.1.0: every site as a result, for code hosts and editors that show findings beside the code.

Source of the field names: the OASIS standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from estimator.assessment import Assessment
from estimator.errors import Trouble
from estimator.findings.values import Disposition, JudgedSite
from estimator.knowledge.values import Rule
from estimator.report import wording
from estimator.report.text import plain

SCHEMA_ADDRESS = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_LEVELS = {Disposition.DEBT: "warning"}  # all others: note
_FINGERPRINT = "unwarp/v1"
_WHOLE = 4096


def render(assessment: Assessment) -> bytes:
    """One run: all sites in the order of the findings stage, rules as far as a site names them."""
    document = {"$schema": SCHEMA_ADDRESS, "version": "2.1.0", "runs": [_run(assessment)]}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")


def _run(assessment: Assessment) -> dict[str, Any]:
    used = sorted({judged.site.rule for judged in assessment.found.sites})
    known = {rule.id: rule for rule in assessment.heuristics.rules}
    rules = [_rule(name, known.get(name)) for name in used]
    index = {name: number for number, name in enumerate(used)}
    return {
        "tool": {"driver": {"name": "unwarp", "version": assessment.run.version, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "the folder that was scanned"}}},
        "invocations": [_invocation(assessment)],
        "results": list(_results(assessment, index)),
        "properties": {"commit": assessment.repository.commit, "date": assessment.run.date},
    }


def _rule(name: str, rule: Rule | None) -> dict[str, Any]:
    """What the rule pack says of a rule; only its name where the pack has no such rule."""
    if rule is None:
        return {"id": name, "shortDescription": {"text": name}}
    text = " ".join(part for part in (rule.why, rule.remedy) if part) or rule.title
    sources = f"\n\nSources: {'; '.join(rule.sources)}" if rule.sources else ""
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why or rule.title},
        "help": {"text": f"{text}{sources}"},
        "properties": {"tags": [rule.category]},
    }


def _invocation(assessment: Assessment) -> dict[str, Any]:
    troubles = [_notification(trouble) for trouble in assessment.reliability.troubles]
    made = {"executionSuccessful": True, "toolExecutionNotifications": troubles}
    return made | ({"commandLine": assessment.run.command} if assessment.run.command else {})


def _notification(trouble: Trouble) -> dict[str, Any]:
    text = plain(f"{trouble.stage}: {trouble.reason}")
    location = {"physicalLocation": {"artifactLocation": _artifact(trouble.path)}}
    return {"level": "warning", "message": {"text": text}, "locations": [location]}


def _results(assessment: Assessment, index: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    met: Counter[tuple[str, str, str]] = Counter()
    for judged in assessment.found.sites:
        site = judged.site
        key = (site.rule, site.path, site.excerpt.strip())
        yield _result(judged, index[site.rule], _fingerprint(key, met[key]))
        met[key] += 1


def _result(judged: JudgedSite, rule_index: int, fingerprint: str) -> dict[str, Any]:
    site = judged.site
    location = {"artifactLocation": _artifact(site.path), "region": _region(judged)}
    result: dict[str, Any] = {
        "ruleId": site.rule,
        "ruleIndex": rule_index,
        "level": _LEVELS.get(judged.disposition, "note"),
        "message": {"text": _message(judged)},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
        "properties": _properties(judged),
    }
    if site.count > 1:
        result["occurrenceCount"] = site.count
    if judged.disposition is Disposition.EXCLUDED:
        why = plain(judged.reason) or "not priced"
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    return result


def _artifact(path: str) -> dict[str, str]:
    """A relative address; characters that have a meaning there are escaped, bytes that are no text become "?"."""
    return {"uri": quote(path, safe="/", errors="replace"), "uriBaseId": _ROOT}


def _region(judged: JudgedSite) -> dict[str, Any]:
    site = judged.site
    region: dict[str, Any] = {"startLine": max(site.line, 1)}
    if site.column > 0:
        region["startColumn"] = site.column
    region["endLine"] = max(site.end_line, site.line, 1)
    if site.excerpt and site.end_line <= site.line:  # of longer places it is the first line only
        region["snippet"] = {"text": plain(site.excerpt)}
    return region


def _message(judged: JudgedSite) -> str:
    site = judged.site
    what = ": ".join(part for part in (site.library, site.symbol) if part)
    many = f", and {site.count - 1:,} more of the file" if site.count > 1 else ""
    why = f" ({judged.reason})" if judged.reason else ""
    return plain(f"{wording.category(site.category)}: {what or site.rule}{many}; {judged.disposition}{why}", _WHOLE)


def _properties(judged: JudgedSite) -> dict[str, Any]:
    site = judged.site
    named = {"library": site.library, "symbol": plain(site.symbol)}
    return {
        "category": site.category,
        **{name: text for name, text in named.items() if text},
        "disposition": str(judged.disposition),
        "confidence": str(site.confidence),
        "owner": str(site.owner),
        "guards": [plain(guard) for guard in site.guards],
    }


def _fingerprint(key: tuple[str, str, str], ordinal: int) -> str:
    """Stays the same when lines move: rule, file, text of the line, and which of the like ones it is."""
    told = "\0".join((*key, str(ordinal)))
    return hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()[:32]
