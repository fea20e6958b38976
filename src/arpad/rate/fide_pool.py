"""Everybody's state while FIDE's months go by: ratings, K, games that wait for a first rating."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from arpad.rate.fide_calendar import NEVER
from arpad.rate.fide_carried import PublishedList, write_carried
from arpad.rate.fide_rules import FideRules, first_rating
from arpad.rate.spread import GAME_VARIANCE, chance_spread, slope
from arpad.scale import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.model import Games
    from arpad.rate.fide_start import FideStart
    from arpad.rate.fide_steps import FideRecord

__all__ = ["Pool"]

_TABLE = Table()

SINCE = 4
"""Added to the number of a reason of K: rated since the event began [8.2.4]."""


class Pool:
    """Everybody's state while the months go by.

    Parameters
    ----------
    record
        What happens is written there, if it is given.
    """

    def __init__(
        self, rules: FideRules, start: FideStart, month: int, record: FideRecord | None = None
    ) -> None:
        now = start.lists[-1]
        n = len(now.ratings)
        self.rules = rules
        self.record = record
        self.listed = start.listed
        self.births = start.births
        self.doubt = start.doubt
        self.ratings = now.ratings.copy()  # NaN: unrated
        self.first = now.ratings.copy()
        self.total = now.total.copy()
        self.topped = now.topped.copy()
        self.reached = now.reached.copy()
        self.lists = start.lists
        self.waiting = start.waiting
        self.month = month
        self.change = np.zeros(n)
        self.games = np.zeros(n, dtype=np.int64)
        self.score = np.zeros(n)
        self.expected = np.zeros(n)
        self.k = np.zeros(n, dtype=np.int64)
        self.seen = np.zeros(n, dtype=np.bool_)
        """Who has played at all, though it be against unrated players only."""
        self.fresh = pl.Series([], dtype=pl.Int32)
        """Who has new games that wait for a first rating, in this month."""

    def publish_until(self, month: int) -> None:
        """Close the months before `month`, each with its list."""
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
        """Return the latest list made by the beginning of a month; without a date, the newest."""
        if month == NEVER:
            return self.lists[-1]
        return next((each for each in reversed(self.lists) if each.month <= month), self.lists[0])

    def take(self, part: pl.DataFrame) -> None:
        """Rate the games that close in this month."""
        sides = []
        part = part.with_columns(pl.int_range(pl.len()).alias("at"))
        for (month,), rows in part.group_by("list", maintain_order=True):
            now = self._in_force(int(month))
            own, k, why = self._own(now, int(month))
            white, black = rows["white"].to_numpy(), rows["black"].to_numpy()
            score = rows["score"].to_numpy()
            for player, opponent, points in ((white, black, score), (black, white, 1 - score)):
                sides.append(
                    rows.select(
                        pl.Series("player", player),
                        pl.Series("opponent", opponent),
                        pl.Series("rating", own[player]),
                        pl.Series("k", k[player]),
                        pl.Series("why", why[player]),
                        pl.Series("opponent_rating", now.ratings[opponent]),
                        pl.Series("score", points),
                        pl.col("close").alias("month"),
                        "list",
                        "event",
                        "row",
                        "at",
                    )
                )
                self.seen[player] = True
        both = pl.concat(sides).sort("at", maintain_order=True)
        # Only games against rated opponents count, for anybody [8.2, 8.3.1].
        counts = pl.col("opponent_rating").is_not_nan()
        if self.record:
            self.record.uncounted(both.filter(~counts))
        both = self._near(both.filter(counts))
        self._rate(both.filter(pl.col("rating").is_not_nan()))
        self._wait(both.filter(pl.col("rating").is_nan()))

    def _near(self, both: pl.DataFrame) -> pl.DataFrame:
        """Leave games out that are not rated because the two are too far apart."""
        if self.rules.gap is None:
            return both
        own, other = pl.col("rating"), pl.col("opponent_rating")
        far = own.is_not_nan() & ((own - other).abs() >= self.rules.gap)
        far &= pl.max_horizontal(own, other) > self.rules.gap_above
        if self.record:
            self.record.far(both.filter(far))
        return both.filter(~far)

    def _own(
        self, now: PublishedList, month: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Return everybody's own rating and K for events of a month, and why K.

        Those of the list in force when the event began. Who was unrated then and has a rating now is
        rated with that one; opponents still count such a player as unrated [8.2.4]. Who has fallen below
        the floor since is unrated.
        """
        (k, why), newest = self._k(now, month), self.lists[-1]
        since = np.isnan(now.ratings) & ~np.isnan(self.ratings)
        own = np.where(np.isnan(self.ratings) | since, self.ratings, now.ratings)
        if not since.any():
            return own, k, why
        k_since, why_since = self._k(newest, month)
        return own, np.where(since, k_since, k), np.where(since, why_since + SINCE, why)

    def _rate(self, rows: pl.DataFrame) -> None:
        if rows.is_empty():
            return
        player, rating = rows["player"].to_numpy(), rows["rating"].to_numpy()
        D = rating - rows["opponent_rating"].to_numpy()
        capped = self._capped(rows, rating, D)
        expected = np.asarray(_TABLE.expected(capped))
        score = rows["score"].to_numpy()
        everybody = len(self.ratings)
        n = np.bincount(player, minlength=everybody)
        k = np.minimum(rows["k"].to_numpy(), self.rules.k_limit // np.maximum(n, 1)[player])
        change = k * (score - expected)
        self.change += np.bincount(player, weights=change, minlength=everybody)
        self.k[player] = k
        self.games += n
        self.total += n
        self.score += np.bincount(player, weights=score, minlength=everybody)
        self.expected += np.bincount(player, weights=expected, minlength=everybody)
        if self.record:
            self.record.rated(
                rows, expected=expected, k=k, change=change, capped=capped != D, n=n[player]
            )

    def _capped(
        self, rows: pl.DataFrame, rating: NDArray[np.float64], D: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the differences as they count [8.3.1]."""
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
        return capped

    def _k(self, now: PublishedList, month: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return everybody's K, and which of the reasons of `FideRules.levels` it has."""
        # Without a date nobody's age is known, and nobody is a junior.
        year = (month - 1) // 12 if month != NEVER else 10**6
        junior = (year - self.births <= self.rules.junior_age) & ~now.reached
        why = np.select(
            [now.topped, junior, now.total < self.rules.new_games], [0, 1, 2], default=3
        )
        levels = np.array([k for k, _ in self.rules.levels], dtype=np.int64)
        return levels[why], why

    def _wait(self, rows: pl.DataFrame) -> None:
        """Keep the games of the unrated."""
        if rows.is_empty():
            return
        new = rows.with_columns(pl.lit(value=True).alias("here")).select(self.waiting.columns)
        self.waiting = pl.concat([self.waiting, new.cast(self.waiting.schema)]).filter(
            pl.col("month") > self.month - self.rules.window_months
        )
        self.fresh = new["player"].cast(pl.Int32).unique()
        if self.record:
            self.record.waiting(rows)

    def _close(self) -> None:
        whole = np.floor(np.round(np.abs(self.change), 9) + 0.5) * np.sign(self.change)
        if self.record:
            self.record.rounded(self.change, whole)
        self.ratings = self.ratings + whole
        self.change = np.zeros_like(self.change)
        fallen = self.ratings < self.rules.floor
        if self.record:
            self.record.fallen(np.flatnonzero(fallen), self.ratings)
        self.ratings[fallen] = np.nan
        self._first_ratings()
        with np.errstate(invalid="ignore"):
            self.topped |= self.ratings >= self.rules.top
            self.reached |= self.ratings >= self.rules.junior_below

    def _first_ratings(self) -> None:
        """Rate those of the unrated who have new games, and enough of them [8.2]."""
        mine = self.waiting.filter(pl.col("player").is_in(self.fresh.implode()))
        ready = mine.filter(pl.len().over("player") >= self.rules.min_games)
        # Plain lists: thousands of frames of a few rows each would cost far more.
        games: dict[int, list[tuple[float, float, int, bool]]] = {}
        columns = ("player", "opponent_rating", "score", "event", "here")
        for player, *game in ready.select(columns).iter_rows():
            games.setdefault(player, []).append(tuple(game))
        rated_now = []
        for player, played in games.items():
            counted = _without_zero_start(played)
            found = first_rating([(R, s) for R, s, _, _ in counted], self.rules)
            if found is None or found.rating is None:
                continue
            self.ratings[player] = found.rating
            self.total[player] = len(counted)
            self.games[player] += sum(here for *_, here in counted)
            self.score[player] += sum(s for _, s, _, here in counted if here)
            rated_now.append((player, found, len(played) - len(counted)))
        if self.record:
            self.record.first(rated_now)
        rated = pl.Series(~np.isnan(self.ratings))
        self.waiting = self.waiting.filter(~rated.gather(self.waiting["player"]))
        self.fresh = self.fresh.clear()

    def rows(self, games: Games) -> pl.DataFrame:
        """Return a row for everybody with a game that counts, or with a rating that is new here."""
        rated = ~np.isnan(self.ratings)
        new = rated & np.isnan(self.first)
        fell = ~rated & ~np.isnan(self.first)
        k = np.where(self.k > 0, self.k, self.rules.k_normal).astype(float)
        error = chance_spread(k, self.games, self.doubt, _TABLE)
        # A first rating is a performance over n games: σ / (slope √n).
        first = GAME_VARIANCE**0.5 / (slope(_TABLE) * np.sqrt(np.maximum(self.total, 1)))
        error = np.where(rated, np.where(new, first, error), np.nan)
        waited = np.bincount(self.waiting.filter("here")["player"], minlength=len(self.ratings))
        status = np.select(
            [new, fell, rated], ["new", "below the floor", "rated"], default="unrated"
        )
        rows = pl.DataFrame(
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
                "carried": write_carried(self.lists, self.waiting),
                "total_games": self.total,
            }
        )
        arrived = self.seen & rated & ~self.listed
        return rows.filter((pl.col("games") > 0) | pl.Series(arrived))


def _without_zero_start(
    played: list[tuple[float, float, int, bool]],
) -> list[tuple[float, float, int, bool]]:
    """8.2.1: a zero score in the first event is disregarded."""
    first = played[0][2]
    blank = sum(score for _, score, event, _ in played if event == first) == 0
    return [game for game in played if not (blank and game[2] == first)]
