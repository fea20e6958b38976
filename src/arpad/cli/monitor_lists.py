"""`arpad monitor cohort`, `shape` and `account`: what rating lists say of their pool."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, explain_report
from arpad.errors import UsageError

if TYPE_CHECKING:
    from datetime import date

    import polars as pl

    from arpad.pool.account import Account
    from arpad.pool.cohort import Cohort
    from arpad.pool.dated import DatedList
    from arpad.pool.shape import Shape

__all__ = ["add_to", "read_lists"]

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation
ListsArgument = Annotated[
    list[str],
    typer.Argument(
        help="Rating lists: FIDE's files, CSV with player and rating, or what arpad rate writes.",
        metavar="LISTS",
    ),
]
DatesOption = Annotated[
    Text, typer.Option(help="The date of each list, in their order: 2001-07-01,2004-04-01.")
]
ActiveOption = Annotated[
    bool, typer.Option("--active", help="Leave out players whom the list flags as inactive.")
]
FloorOption = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(help="Leave out ratings below: lists with different floors become comparable."),
]
GamesOption = Annotated[
    int, typer.Option("--least-games", help="Leave out who has fewer games on record.", min=0)
]
ChartOption = Annotated[Text, typer.Option(help="Write a chart, .png or .svg.")]


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    for verb in (cohort, shape, account):
        app.command()(verb)


def cohort(
    lists: ListsArgument,
    born: Annotated[
        Text, typer.Option(help="Years of birth: 1970-1980. The same people on every list.")
    ] = None,
    ages: Annotated[
        Text, typer.Option(help="Ages at the date of each list. [25-40 if --born is not given]")
    ] = None,
    dates: DatesOption = None,
    active: ActiveOption = False,
    floor: FloorOption = None,
    least_games: GamesOption = 0,
    chart: ChartOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Follow the mean rating of an age group, and test whether it changed [Elo 3.81].

    arpad monitor cohort JUL01FRL.TXT APR04FRL.TXT --born 1961-1976
    """
    from arpad.pool.cohort import cohort as follow

    read = read_lists(lists, dates, active=active, floor=floor, least_games=least_games)
    found = follow(read, born=_span(born, "--born"), ages=_span(ages, "--ages"))
    if chart is not None:
        from arpad.publish.chart_style import save
        from arpad.publish.monitor_charts import cohort_chart

        save(cohort_chart(found), chart)
    _show(found, read, format, output, extra={"who": found.who, "years": found.years})


def shape(
    lists: ListsArgument,
    step: Annotated[float, typer.Option(help="Width of a bar of the histogram, in points.")] = 50,
    dates: DatesOption = None,
    active: ActiveOption = False,
    floor: FloorOption = None,
    least_games: GamesOption = 0,
    chart: ChartOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Compare the distribution of ratings between two dates [Elo 3.82].

    arpad monitor shape JUL01FRL.TXT APR04FRL.TXT --floor 2001 --chart shape.png
    """
    from arpad.pool.shape import shape as compare

    read = read_lists(lists, dates, active=active, floor=floor, least_games=least_games)
    found = compare(read, step=step)
    if chart is not None:
        from arpad.publish.chart_style import save
        from arpad.publish.monitor_charts import shape_chart

        save(shape_chart(found), chart)
    _show(found, read, format, output, extra={"histogram": found.histogram.to_dicts()})


def account(
    lists: ListsArgument,
    dates: DatesOption = None,
    active: ActiveOption = False,
    floor: FloorOption = None,
    least_games: GamesOption = 0,
    chart: ChartOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Draw up a pool's account: points brought in, taken out, won and lost [Elo 3.54].

    arpad monitor account JUL01FRL.TXT APR04FRL.TXT
    """
    from arpad.pool.account import account as draw_up

    read = read_lists(lists, dates, active=active, floor=floor, least_games=least_games)
    found = draw_up(read)
    if chart is not None:
        from arpad.publish.chart_style import save
        from arpad.publish.monitor_charts import account_chart

        save(account_chart(found), chart)
    _show(found, read, format, output, extra={"histogram": found.histogram.to_dicts()})


def read_lists(
    files: list[str], dates: str | None, *, active: bool, floor: float | None, least_games: int
) -> tuple[DatedList, ...]:
    """Read rating lists with their dates, and leave out who is not wanted."""
    from arpad.pool.dated import aligned, dated, kept
    from arpad.read import Report, read_list

    days: list[date | None] = [None] * len(files)
    if dates is not None:
        days = [_date(text) for text in dates.split(",")]
        if len(days) != len(files):
            raise UsageError(f"--dates: expected {len(files)} dates, one a list; found {len(days)}")
    report = Report(strict=False)
    found = []
    for file, day in zip(files, days, strict=True):
        ratings = read_list(file, report=report)
        period = ratings.parameters.get("period")
        found.append(dated(ratings, label=str(period) if period else Path(file).stem, day=day))
    explain_report(report)
    return kept(aligned(found), active=active, floor=floor, least_games=least_games)


def _date(text: str) -> date:
    from datetime import date as day

    try:
        return day.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"--dates: expected YYYY-MM-DD, found {text!r}") from None


def _span(text: str | None, option: str) -> tuple[int, int] | None:
    if text is None:
        return None
    found = re.fullmatch(r"\s*(\d{1,4})\s*[-–]\s*(\d{1,4})\s*", text)
    if not found:
        raise UsageError(f"{option}: expected two years such as 1970-1980 or 25-40, found {text!r}")
    return int(found[1]), int(found[2])


def _upright(account: pl.DataFrame) -> pl.DataFrame:
    """Return an account that reads down the page, one column from each list to the next."""
    import polars as pl

    columns: dict[str, list[str]] = {"": [c for c in account.columns if c not in ("from", "to")]}
    for row in account.iter_rows(named=True):
        values = [row[c] for c in columns[""]]
        columns[f"{row['from']} → {row['to']}"] = [
            ""
            if v is None
            else f"{v:,.1f}"
            if abs(v) < 10_000 and isinstance(v, float)
            else f"{v:,.0f}"
            for v in values
        ]
    return pl.DataFrame(columns)


def _show(
    found: Cohort | Shape | Account,
    read: tuple[DatedList, ...],
    format: FormatOption,
    output: OutputOption,
    extra: dict[str, object],
) -> None:
    """Print tables for people, the first table as CSV, everything as JSON."""

    def people() -> list[object]:
        from arpad.cli.monitor_words import readable_p
        from arpad.publish.tables import rich_table

        digits = {"mean": 1, "error": 1, "sd": 1, "median": 1, "same_mean": 1, "quartile": 0, "quartile_3": 0,
                  "lowest": 0, "highest": 0}  # fmt: skip
        table = found.table()
        if "opening" in table.columns:
            table = _upright(table)
        return [
            rich_table(table, digits=digits),
            "",
            rich_table(
                readable_p(found.tests_table()), digits={"error": 2}, title="Last against first"
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
        rows=found.table,
        document=lambda: {
            "parameters": dict(found.parameters),
            "lists": [
                {"list": e.label, "date": e.date, "players": e.rows.height, "left_out": e.left_out}
                for e in read
            ],
            **extra,
            "rows": found.table().to_dicts(),
            "tests": found.tests_table().to_dicts(),
            "notes": list(found.notes),
        },
    )
