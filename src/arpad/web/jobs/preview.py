"""Preview of an import, calculated in a process of its own with a time limit.

``python -m arpad.web.jobs.preview`` reads what it is to do from standard input and writes JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

from arpad.errors import ArpadError, InputError, UsageError

SECONDS = 60.0  # time that a preview may take
SHOWN = 200  # events, players and lines that a preview names
FORMATS = ("pgn", "trf", "csv", "uscf", "pra", "fide", "xlsx", "ods", "xls", "html", "docx", "zip")
"""Formats of an upload. A Parquet file may unpack to more than any limit, so it is refused."""
MEMORY = 8 << 30  # bytes of address space that a preview may take
LONG = "longer than {seconds:.0f} s: a file of this size is imported with arpad import"


class UploadError(InputError):
    """An uploaded file cannot be used as it is; the `field` of the form that helps is `dates`, `sheet` or none ("")."""

    def __init__(self, reason: str, *, field: str = "") -> None:
        self.field = field
        super().__init__(reason)


def preview(
    place: str,
    path: Path,
    name: str,
    settings: dict[str, Any],
    reading: dict[str, Any] | None = None,
    *,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Return what importing a file would change; an InputError says why it cannot be imported.

    `settings` are those of `staging.Settings`; `reading` has `dates` and `sheet`, as `arpad.read.read` takes them.
    """
    task: dict[str, Any] = {"place": str(place), "path": str(path), "name": name}
    task |= {"settings": settings, "reading": reading or {}}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "arpad.web.jobs.preview"],
            input=json.dumps(task),
            text=True,
            capture_output=True,
            timeout=seconds,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"looking at it takes {LONG.format(seconds=seconds)}", file=name) from None
    try:
        said: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise InputError("arpad cannot read this file: it is damaged, or too large", file=name) from None
    if "wrong" in said:
        raise UploadError(str(said["wrong"]), field=str(said["field"]))
    return said


def main() -> None:
    """Work out a preview and write it."""
    task = json.load(sys.stdin)
    _limit()
    try:
        said = _previewed(task)
    except ArpadError as error:
        field, remedy = _remedy(error)
        said = {"wrong": str(error).replace(task["path"], task["name"]) + remedy, "field": field}
    json.dump(said, sys.stdout, default=_plain)


DATE_REMEDIES = {
    "no-date": ": say below when it was played",
    "future-date": ": correct the date, or say below when it was",
    "import-date": "",
}
"""Code of an error that a date in the form can help → what to do."""


def _remedy(error: ArpadError) -> tuple[str, str]:
    """Return the field of the form that helps, and a sentence to append to the error."""
    from arpad.read.fields import DateOrderError
    from arpad.read.headings import HeadingsError

    if isinstance(error, DateOrderError):
        return "dates", " Choose the order of day and month below."
    if isinstance(error, HeadingsError):
        names = ", ".join(
            f"{theirs!r} to {ours!r}" for ours, theirs in error.proposal.items() if ours != theirs
        )
        rename = f": rename the columns in the file{f', for example {names}' if names else ''}"
        return "sheet", rename
    if error.code in DATE_REMEDIES:
        return "date", DATE_REMEDIES[error.code]
    return ("sheet", "") if isinstance(error, UsageError) else ("", "")


def _limit() -> None:
    """Take no more memory and time than is given, whatever is in the file."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (4 * int(SECONDS), 4 * int(SECONDS)))


def _previewed(task: dict[str, Any]) -> dict[str, Any]:
    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.imports.importing import preview_files
    from arpad.ledger.imports.staging import Settings
    from arpad.read.formats import guess
    from arpad.read.source import Report, Source

    path, name = task["path"], task["name"]
    kind = guess(Source(path, Report()).peek(), path)
    if kind not in FORMATS:
        raise InputError(
            f"expected PGN, TRF, CSV, a spreadsheet or a zip file; found {kind}: arpad import takes it",
            file=name,
        )
    with Ledger.open(task["place"]) as ledger:
        (one,) = preview_files(
            ledger, [path], settings=Settings(**task["settings"]), names={path: name}, **task["reading"]
        )
    whole = one.as_dict()
    lists = ("event_list", "found_by_name", "doubts", "skipped", "repaired", "noted")
    said = {k: v for k, v in whole.items() if k not in lists}
    said["summary"] = one.summary()
    said["counts"] = {part: len(whole[part]) for part in lists}
    for part in lists:
        said[part] = whole[part][:SHOWN]
    for note in (n for part in ("skipped", "repaired", "noted") for n in said[part]):
        note["file"] = name
        note["reason"] = str(note["reason"]).replace(path, name)
    return said


def _plain(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(type(value).__name__)


if __name__ == "__main__":
    main()
