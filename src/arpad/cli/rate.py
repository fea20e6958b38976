"""`arpad rate`: files of games to a rating list."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.options import (
    BotsOption,
    GameFiles,
    ProcessesOption,
    ProcessPatienceOption,
    RatedOption,
    column_mapping,
    given_options,
    system_names,
)
from arpad.cli.output import Emission, emit_result, progress, reading_document, say
from arpad.errors import InputError, UsageError
from arpad.parallel import PATIENCE, workers_called
from arpad.read.fields import Selection, TimeControl
from arpad.scale import CurveName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arpad.model import Ratings
    from arpad.rate.archive import ArchiveRatings
    from arpad.rate.system import RatingSystem
    from arpad.read.reading import Reading

NAMED = 5
"""Players who are not on the earlier list that a line names."""
TOO_MUCH = 700.0
"""K × games in a period above which a rating overshoots [FIDE B.02 8.3.3]."""
SHOWN = 20
"""Players of an archive that a person sees unless more are asked for: it has millions."""


def rate(
    source: GameFiles,
    system: Annotated[str, typer.Option(metavar="NAME", autocompletion=system_names)] = "elo",
    k: str | None = None,
    curve: CurveName | None = None,
    period: str | None = None,
    start: float | None = None,
    given: Annotated[bool | None, typer.Option("--given/--no-given")] = None,
    rules: str | None = None,
    on: str | None = None,
    option: list[str] | None = None,
    before: str | None = None,
    whole_list: bool = False,
    bootstrap: Annotated[int | None, typer.Option(min=10, max=10**6)] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    model_errors: Annotated[bool | None, typer.Option("--model-errors/--own-errors")] = None,
    workers: ProcessesOption = None,
    patience: ProcessPatienceOption = PATIENCE,
    top: Annotated[int | None, typer.Option(min=1, max=10**9)] = None,
    chart: str | None = None,
    stream: bool = False,
    state: Annotated[str | None, typer.Option(metavar="DIR")] = None,
    keep: Annotated[bool | None, typer.Option("--keep/--no-keep")] = None,
    time_control: TimeControl | None = None,
    variant: str = "chess",
    rated: RatedOption = "rated",
    bots: BotsOption = False,
) -> Emission:
    """Rate the games in FILES and print the list.

    arpad rate club-night.trf --system fide

    arpad rate games.parquet --k 10 --top 20

    arpad rate season.pgn --system elo-book --option entry=median --option level=0.1

    arpad rate games.parquet --system glicko2 --on 2016-07-01

    arpad rate results.csv --columns white=home_team,black=away_team

    arpad rate archive/ --system glicko --no-given -o list.parquet

    system: The rating system: elo, fide, elo-book, glicko, glicko2, stephenson, uscf1994, uscf1993, pra, pra-basic, whr, arpad, periodic, ingo, harkness, bcf, ccla or berkin.
    k: elo, elo-book: K as a number, as tiers (32@2100,24@2400,16), or fide-1986, uscf, fide; elo-book also has by-sample. [20; elo-book: fide-1986]
    curve: elo, elo-book: the curve. [logistic; elo-book: table]
    period: Rating period: game, day, month, quarter, year or event; for glicko, glicko2 and stephenson also a number of days. [elo: game; ingo, harkness, berkin: event; bcf: year; periodic: quarter; glicko, glicko2, stephenson: month]
    start: First rating of a new player; not for fide. [1500; uscf: 1000; stephenson: 2200]
    given: Start from the ratings in the file; fide always does. [--given]
    rules: fide: today, 2025-10, 2024-03, 2022-01, 2014-07; rapid is for rapid and blitz. [today]
    on: glicko, glicko2, stephenson, whr: print the ratings and errors of this day (2016-07-01), from the games before it. [the end of the last period]
    option: Any other option of the system, NAME=VALUE (entry=median); repeatable.
    before: Ratings to start from: a FIDE list, or a CSV file with player and rating.
    whole_list: With --before: also list players who did not play.
    bootstrap: Calculate errors from N random samples of the games, such as 200.
    seed: Seed of --bootstrap.
    model_errors: ± is the error of the rating by arpad's own model, and the method's own stands beside it; or ± is the method's own. [model up to 1,000,000 games]
    top: Show only the first N players.
    chart: Write a chart, .png or .svg.
    stream: FILES are an archive of Parquet files, one for each month; arpad rates them in one pass without loading all. A folder is always an archive.
    state: With an archive: folder for the progress of the run, so that it can continue. [the user's state folder]
    keep: With an archive: save the progress of the run, and continue from it. [--keep]
    time_control: Only standard, rapid or blitz games. [all]
    variant: Only games of this variant, such as chess960, or all.
    """
    from arpad.rate.bootstrap import bootstrap as drawn_again
    from arpad.rate.bootstrap import with_true_errors
    from arpad.rate.rating import with_others
    from arpad.rate.registry import system as system_called
    from arpad.rate.system import rate as rate_games

    own = {"k": k, "curve": curve, "period": period, "start": start, "given": given, "rules": rules, "on": on}
    named = {name: value for name, value in own.items() if value is not None}
    chosen = system_called(system, **{**given_options(system, option or []), **named})
    if stream or any(Path(file).is_dir() for file in source.files):
        _refuse(
            before=before,
            whole_list=whole_list,
            bootstrap=bootstrap,
            model_errors=model_errors,
            chart=chart,
            input_format=source.input_format,
        )
        return _archive(chosen, source, state=state, keep=keep is not False, top=top)
    if state is not None or keep is not None:
        raise UsageError("--state and --keep work only with an archive: a folder, or files with --stream")
    team = workers_called(workers, patience=patience)
    if workers is not None and bootstrap is None:
        raise UsageError("--workers works only with --bootstrap: one process makes a list")
    if model_errors and bootstrap is not None:
        raise UsageError("--bootstrap and --model-errors each say what ± is: leave one out")
    earlier = source.ratings(before)
    selection = Selection(
        time_control=time_control,
        variant=None if variant == "all" else variant,
        rated={"rated": True, "casual": False, "all": None}[rated],
        bots=bots,
    )
    reading = source.read(selection)
    games = reading.games
    if bootstrap is None:
        ratings = rate_games(chosen, games, earlier)
        ratings = with_true_errors(chosen, ratings, games, earlier, model=model_errors)
    else:
        ratings = drawn_again(chosen, games, earlier, draws=bootstrap, seed=seed, workers=team)
    source.tell(reading)
    for line in _remarks(chosen, reading, earlier, before, ratings):
        say(line)
    if whole_list and earlier is not None:
        ratings = with_others(ratings, earlier, chosen)
    return partial(
        emit_result,
        ratings,
        view={"top": top},
        rows=lambda: ratings.table(top),
        document=lambda: {
            "system": ratings.system,
            "parameters": dict(ratings.parameters),
            **reading_document(reading),
            **({"notes": ratings.source["notes"]} if "notes" in ratings.source else {}),
            "ratings": (ratings.rows if top is None else ratings.rows.head(top)).to_dicts(),
        },
        chart=chart,
        top=top,
        games=games,
        system=chosen,
        before=earlier,
        title=", ".join(Path(file).name for file, _ in reading.files[:3]),
    )


def _remarks(
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
        unknown = earlier.strangers(games.players)
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


def _refuse(**options: object) -> None:
    """Refuse options that an archive cannot be rated with."""
    for name, value in options.items():
        if value:
            raise UsageError(
                f"--{name.replace('_', '-')} needs all games at once, and an archive is never read whole: leave it out"
            )


def _archive(
    system: RatingSystem, source: GameFiles, *, state: str | None, keep: bool, top: int | None
) -> Emission:
    """Rate an archive: folders of Parquet files, a month each, in one pass."""
    from arpad.rate.archive import rate_archive, state_place
    from arpad.read.archive import archive

    if "-" in source.files:
        raise UsageError("an archive is a folder of files: standard input cannot be one")
    months = archive(source.files, columns=column_mapping(source.columns))
    kept = state_place(system, months, source.files, folder=state, strict=source.strict) if keep else None
    with progress("rating") as tell:
        done = rate_archive(system, months, state=kept, strict=source.strict, watch=tell)
    if not done.tally.status["played"]:
        raise InputError("expected games, found none that were played", file=", ".join(source.files))
    ratings = done.ratings
    if ratings.rows["rating"].null_count() == ratings.rows.height:
        raise InputError(
            f"nobody here has a rating, so that nobody can be rated by {system.name}: use --system elo",
            file=", ".join(source.files),
        )
    if done.note:
        say(f"{done.note}: rated from the beginning")
    if done.taken_up:
        say(f"{done.taken_up:,} of {done.months:,} months were rated before: continued from there")
    _report(done, source.report)
    return partial(
        emit_result,
        ratings,
        view={"top": top or SHOWN, "archive": True},
        rows=lambda: ratings.table(top),
        document=lambda: done.to_dict(top),
        parquet=True,
    )


def _report(done: ArchiveRatings, path: str | None) -> None:
    """Write what was left out to a CSV file, else say the most frequent."""
    if path is None:
        for (action, reason), games in done.tally.notes.most_common(5):
            say(f"{action}: {reason} ({games:,} games)")
        return
    import polars as pl

    from arpad.files import write_text

    rows = [(action, reason, games) for (action, reason), games in done.tally.notes.items()]
    schema = {"action": pl.String, "reason": pl.String, "games": pl.Int64}
    write_text(path, pl.DataFrame(rows, schema=schema, orient="row").write_csv())
