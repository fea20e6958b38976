"""Corrections of games: result, colours, status, player, day, round, given ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import sqlalchemy as sa

from arpad.errors import UsageError
from arpad.office.deciding.changes import row_change
from arpad.office.deciding.decisions import decide
from arpad.office.deciding.subjects import event_row, person, today
from arpad.office.records.editions import dated
from arpad.office.records.results import result_text
from arpad.schema import Status
from arpad.store.ledger import tables
from arpad.store.ledger.bulk import frame
from arpad.store.ledger.column_types import row_number

if TYPE_CHECKING:
    from datetime import date

    from sqlalchemy.engine import Connection

    from arpad.office.deciding.changes import Change
    from arpad.office.deciding.decisions import Decision, DecisionKind

__all__ = ["change_game", "correct_game", "game_row", "game_words"]

FIELDS = (
    "score", "black_score", "status", "white_id", "black_id", "date", "precision", "round", "board",
    "white_rating", "black_rating",
)  # fmt: skip
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


def correct_game(
    connection: Connection, number: int, *, swap: bool = False, **values: Any
) -> Decision:
    """Correct a game.

    Parameters
    ----------
    swap
        The colours were the other way round; the result stays with its player.
    values
        `score` (White's share), `black_score`, `status`, `white_id`, `black_id`, `date`, `round`,
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
        f"{name.replace('_', ' ')} {now[name]} → {then[name]}"
        for name in beside
        if now[name] != then[name]
    ]
    return "; ".join([words, *more])


def _swapped(game: dict[str, Any]) -> dict[str, Any]:
    if game["black_id"] is None:
        raise UsageError(f"game {game['id']} is a bye: it has no colours to swap")
    pairs = (("white_id", "black_id"), ("score", "black_score"), ("white_rating", "black_rating"))
    return {a: game[b] for pair in pairs for a, b in (pair, pair[::-1])}


def _check(connection: Connection, game: dict[str, Any]) -> None:
    status, white, black = game["status"], game["white_id"], game["black_id"]
    if status not in get_args(Status):
        raise UsageError(f"expected a status, {', '.join(get_args(Status))}; found {status!r}")
    person(connection, white)
    if black is not None:
        person(connection, black)
        if today(connection, white) == today(connection, black):
            raise UsageError(f"expected two players, found player {today(connection, white)} twice")
    if (status == "bye") != (black is None):
        raise UsageError("a bye has no opponent, and nothing else has none")
    scores = [game["score"], game["black_score"]]
    for score in scores:
        if score is not None and not 0 <= score <= 1:
            raise UsageError(f"expected a score from 0 to 1, found {score!r}")
    if status == "played" and (None in scores or sum(scores) != 1):
        raise UsageError(
            f"a game that was played shares out one point, found {scores[0]!r} and {scores[1]!r}: "
            "give both scores, or the status unrated"
        )
    if (status == "unplayed") != (scores[0] is None):
        raise UsageError("a game without a result is unplayed, and nothing else is: give both")
    for side in ("white_rating", "black_rating"):
        rating = game[side]
        if rating is not None and not -MOST_RATING <= rating <= MOST_RATING:
            raise UsageError(f"expected a rating, found {rating!r}")


def _days(connection: Connection, now: dict[str, Any], wanted: dict[str, Any]) -> Change | None:
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
        pl.when(pl.col("id") == now["id"]).then(pl.lit(wanted["date"], pl.Date)).otherwise("date").alias("date"),
        pl.when(pl.col("id") == now["id"]).then(pl.lit(wanted["precision"], pl.String)).otherwise("precision").alias("precision"),
    )  # fmt: skip
    was, will = dated(rows).row(0, named=True), dated(after).row(0, named=True)
    days: dict[str, date | None] = {}
    for name, pick in (("start", min), ("end", max)):
        own, found = getattr(event, name), will[name]
        follows = own == was[name]
        stretched = pick([d for d in (own, found) if d is not None], default=None)
        days[name] = found if follows and found is not None else stretched
    return row_change(connection, tables.events, event.id, **days)
