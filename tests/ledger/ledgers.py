"""Small ledgers for tests: people and events written straight into the tables."""

from __future__ import annotations

import datetime as dt

import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame, next_id
from arpad.ledger.games import renew_contents
from arpad.ledger.policy import add_policy

NAMES = ("Adams, Ann", "Brown, Bob", "Clark, Cleo", "Davis, Dora", "Evans, Eric", "Foster, Fay")


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def put_event(ledger, name, when, games, *, time_control=None, given=None, sex=None):
    """Write an event of one day; `games` are (white, black, white's score). Return its number."""
    end = day(when)
    with ledger.writing("test", "test") as connection:
        known = dict(connection.execute(sa.select(tables.players.c.name, tables.players.c.id)).all())
        for who in dict.fromkeys(n for w, b, _ in games for n in (w, b)):
            if who not in known:
                number = next_id(connection, tables.players)
                row = {"id": [number], "name": [who], "sex": [(sex or {}).get(who)]}
                bulk_insert(
                    connection, tables.players, pl.DataFrame(row, schema_overrides={"sex": pl.String})
                )
                known[who] = number
        event = next_id(connection, tables.events)
        first = next_id(connection, tables.games)
        connection.execute(
            tables.events.insert().values(
                id=event, number=1, name=name, start=end, end=end, time_control=time_control,
                source=f"{name} {when} {event}", content="", excluded=False,
            )
        )  # fmt: skip
        n = len(games)
        rows = pl.DataFrame(
            {
                "id": range(first, first + n),
                "event_id": [event] * n,
                "number": range(1, n + 1),
                "round": [str(i + 1) for i in range(n)],
                "date": [end] * n,
                "white_id": [known[w] for w, _, _ in games],
                "black_id": [known[b] for _, b, _ in games],
                "score": [float(s) for _, _, s in games],
                "black_score": [1.0 - s for _, _, s in games],
                "status": ["played"] * n,
                "white_rating": [(given or {}).get(w) for w, _, _ in games],
                "black_rating": [(given or {}).get(b) for _, b, _ in games],
            },
            schema_overrides={"white_rating": pl.Float64, "black_rating": pl.Float64},
        )
        bulk_insert(connection, tables.games, rows)
        renew_contents(connection, [event])
    return event


def put_policy(ledger, policy):
    with ledger.writing("test", "test") as connection:
        return add_policy(connection, policy)


def table(ledger, name, *order):
    """Return a whole table."""
    with ledger.reading() as connection:
        return frame(connection, tables.METADATA.tables[name])


def round_robin(scores, people=NAMES[:4]):
    """Return the games of a round robin; `scores` are White's, over and over."""
    pairs = [(a, b) for i, a in enumerate(people) for b in people[i + 1 :]]
    return [(a, b, scores[k % len(scores)]) for k, (a, b) in enumerate(pairs)]
