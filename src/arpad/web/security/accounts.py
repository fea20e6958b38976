"""Accounts: who may look, and who may decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import insert
from arpad.store.ledger.column_types import now
from arpad.web.security.passwords import hashed

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

__all__ = [
    "Account", "Role", "account_called", "account_numbered", "accounts", "add_account", "change_password",
    "change_role", "password_of", "remove_account", "sign_out_everywhere",
]  # fmt: skip

Role = Literal["viewer", "administrator"]

LONGEST = 100
"""Characters of a name: it stands in the log beside every decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody who can sign in."""

    id: int
    name: str
    role: Role
    epoch: int
    """A session of an earlier epoch is over."""
    created: datetime


def accounts(connection: Connection) -> list[Account]:
    """Return everybody who can sign in, by name."""
    return [_of(row) for row in connection.execute(_query().order_by(tables.accounts.c.name))]


def account_called(connection: Connection, name: str) -> Account | None:
    """Return somebody's account."""
    return _one(connection, tables.accounts.c.name == name)


def account_numbered(connection: Connection, number: int) -> Account | None:
    """Return the account of a number."""
    return _one(connection, tables.accounts.c.id == number)


def password_of(connection: Connection, name: str) -> str | None:
    """Return the hash of somebody's password."""
    t = tables.accounts.c
    return connection.execute(sa.select(t.password).where(t.name == name)).scalar()


def add_account(connection: Connection, name: str, password: str, role: Role) -> Account:
    """Make an account."""
    name = _checked_name(name)
    _check_role(role)
    if account_called(connection, name):
        raise UsageError(
            f"there is an account {name!r}: `arpad account password {name}` gives it another password"
        )
    insert(
        connection,
        tables.accounts,
        name=name,
        password=hashed(password),
        role=role,
        epoch=0,
        created=now(),
    )
    return _known(connection, name)


def change_password(connection: Connection, name: str, password: str) -> None:
    """Give somebody another password; whoever is signed in under the name is signed out."""
    account = _known(connection, name)
    _update(connection, account, password=hashed(password), epoch=account.epoch + 1)


def change_role(connection: Connection, name: str, role: Role) -> None:
    """Let somebody decide, or only look."""
    _check_role(role)
    account = _known(connection, name)
    _update(connection, account, role=role, epoch=account.epoch + 1)


def sign_out_everywhere(connection: Connection, name: str) -> None:
    """End every session of somebody."""
    account = _known(connection, name)
    _update(connection, account, epoch=account.epoch + 1)


def remove_account(connection: Connection, name: str) -> None:
    """Take somebody's account away; decisions keep the name."""
    account = _known(connection, name)
    connection.execute(sa.delete(tables.accounts).where(tables.accounts.c.id == account.id))


def _checked_name(name: str) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST or not name.isprintable():
        raise UsageError(f"expected a name of 1 to {LONGEST} characters, found {name[:LONGEST]!r}")
    return name


def _check_role(role: str) -> None:
    if role not in get_args(Role):
        raise UsageError(f"expected a role, one of {', '.join(get_args(Role))}; found {role!r}")


def _known(connection: Connection, name: str) -> Account:
    found = account_called(connection, name)
    if found is None:
        there = ", ".join(a.name for a in accounts(connection)) or "none yet"
        raise UsageError(f"expected an account, found {name!r}: there are {there}")
    return found


def _update(connection: Connection, account: Account, **values: object) -> None:
    t = tables.accounts
    connection.execute(sa.update(t).where(t.c.id == account.id).values(**values))


def _query() -> sa.Select[tuple[object, ...]]:
    t = tables.accounts.c
    return sa.select(t.id, t.name, t.role, t.epoch, t.created)


def _one(connection: Connection, where: sa.ColumnElement[bool]) -> Account | None:
    row = connection.execute(_query().where(where)).one_or_none()
    return None if row is None else _of(row)


def _of(row: sa.Row[tuple[object, ...]]) -> Account:
    return Account(**row._mapping)
