"""Players: search, the explanation of a rating, and two players side by side."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl
import sqlalchemy as sa
from fastapi import HTTPException, Path, Query, Request
from fastapi.responses import Response

from arpad.errors import UsageError
from arpad.ledger.db import tables
from arpad.ledger.games import ratings_on
from arpad.ledger.lists import kept_lists
from arpad.ledger.policy import kept_policies
from arpad.ledger.queries.career import career, games_played
from arpad.ledger.queries.explain import explained
from arpad.ledger.queries.players import RatingCourse, courses, found_people, standings
from arpad.rate.draws import PUBLISHED, probabilities
from arpad.web.page import (
    NOT_HERE,
    ChartLink,
    PageLink,
    PageModel,
    Pages,
    PublicContext,
    ReaderContext,
    Rows,
    row_of,
)
from arpad.web.views.list_parts import (
    PAGE,
    digits_of,
    facts_of,
    last_lists,
    list_href,
    paged,
    person_row,
    ranked_players,
    with_query,
)
from arpad.web.views.player import (
    PlayerPage,
    PlayersPage,
    card_of,
    course_says,
    lines_of,
    numbers_of,
    player_now,
    player_or_404,
    player_page,
    scored,
    vega,
)

if TYPE_CHECKING:
    from arpad.ledger.decisions.subjects import Person
    from arpad.ledger.lists import KeptList
    from arpad.ledger.queries.explain import Explained
    from arpad.ledger.queries.players import ListPlace
    from arpad.web.page import RequestContext


class ExplainPage(PageModel):
    """Explanation of a player's rating."""

    id: int
    name: str
    title: str | None
    explained: dict[str, Any] | None  # None: there is nothing to explain; `says` tells why
    says: str
    choices: list[PageLink]  # other figures of the player, by policy and list


CHOICES = 60  # other lists that a page offers


def explain_page(
    ctx: RequestContext,
    who: Person,
    policy: str,
    name: str,
    period: date | Literal["all"] | None,
    *,
    as_published: bool,
) -> ExplainPage:
    """Return how a figure came about; without policy and list, the last one that the player has."""
    there = _lists(ctx, who)
    fitting = [each for each in there if policy in ("", each.policy) and name in ("", each.name)]
    says, shown = "", None
    if fitting:
        kept = fitting[0]
        result = _found(ctx, who, kept, as_published)
        shown = _explained(ctx, result, who.id, period, as_published)
    elif policy or name:
        raise HTTPException(404, f"{who.called()} is on no list {name} of {policy or 'any policy'}")
    else:
        says = "No list that was made here has a rating of this player: there is nothing to explain yet."
    return ExplainPage.of(
        who,
        explained=shown,
        says=says,
        choices=[
            PageLink(
                text=f"{each.policy}, {each.name}",
                href=with_query(f"/players/{who.id}/explain", {"policy": each.policy, "list": each.name}),
            )
            for each in there[:CHOICES]
        ],
    )


def _lists(ctx: RequestContext, who: Person) -> list[KeptList]:
    """Return the lists on which a player has a figure that was computed here, the newest first."""
    connection, n = ctx.connection, tables.entries.c
    numbers = numbers_of(connection, who)
    query = sa.select(n.list_id).where(n.player_id.in_(numbers)).distinct()
    lists = {each.id: each for each in kept_lists(connection) if each.run_id is not None}
    on = {lists[i].corrects or i for i in connection.execute(query).scalars() if i in lists}
    return sorted(
        (lists[i] for i in on if i in lists),
        key=lambda e: (e.closing, e.published is not None, e.policy),
        reverse=True,
    )


def _found(ctx: RequestContext, who: Person, kept: KeptList, as_published: bool) -> Explained:
    try:
        return explained(
            ctx.connection, f"#{who.id}", policy=kept.policy, name=kept.name, as_published=as_published
        )
    except UsageError as error:
        raise HTTPException(404, str(error)) from None


def _explained(
    ctx: RequestContext,
    found: Explained,
    number: int,
    period: date | Literal["all"] | None,
    as_published: bool,
) -> dict[str, Any]:
    """Return the explanation of one figure: `digits` are those of the list, `exact_digits` those of the periods."""
    kept, told = found.list, found.explanation
    document = next(p.document for p in kept_policies(ctx.connection) if p.id == kept.policy_id)
    periods = told.periods()
    closings = periods["closing"].to_list()
    if period is None:
        period = closings[-1] if closings else "all"
    if period != "all" and period not in closings:
        raise HTTPException(404, f"no period of this figure closed on {period}")
    steps = told.steps if period == "all" else told.steps.filter(pl.col("closing") == period)
    values = {"policy": kept.policy, "list": kept.name, "as_published": as_published}

    def at(day: object) -> str:
        return with_query(f"/players/{number}/explain", {**values, "period": day})

    rules = {text: i + 1 for i, text in enumerate(steps["rule"].unique(maintain_order=True))}
    return {
        **row_of(kept, "policy", "state", "closing"),
        **row_of(told, "rating", "total", "adds_up", "games", "notes"),
        "list_name": kept.name,
        "list_href": list_href(kept.policy, kept.name),
        "correction": found.correction.number if found.correction else None,
        "digits": digits_of(document),
        "exact_digits": 0 if all(float(after).is_integer() for after in periods["after"]) else 1,
        "periods": [
            row_of(row, href=at(row["closing"]), shown=period in ("all", row["closing"]))
            for row in periods.reverse().to_dicts()
        ],
        "shown": str(period),
        "everything": at("all"),
        "blocks": _blocks(steps, rules),
        "rules": [{"number": i, "text": text} for text, i in rules.items()],
    }


def _blocks(steps: pl.DataFrame, rules: dict[str, int]) -> Rows:
    """Return the steps in their order, the games of an event together."""
    groups: list[list[dict[str, Any]]] = []
    key: object = None
    for row in steps.iter_rows(named=True):
        here = (row["closing"], row["event_id"]) if row["opponent_id"] is not None else None
        if not groups or here != key:
            groups.append([])
        key = here
        groups[-1].append(row)
    return [_block(rows, rules) for rows in groups]


STEP = (
    *("game_id", "round", "colour", "opponent_id", "opponent", "rating", "opponent_rating"),
    *("score", "expected", "k", "change"),
)


def _block(rows: list[dict[str, Any]], rules: dict[str, int]) -> dict[str, Any]:
    # A step with an opponent and no score is what else that game did.
    games = [row for row in rows if row["opponent_id"] is not None and row["score"] is not None]
    known = bool(games) and all(row["expected"] is not None for row in games)
    return {
        "event_id": games[0]["event_id"] if games else None,
        "event": games[0]["event"] if games else None,
        "games": len(games),
        "score": sum(row["score"] or 0.0 for row in games) if games else None,
        "expected": sum(row["expected"] for row in games) if known else None,
        "change": sum(row["change"] for row in rows),
        "steps": [row_of(row, *STEP, day=row["date"], rule=rules[row["rule"]]) for row in rows],
    }


class ComparePage(PageModel):
    """Two players side by side, or the choice of the second."""

    first: dict[str, Any]
    second: dict[str, Any] | None
    q: str
    candidates: Rows
    candidates_total: int
    policy: str | None = None
    policies: tuple[str, ...] = ()  # by which both have a rating
    score: dict[str, Any] | None = None
    white: dict[str, Any] | None = None
    black: dict[str, Any] | None = None
    games: Rows = ()  # from the first one's side
    chart: ChartLink | None = None
    lines: str = ""  # the ratings of both over time, as a picture
    forecast: dict[str, Any] | None = None


def forecast(one: ListPlace, two: ListPlace) -> dict[str, Any] | None:
    """Return the chances of a game by two ratings of one policy; None: somebody has none.

    `certain` has them as if both ratings were known without error.
    """
    if one.rating is None or two.rating is None:
        return None
    errors = (one.deviation or 0.0, two.deviation or 0.0)
    return {
        "policy": one.list.policy,
        "list_name": one.list.name,
        "chances": _chances(one.rating, two.rating, *errors),
        "certain": _chances(one.rating, two.rating, 0.0, 0.0),
        "white_advantage": PUBLISHED.white_advantage,
        "settings": _settings(one, two, *errors),
    }


def _chances(rating: float, other: float, error: float, other_error: float) -> Rows:
    """Return the chances with White and with Black."""
    result = []
    for colour, side in (("white", 1), ("black", -1)):
        ends = probabilities(
            rating, other, advantage=side * PUBLISHED.white_advantage, error=error, opponent_error=other_error
        )
        result.append(row_of(ends, "win", "draw", "loss", "expected", colour=colour))
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
HEAD_GAME = ("id", "event_id", "event", "round", "colour", "score", "status")
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
        candidates=[person_row(p, figures=[]) for p in people[:CANDIDATES]],
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
        score=scored(head.total()) if head.played else None,
        white=scored(colours["white"]),
        black=scored(colours["black"]),
        games=[row_of(g, *HEAD_GAME, day=g.date) for g in reversed(head.games)],
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


def _side(who: Person, rated: tuple[ListPlace, RatingCourse | None] | None, games: int) -> dict[str, Any]:
    standing, course = rated or (None, None)
    # Up to the list that is shown: what a later draft has, nobody has had yet.
    shown = [p for p in course.points if p.day <= standing.list.closing] if standing and course else []
    top = max(shown, key=lambda p: p.rating, default=None)
    return person_row(
        who,
        rating=standing and standing.rating,
        deviation=standing and standing.deviation,
        digits=digits_of(standing.document) if standing else 0,
        games=games,
        highest=top and top.rating,
        highest_day=top and top.day,
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
            person_row(p, figures=[figures.get((number, p.id)) for number in shown.values()])
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
    return ctx.cached(
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
