"""FIDE's printout of one player's events, as CSV: fed, city, ro, w, n, chg [USCF 1994, 6.1, 6.3]."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arpad.errors import FormatError, InputError
from arpad.read.source import decode

if TYPE_CHECKING:
    from arpad.read.source import Source

__all__ = ["COLUMNS", "PrintoutLine", "read_printout"]

COLUMNS = {"fed": "where it was played", "city": "the event", "ro": "FIDE rating before", "w": "score", "n": "games", "chg": "score less expected score"}  # fmt: skip
"""The columns that are used, in any order and beside any others; `Rc`, `K` and `Kchg` are not needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintoutLine:
    """One event as the printout has it."""

    line: int
    federation: str
    city: str
    rating: float
    score: float
    games: int
    change: float


def read_printout(source: Source) -> list[PrintoutLine]:
    """Return the lines of a printout; whatever cannot be read is an error with its line."""
    file = source.name
    text = decode(source.everything(), file, source.report).lstrip("\ufeff")
    separator = max(",;\t", key=text.split("\n", 1)[0].count)
    reader = csv.DictReader(io.StringIO(text), delimiter=separator)
    try:
        names = {(name or "").strip().casefold(): name for name in reader.fieldnames or ()}
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            raise FormatError(
                f"expected the columns {', '.join(COLUMNS)}; found no {', '.join(missing)}",
                file=file,
                line=1,
            )
        return [
            _line(
                {k: (row.get(theirs) or "").strip() for k, theirs in names.items() if k in COLUMNS},
                file,
                reader.line_num,
            )
            for row in reader
            if any(str(cell or "").strip() for cell in row.values())
        ]
    except csv.Error as error:
        raise FormatError(f"expected a table as CSV: {error}", file=file) from None


def _line(cells: dict[str, str], file: str, line: int) -> PrintoutLine:
    numbers = {name: _number(name, cells[name], file, line) for name in ("ro", "w", "n", "chg")}
    if numbers["n"] != int(numbers["n"]):
        raise InputError(f"n: expected whole games, found {cells['n']!r}", file=file, line=line)
    return PrintoutLine(
        line=line,
        federation=cells["fed"],
        city=cells["city"],
        rating=numbers["ro"],
        score=numbers["w"],
        games=int(numbers["n"]),
        change=numbers["chg"],
    )


def _number(name: str, text: str, file: str, line: int) -> float:
    try:
        value = float(text.replace("−", "-").replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"{name}: expected a number ({COLUMNS[name]}), found {text!r}", file=file, line=line
        )
    return value
