"""Inspection: doubts about an event go into the queue.

Two questions: do the results fit the ratings [PRA (24)], of somebody who played six games at least, and is
there a norm that only one requirement stands in the way of? An event is looked at once for what counts in it; when that changes, again.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.errors import ArpadError
from arpad.event.norms.fide import SCORED, Judge, sought
from arpad.event.norms.rules import norm_rules
from arpad.event.tournament_app.repair import FEWEST_GAMES
from arpad.ledger.db import tables
from arpad.ledger.decisions.ratings import app_report
from arpad.ledger.decisions.subjects import event_row
from arpad.ledger.games import recorded_games
from arpad.ledger.norms import may_have_norms
from arpad.ledger.register import doubts, drop_doubt, open_doubt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Connection

    from arpad.event.norms.rules import Verdict
    from arpad.ledger.db.ledger import Ledger
    from arpad.ledger.register import Doubt


Finding = tuple[str, str, dict[str, Any], dict[str, int]]
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

    Parameters
    ----------
    policy
        Whose lists give ratings to players whom the report gives none.
    rules
        By which norms are judged.
    """
    event = event_row(connection, number)
    content = connection.execute(
        sa.select(tables.events.c.content).where(tables.events.c.id == number)
    ).scalar_one()
    found: list[Finding] = []
    if not event.excluded:
        if "fit" in kinds:
            found += _fit(connection, number, policy)
        if "norm" in kinds and event.time_control in (None, "standard"):
            found += _norms(connection, number, rules)
    known = [d for d in doubts(connection, settled=None) if d.event_id == number and d.kind in kinds]
    seen = {_what(d): d for d in known if d.document.get("content") == content}
    wanted = {(kind, ids.get("player_id"), doc.get("title")) for kind, _, doc, ids in found}
    for old in known:  # no longer so: nobody needs to look at it
        if old.settled_by is None and (_what(old) not in wanted or seen.get(_what(old)) is not old):
            drop_doubt(connection, old.id)
    opened = []
    for kind, about, document, ids in found:
        if (kind, ids.get("player_id"), document.get("title")) not in seen:
            told = {**document, "content": content}
            opened.append(open_doubt(connection, kind, about, told, event_id=number, **ids))  # type: ignore[arg-type]
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

    Parameters
    ----------
    step
        Called after each with how many are done, of how many.
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
    return found.kind, found.player_id, found.document.get("title")


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
    found: list[Finding] = []
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
            found.append(("norm", str(people[row]), document, who))
    return found


def _only_one(verdict: Verdict) -> dict[str, Any] | None:
    """Return the one requirement that is not met, if the score is not what is missing."""
    failed = verdict.failed()
    if len(failed) != 1 or failed[0].article in SCORED:
        return None
    return asdict(failed[0])
