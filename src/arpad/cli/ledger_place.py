"""``--db``: which ledger a verb works in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arpad.store.ledger.ledger import Ledger

__all__ = ["DbOption", "opened"]

DbOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="PLACE",
        help="The ledger: a file (SQLite), or postgresql://user@host/database. [$ARPAD_DB, else arpad.db]",
    ),
]
"""Give it to `Ledger.open` as it is: None means ``ARPAD_DB``, else ``arpad.db`` in this folder."""


def opened(db: str | None, *, create: bool = False) -> Ledger:
    """Open the ledger that ``--db`` names; who must wait for another writer is told so."""
    from arpad.cli.output import say
    from arpad.store.ledger.ledger import Ledger

    return Ledger.open(db, create=create, on_wait=say)
