"""`arpad list diff`: who changed between two lists, by how much, because of which events."""

from __future__ import annotations

from typing import Annotated

import typer

from arpad.cli.ledger_place import opened
from arpad.cli.list_options import CorrectedOption, DbOption, PolicyOption, list_document
from arpad.cli.output import FormatOption, OutputOption, emit

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("diff")(diff)


def diff(
    first: Annotated[str, typer.Argument(metavar="LIST", help="Its name, such as 2026-10.")],
    second: Annotated[str, typer.Argument(metavar="LIST", help="The other one.")],
    policy: PolicyOption = None,
    top: Annotated[int | None, typer.Option(help="Only so many players.", min=1)] = None,
    corrected: CorrectedOption = True,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show who changed from one list to another, by how much, and because of which events.

    arpad list diff 2026-10 2026-11 --policy club
    """
    from arpad.office.making.lists import list_called
    from arpad.office.rules.policies import policy_called
    from arpad.office.showing.list_diff import list_diff

    with opened(db) as ledger, ledger.reading() as connection:
        called = policy_called(connection, policy).name
        one, two = (list_called(connection, called, name) for name in (first, second))
        found = list_diff(connection, one, two, as_published=not corrected)
    shown = found.rows if top is None else found.rows.head(top)

    def people() -> list[object]:
        from arpad.cli.list_table import list_table

        rest = found.rows.height - shown.height
        more = [f"… and {rest:,} more"] if rest else []
        table = [list_table(shown.drop("player_id"))] if shown.height else []
        return [*table, *more, "", found.summary()]

    emit(
        format,
        output,
        people=people,
        rows=lambda: shown,
        document=lambda: {
            "lists": [list_document(one), list_document(two)],
            "players": shown.to_dicts(),
            "shares": found.shares.to_dicts(),
        },
    )
