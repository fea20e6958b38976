"""Everybody's state while FIDE's months go by: ratings, K, games that wait for a first rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.fide_calendar import NEVER
from arpad.rate.fide_rules import FideRules, initial_rating
from arpad.rate.spread import GAME_VARIANCE, chance_spread, slope
from arpad.rate.start import first_given, known_before
from arpad.scale import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games, Ratings

__all__ = ["Pool", "PublishedList"]

_TABLE = Table()


@dataclass(frozen=True, slots=True)
class PublishedList:
    """What is in force from the first of a month on: the ratings, and what K depends on."""

    month: int
    ratings: NDArray[np.float64]
    topped: NDArray[np.bool_]
    reached: NDArray[np.bool_]
    total: NDArray[np.int64]


class Pool:
    """Everybody's state while the months go by."""

    def __init__(
        self,
        rules: FideRules,
        ratings: NDArray[np.float64],
        births: NDArray[np.float64],
        *,
        established: bool,
    ) -> None:
        n = len(ratings)
        self.rules = rules
        self.ratings = ratings  # NaN: unrated
        self.first = ratings.copy()
        self.births = births
        self.total = np.full(n, rules.new_games if established else 0, dtype=np.int64)
        self.total[np.isnan(ratings)] = 0
        self.topped = ratings >= rules.top
        self.reached = ratings >= rules.junior_below
        self.change = np.zeros(n)
        self.games = np.zeros(n, dtype=np.int64)
        self.score = np.zeros(n)
        self.expected = np.zeros(n)
        self.k = np.zeros(n, dtype=np.int64)
        self.month: int = NEVER
        self.lists: list[PublishedList] = []
        self.part: list[pl.DataFrame] = []
        self.waiting = pl.DataFrame(
            schema={"player": pl.Int32, "opponent": pl.Float64, "score": pl.Float64,
                    "month": pl.Int32, "event": pl.Int32}
        )  # fmt: skip

    @classmethod
    def start(
        cls,
        games: Games,
        played: pl.DataFrame,
        before: Ratings | None,
        rules: FideRules,
        *,
        established: bool,
    ) -> Pool:
        """Return the pool before its first game."""
        ratings = known_before(games, before, "rating")
        ratings = np.where(np.isnan(ratings), first_given(games, played), ratings)
        births = _birth_years(games.players["birth"])
        if before is not None and "birth" in before.rows.columns:
            births = np.where(
                np.isnan(births), _birth_years(before.lookup(games.players, "birth")), births
            )
        pool = cls(rules, ratings, births, established=established)
        pool._take_state(games, before)
        if played.height:
            pool.month = int(played["close"][0])
        return pool

    def _take_state(self, games: Games, before: Ratings | None) -> None:
        """Games played and K, as far as an earlier list tells them."""
        totals = known_before(games, before, "total_games")
        self.total = np.where(np.isnan(totals), self.total, totals).astype(np.int64)
        given = known_before(games, before, "k")
        given = np.where(np.isnan(given), games.players["k"].to_numpy().astype(np.float64), given)
        self.topped |= given == self.rules.k_top
        adult = np.isnan(self.births)
        self.total = np.where(
            (given == self.rules.k_new) & adult & np.isnan(totals) & ~np.isnan(self.ratings),
            0,
            self.total,
        )

    def publish_until(self, month: int) -> None:
        """Close the months before `month`, each with its list."""
        if not self.lists:
            self.lists.append(self._list(NEVER - 1))
        if month > self.month:
            self._close()
            self.lists.append(self._list(self.month + 1))
            self.month = month
            # No event that is rated as a whole began longer ago than the oldest of these.
            while len(self.lists) > 1 and self.lists[1].month < month - 2:
                del self.lists[0]

    def _list(self, month: int) -> PublishedList:
        return PublishedList(
            month, self.ratings.copy(), self.topped.copy(), self.reached.copy(), self.total.copy()
        )

    def _in_force(self, month: int) -> PublishedList:
        """Return the latest list made by the beginning of a month."""
        return next((each for each in reversed(self.lists) if each.month <= month), self.lists[0])

    def take(self, part: pl.DataFrame) -> None:
        """Rate the games that close in this month."""
        sides = []
        part = part.with_columns(pl.int_range(pl.len()).alias("at"))
        for (month,), rows in part.group_by("list", maintain_order=True):
            now = self._in_force(int(month))
            k = self._k(now, int(month))
            white, black = rows["white"].to_numpy(), rows["black"].to_numpy()
            score = rows["score"].to_numpy()
            for player, opponent, points in ((white, black, score), (black, white, 1 - score)):
                sides.append(
                    pl.DataFrame(
                        {
                            "player": player,
                            "rating": now.ratings[player],
                            "k": k[player],
                            "opponent": now.ratings[opponent],
                            "score": points,
                            "month": rows["close"],
                            "event": rows["event"],
                            "at": rows["at"],
                        }
                    )
                )
        # Only games against rated opponents count, for anybody [8.2, 8.3.1].
        both = (
            pl.concat(sides).filter(pl.col("opponent").is_not_nan()).sort("at", maintain_order=True)
        )
        self._rate(both.filter(pl.col("rating").is_not_nan()))
        self._wait(both.filter(pl.col("rating").is_nan()))

    def _rate(self, rows: pl.DataFrame) -> None:
        if rows.is_empty():
            return
        player, rating, opponent = (rows[c].to_numpy() for c in ("player", "rating", "opponent"))
        D = rating - opponent
        capped = np.clip(D, -self.rules.cap, self.rules.cap)
        if self.rules.cap_exempt is not None:
            capped = np.where(rating >= self.rules.cap_exempt, D, capped)
        if self.rules.cap_once:
            size = pl.Series("size", np.abs(D))
            event = pl.col("event").fill_null(-1)
            greatest = rows.with_columns(size).select(
                pl.col("size").rank("ordinal", descending=True).over("player", event) == 1
            )
            capped = np.where(greatest.to_series().to_numpy(), capped, D)
        expected = np.asarray(_TABLE.expected(capped))
        score = rows["score"].to_numpy()
        everybody = len(self.ratings)
        n = np.bincount(player, minlength=everybody)
        k = np.minimum(rows["k"].to_numpy(), self.rules.k_limit // np.maximum(n, 1)[player])
        self.change += np.bincount(player, weights=k * (score - expected), minlength=everybody)
        self.k[player] = k
        self.games += n
        self.total += n
        self.score += np.bincount(player, weights=score, minlength=everybody)
        self.expected += np.bincount(player, weights=expected, minlength=everybody)

    def _k(self, now: PublishedList, month: int) -> NDArray[np.int64]:
        # Without a date nobody's age is known, and nobody is a junior.
        year = (month - 1) // 12 if month != NEVER else 10**6
        junior = (year - self.births <= self.rules.junior_age) & ~now.reached
        levels: NDArray[np.int64] = np.select(
            [now.topped, junior, now.total < self.rules.new_games],
            [self.rules.k_top, self.rules.k_junior, self.rules.k_new],
            default=self.rules.k_normal,
        ).astype(np.int64)
        return levels

    def _wait(self, rows: pl.DataFrame) -> None:
        """Keep the games of the unrated; rate those who have enough of them."""
        if rows.is_empty():
            return
        new = rows.select(self.waiting.columns).cast(self.waiting.schema)
        self.waiting = pl.concat([self.waiting, new]).filter(
            pl.col("month") > self.month - self.rules.window_months
        )

    def _close(self) -> None:
        whole = np.floor(np.round(np.abs(self.change), 9) + 0.5) * np.sign(self.change)
        self.ratings = self.ratings + whole
        self.change = np.zeros_like(self.change)
        fallen = self.ratings < self.rules.floor
        self.ratings[fallen] = np.nan
        self._first_ratings()
        with np.errstate(invalid="ignore"):
            self.topped |= self.ratings >= self.rules.top
            self.reached |= self.ratings >= self.rules.junior_below

    def _first_ratings(self) -> None:
        """Rate those of the unrated who have enough games [8.2]."""
        enough = pl.len().over("player") >= self.rules.min_games
        ready = self.waiting.filter(enough)
        # Plain lists: thousands of frames of a few rows each would cost far more.
        games: dict[int, list[tuple[float, float, int]]] = {}
        for player, *game in ready.select("player", "opponent", "score", "event").iter_rows():
            games.setdefault(player, []).append(tuple(game))
        for player, played in games.items():
            results = _without_zero_start(played)
            rating = initial_rating(results, self.rules)
            if rating is not None:
                self.ratings[player] = rating
                self.total[player] = len(results)
                self.games[player] += len(results)
                self.score[player] += sum(s for _, s in results)
        rated = pl.Series(~np.isnan(self.ratings))
        self.waiting = self.waiting.filter(~rated.gather(self.waiting["player"]))

    def rows(self, games: Games) -> pl.DataFrame:
        """Return a row a player."""
        rated = ~np.isnan(self.ratings)
        new = rated & np.isnan(self.first)
        fell = ~rated & ~np.isnan(self.first)
        k = np.where(self.k > 0, self.k, self.rules.k_normal).astype(float)
        error = chance_spread(k, self.games, np.zeros(len(new)), _TABLE)
        # A first rating is a performance over n games: σ / (slope √n).
        first = GAME_VARIANCE**0.5 / (slope(_TABLE) * np.sqrt(np.maximum(self.games, 1)))
        error = np.where(rated, np.where(new, first, error), np.nan)
        waited = np.bincount(self.waiting["player"], minlength=len(self.ratings))
        status = np.select(
            [new, fell, rated], ["new", "below the floor", "rated"], default="unrated"
        )
        return pl.DataFrame(
            {
                "player": games.players["name"],
                "id": games.players["id"],
                "rating": pl.Series(self.ratings).fill_nan(None),
                "error": pl.Series(error).fill_nan(None),
                "games": self.games + waited,
                "before": pl.Series(self.first).fill_nan(None),
                "change": pl.Series(self.ratings - self.first).fill_nan(None),
                "k": pl.Series(self.k).replace(0, None),
                "score": pl.Series(np.where(self.games > 0, self.score, np.nan)).fill_nan(None),
                "expected": pl.Series(np.where(self.k > 0, self.expected, np.nan)).fill_nan(None),
                "status": pl.Series(status),
                "total_games": self.total,
            }
        )


def _birth_years(births: pl.Series) -> NDArray[np.float64]:
    years = births.cast(pl.String).str.slice(0, 4).cast(pl.Float64, strict=False)
    return years.to_numpy().astype(np.float64, copy=True)


def _without_zero_start(played: list[tuple[float, float, int]]) -> list[tuple[float, float]]:
    """8.2.1: a zero score in the first event is disregarded."""
    first = played[0][2]
    blank = sum(score for _, score, event in played if event == first) == 0
    return [
        (opponent, score) for opponent, score, event in played if not (blank and event == first)
    ]
