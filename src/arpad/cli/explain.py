"""`arpad explain`: every event and game behind a player's rating."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.ledger_place import opened
from arpad.cli.list_options import CorrectedOption, DbOption, PolicyOption, list_document
from arpad.cli.output import Format, FormatOption, OutputOption, emit, say
from arpad.cli.reading import (
    ColumnsOption,
    InputFormatOption,
    StrictOption,
    check_any_played,
    read_files,
    reading_document,
)
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.office.showing.explanation import Explanation

    Told = tuple[Explanation, dict[str, object], str]
    """The steps, what JSON says besides, and what the figure is, for people."""

__all__ = ["add_to"]

NO = 1

SHOWN = 20
"""Lines of what does not add up that people see."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command()(explain)


def explain(
    player: Annotated[
        str | None,
        typer.Argument(metavar="PLAYER", help="A name, a part of one, an id, or #NUMBER."),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILES]", help="Games to rate instead of a list of the ledger."),
    ] = None,
    list_name: Annotated[
        str | None, typer.Option("--list", "-l", help="Which list, 2026-11. [the last one]")
    ] = None,
    policy: PolicyOption = None,
    event: Annotated[
        str | None, typer.Option(help="Only events whose name holds this, or #NUMBER.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="DATE|LIST", help="Only from this day, or after this list, on."),
    ] = None,
    corrected: CorrectedOption = True,
    everybody: Annotated[
        bool, typer.Option("--all", help="Check that every figure of the list adds up.")
    ] = False,
    chart: Annotated[
        str | None, typer.Option(help="Draw the rating from list to list, .png or .svg.")
    ] = None,
    system: Annotated[
        str, typer.Option(help="With FILES: the rating system, as in arpad rate.")
    ] = "elo",
    option: Annotated[
        list[str] | None,
        typer.Option(help="With FILES: an option of the system, NAME=VALUE (k=10); repeatable."),
    ] = None,
    before: Annotated[
        str | None, typer.Option(help="With FILES: ratings to start from, as in arpad rate.")
    ] = None,
    columns: ColumnsOption = None,
    input_format: InputFormatOption = None,
    strict: StrictOption = False,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Say how a rating came about: every game with W, W_e, K and the rule, until it adds up.

    arpad explain "Adams, Ann" --list 2026-11

    arpad explain Adams --since 2026-10-01

    arpad explain Adams club-night.trf --system fide

    arpad explain --all --list 2026-11
    """
    from arpad.cli.explain_shown import chosen, explained_document, explained_people

    if everybody:
        if player or event or since or chart:
            raise UsageError("--all looks at a whole list: give --list, --policy and --db only")
        _audit(db, policy, list_name, format, output)
        return
    if player is None:
        raise UsageError("expected a player (arpad explain PLAYER), or --all")

    if files:
        if list_name or policy or not corrected:
            raise UsageError("--list, --policy and --as-published go with a ledger, not with FILES")
        told = _from_files(
            player,
            files,
            system,
            option,
            before,
            columns=columns,
            format=input_format,
            strict=strict,
        )
    else:
        told = _from_ledger(player, db, policy, list_name, since, as_published=not corrected)
    whole, besides, figure = told
    shown = chosen(whole, event=event, since=_day(besides, since))
    if chart is not None:
        _draw(chart, whole, figure)
    emit(
        format,
        output,
        people=lambda: explained_people(shown, figure),
        rows=lambda: shown.steps,
        document=lambda: {**explained_document(shown), **besides},
    )
    if not whole.adds_up:
        say(
            f"the steps lead to {whole.total!r}, the figure is {whole.rating!r}: the ledger was changed by "
            "another program, or is damaged"
        )
        raise typer.Exit(NO)


def _audit(
    db: str | None,
    policy: str | None,
    name: str | None,
    format: Format | None,
    output: str | None,
) -> None:
    """Add up everybody's steps; exit 1 if they are not the figures of the list."""
    from arpad.office.making.lists import list_called
    from arpad.office.rules.policies import policy_called
    from arpad.office.showing.audit import audited
    from arpad.publish.tables import rich_table

    with opened(db) as ledger, ledger.reading() as connection:
        kept = list_called(connection, policy_called(connection, policy).name, name)
        found = audited(connection, kept)
    wrong = found.wrong
    emit(
        format,
        output,
        people=lambda: [
            *([] if found.adds_up else [rich_table(wrong.head(SHOWN))]),
            found.summary(),
        ],
        rows=lambda: wrong,
        document=lambda: {
            "list": list_document(kept),
            **{
                name: getattr(found, name)
                for name in ("adds_up", "figures", "periods", "steps", "games")
            },
            "wrong": wrong.to_dicts(),
        },
    )
    if not found.adds_up:
        raise typer.Exit(NO)


def _from_ledger(
    player: str,
    db: str | None,
    policy: str | None,
    name: str | None,
    since: str | None,
    *,
    as_published: bool,
) -> Told:
    from arpad.office.making.lists import list_called
    from arpad.office.showing.explaining import explained

    with opened(db) as ledger, ledger.reading() as connection:
        found = explained(connection, player, policy=policy, name=name, as_published=as_published)
        after = None
        if since is not None and not _is_day(since):
            after = list_called(connection, found.list.policy, since).closing
    correction = None if found.correction is None else list_document(found.correction)
    besides: dict[str, object] = {"list": list_document(found.list), "correction": correction}
    if after is not None:
        besides["since"] = after
    source = found.correction or found.list
    return found.explanation, besides, source.words


def _from_files(
    player: str,
    files: list[str],
    system: str,
    option: list[str] | None,
    before: str | None,
    *,
    columns: str | None,
    format: str | None,
    strict: bool,
) -> Told:
    from arpad.cli.explain_shown import player_row
    from arpad.cli.system_options import told
    from arpad.office.showing.explanation import explained_games
    from arpad.rate import system as system_called
    from arpad.read import Report, read_list

    rating_system = system_called(system, **told(system, option or []))
    earlier = None if before is None else read_list(before, report=Report(strict=strict))
    reading = read_files(files, columns=columns, format=format, strict=strict)
    check_any_played(reading)
    row = player_row(reading.games, player)
    found = explained_games(rating_system, reading.games, earlier, row)
    besides = {
        "system": system,
        "parameters": rating_system.parameters(),
        **reading_document(reading),
    }
    return found, besides, f"{system}, {', '.join(files)}"


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _day(besides: dict[str, object], since: str | None) -> date | None:
    """Return the first day that is shown; after a list, that is the day after its closing date."""
    from datetime import timedelta

    closing = besides.pop("since", None)
    if isinstance(closing, date):
        return closing + timedelta(days=1)
    if since is not None and not _is_day(since):
        raise UsageError(f"--since: expected a day such as 2026-10-01, found {since!r}")
    return None if since is None else date.fromisoformat(since)


def _draw(path: str, whole: Explanation, figure: str) -> None:
    from arpad.publish.chart_style import save
    from arpad.publish.explain_chart import rating_course

    save(rating_course(whole.course(), title=whole.player, subtitle=figure), path)
