"""Corrections of players and events: what a report had wrong, or did not say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.deciding.changes import Change, row_change
from arpad.office.deciding.decisions import check_text, decide
from arpad.office.deciding.subjects import event_row, person, today
from arpad.office.records.names import fold
from arpad.office.records.time_controls import TimeControl
from arpad.read.trf_layout import SEXES
from arpad.store.ledger import tables
from arpad.store.ledger.column_types import now

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision

__all__ = ["correct_event", "correct_player"]

BIRTH = re.compile(r"(1[5-9]|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
FORGET = ("", "-", "none")
"""What a person writes for "not known"."""
LONGEST_NAME = 1000


def correct_player(
    connection: Connection,
    number: int,
    *,
    ids: Mapping[str, str | None] | None = None,
    **values: str | None,
) -> Decision:
    """Correct name, birth, federation, sex, title or ids of a player.

    Parameters
    ----------
    ids
        By scheme, `fide`, `uscf`, …; None takes the id away. An id of somebody else is refused.
    values
        `name`, `birth` (YYYY, YYYY-MM or YYYY-MM-DD), `federation`, `sex` (m, w), `title`; None: not known.
    """
    who = person(connection, number, standing=True)
    plain = {name: _checked(name, value) for name, value in values.items()}
    changes = [row_change(connection, tables.players, who.id, **plain)] if plain else []
    if plain.get("name"):
        changes.append(_spelling(connection, who.id, str(plain["name"])))
    for scheme, value in (ids or {}).items():
        changes += _id(connection, who.id, scheme.strip().lower(), value)
    found = [change for change in changes if change is not None]
    if not found:
        raise UsageError(f"nothing changes: {who.called()} has all of that already")
    words = [
        f"{n} {_text(getattr(who, n))} → {_text(v)}"
        for n, v in plain.items()
        if getattr(who, n) != v
    ]
    words += [f"{scheme} id {value}" for scheme, value in (ids or {}).items()]
    return decide(connection, "correct", who.subject, f"{who.called()}: {', '.join(words)}", found)


def correct_event(connection: Connection, number: int, **values: Any) -> Decision:
    """Correct name, site, federation, start, end, time_control or rounds of an event."""
    which = event_row(connection, number)
    known = ("name", "site", "federation", "start", "end", "time_control", "rounds")
    if strange := sorted(set(values) - set(known)):
        raise UsageError(f"an event has no {strange[0]!r} to correct; it has {', '.join(known)}")
    if values.get("time_control") not in (*get_args(TimeControl), None):
        raise UsageError(
            f"expected a time control, {', '.join(get_args(TimeControl))}; found {values['time_control']!r}"
        )
    for text in values.values():
        check_text(text if isinstance(text, str) else "")
    if "name" in values and not str(values["name"] or "").strip():
        raise UsageError("expected a name of the event, found none")
    change = row_change(connection, tables.events, which.id, **values)
    if change is None or change.before is None:
        raise UsageError(f"nothing changes: {which.called()} has all of that already")
    start = values.get("start", which.start)
    end: date | None = values.get("end", which.end)
    if start is not None and end is not None and start > end:
        raise UsageError(f"expected an event that begins before it ends, found {start} to {end}")
    words = [f"{n} {_text(v)} → {_text(values[n])}" for n, v in change.before.items()]
    return decide(
        connection, "correct", which.subject, f"{which.called()}: {', '.join(words)}", [change]
    )


def _text(value: object) -> str:
    return "?" if value is None else str(value)


def _checked(name: str, value: str | None) -> str | None:
    known = ("name", "birth", "federation", "sex", "title")
    if name not in known:
        raise UsageError(f"a player has no {name!r} to correct; he has {', '.join(known)}")
    text = check_text((value or "").strip())
    if name == "name":
        if not text or len(text) > LONGEST_NAME:
            raise UsageError(f"expected a name of 1 to {LONGEST_NAME} letters, found {len(text)}")
        return text
    if text.lower() in FORGET:
        return None
    if name == "birth" and not BIRTH.fullmatch(text):
        raise UsageError(f"expected a birth as YYYY, YYYY-MM or YYYY-MM-DD, found {text!r}")
    if name == "birth" and text > now().date().isoformat()[: len(text)]:
        raise UsageError(f"expected a birth in the past, found {text}")
    if name == "sex":
        if text.lower() not in SEXES:
            raise UsageError(f"expected m or w, found {text!r}")
        return SEXES[text.lower()]
    return text.upper() if name == "federation" else text


def _spelling(connection: Connection, player: int, name: str) -> Change | None:
    """Return the change that makes a new spelling known, so that the next file is matched by it."""
    n = tables.player_names
    key = {"player_id": player, "name": name}
    there = connection.execute(
        sa.select(n.c.fold).where(n.c.player_id == player, n.c.name == name)
    ).one_or_none()
    if there is not None:
        return None
    return Change(table=n.name, key=key, before=None, after={"fold": fold(name)})


def _id(connection: Connection, player: int, scheme: str, value: str | None) -> list[Change]:
    """Return the changes that give a player one id of a scheme, or none."""
    i = tables.player_ids
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", scheme):
        raise UsageError(f"expected a scheme of ids such as fide or uscf, found {scheme!r}")
    value = None if value is None or value.strip().lower() in FORGET else check_text(value.strip())
    own = connection.execute(
        sa.select(i.c.value)
        .where(i.c.scheme == scheme, i.c.player_id == player)
        .order_by(i.c.value)
    ).scalars()
    gone = [v for v in own if v != value]
    changes = [
        Change(
            table=i.name,
            key={"scheme": scheme, "value": v},
            before={"player_id": player},
            after=None,
        )
        for v in gone
    ]
    if value is None:
        return changes
    owner = connection.execute(
        sa.select(i.c.player_id).where(i.c.scheme == scheme, i.c.value == value)
    ).scalar()
    if owner is None:
        changes.append(
            Change(
                table=i.name,
                key={"scheme": scheme, "value": value},
                before=None,
                after={"player_id": player},
            )
        )
    elif today(connection, owner) != player:
        other = person(connection, today(connection, owner))
        raise UsageError(
            f"the {scheme} id {value} is {other.called()}'s: merge the two, or correct that one first"
        )
    return changes
