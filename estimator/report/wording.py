"""The words of the report: names of options, parts, phases and categories, and what the terms mean."""

from __future__ import annotations

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


def option(name: str) -> str:
    """Display name of an option; an unknown one stands for itself."""
    return OPTIONS.get(name, name)


def category(name: str) -> str:
    """Display name of a category; an unknown one stands for itself."""
    return CATEGORIES.get(name, name)
