"""The ledger as an object: its connection to SQLite or PostgreSQL, create, open, read, write."""

from __future__ import annotations

import getpass
import os
import secrets
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, StatementError

from arpad.errors import ArpadError, BusyError, LedgerError, UsageError
from arpad.files import input_file
from arpad.ledger.db.tables import HEAD, METADATA, REVISIONS, accounts, identity, sessions, tokens, uploads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from alembic.script import ScriptDirectory
    from sqlalchemy.engine import Connection, Engine


# Connections to the two databases: how each is told to be safe, and who may write.

Mode = Literal["read", "write"]
APPLICATION = 0x41525044
"""SQLite's `application_id` of a ledger: the letters ARPD."""
WRITER = 0x6172706164
"""The advisory lock of PostgreSQL that the one writer holds: the letters arpad."""
CACHE = {"read": -8_192, "write": -65_536}
"""KiB of pages that a SQLite connection may keep: a server has a dozen that read; a big import touches its indexes often."""


def engine_for(place: Place, *, wait: float, on_wait: Callable[[str], object] = lambda _: None) -> Engine:
    """Return an engine for a place.

    `wait`: Seconds that a writer waits for another one.
    `on_wait`: Called with a sentence before such a wait.
    """
    if place.file is not None:
        return _sqlite(place, wait, on_wait)
    return _postgresql(place, wait, on_wait)


def _sqlite(place: Place, wait: float, on_wait: Callable[[str], object]) -> Engine:
    url = sa.engine.URL.create("sqlite", database=address(Path(str(place.file))), query={"uri": "true"})
    engine = sa.create_engine(url, connect_args={"timeout": wait})

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin below, not where sqlite3 thinks
        # FULL, not NORMAL: after a power cut, too, what was said to be kept is there.
        # Recursive triggers: REPLACE deletes a row, and the triggers that guard it run.
        for pragma in ("foreign_keys = ON", "recursive_triggers = ON", "synchronous = FULL"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        raw: Any = connection.connection.driver_connection
        writes = connection.get_execution_options().get("arpad_mode") == "write"
        raw.execute(f"PRAGMA cache_size = {CACHE['write' if writes else 'read']}")
        if not writes:
            raw.execute("BEGIN")
            raw.execute("SELECT 1 FROM sqlite_master").close()  # from here on one snapshot
            return
        raw.execute("PRAGMA busy_timeout = 0")
        try:
            raw.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        finally:
            raw.execute(f"PRAGMA busy_timeout = {int(wait * 1000)}")
        on_wait(f"another writer is at work in {place.shown}: waiting up to {wait:.0f} s")
        raw.execute("BEGIN IMMEDIATE")

    return engine


def address(path: Path) -> str:
    """Return a file as SQLite's URIs want it.

    ``mode=rw`` never makes a file: a slip in a name is an error, not an empty ledger. Where nothing can
    be written, not even the little files of a reader, and no writer has any open, it is read as it lies.
    """
    name = str(path)
    for sign, code in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        name = name.replace(sign, code)
    alone = not Path(f"{path}-wal").exists()
    if alone and path.exists() and not os.access(path.parent, os.W_OK):
        return f"file:{name}?mode=ro&immutable=1"
    return f"file:{name}?mode=rw"


def _postgresql(place: Place, wait: float, on_wait: Callable[[str], object]) -> Engine:
    engine = sa.create_engine(place.url, connect_args={"connect_timeout": 10})

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("arpad_mode") != "write":
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return
        # READ COMMITTED: what the writer before us left is seen once the lock is ours.
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {max(1, int(wait * 1000))}")
        if not connection.exec_driver_sql(f"SELECT pg_try_advisory_xact_lock({WRITER})").scalar():
            on_wait(f"another writer is at work in {place.shown}: waiting up to {wait:.0f} s")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER})")

    return engine


# Where a ledger is: a file (SQLite), or a database by its URL (PostgreSQL).

DEFAULT = "arpad.db"
"""The file in the current folder that is meant when nothing is named."""


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a ledger; `shown` names it without its password."""

    url: URL
    file: Path | None
    shown: str

    @classmethod
    def of(cls, place: str | Path | Place | None = None) -> Place:
        """Return the place that is named: a path, a URL, else ``ARPAD_DB``, else ``arpad.db``.

        Examples
        --------
        >>> Place.of("club.db").shown
        'club.db'
        >>> Place.of("postgresql://anna:secret@db.example/club").shown
        'postgresql+psycopg://anna:***@db.example/club'
        """
        if isinstance(place, Place):
            return place
        named = str(place or os.environ.get("ARPAD_DB") or DEFAULT)
        if "://" not in named:
            return cls._file(Path(named))
        try:
            url = make_url(named)
        except (ArgumentError, ValueError):
            raise UsageError(
                f"expected postgresql://user@host/database, found {named.partition('://')[0]}://…, which cannot be read as a URL"
            ) from None
        return cls._by_url(url)

    def check(self) -> None:
        """Raise unless there is a file, where a file is meant."""
        if self.file is None:
            return
        if self.file.is_file():
            if self.file.stat().st_size == 0:
                raise LedgerError(EMPTY, file=self.shown)
            return
        if self.file.is_dir():
            said = "expected a file, found a folder: give the name of a ledger in it"
        elif self.file.exists():
            said = "expected a file, found a pipe or a device"
        else:
            raise LedgerError("there is no ledger here", file=self.shown, code="no-ledger")
        raise LedgerError(said, file=self.shown)

    @classmethod
    def _by_url(cls, url: URL) -> Place:
        family = url.drivername.partition("+")[0]
        if family == "sqlite":
            if not url.database or url.database == ":memory:":
                raise UsageError("expected a file: a ledger in memory would be lost at once")
            return cls._file(Path(unquote(url.database)))
        if family not in ("postgresql", "postgres"):
            raise UsageError(
                f"expected a file or postgresql://user@host/database, found {family}://: arpad keeps ledgers in SQLite and PostgreSQL"
            )
        url = url.set(drivername="postgresql+psycopg")
        return cls(url, None, url.render_as_string(hide_password=True))

    @classmethod
    def _file(cls, path: Path) -> Place:
        return cls(URL.create("sqlite", database=str(path)), path, str(path))


# What a database says when something is wrong, in a sentence: what, where, what to do.

PRIMARY = 0xFF
"""SQLite's extended codes keep the plain one in their last byte."""
SQLITE = {
    sqlite3.SQLITE_NOTADB: "this is no ledger, and no SQLite database at all: give the file that `arpad import` made",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: move it away and restore the last backup (arpad restore)",
    sqlite3.SQLITE_READONLY: "the ledger cannot be written: its file or its folder is read-only for this user",
    sqlite3.SQLITE_PERM: "no permission to open this file",
    sqlite3.SQLITE_FULL: "the disk is full. Nothing was changed: free some space and run the same command again",
    sqlite3.SQLITE_TOOBIG: "a text is too long for the database",
}
FULL_CODES = (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE)
EMPTY = (
    "the file is empty: it is no ledger, or one that was lost (a full disk, a copy that was cut off). Bring a "
    "backup back in its place, or delete the file to begin a new ledger"
)
BUSY = "another writer is at work in this ledger: wait until it is done and try again. Nothing was changed"
POSTGRESQL = {
    "28": "the server refuses this user: check the name and the password",
    "3D": "there is no such database on the server: make it first (createdb)",
    "42501": "this user has no permission for that in this database: its owner must grant it",
    "53100": "the server's disk is full. Nothing was changed: free some space and run the same command again",
    "25006": "the server accepts no changes now (it is read-only)",
    "57P03": "the server is starting or stopping: try again in a moment",
    "57P01": "the server was stopped in the middle of the work. Nothing was changed",
    "XX001": "the database is damaged: take the last backup (arpad restore)",
    "XX002": "the database is damaged: take the last backup (arpad restore)",
}
CLOSED = "cannot be opened: the file, its folder or the -wal file beside it cannot be read and written by this user"
LOST = "the connection to the server was lost; unfinished work was not saved: run the same command again"
RAISED = "P0001"
"""PostgreSQL's code of what our own triggers say."""


@contextmanager
def explained(place: Place) -> Iterator[None]:
    """Turn what a database says inside this block into a sentence; what is not known passes."""
    try:
        yield
    except StatementError as error:
        if isinstance(error.orig, ArpadError):  # a value that is never stored
            raise error.orig from None
        raise trouble(error, place) from error
    except sqlite3.Error as error:
        raise trouble(error, place) from error
    except Exception as error:
        if hasattr(error, "sqlstate"):  # psycopg's own, when it was used without SQLAlchemy
            raise trouble(error, place) from error
        raise


def trouble(error: Exception, place: Place) -> Exception:
    """Return the sentence for an error of a database, or the error itself if it has none."""
    cause = error.orig if isinstance(error, StatementError) else error
    if isinstance(cause, sqlite3.Error):
        result = _troubles_sqlite(cause, place)
    elif isinstance(cause, Exception) and hasattr(cause, "sqlstate"):
        result = _troubles_postgresql(cause, place)
    else:
        result = None
    return error if result is None else result


def _troubles_sqlite(error: sqlite3.Error, place: Place) -> Exception | None:
    code = getattr(error, "sqlite_errorcode", 0)
    plain = code & PRIMARY
    if code == sqlite3.SQLITE_CONSTRAINT_TRIGGER:
        return UsageError(str(error))
    if plain in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return BusyError(BUSY, file=place.shown)
    said = SQLITE.get(plain)
    if plain == sqlite3.SQLITE_CANTOPEN:
        said = CLOSED
    elif code in FULL_CODES:
        said = SQLITE[sqlite3.SQLITE_FULL]
    elif "Could not decode" in str(error):
        said = SQLITE[sqlite3.SQLITE_CORRUPT]
    elif plain == sqlite3.SQLITE_IOERR:
        said = f"the disk does not work properly ({error})"
    return LedgerError(said, file=place.shown) if said else None


def _troubles_postgresql(error: Exception, place: Place) -> Exception | None:
    state = getattr(error, "sqlstate", None) or ""
    said = str(error).strip().partition("\n")[0]
    if state == RAISED:
        return UsageError(said)
    if state == "55P03":
        return BusyError(BUSY, file=place.shown)
    for code, sentence in POSTGRESQL.items():
        if state.startswith(code):
            return LedgerError(sentence, file=place.shown)
    if not state and type(error).__name__ in ("OperationalError", "InterfaceError", "ConnectionTimeout"):
        return _no_server(said, place)
    return None


def _no_server(said: str, place: Place) -> Exception:
    """Return what is meant by an error that the client made, not the server."""
    if "lost" in said or "closed the connection" in said or "connection is closed" in said:
        return LedgerError(LOST, file=place.shown)
    words = {"password": "28", "role": "28", "pg_hba.conf": "28", "database": "3D"}
    told = next((POSTGRESQL[code] for word, code in words.items() if word in said), None)
    if told is None or "refused" in said:
        told = f"the server does not answer: is it running, and are host and port right? ({said})"
    return LedgerError(told, file=place.shown)


# SQLite files as wholes: copy one that is in use, check one, give one its name.

ENDINGS = ("", "-wal", "-shm", "-journal")
STEP = 0.05
"""Seconds between two looks at a database that is locked."""


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Give a new file beside `path`, which is gone afterwards unless it was given its name."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise LedgerError(
            f"cannot be made: {error.strerror or error}: the folder must exist, and you must be allowed to write in it",
            file=str(path),
        ) from None
    os.close(handle)
    try:
        yield Path(name)
    finally:
        for ending in ENDINGS:
            Path(name + ending).unlink(missing_ok=True)


def appear(made: Path, path: Path, *, replace: bool = False) -> bool:
    """Give a file its name; say no if there is one already that must not be replaced."""
    made.chmod(0o666 & ~_umask())
    with made.open("rb") as file:
        os.fsync(file.fileno())
    if replace:
        made.replace(path)
        return True
    try:
        os.link(made, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        made.replace(path)
    return True


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def copy_database(source: Path, target: Path, *, wait: float) -> None:
    """Copy a database of one moment; the target changes whole or not at all.

    Both may be in use: readers of the target go on, a writer is waited for.
    """
    until = time.monotonic() + wait

    def _patient(status: int, _: int, __: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > until:
            raise BusyError(BUSY, file=str(target))

    with (
        explained(Place.of(source)),
        closing(sqlite3.connect(address(source), uri=True)) as old,
        explained(Place.of(target)),
        closing(sqlite3.connect(address(target), uri=True, timeout=0)) as new,
    ):
        new.execute("PRAGMA synchronous = FULL")
        old.backup(new, progress=_patient, sleep=STEP)


def check_file(path: Path) -> None:
    """Raise unless the pages of a database fit together."""
    with explained(Place.of(path)), closing(sqlite3.connect(address(path), uri=True)) as result:
        said = result.execute("PRAGMA quick_check(1)").fetchone()[0]
    if said != "ok":
        raise LedgerError(
            f"the file is damaged ({said.splitlines()[0]}): move it away and restore the last backup (arpad restore)",
            file=str(path),
        )


def single_file(path: Path, *, wal: bool) -> None:
    """Bring what lies beside a database into it, and set how it will be written from now on."""
    with explained(Place.of(path)), closing(sqlite3.connect(address(path), uri=True)) as result:
        result.execute("PRAGMA journal_mode = DELETE")
        if wal:
            result.execute("PRAGMA journal_mode = WAL")


if TYPE_CHECKING:
    OnWait = Callable[[str], object]


# Bring a database to a revision of the schema.

FOLDER = Path(__file__).parent / "migrations"


def script_directory() -> ScriptDirectory:
    """Return the revisions as Alembic sees them."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(FOLDER), version_locations=[str(FOLDER / "versions")])


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database; None: it holds no ledger."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    query = sa.text("SELECT version_num FROM alembic_version")
    return connection.execute(query).scalar()


def migrate(connection: Connection, revision: str = HEAD) -> None:
    """Run the revisions up to this one in the transaction of the connection."""
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext

    scripts = script_directory()

    def steps(current: Any, _: object) -> Any:
        return scripts._upgrade_revs(revision, current)

    with EnvironmentContext(Config(), scripts, fn=steps, destination_rev=revision) as environment:
        environment.configure(connection=connection, target_metadata=METADATA, transactional_ddl=True)
        environment.run_migrations()


# Make an empty ledger: it is there whole, or not at all.


def create_ledger(place: Place, *, wait: float, revision: str = HEAD) -> None:
    """Make the ledger at a place unless there is one; something else there is left alone."""
    if place.file is None:
        with explained(place):
            _fill(place, wait, revision)
    elif not place.file.exists():
        with beside(place.file) as made, explained(place):
            fill_file(made, revision=revision)
            appear(made, place.file)


def fill_file(path: Path, *, revision: str = HEAD) -> None:
    """Make a ledger in an empty file."""
    with closing(sqlite3.connect(address(path), uri=True)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    _fill(Place.of(path), 1.0, revision)


def _fill(place: Place, wait: float, revision: str) -> None:
    engine = engine_for(place, wait=wait)
    try:
        with engine.connect().execution_options(arpad_mode="write") as connection, connection.begin():
            if revision_of(connection) is not None:
                return
            if others := sa.inspect(connection).get_table_names():
                raise LedgerError(
                    f"this database holds other tables ({', '.join(sorted(others)[:3])}, …): make one for the ledger alone",
                    file=place.shown,
                )
            migrate(connection, revision)
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION}")
    finally:
        engine.dispose()


# The ledger: open it, read it as it stood at one moment, write in it one at a time.

PATIENCE = 30.0
"""Seconds that a writer waits for another before it is told to try again."""


def user_name() -> str:
    """Return who is at work: the name of the user, or "?" where there is none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "?"


class Ledger:
    """The database of events, players, decisions and lists; open one with `Ledger.open`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Ledger.open(f"{folder}/club.db", create=True) as ledger:
    ...     with ledger.reading() as connection:
    ...         ledger.dialect, connection.exec_driver_sql("SELECT count(*) FROM games").scalar()
    ('sqlite', 0)
    """

    def __init__(self, place: Place, *, wait: float, on_wait: OnWait | None = None) -> None:
        self.place = place
        if place.file is not None:
            input_file(place.file)
        self._engine = engine_for(place, wait=wait, on_wait=on_wait or (lambda _: None))
        self.dialect = self._engine.dialect.name

    @classmethod
    def open(
        cls,
        place: str | Path | Place | None = None,
        *,
        create: bool = False,
        wait: float = PATIENCE,
        on_wait: OnWait | None = None,
    ) -> Ledger:
        """Open the ledger in a file or database.

        A database of an older or a newer arpad is refused with what to do.

        `place`: A path, a URL; None: what ``ARPAD_DB`` names, else ``arpad.db``.
        `create`: Make it if it is not there.
        `wait`, `on_wait`: Seconds that a writer waits for another before it is told to try again; what is
        called with a sentence when it begins to wait.
        """
        place = Place.of(place)
        if create:
            create_ledger(place, wait=wait)
        ledger = cls.at_any_revision(place, wait=wait, on_wait=on_wait)
        result = ledger.revision()
        if result == HEAD:
            return ledger
        ledger.close()
        if result in REVISIONS:
            raise LedgerError(
                f"this ledger is of an older arpad (revision {result}, this one writes {HEAD}): run `arpad upgrade`, which keeps a copy",
                file=place.shown,
            )
        raise LedgerError(
            f"this ledger is of a newer arpad (revision {result}, this one knows {HEAD}): install that one",
            file=place.shown,
        )

    @classmethod
    def at_any_revision(
        cls, place: str | Path | Place | None = None, *, wait: float = PATIENCE, on_wait: OnWait | None = None
    ) -> Ledger:
        """Open a ledger of any revision, to upgrade or describe it."""
        place = Place.of(place)
        place.check()
        ledger = cls(place, wait=wait, on_wait=on_wait)
        try:
            if ledger.revision() is None:
                raise LedgerError(
                    "this is a database, but no ledger of arpad", file=place.shown, code="other-database"
                )
        except BaseException:
            ledger.close()
            raise
        return ledger

    def revision(self) -> str | None:
        """Return the revision of the schema; None: the database holds no ledger."""
        with self.reading() as connection:
            return revision_of(connection)

    def revision_in(self, connection: Connection) -> str:
        """Return the revision that a transaction sees."""
        return str(revision_of(connection))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees the ledger as it is now, whatever others write meanwhile."""
        with self._transaction("read") as connection:
            yield connection

    @contextmanager
    def writing(self, who: str | None = None, why: str = "") -> Iterator[Connection]:
        """Give a connection for one writer; the block is saved completely or not at all.

        `who`, `why`: Who writes, and what for; in ``connection.info["who"]`` and ``["why"]`` for those who
        log.
        """
        with self._transaction("write") as connection:
            connection.info.update(who=who or user_name(), why=why)
            yield connection

    @contextmanager
    def _transaction(self, mode: Mode) -> Iterator[Connection]:
        with explained(self.place), self._engine.connect() as connection:
            bound = connection.execution_options(arpad_mode=mode)
            with bound.begin():
                yield bound

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


# The id of a ledger, which no other ledger and no restored copy has, and the last number of an account.

IDENTITY = sa.select(identity.c.value)


def identity_of(connection: Connection) -> str:
    """Return the random id of the ledger."""
    return str(connection.execute(IDENTITY).scalar_one())


def renew_identity(connection: Connection) -> None:
    """Give the ledger another id, end every session and token, and drop uploads: it is another ledger."""
    known = connection.execute(sa.select(identity.c.last_account)).scalar() or 0
    highest = connection.execute(sa.select(sa.func.max(accounts.c.id))).scalar() or 0
    for table in (sessions, tokens, uploads):
        connection.execute(sa.delete(table))
    connection.execute(sa.delete(identity))
    connection.execute(
        identity.insert().values(id=1, value=secrets.token_hex(16), last_account=max(known, highest))
    )


def next_account(connection: Connection) -> int:
    """Return a number that no account has or ever had."""
    t = identity
    highest = connection.execute(sa.select(sa.func.max(accounts.c.id))).scalar() or 0
    number = max(int(connection.execute(sa.select(t.c.last_account)).scalar_one()), highest) + 1
    connection.execute(sa.update(t).values(last_account=number))
    return number
