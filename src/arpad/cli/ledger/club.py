"""`arpad club month`: the monthly job of a club's secretary in one command."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.ledger.imports import TimeControl
from arpad.cli.ledger.imports import people as import_people
from arpad.cli.ledger.list_making import SHOWN, correction_parts
from arpad.cli.ledger.options import (
    ClubOption,
    DbOption,
    ListOptionsWhoOption,
    LogoOption,
    PolicyOption,
    TitleOption,
    group,
    list_table,
    opened,
)
from arpad.cli.options import ColumnsOption, DatesOption, LanguageOption, SheetOption, column_mapping
from arpad.cli.output import Format, FormatOption, OutputOption, emit, explain_report, say

if TYPE_CHECKING:
    from arpad.publish.club_month import ClubMonth


NAMED = 5
"""Doubts that the last line names."""


def add_club(app: typer.Typer) -> None:
    """Register the verb."""
    club = group("club", "The monthly job of a club in one command.")
    club.command("month")(month)
    club.callback()(_group)
    app.add_typer(club)


def _group() -> None:
    """Keep `month` a command of its own."""


def month(
    files: Annotated[list[str], typer.Argument(help="The month's events, in any format.", metavar="FILES")],
    name: Annotated[
        str | None, typer.Option("--list", metavar="LIST", help="The list. [that of the last event]")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Publish without asking, for scripts.")] = False,
    folder: Annotated[str, typer.Option(metavar="DIR", help="Where the page and the PDF go.")] = ".",
    club: ClubOption = "",
    title: TitleOption = "",
    logo: LogoOption = None,
    language: LanguageOption = "en",
    policy: PolicyOption = None,
    time_control: Annotated[
        TimeControl | None, typer.Option(help="Of every event. [as each report says, else standard]")
    ] = None,
    event_name: Annotated[str | None, typer.Option(help="Name of the only event in the file.")] = None,
    accept_skipped: Annotated[
        bool, typer.Option("--accept-skipped", help="Enter a file although games in it are skipped.")
    ] = False,
    columns: ColumnsOption = None,
    dates: DatesOption = None,
    sheet: SheetOption = None,
    db: DbOption = None,
    who: ListOptionsWhoOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Import a month's events, make the list, show what changed, ask, publish, write page and PDF.

    Names in doubt come first: settle them (arpad queue), then give the command again. Exit 1: not published.

    arpad club month october.xlsx --club "Chess Club" --logo logo.png --language de
    """
    from arpad.cli.ledger.imports import import_failures
    from arpad.ledger.imports.staging import Settings
    from arpad.publish.club_month import club_month
    from arpad.publish.language import Letterhead

    head = Letterhead.of(club=club, title=title, logo=logo, language=language)
    at_once = format in (None, Format.table) and output is None

    def show(found: ClubMonth) -> None:
        for one in found.imported:
            explain_report(one.report)
        if at_once:
            emit(
                format, output, people=lambda: _people(found), rows=lambda: found.made.entries, document=dict
            )

    def agree(found: ClubMonth) -> bool:
        show(found)
        return yes or _asked(f"Publish {found.made.draft.name}?")

    with opened(db) as ledger, import_failures():
        done = club_month(
            ledger,
            files,
            agree=agree,
            folder=folder,
            letterhead=head,
            policy=policy,
            name=name,
            who=who,
            settings=Settings(
                time_control=None if time_control is None else time_control.value, event_name=event_name
            ),
            columns=column_mapping(columns),
            dates=None if dates is None else dates.value,
            sheet=sheet,
            accept_skipped=accept_skipped,
        )
    if done.doubts or not done.to_publish:
        show(done)
    if not at_once:
        emit(
            format,
            output,
            people=lambda: _people(done),
            rows=lambda: done.made.entries,
            document=done.to_dict,
        )
    _tell(done, typer.echo if at_once else say)
    if not done.files:
        raise typer.Exit(1)


def _asked(question: str) -> bool:
    """Ask at the terminal; where nobody answers it is no."""
    sys.stdout.flush()
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        return False


def _people(found: ClubMonth) -> list[object]:
    """Return the imports, the list, and what changed since the last published one."""
    listed = found.made.entries.filter(found.made.entries["rank"].is_not_null()).drop("player_id")
    parts: list[object] = [*import_people(found.imported, dry_run=False), ""]
    parts += [list_table(listed.head(SHOWN))] if listed.height else []
    parts += [f"… and {listed.height - SHOWN:,} more"] if listed.height > SHOWN else []
    if found.diff is not None and found.diff.rows.height:
        changed = found.diff.rows.drop("player_id")
        parts += ["", f"Since {found.diff.first.name}:", list_table(changed.head(SHOWN))]
        parts += [f"… and {changed.height - SHOWN:,} more"] if changed.height > SHOWN else []
    return [*parts, *correction_parts(found.made.corrections), "", found.made.summary()]


def _tell(done: ClubMonth, tell: object) -> None:
    """Say what was published and written, or why nothing was."""
    name = done.made.draft.name
    if done.doubts:
        more = f" and {len(done.doubts) - NAMED:,} more" if len(done.doubts) > NAMED else ""
        lines = [
            f"{name} is not published yet. Settle first: {'; '.join(done.doubts[:NAMED])}{more}",
            "(arpad queue shows them, arpad queue settle N decides; then give the same command again)",
        ]
    elif not done.files:
        lines = [f"{name} stays a draft: arpad list publish {name} publishes it"]
    else:
        lines = [done.published.summary() if done.published else f"{name} is published already"]
        lines += [f"written: {', '.join(done.files)}", *(f"  {note}" for note in done.notes)]
    for line in lines:
        tell(line)  # type: ignore[operator]
