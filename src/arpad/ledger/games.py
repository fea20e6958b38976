"""Events of the ledger as games: merges applied, ratings as given or from a list, and their hashes."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import chunks, frame_in, rows_in
from arpad.ledger.db.tables import document_text
from arpad.ledger.register import Register, among, merged_ends, people_today
from arpad.model import GAME_SCHEMA, Event, Games
from arpad.read.fields import TimeControl, time_control_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection


FEW = 2000
"""Values up to which a loop is faster than a frame."""
COPIED = (
    *("score", "black_score", "status", "date", "precision", "round", "white_rating", "black_rating"),
    *("plies",),
)


class Recorded(NamedTuple):
    """Games of the ledger, and which rows they are."""

    games: Games
    players: tuple[int, ...]  # the number of each row of `games.players`
    events: tuple[int, ...]  # the number of each row of `games.events`


def recorded_games(
    connection: Connection, events: Sequence[int], *, ratings: Mapping[int, float] | None = None
) -> Recorded:
    """Return events as games, in the order in which they are named.

    `ratings`: By player of today: for those whom the report gives no rating.
    """
    ends = merged_ends(connection)
    rows = _rows(connection, events)
    rows = rows.with_columns(people_today(rows[side], ends) for side in ("white_id", "black_id"))
    here = pl.concat([rows["white_id"], rows["black_id"].drop_nulls()]).unique().sort()
    number = {player: row for row, player in enumerate(here)}
    at = {event: row for row, event in enumerate(events)}
    table = {
        "white": _replaced(rows["white_id"], number),
        "black": _replaced(rows["black_id"], number),
        "event": _replaced(rows["event_id"], at),
        **{name: rows[name].cast(GAME_SCHEMA[name]) for name in COPIED},
    }
    given = _given(rows)
    known = {p: r for p, r in (ratings or {}).items() if p not in given}
    who = _people(connection, here.to_list())
    players = {
        **{n: who[n].to_list() for n in ("name", "birth", "federation", "sex", "title")},
        "id": _ids(connection, here.to_list()),
        "rating": [known.get(player) for player in here],
    }
    result = _events(connection, events, number, ends)
    return Recorded(Games.assemble(table, players, result), tuple(here), tuple(events))


def _rows(connection: Connection, events: Sequence[int]) -> pl.DataFrame:
    g = tables.games
    chosen = [g.c.event_id, g.c.number, g.c.white_id, g.c.black_id, *(g.c[c] for c in COPIED)]
    query = sa.select(*chosen).order_by(g.c.event_id, g.c.number)
    result = frame_in(connection, query, g.c.event_id, events)
    if len(events) == 1:  # as one is looked at in a browser: nothing to put in order
        return result
    place = pl.DataFrame(
        {"event_id": list(events), "_at": range(len(events))}, schema={"event_id": pl.Int64, "_at": pl.Int64}
    )
    rows = result.join(place, on="event_id", maintain_order="left")
    return rows.sort("_at", "number", maintain_order=True)


def _given(rows: pl.DataFrame) -> set[int]:
    """Return the players whom the report gives a rating in one of these games."""
    sides = [rows.filter(pl.col(f"{s}_rating").is_not_null())[f"{s}_id"] for s in ("white", "black")]
    return {int(player) for side in sides for player in side.drop_nulls()}


def _people(connection: Connection, players: Sequence[int]) -> pl.DataFrame:
    p = tables.players
    chosen = [p.c.id, p.c.name, p.c.birth, p.c.federation, p.c.sex, p.c.title]
    return frame_in(connection, sa.select(*chosen).order_by(p.c.id), p.c.id, players)


def _replaced(values: pl.Series, numbers: Mapping[int, int]) -> pl.Series:
    if values.len() <= FEW:
        return pl.Series([numbers.get(value) for value in values.to_list()], dtype=pl.Int32)
    return values.replace_strict(numbers, default=None, return_dtype=pl.Int32)


def _ids(connection: Connection, players: Sequence[int]) -> list[str | None]:
    """Return FIDE's id of each player, else any other that there is."""
    i = tables.player_ids
    result: dict[int, tuple[bool, str]] = {}
    columns = (i.c.player_id, i.c.scheme, i.c.value)
    query = sa.select(*columns).order_by(*columns)
    for player, scheme, value in rows_in(connection, query, i.c.player_id, players):
        if player not in result or (scheme == "fide" and not result[player][0]):
            result[player] = (scheme == "fide", value)
    return [result[player][1] if player in result else None for player in players]


def _events(
    connection: Connection, events: Sequence[int], number: Mapping[int, int], person: Mapping[int, int]
) -> list[Event]:
    """Return events; `number` is the row of each player of today, `person` who somebody is today."""
    e = tables.events
    rows = {row.id: row for row in rows_in(connection, sa.select(e), e.c.id, events)}
    at = {**number, **{old: number[new] for old, new in person.items() if new in number}}
    return [_event(rows[event], at) for event in events]


PLAIN = ("arbiter", "time_control", "rating_system", "number_two")
LISTS = ("deputies", "round_dates", "points", "team_points", "tie_breaks", "extra")
"""What a report says of an event beyond the columns of the table, and beyond its players."""


def event_document(event: Event, person: Mapping[int, int]) -> str | None:
    """Return what a report says beyond the columns of the table; `person` is the number of each row."""
    said = {name: getattr(event, name) for name in (*PLAIN, *LISTS)}
    said["teams"] = [[name, [person[m] for m in members if m in person]] for name, members in event.teams]
    for name in ("ranks", "byes"):
        said[name] = [[person[row], *rest] for row, *rest in getattr(event, name) if row in person]
    said = {name: value for name, value in said.items() if value not in (None, (), [])}
    return document_text(said).replace("\\u0000", "") if said else None


def _event(row: Any, at: Mapping[int, int]) -> Event:
    """Return an event out of its row and document; `at` is the row of each player."""
    more = row.document or {}
    columns = ("name", "site", "federation", "start", "end", "kind", "rounds", "time_control")
    said = {name: getattr(row, name) for name in columns} | {n: more[n] for n in PLAIN if more.get(n)}
    for name in LISTS:
        said[name] = tuple(tuple(one) if isinstance(one, list) else one for one in more.get(name, ()))
    for name in ("ranks", "byes"):
        said[name] = tuple((at[who], *rest) for who, *rest in more.get(name, ()) if who in at)
    teams = more.get("teams", ())
    said["teams"] = tuple((name, tuple(at[m] for m in members if m in at)) for name, members in teams)
    return Event(**said)


# Ratings of lists, with published corrections put in: the one answer that every page gives.


class HeldList(NamedTuple):
    """The list of a policy that held on a day."""

    id: int
    policy: str
    name: str


_n, _li, _pol = tables.entries.c, tables.lists.c, tables.policies.c
FIGURES = (
    sa.select(sa.func.coalesce(_li.corrects, _li.id).label("list"), _n.player_id, _n.rating)
    .join_from(tables.entries, tables.lists, _li.id == _n.list_id)
    .where(
        sa.or_(
            _li.id.in_(sa.bindparam("lists", expanding=True)),
            sa.and_(_li.corrects.in_(sa.bindparam("lists", expanding=True)), _li.published.is_not(None)),
        )
    )
    .order_by(_li.number, _li.id, _n.player_id)  # a later correction goes before what it corrects
)


def held_lists(
    connection: Connection, on: date, *, policy: str | None = None, published: bool = False
) -> list[HeldList]:
    """Return the list of each policy that held on a day: the last published one, else the last draft."""
    held = sa.func.coalesce(_li.effective, _li.closing)
    query = (
        sa.select(_li.id, _pol.name.label("policy"), _li.name)
        .join_from(tables.lists, tables.policies, _pol.id == _li.policy_id)
        .where(_li.number == 0, held <= on)
        .order_by(_pol.name, _li.published.is_(None), held.desc(), _li.id.desc())
    )
    if policy is not None:
        query = query.where(_pol.name == policy)
    if published:
        query = query.where(_li.published.is_not(None))
    result: dict[str, HeldList] = {}
    for row in connection.execute(query):
        result.setdefault(row.policy, HeldList(*row))
    return list(result.values())


def ratings_on(
    connection: Connection, lists: Collection[int], players: Iterable[int] | None = None
) -> dict[tuple[int, int], float]:
    """Return ratings by list and player of today; nothing of those who are not on a list.

    `lists`: Numbers of lists, not of corrections: published corrections are put in.
    `players`: Players of today; None: everybody. A list may know somebody under a number that was merged since.
    """
    ends = merged_ends(connection)
    rows: Iterable[Any]
    if players is None:
        rows = connection.execute(FIGURES, {"lists": list(lists)})
    else:
        people = {ends.get(player, player) for player in players}
        wanted = sorted(people | {old for old, new in ends.items() if new in people})
        query = FIGURES.where(_n.player_id.in_(sa.bindparam("players", expanding=True)))
        rows = (
            row
            for some in chunks(wanted)
            for row in connection.execute(query, {"lists": list(lists), "players": some})
        )
    figures: dict[tuple[int, int], float | None] = {(row[0], row[1]): row[2] for row in rows}
    result: dict[tuple[int, int], float] = {}
    for (number, player), rating in figures.items():
        today = ends.get(player, player)
        if rating is not None and (player == today or (number, today) not in result):
            result[number, today] = rating
    return result


def listed_ratings(connection: Connection, policy: str, on: date) -> dict[int, float]:
    """Return the ratings of the list of a policy that held on a day, by player of today."""
    held = held_lists(connection, on, policy=policy)
    known = ratings_on(connection, [each.id for each in held])
    return {player: rating for (_, player), rating in known.items()}


# The moves of a game, as the ledger keeps them: text, and the position they start from.


@dataclass(frozen=True, slots=True, kw_only=True)
class Movetext:
    """Moves, comments, clocks, evaluations and variations of one game, as they came."""

    text: str
    start: str | None  # the position before the first move, as FEN; None: the usual one


def moves_of(connection: Connection, game_id: int) -> Movetext | None:
    """Return the moves of a game; None: the ledger has none."""
    m = tables.moves.c
    row = connection.execute(sa.select(m.text, m.start).where(m.game_id == game_id)).one_or_none()
    return None if row is None else Movetext(text=row.text, start=row.start)


def lacks_moves(connection: Connection, number: int) -> bool:
    """Say whether games of a PGN import were entered without the moves that their file has."""
    f, e, g, m = tables.imports.c, tables.events.c, tables.games.c, tables.moves.c
    query = (
        sa.select(g.id)
        .join_from(tables.imports, tables.events, e.import_id == f.id)
        .join(tables.games, g.event_id == e.id)
        .where(f.id == number, f.format == "pgn", g.plies > 0)
        .where(~sa.exists().where(m.game_id == g.id))
        .limit(1)
    )
    return connection.execute(query).first() is not None


# Results of games as people write them.

PLAYED = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "½-½": (0.5, 0.5)}
FORFEITS = {"+:-": (1.0, 0.0), "-:+": (0.0, 1.0), "-:-": (0.0, 0.0)}
WORDS = {"1/2-1/2": "½-½", "1/2": "½-½", "½": "½-½", "=": "½-½", "draw": "½-½", "+--": "+:-", "--+": "-:+"}


def result_of(text: str) -> dict[str, Any]:
    """Return score, black_score and status of a result.

    Examples
    --------
    >>> result_of("0-1"), result_of("+:-")["status"], result_of("*")["score"]
    ({'score': 0.0, 'black_score': 1.0, 'status': 'played'}, 'forfeit', None)
    """
    plain = re.sub(r"\s", "", text).replace("–", "-").lower()
    plain = WORDS.get(plain, plain)
    if plain in PLAYED:
        white, black = PLAYED[plain]
        return {"score": white, "black_score": black, "status": "played"}
    if plain in FORFEITS:
        white, black = FORFEITS[plain]
        return {"score": white, "black_score": black, "status": "forfeit"}
    if plain == "*":
        return {"score": None, "black_score": None, "status": "unplayed"}
    raise UsageError(
        f"expected a result, 1-0, 0-1, ½-½ (1/2), +:- or -:+ (forfeit), -:- or * (not played); found {text!r}"
    )


def result_text(score: float | None, black_score: float | None, status: str) -> str:
    """Return a result as people write it.

    Examples
    --------
    >>> result_text(0.5, 0.5, "played"), result_text(0.0, 1.0, "forfeit"), result_text(1.0, None, "bye")
    ('½-½', '-:+', 'bye 1')
    """
    if status == "bye":
        return f"bye {score or 0:g}"
    known = FORFEITS if status == "forfeit" else PLAYED
    for text, pair in known.items():
        if pair == (score, black_score):
            return text
    if score is None:
        return "*"
    black = 1 - score if black_score is None else black_score
    return f"{score:g}-{black:g}"


# Standard, rapid or blitz: what a report says of the time its players had.


def said_of(event: Event) -> TimeControl | None:
    """Return the time control that a report states, by its figures or in a word; None if neither.

    Examples
    --------
    >>> from arpad.model import Event
    >>> said_of(Event(name="Open", time_control="15 min + 10 s")), said_of(Event(name="Juni-Blitzschach"))
    ('rapid', 'blitz')
    >>> said_of(Event(name="Open", time_control="90'+30''")), said_of(Event(name="Open"))
    ('standard', None)
    """
    return time_control_of(event.kind, event.name, figures=event.time_control)


# Events out of a column of games: which games belong together, and when they were played.

GAP = 270
"""Days without play behind which an event of the same name is its next edition.

Of the 6,013 names in six years of The Week in Chess, leagues rest for up to 240 days within a season,
and yearly events come back after 300 and more; nothing lies between.
"""
Split = Literal["file", "month", "day"]
"""Ways to group games without an event's name: one event for each file, calendar month or day."""


def last_day() -> pl.Expr:
    """Return the last day that a date with its precision may mean."""
    first = pl.col("date")
    return (
        pl.when(pl.col("precision") == "year")
        .then(pl.date(first.dt.year(), 12, 31))
        .when(pl.col("precision") == "month")
        .then(first.dt.month_end())
        .otherwise(first)
    )


def edition_numbers(table: pl.DataFrame, whole: pl.Series) -> pl.Series:
    """Return for every game the number of the edition of its event, from 0.

    `table`: `event`, `date`, `precision`.
    `whole`: Rows of `events` that are never divided: their reports say when they were.
    """
    days = (
        table.select("event", "date", "precision")
        .filter(pl.col("date").is_not_null() & ~pl.col("event").is_in(whole.implode()))
        .unique()
        .with_columns(last_day().alias("last"))
        .sort("event", "date", "last")
    )
    before = pl.col("last").cum_max().shift(1).over("event")
    rest = (pl.col("date") - before).dt.total_days() > GAP
    days = days.with_columns(
        rest.fill_null(value=False).cast(pl.Int32).cum_sum().over("event").alias("edition")
    )
    if not (days["edition"] > 0).any():
        return pl.Series("edition", [0], dtype=pl.Int32).new_from_index(0, table.height)
    # Without a date, a game belongs to the one before it in the file.
    return (
        table.select("event", "date", "precision")
        .join(
            days.drop("last"),
            on=["event", "date", "precision"],
            how="left",
            maintain_order="left",
            nulls_equal=True,
        )
        .select(pl.col("edition").forward_fill().over("event").fill_null(0).cast(pl.Int32))
        .to_series()
    )


def dated(table: pl.DataFrame) -> pl.DataFrame:
    """Return `start` and `end` of every event, null where no game has a date.

    The end is the last day on which a game was played. Where no day is known, it is the last one that
    it may have been: a game is never rated before it was played.
    """
    exact = pl.col("precision").fill_null("day") == "day"
    first, last = pl.col("date"), pl.col("last")
    return (
        table.with_columns(last_day().alias("last"))
        .group_by("event")
        .agg(
            pl.coalesce(first.filter(exact).min(), first.min()).alias("start"),
            pl.coalesce(last.filter(exact).max(), last.max()).alias("end"),
        )
        .sort("event")
    )


# Hashes of events: the same games give the same hash, in whatever order and file they stand.
#
# `source` is the hash of a report as it came: it makes importing idempotent. `content` is the hash of
# what counts today, players merged and games corrected: it tells a list whether its period has changed.

DIGEST = 16
"""Bytes of a hash: 128 bits, enough for any number of events that a database holds."""
UNIT = "\x1f"
"""Stands between fields, and in no field."""
THOUSANDTHS = 1000
"""Scores and ratings are compared to three decimals."""
GAME_FIELDS = ("score", "black_score", "status", "date", "precision", "round", "white_rating", "black_rating")


def hashes(games: pl.DataFrame, white: pl.Series, black: pl.Series) -> pl.DataFrame:
    """Return `event` and `hash` of every event.

    `games`: `event` and the columns of a game.
    `white`, `black`: Who played: text that says it, the same in every file.
    """
    fields = [
        white.cast(pl.String).fill_null("").alias("_white"),
        black.cast(pl.String).fill_null("").alias("_black"),
        *(_text(games[name]) for name in GAME_FIELDS),
    ]
    lines = pl.DataFrame(
        [games["event"], pl.select(pl.concat_str(fields, separator=UNIT)).to_series().alias("line")]
    )
    texts = lines.group_by("event").agg(pl.col("line").sort().str.join("\n")).sort("event")
    result = [hashlib.blake2b(text.encode(), digest_size=DIGEST).hexdigest() for text in texts["line"]]
    return texts.select("event", pl.Series("hash", result, dtype=pl.String))


def _text(column: pl.Series) -> pl.Series:
    """Return a column as text that no version of a library writes otherwise."""
    if column.dtype.is_float():
        column = (column * THOUSANDTHS).round(0).cast(pl.Int64)
    return column.cast(pl.String).fill_null("")


def contents(games: pl.DataFrame, births: pl.DataFrame) -> pl.DataFrame:
    """Return `event` and `hash` of what counts in every event today.

    `games`: `event`, `white` and `black` (players, merges applied) and the columns of a game.
    `births`: `player`, `birth`: an age may decide on a K.
    """
    born = births.filter(pl.col("birth").is_not_null()).select(
        "player", pl.concat_str("player", "birth", separator="*").alias("who")
    )
    sides = (
        games.select(pl.col(side).cast(pl.Int64).alias("player"))
        .join(born, on="player", how="left", maintain_order="left")
        .select(pl.coalesce("who", pl.col("player").cast(pl.String)))
        .to_series()
        for side in ("white", "black")
    )
    return hashes(games, *sides)


# What counts in the events of the ledger today, as one hash an event.


def contents_of(connection: Connection, events: Sequence[int]) -> pl.DataFrame:
    """Return `event` and `hash` of events as the ledger holds them."""
    g = tables.games
    query = sa.select(
        g.c.event_id.label("event"),
        g.c.white_id.label("white"),
        g.c.black_id.label("black"),
        *(g.c[name] for name in GAME_FIELDS),
    )
    known = Register(connection)
    games = among(connection, query, g.c.event_id, list(events), g.c.id)
    today = dict(known.merged())
    games = games.with_columns(pl.col("white", "black").replace(today))
    players = pl.concat([games["white"], games["black"]]).drop_nulls().unique()
    return contents(games, known.profiles(players).select("player", "birth"))


def renew_contents(connection: Connection, events: Sequence[int]) -> int:
    """Write the content of these events again, where it has changed; return how many have changed."""
    if not events:
        return 0
    e = tables.events
    now = dict(contents_of(connection, events).iter_rows())
    changed = 0
    for event, content in list(rows_in(connection, sa.select(e.c.id, e.c.content), e.c.id, events)):
        if now.get(event, content) != content:
            connection.execute(e.update().where(e.c.id == event).values(content=now[event]))
            changed += 1
    return changed
