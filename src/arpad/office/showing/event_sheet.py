"""Events of the ledger as people look at them: a list of all, and one with its games."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.office.records.merges import merged_ends, people_today
from arpad.office.records.results import result_text
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["event_games", "events_table"]


def events_table(connection: Connection, part: str | None = None) -> pl.DataFrame:
    """Return the events by their last day: `event`, `name`, `start`, `end`, `time_control`, `games`, `counts`.

    Parameters
    ----------
    part
        Only those with this in their name.
    """
    e, g = tables.events, tables.games
    count = (
        sa.select(g.c.event_id, sa.func.count().label("games")).group_by(g.c.event_id).subquery()
    )
    query = sa.select(
        e.c.id.label("event"), e.c.name, e.c.start, e.c.end, e.c.time_control,
        sa.func.coalesce(count.c.games, 0, type_=sa.Integer).label("games"), e.c.excluded,
    ).join(count, count.c.event_id == e.c.id, isouter=True)  # fmt: skip
    if part:
        query = query.where(sa.func.lower(e.c.name).contains(part.lower(), autoescape=True))
    rows = frame(connection, query.order_by(e.c.end.is_(None), e.c.end, e.c.id))
    return rows.with_columns((~pl.col("excluded")).alias("counts")).drop("excluded")


def event_games(connection: Connection, number: int) -> pl.DataFrame:
    """Return the games of an event: `game`, `round`, `date`, who, given ratings, `result`, `status`.

    Players are those of today; `white_id` and `black_id` are their numbers.
    """
    g, p = tables.games, tables.players
    names = [
        "id", "round", "date", "white_id", "black_id", "white_rating", "black_rating", "score",
        "black_score", "status",
    ]  # fmt: skip
    query = sa.select(*(g.c[name] for name in names)).where(g.c.event_id == number)
    rows = frame(connection, query.order_by(g.c.number))
    ends = merged_ends(connection)
    rows = rows.with_columns(people_today(rows[side], ends) for side in ("white_id", "black_id"))
    known = pl.concat([rows["white_id"], rows["black_id"].drop_nulls()]).unique().sort().to_list()
    called: dict[int, str] = {}
    for at in range(0, len(known), 500):
        some = sa.select(p.c.id, p.c.name).where(p.c.id.in_(known[at : at + 500]))
        called |= {row.id: row.name for row in connection.execute(some)}
    results = [
        result_text(score, black, status)
        for score, black, status in rows.select("score", "black_score", "status").iter_rows()
    ]
    return rows.select(
        pl.col("id").alias("game"),
        "round",
        "date",
        "white_id",
        pl.col("white_id")
        .replace_strict(called, default=None, return_dtype=pl.String)
        .alias("white"),
        "white_rating",
        pl.Series("result", results, dtype=pl.String),
        "black_id",
        pl.col("black_id")
        .replace_strict(called, default=None, return_dtype=pl.String)
        .alias("black"),
        "black_rating",
        "status",
    )
