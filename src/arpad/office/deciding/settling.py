"""Settling what is in the queue: each answer is a decision, and can be undone like one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from arpad.errors import UsageError
from arpad.office.deciding.changes import row_change
from arpad.office.deciding.decisions import decide
from arpad.office.deciding.excluding import exclude_event
from arpad.office.deciding.merging import merge
from arpad.office.deciding.repairing import repair_event
from arpad.office.deciding.subjects import event_row, person, today
from arpad.office.records.doubts import CHOICES, doubt
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision
    from arpad.office.records.doubts import Doubt

__all__ = ["settle"]


def settle(
    connection: Connection,
    number: int,
    choose: str,
    *,
    policy: str | None = None,
) -> Decision:
    """Settle one of the queue; who and why are those of ``Ledger.writing(who, why)``.

    Parameters
    ----------
    choose
        player: the number of the one it is, `same` where there is one candidate, or `new`; event: `replace`,
        `add` or `leave`; fit: `leave`, `adjust`, `correct` or `exclude`; norm: `grant`, or `leave`.
    policy
        Whose ratings are repaired, for `adjust` and `correct`.
    """
    found = doubt(connection, number)
    if found.settled_by is not None:
        raise UsageError(
            f"doubt {number} was settled already, by decision {found.settled_by}: undo that one to open it again"
        )
    choice = choose.strip().lower()
    marked = re.fullmatch(r"#?(\d{1,9})", choice) if found.kind == "player" else None
    player = int(marked[1]) if marked else None
    if marked:
        choice = "same"
    known = CHOICES.get(found.kind, ())
    if choice not in known:
        words = f"one of {', '.join(known)}"
        if found.kind == "player":
            words = "the number of a player, or new (or same, where there is one candidate)"
        raise UsageError(f"expected {words}, for doubt {number} ({found.kind}); found {choose!r}")
    if found.kind == "player":
        return _player(connection, found, choice, player)
    if found.kind == "event":
        return _report(connection, found, choice)
    if found.kind == "fit":
        return _fit(connection, found, choice, policy)
    return _norm(connection, found, choice)


def _player(connection: Connection, found: Doubt, choice: str, player: int | None) -> Decision:
    if found.player_id is None:
        raise UsageError(f"doubt {found.id} names no player")
    who = person(connection, found.player_id)
    if choice == "new":
        return decide(
            connection,
            "match",
            who.subject,
            f"{who.called()} is a player of his own",
            settles=found.id,
            player=who.id,
        )
    if player is None:
        player = _only_candidate(connection, found)
    if today(connection, who.id) == today(connection, player) and who.id != player:
        return decide(  # somebody has merged them already
            connection,
            "match",
            who.subject,
            f"{who.called()} is player {today(connection, player)} already",
            settles=found.id,
            player=who.id,
            into=today(connection, player),
        )
    return merge(connection, who.id, player, kind="match", settles=found.id)


def _only_candidate(connection: Connection, found: Doubt) -> int:
    who = sorted({today(connection, int(c["player"])) for c in found.candidates})
    if len(who) != 1:
        some = ", ".join(person(connection, n).called() for n in who)
        raise UsageError(f"expected who it is, one of {some or 'nobody'}: name the player")
    return who[0]


def _report(connection: Connection, found: Doubt, choice: str) -> Decision:
    if found.event_id is None:
        raise UsageError(f"doubt {found.id} names no event")
    event = event_row(connection, found.event_id)
    others = [event_row(connection, int(c["event"])) for c in found.candidates]
    changes = []
    if choice == "replace":
        if not others:
            raise UsageError(f"{event.called()} has nothing to replace: add it, or leave it")
        changes += [row_change(connection, tables.events, o.id, excluded=True) for o in others]
    if choice in ("replace", "add"):
        changes.append(row_change(connection, tables.events, event.id, excluded=False))
    elif not event.excluded:
        changes.append(row_change(connection, tables.events, event.id, excluded=True))
    said = ", ".join(o.called() for o in others)
    words = {
        "replace": f"{event.called()} replaces {said}",
        "add": f"{event.called()} counts beside {said}",
        "leave": f"{event.called()} does not count; {said} stays",
    }[choice]
    return decide(
        connection,
        "report",
        event.subject,
        words,
        changes,
        about=[o.subject for o in others],
        settles=found.id,
        choice=choice,
    )


def _fit(connection: Connection, found: Doubt, choice: str, policy: str | None) -> Decision:
    if found.event_id is None:
        raise UsageError(f"doubt {found.id} names no event")
    if choice == "exclude":
        return exclude_event(connection, found.event_id, settles=found.id)
    how: Any = choice
    return repair_event(connection, found.event_id, how, policy=policy, settles=found.id)


def _norm(connection: Connection, found: Doubt, choice: str) -> Decision:
    if found.event_id is None or found.player_id is None:
        raise UsageError(f"doubt {found.id} names no event or no player")
    who, event = person(connection, found.player_id), event_row(connection, found.event_id)
    title, rules = str(found.document.get("title")), str(found.document.get("rules"))
    granted = choice == "grant"
    return decide(
        connection,
        "norm",
        who.subject,
        f"{who.called()}: the {title} norm in {event.called()} is {'granted' if granted else 'not granted'}",
        about=[event.subject],
        settles=found.id,
        player=who.id,
        event=event.id,
        title=title,
        rules=rules,
        granted=granted,
    )
