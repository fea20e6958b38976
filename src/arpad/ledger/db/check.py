"""Checks of a ledger: its content, its soundness, and checksums of its tables."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import sqlalchemy as sa

from arpad.errors import LedgerError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import frames
from arpad.ledger.db.ledger import revision_of
from arpad.ledger.db.tables import HEAD, METADATA, document_text, now

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from arpad.ledger.db.ledger import Ledger


# A check sum of each table that is the same on both databases, and with every later arpad.
#
# It is taken over the values, not over a file: row by row in the order of the key, as bytes that no
# library's way to write a number can change.

ROWS = 50_000
"""Rows that are hashed at once; part of what the check sum means, so never changed."""
HIDDEN = ("alembic_version", "backup", "identity", "sessions", "tokens", "uploads")
"""Tables of the database itself, which hold nothing of the ledger."""


def ledger_tables(connection: Connection) -> list[sa.Table]:
    """Return the tables that are in a database, of whatever revision; who is referred to comes first."""
    if revision_of(connection) == HEAD:
        return [table for table in METADATA.sorted_tables if table.name not in HIDDEN]
    result = sa.MetaData()
    result.reflect(connection)
    return [table for table in result.sorted_tables if table.name not in HIDDEN]


def digests(connection: Connection) -> dict[str, tuple[int, str]]:
    """Return rows and check sum of every table, by name."""
    result = sorted(ledger_tables(connection), key=lambda table: table.name)
    return {str(t.name): digest(connection, t) for t in result}


def digest(connection: Connection, table: sa.Table) -> tuple[int, str]:
    """Return the rows of a table and the SHA-256 of its values."""
    names = sorted(c.name for c in table.c)
    sha, rows = hashlib.sha256("\x1f".join(names).encode()), 0
    for part in frames(connection, table, rows=ROWS, stream=True):
        rows += part.height
        for name in names if part.height else ():
            _add(sha, part[name])
    return rows, sha.hexdigest()


def _add(sha: hashlib._Hash, values: pl.Series) -> None:
    """Add a column: what is null, then the values, 8 bytes each, or texts behind their lengths."""
    sha.update(values.is_null().to_numpy().astype(np.uint8).tobytes())
    if values.dtype == pl.String:
        filled = values.fill_null("")
        sha.update(filled.str.len_bytes().to_numpy().astype("<u4").tobytes())
        sha.update("".join(filled.to_list()).encode())
        return
    kind, plain = ("<f8", pl.Float64) if values.dtype == pl.Float64 else ("<i8", pl.Int64)
    sha.update(values.to_physical().cast(plain).fill_null(0).to_numpy().astype(kind).tobytes())


# What a ledger is and holds, and whether it is sound.

EVENTS = 2_000
"""Events whose games are hashed at once."""
SHOWN = 20
"""Faults that are named; where there are more, the rest is no news."""


GUARDS = {
    "sqlite": (
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'guard_*' ORDER BY name",
        "3f380e6b614ea116ec5599fef712ab8b9846b83add8f92dab969d6db377b6cc6",
    ),
    "postgresql": (
        (
            "SELECT t.tgname, t.tgenabled, t.tgtype, p.prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
            " WHERE t.tgname LIKE 'guard!_%%' ESCAPE '!' ORDER BY t.tgname"
        ),
        "c6ecb70c6dd691e5d95b80715b995bb5283f3a6791ec316cee02b235ae6ee837",
    ),
}
"""By database: the triggers that freeze what is published, and their hash in the newest revision."""
UNGUARDED = (
    "the triggers that freeze published lists are not those that arpad made: figures may be overwritten"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerInfo:
    """Place, database, revision and size of a ledger, and its rows by table."""

    place: str
    database: str
    revision: str
    size: int
    """Bytes."""
    rows: dict[str, int]


def ledger_info(ledger: Ledger) -> LedgerInfo:
    """Return what a ledger is and holds, of whatever revision."""
    with ledger.reading() as connection:
        rows = {
            str(table.name): connection.execute(sa.select(sa.func.count()).select_from(table)).scalar() or 0
            for table in sorted(ledger_tables(connection), key=lambda t: t.name)
        }
        if ledger.dialect == "sqlite":
            version = connection.exec_driver_sql("SELECT sqlite_version()").scalar()
            size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            name = "SQLite"
        else:
            version = connection.exec_driver_sql("SHOW server_version").scalar()
            size = "SELECT pg_database_size(current_database())"
            name = "PostgreSQL"
        return LedgerInfo(
            place=ledger.place.shown,
            database=f"{name} {str(version).split()[0]}",
            revision=ledger.revision_in(connection),
            size=int(connection.exec_driver_sql(size).scalar() or 0),
            rows=rows,
        )


def check_ledger(ledger: Ledger) -> list[str]:
    """Return what is wrong with a ledger, in sentences.

    Every row must be there and readable, every published list as it was published (number of entries and
    hash), every event's hash that of its games, and the triggers that freeze lists in force.
    """
    result: list[str] = []
    try:
        with ledger.reading() as connection:
            if ledger.dialect == "sqlite":
                said = connection.exec_driver_sql(f"PRAGMA integrity_check({SHOWN})").scalars().all()
                result += [f"the file is damaged: {line}" for line in said if line != "ok"]
                missing = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(SHOWN)
                result += [
                    f"row {row} of {table} refers to a row of {target} that is not there"
                    for table, row, target, _ in missing
                ]
            digests(connection)
            if revision_of(connection) == HEAD:
                if guards(connection) != GUARDS[connection.dialect.name][1]:
                    result.append(UNGUARDED)
                result += islice(changed_lists(connection), SHOWN)
                result += islice(_changed_runs(connection), SHOWN)
                result += islice(_changed_events(connection), SHOWN)
    except LedgerError as error:
        result.append(error.reason)
    return result


def guards(connection: Connection) -> str:
    """Return the hash of the triggers that freeze published figures, as they are in force."""
    told = hashlib.sha256()
    for row in connection.exec_driver_sql(GUARDS[connection.dialect.name][0]):
        told.update("\x1f".join(map(str, row)).encode())
    return told.hexdigest()


def _changed_runs(connection: Connection) -> Iterator[str]:
    """Say which runs have lost or gained rows: players, or steps, which are numbered one after the other."""
    r, s, t = tables.runs, tables.states.c, tables.steps.c
    query = sa.select(s.run_id, sa.func.count()).group_by(s.run_id)
    players: dict[int, int] = dict(connection.execute(query).all())
    numbered = sa.func.max(t.seq) - sa.func.min(t.seq) + 1
    gaps = (
        sa.select(t.run_id, t.player_id).group_by(t.run_id, t.player_id).having(numbered != sa.func.count())
    )
    known = sa.exists().where(s.run_id == t.run_id, s.player_id == t.player_id)
    strange = sa.select(t.run_id, t.player_id).where(~known)
    wrong = {run for run, _ in connection.execute(sa.union(gaps, strange))}
    for row in connection.execute(sa.select(r.c.id, r.c.closing, r.c.figures).order_by(r.c.id)):
        told = (row.figures or {}).get("players")
        if row.id in wrong or (told is not None and players.get(row.id, 0) != told):
            yield f"the workings of the play to {row.closing} (run {row.id}) are not those that arpad wrote"


def _changed_events(connection: Connection) -> Iterator[str]:
    """Say which events do not hold the games that their hashes were made of."""
    from arpad.ledger.games import contents_of

    e = tables.events
    kept = connection.execute(sa.select(e.c.id, e.c.name, e.c.content).order_by(e.c.id)).all()
    for at in range(0, len(kept), EVENTS):
        part = kept[at : at + EVENTS]
        now = dict(contents_of(connection, [row.id for row in part]).iter_rows())
        for row in part:
            if now.get(row.id, "") != row.content:
                yield f"event {row.id} ({row.name}) is not as arpad wrote it: its hash differs from that of its games"


# The hash of a published list: written when it is frozen, compared by `arpad ledger check`.

# What the hash covers: the columns of revision 0006, whatever is added later.
LIST = (
    *("policy_id", "name", "number", "closing", "effective", "state", "run_id", "made", "published"),
    *("published_by", "corrects"),
)
ENTRY = (
    *("player_id", "rank", "name", "title", "federation", "rating", "games", "total_games", "status"),
    *("change", "deviation", "document"),
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
