"""Decisions looked for: by who, kind, what they are about, and words; a page of them at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.office.deciding.decisions import check_text, decision
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision

__all__ = ["FoundDecisions", "deciders", "found_decisions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDecisions:
    """A page of the log, the newest first, and how many there are in all."""

    decisions: tuple[Decision, ...]
    total: int


def deciders(connection: Connection) -> list[str]:
    """Return everybody who has decided something, by name."""
    d = tables.decisions.c
    return list(connection.execute(sa.select(d.who).distinct().order_by(d.who)).scalars())


def found_decisions(
    connection: Connection,
    *,
    who: str | None = None,
    kind: str | None = None,
    about: Sequence[str] = (),
    text: str = "",
    limit: int = 50,
    offset: int = 0,
) -> FoundDecisions:
    """Return a page of the log.

    Parameters
    ----------
    about
        Only what is about one of these: `player 12`, `event 3`.
    text
        Only what has all of its words in what was decided, in the reason, or in who decided.
    """
    d = tables.decisions.c
    # As JSON has it: the log is text in both databases, and its strings stand in quotation marks.
    told = sa.cast(tables.decisions.c.after, sa.Text)
    where = []
    if who:
        where.append(d.who == who)
    if kind:
        where.append(d.kind == kind)
    if about:
        where.append(
            sa.or_(d.subject.in_(about), *(told.contains(f'"{a}"', autoescape=True) for a in about))
        )
    for word in check_text(text).lower().split():
        places = (d.why, d.who, d.kind, d.subject, told)
        forms = {word, word.capitalize()}
        where.append(
            sa.or_(
                *(
                    sa.func.lower(place).contains(form, autoescape=True)
                    for place in places
                    for form in forms
                )
            )
        )
    total = connection.execute(
        sa.select(sa.func.count()).select_from(tables.decisions).where(*where)
    ).scalar_one()
    numbers = connection.execute(
        sa.select(d.id).where(*where).order_by(d.id.desc()).limit(limit).offset(offset)
    ).scalars()
    return FoundDecisions(
        decisions=tuple(decision(connection, number) for number in numbers), total=int(total)
    )
