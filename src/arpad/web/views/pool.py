"""The pool: distribution, drift, exchange of points, deflation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar
from urllib.parse import urlencode

import polars as pl
from fastapi import HTTPException, Query

from arpad.errors import InputError, UsageError
from arpad.ledger.lists import kept_lists, list_called
from arpad.ledger.queries.pool import MOST_GAMES, counted_games, lists_until, pool_list
from arpad.pool.deflation import EVERYBODY, JUNIOR, UNKNOWN, deflation, exchange
from arpad.pool.demography import growth
from arpad.pool.distribution import distribution
from arpad.pool.monitors import AGES, account, cohort, shape
from arpad.pool.rating_lists import kept as kept_people
from arpad.pool.significance import in_words
from arpad.web.page import ChartLink, PageModel, Pages, ReaderContext, Rows, drawn, row_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from arpad.ledger.lists import KeptList
    from arpad.ledger.queries.pool import CountedGames, PoolLists
    from arpad.pool.deflation import Deflation, Exchange
    from arpad.pool.demography import Growth
    from arpad.pool.distribution import Distribution, ShapeFit
    from arpad.pool.monitors import Cohort, PoolAccount, PoolShape
    from arpad.pool.rating_lists import DatedList
    from arpad.web.page import RequestContext


class Picked(PageModel):
    """The chosen list, and the others."""

    policies: list[str]
    lists: list[str]  # of the policy, the latest first
    policy: str
    list: str
    state: str
    closing: date


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
    fits: Rows = ()
    best: str | None = None
    histogram: Rows = ()
    chart: ChartLink | None = None


class DriftPage(PageModel):
    """Drift of a policy's lists."""

    picked: Picked | None
    found: int = 0
    published: bool = True
    lists: Rows = ()
    tests: Rows = ()
    notes: Sequence[str] = ()
    accounts: Rows = ()
    account_tests: Rows = ()
    account_notes: Sequence[str] = ()
    cohort: dict[str, Any] | None = None
    no_cohort: str = ""
    growth: dict[str, Any] | None = None
    no_growth: str = ""
    mean_chart: ChartLink | None = None
    shape_chart: ChartLink | None = None
    account_chart: ChartLink | None = None


class GroupsPage(PageModel):
    """Groups of players against each other, in the games before a list."""

    picked: Picked | None
    groups: Rows = ()
    by: str = ""
    months: int = 0
    window: dict[str, Any] | None = None
    none: str = ""
    few: int = 0
    notes: Sequence[str] = ()
    chart: ChartLink | None = None


class ExchangePage(GroupsPage):
    """Exchange of points between groups."""

    K: float | None = None
    known: bool = True  # whether anything is known by which groups could be told apart
    rows: Rows = ()
    flows: Rows = ()


class DeflationPage(GroupsPage):
    """Groups whose ratings are too low."""

    rows: Rows = ()
    crossing: dict[str, int] | None = None


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


def _link(chosen: Picked, what: str, title: str, says: str, **asked: object) -> ChartLink:
    """Return where the chart of a list is."""
    query = urlencode({"policy": chosen.policy, "list": chosen.list, **asked})
    return ChartLink(title=title, href=f"/charts/pool/{what}?{query}", says=says)


NARROW, WIDE = 50.0, 100.0
"""Points of an interval: of a small list, of one of thousands as in the book's tables."""
MANY = 2000


def distribution_of(ctx: RequestContext, kept: KeptList) -> tuple[DatedList, Distribution | None]:
    """Return a list and how its ratings are distributed; None: nobody is on it."""
    listed = pool_list(ctx.connection, kept)
    if not listed.rows.height:
        return listed, None
    width = WIDE if listed.rows.height >= MANY else NARROW
    return listed, distribution(listed.rows["rating"].to_numpy(), width=width)


def distribution_page(ctx: RequestContext, chosen: Picked, kept: KeptList) -> DistributionPage:
    """Return the page."""
    listed, result = distribution_of(ctx, kept)
    if result is None:
        return DistributionPage(picked=chosen, unlisted=listed.left_out)
    ratings = listed.rows["rating"]
    best = result.best
    return DistributionPage(
        picked=chosen,
        players=ratings.len(),
        unlisted=listed.left_out,
        mean=result.mean,
        mean_error=None if result.sd is None else result.sd / math.sqrt(ratings.len()),
        sd=result.sd,
        skewness=result.skewness,
        lowest=float(ratings.min() or 0.0),  # type: ignore[arg-type]
        quartiles=[float(ratings.quantile(q, "linear") or 0.0) for q in (0.25, 0.5, 0.75)],
        highest=float(ratings.max() or 0.0),  # type: ignore[arg-type]
        width=result.histogram.width,
        enough=best is not None and best.chi_square.large_enough,
        fits=[_fit(fit) for fit in result.fits],
        best=None if best is None else best.shape.name,
        histogram=rows_of(result.table().rename({"count": "players"})),
        chart=_link(
            chosen,
            "distribution",
            f"Players by rating: {chosen.policy}, {chosen.list}",
            f"A histogram of {result.summary()}. The figures are in the table below.",
        ),
    )


def _fit(fit: ShapeFit) -> dict[str, Any]:
    chi, gap = fit.chi_square, fit.kolmogorov_smirnov
    return {
        "shape": fit.shape.name,
        "constants": fit.shape.parameters(),
        "chi_square": chi.statistic,
        "intervals": chi.intervals,
        "degrees": chi.degrees_fitted,
        "p": chi.p_fitted,
        "says": in_words(chi.p_fitted),
        "gap": gap.difference,
        "gap_at": gap.at,
    }


MONTHS = 12
LEAST_YEARS = 3.0  # a shorter series of lists shows how a list fills, not how a pool grows


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorResults:
    """Results of the monitors for a policy's lists; None with a reason if there are none."""

    lists: PoolLists
    counts: pl.DataFrame  # `year`, `players`
    shape: PoolShape | None = None
    account: PoolAccount | None = None
    cohort: Cohort | None = None
    no_cohort: str = ""
    growth: Growth | None = None
    no_growth: str = ""


def monitors_of(ctx: RequestContext, kept: KeptList) -> MonitorResults:
    """Return what the monitors say of the lists up to one."""
    read = lists_until(ctx.connection, kept)
    lists = [each for each in kept_people(read.lists, active=True) if each.rows.height]
    dates = [each.date for each in lists if each.date]
    counts = pl.DataFrame(
        {
            "year": [day.year + (day.month - 1) / MONTHS for day in dates],
            "players": [float(each.rows.height) for each in lists],
        },
        schema={"year": pl.Float64, "players": pl.Float64},
    )
    if len(lists) < 2:
        return MonitorResults(lists=read, counts=counts)
    aged, no_cohort = None, ""
    try:
        aged = cohort(lists)
    except (InputError, UsageError):
        no_cohort = (
            f"Nobody aged {AGES[0]} to {AGES[1]} is known on every one of these lists: years of birth come with "
            "TRF files, with columns white_birth and black_birth of a table, or by arpad ledger correct."
        )
    grown, no_growth = None, ""
    years = counts["year"].to_list()
    if years[-1] - years[0] < LEAST_YEARS:
        no_growth = f"The lists cover less than {LEAST_YEARS:g} years: that is too short to tell growth from a list that fills."
    else:
        try:
            grown = growth(years, counts["players"].to_list())
        except InputError as error:
            no_growth = f"No curve of growth: {error}."
    return MonitorResults(
        lists=read,
        shape=shape(lists),
        account=account(lists),
        cohort=aged,
        no_cohort=no_cohort,
        growth=grown,
        no_growth=no_growth,
        counts=counts,
    )


MOVES = {"from": "start", "to": "end", "R_i": "entered_at", "R_q": "left_at"}
"""Columns of the account of a pool, and what the page calls them."""


def drift_page(ctx: RequestContext, chosen: Picked, kept: KeptList) -> DriftPage:
    """Return the page."""
    result = monitors_of(ctx, kept)
    known: dict[str, Any] = {
        "picked": chosen,
        "found": result.lists.found,
        "published": result.lists.published,
    }
    if result.shape is None or result.account is None:
        return DriftPage(**known)
    error = pl.col("sd") / pl.col("players").sqrt()
    said = result.shape.summary()
    return DriftPage(
        **known,
        lists=rows_of(result.shape.rows.with_columns(error=error)),
        tests=rows_of(result.shape.tests),
        notes=result.shape.notes,
        accounts=rows_of(result.account.rows.rename(MOVES)),
        account_tests=rows_of(result.account.tests),
        account_notes=result.account.notes,
        cohort=None if result.cohort is None else _cohort(result.cohort, chosen),
        no_cohort=result.no_cohort,
        growth=None if result.growth is None else _growth(result.growth, chosen),
        no_growth=result.no_growth,
        mean_chart=_link(
            chosen, "means", "Mean rating, list by list", f"The mean with two standard errors. {said}."
        ),
        shape_chart=_link(
            chosen,
            "shapes",
            "Shape of the first and the last list",
            f"The share of players by rating. {said}.",
        ),
        account_chart=_link(
            chosen,
            "account",
            "With which ratings players enter, leave and stay",
            f"{result.account.summary()}.",
        ),
    )


def _cohort(found: Cohort, chosen: Picked) -> dict[str, Any]:
    said = found.summary()
    return {
        "who": found.who,
        "summary": said,
        "lists": rows_of(found.rows),
        "tests": rows_of(found.tests),
        "notes": found.notes,
        "chart": _link(chosen, "cohort", f"Mean rating of players {found.who}", f"{said}."),
    }


def _growth(found: Growth, chosen: Picked) -> dict[str, Any]:
    title = "Number of players, and the curve of growth through it"
    error = found.n_max_error if math.isfinite(found.n_max_error) else None
    chart = _link(chosen, "growth", title, f"{found.summary()}.")
    return found.to_dict() | {"n_max_error": error, "chart": chart}


Ways = Literal["rating-band", "federation", "age", "title", "sex"]
WORDS: dict[str, str] = {
    "rating-band": "rating class",
    "federation": "federation",
    "age": "age",
    "title": "title",
    "sex": "sex",
}
AGE_CUTS = (12, JUNIOR, 30, 50, 65)
"""Years at which an age group begins: children, juniors [3.62], then by the stages of a career."""
LEAST = 10  # performances or games below which a group is counted, and not shown
MOST_FLOWS = 12
USUAL_K = 32.0  # the book's, in the U.S. Opens of table 3.84: where a list's rules know no K.
MISSING = {
    "federation": "No federation is known for anybody in these games: it comes with TRF files, or with columns white_federation and black_federation of a table.",
    "age": "No year of birth is known for anybody in these games: it comes with TRF files, with columns white_birth and black_birth of a table, or by arpad ledger correct.",
    "title": "Nobody in these games is known to have a title.",
    "sex": "Nobody's sex is known in these games: it comes with TRF files, or by arpad ledger correct.",
    "rating-band": "",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Result of a monitor on the games behind a list; None with a reason if there is none."""

    counted: CountedGames
    exchange: Exchange | None = None
    deflation: Deflation | None = None
    none: str = ""


def _games(ctx: RequestContext, kept: KeptList, months: int) -> CountedGames:
    """Return the games of this many months before the day after a closing date; 0: all."""
    day = pl.Series([kept.closing]).dt.offset_by("1d").dt.offset_by(f"-{months}mo").dt.offset_by("-1d")[0]
    return counted_games(ctx.connection, kept, since=day if months else None)


def exchange_of(ctx: RequestContext, kept: KeptList, by: Ways, months: int) -> Counted:
    """Return who takes points from whom."""
    counted = _games(ctx, kept, months)
    try:
        result = exchange(counted.games, by=(by,), k=counted.K or USUAL_K, age_cuts=AGE_CUTS)
    except InputError as error:
        return Counted(counted=counted, none=_nothing(counted, error))
    if not set(result.rows[by]) - {EVERYBODY, UNKNOWN, "none"}:
        return Counted(counted=counted, none=MISSING[by])
    return Counted(counted=counted, exchange=result)


def deflation_of(ctx: RequestContext, kept: KeptList, by: Ways, months: int) -> Counted:
    """Return whose ratings are too low."""
    counted = _games(ctx, kept, months)
    try:
        return Counted(counted=counted, deflation=deflation(counted.games, by=by, age_cuts=AGE_CUTS))
    except InputError as error:
        said = MISSING[by] if len(counted.games) else ""
        return Counted(counted=counted, none=said or _nothing(counted, error))


def _nothing(counted: CountedGames, error: InputError) -> str:
    if not len(counted.games):
        return "There is no game in these periods in which both players had a rating."
    return f"{str(error)[0].upper()}{str(error)[1:]}."


def exchange_page(ctx: RequestContext, chosen: Picked, kept: KeptList, by: Ways, months: int) -> ExchangePage:
    """Return the page about exchange."""
    whole = exchange_of(ctx, kept, by, months)
    result = whole.exchange
    head = _head(whole, chosen, by, months, result)
    head |= {"K": whole.counted.K or USUAL_K, "known": result is not None}
    if result is None:
        return ExchangePage(**head)
    shown = result.rows.filter((pl.col("performances") >= LEAST) & (pl.col(by) != EVERYBODY))
    won = result.between.filter((pl.col("segment") != pl.col("opponents")) & (pl.col("points") > 0))
    most = won.sort("points", descending=True, maintain_order=True).head(MOST_FLOWS)
    return ExchangePage(
        **head,
        rows=rows_of(shown.rename({by: "group"})),
        few=result.rows.height - shown.height - 1,
        flows=rows_of(most.rename({"segment": "winners", "opponents": "losers"})),
        notes=result.notes,
        chart=_link(
            chosen,
            "exchange",
            f"Points gained in an event, by {WORDS[by]}",
            f"A dot and two standard errors for each group: {_ends(shown, by, 'gain')}.",
            by=by,
            months=months,
        ),
    )


def deflation_page(
    ctx: RequestContext, chosen: Picked, kept: KeptList, by: Ways, months: int
) -> DeflationPage:
    """Return the page about deflation."""
    whole = deflation_of(ctx, kept, by, months)
    result = whole.deflation
    head = _head(whole, chosen, by, months, result)
    if result is None:
        return DeflationPage(**head)
    shown = result.rows.filter(pl.col("games") >= LEAST)
    limits = {"segment": "group", "points_low": "low", "points_high": "high"}
    return DeflationPage(
        **head,
        rows=rows_of(shown.drop("low", "high").rename(limits)),
        few=result.rows.height - shown.height,
        crossing={"between": result.games, "within": result.inside},
        notes=result.notes,
        chart=_link(
            chosen,
            "deflation",
            f"Points by which ratings are too low, by {WORDS[by]}",
            f"A dot and a 95 % interval for each group: {_ends(shown, 'segment', 'points')}.",
            by=by,
            months=months,
        ),
    )


def _ends(rows: pl.DataFrame, name: str, value: str) -> str:
    """Say in words which groups are first and last."""
    known = rows.drop_nulls(value).sort(value, descending=True, maintain_order=True)
    if not known.height:
        return "no group has enough games"
    first, last = known.row(0, named=True), known.row(-1, named=True)
    return f"most {first[name]} with {first[value]:+.1f} points, least {last[name]} with {last[value]:+.1f}"


def _head(
    whole: Counted, chosen: Picked, by: Ways, months: int, found: Exchange | Deflation | None
) -> dict[str, Any]:
    counted, left_out = whole.counted, 0 if found is None else found.left_out
    size = {"games": len(counted.games), "left_out": left_out, "most": MOST_GAMES}
    return {
        "picked": chosen,
        "groups": [{"by": way, "text": text, "chosen": way == by} for way, text in WORDS.items()],
        "by": by,
        "months": months,
        "none": whole.none,
        "window": row_of(counted, "since", "until", "bounded", **size),
    }


pages = Pages("pool")
router = pages.router
P = TypeVar("P", DistributionPage, DriftPage, ExchangePage, DeflationPage)
Policy = Annotated[str, Query(max_length=100)]
Name = Annotated[str, Query(alias="list", max_length=100)]
By = Annotated[Ways, Query()]
Months = Annotated[int, Query(ge=0, le=1200)]  # of play before the closing date; 0: all


def _made(
    ctx: RequestContext, kind: type[P], make: Callable[..., P], policy: str, name: str, *more: object
) -> P:
    """Return a page, which another process makes: it loads SciPy and the games of a year."""
    result = picked(ctx, policy, name)
    if result is None:
        return kind(picked=None)
    return ctx.apart(("pool", make.__name__, result[1].id, *more), make, *result, *more)


@pages.page("/pool", "pool.html")
def pool(ctx: ReaderContext, policy: Policy = "", name: Name = "") -> DistributionPage:
    """Show how the ratings of a list are distributed."""
    return _made(ctx, DistributionPage, distribution_page, policy, name)


@pages.page("/pool/drift", "pool_drift.html")
def pool_drift(ctx: ReaderContext, policy: Policy = "", name: Name = "") -> DriftPage:
    """Compare the lists of a policy."""
    return _made(ctx, DriftPage, drift_page, policy, name)


@pages.page("/pool/exchange", "pool_exchange.html")
def pool_exchange(
    ctx: ReaderContext, policy: Policy = "", name: Name = "", by: By = "rating-band", months: Months = 12
) -> ExchangePage:
    """Show who takes points from whom."""
    return _made(ctx, ExchangePage, exchange_page, policy, name, by, months)


@pages.page("/pool/deflation", "pool_deflation.html")
def pool_deflation(
    ctx: ReaderContext, policy: Policy = "", name: Name = "", by: By = "age", months: Months = 12
) -> DeflationPage:
    """Show whose ratings are too low."""
    return _made(ctx, DeflationPage, deflation_page, policy, name, by, months)


Chart = dict[str, Any]
Monitor = Literal["distribution", "means", "shapes", "account", "cohort", "growth"]


def _drawn(ctx: RequestContext, policy: str, name: str, *asked: object) -> Chart:
    """Return a chart; a text in its place says why there is none."""
    result = picked(ctx, policy, name)
    if result is None:
        raise HTTPException(404, "there is no list in this ledger yet")
    chart: Chart | str = ctx.apart(("pool", "chart", result[1].id, *asked), chart_of, result[1], *asked)
    if isinstance(chart, str):
        raise HTTPException(404, chart)
    return chart


def chart_of(ctx: RequestContext, kept: KeptList, what: str, *more: Any) -> Chart | str:
    """Return a chart of a list as Vega-Lite; a text says why there is none."""
    from arpad.publish.charts import pool as charts

    chart, none = None, "these lists have no data for this chart"
    if what == "distribution":
        whole = distribution_of(ctx, kept)[1]
        chart = whole and charts.distribution_chart(whole, title="Players by rating")
        none = "nobody is on this list"
    elif what == "exchange":
        counted = exchange_of(ctx, kept, *more)
        chart, none = counted.exchange and charts.exchange_chart(counted.exchange, least=LEAST), counted.none
    elif what == "deflation":
        counted = deflation_of(ctx, kept, *more)
        none = counted.none
        chart = counted.deflation and charts.deflation_chart(counted.deflation, least=LEAST)
    else:
        found = monitors_of(ctx, kept)
        if what == "cohort" and found.cohort is not None:
            chart = charts.cohort_chart(found.cohort)
        elif what == "growth" and found.growth is not None:
            chart = charts.growth_chart(found.growth, found.counts)
        elif what == "account" and found.account is not None:
            chart = charts.account_chart(found.account)
        elif what in ("means", "shapes") and found.shape is not None:
            draw = charts.means_chart if what == "means" else charts.shape_chart
            chart = draw(found.shape if what == "means" else _two(found.shape))
    return none if chart is None else drawn(chart)


def _two(shape: PoolShape) -> PoolShape:
    """Return the first and the last list: more lines than two say nothing."""
    ends = pl.concat([shape.rows.head(1), shape.rows.tail(1)])
    lines = shape.histogram.filter(pl.col("list").is_in(ends["list"].implode()))
    return replace(shape, rows=ends, histogram=lines)


@pages.chart("/charts/pool/exchange")
def exchange_drawn(
    ctx: ReaderContext, policy: Policy = "", name: Name = "", by: By = "rating-band", months: Months = 12
) -> Chart:
    """Return what each group gained, as Vega-Lite."""
    return _drawn(ctx, policy, name, "exchange", by, months)


@pages.chart("/charts/pool/deflation")
def deflation_drawn(
    ctx: ReaderContext, policy: Policy = "", name: Name = "", by: By = "age", months: Months = 12
) -> Chart:
    """Return by how much the ratings of each group are too low, as Vega-Lite."""
    return _drawn(ctx, policy, name, "deflation", by, months)


@pages.chart("/charts/pool/{monitor}")
def monitor_drawn(ctx: ReaderContext, monitor: Monitor, policy: Policy = "", name: Name = "") -> Chart:
    """Return the histogram of a list with both shapes, or the chart of one monitor of the lists, as Vega-Lite."""
    return _drawn(ctx, policy, name, monitor)
