"""Personal data of one player: export all of it, or erase it and keep the games."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.backup import without_guards
from arpad.ledger.decisions.decisions import Decision, decide, decisions, documents, events_of, persons
from arpad.ledger.decisions.subjects import person
from arpad.ledger.games import renew_contents
from arpad.ledger.register import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection


ERASED = "erased"
"""The word in place of an id in the log."""
SHORTEST = 4
"""Characters of the shortest name or id that is replaced inside other texts."""
TEXTS: tuple[tuple[sa.Table, tuple[str, ...]], ...] = (
    (tables.decisions, ("why", "before", "after")),
    (tables.doubts, ("about", "document")),
    (tables.norms, ("verdict",)),
    (tables.events, ("document",)),
    (tables.entries, ("document",)),
    (tables.jobs, ("arguments", "says", "result")),
)
"""Columns that may mention a player beside the rows of the player."""


def erased_name(number: int) -> str:
    """Return the name of a player after the erasure.

    Examples
    --------
    >>> erased_name(12)
    'Erased player 12'
    """
    return f"Erased player {number}"


def export_person(connection: Connection, number: int) -> dict[str, Any]:
    """Return all that the ledger stores about a player, and about the players who were merged into this one.

    Keys: `players`, `ids`, `names`, `memberships`, `games`, `entries` (of lists), `norms`, `titles`,
    `decisions`, `questions` (of the queue).
    """
    who = person(connection, number, standing=True)
    numbers = persons(connection, [who.id])
    g, e, n, i = (t.c for t in (tables.games, tables.events, tables.entries, tables.lists))
    p = tables.policies.c
    games = (
        sa.select(tables.games, e.name.label("event"))
        .join(tables.events, e.id == g.event_id)
        .where(sa.or_(g.white_id.in_(numbers), g.black_id.in_(numbers)))
    )
    entries = (
        sa.select(p.name.label("policy"), i.name.label("list"), i.state, tables.entries)
        .join_from(tables.entries, tables.lists, i.id == n.list_id)
        .join(tables.policies, p.id == i.policy_id)
        .where(n.player_id.in_(numbers))
    )
    own = {
        name: sa.select(table).where(table.c.player_id.in_(numbers))
        for name, table in (
            ("ids", tables.player_ids),
            ("names", tables.player_names),
            ("memberships", tables.memberships),
            ("norms", tables.norms),
            ("titles", tables.titles),
            ("questions", tables.doubts),
        )
    }
    queries = {
        "players": sa.select(tables.players).where(tables.players.c.id.in_(numbers)),
        **own,
        "games": games.order_by(g.id),
        "entries": entries.order_by(n.list_id),
    }
    rows = {
        name: [dict(row._mapping) for row in connection.execute(query)] for name, query in queries.items()
    }
    log = decisions(connection, about=[f"player {one}" for one in numbers])
    return {**rows, "decisions": [_decision_dict(one) for one in log]}


def _decision_dict(one: Decision) -> dict[str, Any]:
    before, after = documents(one.changes)
    plain = {name: getattr(one, name) for name in ("id", "when", "who", "why", "kind", "subject")}
    return {**plain, "what": one.words(), "before": before, "after": after}


def erase_person(connection: Connection, number: int) -> Decision:
    """Erase the personal data of a player; games, ratings, title and federation stay.

    The name becomes `Erased player N`, also on published lists. Of the birth the year stays, because ratings of
    juniors follow from it. Sex, ids, other spellings and memberships are deleted. The log, the queue, verdicts on
    norms and background jobs keep their entries without these data. The decision cannot be undone.
    """
    who = person(connection, number, standing=True)
    numbers = persons(connection, [who.id])
    names, others = _secrets(connection, numbers)
    if names <= {erased_name(one) for one in numbers}:
        raise UsageError(f"the personal data of player {number} were erased before")
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(
            "PRAGMA secure_delete = ON"
        )  # else old values stay in free pages of the file
    with without_guards(connection):  # published lists and the log are frozen for every other write
        _erase_rows(connection, numbers)
        about = [f"player {one}" for one in numbers]
        words = f"personal data of player {who.id} erased"
        decision = decide(connection, "erase", who.subject, words, about=about)
        _redact(connection, who.id, numbers, names, others)  # the reason may have the name
    renew_contents(connection, events_of(connection, numbers))
    return decision


def _erase_rows(connection: Connection, numbers: Sequence[int]) -> None:
    t, n, entry = tables.players, tables.player_names, tables.entries
    for table in (tables.player_ids, tables.memberships, n):
        connection.execute(table.delete().where(table.c.player_id.in_(numbers)))
    births = dict(connection.execute(sa.select(t.c.id, t.c.birth).where(t.c.id.in_(numbers))).all())
    for one in numbers:
        name = erased_name(one)
        year = births[one][:4] if births[one] else None
        connection.execute(t.update().where(t.c.id == one).values(name=name, birth=year, sex=None))
        connection.execute(n.insert().values(player_id=one, name=name, fold=fold(name)))
        connection.execute(entry.update().where(entry.c.player_id == one).values(name=name))


def _secrets(connection: Connection, numbers: Sequence[int]) -> tuple[set[str], set[str]]:
    """Return every name of the players, and their ids and days of birth, past ones included."""
    p, n, i = tables.players.c, tables.player_names.c, tables.player_ids.c
    names = set(connection.execute(sa.select(n.name).where(n.player_id.in_(numbers))).scalars())
    others = set(connection.execute(sa.select(i.value).where(i.player_id.in_(numbers))).scalars())
    for name, birth in connection.execute(sa.select(p.name, p.birth).where(p.id.in_(numbers))):
        names.add(name)
        others.add(birth or "")
    entries = sa.select(tables.entries.c.name).where(tables.entries.c.player_id.in_(numbers)).distinct()
    names |= set(connection.execute(entries).scalars())
    for decision in decisions(connection, about=[f"player {one}" for one in numbers]):
        for change in decision.changes:
            sides = [side for side in (change.before, change.after) if side is not None]
            if change.table == "players" and change.key.get("id") in numbers:
                names |= {side["name"] for side in sides if side.get("name")}
                others |= {side["birth"] for side in sides if side.get("birth")}
            elif change.table == "player_names" and change.key.get("player_id") in numbers:
                names.add(change.key["name"])
            elif change.table == "player_ids" and any(side.get("player_id") in numbers for side in sides):
                others.add(change.key["value"])
    return names, {each for each in others if len(each) > SHORTEST}


def _redact(
    connection: Connection, number: int, numbers: Sequence[int], names: set[str], others: set[str]
) -> None:
    """Replace names, ids and days of birth in the texts of the ledger.

    A name that somebody else has too is replaced only in rows about the player; so are ids and days of birth.
    """
    n = tables.player_names.c
    names |= {fold(name) for name in names} | {" ".join(reversed(name.split(", "))) for name in names}
    shared = {
        word
        for kept in (n.name, n.fold)
        for word in connection.execute(
            sa.select(kept).where(kept.in_(names), n.player_id.not_in(numbers))
        ).scalars()
    }
    long = {name for name in names if len(name) >= SHORTEST}
    own = _Redaction(number, long, others)
    anywhere = _Redaction(number, long - shared, ())
    subjects = {f"player {one}" for one in numbers}
    for table, columns in TEXTS:
        keys = [column.name for column in table.primary_key.columns]
        texts = [sa.cast(table.c[column], sa.Text) for column in columns]
        patterns = {json.dumps(each, ensure_ascii=False)[1:-1] for each in own.secrets} | set(own.secrets)
        if not patterns:
            return
        result = sa.or_(*(text.contains(each, autoescape=True) for text in texts for each in patterns))
        for row in connection.execute(sa.select(table).where(result)).mappings().all():
            about = (
                row.get("player_id") in numbers
                or row.get("subject") in subjects
                or bool(subjects.intersection((row.get("after") or {}).get("about", ())))
            )
            redaction = own if about else anywhere
            values = {column: redaction(row[column]) for column in columns}
            changed = {column: value for column, value in values.items() if value != row[column]}
            if changed:
                at = [table.c[key] == row[key] for key in keys]
                connection.execute(table.update().where(*at).values(**changed))


class _Redaction:
    """Replaces names, ids and days of birth in strings, lists and dictionaries."""

    def __init__(self, number: int, names: Iterable[str], others: Iterable[str]) -> None:
        replacements = {name: erased_name(number) for name in names}
        for each in others:
            is_day = each[4:5] == "-" and each[:4].isdigit()
            replacements[each] = each[:4] if is_day else ERASED
        self.secrets = sorted(replacements, key=len, reverse=True)
        self._replacements = replacements

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            for each in self.secrets:
                value = value.replace(each, self._replacements[each])
            return value
        if isinstance(value, dict):
            return {key: self(each) for key, each in value.items()}
        return [self(each) for each in value] if isinstance(value, list) else value
