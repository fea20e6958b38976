"""Figures of the monitors as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["readable_p"]

SMALL = 1e-4


def readable_p(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose p are words: < .0001 and not 0.0000."""
    import polars as pl

    words = [
        None if p is None else "< .0001" if p < SMALL else f"{p:.4f}".lstrip("0")
        for p in frame["p"]
    ]
    return frame.with_columns(pl.Series("p", words, dtype=pl.String))
