"""CUDA-side components with their AMD counterparts: `components.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from estimator.errors import EstimatorError
from estimator.knowledge.tables import cells_of, read_csv
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
    for row in read_csv(path, COMPONENT_COLUMNS):
        cells = cells_of(row, COMPONENT_COLUMNS)
        component = None if cells is None else Component(*cells)
        if component is None or not component.id:
            faults.append(f"{path}: row '{row['id']}': {len(COMPONENT_COLUMNS)} cells with an id are needed")
        elif component.id in components:
            faults.append(f"{path}: {component.id}: the id stands in the file already")
        elif component.port_kind not in PORT_KINDS:
            kinds = ", ".join(PORT_KINDS)
            faults.append(f"{path}: {component.id}: no port_kind '{component.port_kind}'; one of {kinds}")
        else:
            components[component.id] = component
    if faults:
        raise EstimatorError("\n".join(faults))
    return components
