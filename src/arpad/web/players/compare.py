"""Two players side by side: their games, their ratings over time, what to expect of the next game."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapi import HTTPException

from arpad.office.showing.career_games import career, games_played
from arpad.office.showing.courses import Course, courses, standings
from arpad.office.showing.name_search import found_people
from arpad.web.contexts import Chart
from arpad.web.lists.about import digits_of
from arpad.web.lists.addresses import with_query
from arpad.web.lists.facts import facts_of
from arpad.web.players.build import scored
from arpad.web.players.compare_contexts import ComparePage, HeadGame, Side
from arpad.web.players.contexts import FoundPlayer
from arpad.web.players.drawn import course_says
from arpad.web.players.forecast import forecast
from arpad.web.players.people import numbers_of, player_now

if TYPE_CHECKING:
    from datetime import date

    from arpad.office.deciding.subjects import Person
    from arpad.office.showing.courses import Standing
    from arpad.web.asking import Asking

__all__ = ["compare_lines", "compare_page"]

CANDIDATES = 20

Ratings = dict[str, tuple["Standing", Course | None]]
"""By policy: where somebody stands on its last list, and how he came there."""


def compare_page(asked: Asking, who: Person, text: str, policy: str) -> ComparePage:
    """Return two players side by side; `text` is the second one's number, or a part of his name."""
    said = re.fullmatch(r"#?(\d{1,9})", text.strip())
    found = None if said else found_people(asked.connection, text, most=CANDIDATES + 1)
    if said:
        other = player_now(asked.connection, int(said[1]))
    elif found and text.strip() and len(others := [p for p in found.people if p.id != who.id]) == 1:
        other = others[0]
    else:
        return _choice(asked, who, text)
    if other.id == who.id:
        raise HTTPException(400, f"{who.called()} cannot be compared with himself: choose another")
    return _both(asked, who, other, text, policy)


def _choice(asked: Asking, who: Person, text: str) -> ComparePage:
    """Return the page on which the second one is still to be chosen: whom he met most, or who is called so."""
    games = career(asked.connection, numbers_of(asked.connection, who))
    found = found_people(asked.connection, text, most=CANDIDATES + 1) if text.strip() else None
    if found is None:
        met = games.opponents()
        people = [player_now(asked.connection, m.id) for m in met[:CANDIDATES]]
        total = len(met)
    else:
        people, total = [p for p in found.people if p.id != who.id], found.total
    return ComparePage(
        first=_side(who, None, len(games.played)), second=None, q=text,
        candidates=[
            FoundPlayer(id=p.id, name=p.name, title=p.title, federation=p.federation, birth=p.birth, figures=[])
            for p in people[:CANDIDATES]
        ],
        candidates_total=total, policy=None, policies=[], score=None, white=None, black=None, games=[],
        chart=None, forecast=None,
    )  # fmt: skip


def _both(asked: Asking, who: Person, other: Person, text: str, policy: str) -> ComparePage:
    connection = asked.connection
    mine, theirs = _ratings(asked, who), _ratings(asked, other)
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
        policies=shared,
        score=scored(head.total()) if head.played else None,
        white=scored(colours["white"]),
        black=scored(colours["black"]),
        games=[
            HeadGame(
                id=g.id, event_id=g.event_id, event=g.event, day=g.date, round=g.round,
                colour=g.colour, score=g.score, status=g.status,
            )
            for g in reversed(head.games)
        ],
        chart=_chart(who, other, one, two, chosen),
        forecast=forecast(one[0], two[0]) if one and two else None,
    )  # fmt: skip


def _ratings(asked: Asking, who: Person) -> Ratings:
    """Return the ratings of a player by policy; of a published list and a newer draft, the published one."""
    numbers = numbers_of(asked.connection, who)
    lines = {
        course.policy: course for course in courses(asked.connection, numbers, facts_of(asked))
    }
    found: Ratings = {}
    for each in standings(
        asked.connection, numbers, facts_of(asked)
    ):  # the published list of a policy first
        found.setdefault(each.list.policy, (each, lines.get(each.list.policy)))
    return found


def _latest(ratings: Ratings, names: list[str]) -> str | None:
    return max(names, key=lambda name: ratings[name][0].list.closing, default=None)


def _side(who: Person, rated: tuple[Standing, Course | None] | None, games: int) -> Side:
    standing, course = rated or (None, None)
    # Up to the list that is shown: what a later draft has, nobody has had yet.
    shown = (
        [p for p in course.points if p.day <= standing.list.closing] if standing and course else []
    )
    top = max(shown, key=lambda p: p.rating, default=None)
    return Side(
        id=who.id,
        name=who.name,
        title=who.title,
        federation=who.federation,
        birth=who.birth,
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
    one: tuple[Standing, Course | None] | None,
    two: tuple[Standing, Course | None] | None,
    policy: str | None,
) -> Chart | None:
    if one is None or two is None or one[1] is None or two[1] is None:
        return None
    path = f"/charts/players/{who.id}/compare/{other.id}"
    return Chart(
        title=f"Ratings over time by {policy}; bands are one standard error to each side",
        href=with_query(path, {"policy": policy}),
        says=f"{course_says(one[1], who.name)}; {course_says(two[1], other.name)}",
    )


def compare_lines(
    asked: Asking, first: Person, second: Person, policy: str
) -> dict[str, list[tuple[date, float, float | None]]]:
    """Return the ratings of two players by one policy; where none is named, by the first that both have."""
    lines: dict[str, list[tuple[date, float, float | None]]] = {}
    mine, theirs = (
        {
            c.policy: c
            for c in courses(asked.connection, numbers_of(asked.connection, who), facts_of(asked))
        }
        for who in (first, second)
    )
    shared = [name for name in mine if name in theirs and policy in ("", name)]
    if not shared:
        raise HTTPException(404, "there is no policy by which both have a rating")
    for who, course in ((first, mine[shared[0]]), (second, theirs[shared[0]])):
        name = who.name if who.name not in lines else who.called()
        lines[name] = [(p.day, p.rating, p.deviation) for p in course.points]
    return lines
