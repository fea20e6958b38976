"""Norms of FIDE's rules that were made in the events of the ledger, with their verdicts."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.event.norms.fide import Judge, sought
from arpad.event.norms.rules import norm_rules
from arpad.ledger.db import tables
from arpad.ledger.decisions.decisions import decisions
from arpad.ledger.decisions.subjects import today
from arpad.ledger.games import listed_ratings, recorded_games

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from arpad.event.norms.rules import Verdict
    from arpad.model import Games


FEWEST_ROUNDS = 7
"""Rounds of an event in which a norm may be made at all [B.01, 1.4.1]."""
COUNTS = re.compile(r"counts as (\d+) games of the 27")
FORGIVEN = "is forgiven; once in an application"
EXEMPT = "exempt by"


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeNorm:
    """One norm of one player in one event."""

    player: int
    event: int
    event_name: str
    on: date | None
    title: str
    rules: str
    verdict: Mapping[str, Any]
    """As JSON keeps it: score, games, requirements, notes."""
    games: int
    """For how many it counts of those that a title takes [1.4.1, 1.7]."""
    exempt: bool = False
    """Federations were not looked at [1.4.3a to d]."""
    forgiven: bool = False
    """A win by forfeit or a bye was forgiven [1.4.1c]."""
    granted_by: int | None = None
    """The decision that granted it although a requirement is not met."""
    norms: int = 1
    """At once: more than one only by the USCF's rules."""


def may_have_norms(games: Games) -> bool:
    """Say whether looking for norms is worth the time: enough rounds, titles and ratings known."""
    table = games.table
    rounds = table["round"].drop_nulls().n_unique()
    rated = any(table[side].is_not_null().any() for side in ("white_rating", "black_rating"))
    known = rated or games.players["rating"].is_not_null().any()
    return bool(rounds >= FEWEST_ROUNDS and known and games.players["title"].is_not_null().any())


def norm_events(connection: Connection, *, rounds: int = 1) -> list[tuple[int, date | None]]:
    """Return the events that count, are not rapid or blitz, and have enough rounds, by their last day."""
    e, g = tables.events, tables.games
    count = (
        sa.select(g.c.event_id, sa.func.count(sa.distinct(g.c.round)).label("rounds"))
        .group_by(g.c.event_id)
        .subquery()
    )
    day = sa.func.coalesce(e.c.end, e.c.start)
    query = (
        sa.select(e.c.id, day)
        .join(count, count.c.event_id == e.c.id)
        .where(
            e.c.excluded.is_(False),
            sa.or_(e.c.time_control.is_(None), e.c.time_control == "standard"),
            count.c.rounds >= rounds,
        )
        .order_by(day.is_(None), day, e.c.id)
    )
    return [(int(number), _day(last)) for number, last in connection.execute(query)]


def _day(value: Any) -> date | None:
    return date.fromisoformat(value) if isinstance(value, str) else value


def made_norms(connection: Connection, *, rules: str = "today", policy: str | None = None) -> list[MadeNorm]:
    """Judge every event of the ledger and return the norms, in the order of time.

    Parameters
    ----------
    policy
        Whose lists give ratings to players whom a report gives none.
    """
    law = norm_rules(rules)
    granted = {
        (today(connection, d.facts["player"]), d.facts["event"], d.facts["title"]): d.id
        for d in decisions(connection, kind="norm", in_effect=True)
        if d.facts.get("granted") and d.facts.get("rules") == law.name
    }
    found = []
    for number, on in norm_events(connection, rounds=FEWEST_ROUNDS):
        known = listed_ratings(connection, policy, on) if policy is not None and on else {}
        recorded = recorded_games(connection, [number], ratings=known)
        if not may_have_norms(recorded.games):
            continue
        judge = Judge(recorded.games, law)
        for row in judge.players():
            for title in sought(judge.field, row):
                player, verdict = recorded.players[row], judge.verdict(row, title)
                by = granted.get((player, number, verdict.title))
                if verdict.passed or by is not None:
                    name = recorded.games.events[0].name
                    found.append(_made(verdict, player, number, name, on, by))
    return found


def _made(verdict: Verdict, player: int, event: int, name: str, on: date | None, by: int | None) -> MadeNorm:
    notes = " ".join(verdict.notes)
    counts = COUNTS.search(notes)
    return MadeNorm(
        player=player,
        event=event,
        event_name=name,
        on=on,
        title=verdict.title,
        rules=verdict.rules,
        verdict={
            "score": verdict.score,
            "games": verdict.games,
            "requirements": [asdict(r) for r in verdict.requirements],
            "notes": list(verdict.notes),
        },
        games=int(counts[1]) if counts else verdict.games,
        exempt=any(EXEMPT in r.found for r in verdict.requirements),
        forgiven=FORGIVEN in notes,
        granted_by=None if verdict.passed else by,
    )
