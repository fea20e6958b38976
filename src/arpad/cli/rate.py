"""`arpad rate`: files of games to a rating list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, say, width
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
from arpad.cli.workers_option import PATIENCE, PatienceOption, WorkersOption, team
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.model import Games, Ratings
    from arpad.rate import RatingSystem
    from arpad.read import Reading
    from arpad.workers import Workers

__all__ = ["add_to", "rating_document"]

HIDDEN = ("so_far", "topped", "total_games", "carried", "fide", "birth", "imputed_by", "on")
Text = Optional[str]  # noqa: UP045 - Typer reads the annotation


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(rate)


def rate(
    files: FilesArgument,
    system: Annotated[
        str,
        typer.Option(
            help="The rating system: elo, fide, elo-book, glicko, glicko2, stephenson, uscf1994, uscf1993, pra, pra-basic, whr, arpad, ingo, harkness, bcf, ccla or berkin."
        ),
    ] = "elo",
    k: Annotated[
        Text,
        typer.Option(
            "--k",
            help="elo, elo-book: a number, tiers (32@2100,24@2400,16) or fide-1986, uscf, fide; elo-book: by-sample too. [20; fide-1986]",
        ),
    ] = None,
    curve: Annotated[
        Text,
        typer.Option(
            help="elo, elo-book: logistic, normal, table, linear or pra. [logistic; table]"
        ),
    ] = None,
    period: Annotated[
        Text,
        typer.Option(
            help="game, day, month, quarter, year or event; glicko, glicko2, stephenson: a number of days too. "
            "[elo: game; ingo, harkness, berkin: event; bcf: year; glicko, glicko2, stephenson: month]"
        ),
    ] = None,
    start: Annotated[
        float | None,
        typer.Option(
            help="All but fide: rating of a player of whom nothing is known. [1500; uscf: 1000; stephenson: 2200]"
        ),
    ] = None,
    given: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option(
            "--given/--no-given",
            help="All but fide: start from the ratings in the file. [--given]",
        ),
    ] = None,
    rules: Annotated[
        Text,
        typer.Option(
            help="fide: today, 2025-10, 2024-03, 2022-01, 2014-07; rapid is for rapid and blitz. [today]"
        ),
    ] = None,
    on: Annotated[
        Text,
        typer.Option(
            help="glicko, glicko2, stephenson, whr: ratings and errors on the morning of this day (2016-07-01), from the games before it. [the end of the last period]"
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="Anything else of a system, NAME=VALUE (entry=median); repeatable."),
    ] = None,
    before: Annotated[
        Text,
        typer.Option(help="Ratings to start from: a FIDE list, or CSV with player and rating."),
    ] = None,
    whole_list: Annotated[
        bool,
        typer.Option("--whole-list", help="With --before: list also those who did not play."),
    ] = False,
    bootstrap: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Errors from so many sets of games drawn anew, say 200.", min=10),
    ] = None,
    seed: Annotated[int, typer.Option(help="For --bootstrap.", min=0)] = 0,
    workers: WorkersOption = None,
    patience: PatienceOption = PATIENCE,
    top: Annotated[Optional[int], typer.Option(help="Show only so many players.", min=1)] = None,  # noqa: UP045
    chart: Annotated[Text, typer.Option(help="Write a chart, .png or .svg.")] = None,
    stream: Annotated[
        bool,
        typer.Option(
            "--stream",
            help="FILES are an archive of Parquet files, a month each: rate them in one pass without reading all. A folder always is.",
        ),
    ] = False,
    state: Annotated[
        Text,
        typer.Option(
            help="Archive: the folder that keeps where the run stands, so that it can go on. [the user's state folder]"
        ),
    ] = None,
    keep: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option(
            "--keep/--no-keep",
            help="Archive: keep where the run stands, and go on from there. [--keep]",
        ),
    ] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Rate the games in FILES and print the list.

    arpad rate club-night.trf --system fide

    arpad rate games.parquet --k 10 --top 20

    arpad rate season.pgn --system elo-book --option entry=median --option level=0.1

    arpad rate games.parquet --system glicko2 --on 2016-07-01

    arpad rate results.csv --columns white=home_team,black=away_team

    arpad rate archive/ --system glicko --no-given -o list.parquet
    """
    from arpad.cli.rate_chart import draw
    from arpad.cli.rate_remarks import remarks, with_others
    from arpad.cli.rate_stream import is_archive, refuse, stream_files
    from arpad.cli.system_options import told
    from arpad.rate import system as system_called
    from arpad.read import Report, read_list

    options = {
        "k": k,
        "curve": curve,
        "period": period,
        "start": start,
        "given": given,
        "rules": rules,
        "on": on,
    }
    given_options = {name: value for name, value in options.items() if value is not None}
    chosen = system_called(system, **{**told(system, option or []), **given_options})
    if stream or is_archive(files):
        refuse(before=before, whole_list=whole_list, bootstrap=bootstrap, chart=chart, input_format=input_format)  # fmt: skip
        stream_files(chosen, files, columns=columns, strict=strict, report=report, state=state, keep=keep is not False, top=top, format=format, output=output)  # fmt: skip
        return
    if state is not None or keep is not None:
        raise UsageError(
            "--state and --keep belong to an archive: a folder, or files with --stream"
        )
    who = team(workers, patience)
    if workers is not None and bootstrap is None:
        raise UsageError("--workers belongs to --bootstrap: one list is made by one process")
    listed = Report(strict=strict)
    earlier = None if before is None else read_list(before, report=listed)
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    reading.report.notes.extend(listed.notes)
    check_any_played(reading)
    ratings = _rated(chosen, reading.games, earlier, bootstrap, seed, who)
    write_report(reading, report)
    for words in remarks(chosen, reading, earlier, before, ratings):
        say(words)
    if whole_list and earlier is not None:
        ratings = with_others(ratings, earlier, chosen)
    if chart is not None:
        draw(chart, ratings, reading, chosen, earlier, top)
    shown = ratings.table(top).drop(HIDDEN, strict=False)

    def people() -> list[object]:
        from arpad.publish.tables import fitted, rich_table

        rest = ratings.rows.height - shown.height
        more = [f"… and {rest:,} more (--top {ratings.rows.height} shows all)"] if rest else []
        digits = {"rating": 0, "before": 0, "change": 0} if system == "fide" else {}
        fitting = fitted(shown, width(), digits)
        return [rich_table(fitting, digits=digits), *more, "", ratings.summary()]

    emit(
        format,
        output,
        people=people,
        rows=lambda: ratings.table(top),
        document=lambda: rating_document(ratings, reading, top),
    )


def _rated(
    chosen: RatingSystem,
    games: Games,
    earlier: Ratings | None,
    draws: int | None,
    seed: int,
    workers: Workers,
) -> Ratings:
    if draws is None:
        return chosen.rate(games, earlier)
    from arpad.rate.bootstrap import bootstrap

    return bootstrap(chosen, games, earlier, draws=draws, seed=seed, workers=workers)


def rating_document(
    ratings: Ratings, reading: Reading, top: int | None = None
) -> dict[str, object]:
    """Return the list as the JSON that the docs describe."""
    return {
        "system": ratings.system,
        "parameters": dict(ratings.parameters),
        **reading_document(reading),
        **({"notes": ratings.source["notes"]} if "notes" in ratings.source else {}),
        "ratings": ratings.rows.to_dicts() if top is None else ratings.rows.head(top).to_dicts(),
    }
