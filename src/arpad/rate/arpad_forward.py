"""Walk forward with arpad's own system: every game is foretold from what was before its period."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.arpad_kernel import foretell, rate_games
from arpad.rate.arpad_run import People, played_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.arpad_system import ArpadSystem

    Array = NDArray[np.float64]

__all__ = ["forward"]


def forward(system: ArpadSystem, games: Games, first: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return each game's rating difference and White's expected score."""
    table, n = games.table, games.players.height
    white, black, score, day = played_arrays(table)
    given = [_given(system, table, side) for side in ("white", "black")]
    people = People(
        rating=np.full(n, np.nan),
        variance=np.zeros(n),
        games=np.zeros(n, dtype=np.int64),
        last=np.full(n, -1, dtype=np.int64),
    )
    own = games.players["rating"].to_numpy().astype(np.float64) if system.given else people.rating
    constants, nobody = np.array(system.values()), np.zeros((0, 7))
    start = (system.start, system.start_error**2, system.below)
    weight = system.evidence if system.given else 0.0
    D, expected = np.empty(len(white)), np.empty(len(white))
    for a, b in pairwise(first.tolist()):
        part = slice(a, b)
        _enter(system, people, own, white[part], given[0][part])
        _enter(system, people, own, black[part], given[1][part])
        foretell(
            constants, weight, white[part], black[part], day[part], given[0][part], given[1][part],
            *start, people.rating, people.variance, people.last, D[part], expected[part],
        )  # fmt: skip
        rate_games(
            constants, white[part], black[part], score[part], day[part], *start,
            people.rating, people.variance, people.games, people.last, nobody,
        )  # fmt: skip
    return D, expected


def _given(system: ArpadSystem, table: pl.DataFrame, side: str) -> Array:
    """Return the rating that the source gives beside each game, NaN for none."""
    if not system.given:
        return np.full(table.height, np.nan)
    return table[f"{side}_rating"].cast(pl.Float64).fill_null(np.nan).to_numpy()


def _enter(
    system: ArpadSystem, people: People, own: Array, who: NDArray[np.int32], given: Array
) -> None:
    """Let newcomers who bring a rating start from it: their own entry, else the first of the period."""
    new = np.isnan(people.rating[who])
    if not system.given or not new.any():
        return
    players, at = np.unique(who[new], return_index=True)
    brought = np.where(np.isnan(own[players]), given[new][at], own[players])
    players, brought = players[~np.isnan(brought)], brought[~np.isnan(brought)]
    people.rating[players], people.variance[players] = brought, system.given_error**2
