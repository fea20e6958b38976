"""The first page of an event: crosstable, standings, performances, tie-breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arpad.event.crosstable import Crosstable
from arpad.event.reliability import reliability
from arpad.web.asking import Asked
from arpad.web.events.contexts import Breaks, EventPage, Placed
from arpad.web.events.field import PER, EventNumber, PolicyName, field_of, head_of, report_of
from arpad.web.pages import Pages
from arpad.web.paging import Page, paged

if TYPE_CHECKING:
    from arpad.event.report import EventReport

__all__ = ["router"]

pages = Pages("events")
router = pages.router

FIXED = ("number", "rank", "player", "rating", "points", "games")
BREAKS = ("direct", "wins", "sonneborn_berger", "buchholz_cut", "buchholz", "progressive")


@pages.page("/events/{number}", "event.html")
def event(asked: Asked, number: EventNumber, policy: PolicyName = "", page: Page = 1) -> EventPage:
    """Show crosstable and standings."""
    field = field_of(asked, number, policy)
    head = head_of(asked, field, policy)
    if not head.games:
        _, where = paged([], 1, PER)
        return EventPage(
            head=head, summary="", kind="no games", average=None, category=None, square=False, columns=[],
            players=[], breaks=[], system="", notes=[], pager=where,
        )  # fmt: skip
    found = report_of(asked, field)
    rows = list(zip(found.rows, found.players.to_dicts(), _cells(found.crosstable), strict=True))
    some, where = paged(rows, page, PER)
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
                rank=one["rank"], id=numbers[row], name=one["name"], points=one["points"],
                **{name: one[name] for name in BREAKS},
            )
            for row, one, _ in some
        ],
        system=_system(found, None if field.held is None else field.held.policy),
        notes=list(found.notes),
        pager=where,
    )  # fmt: skip


def _columns(table: Crosstable) -> list[str]:
    return [name for name in table.rows.columns if name not in FIXED]


def _cells(table: Crosstable) -> list[list[str]]:
    return [list(row) for row in table.rows.select(_columns(table)).iter_rows()]


def _placed(number: int, one: dict[str, Any], cells: list[str]) -> Placed:
    return Placed(
        rank=one["rank"], id=number, name=one["name"], title=one["title"], federation=one["federation"],
        rating=one["rating"], cells=cells, points=one["points"], games=one["games"],
        performance=one["performance"], error=one["performance_error"],
        confidence=reliability(one["games"]).confidence if one["games"] else None,
        expected=one["expected"], score=one["score"], change=one["change"],
    )  # fmt: skip


def _system(found: EventReport, policy: str | None) -> str:
    """Say by whose rules expected scores and changes are."""
    rules = f" of {found.parameters['rules']}" if found.system == "fide" else ""
    named = "" if policy is None else f", the rules of {policy}"
    return f"the system {found.system}{rules}{named}"
