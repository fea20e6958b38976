"""What the same evaluations say of the same rows by other measures: gain per move, centipawn loss, accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.moves.accuracy import game_accuracies
from arpad.moves.comparison import compare
from arpad.moves.expected import difference
from arpad.moves.measured import measure
from arpad.moves.others import losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.moves.evaluated import EvaluatedGames
    from arpad.moves.intrinsic.grouping import Groups
    from arpad.moves.measured import Gains
    from arpad.moves.resampling import Resampling

__all__ = ["gain_columns", "gain_estimates"]


def gain_columns(
    evaluated: EvaluatedGames,
    groups: Groups,
    *,
    resampling: Resampling | None = None,
) -> pl.DataFrame:
    """Return gain per move against an engine that always gains 0, average centipawn loss and Lichess's accuracy.

    Of every move with a value before and after it, decided games or not. Accuracy is counted over the stretch that is
    evaluated, so it is not that of whole games where the opening is left out.
    """
    gains = measure(evaluated)
    group = groups.of(gains.table)
    mine = gains.part(group.is_not_null(), gains.left_out)
    kept = group.drop_nulls()
    here, sheet = np.unique(kept.to_numpy(), return_inverse=True)
    if not len(here):
        return pl.DataFrame(schema={"group": pl.UInt32})
    found = compare(
        mine.column("gain"), sheet, mine.column("game"), mine.column("ply"),
        sheets=len(here), pairs=np.empty((0, 2)), resampling=resampling,
    )  # fmt: skip
    limits = np.array([found.sheet_interval(found.engine_drawn, i) for i in range(len(here))])
    lost = np.bincount(sheet, weights=losses(mine).to_numpy()) / np.bincount(sheet)
    table = pl.DataFrame(
        {
            "group": pl.Series(here, dtype=pl.UInt32),
            "gain_moves": found.moves.astype(np.int64),
            "gain": found.mean_gain,
            "gain_difference": difference(np.clip(found.engine, 0.0, 1.0)),
            "gain_difference_low": _points(limits[:, 0]),
            "gain_difference_high": _points(limits[:, 1]),
            "average_centipawn_loss": lost,
        }
    ).fill_nan(None)
    return table.join(_accuracies(gains, groups), on="group", how="left", maintain_order="left")


def gain_estimates(
    rows: pl.DataFrame, *, engine_rating: float | None = None
) -> tuple[pl.Series, float | None]:
    """Return gain per move as a rating, row by row, and where the engine was put for it.

    Without the engine's rating, the engine stands where the ratings of these rows put it on the average, weighted by moves:
    then the estimates say who was better than whom, not how good all were [gain per move, 6].

    Parameters
    ----------
    rows
        `elo`, `gain_moves`, `gain_difference`.
    """
    level = engine_rating
    if level is None:
        both = rows.filter(pl.col("elo").is_not_null() & pl.col("gain_difference").is_finite())
        if both.height > 1:  # one row alone would get its own rating back
            put = (both["elo"] - both["gain_difference"]).to_numpy()
            level = float(np.average(put, weights=both["gain_moves"].to_numpy()))
    estimate = pl.lit(level, dtype=pl.Float64) + pl.col("gain_difference")
    return rows.select(gain_estimate=estimate)["gain_estimate"], level


def _points(p: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.full(len(p), np.nan)
    known = np.isfinite(p)
    found[known] = difference(np.clip(p[known], 0.0, 1.0))
    return found


def _accuracies(gains: Gains, groups: Groups) -> pl.DataFrame:
    """Return the mean of Lichess's accuracies of the sides of a row, each over the longest stretch that is evaluated."""
    moves = gains.whole.with_columns(
        run=(pl.col("ply") - pl.int_range(pl.len()).over("game")).rle_id().over("game")
    )
    longest = (
        moves.group_by("game", "run", maintain_order=True)
        .len()
        .sort("len", descending=True, maintain_order=True)
    )
    moves = moves.join(
        longest.unique("game", keep="first"), on=["game", "run"], how="semi", maintain_order="left"
    )
    first = moves.group_by("game", maintain_order=True).first()
    starts = first.select("game", pl.col("ply") - 1, cp="before", white=pl.lit(False))
    rest = moves.select("game", "ply", cp="after", white="white")
    table = pl.concat([starts, rest]).sort("game", "ply")
    number = table["game"].rle_id().to_numpy().astype(np.int64)
    found = game_accuracies(table["cp"].to_numpy(), number, table["white"].to_numpy())
    games = table["game"].unique(maintain_order=True)
    both = pl.concat(
        [
            pl.DataFrame({"game": games, "white": [white] * len(games), "accuracy": found[:, column]})
            for column, white in enumerate((True, False))
        ]
    ).fill_nan(None)  # fmt: skip
    return (
        both.with_columns(groups.of(both).alias("group"))
        .drop_nulls()
        .group_by("group", maintain_order=True)
        .agg(pl.col("accuracy").sort().mean().alias("lichess_accuracy"))
    )
