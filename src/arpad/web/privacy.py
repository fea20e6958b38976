"""Personal data of one player: a page for administrators to export or erase them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import HTTPException, Request
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse, Response

from arpad.ledger.decisions.privacy import erase_person, export_person
from arpad.web.auth import Administrator
from arpad.web.page import NOT_HERE, PageLink, PageModel, Pages, ReaderContext
from arpad.web.views.player import player_or_404
from arpad.web.views.players import Number
from arpad.web.views.proposal import ANSWERS, Confirmed, Intent, Why, decided

if TYPE_CHECKING:
    from typing import Any

    from arpad.web.page import RequestContext


pages = Pages("players")
router = pages.router
REFUSED: dict[int | str, dict[str, Any]] = {
    **NOT_HERE,
    403: {"description": "Only an administrator may see this."},
}


class PrivacyPage(PageModel):
    """How many rows the ledger stores about a player."""

    id: int
    name: str
    stored: dict[str, int]
    """Kind of row, number of rows."""


@pages.page("/players/{number}/privacy", "player_privacy.html")
def privacy(request: Request, ctx: ReaderContext, number: Number) -> PrivacyPage:
    """Show what the ledger stores about a player, with forms to export and erase it."""
    data = _data(request, ctx, number)
    who = player_or_404(request, ctx.connection, number)
    return PrivacyPage(id=who.id, name=who.name, stored={name: len(rows) for name, rows in data.items()})


@router.get("/players/{number}/export.json", responses=REFUSED)
def export(request: Request, ctx: ReaderContext, number: Number) -> Response:
    """Return all that the ledger stores about a player."""
    data = _data(request, ctx, number)
    headers = {"Content-Disposition": f'attachment; filename="player-{number}.json"'}
    return JSONResponse(jsonable_encoder(data), headers=headers)


@router.post("/players/{number}/erase", response_class=Response, responses=ANSWERS)
def erase(
    request: Request, admin: Administrator, number: Number, why: Why, confirmed: Confirmed = False
) -> Response:
    """Erase the personal data of a player, after the effect was confirmed."""
    with request.app.state.ledger.reading() as connection:
        who = player_or_404(request, connection, number)
    intent = Intent(
        title=f"Erase the personal data of player {who.id}",
        back=PageLink(text="Back to the player", href=f"/players/{who.id}"),
        action=f"/players/{who.id}/erase",
        verb=lambda connection: erase_person(connection, who.id),
        done=lambda _: f"/players/{who.id}",
        notice="erased",
    )
    return decided(request, admin, why, intent, confirmed=confirmed)


def _data(request: Request, ctx: RequestContext, number: int) -> dict[str, Any]:
    if not ctx.viewer.administers:
        raise HTTPException(403 if ctx.viewer.signed_in else 401, "only an administrator may see this")
    return export_person(ctx.connection, player_or_404(request, ctx.connection, number).id)
