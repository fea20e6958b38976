"""The pool: distribution, drift, exchange of points, deflation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

import polars as pl
from fastapi import Depends, HTTPException, Query

from arpad.errors import InputError, UsageError
from arpad.ledger.queries.pool import MOST_GAMES, counted_games, lists_until, pool_list
from arpad.pool.deflation import EVERYBODY, JUNIOR, UNKNOWN, deflation, exchange
from arpad.pool.demography import growth
from arpad.pool.distribution import distribution
from arpad.pool.monitors import AGES, account, cohort, shape
from arpad.pool.rating_lists import kept as kept_people
from arpad.pool.significance import in_words
from arpad.web.page import ChartLink, Pages, ReaderContext, drawn
from arpad.web.views.pool_parts import (
    AccountRow,
    CohortView,
    Crossing,
    DeflatedRow,
    DeflationPage,
    DistributionPage,
    DriftPage,
    ExchangePage,
    FitRow,
    FlowRow,
    GainRow,
    GameWindow,
    GroupChoice,
    GroupRow,
    GrowthView,
    IntervalRow,
    ListRow,
    Monitor,
    TestRow,
    address,
    drift_chart,
    picked,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import date

    from arpad.ledger.lists import KeptList
    from arpad.ledger.queries.pool import CountedGames, PoolLists
    from arpad.pool.deflation import Deflation, Exchange
    from arpad.pool.demography import Growth
    from arpad.pool.distribution import Distribution, ShapeFit
    from arpad.pool.monitors import Cohort, PoolAccount, PoolShape
    from arpad.pool.rating_lists import DatedList
    from arpad.pool.significance import Significance
    from arpad.web.page import RequestContext
    from arpad.web.views.pool_parts import Picked


T = TypeVar("T")
NARROW, WIDE = 50.0, 100.0
"""Points of an interval: of a small list, of one of thousands as in the book's tables."""
MANY = 2000


def distribution_result(ctx: RequestContext, kept: KeptList) -> tuple[DatedList, Distribution | None]:
    """Return a list and how its ratings are distributed; None: nobody is on it."""

    def make() -> tuple[DatedList, Distribution | None]:
        listed = pool_list(ctx.connection, kept)
        if not listed.rows.height:
            return listed, None
        width = WIDE if listed.rows.height >= MANY else NARROW
        return listed, distribution(listed.rows["rating"].to_numpy(), width=width)

    return ctx.cached(("pool", "distribution", kept.id), make)  # type: ignore[no-any-return]


def distribution_page(ctx: RequestContext, chosen: Picked, kept: KeptList) -> DistributionPage:
    """Return the page."""
    listed, result = distribution_result(ctx, kept)
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
        histogram=[_interval(row) for row in result.table().iter_rows(named=True)],
        chart=ChartLink(
            title=f"Players by rating: {chosen.policy}, {chosen.list}",
            href=address("/charts/pool/distribution", chosen),
            says=f"A histogram of {result.summary()}. The figures are in the table below.",
        ),
    )


def _fit(fit: ShapeFit) -> FitRow:
    chi, gap = fit.chi_square, fit.kolmogorov_smirnov
    return FitRow(
        shape=fit.shape.name,
        constants=fit.shape.parameters(),
        chi_square=chi.statistic,
        intervals=chi.intervals,
        degrees=chi.degrees_fitted,
        p=chi.p_fitted,
        says=in_words(chi.p_fitted),
        gap=gap.difference,
        gap_at=gap.at,
    )


def _interval(row: dict[str, float]) -> IntervalRow:
    return IntervalRow.of(row, players=row["count"])


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


def drift_result(ctx: RequestContext, kept: KeptList) -> MonitorResults:
    """Return what the monitors say of the lists up to one."""
    return ctx.cached(("pool", "drift", kept.id), lambda: _found(ctx, kept))  # type: ignore[no-any-return]


def _found(ctx: RequestContext, kept: KeptList) -> MonitorResults:
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


def drift_page(ctx: RequestContext, chosen: Picked, kept: KeptList) -> DriftPage:
    """Return the page."""
    result = drift_result(ctx, kept)
    if result.shape is None or result.account is None:
        return DriftPage(picked=chosen, found=result.lists.found, published=result.lists.published)

    def chart(name: str, title: str, says: str) -> ChartLink:
        return ChartLink(title=title, href=address(f"/charts/pool/{name}", chosen), says=says)

    rows = [_list(row) for row in result.shape.rows.iter_rows(named=True)]
    return DriftPage(
        picked=chosen,
        found=result.lists.found,
        published=result.lists.published,
        lists=rows,
        tests=_tests(result.shape.tests),
        notes=list(result.shape.notes),
        accounts=[_moved(row) for row in result.account.rows.iter_rows(named=True)],
        account_tests=_tests(result.account.tests),
        account_notes=list(result.account.notes),
        cohort=None if result.cohort is None else _cohort(result.cohort, chosen),
        no_cohort=result.no_cohort,
        growth=None if result.growth is None else _growth(result.growth, chosen),
        no_growth=result.no_growth,
        mean_chart=chart(
            "means",
            "Mean rating, list by list",
            f"The mean with two standard errors. {result.shape.summary()}.",
        ),
        shape_chart=chart(
            "shapes",
            "Shape of the first and the last list",
            f"The share of players by rating. {result.shape.summary()}.",
        ),
        account_chart=chart(
            "account", "With which ratings players enter, leave and stay", f"{result.account.summary()}."
        ),
    )


def _list(row: dict[str, Any]) -> ListRow:
    error = None if row["sd"] is None else row["sd"] / row["players"] ** 0.5
    return ListRow.of(row, error=error)


def _tests(tests: Iterable[Significance]) -> list[TestRow]:
    return [TestRow.of(test) for test in tests]


def _moved(row: dict[str, Any]) -> AccountRow:
    return AccountRow.of(row, start=row["from"], end=row["to"], entered_at=row["R_i"], left_at=row["R_q"])


def _cohort(found: Cohort, chosen: Picked) -> CohortView:
    return CohortView.of(
        found,
        summary=found.summary(),
        lists=[GroupRow.of(row) for row in found.rows.iter_rows(named=True)],
        tests=_tests(found.tests),
        notes=list(found.notes),
        chart=ChartLink(
            title=f"Mean rating of players {found.who}",
            href=address("/charts/pool/cohort", chosen),
            says=f"{found.summary()}.",
        ),
    )


def _growth(found: Growth, chosen: Picked) -> GrowthView:
    finite = found.n_max_error == found.n_max_error and found.n_max_error != float("inf")
    return GrowthView.of(
        found,
        summary=found.summary(),
        n_max_error=found.n_max_error if finite else None,
        chart=ChartLink(
            title="Number of players, and the curve of growth through it",
            href=address("/charts/pool/growth", chosen),
            says=f"{found.summary()}.",
        ),
    )


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
    since = _back(kept.closing, months) if months else None
    return ctx.cached(  # type: ignore[no-any-return]
        ("pool", "games", kept.id, months), lambda: counted_games(ctx.connection, kept, since=since)
    )


def _back(day: date, months: int) -> date:
    """Return the first day of the month this many months before the one after a closing date."""
    return pl.Series([day]).dt.offset_by("1d").dt.offset_by(f"-{months}mo").dt.offset_by("-1d")[0]  # type: ignore[no-any-return]


def exchange_result(ctx: RequestContext, kept: KeptList, by: Ways, months: int) -> Counted:
    """Return who takes points from whom."""

    def make() -> Counted:
        counted = _games(ctx, kept, months)
        try:
            result = exchange(counted.games, by=(by,), k=counted.K or USUAL_K, age_cuts=AGE_CUTS)
        except InputError as error:
            return Counted(counted=counted, none=_nothing(counted, error))
        real = set(result.rows[by]) - {EVERYBODY, UNKNOWN, "none"}
        if not real:
            return Counted(counted=counted, none=MISSING[by])
        return Counted(counted=counted, exchange=result)

    return ctx.cached(("pool", "exchange", kept.id, by, months), make)  # type: ignore[no-any-return]


def deflation_result(ctx: RequestContext, kept: KeptList, by: Ways, months: int) -> Counted:
    """Return whose ratings are too low."""

    def make() -> Counted:
        counted = _games(ctx, kept, months)
        try:
            return Counted(counted=counted, deflation=deflation(counted.games, by=by, age_cuts=AGE_CUTS))
        except InputError as error:
            said = MISSING[by] if len(counted.games) else ""
            return Counted(counted=counted, none=said or _nothing(counted, error))

    return ctx.cached(("pool", "deflation", kept.id, by, months), make)  # type: ignore[no-any-return]


def _nothing(counted: CountedGames, error: InputError) -> str:
    if not len(counted.games):
        return "There is no game in these periods in which both players had a rating."
    return f"{str(error)[0].upper()}{str(error)[1:]}."


def exchange_page(ctx: RequestContext, chosen: Picked, kept: KeptList, by: Ways, months: int) -> ExchangePage:
    """Return the page about exchange."""
    whole = exchange_result(ctx, kept, by, months)
    result = whole.exchange
    head = _head(whole, chosen, by, months, result)
    head |= {"K": whole.counted.K or USUAL_K, "known": result is not None}
    if result is None:
        return ExchangePage(**head)
    shown = result.rows.filter((pl.col("performances") >= LEAST) & (pl.col(by) != EVERYBODY))
    return ExchangePage(
        **head,
        rows=[GainRow.of(row, group=row[by]) for row in shown.iter_rows(named=True)],
        few=result.rows.height - shown.height - 1,
        flows=_flows(result),
        notes=list(result.notes),
        chart=ChartLink(
            title=f"Points gained in an event, by {WORDS[by]}",
            href=address("/charts/pool/exchange", chosen, by=by, months=months),
            says=f"A dot and two standard errors for each group: {_ends(shown, by, 'gain')}.",
        ),
    )


def _flows(found: Exchange) -> list[FlowRow]:
    won = found.between.filter((pl.col("segment") != pl.col("opponents")) & (pl.col("points") > 0))
    most = won.sort("points", descending=True, maintain_order=True).head(MOST_FLOWS)
    return [
        FlowRow.of(row, winners=row["segment"], losers=row["opponents"]) for row in most.iter_rows(named=True)
    ]


def deflation_page(
    ctx: RequestContext, chosen: Picked, kept: KeptList, by: Ways, months: int
) -> DeflationPage:
    """Return the page about deflation."""
    whole = deflation_result(ctx, kept, by, months)
    result = whole.deflation
    head = _head(whole, chosen, by, months, result)
    if result is None:
        return DeflationPage(**head)
    shown = result.rows.filter(pl.col("games") >= LEAST)
    return DeflationPage(
        **head,
        rows=[
            DeflatedRow.of(row, group=row["segment"], low=row["points_low"], high=row["points_high"])
            for row in shown.iter_rows(named=True)
        ],
        few=result.rows.height - shown.height,
        crossing=Crossing(between=result.games, within=result.inside),
        notes=list(result.notes),
        chart=ChartLink(
            title=f"Points by which ratings are too low, by {WORDS[by]}",
            href=address("/charts/pool/deflation", chosen, by=by, months=months),
            says=f"A dot and a 95 % interval for each group: {_ends(shown, 'segment', 'points')}.",
        ),
    )


def _ends(rows: pl.DataFrame, name: str, value: str) -> str:
    """Say in words which groups are first and last."""
    known = rows.drop_nulls(value).sort(value, descending=True, maintain_order=True)
    if not known.height:
        return "no group has enough games"
    first, last = known.row(0, named=True), known.row(-1, named=True)
    return f"most {first[name]} with {first[value]:+.1f} points, least {last[name]} with {last[value]:+.1f}"


def _groups(by: Ways) -> list[GroupChoice]:
    return [GroupChoice(by=way, text=text, chosen=way == by) for way, text in WORDS.items()]


def _head(
    whole: Counted, chosen: Picked, by: Ways, months: int, found: Exchange | Deflation | None
) -> dict[str, Any]:
    counted, left_out = whole.counted, 0 if found is None else found.left_out
    window = GameWindow.of(counted, games=len(counted.games), left_out=left_out, most=MOST_GAMES)
    groups = _groups(by)
    return {
        "picked": chosen,
        "groups": groups,
        "by": by,
        "months": months,
        "none": whole.none,
        "window": window,
    }


pages = Pages("pool")
router = pages.router
Policy = Annotated[str, Query(max_length=100)]
Name = Annotated[str, Query(alias="list", max_length=100)]
By = Annotated[Ways, Query()]
Months = Annotated[int, Query(ge=0, le=1200)]  # of play before the closing date; 0: all


def _shown(ctx: RequestContext, chosen: Picked, kept: KeptList, make: Callable[..., T], *more: Any) -> T:
    """Return a page or a chart, which another process makes: it loads SciPy and the games of a year."""
    return ctx.apart(("pool", make.__name__, kept.id, *more), make, chosen, kept, *more)  # type: ignore[no-any-return]


@pages.page("/pool", "pool.html")
def pool(ctx: ReaderContext, policy: Policy = "", name: Name = "") -> DistributionPage:
    """Show how the ratings of a list are distributed."""
    result = picked(ctx, policy, name)
    return DistributionPage(picked=None) if result is None else _shown(ctx, *result, distribution_page)


@pages.page("/pool/drift", "pool_drift.html")
def pool_drift(ctx: ReaderContext, policy: Policy = "", name: Name = "") -> DriftPage:
    """Compare the lists of a policy."""
    result = picked(ctx, policy, name)
    return DriftPage(picked=None) if result is None else _shown(ctx, *result, drift_page)


@pages.page("/pool/exchange", "pool_exchange.html")
def pool_exchange(
    ctx: ReaderContext, policy: Policy = "", name: Name = "", by: By = "rating-band", months: Months = 12
) -> ExchangePage:
    """Show who takes points from whom."""
    result = picked(ctx, policy, name)
    return ExchangePage(picked=None) if result is None else _shown(ctx, *result, exchange_page, by, months)


@pages.page("/pool/deflation", "pool_deflation.html")
def pool_deflation(
    ctx: ReaderContext, policy: Policy = "", name: Name = "", by: By = "age", months: Months = 12
) -> DeflationPage:
    """Show whose ratings are too low."""
    result = picked(ctx, policy, name)
    return DeflationPage(picked=None) if result is None else _shown(ctx, *result, deflation_page, by, months)


def _chosen(ctx: ReaderContext, policy: Policy = "", name: Name = "") -> Any:
    result = picked(ctx, policy, name)
    if result is None:
        raise HTTPException(404, "there is no list in this ledger yet")
    return result


Chosen = Annotated[Any, Depends(_chosen)]
Chart = dict[str, Any]


def _drawn(ctx: RequestContext, chosen: Any, *asked: Any) -> Chart:
    """Return a chart; a text in its place says why there is none."""
    result: Chart | str = _shown(ctx, *chosen, _chart, *asked)
    if isinstance(result, str):
        raise HTTPException(404, result)
    return result


def _chart(ctx: RequestContext, _: Picked, kept: KeptList, what: str, *more: Any) -> Chart | str:
    from arpad.publish.charts import pool as charts

    if what == "distribution":
        whole = distribution_result(ctx, kept)[1]
        chart = whole and charts.distribution_chart(whole, title="Players by rating")
        none = "nobody is on this list"
    elif what == "exchange":
        counted = exchange_result(ctx, kept, *more)
        chart, none = counted.exchange and charts.exchange_chart(counted.exchange, least=LEAST), counted.none
    elif what == "deflation":
        counted = deflation_result(ctx, kept, *more)
        chart, none = (
            counted.deflation and charts.deflation_chart(counted.deflation, least=LEAST),
            counted.none,
        )
    else:
        chart = drift_chart(drift_result(ctx, kept), cast("Monitor", what))
        none = "these lists have no data for this chart"
    result: Chart | str = none if chart is None else drawn(chart)
    return result


@pages.chart("/charts/pool/distribution")
def distribution_drawn(ctx: ReaderContext, chosen: Chosen) -> Chart:
    """Return the histogram of a list with both shapes, as Vega-Lite."""
    return _drawn(ctx, chosen, "distribution")


@pages.chart("/charts/pool/exchange")
def exchange_drawn(ctx: ReaderContext, chosen: Chosen, by: By = "rating-band", months: Months = 12) -> Chart:
    """Return what each group gained, as Vega-Lite."""
    return _drawn(ctx, chosen, "exchange", by, months)


@pages.chart("/charts/pool/deflation")
def deflation_drawn(ctx: ReaderContext, chosen: Chosen, by: By = "age", months: Months = 12) -> Chart:
    """Return by how much the ratings of each group are too low, as Vega-Lite."""
    return _drawn(ctx, chosen, "deflation", by, months)


@pages.chart("/charts/pool/{monitor}")
def drift_drawn(ctx: ReaderContext, chosen: Chosen, monitor: Monitor) -> Chart:
    """Return the chart of one monitor of the lists, as Vega-Lite."""
    return _drawn(ctx, chosen, monitor)
