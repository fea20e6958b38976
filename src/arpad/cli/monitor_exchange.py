"""`arpad monitor exchange`: who takes points from whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional, cast, get_args

import typer

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

__all__ = ["add_to", "cuts"]

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation
MOST_FLOWS = 15
"""Rows of segment against segment that a person is shown."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(exchange)


def exchange(
    files: FilesArgument,
    by: Annotated[
        str,
        typer.Option(
            help="federation, title, sex, age or rating-band; several with commas are crossed."
        ),
    ] = "age",
    k: Annotated[
        str, typer.Option("--k", help="A number, tiers or a name, as in arpad rate.")
    ] = "32",
    curve: Annotated[str, typer.Option(help="table, logistic, normal or linear.")] = "table",
    level: Annotated[
        float, typer.Option(help="Level of the test for exceptional performances.")
    ] = 0.05,
    age_cuts: Annotated[str, typer.Option(help="Ages at which a band begins: 18,50.")] = "18",
    rating_cuts: Annotated[
        Text, typer.Option(help="Ratings at which a band begins. [every 200 points]")
    ] = None,
    people_from: Annotated[
        Text,
        typer.Option("--list", help="A rating list that knows federation, title, sex or birth."),
    ] = None,
    least: Annotated[
        int, typer.Option(help="Show segments of so many performances or more.", min=1)
    ] = 10,
    chart: Annotated[Text, typer.Option(help="Write a chart, .png or .svg.")] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Tabulate the rating points that segments of a pool win from each other [Elo 3.83].

    arpad monitor exchange open.trf --by age,rating-band --rating-cuts 1700
    """
    import polars as pl

    from arpad.pool.exchange import exchange as tabulate
    from arpad.read import read_list
    from arpad.scale import curve as curve_called

    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    check_any_played(reading)
    found = tabulate(
        reading.games,
        by=_ways(by),
        k=k if not _is_number(k) else float(k),
        curve=curve_called(curve),
        level=level,
        age_cuts=cuts(age_cuts, "--age-cuts") or (),
        rating_cuts=cuts(rating_cuts, "--rating-cuts"),
        people=None if people_from is None else read_list(people_from, report=reading.report),
    )
    write_report(reading, report)
    shown = found.rows.filter(pl.col("performances") >= least)
    if chart is not None:
        from arpad.publish.chart_style import save
        from arpad.publish.monitor_charts import exchange_chart

        save(exchange_chart(found, least=least), chart)

    def people() -> list[object]:
        from arpad.cli.monitor_words import readable_p
        from arpad.publish.tables import rich_table

        few = found.rows.height - shown.height
        more = (
            [f"… and {few:,} segments of fewer than {least} performances (--least)"] if few else []
        )
        won = found.between.filter(
            (pl.col("segment") != pl.col("opponents")) & (pl.col("points") > 0)
        )
        flows = won.sort("points", descending=True).head(MOST_FLOWS)
        # A mean of −.04 is printed as 0.0, not as −0.0.
        small = pl.col("gain").abs() < 0.05
        tidy = shown.with_columns(pl.when(small).then(0.0).otherwise("gain").alias("gain"))
        return [
            rich_table(readable_p(tidy), digits={"percent": 1, "gain": 1, "error": 1}),
            *more,
            "",
            rich_table(
                flows,
                title="Points that one segment won from another",
                digits={"expected": 1, "points": 0},
            ),
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
            "left_out": found.left_out,
            "segments": found.rows.to_dicts(),
            "between": found.between.to_dicts(),
            "notes": list(found.notes),
        },
    )


def _ways(text: str) -> list[By]:
    from arpad.pool.kinds import By as Known

    ways = [part.strip() for part in text.split(",") if part.strip()]
    strange = [way for way in ways if way not in get_args(Known)]
    if strange or not ways:
        raise UsageError(f"--by: expected some of {', '.join(get_args(Known))}; found {text!r}")
    return cast("list[By]", ways)


def cuts(text: str | None, option: str) -> tuple[float, ...] | None:
    """Return the bounds between bands that an option names."""
    if text is None:
        return None
    parts = text.split(",")
    if not all(_is_number(part) for part in parts):
        raise UsageError(f"{option}: expected numbers with commas, found {text!r}")
    return tuple(float(part) for part in parts)


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False
