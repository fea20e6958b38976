"""`arpad queue check`: inspect events and put what somebody ought to look at into the queue."""

from __future__ import annotations

from typing import Annotated

import typer

from arpad.cli.ledger_place import DbOption, opened
from arpad.cli.output import FormatOption, OutputOption, emit

__all__ = ["add_to"]


def add_to(group: typer.Typer) -> None:
    """Register the verb."""
    group.command()(check)


def check(
    event: Annotated[
        list[str] | None, typer.Argument(help="Only these events.", metavar="[EVENTS]")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Only fit (results and ratings) or norm (one requirement).")
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help="Whose lists give ratings that reports do not.")
    ] = None,
    db: DbOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Look for events whose results do not fit the ratings, and norms that lack one requirement.

    An event is looked at once for what counts in it; when that changes, again.
    """
    import polars as pl

    from arpad.errors import UsageError
    from arpad.office.deciding.manual_ratings import check_policy
    from arpad.office.deciding.subjects import event_called
    from arpad.office.records.doubts import doubt
    from arpad.office.verdicts.inspecting import check_events

    if kind not in (None, "fit", "norm"):
        raise UsageError(f"--kind: expected fit or norm, found {kind!r}")
    with opened(db) as ledger:
        with ledger.reading() as connection:
            check_policy(connection, policy)
            numbers = [event_called(connection, e).id for e in event] if event else None
        new = check_events(
            ledger, numbers, policy=policy, kinds=("fit", "norm") if kind is None else (kind,)
        )
        with ledger.reading() as connection:
            found = [doubt(connection, number) for number in new]
    rows = [
        {
            "number": d.id,
            "kind": d.kind,
            "about": d.about,
            "event": d.event_id,
            "player": d.player_id,
            "reason": d.document.get("reason"),
        }
        for d in found
    ]
    emit(
        format,
        output,
        people=lambda: [d.summary() for d in found] or ["nothing new to look at"],
        rows=lambda: pl.DataFrame(
            rows,
            schema={
                "number": pl.Int64, "kind": pl.String, "about": pl.String, "event": pl.Int64,
                "player": pl.Int64, "reason": pl.String,
            },
        ),
        document=lambda: {"opened": rows},
    )  # fmt: skip
