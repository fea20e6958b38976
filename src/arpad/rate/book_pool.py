"""Everybody's standing while Elo's procedure goes from event to event."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from arpad.rate.k_limits import sigma_p
from arpad.rate.sample_k import BySample, k_by_precision, most_k
from arpad.rate.sides import NEWCOMER_SPREAD
from arpad.rate.spread import chance_spread
from arpad.rate.start import first_given, known_before

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arpad.model import Games, Ratings
    from arpad.rate.book_event import Line
    from arpad.rate.elo_book import EloBook

__all__ = ["GROUPS", "BookPool", "Group"]

Group = Literal["unrated", "provisional", "early", "established"]
GROUPS: tuple[Group, ...] = ("unrated", "provisional", "early", "established")
"""In the order in which they are rated [3.71, 3.72]."""


class BookPool:
    """Ratings, games and what was given to whom."""

    def __init__(self, rules: EloBook, games: Games, before: Ratings | None) -> None:
        played = games.rateable()
        given = known_before(games, before, "rating")
        if rules.given:
            given = np.where(np.isnan(given), first_given(games, played), given)
        n = len(given)
        self.rules = rules
        self.known = ~np.isnan(given)
        self.first = given
        begun = known_before(games, before, "so_far")
        self.rating: list[float] = np.where(self.known, given, begun).tolist()
        counts = known_before(games, before, "total_games")
        # Who comes with a rating, and nothing says how many games it rests on, is established.
        counts = np.where(
            np.isnan(counts), np.where(self.known, rules.established_games, 0), counts
        )
        self.total: list[int] = counts.astype(int).tolist()
        self.sure = self.known & (np.array(self.total) >= rules.established_games)
        self.topped = [r >= self._top for r in self.rating]
        years = games.players["birth"].str.slice(0, 4).cast(pl.Int32, strict=False)
        self.births: list[int | None] = years.to_list()
        self.games = [0] * n
        self.by_formula = [0] * n
        self.bonus = [0.0] * n
        self.feedback = [0.0] * n
        self.exceptional = [0] * n
        self.score = [0.0] * n
        self.k: list[float | None] = [None] * n
        self._elsewhere = _elsewhere(games, before)

    @property
    def _top(self) -> float:
        return math.inf if isinstance(self.rules.k, BySample) else self.rules.k.top

    def unrated(self, player: int) -> bool:
        """Say whether a player has no rating that would be listed."""
        return not self.known[player] and self.total[player] < self.rules.least_games

    def group(self, player: int, year: int | None) -> Group:
        """Return which group a player is rated with."""
        rules = self.rules
        if self.unrated(player):
            return "unrated"
        if self.total[player] < rules.established_games:
            return "provisional"
        born = self.births[player]
        young = year is not None and born is not None and year - born < rules.junior_age
        return "early" if young or self.rating[player] < rules.novice_below else "established"

    def level(self) -> float:
        """Return the median of the pool, or the start rating where there is no pool yet."""
        rating = np.array(self.rating)
        listed = self.known | (np.array(self.total) >= self.rules.least_games)
        everybody = np.append(rating[listed & ~np.isnan(rating)], self._elsewhere)
        return float(np.median(everybody)) if everybody.size else self.rules.start

    def k_of(self, player: int, rating: float, total: int, sample: int) -> float:
        """Return K for a player with so many games before, and so many to be rated."""
        policy = self.rules.k
        if isinstance(policy, BySample):
            return k_by_precision(sample, policy.old_games)
        if total < self.rules.established_games:
            return most_k(policy)  # the largest until the rating is established [3.76]
        return policy.k(rating, total, self.topped[player])

    def take(self, lines: Iterable[Line]) -> None:
        """Close an event."""
        for line in lines:
            p = line.player
            self.rating[p] = line.after
            self.total[p] += line.games
            self.games[p] += line.games
            self.score[p] += line.score
            self.by_formula[p] += 0 if line.k is None else line.games
            self.k[p] = line.k if line.k is not None else self.k[p]
            self.topped[p] = self.topped[p] or line.after >= self._top
            self.bonus[p] += line.bonus
            self.feedback[p] += line.feedback
            self.exceptional[p] += line.exceptional

    def rows(self, games: Games) -> pl.DataFrame:
        """Return the list."""
        everybody = range(len(self.rating))
        hidden = [self.unrated(p) for p in everybody]
        shown = [
            None if h or math.isnan(r) else r for r, h in zip(self.rating, hidden, strict=True)
        ]
        before = pl.Series(self.first, dtype=pl.Float64).fill_nan(None)
        ratings = pl.Series("rating", shown, dtype=pl.Float64)
        return pl.DataFrame(
            {
                "player": games.players["name"],
                "id": games.players["id"],
                "rating": ratings,
                "error": self._errors(),
                "games": pl.Series(self.games, dtype=pl.Int64),
                "before": before,
                "change": ratings - before,
                "status": pl.Series([self._status(p) for p in everybody], dtype=pl.String),
                "k": pl.Series(self.k, dtype=pl.Float64),
                "exceptional": pl.Series(self.exceptional, dtype=pl.Int64),
                "bonus": pl.Series(self.bonus, dtype=pl.Float64),
                "feedback": pl.Series(self.feedback, dtype=pl.Float64),
                "so_far": self._so_far(hidden),
                "total_games": pl.Series(self.total, dtype=pl.Int64),
            }
        ).filter(pl.col("games") > 0)

    def _so_far(self, hidden: list[bool]) -> pl.Series:
        """Return what a next list goes on from where there are too few games for a rating."""
        begun = pl.Series(self.rating, dtype=pl.Float64).fill_nan(None)
        return begun.set(~pl.Series(hidden, dtype=pl.Boolean), None)

    def _status(self, player: int) -> str:
        if self.unrated(player):
            return "unrated"
        return "provisional" if self.total[player] < self.rules.established_games else "established"

    def _errors(self) -> pl.Series:
        """One standard deviation: σ_p of averaged games, that of chance under formula (2)."""
        if not self.rating:
            return pl.Series(dtype=pl.Float64)
        start = [
            self._at_entry(p, total - mine)
            for p, (total, mine) in enumerate(zip(self.total, self.by_formula, strict=True))
        ]
        K = np.array([k or 0.0 for k in self.k])
        mine = np.array(self.by_formula)
        return pl.Series(chance_spread(K, mine, np.array(start), self.rules.curve))

    def _at_entry(self, player: int, games: int) -> float:
        """Return σ where formula (2) took over: an established rating is taken as right."""
        if self.sure[player]:
            return 0.0
        return sigma_p(games) if games > 0 else NEWCOMER_SPREAD


def _elsewhere(games: Games, before: Ratings | None) -> list[float]:
    """Return the ratings of those on the earlier list who do not play here."""
    if before is None:
        return []
    here = set(games.players["id"].drop_nulls()) | set(games.players["name"])
    rows = before.rows.filter(pl.col("rating").is_not_null() & ~pl.col("player").is_in(list(here)))
    if "id" in rows.columns:
        rows = rows.filter(~pl.col("id").is_in(list(here)).fill_null(False))
    return [float(r) for r in rows["rating"]]
