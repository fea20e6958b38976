"""The events, and one of them: standings, games, norms, fit, forecast."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast
from urllib.parse import urlencode

from fastapi import HTTPException, Query

from arpad.errors import ArpadError, UsageError
from arpad.event.crosstable import Crosstable
from arpad.event.forecast import finish
from arpad.event.handicap_event import handicap_standings
from arpad.event.norms.fide import SCORED, Judge, sought
from arpad.event.norms.rules import TITLES, norm_rules
from arpad.event.performance import reliability
from arpad.event.tournament_app.app import tournament_app
from arpad.ledger.norms import may_have_norms
from arpad.ledger.queries.events import event_games as games_of
from arpad.ledger.queries.events import event_index, event_lines
from arpad.web.charts import toned
from arpad.web.page import ChartLink, Page, Pages, PublicContext, ReaderContext, paged, pager
from arpad.web.views.event_parts import PER as EVENTS_PER_PAGE
from arpad.web.views.event_parts import (
    Breaks,
    EventFit,
    EventForecast,
    EventGames,
    EventHandicap,
    EventIndexRow,
    EventNorms,
    EventNumber,
    EventPage,
    EventsPage,
    Fitted,
    Forecasted,
    GameLine,
    Handicapped,
    NormRequirement,
    NormView,
    Placed,
    PolicyName,
    RoundOfGames,
    field_of,
    head_of,
    report_of,
)

if TYPE_CHECKING:
    import polars as pl

    from arpad.event.forecast import Finish
    from arpad.event.handicap_event import HandicapStandings
    from arpad.event.norms.rules import Verdict
    from arpad.event.report import EventReport
    from arpad.event.tournament_app.report import AppReport, Standing
    from arpad.ledger.queries.events import EventField, EventIndex
    from arpad.web.page import RequestContext


pages = Pages("events")
router = pages.router
TieBreakNames = Annotated[str, Query(max_length=100, description="FIDE's codes in their order: BH-C1,BH,SB")]
FIXED = ("number", "rank", "player", "rating", "points", "games")
BREAKS = ("direct", "wins", "sonneborn_berger", "buchholz_cut", "buchholz", "progressive")


@pages.page("/events/{number}", "event.html")
def event(
    ctx: PublicContext,
    number: EventNumber,
    policy: PolicyName = "",
    tie_break: TieBreakNames = "",
    page: Page = 1,
) -> EventPage:
    """Show crosstable and standings."""
    field = field_of(ctx, number, policy)
    head = head_of(ctx, field, policy)
    if not head.games:
        _, where = paged([], 1, EVENTS_PER_PAGE)
        return EventPage(
            head=head,
            summary="",
            kind="no games",
            average=None,
            category=None,
            square=False,
            columns=[],
            players=[],
            breaks=[],
            tie_break_order=[],
            tie_break_words="",
            tie_break_asked="",
            official="",
            system="",
            notes=[],
            pager=where,
        )
    try:
        found = report_of(ctx, field, tie_break)
    except UsageError as error:
        raise HTTPException(422, str(error)) from error
    values = {} if found.ranking is None else found.ranking.values
    rows = list(zip(found.rows, found.players.to_dicts(), _cells(found.crosstable), strict=True))
    some, where = paged(rows, page, EVENTS_PER_PAGE)
    numbers = field.recorded.players
    return EventPage(
        head=head,
        summary=found.summary().removeprefix(f"{found.name}: "),
        kind=found.kind,
        average=found.average,
        category=found.category,
        square=found.crosstable.square,
        columns=_columns(found.crosstable),
        players=[_placed(numbers[row], one, cells) for row, one, cells in some],
        breaks=[
            Breaks(
                rank=one["rank"],
                id=numbers[row],
                name=one["name"],
                points=one["points"],
                tie_breaks=dict(values.get(row, {})),
                **{name: one[name] for name in BREAKS},
            )
            for row, one, _ in some
        ],
        tie_break_order=list(found.tie_break_order),
        tie_break_words=found.tie_break_words(),
        tie_break_asked=tie_break,
        official="" if found.official is None else found.official.describe(),
        system=_system(found, None if field.held is None else field.held.policy),
        notes=list(found.notes),
        pager=where,
    )


def _columns(table: Crosstable) -> list[str]:
    return [name for name in table.rows.columns if name not in FIXED]


def _cells(table: Crosstable) -> list[list[str]]:
    return [list(row) for row in table.rows.select(_columns(table)).iter_rows()]


def _placed(number: int, one: dict[str, Any], cells: list[str]) -> Placed:
    return Placed(
        rank=one["rank"],
        id=number,
        name=one["name"],
        title=one["title"],
        federation=one["federation"],
        rating=one["rating"],
        cells=cells,
        points=one["points"],
        games=one["games"],
        performance=one["performance"],
        performance_exact=one["performance_exact"],
        error=one["performance_error"],
        confidence=reliability(one["games"]).confidence if one["games"] else None,
        expected=one["expected"],
        score=one["score"],
        change=one["change"],
    )


def _system(found: EventReport, policy: str | None) -> str:
    """Say by whose rules expected scores and changes are."""
    rules = f" of {found.parameters['rules']}" if found.system == "fide" else ""
    named = "" if policy is None else f", the rules of {policy}"
    return f"the system {found.system}{rules}{named}"


PER = 200
"""Games on a page."""


@pages.page("/events/{number}/games", "event_games.html")
def event_games(
    ctx: PublicContext,
    number: EventNumber,
    policy: PolicyName = "",
    round: Annotated[str, Query(max_length=20)] = "",
    page: Page = 1,
) -> EventGames:
    """List the games by round."""
    field = field_of(ctx, number, policy)
    table = cast(
        "pl.DataFrame",
        ctx.cached(("event games", number), lambda: games_of(ctx.connection, number), shared=True),
    )
    rows = table.to_dicts()
    rounds = sorted({_round(one) for one in rows}, key=_order)
    wanted = sorted((one for one in rows if round in ("", _round(one))), key=lambda one: _order(_round(one)))
    some, where = paged(wanted, page, PER)
    shown: dict[str, list[GameLine]] = {}
    for one in some:
        shown.setdefault(_round(one), []).append(_line(one))
    return EventGames(
        head=head_of(ctx, field, policy),
        round=round,
        rounds=rounds,
        shown=[RoundOfGames(round=name, games=games) for name, games in shown.items()],
        pager=where,
    )


def _round(game: dict[str, Any]) -> str:
    """Return the round without the board that some sources put behind it."""
    return str(game["round"] or "?").split(".")[0]


def _order(name: str) -> tuple[int, str]:
    return (int(name) if name.isascii() and name.isdigit() else 10**6, name)


def _line(game: dict[str, Any]) -> GameLine:
    wanted = (
        "date",
        "white_id",
        "white",
        "white_rating",
        "result",
        "black_id",
        "black",
        "black_rating",
        "status",
    )
    return GameLine(id=game["game"], **{name: game[name] for name in wanted})


JUDGED = 40
"""Players on a page, by their place: each takes some milliseconds."""
NEAREST = 12
"""Verdicts shown of norms that were not made."""


@pages.page("/events/{number}/norms", "event_norms.html")
def event_norms(
    ctx: ReaderContext, number: EventNumber, policy: PolicyName = "", page: Page = 1
) -> EventNorms:
    """Evaluate title norms by FIDE's rules of today."""
    field = field_of(ctx, number, policy)
    head = head_of(ctx, field, policy)
    says = _why_not(field)
    if says:
        return EventNorms(head=head, judged=0, says=says, made=[], nearest=[], pager=pager(0, 1, JUDGED))
    order = report_of(ctx, field).rows
    where = pager(len(order), page, JUDGED)
    rows = order[max(where.first - 1, 0) : where.last]
    found = cast(
        "list[tuple[int, Verdict]]",
        ctx.cached(
            ("event norms", number, None if field.held is None else field.held.policy, where.page),
            lambda: _judged(field, rows),
        ),
    )
    made = [pair for pair in found if pair[1].passed]
    others: dict[int, tuple[int, Verdict]] = {}
    for pair in sorted((p for p in found if not p[1].passed and p[1].games), key=_distance):
        others.setdefault(pair[0], pair)
    return EventNorms(
        head=head,
        judged=len(rows),
        says="",
        made=[shown_norm(*pair) for pair in made],
        nearest=[shown_norm(*pair) for pair in list(others.values())[:NEAREST]],
        pager=where,
    )


def _why_not(field: EventField) -> str:
    """Return why norms are not evaluated; "" where they are."""
    games = field.recorded.games
    if field.event.time_control not in (None, "standard"):
        return f"Norms are made in standard games; these were {field.event.time_control}."
    if games.table["round"].drop_nulls().n_unique() < 7:
        return "Norms need an event of at least seven rounds."
    if not may_have_norms(games):
        return "Nobody's title or rating is known here, and a norm needs titled and rated opponents."
    return ""


def _judged(field: EventField, rows: tuple[int, ...]) -> list[tuple[int, Verdict]]:
    judge = Judge(field.recorded.games, norm_rules("today"))
    paired = set(judge.players())
    return [
        (field.recorded.players[row], judge.verdict(row, title))
        for row in rows
        if row in paired
        for title in sought(judge.field, row)
    ]


def _distance(pair: tuple[int, Verdict]) -> tuple[int, float, int, float]:
    """Order by requirements not met, then by points missing (none first), the lower title first."""
    verdict = pair[1]
    failed = verdict.failed()
    missing = 1e9 if verdict.points_needed is None else verdict.points_needed - verdict.score
    if not any(each.article in SCORED for each in failed):
        missing = 0.0  # the score is enough: something else is not
    rank = -TITLES.index(verdict.title) if verdict.title in TITLES else 0
    return len(failed), missing, rank, -verdict.score


def shown_norm(number: int, verdict: Verdict) -> NormView:
    """Return a verdict with its requirements."""
    return NormView(
        id=number,
        player=verdict.player,
        title=verdict.title,
        rules=verdict.rules,
        score=verdict.score,
        games=verdict.games,
        passed=verdict.passed,
        points_needed=verdict.points_needed,
        requirements=[NormRequirement(**asdict(r)) for r in verdict.requirements],
        notes=list(verdict.notes),
    )


NumberTwo = Annotated[float | None, Query(ge=1, le=4000, allow_inf_nan=False)]
"""The rating of the world's number two, by which G-scores and strengths are measured."""


def app_of(ctx: RequestContext, field: EventField, number_two: float | None) -> AppReport:
    """Run the Tournament App over an event."""
    policy = None if field.held is None else field.held.policy
    return cast(
        "AppReport",
        ctx.cached(
            ("event app", field.event.id, policy, number_two),
            lambda: tournament_app(field.recorded.games, number_two=number_two, shuffles=0),
        ),
    )


@pages.page("/events/{number}/fit", "event_fit.html")
def event_fit(
    ctx: ReaderContext,
    number: EventNumber,
    policy: PolicyName = "",
    number_two: NumberTwo = None,
    page: Page = 1,
) -> EventFit:
    """Test whether the results fit the ratings."""
    field = field_of(ctx, number, policy)
    head = head_of(ctx, field, policy)
    try:
        found = app_of(ctx, field, number_two)
    except ArpadError as error:  # nothing was played
        _, where = paged([], 1, EVENTS_PER_PAGE)
        return EventFit(
            head=head,
            tested=False,
            passed=None,
            chi_square=None,
            critical=None,
            degrees=None,
            r=None,
            strength=None,
            number_two=number_two,
            sentences=[],
            notes=[str(error)],
            players=[],
            chart=None,
            pager=where,
        )
    fit = found.fit
    made = {d.row for d in found.decisions if d.kind == "estimated"}
    some, where = paged(list(found.standings), page, EVENTS_PER_PAGE)
    return EventFit(
        head=head,
        tested=fit is not None,
        passed=None if fit is None else fit.passed,
        chi_square=None if fit is None else fit.chi_square,
        critical=None if fit is None else fit.critical,
        degrees=None if fit is None else fit.degrees,
        r=None if fit is None else fit.r,
        strength=found.strength,
        number_two=found.number_two,
        sentences=list(found.words()),
        notes=_notes(found),
        players=[_fitted(s, field.recorded.players[s.row], s.row in made) for s in some],
        chart=None if fit is None else _chart(found, head.id, head.policy, number_two),
        pager=where,
    )


def _notes(found: AppReport) -> list[str]:
    """Return what is to be known beside the figures; nothing that another note says, too."""
    return [n for n in found.notes if not any(n != other and n in other for other in found.notes)]


def _fitted(s: Standing, number: int, estimated: bool) -> Fitted:
    return Fitted(
        rank=s.rank,
        id=number,
        name=s.name,
        rating=s.rating,
        estimated=estimated,
        games=s.games,
        points=s.points,
        p_zero=s.p_zero,
        performance=s.performance,
        residual=s.residual,
        flag=s.flag,
        g_score=s.g_score,
        g_category=s.g_category,
        pra_after=s.pra_after,
    )


def _chart(found: AppReport, number: int, policy: str, number_two: float | None) -> ChartLink:
    told = {"policy": policy} | ({} if number_two is None else {"number_two": f"{number_two:g}"})
    flagged = sum(1 for s in found.standings if s.flag)
    fit = found.fit
    assert fit is not None
    return ChartLink(
        title="Ratings against results, with the line of all players",
        href=f"/charts/events/{number}/fit?{urlencode(told)}",
        says=(
            f"{fit.n} players around a line, correlation {fit.r:.2f}; {flagged} of them lie 75 points or more away from it."
        ),
    )


@router.get("/charts/events/{number}/fit", responses={404: {"description": "There is nothing to draw."}})
def fit_chart_of(
    ctx: ReaderContext, number: EventNumber, policy: PolicyName = "", number_two: NumberTwo = None
) -> dict[str, Any]:
    """Return the chart of ratings against results, as Vega-Lite."""
    from arpad.publish.charts.event import fit_chart

    field = field_of(ctx, number, policy)
    found = app_of(ctx, field, number_two)
    if found.fit is None:
        raise HTTPException(404, f"there is nothing to draw: {'; '.join(found.notes)}")
    return cast("dict[str, Any]", toned(fit_chart(found).to_dict()))


@pages.page("/events/{number}/forecast", "event_forecast.html")
def event_forecast(
    ctx: ReaderContext, number: EventNumber, policy: PolicyName = "", page: Page = 1
) -> EventForecast:
    """Say what the ratings before the event made one expect."""
    field = field_of(ctx, number, policy)
    head = head_of(ctx, field, policy)
    try:
        found = cast(
            "Finish", ctx.cached(("event finish", number, head.policy), lambda: finish(field.recorded.games))
        )
    except ArpadError as error:
        _, where = paged([], 1, EVENTS_PER_PAGE)
        return EventForecast(head=head, says=str(error), trials=0, notes=[], players=[], pager=where)
    some, where = paged(found.players.to_dicts(), page, EVENTS_PER_PAGE)
    return EventForecast(
        head=head,
        says=found.summary(),
        trials=found.trials,
        notes=list(found.notes),
        players=[
            Forecasted(
                id=field.recorded.players[one["row"]],
                **{name: value for name, value in one.items() if name != "row"},
            )
            for one in some
        ],
        pager=where,
    )


@pages.page("/events/{number}/handicap", "event_handicap.html")
def event_handicap(
    ctx: ReaderContext, number: EventNumber, policy: PolicyName = "", page: Page = 1
) -> EventHandicap:
    """Show the standings with handicaps."""
    field = field_of(ctx, number, policy)
    head = head_of(ctx, field, policy)
    games = field.recorded.games
    try:
        found = cast(
            "HandicapStandings",
            ctx.cached(("event handicap", number, head.policy), lambda: handicap_standings(games)),
        )
    except ArpadError as error:
        _, where = paged([], 1, EVENTS_PER_PAGE)
        return EventHandicap(head=head, says=str(error), notes=[], players=[], pager=where)
    names = games.players["name"].to_list()
    often = Counter(names)
    known = {name: field.recorded.players[row] for row, name in enumerate(names) if often[name] == 1}
    some, where = paged(found.players.to_dicts(), page, EVENTS_PER_PAGE)
    advice = [] if found.advice is None else [found.advice.summary()]
    wanted = ("rank", "name", "rating", "points", "place", "performance", "handicap", "total")
    return EventHandicap(
        head=head,
        says=found.summary(),
        notes=[*found.notes, *advice],
        players=[
            Handicapped(id=known.get(one["name"]), **{name: one[name] for name in wanted}) for one in some
        ],
        pager=where,
    )


EVENTS_SHOWN = 50
Control = Literal["", "standard", "rapid", "blitz"]
Year = Annotated[str, Query(max_length=4, pattern=r"^(\d{4})?$")]


@pages.page("/events", "events.html")
def events(
    ctx: PublicContext,
    q: Annotated[str, Query(max_length=100)] = "",
    control: Control = "",
    year: Year = "",
    page: Page = 1,
) -> EventsPage:
    """List events, the last first."""
    index = cast("EventIndex", ctx.cached(("event index",), lambda: event_index(ctx.connection), shared=True))
    wanted = int(year) if year else None
    found = index.found(q, time_control=control or None, year=wanted)
    some, where = paged(found, page, EVENTS_SHOWN)
    lines = [
        EventIndexRow(
            **{k: v for k, v in asdict(line).items() if k not in ("excluded", "waiting")},
            waiting=line.waiting if ctx.viewer.sees_all else 0,
            counts=not line.excluded,
        )
        for line in event_lines(ctx.connection, some)
    ]
    return EventsPage(
        q=q,
        control=control,
        year=wanted,
        years=index.years(),
        events=lines,
        pager=where,
        all_events=len(index.entries),
    )
