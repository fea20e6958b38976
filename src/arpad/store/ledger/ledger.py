"""The ledger: open it, read it as it stood at one moment, write in it one at a time."""

from __future__ import annotations

import getpass
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arpad.errors import LedgerError
from arpad.store.ledger.connect import engine_for
from arpad.store.ledger.creating import create_ledger
from arpad.store.ledger.migrate import revision_of
from arpad.store.ledger.places import Place
from arpad.store.ledger.schema import HEAD, REVISIONS
from arpad.store.ledger.troubles import explained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType

    from sqlalchemy.engine import Connection

    from arpad.store.ledger.connect import Mode

    OnWait = Callable[[str], object]

__all__ = ["PATIENCE", "Ledger", "user_name"]

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
        found = ledger.revision()
        if found == HEAD:
            return ledger
        ledger.close()
        if found in REVISIONS:
            raise LedgerError(
                f"this ledger is of an older arpad (revision {found}, this one writes {HEAD}): run `arpad upgrade`, which keeps a copy",
                file=place.shown,
            )
        raise LedgerError(
            f"this ledger is of a newer arpad (revision {found}, this one knows {HEAD}): install that one",
            file=place.shown,
        )

    @classmethod
    def at_any_revision(
        cls,
        place: str | Path | Place | None = None,
        *,
        wait: float = PATIENCE,
        on_wait: OnWait | None = None,
    ) -> Ledger:
        """Open a ledger of whatever revision: to upgrade it or to say what it is."""
        place = Place.of(place)
        place.check()
        ledger = cls(place, wait=wait, on_wait=on_wait)
        try:
            if ledger.revision() is None:
                raise LedgerError(
                    "this is a database, but no ledger of arpad: --db names another place",
                    file=place.shown,
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
        """Give a connection that sees the ledger as it stands now, whatever is written meanwhile."""
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
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
