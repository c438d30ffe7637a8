"""The table of PTX instruction families, `heuristics/ptx.toml`, and how an instruction finds its family."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from estimator.errors import raise_all
from estimator.knowledge.tables import read_toml
from estimator.knowledge.values import PtxFamily

WEIGHTS = ("ptx.simple", "ptx.control", "ptx.mma_async", "ptx.wgmma_tma")  # the dearest last
CATEGORIES = ("inline-ptx", "tensor-core", "async-copy")
CHECKED = ("hip", "clang", "llvm", "triton")
_CUT = re.compile(r"\.|::")
_KEYS = ("id", "match", "does", "amd", "triton", "weight", "category", "source", "as_of")
_OPTIONAL = ("having", "since", "checked")
_LISTS = ("match", "having", "checked")

_Prefixes = Mapping[str, tuple[PtxFamily, ...]]


def load_ptx(path: Path) -> tuple[PtxFamily, ...]:
    """All families in the order of the file. All faults of the file are reported at once."""
    table = read_toml(path)
    families: list[PtxFamily] = []
    faults = [f"{path}: {key}: no such key; families stand in [[family]] tables" for key in table if key != "family"]
    rows = table.get("family", [])
    if not isinstance(rows, list):
        rows, faults = [], [*faults, f"{path}: family: write [[family]], with two brackets"]
    ids: set[str] = set()
    owners: dict[tuple[str, str], str] = {}
    for number, row in enumerate(rows, start=1):
        found = _faults(row, number)
        if not found:
            cells: dict[str, Any] = {key: tuple(value) if key in _LISTS else value for key, value in row.items()}
            family = PtxFamily(**cells)
            found = _repeats(family, ids, owners)
            families.append(family)
        faults.extend(f"{path}: {fault}" for fault in found)
    if not families and not faults:
        faults.append(f"{path}: holds no [[family]] table")
    raise_all(faults)
    return tuple(families)


def family_of(instruction: str, families: tuple[PtxFamily, ...]) -> PtxFamily | None:
    """Family of an instruction such as "ld.global.nc.v4.f32" or a special register such as "%tid.x".

    families: the whole table. The longest prefix wins, cut at dots and double colons; of
    several families with the same prefix the first one that has its part. An instruction that reads a special
    register ("mov.u32 %smid") is of the register's family. A guard in front ("@!p bra") and operands behind the
    name are passed over. None: no family has it.
    """
    prefixes = _prefixes(families)
    words = instruction.replace(";", " ").split()
    if words and words[0].startswith("@"):
        words = words[1:]
    register = _longest(words[1], prefixes) if len(words) > 1 and words[1].startswith("%") else None
    return register or (_longest(words[0], prefixes) if words else None)


def _longest(name: str, prefixes: _Prefixes) -> PtxFamily | None:
    """The family of the longest prefix of a name that has one."""
    for end in _ends(name):
        for family in prefixes.get(name[:end], ()):
            if not family.having or _has(name[end:].split("."), family.having):
                return family
    return None


def _ends(name: str) -> Iterator[int]:
    """Lengths of a name and of its prefixes, the longest first."""
    yield len(name)
    yield from (cut.start() for cut in reversed(list(_CUT.finditer(name))))


def _has(parts: list[str], wanted: tuple[str, ...]) -> bool:
    """Whether one of the parts is wanted, as it stands or up to a double colon: "L1::no_allocate" is "L1"."""
    return any(part == one or part.startswith(one + "::") for part in parts for one in wanted)


# The table last asked for and its prefixes: a scan asks for the same one for every instruction.
_last: tuple[tuple[PtxFamily, ...], _Prefixes] = ((), {})


def _prefixes(families: tuple[PtxFamily, ...]) -> _Prefixes:
    global _last  # noqa: PLW0603 - a memory of one entry, never a setting
    known, prefixes = _last
    if known is not families:
        prefixes = _by_prefix(families)
        _last = (families, prefixes)
    return prefixes


def _by_prefix(families: tuple[PtxFamily, ...]) -> _Prefixes:
    """Families by each of their prefixes: those that ask for a part first, else in the order of the file."""
    found: dict[str, tuple[PtxFamily, ...]] = {}
    for family in sorted(families, key=lambda family: not family.having):
        for prefix in family.match:
            found[prefix] = (*found.get(prefix, ()), family)
    return found


def _faults(row: Any, number: int) -> list[str]:
    """What is wrong with one table by itself. number: which one it is in the file, from 1."""
    if not isinstance(row, dict):
        return [f"family {number}: must be a table"]
    name = f"family {row.get('id', number)}"
    faults = [f"{name}: '{key}' is missing" for key in _KEYS if key not in row]
    faults += [f"{name}: no key '{key}'" for key in row if key not in (*_KEYS, *_OPTIONAL)]
    texts = [key for key in (*_KEYS, "since") if key in row and key not in _LISTS and not isinstance(row[key], str)]
    faults += [f"{name}: {key} must be a text" for key in texts]
    faults += [f"{name}: {key} must be a list of texts" for key in _LISTS if not _is_list(row.get(key, ["x"]))]
    for key, allowed in (("weight", WEIGHTS), ("category", CATEGORIES)):
        if row.get(key, allowed[0]) not in allowed:
            faults.append(f"{name}: no {key} '{row[key]}'; one of {', '.join(allowed)}")
    checked = row.get("checked")
    if unknown := set(map(str, checked if isinstance(checked, list) else ())) - {*CHECKED}:
        faults.append(f"{name}: checked against {', '.join(sorted(unknown))}; known are {', '.join(CHECKED)}")
    return faults


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) and one for one in value)


def _repeats(family: PtxFamily, ids: set[str], owners: dict[tuple[str, str], str]) -> list[str]:
    """What a family claims that one before it has. ids, owners by (prefix, part): those so far; its own are added."""
    faults = [f"family {family.id}: the id stands in the file already"] if family.id in ids else []
    ids.add(family.id)
    for prefix in family.match:
        for part in family.having or ("",):
            if (prefix, part) in owners:
                what = f"'{prefix}' with '{part}'" if part else f"'{prefix}'"
                faults.append(f"family {family.id}: prefix {what} belongs to {owners[prefix, part]} already")
            owners.setdefault((prefix, part), family.id)
    return faults
