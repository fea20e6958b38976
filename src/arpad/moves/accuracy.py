"""Average centipawn loss, Lichess's win chance and accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.model import schema

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from arpad.moves.gain import Gains


# Measures of moves that others publish, each by its name: average centipawn loss, Lichess's win chance and accuracy.
#
# Sources: the page *Lichess Accuracy metric* (lichess.org/page/accuracy) for the win chance and the accuracy of a
# move; Lichess's own program, lila (`modules/analyse`: `WinPercent`, `AccuracyPercent`, `AccuracyCP`; `Maths`
# for the means), as it stood in 2023, for what the page only describes: the accuracy of a game and the ceiling of ten pawns.

CEILING = 1000
"""Centipawns at which Lichess cuts evaluations off; a mate counts as much."""
INITIAL = 15
"""Centipawns that Lichess gives the usual starting position, which its files do not carry."""
STEEPNESS = 0.00368208
"""Of the win chance, a centipawn [lichess.org/page/accuracy]."""
SCALE, DECAY, SHIFT = 103.1668100711649, 0.04354415386753951, -3.166924740191411
"""Of a move's accuracy, by the points of win chance lost [the same; these digits in lila]."""
BONUS = 1.0
"""Points that Lichess's program adds to a move that lost something, since the analysis is imperfect; not on the page."""
WINDOWS = (2, 8)
"""The fewest and the most positions in a window; in between, a tenth of the moves."""
WEIGHTS = (0.5, 12.0)
"""Least and greatest weight of a move: the standard deviation of the win chance in its window."""


def win_percent(cp: ArrayLike) -> NDArray[np.float64]:
    """Return Lichess's chance of winning in per cent, for centipawns from the same side.

    Examples
    --------
    >>> win_percent([0, 100, -1500]).round(1).tolist()
    [50.0, 59.1, 2.5]
    """
    x = np.clip(np.asarray(cp, dtype=np.float64), -CEILING, CEILING)
    return np.asarray(50 + 50 * (2 / (1 + np.exp(-STEEPNESS * x)) - 1))


def move_accuracy(before: ArrayLike, after: ArrayLike, *, bonus: float = 0.0) -> NDArray[np.float64]:
    """Return Lichess's accuracy of moves in per cent, from the mover's win chance before and after.

    Parameters
    ----------
    bonus
        Points added where something was lost: none on the page, 1 in Lichess's program.

    Examples
    --------
    >>> move_accuracy([50, 50, 50], [55, 45, 0]).round(1).tolist()
    [100.0, 79.8, 8.5]
    """
    lost = np.asarray(before, dtype=np.float64) - np.asarray(after, dtype=np.float64)
    raw = SCALE * np.exp(-DECAY * lost) + SHIFT + bonus
    return np.asarray(np.where(lost <= 0, 100.0, np.clip(raw, 0.0, 100.0)))


def centipawn_losses(before: ArrayLike, after: ArrayLike) -> NDArray[np.float64]:
    """Return what each move lost, in centipawns from the mover's side, never below 0; cut off at ten pawns.

    Examples
    --------
    >>> centipawn_losses([10, 10, -1200], [-20, 30, -3900]).tolist()
    [30.0, 0.0, 0.0]
    """
    first, then = (np.clip(np.asarray(v, dtype=np.float64), -CEILING, CEILING) for v in (before, after))
    return np.asarray(np.maximum(first - then, 0.0))


def game_accuracies(cp: ArrayLike, game: ArrayLike, white: ArrayLike) -> NDArray[np.float64]:
    """Return the accuracy of many games at once: a row a game, White's and Black's, NaN without moves.

    Parameters
    ----------
    cp, game, white
        Position by position, each game's together and its starting position first: centipawns from White's side,
        the number of the game (0, 1, …), and whether White made the move that led there.
    """
    win, number = win_percent(cp), np.asarray(game, dtype=np.int64)
    games = int(number.max(initial=-1)) + 1
    first = np.searchsorted(number, np.arange(games))
    at = np.flatnonzero(np.arange(len(win)) != first[number])  # every position but the starting ones
    mover = np.asarray(white, dtype=np.bool_)[at]
    lost = np.where(mover, win[at - 1] - win[at], win[at] - win[at - 1])
    accuracy = move_accuracy(lost, np.zeros(len(lost)), bonus=BONUS)
    weight = _volatility(win, at, first[number[at]], np.bincount(number[at], minlength=games)[number[at]])
    result = np.full((games, 2), np.nan)
    for column, side in enumerate((mover, ~mover)):
        of, a, w = number[at][side], accuracy[side], weight[side]
        moves = np.bincount(of, minlength=games)
        has = moves > 0
        weighted = np.bincount(of, a * w, games)[has] / np.bincount(of, w, games)[has]
        harmonic = moves[has] / np.bincount(of, 1 / np.maximum(a, 1.0), games)[has]
        result[has, column] = (weighted + harmonic) / 2
    return result


def _volatility(
    win: NDArray[np.float64], at: NDArray[np.int64], first: NDArray[np.int64], moves: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the weight of each move: the spread of the window that ends with it; the first moves share the first."""
    size = np.clip(moves // 10, *WINDOWS)
    start = np.maximum(first, at - size + 1)
    spread = np.empty(len(at))
    for s in np.unique(size):
        those = size == s
        spread[those] = win[start[those][:, None] + np.arange(s)].std(axis=1)  # of the population
    return np.asarray(np.clip(spread, *WEIGHTS))


# Average centipawn loss and Lichess's accuracy for the moves of evaluated games, game by game.

ACCURACY = schema({"game": pl.Int32, "white": pl.Boolean, "accuracy": pl.Float64})


def losses(gains: Gains) -> pl.Series:
    """Return each move's loss in centipawns, cut off at ten pawns and never below 0."""
    sign = np.where(gains.table["white"].to_numpy(), 1, -1)
    before, after = (sign * gains.column(c) for c in ("before", "after"))
    return pl.Series("loss", centipawn_losses(before, after))


def accuracies(gains: Gains) -> pl.DataFrame:
    """Return Lichess's accuracy of each side of each game: `game`, `white`, `accuracy`.

    Only for games whose every move has a gain; where nothing is missing but the starting position's
    evaluation, Lichess's own .15 stands for it.
    """
    here = gains.table["game"].unique().to_list()
    unopened = gains.unopened()
    broken = gains.left_out.filter(~pl.col("game").is_in(unopened))["game"].unique().to_list()
    moves = gains.whole.filter(pl.col("game").is_in(here) & ~pl.col("game").is_in(broken))
    positions = _positions(moves, unopened)
    if not positions.height:
        return pl.DataFrame(schema=ACCURACY)
    number = positions["game"].rle_id().to_numpy().astype(np.int64)
    result = game_accuracies(positions["cp"].to_numpy(), number, positions["white"].to_numpy())
    games = positions["game"].unique(maintain_order=True)
    sides = [
        pl.DataFrame({"game": games, "white": [white] * len(games), "accuracy": result[:, column]})
        for column, white in enumerate((True, False))
    ]
    both = pl.concat(sides).fill_nan(None).sort("game", "white", descending=[False, True])
    return both.select(pl.col(name).cast(kind) for name, kind in ACCURACY.items())


def _positions(moves: pl.DataFrame, unopened: list[int]) -> pl.DataFrame:
    """Return `game`, `cp`, `white` of each position of whole games, the starting position first.

    Where the starting position has no evaluation, Lichess's stands for it, and the first move counts.
    """
    first = moves.group_by("game", maintain_order=True).first()
    missing = pl.col("game").is_in(unopened)
    starts = first.select(
        "game",
        pl.lit(0).alias("ply"),
        pl.when(missing).then(INITIAL).otherwise("before").alias("cp"),
        pl.lit(False).alias("white"),
    )
    opening = first.filter(missing).select(
        "game", pl.lit(1).alias("ply"), pl.col("before").alias("cp"), ~pl.col("white")
    )
    rest = moves.select("game", pl.col("ply"), pl.col("after").alias("cp"), "white")
    parts = [p.with_columns(pl.col("ply", "cp").cast(pl.Int32)) for p in (starts, opening, rest)]
    return pl.concat(parts).sort("game", "ply")
