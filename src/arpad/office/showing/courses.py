"""A player's ratings: on the last list of every policy, and after every period that changed them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.office.making.lists import KeptList, kept_lists
from arpad.office.making.runs import ancestry
from arpad.office.rules.policies import kept_policies
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

__all__ = ["Course", "CoursePoint", "Standing", "courses", "last_lists", "standings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoursePoint:
    """A rating after a period."""

    day: date
    """The closing date."""
    rating: float
    deviation: float | None
    """One standard error, where the system knows it."""
    games: int | None
    """In the period."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A rating over time by one policy."""

    policy: str
    system: str
    time_control: str | None
    points: tuple[CoursePoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a player stands on a list, with corrections put in."""

    list: KeptList
    document: Mapping[str, Any]
    """The policy."""
    rating: float | None
    deviation: float | None
    rank: int | None
    change: float | None
    games: int | None
    total_games: int | None
    status: str | None
    corrected: bool


def last_lists(connection: Connection) -> list[KeptList]:
    """Return of each policy the last published list, and the draft that is newer."""
    found: dict[tuple[str, bool], KeptList] = {}
    for each in kept_lists(connection):  # by policy and closing date
        if not each.number:
            found[each.policy, each.published is not None] = each
    return [
        each
        for (policy, published), each in sorted(found.items(), key=lambda i: (i[0][0], not i[0][1]))
        if published or (policy, True) not in found or each.closing > found[policy, True].closing
    ]


def standings(connection: Connection, numbers: Sequence[int]) -> list[Standing]:
    """Return where a player stands on the last lists; nothing of those on which he is not.

    Parameters
    ----------
    numbers
        His own, and those of all who were merged into him.
    """
    lists = last_lists(connection)
    documents = {p.id: p.document for p in kept_policies(connection)}
    shown = {each.id: each for each in lists}
    later = {
        each.id: each
        for each in kept_lists(connection)
        if each.published and each.corrects in shown
    }
    n = tables.entries.c
    query = (
        sa.select(n.list_id, n.player_id, n.rating, n.deviation, n.rank, n.change, n.games, n.total_games, n.status, n.document)
        .where(n.list_id.in_([*shown, *later]), n.player_id.in_(numbers))
        .order_by(n.list_id, n.total_games, n.player_id)
    )  # fmt: skip
    rows: dict[int | None, Any] = {}
    corrected: set[int | None] = set()
    for row in connection.execute(query):
        source = later.get(row.list_id)
        base = row.list_id if source is None else source.corrects
        if row.player_id == numbers[0] or base not in rows or rows[base].player_id != numbers[0]:
            rows[base] = row
            corrected |= {base} if source else set()
    return [
        Standing(
            list=each,
            document=documents[each.policy_id],
            rating=found.rating,
            deviation=found.deviation,
            rank=found.rank,
            change=found.change if each.id not in corrected else (found.document or {}).get("change"),
            games=found.games,
            total_games=found.total_games,
            status=found.status,
            corrected=each.id in corrected,
        )
        for each in lists
        if (found := rows.get(each.id)) is not None and found.rating is not None
    ]


def courses(connection: Connection, numbers: Sequence[int]) -> list[Course]:
    """Return the ratings of a player over time, by every policy that has any."""
    lists: dict[str, KeptList] = {}
    for each in kept_lists(connection):
        if not each.number:
            lists[each.policy] = each
    found = []
    for policy in {p.name: p for p in kept_policies(connection)}.values():
        last = lists.get(policy.name)
        if last is None:
            continue
        points = (
            _states(connection, last.run_id, numbers)
            if policy.computed
            else _entries(connection, policy.name, numbers)
        )
        if points:
            found.append(
                Course(
                    policy=policy.name,
                    system=str(policy.document.get("system") or "?"),
                    time_control=policy.document.get("time_control"),
                    points=tuple(points),
                )
            )
    return found


def _states(connection: Connection, run: int | None, numbers: Sequence[int]) -> list[CoursePoint]:
    """Return the ratings along the chain of a run."""
    s, r = tables.states.c, tables.runs.c
    query = (
        sa.select(r.closing, s.player_id, s.rating, s.deviation, s.games)
        .select_from(tables.states)
        .join(tables.runs, r.id == s.run_id)
        .where(s.run_id.in_(ancestry(connection, run)), s.player_id.in_(numbers))
        .order_by(s.run_id, s.player_id)
    )
    return _points(connection.execute(query), numbers)


def _entries(connection: Connection, policy: str, numbers: Sequence[int]) -> list[CoursePoint]:
    """Return the ratings on lists that others made."""
    n, li, p = tables.entries.c, tables.lists.c, tables.policies.c
    query = (
        sa.select(li.closing, n.player_id, n.rating, n.deviation, n.games)
        .select_from(tables.entries)
        .join(tables.lists, li.id == n.list_id)
        .join(tables.policies, p.id == li.policy_id)
        .where(p.name == policy, n.player_id.in_(numbers))
        .order_by(li.closing, li.number, n.player_id)
    )
    return _points(connection.execute(query), numbers)


def _points(rows: Any, numbers: Sequence[int]) -> list[CoursePoint]:
    """Return one point a day: his own number goes before those that were merged into it."""
    found: dict[date, tuple[int, CoursePoint]] = {}
    for closing, player, rating, deviation, games in rows:
        own = player == numbers[0]
        if rating is None or (closing in found and not own and found[closing][0] == numbers[0]):
            continue
        found[closing] = (
            player,
            CoursePoint(day=closing, rating=rating, deviation=deviation, games=games),
        )
    return [point for _, point in sorted(found.values(), key=lambda pair: pair[1].day)]
