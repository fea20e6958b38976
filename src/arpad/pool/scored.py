"""Rated games as arrays: rating difference, expected score, actual score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.scale import Curve, Logistic, Ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings

__all__ = ["ScoredGames", "scored"]

FARTHEST = 10_000.0
"""No advantage, in rating points, is meant to be larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredGames:
    """Games between two rated players, one element a game, all from White's side."""

    white: NDArray[np.int64]
    black: NDArray[np.int64]
    event: NDArray[np.int64]
    """−1 where no event is named."""
    D: NDArray[np.float64]
    """White's rating less Black's, with White's advantage, cut off at the cap."""
    level: NDArray[np.float64]
    """The mean of both ratings."""
    P: NDArray[np.float64]
    """White's expected score."""
    score: NDArray[np.float64]
    left_out: int
    """Played games in which somebody has no rating."""
    curve: Curve
    cap: float | None
    advantage: float

    def __len__(self) -> int:
        return len(self.score)

    def drawn(self) -> NDArray[np.bool_]:
        """Say which games were drawn."""
        return np.asarray(self.score == 0.5)


def scored(
    games: Games,
    *,
    curve: Curve | None = None,
    cap: float | None = None,
    advantage: float = 0.0,
    before: Ratings | None = None,
) -> ScoredGames:
    """Return the played games whose players both have ratings, with what was expected of them.

    Parameters
    ----------
    curve
        Logistic unless another is given.
    cap
        Count a larger difference as so much: 400 is FIDE's rule.
    advantage
        Rating points that the first move is worth.
    before
        Ratings from a list; those beside the games are not looked at then.
    """
    chosen = curve or Logistic()
    if isinstance(chosen, Ratio):
        raise UsageError("the ratio curve measures ratios: choose another to test differences")
    if cap is not None and not cap > 0:
        raise UsageError(f"expected a cap above 0, found {cap!r}: 400 is FIDE's")
    if not abs(advantage) <= FARTHEST:  # nor is it, if it is no number
        raise UsageError(f"expected White's advantage in points, found {advantage!r}")
    played = games.table.filter(
        (pl.col("status") == "played")
        & pl.col("black").is_not_null()
        & pl.col("score").is_not_null()
    )
    R = {side: _ratings(games, played, side, before) for side in ("white", "black")}
    known = np.isfinite(R["white"]) & np.isfinite(R["black"])
    if not known.any():
        raise InputError(
            f"expected games between rated players, found {played.height:,} played and none in which "
            "both have a rating: give a list of ratings (--before)"
        )
    D = (R["white"] - R["black"] + advantage)[known]
    D = D if cap is None else np.clip(D, -cap, cap)
    columns = {
        name: played[name].fill_null(-1).to_numpy().astype(np.int64)[known]
        for name in ("white", "black", "event")
    }
    return ScoredGames(
        **columns,
        D=D,
        level=((R["white"] + R["black"]) / 2)[known],
        P=np.asarray(chosen.expected(D)),
        score=played["score"].to_numpy()[known],
        left_out=int((~known).sum()),
        curve=chosen,
        cap=cap,
        advantage=advantage,
    )


def _ratings(
    games: Games, played: pl.DataFrame, side: str, before: Ratings | None
) -> NDArray[np.float64]:
    """Return each game's rating of one side, NaN where there is none."""
    known = games.players["rating"] if before is None else before.lookup(games.players)
    theirs = known.cast(pl.Float64).gather(played[side])
    if before is None:
        theirs = played.select(pl.coalesce(f"{side}_rating", theirs.alias("theirs"))).to_series()
    return np.asarray(theirs.cast(pl.Float64).fill_null(math.nan).to_numpy())
