"""The line that stands at a site, safe to show: trimmed, one line, secrets taken out."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from functools import lru_cache

from estimator.languages.readings import any_of

_MOST = 200
_LEAST = 8  # characters of a value that a name calls secret

# Texts that are secrets wherever they stand: what issues them marks them.
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, Stripe
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}"
    r"|gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent)-[A-Za-z0-9_.-]{12,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}"
    r"|(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{12,}"
    r"|AIza[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{10,}|GOCSPX-[A-Za-z0-9_-]{10,}"
    r"|hf_[A-Za-z0-9]{16,}|api_org_[A-Za-z0-9]{16,}"
    r"|pypi-[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{16,}|dop_v1_[a-f0-9]{16,}|dckr_pat_[A-Za-z0-9_-]{12,}"
    r"|nvapi-[A-Za-z0-9_-]{12,}|SG\.[A-Za-z0-9_-]{12,}\.[A-Za-z0-9_-]{12,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"  # JWT
    r")"
)
_WEBHOOK = re.compile(r"(?<=hooks\.slack\.com/)services/[A-Za-z0-9/_-]{12,}")
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]+-----.*")
_USERINFO = re.compile(r"(?<=://)(?:[^/\s@:'\"<>\[]+:[^/\s@'\"<>]*|[^/\s@'\"<>\[]{8,})(?=@)")
_AUTHORIZATION = re.compile(
    r"(?i)\b(?:bearer|authorization\W{1,4}(?:basic|token|digest))[ \t]+(?P<value>[A-Za-z0-9._~+/=-]{8,})"
)

# A name that says secret, whatever it is a part of, and the value that is given to it.
_SECRET_NAME = (
    r"(?:api|access|secret|private|auth|account|encryption|signing|ssh|deploy|client|master|license|storage)"
    r"[_.\- ]?keys?"
    r"|tokens?|secrets?|passw(?:or)?d|passphrase|pwd|credentials?|authorization"
)
_NAMED = re.compile(
    rf"""(?ix)
    (?<![A-Za-z0-9]) (?P<name>[\w.-]{{0,60}}? (?:{_SECRET_NAME}) (?P<rest>(?:[_-]?(?:id|key|value|string|[0-9]+))?))
    (?P<between>["']? \s* \]? \s* (?: [:=]{{1,2}} \s* | \( \s* | ,\s* (?=["']) | \s+ (?=["']) ))
    (?P<quote>\\?["'`]?) (?P<value>[^\s"'`,;(){{}}\[\]<>&|\\]{{{_LEAST},}}) (?P<next>[(\[]?)
    """
)
_DECLARED = re.compile(  # ENV NAME value, setenv NAME value
    rf"""(?ix) \b(?:env|arg|setenv) \s+ [\w.-]*(?:{_SECRET_NAME})[\w-]* \s+ (?P<value>[^\s"'`$=\[]{{{_LEAST},}})"""
)
# Names that hold "token" or "key" and are no secrets: counts and kinds of tokens in language models.
_HARMLESS_NAME = re.compile(
    r"(?i)tokens|token_?(?:id|ids|count|num|idx|index|size|len|length|type|dim|offset|mask|pos|per)|(?:num|n|max|min|per|new|"
    r"pad|eos|bos|unk|sep|cls|mask|special|next|prev|stop|total|batch|image|prompt|draft|input|output|this|first|last)_?token"
)
# Values that are read from elsewhere: a call, a variable, a path, a number.
_HARMLESS_VALUE = re.compile(
    r"""(?x)\$.*|%.*|@.*|\{\{.*|/.*|\.{1,2}/.*|[0-9.]+|0x[0-9a-fA-F]+|(?:true|false|null|none|nullptr|undefined|required|optional)\b.*
    |(?:os|self|args|config|cfg|env|environ|process|settings|opts?|options|params?|this|std|request|secrets|github|inputs|vars)(?:\.|->|::).*
    |[\w]+(?:::|->)\S*|\[redacted:.*|[a-z]+://.*"""
)
# One pass that most lines end with: without any of these nothing below finds a secret.
_may_hold = any_of(
    r"""(?i)keys?\b|key_?id|keys?["'_0-9]|token|secret|passw|passphrase|pwd|credential|authorization|bearer|://[^/\s]*@|-----BEGIN"""
    r"""|["'][^"'\s\\]{20}|(?:sk|pk|rk)[-_]|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox|xapp-|A(?:KIA|SIA|ROA|IDA|BIA|CCA)"""
    r"""|AIza|ya29\.|GOCSPX|hf_|api_org_|pypi-|npm_|dop_v1|dckr_pat|nvapi-|SG\.|eyJ|hooks\.slack"""
)
_LITERAL = re.compile(r"""(?P<quote>["'])(?P<value>[^"'\s\\]{20,})(?P=quote)""")
_DENSE = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
_MANGLED = re.compile(r"_+Z[A-Za-z]*\d")
_LEAST_BITS = 3.5  # a character; English words and identifiers have fewer, keys in base 64 more


def excerpt(line: str) -> str:
    """A source line for reports: at most 200 characters, no control or direction characters, no secrets."""
    return _excerpt(line[: 4 * _MOST])


@lru_cache(maxsize=1024)  # many sites may stand on one line
def _excerpt(text: str) -> str:
    if not text.isprintable():
        text = "".join(_shown(c) for c in text)
    text = " ".join(text.split())
    return redacted(text)[:_MOST]


def redacted(text: str) -> str:
    """Text with secrets replaced by their kind and length: "[redacted:token:40]".

    Secrets are what their issuer marks, what a name calls so, what stands before the host of a URL, and literals of
    20 characters and more that look drawn by lot. Doing it again changes nothing.
    """
    if not _may_hold(text):
        return text
    text = _TOKEN.sub(lambda match: _mark("token", match[0]), text)
    text = _WEBHOOK.sub(lambda match: _mark("token", match[0]), text)
    text = _PEM.sub(lambda match: _mark("pem", match[0]), text)
    text = _USERINFO.sub(lambda match: _mark("userinfo", match[0]), text)
    text = _AUTHORIZATION.sub(_authorization, text)
    text = _DECLARED.sub(lambda match: _with_value(match, "assignment"), text)
    text = _NAMED.sub(_named, text)
    return _LITERAL.sub(_literal, text)


def _mark(kind: str, value: str) -> str:
    return f"[redacted:{kind}:{len(value)}]"


def _with_value(match: re.Match[str], kind: str) -> str:
    start, end = match.span("value")
    whole = match[0]
    return whole[: start - match.start()] + _mark(kind, match["value"]) + whole[end - match.start() :]


def _authorization(match: re.Match[str]) -> str:
    is_word = match["value"].isalpha() and match["value"].islower()
    return match[0] if is_word else _with_value(match, "token")


def _named(match: re.Match[str]) -> str:
    """A value that a name calls secret. Without quotes it must look like one: `token = next_token` is code."""
    value = match["value"]
    if _HARMLESS_NAME.search(match["name"]) or _HARMLESS_VALUE.fullmatch(value):
        return match[0]
    is_code = match["next"] or match["between"].strip() == "(" or not any(c.isdigit() for c in value)
    if not match["quote"] and is_code:
        return match[0]
    return _with_value(match, "assignment")


def _literal(match: re.Match[str]) -> str:
    """A string literal that looks drawn by lot; paths, names, instructions and URLs do not."""
    value = match["value"]
    if _MANGLED.match(value) or not _DENSE.fullmatch(value) or not _is_random(value):
        return match[0]
    return f"{match['quote']}{_mark('entropy', value)}{match['quote']}"


def _is_random(value: str) -> bool:
    digits = sum(c.isdigit() for c in value)
    is_hexadecimal = re.fullmatch(r"[0-9a-f]{32,}|[0-9A-F]{32,}", value) is not None
    mixed = any(c.isupper() for c in value) and any(c.islower() for c in value) and digits >= 2
    if not (mixed or is_hexadecimal) or _looks_named(value):
        return False
    counts = Counter(value)
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return bits >= (3.0 if is_hexadecimal else _LEAST_BITS)


def _looks_named(value: str) -> bool:
    """Whether a text is made of words: a kernel's or a file's name with a few numbers in it."""
    parts = [
        part
        for part in re.split(r"[_/=+-]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", value)
        if part
    ]
    worded = sum(len(part) for part in parts if len(part) >= 4 and part.isalpha())
    return 2 * worded >= len(value)


def _shown(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() else " "
    return " " if unicodedata.category(character)[0] in "CZ" else character
