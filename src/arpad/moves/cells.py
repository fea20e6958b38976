"""What is drawn again and again as a whole: the moves of a player in a game, or in a block of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.moves.resampling import FEWEST, block_length

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Cells", "cells_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Moves by sheet and cluster, sheets together: the smallest parts that are drawn as a whole.

    A cluster is a game, or a block of moves of a game where the sheet has too few games.
    """

    gain: NDArray[np.int32]
    """Every move's gain, cell by cell."""
    cell: NDArray[np.int64]
    """Every move's cell."""
    sheet: NDArray[np.int64]
    """Every cell's sheet."""
    cluster: NDArray[np.int64]
    """Every cell's cluster."""
    stratum: NDArray[np.int64]
    """Every cluster's stratum: clusters are drawn among those of the same."""
    first: NDArray[np.int64]
    """Every sheet's first cell, and one more: where the last one ends."""
    by_games: NDArray[np.bool_]
    """Whether a sheet's clusters are games."""
    games: NDArray[np.int64]
    """How many games a sheet has moves in."""

    def of_sheet(self, sheet: int) -> slice:
        """Return a sheet's cells."""
        return slice(int(self.first[sheet]), int(self.first[sheet + 1]))

    def sums(self, each: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return the sum of a figure of each move, cell by cell; without one, how many moves there are."""
        return np.bincount(self.cell, weights=each, minlength=len(self.sheet)).astype(np.float64)


def cells_of(
    gain: ArrayLike,
    sheet: ArrayLike,
    game: ArrayLike,
    ply: ArrayLike,
    *,
    sheets: int,
    stratum: ArrayLike | None,
) -> Cells:
    """Put moves into cells: by games where a sheet has enough of them, by blocks of moves where not.

    Parameters
    ----------
    gain, sheet, game, ply
        Move by move: centipawns, whose sheet it belongs to, which game, which ply.
    sheets
        How many sheets there are.
    stratum
        For each move the set of games among which its game, or its block, is drawn; all of them without it.
    """
    gains = np.asarray(gain, dtype=np.int32)
    sheet, game, ply = (np.asarray(a, dtype=np.int64) for a in (sheet, game, ply))
    strata = np.zeros(len(game), np.int64) if stratum is None else np.asarray(stratum, np.int64)
    width = int(game.max(initial=0)) + 1
    games = np.bincount(np.unique(sheet * width + game) // width, minlength=sheets)
    by_games = games >= FEWEST
    block = _blocks(game, ply)
    key = np.where(by_games[sheet], 0, 1 + block)
    # A cluster is the whole game (0) or one block of it; games are drawn among games, blocks among blocks.
    deep = int(key.max(initial=0)) + 1
    cluster, label = np.unique(game * deep + key, return_inverse=True)
    group = 2 * strata + (key > 0)
    of_cluster = np.zeros(len(cluster), dtype=np.int64)
    of_cluster[label] = group
    cell_key, cell = np.unique(sheet * len(cluster) + label, return_inverse=True)
    order = np.argsort(cell, kind="stable")
    owner = cell_key // max(len(cluster), 1)
    return Cells(
        gain=gains[order],
        cell=cell[order],
        sheet=owner,
        cluster=cell_key % max(len(cluster), 1),
        stratum=of_cluster,
        first=np.searchsorted(owner, np.arange(sheets + 1)),
        by_games=by_games,
        games=games,
    )


def _blocks(game: NDArray[np.int64], ply: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the block that each move is in; both sides' moves share their blocks."""
    length = np.zeros(int(game.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(length, game, (ply + 1) // 2)
    blocks = np.array([block_length(int(n)) for n in range(int(length.max(initial=0)) + 1)])
    return np.asarray(((ply - 1) // 2) // blocks[length[game]])
