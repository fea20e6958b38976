"""What the pages of players say."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from arpad.web.contexts import Chart, Context
from arpad.web.lists.contexts import Pager

__all__ = [
    "ColourScore",
    "CourseLine",
    "CourseRow",
    "DecisionLine",
    "EventLine",
    "Feat",
    "FoundPlayer",
    "Identity",
    "NormLine",
    "OpponentLine",
    "PlayerPage",
    "PlayersPage",
    "RatingNow",
    "Scored",
    "TitleLine",
]


class FoundPlayer(Context):
    """A player among others."""

    id: int
    name: str
    title: str | None
    federation: str | None
    birth: str | None
    figures: list[float | None]
    """His rating on the list of each policy of the page."""


class PlayersPage(Context):
    """Players by name."""

    q: str
    policies: list[str]
    rows: list[FoundPlayer]
    pager: Pager


class OtherId(Context):
    """Who he is elsewhere."""

    scheme: str
    value: str


class Namesake(Context):
    """A player who was merged into this one."""

    id: int
    name: str


class Identity(Context):
    """Who somebody is."""

    id: int
    name: str
    title: str | None
    federation: str | None
    birth: str | None
    sex: str | None
    ids: list[OtherId]
    names: list[str]
    """Other spellings."""
    merged: list[Namesake]


class RatingNow(Context):
    """A rating on the last list of a policy."""

    policy: str
    system: str
    time_control: str | None
    list_name: str
    href: str
    explain: str | None
    state: str
    rating: float
    deviation: float | None
    """One standard error."""
    digits: int
    rank: int | None
    change: float | None
    total_games: int | None
    status: str | None
    corrected: bool


class CourseRow(Context):
    """A rating after a period."""

    day: date
    rating: float
    deviation: float | None
    games: int | None


class CourseLine(Context):
    """A rating over time."""

    policy: str
    system: str
    time_control: str | None
    points: list[CourseRow]


class Scored(Context):
    """Games played, and their score."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    share: float | None


class ColourScore(Context):
    """The score with one colour, or with both, and how strong that was."""

    colour: Literal["white", "black", "both"]
    score: Scored
    performance: float | None
    low: float | None
    high: float | None
    """The interval in which the truth lies 19 times in 20, if the games are independent."""
    rated: int
    """Games against opponents with a rating: only they tell how strong it was."""
    average: float | None
    """Of these opponents."""
    note: str


class Feat(Context):
    """Something best or worst."""

    what: str
    figure: float
    digits: int
    error: float | None
    says: str
    href: str | None
    day: date | None


class EventLine(Context):
    """An event of a player."""

    id: int
    name: str
    end: date | None
    time_control: str | None
    counts: bool
    games: int
    score: float
    performance: float | None
    error: float | None
    change: float | None


class OpponentLine(Context):
    """Somebody he met."""

    id: int
    name: str
    score: Scored
    last: date | None


class NormLine(Context):
    """A norm."""

    title: str
    event_id: int
    event: str
    end: date | None
    rules: str
    score: float | None
    games: int | None
    granted: bool
    """Granted although a requirement is not met."""


class TitleLine(Context):
    """A title that followed from norms or ratings."""

    title: str
    day: date | None
    rules: str
    because: str


class DecisionLine(Context):
    """What was decided about somebody."""

    id: int
    when: datetime
    who: str
    what: str
    why: str
    undone: bool


class PlayerPage(Context):
    """One player."""

    who: Identity
    ratings: list[RatingNow]
    policy: str | None
    """Whose ratings and changes the games are told with."""
    policies: list[str]
    charts: list[Chart]
    courses: list[CourseLine]
    colours: list[ColourScore]
    feats: list[Feat]
    feat_games: int
    """Rated games that an event needs to be told as best or worst."""
    events: list[EventLine]
    events_total: int
    all_events: str | None
    """Where all of them are shown."""
    opponents: list[OpponentLine]
    opponents_total: int
    norms: list[NormLine]
    titles: list[TitleLine]
    decisions: list[DecisionLine]
