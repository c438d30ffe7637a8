"""The line that stands at a site, safe to show: trimmed, one line, secrets taken out."""

from __future__ import annotations

import re
import unicodedata

_MOST = 200
_SECRETS = (
    (
        "key",
        re.compile(
            r"\b(?:sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abp]-|AKIA|ASIA|hf_|pypi-|npm_|AIza)[A-Za-z0-9_\-]{12,}"
        ),
    ),
    ("pem", re.compile(r"-----BEGIN [A-Z ]+-----.*")),
    ("userinfo", re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)")),
    (
        "assignment",
        re.compile(r"""(?i)(?<=[\w])(?:key|token|secret|passw(?:or)?d)["']?\s*[:=]\s*["']?(?P<value>[^\s"',;]{8,})"""),
    ),
    (
        "entropy",
        re.compile(r"""(?<=["'])(?=[^"']*\d)(?=[^"']*[A-Z])(?=[^"']*[a-z])[A-Za-z0-9+/_\-]{32,}={0,2}(?=["'])"""),
    ),
)


def excerpt(line: str) -> str:
    """A source line for reports: at most 200 characters, no control or direction characters, no secrets."""
    text = line[: 4 * _MOST]
    if not text.isprintable():
        text = "".join(_shown(c) for c in text)
    text = " ".join(text.split())
    return redacted(text)[:_MOST]


def redacted(text: str) -> str:
    """Text with known shapes of secrets replaced by their kind and length."""
    for kind, pattern in _SECRETS:
        text = pattern.sub(lambda match, kind=kind: _replaced(kind, match), text)  # type: ignore[misc]
    return text


def _replaced(kind: str, match: re.Match[str]) -> str:
    value = match.groupdict().get("value") or match.group()
    return match.group().replace(value, f"[redacted:{kind}:{len(value)}]")


def _shown(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() else " "
    return " " if unicodedata.category(character)[0] in "CZ" else character
