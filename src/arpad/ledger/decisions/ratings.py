"""Ratings set by hand, and repairs of ratings that do not fit an event."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.event.tournament_app.app import tournament_app
from arpad.event.tournament_app.repair import MARKS, Repair
from arpad.ledger.db import tables
from arpad.ledger.db.tables import document_text
from arpad.ledger.decisions.decisions import decide, decisions
from arpad.ledger.decisions.subjects import event_row, person
from arpad.ledger.games import listed_ratings, recorded_games
from arpad.ledger.register import merged_ends
from arpad.model import schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.event.tournament_app.repair import Kind
    from arpad.event.tournament_app.report import AppReport
    from arpad.ledger.decisions.decisions import Decision
    from arpad.ledger.games import Recorded


# Ratings that somebody set by hand: they enter a list as a step of their own, with the reason.
#
# A manual rating holds before the games of the period in which its day lies.

MANUAL = schema(
    {
        "decision": pl.Int64,
        "player_id": pl.Int64,  # of today, merges applied
        "policy": pl.String,  # null: every policy
        "on": pl.Date,
        "rating": pl.Float64,
        "settings": pl.String,  # JSON: other columns of the state; null: none
        "rule": pl.String,  # what the step of the list says
    }
)
MOST = 10_000.0


def set_rating(
    connection: Connection,
    number: int,
    rating: float,
    *,
    on: date,
    policy: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Decision:
    """Set a player's rating by hand.

    `on`: A day of the period before whose games it holds.
    `policy`: The policy whose lists it is for; None: all of them.
    `settings`: Other columns of the player's state that are set with it, such as `k` or `total_games`.
    """
    who = person(connection, number, standing=True)
    if not (math.isfinite(rating) and -MOST <= rating <= MOST):
        raise UsageError(f"expected a rating from {-MOST:g} to {MOST:g}, found {rating!r}")
    check_policy(connection, policy)
    where = "" if policy is None else f" in {policy}"
    return decide(
        connection,
        "rating",
        who.subject,
        f"{who.called()} is {rating:g}{where} from the period of {on.isoformat()}",
        policy=policy,
        on=on.isoformat(),
        ratings=[{"player": who.id, "rating": float(rating)}],
        settings=dict(settings) if settings else None,
    )


def check_policy(connection: Connection, policy: str | None) -> None:
    """Refuse the name of a policy that is not here."""
    if policy is None:
        return
    p = tables.policies
    names = connection.execute(sa.select(p.c.name).distinct().order_by(p.c.name)).scalars().all()
    if policy not in names:
        known = f"there are {', '.join(names)}" if names else "there are none yet (arpad list make)"
        raise UsageError(f"expected a policy of the ledger, found {policy!r}: {known}")


def manual_ratings(connection: Connection, policy: str | None = None) -> pl.DataFrame:
    """Return the ratings set by hand that hold, by day and then in the order of the decisions.

    `policy`: Only those for this policy, or for all of them.
    """
    today = merged_ends(connection)
    rows = [
        {
            "decision": result.id,
            "player_id": today.get(one["player"], one["player"]),
            "policy": result.facts.get("policy"),
            "on": result.facts["on"],
            "rating": one["rating"],
            "settings": document_text(s)
            if (s := {**(result.facts.get("settings") or {}), **one.get("settings", {})})
            else None,
            "rule": _rule(result, one),
        }
        for kind in ("rating", "repair")
        for result in decisions(connection, kind=kind, in_effect=True)
        for one in result.facts.get("ratings", ())
        if policy is None or result.facts.get("policy") in (None, policy)
    ]
    texts = {**MANUAL, "on": pl.String}
    return (
        pl.DataFrame(rows, schema=schema(texts))
        .with_columns(pl.col("on").str.to_date("%Y-%m-%d"))
        .sort("on", "decision", "player_id")
        .cast(MANUAL)
    )


def _rule(found: Decision, one: Mapping[str, Any]) -> str:
    mark = one.get("mark")
    said = f"set by hand: {found.why}" if mark is None else f"{mark}: {found.why}"
    return f"{said} (decision {found.id})"


# Repairs of ratings that do not fit an event: leave, adjust or correct them [PRA, Tournament App].
#
# The text has an administrator move such ratings before the event is rated. Here they are ratings set by hand
# that hold before the games of the event's period.

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

    `how`: leave: the ratings stand; adjust: flagged ones go to the line; correct: they are deleted and come
    back from the line of the others.
    `policy`: Whose ratings: those of the list that held when the event began, for players whom the report
    gives none; None: the report's own. What is repaired holds for this policy, or for all.
    `players`, `pressure`, `ratings`: As in `event.app.Repair`.
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
        raise UsageError("expected a reason for the decision, found none", code="no-reason")
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
        raise UsageError(f"{event.called()} has no date", code="event-undated", fields={"event": event.id})
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
