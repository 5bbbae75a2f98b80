"""Times as sources write them, as one text: ISO 8601, UTC, to the microsecond.

Seconds or milliseconds since 1970, ISO texts with and without an offset, and the dates of a
document database. Invariant: what is no moment of the calendar is no time, never an error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime

_MILLISECONDS = 1e11
"""A number from here on counts milliseconds: as seconds it lies beyond the year 5000."""


def time_of(value: object) -> str:
    """A moment as the store writes it; empty where ``value`` is none."""
    if isinstance(value, Mapping):
        return time_of(value.get("$date", value.get("$numberLong")))
    if isinstance(value, str):
        return _of_text(value.strip())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _of_number(value)
    return ""


def _of_number(value: float) -> str:
    try:
        seconds = float(value)
        if not math.isfinite(seconds) or seconds <= 0:
            return ""
        seconds = seconds / 1000 if seconds >= _MILLISECONDS else seconds
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")
    except (OverflowError, ValueError, OSError):
        return ""


def _of_text(value: str) -> str:
    if value.isascii() and value.replace(".", "", 1).isdigit() and len(value) > len("20260101"):
        return _of_number(float(value))
    try:
        moment = datetime.fromisoformat(value)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return moment.isoformat(timespec="microseconds")
