"""Units: the conversions of `heuristics/units.toml`, read by the engine, the report and the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, field_validator

from estimator.knowledge.fields import STRICT, Words
from estimator.knowledge.tables import check, read_toml
from estimator.knowledge.values import Units

Positive = Annotated[float, Field(gt=0)]


class _UnitsTable(BaseModel):
    model_config = STRICT

    hours_per_day: Annotated[float, Field(gt=0, le=24)]
    days_per_month: Annotated[float, Field(gt=0, le=31)]
    lines_per_site: Positive
    hot_kernel_share: Annotated[float, Field(ge=0, le=1)]
    hot_kernels_most: Annotated[int, Field(ge=1)]
    engineers: Annotated[int, Field(ge=0)]
    draws: Annotated[int, Field(ge=1000, le=1_000_000)]
    kernel_speed_source: Words
    source: Words
    sigma: Annotated[dict[str, Annotated[float, Field(ge=0, le=3)]], Field(min_length=1)]

    @field_validator("sigma")
    @classmethod
    def _has_scan(cls, value: dict[str, float]) -> dict[str, float]:
        if "scan" not in value:
            raise ValueError("the stage 'scan' is missing; it is the default")
        return value


def load_units(path: Path) -> Units:
    """The conversions. Raises EstimatorError with all faults of the file, one a line."""
    table = check(path, "", _UnitsTable, read_toml(path))
    return Units(
        hours_per_day=table.hours_per_day,
        days_per_month=table.days_per_month,
        lines_per_site=table.lines_per_site,
        hot_kernel_share=table.hot_kernel_share,
        hot_kernels_most=table.hot_kernels_most,
        engineers=table.engineers,
        sigma=table.sigma,
        draws=table.draws,
        kernel_speed_source=table.kernel_speed_source,
        source=table.source,
    )
