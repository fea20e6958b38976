"""The column `carried` of a list: what the next list must know, as JSON; and the texts of older versions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from arpad.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping


def encoded(memory: Mapping[str, Any]) -> pl.Expr:
    """Return columns of a state as JSON, null where all of them are."""
    known = pl.any_horizontal(pl.col(name).is_not_null() for name in memory)
    return pl.when(known).then(pl.struct(list(memory)).struct.json_encode()).alias("carried")


def decoded(system: str, texts: pl.Series | None, n: int, memory: Mapping[str, Any]) -> list[pl.Series]:
    """Return the columns of the state that `encoded` made JSON of, for n players."""
    kind = pl.Struct(dict(memory))
    if texts is None or texts.null_count() == n:
        return [pl.Series(name, [None] * n, dtype=each) for name, each in memory.items()]
    texts = texts.cast(pl.String)
    first = next(iter(memory), "")
    old = ~texts.str.starts_with(f'{{"{first}":').fill_null(value=True)
    try:
        values = texts.set(old, None).str.json_decode(kind)
        if old.any():
            told = [
                _old_text(first, text) if is_old else None for text, is_old in zip(texts, old, strict=True)
            ]
            values = pl.select(pl.when(old).then(pl.Series(told, dtype=kind)).otherwise(values)).to_series()
    except (pl.exceptions.PolarsError, ValueError, IndexError, TypeError):
        some = next(t for t in [*texts.filter(old), *texts.drop_nulls()])
        raise InputError(
            f"expected in the column carried what arpad writes with the system {system}, found {some!r}"
        ) from None
    return [values.struct.field(name).alias(name) for name in memory]


def _old_text(first: str, text: str) -> dict[str, Any]:
    """Return what versions before JSON wrote into the column; ValueError for anything else."""
    if first == "games_on_file":  # 1200=0.5 1350=1
        pairs = [map(_number, part.split("=")) for part in text.split()]
        return {first: [{"rating": R, "score": _checked(score, 0 <= score <= 1)} for R, score in pairs]}
    if first == "periods":  # 2026 31 46120.5;2027 30 45000.0
        parts = [(int(p), _number(n), _number(s)) for p, n, s in (part.split() for part in text.split(";"))]
        return {first: [{"period": p, "games": _checked(n, n > 0), "points": s} for p, n, s in parts]}
    if first == "direction":  # 1 4.5 -11.2 -40.1,-12.5,4.5,0.0
        direction, *block = text.replace(",", " ").split()
        values: list[Any] = [_number(value) for value in block] or [None, None]
        peak, trough, *sums = values
        way = _checked(int(direction), abs(int(direction)) <= 1 and len(block) in (0, 6))
        return {first: way, "peak": peak, "trough": trough, "sums": sums or None}
    entries = [part.split(" ") for part in text.strip().split(";")]
    lists = [entry for entry in entries if entry[0] == "L"]  # L 2026-02 2104.0 t 41
    waiting = [entry for entry in entries if entry[0] == "G"]  # G 2025-11 1800.0 0.5 0
    _checked(text, len(lists) + len(waiting) == len(entries))
    return {
        "lists": [
            {
                "month": _month(month),
                "rating": None if R == "-" else _number(R),
                "topped": "t" in flags,
                "reached": "r" in flags,
                "total": int(total),
            }
            for _, month, R, flags, total in lists
        ],
        "waiting": [
            {
                "month": _month(month),
                "opponent_rating": _number(R),
                "score": _number(score),
                "event": None if event == "-" else int(event),
            }
            for _, month, R, score, event in waiting
        ],
    }


def _checked(value: Any, sound: bool) -> Any:
    if not sound:
        raise ValueError(value)
    return value


def _number(text: str) -> float:
    return float(_checked(text, math.isfinite(float(text))))


def _month(text: str) -> int | None:
    """Return a month, counted from the year 0."""
    return None if text == "-" else int(text[:4]) * 12 + int(text[5:])
