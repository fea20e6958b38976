"""The hash of a published list: written when it is frozen, compared by `arpad ledger check`."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.ledger.db import tables
from arpad.ledger.db.tables import document_text, now

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy.engine import Connection

# What the hash covers: the columns of revision 0006, whatever is added later.
LIST = (
    "policy_id",
    "name",
    "number",
    "closing",
    "effective",
    "state",
    "run_id",
    "made",
    "published",
    "published_by",
    "corrects",
)
ENTRY = (
    "player_id",
    "rank",
    "name",
    "title",
    "federation",
    "rating",
    "games",
    "total_games",
    "status",
    "change",
    "deviation",
    "document",
)


def list_hash(connection: Connection, list_id: int) -> tuple[int, str]:
    """Return the number of entries of a list and the SHA-256 of everything that it says."""
    t, n = tables.lists, tables.entries
    row = connection.execute(sa.select(*(t.c[name] for name in LIST)).where(t.c.id == list_id)).one()
    sha = hashlib.sha256(document_text([str(value) for value in row]).encode())
    query = sa.select(*(n.c[name] for name in ENTRY)).where(n.c.list_id == list_id).order_by(n.c.player_id)
    entries = 0
    for entry in connection.execute(query):
        entries += 1
        sha.update(document_text(list(entry)).encode())
    return entries, sha.hexdigest()


def freeze_list(
    connection: Connection,
    list_id: int,
    who: str,
    *,
    state: str | None = None,
    moment: datetime | None = None,
) -> None:
    """Publish a list: its figures are frozen from here on, and their hash is kept."""
    t = tables.lists
    values = {"published": moment or now(), "published_by": who}
    if state is not None:
        values["state"] = state
    connection.execute(t.update().where(t.c.id == list_id).values(**values))
    _keep(connection, list_id)


def write_missing_hashes(connection: Connection) -> None:
    """Write the hashes of published lists that have none: those of an older arpad."""
    for list_id, kept in _published(connection):
        if kept is None:
            _keep(connection, list_id)


def changed_lists(connection: Connection) -> Iterator[str]:
    """Say which published lists are not as they were published."""
    t, p = tables.lists, tables.policies
    for list_id, kept in _published(connection):
        named = sa.select(t.c.name, t.c.number, p.c.name).join(p, p.c.id == t.c.policy_id)
        name, number, policy = connection.execute(named.where(t.c.id == list_id)).one()
        called = f"list {name} of {policy}" if not number else f"correction {number} of {name} ({policy})"
        entries, sha256 = list_hash(connection, list_id)
        if kept is None:
            yield f"{called} is published, and its hash is not there"
        elif kept[0] != entries:
            yield f"{called} has {entries:,} entries; it was published with {kept[0]:,}"
        elif kept[1] != sha256:
            yield f"{called} is not as it was published: its hash differs"
    h = tables.list_hashes
    lost = sa.select(h.c.list_id).join(t, t.c.id == h.c.list_id, isouter=True)
    lost = lost.where(t.c.published.is_(None)).order_by(h.c.list_id)
    for list_id in connection.execute(lost).scalars():
        yield f"list {list_id} was published and is not published any more"


def _keep(connection: Connection, list_id: int) -> None:
    entries, sha256 = list_hash(connection, list_id)
    row = {"list_id": list_id, "entries": entries, "sha256": sha256}
    connection.execute(tables.list_hashes.insert().values(**row))


def _published(connection: Connection) -> list[tuple[int, tuple[int, str] | None]]:
    t, h = tables.lists, tables.list_hashes
    query = (
        sa.select(t.c.id, h.c.entries, h.c.sha256)
        .join(h, h.c.list_id == t.c.id, isouter=True)
        .where(t.c.published.is_not(None))
        .order_by(t.c.id)
    )
    return [
        (row.id, None if row.sha256 is None else (row.entries, row.sha256))
        for row in connection.execute(query)
    ]
