"""`arpad greatness`: the Tournament App on every event of a database."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import polars as pl
import typer

from arpad.cli.history import persons
from arpad.cli.options import (
    ColumnsOption,
    FilesArgument,
    InputFormatOption,
    ReportOption,
    SheetOption,
    StrictOption,
    check_any_played,
    read_files,
    write_report,
)
from arpad.cli.output import Emission, emit, emits, reading_document, say, width
from arpad.errors import InputError, UsageError
from arpad.pool.greatness.assessment import CAUTIONS
from arpad.publish.tables import cell, fitted, rich_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from arpad.model import Games, Ratings
    from arpad.pool.greatness.assessment import EventRecord
    from arpad.pool.greatness.groups import EventGroups
    from arpad.pool.greatness.ratings import RatingSource, YearlyRatings
    from arpad.pool.greatness.run import Greatness, RunState
    from arpad.pool.history import HistorySystem


# `arpad greatness`: the Tournament App on every event of a database.

TOP = 20


def add_greatness(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(greatness)


@emits
def greatness(
    files: FilesArgument,
    top: Annotated[int, typer.Option(help="So many rows of each list; csv and json have all.", min=1)] = TOP,
    first: Annotated[int | None, typer.Option("--from", help="Only events of this year and later.")] = None,
    last: Annotated[int | None, typer.Option("--to", help="Only events of this year and earlier.")] = None,
    min_games: Annotated[int, typer.Option(help="Games of a player whose G-score is listed.", min=1)] = 6,
    least: Annotated[float, typer.Option(help="The least G-score that is listed.")] = 100.0,
    ratings: Annotated[
        str | None,
        typer.Option(
            help="Where ratings come from, in this order: file, list, own, system. [file, list, own]"
        ),
    ] = None,
    lists: Annotated[
        list[str] | None,
        typer.Option("--list", help="A rating list; repeatable. The last before an event counts."),
    ] = None,
    dates: Annotated[
        str | None, typer.Option(help="The date of each list, in their order: 2001-07-01,2004-04-01.")
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(help="A rating system that walks through the years, for events without ratings."),
    ] = None,
    number_two: Annotated[
        str | None,
        typer.Option(
            help="The world's number two: a rating, or a CSV with year and rating. [the ratings' own]"
        ),
    ] = None,
    repair: Annotated[
        Literal["none", "adjusted", "corrected"],
        typer.Option(help="What to do where the fit fails (docs/methods/greatness.md)."),
    ] = "none",
    failed: Annotated[
        bool, typer.Option("--failed", help="List performances of events that failed the test, too.")
    ] = False,
    incomplete: Annotated[
        bool, typer.Option("--incomplete", help="Run events, too, of which not all games are there.")
    ] = False,
    knockouts: Annotated[
        Literal["event", "matches"], typer.Option(help="A knock-out is one event, or each of its matches is.")
    ] = "event",
    leave_out: Annotated[
        str | None,
        typer.Option(
            help="Pattern of events that do not count; '' for none. [exhibitions, fast play, machines]"
        ),
    ] = None,
    leave_out_players: Annotated[
        str | None,
        typer.Option(help="Pattern of players who do not count; '' for none. [teams, NN, programs]"),
    ] = None,
    join: Annotated[bool, typer.Option(help="Join names that look like one person.")] = True,
    names: Annotated[str | None, typer.Option(help="CSV with name and person: other spellings.")] = None,
    masters: Annotated[
        bool, typer.Option("--masters", help="Births and spellings of the book's lists, for our own ratings.")
    ] = False,
    state: Annotated[
        str | None,
        typer.Option(
            help="Keep events and our own ratings in this file: a run that was interrupted goes on from it, another does only what is new."
        ),
    ] = None,
    strengths: Annotated[
        bool, typer.Option("--strengths", help="csv: the list of tournament strengths.")
    ] = False,
    inspect: Annotated[
        bool, typer.Option("--inspect", help="csv: the events that want a person's eye.")
    ] = False,
    chart: Annotated[
        str | None, typer.Option(help="Draw G-scores and strengths over the years, .png or .svg.")
    ] = None,
    columns: ColumnsOption = None,
    sheet: SheetOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
) -> Emission:
    """Find the greatest performances and the strongest events of a whole database.

    arpad greatness games.parquet --state run.state --chart greatness.png

    arpad greatness events/*.pgn --from 1970 --number-two 2800 --format csv -o great.csv
    """
    from arpad.cli.output import progress
    from arpad.pool.greatness.assessment import AppRules
    from arpad.pool.greatness.groups import EVENTS, GroupRules
    from arpad.pool.greatness.run import GreatnessRules, RunState, find_greatness
    from arpad.pool.persons import NOBODY

    if first is not None and last is not None and first > last:
        raise UsageError(f"expected years from … to …, found --from {first} --to {last}")
    if strengths and inspect:
        raise UsageError("expected --strengths or --inspect, found both: one CSV has one list")
    born, spelled = persons(masters, names)
    two, by_year = number_twos(number_two)
    rules = GreatnessRules(
        groups=GroupRules(
            events=EVENTS if leave_out is None else leave_out,
            nobody=NOBODY if leave_out_players is None else leave_out_players,
            join=join,
            spelled=spelled,
            knockouts=knockouts,
            fewest_games=min_games,
        ),
        app=AppRules(repair=repair, least=least, fewest_games=min_games, number_two=two, number_twos=by_year),
        incomplete=incomplete,
        first=first,
        last=last,
    )
    listed = rating_lists(lists or [], dates)
    kept = RunState(state, rules.app.parameters())
    reading = read_files(files, columns=columns, sheet=sheet, format=input_format, strict=strict)
    check_any_played(reading)
    sources = rating_sources(
        reading.games, ratings, listed, system, births=born, spelled=spelled, join=join, kept=kept
    )
    with progress("events") as show:

        def tell(record: EventRecord, done: int, total: int) -> None:
            kept.add(record)
            show(done, total, record.event)

        try:
            found = find_greatness(reading.games, sources, rules, done=kept.done, tell=tell)
        finally:
            kept.save()
    write_report(reading, report)
    if not any(r.strength is not None for r in found.records):
        say(nothing(found))
    if chart:
        from arpad.publish.charts.event import greatness_chart
        from arpad.publish.charts.style import save

        save(greatness_chart(found, failed=failed), chart)
    return partial(
        emit,
        people=lambda: people(found, top, failed=failed),
        rows=lambda: (
            found.strengths(failed=failed)
            if strengths
            else found.to_inspect()
            if inspect
            else found.table(failed=failed)
        ),
        document=lambda: {
            "parameters": dict(found.parameters),
            **reading_document(reading),
            "source": dict(found.source),
            "verdicts": found.verdicts(),
            "again": found.again,
            "performances": found.table(failed=failed).to_dicts(),
            "strengths": found.strengths(failed=failed).to_dicts(),
            "inspect": found.to_inspect().to_dicts(),
            "events": [r.as_dict() for r in found.records],
            "left_out": found.left_out.to_dicts(),
            "left_games": dict(found.left_games),
        },
    )


# `arpad greatness` for people: three lists, what their words mean, and what to mind.

DIGITS = {"rating": 0, "no. 2": 0, "±": 0, "G": 1, "strength": 2}
SHORT = {"g_score": "G", "g_error": "±", "number_two": "no. 2", "ratings": "by"}
"""Headings of the tables."""
SPARE = ("rating", "category", "site")
"""Columns that a narrow screen does without, in turn."""
LONG = 48
"""Letters of an event's name that a table has room for."""
BESIDE = 10
"""Letters that the year and the gaps take beside an event and its reasons."""
OWN = (
    "own: our own ratings of the year, smoothed over the games of the years around, this event's among them: "
    "they know how it ended."
)
ERROR = "±: one standard error that uncertain ratings give to G; luck is not in it."


def people(found: Greatness, top: int, *, failed: bool) -> list[object]:
    """Return what a person sees."""
    great, strong = found.table(top, failed=failed), found.strengths(top, failed=failed)
    parts: list[object] = [f"No G-score of {found.parameters['least']:g} or more.", ""]
    if great.height:
        parts = [_table(_performances(great), "Greatness"), ""]
    if strong.height:
        parts += [_table(_events(strong), "Tournament strength"), ""]
    if notes := _notes(great, strong):
        parts += [*notes, ""]
    return [*parts, *_inspected(found, top), found.summary()]


def nothing(found: Greatness) -> str:
    """Return why there are no G-scores."""
    if not found.records:
        why = found.left_out["reason"].value_counts(sort=True)
        most = (
            f": {why['reason'][0]} ({why['count'][0]:,} of {found.left_out.height:,})"
            if why.height
            else ": there is none of these years"
        )
        return f"no event could be run{most}"
    return (
        "no event has ratings and a number two, so there are no G-scores: give ratings with --list, "
        "or number two with --number-two"
    )


def _performances(great: pl.DataFrame) -> pl.DataFrame:
    scores = [cell("points", score) for score in great["score"]]
    great = great.with_columns(
        pl.format("{} of {}", pl.Series(scores, dtype=pl.String), "games").alias("scored")
    )
    error = ["g_error"] if great["g_error"].is_not_null().any() else []
    return great.select(
        "rank",
        "player",
        "event",
        "year",
        "g_score",
        *error,
        "category",
        "scored",
        "rating",
        "number_two",
        "ratings",
        *_marked(great),
    )


def _events(strong: pl.DataFrame) -> pl.DataFrame:
    return strong.select(
        "rank",
        "event",
        "site",
        "year",
        "strength",
        "players",
        "games",
        "number_two",
        "ratings",
        *_marked(strong),
    )


def _marked(rows: pl.DataFrame) -> list[str]:
    return ["caution"] if (rows["caution"] != "").any() else []


def _table(rows: pl.DataFrame, title: str) -> object:
    short = rows.with_columns(pl.col("year").cast(pl.String), _cut("event", LONG)).rename(SHORT, strict=False)
    return rich_table(fitted(short, width(), DIGITS, spare=SPARE), title=title, digits=DIGITS)


def _cut(name: str, room: int) -> pl.Expr:
    """Return a column of words, cut where there is no room for them."""
    long = pl.col(name).str.len_chars() > room
    return pl.when(long).then(pl.col(name).str.slice(0, room - 1) + "…").otherwise(name).alias(name)


def _notes(great: pl.DataFrame, strong: pl.DataFrame) -> list[str]:
    """Return what the words of the two lists mean, as far as they occur."""
    marks = {m for rows in (great, strong) for words in rows["caution"] for m in words.split(", ")}
    notes = [f"{mark}: {words}." for mark, words in CAUTIONS.items() if mark in marks]
    if "own" in {*great["ratings"], *strong["ratings"]}:
        notes.insert(0, OWN)
    if great["g_error"].is_not_null().any():
        notes.insert(0, ERROR)
    return notes


def _inspected(found: Greatness, top: int) -> list[object]:
    """Return the events that want a person's eye: the worst fits first, those without ratings last."""
    look = found.to_inspect()
    if look.is_empty():
        return []
    verdict = pl.col("verdict").replace_strict({"failed": 0, "unrated": 2}, default=1, return_dtype=pl.Int8)
    worst = -(pl.col("chi_square") / pl.col("critical")).log().abs()
    few = look.sort(verdict, worst, "year", nulls_last=True, maintain_order=True).head(top)
    few = few.select("event", "year", "reasons").with_columns(_cut("event", LONG))
    event = max(len("event"), *(len(name) for name in few["event"]))
    few = few.with_columns(_cut("reasons", max(width() - event - BESIDE, LONG)))
    title = f"For a person's eye, worst first: {few.height:,} of {look.height:,}"
    return [_table(few, title), ""]


# The ratings of a greatness run, as its options name them.

NAMES = ("file", "list", "own", "system")
"""Where ratings can come from."""
STUDY = 1
"""Of the historical study; another number makes studies that were kept strangers."""


def rating_sources(
    games: Games,
    wanted: str | None,
    lists: Sequence[tuple[date, Ratings]],
    system: str | None,
    *,
    births: dict[str, float],
    spelled: dict[str, str],
    join: bool,
    kept: RunState,
) -> Callable[[EventGroups], list[RatingSource]]:
    """Return what makes the sources, once the events are known, in the order in which they are asked."""
    from arpad.pool.history import HistorySystem

    names = _wanted(wanted, lists=bool(lists), system=system is not None)

    def make(groups: EventGroups) -> list[RatingSource]:
        found: list[RatingSource] = []
        for name in names:
            if name == "file":
                from arpad.pool.greatness.ratings import PublishedRatings

                found.append(PublishedRatings(groups.published, groups.names))
            elif name == "list":
                from arpad.pool.greatness.ratings import ListedRatings

                found.append(ListedRatings(lists, games.players, groups.person))
            elif name == "system":
                found.append(_walked(games, groups, system or ""))
            else:
                study = HistorySystem(births=births, spelled=spelled, guess=join)
                found.append(_studied(games, groups, study, kept))
        return found

    return make


def _wanted(text: str | None, *, lists: bool, system: bool) -> list[str]:
    if text is None:
        return ["file", *(["list"] if lists else []), "system" if system else "own"]
    names = [name.strip() for name in text.split(",") if name.strip()]
    strange = [name for name in names if name not in NAMES]
    if strange or not names:
        raise UsageError(f"--ratings: expected some of {', '.join(NAMES)}, with commas; found {text!r}")
    if "list" in names and not lists:
        raise UsageError("--ratings list needs rating lists: name them with --list")
    if "system" in names and not system:
        raise UsageError("--ratings system needs a rating system: name it with --system")
    return list(dict.fromkeys(names))


def _studied(games: Games, groups: EventGroups, system: HistorySystem, kept: RunState) -> RatingSource:
    from arpad.pool.greatness.ratings import OwnRatings, yearly_ratings

    def study() -> Mapping[str, YearlyRatings]:
        return kept.studied(_key(games, system), lambda: yearly_ratings(system.study(games)))

    return OwnRatings(study, groups.names, say)


def _key(games: Games, system: HistorySystem) -> str:
    """Return a short hash of all that the historical study follows from: `fingerprint` leaves out events and ratings."""
    import hashlib
    import json

    from arpad.pool.persons import NOBODY

    words = [
        STUDY,
        NOBODY,
        games.fingerprint(),
        system.parameters(),
        sorted(system.births.items()),
        sorted(system.spelled.items()),
        [(e.name, e.site) for e in games.events],
    ]
    digest = hashlib.blake2b(json.dumps(words, default=str).encode(), digest_size=12)
    for column in ("event", "white_rating", "black_rating", "precision"):
        digest.update(games.table[column].to_physical().cast(float).fill_null(-1.0).to_numpy().data)
    return digest.hexdigest()


def _walked(games: Games, groups: EventGroups, system: str) -> RatingSource:
    from dataclasses import replace

    import polars as pl

    from arpad.pool.greatness.ratings import WalkedRatings
    from arpad.rate.registry import system as system_called

    table = games.table.filter(pl.col("black").is_not_null())
    sides = [pl.Series(s, groups.person[table[s].to_numpy()]).cast(pl.Int32) for s in ("white", "black")]
    joined = table.with_columns(sides).filter(pl.col("white") != pl.col("black"))
    joined = joined.sort("date", maintain_order=True)
    return WalkedRatings(system_called(system), replace(games, table=joined))


def rating_lists(files: list[str], dates: str | None) -> list[tuple[date, Ratings]]:
    """Read rating lists with their days: as given, or as the list itself says."""
    from datetime import date as day

    from arpad.pool.rating_lists import dated
    from arpad.read.reading import read_list

    days: list[date | None] = [None] * len(files)
    if dates is not None:
        try:
            days = [day.fromisoformat(text.strip()) for text in dates.split(",")]
        except ValueError:
            raise UsageError(f"--dates: expected YYYY-MM-DD with commas, found {dates!r}") from None
        if len(days) != len(files):
            raise UsageError(f"--dates: expected {len(files)} dates, one a list; found {len(days)}")
    found = []
    for file, given in zip(files, days, strict=True):
        ratings = read_list(file)
        when = dated(ratings, day=given).date
        if when is None:
            raise UsageError(f"--list {file}: the list does not say its date: give it with --dates")
        found.append((when, ratings))
    return found


def number_twos(text: str | None) -> tuple[float | None, dict[int, float]]:
    """Return the rating of number two, or ratings by year from a CSV file."""
    if text is None:
        return None, {}
    try:
        return float(text), {}
    except ValueError:
        pass
    import csv

    from arpad.files import input_file

    try:
        rows = list(csv.DictReader(input_file(text).read_text("utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"--number-two: expected a rating, or a CSV file with year and rating; found {text!r} ({error})"
        ) from None
    found: dict[int, float] = {}
    for number, row in enumerate(rows, start=2):
        try:
            found[int(row["year"])] = float(row["rating"])
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"expected the columns year and rating with numbers, found {dict(row)!r}",
                file=text,
                line=number,
            ) from None
    if not found:
        raise InputError("expected rows with year and rating, found none", file=text)
    return None, found
