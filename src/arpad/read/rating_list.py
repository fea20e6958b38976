"""Rating lists that arpad wrote, or that a spreadsheet holds: CSV and JSON → `Ratings`."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import FormatError, InputError
from arpad.model import Ratings
from arpad.read.collect import MAX_RATING
from arpad.read.source import decode

if TYPE_CHECKING:
    from arpad.read.source import Source

__all__ = ["ratings_csv", "ratings_json"]

_WORDS = ("birth", "title", "federation", "sex", "carried", "imputed_by", "last", "on", "boosting")
"""Columns of a list that are words; `last` and `on` are days, read by who needs them."""
_NUMBERS = {
    "rating": (0.0, MAX_RATING),
    "error": (0.0, MAX_RATING),
    "volatility": (0.0, 1e6),
    "fide": (0.0, MAX_RATING),
    "imputed": (-MAX_RATING, MAX_RATING),
    "so_far": (-MAX_RATING, MAX_RATING),
    "k": (0.0, MAX_RATING),
    "total_games": (0.0, 1e6),
}
_LIST = {
    **dict.fromkeys(("player", "id", *_WORDS), pl.String),
    **dict.fromkeys(_NUMBERS, pl.Float64),
}
"""The columns of a list that a system may start from."""


def ratings_json(source: Source) -> Ratings:
    """Read what ``arpad rate --format json`` wrote."""
    try:
        rows = json.loads(source.everything())["ratings"]
        table = [{name: row.get(name) for name in _LIST} for row in rows]
        frame = pl.DataFrame(table, schema=_LIST)
    except (ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError):
        raise FormatError("expected JSON as arpad rate writes it", file=source.name) from None
    return Ratings(system="given", rows=frame, parameters={}, source={})


def ratings_csv(source: Source) -> Ratings:
    """Read a table with `player` (or `name`) and `rating`, and whatever else a system goes on from."""
    text = decode(source.everything(), source.name, source.report)
    rows: list[dict[str, object]] = []
    for line, cells in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        plain = {
            (k or "").strip().lower(): v.strip() for k, v in cells.items() if isinstance(v, str)
        }
        row: dict[str, object] = {
            "player": plain.get("player") or plain.get("name"),
            "id": plain.get("id") or None,
            **{name: plain.get(name) or None for name in _WORDS},
        }
        for name, (least, most) in _NUMBERS.items():
            if name == "rating" and plain.get("total_games"):
                least = -most  # arpad's own list: who only loses may fall below 0
            row[name] = _number(plain.get(name, ""), name, least, most, source.name, line)
        rows.append(row)
    return Ratings(system="given", rows=pl.DataFrame(rows, schema=_LIST), parameters={}, source={})


def _number(text: str, name: str, least: float, most: float, file: str, line: int) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise InputError(
            f"expected a number from {least:g} to {most:g} in {name}, found {text!r}",
            file=file,
            line=line,
        )
    return value
