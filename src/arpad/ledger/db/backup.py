"""Backup and restore of a ledger in one file, and the check that a ledger is sound."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import sqlalchemy as sa

from arpad.errors import LedgerError, UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import bulk_insert, frame, frames
from arpad.ledger.db.ledger import (
    PATIENCE,
    Ledger,
    Place,
    address,
    appear,
    beside,
    check_file,
    copy_database,
    create_ledger,
    explained,
    fill_file,
    migrate,
    renew_identity,
    revision_of,
    single_file,
)
from arpad.ledger.db.tables import HEAD, METADATA, REVISIONS, document_text, now

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection


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
    size: int  # bytes
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
    hash), every event's hash that of its games, every run's key that of its rules and events, every decision in
    the log, every name one of its player's spellings, and the triggers that freeze lists in force.
    """
    from arpad.ledger.decisions.decisions import missing_decisions
    from arpad.ledger.register import renamed_players
    from arpad.ledger.runs import changed_keys

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
                for faults in (changed_keys, missing_decisions, renamed_players):
                    result += islice(faults(connection), SHOWN)
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
            yield f"the calculation of the play to {row.closing} (run {row.id}) are not those that arpad wrote"


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
            yield f"{called} is published, and its hash is missing"
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


# Put the triggers that freeze what is published aside, for a restore and for nothing else.


@contextmanager
def without_guards(connection: Connection) -> Iterator[None]:
    """Let this transaction write what is frozen; whatever happens, nobody else ever sees them gone.

    Both databases take changes of triggers back with the transaction.
    """
    if connection.dialect.name == "sqlite":
        made = connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
        ).fetchall()
        for name, _ in made:
            connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
        yield
        for _, statement in made:
            connection.exec_driver_sql(statement)
        return
    names = [f'"{table.name}"' for table in ledger_tables(connection)]
    for name in names:
        connection.exec_driver_sql(f"ALTER TABLE {name} DISABLE TRIGGER USER")
    yield
    connection.exec_driver_sql("SET CONSTRAINTS ALL IMMEDIATE")
    for name in names:
        connection.exec_driver_sql(f"ALTER TABLE {name} ENABLE TRIGGER USER")


# A backup: the whole ledger in one file, with check sums; from either database, into either.
#
# The file is itself a ledger (SQLite): it can be looked at with ``--db FILE``. Beside the ledger's tables
# it has one row in `backup`: when it was made, of which revision, and rows and check sum of each table.


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """Content of a backup: number of rows and checksum of each table, by name."""

    made: datetime
    revision: str
    tables: dict[str, tuple[int, str]]
    dropped: tuple[str, ...] = ()
    """After a restore: lists that were published in the ledger before and are not in the backup, or not so."""
    copy: Path | None = None
    """After a restore that dropped published lists: where the ledger as it was is kept."""

    def rows(self) -> int:
        """Return how many rows there are in all."""
        return sum(rows for rows, _ in self.tables.values())


def back_up(ledger: Ledger, path: str | Path, *, replace: bool = False) -> Backup:
    """Write the ledger of this moment into one file, whole or not at all.

    Others may go on reading and writing meanwhile. The ledger is looked over first: a damaged one does
    not take the place of a good backup.
    """
    path = Path(path)
    if path.exists() and not replace:
        raise UsageError(f"{path}: there is a file of this name", code="file-exists")
    if ledger.place.file is not None and path.exists() and path.samefile(ledger.place.file):
        raise UsageError(f"{path}: this is the ledger itself: give another name")
    with beside(path) as made:
        with explained(Place.of(path)):
            _copy(ledger, made)
        with Ledger.at_any_revision(made) as copy:
            if copy.revision() == HEAD:  # nobody is signed in to a backup
                with copy.writing() as connection:
                    renew_identity(connection)
            with copy.reading() as connection:
                backup = Backup(made=now(), revision=copy.revision_in(connection), tables=digests(connection))
        with explained(Place.of(path)):
            _write(made, backup)
        if not appear(made, path, replace=replace):
            raise UsageError(f"{path}: there is a file of this name", code="file-exists")
    return backup


def _copy(ledger: Ledger, made: Path) -> None:
    if ledger.place.file is not None:
        copy_database(ledger.place.file, made, wait=PATIENCE)
        check_file(made)
        return
    with ledger.reading() as source:
        fill_file(made, revision=ledger.revision_in(source))
        with Ledger.at_any_revision(made) as copy, copy.writing() as target:
            copy_tables(source, target)


def copy_tables(source: Connection, target: Connection) -> None:
    """Copy every table into a ledger of the same revision, which is empty."""
    if target.dialect.name == "sqlite":  # a player may be merged into a later one
        target.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    with without_guards(target):
        for table in ledger_tables(source):
            if any(key.column.table is table for key in table.foreign_keys):
                bulk_insert(target, table, frame(source, table))  # PostgreSQL looks when all is in
                continue
            for part in frames(source, table, stream=True):
                bulk_insert(target, table, part)


def _write(path: Path, backup: Backup) -> None:
    """Write the row that says what a file holds; from here on it is one file without company."""
    text = document_text(
        {"made": backup.made.isoformat(), "revision": backup.revision, "tables": backup.tables}
    )
    with closing(sqlite3.connect(address(path), uri=True)) as connection, connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("DROP TABLE IF EXISTS backup")  # of a backup that is in use as a ledger
        connection.execute("CREATE TABLE backup (document TEXT, sha256 TEXT)")
        connection.execute("INSERT INTO backup VALUES (?, ?)", (text, _sha256(text)))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_backup(path: str | Path) -> Backup:
    """Return what a backup holds; raise unless every check sum is what it was."""
    place = Place.of(Path(path))
    place.check()
    assert place.file is not None
    with explained(place):
        check_file(place.file)
        with closing(sqlite3.connect(address(place.file), uri=True)) as connection:
            try:
                text, sha256 = connection.execute("SELECT document, sha256 FROM backup").fetchone()
            except (sqlite3.OperationalError, TypeError):
                raise LedgerError(
                    "this is no backup: give a file that `arpad backup` made", file=place.shown
                ) from None
    if _sha256(text) != sha256:
        raise _changed(place, "backup")
    written = json.loads(text)
    backup = Backup(
        made=datetime.fromisoformat(written["made"]),
        revision=written["revision"],
        tables={name: (rows, sha) for name, (rows, sha) in written["tables"].items()},
    )
    with Ledger.at_any_revision(place) as ledger, ledger.reading() as connection:
        for name, result in digests(connection).items():
            if backup.tables.get(name) != result:
                raise _changed(place, name)
    return backup


def _changed(place: Place, table: str) -> LedgerError:
    return LedgerError(
        f"the backup is damaged: the checksum of {table} differs. Use an earlier one", file=place.shown
    )


# Bring a backup back, whole or not at all; and bring a ledger to the newest revision.


def restore(
    backup: str | Path,
    place: str | Path | Place | None = None,
    *,
    replace: bool = False,
    wait: float = PATIENCE,
) -> Backup:
    """Bring a backup back into a ledger that is empty or not there.

    Every check sum is looked at before anything is written and, on PostgreSQL, after it. A backup of an
    older arpad is brought to the newest revision on the way.

    `replace`: Replace the present content of the ledger. Where that drops published lists, they are named,
    and the previous ledger is kept in a file beside it.
    """
    place, source = Place.of(place), Path(backup)
    held = read_backup(source)
    if held.revision not in REVISIONS:
        raise LedgerError(
            f"this backup is of a newer arpad (revision {held.revision}, this one knows {HEAD}): install that one",
            file=str(source),
        )
    if place.file is not None and place.file.exists() and place.file.samefile(source):
        raise UsageError(f"{source}: this is the backup itself", code="backup-itself")
    with beside(place.file or Path(tempfile.gettempdir()) / "arpad-restore") as made:
        _prepare(source, made, place)
        lost = place.file is not None and place.file.is_file() and not place.file.stat().st_size
        if place.file is not None and (not place.file.exists() or (lost and replace)):
            if appear(made, place.file, replace=lost):
                return held
            raise UsageError(f"{place.shown}: another program has just made a ledger here: check it first")
        create_ledger(place, wait=wait)
        with Ledger.open(place, wait=wait) as ledger:
            dropped = _dropped(ledger, made) if replace else ()
            copy = None
            if dropped:
                copy = _free_name(place, f"before-restore-{now():%Y%m%dT%H%M%S}")
                back_up(ledger, copy)
            _into(ledger, made, replace=replace, wait=wait)
    return dataclass_replace(held, dropped=dropped, copy=copy)


def _dropped(ledger: Ledger, made: Path) -> tuple[str, ...]:
    """Return the published lists of a ledger that a backup does not have, or not with these figures."""
    with ledger.reading() as connection:
        mine = _published_lists(connection)
    with Ledger.open(made) as copy, copy.reading() as connection:
        theirs = _published_lists(connection)
    return tuple(name for name, sha256 in mine.items() if theirs.get(name) != sha256)


def _published_lists(connection: Connection) -> dict[str, str | None]:
    t, p, h = tables.lists, tables.policies, tables.list_hashes
    query = (
        sa.select(p.c.name, t.c.name.label("list"), t.c.number, h.c.sha256)
        .join(p, p.c.id == t.c.policy_id)
        .join(h, h.c.list_id == t.c.id, isouter=True)
        .where(t.c.published.is_not(None))
        .order_by(p.c.name, t.c.closing, t.c.number, t.c.id)
    )
    return {
        f"{row.list}{f' correction {row.number}' if row.number else ''} ({row.name})": row.sha256
        for row in connection.execute(query)
    }


def _prepare(source: Path, made: Path, place: Place) -> None:
    """Make a ledger of the newest revision out of a backup."""
    with explained(place):
        copy_database(source, made, wait=PATIENCE)
    with Ledger.at_any_revision(made) as copy, copy.writing() as connection:
        connection.exec_driver_sql("DROP TABLE backup")
        migrate(connection)
        renew_identity(connection)
    single_file(made, wal=True)


def _into(ledger: Ledger, made: Path, *, replace: bool, wait: float) -> None:
    if not replace:
        with ledger.reading() as connection:
            _refuse_full(ledger, connection)
    if ledger.place.file is not None:
        copy_database(made, ledger.place.file, wait=wait)
        return
    with Ledger.open(made) as copy, copy.reading() as source, ledger.writing() as target:
        if not replace:  # again: somebody may have been quicker
            _refuse_full(ledger, target)
        with without_guards(target):
            for table in reversed(ledger_tables(target)):
                target.execute(sa.delete(table))
        copy_tables(source, target)
        renew_identity(target)
        if digests(target) != digests(source):
            raise LedgerError(
                "the restored data differ from the backup; nothing was changed", file=ledger.place.shown
            )


def _refuse_full(ledger: Ledger, connection: Connection) -> None:
    for table in ledger_tables(connection):
        if connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
            raise UsageError(f"{ledger.place.shown}: this ledger is not empty", code="ledger-not-empty")


def upgrade(
    place: str | Path | Place | None = None, *, copy: str | Path | None = None
) -> tuple[str, Path | None]:
    """Bring a ledger to the newest revision; a backup of what it was is made first.

    `copy`: Where the backup goes; by default beside the file, or in the current folder.

    Returns
    -------
    The revision it was of, and the backup; none if there was nothing to do.
    """
    with Ledger.at_any_revision(place) as ledger:
        old = str(ledger.revision())
        if old == HEAD:
            return old, None
        if old not in REVISIONS:
            Ledger.open(place)  # says what is wrong
        kept = Path(copy) if copy is not None else _copy_of(ledger, old)
        if copy is not None or not kept.exists():
            back_up(ledger, kept)
        with ledger.writing() as connection:
            migrate(connection)
        return old, kept


def _copy_of(ledger: Ledger, revision: str) -> Path:
    """Return the file for the backup: one of an upgrade that was killed, if it is of this ledger, or a free name."""
    first = _free_name(ledger.place, f"revision-{revision}", free=False)
    if first.exists():
        try:
            with ledger.reading() as connection:
                if read_backup(first).tables == digests(connection):
                    return first
        except LedgerError:  # another file of this name: it stays
            pass
    return _free_name(ledger.place, f"revision-{revision}")


def _free_name(place: Place, words: str, *, free: bool = True) -> Path:
    """Return a name beside the ledger, or in the current folder, that no file has yet."""
    beginning = (place.file if place.file is not None else Path(str(place.url.database))).absolute()
    path, number = beginning.with_name(f"{beginning.name}.{words}.backup"), 1
    while free and path.exists():
        number += 1
        path = beginning.with_name(f"{beginning.name}.{words}.{number}.backup")
    return path
