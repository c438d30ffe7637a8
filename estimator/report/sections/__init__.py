"""The sections of the report, in their order on paper.

Each is a module with `TITLE` and `view(assessment)`, which gives ready text for the template of the same name in
`report_templates/sections`, or None where the section has nothing to say and is left out.
"""

from __future__ import annotations

SECTIONS = (
    "decision",
    "contents",
    "recommendation",
    "cost_range",
    "options",
    "scope",
    "location",
    "kernels",
    "libraries",
    "sensitivity",
    "risks",
    "negotiation",
    "method",
    "evidence",
    "not_analysed",
    "self_check",
    "provenance",
)
