"""What a document says, as values: days, numbers, plain options; whatever is not one is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from arpad.errors import UsageError

__all__ = ["day", "day_or_none", "number", "plain"]


def day(value: Any, name: str) -> date:
    """Return a day from a day or from 2026-10-31."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise UsageError(f"{name}: expected a day such as 2026-10-31, found {value!r}") from None


def day_or_none(value: Any, name: str) -> date | None:
    """Return a day, or None for none."""
    return None if value is None else day(value, name)


def number(value: Any, name: str, *, least: float, most: float) -> float | None:
    """Return a number within bounds, or None for none."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UsageError(f"{name}: expected a number or none, found {value!r}")
    if not least <= value <= most:
        raise UsageError(f"{name}: expected a number from {least:g} to {most:g}, found {value!r}")
    return float(value)


def plain(options: Any, name: str) -> dict[str, Any]:
    """Return options that JSON can keep, sorted by name."""
    if not isinstance(options, Mapping):
        raise UsageError(f"{name}: expected names and values, found {options!r}")
    found = {}
    for key in sorted(options):
        value = options[key]
        value = list(value) if isinstance(value, tuple) else value
        parts = value if isinstance(value, list) else [value]
        whole = all(p is None or isinstance(p, bool | int | float | str) for p in parts)
        if not whole or any(isinstance(p, float) and not math.isfinite(p) for p in parts):
            raise UsageError(f"{name}: {key} is {value!r}, which a policy cannot keep")
        found[str(key)] = value
    return found
