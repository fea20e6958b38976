"""What the pages about the pool say."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from arpad.web.contexts import Chart, Context

__all__ = [
    "Cohort", "Crossing", "Deflated", "Deflation", "Distribution", "Drift", "Exchange", "FitRow", "Flow", "Gained",
    "Group", "GroupRow", "Growth", "Interval", "ListRow", "Moved", "Picked", "Test", "Window",
]  # fmt: skip


class Picked(Context):
    """Which list is looked at, and which there are."""

    policies: list[str]
    lists: list[str]
    """Of the policy, the latest first."""
    policy: str
    list: str
    state: str
    closing: date


class Interval(Context):
    """One bar of the histogram, and how many players each shape expects there."""

    low: float
    high: float
    players: float
    percent: float
    cumulative: float
    normal: float | None
    maxwell: float | None


class FitRow(Context):
    """One shape laid over the ratings."""

    shape: str
    constants: dict[str, float]
    chi_square: float
    intervals: int
    degrees: int
    p: float | None
    """With a degree taken off for every constant that was fitted."""
    says: str
    gap: float
    """The largest difference between the two cumulative distributions …"""
    gap_at: float
    """… and the rating at which it is."""


class Distribution(Context):
    """How the ratings of a list are distributed."""

    picked: Picked | None
    players: int = 0
    unlisted: int = 0
    mean: float | None = None
    mean_error: float | None = None
    sd: float | None = None
    skewness: float | None = None
    lowest: float | None = None
    quartiles: Sequence[float] = ()
    highest: float | None = None
    width: float | None = None
    enough: bool = True
    """Whether the intervals hold enough players for χ² to be trusted."""
    fits: Sequence[FitRow] = ()
    best: str | None = None
    histogram: Sequence[Interval] = ()
    chart: Chart | None = None


class ListRow(Context):
    """One list among the others."""

    list: str
    date: date | None
    players: int
    mean: float
    error: float | None
    sd: float | None
    quartile: float
    median: float
    quartile_3: float


class Test(Context):
    """Whether a difference is more than chance."""

    what: str
    test: str
    players: int
    others: int | None
    estimate: float | None
    error: float | None
    p: float | None


class Moved(Context):
    """From one list to the next: who came, who went, what those who stayed won or lost."""

    start: str
    end: str
    opening_players: int
    entered: int
    entered_at: float | None
    left: int
    left_at: float | None
    stayed: int
    change_each: float | None
    closing_players: int


class Cohort(Context):
    """The mean of an age group, list by list."""

    who: str
    summary: str
    lists: list[GroupRow]
    tests: list[Test]
    notes: list[str]
    chart: Chart


class GroupRow(Context):
    """The age group on one list."""

    list: str
    players: int
    mean: float
    error: float | None
    same_players: int
    same_mean: float | None


class Growth(Context):
    """The number of players over time, and the curve through it."""

    summary: str
    n_max: float
    n_max_error: float | None
    half: float
    r_squared: float
    saturated: bool
    chart: Chart


class Drift(Context):
    """Whether the lists of a policy have moved."""

    picked: Picked | None
    found: int = 0
    published: bool = True
    lists: Sequence[ListRow] = ()
    tests: Sequence[Test] = ()
    notes: Sequence[str] = ()
    accounts: Sequence[Moved] = ()
    account_tests: Sequence[Test] = ()
    account_notes: Sequence[str] = ()
    cohort: Cohort | None = None
    no_cohort: str = ""
    growth: Growth | None = None
    no_growth: str = ""
    mean_chart: Chart | None = None
    shape_chart: Chart | None = None
    account_chart: Chart | None = None


class Window(Context):
    """Which games are looked at."""

    games: int
    left_out: int
    since: date | None
    until: date
    bounded: bool
    most: int


class Group(Context):
    """A way to tell groups apart."""

    by: str
    text: str
    chosen: bool


class Gained(Context):
    """What one group gained in an event, on average."""

    group: str
    players: int
    performances: int
    games: int
    gain: float
    error: float | None
    p: float | None
    exceptional: int
    tested: int


class Flow(Context):
    """What one group won from another."""

    winners: str
    losers: str
    games: int
    score: float
    expected: float
    points: float


class Exchange(Context):
    """Who takes points from whom."""

    picked: Picked | None
    groups: Sequence[Group] = ()
    by: str = ""
    months: int = 0
    window: Window | None = None
    K: float | None = None
    known: bool = True
    """Whether anything is known by which groups could be told apart."""
    none: str = ""
    rows: Sequence[Gained] = ()
    few: int = 0
    flows: Sequence[Flow] = ()
    notes: Sequence[str] = ()
    chart: Chart | None = None


class Deflated(Context):
    """What one group scored against the others, and what its ratings promised."""

    group: str
    players: int
    games: int
    score: float
    expected: float
    points: float | None
    low: float | None
    high: float | None
    p: float | None


class Crossing(Context):
    """How many games there were between groups, and within them."""

    between: int
    within: int


class Deflation(Context):
    """Whose ratings are too low."""

    picked: Picked | None
    groups: Sequence[Group] = ()
    by: str = ""
    months: int = 0
    window: Window | None = None
    none: str = ""
    rows: Sequence[Deflated] = ()
    few: int = 0
    crossing: Crossing | None = None
    notes: Sequence[str] = ()
    chart: Chart | None = None
