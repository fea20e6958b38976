"""Repairs of ratings that do not fit an event: leave, adjust or correct them [PRA, Tournament App].

The text has an administrator move such ratings before the event is rated. Here they are ratings set by hand
that hold before the games of the event's period.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from arpad.errors import UsageError
from arpad.event.app import Repair, tournament_app
from arpad.event.app.repair import MARKS
from arpad.office.deciding.decisions import decide, decisions
from arpad.office.deciding.manual_ratings import check_policy
from arpad.office.deciding.subjects import event_row
from arpad.office.records.ledger_games import listed_ratings, recorded_games

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from arpad.event.app.repair import Kind
    from arpad.event.app.report import AppReport
    from arpad.office.deciding.decisions import Decision
    from arpad.office.records.ledger_games import Recorded

__all__ = ["HowRepaired", "app_report", "repair_event"]

HowRepaired = Literal["leave", "adjust", "correct"]
KINDS: dict[str, Kind] = {"leave": "nothing", "adjust": "adjusted", "correct": "corrected"}


def repair_event(
    connection: Connection,
    number: int,
    how: HowRepaired,
    *,
    policy: str | None = None,
    players: Sequence[str] | None = None,
    pressure: bool = False,
    ratings: Mapping[str, float] | None = None,
    settles: int | None = None,
) -> Decision:
    """Decide what becomes of ratings that do not fit an event.

    Parameters
    ----------
    how
        leave: the ratings stand; adjust: flagged ones go to the line; correct: they are deleted and come
        back from the line of the others.
    policy
        Whose ratings: those of the list that held when the event began, for players whom the report gives
        none; None: the report's own. What is repaired holds for this policy, or for all.
    players, pressure, ratings
        As in `event.app.Repair`.
    """
    if how not in get_args(HowRepaired):
        raise UsageError(f"expected leave, adjust or correct; found {how!r}")
    check_policy(connection, policy)
    event = event_row(connection, number)
    earlier = [
        d
        for d in decisions(connection, about=[event.subject], kind="repair", in_effect=True)
        if d.facts.get("ratings") and d.facts.get("policy") in (None, policy)
    ]
    if earlier and how != "leave":
        raise UsageError(
            f"{event.called()} was repaired already, by decision {earlier[-1].id}: ratings are repaired once; undo that one first"
        )
    why = str(connection.info.get("why") or "").strip()
    if not why:
        raise UsageError("expected a reason for the decision, found none: give it with --why")
    repair = Repair(
        reason=why,
        kind=KINDS[how],
        players=None if players is None else tuple(players),
        pressure=pressure,
        ratings=dict(ratings or {}),
    )
    recorded, report = app_report(connection, number, policy=policy, repair=repair)
    day = event.end or event.start
    moved: list[dict[str, Any]] = [
        {
            "player": recorded.players[d.row],
            "before": d.before,
            "rating": d.after,
            "mark": MARKS.get(d.kind, d.kind),
        }
        for d in report.decisions
        if d.row is not None and d.after is not None and d.kind in ("adjusted", "corrected", "set")
    ]
    if how != "leave" and not moved:
        said = "; ".join(report.notes) or "no rating is out of spec"
        raise UsageError(f"{event.called()}: there is nothing to repair: {said}")
    if moved and day is None:
        raise UsageError(
            f"{event.called()} has no date: give it one first (arpad ledger correct {event.id} --end YYYY-MM-DD)"
        )
    called = dict(zip(recorded.players, recorded.games.players["name"], strict=True))
    names = ", ".join(
        f"{called[m['player']]} {'unrated' if m['before'] is None else format(m['before'], 'g')} → {m['rating']:g}"
        for m in moved
    )
    words = f"{event.called()}: " + (f"{KINDS[how]}: {names}" if moved else "ratings stand")
    return decide(
        connection,
        "repair",
        event.subject,
        words,
        about=[f"player {m['player']}" for m in moved],
        settles=settles,
        policy=policy,
        on=None if day is None else day.isoformat(),
        how=how,
        ratings=moved,
        fit=None if report.fit is None else report.fit.passed,
    )


def app_report(
    connection: Connection,
    number: int,
    *,
    policy: str | None = None,
    repair: Repair | None = None,
    shuffles: int = 0,
) -> tuple[Recorded, AppReport]:
    """Run the Tournament App over an event of the ledger."""
    event = event_row(connection, number)
    day = event.start or event.end
    known = listed_ratings(connection, policy, day) if policy is not None and day else {}
    recorded = recorded_games(connection, [number], ratings=known)
    return recorded, tournament_app(recorded.games, repair=repair, shuffles=shuffles)
