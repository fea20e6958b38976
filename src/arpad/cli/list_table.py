"""A rating list as people read it: no decimals where the policy rounds, no empty columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["list_table"]

ROUNDED = ("rating", "published", "before", "change", "difference")
"""Columns in rating points; a policy that rounds makes all of them whole."""
ALWAYS = ("rank", "name", "rating", "published")
"""Columns that are shown even where nothing stands in them."""


def list_table(rows: pl.DataFrame) -> object:
    """Return entries, changes or corrections as a table for the terminal."""
    from arpad.publish.tables import rich_table

    points = [rows[name].drop_nulls() for name in ROUNDED if name in rows.columns]
    whole = all(bool((p % 1 == 0).all()) for p in points)
    empty = [c for c in rows.columns if c not in ALWAYS and rows[c].is_null().all()]
    shown = rows.drop(empty).rename({"deviation": "error", "difference": "change"}, strict=False)
    return rich_table(shown, digits=dict.fromkeys(ROUNDED, 0 if whole else 1))
