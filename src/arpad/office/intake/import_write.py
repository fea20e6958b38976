"""Write a plan into the ledger: all of a file, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import sqlalchemy as sa

from arpad.office.records.event_content import renew_contents
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import bulk_insert, insert
from arpad.store.ledger.column_types import now

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection

    from arpad.office.intake.import_plan import Plan

__all__ = ["write_plan"]

CHUNK = 500
_FIELDS = ("birth", "federation", "sex", "title")


def write_plan(
    connection: Connection,
    plan: Plan,
    *,
    file: str,
    sha256: str,
    format: str,
    options: dict[str, str],
    who: str,
    step: Callable[[str], None] = lambda _: None,
) -> int:
    """Write what an import changes and return its number.

    Parameters
    ----------
    step
        Called before each table with its name: crash tests stop here.
    """
    rows, when = plan.rows, now()
    step("imports")
    number = insert(
        connection, tables.imports, file=file, sha256=sha256, format=format,
        options=options or None, when=when, who=who, games=rows.games.height,
        events=rows.events.height, players_new=rows.players.height,
        doubtful=rows.doubts.height,
    )  # fmt: skip
    ours = pl.lit(number, dtype=pl.Int64).alias("import_id")
    opened = pl.lit(when, dtype=pl.Datetime("us", "UTC")).alias("opened")
    for table, frame in (
        (tables.players, rows.players.with_columns(ours)),
        (tables.player_ids, rows.player_ids),
        (tables.player_names, rows.player_names),
        (tables.events, rows.events.with_columns(ours)),
        (tables.games, rows.games),
        (tables.doubts, rows.doubts.with_columns(ours, opened)),
    ):
        step(table.name)
        bulk_insert(connection, table, frame)
    step("filled")
    _fill(connection, rows.filled)
    return number


def _fill(connection: Connection, filled: pl.DataFrame) -> None:
    """Complete players; where a birth is new, the content of the events they played in is, too."""
    p = tables.players
    if filled.is_empty():
        return
    better: dict[str, Any] = {
        name: sa.func.coalesce(sa.bindparam(f"new_{name}"), p.c[name]) for name in _FIELDS
    }
    connection.execute(
        p.update().where(p.c.id == sa.bindparam("player")).values(**better),
        filled.rename({name: f"new_{name}" for name in _FIELDS}).to_dicts(),
    )
    born = filled.filter(pl.col("birth").is_not_null())["player"].to_list()
    g = tables.games
    events: set[int] = set()
    for at in range(0, len(born), CHUNK):
        chunk = _everybody(connection, born[at : at + CHUNK])
        for side in (g.c.white_id, g.c.black_id):
            events.update(
                connection.execute(
                    sa.select(g.c.event_id).where(side.in_(chunk)).distinct()
                ).scalars()
            )
    if events:
        renew_contents(connection, sorted(events))


def _everybody(connection: Connection, players: list[int]) -> list[int]:
    """Return these players and all that were merged into them."""
    p = tables.players
    found, more = set(players), players
    while more:
        rows = connection.execute(sa.select(p.c.id).where(p.c.merged_into.in_(more))).scalars()
        more = [row for row in rows if row not in found]
        found.update(more)
    return sorted(found)
