"""The rows of a list as they go out: what was published, with what else is known of the players."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.office.making.lists import entries_as_of, entries_kept
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.making.lists import KeptList

__all__ = ["list_rows"]

FIDE = "fide"


def list_rows(
    connection: Connection, kept: KeptList, *, corrected: bool = True, everybody: bool = False
) -> pl.DataFrame:
    """Return the entries of a list with `number`, `id` (FIDE's), `sex` and `birth`; best first.

    Parameters
    ----------
    corrected
        Put published corrections in, and rank anew; else as it was first published.
    everybody
        Also those who are rated but not listed.
    """
    rows = entries_as_of(connection, kept) if corrected else entries_kept(connection, kept)
    if not everybody:
        rows = rows.filter(~pl.col("status").fill_null("").str.starts_with("unlisted"))
    p, i = tables.players, tables.player_ids
    people = frame(
        connection, sa.select(p.c.id.label("player_id"), p.c.sex, p.c.birth).order_by(p.c.id)
    )
    ids = frame(
        connection,
        sa.select(i.c.player_id, i.c.value.label("id"))
        .where(i.c.scheme == FIDE)
        .order_by(i.c.player_id, i.c.value),
    ).unique("player_id", keep="first", maintain_order=True)
    return (
        rows.join(people, on="player_id", how="left", maintain_order="left")
        .join(ids, on="player_id", how="left", maintain_order="left")
        .rename({"player_id": "number"})
    )
