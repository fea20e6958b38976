"""`arpad list make`: a draft from what the ledger holds, and what it says of published lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arpad.cli.ledger_place import opened
from arpad.cli.list_options import (
    DbOption,
    NameArgument,
    PolicyOption,
    WhoOption,
    day_given,
    list_document,
)
from arpad.cli.output import FormatOption, OutputOption, emit

if TYPE_CHECKING:
    from arpad.office.making.corrections import Correction
    from arpad.office.making.list_making import Made

__all__ = ["add_to"]

SHOWN = 20
"""Lines of a list, and of a correction, that are shown when it is made."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("make")(make)


def make(
    name: NameArgument = None,
    policy: PolicyOption = None,
    closing: Annotated[
        str | None, typer.Option(metavar="DATE", help="The list that closes on this day instead.")
    ] = None,
    top: Annotated[int, typer.Option(help="Players to show.", min=0)] = SHOWN,
    db: DbOption = None,
    who: WhoOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Make a draft of a list; the next making replaces it.

    Without a name: the list of the period in which the last event ended. Published lists are compared with
    what they would be now; the figures that differ, each with its cause, are kept as proposed corrections.

    arpad list make 2026-11 --policy club
    """
    from arpad.cli.progress import progress
    from arpad.office.making.list_making import make_list

    day = day_given(closing, "--closing")
    with opened(db) as ledger, progress("periods") as tell:
        made = make_list(ledger, policy=policy, name=name, closing=day, who=who, progress=tell)
    emit(
        format,
        output,
        people=lambda: _people(made, top),
        rows=lambda: made.entries,
        document=lambda: _document(made),
    )


def _people(made: Made, top: int) -> list[object]:
    from arpad.cli.list_table import list_table

    listed = made.entries.filter(made.entries["rank"].is_not_null()).drop("player_id")
    shown = listed.head(top)
    rest = listed.height - shown.height
    parts: list[object] = [list_table(shown)] if shown.height else []
    parts += [f"… and {rest:,} more"] if rest and top else []
    for correction in made.corrections:
        parts += ["", correction.summary(), _table(correction)]
        more = correction.rows.height - SHOWN
        parts += [f"… and {more:,} more (arpad list show {correction.published.name} --correction)"] if more > 0 else []  # fmt: skip
    return [*parts, "", made.summary()]


def _table(correction: Correction) -> object:
    from arpad.cli.list_table import list_table

    rows = correction.rows.head(SHOWN)
    return list_table(rows.select("name", "published", "rating", "difference", "cause"))


def _document(made: Made) -> dict[str, Any]:
    return {
        "list": list_document(made.draft),
        "periods": made.periods,
        "computed": made.computed,
        "left_out": {n: getattr(made.left_out, n) for n in made.left_out.__slots__},
        "entries": made.entries.to_dicts(),
        "corrections": [
            {
                **list_document(each.published),
                "because": each.changed.summary(),
                "figures": each.rows.to_dicts(),
            }
            for each in made.corrections
        ],
    }
