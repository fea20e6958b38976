"""The ratings before an event: from lists, from the games, or from a rating system."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from arpad.errors import InputError, UsageError
from arpad.rate.periods import figures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from arpad.model import Games, Ratings
    from arpad.pool.greatness.assessment import AppRules
    from arpad.pool.history import History
    from arpad.rate.system import RatingSystem


@dataclass(frozen=True, slots=True)
class RankedNumberTwo:
    """The second highest rating in the world: whose, and according to whom."""

    rating: float
    player: str | None
    source: str
    error: float | None = None
    """One standard error, in points, where the source knows it."""
    among: int | None = None
    """Active players whom the source knows then: the second of few need not be the world's second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventQuery:
    """An event as a source of ratings sees it: who played, when, and what the file says of them."""

    people: Sequence[int]
    year: int | None
    start: date | None
    """The first day, where days are known."""
    beside: Mapping[int, float] = field(default_factory=dict)
    """Ratings that stand beside the event's own games."""
    number_two: float | None = None
    """The number two that the file itself names, as the text's own format does."""


class RatingSource(Protocol):
    """Ratings of people at a time."""

    name: str
    """Label beside each rating from this source."""

    def ratings(self, event: EventQuery) -> dict[int, float]:
        """Return the ratings of those who are known."""
        ...

    def errors(self, event: EventQuery) -> dict[int, float]:  # noqa: ARG002 - some know nothing
        """Return the standard errors of those ratings, where the source knows them."""
        return {}

    def number_two(self, event: EventQuery) -> RankedNumberTwo | None:
        """Return the second highest of those who were active then."""
        ...


def second(ratings: Mapping[int, float]) -> tuple[int, float] | None:
    """Return who has the second highest rating, and it; None with fewer than two people.

    Examples
    --------
    >>> second({7: 2785.0, 3: 2660.0, 5: 2640.0})
    (3, 2660.0)
    """
    best = sorted(((R, -person) for person, R in ratings.items()), reverse=True)[:2]
    return (-best[1][1], best[1][0]) if len(best) == 2 else None


# Which ratings an event is judged by: those of the first source that knows enough of its players.

RATED = 3
"""Rated players through whom the app draws its estimator line; with fewer the others stay without a rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The ratings that an event is judged by, and number two among them."""

    source: str | None
    ratings: Mapping[int, float]
    number_two: RankedNumberTwo | None
    error: float | None = None
    """One standard error of the field's mean rating against number two, where the source knows it."""


def choose(event: EventQuery, sources: Sequence[RatingSource], rules: AppRules) -> Chosen:
    """Return the ratings of the first source that knows enough players, else of the one that knows most.

    Enough are all of them, or the share that is asked for, if a line for the others can be drawn through it.

    Sources are not mixed within an event: their levels differ. Number two comes from the same source.
    """
    most: tuple[RatingSource | None, dict[int, float]] = (None, {})
    for source in sources:
        known = source.ratings(event)
        if len(known) > len(most[1]):
            most = (source, known)
        if _serve(len(known), len(event.people), rules.enough):
            most = (source, known)
            break
    chosen, ratings = most
    two = _number_two(event, chosen, rules)
    return Chosen(
        source=chosen.name if chosen else None,
        ratings=ratings,
        number_two=two,
        error=_error(chosen.errors(event), two) if chosen and two else None,
    )


def _serve(known: int, players: int, enough: float) -> bool:
    """Say whether this many ratings are enough: all of them, or a share that a line can be drawn through."""
    return known == players or known >= max(RATED, enough * players)


def _error(errors: Mapping[int, float], two: RankedNumberTwo) -> float | None:
    """Return √(e₂² + Σ e² / n²), for a field of independent errors."""
    if not errors:
        return None
    field = math.fsum(e * e for e in errors.values()) / len(errors) ** 2
    return math.sqrt(field + (two.error or 0.0) ** 2)


def _number_two(event: EventQuery, source: RatingSource | None, rules: AppRules) -> RankedNumberTwo | None:
    if rules.number_two is not None:
        return RankedNumberTwo(rules.number_two, None, "given")
    if event.year is not None and event.year in rules.number_twos:
        return RankedNumberTwo(rules.number_twos[event.year], None, "given")
    if event.number_two is not None:
        return RankedNumberTwo(event.number_two, None, "event")
    return source.number_two(event) if source else None


# Ratings from rating lists: the last list before an event, and its number two.

OLDEST = 731
"""Days after which a list says nothing of an event any more. Ours: two years."""
MIDDLE = (7, 1)
"""Month and day that stand for a year of which nothing more is known."""
BEST = 5
"""People at the head of a list who are kept, for number two."""


class ListedRatings(RatingSource):
    """Ratings from dated lists; a player flagged inactive is not number two.

    lists: The day of each list, and the list.
    players: The people of the games, as `Games.players` has them.
    person: For each row of `players` the number of the person.
    """

    name = "list"

    def __init__(
        self, lists: Sequence[tuple[date, Ratings]], players: pl.DataFrame, person: NDArray[np.int64]
    ) -> None:
        if len({day for day, _ in lists}) < len(lists):
            raise UsageError("expected lists of different days, found two of one day")
        self._lists: list[tuple[date, dict[int, float], RankedNumberTwo | None]] = []
        for day, ratings in sorted(lists, key=lambda pair: pair[0]):
            known: dict[int, float] = {}
            for row, rating in enumerate(ratings.lookup(players)):
                if rating is not None:
                    known.setdefault(int(person[row]), float(rating))
            self._lists.append((day, known, self._second(ratings)))

    def _second(self, ratings: Ratings) -> RankedNumberTwo | None:
        rows = ratings.rows.filter(pl.col("rating").is_not_null())
        if "flag" in rows.columns:
            rows = rows.filter(~pl.col("flag").cast(pl.String).str.contains("i").fill_null(False))
        top = rows.sort("rating", descending=True, maintain_order=True).head(BEST)
        result = second(dict(enumerate(top["rating"].cast(pl.Float64).to_list())))
        return result and RankedNumberTwo(result[1], top["player"][result[0]], self.name, among=rows.height)

    def _in_force(self, event: EventQuery) -> tuple[dict[int, float], RankedNumberTwo | None]:
        when = event.start or (None if event.year is None else date(event.year, *MIDDLE))
        if when is None:
            return {}, None
        before = [each for each in self._lists if each[0] <= when]
        if not before or (when - before[-1][0]).days > OLDEST:
            return {}, None
        return before[-1][1], before[-1][2]

    def ratings(self, event: EventQuery) -> dict[int, float]:
        """Return the ratings on the last list before the event, at most two years old."""
        known, _ = self._in_force(event)
        return {person: known[person] for person in event.people if person in known}

    def number_two(self, event: EventQuery) -> RankedNumberTwo | None:
        """Return the second of that list."""
        return self._in_force(event)[1]


# Ratings over time from this database itself, for times that had no rating list.
#
# Second-hand: a rating of a year is smoothed over the games of the years around it, the event's own among
# them.

ENOUGH = 20
"""Games in the five years around without which nobody is number two: `study.ENOUGH` of a best average."""
AROUND = 2
"""Years to each side that are around a year [Elo 5.43: crosstables of five years]."""
DOUBT = 100.0
"""Points: a rating with a larger error of its own is no rating. `history.SURE`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class YearlyRatings:
    """One player's ratings in the years in which they are sure enough; plain values, to be kept in a file."""

    years: tuple[int, ...]
    ratings: tuple[float, ...]
    errors: tuple[float, ...]
    games: tuple[int, ...]
    """In the five years around each."""

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> YearlyRatings:
        """Return what `asdict` made of one; a missing or strange value is an error."""
        return cls(**{name: tuple(column) for name, column in values.items()})


def yearly_ratings(history: History) -> dict[str, YearlyRatings]:
    """Return what the lifetime curves of the historical study say of every player [Elo 5.4, 5.52].

    Errors are those of the curves alone: the error of the level moves number two as it moves everybody,
    and G does not see it.
    """
    result = {}
    for name, life in history.lives.items():
        errors = np.sqrt(np.diag(life.covariance))
        sure = np.flatnonzero(errors <= DOUBT).tolist()
        around = [int(life.games[max(0, i - AROUND) : i + AROUND + 1].sum()) for i in sure]
        result[name] = YearlyRatings(
            years=tuple(life.years[sure].tolist()),
            ratings=tuple(life.rating[sure].tolist()),
            errors=tuple(errors[sure].tolist()),
            games=tuple(around),
        )
    return result


class YearSource(RatingSource):
    """Ratings that change with the year: of everybody who is known, and of those who were active."""

    _names: Sequence[str]

    @cached_property
    def _years(self) -> tuple[_Years, _Years]:
        """Ratings with their errors (None: not known) by year and person: of all, and of the active."""
        raise NotImplementedError

    def _known(self, event: EventQuery) -> dict[int, tuple[float, float | None]]:
        known = self._years[0].get(event.year or 0, {})
        return {person: known[person] for person in event.people if person in known}

    def ratings(self, event: EventQuery) -> dict[int, float]:
        """Return the ratings of the event's year."""
        return {person: rating for person, (rating, _) in self._known(event).items()}

    def errors(self, event: EventQuery) -> dict[int, float]:
        """Return the standard errors of those ratings against each other."""
        return {person: error for person, (_, error) in self._known(event).items() if error is not None}

    def number_two(self, event: EventQuery) -> RankedNumberTwo | None:
        """Return the second highest of those who were active."""
        active = self._years[1].get(event.year or 0, {})
        result = second({person: rating for person, (rating, _) in active.items()})
        if result is None:
            return None
        person, rating = result
        return RankedNumberTwo(rating, self._names[person], self.name, active[person][1], among=len(active))


_Years = dict[int, dict[int, tuple[float, float | None]]]


class HistoryRatings(YearSource):
    """Ratings year by year from the historical study of the same games.

    The study is made only when an event asks for it: it takes longer than everything else.

    study: Makes the ratings (`yearly_ratings`), or raises an `InputError` that says why there are none.
    tell: Called with that reason.
    """

    name = "own"

    def __init__(
        self,
        study: Callable[[], Mapping[str, YearlyRatings]],
        names: Sequence[str],
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._study, self._names, self._tell = study, names, tell

    @cached_property
    def _years(self) -> tuple[_Years, _Years]:
        everybody: _Years = {}
        active: _Years = {}
        try:
            studied = self._study()
        except InputError as reason:
            if self._tell is not None:
                self._tell(f"no ratings of our own over time: {reason}")
            return everybody, active
        number = {name: i for i, name in enumerate(self._names)}
        for name, life in studied.items():
            columns = (life.years, life.ratings, life.errors, life.games)
            for year, rating, error, games in zip(*columns, strict=True):
                everybody.setdefault(year, {})[number[name]] = (rating, error)
                if games >= ENOUGH:
                    active.setdefault(year, {})[number[name]] = (rating, error)
        return everybody, active


# Ratings that stand beside the games of a collection, and the second highest of each time.

ACTIVE = 5
"""Rated games in a year without which nobody is number two. Ours: a rating beside one game may be a slip."""
PUBLISHED_BEST = 12
"""People of each year, by rating, among whom number two is looked for."""
STRAY = 100.0
"""Points from the median of the year beyond which a rating is a slip. Ours."""
OLD = 365
"""Days from the nearest game beyond which the median of the year counts."""


class PublishedRatings(RatingSource):
    """Ratings as given beside the games.

    Number two, where days are known, is the second highest of the ratings that each of the best of the
    year had at his game nearest to the first day of the event; where only the year is known, of their
    medians over the year. Players of the event count with their ratings there.

    sides: A row a player a game that has a rating: `person`, `year`, `day` (null where only the year is
        known), `rating`.
    names: Of the people, by number.
    """

    name = "file"

    def __init__(self, sides: pl.DataFrame, names: tuple[str, ...]) -> None:
        self._names = names
        active = (
            sides.group_by("year", "person")
            .agg(pl.col("rating").median(), pl.len().alias("n"))
            .filter(pl.col("n") >= ACTIVE)
        )
        self._active: dict[int | None, int] = dict(active.group_by("year").len().iter_rows())
        yearly = (
            active.sort("rating", "person", descending=[True, False])
            .group_by("year", maintain_order=True)
            .head(PUBLISHED_BEST)
        )
        self._years: dict[int | None, dict[int, float]] = {}
        for year, person, rating in yearly.select("year", "person", "rating").iter_rows():
            self._years.setdefault(year, {})[person] = rating
        self._days = self._by_day(sides, yearly)

    def _by_day(self, sides: pl.DataFrame, yearly: pl.DataFrame) -> dict[int, tuple[list[date], list[float]]]:
        """Return the ratings of the best day by day, without slips."""
        known = (
            sides.filter(pl.col("day").is_not_null())
            .join(
                yearly.select("year", "person", pl.col("rating").alias("usual")),
                on=["year", "person"],
                maintain_order="left",
            )
            .filter((pl.col("rating") - pl.col("usual")).abs() <= STRAY)
            .sort("person", "day", maintain_order=True)
            .group_by("person", maintain_order=True)
            .agg("day", "rating")
        )
        return {person: (days, ratings) for person, days, ratings in known.iter_rows()}

    def ratings(self, event: EventQuery) -> dict[int, float]:
        """Return the ratings beside the event's own games."""
        return dict(event.beside)

    def number_two(self, event: EventQuery) -> RankedNumberTwo | None:
        """Return the second highest of the active players at that time."""
        best = dict(self._years.get(event.year, {}))
        if not best:
            return None
        if event.start is not None:
            best = {person: self._at(person, event.start, usual) for person, usual in best.items()}
        best |= {person: R for person, R in event.beside.items() if person in best}
        result = second(best)
        return result and RankedNumberTwo(
            result[1], self._names[result[0]], self.name, among=self._active[event.year]
        )

    def _at(self, person: int, day: date, usual: float) -> float:
        """Return the rating at the game nearest in time, of two as near the earlier."""
        days, ratings = self._days.get(person, ([], []))
        after = bisect_right(days, day)
        near = [((abs(days[i] - day)).days, i) for i in (after - 1, after) if 0 <= i < len(days)]
        if not near or min(near)[0] > OLD:
            return usual
        return ratings[min(near)[1]]


# Ratings before an event by a rating system that walks through the database year by year.

AWAY = 2
"""Years without a game after which nobody is number two."""


class WalkedRatings(YearSource):
    """Ratings on the first of January of each year, from the games before it.

    Years, not events, are the steps: of early events no more is known. So nothing that happens in an event
    touches the ratings that it is judged by.

    games: With one row of `players` a person (`people_of`), and dates.
    """

    def __init__(self, system: RatingSystem, games: Games) -> None:
        self.name = system.name
        self._names = games.players["name"].to_list()
        self._system, self._games = system, games

    @cached_property
    def _years(self) -> tuple[_Years, _Years]:
        everybody: _Years = {}
        active: _Years = {}
        n = self._games.players.height
        played, last = np.zeros(n, np.int64), np.full(n, -(10**6))
        state = self._system.begin(self._games.players)
        rating = np.full(n, np.nan)
        table = self._games.table.filter((pl.col("status") == "played") & pl.col("date").is_not_null())
        for (year,), part in table.group_by(pl.col("date").dt.year(), maintain_order=True):
            now = int(year)
            sure = (played >= ENOUGH) & np.isfinite(rating)
            for years, which in ((everybody, sure), (active, sure & (last >= now - AWAY))):
                rows = np.flatnonzero(which)
                years[now] = {
                    row: (R, None) for row, R in zip(rows.tolist(), rating[rows].tolist(), strict=True)
                }
            state = self._system.advance(state, replace(self._games, table=part))
            here = state.rows["games"].to_numpy() > 0
            rating = np.where(here, figures(state.rows, "rating"), np.nan)
            for side in ("white", "black"):
                np.add.at(played, part[side].to_numpy(), 1)
                last[part[side].to_numpy()] = now
        return everybody, active
