"""What a site means for the target: debt, automatic, credit, ported or excluded, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping

from estimator.findings.values import Disposition, JudgedSite
from estimator.knowledge.values import ApiName, Component
from estimator.scan.sites import Kernel, Site
from estimator.sources.files import Owner

_CREDITS = frozenset(("triton-kernel", "rocm-ready"))
_BY_NAME = frozenset(("runtime-api", "driver-api", "cuda-graph", "managed-memory", "texture-surface", "graphics-interop"))
_SAME_CODE = frozenset(("rename-only",))
_ABSORBED = frozenset(("framework-absorbs",))
_COVERED_BY_ALIAS = _BY_NAME | {"runtime-api-unsupported", "library-call", "warp-primitive"}


def judge(
    site: Site, aliases: frozenset[str], apis: Mapping[str, ApiName], components: Mapping[str, Component]
) -> JudgedSite:
    """One site's disposition.

    aliases: CUDA names that the tree itself maps to HIP names. The first reason that holds decides.
    """
    if site.owner in (Owner.VENDORED, Owner.GENERATED):
        return JudgedSite(site, Disposition.EXCLUDED, f"{site.owner} code")
    if site.category in _CREDITS:
        return JudgedSite(site, Disposition.CREDIT, "portable already")
    ported = ported_reason(site)
    if ported:
        return JudgedSite(site, Disposition.PORTED, ported)
    if site.symbol in aliases and site.category in _COVERED_BY_ALIAS:
        return JudgedSite(site, Disposition.PORTED, "a header of the project maps the name to HIP")
    if site.category in _BY_NAME and _has_twin(site, apis):
        return JudgedSite(site, Disposition.AUTOMATIC, "a tool renames it")
    if site.library and components.get(site.library) and components[site.library].port_kind in _SAME_CODE:
        if site.library != "CUB":
            return JudgedSite(site, Disposition.AUTOMATIC, "the AMD library keeps the names")
    return JudgedSite(site, Disposition.DEBT)


def ported_reason(place: Site | Kernel) -> str:
    """Why a place needs no work although it is CUDA; "" when it does."""
    if place.amd_arm == "amd":
        return "stands in the AMD arm"
    if place.amd_arm == "works":
        return "a working AMD arm stands beside it"
    return ""


def _has_twin(site: Site, apis: Mapping[str, ApiName]) -> bool:
    api = apis.get(site.symbol)
    return api is not None and api.status in ("renamed", "same-name") and site.category in ("runtime-api", "driver-api", "cuda-graph")
