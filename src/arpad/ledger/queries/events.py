"""Events of the ledger: search, one event with its games and the ratings before it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import frame, rows_in
from arpad.ledger.decisions.ratings import check_policy
from arpad.ledger.decisions.subjects import event_row
from arpad.ledger.games import HeldList, held_lists, ratings_on, recorded_games, result_text
from arpad.ledger.policy import kept_policies
from arpad.ledger.register import fold, merged_ends, people_today

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.subjects import EventRow
    from arpad.ledger.games import Recorded


# Events looked for: by words of the name, time control and year; a page of them at a time.


@dataclass(frozen=True, slots=True)
class EventEntry:
    """Search key of an event."""

    id: int
    words: str
    time_control: str
    year: int | None


@dataclass(frozen=True, slots=True)
class EventIndex:
    """Every event, the last first: small enough to be kept, and searched without the database."""

    entries: tuple[EventEntry, ...]

    def years(self) -> list[int]:
        """Return the years in which events ended, the last first."""
        return sorted({e.year for e in self.entries if e.year is not None}, reverse=True)

    def found(self, text: str = "", *, time_control: str | None = None, year: int | None = None) -> list[int]:
        """Return the numbers of the events that have all words of a text in their name, site or year.

        Case and accents do not matter; `#12` is the number of an event.
        """
        mark = text.strip().removeprefix("#")
        if text.strip().startswith("#") and mark.isascii() and mark.isdigit():
            return [e.id for e in self.entries if e.id == int(mark)]
        wanted = fold(text).split()
        return [
            e.id
            for e in self.entries
            if (time_control is None or e.time_control == time_control)
            and (year is None or e.year == year)
            and all(word in e.words for word in wanted)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """One event in a list of many."""

    id: int
    name: str
    site: str | None
    start: date | None
    end: date | None
    time_control: str | None
    games: int
    rated: int  # games that count, unless the event is excluded
    unrated: int  # games that were played and do not count: copies of others, mostly
    excluded: bool
    waiting: int  # things in the queue that are about it

    @property
    def counts(self) -> bool:
        """Whether it counts: it is not excluded, and is not made of copies alone."""
        return not self.excluded and (self.rated > 0 or not self.unrated)


def event_index(connection: Connection) -> EventIndex:
    """Return what all events are found by."""
    e = tables.events.c
    rows = connection.execute(
        sa.select(e.id, e.name, e.site, e.time_control, e.start, e.end).order_by(
            sa.func.coalesce(e.end, e.start).desc().nulls_last(), e.id.desc()
        )
    )
    result = []
    for number, name, site, control, start, end in rows:
        day = end or start
        words = f"{name} {site or ''} {day.year if day else ''}"
        result.append(EventEntry(number, fold(words), control or "standard", day.year if day else None))
    return EventIndex(tuple(result))


def event_lines(connection: Connection, numbers: Sequence[int]) -> list[EventLine]:
    """Return events by their numbers, in the order of these."""
    e, g, d = tables.events.c, tables.games.c, tables.doubts.c
    games = sa.select(sa.func.count()).where(g.event_id == e.id)
    rated, unrated = (games.where(g.status == status) for status in ("played", "unrated"))
    counted = {"games": games, "rated": rated, "unrated": unrated}
    columns = (
        *(e.id, e.name, e.site, e.start, e.end, e.time_control, e.excluded),
        *(query.scalar_subquery().label(name) for name, query in counted.items()),
    )
    open_ = sa.select(d.event_id, sa.func.count()).where(d.settled_by.is_(None)).group_by(d.event_id)
    waiting: dict[int, int] = dict(rows_in(connection, open_, d.event_id, numbers))
    result = {
        row.id: EventLine(**row._mapping, waiting=waiting.get(row.id, 0))
        for row in rows_in(connection, sa.select(*columns), e.id, numbers)
    }
    return [result[number] for number in numbers if number in result]


# Events of the ledger as people look at them: a list of all, and one with its games.


def events_table(connection: Connection, part: str | None = None) -> pl.DataFrame:
    """Return the events by their last day, with `games`, `rated` (those that count), and whether the event `counts`.

    An event whose games are all copies of games that count in another event does not count.

    `part`: Only those with this in their name.
    """
    e, g = tables.events, tables.games
    here, copies = (sa.func.count().filter(g.c.status == status) for status in ("played", "unrated"))
    count = (
        sa.select(g.c.event_id, sa.func.count().label("games"), here.label("rated"), copies.label("copies"))
        .group_by(g.c.event_id)
        .subquery()
    )
    query = sa.select(
        *(e.c.id.label("event"), e.c.name, e.c.start, e.c.end, e.c.time_control, e.c.excluded),
        *(sa.func.coalesce(count.c[n], 0, type_=sa.Integer).label(n) for n in ("games", "rated", "copies")),
    ).join(count, count.c.event_id == e.c.id, isouter=True)
    if part:
        query = query.where(sa.func.lower(e.c.name).contains(part.lower(), autoescape=True))
    rows = frame(connection, query.order_by(e.c.end.is_(None), e.c.end, e.c.id))
    copied = (pl.col("copies") > 0) & (pl.col("rated") == 0)
    return rows.select(
        *("event", "name", "start", "end", "time_control", "games"),
        pl.when("excluded").then(0).otherwise("rated").cast(pl.Int64).alias("rated"),
        counts=~pl.col("excluded") & ~copied,
    )


def event_games(connection: Connection, number: int) -> pl.DataFrame:
    """Return the games of an event: `game`, `round`, `date`, who, given ratings, `result`, `status`.

    Players are those of today; `white_id` and `black_id` are their numbers.
    """
    g, p = tables.games, tables.players
    names = [
        *("id", "round", "date", "white_id", "black_id", "white_rating", "black_rating", "score"),
        *("black_score", "status"),
    ]
    query = sa.select(*(g.c[name] for name in names)).where(g.c.event_id == number)
    rows = frame(connection, query.order_by(g.c.number))
    ends = merged_ends(connection)
    rows = rows.with_columns(people_today(rows[side], ends) for side in ("white_id", "black_id"))
    known = sorted({*rows["white_id"].to_list(), *rows["black_id"].to_list()} - {None})
    called: dict[int, str] = dict(rows_in(connection, sa.select(p.c.id, p.c.name), p.c.id, known))
    results = [
        result_text(score, black, status)
        for score, black, status in rows[["score", "black_score", "status"]].iter_rows()
    ]
    return rows.select(
        pl.col("id").alias("game"),
        "round",
        "date",
        "white_id",
        pl.col("white_id").replace_strict(called, default=None, return_dtype=pl.String).alias("white"),
        "white_rating",
        pl.Series("result", results, dtype=pl.String),
        "black_id",
        pl.col("black_id").replace_strict(called, default=None, return_dtype=pl.String).alias("black"),
        "black_rating",
        "status",
    )


# One event with the ratings that held when it began: the report's own, else those of a list.


@dataclass(frozen=True, slots=True, kw_only=True)
class EventField:
    """An event, its games, and where ratings come from that the report does not give."""

    event: EventRow
    recorded: Recorded
    held: HeldList | None  # None: only the report's own ratings
    rated: int  # players whose rating is from that list


def event_field(
    connection: Connection, number: int, policy: str | None = None, *, published: bool = False
) -> EventField:
    """Return an event with the ratings of the list of a policy that held when it began.

    `policy`: None: the report's own ratings only.
    `published`: Take published lists only, no draft.
    """
    check_policy(connection, policy)
    event = event_row(connection, number)
    day = event.start or event.end
    lists = held_lists(connection, day, policy=policy, published=published) if policy and day else []
    known = ratings_on(connection, [each.id for each in lists], _players(connection, number))
    recorded = recorded_games(connection, [number], ratings={p: rating for (_, p), rating in known.items()})
    used = sum(1 for rating in recorded.games.players["rating"] if rating is not None)
    return EventField(event=event, recorded=recorded, held=lists[0] if lists else None, rated=used)


def fitting_policies(connection: Connection, number: int, *, published: bool = False) -> list[HeldList]:
    """Return the lists that held when an event began, of policies for its time control; who rates most is first."""
    event = event_row(connection, number)
    day = event.start or event.end
    if day is None:
        return []
    control = {each.name: each.document.get("time_control") for each in kept_policies(connection)}
    fitting = (None, event.time_control or "standard")
    result = [
        held for held in held_lists(connection, day, published=published) if control[held.policy] in fitting
    ]
    known = ratings_on(connection, [held.id for held in result], _players(connection, number))
    rated = Counter(number for number, _ in known)
    return sorted(result, key=lambda held: (-rated[held.id], held.policy))


def _players(connection: Connection, number: int) -> list[int]:
    g = tables.games.c
    sides = [sa.select(side).where(g.event_id == number) for side in (g.white_id, g.black_id)]
    result = connection.execute(sa.union(*sides)).scalars()
    return sorted(player for player in result if player is not None)
