"""`arpad monitor growth`: how the number of players above a floor grows."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.monitor_lists import read_lists
from arpad.cli.output import FormatOption, OutputOption, emit
from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.pool.growth import Growth

__all__ = ["add_to"]

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation
COLUMNS = ("year", "players")
MONTHS = 12


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(growth)


def growth(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Rating lists of four dates or more; or one CSV file with the columns year and players.",
            metavar="FILES",
        ),
    ],
    floor: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Count players of this rating or more, such as the paper's 2203."),
    ] = None,
    dates: Annotated[
        Text, typer.Option(help="The date of each list, in their order: 2001-07-01,2004-04-01.")
    ] = None,
    active: Annotated[
        bool, typer.Option("--active", help="Leave out players whom the list flags as inactive.")
    ] = False,
    until: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Also say what the curve gives for this year."),
    ] = None,
    chart: Annotated[Text, typer.Option(help="Write a chart, .png or .svg.")] = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Fit the logistic curve N_max/(1 + a e^(−bt)) to the number of players at several dates [IPR (2)].

    arpad monitor growth 1975.csv 1985.csv 1995.csv 2005.csv --floor 2203 --chart growth.png

    arpad monitor growth counts.csv --until 2030
    """
    import polars as pl

    from arpad.pool.growth import growth as fit

    counts = _counts(files, floor, dates, active=active)
    found = fit(counts["year"].to_list(), counts["players"].to_list())
    rows = counts.with_columns(pl.Series("curve", found.count(counts["year"].to_numpy())))
    if chart is not None:
        from arpad.publish.chart_style import save
        from arpad.publish.growth_chart import growth_chart

        save(growth_chart(found, rows, floor=floor, until=until), chart)
    emit(
        format,
        output,
        people=lambda: _people(found, rows, until),
        rows=lambda: rows,
        document=lambda: _document(found, rows, floor, until),
    )


def _counts(
    files: list[str], floor: float | None, dates: str | None, *, active: bool
) -> pl.DataFrame:
    import polars as pl

    table = _table(files[0]) if len(files) == 1 else None
    if table is not None:
        if floor is not None or dates is not None or active:
            raise UsageError(
                "--floor, --dates and --active: expected rating lists, found a table of counts"
            )
        return table.sort("year")
    read = read_lists(files, dates, active=active, floor=floor, least_games=0)
    undated = [x.label for x in read if x.date is None]
    if undated:
        raise UsageError(f"--dates: expected a date for every list, found none for {undated[0]}")
    rows = [(_year(x.date), x.rows.height) for x in read]
    return pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.Float64), orient="row").sort("year")


def _year(day: object) -> float:
    from datetime import date

    assert isinstance(day, date)
    return day.year + (day.month - 1) / MONTHS


def _table(path: str) -> pl.DataFrame | None:
    """Return a table of counts; None if the file is something else."""
    from pathlib import Path

    import polars as pl

    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None  # whoever reads lists knows the words
    rows = list(csv.reader(io.StringIO(text)))
    heading = [h.strip().casefold() for h in rows[0]] if rows else []
    if not set(COLUMNS) <= set(heading):
        return None
    places = [heading.index(c) for c in COLUMNS]
    found = []
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        try:
            found.append([float(row[place]) for place in places])
        except (ValueError, IndexError):
            raise InputError(
                f"expected a year and a number of players, found {','.join(row)!r}", file=path, line=number
            ) from None  # fmt: skip
    return pl.DataFrame(found, schema=dict.fromkeys(COLUMNS, pl.Float64), orient="row")


def _people(found: Growth, rows: pl.DataFrame, until: float | None) -> list[object]:
    from arpad.publish.tables import rich_table

    said = [] if until is None else [f"In {until:g} the curve gives {float(found.count(until)):,.0f} players."]  # fmt: skip
    return [
        rich_table(rows, digits={"year": 1, "players": 0, "curve": 0}),
        "",
        (f"N = N_max/(1 + a·e^(−b·(t − {found.origin:g}))) with N_max {found.n_max:,.0f} ± {found.n_max_error:,.0f}, "
        f"a {found.a:.4g} ± {found.a_error:.2g}, b {found.b:.4f} ± {found.b_error:.4f} a year."),
        *said,
        f"{found.summary()}.",
    ]  # fmt: skip


def _document(
    found: Growth, rows: pl.DataFrame, floor: float | None, until: float | None
) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "summary": found.summary(),
        "parameters": {"floor": floor},
        **asdict(found),
        "half": found.half,
        "until": None if until is None else {"year": until, "players": float(found.count(until))},
        "counts": rows.to_dicts(),
    }
