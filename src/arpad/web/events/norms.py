"""Title norms of an event, with reasons."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from arpad.event.norm_rules import TITLES, norm_rules
from arpad.event.norms import SCORED, Judge, sought
from arpad.office.verdicts.norm_records import may_have_norms
from arpad.web.asking import Asked
from arpad.web.events.contexts import EventNorms, Norm, NormRequirement
from arpad.web.events.field import EventNumber, PolicyName, field_of, head_of, report_of
from arpad.web.pages import Pages
from arpad.web.paging import Page, pager

if TYPE_CHECKING:
    from arpad.event.verdict import Verdict
    from arpad.office.showing.event_field import EventField

__all__ = ["router", "shown_norm"]

pages = Pages("events")
router = pages.router

JUDGED = 40
"""Players who are judged at a time, by their place: it takes some milliseconds each."""
NEAREST = 12
"""Verdicts shown of norms that were not made."""


@pages.page("/events/{number}/norms", "event_norms.html")
def event_norms(
    asked: Asked, number: EventNumber, policy: PolicyName = "", page: Page = 1
) -> EventNorms:
    """Judge title norms by FIDE's rules of today."""
    field = field_of(asked, number, policy)
    head = head_of(asked, field, policy)
    says = _why_not(field)
    if says:
        return EventNorms(
            head=head, judged=0, says=says, made=[], nearest=[], pager=pager(0, 1, JUDGED)
        )
    order = report_of(asked, field).rows
    where = pager(len(order), page, JUDGED)
    rows = order[max(where.first - 1, 0) : where.last]
    found = cast(
        "list[tuple[int, Verdict]]",
        asked.remembered(
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
    """Return why nobody is judged; "" where somebody is."""
    games = field.recorded.games
    if field.event.time_control not in (None, "standard"):
        return f"Norms are made in standard games; these were {field.event.time_control}."
    if games.table["round"].drop_nulls().n_unique() < 7:
        return "Norms need an event of at least seven rounds."
    if not may_have_norms(games):
        return (
            "Nobody's title or rating is known here, and a norm needs titled and rated opponents."
        )
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


def shown_norm(number: int, verdict: Verdict) -> Norm:
    """Return a verdict with its requirements."""
    return Norm(
        id=number, player=verdict.player, title=verdict.title, rules=verdict.rules, score=verdict.score,
        games=verdict.games, passed=verdict.passed, points_needed=verdict.points_needed,
        requirements=[NormRequirement(**asdict(r)) for r in verdict.requirements], notes=list(verdict.notes),
    )  # fmt: skip
