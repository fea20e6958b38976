"""One event with the ratings that held when it began: the report's own, else those of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from arpad.office.deciding.manual_ratings import check_policy
from arpad.office.deciding.subjects import event_row
from arpad.office.records.ledger_games import recorded_games
from arpad.office.records.merges import merged_ends
from arpad.office.rules.policies import kept_policies
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.deciding.subjects import EventRow
    from arpad.office.records.ledger_games import Recorded
    from arpad.office.rules.policies import KeptPolicy

__all__ = ["EventField", "HeldList", "event_field", "fitting_policies", "held_list"]

CHUNK = 500


@dataclass(frozen=True, slots=True)
class HeldList:
    """The list of a policy that held on a day."""

    id: int
    policy: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventField:
    """An event, its games, and where ratings come from that the report does not give."""

    event: EventRow
    recorded: Recorded
    held: HeldList | None
    """None: only the report's own ratings."""
    rated: int
    """Players whose rating is from that list."""


def event_field(connection: Connection, number: int, policy: str | None = None) -> EventField:
    """Return an event with the ratings of the list of a policy that held when it began.

    Parameters
    ----------
    policy
        None: the report's own ratings only.
    """
    check_policy(connection, policy)
    event = event_row(connection, number)
    day = event.start or event.end
    held = held_list(connection, policy, day) if policy is not None and day else None
    players = _players(connection, number)
    known = {} if held is None else _ratings(connection, held, players)
    recorded = recorded_games(connection, [number], ratings=known)
    used = sum(1 for rating in recorded.games.players["rating"] if rating is not None)
    return EventField(event=event, recorded=recorded, held=held, rated=used)


def fitting_policies(connection: Connection, number: int) -> list[HeldList]:
    """Return the lists that held when an event began, of policies for its time control; who rates most is first."""
    event = event_row(connection, number)
    day = event.start or event.end
    if day is None:
        return []
    newest: dict[str, KeptPolicy] = {each.name: each for each in kept_policies(connection)}
    players = _players(connection, number)
    found = []
    for name, kept in newest.items():
        control = kept.document.get("time_control")
        if control not in (None, event.time_control or "standard"):
            continue
        held = held_list(connection, name, day)
        if held is not None:
            found.append((-len(_ratings(connection, held, players)), name, held))
    return [held for _, _, held in sorted(found, key=lambda f: f[:2])]


def held_list(connection: Connection, policy: str, on: date) -> HeldList | None:
    """Return the list that `listed_ratings` takes: the last published one, else the last draft."""
    t, p = tables.lists.c, tables.policies.c
    held = sa.func.coalesce(t.effective, t.closing)
    row = connection.execute(
        sa.select(t.id, p.name.label("policy"), t.name)
        .join_from(tables.lists, tables.policies, p.id == t.policy_id)
        .where(p.name == policy, t.number == 0, held <= on)
        .order_by(t.published.is_(None), held.desc(), t.id.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else HeldList(row.id, row.policy, row.name)


def _players(connection: Connection, number: int) -> list[int]:
    g = tables.games.c
    sides = [sa.select(side).where(g.event_id == number) for side in (g.white_id, g.black_id)]
    found = connection.execute(sa.union(*sides)).scalars()
    return sorted(player for player in found if player is not None)


def _ratings(connection: Connection, held: HeldList, players: Sequence[int]) -> dict[int, float]:
    """Return ratings by player of today: a list may know somebody under an earlier number."""
    ends = merged_ends(connection)
    people = {ends.get(player, player) for player in players}
    wanted = sorted(people | {old for old, new in ends.items() if new in people})
    n = tables.entries.c
    found: dict[int, float] = {}
    for at in range(0, len(wanted), CHUNK):
        rows = connection.execute(
            sa.select(n.player_id, n.rating)
            .where(
                n.list_id == held.id,
                n.player_id.in_(wanted[at : at + CHUNK]),
                n.rating.is_not(None),
            )
            .order_by(n.player_id)
        )
        for player, rating in rows:
            today = ends.get(player, player)
            if player == today or today not in found:
                found[today] = rating
    return found
