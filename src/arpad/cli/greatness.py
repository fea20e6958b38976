"""`arpad greatness`: the Tournament App on every event of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from arpad.cli.output import FormatOption, OutputOption, emit, say
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
    from typing import Literal

    from arpad.pool.greatness.record import EventRecord

__all__ = ["add_to"]

TOP = 20


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(greatness)


def greatness(
    files: FilesArgument,
    top: Annotated[
        int, typer.Option(help="So many rows of each list; csv and json have all.", min=1)
    ] = TOP,
    first: Annotated[
        int | None, typer.Option("--from", help="Only events of this year and later.")
    ] = None,
    last: Annotated[
        int | None, typer.Option("--to", help="Only events of this year and earlier.")
    ] = None,
    min_games: Annotated[
        int, typer.Option(help="Games of a player whose G-score is listed.", min=1)
    ] = 6,
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
        str | None,
        typer.Option(help="The date of each list, in their order: 2001-07-01,2004-04-01."),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            help="A rating system that walks through the years, for events without ratings."
        ),
    ] = None,
    number_two: Annotated[
        str | None,
        typer.Option(
            help="The world's number two: a rating, or a CSV with year and rating. [the ratings' own]"
        ),
    ] = None,
    repair: Annotated[
        str,
        typer.Option(
            help="Where the fit fails: none, adjusted or corrected (docs/methods/greatness.md)."
        ),
    ] = "none",
    failed: Annotated[
        bool,
        typer.Option("--failed", help="List performances of events that failed the test, too."),
    ] = False,
    incomplete: Annotated[
        bool,
        typer.Option("--incomplete", help="Run events, too, of which not all games are there."),
    ] = False,
    knockouts: Annotated[
        str,
        typer.Option(help="A knock-out is one event, or each of its matches is: event or matches."),
    ] = "event",
    leave_out: Annotated[
        str | None,
        typer.Option(
            help="Pattern of events that do not count; '' for none. [exhibitions, fast play, machines]"
        ),
    ] = None,
    leave_out_players: Annotated[
        str | None,
        typer.Option(
            help="Pattern of players who do not count; '' for none. [teams, NN, programs]"
        ),
    ] = None,
    join: Annotated[bool, typer.Option(help="Join names that look like one person.")] = True,
    names: Annotated[
        str | None, typer.Option(help="CSV with name and person: other spellings.")
    ] = None,
    masters: Annotated[
        bool,
        typer.Option(
            "--masters", help="Births and spellings of the book's lists, for our own ratings."
        ),
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
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Find the greatest performances and the strongest events of a whole database.

    arpad greatness games.parquet --state run.state --chart greatness.png

    arpad greatness events/*.pgn --from 1970 --number-two 2800 --format csv -o great.csv
    """
    from arpad.cli import greatness_shown as shown
    from arpad.cli.greatness_sources import number_twos, rating_lists, rating_sources
    from arpad.cli.progress import progress
    from arpad.pool.greatness.app_rules import AppRules
    from arpad.pool.greatness.group_rules import EVENTS, GroupRules
    from arpad.pool.greatness.run import GreatnessRules, find_greatness
    from arpad.pool.serious import NOBODY
    from arpad.publish.atomic import keep
    from arpad.publish.greatness_state import RunState

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
            join=join, spelled=spelled, knockouts=cast("Literal['event', 'matches']", knockouts),
            fewest_games=min_games,
        ),
        app=AppRules(
            repair=cast("Literal['none', 'adjusted', 'corrected']", repair), least=least,
            fewest_games=min_games, number_two=two, number_twos=by_year,
        ),
        incomplete=incomplete, first=first, last=last,
    )  # fmt: skip
    listed = rating_lists(lists or [], dates)
    kept = RunState(state, rules.app.parameters())
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    keep([*(lists or []), *(f for f in (names, number_two) if f)], "this file was read")
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
    if state is not None:
        keep([state], "the state of the run stands there")
    write_report(reading, report)
    if not any(r.strength is not None for r in found.records):
        say(shown.nothing(found))
    if chart:
        from arpad.publish.chart_style import save
        from arpad.publish.greatness_chart import greatness_chart

        save(greatness_chart(found, failed=failed), chart)
    emit(
        format, output,
        people=lambda: shown.people(found, top, failed=failed),
        rows=lambda: found.strengths(failed=failed) if strengths else found.to_inspect() if inspect
        else found.table(failed=failed),
        document=lambda: {
            "parameters": dict(found.parameters), **reading_document(reading),
            "source": dict(found.source), "verdicts": found.verdicts(), "again": found.again,
            "performances": found.table(failed=failed).to_dicts(),
            "strengths": found.strengths(failed=failed).to_dicts(),
            "inspect": found.to_inspect().to_dicts(),
            "events": [r.as_dict() for r in found.records],
            "left_out": found.left_out.to_dicts(), "left_games": dict(found.left_games),
        },
    )  # fmt: skip
