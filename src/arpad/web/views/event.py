"""The events, and one of them: standings, games, norms, fit, forecast."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import HTTPException, Query

from arpad.errors import ArpadError, UsageError
from arpad.event.field import Crosstable
from arpad.event.forecast import finish, race
from arpad.event.handicap import handicap_standings
from arpad.event.norms.fide import SCORED, Judge, sought
from arpad.event.norms.rules import TITLES, norm_rules
from arpad.event.performance import reliability
from arpad.event.tournament_app.app import tournament_app
from arpad.ledger.inspection import may_have_norms
from arpad.ledger.queries.events import event_games as games_of
from arpad.ledger.queries.events import event_index, event_lines
from arpad.ledger.queries.games import moves_of_event
from arpad.web.page import (
    NO_ROWS,
    ChartLink,
    Page,
    PageModel,
    Pager,
    Pages,
    PublicContext,
    ReaderContext,
    Rows,
    drawn,
    paged,
    pager,
    row_of,
)
from arpad.web.views.event_parts import PER as EVENTS_PER_PAGE
from arpad.web.views.event_parts import EventNumber, Head, PolicyName, field_of, head_of, report_of

if TYPE_CHECKING:
    import polars as pl

    from arpad.event.forecast import Race
    from arpad.event.norms.rules import Verdict
    from arpad.event.report import EventReport
    from arpad.event.tournament_app.report import AppReport
    from arpad.ledger.queries.events import EventField
    from arpad.web.page import RequestContext


class EventsPage(PageModel):
    """Events that were looked for, the last first."""

    q: str
    control: str
    year: int | None
    years: list[int]
    events: Rows
    pager: Pager
    all_events: int


class EventPage(PageModel):
    """Crosstable, standings and performances."""

    head: Head
    view: str = "crosstable"  # what is shown: crosstable, standings or start (the starting list)
    after: int | None = None  # as after this round; None: at the end
    rounds: tuple[int, ...] = ()
    summary: str = ""
    kind: str = "no games"
    average: float | None = None
    category: int | None = None
    square: bool = False
    columns: tuple[str, ...] = ()  # of the crosstable: opponents by place, or rounds
    players: Rows = ()
    breaks: Rows = ()
    tie_break_order: tuple[str, ...] = ()
    tie_break_words: str = ""  # what decides, and by which rules unplayed rounds count
    tie_break_asked: str = ""  # the reader's order; "" is the event's own order
    official: str = ""  # how the places in the file compare
    system: str = ""  # by whose rules expected scores and changes are
    notes: tuple[str, ...] = ()
    pager: Pager = NO_ROWS


class EventFit(PageModel):
    """Fit of results and ratings, and the greatest performances."""

    head: Head
    tested: bool = False
    passed: bool | None = None
    chi_square: float | None = None
    critical: float | None = None
    degrees: int | None = None
    r: float | None = None
    strength: float | None = None
    number_two: float | None = None
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    players: Rows = ()
    chart: ChartLink | None = None
    pager: Pager = NO_ROWS


class EventNorms(PageModel):
    """Title norms: those that were made, and the nearest that were not."""

    head: Head
    judged: int = 0
    says: str = ""  # why norms are not evaluated; "" where they are
    made: Rows = ()
    nearest: Rows = ()
    pager: Pager = NO_ROWS


class EventGames(PageModel):
    """Games by round."""

    head: Head
    round: str
    rounds: list[str]
    shown: Rows
    pager: Pager


class EventMoves(PageModel):
    """Quality of all players' moves."""

    head: Head
    games: int  # with evaluations
    players: Rows


class EventForecast(PageModel):
    """Expected scores and finish from the ratings before the event, or chances of places after a round."""

    head: Head
    says: str
    trials: int = 0
    after: int | None = None
    rounds: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    players: Rows = ()
    chances: Rows = ()
    pager: Pager = NO_ROWS


class EventHandicap(PageModel):
    """Standings with handicaps."""

    head: Head
    says: str
    notes: tuple[str, ...] = ()
    players: Rows = ()
    pager: Pager = NO_ROWS


pages = Pages("events")
router = pages.router
View = Literal["crosstable", "standings", "start"]
After = Annotated[int | None, Query(ge=1, le=1000, description="As after this round.")]
TieBreakNames = Annotated[str, Query(max_length=100, description="FIDE's codes in their order: BH-C1,BH,SB")]
FIXED = ("number", "rank", "player", "rating", "points", "games")


@pages.page("/events/{number}", "event.html")
def event(
    ctx: PublicContext,
    number: EventNumber,
    policy: PolicyName = "",
    tie_break: TieBreakNames = "",
    view: View | None = None,
    after: After = None,
    page: Page = 1,
) -> EventPage:
    """Show crosstable, standings or the starting list, at the end or after a round."""
    field = field_of(ctx, number, policy)
    head = head_of(ctx, field, policy)
    view = view or ("standings" if tie_break else "crosstable")
    if not head.games:
        return EventPage(head=head)
    try:
        result = report_of(ctx, field, tie_break, after)
    except UsageError as error:
        raise HTTPException(422, str(error)) from error
    values = {} if result.ranking is None else result.ranking.values
    rows = list(zip(result.rows, result.players.to_dicts(), _cells(result.crosstable), strict=True))
    numbers = field.recorded.players
    links = _links(ctx, field, [numbers[row] for row in result.rows], _columns(result.crosstable))
    rows = [(row, one | {"links": links[numbers[row]]}, cells) for row, one, cells in rows]
    if view == "start":
        rows.sort(key=lambda each: (-(each[1]["rating"] or 0.0), each[1]["name"]))
    some, where = paged(rows, page, EVENTS_PER_PAGE)
    return EventPage.of(
        result,
        head=head,
        view=view,
        after=after,
        rounds=_rounds_of(ctx, number),
        summary=result.summary().removeprefix(f"{result.name}: "),
        square=result.crosstable.square,
        columns=tuple(_columns(result.crosstable)),
        players=[_placed(numbers[row], one, cells) for row, one, cells in some],
        breaks=[
            row_of(one, *BREAKS, id=numbers[row], tie_breaks=dict(values.get(row, {})))
            for row, one, _ in some
        ],
        tie_break_words=result.tie_break_words(),
        tie_break_asked=tie_break,
        official="" if result.official is None else result.official.describe(),
        system=_system(result, None if field.held is None else field.held.policy),
        pager=where,
    )


def _games_of(ctx: RequestContext, number: int) -> pl.DataFrame:
    key = ("event games", number)
    return ctx.cached(key, lambda: games_of(ctx.connection, number), shared=True)


def _rounds_of(ctx: RequestContext, number: int) -> tuple[int, ...]:
    """Return the numbers of the rounds, if all rounds have numbers."""
    names = {_round(one) for one in _games_of(ctx, number)[["round"]].iter_rows(named=True)}
    return tuple(sorted(int(name) for name in names)) if all(name.isdecimal() for name in names) else ()


def _links(
    ctx: RequestContext, field: EventField, players: list[int], columns: list[str]
) -> dict[int, list[int | None]]:
    """Return the game behind each cell of the crosstable, by player; None: there is none, or there are several."""
    behind: dict[tuple[int, object], list[int]] = {}
    for one in _games_of(ctx, field.event.id).iter_rows(named=True):
        for mine, other in ((one["white_id"], one["black_id"]), (one["black_id"], one["white_id"])):
            if one["black_id"] is not None:
                for key in (_round(one), other):
                    behind.setdefault((mine, key), []).append(one["game"])
    opponents = {str(place): player for place, player in enumerate(players, start=1)}
    square = len(columns) == len(players) and all(name in opponents for name in columns)

    def link(player: int, name: str) -> int | None:
        games = behind.get((player, opponents[name] if square else name), [])
        return games[0] if len(games) == 1 else None

    return {player: [link(player, name) for name in columns] for player in players}


def _columns(table: Crosstable) -> list[str]:
    return [name for name in table.rows.columns if name not in FIXED]


def _cells(table: Crosstable) -> list[list[str]]:
    return [list(row) for row in table.rows[_columns(table)].iter_rows()]


PLACED = (
    *("rank", "name", "title", "federation", "rating", "links", "points", "games"),
    *("performance", "performance_exact", "expected", "score", "change"),
)
BREAKS = (
    *("rank", "name", "points", "direct", "wins"),
    *("sonneborn_berger", "buchholz_cut", "buchholz", "progressive"),
)
"""Columns of the standings and of the further tie-breaks."""


def _placed(number: int, one: dict[str, Any], cells: list[str]) -> dict[str, Any]:
    sure = reliability(one["games"]).confidence if one["games"] else None
    return row_of(one, *PLACED, id=number, cells=cells, error=one["performance_error"], confidence=sure)


def _system(found: EventReport, policy: str | None) -> str:
    """Say by whose rules expected scores and changes are."""
    rules = f" of {found.parameters['rules']}" if found.system == "fide" else ""
    named = "" if policy is None else f", the rules of {policy}"
    return f"the system {found.system}{rules}{named}"


PER = 200  # games on a page


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
    rows = _games_of(ctx, number).to_dicts()
    rounds = sorted({_round(one) for one in rows}, key=_order)
    wanted = sorted((one for one in rows if round in ("", _round(one))), key=lambda one: _order(_round(one)))
    some, where = paged(wanted, page, PER)
    shown: dict[str, list[dict[str, Any]]] = {}
    for one in some:
        shown.setdefault(_round(one), []).append(one | {"id": one["game"]})
    return EventGames(
        head=head_of(ctx, field, policy),
        round=round,
        rounds=rounds,
        shown=[{"round": name, "games": games} for name, games in shown.items()],
        pager=where,
    )


def _round(game: dict[str, Any]) -> str:
    """Return the round without the board that some sources put behind it."""
    return str(game["round"] or "?").split(".")[0]


def _order(name: str) -> tuple[int, str]:
    return (int(name) if name.isascii() and name.isdigit() else 10**6, name)


JUDGED = 40  # players on a page, by their place: each takes some milliseconds
NEAREST = 12  # verdicts shown of norms that were not made


@pages.page("/events/{number}/norms", "event_norms.html")
def event_norms(
    ctx: ReaderContext, number: EventNumber, policy: PolicyName = "", page: Page = 1
) -> EventNorms:
    """Evaluate title norms by FIDE's rules of today."""
    field = field_of(ctx, number, policy)
    head = head_of(ctx, field, policy)
    says = _why_not(field)
    if says:
        return EventNorms(head=head, says=says)
    order = report_of(ctx, field).rows
    where = pager(len(order), page, JUDGED)
    rows = order[max(where.first - 1, 0) : where.last]
    result = ctx.cached(
        ("event norms", number, None if field.held is None else field.held.policy, where.page),
        lambda: _judged(field, rows),
    )
    made = [pair for pair in result if pair[1].passed]
    others: dict[int, tuple[int, Verdict]] = {}
    for pair in sorted((p for p in result if not p[1].passed and p[1].games), key=_distance):
        others.setdefault(pair[0], pair)
    return EventNorms(
        head=head,
        judged=len(rows),
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


def shown_norm(number: int, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict with its requirements."""
    return row_of(verdict, id=number, passed=verdict.passed)


NumberTwo = Annotated[float | None, Query(ge=1, le=4000, allow_inf_nan=False)]
"""The rating of the world's number two, by which G-scores and strengths are measured."""


def app_of(ctx: RequestContext, field: EventField, number_two: float | None) -> AppReport:
    """Run the Tournament App over an event."""
    policy = None if field.held is None else field.held.policy
    return ctx.cached(
        ("event app", field.event.id, policy, number_two),
        lambda: tournament_app(field.recorded.games, number_two=number_two, shuffles=0),
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
        result = app_of(ctx, field, number_two)
    except ArpadError as error:  # nothing was played
        return EventFit(head=head, number_two=number_two, notes=(str(error),))
    fit = result.fit
    made = {d.row for d in result.decisions if d.kind == "estimated"}
    some, where = paged(list(result.standings), page, EVENTS_PER_PAGE)
    tested = (
        {}
        if fit is None
        else {n: getattr(fit, n) for n in ("passed", "chi_square", "critical", "degrees", "r")}
    )
    return EventFit(
        head=head,
        tested=fit is not None,
        strength=result.strength,
        number_two=result.number_two,
        sentences=tuple(result.words()),
        notes=_notes(result),
        players=[row_of(s, id=field.recorded.players[s.row], estimated=s.row in made) for s in some],
        chart=None if fit is None else _chart(result, head.id, head.policy, number_two),
        pager=where,
        **tested,
    )


def _notes(found: AppReport) -> tuple[str, ...]:
    """Return the notes without those that another one repeats."""
    return tuple(n for n in found.notes if not any(n != other and n in other for other in found.notes))


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


@pages.chart("/charts/events/{number}/fit")
def fit_chart_of(
    ctx: ReaderContext, number: EventNumber, policy: PolicyName = "", number_two: NumberTwo = None
) -> dict[str, Any]:
    """Return the chart of ratings against results, as Vega-Lite."""
    from arpad.publish.charts.event import fit_chart

    field = field_of(ctx, number, policy)
    result = app_of(ctx, field, number_two)
    if result.fit is None:
        raise HTTPException(404, f"there is nothing to draw: {'; '.join(result.notes)}")
    return drawn(fit_chart(result))


@pages.page("/events/{number}/forecast", "event_forecast.html")
def event_forecast(
    ctx: ReaderContext, number: EventNumber, policy: PolicyName = "", after: After = None, page: Page = 1
) -> EventForecast:
    """Say what the ratings before the event made one expect, or the chances of every place after a round."""
    field = field_of(ctx, number, policy)
    head = head_of(ctx, field, policy)
    rounds = _rounds_of(ctx, number)
    try:
        chances = _race(ctx, field, head.policy, after)
    except ArpadError as error:
        return EventForecast(head=head, says=str(error), after=after, rounds=rounds)
    if chances is not None:
        numbers = field.recorded.players
        return EventForecast(
            head=head,
            says=chances.summary(),
            trials=chances.trials,
            after=chances.after,
            rounds=rounds,
            notes=tuple(chances.notes),
            chances=[
                row_of(one, id=numbers[one["row"]])
                for one in chances.players.drop("places").head(EVENTS_PER_PAGE).to_dicts()
            ],
        )
    try:
        result = ctx.cached(("event finish", number, head.policy), lambda: finish(field.recorded.games))
    except ArpadError as error:
        return EventForecast(head=head, says=str(error), rounds=rounds)
    some, where = paged(result.players.to_dicts(), page, EVENTS_PER_PAGE)
    return EventForecast(
        head=head,
        says=result.summary(),
        trials=result.trials,
        rounds=rounds,
        notes=tuple(result.notes),
        players=[row_of(one, id=field.recorded.players[one["row"]]) for one in some],
        pager=where,
    )


def _race(ctx: RequestContext, field: EventField, policy: str, after: int | None) -> Race | None:
    """Return the chances of places after a round, or now if the event goes on; None: it is over."""
    key = ("event race", field.event.id, policy, after)
    return ctx.cached(key, lambda: race(field.recorded.games, after=after))


@pages.page("/events/{number}/moves", "event_moves.html")
def event_moves(ctx: PublicContext, number: EventNumber, policy: PolicyName = "") -> EventMoves:
    """Say how well everybody's moves were, by the evaluations in the games."""
    field = field_of(ctx, number, policy)
    result = ctx.cached(("event moves", number), lambda: moves_of_event(ctx.connection, number), shared=True)
    return EventMoves(
        head=head_of(ctx, field, policy),
        games=0 if result is None else result[0],
        players=() if result is None else [row_of(row, id=player) for player, row in result[1]],
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
        result = ctx.cached(("event handicap", number, head.policy), lambda: handicap_standings(games))
    except ArpadError as error:
        return EventHandicap(head=head, says=str(error))
    names = games.players["name"].to_list()
    often = Counter(names)
    known = {name: field.recorded.players[row] for row, name in enumerate(names) if often[name] == 1}
    some, where = paged(result.players.to_dicts(), page, EVENTS_PER_PAGE)
    advice = [] if result.advice is None else [result.advice.summary()]
    return EventHandicap(
        head=head,
        says=result.summary(),
        notes=(*result.notes, *advice),
        players=[row_of(one, id=known.get(one["name"])) for one in some],
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
    index = ctx.cached(("event index",), lambda: event_index(ctx.connection), shared=True)
    wanted = int(year) if year else None
    result = index.found(q, time_control=control or None, year=wanted)
    some, where = paged(result, page, EVENTS_SHOWN)
    lines = [
        row_of(line, waiting=line.waiting if ctx.viewer.sees_all else 0, counts=line.counts)
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
