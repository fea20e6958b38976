"""Players side by side: what each one's distribution of gain says against the engine and against the others.

A *sheet* is what one distribution is made of: a player's moves in all games, in one event, in one match or in
one game. Every move belongs to one sheet. Intervals come from `resampling`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arpad.moves.cells import cells_of
from arpad.moves.distribution import ZERO_GAIN, Distribution
from arpad.moves.expected import difference
from arpad.moves.gain import CENTIPAWNS
from arpad.moves.resampling import Resampling, draw_counts, interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from arpad.moves.cells import Cells

__all__ = ["Comparison", "compare"]

AT_ONCE = 8_000_000
"""Numbers in the histograms that are compared at a time."""
ONE_THREAD = 1 << 18
"""Multiplications up to which OpenBLAS keeps a product of matrices on one thread (4 × SMP_THRESHOLD_MIN). Thousands of
small products on several threads that wait for each other took 20 times as long on a busy machine."""
FEWEST_COLUMNS = 16
"""Columns at a time below which more threads are worth their while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Expected scores of sheets against the engine and of pairs of sheets, as drawn and as they are.

    Figures `…_drawn` have a row a draw; they are empty where no intervals were asked for. NaN: not a move of
    the sheet was drawn.
    """

    cells: Cells
    moves: NDArray[np.float64]
    moves_drawn: NDArray[np.float64]
    mean_gain: NDArray[np.float64]
    """In pawns."""
    mean_gain_drawn: NDArray[np.float64]
    engine: NDArray[np.float64]
    """Expected score of each sheet against the engine."""
    engine_drawn: NDArray[np.float64]
    measured: NDArray[np.float64] | None
    """The same against the engine's own measured distribution of gain."""
    measured_drawn: NDArray[np.float64] | None
    pairs: NDArray[np.int64]
    expected: NDArray[np.float64]
    """Expected score of the first of each pair against the second."""
    expected_drawn: NDArray[np.float64]
    resampling: Resampling

    def sheet_interval(self, drawn: NDArray[np.float64], sheet: int) -> tuple[float, float]:
        """Return the interval of a figure of a sheet."""
        size = int(self.cells.first[sheet + 1] - self.cells.first[sheet])
        return interval(drawn[:, sheet], size, self.resampling.confidence)

    def pair_interval(self, pair: int) -> tuple[float, float]:
        """Return the interval of a pair's expected score; the one with fewer clusters says how wide."""
        sizes = np.diff(self.cells.first)[self.pairs[pair]]
        return interval(self.expected_drawn[:, pair], int(sizes.min()), self.resampling.confidence)

    def distribution(self, sheet: int) -> Distribution:
        """Return a sheet's distribution of gain."""
        span = self.cells.of_sheet(sheet)
        inside = (self.cells.cell >= span.start) & (self.cells.cell < span.stop)
        return Distribution.of(self.cells.gain[inside])

    def differences_drawn(self) -> NDArray[np.float64]:
        """Return the rating difference of each pair, draw by draw; NaN where it could not be drawn."""
        d = np.full(self.expected_drawn.shape, np.nan)
        known = ~np.isnan(self.expected_drawn)
        d[known] = difference(self.expected_drawn[known])
        return d


def compare(
    gain: ArrayLike,
    sheet: ArrayLike,
    game: ArrayLike,
    ply: ArrayLike,
    *,
    sheets: int,
    pairs: ArrayLike,
    stratum: ArrayLike | None = None,
    measured: Distribution | None = None,
    resampling: Resampling | None = None,
) -> Comparison:
    """Compare sheets of moves with the engine and with each other.

    Parameters
    ----------
    gain, sheet, game, ply
        Move by move: centipawns from the mover's side, whose sheet it belongs to, which game, which ply.
    sheets
        How many sheets there are; each has at least one move.
    pairs
        Pairs (i, j) of sheets to be compared.
    stratum
        For each move the set of games among which its game, or its block, is drawn; all of them without it.
    measured
        The engine's own distribution of gain, if known.

    Examples
    --------
    >>> found = compare([-1, 0, -5, 0], [0, 1, 0, 1], [0, 0, 0, 0], [1, 2, 3, 4], sheets=2, pairs=[(0, 1)])
    >>> found.engine.tolist(), found.expected.tolist()
    ([0.0, 0.5], [0.0])
    """
    how = resampling or Resampling()
    cells = cells_of(gain, sheet, game, ply, sheets=sheets, stratum=stratum)
    met = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    rng = np.random.default_rng(how.seed)
    # A row a cluster: those of one sheet are then read in one go.
    drawn = np.ascontiguousarray(draw_counts(cells.stratum, how.draws, rng).T)
    n = cells.sums()
    total, totals = _totals(cells, n, drawn)

    def average(each: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        whole, parts = _totals(cells, cells.sums(each), drawn)
        with np.errstate(invalid="ignore"):
            return whole / total, parts / totals

    mean, mean_drawn = average(cells.gain / CENTIPAWNS)
    zero, zero_drawn = average(ZERO_GAIN.middle(cells.gain))
    own = None if measured is None else average(measured.middle(cells.gain))
    expected, expected_drawn = _pairs(cells, met, total, totals, drawn)
    return Comparison(
        cells=cells, moves=total, moves_drawn=totals, mean_gain=mean, mean_gain_drawn=mean_drawn,
        engine=zero, engine_drawn=zero_drawn,
        measured=None if own is None else own[0], measured_drawn=None if own is None else own[1],
        pairs=met, expected=expected, expected_drawn=expected_drawn, resampling=how,
    )  # fmt: skip


def _totals(
    cells: Cells, each: NDArray[np.float64], drawn: NDArray[np.uint8]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sum over each sheet's cells, as they are and draw by draw."""
    whole = np.add.reduceat(each, cells.first[:-1])
    parts = np.empty((drawn.shape[1], len(whole)))
    for s in range(len(whole) if parts.size else 0):
        span = cells.of_sheet(s)
        parts[:, s] = each[span] @ drawn[cells.cluster[span]]
    return whole, parts


def _pairs(
    cells: Cells,
    pairs: NDArray[np.int64],
    total: NDArray[np.float64],
    totals: NDArray[np.float64],
    drawn: NDArray[np.uint8],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the expected scores of pairs, as they are and draw by draw.

    The score between two sets of games is a sum over pairs of games: with the points S that the moves of game g
    score against those of game h, a draw's expected score is wᵀ S w / (n n), exactly.
    """
    bins, place = np.unique(cells.gain, return_inverse=True)
    whole = _whole(cells, pairs, total, place, len(bins))
    parts = np.empty((drawn.shape[1], len(pairs)))
    edges = np.searchsorted(cells.cell, cells.first)
    for k, (i, j) in enumerate(pairs if parts.size else ()):
        S = _points(cells, edges, place, len(bins), i, j)
        a, b = (drawn[cells.cluster[cells.of_sheet(s)]].astype(np.float64) for s in (i, j))
        with np.errstate(invalid="ignore"):
            parts[:, k] = (_product(S.T, a) * b).sum(axis=0) / (totals[:, i] * totals[:, j])
    # What adds up to a whole number of moves is exact but for the last bit of the quotient.
    return np.clip(whole, 0.0, 1.0), np.clip(parts, 0.0, 1.0)


def _product(S: NDArray[np.float64], a: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return S @ a, by as many columns at a time as one thread takes, unless S itself is large."""
    step = ONE_THREAD // max(S.size, 1)
    if step < FEWEST_COLUMNS:
        return np.asarray(S @ a)
    parts = [S @ a[:, first : first + step] for first in range(0, a.shape[1], step)]
    return np.concatenate(parts, axis=1)


def _whole(
    cells: Cells,
    pairs: NDArray[np.int64],
    total: NDArray[np.float64],
    place: NDArray[np.int64],
    K: int,
) -> NDArray[np.float64]:
    """Return the expected scores of pairs from whole histograms, as many pairs at once as memory allows."""
    sheet = cells.sheet[cells.cell]
    found = np.empty(len(pairs))
    step = max(1, AT_ONCE // max(2 * K, 1))
    for first in range(0, len(pairs), step):
        some = pairs[first : first + step]
        used, seat = np.unique(some, return_inverse=True)
        row = np.full(len(total), -1)
        row[used] = np.arange(len(used))
        inside = row[sheet] >= 0
        f = _histograms(row[sheet[inside]], place[inside], K) / total[used][:, None]
        middle = np.cumsum(f, axis=1) - f / 2
        seat = seat.reshape(-1, 2)
        found[first : first + step] = np.einsum("pk,pk->p", f[seat[:, 0]], middle[seat[:, 1]])
    return found


def _points(
    cells: Cells, edges: NDArray[np.int64], place: NDArray[np.int64], K: int, i: int, j: int
) -> NDArray[np.float64]:
    """Return what the moves of each cell of sheet i score against those of each cell of sheet j."""
    x, y = (slice(int(edges[s]), int(edges[s + 1])) for s in (i, j))
    seen = np.zeros(K, dtype=np.int64)
    seen[place[x]] = seen[place[y]] = 1
    own = np.cumsum(seen) - 1  # only the bins that the two have
    bins = int(own[-1]) + 1
    a = _histograms(cells.cell[x] - cells.first[i], own[place[x]], bins)
    b = _histograms(cells.cell[y] - cells.first[j], own[place[y]], bins)
    return _product(a, (np.cumsum(b, axis=1) - b / 2).T)


def _histograms(row: NDArray[np.int64], place: NDArray[np.int64], K: int) -> NDArray[np.float64]:
    rows = int(row.max()) + 1
    return np.bincount(row * K + place, minlength=rows * K).reshape(rows, K).astype(np.float64)
