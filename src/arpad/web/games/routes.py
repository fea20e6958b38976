"""Games: a board to step through, evaluations, gain."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

from fastapi import HTTPException, Path, Query
from fastapi.responses import PlainTextResponse, Response

from arpad.office.showing.game_figures import figures_of
from arpad.office.showing.game_play import MOST_PLIES, By, play_of
from arpad.office.showing.game_sheet import GameSheet, game_sheet
from arpad.store.shelves import shelves_stamp
from arpad.web.asking import Asked
from arpad.web.games.board import drawn
from arpad.web.games.build import Looked, game_page, moves_of_play
from arpad.web.games.charts import Picture, picture
from arpad.web.games.contexts import GamePage, GamesPage
from arpad.web.games.listed import PAGE, listed_games
from arpad.web.games.pgn import pgn_of
from arpad.web.pages import NOT_HERE, Pages

__all__ = ["router"]

pages = Pages("games")
router = pages.router

REFUSED: dict[int | str, dict[str, Any]] = {
    **NOT_HERE,
    422: {"description": "There can be no such thing.", "content": {"text/html": {}}},
}
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
PlyNumber = Annotated[int, Path(ge=0, le=MOST_PLIES)]
Whose = Annotated[By | None, Query(description="Whose evaluations: the source's, or the engine's.")]
Below = Annotated[Literal["white", "black"], Query(description="Who sits at the bottom.")]


@pages.page("/games", "games.html")
def games(
    asked: Asked, before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None
) -> GamesPage:
    """Show the last games that came with their moves."""
    return listed_games(asked.connection, before, PAGE)


@pages.page("/games/{number}", "game.html")
def game(
    asked: Asked,
    number: Number,
    ply: Annotated[int | None, Query(ge=0, le=MOST_PLIES)] = None,
    side: Below = "white",
    by: Whose = None,
) -> GamePage:
    """Show a game: its players, its moves, how well it was played."""
    sheet = _sheet(asked, number)
    return game_page(
        sheet, _looked(asked, sheet, by), ply=ply, side=side,
        store=asked.settings.store is not None,
    )  # fmt: skip


@router.get(
    "/games/{number}/board/{ply}.svg",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {}}}, **REFUSED},
)
def board(
    asked: Asked, number: Number, ply: PlyNumber, side: Below = "white", by: Whose = None
) -> Response:
    """Return the position after so many half-moves as a picture."""
    looked = _looked(asked, _sheet(asked, number), by)
    if looked is None or ply > looked.play.length or not looked.play.positions.height:
        raise HTTPException(404, f"game {number} has no position {ply}")
    best = looked.play.evaluated.table["best"][ply]
    picture = drawn(looked.play.positions, ply, best=best, white_below=side == "white")
    kept = {"Cache-Control": "private, max-age=60"}
    return Response(picture, media_type="image/svg+xml", headers=kept)


@router.get("/games/{number}/pgn", response_class=PlainTextResponse, responses=REFUSED)
def pgn(asked: Asked, number: Number) -> Response:
    """Return a game as PGN, with its comments and variations as they came."""
    sheet = _sheet(asked, number)
    if sheet.moves is None:
        raise HTTPException(404, f"the ledger has no moves of game {number}")
    headers = {"Content-Disposition": f'attachment; filename="game-{sheet.id}.pgn"'}
    return Response(pgn_of(sheet), media_type="application/x-chess-pgn", headers=headers)


@router.get("/charts/games/{number}/{what}", responses=NOT_HERE)
def chart(asked: Asked, number: Number, what: Picture, by: Whose = None) -> dict[str, Any]:
    """Return the evaluation after each move, the gain of each, or both players' strength, as Vega-Lite."""
    return picture(_report(asked, number, by), what)


def _sheet(asked: Asked, number: int) -> GameSheet:
    found = game_sheet(asked.connection, number)
    if found is None:
        raise HTTPException(404, f"there is no game {number} in this ledger")
    return found


def _report(asked: Asked, number: int, by: By | None) -> Any:
    looked = _looked(asked, _sheet(asked, number), by)
    if looked is None or looked.figures.report is None:
        raise HTTPException(404, f"game {number} has no evaluations: nothing can be drawn")
    return looked.figures.report


def _looked(asked: Asked, sheet: GameSheet, by: By | None) -> Looked | None:
    """Return a game's moves and figures; remembered as long as ledger and evaluations stay as they are."""
    kept, store = sheet.moves, asked.settings.store
    if kept is None or sheet.black is None:
        return None
    names = (sheet.white.name, sheet.black.name)

    def make() -> Looked:
        play = play_of(kept, names, score=sheet.score, store=store, by=by)
        figures = figures_of(play)
        return Looked(play, figures, moves_of_play(play, figures, kept.start))

    text = hashlib.blake2b(f"{kept.start}\n{kept.text}\n{names}".encode()).digest()
    found: Looked = asked.remembered(("game", sheet.id, text, by, shelves_stamp(store)), make)
    return found
