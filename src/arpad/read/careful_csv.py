"""CSV that is not one record a line: quotes over several lines, blank lines, rows too short or long."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.read.report import Report

__all__ = ["LINE", "careful_csv"]

LINE = "\x1fline"
"""The column of line numbers: no file calls one so."""


def careful_csv(text: str, separator: str, file: str, report: Report) -> pl.DataFrame:
    """Read record by record; one that does not fit is reported with its line, the others stay."""
    heading: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, cells in _records(text.splitlines(keepends=True), separator, file, report):
        if not heading:
            heading = [cell.strip() for cell in cells]
        elif len(cells) != len(heading):
            why = f"expected {len(heading)} fields, found {len(cells)}"
            report.add(file, line, "skipped", why)
        else:
            rows.append(cells)
            lines.append(line)
    if len(set(heading)) != len(heading):
        twice = next(name for name in heading if heading.count(name) > 1)
        raise InputError(
            f"expected every column to have its own name, found {twice!r} twice", file=file, line=1
        )
    columns = {name: [row[i] for row in rows] for i, name in enumerate(heading)}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(heading, pl.String))
    return frame.with_columns(pl.Series(LINE, lines, dtype=pl.Int64))


def _records(
    lines: list[str], separator: str, file: str, report: Report
) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the cells of every record that is not blank.

    A quote that is never closed swallows the rest of the file: that line is left out, and reading
    goes on with the next one.
    """
    start = 0
    while start < len(lines):
        reader = csv.reader(iter(lines[start:]), delimiter=separator)
        begin = start + 1
        again = None
        try:
            for cells in reader:
                line, begin = begin, start + reader.line_num + 1
                open_quote = (
                    begin > len(lines) and begin - line > 1 and not lines[-1].rstrip().endswith('"')
                )
                if open_quote:
                    report.add(file, line, "skipped", "a quote that opens here is never closed")
                    again = line
                    break
                if any(cell.strip() for cell in cells):
                    yield line, cells
        except csv.Error as error:
            raise InputError(
                f"expected a table with {separator!r} between its columns: {error}",
                file=file,
                line=begin,
            ) from None
        if again is None:
            return
        start = again
