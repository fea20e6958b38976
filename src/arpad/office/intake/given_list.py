"""Rating lists of others: their players, and their ratings as a published list beside our own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.intake.batch import EVENTS, Batch, roster_of
from arpad.read.fields import split_date
from arpad.schema import GAME_SCHEMA
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import bulk_insert, insert
from arpad.store.ledger.column_types import now

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.intake.batch import Settings
    from arpad.read.fide_list import RatingList

__all__ = ["GivenList", "given_list", "write_given_list"]

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
CENTURY = 70
"""Two figures from here on are a year of the last century: FIDE's first list is of 1971."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenList:
    """The players of a list, and the day from which on its ratings were valid (None: not said)."""

    batch: Batch
    closing: date | None


def given_list(read: RatingList, *, scheme: str, settings: Settings) -> GivenList:
    """Return what a rating list brings."""
    closing = _day(settings.date) if settings.date else _period(read.period)
    days = pl.Series("day", [closing], dtype=pl.Date).new_from_index(0, read.rows.height)
    games = pl.DataFrame(schema={**GAME_SCHEMA, "number": pl.Int32, "board": pl.Int32})
    players = roster_of(read.rows, scheme=scheme, day=days)
    batch = Batch(
        scheme=scheme, players=players, events=EVENTS.to_frame(eager=True), games=games, reports=()
    )
    return GivenList(batch=batch, closing=closing)


def _period(text: str | None) -> date | None:
    """Return the first day of a period such as APR04."""
    found = re.fullmatch(r"([A-Z]{3})(\d\d)", text or "")
    if not found or found[1] not in MONTHS:
        return None
    year = int(found[2]) + (1900 if int(found[2]) >= CENTURY else 2000)
    return date(year, MONTHS.index(found[1]) + 1, 1)


def _day(text: str) -> date:
    read = split_date(pl.Series("date", [text]))
    found = read["date"][0]
    if read["unread"][0] or found is None:
        raise UsageError(f"--date: expected YYYY-MM-DD, YYYY-MM or YYYY, found {text!r}")
    return date(found.year, found.month, found.day)


def write_given_list(
    connection: Connection, given: GivenList, people: pl.DataFrame, *, who: str
) -> int:
    """Write the ratings of a list as a published one and return how many there are.

    Its policy is named after the ids of its players and says that nothing was computed.
    """
    rated = given.batch.players.filter(pl.col("rating").is_not_null())
    if given.closing is None or rated.is_empty():
        return 0
    policy = _policy(connection, given.batch.scheme)
    name = f"{given.closing:%Y-%m}" if given.closing.day == 1 else given.closing.isoformat()
    li = tables.lists
    before = connection.execute(
        sa.select(sa.func.count()).where(li.c.policy_id == policy, li.c.name == name)
    ).scalar_one()
    row = insert(
        connection, li, policy_id=policy, name=name, number=before, closing=given.closing,
        effective=given.closing, state="draft", made=now(),
    )  # fmt: skip
    entries = (
        rated.join(people, on="row", maintain_order="left")
        .sort("rating", "player", descending=[True, False])
        .unique("player", keep="first", maintain_order=True)
        .select(
            pl.lit(row).alias("list_id"),
            pl.col("player").alias("player_id"),
            pl.col("rating").rank("min", descending=True).cast(pl.Int64).alias("rank"),
            "name", "title", "federation", "rating",
        )
    )  # fmt: skip
    written = bulk_insert(connection, tables.entries, entries)
    connection.execute(
        li.update()
        .where(li.c.id == row)
        .values(state="published", published=now(), published_by=who)
    )
    return written


def _policy(connection: Connection, scheme: str) -> int:
    p = tables.policies
    name = f"{scheme} (given)"
    found = connection.execute(sa.select(p.c.id).where(p.c.name == name)).scalar()
    if found is not None:
        return int(found)
    return insert(
        connection, p, name=name, version=1, created=now(),
        document={"name": name, "system": "given", "scheme": scheme},
    )  # fmt: skip
