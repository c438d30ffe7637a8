"""JSON: the assessment itself, for other programs and for recomputing."""

from __future__ import annotations

import json

from estimator.assessment import Assessment


def render(assessment: Assessment) -> bytes:
    """The JSON form that `assessment` owns, in UTF-8. Same assessment, same bytes; NaN and infinity are errors."""
    from estimator.assessment import to_json

    text = json.dumps(to_json(assessment), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    return text.encode("utf-8", "backslashreplace")
