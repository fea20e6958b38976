"""Decisions: what somebody changed in the ledger, why, and how it is taken back.

Every decision is one transaction. It keeps who took it, when and why, and the rows it changed as they were
before and after. Undoing is a decision, too: nothing is ever taken out of the log.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.deciding.changes import (
    apply,
    documents,
    from_documents,
    reverse,
    row_change,
    stale,
)
from arpad.office.deciding.touched import check_boards, touched_events
from arpad.office.records.event_content import renew_contents
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import next_id
from arpad.store.ledger.column_types import now, row_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from arpad.office.deciding.changes import Change

__all__ = ["Decision", "DecisionKind", "check_text", "decide", "decision", "decisions", "undo"]

DecisionKind = Literal[
    "correct", "merge", "unmerge", "match", "exclude", "include", "rating", "repair", "report",
    "norm", "settle", "undo",
]  # fmt: skip
"""What was decided.

correct            a game, a player or an event;
merge, unmerge     two players are one person, or are not;
match              a doubtful player is somebody, or is new;
exclude, include   an event or a game does not count, or does;
rating             a rating is set by hand;
repair             ratings that do not fit an event are moved, or left [PRA];
report             a changed report of an event: replace, add or leave;
norm               a norm that lacks a requirement is granted, or refused;
settle             something in the queue is left as it is;
undo               another decision is taken back.
"""

LONGEST_WHY = 4000
"""Characters of a reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One line of the log."""

    id: int
    when: datetime
    who: str
    why: str
    kind: str
    subject: str
    """What it is about, such as `player 12`."""
    changes: tuple[Change, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What it says beside changed rows: `words`, `about`, and what its kind needs."""
    undoes: int | None = None
    undone_by: int | None = None

    @property
    def in_effect(self) -> bool:
        """Say whether it holds: it was not undone."""
        return self.undone_by is None

    def words(self) -> str:
        """Return what was decided, in a few words."""
        return str(self.facts.get("words") or f"{self.kind} {self.subject}")

    def about(self) -> tuple[str, ...]:
        """Return everything that it is about: `player 12`, `event 3`."""
        return (self.subject, *self.facts.get("about", ()))

    def summary(self) -> str:
        """Return one sentence."""
        taken = "" if self.undone_by is None else f" (undone by {self.undone_by})"
        return f"{self.id}. {self.words()}{taken}: {self.why} ({self.who}, {self.when:%Y-%m-%d})"


def decide(
    connection: Connection,
    kind: DecisionKind,
    subject: str,
    words: str,
    changes: Iterable[Change | None] = (),
    *,
    about: Iterable[str] = (),
    settles: int | None = None,
    undoes: int | None = None,
    **facts: Any,
) -> Decision:
    """Write a decision and what it changes; the hashes of events that it touches are made anew.

    Parameters
    ----------
    connection
        Of `Ledger.writing(who, why)`: a decision without a reason is refused.
    words
        What is decided, for people.
    about
        What else it is about: `player 12`, `event 3`.
    settles
        A doubt of the queue that is settled by it.
    facts
        What there is to keep beside changed rows; plain values.
    """
    if kind not in get_args(DecisionKind):
        raise UsageError(f"expected one of {', '.join(get_args(DecisionKind))}; found {kind!r}")
    number = next_id(connection, tables.decisions)
    found = [change for change in changes if change is not None]
    if settles is not None:
        found.append(_settled(connection, settles, number))
    before, after = documents(found)
    told = {
        "words": words,
        "about": sorted(set(about) - {subject}),
        **{name: value for name, value in facts.items() if value is not None},
    }
    row: dict[str, Any] = {
        "when": now(),
        "who": str(connection.info.get("who") or "?"),
        "why": _reason(connection),
        "kind": kind,
        "subject": subject,
        "undoes": undoes,
    }
    connection.execute(
        tables.decisions.insert().values(
            id=number, before={"rows": before}, after={"rows": after, **told}, **row
        )
    )
    apply(connection, found)
    events = touched_events(connection, found)
    check_boards(connection, events)
    renew_contents(connection, events)
    return Decision(id=number, changes=tuple(found), facts=told, **row)


def undo(connection: Connection, number: int) -> Decision:
    """Take a decision back: the rows that it changed are as they were before it.

    An undo can be undone, too. Refused where something rests on the decision: a later one, or an import,
    has changed the same rows.
    """
    one = decision(connection, number)
    if not one.in_effect:
        raise UsageError(
            f"decision {number} was undone already, by decision {one.undone_by}: undo that one to have it back"
        )
    back = reverse(one.changes)
    if rest := stale(connection, back):
        raise UsageError(_rests(connection, one, rest))
    found = decide(
        connection,
        "undo",
        one.subject,
        f"undo of {number}: {one.words()}",
        back,
        about=one.about(),
        undoes=number,
    )
    _mark(connection, number, found.id)
    return found


def decision(connection: Connection, number: int) -> Decision:
    """Return a decision by its number."""
    t = tables.decisions
    row = connection.execute(sa.select(t).where(t.c.id == row_number(number))).one_or_none()
    if row is None:
        last = next_id(connection, t) - 1
        known = f"there are 1 to {last}" if last else "there are none yet"
        raise UsageError(f"expected the number of a decision, found {number}: {known} (arpad log)")
    return _of(row)


def decisions(
    connection: Connection,
    *,
    about: Sequence[str] = (),
    kind: DecisionKind | None = None,
    in_effect: bool = False,
) -> list[Decision]:
    """Return the log, oldest first.

    Parameters
    ----------
    about
        Only what is about one of these: `player 12`, `event 3`.
    in_effect
        Only what holds: undone decisions, and undos, are left out.
    """
    t = tables.decisions
    query = sa.select(t).order_by(t.c.id)
    if kind is not None:
        query = query.where(t.c.kind == kind)
    if in_effect:
        query = query.where(t.c.undone_by.is_(None), t.c.kind != "undo")
    found = [_of(row) for row in connection.execute(query)]
    wanted = set(about)
    return [d for d in found if not wanted or wanted.intersection(d.about())]


def _of(row: sa.Row[Any]) -> Decision:
    after = dict(row.after or {})
    changes = from_documents((row.before or {}).get("rows", []), after.pop("rows", []))
    return Decision(
        id=row.id,
        when=row.when,
        who=row.who,
        why=row.why,
        kind=row.kind,
        subject=row.subject,
        changes=tuple(changes),
        facts=after,
        undoes=row.undoes,
        undone_by=row.undone_by,
    )


def _reason(connection: Connection) -> str:
    why = str(connection.info.get("why") or "").strip()
    if not why:
        raise UsageError("expected a reason for the decision, found none: give it with --why")
    if len(why) > LONGEST_WHY:
        raise UsageError(f"expected a reason of at most {LONGEST_WHY} letters, found {len(why)}")
    return check_text(why)


def check_text(text: str) -> str:
    """Return a text that both databases can hold; refuse NUL and halves of characters."""
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise UsageError(f"expected text, found a NUL or half a character in {text[:80]!r}")
    return text


def _settled(connection: Connection, doubt: int, by: int) -> Change:
    change = row_change(connection, tables.doubts, doubt, settled_by=by)
    if change is None or change.before is None or change.before["settled_by"] is not None:
        raise UsageError(f"doubt {doubt} was settled already (arpad queue shows what is open)")
    return change


def _mark(connection: Connection, number: int, undone_by: int | None) -> None:
    """Say of a decision that it holds, or by what it does not; an undo turns what it undid the other way."""
    t = tables.decisions
    connection.execute(t.update().where(t.c.id == number).values(undone_by=undone_by))
    target = connection.execute(sa.select(t.c.undoes).where(t.c.id == number)).scalar()
    if target is not None:
        _mark(connection, target, number if undone_by is None else None)


def _rests(connection: Connection, one: Decision, rest: list[Change]) -> str:
    cells = set().union(*(change.cells() for change in rest))
    t = tables.decisions
    later = connection.execute(sa.select(t).where(t.c.id > one.id).order_by(t.c.id.desc()))
    for row in later:
        found = _of(row)
        if found.in_effect and any(cells & change.cells() for change in found.changes):
            return f"decision {found.id} ({found.words()}) rests on decision {one.id}: undo {found.id} first"
    what = ", ".join(sorted({f"{table} {key}" for table, key, _ in cells}))
    return f"decision {one.id} cannot be undone: {what} was changed since, by an import"
