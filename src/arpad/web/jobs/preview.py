"""What importing an upload would change: worked out in a process of its own that is not given for ever.

``python -m arpad.web.jobs.preview`` reads what it is to do from standard input and writes JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

from arpad.errors import ArpadError, InputError

__all__ = ["FORMATS", "SECONDS", "preview"]

SECONDS = 60.0
"""Time that a preview may take."""

SHOWN = 200
"""Events, players and lines that a preview names."""

FORMATS = ("pgn", "trf", "csv", "uscf", "pra", "fide")
"""What may be uploaded: text. A Parquet file may be a bomb of its own kind."""

MEMORY = 8 << 30
"""Bytes of address space that a preview may take."""

LONG = "longer than {seconds:.0f} s: a file of this size is imported with arpad import"


def preview(
    place: str, path: Path, name: str, settings: dict[str, Any], *, seconds: float = SECONDS
) -> dict[str, Any]:
    """Return what importing a file would change; what is wrong with it is an InputError."""
    asked = {"place": str(place), "path": str(path), "name": name, "settings": settings}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "arpad.web.jobs.preview"], input=json.dumps(asked), text=True,
            capture_output=True, timeout=seconds, check=False, start_new_session=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InputError(f"looking at it takes {LONG.format(seconds=seconds)}", file=name) from None
    try:
        said: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise InputError("arpad cannot read this file: it is damaged, or too large", file=name) from None  # fmt: skip
    if "wrong" in said:
        raise InputError(str(said["wrong"]))
    return said


def main() -> None:
    """Work out a preview and write it."""
    asked = json.load(sys.stdin)
    _limit()
    try:
        said = _previewed(asked)
    except ArpadError as error:
        said = {"wrong": str(error).replace(asked["path"], asked["name"])}
    json.dump(said, sys.stdout, default=_plain)


def _limit() -> None:
    """Take no more memory and time than is given, whatever is in the file."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (4 * int(SECONDS), 4 * int(SECONDS)))


def _previewed(asked: dict[str, Any]) -> dict[str, Any]:
    from arpad.office.intake.batch import Settings
    from arpad.office.intake.importing import preview_files
    from arpad.read.formats import guess
    from arpad.read.report import Report
    from arpad.read.source import Source
    from arpad.store.ledger.ledger import Ledger

    path, name = asked["path"], asked["name"]
    kind = guess(Source(path, Report()).peek(), path)
    if kind not in FORMATS:
        raise InputError(f"expected PGN, TRF, CSV or another text; found {kind}: arpad import takes it", file=name)  # fmt: skip
    with Ledger.open(asked["place"]) as ledger:
        (one,) = preview_files(
            ledger, [path], settings=Settings(**asked["settings"]), names={path: name}
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
