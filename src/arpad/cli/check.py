"""`arpad check`: whether the ratings fit the results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli import check_shown
from arpad.cli.output import FormatOption, OutputOption, emit, say
from arpad.cli.reading import (
    ColumnsOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    StrictOption,
    check_any_played,
    read_files,
    reading_document,
    write_report,
)
from arpad.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.pool.check import Check

__all__ = ["add_to"]

ROWS = ("groups", "deviations", "histogram")
SHOWN = 10
"""Deviations that a person sees unless more are asked for."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(check)


def check(
    files: FilesArgument,
    curve: Annotated[
        str, typer.Option(help="logistic, normal, table, linear or pra.")
    ] = "logistic",
    cap: Annotated[
        float | None,
        typer.Option(help="Count larger rating differences as so much; 400 is FIDE's rule."),
    ] = None,
    white_advantage: Annotated[float, typer.Option(help="Points the first move is worth.")] = 0.0,
    before: Annotated[
        str | None, typer.Option(help="Take ratings from this list, not from beside the games.")
    ] = None,
    side: Annotated[str, typer.Option(help="Whose score: favourite or white.")] = "favourite",
    groups: Annotated[
        int, typer.Option(help="Groups of expected score from ½ to 1.", min=1, max=100)
    ] = 10,
    per: Annotated[
        str, typer.Option(help="Deviations of each player, or entry (player in an event).")
    ] = "player",
    enough: Annotated[
        int, typer.Option(help="Games that make a deviation worth looking at.", min=1)
    ] = 7,
    draws: Annotated[
        bool,
        typer.Option(
            "--draws/--no-draws", help="σ from the draws there were, or the book's √(Npq)."
        ),
    ] = True,
    top: Annotated[
        int | None, typer.Option(help="Show so many of the largest deviations.", min=1)
    ] = None,
    rows: Annotated[
        str, typer.Option(help="What CSV has: groups, deviations or histogram.")
    ] = "groups",
    chart: Annotated[str | None, typer.Option(help="Draw it, .png or .svg.")] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Test ratings against results: expected and actual scores, deviations, χ².

    arpad check season.pgn

    arpad check games.parquet --curve table --cap 400 --per entry --chart fit.png
    """
    from arpad.pool.check import check as test
    from arpad.read import read_list
    from arpad.scale import curve as curve_called

    for value, choices, name in (
        (side, ("favourite", "white"), "--side"),
        (per, ("player", "entry"), "--per"),
        (rows, ROWS, "--rows"),
    ):
        if value not in choices:
            raise UsageError(f"{name}: expected one of {', '.join(choices)}; found {value!r}")
    chosen = curve_called(curve)
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    write_report(reading, report)
    check_any_played(reading)
    found = test(
        reading.games,
        curve=chosen,
        cap=cap,
        advantage=white_advantage,
        before=None if before is None else read_list(before),
        groups=groups,
        side=side,  # type: ignore[arg-type]
        per=per,  # type: ignore[arg-type]
        enough=enough,
        draws=draws,
    )
    if found.left_out:
        say(f"{found.left_out:,} played games are left out: somebody in them has no rating")
    if chart is not None:
        _draw(found, chart, [file for file, _ in reading.files])
    emit(
        format,
        output,
        people=lambda: check_shown.people(found, top or SHOWN),
        rows=lambda: _rows(found, rows, top),
        document=lambda: check_shown.document(found, top) | reading_document(reading),
    )


def _rows(found: Check, what: str, top: int | None) -> pl.DataFrame:
    if what == "groups":
        return found.table()
    if what == "deviations":
        return found.deviations if top is None else found.deviations.head(top)
    table = found.histogram_table()
    if table is None:
        raise UsageError("nobody played enough games for a histogram: give a smaller --enough")
    return table


def _draw(found: Check, path: str, files: list[str]) -> None:
    from arpad.publish.chart_style import save
    from arpad.publish.check_chart import check_chart

    title = ", ".join(Path(file).name for file in files[:3])
    subtitle = (
        f"{found.games:,} games, {found.players:,} players, {found.parameters['curve']} curve"
    )
    save(check_chart(found, title=f"Do the ratings fit? {title}", subtitle=subtitle), path)
