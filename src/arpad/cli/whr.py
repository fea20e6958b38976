"""`arpad whr`: a rating curve for every player, from all games at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, say, width
from arpad.cli.persons import persons
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
    from datetime import date

    import polars as pl

    from arpad.model import Games
    from arpad.rate.whole_history import WholeHistory

__all__ = ["add_to"]

TOP = 20
CURVES = 5
"""Players whose curves are drawn when nobody is named."""

TIMES = 10
"""A name stands for a longer one that has so many times its games: `Fischer` for `Fischer, Robert James`."""

POINTS = {"rating": 0, "error": 0, "peak": 0, "peak_error": 0}
"""Digits of a table."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(whr)


def whr(
    files: FilesArgument,
    player: Annotated[
        list[str] | None,
        typer.Option(
            help="The curve of this player, by name or id; a surname means its most active bearer; repeatable."
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            help="The list of this day (1972-07-01), as all games tell it. [the last day]"
        ),
    ] = None,
    within: Annotated[
        int,
        typer.Option(help="List who has played in so many days until then; 0: all.", min=0),
    ] = 730,
    most_error: Annotated[
        float, typer.Option(help="List only errors up to so many points.", min=0.0)
    ] = 100.0,
    top: Annotated[int, typer.Option(help="List so many.", min=1)] = TOP,
    w2: Annotated[
        float, typer.Option("--w2", help="How fast strengths change, in points² a day.")
    ] = 7.0,
    prior: Annotated[
        float, typer.Option(help="Virtual draws of a newcomer against the start rating.")
    ] = 2.0,
    start: Annotated[
        str, typer.Option(help="Where newcomers start: points, or mean, that of ratings given.")
    ] = "1500",
    given: Annotated[
        bool, typer.Option(help="Hold the ratings in the file for known before the first games.")
    ] = True,
    white_advantage: Annotated[str, typer.Option(help="White's, in points, or fit.")] = "0",
    before: Annotated[
        str | None,
        typer.Option(
            help="A list of what is known before: a FIDE list, or CSV with player, rating, error."
        ),
    ] = None,
    join: Annotated[
        bool,
        typer.Option("--join", help="Join names that look like one person, as arpad history does."),
    ] = False,
    masters: Annotated[
        bool,
        typer.Option("--masters", help="With --join: other spellings in the book's lists, too."),
    ] = False,
    names: Annotated[
        str | None,
        typer.Option(help="CSV with name and person: other spellings, as no rule can know them."),
    ] = None,
    chart: Annotated[
        str | None,
        typer.Option(help="Draw the curves of the players named, or of the best, .png or .svg."),
    ] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Fit a rating curve for every player to all games at once: a late result changes the past.

    arpad whr games.parquet --player Fischer --player Karpov --chart curves.png

    arpad whr games.parquet --join --on 1972-07-01 --top 10 --start mean
    """
    from arpad.publish.chart_style import check_name
    from arpad.rate.timeline import day
    from arpad.rate.whole_history import whole_history
    from arpad.rate.whr import Whr
    from arpad.read import Report, read_list

    if chart is not None:
        check_name(chart)
    asked = day(on)
    system = Whr(
        w2=w2, prior=prior, start=_number(start, "--start", "mean"), given=given,
        white_advantage=_number(white_advantage, "--white-advantage", "fit"),
    )  # fmt: skip
    listed = Report(strict=strict)
    earlier = None if before is None else read_list(before, report=listed)
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    reading.report.notes.extend(listed.notes)
    check_any_played(reading)
    games, joined = _joined(reading.games, join=join, masters=masters, names=names)
    found = whole_history(games, system=system, before=earlier)
    write_report(reading, report)
    for note in found.source["notes"]:
        say(str(note))
    named = [_find(found, text) for text in player or []]
    best = _list(found, asked, within, most_error, top, asked_for=not named)
    if chart is not None:
        _draw(chart, found, named or _keys(best.head(CURVES)))

    def people() -> list[object]:
        from arpad.publish.tables import fitted, rich_table

        parts: list[object] = []
        for name in named:
            parts += [rich_table(_yearly(found.curve(name)), title=name, digits=POINTS), ""]
        if not named:
            what = f"{asked or found.last}: {best.height:,} of {found.source['players']:,} players"
            parts = [rich_table(fitted(best, width(), POINTS), title=what, digits=POINTS), ""]
        return [*parts, found.summary()]

    emit(
        format, output, people=people,
        rows=lambda: _stacked(found, named) if named else best,
        document=lambda: {
            "system": "whr", "parameters": dict(found.parameters), **reading_document(reading),
            "source": dict(found.source), "on": asked, "ratings": best.to_dicts(),
            "curves": {name: found.curve(name).to_dicts() for name in named},
            "joined": joined.to_dicts() if joined is not None else [],
        },
    )  # fmt: skip


def _number(text: str, option: str, word: str) -> float | None:
    """Return a number, None for the word that stands for finding it out."""
    if text == word:
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{option}: expected points or {word}, found {text!r}") from None


def _joined(
    games: Games, *, join: bool, masters: bool, names: str | None
) -> tuple[Games, pl.DataFrame | None]:
    """Return the games with one row a person, and which names were joined."""
    if not (join or names):
        return games, None
    import polars as pl

    from arpad.model import Games
    from arpad.pool.persons import join_names

    _, spelled = persons(masters, names)
    found = join_names(games, given=spelled, guess=join)
    table = games.table.with_columns(
        pl.Series(side, found.row[games.table[side].fill_null(0).to_numpy()], dtype=pl.Int32)
        for side in ("white", "black")
    ).with_columns(pl.when(games.table["black"].is_not_null()).then("black").alias("black"))
    # Two names that met are not one person after all, whatever they look like: such games do not count.
    apart = (table["white"] != table["black"]).fill_null(True)
    return Games(table.filter(apart), games.players, games.events), found.joined


def _find(found: WholeHistory, asked: str) -> str:
    """Return the player who is meant: the very name or id, else by surname; say so if it is another name."""
    from arpad.pool.directory import Directory

    heads = found.on(within=None).select("player", "id", "games")
    if asked in heads["id"].drop_nulls():
        return asked
    exact = heads.filter(heads["player"] == asked)["games"].sum()
    others = heads.filter(heads["player"] != asked)
    who = Directory.of(others["player"].to_list(), others["games"].to_list()).find(asked)
    games = 0 if who is None else int(others.filter(others["player"] == who)["games"].sum())
    if who is None and not exact:
        raise UsageError(f"--player: expected somebody who has played a game here, found {asked!r}")
    if who is None or games < TIMES * exact:
        return asked
    say(f"{asked} is taken for {who}, with {games:,} games{f' to {exact:,}' if exact else ''}")
    return who


def _list(
    found: WholeHistory,
    day: date | None,
    within: int,
    most_error: float,
    top: int,
    *,
    asked_for: bool,
) -> pl.DataFrame:
    """Return the list of a day; where it is not what was asked for, without a word if it is empty."""
    from arpad.model import ranked

    listed = found.on(day, within=within or None)
    if not listed.height and asked_for:
        raise UsageError(
            f"nobody has played in the {within:,} days until {day}: ask for another --on, or more days --within"
            if within
            else f"nobody has played until {day}: the first game is of {found.rows['date'].min()!s}"
        )
    sure = listed.filter(listed["error"] <= most_error)
    if not sure.height:
        sure = listed
        if asked_for:
            say(
                f"nobody has an error of {most_error:g} points or less (--most-error): all are listed"
            )
    sure = ranked(sure).head(top)
    return sure.drop("id") if sure["id"].null_count() == sure.height else sure


def _keys(best: pl.DataFrame) -> list[str]:
    """Return the names of a list, or the ids of those who share a name."""
    twice = best["player"].is_duplicated()
    own = best["id"] if "id" in best.columns else best["player"]
    return [str(i if d else n) for n, i, d in zip(best["player"], own, twice, strict=True)]


def _yearly(curve: pl.DataFrame) -> pl.DataFrame:
    """Return where a curve stood after the last game of each year."""
    import polars as pl

    year = pl.col("date").dt.year().cast(pl.String).alias("year")
    return curve.group_by(year, maintain_order=True).agg(
        pl.col("rating", "error").last(), pl.col("games").sum(), pl.col("date").last().alias("last")
    )


def _stacked(found: WholeHistory, named: list[str]) -> pl.DataFrame:
    import polars as pl

    return pl.concat(found.curve(n).select(pl.lit(n).alias("player"), pl.all()) for n in named)


def _draw(path: str, found: WholeHistory, named: list[str]) -> None:
    from arpad.publish.chart_style import save
    from arpad.publish.whole_history_chart import whole_history_chart

    save(whole_history_chart(found, list(dict.fromkeys(named))), path)
