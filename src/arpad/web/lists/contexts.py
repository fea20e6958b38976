"""What the pages of lists say."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from arpad.office.showing.list_search import Sort, Standing
from arpad.web.contexts import Context, Link

__all__ = [
    "Change",
    "Changes",
    "Choice",
    "Column",
    "Corrected",
    "Corrections",
    "Entry",
    "Filters",
    "ListAbout",
    "ListLine",
    "ListPage",
    "Lists",
    "Pager",
    "PolicyLists",
    "Preview",
]


class ListLine(Context):
    """A list, or a correction of one."""

    policy: str
    name: str
    number: int
    """0: the list; 1, 2, …: its corrections."""
    state: str
    href: str
    closing: date
    effective: date | None
    made: datetime
    published: datetime | None
    published_by: str | None
    players: int | None
    """On the list; of a correction: figures that it changes."""
    because: str | None = None
    """Of a correction: what came, went or changed."""


class PolicyLists(Context):
    """A policy and its lists, the newest first."""

    policy: str
    says: str
    """The rules in a sentence."""
    computed: bool
    """False: others made its lists, which are only read."""
    lists: list[ListLine]


class Lists(Context):
    """All lists."""

    policies: list[PolicyLists]
    games: bool
    """Whether there is anything to make a list of."""


class ListAbout(Context):
    """What stands above a list, on each of its pages."""

    policy: str
    name: str
    href: str
    state: str
    closing: date
    effective: date | None
    published: datetime | None
    published_by: str | None
    rules: str
    computed: bool
    digits: int
    """After the decimal point, in ratings."""
    listed: int
    rated: int
    before: str | None
    """The list before it."""
    corrections: list[ListLine]
    others: list[Link]
    """All lists of the policy, the newest first."""


class Choice(Context):
    """Something to choose in a form."""

    value: str
    text: str


class Filters(Context):
    """What is asked for, and what could be."""

    q: str
    federation: str
    title: str
    sex: str
    age_from: int | None
    age_to: int | None
    standing: Standing
    sort: Sort
    backwards: bool
    as_published: bool
    federations: list[Choice]
    titles: list[Choice]
    standings: list[Choice]
    sexes: bool
    births: bool
    any: bool
    """Whether anything but the whole list is asked for."""


class Column(Context):
    """The head of a column, by which rows can be sorted."""

    key: str
    text: str
    href: str
    sorted: Literal["ascending", "descending", "none"]
    numeric: bool
    phone: bool
    """Shown on a phone, too."""


class Entry(Context):
    """A player on a list."""

    id: int
    rank: int | None
    name: str
    title: str | None
    federation: str | None
    birth: str | None
    rating: float | None
    deviation: float | None
    change: float | None
    games: int | None
    total_games: int | None
    status: str | None
    corrected: bool
    """The figure is another one than was published."""
    published: float | None
    """What was published, of a corrected figure."""
    cause: str | None


class Pager(Context):
    """Which part of something is shown, and where the rest is."""

    found: int
    first: int
    last: int
    page: int
    pages: int
    before: str | None
    after: str | None
    start: str | None
    end: str | None


class ListPage(Context):
    """One list."""

    about: ListAbout
    filters: Filters
    columns: list[Column]
    rows: list[Entry]
    pager: Pager
    downloads: list[Link]


class Change(Context):
    """A player whose figure is another one than on an earlier list."""

    id: int
    name: str
    before: float | None
    rating: float | None
    difference: float | None
    because: str


class Changes(Context):
    """What is other on a list than on an earlier one."""

    about: ListAbout
    since: str | None
    """The earlier list; None: there is none."""
    earlier: list[str]
    q: str
    changed: int
    new: int
    gone: int
    rows: list[Change]
    pager: Pager


class Corrected(Context):
    """A figure that was published, and what it is now."""

    id: int
    name: str
    published: float | None
    rating: float | None
    difference: float | None
    cause: str | None


class Correction(Context):
    """One correction of a published list."""

    line: ListLine
    rows: list[Corrected]
    """The largest differences first; at most so many as a page holds."""


class Corrections(Context):
    """The corrections of a list, with their causes."""

    about: ListAbout
    corrections: list[Correction]


class Preview(Context):
    """What publishing would freeze."""

    about: ListAbout
    freezes: ListLine | None
    """The draft; None: the list is published, and only corrections would be."""
    corrections: list[Correction]
    nothing: bool
    leaders: list[Entry]
    changed: int
    new: int
