"""What the comments at the head of a file say, whatever its language."""

from __future__ import annotations

import re
from collections.abc import Iterator


def leading_comments(head: str) -> Iterator[tuple[str, bool]]:
    """The text of each comment line before the first line of code, and whether a sentence begins there.

    Block comments and Python's opening docstring count on every line. Preprocessor lines and imports are no code.
    """
    block, before = "", ""
    for raw in head.split("\n"):
        line = raw.strip()
        if block:
            text, block = line.lstrip("*!- ").strip(), "" if block in line else block
        elif (opening := _OPENING.match(line)) is not None:
            rest, closing = line[opening.end() :], _CLOSING.get(opening[1], "")
            text, block = rest.lstrip("*!-#/ ").strip(), "" if closing in rest else closing
        elif line and not _NO_CODE.match(line):
            return
        else:
            text = ""
        if text:
            yield text, not (_GOES_ON.search(before) and text[0].islower())
        before = text


_OPENING = re.compile(
    r"(//|/\*|\"\"\"|'''|<!--|\{#|#(?!\s*(?:include|define|undef|if|ifdef|ifndef|else|elif|endif|pragma|error|warning)\b)"
    r"|;|--|\.\.|dnl\b|rem\b|%)"
)
_CLOSING = {"/*": "*/", '"""': '"""', "'''": "'''", "<!--": "-->", "{#": "#}"}
_NO_CODE = re.compile(r"#|import\s|from\s+\S+\s+import\b|using\s|package\s|<\?xml|@echo\b")
_GOES_ON = re.compile(r"[\w,(]$")
