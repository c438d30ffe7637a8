"""Fields that tables of several files of `heuristics/` have, and how strictly all of them are read."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from estimator.quantities import Hours, Triple

STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

Words = Annotated[str, Field(min_length=1)]
Grade = Literal["A", "B", "C"]  # measured, published, judgement
_Point = Annotated[float, Field(ge=0)]


class ThreePoints(BaseModel):
    """Low, likely and high, such as `{ low = 1, likely = 2, high = 5 }`, rising from zero."""

    model_config = STRICT

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
