"""Decisions: what somebody changed in the ledger, why, how it is undone, and the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import chunks, next_id, rows_in
from arpad.ledger.db.tables import now, row_number
from arpad.ledger.games import renew_contents
from arpad.ledger.register import merged_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy.engine import Connection


# Changes of rows, as a decision keeps them: what stood there before, what stands there after.
#
# A change that can be told in this way can be taken back: `reverse` it, and the rows are as they were.

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """One row: `before` is None where it is new, `after` is None where it goes."""

    table: str
    key: Values
    before: Values | None
    after: Values | None

    def cells(self) -> set[tuple[str, str, str]]:
        """Return what it touches: table, key and column."""
        key = ",".join(f"{name}={self.key[name]}" for name in sorted(self.key))
        return {
            (self.table, key, column)
            for side in (self.before, self.after)
            if side is not None
            for column in side
        }


def row_change(connection: Connection, table: sa.Table, row: int, **values: Any) -> RowChange | None:
    """Return the change of a numbered row to these values; None if nothing changes.

    Raises
    ------
    UsageError
        There is no such row.
    """
    key = {"id": row}
    now = _read(connection, table, key, values)
    if now is None:
        raise UsageError(f"expected a row {row} of {table.name}, found none")
    changed = {name: value for name, value in values.items() if now[name] != value}
    if not changed:
        return None
    return RowChange(table=table.name, key=key, before={name: now[name] for name in changed}, after=changed)


def apply(connection: Connection, changes: Iterable[RowChange]) -> None:
    """Write changes, in their order."""
    for change in changes:
        table = tables.METADATA.tables[change.table]
        if change.after is None:
            connection.execute(table.delete().where(*_at(table, change.key)))
        elif change.before is None:
            connection.execute(table.insert().values(**change.key, **change.after))
        else:
            connection.execute(table.update().where(*_at(table, change.key)).values(**change.after))


def stale(connection: Connection, changes: Iterable[RowChange]) -> list[RowChange]:
    """Return the changes whose rows do not stand as `before` says: somebody was there meanwhile."""
    result = []
    for change in changes:
        table = tables.METADATA.tables[change.table]
        wanted = change.before
        now = _read(connection, table, change.key, wanted or {})
        if (None if now is None else dict(now)) != (None if wanted is None else dict(wanted)):
            result.append(change)
    return result


def reverse(changes: Sequence[RowChange]) -> list[RowChange]:
    """Return the changes that take these back, the last first."""
    return [RowChange(table=c.table, key=c.key, before=c.after, after=c.before) for c in reversed(changes)]


def documents(changes: Sequence[RowChange]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return rows before and after, as JSON holds them."""
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for change in changes:
        for side, values in zip(sides, (change.before, change.after), strict=True):
            side.append(
                {
                    "table": change.table,
                    "key": dict(change.key),
                    "values": None if values is None else _plain(values),
                }
            )
    return sides


def from_documents(before: Sequence[Values], after: Sequence[Values]) -> list[RowChange]:
    """Return the changes that `documents` has written down."""
    return [
        RowChange(
            table=one["table"],
            key=one["key"],
            before=_typed(one["table"], one["values"]),
            after=_typed(one["table"], two["values"]),
        )
        for one, two in zip(before, after, strict=True)
    ]


def _read(connection: Connection, table: sa.Table, key: Values, columns: Iterable[str]) -> Values | None:
    wanted = list(columns)
    chosen = [table.c[name] for name in wanted or key]
    row = connection.execute(sa.select(*chosen).where(*_at(table, key))).one_or_none()
    return None if row is None else {name: row._mapping[name] for name in wanted}


def _at(table: sa.Table, key: Values) -> list[sa.ColumnElement[bool]]:
    return [table.c[name] == value for name, value in key.items()]


def _plain(values: Values) -> dict[str, Any]:
    return {n: v.isoformat() if isinstance(v, date) else v for n, v in values.items()}


def _typed(table: str, values: Values | None) -> Values | None:
    if values is None:
        return None
    columns = tables.METADATA.tables[table].c
    kinds = {sa.Date: date, tables.Moment: datetime}
    return {
        name: value if value is None or kind is None else kind.fromisoformat(value)
        for name, value in values.items()
        for kind in [kinds.get(type(columns[name].type))]
    }


# Which events count otherwise after some rows have changed: their hashes are to be made again.

INTO = sa.select(tables.players.c.id).where(
    tables.players.c.merged_into.in_(sa.bindparam("players", expanding=True))
)
"""Made once, asked often."""


def touched_events(connection: Connection, changes: Iterable[RowChange]) -> list[int]:
    """Return the events whose games, or the persons and births of whose players, have changed."""
    games, players = set(), set()
    for change in changes:
        sides = {**(change.before or {}), **(change.after or {})}
        if change.table == "games":
            games.add(change.key["id"])
        elif change.table == "players" and {"birth", "merged_into"} & set(sides):
            players.add(change.key["id"])
    g = tables.games
    result: set[int] = set()
    result.update(row[0] for row in rows_in(connection, sa.select(g.c.event_id), g.c.id, sorted(games)))
    return sorted(result | set(events_of(connection, persons(connection, sorted(players)))))


def persons(connection: Connection, players: Sequence[int]) -> list[int]:
    """Return these players, and all that were merged into them."""
    result, more = set(players), sorted(players)
    while more:
        new: set[int] = set()
        for chunk in chunks(more):
            new.update(connection.execute(INTO, {"players": list(chunk)}).scalars())
        more = sorted(new - result)
        result |= new
    return sorted(result)


def events_of(connection: Connection, players: Sequence[int]) -> list[int]:
    """Return the events in which one of these players has a pairing."""
    g = tables.games
    query = sa.select(g.c.event_id).distinct()
    sides = (g.c.white_id, g.c.black_id)
    return sorted({row[0] for side in sides for row in rows_in(connection, query, side, players)})


def check_boards(connection: Connection, events: Sequence[int]) -> None:
    """Refuse a ledger in which somebody sits at both sides of a board of these events."""
    g, e = tables.games, tables.events
    ends = merged_ends(connection)
    query = sa.select(g.c.id, g.c.white_id, g.c.black_id, g.c.round, e.c.name).order_by(g.c.id)
    for row in rows_in(connection, query.join(e, e.c.id == g.c.event_id), g.c.event_id, events):
        white = ends.get(row.white_id, row.white_id)
        if row.black_id is not None and white == ends.get(row.black_id, row.black_id):
            raise UsageError(
                f"player {white} would play both sides of game {row.id} ({row.name}, round "
                f"{row.round or '?'}): two who met are two persons; correct the game, or undo the merge first"
            )


# Decisions: what somebody changed in the ledger, why, and how it is taken back.
#
# Every decision is one transaction. It keeps who took it, when and why, and the rows it changed as they were
# before and after. Undoing is a decision, too: nothing is ever taken out of the log.

DecisionKind = Literal[
    "correct",
    "merge",
    "unmerge",
    "match",
    "exclude",
    "include",
    "rating",
    "repair",
    "report",
    "norm",
    "settle",
    "withdraw",
    "erase",
    "undo",
]
"""Kinds of decisions in the log.

correct            a game, a player or an event;
merge, unmerge     two players are one person, or are not;
match              a doubtful player is somebody, or is new;
exclude, include   an event or a game does not count, or does;
rating             a rating is set by hand;
repair             ratings that do not fit an event are moved, or left [PRA];
report             a changed report of an event: replace, add or leave;
norm               a norm that lacks a requirement is granted, or refused;
settle             something in the queue is left as it is;
withdraw           an import is taken out as a whole;
erase              the personal data of a player are erased;
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
    subject: str  # subject of the decision, such as `player 12`
    changes: tuple[RowChange, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Facts beside the changed rows: `words`, `about`, and those that its kind needs."""
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
    changes: Iterable[RowChange | None] = (),
    *,
    about: Iterable[str] = (),
    settles: int | None = None,
    undoes: int | None = None,
    **facts: Any,
) -> Decision:
    """Write a decision and what it changes; the hashes of events that it touches are made again.

    `connection`: Of `Ledger.writing(who, why)`: a decision without a reason is refused.
    `words`: What is decided, for people.
    `about`: What else it is about: `player 12`, `event 3`.
    `settles`: A doubt of the queue that is settled by it.
    `facts`: What there is to keep beside changed rows; plain values.
    """
    if kind not in get_args(DecisionKind):
        raise UsageError(f"expected one of {', '.join(get_args(DecisionKind))}; found {kind!r}")
    number = next_id(connection, tables.decisions)
    result = [change for change in changes if change is not None]
    if settles is not None:
        result.append(_settled(connection, settles, number))
    before, after = documents(result)
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
    apply(connection, result)
    events = touched_events(connection, result)
    check_boards(connection, events)
    renew_contents(connection, events)
    return Decision(id=number, changes=tuple(result), facts=told, **row)


def undo(connection: Connection, number: int) -> Decision:
    """Take a decision back: the rows that it changed are as they were before it.

    An undo can be undone, too. Refused where something rests on the decision: a later one, or an import,
    has changed the same rows.
    """
    one = decision(connection, number)
    if one.kind == "erase":
        raise UsageError(f"decision {number} erased personal data: nothing is kept that could restore them")
    if not one.in_effect:
        raise UsageError(
            f"decision {number} was undone already, by decision {one.undone_by}: undo that one to have it back"
        )
    if one.kind == "withdraw":
        raise UsageError(f"decision {number} took an import out: import {one.facts.get('file')} again")
    back = reverse(one.changes)
    if rest := stale(connection, back):
        raise UsageError(_rests(connection, one, rest))
    result = decide(
        connection,
        "undo",
        one.subject,
        f"undo of {number}: {one.words()}",
        back,
        about=one.about(),
        undoes=number,
    )
    _mark(connection, number, result.id)
    return result


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

    `about`: Only what is about one of these: `player 12`, `event 3`.
    `in_effect`: Only what holds: undone decisions, and undos, are left out.
    """
    t = tables.decisions
    query = sa.select(t).order_by(t.c.id)
    if kind is not None:
        query = query.where(t.c.kind == kind)
    if in_effect:
        query = query.where(t.c.undone_by.is_(None), t.c.kind != "undo")
    result = [_of(row) for row in connection.execute(query)]
    wanted = set(about)
    return [d for d in result if not wanted or wanted.intersection(d.about())]


def _of(row: sa.Row[Any]) -> Decision:
    after = dict(row.after or {})
    changes = from_documents((row.before or {}).get("rows", []), after.pop("rows", []))
    plain = {name: getattr(row, name) for name in ("id", "when", "who", "why", "kind", "subject")}
    return Decision(**plain, changes=tuple(changes), facts=after, undoes=row.undoes, undone_by=row.undone_by)


def _reason(connection: Connection) -> str:
    why = str(connection.info.get("why") or "").strip()
    if not why:
        raise UsageError("expected a reason for the decision, found none", code="no-reason")
    if len(why) > LONGEST_WHY:
        raise UsageError(f"expected a reason of at most {LONGEST_WHY} letters, found {len(why)}")
    return check_text(why)


def check_text(text: str) -> str:
    """Return a text that both databases can hold; refuse NUL and halves of characters."""
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise UsageError(f"expected text, found a NUL or half a character in {text[:80]!r}")
    return text


def _settled(connection: Connection, doubt: int, by: int) -> RowChange:
    change = row_change(connection, tables.doubts, doubt, settled_by=by)
    if change is None or change.before is None or change.before["settled_by"] is not None:
        raise UsageError(f"doubt {doubt} was settled already (arpad queue lists the open ones)")
    return change


def _mark(connection: Connection, number: int, undone_by: int | None) -> None:
    """Say of a decision that it holds, or by what it does not; an undo turns what it undid the other way."""
    t = tables.decisions
    connection.execute(t.update().where(t.c.id == number).values(undone_by=undone_by))
    target = connection.execute(sa.select(t.c.undoes).where(t.c.id == number)).scalar()
    if target is not None:
        _mark(connection, target, number if undone_by is None else None)


def _rests(connection: Connection, one: Decision, rest: list[RowChange]) -> str:
    cells = set().union(*(change.cells() for change in rest))
    t = tables.decisions
    later = connection.execute(sa.select(t).where(t.c.id > one.id).order_by(t.c.id.desc()))
    for row in later:
        result = _of(row)
        if result.in_effect and any(cells & change.cells() for change in result.changes):
            return (
                f"decision {result.id} ({result.words()}) rests on decision {one.id}: undo {result.id} first"
            )
    what = ", ".join(sorted({f"{table} {key}" for table, key, _ in cells}))
    return f"decision {one.id} cannot be undone: {what} was changed since, by an import"


# Decisions looked for: by who, kind, what they are about, and words; a page of them at a time.


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDecisions:
    """A page of the log, the newest first, and how many there are in all."""

    decisions: tuple[Decision, ...]
    total: int


def deciders(connection: Connection) -> list[str]:
    """Return everybody who has decided something, by name."""
    d = tables.decisions.c
    return list(connection.execute(sa.select(d.who).distinct().order_by(d.who)).scalars())


def found_decisions(
    connection: Connection,
    *,
    who: str | None = None,
    kind: str | None = None,
    about: Sequence[str] = (),
    text: str = "",
    limit: int = 50,
    offset: int = 0,
) -> FoundDecisions:
    """Return a page of the log.

    `about`: Only what is about one of these: `player 12`, `event 3`.
    `text`: Only what has all of its words in what was decided, in the reason, or in who decided.
    """
    d = tables.decisions.c
    where = []
    if who:
        where.append(d.who == who)
    if kind:
        where.append(d.kind == kind)
    if about:
        where.append(_names_one_of(about))
    for word in check_text(text).lower().split():
        places = (d.why, d.who, d.kind, d.subject, sa.cast(d.after, sa.Text))
        forms = {word, word.capitalize()}
        where.append(
            sa.or_(
                *(sa.func.lower(place).contains(form, autoescape=True) for place in places for form in forms)
            )
        )
    total = connection.execute(
        sa.select(sa.func.count()).select_from(tables.decisions).where(*where)
    ).scalar_one()
    page = sa.select(tables.decisions).where(*where).order_by(d.id.desc()).limit(limit).offset(offset)
    return FoundDecisions(decisions=tuple(map(_of, connection.execute(page))), total=int(total))


def _names_one_of(about: Sequence[str]) -> sa.ColumnElement[bool]:
    """Say whether a decision is about one of these: the log is text, and its strings stand in quotation marks."""
    d = tables.decisions.c
    more = sa.cast(d.after, sa.Text)
    return sa.or_(d.subject.in_(about), *(more.contains(f'"{one}"', autoescape=True) for one in about))


# The part of the log that is about somebody or something, without reading the rest of it.


def decisions_about(connection: Connection, about: Sequence[str], *, most: int = 50) -> list[Decision]:
    """Return the last decisions about one of these (`player 12`, `event 3`), the newest first."""
    query = sa.select(tables.decisions).where(_names_one_of(about)).order_by(tables.decisions.c.id.desc())
    read = map(_of, connection.execute(query.limit(4 * most)))
    return [each for each in read if not {*about}.isdisjoint(each.about())][:most]


def missing_decisions(connection: Connection) -> Iterator[str]:
    """Say which decisions were taken out of the log: their numbers have no gap, and lists know the last one."""
    d, t = tables.decisions.c, tables.lists.c
    there = set(connection.execute(sa.select(d.id)).scalars())
    last = max(there, default=0)
    known = {
        name: (figures or {}).get("decisions", 0)
        for name, figures in connection.execute(sa.select(t.name, t.figures))
    }
    for number in range(1, last + 1):
        if number not in there:
            yield f"decision {number} is missing from the log"
    for name, number in known.items():
        if number > last:
            yield f"the log ends with decision {last}; list {name} was made when there were {number}"
