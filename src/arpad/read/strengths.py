"""True strengths for a simulation: one number a line, or a table with a column for them."""

from __future__ import annotations

import csv
import io
import math

from arpad.errors import InputError
from arpad.read.report import Report
from arpad.read.source import Source, decode

__all__ = ["read_strengths"]

SEPARATORS = ",;\t|"
TRUE = ("true", "true_rating", "strength", "rating")
START = ("start", "seed", "seed_rating")


def read_strengths(file: str) -> tuple[list[float], list[float] | None]:
    """Return true strengths, and the ratings to start from where the file has them.

    A table has a column `true` (or `strength`, `rating`), and perhaps one called `start`. Empty lines and
    lines that begin with # are passed over.
    """
    source = Source(file, Report())
    text = decode(source.everything(), file, source.report).lstrip("\ufeff")
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise InputError("expected true strengths, one number a line, found nothing", file=file)
    head = lines[0][1]
    separator = max(SEPARATORS, key=head.count)
    names = [name.strip().strip('"').casefold() for name in head.split(separator)]
    true = next((names.index(name) for name in TRUE if name in names), None)
    if true is None:
        if len(names) > 1:
            raise InputError(f"expected a column called {' or '.join(TRUE)}, found {', '.join(names)[:200]}", file=file, line=lines[0][0])  # fmt: skip
        return [_number(line, file, number) for number, line in lines], None
    start = next((names.index(name) for name in START if name in names), None)
    cells = [
        (number, next(csv.reader(io.StringIO(line), delimiter=separator)))
        for number, line in lines[1:]
    ]
    if not cells:
        raise InputError("expected rows below the heading, found none", file=file, line=lines[0][0])
    strengths = [_cell(row, true, file, number) for number, row in cells]
    starts = None if start is None else [_cell(row, start, file, number) for number, row in cells]
    return strengths, starts


def _cell(row: list[str], place: int, file: str, line: int) -> float:
    return _number(row[place] if place < len(row) else "", file, line)


def _number(text: str, file: str, line: int) -> float:
    try:
        value = float(text.strip())
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"expected a number, found {text.strip()!r}", file=file, line=line)
    return value
