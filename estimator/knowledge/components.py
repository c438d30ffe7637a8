"""CUDA-side components with their AMD counterparts, and framework support: `components.csv`, `frameworks.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from estimator.errors import EstimatorError
from estimator.knowledge.tables import read_csv
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
FRAMEWORK_COLUMNS = ("framework", "version", "rocm_versions", "gfx_targets", "prebuilt", "source", "as_of")
PORT_KINDS = ("hipify-automatic", "same-names", "rename-only", "api-differs", "no-equivalent", "framework-absorbs")


def load_components(path: Path) -> Mapping[str, Component]:
    """Components by id, in the order of the file. An empty cell means that the fact is not established."""
    components: dict[str, Component] = {}
    faults: list[str] = []
    for row in read_csv(path, COMPONENT_COLUMNS):
        cells = _cells(row, COMPONENT_COLUMNS)
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


def load_frameworks(path: Path) -> tuple[Mapping[str, str], ...]:
    """Rows of framework support by column name; rows of the framework "ROCm" date the releases."""
    rows = []
    for row in read_csv(path, FRAMEWORK_COLUMNS):
        cells = _cells(row, FRAMEWORK_COLUMNS)
        if cells is None or not cells[0]:
            raise EstimatorError(f"{path}: row '{row['framework']}': {len(FRAMEWORK_COLUMNS)} cells are needed")
        rows.append(dict(zip(FRAMEWORK_COLUMNS, cells, strict=True)))
    return tuple(rows)


def _cells(row: Mapping[str, str], columns: tuple[str, ...]) -> list[str] | None:
    """The cells in order, None where the row is shorter or longer than the header."""
    if len(row) != len(columns) or any(row[column] is None for column in columns):
        return None
    return [row[column].strip() for column in columns]
