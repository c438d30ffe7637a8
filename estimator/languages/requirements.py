"""Requirements files of pip, and the reading of one requirement for every language that names packages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from estimator.languages.facts import Fact, FactKind, Harvest, Reading
from estimator.languages.readings import reading_of, simple_fact

# Name, extras, then a version or a URL; PEP 508 and conda's own form with single "=".
_REQUIREMENT = re.compile(
    r"""^\s*(?:[A-Za-z0-9._-]+::)?(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*
        (?P<version>@\s*\S+|\(?(?:===?|~=|!=|<=?|>=?|\^|=|~)[^;\#]*|\s[\d*][^;\#]*)?\s*(?:;|\#|$)""",
    re.VERBOSE,
)
_EGG = re.compile(r"#egg=([A-Za-z0-9._-]+)")
_REPOSITORY = re.compile(r"^(?:[a-z]+\+)?(?:https?|ssh|git)://\S*?/([A-Za-z0-9._-]+?)(?:\.git)?(?:@\S*|#\S*|/)?$")
_WHEEL = re.compile(r"(?<![\w.$])([A-Za-z0-9_.]+)-[0-9][^/]*\.whl\b")
_LONGEST = 1_000  # characters of one requirement
_CONTINUED = re.compile(r"\\\n")


def read(path: str, text: str, harvest: Harvest) -> Reading:
    """Requirements, index settings and references to other files."""
    return reading_of("requirements", text, _facts(text))


def requirement(text: str) -> str:
    """ "name specifier" with the name in lower case and dashes, "" if the text is no requirement."""
    text = " ".join(text[:_LONGEST].split()).strip("\"'")
    if "://" in text and not re.match(r"^[\w.\[\],-]+\s*@", text):
        found = _EGG.search(text) or _WHEEL.search(text) or _REPOSITORY.match(text)
        return normalised(found[1]) if found else ""
    match = _REQUIREMENT.match(text)
    if match is None:
        return ""
    version = re.sub(r"\s*([=<>~!^,]+)\s*", r"\1", " ".join((match["version"] or "").strip(" ()").split()))
    return f"{normalised(match['name'])} {version}".strip()


def normalised(name: str) -> str:
    """A package name as registries compare them: PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _facts(text: str) -> Iterator[Fact]:
    lines = _CONTINUED.sub(lambda _: "  \x00", text).split("\n")
    number = 1
    for position, joined in enumerate(lines):
        line, number = number, number + 1 + joined.count("\x00")
        content = re.sub(r"(^|\s)#.*$", "", joined.replace("\x00", "")).strip()
        if not content:
            continue
        if content.startswith("-") and not re.match(r"^(-e|--editable)\b", content):
            option, _, value = content.partition("=") if "=" in content.split()[0] else content.partition(" ")
            yield simple_fact(FactKind.SETTING, f"{option.strip()}={value.strip()}", line)
            continue
        content = re.sub(r"^(-e|--editable)[ =]\s*", "", content)
        found = requirement(re.split(r"\s--(?:hash|config-settings|global-option)\b", content)[0])
        if found:
            behind = lines[position + 1] if position + 1 < len(lines) else ""
            origin = "lock" if _pulled_in(joined, lines[position + 1 : position + 6], behind) else "pip"
            yield simple_fact(FactKind.REQUIREMENT, found, line, detail=origin)


def _pulled_in(line: str, behind: list[str], first: str) -> bool:
    """Whether a compiled file says `# via`: the package came in through others, nobody asked for it."""
    said = [line] if "# via" in line else []
    if first.strip().startswith("# via"):
        for other in behind:
            if not other.strip().startswith("#"):
                break
            said.append(other)
    if not said:
        return False
    whole = " ".join(said)
    return not re.search(r"via.*(-r |\(pyproject\.toml\)|\.in\b|\.txt\b|setup\.py|setup\.cfg)", whole)
