"""The usual tie-breaks, from games that were played.

Byes and forfeits count for points and so for the progressive score, and for nothing else here: there
is no opponent whose points could be counted. FIDE's own rules for unplayed games are finer.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from arpad.model import Games

__all__ = ["TieBreaks", "tie_breaks"]


@dataclass(frozen=True, slots=True)
class TieBreaks:
    """One player's points and tie-breaks."""

    points: float
    direct: float
    """Points against those with the same total, if all of these have met one another; else 0."""
    wins: int
    sonneborn_berger: float
    """The points of those beaten, and half of those drawn with."""
    buchholz: float
    """The points of all opponents."""
    buchholz_cut: float
    """The same without the lowest."""
    progressive: float
    """The sum of the scores after every round."""

    def key(self) -> tuple[float, ...]:
        """Return what a standing is sorted by, best first."""
        return (
            -self.points,
            -self.direct,
            -self.wins,
            -self.sonneborn_berger,
            -self.buchholz_cut,
            -self.buchholz,
            -self.progressive,
        )


def tie_breaks(games: Games) -> dict[int, TieBreaks]:
    """Return everybody's points and tie-breaks."""
    points: dict[int, float] = defaultdict(float)
    results: dict[int, list[tuple[int, float]]] = defaultdict(list)
    by_round: dict[int, list[tuple[int, float]]] = defaultdict(list)
    numbers = games.table["round"].str.extract(r"^(\d{1,6})").cast(pl.Int64).to_list()
    numbered = None not in numbers
    for number, row in zip(numbers, games.table.iter_rows(named=True), strict=True):
        sides = [
            (row["white"], row["black"], row["score"]),
            (row["black"], row["white"], row["black_score"]),
        ]
        for player, opponent, share in sides:
            if player is None:
                continue
            points[player] += share or 0.0
            # Without rounds, somebody's third game is taken as the third round.
            when = number if numbered else len(by_round[player]) + 1
            by_round[player].append((when, share or 0.0))
            if opponent is not None and row["status"] in ("played", "unrated"):
                results[player].append((opponent, share))
    met = {p: {opponent for opponent, _ in results[p]} for p in points}
    level: dict[float, set[int]] = defaultdict(set)
    for player, total in points.items():
        level[total].add(player)
    whole = {t: all(group <= met[p] | {p} for p in group) for t, group in level.items()}
    rounds = sorted({number for own in by_round.values() for number, _ in own})
    return {
        p: _of(
            points[p], points, results[p], _running(by_round[p], rounds), decides=whole[points[p]]
        )
        for p in points
    }


def _of(
    own: float,
    points: dict[int, float],
    results: list[tuple[int, float]],
    progressive: float,
    *,
    decides: bool,
) -> TieBreaks:
    theirs = [points[opponent] for opponent, _ in results]
    return TieBreaks(
        points=own,
        direct=sum(
            (share for opponent, share in results if decides and points[opponent] == own), 0.0
        ),
        wins=sum(share == 1 for _, share in results),
        sonneborn_berger=sum(share * points[opponent] for opponent, share in results),
        buchholz=sum(theirs),
        buchholz_cut=sum(theirs) - min(theirs, default=0.0),
        progressive=progressive,
    )


def _running(own: list[tuple[int, float]], rounds: list[int]) -> float:
    """Return the sum of the scores after every round; a round without a game adds the score so far."""
    gained: dict[int, float] = defaultdict(float)
    for number, share in own:
        gained[number] += share
    running, total = 0.0, 0.0
    for number in rounds:
        running += gained.get(number, 0.0)
        total += running
    return total
