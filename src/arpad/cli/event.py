"""`arpad event`: one event file to its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from arpad.cli.event_app_options import (
    ChartOption,
    ConditionsOption,
    FitOption,
    ListOption,
    NumberTwoOption,
    OnlyOption,
    PressureOption,
    ReasonOption,
    RepairNumberTwoOption,
    RepairOption,
    RepairPlayersOption,
    TieBreakOption,
    app_options,
)
from arpad.cli.event_app_options import only as chosen_event
from arpad.cli.event_handicap import document, made, parts, section
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
from arpad.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from arpad.event.performance import Method
    from arpad.event.report import EventReport

__all__ = ["add_to"]

PRA_LEVEL = (
    "Who is level on points stands in the order of performance by P-Zero, then of G-scores (PRA)"
)
SHOWN = (
    "rank",
    "name",
    "rating",
    "points",
    "games",
    "performance",
    "performance_error",
    "score",
    "expected",
    "change",
)


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(event)


def event(
    files: FilesArgument,
    method: Annotated[
        str,
        typer.Option(
            help="Of performance ratings: exact, table, normal, linear, small-sample, uscf1994."
        ),
    ] = "exact",
    system: Annotated[
        str,
        typer.Option(
            help="The rating system for W_e and changes: fide, uscf1994, uscf1993, elo, … as arpad rate has it."
        ),
    ] = "fide",
    rules: Annotated[
        str | None,
        typer.Option(
            help="fide: today, 2025-10, 2024-03, 2022-01, 2014-07; rapid is for rapid and blitz. [today]",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            help="Anything else of the system, NAME=VALUE (provisional=greater); repeatable."
        ),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(help="Ratings before the event: a FIDE list, or CSV with player and rating."),
    ] = None,
    handicap: Annotated[
        str | None,
        typer.Option(
            help="Standings with handicaps too: auto, brasket, expected, round-robin or swiss."
        ),
    ] = None,
    scratch: Annotated[
        str | None,
        typer.Option(help="For --handicap, who gets nothing: a rating, top or top-three."),
    ] = None,
    only: OnlyOption = None,
    tie_break: TieBreakOption = "usual",
    fit: FitOption = False,
    number_two: NumberTwoOption = None,
    list_: ListOption = None,
    repair: RepairOption = None,
    repair_players: RepairPlayersOption = None,
    repair_number_two: RepairNumberTwoOption = None,
    pressure: PressureOption = False,
    reason: ReasonOption = None,
    conditions: ConditionsOption = "auto",
    chart: ChartOption = None,
    html: Annotated[str | None, typer.Option(help="Write a report for the browser, .html.")] = None,
    pdf: Annotated[str | None, typer.Option(help="Write the same to print, .pdf.")] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Report on one event: crosstable, standings, performances, rating changes, fit of the ratings.

    arpad event open.trf

    arpad event LondonClassic2011.pgn --html london.html --pdf london.pdf

    arpad event crosstable.csv --system uscf1994 --before list.csv

    arpad event LasPalmas1996.pgn --fit --number-two 2775 --chart fit.png
    """
    from arpad.cli.event_app import run_app
    from arpad.cli.event_app_document import app_document, with_app
    from arpad.cli.event_app_views import app_chart, app_parts, app_sections
    from arpad.cli.event_page import DIGITS, event_page, system_words, write_pages
    from arpad.cli.system_options import told
    from arpad.event.performance import Method
    from arpad.event.report import report as make
    from arpad.event.report import with_ratings
    from arpad.rate import system as system_called
    from arpad.read import read_list

    if method not in get_args(Method):
        raise UsageError(
            f"--method: expected one of {', '.join(get_args(Method))}; found {method!r}"
        )
    options = told(system, option or []) | ({} if rules is None else {"rules": rules})
    chosen = system_called(system, **options)
    earlier = None if before is None else read_list(before)
    told_app = app_options(
        number_two=number_two,
        lists=list_,
        repair=repair,
        players=repair_players,
        moved_two=repair_number_two,
        pressure=pressure,
        reason=reason,
        conditions=conditions,
        tie_break=tie_break,
        full=fit,
    )
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    check_any_played(reading, forfeits=True)
    games = chosen_event(reading.games, only)
    apps = run_app(games, told_app, earlier)
    places = apps.single.places() if apps.single is not None and told_app.pra_tie_break else None
    found = make(games, method=cast("Method", method), system=chosen, before=earlier, places=places)
    level = PRA_LEVEL if places is not None else ""
    own = dict(zip(found.rows, found.players["rating"], strict=True))
    even = made(games if earlier is None else with_ratings(games, own), handicap, scratch, found.method)  # fmt: skip
    write_report(reading, report)
    if len(games.events) > 1:
        say(f"{len(games.events)} events are reported as one; --only NAME reports on one of them")
    for words in found.notes:
        say(words)
    app_chart(apps, chart)
    if html is not None or pdf is not None:
        page = event_page(found, [*app_sections(apps), *section(even)], level=level)
        write_pages(page, html, pdf)

    def people() -> list[object]:
        from arpad.publish.tables import fitted, rich_table

        standings = _standings(found)
        square = fitted(found.crosstable.table(), width(), DIGITS)
        return [
            found.summary(), "",
            rich_table(square, title="Crosstable", digits=DIGITS), "",
            rich_table(fitted(standings, width(), DIGITS), title="Standings", digits=DIGITS), "",
            f"Performance: {method}, ± one standard deviation; W_e and change by {system_words(found)}.",
            *([f"{level}."] if level else []),
            *_forfeits(found),
            *_norm_line(found),
            *parts(even),
            *app_parts(apps),
        ]  # fmt: skip

    emit(
        format,
        output,
        people=people,
        rows=lambda: with_app(found, apps),
        document=lambda: (
            _document(found, with_app(found, apps), app_document(apps))
            | document(even)
            | reading_document(reading)
        ),
    )


def _standings(found: EventReport) -> pl.DataFrame:
    from arpad.cli.event_page import AFTER

    shown = found.table()
    wanted = SHOWN if found.system == "fide" else (*SHOWN, *AFTER)
    return shown.select(c for c in wanted if c in shown.columns)


def _norm_line(found: EventReport) -> list[object]:
    """Return the norms on one line; nothing where nobody can know."""
    if found.norms is None:
        return []
    made = ", ".join(f"{v.player} {v.title} ({v.score:g}/{v.games})" for v in found.norms)
    return [f"Norms: {made or 'nobody made one'} (arpad norms says why)."]


def _forfeits(found: EventReport) -> list[str]:
    """Say what the marks of forfeits mean, where there are some."""
    rows = found.crosstable.rows
    cells = [
        str(v)
        for c in rows.columns
        if str(rows.schema[c]) == "String" and c != "player"
        for v in rows[c]
    ]
    if found.crosstable.square:
        return ["* by forfeit."] if any("*" in c for c in cells) else []
    marked = any(c.startswith(("+", "-")) or ", +" in c or ", -" in c for c in cells)
    return ["+n and -n: won and lost by forfeit against number n."] if marked else []


def _document(
    found: EventReport, players: pl.DataFrame, app: dict[str, object]
) -> dict[str, object]:
    from arpad.cli.norm_views import norm_document

    return {
        "event": found.name,
        "site": found.site,
        "kind": found.kind,
        "games": found.games,
        "average": found.average,
        "category": found.category,
        "system": found.system,
        "parameters": found.parameters,
        **app,
        "notes": [*found.notes, *cast("list[str]", app["notes"])],
        "players": players.to_dicts(),
        "crosstable": found.crosstable.rows.to_dicts(),
        "norms": None if found.norms is None else [norm_document(v) for v in found.norms],
    }
