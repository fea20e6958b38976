"""Corrections of players, events and games; merges; what is left out of every list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.db.bulk import frame, next_id
from arpad.ledger.db.tables import now, row_number
from arpad.ledger.decisions.decisions import (
    RowChange,
    check_text,
    decide,
    decisions,
    persons,
    reverse,
    row_change,
    stale,
)
from arpad.ledger.decisions.subjects import event_row, person, today
from arpad.ledger.games import dated, result_text
from arpad.ledger.imports.duplicates import duplicate_doubts, duplicates_of_merge
from arpad.ledger.register import among, fold
from arpad.model import Status
from arpad.read.fields import TimeControl
from arpad.read.trf import SEXES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    import polars as pl
    from sqlalchemy.engine import Connection

    from arpad.ledger.decisions.decisions import Decision, DecisionKind
    from arpad.ledger.decisions.subjects import Person


# Corrections of players and events: what a report had wrong, or did not say.

BIRTH = re.compile(r"(1[5-9]|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
FORGET = ("", "-", "none")
"""Sign that an officer writes for "not known"."""
LONGEST_NAME = 200


def correct_player(
    connection: Connection, number: int, *, ids: Mapping[str, str | None] | None = None, **values: str | None
) -> Decision:
    """Correct name, birth, federation, sex, title or ids of a player.

    `ids`: By scheme, `fide`, `uscf`, …; None takes the id away. An id of somebody else is refused.
    `values`: `name`, `birth` (YYYY, YYYY-MM or YYYY-MM-DD), `federation`, `sex` (m, w), `title`; None: not
    known.
    """
    who = person(connection, number, standing=True)
    plain = {name: _checked(name, value) for name, value in values.items()}
    changes = [row_change(connection, tables.players, who.id, **plain)] if plain else []
    if plain.get("name"):
        changes.append(_spelling(connection, who.id, str(plain["name"])))
    for scheme, value in (ids or {}).items():
        changes += _id(connection, who.id, scheme.strip().lower(), value)
    result = [change for change in changes if change is not None]
    if not result:
        raise UsageError(f"nothing changes: {who.called()} has these values already")
    words = [f"{n} {_text(getattr(who, n))} → {_text(v)}" for n, v in plain.items() if getattr(who, n) != v]
    words += [f"{scheme} id {value}" for scheme, value in (ids or {}).items()]
    return decide(connection, "correct", who.subject, f"{who.called()}: {', '.join(words)}", result)


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
    for name, text in values.items():
        check_text(text if isinstance(text, str) else "")
        if isinstance(text, str) and len(text) > LONGEST_NAME:
            raise UsageError(f"expected a {name} of at most {LONGEST_NAME} letters, found {len(text)}")
    if "name" in values and not str(values["name"] or "").strip():
        raise UsageError("expected a name of the event, found none")
    change = row_change(connection, tables.events, which.id, **values)
    if change is None or change.before is None:
        raise UsageError(f"nothing changes: {which.called()} has these values already")
    start = values.get("start", which.start)
    end: date | None = values.get("end", which.end)
    if start is not None and end is not None and start > end:
        raise UsageError(f"expected an event that begins before it ends, found {start} to {end}")
    words = [f"{n} {_text(v)} → {_text(values[n])}" for n, v in change.before.items()]
    return decide(connection, "correct", which.subject, f"{which.called()}: {', '.join(words)}", [change])


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


def _spelling(connection: Connection, player: int, name: str) -> RowChange | None:
    """Return the change that makes a new spelling known, so that the next file is matched by it."""
    n = tables.player_names
    key = {"player_id": player, "name": name}
    there = connection.execute(
        sa.select(n.c.fold).where(n.c.player_id == player, n.c.name == name)
    ).one_or_none()
    if there is not None:
        return None
    return RowChange(table=n.name, key=key, before=None, after={"fold": fold(name)})


def _id(connection: Connection, player: int, scheme: str, value: str | None) -> list[RowChange]:
    i = tables.player_ids
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", scheme):
        raise UsageError(f"expected a scheme of ids such as fide or uscf, found {scheme!r}")
    value = None if value is None or value.strip().lower() in FORGET else check_text(value.strip())
    own = connection.execute(
        sa.select(i.c.value).where(i.c.scheme == scheme, i.c.player_id == player).order_by(i.c.value)
    ).scalars()
    gone = [v for v in own if v != value]
    changes = [
        RowChange(table=i.name, key={"scheme": scheme, "value": v}, before={"player_id": player}, after=None)
        for v in gone
    ]
    if value is None:
        return changes
    owner = connection.execute(
        sa.select(i.c.player_id).where(i.c.scheme == scheme, i.c.value == value)
    ).scalar()
    if owner is None:
        changes.append(
            RowChange(
                table=i.name, key={"scheme": scheme, "value": value}, before=None, after={"player_id": player}
            )
        )
    elif today(connection, owner) != player:
        other = person(connection, today(connection, owner))
        raise UsageError(
            f"the {scheme} id {value} is {other.called()}'s: merge the two, or correct that one first"
        )
    return changes


# Corrections of games: result, colours, status, player, day, round, given ratings.

FIELDS = (
    *("score", "black_score", "status", "white_id", "black_id", "date", "precision", "round"),
    *("board", "white_rating", "black_rating"),
)
MOST_RATING = 10_000.0


def game_row(connection: Connection, number: int) -> dict[str, Any]:
    """Return a game of the ledger by its number."""
    g = tables.games
    row = connection.execute(sa.select(g).where(g.c.id == row_number(number))).one_or_none()
    if row is None:
        raise UsageError(
            f"expected a game of the ledger, found none with the number {number} (arpad ledger show EVENT lists them)"
        )
    return dict(row._mapping)


def correct_game(connection: Connection, number: int, *, swap: bool = False, **values: Any) -> Decision:
    """Correct a game.

    `swap`: The colours were the other way round; the result stays with its player.
    `values`: `score` (White's share), `black_score`, `status`, `white_id`, `black_id`, `date`, `round`,
    `white_rating`, `black_rating`. Of a corrected day the day is known.
    """
    if strange := sorted(set(values) - set(FIELDS)):
        raise UsageError(f"a game has no {strange[0]!r} to correct; it has {', '.join(FIELDS)}")
    now = game_row(connection, number)
    wanted = {**_swapped(now), **values} if swap else dict(values)
    if "date" in wanted:
        wanted.setdefault("precision", None if wanted["date"] is None else "day")
    return change_game(connection, number, "correct", wanted)


def change_game(
    connection: Connection, number: int, kind: DecisionKind, wanted: dict[str, Any], words: str = ""
) -> Decision:
    """Write a changed game; the days of its event follow."""
    now = game_row(connection, number)
    then = {**now, **wanted}
    if "score" in wanted and "black_score" not in wanted:
        wanted["black_score"] = None if then["score"] is None else 1.0 - then["score"]
        then |= wanted
    _check(connection, then)
    change = row_change(connection, tables.games, number, **wanted)
    if change is None:
        raise UsageError(f"nothing changes: game {number} is {game_words(connection, now)} already")
    event = event_row(connection, now["event_id"])
    changes = [change]
    if "date" in wanted and (days := _days(connection, now, wanted)) is not None:
        changes.append(days)
    sides = {now["white_id"], now["black_id"], then["white_id"], then["black_id"]} - {None}
    told = words or _difference(connection, now, then)
    return decide(
        connection,
        kind,
        f"game {number}",
        f"{event.name}, game {number}: {told}",
        changes,
        about=[event.subject, *(f"player {p}" for p in sides)],
    )


def game_words(connection: Connection, game: dict[str, Any]) -> str:
    """Return a game in a line: who played whom, and how it ended."""
    white = person(connection, game["white_id"]).name
    black = "" if game["black_id"] is None else f" – {person(connection, game['black_id']).name}"
    return f"{white}{black} {_result(game)}"


def _result(game: dict[str, Any]) -> str:
    extra = f" ({game['status']})" if game["status"] in ("unrated", "unplayed") else ""
    return result_text(game["score"], game["black_score"], game["status"]) + extra


def _difference(connection: Connection, now: dict[str, Any], then: dict[str, Any]) -> str:
    """Return what was and what is, in as few words as tell it."""
    others = any(now[side] != then[side] for side in ("white_id", "black_id"))
    words = game_words(connection, now)
    if others:
        words += f" → {game_words(connection, then)}"
    elif _result(now) != _result(then):
        words += f" → {_result(then)}"
    beside = ("date", "round", "board", *(() if others else ("white_rating", "black_rating")))
    more = [
        f"{name.replace('_', ' ')} {now[name]} → {then[name]}" for name in beside if now[name] != then[name]
    ]
    return "; ".join([words, *more])


def _swapped(game: dict[str, Any]) -> dict[str, Any]:
    if game["black_id"] is None:
        raise UsageError(f"game {game['id']} is a bye: it has no colours to swap")
    pairs = (("white_id", "black_id"), ("score", "black_score"), ("white_rating", "black_rating"))
    return {a: game[b] for pair in pairs for a, b in (pair, pair[::-1])}


def _check(connection: Connection, game: dict[str, Any]) -> None:  # noqa: C901
    status, white, black = game["status"], game["white_id"], game["black_id"]
    if status not in get_args(Status):
        raise UsageError(f"expected a status, {', '.join(get_args(Status))}; found {status!r}")
    person(connection, white)
    if black is not None:
        person(connection, black)
        if today(connection, white) == today(connection, black):
            raise UsageError(f"expected two players, found player {today(connection, white)} twice")
    if (status == "bye") != (black is None):
        raise UsageError("a bye has no opponent, and every other pairing has one")
    scores = [game["score"], game["black_score"]]
    for score in scores:
        if score is not None and not 0 <= score <= 1:
            raise UsageError(f"expected a score from 0 to 1, found {score!r}")
    if status == "played" and (None in scores or sum(scores) != 1):
        raise UsageError(
            f"the scores of a played game add up to one point, found {scores[0]!r} and {scores[1]!r}: "
            "give both scores, or the status unrated"
        )
    if (status == "unplayed") != (scores[0] is None):
        raise UsageError("a game without a result is unplayed, and an unplayed game has no result: give both")
    for side in ("white_rating", "black_rating"):
        rating = game[side]
        if rating is not None and not -MOST_RATING <= rating <= MOST_RATING:
            raise UsageError(f"expected a rating, found {rating!r}")


def _days(connection: Connection, now: dict[str, Any], wanted: dict[str, Any]) -> RowChange | None:
    """Return the change of an event's days that a corrected day of a game brings.

    The days follow those of the games where they did so before; else they only stretch.
    """
    g = tables.games
    event = event_row(connection, now["event_id"])
    rows = frame(
        connection,
        sa.select(g.c.id, g.c.event_id.label("event"), g.c.date, g.c.precision)
        .where(g.c.event_id == event.id)
        .order_by(g.c.id),
    )
    import polars as pl

    after = rows.with_columns(
        pl.when(pl.col("id") == now["id"])
        .then(pl.lit(wanted["date"], pl.Date))
        .otherwise("date")
        .alias("date"),
        pl.when(pl.col("id") == now["id"])
        .then(pl.lit(wanted["precision"], pl.String))
        .otherwise("precision")
        .alias("precision"),
    )
    was, will = dated(rows).row(0, named=True), dated(after).row(0, named=True)
    days: dict[str, date | None] = {}
    for name, pick in (("start", min), ("end", max)):
        own, result = getattr(event, name), will[name]
        follows = own == was[name]
        stretched = pick([d for d in (own, result) if d is not None], default=None)
        days[name] = result if follows and result is not None else stretched
    return row_change(connection, tables.events, event.id, **days)


# What does not count: events and games that are left out of every list, and taken in again.


def exclude_event(connection: Connection, number: int, *, settles: int | None = None) -> Decision:
    """Leave an event out of every list from now on."""
    return _event(connection, number, excluded=True, settles=settles)


def include_event(connection: Connection, number: int) -> Decision:
    """Let an event count again."""
    return _event(connection, number, excluded=False, settles=None)


def _event(connection: Connection, number: int, *, excluded: bool, settles: int | None) -> Decision:
    event = event_row(connection, number)
    if event.excluded == excluded:
        said = "does not count already" if excluded else "counts already"
        raise UsageError(f"{event.called()} {said}")
    return decide(
        connection,
        "exclude" if excluded else "include",
        event.subject,
        f"{event.called()} {'does not count' if excluded else 'counts'}",
        [
            row_change(connection, tables.events, event.id, excluded=excluded),
            *(copies_instead(connection, event.id) if excluded else ()),
        ],
        settles=settles,
    )


def exclude_game(connection: Connection, number: int) -> Decision:
    """Leave a game out of every list: its points stay, its rating does not (status `unrated`)."""
    game = game_row(connection, number)
    if game["status"] != "played":
        raise UsageError(f"game {number} is {game['status']}: only a game that was played can be excluded")
    words = f"{game_words(connection, game)} does not count"
    return change_game(connection, number, "exclude", {"status": "unrated"}, words)


def include_game(connection: Connection, number: int) -> Decision:
    """Let a game count that was played and excluded."""
    game = game_row(connection, number)
    if game["status"] != "unrated":
        raise UsageError(f"game {number} is {game['status']}: only an excluded game (unrated) is included")
    words = f"{game_words(connection, game)} counts"
    return change_game(connection, number, "include", {"status": "played"}, words)


# Two players who are one person, and two who are not.

FILLED = ("birth", "federation", "sex", "title")
"""Fields that a merged player passes on if the other has none."""


def merge(
    connection: Connection, other: int, into: int, *, kind: DecisionKind = "merge", settles: int | None = None
) -> Decision:
    """Decide that a player is another: all games of `other` are those of `into` from now on.

    Games keep the player they were imported with, so that the merge can be taken back. Refused for one and
    the same player, in a circle, and for two who sat at one board.
    """
    gone = person(connection, other, standing=True)
    stays = person(connection, today(connection, into))
    if gone.id == stays.id:
        raise UsageError(
            f"{gone.called()} is one player already: a merge wants two"
            if other == into
            else f"#{into} was merged into {gone.called()}: the other way round would be a circle"
        )
    _check_apart(connection, gone, stays)
    changes: list[RowChange | None] = [row_change(connection, tables.players, gone.id, merged_into=stays.id)]
    fresh = {
        name: getattr(gone, name)
        for name in FILLED
        if getattr(stays, name) is None and getattr(gone, name) is not None
    }
    if fresh:
        changes.append(row_change(connection, tables.players, stays.id, **fresh))
    notes = merge_doubts(connection, gone, stays)
    duplicates = duplicates_of_merge(connection, gone.id, stays.id)
    if twice := duplicates.height:
        changes += _counted_once(connection, duplicates)
        notes.append(
            f"{twice:,} game{' is' if twice == 1 else 's are'} in two events and count{'s' if twice == 1 else ''}"
            " once until somebody decides: in the queue"
        )
    return decide(
        connection,
        kind,
        gone.subject,
        f"{gone.called()} is {stays.called()}",
        changes,
        about=[stays.subject],
        settles=settles,
        player=gone.id,
        into=stays.id,
        notes=notes or None,
    )


def _counted_once(connection: Connection, duplicates: pl.DataFrame) -> list[RowChange | None]:
    """Return the changes that let one of two equal games wait in the queue, and not count."""
    e, g = tables.events, tables.games
    numbers = sorted({*duplicates["own"], *duplicates["event"]})
    size = sa.select(sa.func.count()).where(g.c.event_id == e.c.id).scalar_subquery()
    rows = connection.execute(
        sa.select(e.c.id, e.c.name, e.c.start, e.c.end, size.label("games")).where(e.c.id.in_(numbers))
    )
    doubts = duplicate_doubts(duplicates, {row.id: dict(row._mapping) for row in rows})
    first = next_id(connection, tables.doubts)
    empty = {"opened": now(), "import_id": None, "settled_by": None}
    return [
        *(row_change(connection, g, game, status="unrated") for game in duplicates["id"]),
        *(
            RowChange(table="doubts", key={"id": first + at}, before=None, after={**doubt, **empty})
            for at, doubt in enumerate(doubts)
        ),
    ]


def copies_of(connection: Connection, games: Sequence[int]) -> dict[int, set[int]]:
    """Return all copies of each of these games, itself among them, as the queue names them."""
    d, c = tables.doubts.c, tables.decisions.c
    query = sa.select(d.document, c.after).outerjoin(tables.decisions, c.id == d.settled_by)
    copies: dict[int, set[int]] = {game: {game} for game in games}
    for document, settled in connection.execute(query.where(d.kind == "event").order_by(d.id)):
        if (settled or {}).get("choice") == "add":
            continue  # somebody said that they are different games
        for pair in (document or {}).get("duplicates", ()):
            joined = set().union(*(copies.get(game, {game}) for game in pair))
            copies |= dict.fromkeys(joined, joined)
    return {game: copies[game] for game in games}


def copies_instead(connection: Connection, event: int) -> list[RowChange | None]:
    """Return the changes that let copies of an event's games count, because the event no longer does."""
    g, e = tables.games.c, tables.events.c
    own = list(connection.execute(sa.select(g.id).where(g.event_id == event, g.status == "played")).scalars())
    copies = {game: result for game, result in copies_of(connection, own).items() if len(result) > 1}
    query = sa.select(g.id, g.status).join(tables.events, e.id == g.event_id)
    there = among(
        connection,
        query.where(e.excluded.is_(False), e.id != event),
        g.id,
        sorted(set().union(*copies.values())),
        g.id,
    )
    status = dict(there.iter_rows())
    result = []
    for copy in copies.values():
        counting = [status[game] for game in sorted(copy) if game in status]
        if counting and "played" not in counting:
            game = min(game for game in copy if game in status)
            result.append(row_change(connection, tables.games, game, status="played"))
    return result


def unmerge(connection: Connection, other: int) -> Decision:
    """Decide that a player who was merged into another is a person of his own.

    What the other took over from him at the merge goes back, too, if it still stands.
    """
    gone = person(connection, other)
    if gone.merged_into is None:
        raise UsageError(f"{gone.called()} is not merged into another player")
    stays = person(connection, gone.merged_into)
    changes: list[RowChange | None] = [row_change(connection, tables.players, gone.id, merged_into=None)]
    merged = _merged_by(connection, gone, stays)
    if taken := _taken_over(merged, stays):
        changes.append(row_change(connection, tables.players, stays.id, **dict.fromkeys(taken, None)))
    back = reverse([c for c in merged if c.table == "games" or c.before is None])
    if not stale(connection, back):
        changes += back
    return decide(
        connection,
        "unmerge",
        gone.subject,
        f"{gone.called()} is not {stays.called()}",
        changes,
        about=[stays.subject],
        player=gone.id,
        into=stays.id,
    )


def _merged_by(connection: Connection, gone: Person, stays: Person) -> Sequence[RowChange]:
    """Return what the last merge of these two has changed."""
    for result in reversed(decisions(connection, about=[gone.subject], in_effect=True)):
        if result.kind in ("merge", "match") and result.facts.get("into") == stays.id:
            return result.changes
    return ()


def _taken_over(merged: Sequence[RowChange], stays: Person) -> list[str]:
    """Return the fields that a merge has filled and that still stand so."""
    return [
        name
        for change in merged
        if change.table == "players" and change.key == {"id": stays.id} and change.after
        for name, value in change.after.items()
        if name in FILLED and getattr(stays, name) == value
    ]


def _check_apart(connection: Connection, gone: Person, stays: Person) -> None:
    """Refuse two who sat at one board: nobody plays himself."""
    g, e = tables.games, tables.events
    mine, theirs = (persons(connection, [p.id]) for p in (gone, stays))
    met = sa.or_(
        sa.and_(g.c.white_id.in_(mine), g.c.black_id.in_(theirs)),
        sa.and_(g.c.white_id.in_(theirs), g.c.black_id.in_(mine)),
    )
    row = connection.execute(
        sa.select(e.c.name, g.c.round).join(e, e.c.id == g.c.event_id).where(met).order_by(g.c.id).limit(1)
    ).one_or_none()
    if row is not None:
        where = f"{row.name}{f', round {row.round}' if row.round else ''}"
        raise UsageError(
            f"{gone.called()} and {stays.called()} were paired with each other ({where}): they are two persons, or "
            "that game is wrong: correct it first"
        )


def merge_doubts(connection: Connection, one: Person, other: Person) -> list[str]:
    """Return what speaks against two players being one person, in words."""
    notes = []
    for name in ("birth", "sex"):
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine and theirs and not (mine.startswith(theirs) or theirs.startswith(mine)):
            notes.append(f"{name}: {mine} and {theirs}")
    ids = [_ids(connection, persons(connection, [p.id])) for p in (one, other)]
    notes += [
        f"{scheme} ids: {ids[0][scheme]} and {ids[1][scheme]}"
        for scheme in sorted(ids[0].keys() & ids[1].keys())
        if ids[0][scheme] != ids[1][scheme]
    ]
    if shared := _both(connection, one, other):
        notes.append(f"both have games in {', '.join(shared)}")
    return notes


def _ids(connection: Connection, players: Sequence[int]) -> dict[str, str]:
    i = tables.player_ids
    rows = connection.execute(
        sa.select(i.c.scheme, i.c.value).where(i.c.player_id.in_(players)).order_by(i.c.scheme, i.c.value)
    ).all()
    schemes = sorted({scheme for scheme, _ in rows})
    return {s: ", ".join(v for scheme, v in rows if scheme == s) for s in schemes}


def _both(connection: Connection, one: Person, other: Person) -> list[str]:
    from arpad.ledger.decisions.decisions import events_of

    mine, theirs = (set(events_of(connection, persons(connection, [p.id]))) for p in (one, other))
    e = tables.events
    both = sorted(mine & theirs)[:5]
    query = sa.select(e.c.name).where(e.c.id.in_(both)).order_by(e.c.id)
    return [str(name) for name in connection.execute(query).scalars()]
