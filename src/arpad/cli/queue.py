"""`arpad queue`: what waits for a decision, and settling it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from arpad.cli import queue_check
from arpad.cli.ledger_place import DbOption, opened
from arpad.cli.output import FormatOption, OutputOption, emit

__all__ = ["add_to"]

SHOWN = 50
"""Doubts that are listed unless more are asked for."""


class Kind(StrEnum):
    """What is doubtful."""

    player = "player"
    event = "event"
    fit = "fit"
    norm = "norm"


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    verbs = typer.Typer(
        name="queue",
        help="What waits for a decision: doubtful players, changed reports, fits, norms.",
        invoke_without_command=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    verbs.callback()(show)
    verbs.command(name="settle")(settle)
    queue_check.add_to(verbs)
    app.add_typer(verbs)


def show(
    context: typer.Context,
    db: DbOption = None,
    kind: Annotated[Kind | None, typer.Option(help="Only these.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also what was settled.")] = False,
    top: Annotated[int, typer.Option(min=0, help="How many; 0 is all.")] = SHOWN,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """List what waits for a decision, oldest first, with candidates and scores."""
    if context.invoked_subcommand is not None:
        return
    from arpad.office.deciding.queue import queue
    from arpad.publish.tables import rich_table

    with opened(db) as ledger, ledger.reading() as connection:
        found = queue(
            connection,
            kind=None if kind is None else kind.value,
            settled=every,
            limit=top or None,
        )

    def people() -> list[object]:
        import polars as pl

        parts: list[object] = [found.summary()]
        if found.doubts:
            table = found.table()
            parts.append(rich_table(table.rename({"number": "no.", "score": "match"})))
            kinds = dict.fromkeys(table["kind"].to_list())
            answers = {d.kind: d.answers() for d in found.doubts}
            parts += [
                f"{kind}: arpad queue settle NO. --choose X --why …, X is {answers[kind]}"
                for kind in kinds
            ]
            rest = table.select(pl.col("number").n_unique()).item()
            if rest < sum(found.waiting.values()) and top == rest:
                parts.append(f"({rest} shown; --top 0 shows all)")
        return parts

    emit(
        format,
        output,
        people=people,
        rows=found.table,
        document=lambda: {
            "waiting": dict(found.waiting),
            "doubts": [doubt.as_dict() for doubt in found.doubts],
        },
    )


def settle(
    number: Annotated[int, typer.Argument(help="Which: its number in arpad queue.")],
    choose: Annotated[
        str,
        typer.Option(
            help="A player: the number of the one it is, or new. A changed report: replace, add or leave. A fit: leave, adjust, correct or exclude. A norm: grant or leave."
        ),
    ],
    why: Annotated[str, typer.Option(help="The reason: it stands in arpad log.")],
    db: DbOption = None,
    who: Annotated[str | None, typer.Option(help="Who decides. [the user's name]")] = None,
    policy: Annotated[
        str | None, typer.Option(help="Whose ratings are adjusted or corrected. [every policy's]")
    ] = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Settle one of them: a decision, which arpad log keeps and which can be undone."""
    import polars as pl

    from arpad.office.deciding.settling import settle as settled

    with opened(db) as ledger, ledger.writing(who, why) as connection:
        decision = settled(connection, number, choose, policy=policy)
    row = {
        "doubt": number,
        "decision": decision.id,
        "kind": decision.kind,
        "subject": decision.subject,
        "words": decision.words(),
        "who": decision.who,
        "why": decision.why,
    }
    emit(
        format,
        output,
        people=lambda: [f"decision {decision.summary()}"],
        rows=lambda: pl.DataFrame([row]),
        document=lambda: row,
    )
