"""`arpad log`: every decision, by whom, when and why; and taking one back."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from arpad.cli.deciding import WhoOption, WhyOption, decided
from arpad.cli.ledger_place import DbOption, opened
from arpad.cli.output import FormatOption, OutputOption, emit

if TYPE_CHECKING:
    import polars as pl
    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision

__all__ = ["add_to"]

SHOWN = 50
"""Decisions that are shown unless more are asked for."""


class Kind(StrEnum):
    """What was decided."""

    correct = "correct"
    merge = "merge"
    unmerge = "unmerge"
    match = "match"
    exclude = "exclude"
    include = "include"
    rating = "rating"
    repair = "repair"
    report = "report"
    norm = "norm"
    settle = "settle"
    undo = "undo"


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    verbs = typer.Typer(
        name="log",
        help="Every decision, by whom, when and why; and taking one back.",
        invoke_without_command=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    verbs.callback()(log)
    verbs.command(name="undo")(undo)
    app.add_typer(verbs)


def log(
    context: typer.Context,
    about: Annotated[
        list[str] | None,
        typer.Option(help="Only what is about this player or event: #12, a name, 'event 3'."),
    ] = None,
    kind: Annotated[Kind | None, typer.Option(help="Only decisions of this kind.")] = None,
    top: Annotated[int, typer.Option(min=0, help="The newest so many; 0 is all.")] = SHOWN,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Show the decisions, newest last.

    arpad log --about 'Ahmed, Anna'

    arpad log undo 7 --why 'it was another Ahmed'
    """
    if context.invoked_subcommand is not None:
        return
    from arpad.cli.deciding import decision_document
    from arpad.office.deciding.decisions import decisions

    with opened(db) as ledger, ledger.reading() as connection:
        subjects = [s for text in about or () for s in _subjects(connection, text)]
        found = decisions(connection, about=subjects, kind=None if kind is None else kind.value)
    whole = len(found)
    shown = found[-top:] if top else found

    def people() -> list[object]:
        if not shown:
            return ["nothing was decided yet" if not (about or kind) else "no such decision"]
        parts: list[object] = [d.summary() for d in shown]
        if whole > len(shown):
            parts.append(f"({whole - len(shown)} older ones: --top 0 shows all)")
        return parts

    emit(
        format,
        output,
        people=people,
        rows=lambda: _table(shown),
        document=lambda: {"decisions": [decision_document(d) for d in shown], "total": whole},
    )


def undo(
    number: Annotated[int, typer.Argument(help="The number of the decision, as arpad log has it.")],
    why: WhyOption,
    who: WhoOption = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Take a decision back; an undo can be undone, too."""
    from arpad.office.deciding import decisions

    decided(db, who, why, lambda c: decisions.undo(c, number), format=format, output=output)


def _subjects(connection: Connection, text: str) -> list[str]:
    """Return what somebody means: a player, with all that were merged into him, or an event."""
    from arpad.errors import UsageError
    from arpad.office.deciding.subjects import event_called, person_called
    from arpad.office.deciding.touched import persons
    from arpad.store.ledger.column_types import row_number

    word, _, rest = text.strip().partition(" ")
    if word.lower() in ("event", "game", "player") and rest.strip("# ").isdigit():
        number = int(rest.strip("# "))
        if word.lower() == "player":
            return [f"player {p}" for p in persons(connection, [row_number(number)])]
        return [f"{word.lower()} {number}"]
    try:
        who = person_called(connection, text)
    except UsageError as error:
        if "nobody called" not in str(error):
            raise
        try:
            return [event_called(connection, text).subject]
        except UsageError:
            raise UsageError(
                f"--about: expected a player or an event of the ledger, found neither called {text!r}"
            ) from None
    return [f"player {p}" for p in persons(connection, [who.id])]


def _table(found: list[Decision]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        {
            "no.": [d.id for d in found],
            "when": [f"{d.when:%Y-%m-%d %H:%M}" for d in found],
            "who": [d.who for d in found],
            "kind": [d.kind for d in found],
            "subject": [d.subject for d in found],
            "what": [d.words() for d in found],
            "why": [d.why for d in found],
            "undoes": [d.undoes for d in found],
            "undone by": [d.undone_by for d in found],
        },
        schema_overrides={"no.": pl.Int64, "undoes": pl.Int64, "undone by": pl.Int64},
    )
