"""Features of a move that are known before it is made, and the outcomes that the models distinguish.

With an engine there are three outcomes of a move, each given what is known by then: the loss of the move; the loss that
one saw at first sight (depth 1) if it was not the engine's choice; and the same at depth 3. With a value a ply there
is one: the loss of win chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.model import schema
from arpad.moves.accuracy import win_percent
from arpad.moves.strength.engine_values import FIRST_PLY, LAST_PLY, scaled
from arpad.moves.strength.outcome_model import Features
from arpad.moves.strength.posterior import GRID

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from arpad.moves.strength.outcome_model import StrengthCalibration

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

LOSSES = np.array([6.0, 14.0, 26.0, 45.0, 75.0, 130.0, 230.0])
"""Scaled centipawns between the outcomes of a move that is not the engine's choice; that one is outcome 0."""

SIGHTS = np.array([1.0, 15.0, 40.0, 90.0, 180.0, 350.0])
"""Scaled centipawns between the outcomes of a look."""

CHANCES = np.array([0.05, 0.5, 1.0, 2.0, 3.5, 6.0, 10.0, 18.0])
"""Points of win chance between the outcomes where there is a value a ply."""


def _shape(levels: list[float], unit: float, tail: int, first: bool) -> Floats:
    """Return what outcomes have in common: being the first, the logarithm of the loss, its square, being large."""
    x = np.log1p(np.array(levels) / unit) / 3
    columns = [x, x**2, np.arange(len(x)) >= len(x) - tail]
    return np.column_stack([np.arange(len(x)) == 0, *columns] if first else columns).astype(float)


LOSS_SHAPE = _shape([0, 3, 10, 20, 35, 60, 100, 180, 320], 10.0, 2, first=True)
SIGHT_SHAPE = _shape([0, 8, 27, 65, 130, 250, 450], 15.0, 1, first=True)
CHANCE_SHAPE = _shape([0, 0.25, 0.75, 1.5, 2.7, 4.7, 8, 14, 25], 1.0, 2, first=True)


def loss_outcome(moves: pl.DataFrame) -> Whole:
    """Return the outcome of each move by its loss: 0 is the engine's choice."""
    loss = moves["loss"].to_numpy()
    outcome = np.searchsorted(LOSSES, loss, side="right") + 1
    return np.asarray(np.where(moves["chose_best"].to_numpy(), 0, outcome), dtype=np.int64)


def sight_outcome(moves: pl.DataFrame, column: str) -> Whole:
    """Return the outcome of each move by the loss that a look gives it."""
    return np.searchsorted(SIGHTS, moves[column].to_numpy(), side="right").astype(np.int64)


def loss_features(moves: pl.DataFrame) -> Features:
    """Return what is known before a move is made."""
    f = _FeatureColumns(moves)
    best, ahead, level = f["best"], _ahead(f["best"]), 1 / (1 + np.abs(f["best"]) / 150)
    opening = np.exp(-np.maximum(f["ply"] - FIRST_PLY, 0) / 8)
    endgame = np.clip(1 - f["pieces"] / 40, 0, 1)
    given = _log(f["given"], 30)
    hidden, veiled = _log(f["third_best"], 20), _log(f["first_best"], 30)
    spread, gap, close = f["spread"] / 3, _log(f["gap"], 30), np.log1p(f["close"]) / 2
    swing = np.clip((scaled(best) - f["third_top"]) / 100, -1, 1)
    one = np.ones(len(moves))
    level_part = np.column_stack(
        [
            one,
            ahead,
            level,
            opening,
            endgame,
            given,
            hidden,
            veiled,
            spread,
            gap,
            close,
            np.log(f["legal"] / 30 + 0.03),
            f["check"],
            f["best_capture"],
            f["best_recapture"],
            f["best_check"],
            ahead**2,
            swing,
            np.abs(swing),
            given * gap,
            ahead * gap,
        ]
    )
    slope = np.column_stack(
        [one, ahead, level, opening, endgame, given, hidden, veiled, spread, gap, f["best_recapture"]]
    )
    return Features(level_part, slope, np.column_stack([one, hidden, opening]))


def sight_features(moves: pl.DataFrame) -> Features:
    """Return what is known of a move that was not the engine's choice, beside how it looked at first."""
    f = _FeatureColumns(moves)
    known = loss_features(moves).level
    lost = np.log1p(f["loss"] / 10)
    one = np.ones(len(moves))
    about = np.column_stack([one, lost, lost**2, np.minimum(lost, 1.5)])
    opening, endgame, spread = known[:, 3], known[:, 4], known[:, 8]
    level = np.column_stack(
        [about, known[:, 1:5], known[:, 6:13], f["capture"], f["recapture"], lost * spread]
    )
    return Features(level, np.column_stack([one, lost, opening, endgame, spread]), one[:, None])


def chance_outcome(before: ArrayLike, after: ArrayLike) -> Whole:
    """Return the outcome of moves by the win chance that they lost, from centipawns of the mover's side."""
    lost = win_percent(before) - win_percent(after)
    return np.searchsorted(CHANCES, lost, side="left").astype(np.int64)


def chance_features(moves: pl.DataFrame) -> Features:
    """Return what is known before a move where there is a value a ply.

    The columns are `ply`, `before` (centipawns from the mover's side), `given` (points of win chance that the
    opponent's move before gave; 0 where it is not known), `noise` (points that moves of the game seem to gain).
    """
    f = _FeatureColumns(moves)
    win = win_percent(f["before"])
    ahead, open_ = (win - 50) / 50, 4 * win * (100 - win) / 1e4
    opening = np.exp(-np.maximum(f["ply"] - FIRST_PLY, 0) / 10)
    late = np.clip((f["ply"] - 50) / 50, 0, 1)
    given = np.log1p(np.maximum(f["given"], 0))
    noise = np.log(np.clip(f["noise"], 0.05, 3.0))
    one = np.ones(len(moves))
    level = np.column_stack(
        [
            one,
            ahead,
            open_,
            opening,
            late,
            given,
            given**2 / 3,
            ahead * open_,
            np.log(open_ + 0.02),
            noise,
            noise**2,
            noise * open_,
        ]
    )
    slope = np.column_stack([one, ahead, open_, opening, late, given, noise])
    return Features(level, slope, np.column_stack([one, opening]))


class _FeatureColumns:
    """Columns of a table as arrays of floats."""

    def __init__(self, table: pl.DataFrame) -> None:
        self.table = table

    def __getitem__(self, name: str) -> Floats:
        return self.table[name].to_numpy().astype(np.float64)


def _ahead(best: Floats) -> Floats:
    return np.asarray(np.clip(best / 400, -1.5, 1.5))


def _log(x: Floats, unit: float) -> Floats:
    return np.asarray(np.log1p(np.maximum(x, 0) / unit))


# What moves say of ratings: a likelihood on the grid for every move, from an engine or from values in the file.

VALUED_MOVES = schema(
    {
        "game": pl.Int32,
        "ply": pl.Int32,  # plies played before the move
        "white": pl.Boolean,
        "before": pl.Float64,  # centipawns from the mover's side
        "after": pl.Float64,
        "given": pl.Float64,  # points of win chance that the opponent's move before gave
        "noise": pl.Float64,  # points of win chance by which moves of this game seem to gain, in the mean
    }
)


def engine_evidence(moves: pl.DataFrame, calibration: StrengthCalibration) -> Floats:
    """Return the log-likelihood of each move (rows, as `engine_moves` gives them) at each rating of the grid.

    The engine's choice has one outcome, its loss; any other move has three, for a look says what there
    was to be seen in it.
    """
    models = calibration.engine
    result = models["loss"].log_likelihood(loss_features(moves), loss_outcome(moves), GRID)
    other = np.flatnonzero(~moves["chose_best"].to_numpy())
    if len(other):
        rest = moves[other]
        seen = sight_features(rest)
        for name in ("third_played",):
            result[other] += models[name].log_likelihood(seen, sight_outcome(rest, name), GRID)
    return np.asarray(result)


def chance_evidence(moves: pl.DataFrame, calibration: StrengthCalibration) -> Floats:
    """Return the same for moves with a value before and after them, as `valued_moves` gives them."""
    outcome = chance_outcome(moves["before"].to_numpy(), moves["after"].to_numpy())
    return calibration.chance["loss"].log_likelihood(chance_features(moves), outcome, GRID)


def valued_moves(positions: pl.DataFrame) -> pl.DataFrame:
    """Return moves that have a value before and after them, with the columns of `VALUED_MOVES`.

    No move can gain in truth: what moves seem to gain shows how far the values of a file are to be trusted.

    Parameters
    ----------
    positions
        Rows with `game`, `ply`, `white` (to move) and `value` (centipawns from White's side, NaN where unknown);
        games one after the other, plies in order.
    """
    value = positions["value"].to_numpy().astype(np.float64)
    game, ply = positions["game"].to_numpy(), positions["ply"].to_numpy()
    sign = np.where(positions["white"].to_numpy(), 1.0, -1.0)
    if len(value) < 2:
        return pl.DataFrame(schema=VALUED_MOVES)
    follows = np.flatnonzero((game[1:] == game[:-1]) & (ply[1:] == ply[:-1] + 1))
    known = np.isfinite(value[follows]) & np.isfinite(value[follows + 1])
    counted = (ply[follows] >= FIRST_PLY) & (ply[follows] <= LAST_PLY)
    row = follows[known & counted]
    back = np.maximum(row - 1, 0)
    before, after = sign[row] * value[row], sign[row] * value[row + 1]
    given = win_percent(before) - win_percent(sign[row] * value[back])
    there = (row > 0) & (game[back] == game[row]) & np.isfinite(given)
    gain = np.maximum(win_percent(after) - win_percent(before), 0.0)
    _, number = np.unique(game[row], return_inverse=True)
    noise = np.bincount(number, gain) / np.maximum(np.bincount(number), 1)
    return pl.DataFrame(
        {
            "game": game[row],
            "ply": ply[row],
            "white": positions["white"].to_numpy()[row],
            "before": before,
            "after": after,
            "given": np.where(there, np.maximum(given, 0.0), 0.0),
            "noise": noise[number],
        },
        schema=VALUED_MOVES,
    )
