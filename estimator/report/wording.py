"""The words of the report: names of options, parts, phases and categories, and what the terms mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from estimator.quantities import percent
from estimator.report.text import plain, uncapped

if TYPE_CHECKING:
    from estimator.effort.values import Estimate, Fared, Reference
    from estimator.knowledge.values import Calibrated

OPTIONS = {
    "amd": "Move to AMD",
    "triton-first": "Triton first",
    "nvidia": "Stay with NVIDIA",
}

SETTLE_FLIPS = "settle the points under “What would flip it” first"

OPTION_MEANING = {
    "amd": "The CUDA code is ported to HIP; each kernel goes by HIP or Triton, whichever is cheaper.",
    "triton-first": "Own kernels move to Triton; afterwards either vendor can run them.",
    "nvidia": "No port. The cost of staying is that the dependence on CUDA goes on growing.",
}

CONFIDENCE = {
    "high": "act on it; check the conditions in section 3",
    "medium": "the direction holds, the figures may move",
    "low": "a lead, not yet an answer; pilot before you commit",
}

PARTS = {
    "setup": "Set-up: tools, hardware, CI",
    "conversion": "Conversion by tools, and its review",
    "remediation": "Remediation by hand",
    "kernels": "Own kernels",
    "libraries": "Libraries",
    "delivery": "Build, containers, delivery",
    "validation": "Validation",
    "retuning": "Re-tuning for speed",
    "learning": "Learning",
}

_EXPLAINED = re.compile("[:,]| by | for ")  # where the name of a part ends and its explanation begins

PHASES = {
    "runs": "Runs: it builds and starts on the target",
    "right": "Right: results agree with today's",
    "fast": "Fast: speed is won back",
}

STAGES = {
    "scan": "after a scan of the code alone",
    "pilot": "after a pilot",
    "slice": "after a vertical slice",
}

GRADES = {
    "A": "measured on finished ports",
    "B": "published by others",
    "C": "judgement",
}

FITS = {"good": "good", "partial": "partial", "poor": "poor"}

PLANS = {
    "hip": "port to HIP",
    "triton": "rewrite in Triton",
    "library": "replace by a library",
    "keep": "keep as it is",
}

CATEGORIES = {
    "inline-ptx": "Inline PTX",
    "ptx-module": "PTX modules, run-time compilation",
    "cuda-kernel": "Own CUDA kernels",
    "warp-size": "Warp of 32 assumed",
    "warp-primitive": "Warp primitives",
    "lane-mask": "32-bit lane masks",
    "library-call": "Library calls",
    "driver-api": "Driver API",
    "runtime-api": "Runtime API",
    "runtime-api-unsupported": "Runtime API without counterpart",
    "tuning-constant": "Tuning constants",
    "tensor-core": "Tensor cores",
    "async-copy": "Asynchronous copies",
    "cooperative-groups": "Cooperative groups",
    "dynamic-parallelism": "Dynamic parallelism",
    "cuda-graph": "CUDA graphs",
    "texture-surface": "Textures and surfaces",
    "graphics-interop": "Graphics interoperation",
    "managed-memory": "Managed memory",
    "arch-guard": "Architecture tests",
    "build-system": "Build files",
    "container": "Containers",
    "orchestration": "Cluster scheduling",
    "tooling": "Profilers and monitoring",
    "communication": "Communication settings",
    "python-cuda": "CUDA from Python",
    "triton-kernel": "Triton kernels",
    "triton-nvidia-specific": "NVIDIA-only parts of Triton",
    "framework-dependency": "Packages with NVIDIA code",
    "rocm-ready": "Ready for ROCm",
}

LEFT_OUT = (
    "Criteria, figures and flip points that rest on prices, rates or volumes are left out of this copy; "
    "points are those of the criteria shown."
)
UNCALIBRATED = "Uncalibrated: the figures rest on public ports and published work, not on hours of your own team."


def calibration(calibrated: Calibrated | None) -> str:
    """What of a team's own hours stands behind the figures."""
    if calibrated is None:
        return UNCALIBRATED
    parts = "; ".join(PARTS[part] for part in calibrated.parts)
    date = f", compared with the assessment of {plain(calibrated.assessed, 10)}" if calibrated.assessed else ""
    return (
        f"Calibrated on {plain(calibrated.rows_told, 80)} ({option(calibrated.option)}{date}), shrunk towards the "
        f"public figures: {parts}. What is not named rests on public ports and published work."
    )


def checked(reference: Reference) -> str:
    """How rows, the reference class and both blended fared on ports that happened: beside the class."""
    told = reference.checked
    if told is None:
        return ""
    team = " and their people" if reference.people is not None else ", their people not known to it"
    parts = (
        f"rows that add up held {_fared(told.rows)}",
        f"the class, each port predicted from the others{team}, {_fared(told.reference)}",
        f"both blended {_fared(told.blended)}",
    )
    known = " How many people took part was known only afterwards." if reference.people is not None else ""
    return f"Checked against {told.ports} ports that happened: {'; '.join(parts)}.{known}"


def _fared(told: Fared) -> str:
    rank = "" if told.rank is None else f", rank correlation {told.rank:.2f}"
    return f"{told.inside} outcomes inside P10 to P90 (P50 typically off by a factor of {told.factor:.1f}{rank})"


def checked_briefly(estimate: Estimate) -> str:
    """The same in one short sentence, with the share of the hours that ports can check: for page one."""
    reference = estimate.reference
    if reference is None or reference.checked is None:
        return ""
    told, amd = reference.checked, estimate.options["amd"].scopes
    share = percent(amd["functional"].p50 / amd["full"].p50) if amd["full"].p50 > 0 else "0 %"
    what, fared = ("such rows", told.rows) if reference.blend is None else ("such a blend", told.blended)
    return (
        f"{share} of the hours of AMD can be checked, against {told.ports} ports that happened: P10 to P90 of {what} "
        f"held {fared.inside} outcomes; P50 was typically off by a factor of {fared.factor:.1f}."
    )


def part_in_short(name: str) -> str:
    """A part of the work as a word or two: "set-up"."""
    return uncapped(_EXPLAINED.split(PARTS[name], maxsplit=1)[0])


def option(name: str) -> str:
    """Display name of an option; an unknown one stands for itself."""
    return OPTIONS.get(name, name)


def category(name: str) -> str:
    """Display name of a category; an unknown one stands for itself."""
    return CATEGORIES.get(name, name)
