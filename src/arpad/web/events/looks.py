"""What a decision changes in the figures of its event: looked at before it and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arpad.errors import ArpadError
from arpad.event.app import tournament_app
from arpad.event.report import report
from arpad.office.deciding.decisions import decisions
from arpad.office.showing.event_field import event_field, fitting_policies
from arpad.web.templates_of import number as shown
from arpad.web.templates_of import points

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection

__all__ = ["event_look"]

Look = list[tuple[str, dict[str, str]]]


def event_look(event: int, policy: str = "") -> Callable[[Connection], Look]:
    """Return a look at an event: points and performances of its players, and the test of fit.

    Parameters
    ----------
    policy
        Whose list gives missing ratings; "-": nobody's; "": of the one that rates most of the players.
    """

    def look(connection: Connection) -> Look:
        chosen: str | None = policy
        if not policy:
            chosen = next((held.policy for held in fitting_policies(connection, event)), None)
        field = event_field(connection, event, None if chosen in ("", "-") else chosen)
        games, moved = field.recorded.games, _moved(connection, event)
        rows = {
            row: moved[number]
            for row, number in enumerate(field.recorded.players)
            if number in moved
        }
        return [
            ("Fit of ratings and results", _fit(games, rows)),
            ("Players of the event: points, performance, expected score", _players(games, field)),
        ]

    return look


def _moved(connection: Connection, event: int) -> dict[int, float]:
    """Return the ratings that repairs of the event have moved, by player."""
    found: dict[int, float] = {}
    for decision in decisions(connection, about=[f"event {event}"], kind="repair", in_effect=True):
        if decision.subject == f"event {event}":
            found |= {one["player"]: one["rating"] for one in decision.facts.get("ratings", ())}
    return found


def _fit(games: object, ratings: dict[int, float]) -> dict[str, str]:
    try:
        found = tournament_app(games, ratings=ratings, shuffles=0)  # type: ignore[arg-type]
    except ArpadError as error:
        return {"verdict": str(error)}
    fit = found.fit
    if fit is None:
        return {"verdict": "not tested"}
    flagged = [s.name for s in found.standings if s.flag]
    return {
        "verdict": "the ratings fit" if fit.passed else "the ratings do not fit",
        "χ²": f"{fit.chi_square:.1f} (at most {fit.critical:.1f})",
        "correlation": f"{fit.r:.2f}",
        "players flagged": str(len(flagged)),
    }


def _players(games: object, field: object) -> dict[str, str]:
    try:
        found = report(games, judged=False)  # type: ignore[arg-type]
    except ArpadError:
        return {}
    numbers = field.recorded.players  # type: ignore[attr-defined]
    return {
        f"{one['name']} (#{numbers[row]})": ", ".join(
            part
            for part in (
                f"{points(one['points'])} of {one['games']}",
                "" if one["performance"] is None else f"performed {shown(one['performance'])}",
                "" if one["expected"] is None else f"expected {shown(one['expected'], 2)}",
            )
            if part
        )
        for row, one in zip(found.rows, found.players.to_dicts(), strict=True)
    }
