"""The state of every player while FIDE's months go by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from arpad.model import schema
from arpad.rate.elo_reference import GAME_VARIANCE, chance_spread, slope
from arpad.rate.fide.rules import NEVER, FideRules, first_rating
from arpad.rate.list_system import by_player
from arpad.rate.periods import first_given
from arpad.scale import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arpad.rate.fide.system import FideRecord
    from arpad.rate.list_system import Entrants


# What FIDE's next list must know of a player beyond rating and games.
#
# An event that began before the newest list is rated from an older one, so up to three lists are kept, and
# games that wait for a first rating.

MEMORY: dict[str, Any] = {
    "lists": pl.List(
        pl.Struct(
            {
                "month": pl.Int32,  # null: in force from the first
                "rating": pl.Float64,
                "topped": pl.Boolean,  # some list had reached the bound of K 10
                "reached": pl.Boolean,  # some list had reached the juniors' bound
                "total": pl.Int64,  # games so far
            }
        )
    ),
    "waiting": pl.List(
        pl.Struct(
            {
                "month": pl.Int32,  # null: not known
                "opponent_rating": pl.Float64,
                "score": pl.Float64,
                "event": pl.Int32,  # numbered from 0 for each player
            }
        )
    ),
}
WAITING = schema(
    {
        "player": pl.Int32,
        "opponent_rating": pl.Float64,
        "score": pl.Float64,
        "month": pl.Int32,
        "event": pl.Int32,  # below 0: of an earlier call
        "here": pl.Boolean,  # played in the games that are being rated
    }
)
"""Games that wait for a first rating."""
EVER = NEVER - 1
"""The month of a list that was in force from the first."""


@dataclass(frozen=True, slots=True)
class PublishedList:
    """The list in force from the first of a month on: ratings, and the facts that K depends on."""

    month: int
    ratings: NDArray[np.float64]
    topped: NDArray[np.bool_]
    reached: NDArray[np.bool_]
    total: NDArray[np.int64]

    def rows(self, month: int | None) -> pl.DataFrame:
        """Return everybody's entry, under a month."""
        return pl.DataFrame(
            {
                "player": np.arange(len(self.ratings), dtype=np.int32),
                "month": pl.Series([month], dtype=pl.Int32).new_from_index(0, len(self.ratings)),
                "rating": pl.Series(self.ratings).fill_nan(None),
                "topped": self.topped,
                "reached": self.reached,
                "total": self.total,
            }
        )

    def same(self, other: PublishedList) -> NDArray[np.bool_]:
        """Say of everybody whether the entry is that of another list."""
        result = (self.ratings == other.ratings) | (np.isnan(self.ratings) & np.isnan(other.ratings))
        result &= (self.topped == other.topped) & (self.reached == other.reached)
        return np.asarray(result & (self.total == other.total))


def month_text(month: int) -> str:
    """Return a month, counted from the year 0, as 2026-02; a hyphen for none."""
    return "-" if month < 0 else f"{(month - 1) // 12:04d}-{(month - 1) % 12 + 1:02d}"


def remembered(lists: list[PublishedList], waiting: pl.DataFrame) -> dict[str, pl.Series]:
    """Return the columns of `MEMORY`; `lists` in their order, the newest last."""
    newest = lists[-1]
    old = [each for each in lists if each.month <= newest.month - 2][-1:]
    kept = old + [each for each in lists if each.month > newest.month - 2]
    parts = []
    for i, each in enumerate(kept):
        label = each.month if i or len(kept) == 1 else EVER
        rows = each.rows(None if label < 0 else label)
        if i + 1 < len(kept):
            # Said already by the entry before it, or by all the later ones.
            others = kept[i - 1 : i] if i else kept[1:]
            rows = rows.filter(pl.Series(~np.all([each.same(other) for other in others], axis=0)))
        parts.append(rows)
    games = (
        waiting.with_row_index("at")
        .with_columns(
            pl.col("at").first().over("player", "event").alias("first"),
            pl.when(pl.col("month") >= 0).then("month").alias("month"),
        )
        .with_columns(
            pl.when(pl.col("event").is_not_null())
            .then(pl.col("first").rank("dense").cast(pl.Int32).over("player") - 1)
            .alias("event")
        )
    )
    n = len(newest.ratings)
    rows_of = {"lists": pl.concat(parts), "waiting": games}
    return {name: by_player(rows_of[name], kind, n) for name, kind in MEMORY.items()}


def remember(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return earlier lists and waiting games of players: `player` with the fields of `MEMORY`."""
    number = pl.int_range(pl.len(), dtype=pl.Int32).alias("player")
    lists, waiting = (rows.select(number, name).drop_nulls().explode(name).unnest(name) for name in MEMORY)
    return lists.with_columns(pl.col("month").fill_null(EVER)), waiting.select(
        "player",
        "opponent_rating",
        "score",
        pl.col("month").fill_null(NEVER),
        (-2 - pl.col("event")).alias("event"),
        pl.lit(value=False).alias("here"),
    ).cast(WAITING)


# Everybody's state while FIDE's months go by: ratings, K, games that wait for a first rating.

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
        """Players who have played at all, even if only against unrated players."""
        self.fresh = pl.Series([], dtype=pl.Int32)
        """Players with new games that wait for a first rating, in this month."""

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
            self.record.rated(rows, expected=expected, k=k, change=change, capped=capped != D, n=n[player])

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
        why = np.select([now.topped, junior, now.total < self.rules.new_games], [0, 1, 2], default=3)
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
            result = first_rating([(R, s) for R, s, _, _ in counted], self.rules)
            if result is None or result.rating is None:
                continue
            self.ratings[player] = result.rating
            self.total[player] = len(counted)
            self.games[player] += sum(here for *_, here in counted)
            self.score[player] += sum(s for _, s, _, here in counted if here)
            rated_now.append((player, result, len(played) - len(counted)))
        if self.record:
            self.record.first(rated_now)
        rated = pl.Series(~np.isnan(self.ratings))
        self.waiting = self.waiting.filter(~rated.gather(self.waiting["player"]))
        self.fresh = self.fresh.clear()

    def rows(self) -> tuple[pl.DataFrame, NDArray[np.bool_]]:
        """Return everybody's row, and who is listed: with a game that counts, or with a rating that is new."""
        rated = ~np.isnan(self.ratings)
        new = rated & np.isnan(self.first)
        fell = ~rated & ~np.isnan(self.first)
        k = np.where(self.k > 0, self.k, self.rules.k_normal).astype(float)
        error = chance_spread(k, self.games, self.doubt, _TABLE)
        # A first rating is a performance over n games: σ / (slope √n).
        first = GAME_VARIANCE**0.5 / (slope(_TABLE) * np.sqrt(np.maximum(self.total, 1)))
        error = np.where(rated, np.where(new, first, error), np.nan)
        waited = np.bincount(self.waiting.filter("here")["player"], minlength=len(self.ratings))
        status = np.select([new, fell, rated], ["new", "below the floor", "rated"], default="unrated")
        rows = pl.DataFrame(
            {
                "rating": pl.Series(self.ratings).fill_nan(None),
                "error": pl.Series(error).fill_nan(None),
                "games": self.games + waited,
                "before": pl.Series(self.first).fill_nan(None),
                "change": pl.Series(self.ratings - self.first).fill_nan(None),
                "k": pl.Series(self.k).replace(0, None),
                "score": pl.Series(np.where(self.games > 0, self.score, np.nan)).fill_nan(None),
                "expected": pl.Series(np.where(self.k > 0, self.expected, np.nan)).fill_nan(None),
                "status": pl.Series(status),
                **remembered(self.lists, self.waiting),
                "total_games": self.total,
            }
        )
        arrived = self.seen & rated & ~self.listed
        return rows, (rows["games"].to_numpy() > 0) | arrived


def _without_zero_start(played: list[tuple[float, float, int, bool]]) -> list[tuple[float, float, int, bool]]:
    """8.2.1: a zero score in the first event is disregarded."""
    first = played[0][2]
    blank = sum(score for _, score, event, _ in played if event == first) == 0
    return [game for game in played if not (blank and game[2] == first)]


# Everybody before FIDE's first month: from an earlier list, from the source, or unrated.

LOOK_BACK = 2
"""Months before the one in which it closes in which an event of 31 days may have begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FideStart:
    """Everybody's state before the first game.

    Parameters
    ----------
    listed
        Who has the rating from an earlier list, or has none by it.
    births
        Years, NaN where not known.
    doubt
        Standard deviation, in points, of each rating as an earlier list has it; 0 where it says nothing.
    lists
        The lists in force, oldest first; the last one is the present.
    waiting
        Games of the unrated, as in `WAITING`.
    opens
        The month of the newest list: no month before it takes any more changes.
    """

    listed: NDArray[np.bool_]
    births: NDArray[np.float64]
    doubt: NDArray[np.float64]
    lists: list[PublishedList]
    waiting: pl.DataFrame
    opens: int


def starting(here: Entrants, played: pl.DataFrame, rules: FideRules, *, established: bool) -> FideStart:
    """Return where everybody starts.

    A player who has fallen below the floor on an earlier list stays unrated, whatever the source gives. One
    who was never rated starts from the first rating that the source gives.
    """
    history, waiting = remember(here.rows)
    listed = here.figures("rating")
    last = history.group_by("player", maintain_order=True).last()
    had = np.zeros(len(listed), dtype=np.bool_)
    rated_once = pl.col("rating").is_not_null() | (pl.col("total") > 0)
    had[history.filter(rated_once)["player"].to_numpy()] = True
    ratings = np.where(np.isnan(listed) & ~had, first_given(here.games, played), listed)
    total = np.where(np.isnan(ratings), 0, rules.new_games if established else 0)
    births = _birth_years(here.games.players["birth"])
    if "birth" in here.rows.columns:
        births = np.where(np.isnan(births), _birth_years(here.rows["birth"]), births)
    opens = max(history["month"].to_list(), default=EVER)
    present = _present(here, rules, ratings, total, last, adult=np.isnan(births))
    return FideStart(
        listed=~np.isnan(listed) | had,
        births=births,
        doubt=np.nan_to_num(np.abs(here.figures("error"))),
        lists=_lists(history, present, max([*played["close"].head(1), opens])),
        waiting=waiting.filter(pl.Series(np.isnan(ratings)).gather(waiting["player"])),
        opens=opens,
    )


def _present(
    here: Entrants,
    rules: FideRules,
    ratings: NDArray[np.float64],
    total: NDArray[np.int64],
    last: pl.DataFrame,
    *,
    adult: NDArray[np.bool_],
) -> PublishedList:
    """Return the present as a list: games and K as far as an earlier list tells them."""
    totals, given = here.figures("total_games"), here.figures("k")
    given = np.where(np.isnan(given), here.games.players["k"].to_numpy().astype(np.float64), given)
    topped, reached = ratings >= rules.top, ratings >= rules.junior_below
    knows = np.zeros(len(ratings), dtype=np.bool_)
    rows = last["player"].to_numpy()
    knows[rows] = True
    topped[rows] |= last["topped"].to_numpy()
    reached[rows] |= last["reached"].to_numpy()
    # Lists that say nothing of earlier ones may still show K.
    topped |= ~knows & (given == rules.k_top)
    total = np.where(np.isnan(totals), total, totals).astype(np.int64)
    new = (given == rules.k_new) & adult & np.isnan(totals) & ~np.isnan(ratings)
    return PublishedList(EVER, ratings, topped, reached, np.where(new, 0, total))


def _lists(history: pl.DataFrame, present: PublishedList, closing: int) -> list[PublishedList]:
    """Return the lists that events closing from `closing` on may be rated from, the present last."""
    if history.is_empty() or closing <= NEVER:  # play without dates goes on from the present
        return [_copy(present, EVER)]
    # What the earlier list says now stands for the newest of its lists, though it be put right by hand.
    old = history.filter(pl.col("player").is_duplicated() & ~_is_last())
    newest = history.filter(_is_last())
    months = sorted(m for m in history["month"].unique() if m > closing - LOOK_BACK)
    lists = []
    for month in [EVER, *months]:
        until = closing - LOOK_BACK if month == EVER else month
        current = newest.filter(pl.col("month") <= until)["player"]
        behind = old.filter(~pl.col("player").is_in(current.implode()))
        first = pl.col("month") == pl.col("month").min().over("player")
        row = behind.filter((pl.col("month") <= until) | first).group_by("player", maintain_order=True).last()
        lists.append(_with(present, month, row))
    return lists


def _is_last() -> pl.Expr:
    return pl.int_range(pl.len()).over("player") == pl.len().over("player") - 1


def _copy(present: PublishedList, month: int) -> PublishedList:
    return PublishedList(
        month, present.ratings.copy(), present.topped.copy(), present.reached.copy(), present.total.copy()
    )


def _with(present: PublishedList, month: int, rows: pl.DataFrame) -> PublishedList:
    """Return the present with some players as an older list had them."""
    at, result = rows["player"].to_numpy(), _copy(present, month)
    arrays = [result.ratings, result.topped, result.reached, result.total]
    columns = (rows["rating"].fill_null(float("nan")), rows["topped"], rows["reached"], rows["total"])
    for array, column in zip(arrays, columns, strict=True):
        array[at] = column.to_numpy()
    return result


def _birth_years(births: pl.Series) -> NDArray[np.float64]:
    years = births.cast(pl.String).str.slice(0, 4).cast(pl.Float64, strict=False)
    return years.to_numpy().astype(np.float64, copy=True)
