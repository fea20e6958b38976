"""The gain of a move: by how much it changed the evaluation, from the mover's side.

Source: Ferreira, *Determining the strength of chess players based on actual play*, ICGA Journal 35 (2012),
sections 2–4. Values are centipawns from White's side; everything here works on plain arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["CENTIPAWNS", "MoveGains", "move_gains"]

CENTIPAWNS = 100
"""Centipawns in a pawn, the unit of the paper's averages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveGains:
    """The moves whose gain is known, and those whose gain is not, as rows of the positions after them."""

    row: NDArray[np.int64]
    gain: NDArray[np.int32]
    """In centipawns, from the mover's side, one for each of `row`."""
    before_unknown: NDArray[np.int64]
    """Rows whose own value is known and the one before is not."""
    unknown: NDArray[np.int64]
    """Rows without a value."""

    def __len__(self) -> int:
        """Return how many moves have a gain."""
        return len(self.gain)


def move_gains(game: ArrayLike, ply: ArrayLike, value: ArrayLike, white: ArrayLike) -> MoveGains:
    """Return the gain of every move: g_k = ±(s_k − s_(k−1)), + for White and − for Black [4, Algorithm 1].

    A move needs the value before and after it; the first one needs that of the starting position. What is
    missing is never taken for 0: the move is left out and named.

    Parameters
    ----------
    game, ply, value
        Position by position, in order of game and ply; ply 0 is the starting position. Values are
        centipawns from White's side, NaN where unknown.
    white
        Whether White made the move that led to the position.

    Examples
    --------
    >>> found = move_gains([0, 0, 0], [0, 1, 2], [13, 12, 23], [False, True, False])
    >>> found.row.tolist(), found.gain.tolist()
    ([1, 2], [-1, -11])
    >>> move_gains([0, 0, 0], [0, 1, 2], [np.nan, 12, 23], [False, True, False]).gain.tolist()
    [-11]
    """
    game, ply = np.asarray(game), np.asarray(ply)
    value, mover = np.asarray(value, dtype=np.float64), np.asarray(white, dtype=np.bool_)
    if not len(game) == len(ply) == len(value) == len(mover):
        raise UsageError(
            "expected as many games, plies, values and movers, found "
            f"{len(game)}, {len(ply)}, {len(value)}, {len(mover)}"
        )
    _check_order(game, ply)
    before = np.full(len(game), np.nan)
    follows = (game[1:] == game[:-1]) & (ply[1:] == ply[:-1] + 1)
    before[1:] = np.where(follows, value[:-1], np.nan)
    moved = ply > 0
    after_known, before_known = np.isfinite(value), np.isfinite(before)
    row = np.flatnonzero(moved & after_known & before_known)
    change = np.rint(value[row] - before[row]).astype(np.int32)
    return MoveGains(
        row=row,
        gain=np.where(mover[row], change, -change).astype(np.int32),
        before_unknown=np.flatnonzero(moved & after_known & ~before_known),
        unknown=np.flatnonzero(moved & ~after_known),
    )


def _check_order(game: NDArray[np.int64], ply: NDArray[np.int64]) -> None:
    """Refuse positions that are not in the order in which they were played."""
    same = game[1:] == game[:-1]
    if bool(np.any(same & (ply[1:] <= ply[:-1]))) or bool(np.any(game[1:] < game[:-1])):
        raise UsageError("expected positions in order of game and ply, found one out of order")
