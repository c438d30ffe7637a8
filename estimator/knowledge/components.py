"""CUDA-side components with their AMD counterparts: `components.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from estimator.errors import raise_all
from estimator.knowledge.tables import read_rows
from estimator.knowledge.values import Component

COMPONENT_COLUMNS = (
    "id",
    "title",
    "kind",
    "amd_native",
    "hip_shim",
    "port_kind",
    "maturity",
    "note",
    "source",
    "as_of",
)
PORT_KINDS = ("hipify-automatic", "same-names", "rename-only", "api-differs", "no-equivalent", "framework-absorbs")


def load_components(path: Path) -> Mapping[str, Component]:
    """Components by id, in the order of the file. An empty cell means that the fact is not established."""
    components: dict[str, Component] = {}
    faults: list[str] = []
    for cells in read_rows(path, COMPONENT_COLUMNS, "id", f"{len(COMPONENT_COLUMNS)} cells with an id", faults):
        component = Component(*cells)
        if component.id in components:
            faults.append(f"{path}: {component.id}: the id stands in the file already")
        elif component.port_kind not in PORT_KINDS:
            kinds = ", ".join(PORT_KINDS)
            faults.append(f"{path}: {component.id}: no port_kind '{component.port_kind}'; one of {kinds}")
        else:
            components[component.id] = component
    raise_all(faults)
    return components
