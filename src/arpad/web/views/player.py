"""The page of one player."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from fastapi import HTTPException

from arpad.errors import ArpadError, UsageError
from arpad.ledger.db import tables
from arpad.ledger.decisions.decisions import decisions_about, persons
from arpad.ledger.decisions.subjects import Person, person, today
from arpad.ledger.queries.career import career
from arpad.ledger.queries.games import GamesWanted, found_games, move_strength, openings_played
from arpad.ledger.queries.players import RatingCourse, courses, standings
from arpad.publish.charts.style import card, line_chart
from arpad.web.metrics import drawing_program
from arpad.web.page import BirthYear, ChartLink, PageModel, Rows, birth_year, row_of
from arpad.web.views.event_parts import field_of, report_of
from arpad.web.views.list_parts import ListPager, digits_of, facts_of, list_href, with_query
from arpad.web.views.proposal import without_days

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import Request
    from sqlalchemy.engine import Connection

    from arpad.event.performance import Performance
    from arpad.ledger.queries.career import Career, CareerTally
    from arpad.ledger.queries.players import ListPlace
    from arpad.web.page import RequestContext


class PlayersPage(PageModel):
    """Players by name."""

    q: str
    policies: list[str]
    rows: Rows  # with the rating on the list of each policy of the page, as `figures`
    pager: ListPager


class Identity(PageModel):
    """Identity of a player."""

    id: int
    name: str
    title: str | None
    federation: str | None
    birth: BirthYear
    sex: str | None
    ids: Rows  # `scheme` and `value`
    names: list[str]  # other spellings
    merged: Rows  # players who were merged into this one


class PlayerPage(PageModel):
    """One player."""

    who: Identity
    ratings: Rows  # on the last list of each policy
    policy: str | None  # whose ratings and changes the games are told with
    policies: list[str]
    charts: list[ChartLink]
    lines: str  # the ratings over time, as a picture
    courses: list[RatingCourse]
    colours: Rows  # scores with White, Black and both, and how strong they were
    feats: Rows  # best and worst results
    feat_games: int  # rated games that an event needs to be told as best or worst
    events: Rows
    events_total: int
    all_events: str | None  # where all of them are shown
    opponents: Rows
    opponents_total: int
    recent: Rows  # the last games
    openings: Rows
    strength: dict[str, Any] | None  # from evaluated moves
    norms: Rows
    titles: Rows
    decisions: Rows


def rating_charts(number: int, courses: Sequence[RatingCourse]) -> list[ChartLink]:
    """Return the chart of a player's ratings; none where a single one stands at a single day."""
    if not any(len(course.points) > 1 for course in courses):
        return []
    return [
        ChartLink(
            title="Rating over time; bands are one standard error to each side",
            href=f"/charts/players/{number}/ratings",
            says="; ".join(course_says(course) for course in courses),
        )
    ]


def course_says(course: RatingCourse, name: str = "") -> str:
    """Return what a line shows, for those who cannot see it."""
    first, last = course.points[0], course.points[-1]
    high = max(course.points, key=lambda p: p.rating)
    return (
        f"{name or course.policy}: {first.rating:.0f} on {first.day}, {last.rating:.0f} on {last.day},"
        f" highest {high.rating:.0f} on {high.day}"
    )


def vega(lines: Mapping[str, Sequence[tuple[date, float, float | None]]]) -> dict[str, Any]:
    """Return ratings over time as Vega-Lite, as wide as the page has room for; bands are one standard error."""
    rows = [
        {
            "line": name,
            "day": day.isoformat(),
            "rating": rating,
            "low": rating - (error or 0.0),
            "high": rating + (error or 0.0),
        }
        for name, points in lines.items()
        for day, rating, error in points
    ]
    x = {"field": "day", "type": "temporal", "title": None}
    y = {"type": "quantitative", "title": "rating", "scale": {"zero": False}}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": "container",
        "height": 300,
        "datasets": {"ratings": rows},
        "data": {"name": "ratings"},
        "encoding": {"x": x, "color": {"field": "line", "type": "nominal", "title": None}},
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.18, "interpolate": "step-after"},
                "encoding": {"y": {"field": "low", **y}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "line", "interpolate": "step-after", "point": True},
                "encoding": {"y": {"field": "rating", **y}},
            },
        ],
    }


_i, _n, _o, _e, _t = (
    t.c for t in (tables.player_ids, tables.player_names, tables.norms, tables.events, tables.titles)
)
_numbers: sa.BindParameter[int] = sa.bindparam("numbers", expanding=True)
IDS = sa.select(_i.scheme, _i.value).where(_i.player_id.in_(_numbers)).order_by(_i.scheme, _i.value)
NAMES = sa.select(_n.name).where(_n.player_id.in_(_numbers)).order_by(_n.player_id, _n.name)
NORMS = (
    sa.select(_o.title, _o.event_id, _e.name, _e.end, _o.rules, _o.verdict)
    .join(tables.events, _e.id == _o.event_id)
    .where(_o.player_id.in_(_numbers))
    .order_by(_e.end, _o.id)
)
TITLES = (
    sa.select(_t.title, _t.date, _t.rules, _t.because)
    .where(_t.player_id.in_(_numbers))
    .order_by(_t.date, _t.id)
)
"""A constant, because SQLAlchemy takes long to build a statement."""


def player_or_404(request: Request, connection: Connection, number: int) -> Person:
    """Return the player of an address; a merged player redirects to the present number."""
    try:
        who = person(connection, number)
    except UsageError:
        raise HTTPException(404, f"there is no player {number} in this ledger") from None
    if who.merged_into is None:
        return who
    now = today(connection, number)
    path = request.url.path.replace(f"/players/{number}", f"/players/{now}", 1)
    query = f"?{request.url.query}" if request.url.query else ""
    to = {"Location": f"{path}{query}"}
    raise HTTPException(307, f"player {number} is player {now} now", headers=to)


def player_now(connection: Connection, number: int) -> Person:
    """Return a player as he is today; 404: there is none."""
    try:
        return person(connection, today(connection, number))
    except UsageError:
        raise HTTPException(404, f"there is no player {number} in this ledger") from None


def numbers_of(connection: Connection, who: Person) -> list[int]:
    """Return a player's number, then those of all who were merged into him."""
    return [who.id, *(n for n in persons(connection, [who.id]) if n != who.id)]


def identity(connection: Connection, who: Person, numbers: Sequence[int]) -> Identity:
    """Return the identity of a player."""
    ctx = {"numbers": list(numbers)}
    spelled = dict.fromkeys(connection.execute(NAMES, ctx).scalars())
    return Identity.of(
        who,
        ids=[row_of(row._mapping) for row in connection.execute(IDS, ctx)],
        names=[name for name in spelled if name != who.name],
        merged=[{"id": m, "name": person(connection, m).name} for m in numbers[1:]],
    )


def norms_of(connection: Connection, numbers: Sequence[int]) -> Rows:
    """Return the norms that the ledger has recorded; `granted`: although a requirement is not met."""
    result = []
    for row in connection.execute(NORMS, {"numbers": list(numbers)}):
        verdict = row.verdict or {}
        known = {"score": verdict.get("score"), "games": verdict.get("games")}
        known |= {"event": row.name, "granted": "granted_by" in verdict}
        result.append(row_of(row._mapping, "title", "event_id", "end", "rules", **known))
    return result


def titles_of(connection: Connection, numbers: Sequence[int]) -> Rows:
    """Return the titles that the ledger has recorded."""
    return [
        {
            "title": row.title,
            "day": row.date,
            "rules": row.rules,
            "because": str((row.because or {}).get("words", "")),
        }
        for row in connection.execute(TITLES, {"numbers": list(numbers)})
    ]


def decided(connection: Connection, numbers: Sequence[int], *, days: bool) -> Rows:
    """Return the decisions about somebody, the newest first."""
    found = decisions_about(connection, [f"player {n}" for n in numbers])
    said = [d.words() if days else without_days(d.words()) for d in found]
    return [
        row_of(d, "id", "when", "who", "why", what=what, undone=not d.in_effect)
        for d, what in zip(found, said, strict=True)
    ]


EVENTS, OPPONENTS, RECENT = 25, 15, 10  # lines on the short page
FEWEST = 5  # rated games of an event whose performance is told as best or worst: fewer are luck
NINETEEN_IN_TWENTY = 1.96  # standard errors to each side of a normal distribution that hold 95 %


def player_page(ctx: RequestContext, who: Person, policy: str, *, everything: bool) -> PlayerPage:
    """Return all that the ledger knows of a player.

    Parameters
    ----------
    policy
        By whose ratings games are told; "": the one of his last list.
    """
    connection = ctx.connection
    numbers = numbers_of(connection, who)
    facts = facts_of(ctx)
    stands = standings(connection, numbers, facts)
    lines = courses(connection, numbers, facts)
    official = courses(connection, numbers, facts, published=True)
    computed = [s for s in stands if s.list.run_id is not None]
    latest = max(computed, key=lambda s: s.list.closing, default=None)
    chosen = next((s for s in reversed(computed) if s.list.policy == policy), latest)
    games = career(connection, numbers, facts.chain(facts.run_of(chosen.list)) if chosen else ())
    events, met = games.events, games.opponents()
    here = f"/players/{who.id}"
    recent, _ = found_games(connection, GamesWanted(players=tuple(numbers)), most=RECENT)
    strength = move_strength(connection, games.games)
    return PlayerPage(
        who=identity(connection, who, numbers),
        ratings=[_now(ctx, who.id, s, games) for s in stands],
        policy=chosen.list.policy if chosen else None,
        policies=list(dict.fromkeys(s.list.policy for s in computed)),
        charts=rating_charts(who.id, lines),
        lines=lines_of({c.policy: c for c in lines}),
        courses=lines,
        colours=_colours(games),
        feats=_feats(games, next((c for c in official if chosen and c.policy == chosen.list.policy), None)),
        feat_games=FEWEST,
        events=[
            row_of(e, counts=not e.excluded) | _performed(e.performance)
            for e in (events if everything else events[:EVENTS])
        ],
        events_total=len(events),
        all_events=with_query(here, {"policy": policy, "everything": True})
        if not everything and (len(events) > EVENTS or len(met) > OPPONENTS)
        else None,
        opponents=[
            row_of(m, "id", "name", "last", score=scored(m.tally))
            for m in (met if everything else met[:OPPONENTS])
        ],
        opponents_total=len(met),
        recent=recent,
        openings=openings_played(connection, games.games),
        strength=strength,
        norms=norms_of(connection, numbers),
        titles=titles_of(connection, numbers),
        decisions=decided(connection, numbers, days=ctx.viewer.administers) if ctx.viewer.sees_all else [],
    )


LIVE = 3  # events since a list that are rated for a live rating: more wait for the list


def _now(ctx: RequestContext, number: int, s: ListPlace, games: Career) -> dict[str, Any]:
    """Return a rating on the last list of a policy; `live`: with the changes of the events since the list."""
    explain = with_query(f"/players/{number}/explain", {"policy": s.list.policy, "list": s.list.name})
    changes = _since(ctx, number, s, games) if ctx.viewer.sees_all else []  # no list has them
    return row_of(
        s,
        *("rating", "deviation", "rank", "change", "total_games", "status", "corrected"),
        policy=s.list.policy,
        system=str(s.document.get("system") or "?"),
        time_control=s.document.get("time_control"),
        list_name=s.list.name,
        href=list_href(s.list.policy, s.list.name),
        explain=explain if ctx.viewer.sees_all and s.list.run_id is not None else None,
        state=s.list.state,
        digits=digits_of(s.document),
        live=s.rating + sum(changes) if changes and s.rating is not None else None,
        live_events=len(changes),
    )


def _since(ctx: RequestContext, number: int, s: ListPlace, games: Career) -> list[float]:
    """Return the changes of a player in the events since a published list, each rated alone."""
    control = s.document.get("time_control")
    later = [
        each.id
        for each in games.events
        if each.end is not None
        and each.end > s.list.closing
        and not each.excluded
        and control in (None, each.time_control or "standard")
    ]
    if s.list.published is None or s.list.run_id is None or len(later) > LIVE:
        return []
    changes = []
    for event in later:
        field = field_of(ctx, event, s.list.policy)
        if number not in field.recorded.players:
            continue
        row = field.recorded.players.index(number)
        try:
            result = report_of(ctx, field)
        except ArpadError:
            continue
        one = dict(zip(result.rows, result.players["change"], strict=True)).get(row)
        changes += [] if one is None else [float(one)]
    return changes


def lines_of(courses: Mapping[str, RatingCourse]) -> str:
    """Return ratings over time as a picture; none where a single one stands at a single day."""
    if not any(len(course.points) > 1 for course in courses.values()):
        return ""
    points = {n: [(p.day, p.rating, p.deviation) for p in c.points] for n, c in courses.items()}
    return line_chart(points, says="; ".join(course_says(c, n) for n, c in courses.items()))


def card_of(ctx: RequestContext, who: Person) -> bytes:
    """Return the picture with which other sites show a link to a player: name, rating, ratings over time."""
    numbers, facts = numbers_of(ctx.connection, who), facts_of(ctx)
    first = next((s for s in standings(ctx.connection, numbers, facts) if s.list.published is not None), None)
    policy = first.list.policy if first else ""
    lines = courses(ctx.connection, numbers, facts, published=True)
    svg = card(
        name=f"{who.title or ''} {who.name}".strip(),
        facts=", ".join(each for each in (who.federation, birth_year(who.birth)) if each),
        rating=f"{first.rating:.0f}" if first else "",
        listed=f"{policy}, {first.list.name}" if first else "",
        title=ctx.settings.title,
        ratings=[p.rating for c in lines if c.policy == policy for p in c.points],
    )
    return bytes(drawing_program("svg_to_png", svg))


def scored(tally: CareerTally) -> dict[str, Any]:
    """Return games and their score."""
    return row_of(tally, "games", "wins", "draws", "losses", "score", "share")


def _performed(p: Performance | None) -> dict[str, Any]:
    return {"performance": p and p.rating, "error": p and p.error}


def _colours(games: Career) -> Rows:
    """Return the score with each colour and with both; rated games alone tell how strong it was.

    `low` and `high` are where the truth lies 19 times in 20, if the games are independent.
    """
    result = []
    for colour, tally in [*games.by_colour().items(), ("both", games.total())] if games.played else []:
        p = tally.performance
        rating = None if p is None else p.rating
        half = None if p is None or p.error is None else NINETEEN_IN_TWENTY * p.error
        result.append(
            {
                "colour": colour,
                "score": scored(tally),
                "performance": rating,
                "low": None if rating is None or half is None else rating - half,
                "high": None if rating is None or half is None else rating + half,
                "rated": p.games if p else 0,
                "average": p and p.average,
                "note": p.note if p else "no opponent has a rating" if tally.games else "",
            }
        )
    return result


def _feats(games: Career, course: RatingCourse | None) -> Rows:
    """Return what was best and worst: ratings, events, a win and a loss."""
    result: list[dict[str, Any]] = []

    def tell(what: str, figure: float, says: str, day: date | None, **more: object) -> None:
        feat = {"what": what, "figure": figure, "says": says, "day": day}
        result.append({**feat, "digits": 0, "error": None, "href": None, **more})

    if course is not None:
        points = sorted(course.points, key=lambda p: (p.rating, p.day))
        for what, point in (("Highest rating", points[-1]), ("Lowest rating", points[0])):
            says = f"after the period to {point.day}, by {course.policy}"
            tell(what, point.rating, says, point.day, error=point.deviation)
    best, worst = games.strongest(FEWEST) or (None, None)
    for what, event in (
        ("Best performance", best),
        ("Worst performance", worst if worst is not best else None),
    ):
        if event is None:
            continue
        p = event.performance
        if p is not None and p.rating is not None:
            says, href = f"{event.name}: {p.score:g} of {p.games}", f"/events/{event.id}"
            tell(what, p.rating, says, event.end, error=p.error, href=href)
    for what, game in (("Best win", games.best_win()), ("Worst loss", games.worst_loss())):
        if game is not None:
            says = f"against {game.opponent}, with {game.colour.capitalize()}, {game.event}"
            tell(what, game.opponent_rating or 0.0, says, game.date, href=f"/games/{game.id}")
    return result
