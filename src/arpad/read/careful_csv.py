"""CSV that is not one record a line: quotes over several lines, blank lines, rows too short or long."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import polars as pl

from arpad.errors import InputError

if TYPE_CHECKING:
    from arpad.read.report import Report

__all__ = ["careful_csv"]


def careful_csv(text: str, separator: str, file: str, report: Report) -> pl.DataFrame:
    """Read record by record; one that does not fit is reported with its line, the others stay."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    heading: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    begin = 1
    try:
        for cells in reader:
            line, begin = begin, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if not heading:
                heading = [cell.strip() for cell in cells]
            elif len(cells) != len(heading):
                why = f"expected {len(heading)} fields, found {len(cells)}"
                report.add(file, line, "skipped", why)
            else:
                rows.append(cells)
                lines.append(line)
    except csv.Error as error:
        raise InputError(
            f"expected a table with {separator!r} between its columns: {error}",
            file=file,
            line=begin,
        ) from None
    if len(set(heading)) != len(heading):
        twice = next(name for name in heading if heading.count(name) > 1)
        raise InputError(
            f"expected every column to have its own name, found {twice!r} twice", file=file, line=1
        )
    columns = {name: [row[i] for row in rows] for i, name in enumerate(heading)}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(heading, pl.String))
    return frame.with_columns(pl.Series("\x1fline", lines, dtype=pl.Int64))
