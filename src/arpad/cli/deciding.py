"""What every verb that decides something shares: who, why, and what is shown of the decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arpad.cli.ledger_place import opened
from arpad.cli.output import emit, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection

    from arpad.cli.output import Format
    from arpad.office.deciding.decisions import Decision

__all__ = ["WhoOption", "WhyOption", "day_given", "decided", "decision_document", "group"]

WhyOption = Annotated[
    str, typer.Option("--why", help="The reason: it stays in the log (arpad log).", metavar="TEXT")
]
WhoOption = Annotated[
    str | None, typer.Option("--who", help="Who decides. [the user's name]", metavar="NAME")
]


def group(name: str, help: str) -> typer.Typer:
    """Return an empty group of verbs."""
    return typer.Typer(
        name=name,
        help=help,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def decided(
    db: str | None,
    who: str | None,
    why: str,
    verb: Callable[[Connection], Decision],
    *,
    format: Format | None,
    output: str | None,
) -> None:
    """Take a decision in a transaction of its own and show it."""
    import polars as pl

    with opened(db) as ledger, ledger.writing(who, why) as connection:
        found = verb(connection)
    for note in found.facts.get("notes", ()):
        say(f"mind: {note}")
    emit(
        format,
        output,
        people=lambda: [
            f"decision {found.summary()}",
            f"(arpad log undo {found.id} takes it back)",
        ],
        rows=lambda: pl.DataFrame([_row(found)], schema_overrides=_KINDS()),
        document=lambda: decision_document(found),
    )


def decision_document(found: Decision) -> dict[str, Any]:
    """Return a decision as JSON has it."""
    from arpad.office.deciding.changes import documents

    before, after = documents(found.changes)
    rest = {k: v for k, v in found.facts.items() if k not in ("words", "about")}
    return {
        **_row(found),
        "about": list(found.about()),
        "facts": rest,
        "before": before,
        "after": after,
    }


def _row(found: Decision) -> dict[str, Any]:
    return {
        "id": found.id,
        "when": f"{found.when:%Y-%m-%dT%H:%M:%SZ}",
        "who": found.who,
        "kind": found.kind,
        "subject": found.subject,
        "what": found.words(),
        "why": found.why,
        "undoes": found.undoes,
        "undone_by": found.undone_by,
    }


def _KINDS() -> dict[str, Any]:
    import polars as pl

    return {"undoes": pl.Int64, "undone_by": pl.Int64}


def day_given(text: str | None, option: str) -> Any:
    """Return a day from `2026-11-30`; None stays None."""
    from datetime import date

    from arpad.errors import UsageError

    if text is None:
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{option}: expected a day as YYYY-MM-DD, found {text!r}") from None
