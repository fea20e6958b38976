"""`arpad event`: one event file to its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

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
    from arpad.event.verdict import Verdict
    from arpad.publish.page import Section

__all__ = ["add_to"]

DIGITS = {"rating": 0, "after": 0, "performance": 0, "performance_error": 0, "change": 0}
TIE_BREAKS = ("direct", "wins", "sonneborn_berger", "buchholz_cut", "buchholz", "progressive")
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
AFTER = ("after", "status")
STATE = ("after_error", "total_games")
"""For programs: what a system keeps of a player after the event."""


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
            help="fide: today, 2025-10, 2024-03, 2022-01 or 2014-07. [today]",
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
    html: Annotated[str | None, typer.Option(help="Write a report for the browser, .html.")] = None,
    pdf: Annotated[str | None, typer.Option(help="Write the same to print, .pdf.")] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    report: ReportOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Report on one event: crosstable, standings, performances, rating changes.

    arpad event open.trf

    arpad event LondonClassic2011.pgn --html london.html --pdf london.pdf

    arpad event crosstable.csv --system uscf1994 --before list.csv
    """
    from arpad.cli.system_options import told
    from arpad.event.performance import Method
    from arpad.event.report import report as make
    from arpad.rate import system as system_called
    from arpad.read import read_list

    if method not in get_args(Method):
        raise UsageError(
            f"--method: expected one of {', '.join(get_args(Method))}; found {method!r}"
        )
    options = told(system, option or []) | ({} if rules is None else {"rules": rules})
    chosen = system_called(system, **options)
    earlier = None if before is None else read_list(before)
    reading = read_files(files, columns=columns, format=input_format, strict=strict)
    check_any_played(reading, forfeits=True)
    found = make(reading.games, method=cast("Method", method), system=chosen, before=earlier)
    even = made(reading.games, handicap, scratch, found.method)
    write_report(reading, report)
    if len(reading.games.events) > 1:
        say(f"{len(reading.games.events)} events are reported as one")
    for words in found.notes:
        say(words)
    if html is not None or pdf is not None:
        _write_pages(_page(found, section(even)), html, pdf)

    def people() -> list[object]:
        from arpad.publish.tables import fitted, rich_table

        standings = _standings(found)
        square = fitted(found.crosstable.table(), width(), DIGITS)
        return [
            found.summary(), "",
            rich_table(square, title="Crosstable", digits=DIGITS), "",
            rich_table(fitted(standings, width(), DIGITS), title="Standings", digits=DIGITS), "",
            f"Performance: {method}, ± one standard deviation; W_e and change by {_system_words(found)}.",
            *_forfeits(found),
            *_norm_line(found),
            *parts(even),
        ]  # fmt: skip

    emit(
        format,
        output,
        people=people,
        rows=lambda: found.players,
        document=lambda: _document(found) | document(even) | reading_document(reading),
    )


def _standings(found: EventReport) -> pl.DataFrame:
    shown = found.table()
    wanted = SHOWN if found.system == "fide" else (*SHOWN, *AFTER)
    return shown.select(c for c in wanted if c in shown.columns)


def _system_words(found: EventReport) -> str:
    """Say by which system the expected scores and changes are."""
    if found.system == "fide":
        return f"FIDE's rules of {found.parameters['rules']}"
    return f"the system {found.system}"


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


def _document(found: EventReport) -> dict[str, object]:
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
        "notes": list(found.notes),
        "players": found.players.to_dicts(),
        "crosstable": found.crosstable.rows.to_dicts(),
        "norms": None if found.norms is None else [norm_document(v) for v in found.norms],
    }


def _write_pages(page: str, html: str | None, pdf: str | None) -> None:
    from arpad.publish.atomic import write_text
    from arpad.publish.pdf import write_pdf

    if html is not None:
        write_text(html, page)
    if pdf is not None:
        write_pdf(pdf, page)


def _page(found: EventReport, more: list[Section]) -> str:
    from arpad.publish.page import Section, page

    words = (
        f"Performance ratings: {found.method}, with one standard deviation. Expected scores and changes "
        f"by {_system_words(found)}."
    )
    rows = found.table().drop(*AFTER, *STATE, strict=False)
    if found.system != "fide":
        rows = found.table().drop(STATE, strict=False)
    breaks = rows.select("rank", "name", "points", *(c for c in TIE_BREAKS if c in rows.columns))
    sections = [
        Section("Crosstable", table=found.crosstable.table(), digits=DIGITS),
        Section("Standings", table=rows.drop(TIE_BREAKS, strict=False), words=words, digits=DIGITS),
        Section(
            "Tie-breaks",
            table=breaks,
            words="In the order in which they decide; byes and forfeits count only for the progressive score.",
        ),
        *more,
    ]
    if found.norms is not None:
        sections.append(_norm_section(found.norms))
    subtitle = found.summary().removeprefix(f"{found.name}: ")
    return page(found.name, subtitle[:1].upper() + subtitle[1:], sections)


def _norm_section(made: tuple[Verdict, ...]) -> Section:
    from arpad.cli.norm_views import norm_table
    from arpad.publish.page import Section

    if not made:
        return Section("Norms", words="Nobody made a title norm.")
    table = norm_table([("", v) for v in made])
    words = f"By FIDE's title regulations of {made[0].rules}; enough: the points that would have sufficed."
    return Section("Norms", table=table, words=words, digits={"enough": 1})
