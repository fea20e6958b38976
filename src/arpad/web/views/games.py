"""Games: a board to step through, evaluations, gain."""

from __future__ import annotations

import hashlib
import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

import chess as chess_
import chess.svg
import sqlalchemy as sa
from fastapi import HTTPException, Path, Query
from fastapi.responses import PlainTextResponse, Response

from arpad.ledger.db import tables
from arpad.ledger.games import result_text
from arpad.ledger.queries.games import MOST_PLIES, By, GameSheet, figures_of, game_sheet, play_of
from arpad.moves.evaluation_store import store_stamp
from arpad.moves.gain import CENTIPAWNS
from arpad.moves.positions import find_move, starting_board
from arpad.publish.charts.moves import course_chart, game_chart
from arpad.publish.charts.style import INK
from arpad.read.pgn.movetext import ENDINGS
from arpad.web.page import NOT_HERE, ChartLink, PageLink, PageModel, Pages, PublicContext, number, signed

if TYPE_CHECKING:
    import polars as pl
    from sqlalchemy.engine import Connection

    from arpad.ledger.queries.games import GameFigures, GamePlay, Opponent
    from arpad.moves.gain_report import GainReport


SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ARROW = "#15781B80"
"""The engine's choice: python-chess's green."""
COLOURS = {
    "square light": "#f0d9b5",
    "square dark": "#b58863",
    "square light lastmove": "#cdd16a",
    "square dark lastmove": "#aaa23b",
    "margin": "#3a3a3a",
    "coord": "#f0f0f0",
}
ET.register_namespace("", SVG)
ET.register_namespace("xlink", XLINK)


def drawn(positions: pl.DataFrame, ply: int, *, best: str | None, white_below: bool) -> str:
    """Return the position after this many half-moves, as SVG: the last move marked, the engine's choice as an arrow.

    Parameters
    ----------
    positions
        Of one game, as `moves.positions` has them.
    best
        The engine's choice in the position, UCI.
    """
    epd = str(positions["epd"][ply])
    picture = chess.svg.board(
        chess.BaseBoard(epd.split(" ", 1)[0]),
        orientation=chess.WHITE if white_below else chess.BLACK,
        lastmove=_move(positions["uci"][ply - 1]) if ply else None,
        check=_check(epd),
        arrows=[
            chess.svg.Arrow(m.from_square, m.to_square, color=ARROW) for m in [_move(best)] if m is not None
        ],
        colors=COLOURS,
    )
    return _plain(picture)


def _move(uci: str | None) -> chess.Move | None:
    move = chess.Move.from_uci(uci) if uci else None
    return move or None  # a null move goes nowhere


def _check(epd: str) -> int | None:
    """Return where the king stands that is in check."""
    board = chess.Board(f"{epd} 0 1", chess960=True)
    return board.king(board.turn) if board.is_check() else None


def _plain(picture: str) -> str:
    """Return the same picture with attributes in the place of styles."""
    root = ET.fromstring(picture)
    for element in root.iter():
        for rule in (element.attrib.pop("style", None) or "").split(";"):
            name, colon, value = rule.partition(":")
            if colon:
                element.set(name.strip(), value.strip())
    for described in root.findall(f"{{{SVG}}}desc"):
        root.remove(described)
    return ET.tostring(root, encoding="unicode")


class ListedThen(PageModel):
    """A rating by a list that held on the day of the game."""

    policy: str
    list: str
    rating: float


class GameSide(PageModel):
    """One of the players: who, rated how then, and how well the moves were."""

    id: int
    name: str
    title: str | None
    given: float | None
    """The rating that stands in the report."""
    listed: list[ListedThen]
    moves: int | None = None
    """Moves whose gain is known."""
    gain: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None
    """Pawns a move, with the limits of 95 %."""
    points: float | None = None
    points_low: float | None = None
    points_high: float | None = None
    """Rating points to the engine; nothing where they are beyond measure."""
    loss: float | None = None
    """Average centipawn loss."""
    accuracy: float | None = None
    """Lichess's accuracy, in percent."""
    error_moves: int | None = None
    """Moves that count for the average error."""
    error: float | None = None
    error_low: float | None = None
    error_high: float | None = None
    """Pawns a move."""
    agreed: float | None = None
    """The share of these moves that were the engine's choice."""


class GameMove(PageModel):
    """A move, the position after it, and what is known of both."""

    ply: int
    number: str
    san: str
    comment: str
    evaluation: float | None
    """Pawns from White's side, after the move."""
    mate: int | None
    """Moves to mate; negative: Black mates."""
    over: str | None
    gain: float | None
    """Pawns, from the mover's side."""
    best: str | None
    """What the engine would have played instead of it, or the same."""
    agrees: bool | None
    clock: float | None
    """Seconds left."""
    says: str
    """All of it in words."""


class MovePair(PageModel):
    """A move of White and the answer; one of them may be missing."""

    number: int
    white: GameMove | None
    black: GameMove | None


class GamePage(PageModel):
    """A game."""

    id: int
    title: str
    event: PageLink
    site: str | None
    round: str | None
    date: str | None
    result: str
    status: str
    white: GameSide
    black: GameSide | None
    has_moves: bool
    plies: int
    ply: int
    """The position that is shown."""
    side: str
    """Who sits at the bottom: white or black."""
    by: str | None
    """Whose evaluations are shown: source or engine; null: there are none."""
    others: list[str]
    source: str | None
    """Who evaluated, and how."""
    start: str
    """What is known of the starting position, in words."""
    fen: str | None
    """The position that is shown, in four fields."""
    comment: str
    moves: list[MovePair]
    expected: float | None
    expected_low: float | None
    expected_high: float | None
    """White's expected score by the gain of both."""
    evaluation_chart: ChartLink | None
    gain_chart: ChartLink | None
    strength_chart: ChartLink | None
    notes: list[str]
    can_analyse: bool
    """An engine's evaluations can be kept, and are not there yet."""


class GameRow(PageModel):
    """A game with moves."""

    id: int
    white: str
    black: str
    result: str
    event: str
    event_id: int
    date: date | None
    plies: int | None


class GamesPage(PageModel):
    """The last games that came with their moves."""

    with_moves: int
    games: list[GameRow]
    before: int | None
    """Where the next page goes on."""


MATE_PAWNS = 39.0
"""What a mate is worth among gains; a gain that large is said in words."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A game's moves, what is known of them, and what follows: worked out once."""

    play: GamePlay
    figures: GameFigures
    moves: tuple[GameMove, ...]


def date_of(sheet: GameSheet) -> str | None:
    """Return the day, or the month or year if no more is known."""
    if sheet.date is None:
        return None
    length = {"year": 4, "month": 7}.get(sheet.precision or "day", 10)
    return sheet.date.isoformat()[:length]


def game_page(
    sheet: GameSheet, looked: Looked | None, *, ply: int | None, side: str, store: bool
) -> GamePage:
    """Return the page of a game; `looked` is None where the ledger has no moves."""
    play = None if looked is None else looked.play
    length = 0 if play is None else play.length
    at = min(length if ply is None else ply, length)
    figures = None if looked is None else looked.figures
    report = None if figures is None else figures.report
    pair = None if figures is None else figures.expected
    black = "–" if sheet.black is None else sheet.black.name
    return GamePage(
        id=sheet.id,
        title=f"{sheet.white.name} – {black}",
        event=PageLink(text=sheet.event, href=f"/events/{sheet.event_id}"),
        site=sheet.site,
        round=sheet.round,
        date=date_of(sheet),
        result=sheet.result,
        status=sheet.status,
        white=_side(sheet.white, figures, 0),
        black=None if sheet.black is None else _side(sheet.black, figures, 1),
        has_moves=bool(length),
        plies=length,
        ply=at,
        side=side,
        by=None if play is None or not play.others else play.by,
        others=[] if play is None else list(play.others),
        source=None if play is None or not play.others else play.evaluated.source,
        start="" if play is None else _start(play),
        fen=None if play is None or not play.positions.height else play.positions["epd"][at],
        comment="" if play is None else play.comment,
        moves=[] if looked is None else _pairs(looked),
        expected=_of(pair, "expected"),
        expected_low=_of(pair, "expected_low"),
        expected_high=_of(pair, "expected_high"),
        evaluation_chart=None if report is None else _evaluation_chart(sheet, looked),
        gain_chart=None if report is None else _gain_chart(sheet, looked),
        strength_chart=None if report is None else _strength_chart(sheet, looked),
        notes=[] if looked is None else [*looked.play.notes, *looked.figures.notes],
        can_analyse=store and bool(length) and (play is None or "engine" not in play.others),
    )


def _of(row: dict[str, Any] | None, name: str) -> float | None:
    """Return a figure; nothing where it is not known or beyond measure."""
    value = None if row is None else row.get(name)
    return value if value is not None and math.isfinite(value) else None


def _side(who: Opponent, figures: GameFigures | None, at: int) -> GameSide:
    gain = None if figures is None else figures.sides[at]
    error = None if figures is None else figures.errors[at]
    return GameSide(
        id=who.id,
        name=who.name,
        title=who.title,
        given=who.given,
        listed=[ListedThen(policy=r.policy, list=r.list, rating=r.rating) for r in who.listed],
        moves=None if gain is None else gain["moves"],
        gain=_of(gain, "mean_gain"),
        gain_low=_of(gain, "mean_gain_low"),
        gain_high=_of(gain, "mean_gain_high"),
        points=_of(gain, "difference_vs_engine"),
        points_low=_of(gain, "difference_vs_engine_low"),
        points_high=_of(gain, "difference_vs_engine_high"),
        loss=_of(gain, "average_centipawn_loss"),
        accuracy=_of(gain, "lichess_accuracy"),
        error_moves=None if error is None else error["moves"],
        error=_of(error, "raw"),
        error_low=_of(error, "raw_low"),
        error_high=_of(error, "raw_high"),
        agreed=_of(error, "matched"),
    )


def moves_of_play(play: GamePlay, figures: GameFigures, fen: str | None) -> tuple[GameMove, ...]:
    """Return every move with its evaluation, its gain, and the engine's choice in its place."""
    if not play.length:
        return ()
    rows = play.evaluated.table.to_dicts()
    gains: dict[int, int] = {}
    if figures.report is not None:
        gains = dict(figures.report.gains.table.select("ply", "gain").iter_rows())
    board = starting_board(fen)
    found = []
    for ply in range(1, play.length + 1):
        said, before, row = play.plies[ply - 1], rows[ply - 1], rows[ply]
        count = f"{board.fullmove_number}{'.' if board.turn else '…'}"
        uci = play.positions["uci"][ply - 1]
        best = _san(board, before["best"])
        gain = gains.get(ply)
        move = GameMove(
            ply=ply,
            number=count,
            san=said.san,
            comment=_words(said.comment),
            evaluation=None if row["cp"] is None else row["cp"] / CENTIPAWNS,
            mate=row["mate"],
            over=row["over"],
            gain=None if gain is None else gain / CENTIPAWNS,
            best=best,
            agrees=None if before["best"] is None else before["best"] == uci,
            clock=row["clock"],
            says="",
        )
        found.append(move.model_copy(update={"says": _says(move)}))
        board.push(find_move(board, said.san))
    return tuple(found)


def _san(board: chess_.Board, uci: str | None) -> str | None:
    if uci is None:
        return None
    try:
        return board.san(board.parse_uci(uci))
    except ValueError:
        return None


def _words(comment: str) -> str:
    """Return a comment without its commands: they have columns of their own."""
    import re

    return " ".join(re.sub(r"\[%[^\]]*\]", " ", comment).split())


def _says(move: GameMove) -> str:
    parts = []
    if move.over is not None:
        parts.append({"mate": "mate", "stalemate": "stalemate"}.get(move.over, "draw"))
    elif move.mate is not None:
        parts.append(f"mate in {abs(move.mate)} for {'White' if move.mate > 0 else 'Black'}")
    elif move.evaluation is not None:
        parts.append(f"evaluation {signed(move.evaluation, 2)}")
    if move.gain is not None and abs(move.gain) < MATE_PAWNS:
        parts.append(f"gain {signed(move.gain, 2)}")
    if move.agrees:
        parts.append("the engine's choice")
    elif move.best is not None:
        parts.append(f"the engine plays {move.best}")
    return "; ".join(parts)


def _start(play: GamePlay) -> str:
    row = play.evaluated.table.row(0, named=True) if play.evaluated.table.height else None
    if row is None or row["cp"] is None:
        return ""
    return f"evaluation {signed(row['cp'] / CENTIPAWNS, 2)}"


def _pairs(looked: Looked) -> list[MovePair]:
    pairs: dict[int, dict[str, GameMove]] = {}
    for move in looked.moves:
        white = move.number.endswith(".")
        at = int(move.number.rstrip(".…"))
        pairs.setdefault(at, {})["white" if white else "black"] = move
    return [
        MovePair(number=at, white=both.get("white"), black=both.get("black")) for at, both in pairs.items()
    ]


def _evaluation_chart(sheet: GameSheet, looked: Looked | None) -> ChartLink:
    values = [m for m in (looked.moves if looked else ()) if m.evaluation is not None]
    says = "Evaluation after each move, in pawns from White's side."
    if values:
        first, last = values[0], values[-1]
        says += f" {first.number} {first.san}: {signed(first.evaluation, 2)}; {last.number} {last.san}: {signed(last.evaluation, 2)}."
    return ChartLink(title="Evaluation, in pawns", href=_chart(sheet, looked, "evaluation"), says=says)


def _gain_chart(sheet: GameSheet, looked: Looked | None) -> ChartLink:
    known = [m for m in (looked.moves if looked else ()) if m.gain is not None]
    swing = max(known, key=lambda m: abs(m.gain or 0.0), default=None)
    says = "Gain of each move, in pawns from the mover's side."
    if swing is not None:
        says += f" The largest change came with {swing.number} {swing.san}: {signed(swing.gain, 2)} pawns."
    return ChartLink(title="Gain of each move, in pawns", href=_chart(sheet, looked, "gain"), says=says)


def _strength_chart(sheet: GameSheet, looked: Looked | None) -> ChartLink:
    sides = looked.figures.sides if looked else (None, None)
    ends = [
        f"{row['name']} ends at {signed(_of(row, 'difference_vs_engine'))} points after {number(row['moves'])} moves"
        for row in sides
        if row is not None and _of(row, "difference_vs_engine") is not None
    ]
    says = "Strength after each move, as rating points to the engine. " + "; ".join(ends)
    return ChartLink(
        title="Strength after each move", href=_chart(sheet, looked, "strength"), says=says.strip()
    )


def _chart(sheet: GameSheet, looked: Looked | None, what: str) -> str:
    by = f"?by={looked.play.by}" if looked is not None and len(looked.play.others) > 1 else ""
    return f"/charts/games/{sheet.id}/{what}{by}"


Picture = Literal["evaluation", "gain", "strength"]
SHARED = ("$schema", "config", "datasets")
HEIGHTS = {"evaluation": 200, "gain": 180, "strength": 300}


def picture(report: GainReport, what: Picture) -> dict[str, Any]:
    """Return one picture as Vega-Lite: the evaluation after each move, the gain of each, or the strength."""
    if what == "strength":
        whole: dict[str, Any] = course_chart(report).to_dict()
        part = whole
    else:
        whole = game_chart(report).to_dict()
        part = whole["vconcat"][("evaluation", "gain").index(what)]
    spec = {**{k: whole[k] for k in SHARED if k in whole}, **part}
    spec |= {
        "width": "container",
        "height": HEIGHTS[what],
        "autosize": {"type": "fit-x", "contains": "padding"},
    }
    return _coloured(spec)  # type: ignore[no-any-return]


def _coloured(value: Any) -> Any:
    """Put the colour of the page's text in the place of ink: it is light in the dark."""
    if isinstance(value, dict):
        return {name: _coloured(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_coloured(inner) for inner in value]
    return "currentColor" if value == INK else value


PAGE = 50
"""Games on a page."""


def listed_games(connection: Connection, before: int | None, most: int) -> GamesPage:
    """Return games with moves, the last first, from the one before a number on."""
    g, e, m = tables.games.c, tables.events.c, tables.moves.c
    white, black = tables.players.alias("white"), tables.players.alias("black")
    query = (
        sa.select(
            g.id,
            white.c.name.label("white"),
            black.c.name.label("black"),
            g.score,
            g.black_score,
            g.status,
            e.name.label("event"),
            e.id.label("event_id"),
            g.date,
            g.plies,
        )
        .join_from(tables.moves, tables.games, g.id == m.game_id)
        .join(tables.events, e.id == g.event_id)
        .join(white, white.c.id == g.white_id)
        .join(black, black.c.id == g.black_id)
        .order_by(m.game_id.desc())
        .limit(most)
    )
    if before is not None:
        query = query.where(m.game_id < before)
    rows = connection.execute(query).all()
    count = connection.execute(sa.select(sa.func.count()).select_from(tables.moves)).scalar_one()
    return GamesPage(
        with_moves=count,
        games=[
            GameRow(
                id=r.id,
                white=r.white,
                black=r.black,
                event=r.event,
                event_id=r.event_id,
                date=r.date,
                plies=r.plies,
                result=result_text(r.score, r.black_score, r.status),
            )
            for r in rows
        ],
        before=rows[-1].id if len(rows) == most else None,
    )


RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


def pgn_of(sheet: GameSheet) -> str:
    """Return tags of what the ledger knows, and the moves as they came."""
    day = "????.??.??" if sheet.date is None else f"{sheet.date:%Y.%m.%d}"
    result = "*" if sheet.score is None else RESULTS.get(sheet.score, "*")
    tags = {
        "Event": sheet.event,
        "Site": sheet.site or "?",
        "Date": day,
        "Round": sheet.round or "?",
        "White": sheet.white.name,
        "Black": "?" if sheet.black is None else sheet.black.name,
        "Result": result,
    }
    moves = sheet.moves
    if moves is not None and moves.start:
        tags |= {"SetUp": "1", "FEN": moves.start}
    text = "" if moves is None else moves.text
    ended = text.split()[-1:] and text.split()[-1] in ENDINGS
    head = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in tags.items())
    return f"{head}\n{text}{'' if ended else f' {result}'}\n"


def _quoted(value: str) -> str:
    """Return a value as a tag has it: on one line, quotes escaped."""
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')


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
def games(ctx: PublicContext, before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None) -> GamesPage:
    """Show the last games that came with their moves."""
    return listed_games(ctx.connection, before, PAGE)


@pages.page("/games/{number}", "game.html")
def game(
    ctx: PublicContext,
    number: Number,
    ply: Annotated[int | None, Query(ge=0, le=MOST_PLIES)] = None,
    side: Below = "white",
    by: Whose = None,
) -> GamePage:
    """Show a game: its players, its moves, how well it was played."""
    sheet = _sheet(ctx, number)
    return game_page(sheet, _looked(ctx, sheet, by), ply=ply, side=side, store=ctx.settings.store is not None)


@router.get(
    "/games/{number}/board/{ply}.svg",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {}}}, **REFUSED},
)
def board(
    ctx: PublicContext, number: Number, ply: PlyNumber, side: Below = "white", by: Whose = None
) -> Response:
    """Return the position after this many half-moves as a picture."""
    looked = _looked(ctx, _sheet(ctx, number), by)
    if looked is None or ply > looked.play.length or not looked.play.positions.height:
        raise HTTPException(404, f"game {number} has no position {ply}")
    best = looked.play.evaluated.table["best"][ply]
    picture = drawn(looked.play.positions, ply, best=best, white_below=side == "white")
    kept = {"Cache-Control": "private, max-age=60"}
    return Response(picture, media_type="image/svg+xml", headers=kept)


@router.get("/games/{number}/pgn", response_class=PlainTextResponse, responses=REFUSED)
def pgn(ctx: PublicContext, number: Number) -> Response:
    """Return a game as PGN, with its comments and variations as they came."""
    sheet = _sheet(ctx, number)
    if sheet.moves is None:
        raise HTTPException(404, f"the ledger has no moves of game {number}")
    headers = {"Content-Disposition": f'attachment; filename="game-{sheet.id}.pgn"'}
    return Response(pgn_of(sheet), media_type="application/x-chess-pgn", headers=headers)


@router.get("/charts/games/{number}/{what}", responses=NOT_HERE)
def chart(ctx: PublicContext, number: Number, what: Picture, by: Whose = None) -> dict[str, Any]:
    """Return the evaluation after each move, the gain of each, or both players' strength, as Vega-Lite."""
    return picture(_report(ctx, number, by), what)


def _sheet(ctx: PublicContext, number: int) -> GameSheet:
    found = game_sheet(ctx.connection, number)
    if found is None:
        raise HTTPException(404, f"there is no game {number} in this ledger")
    return found


def _report(ctx: PublicContext, number: int, by: By | None) -> Any:
    looked = _looked(ctx, _sheet(ctx, number), by)
    if looked is None or looked.figures.report is None:
        raise HTTPException(404, f"game {number} has no evaluations: nothing can be drawn")
    return looked.figures.report


def _looked(ctx: PublicContext, sheet: GameSheet, by: By | None) -> Looked | None:
    """Return a game's moves and figures, from the cache while ledger and evaluations stay the same."""
    kept, store = sheet.moves, ctx.settings.store
    if kept is None or sheet.black is None:
        return None
    names = (sheet.white.name, sheet.black.name)

    def make() -> Looked:
        play = play_of(kept, names, score=sheet.score, store=store, by=by)
        figures = figures_of(play)
        return Looked(play, figures, moves_of_play(play, figures, kept.start))

    text = hashlib.blake2b(f"{kept.start}\n{kept.text}\n{names}".encode()).digest()
    found: Looked = ctx.cached(("game", sheet.id, text, by, store_stamp(store)), make, shared=True)
    return found
