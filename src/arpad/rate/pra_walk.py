"""PRA day by day: games in their order, and the population's mean put right every night.

`pra_kernels.rate_days` does the same on arrays; a property test says that they agree exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from arpad.rate.event_order import has_rounds, one_event_in_order
from arpad.rate.periods import period_numbers
from arpad.rate.pra_reference import PraPlayer, basic, boost

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arpad.model import Games
    from arpad.rate.pra_reference import Boosting

__all__ = ["Anchor", "in_order", "walk"]


@dataclass(slots=True, kw_only=True)
class Anchor:
    """The population's points [PRA (1, 2)].

    Parameters
    ----------
    target
        What the mean is brought back to; NaN: to what everybody brought.
    surplus
        Points that the population has beyond that.
    population
        How many are in it.
    shift
        By how much everybody was moved so far. Ratings are kept without it, so that a night costs
        nothing, however many they are; and a shift is no trend.
    """

    target: float
    surplus: float = 0.0
    population: float = 0.0
    shift: float = 0.0

    def enter(self, player: PraPlayer) -> None:
        """Take in somebody with the rating that he brings."""
        self.population += 1
        if not math.isnan(self.target):
            self.surplus += player.rating - self.target
        player.rating -= self.shift

    def night(self) -> None:
        """Add adj = −surplus/N to everybody's rating [2]."""
        self.shift -= self.surplus / self.population
        self.surplus = 0.0


def walk(
    games: Iterable[tuple[int, int, float, int]],
    players: Sequence[PraPlayer],
    inside: list[bool],
    anchor: Anchor | None,
    *,
    k: float,
    constants: Boosting,
    told: list[tuple[float, ...]] | None = None,
) -> list[float]:
    """Rate the games; return the points that each player was boosted by.

    Players change along the way; at the end `anchor.shift` is to be added to all who are inside.

    Parameters
    ----------
    games
        White, Black, White's score and the number of the day, in order.
    inside
        Who is in the population already; everybody else enters with the first game.
    anchor
        None: the mean goes where it goes.
    told
        Gets a row a game: the shift so far, both ratings before it (without the shift), both boosts.
    """
    leaps = [0.0] * len(players)
    today: int | None = None
    for white, black, score, day in games:
        if anchor and today is not None and day != today:
            anchor.night()
        today = day
        for p in (white, black):
            if anchor and not inside[p]:
                anchor.enter(players[p])
            inside[p] = True
        one, other = players[white], players[black]
        before = (one.rating, other.rating)
        R_w, R_b = basic(*before, score, k=k)
        one.rating, other.rating = boost(one, R_w, constants), boost(other, R_b, constants)
        leaps[white] += one.rating - R_w
        leaps[black] += other.rating - R_b
        if anchor:
            anchor.surplus += (one.rating - R_w) + (other.rating - R_b)
        if told is not None:
            shift = anchor.shift if anchor else 0.0
            told.append((shift, *before, one.rating - R_w, other.rating - R_b))
    if anchor and today is not None:
        anchor.night()
    return leaps


def in_order(games: Games) -> tuple[pl.DataFrame, pl.Series]:
    """Return the games that were played in the order that PRA takes them, and the number of each one's day.

    One event all of whose games have a round: by round, then by board. Otherwise by date, event, round
    and board: also where dates are known and somebody has two games in a round, as rounds do that begin
    anew every season. Games without a date stay in the day of those before them.
    """
    played = games.rateable()
    if not has_rounds(played) or _begin_anew(played):
        played, days = period_numbers(played, "day")
        return played, days.fill_null(0)  # no dates at all: one day
    played = one_event_in_order(played).drop("when", "certain")
    # A game of round 3 that was played early belongs to the days of round 3.
    latest = played.select(pl.col("date").forward_fill().cum_max()).to_series().cast(pl.Int32)
    return played, latest.fill_null(-(2**31)).rank("dense").cast(pl.Int64)


def _begin_anew(played: pl.DataFrame) -> bool:
    """Say whether dates are known and somebody plays twice in a round, as where seasons share a table."""
    if not played["date"].is_not_null().any():
        return False
    number = pl.col("round").str.extract(r"^\s*(\d{1,6})")
    sides = (played.select(pl.col(side).alias("player"), number) for side in ("white", "black"))
    return bool(pl.concat(sides).is_duplicated().any())
