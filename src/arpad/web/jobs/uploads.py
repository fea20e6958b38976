"""Uploaded files between preview and import: under names of our own, for nobody else to read, not for long."""

from __future__ import annotations

import os
import re
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING

from arpad.errors import InputError
from arpad.web.jobs import records

if TYPE_CHECKING:
    from arpad.store.ledger.ledger import Ledger

__all__ = ["KEPT", "new_upload", "shown_name", "sweep", "upload_path", "uploads_folder"]

KEPT = 24 * 3600
"""Seconds that a file is kept which nobody confirms."""

NAME = re.compile(r"[0-9a-f]{32}")
LONGEST = 100
"""Characters of a file's name that are shown."""


def uploads_folder() -> Path:
    """Return where uploads lie: a folder of this user's, closed to everybody else."""
    base = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    folder = base / "arpad" / "uploads"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(f"uploads cannot be kept here ({error.strerror})", file=str(folder)) from None  # fmt: skip
    return folder


def new_upload() -> Path:
    """Return a new file, empty, that only this user can read; its name is nobody's but ours."""
    path = uploads_folder() / secrets.token_hex(16)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def upload_path(name: str) -> Path:
    """Return where an upload of ours lies; any other name is refused."""
    if not NAME.fullmatch(name):
        raise InputError("this is no upload of ours")
    return uploads_folder() / name


def shown_name(name: str | None) -> str:
    r"""Return a name as it is shown and kept beside the import: one line, no folder, not too long.

    Examples
    --------
    >>> shown_name("../../etc/pass\x00wd"), shown_name("C:\\games\\open.pgn"), shown_name("")
    ('passwd', 'open.pgn', 'upload')
    """
    last = re.split(r"[/\\\\]", name or "")[-1]
    plain = "".join(c for c in last if c.isprintable()).strip(" .")
    if len(plain) > LONGEST:
        plain = plain[: LONGEST - 10] + "…" + plain[-9:]
    return plain or "upload"


def sweep(ledger: Ledger, *, older: float = KEPT) -> int:
    """Remove files that nobody has confirmed for a day and that no job waits for; return how many."""
    with ledger.reading() as connection:
        wanted = {str(j.arguments.get("file")) for j in records.jobs_in(connection, records.OPEN)}
        previews = [
            j.id
            for j in records.last_jobs(connection, 1000, records.PREVIEW)
            if time.time() - j.created.timestamp() > older
        ]
    if previews:
        with ledger.writing("server", "old uploads") as connection:
            for number in previews:
                records.remove_job(connection, number)
    removed = 0
    for path in uploads_folder().iterdir():
        try:
            old = time.time() - path.stat().st_mtime > older
            if old and NAME.fullmatch(path.name) and path.name not in wanted:
                path.unlink()
                removed += 1
        except FileNotFoundError:
            continue
    return removed
