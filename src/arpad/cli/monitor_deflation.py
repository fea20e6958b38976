"""`arpad monitor deflation`: who outscores what ratings predict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional, cast, get_args

import typer

from arpad.cli.monitor_exchange import cuts
from arpad.cli.output import FormatOption, OutputOption, emit
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
    from arpad.pool.kinds import By

__all__ = ["add_to"]

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation
Number = Optional[float]  # noqa: UP045
DIGITS = {
    "score": 3, "expected": 3, "difference": 4, "low": 4, "high": 4, "too low by": 1, "from": 1, "to": 1, "as published": 4,
}  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(deflation)


def deflation(
    files: FilesArgument,
    by: Annotated[
        str,
        typer.Option(help="age, federation, title, sex or rating-band; or a column of --groups."),
    ] = "age",
    groups: Annotated[
        Text, typer.Option(help="A CSV file with name and the column of --by: a region, a club.")
    ] = None,
    curve: Annotated[str, typer.Option(help="logistic, table, normal or linear.")] = "logistic",
    age_cuts: Annotated[str, typer.Option(help="Ages at which a band begins: 18,50.")] = "18",
    rating_cuts: Annotated[
        Text, typer.Option(help="Ratings at which a band begins. [every 200 points]")
    ] = None,
    people_from: Annotated[
        Text,
        typer.Option("--list", help="A rating list that knows federation, title, sex or birth."),
    ] = None,
    known: Annotated[
        bool, typer.Option("--known", help="Leave out games with somebody of unknown segment.")
    ] = False,
    within: Annotated[
        bool, typer.Option("--within", help="Count games within a segment too.")
    ] = False,
    floor: Annotated[Number, typer.Option(help="Take ratings below this as this.")] = None,
    ageing: Annotated[
        Number,
        typer.Option(
            help="Take ratings down by so many points for every year of age above --ageing-from."
        ),
    ] = None,
    ageing_from: Annotated[float, typer.Option(help="The age from which --ageing counts.")] = 18,
    least: Annotated[int, typer.Option(help="Show segments of so many games or more.", min=1)] = 10,
    chart: Annotated[Text, typer.Option(help="Write a chart, .png or .svg.")] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Compare score and expectation by age, federation or other segments [USCF 1994, 5].

    arpad monitor deflation games.csv --by age --age-cuts 18,30,50 --list fide.txt
    """
    import polars as pl

    from arpad.pool.deflation import deflation as compare
    from arpad.read import read_list
    from arpad.read.named import named_texts
    from arpad.scale import curve as curve_called

    way = by if groups is not None else _way(by)
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    check_any_played(reading)
    found = compare(
        reading.games,
        by=way,
        curve=curve_called(curve),
        age_cuts=cuts(age_cuts, "--age-cuts") or (),
        rating_cuts=cuts(rating_cuts, "--rating-cuts"),
        people=None if people_from is None else read_list(people_from, report=reading.report),
        groups=None if groups is None else named_texts(groups, [by.casefold()]),
        known=known,
        within=within,
        floor=floor,
        ageing=ageing,
        ageing_from=ageing_from,
    )
    write_report(reading, report)
    shown = found.rows.filter(pl.col("games") >= least)
    if chart is not None:
        from arpad.publish.chart_style import save
        from arpad.publish.deflation_chart import deflation_chart

        save(deflation_chart(found, least=least), chart)

    def people() -> list[object]:
        from arpad.cli.monitor_words import readable_p
        from arpad.publish.tables import rich_table

        few = found.rows.height - shown.height
        names = {
            "points": "too low by",
            "points_low": "from",
            "points_high": "to",
            "as_published": "as published",
        }
        table = readable_p(shown).rename(names, strict=False)
        return [
            rich_table(table, digits=DIGITS),
            *([f"… and {few:,} segments of fewer than {least} games (--least)"] if few else []),
            "",
            *(f"- {note}" for note in found.notes),
            "",
            found.summary(),
        ]

    emit(
        format,
        output,
        people=people,
        rows=lambda: found.rows,
        document=lambda: {
            "parameters": dict(found.parameters),
            **reading_document(reading),
            "games": found.games,
            "inside": found.inside,
            "left_out": found.left_out,
            "segments": found.rows.to_dicts(),
            "notes": list(found.notes),
        },
    )


def _way(text: str) -> By:
    from arpad.pool.kinds import By as Known

    if text not in get_args(Known):
        raise UsageError(f"--by: expected one of {', '.join(get_args(Known))}; found {text!r}")
    return cast("By", text)
