"""The lists of a policy as the monitors of a pool take them: dated, with who is who."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import polars as pl
import sqlalchemy as sa

from arpad.office.making.lists import entries_as_of, kept_lists
from arpad.office.making.runs import ancestry, runs_numbered
from arpad.office.records.merges import merged_ends, people_today
from arpad.pool.dated import YOUNGEST, DatedList
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.making.lists import KeptList

__all__ = ["MOST", "PoolLists", "lists_until", "pool_list", "spread_out"]

MOST = 13
"""Lists that are compared at most: a year of monthly ones with both ends."""

ACTIVE_MONTHS = 12
"""As FIDE counts [B.02, 7.2.2]: who has not played for a year is inactive."""

T = TypeVar("T")
PEOPLE = ("birth", "sex", "title", "federation")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLists:
    """Lists with their dates, the earliest first."""

    lists: tuple[DatedList, ...]
    found: int
    """How many there are; where there are more than `MOST`, some are left out in between."""
    published: bool
    """False: there is one list only, and these are where everybody stood when its periods closed."""


def lists_until(connection: Connection, kept: KeptList) -> PoolLists:
    """Return the lists of a policy up to one of them; where it is the only one, its own closing dates.

    Corrections that are published are in.
    """
    named: dict[str, KeptList] = {}
    for each in kept_lists(connection, kept.policy):
        if not each.number and each.closing <= kept.closing:
            old = named.get(each.name)
            if old is None or _rank(each) >= _rank(old):
                named[each.name] = each
    named[kept.name] = kept
    found = sorted(named.values(), key=lambda each: (each.closing, each.name))
    people = _people(connection)
    if len(found) > 1:
        chosen = spread_out(found)
        read = tuple(pool_list(connection, each, people) for each in chosen)
        return PoolLists(lists=read, found=len(found), published=True)
    return _closings(connection, kept, people)


def _rank(kept: KeptList) -> tuple[bool, int, int]:
    return kept.state == "published", kept.version, kept.id


def pool_list(
    connection: Connection, kept: KeptList, people: pl.DataFrame | None = None
) -> DatedList:
    """Return one list, with its published corrections; who is rated but not listed is left out."""
    rows = entries_as_of(connection, kept)
    listed = rows.filter(
        pl.col("rank").is_not_null() & pl.col("rating").is_not_null()
    ).with_columns(inactive=pl.col("status") == "inactive")
    who = people if people is not None else _people(connection)
    return _dated(kept.name, kept.closing, listed, who, rows.height - listed.height)


def _closings(connection: Connection, kept: KeptList, people: pl.DataFrame) -> PoolLists:
    """Return where everybody stood when each period before a list closed; inactive: a year without a game."""
    chain = ancestry(connection, kept.run_id)
    closing = {run.id: run.closing for run in runs_numbered(connection, chain)}
    s = tables.states.c
    query = sa.select(s.run_id, s.player_id, s.rating, s.total_games).where(s.run_id.in_(chain))
    states = frame(connection, query.order_by(s.run_id, s.player_id))
    days = states["run_id"].replace_strict(closing, return_dtype=pl.Date)
    # A player has a row in a period only if something happened to him.
    states = states.with_columns(days.alias("day"))
    lists = []
    for day in spread_out([closing[run] for run in chain]):
        last = states.filter(pl.col("day") <= day).unique(
            "player_id", keep="last", maintain_order=True
        )
        asleep = pl.col("day") <= pl.lit(day).dt.offset_by(f"-{ACTIVE_MONTHS}mo")
        rows = last.filter(pl.col("rating").is_not_null()).with_columns(asleep.alias("inactive"))
        lists.append(_dated(f"{day:%Y-%m-%d}", day, rows, people, 0))
    return PoolLists(lists=tuple(lists), found=len(chain), published=False)


def spread_out(things: Sequence[T], most: int = MOST) -> list[T]:
    """Return the first, the last, and others evenly between them.

    Examples
    --------
    >>> spread_out([1, 2, 3, 4, 5, 6, 7], 3)
    [1, 4, 7]
    """
    if len(things) <= most:
        return list(things)
    last = len(things) - 1
    return [things[round(i * last / (most - 1))] for i in range(most)]


def _people(connection: Connection) -> pl.DataFrame:
    p = tables.players
    columns = [p.c.name.label("player"), *(p.c[name] for name in PEOPLE)]
    found = frame(connection, sa.select(p.c.id.label("player_id"), *columns).order_by(p.c.id))
    today = people_today(found["player_id"], merged_ends(connection))
    return found.with_columns(today.alias("today"))


def _dated(
    label: str, day: date, rows: pl.DataFrame, people: pl.DataFrame, left_out: int
) -> DatedList:
    born = pl.col("birth").str.slice(0, 4).cast(pl.Int32, strict=False)
    known = people.rename({"federation": "_federation", "title": "_title"})
    whole = rows.join(known, on="player_id", how="left", maintain_order="left")
    has = set(rows.columns)
    found = whole.select(
        pl.col("today").cast(pl.String).alias("person"),
        "player",
        pl.col("today").cast(pl.String).alias("id"),
        pl.col("rating").cast(pl.Float64),
        pl.when(born <= day.year - YOUNGEST).then(born).alias("born"),
        "sex",
        pl.col("title" if "title" in has else "_title").alias("title"),
        pl.col("federation" if "federation" in has else "_federation").alias("federation"),
        "inactive",
        pl.col("total_games").cast(pl.Int64).alias("games"),
    ).unique("person", keep="first", maintain_order=True)
    return DatedList(label=label, date=day, rows=found, left_out=left_out + rows.height - found.height)  # fmt: skip
