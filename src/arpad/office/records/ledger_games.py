"""Events of the ledger as `Games`: merges applied, ratings as given or from the list that held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.model import Event, Games
from arpad.office.records.merges import merged_ends, people_today
from arpad.schema import GAME_SCHEMA
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

__all__ = ["Recorded", "listed_ratings", "recorded_games"]

CHUNK = 500
FEW = 2000
"""Values up to which a loop is faster than a frame."""
COPIED = (
    "score", "black_score", "status", "date", "precision", "round", "white_rating", "black_rating",
    "plies",
)  # fmt: skip


class Recorded:
    """Games of the ledger, and which rows they are: `players` and `events` are its numbers."""

    __slots__ = ("events", "games", "players")

    def __init__(self, games: Games, players: Sequence[int], events: Sequence[int]) -> None:
        self.games = games
        self.players = tuple(players)
        """The number of each row of `games.players`."""
        self.events = tuple(events)
        """The number of each row of `games.events`."""


def recorded_games(
    connection: Connection, events: Sequence[int], *, ratings: Mapping[int, float] | None = None
) -> Recorded:
    """Return events as games, in the order in which they are named.

    Parameters
    ----------
    ratings
        By player of today: for those whom the report gives no rating.
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
    found = _events(connection, events, number, ends)
    return Recorded(Games.assemble(table, players, found), here.to_list(), events)


def _rows(connection: Connection, events: Sequence[int]) -> pl.DataFrame:
    g = tables.games
    chosen = [g.c.event_id, g.c.number, g.c.white_id, g.c.black_id, *(g.c[c] for c in COPIED)]
    parts = [
        frame(
            connection,
            sa.select(*chosen)
            .where(g.c.event_id.in_(events[at : at + CHUNK]))
            .order_by(g.c.event_id, g.c.number),
        )
        for at in range(0, max(len(events), 1), CHUNK)
    ]
    if len(events) == 1:  # as one is looked at in a browser: nothing to put in order
        return parts[0]
    place = pl.DataFrame(
        {"event_id": list(events), "_at": range(len(events))},
        schema={"event_id": pl.Int64, "_at": pl.Int64},
    )
    rows = pl.concat(parts).join(place, on="event_id", maintain_order="left")
    return rows.sort("_at", "number", maintain_order=True)


def _given(rows: pl.DataFrame) -> set[int]:
    """Return the players whom the report gives a rating in one of these games."""
    sides = [
        rows.filter(pl.col(f"{s}_rating").is_not_null())[f"{s}_id"] for s in ("white", "black")
    ]
    return {int(player) for side in sides for player in side.drop_nulls()}


def _people(connection: Connection, players: Sequence[int]) -> pl.DataFrame:
    p = tables.players
    chosen = [p.c.id, p.c.name, p.c.birth, p.c.federation, p.c.sex, p.c.title]
    parts = [
        frame(
            connection,
            sa.select(*chosen).where(p.c.id.in_(players[at : at + CHUNK])).order_by(p.c.id),
        )
        for at in range(0, max(len(players), 1), CHUNK)
    ]
    return pl.concat(parts)


def _replaced(values: pl.Series, numbers: Mapping[int, int]) -> pl.Series:
    if values.len() <= FEW:
        return pl.Series([numbers.get(value) for value in values.to_list()], dtype=pl.Int32)
    return values.replace_strict(numbers, default=None, return_dtype=pl.Int32)


def _ids(connection: Connection, players: Sequence[int]) -> list[str | None]:
    """Return FIDE's id of each player, else any other that there is."""
    i = tables.player_ids
    found: dict[int, tuple[bool, str]] = {}
    for at in range(0, len(players), CHUNK):
        rows = connection.execute(
            sa.select(i.c.player_id, i.c.scheme, i.c.value)
            .where(i.c.player_id.in_(players[at : at + CHUNK]))
            .order_by(i.c.player_id, i.c.scheme, i.c.value)
        )
        for player, scheme, value in rows:
            if player not in found or (scheme == "fide" and not found[player][0]):
                found[player] = (scheme == "fide", value)
    return [found[player][1] if player in found else None for player in players]


def _events(
    connection: Connection,
    events: Sequence[int],
    number: Mapping[int, int],
    person: Mapping[int, int],
) -> list[Event]:
    e = tables.events
    rows: dict[int, Any] = {}
    for at in range(0, len(events), CHUNK):
        query = sa.select(e).where(e.c.id.in_(events[at : at + CHUNK])).order_by(e.c.id)
        rows.update({row.id: row for row in connection.execute(query)})
    found = []
    for event in events:
        row = rows[event]
        more = dict(row.document or {})
        teams = tuple(
            (name, tuple(number[m] for m in (person.get(x, x) for x in members) if m in number))
            for name, members in more.get("teams", ())
        )
        found.append(
            Event(
                name=row.name, site=row.site, federation=row.federation, start=row.start,
                end=row.end, kind=row.kind, rounds=row.rounds, teams=teams,
                time_control=more.get("time_control") or row.time_control,
                arbiter=more.get("arbiter"), deputies=tuple(more.get("deputies", ())),
                round_dates=tuple(more.get("round_dates", ())),
                rating_system=more.get("rating_system"), number_two=more.get("number_two"),
                extra=tuple(more.get("extra", ())),
            )
        )  # fmt: skip
    return found


def listed_ratings(connection: Connection, policy: str, on: date) -> dict[int, float]:
    """Return the ratings of the list of a policy that held on a day, by player of today.

    The last published one; where none was published yet, the last draft.
    """
    t, p, n = tables.lists, tables.policies, tables.entries
    held = sa.func.coalesce(t.c.effective, t.c.closing)
    chosen = connection.execute(
        sa.select(t.c.id)
        .join(p, p.c.id == t.c.policy_id)
        .where(p.c.name == policy, t.c.number == 0, held <= on)
        .order_by(t.c.published.is_(None), held.desc(), t.c.id.desc())
        .limit(1)
    ).scalar()
    if chosen is None:
        return {}
    ends = merged_ends(connection)
    rows = connection.execute(
        sa.select(n.c.player_id, n.c.rating)
        .where(n.c.list_id == chosen, n.c.rating.is_not(None))
        .order_by(n.c.player_id)
    )
    found: dict[int, float] = {}
    for player, rating in rows:
        today = ends.get(player, player)
        if player == today or today not in found:
            found[today] = rating
    return found
