"""A list after a night or more of anchoring: those who did not play move with the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from arpad.rate.pra_reference import BOOSTING, Boosting
from arpad.rate.pra_state import carried, moved, newcomers, take_carried

if TYPE_CHECKING:
    from arpad.model import Ratings

__all__ = ["list_moved"]


def list_moved(before: Ratings, after: Ratings) -> Ratings:
    """Return an earlier list with the shift that came with later games, blocks under way included."""
    shift = float(after.source["shift"])
    if not shift:
        return before
    rows = before.rows.with_columns(pl.col("rating").cast(pl.Float64) + shift)
    if "carried" in rows.columns and "total_games" in rows.columns:
        told = after.parameters
        known = all(name in told for name in Boosting._fields)
        constants = Boosting(*(told[name] for name in Boosting._fields)) if known else BOOSTING
        pairs = rows.select("carried", "total_games").iter_rows()
        texts = [_moved(text, games, shift, constants) for text, games in pairs]
        rows = rows.with_columns(pl.Series("carried", texts, dtype=pl.String))
    return replace(before, rows=rows)


def _moved(text: str | None, games: float | None, shift: float, constants: Boosting) -> str | None:
    if text is None or games is None:
        return text
    state = newcomers(1)
    state["games"] = int(games)
    take_carried(state[0], text, constants)
    moved(state, shift, constants)
    return carried(state[0], constants)
