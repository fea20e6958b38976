"""One column of numbers out of a table: ratings without names."""

from __future__ import annotations

import csv
import io
import math

from arpad.errors import InputError
from arpad.read.report import Report
from arpad.read.source import Source, decode

__all__ = ["read_numbers"]

SEPARATORS = ",;\t|"


def read_numbers(file: str, column: str, *, report: Report | None = None) -> list[float]:
    """Read the numbers in one column of a CSV file; empty cells are left out.

    Parameters
    ----------
    column
        Its name in the first line, in capitals or not.
    """
    source = Source(file, Report() if report is None else report)
    text = decode(source.everything(), file, source.report)
    heading = text.lstrip("\ufeff").split("\n", 1)[0]
    separator = max(SEPARATORS, key=heading.count)
    rows = csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=separator)
    names = [name.strip() for name in next(rows, [])]
    wanted = [i for i, name in enumerate(names) if name.lower() == column.strip().lower()]
    if not wanted:
        raise InputError(
            f"expected a column {column!r}, found {', '.join(names)[:200] or 'nothing'}", file=file
        )
    numbers: list[float] = []
    for line, row in enumerate(rows, start=2):
        cell = row[wanted[0]].strip() if len(row) > wanted[0] else ""
        if cell:
            numbers.append(_number(cell, column, file, line))
    return numbers


def _number(cell: str, column: str, file: str, line: int) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"expected a number in {column}, found {cell!r}", file=file, line=line)
    return value
