"""Entries of a list, from where everybody stands, and into the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.office.making.listing import entries_of
from arpad.office.making.played import profiles
from arpad.office.records.merges import merged_ends
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import bulk_insert, frame

if TYPE_CHECKING:
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.making.chain import Standing
    from arpad.office.rules.policy import Policy

__all__ = ["list_entries", "write_entries"]


def list_entries(
    connection: Connection, policy: Policy, closing: date, standing: Standing
) -> pl.DataFrame:
    """Return what a list says of everybody who is rated, with names and titles of today."""
    players = profiles(connection)
    return entries_of(
        policy,
        closing,
        standing.state,
        standing.columns,
        players=players,
        earlier=standing.earlier,
        played=standing.played,
        members=_members(connection, policy, closing),
    )


def _members(connection: Connection, policy: Policy, closing: date) -> pl.Series | None:
    """Return who has the membership that the policy asks for on the closing date."""
    kind = policy.listed.member
    if kind is None:
        return None
    m = tables.memberships
    query = sa.select(m.c.player_id).where(
        m.c.kind == kind,
        sa.or_(m.c["from"].is_(None), m.c["from"] <= closing),
        sa.or_(m.c.until.is_(None), m.c.until >= closing),
    )
    found = frame(connection, query.order_by(m.c.player_id))["player_id"]
    into = merged_ends(connection)
    return found.replace(into) if into else found


def write_entries(connection: Connection, list_id: int, entries: pl.DataFrame) -> None:
    """Write the entries of a list."""
    of_list = pl.lit(list_id, dtype=pl.Int64).alias("list_id")
    # In the order of the key: rows that follow each other are written faster.
    bulk_insert(connection, tables.entries, entries.sort("player_id").select(of_list, pl.all()))
