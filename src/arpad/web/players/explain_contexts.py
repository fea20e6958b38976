"""What the page says that explains a rating."""

from __future__ import annotations

from datetime import date

from arpad.web.contexts import Context, Link

__all__ = ["Block", "ExplainPage", "Explained", "Period", "Rule", "Step"]


class Step(Context):
    """One step: a game, or what changed a rating without one."""

    game_id: int | None
    day: date | None
    round: str | None
    colour: str | None
    opponent_id: int | None
    opponent: str | None
    rating: float | None
    """That the step was taken from."""
    opponent_rating: float | None
    score: float | None
    expected: float | None
    k: float | None
    change: float
    rule: int
    """Its number among the rules."""


class Block(Context):
    """The games of one event in a period, or steps without a game."""

    event_id: int | None
    event: str | None
    games: int
    score: float | None
    expected: float | None
    change: float
    steps: list[Step]


class Period(Context):
    """A period, from one closing date to the next."""

    closing: date
    before: float | None
    change: float
    after: float
    games: int
    href: str
    shown: bool


class Rule(Context):
    """A rule that was applied."""

    number: int
    text: str


class Explained(Context):
    """How one figure came about."""

    policy: str
    list_name: str
    list_href: str
    state: str
    closing: date
    correction: int | None
    rating: float | None
    digits: int
    """After the decimal point, in the figures of the list …"""
    exact_digits: int
    """… and in those that the periods go on from."""
    total: float
    adds_up: bool
    games: int
    notes: list[str]
    periods: list[Period]
    shown: str
    """The period whose steps are shown; "all"."""
    everything: str
    """Where all steps are shown."""
    blocks: list[Block]
    rules: list[Rule]


class ExplainPage(Context):
    """How a player's rating came about."""

    id: int
    name: str
    title: str | None
    explained: Explained | None
    """None: there is nothing to explain; `says` tells why."""
    says: str
    choices: list[Link]
    """Other figures of the player, by policy and list."""
