"""The ledger as an object: create, open, read as of one moment, write one at a time."""

from __future__ import annotations

import getpass
import secrets
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.errors import LedgerError
from arpad.files import input_file
from arpad.ledger.db.connection import APPLICATION, Place, address, appear, beside, engine_for, explained
from arpad.ledger.db.tables import HEAD, METADATA, REVISIONS, accounts, identity, sessions, tokens, uploads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from alembic.script import ScriptDirectory
    from sqlalchemy.engine import Connection

    from arpad.ledger.db.connection import Mode

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
    """A database with what happened and what followed; make one with `Ledger.open`.

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

        Parameters
        ----------
        place
            A path, a URL; None: what ``ARPAD_DB`` names, else ``arpad.db``.
        create
            Make it if it is not there.
        wait, on_wait
            Seconds that a writer waits for another before it is told to try again; what is called
            with a sentence when it begins to wait.
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
        """Open a ledger of whatever revision: to upgrade it or to say what it is."""
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
        """Give a connection that sees the ledger of this moment, whatever is written meanwhile."""
        with self._transaction("read") as connection:
            yield connection

    @contextmanager
    def writing(self, who: str | None = None, why: str = "") -> Iterator[Connection]:
        """Give a connection for one writer: all of the block is kept, or nothing.

        Parameters
        ----------
        who, why
            Who writes, and what for; in ``connection.info["who"]`` and ``["why"]`` for those who log.
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
        """Let go of the database."""
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
