"""The id of a ledger, which no other ledger and no restored copy has, and the last number of an account.

Both belong to the database and not to what the ledger holds: a backup does not carry them over.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.ledger.db.tables import accounts, identity, sessions, tokens, uploads

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


IDENTITY = sa.select(identity.c.value)


def identity_of(connection: Connection) -> str:
    """Return the random id of the ledger."""
    return str(connection.execute(IDENTITY).scalar_one())


def renew_identity(connection: Connection) -> None:
    """Give the ledger another id, end every session and token, and drop uploads: it is another ledger."""
    known = connection.execute(sa.select(identity.c.last_account)).scalar() or 0
    highest = connection.execute(sa.select(sa.func.max(accounts.c.id))).scalar() or 0
    for table in (sessions, tokens, uploads):
        connection.execute(sa.delete(table))
    connection.execute(sa.delete(identity))
    connection.execute(
        identity.insert().values(id=1, value=secrets.token_hex(16), last_account=max(known, highest))
    )


def next_account(connection: Connection) -> int:
    """Return a number that no account has or ever had."""
    t = identity
    highest = connection.execute(sa.select(sa.func.max(accounts.c.id))).scalar() or 0
    number = max(int(connection.execute(sa.select(t.c.last_account)).scalar_one()), highest) + 1
    connection.execute(sa.update(t).values(last_account=number))
    return number
