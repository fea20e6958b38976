"""What every verb that prints a table does with it: ``--format``, ``-o``, notes on stderr."""

from __future__ import annotations

import shutil
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from arpad.read.report import Report

__all__ = [
    "SHOWN_NOTES",
    "Format",
    "FormatOption",
    "OutputOption",
    "emit",
    "explain_report",
    "say",
    "width",
]

SHOWN_NOTES = 5


class Format(StrEnum):
    """How a table is printed."""

    table = "table"
    csv = "csv"
    json = "json"


FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="table for people, csv and json for programs; -o x.csv and x.json mean theirs. [table]",
    ),
]
OutputOption = Annotated[
    str | None, typer.Option("--output", "-o", help="Write to this file instead.")
]


def emit(
    format: Format | None,
    output: str | None,
    *,
    people: Callable[[], list[object]],
    rows: Callable[[], pl.DataFrame],
    document: Callable[[], Mapping[str, object]],
    one_line: bool = False,
) -> None:
    """Print or write one result in the format asked for.

    Parameters
    ----------
    people
        What a person sees: strings and tables of `rich`.
    rows
        The same as a frame, for CSV.
    document
        The same, complete, for JSON.
    one_line
        Put the JSON on one line.
    """
    chosen = format or _by_ending(output)
    if chosen is Format.table and output is None and sys.stdout.isatty():
        from arpad.publish.tables import plain_console, printable

        console = plain_console()
        for part in people():
            console.print(printable(part) if isinstance(part, str) else part)
        return
    text = _text(chosen, people, rows, document, one_line)
    if output is None:
        sys.stdout.write(text)
    else:
        from arpad.publish.atomic import write_text

        write_text(output, text)


def _by_ending(output: str | None) -> Format:
    ending = (output or "").rsplit(".", 1)[-1].lower()
    return Format(ending) if ending in ("csv", "json") else Format.table


def width() -> int:
    """Return how many columns of text there are: those of the terminal, or plenty."""
    from arpad.publish.tables import PLAIN_WIDTH

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else PLAIN_WIDTH


def _text(
    format: Format,
    people: Callable[[], list[object]],
    rows: Callable[[], pl.DataFrame],
    document: Callable[[], Mapping[str, object]],
    one_line: bool,
) -> str:
    if format is Format.json:
        from arpad.publish import jsonout

        return jsonout.line(document()) + "\n" if one_line else jsonout.document(document())
    if format is Format.csv:
        return rows().write_csv()
    from arpad.publish.tables import as_text

    return as_text(*people())


def say(message: str) -> None:
    """Tell a person something beside the result."""
    print(message, file=sys.stderr)


def explain_report(report: Report) -> None:
    """Say on stderr what was not taken as it stands: the first few, and how many more."""
    counts = report.counts()
    if not any(counts.values()):
        return
    weight = {"skipped": 0, "repaired": 1, "noted": 2}
    for note in sorted(report.notes, key=lambda n: weight[n.action])[:SHOWN_NOTES]:
        say(str(note))
    rest = len(report) - SHOWN_NOTES
    total = ", ".join(f"{n:,} {kind}" for kind, n in counts.items() if n)
    say(f"({total}{f'; {rest:,} more in --report FILE' if rest > 0 else ''})")
