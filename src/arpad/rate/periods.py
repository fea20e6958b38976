"""Rating periods: which games are rated together, and in which order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from arpad.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from arpad.model import Games

    Indicated = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
    """From numbers of games and shares of the points to rating differences."""

Period = Literal["game", "day", "month", "quarter", "year", "event"]
_DATE = pl.col("date").forward_fill()
_YEAR = _DATE.dt.year().cast(pl.Int64)
_NUMBER = {
    "day": _DATE.dt.epoch("d").cast(pl.Int64),
    "month": 12 * _YEAR + _DATE.dt.month(),
    "quarter": 4 * _YEAR + _DATE.dt.quarter(),
    "year": _YEAR,
}


def period_numbers(
    played: pl.DataFrame, period: Period, *, gaps: bool = False
) -> tuple[pl.DataFrame, pl.Series]:
    """Return games in the order of their periods, and the number of each game's period.

    An event takes its place by its first game. `gaps`: number the periods of the calendar without games too.
    """
    if period == "event":
        played = (
            played.with_columns(pl.int_range(pl.len()).alias("_first"))
            .with_columns(pl.col("_first").first().over(pl.col("event").fill_null(-1)))
            .sort("_first", maintain_order=True)
        )
        numbers = played["_first"].rank("dense").cast(pl.Int64) - 1
        return played.drop("_first"), numbers
    if period not in _NUMBER:
        raise UsageError(f"expected a period, one of game, {', '.join(_NUMBER)}, event; found {period!r}")
    known = played.select(_NUMBER[period].alias("period")).to_series()
    # Games before the first date are a period of their own.
    numbers = known.fill_null(strategy="min") - known.is_null().cast(pl.Int64)
    return played, numbers if gaps else numbers.rank("dense").cast(pl.Int64) - 1


# Rating periods on a line of time: which games go together, and how much time lies between them.
#
# Time is counted in periods. On the morning of a day this many have passed, and a fraction: a rating can be
# read on any day.

PERIODS = ("day", "month", "quarter", "year", "event", "game")
USUAL = "month"
LONGEST = 36_525
"""Days in the longest period that can be asked for: a century."""
_PARTS = {"month": 12, "quarter": 4, "year": 1}
MONDAY = date(1, 1, 1)
"""Origin of periods of several days; a Monday, so that 7 days are a week."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A calendar as a line of numbers.

    Examples
    --------
    >>> july = Clock("month").position(pl.Series([date(2016, 7, 1), date(2016, 7, 17)]))
    >>> (july - july[0]).round(3).tolist()
    [0.0, 0.516]
    """

    unit: str = USUAL
    days: int = 1
    """Length of a period where `unit` is "day"."""

    def position(self, days: pl.Series) -> NDArray[np.float64]:
        """Return how many periods have passed on the morning of each day, NaN for none."""
        # NumPy, not Polars: a walk asks for this every month, and the query engine takes longer than the games.
        each = days.cast(pl.Date).to_numpy().astype("datetime64[D]")
        if self.unit == "day":
            result = (each - np.datetime64(MONDAY)).astype(np.float64) / self.days
            return np.where(np.isnat(each), np.nan, result)
        parts = _PARTS[self.unit]
        number = each.astype("datetime64[M]").astype(np.int64) // (12 // parts)
        begin, end = (
            ((number + i) * (12 // parts)).astype("datetime64[M]").astype("datetime64[D]") for i in (0, 1)
        )
        gone = (each - begin).astype(np.float64) / (end - begin).astype(np.float64)
        return np.where(np.isnat(each), np.nan, number + 1970 * parts + gone)

    def at(self, when: date) -> float:
        """Return how many periods have passed on the morning of one day."""
        if self.unit == "day":
            return float(self.position(pl.Series([when], dtype=pl.Date))[0])
        parts = _PARTS[self.unit]
        index = when.year * parts + (when.month - 1) * parts // 12
        begin, end = self.begins(index), self.begins(index + 1)
        # The last period ends behind the last day that there is.
        length = (end - begin).days if end < date.max else (date.max - begin).days + 1
        return index + (when - begin).days / length

    def begins(self, index: int) -> date:
        """Return the first day of a period."""
        try:
            if self.unit == "day":
                return MONDAY + timedelta(days=index * self.days)
            parts = _PARTS[self.unit]
            return date(index // parts, index % parts * (12 // parts) + 1, 1)
        except (OverflowError, ValueError):  # past the year 9999
            return date.max


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Games in the order of their periods.

    Parameters
    ----------
    first
        Row of `played` where each period begins, and at last the number of rows.
    start, end
        When each period began and ended. An event or a single game takes no time.
    until
        When the ratings are read.
    on
        The day of that, None if the games have no dates.
    period
        What a period was; "all" where no date told one from another.
    """

    played: pl.DataFrame
    first: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    until: float
    on: date | None
    period: str
    clock: Clock


def day(value: str | date | None) -> date | None:
    """Return a day from what an option says: 2016-07-01."""
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise UsageError(f"expected a day such as 2016-07-01, found {value!r}") from None


def clock_of(period: str | int | None) -> Clock | None:
    """Return the calendar of a period; None for those that games or events make, which go by months."""
    text = USUAL if period is None else str(period).strip()
    if text.isdecimal() and 1 <= int(text) <= LONGEST:
        return Clock("day", int(text))
    if text not in PERIODS:
        raise UsageError(
            f"expected a period, one of {', '.join(PERIODS)}, or a number of days up to {LONGEST}; "
            f"found {period!r}"
        )
    return None if text in ("event", "game") else Clock(text)


def timeline(games: Games, *, period: str | int | None, on: date | None) -> Timeline:
    """Put the games that were played into periods.

    Parameters
    ----------
    period
        None: months; games without any date are one period.
    on
        Read the ratings on the morning of this day, from the games before it. The period that it cuts
        short counts with the time that has passed. None: at the end of the last period.
    """
    played = games.rateable()
    dated = played["date"].null_count() < played.height
    if played.height and not dated and period is not None and str(period) not in ("event", "game"):
        raise UsageError(f"the period {period!r} needs the date of the games, and none is given")
    if played.height and str(period) == "event" and played["event"].null_count() == played.height:
        raise UsageError("the period 'event' needs the event of the games, and none is given")
    # A game without a date stays with the one before it; the first ones with the first that has one.
    if played["date"].has_nulls():
        played = played.with_columns(pl.col("date").forward_fill().backward_fill().alias("_day"))
    else:
        played = played.hstack([played["date"].alias("_day")])
    if on is not None:
        played = _before(played, on, dated=dated)
    clock = clock_of(period)
    if not dated and clock is not None:
        return _undated(played, clock)
    if clock is not None:
        return calendar(played, clock, on)
    return _one_by_one(played, str(period), on, dated=dated)


def _before(played: pl.DataFrame, on: date, *, dated: bool) -> pl.DataFrame:
    if played.height and not dated:
        raise UsageError(f"ratings on {on} need the dates of the games, and none is given")
    kept = played.filter(pl.col("_day") < on)
    if played.height and not kept.height:
        raise UsageError(f"nobody has played before {on}: the first game is of {played['_day'].min()!s}")
    return kept


def _undated(played: pl.DataFrame, clock: Clock) -> Timeline:
    n = 1 if played.height else 0
    return Timeline(
        played=played.drop("_day"),
        first=np.array([0, played.height] if n else [0]),
        start=np.zeros(n),
        end=np.ones(n),
        until=1.0,
        on=None,
        period="all",
        clock=clock,
    )


def calendar(played: pl.DataFrame, clock: Clock, on: date | None) -> Timeline:
    """Put games in the order of play, each with its `_day`, into the periods of a calendar."""
    position = clock.position(played["_day"])
    first = _changes(np.floor(position))
    start = np.floor(position[first[:-1]])
    end = start + 1
    if on is None:
        on = clock.begins(int(end[-1]))
        until = float(end[-1])
    else:
        until = clock.at(on)
    return Timeline(
        played=played,
        first=first,
        start=start,
        end=np.minimum(end, until),
        until=until,
        on=on,
        period=clock.unit if clock.unit != "day" or clock.days == 1 else f"{clock.days} days",
        clock=clock,
    )


def _one_by_one(played: pl.DataFrame, period: str, on: date | None, *, dated: bool) -> Timeline:
    clock = Clock()
    if period == "event":
        # Games of no event go with those of the same day.
        lone = -2 - pl.col("_day").dt.epoch("d").fill_null(-1)
        played = (
            played.with_columns(pl.coalesce("event", lone).alias("_key"), _row=pl.int_range(pl.len()))
            .with_columns(pl.col("_row").first().over("_key").alias("_row"))
            .sort("_row", maintain_order=True)
        )
        first = _changes(played["_row"].to_numpy())
    else:
        first = np.arange(played.height + 1)
    start = clock.position(played["_day"])[first[:-1]] if dated else np.zeros(len(first) - 1)
    if dated and on is None and played.height:
        last: date = played["_day"].max()  # type: ignore[assignment]
        on = last + timedelta(days=1) if last < date.max else last
    if not dated and period == "event":  # nothing else tells how much time has passed
        start = np.arange(len(start), dtype=np.float64)
    end = start if dated or period == "game" else start + 1
    until = clock.at(on) if on is not None else float(end[-1]) if len(end) else 0.0
    return Timeline(
        played=played.drop("_day", "_key", "_row", strict=False),
        first=first,
        start=start,
        end=end,
        until=until,
        on=on,
        period=period,
        clock=clock,
    )


def _changes(values: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return where each run of equal values begins, and the length."""
    if not len(values):
        return np.zeros(1, dtype=np.int64)
    return np.asarray(np.r_[0, np.flatnonzero(values[1:] != values[:-1]) + 1, len(values)])


# The order of play within each event: by round and board where every game has a round, then by day.

ROUND = r"^(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?$"
"""A round, a board in it, a game at it: 4, 4.10 or 4.10.2."""


def in_order(table: pl.DataFrame) -> pl.DataFrame:
    """Sort games by `group`, and within it as they were played.

    P-Zero depends on the order. Rounds tell it best, then days where all are known; else the order of
    the source is all that there is. A play-off comes last. `when` is equal for games of which nothing
    tells which was first; `certain` says that all games have rounds, and nobody two games in one.
    """
    keys = [f"_{i}" for i in (1, 2, 3)]
    table = table.with_columns(_part(i).alias(f"_{i}") for i in (1, 2, 3))
    by_round = pl.col("_1").is_not_null().all().over("group")
    by_day = pl.col("exact").all().over("group")
    time = ("late", *keys, "_day")
    table = (
        table.with_columns(by_round.alias("by_round"), by_day.alias("_day"))
        .with_columns(
            *(pl.when("by_round").then(pl.col(c)).alias(c) for c in keys),
            pl.when("_day").then("date").alias("_day"),
        )
        .sort("group", *time, "row", nulls_last=False, maintain_order=True)
        .with_columns(pl.struct("group", *time).rle_id().cast(pl.Int64).alias("when"))
    )
    sides = pl.concat(table.select("group", "when", side).rename({side: "p"}) for side in ("white", "black"))
    twice = sides.filter(sides.is_duplicated())["group"].unique()
    certain = pl.col("by_round") & ~pl.col("group").is_in(twice.implode())
    return table.with_columns(certain.alias("certain")).drop(*keys, "_day", "by_round")


def one_event_in_order(played: pl.DataFrame) -> pl.DataFrame:
    """Sort the games of one event as they were played, with `when` and `certain` of `in_order`.

    Games of several events keep what their days say: rounds of one say nothing of another's.

    Examples
    --------
    >>> from arpad.model import Games
    >>> games = Games.build([("Ann", "Bob", 1.0), ("Bob", "Ann", 0.5)])
    >>> played = games.table.with_columns(round=pl.Series(["2", "1"]))
    >>> one_event_in_order(played).select("round", "when", "certain").rows()
    [('1', 0, True), ('2', 1, True)]
    """
    one = played["event"].n_unique() <= 1
    known = pl.col("date").is_not_null()
    keys = played.select(
        "white",
        "black",
        "date",
        (pl.col("round") if one else pl.lit(None, pl.String)).alias("round"),
        (known & (pl.col("precision").cast(pl.String).fill_null("day") == "day")).alias("exact"),
        pl.lit(0).alias("group"),
        pl.lit(0).alias("late"),
        pl.int_range(pl.len()).alias("row"),
    )
    ordered = in_order(keys)
    return played[ordered["row"]].with_columns(ordered["when"], ordered["certain"])


def has_rounds(played: pl.DataFrame) -> bool:
    """Say whether these are games of one event, each with a round."""
    if not played.height or played["event"].n_unique() > 1:
        return False
    return bool(played.select(_part(1).is_not_null().all()).item())


def _part(i: int) -> pl.Expr:
    """Return the round (1), the board in it (2) or the game at it (3)."""
    return pl.col("round").str.strip_chars().str.extract(ROUND, i).cast(pl.Int32)


# Games event by event.


def in_events(played: pl.DataFrame, *, by_date: bool = True) -> pl.DataFrame:
    """Return the games with the number of their event, `part`, in the order of the first games.

    Games that name no event go together by date, or all of them together.
    """
    date = pl.col("date") if by_date else pl.lit(None, dtype=pl.Date)
    key = pl.struct("event", pl.when(pl.col("event").is_null()).then(date).alias("_day"))
    return (
        played.with_columns(key.alias("_key"), pl.int_range(pl.len()).alias("_at"))
        .with_columns(pl.col("_at").first().over("_key"))
        .with_columns((pl.col("_at").rank("dense").cast(pl.Int64) - 1).alias("part"))
        .sort("part", maintain_order=True)
        .drop("_key", "_at")
    )


def sides_of(part: pl.DataFrame) -> tuple[dict[int, list[tuple[int, float]]], dict[int, list[int]]]:
    """Return each player's opponents and scores in an event, and the rows of those games where they are numbered."""
    sides: dict[int, list[tuple[int, float]]] = {}
    rows: dict[int, list[int]] = {}
    numbers = part["row"].to_list() if "row" in part.columns else [None] * part.height
    games = part.select("white", "black", "score").iter_rows()
    for (white, black, score), number in zip(games, numbers, strict=True):
        for me, other, points in ((white, black, score), (black, white, 1 - score)):
            sides.setdefault(me, []).append((other, points))
            if number is not None:
                rows.setdefault(me, []).append(number)
    return sides, rows


# Long events in parts, none longer than the sample that the old rating rests on [Elo 1.62].


def segments(games: int, sample: int) -> list[int]:
    """Return the lengths of the parts, as equal as can be, longer ones first.

    Examples
    --------
    >>> segments(48, 30), segments(12, 30), segments(7, 3)
    ([24, 24], [12], [3, 2, 2])
    """
    if games < 0 or sample < 1:
        raise UsageError(f"expected games ≥ 0 and a sample ≥ 1, found {games} and {sample}")
    if games == 0:
        return []
    parts = math.ceil(games / sample)
    size, longer = divmod(games, parts)
    return [size + 1] * longer + [size] * (parts - longer)


# The games of one period, seen from both sides of the board.

NEWCOMER_SPREAD = 350.0
"""Standard deviation, in rating points, of a player who is put at the start for lack of any
better; the same as in `Elo`."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Two rows a game: who, against whom, how many points.

    `players` are rows of the player table, each once; `me` and `opponent` are places in `players`, so
    that a small event costs little in a large pool.
    """

    players: NDArray[np.int64]
    me: NDArray[np.int64]
    opponent: NDArray[np.int64]
    score: NDArray[np.float64]

    def total(self, values: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Add up a value a side for each player; without values, the games."""
        return np.bincount(self.me, values, len(self.players)).astype(np.float64)

    def take(self, rows: NDArray[np.bool_]) -> Sides:
        """Return some of the sides; `players` stay as they are."""
        return Sides(self.players, self.me[rows], self.opponent[rows], self.score[rows])

    def estimated(
        self, ratings: NDArray[np.float64], indicated: Indicated, start: float
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return `ratings` with newcomers (NaN) estimated from whom they met, and who is but a guess.

        First those who met somebody rated, by their performance against them; then those who met
        these; and so on. Who has no such chain to anybody rated is guessed to be at `start`.
        """
        now = ratings.copy()
        guessed = np.zeros(len(now), dtype=np.bool_)
        while bool((new := np.isnan(now)).any()):
            met = self.take(new[self.me] & ~new[self.opponent])
            n = met.total()
            result = n > 0
            if not bool(result.any()):
                now[new], guessed = start, new
                break
            R_c = met.total(now[met.opponent])[result] / n[result]
            P = met.total(met.score)[result] / n[result]
            now[result] = R_c + indicated(n[result], P)
        return now, guessed


def by_period(played: pl.DataFrame, periods: NDArray[np.int64]) -> Iterator[Sides]:
    """Yield the sides of each period in turn; `periods` rises along the games."""
    if not played.height:
        return
    white, black = (played[side].to_numpy().astype(np.int64) for side in ("white", "black"))
    score = played["score"].to_numpy()
    who = np.stack([white, black], axis=1).ravel()
    against = np.stack([black, white], axis=1).ravel()
    points = np.stack([score, 1 - score], axis=1).ravel()
    # One place for each player and period; places of a period stand together.
    width = int(who.max()) + 1
    when = np.repeat(np.unique(periods, return_inverse=True)[1], 2)
    keys, me = np.unique(when * width + who, return_inverse=True)
    opponent = np.searchsorted(keys, when * width + against)
    sides = np.flatnonzero(np.r_[True, when[1:] != when[:-1], True])
    places = np.searchsorted(keys, np.arange(len(sides)) * width)
    players = keys % width
    for i in range(len(sides) - 1):
        rows, here = slice(sides[i], sides[i + 1]), slice(places[i], places[i + 1])
        first = places[i]
        yield Sides(players[here], me[rows] - first, opponent[rows] - first, points[rows])


# Where each player starts: from an earlier list, from what the source gives, or as a newcomer.


def first_given(games: Games, played: pl.DataFrame, *, debut: bool = False) -> NDArray[np.float64]:
    """Return the first rating that the source gives each player, NaN for none.

    That is the player's own entry (an event file has one), else the rating beside the earliest game that has one; `debut`:
    beside the first game, as a rating that comes only later says nothing of the strength at first.
    """
    own = games.players["rating"].to_numpy().astype(np.float64, copy=True)
    if played["white_rating"].null_count() == played.height == played["black_rating"].null_count():
        return own
    player, rating = (
        np.column_stack([played[f"{side}{what}"].to_numpy() for side in ("white", "black")]).ravel()[::-1]
        for what in ("", "_rating")
    )
    kept = ~np.isnan(player) if debut else ~(np.isnan(player) | np.isnan(rating))
    result = np.full(games.players.height, np.nan)
    result[player[kept].astype(np.int64)] = rating[kept]  # the last one stays: the earliest game
    return np.where(np.isnan(own), result, own)


def figures(rows: pl.DataFrame, column: str) -> NDArray[np.float64]:
    """Return a column of a list as numbers, NaN where there is none."""
    if column not in rows.columns:
        return np.full(rows.height, np.nan)
    return rows[column].cast(pl.Float64).to_numpy().astype(np.float64, copy=True)


def finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values with NaN for infinite ones."""
    return np.where(np.isfinite(values), values, np.nan)


def padded(values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the values with as many NaN behind them as make `n`."""
    return values if len(values) == n else np.r_[values, np.full(n - len(values), np.nan)]
