"""Where a ledger is: a file (SQLite), or a database by its URL (PostgreSQL)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from arpad.errors import LedgerError, UsageError

__all__ = ["DEFAULT", "Place"]

DEFAULT = "arpad.db"
"""The file in the current folder that is meant when nothing is named."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a ledger is; `shown` names it without its password."""

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
        if self.file is None or self.file.is_file():
            return
        if self.file.is_dir():
            said = "expected a file, found a folder: give the name of a ledger in it"
        elif self.file.exists():
            said = "expected a file, found a pipe or a device"
        else:
            said = (
                "there is no ledger here: `arpad import FILES` makes one, --db names another place"
            )
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
