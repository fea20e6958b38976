"""What the queue and the log say."""

from __future__ import annotations

from datetime import date, datetime

from arpad.web.contexts import Context, Link
from arpad.web.events.contexts import Norm
from arpad.web.paging import Pager
from arpad.web.proposing import Cell, Moved

__all__ = [
    "Candidate", "Choice", "DecisionLine", "DecisionPage", "DoubtLine", "DoubtPage", "EventCard", "Flagged", "LogPage",
    "PersonCard", "PersonEvent", "PersonRating", "QueuePage",
]  # fmt: skip


class Candidate(Context):
    """Whom or what it may be."""

    id: int | None
    name: str
    score: float | None
    """How well it matches, from 0 to 1."""
    reason: str


class DoubtLine(Context):
    """One thing that waits, or waited, for a decision."""

    number: int
    kind: str
    about: str
    reason: str
    opened: datetime
    file: str | None
    player: int | None
    event: int | None
    settled_by: int | None
    candidates: list[Candidate]


class QueuePage(Context):
    """What waits for a decision."""

    kind: str
    settled: bool
    summary: str
    waiting: dict[str, int]
    doubts: list[DoubtLine]
    pager: Pager


class PersonEvent(Context):
    """An event that somebody played in."""

    id: int
    name: str
    end: date | None
    games: int
    score: float | None


class PersonRating(Context):
    """Somebody's last rating by a policy."""

    policy: str
    list_name: str
    rating: float | None


class PersonCard(Context):
    """What is known of a player."""

    id: int
    name: str
    title: str | None
    federation: str | None
    birth: str | None
    sex: str | None
    ids: list[str]
    names: list[str]
    """Other spellings."""
    events: list[PersonEvent]
    all_events: int
    ratings: list[PersonRating]


class EventCard(Context):
    """What is known of a report of an event."""

    id: int
    name: str
    site: str | None
    start: date | None
    end: date | None
    time_control: str | None
    games: int
    players: int
    counts: bool
    file: str | None


class Flagged(Context):
    """A player whose rating does not fit."""

    id: int
    name: str
    rating: float | None
    residual: float | None
    flag: str


class Choice(Context):
    """One way to settle it."""

    value: str
    text: str


class DoubtPage(Context):
    """One thing with everything that is needed to decide it."""

    doubt: DoubtLine
    cards: list[PersonCard]
    events: list[EventCard]
    flagged: list[Flagged]
    norm: Norm | None
    choices: list[Choice]
    policies: list[str]


class DecisionLine(Context):
    """One line of the log."""

    id: int
    when: datetime
    who: str
    why: str
    kind: str
    words: str
    about: list[Link]
    undoes: int | None
    undone_by: int | None


class LogPage(Context):
    """Decisions, the newest first."""

    q: str
    who: str
    kind: str
    about: str
    everybody: list[str]
    kinds: list[str]
    decisions: list[DecisionLine]
    pager: Pager


class DecisionPage(Context):
    """One decision, with what it changed."""

    decision: DecisionLine
    cells: list[Cell]
    moved: list[Moved]
    settled: list[int]
    """What of the queue it settled."""
    can_undo: bool
