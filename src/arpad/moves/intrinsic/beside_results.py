"""What names, results and ratings say of the same rows: Elo, category, performance rating."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from arpad.event.kind import category
from arpad.event.performance import performance

if TYPE_CHECKING:
    from arpad.moves.intrinsic.grouping import Groups

__all__ = ["result_columns"]


def result_columns(groups: Groups) -> pl.DataFrame:
    """Return `group`, `elo`, `category`, `score`, `results`, `performance` and `performance_error`, from results and ratings.

    Elo is the mean over the players of a row of each one's mean over his games; a whole event has a category by it. A performance rating
    belongs to one player: rows of several have none.
    """
    rows = []
    one_player = "player" in groups.by
    whole_events = groups.by == ("event",) and groups.everybody
    for (group,), sides in groups.sides.group_by(["group"], maintain_order=True):
        mean = sides.group_by("player", maintain_order=True).agg(pl.col("rating").mean())["rating"]
        known = mean.drop_nulls()
        elo = float(known.mean()) if len(known) else None  # type: ignore[arg-type]
        row: dict[str, object] = {
            "group": group,
            "elo": elo,
            "category": category(elo) if elo is not None and whole_events else None,
            "rated_players": len(known),
        }  # fmt: skip
        rows.append(row | (_performance(sides) if one_player else {}))
    columns = {
        "group": pl.UInt32, "elo": pl.Float64, "category": pl.Int64, "rated_players": pl.Int64,
        "score": pl.Float64, "results": pl.Int64, "performance": pl.Float64, "performance_error": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=columns)


def _performance(sides: pl.DataFrame) -> dict[str, object]:
    """Return the performance against opponents whose ratings are known."""
    met = sides.filter(
        pl.col("counts") & pl.col("opponent_rating").is_not_null() & pl.col("score").is_not_null()
    )
    if not met.height:
        return {"results": 0}
    score = float(met["score"].sum())
    found = performance(score, met["opponent_rating"].to_list())
    return {
        "score": score,
        "results": met.height,
        "performance": found.rating,
        "performance_error": found.error,
    }
