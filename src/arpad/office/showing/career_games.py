"""The games of a player out of the ledger, with the ratings and changes of a chain of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.office.deciding.subjects import today
from arpad.office.showing.career import PLAYED, Career, CareerGame
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from arpad.office.showing.career import Colour

__all__ = ["career", "games_played"]

OPPONENT = CareerGame._fields.index("opponent_id")


def career(
    connection: Connection,
    numbers: Sequence[int],
    chain: Sequence[int] = (),
    *,
    against: Sequence[int] = (),
) -> Career:
    """Return the games of a player.

    Parameters
    ----------
    numbers
        His own, and those of all who were merged into him.
    chain
        Runs, as `making.runs.ancestry` gives them: ratings at the time, and changes, are those of their steps.
    against
        Only the games against these players.
    """
    steps = _steps(connection, numbers, chain)
    queries = SIDES
    if against:
        g = tables.games.c
        queries = (SIDES[0].where(g.black_id.in_(against)), SIDES[1].where(g.white_id.in_(against)))
    asked = {"numbers": list(numbers)}
    rows = [row for query in queries for row in connection.execute(query, asked)]
    rows.sort(key=lambda row: (str(row.date or row.end or ""), row.event_id, row.number))
    ends = {
        row.opponent_id: today(connection, row.opponent_id)
        for row in rows
        if row.merged_into is not None
    }
    return Career(tuple(_game(row, ends, steps.get(row.id, NO_STEP)) for row in rows))


def games_played(connection: Connection, numbers: Sequence[int]) -> int:
    """Return how many games a player has played at the board."""
    g = tables.games.c
    return sum(
        connection.execute(
            sa.select(sa.func.count()).where(
                side.in_(numbers), g.status.in_(PLAYED), score.is_not(None)
            )
        ).scalar_one()
        for side, score in ((g.white_id, g.score), (g.black_id, g.black_score))
    )


_Step = tuple[float | None, float | None, float | None]
"""His rating, the opponent's, and the change."""

NO_STEP: _Step = (None, None, None)


def _side(mine: Colour, other: Colour) -> sa.Select[Any]:
    """Return a query for the games of some players with one colour; made once, asked often."""
    g, e, p = tables.games.c, tables.events.c, tables.players.c
    score = g.score if mine == "white" else g.black_score
    return (
        sa.select(
            g.id, g.event_id, e.name.label("event"), e.end, e.time_control, e.excluded, g.round, g.date,
            sa.literal(mine).label("colour"), g[f"{other}_id"].label("opponent_id"),
            p.name.label("opponent"), score.label("score"), g.status,
            g[f"{mine}_rating"].label("rating"), g[f"{other}_rating"].label("opponent_rating"),
            g.number, p.merged_into,
        )
        .select_from(tables.games)
        .join(tables.events, e.id == g.event_id)
        .outerjoin(tables.players, p.id == g[f"{other}_id"])
        .where(g[f"{mine}_id"].in_(sa.bindparam("numbers", expanding=True)))
    )  # fmt: skip


SIDES = (_side("white", "black"), _side("black", "white"))

_s = tables.steps.c
STEPS = sa.select(_s.game_id, _s.rating, _s.opponent_rating, _s.change).where(
    _s.run_id.in_(sa.bindparam("chain", expanding=True)),
    _s.player_id.in_(sa.bindparam("numbers", expanding=True)),
    _s.game_id.is_not(None),
)


def _steps(
    connection: Connection, numbers: Sequence[int], chain: Sequence[int]
) -> dict[int, _Step]:
    """Return the step of every game along a chain of runs."""
    if not chain:
        return {}
    rows = connection.execute(STEPS, {"chain": list(chain), "numbers": list(numbers)})
    return {row.game_id: (row.rating, row.opponent_rating, row.change) for row in rows}


def _game(row: Any, ends: dict[int, int], step: _Step) -> CareerGame:
    *values, given, given_other, _, _ = row
    rating, other, change = step
    values[OPPONENT] = ends.get(row.opponent_id, row.opponent_id)
    values += [given if rating is None else rating, given_other if other is None else other, change]
    return CareerGame._make(values)
