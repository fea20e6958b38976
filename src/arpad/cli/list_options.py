"""Options that the verbs of `arpad list` share, and what is said of a list."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arpad.cli.ledger_place import DbOption
from arpad.errors import UsageError

if TYPE_CHECKING:
    from arpad.office.making.lists import KeptList

__all__ = [
    "CorrectedOption",
    "DbOption",
    "NameArgument",
    "PolicyOption",
    "WhoOption",
    "day_given",
    "list_document",
]

PolicyOption = Annotated[
    str | None,
    typer.Option("--policy", "-p", help="The policy; needed where the ledger has several."),
]
NameArgument = Annotated[
    str | None, typer.Argument(metavar="[LIST]", help="Its name, such as 2026-11.")
]
CorrectedOption = Annotated[
    bool,
    typer.Option(
        "--corrected/--as-published",
        help="With the corrections published since, or as it was first published.",
    ),
]
WhoOption = Annotated[str | None, typer.Option("--who", help="Who does it. [the name of the user]")]


def day_given(text: str | None, option: str) -> date | None:
    """Return a day of the command line."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{option}: expected a day such as 2026-10-31, found {text!r}") from None


def list_document(kept: KeptList) -> dict[str, Any]:
    """Return what JSON says of a list itself."""
    return {
        "name": kept.name,
        "policy": kept.policy,
        "version": kept.version,
        "state": kept.state,
        "correction": kept.number or None,
        "closing": kept.closing,
        "effective": kept.effective,
        "published": kept.published,
        "published_by": kept.published_by,
    }
