"""The part of the log that is about somebody or something, without reading the rest of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.office.deciding.decisions import Decision, decision
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

__all__ = ["decisions_about"]


def decisions_about(
    connection: Connection, about: Sequence[str], *, most: int = 50
) -> list[Decision]:
    """Return the last decisions about one of these (`player 12`, `event 3`), the newest first."""
    t = tables.decisions.c
    told = sa.cast(t.after, sa.Text)  # what else it is about stands there, each in quotation marks
    fits = [t.subject.in_(about), *(told.contains(f'"{each}"', autoescape=True) for each in about)]
    found = connection.execute(sa.select(t.id).where(sa.or_(*fits)).order_by(t.id.desc()))
    wanted = set(about)
    read = (decision(connection, number) for number in found.scalars().all()[: 4 * most])
    return [each for each in read if wanted.intersection(each.about())][:most]
