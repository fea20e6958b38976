"""Inspection of events: doubts about their results and norms go into the queue; norms that were made.

Two questions: do the results fit the ratings [PRA (24)], of somebody who played six games at least, and is
there a norm that only one requirement stands in the way of? arpad checks an event once, and again when its games change.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa

from arpad.errors import ArpadError
from arpad.event.norms.fide import SCORED, Judge, sought
from arpad.event.norms.rules import norm_rules
from arpad.event.tournament_app.repair import FEWEST_GAMES
from arpad.ledger.db import tables
from arpad.ledger.decisions.decisions import decisions
from arpad.ledger.decisions.queue import open_doubt, queue
from arpad.ledger.decisions.ratings import app_report
from arpad.ledger.decisions.subjects import event_row, today
from arpad.ledger.games import listed_ratings, recorded_games

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from arpad.event.norms.rules import Verdict
    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.decisions.queue import Doubt
    from arpad.model import Games


# Norms of FIDE's rules that were made in the events of the ledger, with their verdicts.

FEWEST_ROUNDS = 7
"""Rounds of an event in which a norm may be made at all [B.01, 1.4.1]."""
COUNTS = re.compile(r"counts as (\d+) games of the 27")
FORGIVEN = "is forgiven; once in an application"
EXEMPT = "exempt by"
STANDARD = sa.func.coalesce(tables.events.c.time_control, "standard") == "standard"


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeNorm:
    """One norm of one player in one event."""

    player: int
    event: int
    event_name: str
    on: date | None
    title: str
    rules: str
    verdict: Mapping[str, Any]  # as JSON keeps it: score, games, requirements, notes
    games: int  # number of games that count towards those a title needs [1.4.1, 1.7]
    exempt: bool = False  # federations were not looked at [1.4.3a to d]
    forgiven: bool = False  # a win by forfeit or a bye was forgiven [1.4.1c]
    granted_by: int | None = None  # the decision that granted it although a requirement is not met
    norms: int = 1  # at once: more than one only by the USCF's rules


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
        .where(e.c.excluded.is_(False), STANDARD, count.c.rounds >= rounds)
        .order_by(day.is_(None), day, e.c.id)
    )
    return [(int(number), _day(last)) for number, last in connection.execute(query)]


def _day(value: Any) -> date | None:
    return date.fromisoformat(value) if isinstance(value, str) else value


def made_norms(connection: Connection, *, rules: str = "today", policy: str | None = None) -> list[MadeNorm]:
    """Judge every event of the ledger and return the norms, in the order of time.

    `policy`: Whose lists give ratings to players whom a report gives none.
    """
    law = norm_rules(rules)
    granted = {
        (today(connection, d.facts["player"]), d.facts["event"], d.facts["title"]): d.id
        for d in decisions(connection, kind="norm", in_effect=True)
        if d.facts.get("granted") and d.facts.get("rules") == law.name
    }
    result = []
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
                    result.append(_made(verdict, player, number, name, on, by))
    return result


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


# What waits for a decision.

Finding = tuple[Literal["fit", "norm"], str, dict[str, Any], dict[str, int]]
"""Kind of doubt, what it is about, its document, and the rows that it names."""


def inspect_event(
    connection: Connection,
    number: int,
    *,
    policy: str | None = None,
    rules: str = "today",
    kinds: Sequence[str] = ("fit", "norm"),
) -> list[int]:
    """Put what an event gives rise to into the queue and return the numbers of what is new.

    `policy`: Whose lists give ratings to players whom the report gives none.
    `rules`: By which norms are judged.
    """
    event = event_row(connection, number)
    content = connection.execute(
        sa.select(tables.events.c.content).where(tables.events.c.id == number)
    ).scalar_one()
    result: list[Finding] = []
    if not event.excluded:
        if "fit" in kinds:
            result += _fit(connection, number, policy)
        if "norm" in kinds and event.time_control in (None, "standard"):
            result += _norms(connection, number, rules)
    known = [d for d in queue(connection, settled=True, event=number).doubts if d.kind in kinds]
    seen = {_what(d): d for d in known if d.document.get("content") == content}
    wanted = {(kind, ids.get("player_id"), doc.get("title")) for kind, _, doc, ids in result}
    for old in known:  # no longer so: nobody needs to look at it
        if old.settled_by is None and (_what(old) not in wanted or seen.get(_what(old)) is not old):
            connection.execute(tables.doubts.delete().where(tables.doubts.c.id == old.number))
    opened = []
    for kind, about, document, ids in result:
        if (kind, ids.get("player_id"), document.get("title")) not in seen:
            document["content"] = content
            opened.append(open_doubt(connection, kind, about, document, event_id=number, **ids))
    return opened


def check_events(
    ledger: Ledger,
    numbers: Sequence[int] | None = None,
    *,
    policy: str | None = None,
    rules: str = "today",
    kinds: Sequence[str] = ("fit", "norm"),
    step: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[int]:
    """Inspect events, all of them by default, each in a transaction of its own.

    `step`: Called after each with how many are done, of how many.
    """
    if numbers is None:
        e = tables.events
        with ledger.reading() as connection:
            numbers = list(connection.execute(sa.select(e.c.id).order_by(e.c.id)).scalars())
    opened: list[int] = []
    for done, number in enumerate(numbers, start=1):
        with ledger.writing(None, "inspection") as connection:
            opened += inspect_event(connection, number, policy=policy, rules=rules, kinds=kinds)
        step(done, len(numbers))
    return opened


def _what(found: Doubt) -> tuple[str, int | None, Any]:
    return found.kind, found.player, found.document.get("title")


def _fit(connection: Connection, number: int, policy: str | None) -> list[Finding]:
    try:
        recorded, report = app_report(connection, number, policy=policy)
    except ArpadError:  # nothing played, nobody rated: nothing to test
        return []
    fit = report.fit
    if fit is None or fit.passed or report.conditions == "knock-out":
        return []
    flagged = [
        {
            "player": recorded.players[s.row],
            "name": s.name,
            "rating": s.rating,
            "residual": None if s.residual is None else round(s.residual, 1),
            "flag": s.flag,
        }
        for s in report.standings
        if s.flag and s.games >= FEWEST_GAMES
    ]
    if not flagged:  # nobody played enough for his rating to be judged by it
        return []
    document = {
        "reason": f"the results do not fit the ratings: χ² {fit.chi_square:.1f}, at most {fit.critical:.1f} expected",
        "chi_square": round(fit.chi_square, 6),
        "critical": round(fit.critical, 6),
        "degrees": fit.degrees,
        "flagged": flagged,
    }
    return [("fit", event_row(connection, number).called(), document, {})]


def _norms(connection: Connection, number: int, rules: str) -> list[Finding]:
    recorded = recorded_games(connection, [number])
    if not may_have_norms(recorded.games):
        return []
    judge = Judge(recorded.games, norm_rules(rules))
    people = recorded.games.players["name"]
    result: list[Finding] = []
    for row in judge.players():
        for title in sought(judge.field, row):
            verdict = judge.verdict(row, title)
            if (one := _only_one(verdict)) is None:
                continue
            document = {
                "reason": f"a {verdict.title} norm ({verdict.score:g}/{verdict.games}) but for one requirement: "
                f"{one['what']} {one['found']}, needed {one['needed']} [{one['article']}]",
                "title": verdict.title,
                "rules": verdict.rules,
                "requirement": one,
            }
            who = {"player_id": recorded.players[row]}
            result.append(("norm", str(people[row]), document, who))
    return result


def _only_one(verdict: Verdict) -> dict[str, Any] | None:
    """Return the one requirement that is not met, if the score is not what is missing."""
    failed = verdict.failed()
    if len(failed) != 1 or failed[0].article in SCORED:
        return None
    return asdict(failed[0])
