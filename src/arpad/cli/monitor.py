"""`arpad monitor`: the health of a rating pool, from its lists and its games."""

from __future__ import annotations

import csv
import io
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional, cast, get_args

import typer

from arpad.cli.options import Source, reads_games
from arpad.cli.output import Emission, emit_result, emits, explain_report, table_of
from arpad.errors import InputError, UsageError

if TYPE_CHECKING:
    from datetime import date

    import polars as pl

    from arpad.pool.exchange import By
    from arpad.pool.growth import Growth
    from arpad.pool.monitors import Account, Cohort, Shape
    from arpad.pool.rating_lists import DatedList


# `arpad monitor exchange`: who takes points from whom.

Text = Optional[str]  # noqa: UP045 - Typer reads the annotation
ChartOption = Annotated[Text, typer.Option(help="Write a chart, .png or .svg.")]
MOST_FLOWS = 15
"""Rows of segment against segment that a person is shown."""


@reads_games
@emits
def exchange(
    source: Source,
    by: Annotated[
        str, typer.Option(help="federation, title, sex, age or rating-band; several with commas are crossed.")
    ] = "age",
    k: Annotated[str, typer.Option("--k", help="A number, tiers or a name, as in arpad rate.")] = "32",
    curve: Annotated[str, typer.Option(help="table, logistic, normal or linear.")] = "table",
    level: Annotated[float, typer.Option(help="Level of the test for exceptional performances.")] = 0.05,
    age_cuts: Annotated[str, typer.Option(help="Ages at which a band begins: 18,50.")] = "18",
    rating_cuts: Annotated[
        Text, typer.Option(help="Ratings at which a band begins. [every 200 points]")
    ] = None,
    people_from: Annotated[
        Text, typer.Option("--list", help="A rating list that knows federation, title, sex or birth.")
    ] = None,
    least: Annotated[int, typer.Option(help="Show segments of so many performances or more.", min=1)] = 10,
    chart: ChartOption = None,
) -> Emission:
    """Tabulate the rating points that segments of a pool win from each other [Elo 3.83].

    arpad monitor exchange open.trf --by age,rating-band --rating-cuts 1700
    """
    import polars as pl

    from arpad.pool.exchange import exchange as tabulate
    from arpad.read.reading import read_list
    from arpad.scale import curve as curve_called

    reading = source.read()
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
    source.tell(reading)
    shown = found.rows.filter(pl.col("performances") >= least)

    def parts() -> list[object]:
        few = found.rows.height - shown.height
        won = found.between.filter((pl.col("segment") != pl.col("opponents")) & (pl.col("points") > 0))
        return [
            table_of(readable_p(shown), {"percent": 1, "gain": 1, "error": 1}),
            *([f"… and {few:,} segments of fewer than {least} performances (--least)"] if few else []),
            "",
            table_of(
                won.sort("points", descending=True).head(MOST_FLOWS),
                {"expected": 1, "points": 0},
                "Points that one segment won from another",
            ),
            "",
            *(f"- {note}" for note in found.notes),
            "",
            found.summary(),
        ]

    return partial(emit_result, found, parts=parts, reading=reading, chart=chart, least=least)


def _ways(text: str) -> list[By]:
    from arpad.pool.exchange import By as Known

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


# `arpad monitor deflation`: who outscores what ratings predict.

Number = Optional[float]  # noqa: UP045
DIGITS = {
    "score": 3,
    "expected": 3,
    "difference": 4,
    "low": 4,
    "high": 4,
    "too low by": 1,
    "from": 1,
    "to": 1,
    "as published": 4,
}


@reads_games
@emits
def deflation(
    source: Source,
    by: Annotated[
        str, typer.Option(help="age, federation, title, sex or rating-band; or a column of --groups.")
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
        Text, typer.Option("--list", help="A rating list that knows federation, title, sex or birth.")
    ] = None,
    known: Annotated[
        bool, typer.Option("--known", help="Leave out games with somebody of unknown segment.")
    ] = False,
    within: Annotated[bool, typer.Option("--within", help="Count games within a segment too.")] = False,
    floor: Annotated[Number, typer.Option(help="Take ratings below this as this.")] = None,
    ageing: Annotated[
        Number,
        typer.Option(help="Take ratings down by so many points for every year of age above --ageing-from."),
    ] = None,
    ageing_from: Annotated[float, typer.Option(help="The age from which --ageing counts.")] = 18,
    least: Annotated[int, typer.Option(help="Show segments of so many games or more.", min=1)] = 10,
    chart: ChartOption = None,
) -> Emission:
    """Compare score and expectation by age, federation or other segments [USCF 1994, 5].

    arpad monitor deflation games.csv --by age --age-cuts 18,30,50 --list fide.txt
    """
    import polars as pl

    from arpad.pool.deflation import deflation as compare
    from arpad.read.reading import read_list
    from arpad.read.roster import named_texts
    from arpad.scale import curve as curve_called

    way = by if groups is not None else _way(by)
    reading = source.read()
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
    source.tell(reading)
    shown = found.rows.filter(pl.col("games") >= least)
    names = {
        "points": "too low by",
        "points_low": "from",
        "points_high": "to",
        "as_published": "as published",
    }

    def parts() -> list[object]:
        few = found.rows.height - shown.height
        return [
            table_of(readable_p(shown).rename(names, strict=False), DIGITS),
            *([f"… and {few:,} segments of fewer than {least} games (--least)"] if few else []),
            "",
            *(f"- {note}" for note in found.notes),
            "",
            found.summary(),
        ]

    return partial(emit_result, found, parts=parts, reading=reading, chart=chart, least=least)


def _way(text: str) -> By:
    from arpad.pool.exchange import By as Known

    if text not in get_args(Known):
        raise UsageError(f"--by: expected one of {', '.join(get_args(Known))}; found {text!r}")
    return cast("By", text)


# `arpad monitor cohort`, `shape` and `account`: what rating lists say of their pool.

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


@emits
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
) -> Emission:
    """Follow the mean rating of an age group, and test whether it changed [Elo 3.81].

    arpad monitor cohort JUL01FRL.TXT APR04FRL.TXT --born 1961-1976
    """
    from arpad.pool.monitors import cohort as follow

    read = read_lists(lists, dates, active=active, floor=floor, least_games=least_games)
    found = follow(read, born=_span(born, "--born"), ages=_span(ages, "--ages"))
    return _show(found, read, chart)


@emits
def shape(
    lists: ListsArgument,
    step: Annotated[float, typer.Option(help="Width of a bar of the histogram, in points.")] = 50,
    dates: DatesOption = None,
    active: ActiveOption = False,
    floor: FloorOption = None,
    least_games: GamesOption = 0,
    chart: ChartOption = None,
) -> Emission:
    """Compare the distribution of ratings between two dates [Elo 3.82].

    arpad monitor shape JUL01FRL.TXT APR04FRL.TXT --floor 2001 --chart shape.png
    """
    from arpad.pool.monitors import shape as compare

    read = read_lists(lists, dates, active=active, floor=floor, least_games=least_games)
    found = compare(read, step=step)
    return _show(found, read, chart)


@emits
def account(
    lists: ListsArgument,
    dates: DatesOption = None,
    active: ActiveOption = False,
    floor: FloorOption = None,
    least_games: GamesOption = 0,
    chart: ChartOption = None,
) -> Emission:
    """Draw up a pool's account: points brought in, taken out, won and lost [Elo 3.54].

    arpad monitor account JUL01FRL.TXT APR04FRL.TXT
    """
    from arpad.pool.monitors import account as draw_up

    read = read_lists(lists, dates, active=active, floor=floor, least_games=least_games)
    found = draw_up(read)
    return _show(found, read, chart)


def read_lists(
    files: list[str], dates: str | None, *, active: bool, floor: float | None, least_games: int
) -> tuple[DatedList, ...]:
    """Read rating lists with their dates, and leave out who is not wanted."""
    from arpad.pool.rating_lists import aligned, dated, kept
    from arpad.read.reading import read_list
    from arpad.read.source import Report

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
            "" if v is None else f"{v:,.1f}" if abs(v) < 10_000 and isinstance(v, float) else f"{v:,.0f}"
            for v in values
        ]
    return pl.DataFrame(columns)


LIST_DIGITS = {
    **dict.fromkeys(("mean", "error", "sd", "median", "same_mean"), 1),
    **dict.fromkeys(("quartile", "quartile_3", "lowest", "highest"), 0),
}


def _show(found: Cohort | Shape | Account, read: tuple[DatedList, ...], chart: str | None) -> Emission:
    """Print tables for people, the first table as CSV, everything as JSON."""

    def parts() -> list[object]:
        table = found.table()
        return [
            table_of(_upright(table) if "opening" in table.columns else table, LIST_DIGITS),
            "",
            table_of(readable_p(found.tests_table()), {"error": 2}, "Last against first"),
            "",
            *(f"- {note}" for note in found.notes),
            "",
            found.summary(),
        ]

    def document() -> dict[str, object]:
        lists = [
            {"list": e.label, "date": e.date, "players": e.rows.height, "left_out": e.left_out} for e in read
        ]
        return {"parameters": dict(found.parameters), "lists": lists, **found.to_dict()}

    return partial(emit_result, found, parts=parts, document=document, chart=chart)


# `arpad monitor growth`: how the number of players above a floor grows.

COLUMNS = ("year", "players")
MONTHS = 12


@emits
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
    dates: DatesOption = None,
    active: ActiveOption = False,
    until: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="Also say what the curve gives for this year."),
    ] = None,
    chart: ChartOption = None,
) -> Emission:
    """Fit the logistic curve N_max/(1 + a e^(−bt)) to the number of players at several dates [IPR (2)].

    arpad monitor growth 1975.csv 1985.csv 1995.csv 2005.csv --floor 2203 --chart growth.png

    arpad monitor growth counts.csv --until 2030
    """
    import polars as pl

    from arpad.pool.growth import growth as fit

    counts = _counts(files, floor, dates, active=active)
    found = fit(counts["year"].to_list(), counts["players"].to_list())
    rows = counts.with_columns(pl.Series("curve", found.count(counts["year"].to_numpy())))
    return partial(
        emit_result,
        found,
        parts=lambda: _people(found, rows, until),
        rows=lambda: rows,
        document=lambda: {
            "summary": found.summary(),
            "parameters": {"floor": floor},
            **found.to_dict(),
            "until": None if until is None else {"year": until, "players": float(found.count(until))},
            "counts": rows.to_dicts(),
        },
        chart=chart,
        counts=rows,
        floor=floor,
        until=until,
    )


def _counts(files: list[str], floor: float | None, dates: str | None, *, active: bool) -> pl.DataFrame:
    import polars as pl

    table = _table(files[0]) if len(files) == 1 else None
    if table is not None:
        if floor is not None or dates is not None or active:
            raise UsageError("--floor, --dates and --active: expected rating lists, found a table of counts")
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
    import polars as pl

    from arpad.files import input_file

    try:
        text = input_file(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None  # readers of lists know the words
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
            ) from None
    return pl.DataFrame(found, schema=dict.fromkeys(COLUMNS, pl.Float64), orient="row")


def _people(found: Growth, rows: pl.DataFrame, until: float | None) -> list[object]:
    said = (
        [] if until is None else [f"In {until:g} the curve gives {float(found.count(until)):,.0f} players."]
    )
    return [
        table_of(rows, {"year": 1, "players": 0, "curve": 0}),
        "",
        (
            f"N = N_max/(1 + a·e^(−b·(t − {found.origin:g}))) with N_max {found.n_max:,.0f} ± {found.n_max_error:,.0f}, "
            f"a {found.a:.4g} ± {found.a_error:.2g}, b {found.b:.4f} ± {found.b_error:.4f} a year."
        ),
        *said,
        f"{found.summary()}.",
    ]


# `arpad monitor`: the health of a rating pool, from its lists and its games.


def add_monitor(app: typer.Typer) -> None:
    """Register the verbs under their common name."""
    monitors = typer.Typer(
        name="monitor",
        help="Watch a rating pool: deflation, its shape, its growth, who takes points from whom.",
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for verb in (cohort, shape, account, exchange, deflation, growth):
        monitors.command()(verb)
    app.add_typer(monitors)


# Figures of the monitors as people read them.


def readable_p(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose p are words: < 0.001 and not 0.0000."""
    import polars as pl

    from arpad.pool.significance import p_text

    words = [None if p is None else p_text(p) for p in frame["p"]]
    return frame.with_columns(pl.Series("p", words, dtype=pl.String))
