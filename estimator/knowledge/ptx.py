"""The table of PTX instruction families, `heuristics/ptx.toml`, and how an instruction finds its family."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from estimator.errors import EstimatorError
from estimator.knowledge.tables import read_toml
from estimator.knowledge.values import PtxFamily

WEIGHTS = ("ptx.simple", "ptx.mma_async", "ptx.wgmma_tma", "ptx.control")
CATEGORIES = ("inline-ptx", "tensor-core", "async-copy")
_KEYS = ("id", "match", "does", "amd", "triton", "weight", "category", "source", "as_of")


def load_ptx(path: Path) -> tuple[PtxFamily, ...]:
    """All families in the order of the file. All faults of the file are reported at once."""
    table = read_toml(path)
    families: list[PtxFamily] = []
    faults = [f"{path}: {key}: no such key; families stand in [[family]] tables" for key in table if key != "family"]
    rows = table.get("family", [])
    if not isinstance(rows, list):
        rows, faults = [], [*faults, f"{path}: family: write [[family]], with two brackets"]
    ids: set[str] = set()
    owners: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        found = _faults(row, number)
        if not found:
            family = PtxFamily(**{**row, "match": tuple(row["match"])})
            found = _repeats(family, ids, owners)
            families.append(family)
        faults.extend(f"{path}: {fault}" for fault in found)
    if not families and not faults:
        faults.append(f"{path}: holds no [[family]] table")
    if faults:
        raise EstimatorError("\n".join(faults))
    return tuple(families)


def by_prefix(families: tuple[PtxFamily, ...]) -> Mapping[str, PtxFamily]:
    """Family by each of its prefixes."""
    return {prefix: family for family in families for prefix in family.match}


def family_of(instruction: str, families: tuple[PtxFamily, ...] | Mapping[str, PtxFamily]) -> PtxFamily | None:
    """Family of an instruction such as "ld.global.nc.v4.f32" or a special register such as "%tid.x".

    families: the table, or its prefixes from `by_prefix`. The longest prefix, dot by dot, wins. A guard
    in front ("@!p bra") and operands behind the name are passed over. None: no family has it.
    """
    prefixes = families if isinstance(families, Mapping) else _prefixes(families)
    words = instruction.replace(";", " ").split()
    if words and words[0].startswith("@"):
        words = words[1:]
    name = words[0] if words else ""
    while name:
        family = prefixes.get(name)
        if family is not None:
            return family
        name = name.rpartition(".")[0]
    return None


# The table last asked for and its prefixes: a scan asks for the same one for every instruction.
_last: tuple[tuple[PtxFamily, ...], Mapping[str, PtxFamily]] = ((), {})


def _prefixes(families: tuple[PtxFamily, ...]) -> Mapping[str, PtxFamily]:
    global _last  # noqa: PLW0603 - a memory of one entry, never a setting
    known, prefixes = _last
    if known is not families:
        prefixes = by_prefix(families)
        _last = (families, prefixes)
    return prefixes


def _faults(row: Any, number: int) -> list[str]:
    if not isinstance(row, dict):
        return [f"family {number}: must be a table"]
    name = f"family {row.get('id', number)}"
    faults = [f"{name}: '{key}' is missing" for key in _KEYS if key not in row]
    faults += [f"{name}: no key '{key}'" for key in row if key not in _KEYS]
    texts = [key for key in _KEYS if key in row and key != "match" and not isinstance(row[key], str)]
    faults += [f"{name}: {key} must be a text" for key in texts]
    match = row.get("match", ["x"])
    if not (isinstance(match, list) and match and all(isinstance(m, str) and m for m in match)):
        faults.append(f"{name}: match must be a list of prefixes")
    if row.get("weight", WEIGHTS[0]) not in WEIGHTS:
        faults.append(f"{name}: no weight '{row['weight']}'; one of {', '.join(WEIGHTS)}")
    if row.get("category", CATEGORIES[0]) not in CATEGORIES:
        faults.append(f"{name}: no category '{row['category']}'; one of {', '.join(CATEGORIES)}")
    return faults


def _repeats(family: PtxFamily, ids: set[str], owners: dict[str, str]) -> list[str]:
    faults = [f"family {family.id}: the id stands in the file already"] if family.id in ids else []
    ids.add(family.id)
    for prefix in family.match:
        if prefix in owners:
            faults.append(f"family {family.id}: prefix '{prefix}' belongs to {owners[prefix]} already")
        owners.setdefault(prefix, family.id)
    return faults
