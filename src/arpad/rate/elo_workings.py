"""The steps of Elo's formula (2), R_n = R_o + K (W − W_e): one a side of a game [Elo 1.6]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.expectancy import coded
from arpad.rate.workings import GIVEN, START, Workings, both_sides
from arpad.scale import Linear

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from arpad.rate.elo import Elo
    from arpad.rate.kpolicy import KPolicy
    from arpad.rate.reference import Step
    from arpad.scale import Curve

__all__ = [
    "Begun",
    "Now",
    "by_kernel",
    "by_reference",
    "elo_workings",
    "k_arrays",
    "openings",
]

FORMULA = "R + K (W − We) [Elo 1.6 (2)]"


Now = tuple["NDArray[np.float64]", "NDArray[np.int64]", "NDArray[np.bool_]"]
"""Ratings, games, and who has reached the last tier of K."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """Everybody before the first game: rating, games, who has a rating, and who has it from a list.

    A run changes copies of the first three, `Now`.
    """

    ratings: NDArray[np.float64]
    counts: NDArray[np.int64]
    topped: NDArray[np.bool_]
    """Who has reached the last tier of K."""
    known: NDArray[np.bool_]
    listed: NDArray[np.bool_]
    doubt: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Standard deviation, in points, of what is not known of each rating."""

    def now(self) -> Now:
        """Return what a run may change."""
        return self.ratings.copy(), self.counts.copy(), self.topped.copy()


def openings(begun: Begun, players: NDArray[np.int64]) -> pl.DataFrame:
    """Return the steps of those who have no rating from a list: what they start from."""
    new = players[~begun.listed[players]]
    why = pl.Series([START, GIVEN], dtype=pl.String)
    return pl.DataFrame(
        {
            "player": new,
            "change": begun.ratings[new],
            "rule": why.gather(begun.known[new].astype(np.uint32)),
        },
        schema_overrides={"player": pl.Int32},
    )


def by_reference(steps: Iterable[Step]) -> pl.DataFrame:
    """Return the sides of all games, two rows a game, as the readable reference makes them."""
    columns = list(
        zip(
            *((s.rating, s.opponent_rating, s.expected, s.level, s.change) for s in steps),
            strict=True,
        )
    )
    return _sides(np.array(columns, dtype=np.float64).T if columns else np.zeros((0, 5)))


def by_kernel(
    system: Elo, played: pl.DataFrame, periods: pl.Series | None, begun: Begun
) -> tuple[pl.DataFrame, Now]:
    """Return the sides of all games, and everybody after them, as the kernel makes them."""
    from arpad.rate import step_kernels

    white, black, score = (played[c].to_numpy() for c in ("white", "black", "score"))
    sides = np.empty((2 * played.height, 5))
    now = begun.now()
    policy = (*coded(system.curve), *k_arrays(system.k))
    if periods is None:
        step_kernels.each_game_written(white, black, score, *now, *policy, sides)
    else:
        numbers = periods.to_numpy()
        step_kernels.each_period_written(white, black, score, numbers, *now, *policy, sides)
    return _sides(sides), now


def k_arrays(k: KPolicy) -> tuple[NDArray[np.float64], NDArray[np.float64], int, float, bool]:
    """Return a policy as the kernels take it: bounds, K of each tier, and what newcomers have."""
    bounds, values = (np.array(column) for column in zip(*k.tiers, strict=True))
    return bounds, values, k.new_games, k.new_k, k.permanent


def _sides(sides: NDArray[np.float64]) -> pl.DataFrame:
    names = ("rating", "opponent_rating", "expected", "level", "change")
    return pl.DataFrame({name: sides[:, i].copy() for i, name in enumerate(names)})


def elo_workings(system: Elo, played: pl.DataFrame, begun: Begun, sides: pl.DataFrame) -> Workings:
    """Return all steps: what everybody starts from, then the sides of the games.

    Parameters
    ----------
    played
        The games in their order, with the column `row`.
    sides
        Two rows a game: White's and Black's.
    """
    white, black, score = (played[c].to_numpy() for c in ("white", "black", "score"))
    level = sides["level"].cast(pl.UInt32)
    capped = _capped(system.curve, sides)
    games = sides.select(
        pl.Series("player", both_sides(white, black)),
        pl.Series("game", np.repeat(played["row"].to_numpy(), 2), dtype=pl.Int64),
        pl.Series("opponent", both_sides(black, white)),
        "rating",
        "opponent_rating",
        pl.Series("score", both_sides(score, 1 - score)),
        "expected",
        pl.Series(system.k.levels, dtype=pl.Float64).gather(level).alias("k"),
        "change",
        _rules(system).gather(level * 2 + capped).alias("rule"),
    )
    new = openings(begun, np.unique(both_sides(white, black)))
    return Workings.build(system.name, pl.concat([new, games], how="diagonal"))


def _capped(curve: Curve, sides: pl.DataFrame) -> pl.Series:
    if not isinstance(curve, Linear):
        return pl.zeros(sides.height, dtype=pl.UInt32, eager=True)
    D = sides["rating"] - sides["opponent_rating"]
    return (D.abs() > curve.cap).cast(pl.UInt32)


def _rules(system: Elo) -> pl.Series:
    """Return what a step says: two texts a level of K, the second for a difference that is capped."""
    how = f"{system.curve.name} curve"
    cap = (
        f", difference counted as {system.curve.cap:g}" if isinstance(system.curve, Linear) else ""
    )
    return pl.Series(
        [f"{why}; {how}{more}; {FORMULA}" for why in system.k.reasons for more in ("", cap)],
        dtype=pl.String,
    )
