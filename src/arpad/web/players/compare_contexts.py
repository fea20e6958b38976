"""What the page says that puts two players side by side."""

from __future__ import annotations

from datetime import date
from typing import Literal

from arpad.web.contexts import Chart, Context
from arpad.web.players.contexts import FoundPlayer, Scored

__all__ = ["Chance", "ComparePage", "Forecast", "HeadGame", "Side"]


class Side(Context):
    """One of the two."""

    id: int
    name: str
    title: str | None
    federation: str | None
    birth: str | None
    rating: float | None
    deviation: float | None
    digits: int
    games: int
    highest: float | None
    highest_day: date | None


class HeadGame(Context):
    """A game of the two, from the first one's side."""

    id: int
    event_id: int
    event: str
    day: date | None
    round: str | None
    colour: Literal["white", "black"]
    score: float | None
    status: str


class Chance(Context):
    """What to expect of a game, from the first one's side."""

    colour: Literal["white", "black", "none"]
    win: float
    draw: float
    loss: float
    expected: float


class Forecast(Context):
    """What to expect of the next game, and what that rests on."""

    policy: str
    list_name: str
    chances: list[Chance]
    certain: list[Chance]
    """As if both ratings were known without error."""
    white_advantage: float
    """In rating points."""
    settings: list[str]


class ComparePage(Context):
    """Two players side by side, or the choice of the second."""

    first: Side
    second: Side | None
    q: str
    candidates: list[FoundPlayer]
    candidates_total: int
    policy: str | None
    policies: list[str]
    """By which both have a rating."""
    score: Scored | None
    white: Scored | None
    black: Scored | None
    games: list[HeadGame]
    chart: Chart | None
    forecast: Forecast | None
