"""A small club for tests of the office: two events, eight players, written row by row."""

from __future__ import annotations

from datetime import date

import polars as pl
import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame
from arpad.ledger.db.tables import now
from arpad.ledger.games import contents_of, renew_contents
from arpad.ledger.register import fold

NAMES = [
    "Ahmed, Anna",
    'O\'Neil, "Bob"',
    "Ивановъ, Пётр",
    "山田 太郎",
    "Robert'); DROP TABLE players;--",
    "x" * 300,
    "Ahmed, A.",
    "Fox, Fay",
]
RATINGS = [1900.0, 1800.0, 1750.0, 1700.0, 1650.0, 1600.0, None, None]
EVENTS = [("Spring Open", date(2026, 3, 1)), ("Autumn Open", date(2026, 10, 4))]
PAIRS = [
    [(1, 2, 1.0), (3, 4, 0.5), (5, 6, 0.0), (1, 3, 1.0), (2, 5, 1.0), (4, 6, 0.5)],
    [(7, 2, 1.0), (3, 8, 0.5), (5, 6, 0.0), (8, 5, 0.0), (7, 3, 0.0), (2, 6, 1.0)],
]


def fill(ledger, *, pairs=PAIRS, events=EVENTS, names=NAMES, ratings=RATINGS) -> None:
    """Write the club into an empty ledger."""
    numbers = list(range(1, len(names) + 1))
    games = [
        {
            "event_id": event + 1,
            "number": number,
            "round": str(number // 3 + 1),
            "date": events[event][1],
            "precision": "day",
            "white_id": white,
            "black_id": black,
            "score": score,
            "black_score": 1 - score,
            "status": "played",
            "white_rating": ratings[white - 1],
            "black_rating": ratings[black - 1],
        }
        for event, rows in enumerate(pairs)
        for number, (white, black, score) in enumerate(rows)
    ]
    with ledger.writing("import", "test") as connection:
        bulk_insert(
            connection,
            tables.players,
            pl.DataFrame(
                {
                    "id": numbers,
                    "name": names,
                    "birth": ([None, "1980", None, "1990-05-12"] * len(names))[: len(names)],
                    "federation": (["GER", None] * len(names))[: len(names)],
                }
            ),
        )
        bulk_insert(
            connection,
            tables.player_names,
            pl.DataFrame({"player_id": numbers, "name": names, "fold": [fold(name) for name in names]}),
        )
        bulk_insert(
            connection,
            tables.player_ids,
            pl.DataFrame({"player_id": [1, 2], "scheme": ["fide", "fide"], "value": ["101", "102"]}),
        )
        bulk_insert(
            connection,
            tables.events,
            pl.DataFrame(
                {
                    "id": list(range(1, len(events) + 1)),
                    "number": list(range(1, len(events) + 1)),
                    "name": [name for name, _ in events],
                    "start": [day for _, day in events],
                    "end": [day for _, day in events],
                    "time_control": ["standard"] * len(events),
                    "source": [f"source {n}" for n in range(len(events))],
                    "content": ["?"] * len(events),
                    "excluded": [False] * len(events),
                }
            ),
        )
        bulk_insert(
            connection,
            tables.games,
            pl.DataFrame(games, infer_schema_length=None).with_columns(
                pl.int_range(1, len(games) + 1).alias("id")
            ),
        )
        renew_contents(connection, list(range(1, len(events) + 1)))


def snapshot(ledger) -> dict[str, pl.DataFrame]:
    """Everything in the ledger but the log."""
    with ledger.reading() as connection:
        return {
            name: frame(connection, table)
            for name, table in tables.METADATA.tables.items()
            if name not in ("decisions", "identity")
        }


def same(one: dict[str, pl.DataFrame], other: dict[str, pl.DataFrame]) -> list[str]:
    """Names of the tables that differ."""
    return [name for name in one if not one[name].equals(other[name])]


def contents(ledger) -> dict[int, str]:
    """The hashes that events have."""
    with ledger.reading() as connection:
        e = tables.events
        kept = dict(connection.execute(sa.select(e.c.id, e.c.content).order_by(e.c.id)).all())
        assert dict(contents_of(connection, sorted(kept)).iter_rows()) == kept, "a stale hash"
        return kept


def doubt(ledger, kind: str, about: str, document: dict, **ids: int) -> int:
    """Open a doubt."""
    with ledger.writing("test", "test") as connection:
        number = len(frame(connection, tables.doubts)) + 1
        connection.execute(
            tables.doubts.insert().values(
                id=number, kind=kind, opened=now(), about=about, document=document, **ids
            )
        )
        return number
