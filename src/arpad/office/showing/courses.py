"""A player's ratings: on the last list of every policy, and after every period that changed them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.office.making.lists import KeptList, kept_lists
from arpad.office.rules.policies import kept_policies
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.rules.policies import KeptPolicy

__all__ = ["Course", "CoursePoint", "ListFacts", "Standing", "courses", "list_facts", "standings"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFacts:
    """What many questions need of the lists: it changes only when one is made or published."""

    lists: tuple[KeptList, ...]
    """By policy, closing date and number."""
    policies: tuple[KeptPolicy, ...]
    before: Mapping[int, int | None]
    """The run before each."""

    def chain(self, run: int | None) -> list[int]:
        """Return a run and all before it, the first one first."""
        found = []
        while run is not None:
            found.append(run)
            run = self.before[run]
        return found[::-1]

    def document(self, kept: KeptList) -> Mapping[str, Any]:
        """Return the policy of a list."""
        return next(p.document for p in self.policies if p.id == kept.policy_id)

    def last(self) -> list[KeptList]:
        """Return of each policy the last published list, and the draft that is newer."""
        found: dict[tuple[str, bool], KeptList] = {}
        for each in self.lists:
            if not each.number:
                found[each.policy, each.published is not None] = each
        return [
            each
            for (policy, published), each in sorted(
                found.items(), key=lambda item: (item[0][0], not item[0][1])
            )
            if published
            or (policy, True) not in found
            or each.closing > found[policy, True].closing
        ]


def list_facts(connection: Connection) -> ListFacts:
    """Return what there is of lists, policies and runs."""
    r = tables.runs.c
    return ListFacts(
        lists=tuple(kept_lists(connection)),
        policies=tuple(kept_policies(connection)),
        before=dict(connection.execute(sa.select(r.id, r.previous_id)).all()),
    )


_n, _s, _r, _li, _p = (
    t.c for t in (tables.entries, tables.states, tables.runs, tables.lists, tables.policies)
)
_numbers: sa.BindParameter[int] = sa.bindparam("numbers", expanding=True)

STANDS = (
    sa.select(
        _n.list_id, _n.player_id, _n.rating, _n.deviation, _n.rank, _n.change, _n.games, _n.total_games,
        _n.status, _n.document,
    )
    .where(_n.list_id.in_(sa.bindparam("lists", expanding=True)), _n.player_id.in_(_numbers))
    .order_by(_n.list_id, _n.total_games, _n.player_id)
)  # fmt: skip
STATES = (
    sa.select(_r.closing, _s.player_id, _s.rating, _s.deviation, _s.games)
    .select_from(tables.states)
    .join(tables.runs, _r.id == _s.run_id)
    .where(_s.run_id.in_(sa.bindparam("chain", expanding=True)), _s.player_id.in_(_numbers))
    .order_by(_s.run_id, _s.player_id)
)
GIVEN = (
    sa.select(_li.closing, _n.player_id, _n.rating, _n.deviation, _n.games)
    .select_from(tables.entries)
    .join(tables.lists, _li.id == _n.list_id)
    .join(tables.policies, _p.id == _li.policy_id)
    .where(_p.name == sa.bindparam("policy"), _n.player_id.in_(_numbers))
    .order_by(_li.closing, _li.number, _n.player_id)
)
"""Made once, asked often: to make a statement takes longer than to run it."""


def standings(connection: Connection, numbers: Sequence[int], facts: ListFacts) -> list[Standing]:
    """Return where a player stands on the last lists; nothing of those on which he is not.

    Parameters
    ----------
    numbers
        His own, and those of all who were merged into him.
    """
    lists = facts.last()
    shown = {each.id for each in lists}
    later = {each.id: each for each in facts.lists if each.published and each.corrects in shown}
    rows: dict[int | None, Any] = {}
    corrected: set[int | None] = set()
    asked = {"lists": [*shown, *later], "numbers": list(numbers)}
    for row in connection.execute(STANDS, asked):
        source = later.get(row.list_id)
        base = row.list_id if source is None else source.corrects
        if row.player_id == numbers[0] or base not in rows or rows[base].player_id != numbers[0]:
            rows[base] = row
            corrected |= {base} if source else set()
    return [
        Standing(
            list=each,
            document=facts.document(each),
            rating=found.rating,
            deviation=found.deviation,
            rank=found.rank,
            change=(found.document or {}).get("change") if each.id in corrected else found.change,
            games=found.games,
            total_games=found.total_games,
            status=found.status,
            corrected=each.id in corrected,
        )
        for each in lists
        if (found := rows.get(each.id)) is not None and found.rating is not None
    ]


def courses(connection: Connection, numbers: Sequence[int], facts: ListFacts) -> list[Course]:
    """Return the ratings of a player over time, by every policy that has any."""
    lists = {each.policy: each for each in facts.lists if not each.number}
    found = []
    for policy in {p.name: p for p in facts.policies}.values():
        last = lists.get(policy.name)
        if last is None:
            continue
        asked: dict[str, Any] = {"numbers": list(numbers)}
        if policy.computed:
            rows = connection.execute(STATES, {**asked, "chain": facts.chain(last.run_id)})
        else:
            rows = connection.execute(GIVEN, {**asked, "policy": policy.name})
        points = _points(rows, numbers)
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
