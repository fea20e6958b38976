"""The state of a greatness run in a file: what is done need not be done again.

The first line says what the file is, which settings it was made with, how many lines follow, and their
checksum; then a line a record, and a last one for the historical study, where there was one. The file is written whole or not at all. One that is damaged, or was made
with other settings, is refused: half of it is never trusted.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arpad.errors import InputError, UsageError
from arpad.pool.greatness.own import YearlyRatings
from arpad.pool.greatness.record import EventRecord
from arpad.publish.atomic import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["EVERY", "FORMAT", "RunState"]

FORMAT = "arpad greatness state 2"
"""What the first line says of the file."""

EVERY = 5.0
"""Seconds between two savings: what an interrupted run loses at most."""


class RunState:
    """Records of a run, and the ratings that its historical study found, kept in a file.

    Parameters
    ----------
    path
        The file; it need not be there yet. None: nothing is kept.
    settings
        What every record follows from; another run with others does not mix with this one.
    """

    def __init__(self, path: str | Path | None, settings: Mapping[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._settings = json.loads(json.dumps(dict(settings), default=str))
        self._lines: dict[str, str] = {}
        self.done: dict[str, EventRecord] = {}
        self._study: tuple[str, dict[str, YearlyRatings], str] | None = None
        self._saved = time.monotonic()
        self._new = False
        if self._path is not None and self._path.exists():
            self._load(self._path)

    def add(self, record: EventRecord) -> None:
        """Keep a record; every few seconds all of them go to the file."""
        if self._path is None or record.key in self._lines:
            return
        self._lines[record.key] = json.dumps(record.as_dict(), ensure_ascii=False)
        self._new = True
        if time.monotonic() - self._saved > EVERY:
            self.save()

    def studied(
        self, key: str, study: Callable[[], dict[str, YearlyRatings]]
    ) -> dict[str, YearlyRatings]:
        """Return the ratings of a historical study: those in the file, or else new ones, which are kept.

        Parameters
        ----------
        key
            Fingerprint of all that the study follows from.
        """
        if self._study is not None and self._study[0] == key:
            return self._study[1]
        found = study()
        if self._path is not None:
            plain = {name: life.as_dict() for name, life in found.items()}
            self._study = (key, found, json.dumps({key: plain}, ensure_ascii=False))
            self._new = True
        return found

    def save(self) -> None:
        """Write the file, whole, if there is anything new."""
        if self._path is None or not self._new:
            return
        lines = [*self._lines.values(), *([self._study[2]] if self._study else [])]
        body = "".join(line + "\n" for line in lines)
        head = {
            "format": FORMAT,
            "settings": self._settings,
            "records": len(self._lines),
            "study": self._study is not None,
            "checksum": _checksum(body),
        }
        # In a context of its own: a file may be written once a command, but this one is its own successor.
        text = json.dumps(head, ensure_ascii=False) + "\n" + body
        copy_context().run(write_text, self._path, text)
        self._saved, self._new = time.monotonic(), False

    def _load(self, path: Path) -> None:
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(_refused(f"it cannot be read ({error})"), file=str(path)) from None
        first, _, body = text.partition("\n")
        head = _head(first, path)
        if head["settings"] != self._settings:
            raise UsageError(
                f"{path}: this state was made with other settings ({_difference(head['settings'], self._settings)}): "
                "give --state another name, or delete the file"
            )
        # By line feeds alone: a name may hold what `splitlines` takes for the end of a line.
        lines = body.split("\n")[:-1]
        records = len(lines) - bool(head.get("study"))
        if head.get("checksum") != _checksum(body) or head.get("records") != records:
            raise InputError(_refused("its checksum does not fit its content"), file=str(path))
        try:
            for line in lines[records:]:
                ((key, lives),) = json.loads(line).items()
                study = {name: YearlyRatings.from_dict(life) for name, life in lives.items()}
                self._study = (key, study, line)
            for line in lines[:records]:
                record = EventRecord.from_dict(json.loads(line))
                self._lines[record.key] = line
                self.done[record.key] = record
        except (AttributeError, ValueError, TypeError, KeyError) as error:
            raise InputError(
                _refused(f"a record is not one of this version ({error})"), file=str(path)
            ) from None


def _head(line: str, path: Path) -> dict[str, Any]:
    try:
        head = json.loads(line)
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT or "settings" not in head:
        raise InputError(
            f"expected the state of a greatness run ({FORMAT!r}), found {line[:40]!r}: give --state another name",
            file=str(path),
        )
    return head


def _checksum(body: str) -> str:
    return hashlib.blake2b(body.encode(errors="replace"), digest_size=12).hexdigest()


def _refused(why: str) -> str:
    return f"the state is damaged: {why}; none of it is used: delete the file, or give --state another name"


def _difference(theirs: object, ours: object) -> str:
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        return "of another kind"
    for name in {**ours, **theirs}:
        if theirs.get(name) != ours.get(name):
            return f"{name} {theirs.get(name)!r} there, {ours.get(name)!r} here"
    return "none that can be named"
