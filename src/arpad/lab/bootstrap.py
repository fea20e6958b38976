"""How sure a difference between two systems is: a paired bootstrap over blocks of games.

Games are not independent: those of an event share players, form and luck of the pairing. So whole blocks
are drawn, with all their games, and all systems get the same draw: what is hard for both cancels. A block
is what an event had in a month (some, like friendlies, go on for a century); games that name no event are
one block a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["FEW_BLOCKS", "LEVEL", "Interval", "blocks_of", "paired_intervals"]

LEVEL = 0.95
"""Share of draws between `low` and `high`."""
FEW_BLOCKS = 30
"""With fewer blocks an interval is rough, and likely too narrow."""
AT_A_TIME = 200
"""Draws that are in memory at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A mean difference, and where the middle 95 % of draws have it."""

    difference: float
    low: float
    high: float


def blocks_of(table: pl.DataFrame) -> NDArray[np.int64]:
    """Return the number of each game's block: its event in its month, or its day where it names no event.

    Examples
    --------
    >>> import datetime as dt
    >>> days = [dt.date(2024, 1, 1), dt.date(2024, 1, 2), dt.date(2024, 2, 2), dt.date(2024, 2, 2)]
    >>> blocks_of(pl.DataFrame({"event": [7, 7, 7, None], "date": days})).tolist()
    [2, 2, 1, 0]
    """
    event = pl.col("event").cast(pl.Int64)
    first = pl.when(event.is_null()).then(pl.col("date")).otherwise(pl.col("date").dt.truncate("1mo"))  # fmt: skip
    key = pl.struct(event.fill_null(-1).alias("event"), -first.dt.epoch("d"))
    return table.select(key.rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()


def paired_intervals(
    losses: Array, reference: int, blocks: NDArray[np.int64], *, draws: int = 1000, seed: int = 0
) -> list[Interval]:
    """Return each system's mean loss less the reference's, with its interval.

    Parameters
    ----------
    losses
        One row a system, one column a game: the same games for all.
    blocks
        The number of each game's block, from 0.

    Examples
    --------
    >>> same = np.zeros((2, 40))
    >>> same[1] = 0.01  # a little worse in every game
    >>> found = paired_intervals(same, 0, np.arange(40) // 4, draws=50)[1]
    >>> round(found.difference, 6), round(found.low, 6), round(found.high, 6)
    (0.01, 0.01, 0.01)
    """
    if draws < 1:
        raise UsageError(f"expected a number of draws above 0, found {draws}")
    excess = losses - losses[reference]
    if not losses.shape[1]:
        nothing = Interval(difference=float("nan"), low=float("nan"), high=float("nan"))
        return [nothing] * len(losses)
    games = np.bincount(blocks).astype(np.float64)
    sums = np.stack(
        [np.bincount(blocks, weights=row, minlength=len(games)) for row in excess]
    ).astype(np.float64)
    means = _drawn(sums, games, draws, np.random.default_rng(seed))
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(means, [tail, 100 - tail], axis=0)
    return [
        Interval(difference=float(m), low=float(a), high=float(b))
        for m, a, b in zip(excess.mean(axis=1), low, high, strict=True)
    ]


def _drawn(sums: Array, games: Array, draws: int, rng: np.random.Generator) -> Array:
    """Return the mean of each system in each draw of as many blocks as there are."""
    n = len(games)
    found = []
    for done in range(0, draws, AT_A_TIME):
        count = min(AT_A_TIME, draws - done)
        picked = rng.integers(0, n, (count, n))
        weights = np.stack([np.bincount(row, minlength=n) for row in picked]).astype(np.float64)
        found.append(weights @ sums.T / (weights @ games)[:, None])
    return np.concatenate(found)
