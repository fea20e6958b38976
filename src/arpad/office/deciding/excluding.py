"""What does not count: events and games that are left out of every list, and taken in again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.errors import UsageError
from arpad.office.deciding.changes import row_change
from arpad.office.deciding.correcting_games import change_game, game_row, game_words
from arpad.office.deciding.decisions import decide
from arpad.office.deciding.subjects import event_row
from arpad.store.ledger import tables

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arpad.office.deciding.decisions import Decision

__all__ = ["exclude_event", "exclude_game", "include_event", "include_game"]


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
        [row_change(connection, tables.events, event.id, excluded=excluded)],
        settles=settles,
    )


def exclude_game(connection: Connection, number: int) -> Decision:
    """Leave a game out of every list: its points stay, its rating does not (status `unrated`)."""
    game = game_row(connection, number)
    if game["status"] != "played":
        raise UsageError(
            f"game {number} is {game['status']}: only a game that was played can be excluded"
        )
    words = f"{game_words(connection, game)} does not count"
    return change_game(connection, number, "exclude", {"status": "unrated"}, words)


def include_game(connection: Connection, number: int) -> Decision:
    """Let a game count that was played and excluded."""
    game = game_row(connection, number)
    if game["status"] != "unrated":
        raise UsageError(
            f"game {number} is {game['status']}: only an excluded game (unrated) is included"
        )
    words = f"{game_words(connection, game)} counts"
    return change_game(connection, number, "include", {"status": "played"}, words)
