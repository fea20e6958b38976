"""Lists of PRA: parts of them, and those who did not play, whom the anchor moves with the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from arpad.model import Ratings

__all__ = ["list_moved", "list_part"]


def list_moved(before: Ratings, after: Ratings) -> Ratings:
    """Return an earlier list with the shift that came with later games.

    Blocks under way are carried less the rating, and stay true.
    """
    shift = float(after.source["shift"])
    rows = before.rows.with_columns(pl.col("rating").cast(pl.Float64) + shift)
    return replace(before, rows=rows)


def list_part(listed: Ratings, part: pl.DataFrame) -> Ratings:
    """Return some rows of a list; the anchor goes on to count the others."""
    whole, here = (rows["rating"].drop_nulls().to_numpy() for rows in (listed.rows, part))
    others = (len(whole) - len(here), float(whole.sum() - here.sum()))
    return replace(listed, rows=part, source={**listed.source, "others": others})
