"""Every error that arpad raises on purpose.

::

    ArpadError
    ├── InputError            a file or a record cannot be used
    │   ├── FormatError       the content is in no format that arpad knows
    │   ├── LedgerError       a ledger is not there, is none, or cannot be read or written
    │   │   └── BusyError     another writer is at work in it
    │   └── StrictError       a record was skipped or repaired, and `strict` was asked for
    ├── EngineError           a chess engine is not there, or does not do what engines do
    ├── PromiseError          a rating system does not do what every system does
    └── UsageError            an option or argument is wrong
        └── OverwriteError    a result would replace a file that this run has read or written

A message says what was expected, what was found and where. The command line and the web app say what to do,
by the error's `code` and `fields`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ArpadError(Exception):
    """Base class of every error that arpad raises on purpose.

    Parameters
    ----------
    message
        What was expected and found, without naming options or buttons.
    code
        The name of the error where a caller can do something about it; empty elsewhere.
    fields
        The values that a remedy needs.
    """

    def __init__(self, message: str = "", *, code: str = "", fields: Mapping[str, Any] | None = None) -> None:
        self.code = code
        self.fields: Mapping[str, Any] = dict(fields or {})
        super().__init__(message)


class InputError(ArpadError):
    """A file cannot be used; the message begins with the file and the line.

    Parameters
    ----------
    reason
        What was expected, what was found and what to do.
    file
        The file as the caller named it.
    line
        The line (text formats) or row (tables), counted from 1.
    """

    def __init__(
        self,
        reason: str,
        *,
        file: str | None = None,
        line: int | None = None,
        code: str = "",
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        self.reason = " ".join(reason.split("\n"))  # what a file contains may span lines
        self.file = file
        self.line = line
        super().__init__(f"{place(file, line)}{self.reason}", code=code, fields=fields)


class FormatError(InputError):
    """The file has no format that arpad knows, or not the requested one."""


class LedgerError(InputError):
    """The ledger is missing, damaged, not a ledger, or cannot be read or written; nothing was changed."""


class BusyError(LedgerError):
    """Another writer is at work in the ledger; trying again may help."""


class StrictError(InputError):
    """A record was skipped or repaired although the caller asked for `strict`."""


class EngineError(ArpadError):
    """A chess engine is missing, cannot be started, or breaks the UCI protocol."""


class UsageError(ArpadError):
    """An option or an argument is wrong."""


class OverwriteError(UsageError):
    """A result would replace a file that this run has read or written.

    Parameters
    ----------
    file
        The file as the caller named it.
    why
        What happened to it.
    """

    def __init__(self, file: object, why: str) -> None:
        super().__init__(f"{file}: {why}", code="overwrite", fields={"file": str(file), "why": why})


class DroppedRowsWarning(UserWarning):
    """Rows of the input were left out; `notes` has the line and the reason of each."""

    def __init__(self, notes: Sequence[Any]) -> None:
        self.notes = tuple(notes)
        first, more = notes[0], len(notes) - 1
        rest = f"; and {more:,} more" if more else ""
        super().__init__(f"{len(notes):,} row{'s' if more else ''} left out: {first}{rest}")


def place(file: str | None, line: int | None) -> str:
    """Return ``"file:line: "``, or as much of it as is known."""
    if file is None:
        return ""
    return f"{file}: " if line is None else f"{file}:{line}: "


def counted(number: float, noun: str) -> str:
    """Return a number with its noun, singular or plural, for messages and summaries.

    Examples
    --------
    >>> counted(1, "event"), counted(2500, "game"), counted(0, "player")
    ('1 event', '2,500 games', '0 players')
    """
    return f"{number:,.0f} {noun}{'' if number == 1 else 's'}"


class PromiseError(ArpadError):
    """A rating system breaks the contract of `RatingSystem`."""
