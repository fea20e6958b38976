"""JSON: complete, stable, one row a line so that two files can be compared."""

from __future__ import annotations

import json
import math
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

__all__ = ["document", "line", "rows"]


def rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return a frame as a list of rows."""
    return frame.to_dicts()


def line(value: object) -> str:
    """Return any value on one line; what JSON has no number for is null."""
    return json.dumps(_plain(value), ensure_ascii=False, default=_other, allow_nan=False)


def document(parts: Mapping[str, Any]) -> str:
    """Return an object with a line for every part, and for every row of a part that is a list."""
    lines = []
    for key, value in parts.items():
        if isinstance(value, list) and value:
            inside = ",\n".join(f"  {line(row)}" for row in value)
            lines.append(f" {line(key)}: [\n{inside}\n ]")
        else:
            lines.append(f" {line(key)}: {line(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value


def _other(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else str(value)
