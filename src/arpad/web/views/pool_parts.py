"""Parts that the pages of the pool share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

import polars as pl
from fastapi import HTTPException

from arpad.ledger.lists import kept_lists, list_called
from arpad.publish.charts.pool import account_chart, cohort_chart, growth_chart, means_chart, shape_chart
from arpad.web.page import ChartLink, PageModel

if TYPE_CHECKING:
    from arpad.ledger.lists import KeptList
    from arpad.pool.monitors import PoolShape
    from arpad.web.page import RequestContext
    from arpad.web.views.pool import MonitorResults


Monitor = Literal["means", "shapes", "account", "cohort", "growth"]


def drift_chart(found: MonitorResults, monitor: Monitor) -> Any:
    """Return the chart of one monitor; None where it has nothing to say."""
    if monitor == "cohort":
        return None if found.cohort is None else cohort_chart(found.cohort)
    if monitor == "growth":
        return None if found.growth is None else growth_chart(found.growth, found.counts)
    if found.shape is None or found.account is None:
        return None
    if monitor == "means":
        return means_chart(found.shape)
    return shape_chart(_two(found.shape)) if monitor == "shapes" else account_chart(found.account)


def _two(shape: PoolShape) -> PoolShape:
    """Return the first and the last list: more lines than two say nothing."""
    ends = pl.concat([shape.rows.head(1), shape.rows.tail(1)])
    lines = shape.histogram.filter(pl.col("list").is_in(ends["list"].implode()))
    return replace(shape, rows=ends, histogram=lines)


class Picked(PageModel):
    """The chosen list, and the others."""

    policies: list[str]
    lists: list[str]  # of the policy, the latest first
    policy: str
    list: str
    state: str
    closing: date


class IntervalRow(PageModel):
    """One bar of the histogram, and how many players each shape expects there."""

    low: float
    high: float
    players: float
    percent: float
    cumulative: float
    normal: float | None = None
    maxwell: float | None = None


class FitRow(PageModel):
    """One shape laid over the ratings."""

    shape: str
    constants: dict[str, float]
    chi_square: float
    intervals: int
    degrees: int
    p: float | None  # with a degree taken off for every constant that was fitted
    says: str
    gap: float  # the largest difference between the two cumulative distributions …
    gap_at: float  # … and the rating at which it is


class DistributionPage(PageModel):
    """Distribution of a list's ratings."""

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
    enough: bool = True  # whether the intervals hold enough players for χ² to be trusted
    fits: Sequence[FitRow] = ()
    best: str | None = None
    histogram: Sequence[IntervalRow] = ()
    chart: ChartLink | None = None


class ListRow(PageModel):
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


class TestRow(PageModel):
    """Test whether a difference is more than chance."""

    what: str
    test: str
    players: int
    others: int | None
    estimate: float | None
    error: float | None
    p: float | None


class AccountRow(PageModel):
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


class CohortView(PageModel):
    """The mean of an age group, list by list."""

    who: str
    summary: str
    lists: list[GroupRow]
    tests: list[TestRow]
    notes: list[str]
    chart: ChartLink


class GroupRow(PageModel):
    """The age group on one list."""

    list: str
    players: int
    mean: float
    error: float | None
    same_players: int
    same_mean: float | None


class GrowthView(PageModel):
    """The number of players over time, and the curve through it."""

    summary: str
    n_max: float
    n_max_error: float | None
    half: float
    r_squared: float
    saturated: bool
    chart: ChartLink


class DriftPage(PageModel):
    """Drift of a policy's lists."""

    picked: Picked | None
    found: int = 0
    published: bool = True
    lists: Sequence[ListRow] = ()
    tests: Sequence[TestRow] = ()
    notes: Sequence[str] = ()
    accounts: Sequence[AccountRow] = ()
    account_tests: Sequence[TestRow] = ()
    account_notes: Sequence[str] = ()
    cohort: CohortView | None = None
    no_cohort: str = ""
    growth: GrowthView | None = None
    no_growth: str = ""
    mean_chart: ChartLink | None = None
    shape_chart: ChartLink | None = None
    account_chart: ChartLink | None = None


class GameWindow(PageModel):
    """Games under consideration."""

    games: int
    left_out: int
    since: date | None
    until: date
    bounded: bool
    most: int


class GroupChoice(PageModel):
    """A way to tell groups apart."""

    by: str
    text: str
    chosen: bool


class GainRow(PageModel):
    """Average gain of one group in an event."""

    group: str
    players: int
    performances: int
    games: int
    gain: float
    error: float | None
    p: float | None
    exceptional: int
    tested: int


class FlowRow(PageModel):
    """Points that one group won from another."""

    winners: str
    losers: str
    games: int
    score: float
    expected: float
    points: float


class GroupsPage(PageModel):
    """Groups of players against each other, in the games before a list."""

    picked: Picked | None
    groups: Sequence[GroupChoice] = ()
    by: str = ""
    months: int = 0
    window: GameWindow | None = None
    none: str = ""
    few: int = 0
    notes: Sequence[str] = ()
    chart: ChartLink | None = None


class ExchangePage(GroupsPage):
    """Exchange of points between groups."""

    K: float | None = None
    known: bool = True  # whether anything is known by which groups could be told apart
    rows: Sequence[GainRow] = ()
    flows: Sequence[FlowRow] = ()


class DeflatedRow(PageModel):
    """Scores of one group against the others, and its expected scores."""

    group: str
    players: int
    games: int
    score: float
    expected: float
    points: float | None
    low: float | None
    high: float | None
    p: float | None


class Crossing(PageModel):
    """Number of games between groups, and within them."""

    between: int
    within: int


class DeflationPage(GroupsPage):
    """Groups whose ratings are too low."""

    rows: Sequence[DeflatedRow] = ()
    crossing: Crossing | None = None


def picked(ctx: RequestContext, policy: str, name: str) -> tuple[Picked, KeptList] | None:
    """Return the chosen list and the choices; None where there is no list at all."""
    lists = [each for each in kept_lists(ctx.connection) if not each.number]
    if not lists:
        return None
    policies = sorted({each.policy for each in lists})
    policy = policy or policies[0]
    if policy not in policies:
        raise HTTPException(404, f"there is no list by rules called {policy!r} in this ledger")
    names = list(dict.fromkeys(each.name for each in reversed(lists) if each.policy == policy))
    # Another policy was chosen while the name of the list was still that of the first one.
    if name and name not in names:
        raise HTTPException(404, f"there is no list {name!r} of {policy} in this ledger")
    kept = list_called(ctx.connection, policy, name or None)
    return Picked(
        policies=policies, lists=names, policy=policy, list=kept.name, state=kept.state, closing=kept.closing
    ), kept


def address(path: str, chosen: Picked, **more: object) -> str:
    """Return the address of a page or a chart about a list."""
    return f"{path}?{urlencode({'policy': chosen.policy, 'list': chosen.list, **more})}"
