"""The same figures for parts of the games: by period, by the level of the players, by games played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import polars as pl

from arpad.lab.metrics import hits, log_losses, squares
from arpad.rate.elo import Elo

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.lab.course import Course

    Array = NDArray[np.float64]

__all__ = ["By", "breakdown", "groups_of", "levels"]

By = Literal["period", "level", "games"]
"""What games are told apart by."""

LEVEL_WIDTH = 200
"""Rating points of a level: one class interval [Elo 1.3]."""
GAMES_FROM = (0, 10, 20, 50, 100, 200, 500)
"""Where the groups of earlier games begin."""
MOSTLY = 0.5
"""Levels are those of the ratings in the source where at least this share of games has both."""


def levels(way: Course) -> tuple[Array, str]:
    """Return the mean rating of the two before each game, and whose ratings those are.

    The ratings in the source where most games have them; else those of Elo's system, by the games before
    the period. They are the same for every system, so that a group holds the same games for all.
    """
    table = way.games.table
    white, black = (table[f"{side}_rating"].cast(pl.Float64) for side in ("white", "black"))
    mean = ((white + black) / 2).fill_null(np.nan).to_numpy()
    if len(mean) and np.isfinite(mean).mean() >= MOSTLY:
        return mean, "published ratings"
    return _elo_levels(way), "Elo's ratings"


def _elo_levels(way: Course) -> Array:
    from arpad.rate.kernels import each_game_simple

    system = Elo(given=False)
    white, black, score = (way.games.table[c].to_numpy() for c in ("white", "black", "score"))
    ratings = np.full(way.games.players.height, system.start)
    played = np.zeros(len(ratings), dtype=np.int64)
    slope, k = np.log(10) / 400, system.k.tiers[0][1]
    mean = np.empty(len(way))
    for a, b in zip(way.first[:-1], way.first[1:], strict=True):
        mean[a:b] = (ratings[white[a:b]] + ratings[black[a:b]]) / 2
        each_game_simple(white[a:b], black[a:b], score[a:b], ratings, played, slope, k)
    return mean


def groups_of(way: Course) -> pl.DataFrame:
    """Return the group of each game by period, level and games: where each group begins."""
    level, _ = levels(way)
    place = np.searchsorted(GAMES_FROM, way.earlier, side="right") - 1
    period = way.starts.dt.truncate("1mo") if way.period == "day" else way.starts
    return pl.DataFrame(
        {
            "period": period.cast(pl.String),
            "level": pl.Series(np.floor(level / LEVEL_WIDTH) * LEVEL_WIDTH)
            .fill_nan(None)
            .cast(pl.Int64)
            .cast(pl.String),
            "games": pl.Series(np.array(GAMES_FROM)[place]).cast(pl.String),
        }
    )


def breakdown(
    groups: pl.DataFrame, S: Array, own: Array, recalibrated: Array | None
) -> pl.DataFrame:
    """Return the figures of one system for every group of every kind.

    Columns: by, group (where it begins), n, log_loss, log_loss_recalibrated, brier, accuracy,
    mean_expected, mean_score.
    """
    fitted = np.full(len(S), np.nan) if recalibrated is None else log_losses(S, recalibrated)
    each = groups.with_columns(
        log_loss=log_losses(S, own),
        log_loss_recalibrated=fitted,
        brier=squares(S, own),
        accuracy=hits(S, own),
        mean_expected=own,
        mean_score=S,
    )
    figures = [name for name in each.columns if name not in get_args(By)]
    parts = [
        each.drop_nulls(by)
        .group_by(pl.col(by).alias("group"), maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("n"), pl.col(figures).mean())
        .sort(pl.col("group") if by == "period" else pl.col("group").cast(pl.Int64))
        .select(pl.lit(by).alias("by"), pl.all())
        for by in get_args(By)
    ]
    return pl.concat(parts).with_columns(pl.col("log_loss_recalibrated").fill_nan(None))
