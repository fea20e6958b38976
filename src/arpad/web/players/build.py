"""The page of a player."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from arpad.office.showing.career_games import career
from arpad.office.showing.courses import courses, standings
from arpad.web.lists.about import digits_of
from arpad.web.lists.addresses import list_href, with_query
from arpad.web.lists.facts import facts_of
from arpad.web.players.contexts import (
    ColourScore,
    CourseLine,
    CourseRow,
    EventLine,
    Feat,
    OpponentLine,
    PlayerPage,
    RatingNow,
    Scored,
)
from arpad.web.players.drawn import rating_charts
from arpad.web.players.people import decided, identity, norms_of, numbers_of, titles_of

if TYPE_CHECKING:
    from arpad.event.performance import Performance
    from arpad.office.deciding.subjects import Person
    from arpad.office.showing.career import Career, CareerEvent, CareerGame, Tally
    from arpad.office.showing.courses import Course, Standing
    from arpad.web.asking import Asking

__all__ = ["player_page", "scored"]

EVENTS, OPPONENTS = 25, 15
"""Lines that are shown unless all are asked for."""

FEWEST = 5
"""Rated games of an event whose performance is told as best or worst: fewer are luck."""

NINETEEN_IN_TWENTY = 1.96
"""Standard errors to each side of a normal distribution that hold 95 %."""


def player_page(asked: Asking, who: Person, policy: str, *, everything: bool) -> PlayerPage:
    """Return all that the ledger knows of a player.

    Parameters
    ----------
    policy
        By whose ratings games are told; "": the one of his last list.
    """
    connection = asked.connection
    numbers = numbers_of(connection, who)
    facts = facts_of(asked)
    stands = standings(connection, numbers, facts)
    lines = courses(connection, numbers, facts)
    computed = [s for s in stands if s.list.run_id is not None]
    latest = max(computed, key=lambda s: s.list.closing, default=None)
    chosen = next((s for s in reversed(computed) if s.list.policy == policy), latest)
    games = career(connection, numbers, facts.chain(chosen.list.run_id) if chosen else ())
    events, met = games.events, games.opponents()
    here = f"/players/{who.id}"
    return PlayerPage(
        who=identity(connection, who, numbers),
        ratings=[_now(who.id, s) for s in stands],
        policy=chosen.list.policy if chosen else None,
        policies=list(dict.fromkeys(s.list.policy for s in computed)),
        charts=rating_charts(who.id, lines),
        courses=[course_line(line) for line in lines],
        colours=_colours(games),
        feats=_feats(
            games, next((c for c in lines if chosen and c.policy == chosen.list.policy), None)
        ),
        feat_games=FEWEST,
        events=[_event(e) for e in (events if everything else events[:EVENTS])],
        events_total=len(events),
        all_events=with_query(here, {"policy": policy, "everything": True})
        if not everything and (len(events) > EVENTS or len(met) > OPPONENTS)
        else None,
        opponents=[
            OpponentLine(id=m.id, name=m.name, score=scored(m.tally), last=m.last)
            for m in (met if everything else met[:OPPONENTS])
        ],
        opponents_total=len(met),
        norms=norms_of(connection, numbers),
        titles=titles_of(connection, numbers),
        decisions=decided(connection, numbers),
    )


def _now(number: int, s: Standing) -> RatingNow:
    explain = with_query(
        f"/players/{number}/explain", {"policy": s.list.policy, "list": s.list.name}
    )
    return RatingNow(
        policy=s.list.policy,
        system=str(s.document.get("system") or "?"),
        time_control=s.document.get("time_control"),
        list_name=s.list.name,
        href=list_href(s.list.policy, s.list.name),
        explain=explain if s.list.run_id is not None else None,
        state=s.list.state,
        rating=s.rating or 0.0,
        deviation=s.deviation,
        digits=digits_of(s.document),
        rank=s.rank,
        change=s.change,
        total_games=s.total_games,
        status=s.status,
        corrected=s.corrected,
    )


def course_line(course: Course) -> CourseLine:
    """Return a rating over time, as a table has it."""
    return CourseLine(
        policy=course.policy,
        system=course.system,
        time_control=course.time_control,
        points=[
            CourseRow(day=p.day, rating=p.rating, deviation=p.deviation, games=p.games)
            for p in course.points
        ],
    )


def scored(tally: Tally) -> Scored:
    """Return a score as pages show it."""
    return Scored(
        games=tally.games, wins=tally.wins, draws=tally.draws, losses=tally.losses,
        score=tally.score, share=tally.share,
    )  # fmt: skip


def _colours(games: Career) -> list[ColourScore]:
    if not games.played:
        return []
    colours = games.by_colour()
    return [
        _coloured("white", colours["white"]),
        _coloured("black", colours["black"]),
        _coloured("both", games.total()),
    ]


def _coloured(colour: Literal["white", "black", "both"], tally: Tally) -> ColourScore:
    p = tally.performance
    low, high = _interval(p)
    return ColourScore(
        colour=colour,
        score=scored(tally),
        performance=p.rating if p else None,
        low=low,
        high=high,
        rated=p.games if p else 0,
        average=p.average if p else None,
        note=p.note if p else "no opponent has a rating" if tally.games else "",
    )


def _interval(p: Performance | None) -> tuple[float | None, float | None]:
    if p is None or p.rating is None or p.error is None:
        return None, None
    half = NINETEEN_IN_TWENTY * p.error
    return p.rating - half, p.rating + half


def _event(e: CareerEvent) -> EventLine:
    p = e.performance
    return EventLine(
        id=e.id,
        name=e.name,
        end=e.end,
        time_control=e.time_control,
        counts=not e.excluded,
        games=e.games,
        score=e.score,
        performance=p.rating if p else None,
        error=p.error if p else None,
        change=e.change,
    )


def _feats(games: Career, course: Course | None) -> list[Feat]:
    """Return what was best and worst: ratings, events, a win and a loss."""
    found = []
    if course is not None:
        points = sorted(course.points, key=lambda p: (p.rating, p.day))
        for what, point in (("Highest rating", points[-1]), ("Lowest rating", points[0])):
            found.append(
                Feat(
                    what=what, figure=point.rating, digits=0, error=point.deviation,
                    says=f"after the period to {point.day}, by {course.policy}", href=None, day=point.day,
                )
            )  # fmt: skip
    extremes = games.strongest(FEWEST)
    if extremes:
        for what, event in zip(("Best performance", "Worst performance"), extremes, strict=True):
            found.append(_performed(what, event))
    for what, game in (("Best win", games.best_win()), ("Worst loss", games.worst_loss())):
        if game is not None:
            found.append(_met(what, game))
    return found


def _performed(what: str, event: CareerEvent) -> Feat:
    p = event.performance
    assert p is not None
    assert p.rating is not None
    return Feat(
        what=what, figure=p.rating, digits=0, error=p.error,
        says=f"{event.name}: {p.score:g} of {p.games}", href=f"/events/{event.id}", day=event.end,
    )  # fmt: skip


def _met(what: str, game: CareerGame) -> Feat:
    with_colour = "with White" if game.colour == "white" else "with Black"
    return Feat(
        what=what, figure=game.opponent_rating or 0.0, digits=0, error=None,
        says=f"against {game.opponent}, {with_colour}, {game.event}", href=f"/games/{game.id}",
        day=game.date,
    )  # fmt: skip
