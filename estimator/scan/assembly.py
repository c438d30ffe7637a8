"""Asm statements read as PTX: which are PTX at all, and what each one is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from estimator.knowledge.ptx import WEIGHTS, family_of
from estimator.knowledge.values import PtxFamily
from estimator.languages.facts import Fact

UNKNOWN = "unknown"
# What tells PTX from assembly of other processors: a type, a state space, a word of some length behind a dot. RISC-V's
# endings (vv, vx, x, ps, vvm) and Arm's conditions are shorter, or are made of the letters of its operands.
_OF_PTX = re.compile(r"\.(?:(?:[bsuf]|bf|tf)\d+(?:x\d+)?|(?!v[vxif]m\b|tso\b)[a-z_]{3,}[\w:]*)(?:\.|$)")
_DEVICE = ("kernel", "device")
_FOR_NVIDIA = ("cuda", "python", "notebook")  # their assembly on the device is PTX, unless it looks like AMD's


@dataclass(frozen=True, slots=True)
class PtxReading:
    """What an asm statement is: the family that prices it, and the categories it counts as."""

    family: str
    categories: tuple[str, ...]


def as_ptx(fact: Fact, families: tuple[PtxFamily, ...], language: str) -> PtxReading | None:
    """Read an asm fact; None for host assembly, AMD assembly and statements without an instruction.

    The dearest family of a statement names it. A statement of which nothing is known is "unknown" in
    CUDA sources and in kernels that Python generates: it is shown and stays unpriced.
    """
    opcodes = [opcode for opcode in fact.detail.split(" | ") if opcode]
    if not opcodes:
        pasted = "{" in fact.text and "}" in fact.text and not fact.text.strip().startswith("{ ")
        return PtxReading(UNKNOWN, ("inline-ptx",)) if pasted and language in _FOR_NVIDIA else None
    known = {opcode: family for opcode in opcodes if (family := family_of(opcode, families)) is not None}
    on_device = fact.space in _DEVICE or (language == "cuda" and fact.space != "host")
    if known and (on_device or _is_told(known, opcodes)):
        dearest = max(known.values(), key=lambda family: WEIGHTS.index(family.weight))
        return PtxReading(dearest.id, _categories(known.values()))
    typed = any("." in opcode or "%" in opcode for opcode in opcodes)
    if language in _FOR_NVIDIA and on_device and (typed or "{" in opcodes[0]) and not _is_amd(opcodes):
        return PtxReading(UNKNOWN, ("inline-ptx",))
    return None


def _is_told(known: Iterable[str], opcodes: list[str]) -> bool:
    """Whether a text is PTX without being known to run on a device: `add` and `and` are instructions everywhere."""
    told = sum(opcode in known for opcode in opcodes)
    return 2 * told >= len(opcodes) and any(_OF_PTX.search(opcode.partition(" ")[0]) for opcode in known)


def _categories(known: Iterable[PtxFamily]) -> tuple[str, ...]:
    besides = {family.category for family in known} - {"inline-ptx"}
    return ("inline-ptx", *sorted(besides))


def _is_amd(opcodes: list[str]) -> bool:
    return opcodes[0].startswith(("s_", "v_", "ds_", "buffer_", "global_load", "global_store", "flat_", "scratch_"))
