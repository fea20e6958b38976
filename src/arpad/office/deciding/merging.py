"""Two players who are one person, and two who are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.deciding.changes import row_change
from arpad.office.deciding.decisions import decide, decisions
from arpad.office.deciding.subjects import person, today
from arpad.office.deciding.touched import persons
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from arpad.office.deciding.changes import Change
    from arpad.office.deciding.decisions import Decision, DecisionKind
    from arpad.office.deciding.subjects import Person

__all__ = ["merge", "merge_doubts", "unmerge"]

FILLED = ("birth", "federation", "sex", "title")
"""What the one who stays takes over from the other, where nothing is known."""


def merge(
    connection: Connection,
    other: int,
    into: int,
    *,
    kind: DecisionKind = "merge",
    settles: int | None = None,
) -> Decision:
    """Decide that a player is another: all games of `other` are those of `into` from now on.

    Games keep the player they were imported with, so that the merge can be taken back. Refused for one and
    the same player, in a circle, and for two who sat at one board.
    """
    gone = person(connection, other, standing=True)
    stays = person(connection, today(connection, into))
    if gone.id == stays.id:
        raise UsageError(
            f"{gone.called()} is one player already: a merge wants two"
            if other == into
            else f"#{into} was merged into {gone.called()}: the other way round would be a circle"
        )
    _check_apart(connection, gone, stays)
    changes = [row_change(connection, tables.players, gone.id, merged_into=stays.id)]
    fresh = {
        name: getattr(gone, name)
        for name in FILLED
        if getattr(stays, name) is None and getattr(gone, name) is not None
    }
    if fresh:
        changes.append(row_change(connection, tables.players, stays.id, **fresh))
    return decide(
        connection,
        kind,
        gone.subject,
        f"{gone.called()} is {stays.called()}",
        changes,
        about=[stays.subject],
        settles=settles,
        player=gone.id,
        into=stays.id,
        notes=merge_doubts(connection, gone, stays) or None,
    )


def unmerge(connection: Connection, other: int) -> Decision:
    """Decide that a player who was merged into another is a person of his own.

    What the other took over from him at the merge goes back, too, if it still stands.
    """
    gone = person(connection, other)
    if gone.merged_into is None:
        raise UsageError(f"{gone.called()} is merged into nobody")
    stays = person(connection, gone.merged_into)
    changes: list[Change | None] = [
        row_change(connection, tables.players, gone.id, merged_into=None)
    ]
    taken = _taken_over(connection, gone, stays)
    if taken:
        changes.append(
            row_change(connection, tables.players, stays.id, **dict.fromkeys(taken, None))
        )
    return decide(
        connection,
        "unmerge",
        gone.subject,
        f"{gone.called()} is not {stays.called()}",
        changes,
        about=[stays.subject],
        player=gone.id,
        into=stays.id,
    )


def _taken_over(connection: Connection, gone: Person, stays: Person) -> list[str]:
    """Return the fields that the last merge of these two has filled and that still stand so."""
    for found in reversed(decisions(connection, about=[gone.subject], in_effect=True)):
        for change in found.changes:
            if change.table == "players" and change.key == {"id": stays.id} and change.after:
                return [
                    n for n, v in change.after.items() if n in FILLED and getattr(stays, n) == v
                ]
        if found.kind in ("merge", "match") and found.facts.get("into") == stays.id:
            return []
    return []


def _check_apart(connection: Connection, gone: Person, stays: Person) -> None:
    """Refuse two who sat at one board: nobody plays himself."""
    g, e = tables.games, tables.events
    mine, theirs = (persons(connection, [p.id]) for p in (gone, stays))
    met = sa.or_(
        sa.and_(g.c.white_id.in_(mine), g.c.black_id.in_(theirs)),
        sa.and_(g.c.white_id.in_(theirs), g.c.black_id.in_(mine)),
    )
    row = connection.execute(
        sa.select(e.c.name, g.c.round)
        .join(e, e.c.id == g.c.event_id)
        .where(met)
        .order_by(g.c.id)
        .limit(1)
    ).one_or_none()
    if row is not None:
        where = f"{row.name}{f', round {row.round}' if row.round else ''}"
        raise UsageError(
            f"{gone.called()} and {stays.called()} were paired with each other ({where}): they are two persons, or "
            "that game is wrong: correct it first"
        )


def merge_doubts(connection: Connection, one: Person, other: Person) -> list[str]:
    """Return what speaks against two players being one person, in words."""
    notes = []
    for name in ("birth", "sex"):
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine and theirs and not (mine.startswith(theirs) or theirs.startswith(mine)):
            notes.append(f"{name}: {mine} and {theirs}")
    ids = [_ids(connection, persons(connection, [p.id])) for p in (one, other)]
    notes += [
        f"{scheme} ids: {ids[0][scheme]} and {ids[1][scheme]}"
        for scheme in sorted(ids[0].keys() & ids[1].keys())
        if ids[0][scheme] != ids[1][scheme]
    ]
    if shared := _both(connection, one, other):
        notes.append(f"both have games in {', '.join(shared)}")
    return notes


def _ids(connection: Connection, players: Sequence[int]) -> dict[str, str]:
    i = tables.player_ids
    rows = connection.execute(
        sa.select(i.c.scheme, i.c.value)
        .where(i.c.player_id.in_(players))
        .order_by(i.c.scheme, i.c.value)
    ).all()
    schemes = sorted({scheme for scheme, _ in rows})
    return {s: ", ".join(v for scheme, v in rows if scheme == s) for s in schemes}


def _both(connection: Connection, one: Person, other: Person) -> list[str]:
    from arpad.office.deciding.touched import events_of

    mine, theirs = (set(events_of(connection, persons(connection, [p.id]))) for p in (one, other))
    e = tables.events
    both = sorted(mine & theirs)[:5]
    query = sa.select(e.c.name).where(e.c.id.in_(both)).order_by(e.c.id)
    return [str(name) for name in connection.execute(query).scalars()]
