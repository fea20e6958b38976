"""`arpad convert`: one file format to another."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from arpad.cli.reading import (
    ColumnsOption,
    InputFormatOption,
    ReportOption,
    StrictOption,
    read_files,
    write_report,
)
from arpad.errors import UsageError

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(convert)


def convert(
    source: Annotated[str, typer.Argument(help="The file to read, in any format.", metavar="FROM")],
    target: Annotated[str, typer.Argument(help="The file to write.", metavar="TO")],
    to: Annotated[
        str | None,
        typer.Option(help="pgn, trf, csv, parquet or pra; else by the name's ending."),
    ] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
) -> None:
    """Convert a file of games.

    arpad convert open.trf open.csv

    arpad convert games.pgn.zst games.parquet
    """
    from arpad.cli.output import say
    from arpad.publish.write_games import format_of, write_games

    wanted = to or format_of(target)
    if os.path.realpath(source) == os.path.realpath(target):
        raise UsageError(f"{target}: expected another file to write than the one to read")
    reading = read_files([source], columns=columns, format=input_format, strict=strict)
    lost = write_games(reading.games, target, wanted)
    write_report(reading, report)
    say(
        f"{target}: {len(reading.games):,} games, {reading.games.players.height:,} players ({reading.files[0][1]} to {wanted})."
    )
    for words in lost:
        say(f"  not in {target}: {words}")
