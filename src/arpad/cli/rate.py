"""`arpad rate`: files of games to a rating list."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import polars as pl
import typer

from arpad.cli.options import (
    ColumnsOption,
    DatesOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    SheetOption,
    StrictOption,
    WorkersOptionPatienceOption,
    WorkersOptionWorkersOption,
    check_any_played,
    column_mapping,
    read_files,
    team,
    write_report,
)
from arpad.cli.output import Format, FormatOption, OutputOption, details, emit, reading_document, say, width
from arpad.errors import InputError, UsageError
from arpad.model import Ratings
from arpad.parallel import PATIENCE
from arpad.rate.archive_run import rate_archive, settings_of
from arpad.rate.rating import with_others
from arpad.read.fields import Selection, TimeControl
from arpad.scale import CurveName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.model import Games
    from arpad.parallel import Workers
    from arpad.rate.archive_run import ArchiveRatings
    from arpad.rate.system import RatingSystem
    from arpad.read.reading import Reading


# `arpad rate`: files of games to a rating list.

HIDDEN = ("so_far", "topped", "total_games", "carried", "fide", "birth", "imputed_by", "on")
Text = Optional[str]  # noqa: UP045 - Typer reads the annotation


def system_names(incomplete: str) -> list[str]:
    """Return the systems that a shell may complete a name to, plug-ins included."""
    from arpad.rate.registry import SYSTEMS

    return [name for name in SYSTEMS if name.startswith(incomplete)]


def add_rate(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(rate)


def rate(
    files: FilesArgument,
    system: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=system_names,
            help="The rating system: elo, fide, elo-book, glicko, glicko2, stephenson, uscf1994, uscf1993, pra, pra-basic, whr, arpad, ingo, harkness, bcf, ccla or berkin.",
        ),
    ] = "elo",
    k: Annotated[
        Text,
        typer.Option(
            "--k",
            help="elo, elo-book: a number, tiers (32@2100,24@2400,16) or fide-1986, uscf, fide; elo-book: by-sample too. [20; fide-1986]",
        ),
    ] = None,
    curve: Annotated[CurveName | None, typer.Option(help="elo, elo-book only. [logistic; table]")] = None,
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
            "--given/--no-given", help="All but fide: start from the ratings in the file. [--given]"
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
        Text, typer.Option(help="Ratings to start from: a FIDE list, or CSV with player and rating.")
    ] = None,
    whole_list: Annotated[
        bool, typer.Option("--whole-list", help="With --before: list also those who did not play.")
    ] = False,
    bootstrap: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Errors from so many random samples of the games, say 200.", min=10, max=10**6),
    ] = None,
    seed: Annotated[int, typer.Option(help="For --bootstrap.", min=0)] = 0,
    workers: WorkersOptionWorkersOption = None,
    patience: WorkersOptionPatienceOption = PATIENCE,
    top: Annotated[Optional[int], typer.Option(help="Show only so many players.", min=1, max=10**9)] = None,  # noqa: UP045
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
            "--keep/--no-keep", help="Archive: keep where the run stands, and go on from there. [--keep]"
        ),
    ] = None,
    time_control: Annotated[
        Optional[TimeControl],  # noqa: UP045
        typer.Option("--time-control", help="Only standard, rapid or blitz games. [all]"),
    ] = None,
    variant: Annotated[
        str, typer.Option("--variant", help="Only games of this variant, such as chess960; all: any.")
    ] = "chess",
    rated: Annotated[
        Literal["rated", "casual", "all"],
        typer.Option("--rated", help="Games that are not said to be casual, casual ones, or all."),
    ] = "rated",
    bots: Annotated[
        bool, typer.Option("--bots/--no-bots", help="Take games of players with the title BOT.")
    ] = False,
    columns: ColumnsOption = None,
    dates: DatesOption = None,
    sheet: SheetOption = None,
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
    from arpad.cli.options import told
    from arpad.rate.registry import system as system_called
    from arpad.read.reading import read_list
    from arpad.read.source import Report

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
        refuse(
            before=before, whole_list=whole_list, bootstrap=bootstrap, chart=chart, input_format=input_format
        )
        stream_files(
            chosen,
            files,
            columns=columns,
            strict=strict,
            report=report,
            state=state,
            keep=keep is not False,
            top=top,
            format=format,
            output=output,
        )
        return
    if state is not None or keep is not None:
        raise UsageError("--state and --keep belong to an archive: a folder, or files with --stream")
    who = team(workers, patience)
    if workers is not None and bootstrap is None:
        raise UsageError("--workers belongs to --bootstrap: one list is made by one process")
    listed = Report(strict=strict)
    earlier = None if before is None else read_list(before, report=listed)
    selection = Selection(
        time_control=time_control,
        variant=None if variant == "all" else variant,
        rated={"rated": True, "casual": False, "all": None}[rated],
        bots=bots,
    )
    reading = read_files(
        files,
        columns=columns,
        dates=dates,
        sheet=sheet,
        format=input_format,
        strict=strict,
        selection=selection,
    )
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
        return [rich_table(fitting, digits=digits), *more, "", ratings.summary(), *details(ratings)]

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
        from arpad.rate.system import rate as rate_games

        return rate_games(chosen, games, earlier)
    from arpad.rate.bootstrap import bootstrap

    return bootstrap(chosen, games, earlier, draws=draws, seed=seed, workers=workers)


def rating_document(ratings: Ratings, reading: Reading, top: int | None = None) -> dict[str, object]:
    """Return the list as the JSON that the docs describe."""
    return {
        "system": ratings.system,
        "parameters": dict(ratings.parameters),
        **reading_document(reading),
        **({"notes": ratings.source["notes"]} if "notes" in ratings.source else {}),
        "ratings": ratings.rows.to_dicts() if top is None else ratings.rows.head(top).to_dicts(),
    }


# The chart of `arpad rate`.

PATHS_UP_TO = 12
"""Players whose ratings a chart can follow game by game; of more, it shows the best."""
USUAL_TOP = 20


def draw(
    path: str,
    ratings: Ratings,
    reading: Reading,
    system: RatingSystem,
    before: Ratings | None,
    top: int | None,
) -> None:
    """Draw paths of a small field, or the best of a large one."""
    from arpad.publish.charts import ratings as charts
    from arpad.publish.charts.style import save
    from arpad.rate.system import StepByStep

    events = reading.games.events
    named = len(events) == 1 and events[0].name
    title = events[0].name if named else ", ".join(Path(file).name for file, _ in reading.files[:3])
    settings = ratings.parameters
    words = {"rules": "rules {}", "curve": "{} curve", "k": "K {}", "on": "on {}"}
    told = [words[name].format(settings[name]) for name in words if settings.get(name) is not None]
    played = ratings.source["status"].get("played", 0)
    subtitle = f"{', '.join([ratings.system, *told])}: {played:,} games"
    if isinstance(system, StepByStep) and ratings.rows.height <= PATHS_UP_TO and top is None:
        frame = charts.paths(system, reading.games, before)
        save(charts.rating_paths(frame, title=title, subtitle=subtitle), path)
    else:
        best = charts.top_ratings(ratings, top=top or USUAL_TOP, title=title, subtitle=subtitle)
        save(best, path)


# What a person should know about a list beside the list: who was not found, what is doubtful.

NAMED = 5
TOO_MUCH = 700.0
"""K × games in a period above which a rating overshoots [FIDE B.02 8.3.3]."""


def remarks(
    system: RatingSystem, reading: Reading, earlier: Ratings | None, before: str | None, ratings: Ratings
) -> Iterator[str]:
    """Yield sentences for stderr; refuse a list on which nobody has a rating."""
    games = reading.games
    yield from ratings.source.get("notes", ())
    if getattr(system, "keeps_unrated", False):
        unrated = int((ratings.rows["status"] == "unrated").sum())
        if unrated:
            yield f"{unrated:,} unrated with fewer than four games: kept on file, in the column carried of CSV and JSON"
    elif ratings.rows["rating"].null_count() == ratings.rows.height:
        files = ", ".join(file for file, _ in reading.files)
        if (least := getattr(system, "least_games", None)) is not None:
            raise InputError(
                f"nobody here has played the {least} games that a first rating needs: "
                "--option least_games=1 rates everybody",
                file=files,
            )
        minimum = getattr(system, "minimum", None)
        raise InputError(
            f"nobody here has a rating, so that nobody can be rated by {system.name}"
            + (f" without {minimum} games" if minimum is not None else "")
            + ": give a list with --before, or use --system elo",
            file=files,
        )
    if earlier is not None:
        # Ratings.lookup passes over who has no rating; that one is on the list all the same.
        listed = replace(earlier, rows=earlier.rows.with_columns(pl.col("rating").fill_null(0)))
        unknown = games.players.filter(listed.lookup(games.players).is_null())["name"].to_list()
        if unknown:
            some = ", ".join(unknown[:NAMED]) + (", …" if len(unknown) > NAMED else "")
            yield f"{len(unknown):,} of {games.players.height:,} players are not in {before}: {some}"
    if (busiest := getattr(system, "strain", None)) is not None:
        strain, who = busiest(games)
        if strain > TOO_MUCH:
            yield (
                f"K × games in one {getattr(system, 'period', 'period')} comes to {strain:,.0f} for {who}: above about "
                f"{TOO_MUCH:g} ratings overshoot; take a smaller --k or a shorter --period"
            )
    days = games.table["date"].drop_nulls().to_list()
    last = max(days).isoformat() if days else None
    since = getattr(getattr(system, "rules", None), "since", None)
    if since is not None and last is not None and last < since:
        yield (
            f"the rules in force since {since} are applied to games up to {last}: --rules names older ones"
        )


# `arpad rate` on an archive: folders of Parquet files, a month each, rated in one pass.

SHOWN = 20
"""Players that a person sees unless more are asked for: an archive has millions."""


def is_archive(files: list[str]) -> bool:
    """Say whether there is a folder among the files."""
    return any(Path(file).is_dir() for file in files)


def refuse(**options: object) -> None:
    """Refuse options that an archive cannot be rated with."""
    for name, value in options.items():
        if value:
            raise UsageError(
                f"--{name.replace('_', '-')} needs all games at once, and an archive is never read whole: leave it out"
            )


def stream_files(
    system: RatingSystem,
    files: list[str],
    *,
    columns: str | None,
    strict: bool,
    report: str | None,
    state: str | None,
    keep: bool,
    top: int | None,
    format: Format | None,
    output: str | None,
) -> None:
    """Rate an archive and print or write the list."""
    from arpad.cli.output import progress
    from arpad.files import folder_of, standing_path, standing_root
    from arpad.read.archive import archive

    if "-" in files:
        raise UsageError("an archive is a folder of files: standard input cannot be one")
    found = archive(files, columns=column_mapping(columns))
    kept = None
    if keep:
        root = folder_of(state) if state else standing_root()
        where = sorted(str(Path(file).resolve()) for file in files)
        words = f"{Path(where[0]).name} {system.name}"
        kept = standing_path(root, words, "\n".join([settings_of(system, found, strict=strict), *where]))
    with progress("rating") as tell:
        done = rate_archive(system, found, state=kept, strict=strict, watch=tell)
    if not done.tally.status["played"]:
        raise InputError("expected games, found none that were played", file=", ".join(files))
    if done.ratings.rows["rating"].null_count() == done.ratings.rows.height:
        raise InputError(
            f"nobody here has a rating, so that nobody can be rated by {system.name}: use --system elo",
            file=", ".join(files),
        )
    _say(done, report)
    _emit(done, top, format, output)


def _say(done: ArchiveRatings, report: str | None) -> None:
    if done.note:
        say(f"{done.note}: rated from the beginning")
    if done.taken_up:
        say(f"{done.taken_up:,} of {done.months:,} months were rated before: gone on from there")
    if report is None:
        for (action, reason), games in done.tally.notes.most_common(5):
            say(f"{action}: {reason} ({games:,} games)")
        return
    import polars as pl

    from arpad.files import write_text

    rows = [{"action": a, "reason": r, "games": n} for (a, r), n in done.tally.notes.items()]
    schema = {"action": pl.String, "reason": pl.String, "games": pl.Int64}
    write_text(report, pl.DataFrame(rows, schema=schema).write_csv())


def _emit(done: ArchiveRatings, top: int | None, format: Format | None, output: str | None) -> None:
    ratings = done.ratings
    if format is None and output is not None and output.lower().endswith(".parquet"):
        from arpad.files import new_file

        with new_file(output) as beside:
            ratings.table(top).write_parquet(beside)
        say(ratings.summary())
        return

    def people() -> list[object]:
        from arpad.publish.tables import fitted, rich_table

        shown = ratings.table(top or SHOWN).drop(HIDDEN, strict=False)
        rest = ratings.rows.height - shown.height
        more = [f"… and {rest:,} more (-o list.parquet or list.csv has all)"] if rest else []
        return [rich_table(fitted(shown, width(), {})), *more, "", ratings.summary(), *details(ratings)]

    emit(format, output, people=people, rows=lambda: ratings.table(top), document=lambda: done.to_dict(top))
