"""Every error that arpad raises on purpose.

::

    ArpadError
    ├── InputError            a file or a record cannot be used
    │   ├── FormatError       the content is in no format that arpad knows
    │   ├── LedgerError       a ledger is not there, is none, or cannot be read or written
    │   │   └── BusyError     another writer is at work in it
    │   └── StrictError       a record was skipped or repaired, and `strict` was asked for
    ├── EngineError           a chess engine is not there, or does not do what engines do
    └── UsageError            an option or argument is wrong

A message says what was expected, what was found, where, and what to do.
"""

from __future__ import annotations

__all__ = [
    "ArpadError",
    "BusyError",
    "EngineError",
    "FormatError",
    "InputError",
    "LedgerError",
    "StrictError",
    "UsageError",
]


class ArpadError(Exception):
    """The root of the tree: catch this to catch everything arpad raises on purpose."""


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

    def __init__(self, reason: str, *, file: str | None = None, line: int | None = None) -> None:
        self.reason = " ".join(reason.split("\n"))  # what a file contains may span lines
        self.file = file
        self.line = line
        super().__init__(f"{place(file, line)}{self.reason}")


class FormatError(InputError):
    """The content is in no format that arpad knows, or not in the one asked for."""


class LedgerError(InputError):
    """A ledger is not there, is none, is damaged, or cannot be read or written; nothing was changed."""


class BusyError(LedgerError):
    """Another writer is at work in the ledger; trying again may help."""


class StrictError(InputError):
    """A record was skipped or repaired although the caller asked for `strict`."""


class EngineError(ArpadError):
    """A chess engine is not there, cannot be started, or does not answer as UCI asks."""


class UsageError(ArpadError):
    """An option or an argument is wrong."""


def place(file: str | None, line: int | None) -> str:
    """Return ``"file:line: "``, or as much of it as is known."""
    if file is None:
        return ""
    return f"{file}: " if line is None else f"{file}:{line}: "
