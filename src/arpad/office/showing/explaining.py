"""How a figure of a list came about, read from the steps that the ledger keeps: nothing is computed anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.deciding.subjects import Person, person, person_called
from arpad.office.making.lists import KeptList, corrections_of, list_called
from arpad.office.making.runs import ancestry
from arpad.office.rules.policies import policy_called
from arpad.office.showing.explanation import EXPLAINED, Explanation
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

__all__ = ["Explained", "explained", "rounds_by"]

LIST_ROUNDING = "rounded for the list; the exact figure goes on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A figure of a list, and how it came about.

    Parameters
    ----------
    list
        The list that the figure stands on.
    correction
        The published correction that the figure is of, if it is of one.
    person
        The player as the ledger has him today.
    """

    list: KeptList
    correction: KeptList | None
    person: Person
    explanation: Explanation


def explained(
    connection: Connection,
    player: str,
    *,
    policy: str | None = None,
    name: str | None = None,
    as_published: bool = False,
) -> Explained:
    """Return every step behind a player's figure.

    Parameters
    ----------
    player
        A name, a part of one, ``#number`` or an id.
    name
        Of the list; None: the last one.
    as_published
        Without the corrections that were published since.
    """
    who = person_called(connection, player)
    kept = list_called(connection, policy_called(connection, policy).name, name)
    numbers = _merged(connection, who)
    number = _then(connection, who, numbers, kept)
    sources = [kept]
    if not as_published:
        sources += [each for each in corrections_of(connection, kept) if each.published]
    found = [(each, _figure(connection, each, number)) for each in sources]
    source, figure = next((pair for pair in reversed(found) if pair[1] is not None), (kept, None))
    steps = _steps(connection, source.run_id, number, numbers)
    if figure is None and steps.is_empty():
        raise UsageError(
            f"{who.called()} has played nothing that counts up to {kept.closing} for {kept.words}"
        )
    rating = figure[0] if figure else None
    explanation = Explanation(
        player=who.name,
        number=str(who.id),
        rating=rating,
        steps=_to_the_list(steps, rating, rounds_by(connection, source)),
        notes=_notes(connection, who, number, found, kept),
    )
    return Explained(
        list=kept,
        correction=source if source.number else None,
        person=who,
        explanation=explanation,
    )


def _merged(connection: Connection, who: Person) -> list[int]:
    """Return a player's number, and those of all who were merged into him."""
    p = tables.players
    numbers = [who.id]
    new = [who.id]
    while new:
        query = sa.select(p.c.id).where(p.c.merged_into.in_(new)).order_by(p.c.id)
        new = [n for n in connection.execute(query).scalars() if n not in numbers]
        numbers += new
    return numbers


def _then(connection: Connection, who: Person, numbers: list[int], kept: KeptList) -> int:
    """Return under which number a player stands on a list: he may have been merged since."""
    if len(numbers) == 1:
        return who.id
    n = tables.entries
    query = (
        sa.select(n.c.player_id)
        .where(n.c.list_id == kept.id, n.c.player_id.in_(numbers))
        .order_by(n.c.total_games.desc(), n.c.player_id)
    )
    there = list(connection.execute(query).scalars())
    return there[0] if there and who.id not in there else who.id


def _figure(connection: Connection, kept: KeptList, number: int) -> tuple[float | None] | None:
    """Return the figure of a list; None: the player does not stand there."""
    n = tables.entries
    row = connection.execute(
        sa.select(n.c.rating).where(n.c.list_id == kept.id, n.c.player_id == number)
    ).one_or_none()
    return None if row is None else (None if row.rating is None else float(row.rating),)


def _steps(
    connection: Connection, run: int | None, number: int, numbers: list[int]
) -> pl.DataFrame:
    """Return a player's steps along the chain of a run; games know him by one of `numbers`."""
    s, r, g, e, p = tables.steps, tables.runs, tables.games, tables.events, tables.players
    why = tables.rules
    colour = sa.case((g.c.white_id.in_(numbers), "white"), (g.c.id.is_not(None), "black"))
    query = (
        sa.select(
            r.c.closing, s.c.event_id, e.c.name.label("event"), s.c.game_id, g.c.date, g.c.round,
            colour.label("colour"), s.c.opponent_id,
            p.c.name.label("opponent"), s.c.rating, s.c.opponent_rating, s.c.score,
            s.c.expected, s.c.k, s.c.change, why.c.text.label("rule"),
        )
        .select_from(s)
        .join(r, r.c.id == s.c.run_id)
        .outerjoin(why, sa.and_(why.c.run_id == s.c.run_id, why.c.number == s.c.rule))
        .outerjoin(g, g.c.id == s.c.game_id)
        .outerjoin(e, e.c.id == s.c.event_id)
        .outerjoin(p, p.c.id == s.c.opponent_id)
        .where(s.c.run_id.in_(ancestry(connection, run)), s.c.player_id == number)
        .order_by(s.c.run_id, s.c.seq)
    )  # fmt: skip
    found = frame(connection, query, {"colour": pl.String})
    return found.select(EXPLAINED.names()).cast(EXPLAINED)


def rounds_by(connection: Connection, kept: KeptList) -> float:
    """Return by how much a list may round what it goes on from; 0: it goes on from what it publishes."""
    p = tables.policies
    said = connection.execute(sa.select(p.c.document).where(p.c.id == kept.policy_id)).scalar_one()
    return float(said.get("round_to") or 0.0) if said.get("carries") == "exact" else 0.0


def _to_the_list(steps: pl.DataFrame, rating: float | None, most: float) -> pl.DataFrame:
    """Add what the list rounds where the next period goes on from the exact figure."""
    now = 0.0
    for change in steps["change"]:
        now += change
    if rating is None or steps.is_empty() or not 0 < abs(rating - now) <= most:
        return steps
    last = {
        "closing": [steps["closing"][-1]],
        "rating": [now],
        "change": [rating - now],
        "rule": [LIST_ROUNDING],
    }
    return pl.concat([steps, pl.DataFrame(last)], how="diagonal_relaxed").cast(EXPLAINED)


def _notes(
    connection: Connection,
    who: Person,
    number: int,
    found: Sequence[tuple[KeptList, tuple[float | None] | None]],
    kept: KeptList,
) -> tuple[str, ...]:
    notes = []
    if number != who.id:
        then = person(connection, number)
        notes.append(f"on {kept.name} he stands as {then.called()}, who was merged since")
    before: tuple[float | None] | None = None
    for each, figure in found:
        if each.number and figure is not None:
            notes.append(f"{each.words}: {_shown(before)} became {_shown(figure)}")
        before = figure if figure is not None else before
    return tuple(notes)


def _shown(figure: tuple[float | None] | None) -> str:
    return "no rating" if figure is None or figure[0] is None else f"{figure[0]:g}"
