"""Personal data of one player: export all of it, or erase it and keep the games."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.backup import without_guards
from arpad.ledger.decisions.decisions import Decision, decide, decisions, documents, events_of, persons
from arpad.ledger.decisions.subjects import person
from arpad.ledger.games import renew_contents
from arpad.ledger.register import fold, parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection


ERASED = "erased"
"""The word in place of an id in the log."""
SHORTEST = 4
"""Characters of the shortest name or id that is replaced inside other texts."""
COMMENT = re.compile(r"\{[^}]*\}|;[^\n]*")
"""A comment among the moves of a game."""
TEXTS: tuple[tuple[sa.Table, tuple[str, ...]], ...] = (
    (tables.decisions, ("why", "before", "after")),
    (tables.doubts, ("about", "document")),
    (tables.norms, ("verdict",)),
    (tables.events, ("name", "site", "document")),
    (tables.imports, ("file",)),
    (tables.moves, ("text",)),
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
    norms, background jobs, names of events and files, and comments of games keep their entries without these data.
    The decision cannot be undone.
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

    A name that somebody else has too is replaced only in rows about the player; so are ids, days of birth and
    the surname alone.
    """
    n, g = tables.player_names.c, tables.games.c
    folds = {name: fold(name) for name in names}
    theirs = n.player_id.not_in(numbers)
    same = sa.select(n.fold).where(n.fold.in_(list(folds.values())), theirs)
    shared = set(connection.execute(same).scalars())
    alone = {surname for name in names if (surname := _surname(connection, name, theirs))}
    own = _Redaction(number, names | alone, others)
    anywhere = _Redaction(number, {name for name in names if folds[name] not in shared}, ())
    subjects = {f"player {one}" for one in numbers}
    played = sa.select(g.id).where(sa.or_(g.white_id.in_(numbers), g.black_id.in_(numbers)))
    games = set(connection.execute(played).scalars())
    for table, columns in TEXTS:
        keys = [column.name for column in table.primary_key.columns]
        texts = [sa.cast(table.c[column], sa.Text) for column in columns]
        result = sa.or_(*(text.icontains(word, autoescape=True) for text in texts for word in own.words))
        for row in connection.execute(sa.select(table).where(result)).mappings().all():
            about = (
                row.get("player_id") in numbers
                or row.get("subject") in subjects
                or row.get("game_id") in games
                or bool(subjects.intersection((row.get("after") or {}).get("about", ())))
            )
            redaction = own if about else anywhere
            change = redaction.comments if table is tables.moves else redaction
            values = {column: change(row[column]) for column in columns}
            changed = {column: value for column, value in values.items() if value != row[column]}
            if changed:
                at = [table.c[key] == row[key] for key in keys]
                connection.execute(table.update().where(*at).values(**changed))


def _surname(connection: Connection, name: str, others: sa.ColumnElement[bool]) -> str:
    """Return the surname in a name, unless another player's name has the word too."""
    n = tables.player_names.c.fold
    surname = " ".join(parts(name)[0])
    query = sa.select(n).where(n.contains(surname), others)
    taken = any(f" {surname} " in f" {each} " for each in connection.execute(query).scalars())
    return "" if not surname or taken else name.partition(",")[0]


class _Redaction:
    """Replaces names, ids and days of birth in strings, lists and dictionaries.

    A name is found as whole words, surname first or last, whatever stands between the words, with and without
    accents.
    """

    def __init__(self, number: int, names: Iterable[str], others: Iterable[str]) -> None:
        self._name = erased_name(number)
        self._others = set(others)
        self.words = set(self._others)
        """Every text with something to replace has one of these words."""
        orders = {tuple(re.escape(each) for each in (value,)) for value in self._others}
        for name in names:
            words = re.findall(r"[^\W_]+", name)
            if len("".join(words)) < SHORTEST:
                continue
            for spelled in (words, [fold(word) for word in words]):
                orders |= {(*spelled[at:], *spelled[:at]) for at in range(len(spelled))}
                orders.add(tuple(sorted(spelled)))
                longest = max(spelled, key=len)
                self.words |= {longest, longest.lower(), longest.upper(), longest.title()}
        texts = sorted((r"[\W_]+".join(order) for order in orders), key=len, reverse=True)
        self._pattern = re.compile(rf"(?<![^\W_])(?:{'|'.join(texts) or '(?!)'})(?![^\W_])", re.IGNORECASE)

    def _replaced(self, match: re.Match[str]) -> str:
        text = match[0]
        if text not in self._others:
            return self._name
        return text[:4] if text[4:5] == "-" and text[:4].isdigit() else ERASED

    def comments(self, moves: str) -> str:
        """Replace in the comments of a game, and leave its moves as they are."""
        return COMMENT.sub(lambda comment: self(comment[0]), moves)

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._pattern.sub(self._replaced, value)
        if isinstance(value, dict):
            return {key: self(each) for key, each in value.items()}
        return [self(each) for each in value] if isinstance(value, list) else value
