"""The date of the run as a moment: the only clock that files of the report know."""

from __future__ import annotations

from datetime import UTC, date, datetime, time


def moment(day: str) -> datetime:
    """Midnight UTC of an ISO date; a date that can't be read gives the first day that ZIP files know, 1980-01-01."""
    try:
        return datetime.combine(date.fromisoformat(day[:10]), time(), UTC)
    except ValueError:
        return datetime(1980, 1, 1, tzinfo=UTC)
