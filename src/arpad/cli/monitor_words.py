"""Figures of the monitors as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["readable_p"]


def readable_p(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose p are words: < 0.001 and not 0.0000."""
    import polars as pl

    from arpad.pool.goodness import p_text

    words = [None if p is None else p_text(p) for p in frame["p"]]
    return frame.with_columns(pl.Series("p", words, dtype=pl.String))
