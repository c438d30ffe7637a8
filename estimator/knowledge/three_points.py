"""The check of three points in a table, such as `{ low = 1, likely = 2, high = 5 }`, for all files that hold some."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from estimator.quantities import Hours, Triple

_Point = Annotated[float, Field(ge=0)]


class ThreePoints(BaseModel):
    """Low, likely and high, rising from zero; what is no finite number is a fault."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    low: _Point
    likely: _Point
    high: _Point

    @model_validator(mode="after")
    def _rises(self) -> ThreePoints:
        if not self.low <= self.likely <= self.high:
            raise ValueError(f"low <= likely <= high must hold, not {self.low:g}, {self.likely:g}, {self.high:g}")
        return self

    def hours(self) -> Hours:
        """The points as engineer-hours."""
        return Hours(self.low, self.likely, self.high)

    def triple(self) -> Triple:
        """The points as a number without a unit."""
        return Triple(self.low, self.likely, self.high)
