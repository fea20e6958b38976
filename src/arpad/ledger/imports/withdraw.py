"""Take an import out of the ledger again, as a whole, while nothing published rests on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.decisions.decisions import decide
from arpad.ledger.runs import ancestry, runs_numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision

CHUNK = 500


def undo_import(connection: Connection, number: int) -> Decision:
    """Take out what an import brought: its events, games, doubts, and players who are nowhere else.

    The log keeps who did it and why. What the file added to players who were here before (an id, a
    spelling, a birth) stays. Refused once a published list, a title or a decision rests on the import: from
    then on it is a correction.

    Parameters
    ----------
    connection
        Of `Ledger.writing(who, why)`.
    number
        Of the import.
    """
    i, e, g, d = tables.imports, tables.events, tables.games, tables.doubts
    row = connection.execute(sa.select(i).where(i.c.id == number)).one_or_none()
    if row is None:
        raise UsageError(f"expected the number of an import, found {number}: there is none with it")
    events = _numbers(connection, sa.select(e.c.id).where(e.c.import_id == number))
    games = _numbers(
        connection, sa.select(g.c.id).join(e, e.c.id == g.c.event_id).where(e.c.import_id == number)
    )
    _refuse_lists(connection, row.file, events)
    _refuse_decisions(connection, number, events, games)
    _refuse_later(connection, row.file, number, events)
    _drop_drafts(connection)
    connection.execute(sa.delete(d).where(d.c.import_id == number))
    for table, column, values in (
        (tables.moves, tables.moves.c.game_id, games),
        (tables.norms, tables.norms.c.event_id, events),
        (d, d.c.event_id, events),
        (g, g.c.event_id, events),
        (e, e.c.id, events),
    ):
        _delete(connection, table, column, values)
    players = _alone(connection, number)
    p = tables.players
    for table in (tables.player_ids, tables.player_names):
        _delete(connection, table, table.c.player_id, players)
    connection.execute(
        p.update().where(p.c.import_id == number, p.c.id.not_in(players)).values(import_id=None)
    )
    _delete(connection, p, p.c.id, players)
    connection.execute(sa.delete(i).where(i.c.id == number))
    return decide(
        connection,
        "withdraw",
        f"import {number}",
        f"import {number} ({row.file}) is taken out: {len(events):,} events, {len(games):,} games,"
        f" {len(players):,} players",
        file=row.file,
        sha256=row.sha256,
        events=len(events),
        games=len(games),
        players=len(players),
    )


def _numbers(connection: Connection, query: sa.Select[Any]) -> list[int]:
    return sorted(connection.execute(query).scalars())


def _delete(connection: Connection, table: sa.Table, column: sa.Column[int], values: Sequence[int]) -> None:
    for at in range(0, len(values), CHUNK):
        connection.execute(sa.delete(table).where(column.in_(values[at : at + CHUNK])))


def _published_runs(connection: Connection) -> set[int]:
    """Return the runs that a published list rests on."""
    t = tables.lists
    query = sa.select(t.c.run_id).where(t.c.published.is_not(None), t.c.run_id.is_not(None)).distinct()
    return {run for last in _numbers(connection, query) for run in ancestry(connection, last)}


def _refuse_lists(connection: Connection, file: str, events: Iterable[int]) -> None:
    mine = set(events)
    runs = runs_numbered(connection, sorted(_published_runs(connection)))
    used = sorted({run.closing for run in runs if mine & run.events.keys()})
    if used:
        raise UsageError(
            f"a published list rests on {file} (play to {used[0]}): correct or exclude its events instead"
        )


def _refuse_decisions(
    connection: Connection, number: int, events: Sequence[int], games: Sequence[int]
) -> None:
    """Refuse where somebody has decided about what came with the import, and that still holds."""
    c = tables.decisions.c
    p = tables.players.c
    players = _numbers(connection, sa.select(p.id).where(p.import_id == number))
    subjects = (
        {f"event {n}" for n in events} | {f"game {n}" for n in games} | {f"player {n}" for n in players}
    )
    rows = connection.execute(
        sa.select(c.id, c.subject, c.after).where(c.undone_by.is_(None), c.undoes.is_(None)).order_by(c.id)
    )
    for row in rows:
        about = {row.subject, *(row.after or {}).get("about", ())}
        if about & subjects:
            raise UsageError(
                f"decision {row.id} rests on this import ({min(about & subjects)}): undo it first"
            )


def _refuse_later(connection: Connection, file: str, number: int, events: Sequence[int]) -> None:
    """Refuse where games of a later file do not count because they are in this one."""
    d = tables.doubts.c
    mine = set(events)
    rows = connection.execute(sa.select(d.id, d.document, d.event_id, d.import_id).where(d.kind == "event"))
    for row in rows:
        told = row.document or {}
        if row.import_id != number and any(one.get("event") in mine for one in told.get("candidates", ())):
            raise UsageError(
                f"a later file holds games of {file}, which count here (queue {row.id}): undo that import first"
            )


def _drop_drafts(connection: Connection) -> None:
    """Delete drafts and the runs that no published list rests on: the next making computes them again."""
    t, r = tables.lists, tables.runs
    connection.execute(sa.delete(t).where(t.c.published.is_(None)))
    kept = _published_runs(connection)
    for run in sorted(set(_numbers(connection, sa.select(r.c.id))) - kept, reverse=True):
        connection.execute(sa.delete(r).where(r.c.id == run))


def _alone(connection: Connection, number: int) -> list[int]:
    """Return the players of an import whom nothing else names."""
    p, g, t = tables.players, tables.games, tables
    mine = set(_numbers(connection, sa.select(p.c.id).where(p.c.import_id == number)))
    columns = (
        g.c.white_id,
        g.c.black_id,
        p.c.merged_into,
        t.entries.c.player_id,
        t.memberships.c.player_id,
        t.norms.c.player_id,
        t.titles.c.player_id,
        t.doubts.c.player_id,
        t.states.c.player_id,
    )
    for column in columns:
        mine -= set(connection.execute(sa.select(column).where(column.is_not(None)).distinct()).scalars())
    return sorted(mine)
