"""The inspection queue, and settling what is in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl
import sqlalchemy as sa

from arpad.errors import UsageError, counted
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import insert, next_id
from arpad.ledger.db.tables import now, row_number
from arpad.ledger.decisions.corrections import copies_instead, copies_of, exclude_event, merge
from arpad.ledger.decisions.decisions import decide, row_change
from arpad.ledger.decisions.ratings import repair_event
from arpad.ledger.decisions.subjects import event_row, person, today
from arpad.model import columns, schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision, RowChange
    from arpad.ledger.decisions.subjects import EventRow


# The inspection queue: what somebody must look at, with the candidates.

DoubtKind = Literal["player", "event", "fit", "norm"]
"""Kinds of questions.

player   a player of a file who may be one that is here;
event    a changed report of an event that is here, or an event with games that are here already;
fit      an event whose results do not fit its ratings;
norm     a norm that fails one requirement.
"""
CHOICES: Mapping[str, tuple[str, ...]] = {
    "player": ("same", "new"),
    "event": ("merge", "replace", "add", "leave"),
    "fit": ("leave", "adjust", "correct", "exclude"),
    "norm": ("grant", "leave"),
}
"""Possible answers to each kind of question."""
ANSWERS: Mapping[str, str] = {
    "player": "the number of a player, or new",
    "event": "merge (games that are here already count once), replace, add or leave",
    "fit": "leave, adjust, correct or exclude",
    "norm": "grant or leave",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """One thing that waits, or waited, for a decision."""

    number: int
    kind: str
    about: str
    opened: datetime
    imported: int | None  # the number of the import that asked
    file: str | None
    event: int | None
    player: int | None
    document: Mapping[str, Any]
    settled_by: int | None

    @property
    def reason(self) -> str:
        """Why somebody must look at it."""
        return str(self.document.get("reason") or "")

    @property
    def candidates(self) -> list[Mapping[str, Any]]:
        """Whom or what it may be, best first."""
        return [one for one in self.document.get("candidates", ()) if isinstance(one, dict)]

    @property
    def duplicates(self) -> Sequence[tuple[int, int]]:
        """Games that are in another event, too, each with its copy there."""
        return self.document.get("duplicates") or ()

    def answers(self) -> str:
        """Return what may be chosen."""
        return ANSWERS.get(self.kind, "leave")

    def likeliest(self) -> str:
        """Return the answer that is most often right, as `settle` takes it: for a form that chooses it first."""
        if self.kind == "player":
            best = max(self.candidates, key=lambda one: one.get("score") or 0.0, default=None)
            return "new" if best is None else str(best["player"])
        return "merge" if self.duplicates else "leave"

    def summary(self) -> str:
        """Return one sentence."""
        return f"{self.number}. {self.kind}: {self.about}: {self.reason or '?'}"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        plain = {name: getattr(self, name) for name in ("number", "kind", "about", "reason")}
        return {
            **plain,
            "opened": f"{self.opened:%Y-%m-%dT%H:%M:%SZ}",
            "import": self.imported,
            **{name: getattr(self, name) for name in ("file", "player", "event", "settled_by")},
            "answers": self.answers(),
            "likeliest": self.likeliest(),
            "candidates": self.candidates,
        }


_d = tables.doubts.c
DOUBTS = (
    sa.select(
        *(_d.id.label("number"), _d.kind, _d.about, _d.opened, _d.import_id.label("imported")),
        *(tables.imports.c.file, _d.event_id.label("event"), _d.player_id.label("player")),
        *(_d.document, _d.settled_by),
    )
    .join_from(tables.doubts, tables.imports, tables.imports.c.id == _d.import_id, isouter=True)
    .order_by(_d.id)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Open questions, oldest first; `waiting` counts those of each kind."""

    doubts: tuple[Doubt, ...]
    waiting: Mapping[str, int]

    def table(self) -> pl.DataFrame:
        """Return a row for each candidate of each doubt."""
        rows = [
            {
                "number": doubt.number,
                "kind": doubt.kind,
                "about": doubt.about,
                "as": doubt.player or doubt.event,
                "candidate": one.get("player") or one.get("event"),
                "name": one.get("name"),
                "score": one.get("score"),
                "reason": one.get("reason") or doubt.reason,
            }
            for doubt in self.doubts
            for one in (doubt.candidates or ({},))
        ]
        kinds = "number:int kind:str about:str as:int candidate:int name:str score:float reason:str"
        return pl.DataFrame(rows, schema=schema(columns(kinds)))

    def summary(self) -> str:
        """Return in a sentence how much is open."""
        total = sum(self.waiting.values())
        if not total:
            return "nothing waits for a decision"
        each = ", ".join(f"{n:,} {kind}" for kind, n in self.waiting.items() if n)
        return f"{total:,} wait{'s' if total == 1 else ''} for a decision: {each}"


def queue(
    connection: Connection,
    *,
    kind: DoubtKind | None = None,
    settled: bool = False,
    limit: int | None = None,
    number: int | None = None,
    imported: int | None = None,
    event: int | None = None,
) -> Queue:
    """Return what waits for a decision.

    `settled`: Also what was settled.
    `number`, `imported`, `event`: Only this one; only what this import asked; only what is about this event.
    """
    if kind is not None and kind not in get_args(DoubtKind):
        raise UsageError(f"expected one of {', '.join(get_args(DoubtKind))}; found {kind!r}")
    wanted = ((_d.kind, kind), (_d.id, number), (_d.import_id, imported), (_d.event_id, event))
    query = DOUBTS.where(*(column == value for column, value in wanted if value is not None)).limit(limit)
    if number is None and not settled:
        query = query.where(_d.settled_by.is_(None))
    waiting = sa.select(_d.kind, sa.func.count()).where(_d.settled_by.is_(None)).group_by(_d.kind)
    return Queue(
        doubts=tuple(_doubt(row) for row in connection.execute(query)),
        waiting={kind: int(count) for kind, count in connection.execute(waiting.order_by(_d.kind))},
    )


def doubt(connection: Connection, number: int) -> Doubt:
    """Return one of the queue by its number."""
    row = connection.execute(DOUBTS.where(_d.id == row_number(number))).one_or_none()
    if row is None:
        last = next_id(connection, tables.doubts) - 1
        known = f"there are 1 to {last}" if last else "the queue is empty"
        raise UsageError(f"expected a number of the queue, found {number}: {known}")
    return _doubt(row)


def _doubt(row: Any) -> Doubt:
    return Doubt(**{**row._mapping, "document": row.document or {}})


def open_doubt(
    connection: Connection, kind: DoubtKind, about: str, document: Mapping[str, Any], **ids: int
) -> int:
    """Put something into the queue and return its number."""
    return insert(connection, tables.doubts, kind=kind, opened=now(), about=about, document=document, **ids)


# Settling what is in the queue: each answer is a decision, and can be undone like one.


def settle(connection: Connection, number: int, choose: str, *, policy: str | None = None) -> Decision:
    """Settle one of the queue; who and why are those of ``Ledger.writing(who, why)``.

    `choose`: player: the number of the one it is, `same` where there is one candidate, or `new`; event:
    `merge`, `replace`, `add` or `leave`; fit: `leave`, `adjust`, `correct` or `exclude`; norm: `grant`, or
    `leave`.
    `policy`: Whose ratings are repaired, for `adjust` and `correct`.
    """
    result = doubt(connection, number)
    if result.settled_by is not None:
        raise UsageError(
            f"doubt {number} was settled already, by decision {result.settled_by}: undo that one to open it again"
        )
    choice = choose.strip().lower()
    marked = re.fullmatch(r"#?(\d{1,9})", choice) if result.kind == "player" else None
    player = int(marked[1]) if marked else None
    if marked:
        choice = "same"
    known = CHOICES.get(result.kind, ())
    if choice not in known:
        words = f"one of {', '.join(known)}"
        if result.kind == "player":
            words = "the number of a player, or new (or same, where there is one candidate)"
        raise UsageError(f"expected {words}, for doubt {number} ({result.kind}); found {choose!r}")
    if result.kind == "player":
        return _player(connection, result, choice, player)
    if result.kind == "event":
        return _report(connection, result, choice)
    if result.kind == "fit":
        return _fit(connection, result, choice, policy)
    return _norm(connection, result, choice)


def settle_all(
    connection: Connection, answers: Mapping[int, str], *, policy: str | None = None
) -> list[Decision]:
    """Settle many of the queue at once, as `settle` does each: all of them, or none.

    `answers`: What is chosen for each number of the queue; `likeliest` takes `Doubt.likeliest`.
    """
    wanted = {doubt.number: doubt for doubt in queue(connection).doubts if doubt.number in answers}
    return [
        settle(
            connection,
            number,
            wanted[number].likeliest() if choose == "likeliest" and number in wanted else choose,
            policy=policy,
        )
        for number, choose in sorted(answers.items())
    ]


def _player(connection: Connection, found: Doubt, choice: str, player: int | None) -> Decision:
    if found.player is None:
        raise UsageError(f"doubt {found.number} names no player")
    who = person(connection, found.player)
    if choice == "new":
        return decide(
            connection,
            "match",
            who.subject,
            f"{who.called()} is a separate player",
            settles=found.number,
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
            settles=found.number,
            player=who.id,
            into=today(connection, player),
        )
    return merge(connection, who.id, player, kind="match", settles=found.number)


def _only_candidate(connection: Connection, found: Doubt) -> int:
    who = sorted({today(connection, int(c["player"])) for c in found.candidates})
    if len(who) != 1:
        some = ", ".join(person(connection, n).called() for n in who)
        raise UsageError(f"expected who it is, one of {some or 'nobody'}: name the player")
    return who[0]


def _report(connection: Connection, found: Doubt, choice: str) -> Decision:
    if found.event is None:
        raise UsageError(f"doubt {found.number} names no event")
    event = event_row(connection, found.event)
    others = [event_row(connection, int(c["event"])) for c in found.candidates]
    said = ", ".join(o.called() for o in others)
    if found.duplicates:
        words, changes = _duplicates(connection, event, said, choice, found.duplicates)
    else:
        words, changes = _changed(connection, event, others, said, choice)
    return decide(
        connection,
        "report",
        event.subject,
        words,
        changes,
        about=[o.subject for o in others],
        settles=found.number,
        choice=choice,
    )


def _changed(
    connection: Connection, event: EventRow, others: Sequence[EventRow], said: str, choice: str
) -> tuple[str, list[RowChange | None]]:
    """Settle whether a changed report counts; return the words and the changes."""
    if choice == "merge":
        raise UsageError(f"{event.called()} is a changed report, not a part: replace, add or leave")
    changes: list[RowChange | None] = []
    if choice == "replace":
        if not others:
            raise UsageError(f"{event.called()} has nothing to replace: add it, or leave it")
        changes += [row_change(connection, tables.events, o.id, excluded=True) for o in others]
    if choice in ("replace", "add"):
        changes.append(row_change(connection, tables.events, event.id, excluded=False))
    elif not event.excluded:
        changes.append(row_change(connection, tables.events, event.id, excluded=True))
    words = {
        "replace": f"{event.called()} replaces {said}",
        "add": f"{event.called()} counts beside {said}",
        "leave": f"{event.called()} does not count; {said} stays",
    }[choice]
    return words, changes


def _duplicates(
    connection: Connection, event: EventRow, said: str, choice: str, duplicates: Sequence[tuple[int, int]]
) -> tuple[str, list[RowChange | None]]:
    """Settle which of the games that two reports hold count: once, unless they are different games."""
    ours, theirs = ([pair[side] for pair in duplicates] for side in (0, 1))
    rated, unrated = {"merge": ([], ours), "replace": (ours, theirs), "add": (ours, []), "leave": ([], ours)}[
        choice
    ]
    if choice == "replace":
        every = set().union(*copies_of(connection, ours).values())
        unrated = sorted(every - set(ours))
    changes = [row_change(connection, tables.games, game, status="played") for game in rated]
    changes += [row_change(connection, tables.games, game, status="unrated") for game in unrated]
    changes.append(row_change(connection, tables.events, event.id, excluded=choice == "leave"))
    if choice == "leave":
        changes += copies_instead(connection, event.id)
    number = counted(len(ours), "game")
    words = {
        "merge": f"{number} of {event.called()} {'is' if len(ours) == 1 else 'are'} in {said}, and count once",
        "replace": f"{number} of {said} count in {event.called()} instead",
        "add": f"{number} of {event.called()} count beside those of {said}",
        "leave": f"{event.called()} does not count; {said} stays",
    }[choice]
    return words, changes


def _fit(connection: Connection, found: Doubt, choice: str, policy: str | None) -> Decision:
    if found.event is None:
        raise UsageError(f"doubt {found.number} names no event")
    if choice == "exclude":
        return exclude_event(connection, found.event, settles=found.number)
    how: Any = choice
    return repair_event(connection, found.event, how, policy=policy, settles=found.number)


def _norm(connection: Connection, found: Doubt, choice: str) -> Decision:
    if found.event is None or found.player is None:
        raise UsageError(f"doubt {found.number} names no event or no player")
    who, event = person(connection, found.player), event_row(connection, found.event)
    title, rules = str(found.document.get("title")), str(found.document.get("rules"))
    granted = choice == "grant"
    return decide(
        connection,
        "norm",
        who.subject,
        f"{who.called()}: the {title} norm in {event.called()} is {'granted' if granted else 'not granted'}",
        about=[event.subject],
        settles=found.number,
        player=who.id,
        event=event.id,
        title=title,
        rules=rules,
        granted=granted,
    )
