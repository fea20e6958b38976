"""``--db``: which ledger a verb works in."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["DbOption"]

DbOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="PLACE",
        help="The ledger: a file (SQLite), or postgresql://user@host/database. [$ARPAD_DB, else arpad.db]",
    ),
]
"""Give it to `Ledger.open` as it is: None means ``ARPAD_DB``, else ``arpad.db`` in this folder."""
