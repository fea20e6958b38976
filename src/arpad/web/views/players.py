"""Players: search, and two players side by side."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import HTTPException, Path, Query, Request
from fastapi.responses import Response

from arpad.ledger.queries.career import career, games_played
from arpad.ledger.queries.lists import ratings_on
from arpad.ledger.queries.players import RatingCourse, courses, found_people, standings
from arpad.rate.draws import PUBLISHED, probabilities
from arpad.web.page import NOT_HERE, BirthYear, ChartLink, PageModel, Pages, PublicContext, ReaderContext
from arpad.web.views.explain import ExplainPage, explain_page
from arpad.web.views.list_parts import (
    PAGE,
    PersonRow,
    digits_of,
    facts_of,
    last_lists,
    paged,
    ranked_players,
    with_query,
)
from arpad.web.views.player import (
    FoundPlayer,
    PlayerPage,
    PlayersPage,
    Scored,
    card_of,
    course_says,
    lines_of,
    numbers_of,
    player_now,
    player_or_404,
    player_page,
    vega,
)

if TYPE_CHECKING:
    from arpad.ledger.decisions.subjects import Person
    from arpad.ledger.queries.players import ListPlace
    from arpad.web.page import RequestContext


class ComparedPlayer(PersonRow):
    """One of the two."""

    birth: BirthYear
    rating: float | None
    deviation: float | None
    digits: int
    games: int
    highest: float | None
    highest_day: date | None


class HeadGame(PageModel):
    """A game of the two, from the first one's side."""

    id: int
    event_id: int
    event: str
    day: date | None
    round: str | None
    colour: Literal["white", "black"]
    score: float | None
    status: str


class ChanceRow(PageModel):
    """Chances of a game, from the first player's side."""

    colour: Literal["white", "black", "none"]
    win: float
    draw: float
    loss: float
    expected: float


class GameForecast(PageModel):
    """Forecast of the next game, and its basis."""

    policy: str
    list_name: str
    chances: list[ChanceRow]
    certain: list[ChanceRow]  # as if both ratings were known without error
    white_advantage: float  # in rating points
    settings: list[str]


class ComparePage(PageModel):
    """Two players side by side, or the choice of the second."""

    first: ComparedPlayer
    second: ComparedPlayer | None
    q: str
    candidates: list[FoundPlayer]
    candidates_total: int
    policy: str | None = None
    policies: tuple[str, ...] = ()  # by which both have a rating
    score: Scored | None = None
    white: Scored | None = None
    black: Scored | None = None
    games: tuple[HeadGame, ...] = ()
    chart: ChartLink | None = None
    lines: str = ""  # the ratings of both over time, as a picture
    forecast: GameForecast | None = None


def forecast(one: ListPlace, two: ListPlace) -> GameForecast | None:
    """Return the chances of a game by two ratings of one policy; None: somebody has none."""
    if one.rating is None or two.rating is None:
        return None
    errors = (one.deviation or 0.0, two.deviation or 0.0)
    return GameForecast(
        policy=one.list.policy,
        list_name=one.list.name,
        chances=_chances(one.rating, two.rating, *errors),
        certain=_chances(one.rating, two.rating, 0.0, 0.0),
        white_advantage=PUBLISHED.white_advantage,
        settings=_settings(one, two, *errors),
    )


def _chances(rating: float, other: float, error: float, other_error: float) -> list[ChanceRow]:
    result = []
    for colour, side in (("white", 1), ("black", -1)):
        ends = probabilities(
            rating, other, advantage=side * PUBLISHED.white_advantage, error=error, opponent_error=other_error
        )
        result.append(
            ChanceRow(colour=colour, win=ends.win, draw=ends.draw, loss=ends.loss, expected=ends.expected)  # type: ignore[arg-type]
        )
    return result


def _settings(one: ListPlace, two: ListPlace, error: float, other_error: float) -> list[str]:
    """Return what a reader must know of the figures: curve, draws, first move, errors, and how far they reach."""
    model = PUBLISHED
    first, second = one.rating or 0.0, two.rating or 0.0
    words = [
        f"Expected scores: {model.curve} curve with a class interval of {model.class_interval:g} points.",
        f"Draws: {model.form} model, fitted on {model.games:,} published games over the board.",
        f"The first move is taken as worth {model.white_advantage:g} points, as in those games.",
        f"Averaged over the errors of both ratings ({error:.0f} and {other_error:.0f} points)."
        if error or other_error
        else "The list has no errors of these ratings. They count as exact, so the chances look more certain than they are.",
    ]
    level = (first + second) / 2
    if not model.low <= level <= model.high:
        nearest = min(max(level, model.low), model.high)
        words.append(
            f"Those games had levels from {model.low:.0f} to {model.high:.0f}: for {level:.0f} the draws of {nearest:.0f} are taken."
        )
    if abs(first - second) > model.reach:
        words.append(
            f"Those games had differences up to {model.reach:.0f} points: beyond, draws are only a guess."
        )
    return words


CANDIDATES = 20
Ratings = dict[str, tuple["ListPlace", RatingCourse | None]]
"""By policy: where somebody stands on its last list, and how he came there."""


def compare_page(ctx: RequestContext, who: Person, text: str, policy: str) -> ComparePage:
    """Return two players side by side; `text` is the second one's number, or a part of his name."""
    said = re.fullmatch(r"#?(\d{1,9})", text.strip())
    result = None if said else found_people(ctx.connection, text, most=CANDIDATES + 1)
    if said:
        other = player_now(ctx.connection, int(said[1]))
    elif result and text.strip() and len(others := [p for p in result.people if p.id != who.id]) == 1:
        other = others[0]
    else:
        return _choice(ctx, who, text)
    if other.id == who.id:
        raise HTTPException(400, f"{who.called()} cannot be compared with himself: choose another")
    return _both(ctx, who, other, text, policy)


def _choice(ctx: RequestContext, who: Person, text: str) -> ComparePage:
    """Return the page on which the second one is still to be chosen: whom he met most, or who is called so."""
    games = career(ctx.connection, numbers_of(ctx.connection, who))
    result = found_people(ctx.connection, text, most=CANDIDATES + 1) if text.strip() else None
    if result is None:
        met = games.opponents()
        people = [player_now(ctx.connection, m.id) for m in met[:CANDIDATES]]
        total = len(met)
    else:
        people, total = [p for p in result.people if p.id != who.id], result.total
    return ComparePage(
        first=_side(who, None, len(games.played)),
        second=None,
        q=text,
        candidates=[FoundPlayer.of(p, figures=[]) for p in people[:CANDIDATES]],
        candidates_total=total,
    )


def _both(ctx: RequestContext, who: Person, other: Person, text: str, policy: str) -> ComparePage:
    connection = ctx.connection
    mine, theirs = _ratings(ctx, who), _ratings(ctx, other)
    shared = [name for name in mine if name in theirs]
    chosen = policy if policy in shared else _latest(mine, shared)
    own, others = numbers_of(connection, who), numbers_of(connection, other)
    head = career(connection, own, against=others)
    colours = head.by_colour()
    one, two = mine.get(chosen or ""), theirs.get(chosen or "")
    return ComparePage(
        first=_side(who, one, games_played(connection, own)),
        second=_side(other, two, games_played(connection, others)),
        q=text,
        candidates=[],
        candidates_total=0,
        policy=chosen,
        policies=tuple(shared),
        score=Scored.of(head.total()) if head.played else None,
        white=Scored.of(colours["white"]),
        black=Scored.of(colours["black"]),
        games=tuple(HeadGame.of(g, day=g.date) for g in reversed(head.games)),
        chart=_chart(who, other, one, two, chosen),
        lines=lines_of(
            {p.called(): r[1] for p, r in ((who, one), (other, two)) if r is not None and r[1] is not None}
        ),
        forecast=forecast(one[0], two[0]) if one and two else None,
    )


def _ratings(ctx: RequestContext, who: Person) -> Ratings:
    """Return the ratings of a player by policy; of a published list and a newer draft, the published one."""
    numbers = numbers_of(ctx.connection, who)
    lines = {course.policy: course for course in courses(ctx.connection, numbers, facts_of(ctx))}
    result: Ratings = {}
    for each in standings(ctx.connection, numbers, facts_of(ctx)):  # the published list of a policy first
        result.setdefault(each.list.policy, (each, lines.get(each.list.policy)))
    return result


def _latest(ratings: Ratings, names: list[str]) -> str | None:
    return max(names, key=lambda name: ratings[name][0].list.closing, default=None)


def _side(who: Person, rated: tuple[ListPlace, RatingCourse | None] | None, games: int) -> ComparedPlayer:
    standing, course = rated or (None, None)
    # Up to the list that is shown: what a later draft has, nobody has had yet.
    shown = [p for p in course.points if p.day <= standing.list.closing] if standing and course else []
    top = max(shown, key=lambda p: p.rating, default=None)
    return ComparedPlayer.of(
        who,
        rating=standing.rating if standing else None,
        deviation=standing.deviation if standing else None,
        digits=digits_of(standing.document) if standing else 0,
        games=games,
        highest=top.rating if top else None,
        highest_day=top.day if top else None,
    )


def _chart(
    who: Person,
    other: Person,
    one: tuple[ListPlace, RatingCourse | None] | None,
    two: tuple[ListPlace, RatingCourse | None] | None,
    policy: str | None,
) -> ChartLink | None:
    if one is None or two is None or one[1] is None or two[1] is None:
        return None
    path = f"/charts/players/{who.id}/compare/{other.id}"
    return ChartLink(
        title=f"Ratings over time by {policy}; bands are one standard error to each side",
        href=with_query(path, {"policy": policy}),
        says=f"{course_says(one[1], who.name)}; {course_says(two[1], other.name)}",
    )


def compare_lines(
    ctx: RequestContext, first: Person, second: Person, policy: str
) -> dict[str, list[tuple[date, float, float | None]]]:
    """Return the ratings of two players by one policy; where none is named, by the first that both have."""
    lines: dict[str, list[tuple[date, float, float | None]]] = {}
    mine, theirs = (
        {c.policy: c for c in courses(ctx.connection, numbers_of(ctx.connection, who), facts_of(ctx))}
        for who in (first, second)
    )
    shared = [name for name in mine if name in theirs and policy in ("", name)]
    if not shared:
        raise HTTPException(404, "there is no policy by which both have a rating")
    for who, course in ((first, mine[shared[0]]), (second, theirs[shared[0]])):
        name = who.name if who.name not in lines else who.called()
        lines[name] = [(p.day, p.rating, p.deviation) for p in course.points]
    return lines


pages = Pages("players")
router = pages.router
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Text = Annotated[str, Query(max_length=100)]
Period = Annotated[date | Literal["all"] | None, Query()]
POLICIES = 3  # policies whose ratings have room beside a name


@pages.page("/players", "players.html")
def players(
    ctx: PublicContext, q: Text = "", page: Annotated[int, Query(ge=1, le=1_000_000)] = 1
) -> PlayersPage:
    """Find players by name, number or id, also players on no list."""
    shown = dict(sorted(last_lists(ctx).items())[:POLICIES])
    among = ranked_players(ctx, q)
    page = min(page, max(1, -(-len(among) // PAGE)))  # beyond the end: the last page
    result = found_people(ctx.connection, q, first=(page - 1) * PAGE, among=among)
    figures = ratings_on(ctx.connection, list(shown.values()), [p.id for p in result.people])
    return PlayersPage(
        q=q,
        policies=list(shown),
        rows=[
            FoundPlayer.of(p, figures=[figures.get((number, p.id)) for number in shown.values()])
            for p in result.people
        ],
        pager=paged("/players", {"q": q}, page, result.total),
    )


@pages.page("/players/{number}/explain", "player_explain.html")
def explain(
    request: Request,
    ctx: ReaderContext,
    number: Number,
    policy: Text = "",
    list_: Annotated[str, Query(alias="list", max_length=40)] = "",
    period: Period = None,
    as_published: bool = False,
) -> ExplainPage:
    """Show how a rating came about: by period, by event, game by game."""
    who = player_or_404(request, ctx.connection, number)
    return explain_page(ctx, who, policy, list_, period, as_published=as_published)


@pages.page("/players/{number}/compare", "player_compare.html")
def compare(
    request: Request,
    ctx: ReaderContext,
    number: Number,
    with_: Annotated[str, Query(alias="with", max_length=100)] = "",
    policy: Text = "",
) -> ComparePage:
    """Show two players side by side: their games, their ratings, what to expect of the next game."""
    who = player_or_404(request, ctx.connection, number)
    return compare_page(ctx, who, with_, policy)


@pages.page("/players/{number}", "player.html")
def player(
    request: Request, ctx: PublicContext, number: Number, policy: Text = "", everything: bool = False
) -> PlayerPage:
    """Show a player."""
    who = player_or_404(request, ctx.connection, number)
    return ctx.cached(  # type: ignore[no-any-return]
        ("player", number, policy, everything, ctx.viewer.administers),
        lambda: player_page(ctx, who, policy, everything=everything),
    )


@router.get(
    "/players/{number}/card.png",
    response_class=Response,
    responses=NOT_HERE | {200: {"content": {"image/png": {}}}},
)
def card_png(request: Request, ctx: PublicContext, number: Number) -> Response:
    """Return the picture with which other sites show a link to a player."""
    who = player_or_404(request, ctx.connection, number)
    picture = ctx.cached(("card", number), lambda: card_of(ctx, who), shared=True)
    return Response(picture, media_type="image/png", headers={"Cache-Control": "public, max-age=3600"})


@pages.chart("/charts/players/{number}/ratings")
def ratings_chart(request: Request, ctx: PublicContext, number: Number) -> dict[str, Any]:
    """Give a player's ratings over time as Vega-Lite."""
    who = player_or_404(request, ctx.connection, number)
    result = courses(ctx.connection, numbers_of(ctx.connection, who), facts_of(ctx))
    lines = {c.policy: [(p.day, p.rating, p.deviation) for p in c.points] for c in result}
    return vega(lines)


@pages.chart("/charts/players/{number}/compare/{other}")
def compare_chart(
    request: Request, ctx: ReaderContext, number: Number, other: Number, policy: Text = ""
) -> dict[str, Any]:
    """Give the ratings of two players over time as Vega-Lite."""
    first = player_or_404(request, ctx.connection, number)
    second = player_now(ctx.connection, other)
    return vega(compare_lines(ctx, first, second, policy))
