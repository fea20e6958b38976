"""The fit of an event: whether results fit ratings, who is flagged, how great the performances were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast
from urllib.parse import urlencode

from fastapi import HTTPException, Query

from arpad.errors import ArpadError
from arpad.event.app import tournament_app
from arpad.web.asking import Asked
from arpad.web.contexts import Chart
from arpad.web.events.contexts import EventFit, Fitted
from arpad.web.events.field import PER, EventNumber, PolicyName, field_of, head_of
from arpad.web.pages import Pages
from arpad.web.paging import Page, paged
from arpad.web.tones import toned

if TYPE_CHECKING:
    from arpad.event.app.report import AppReport, Standing
    from arpad.office.showing.event_field import EventField
    from arpad.web.asking import Asking

__all__ = ["app_of", "router"]

pages = Pages("events")
router = pages.router

NumberTwo = Annotated[float | None, Query(ge=1, le=4000, allow_inf_nan=False)]
"""The rating of the world's number two, by which G-scores and strengths are measured."""


def app_of(asked: Asking, field: EventField, number_two: float | None) -> AppReport:
    """Run the Tournament App over an event."""
    policy = None if field.held is None else field.held.policy
    return cast(
        "AppReport",
        asked.remembered(
            ("event app", field.event.id, policy, number_two),
            lambda: tournament_app(field.recorded.games, number_two=number_two, shuffles=0),
        ),
    )


@pages.page("/events/{number}/fit", "event_fit.html")
def event_fit(
    asked: Asked,
    number: EventNumber,
    policy: PolicyName = "",
    number_two: NumberTwo = None,
    page: Page = 1,
) -> EventFit:
    """Test whether the results fit the ratings."""
    field = field_of(asked, number, policy)
    head = head_of(asked, field, policy)
    try:
        found = app_of(asked, field, number_two)
    except ArpadError as error:  # nothing was played
        _, where = paged([], 1, PER)
        return EventFit(
            head=head, tested=False, passed=None, chi_square=None, critical=None, degrees=None, r=None,
            strength=None, number_two=number_two, sentences=[], notes=[str(error)], players=[], chart=None, pager=where,
        )  # fmt: skip
    fit = found.fit
    made = {d.row for d in found.decisions if d.kind == "estimated"}
    some, where = paged(list(found.standings), page, PER)
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
        rank=s.rank, id=number, name=s.name, rating=s.rating, estimated=estimated, games=s.games,
        points=s.points, p_zero=s.p_zero, performance=s.performance, residual=s.residual, flag=s.flag,
        g_score=s.g_score, g_category=s.g_category, pra_after=s.pra_after,
    )  # fmt: skip


def _chart(found: AppReport, number: int, policy: str, number_two: float | None) -> Chart:
    told = {"policy": policy} | ({} if number_two is None else {"number_two": f"{number_two:g}"})
    flagged = sum(1 for s in found.standings if s.flag)
    fit = found.fit
    assert fit is not None
    return Chart(
        title="Ratings against results, with the line of all players",
        href=f"/charts/events/{number}/fit?{urlencode(told)}",
        says=(
            f"{fit.n} players around a line, correlation {fit.r:.2f}; {flagged} of them lie 75 points or more away from it."
        ),
    )


@router.get(
    "/charts/events/{number}/fit", responses={404: {"description": "There is nothing to draw."}}
)
def fit_chart_of(
    asked: Asked, number: EventNumber, policy: PolicyName = "", number_two: NumberTwo = None
) -> dict[str, Any]:
    """Return the chart of ratings against results, as Vega-Lite."""
    from arpad.publish.fit_chart import fit_chart

    field = field_of(asked, number, policy)
    found = app_of(asked, field, number_two)
    if found.fit is None:
        raise HTTPException(404, f"there is nothing to draw: {'; '.join(found.notes)}")
    return cast("dict[str, Any]", toned(fit_chart(found).to_dict()))
